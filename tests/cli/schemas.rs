//! What runs leave in the store, and `formwork schemas`.

use formwork::json::{ParseLimits, Value, parse};
use formwork::store::{self, Scope, real_name};

use crate::PAIR;
use crate::place::{Ended, Place};

const NARROW: &str = r#"{"type":"object","properties":{"b":{"type":"integer","minimum":5},"a":{"type":"number"}},"required":["b","a"],"additionalProperties":false}"#;

fn ran(place: &Place, model: &str, more: &[&str]) -> Ended {
    place.run(&[&["-p", "x", "--json-schema", "pair.json", "-m", model], more].concat())
}

fn list(place: &Place, more: &[&str]) -> Vec<Value> {
    let ended = place.run(&[&["schemas", "list", "--json"], more].concat());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    parse(&ended.stdout, ParseLimits::default()).unwrap().as_array().unwrap().clone()
}

fn hash(row: &Value) -> String {
    row["hash"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_leaves_its_schema_and_every_candidate() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    assert_eq!(ran(&place, "sim/repair", &[]).code, Some(0));
    assert_eq!(ran(&place, "sim/sample", &["--events"]).code, Some(0));
    let rows = list(&place, &[]);
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0]["runs"].to_string(), rows[0]["accepted"].to_string()), ("2".to_owned(), "2".to_owned()));
    let (store, _) = store::open(&place.path("data"), 0).unwrap();
    let project = real_name(&place.path("."));
    let mut found = Vec::new();
    store
        .candidates(&project, 0, |listed| {
            found.push((listed.model, listed.candidate.attempt, listed.candidate.verdict));
            true
        })
        .unwrap();
    let words: Vec<_> = found.iter().map(|(m, a, v)| (m.as_str(), *a, v.as_str())).collect();
    let wanted = [("sim/repair", 1, "validation_failed"), ("sim/repair", 2, "accepted"), ("sim/sample", 1, "accepted")];
    assert_eq!(words, wanted);
    let version = &store.versions(Scope::Project(&project)).unwrap()[0];
    assert_eq!(version.sources, [real_name(&place.path("pair.json"))]);
    // The text comes back as it was written.
    place.run(&["schemas", "show", &version.hash[..8]]).is(0, &format!("{PAIR}\n"));
}

#[test]
fn of_a_part_that_was_taken_the_part_is_kept() {
    let place = Place::new();
    place.write(
        "api.json",
        format!(
            r#"{{"openapi":"3.1.0","info":{{"title":"planted-api"}},"components":{{"schemas":{{"Pair":{PAIR}}}}}}}"#
        ),
    );
    let ended = place.run(&["-p", "x", "--json-schema", "api.json", "--pick", "Pair", "-m", "sim/sample"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let shown = place.run(&["schemas", "show", &hash(&list(&place, &[])[0])[..8]]);
    assert_eq!(shown.code, Some(0));
    assert!(!shown.stdout.contains("planted-api"), "{}", shown.stdout);
    let limits = ParseLimits::default();
    assert_eq!(parse(&shown.stdout, limits).unwrap()["type"], parse(PAIR, limits).unwrap()["type"]);
}

#[test]
fn nothing_is_kept_when_that_is_said() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    let without: [(&[&str], &str); 4] = [
        (&["--no-session"], ""),
        (&[], "[store]\nkeep = false\n"),
        (&["--dry-run"], ""),
        (&["--timeout", "0.000001"], "model = \"sim/sample\"\n[store]\nkeep = false\n"),
    ];
    for (flags, config) in without {
        place.write("config.toml", config);
        ran(&place, "sim/sample", flags);
        assert!(!store::exists(&place.path("data")), "{flags:?} {config}");
    }
    place.write("config.toml", "");
    assert_eq!(place.run(&["-p", "x", "-m", "sim/sample"]).code, Some(0));
    assert!(!store::exists(&place.path("data")), "a run without a schema was kept");
    // A project cannot turn keeping on where the user turned it off.
    fs_err::create_dir(place.path("project")).unwrap();
    place.write("project/.formwork.toml", "[store]\nkeep = true\n");
    let args = ["-p", "x", "--json-schema", "../pair.json", "-m", "sim/sample"];
    let ended = Ended::from(place.command(&args).current_dir(place.path("project")).output().unwrap());
    ended.fails(2, "config");
    ended.says("a project file may not set `store`");
}

#[test]
fn a_store_that_cannot_be_used_is_told_and_the_run_completes() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    place.write("data", "a file where the folder should be");
    let ended = ran(&place, "sim/sample", &[]);
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.stdout.lines().count(), 1);
    ended.says("note: nothing of this run is kept: ");
    ended.says("keep = false");
    assert_eq!(ended.stderr.matches("kept").count(), 1, "{}", ended.stderr);
}

#[test]
fn a_damaged_store_is_told_and_kept_aside() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    ran(&place, "sim/sample", &[]);
    place.write(
        "data/formwork.db",
        "no database at all, but long enough to look like one to whoever reads it\n".repeat(99),
    );
    let ended = ran(&place, "sim/sample", &[]);
    assert_eq!(ended.code, Some(0));
    ended.says("the store was damaged: it was kept as ");
    assert_eq!(list(&place, &[])[0]["runs"].to_string(), "1");
}

#[test]
fn versions_are_named_compared_and_removed() {
    let place = Place::new();
    place.run(&["schemas", "show", "some"]).fails(2, "config");
    place.run(&["schemas", "list"]).is(0, "");
    place.write("pair.json", PAIR);
    ran(&place, "sim/sample", &[]);
    place.write("pair.json", NARROW);
    ran(&place, "sim/sample", &[]);
    let rows = list(&place, &[]);
    let (new, old) = (hash(&rows[0]), hash(&rows[1]));
    place.run(&["schemas", "name", &old[..10], "first"]).is(0, "");
    place.run(&["schemas", "name", &old[..10], "no name"]).fails(2, "config");
    let table = place.run(&["schemas", "list"]).stdout;
    assert!(table.lines().nth(1).unwrap().starts_with(&new[..12]), "{table}");
    assert!(table.contains("[first] pair.json"), "{table}");
    place.run(&["schemas", "show", "first"]).is(0, &format!("{PAIR}\n"));

    let told = place.run(&["schemas", "diff", "first", &new[..9]]).stdout;
    assert!(told.starts_with(&format!("stricter: {} → {}\n", &old[..12], &new[..12])), "{told}");
    assert!(
        told.contains("/b") && told.contains("minimum") && told.contains("\n-{") && told.contains("\n+{"),
        "{told}"
    );
    let told = place.run(&["schemas", "diff", "pair.json", "first", "--format", "json"]).stdout;
    let told = parse(&told, ParseLimits::default()).unwrap();
    assert_eq!((told["old"].as_str(), told["verdict"].as_str()), (Some("pair.json"), Some("looser")));
    assert_eq!(told["changes"][0]["path"], "/b");
    place.run(&["schemas", "diff", "first", "nowhere"]).fails(2, "config");
    place.write("broken.json", "{\"type\": \"objekt\"}");
    let broken = place.run(&["schemas", "diff", "first", "broken.json"]);
    broken.fails(2, "invalid_schema");
    broken.keeps_silent_about("objekt");

    place.run(&["schemas", "rm", "first"]).fails(2, "config");
    place.run(&["schemas", "rm", "first", "-y"]).is(0, "");
    place.run(&["schemas", "show", "first"]).fails(2, "config");
    assert_eq!(list(&place, &[]).len(), 1);
    // Another folder has run nothing, but sees all on request.
    fs_err::create_dir(place.path("elsewhere")).unwrap();
    let elsewhere =
        |args: &[&str]| Ended::from(place.command(args).current_dir(place.path("elsewhere")).output().unwrap());
    let none = elsewhere(&["schemas", "list"]);
    none.is(0, "");
    none.says("--all-projects");
    assert!(elsewhere(&["schemas", "list", "--all-projects"]).stdout.contains(&new[..12]));
}
