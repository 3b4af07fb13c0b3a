//! `check --fix`: the edited schema, the diff, what each edit does, and that nothing changes unless asked.

use serde_json::json;

use crate::place::Place;
use formwork::json::{ParseLimits, Value, parse, pretty};

const OPEN: &str =
    r#"{"type":"object","properties":{"b":{"type":"string","default":"d"},"a":{"type":"string"}},"required":["a"]}"#;
const BOUND: &str = r#"{"type":"object","properties":{"a":{"type":"string","maxLength":5}},"required":["a"],"additionalProperties":false}"#;
const FITS: &str =
    r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn with(name: &str, text: &str) -> Place {
    let place = Place::new();
    place.write(name, text);
    place
}

fn read(place: &Place, name: &str) -> String {
    fs_err::read_to_string(place.path(name)).unwrap()
}

#[test]
fn a_fix_shows_schema_diff_and_effects_and_changes_nothing() {
    let place = with("open.json", OPEN);
    let ended = place.run(&["check", "open.json", "--fix", "openai"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    for part in [
        "--- open.json",
        "+++ open.json for openai",
        "+  \"additionalProperties\": false",
        "3 edits (1 keep the meaning, 2 narrow it), level narrow",
        "keeps    /properties/b/default: left out default",
        "narrows  /properties/b: made required",
        "open.json is not changed",
    ] {
        assert!(ended.stdout.contains(part), "wanted {part:?} in:\n{}", ended.stdout);
    }
    assert_eq!(read(&place, "open.json"), OPEN);
}

#[test]
fn what_is_written_is_accepted_as_it_is() {
    let place = with("open.json", OPEN);
    let ended = place.run(&["check", "open.json", "--fix", "openai", "--write"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.contains("open.json is changed"), "{}", ended.stdout);
    assert_eq!(place.run(&["check", "open.json", "--for", "openai"]).code, Some(0));
    let again = place.run(&["check", "open.json", "--fix", "openai", "--write"]);
    again.is(0, "openai takes open.json as it is: nothing to edit\n");
    let written = value(&read(&place, "open.json"));
    let names: Vec<&String> = written["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["b", "a"], "the author's order stays");
}

/// What the author wrote stays where no edit is: comments, space, order, line ends and the byte order mark.
#[test]
fn a_file_is_edited_in_place() {
    let text = r#"{
  // what a person is
  "type": "object",
  "properties": {
    "b":  { "type": "string",   "default": "d" }, // as in the passport
    "a":  { "type": "string" },
  },
  /* of all that */ "required": [ "a" ]
}
"#;
    for (name, text) in [
        ("p.jsonc", text.to_owned()),
        ("windows.jsonc", format!("\u{feff}{}", text.replace('\n', "\r\n"))),
        ("envelope.jsonc", format!("{{\n\t\"type\": \"json_schema\", // so\n\t\"schema\": {text}}}")),
    ] {
        let place = with(name, &text);
        let shown = place.run(&["check", name, "--fix", "openai"]);
        assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
        assert!(
            shown.stdout.contains("-    \"b\":  { \"type\": \"string\",   \"default\": \"d\" }, // as in"),
            "{}",
            shown.stdout
        );
        assert_eq!(read(&place, name), text);
        assert_eq!(place.run(&["check", name, "--fix", "openai", "--write"]).code, Some(0));
        let written = read(&place, name);
        for part in
            ["// what a person is", "// as in the passport", "\"a\":  { \"type\": \"string\" },", "/* of all that */"]
        {
            assert!(written.contains(part), "wanted {part:?} in:\n{written}");
        }
        assert!(written.contains("\"additionalProperties\": false") && !written.contains("default"), "{written}");
        assert_eq!(written.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
        let bare = written.matches('\n').count() - written.matches("\r\n").count();
        assert_eq!(bare > 0, !text.contains('\r'), "{written:?}");
        assert_eq!(place.run(&["check", name, "--for", "openai"]).code, Some(0));
    }
}

/// A part that stands in the file as it is taken is edited there; one that was put together is not.
#[test]
fn a_picked_part_is_edited_where_it_stands() {
    let api = format!(
        "{{\"openapi\": \"3.1.0\",\n \"components\": {{\"schemas\": {{\n  \"Open\":   {OPEN},\n  \"Other\": {{\"type\": \"object\", \"properties\": {{\"o\": {{\"$ref\": \"#/components/schemas/Open\"}}}}}}\n }}}}}}\n"
    );
    let place = with("api.json", &api);
    assert_eq!(place.run(&["check", "api.json", "--pick", "Open", "--fix", "openai", "--write"]).code, Some(0));
    let written = read(&place, "api.json");
    assert!(
        written.starts_with("{\"openapi\": \"3.1.0\",\n \"components\": {\"schemas\": {\n  \"Open\":   {"),
        "{written}"
    );
    assert_eq!(place.run(&["check", "api.json", "--pick", "Open", "--for", "openai"]).code, Some(0));
    let refused = place.run(&["check", "api.json", "--pick", "Other", "--fix", "openai", "--write"]);
    refused.fails(2, "config");
    refused.says("the part that was taken does not stand in it as it is");
    assert_eq!(read(&place, "api.json"), written);
}

#[test]
fn an_envelope_stays_an_envelope() {
    let text = format!(r#"{{"type":"json_schema","name":"answer","schema":{OPEN}}}"#);
    let place = with("envelope.json", &text);
    assert_eq!(place.run(&["check", "envelope.json", "--fix", "openai", "--write"]).code, Some(0));
    let written = value(&read(&place, "envelope.json"));
    assert_eq!((&written["name"], &written["type"]), (&json!("answer"), &json!("json_schema")));
    assert_eq!(written["schema"]["additionalProperties"], json!(false));
    assert_eq!(place.run(&["check", "envelope.json", "--for", "openai"]).code, Some(0));
}

#[test]
fn no_edit_goes_further_than_allowed() {
    let place = with("bound.json", BOUND);
    let refused = place.run(&["check", "bound.json", "--fix", "openai", "--project", "narrow", "--write"]);
    refused.fails(3, "unsupported");
    refused.says("/properties/a/maxLength");
    refused.says("allow --project relax");
    assert_eq!(read(&place, "bound.json"), BOUND);
    let relaxed = place.run(&["check", "bound.json", "--fix", "openai"]);
    assert!(relaxed.stdout.contains("widens   /properties/a/maxLength: left out maxLength"), "{}", relaxed.stdout);
    let text = with("text.json", r#"{"type":"string"}"#);
    text.run(&["check", "text.json", "--fix", "openai"]).says("change these places by hand");
}

#[test]
fn a_fix_as_json_holds_schema_diff_and_effects() {
    let place = with("bound.json", BOUND);
    let ended = place.run(&["check", "bound.json", "--fix", "google", "--format", "json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let report = value(&ended.stdout);
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["provider", "profile", "profile_date", "level", "edits", "warnings", "diff", "schema", "written"]
    );
    assert_eq!((&report["level"], &report["written"]), (&json!("relax"), &json!(false)));
    assert_eq!(report["edits"][0]["effect"], json!("widens"));
    assert_eq!(report["schema"].pointer("/properties/a/maxLength"), None);
    assert!(report["diff"].as_str().unwrap().contains("-      \"maxLength\": 5"), "{report}");
}

#[test]
fn usage_of_fix_is_checked() {
    let place = with("fits.json", FITS);
    place.run(&["check", "fits.json", "--fix", "openai"]).is(0, "openai takes fits.json as it is: nothing to edit\n");
    place.run(&["check", "fits.json", "--fix", "openrouter"]).fails(2, "config");
    place.run(&["check", "fits.json", "--fix", "nobody"]).fails(2, "config");
    place.run(&["check", "fits.json", "--write"]).fails(2, "config");
    place.run(&["check", "fits.json", "--fix", "openai", "--for", "all"]).fails(2, "config");
    place.run(&["check", "fits.json", "--fix", "openai", "--format", "sarif"]).fails(2, "config");
    place.run_with(&["check", "-", "--fix", "openai", "--write"], FITS).fails(2, "config");
    let piped = place.run_with(&["check", "-", "--fix", "openai"], OPEN);
    assert!(piped.stdout.starts_with("{\n") && piped.stdout.contains("--- standard input"), "{}", piped.stdout);
    place.run_with(&["check", "-", "--fix", "openai"], "{\"type\":3}").fails(2, "invalid_schema");
}

/// The rights of the file stay, and a link stays a link.
#[cfg(unix)]
#[test]
fn a_written_file_keeps_its_rights_and_its_link() {
    use std::os::unix::fs::PermissionsExt;
    let place = with("real.json", OPEN);
    std::fs::set_permissions(place.path("real.json"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.json", place.path("link.json")).unwrap();
    assert_eq!(place.run(&["check", "link.json", "--fix", "openai", "--write"]).code, Some(0));
    assert!(fs_err::symlink_metadata(place.path("link.json")).unwrap().is_symlink());
    assert_eq!(fs_err::metadata(place.path("real.json")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_ne!(read(&place, "real.json"), OPEN);
}

#[test]
fn the_report_counts_against_limits_and_offers_edits() {
    let place = with("open.json", OPEN);
    let told = place.run(&["check", "open.json", "--for", "all"]).stdout;
    for part in [
        "openai does not take it as it is:",
        "offered: 3 edits (1 keep the meaning, 2 narrow it): formwork check open.json --fix openai",
        "counts against limits:",
        "openai    depth 1/10, properties 2/5000, enum values 0/1000, enum text 0/15000, text 2/120000",
        "anthropic optional 1/24, unions 0/16, strict tools 0/20",
    ] {
        assert!(told.contains(part), "wanted {part:?} in:\n{told}");
    }
    let report = value(&place.run(&["check", "open.json", "--for", "openai", "--format", "json"]).stdout);
    let row = &report["providers"][0];
    assert_eq!(row["counts"]["properties"], json!({ "limit": 5000, "use": 2 }));
    assert_eq!(row["edits"].as_array().unwrap().len(), 3, "{}", pretty(row));
    for refusal in row["refusals"].as_array().unwrap() {
        assert_eq!((&refusal["verdict"], &refusal["routes"]), (&json!("refused"), &json!(["native", "tool"])));
    }
    let bound = with("bound.json", BOUND);
    let report = value(&bound.run(&["check", "bound.json", "--for", "google", "--format", "json"]).stdout);
    assert_eq!(report["providers"][0]["refusals"][0]["verdict"], json!("ignored"));
    assert_eq!(report["providers"][0]["native"], json!("relax"), "ignored is no acceptance");
}

/// In an envelope the places of a report are found below `/schema`.
#[test]
fn sarif_places_refusals_inside_an_envelope() {
    let text =
        format!("{{\"type\":\"json_schema\",\n\"name\":\"x\",\n\"schema\":{}}}", OPEN.replace("\"b\":", "\n\"b\":"));
    let place = with("envelope.json", &text);
    let log = value(&place.run(&["check", "envelope.json", "--for", "openai", "--format", "sarif"]).stdout);
    let run = &log["runs"][0];
    let lines: Vec<u64> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|result| result.pointer("/locations/0/physicalLocation/region/startLine")?.as_u64())
        .collect();
    assert_eq!(lines.len(), run["results"].as_array().unwrap().len());
    assert!(lines.contains(&4), "the property stands in line 4: {lines:?}");
    assert_eq!(run.pointer("/properties/providers/0/counts/properties/use"), Some(&json!(2)));
    assert_eq!(run.pointer("/results/0/properties/verdict"), Some(&json!("refused")));
}
