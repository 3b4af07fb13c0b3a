//! The commands beside a run.

use serde_json::json;

use crate::PAIR;
use crate::place::Place;
use crate::server;
use formwork::json::{ParseLimits, Value, parse};

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn with(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        place.write(name, text);
    }
    place
}

const OPEN: &str = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;
const ILLEGAL: &str = "{\n  \"type\": \"objekt\"\n}\n";

#[test]
fn version_help_and_usage_errors() {
    let place = Place::new();
    let version = format!("formwork {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        place.run(&[flag]).is(0, &version);
    }
    let help = place.run(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    for part in ["--print", "--json-schema", "Exit status:", "--config"] {
        assert!(help.stdout.contains(part), "{part}");
    }
    for args in [
        &["--nonsense"][..],
        &["-p", "x", "--max-validation-retries", "2"],
        &["-p", "x", "--max-retries", "0"],
        &["-p", "x", "--timeout", "0"],
        &["-p", "x", "--timeout", "-1"],
        &["-p", "x", "--max-retries", "-1"],
        &["-p", "x", "--project", "wild"],
        &["-p", "x", "--json-schema", "a", "--json-schema-inline", "{}"],
        &["-p", "x", "--events", "--dry-run"],
        &["-p", "x", "--record", "r.jsonl"],
        &["check"],
        &["-m", "a/b", "check", "s.json"],
        &["frobnicate"],
    ] {
        let ended = place.run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{args:?}");
        ended.fails(2, "config");
    }
}

#[test]
fn without_a_terminal_the_screen_is_refused_with_a_sentence() {
    for args in [&[][..], &["--json-schema", "s.json"], &["-m", "sim/repair"]] {
        let ended = Place::new().run(args);
        ended.fails(2, "config");
        ended.says("needs a terminal");
    }
}

#[test]
fn check_tells_legal_and_illegal() {
    let place = with(&[("good.json", PAIR), ("bad.json", ILLEGAL)]);
    let good = place.run(&["check", "good.json"]);
    assert_eq!((good.code, good.stderr.as_str()), (Some(0), ""));
    assert!(good.stdout.starts_with("good.json: legal\n"), "{}", good.stdout);
    let bad = place.run(&["check", "bad.json"]);
    bad.fails(2, "invalid_schema");
    bad.says("bad.json:2:");
    bad.says("path: \"/type\"");
    bad.keeps_silent_about("objekt");
    place.run_with(&["check", "-"], ILLEGAL).says("standard input:2:");
}

#[test]
fn check_answers_for_the_providers_that_are_asked() {
    let place = with(&[
        ("open.json", OPEN),
        (
            "closed.json",
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#,
        ),
    ]);
    assert_eq!(place.run(&["check", "open.json"]).code, Some(0), "nobody was asked");
    let refused = place.run(&["check", "open.json", "--for", "openai"]);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stdout.contains("openai") && refused.stdout.contains("/properties/b"), "{}", refused.stdout);
    assert_eq!(place.run(&["check", "closed.json", "--for", "openai"]).code, Some(0));
    assert_eq!(place.run(&["check", "closed.json", "--for", "openai,llama_cpp"]).code, Some(0));
    assert_eq!(place.run(&["check", "closed.json", "--for", "all"]).code, Some(0));
    assert_eq!(place.run(&["check", "open.json", "--for", "all"]).code, Some(3));
    assert_eq!(place.run(&["check", "closed.json", "--for", "anthropic,google"]).code, Some(0));
    assert_eq!(place.run(&["check", "closed.json", "--for", "openrouter"]).code, Some(3), "unknown is no acceptance");
    let unknown = place.run(&["check", "closed.json", "--for", "opneai"]);
    unknown.fails(2, "config");
    unknown.says("openai");
}

#[test]
fn check_as_json_has_the_shape_of_the_contract() {
    let place = with(&[("open.json", OPEN), ("bad.json", ILLEGAL)]);
    let ended = place.run(&["check", "open.json", "--for", "openai,openrouter", "--format", "json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(3), ""));
    let report = value(&ended.stdout);
    assert_eq!(report["schema_hash"].as_str().unwrap().len(), 64);
    assert_eq!((&report["preflight"]["ok"], &report["preflight"]["issues"]), (&json!(true), &json!([])));
    let rows = report["providers"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        for key in ["provider", "profile", "profile_date", "native", "tool", "prompt", "refusals", "counts"] {
            assert!(row.get(key).is_some(), "{key} is missing in {row}");
        }
    }
    assert_eq!((&rows[0]["provider"], &rows[0]["native"]), (&json!("openai"), &json!("narrow")));
    let refusals = rows[0]["refusals"].as_array().unwrap();
    for refusal in refusals {
        assert!(formwork::json::resolve(&value(OPEN), refusal["path"].as_str().unwrap()).is_some(), "{refusal}");
        assert!(refusal["rule"].is_string() && refusal["message"].is_string());
    }
    assert!(!refusals.is_empty());
    assert_eq!((&rows[1]["native"], &rows[1]["profile"]), (&json!("unknown"), &json!(null)));

    let bad = place.run(&["check", "bad.json", "--format", "json"]);
    assert_eq!((bad.code, bad.stderr.as_str()), (Some(2), ""));
    let report = value(&bad.stdout);
    assert_eq!((&report["schema_hash"], &report["preflight"]["ok"]), (&json!(null), &json!(false)));
    let issue = &report["preflight"]["issues"][0];
    assert_eq!((&issue["path"], &issue["position"]["line"]), (&json!("/type"), &json!(2)));
}

#[test]
fn check_as_sarif_places_every_result() {
    let place = with(&[("open.json", OPEN), ("bad.json", ILLEGAL)]);
    for (file, code) in [("open.json", 3), ("bad.json", 2)] {
        let ended = place.run(&["check", file, "--for", "openai", "--format", "sarif"]);
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        let log = value(&ended.stdout);
        assert_eq!(log["version"], json!("2.1.0"));
        let results = log.pointer("/runs/0/results").unwrap().as_array().unwrap();
        assert!(!results.is_empty(), "{file}");
        for result in results {
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], json!(file));
            assert!(place["region"]["startLine"].is_number(), "{result}");
            let rules = log.pointer("/runs/0/tool/driver/rules").unwrap().as_array().unwrap();
            assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
        }
    }
}

#[test]
fn validate_judges_as_a_run_does() {
    let place = with(&[
        ("s.json", PAIR),
        ("bad-schema.json", ILLEGAL),
        ("good.json", "{\"b\":1,\"a\":2.5}\n"),
        ("wrong.json", "{\"b\":\"secretword\",\"c\":1}"),
        ("broken.json", "{\"b\":1,\n}"),
    ]);
    place.run(&["validate", "s.json", "good.json"]).is(0, "valid\n");
    let wrong = place.run(&["validate", "s.json", "wrong.json"]);
    wrong.fails(4, "validation_failed");
    wrong.says("issue: \"/b\"");
    wrong.keeps_silent_about("secretword");
    let broken = place.run(&["validate", "s.json", "broken.json"]);
    broken.fails(4, "invalid_json");
    broken.says("broken.json:1:7");
    broken.says("hint: trailing_comma");
    place.run(&["validate", "bad-schema.json", "good.json"]).fails(2, "invalid_schema");
    let missing = place.run(&["validate", "s.json", "missing.json"]);
    missing.fails(2, "config");
    missing.says("missing.json");
    place.run_with(&["validate", "s.json", "-"], b"{\"b\":\"\xff\"}").fails(4, "invalid_json");
    place.run_with(&["validate", "s.json", "-"], "{\"b\":1,\"a\":2}").is(0, "valid\n");
    place.run(&["validate", "-", "-"]).fails(2, "config");
}

#[test]
fn validate_as_json_has_the_shape_of_the_contract() {
    let place = with(&[("s.json", PAIR), ("bad.json", ILLEGAL)]);
    let table = [
        ("s.json", "{\"b\":1,\"a\":2}", 0, json!(true), json!(null)),
        ("s.json", "{\"b\":1}", 4, json!(false), json!("validation_failed")),
        ("s.json", "{\"b\":1} {}", 4, json!(false), json!("invalid_json")),
        ("s.json", "", 4, json!(false), json!("invalid_json")),
        ("bad.json", "{}", 2, json!(false), json!("invalid_schema")),
    ];
    for (schema, instance, code, ok, error) in table {
        let ended = place.run_with(&["validate", schema, "-", "--format", "json"], instance);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(code), ""), "{instance}");
        let report = value(&ended.stdout);
        let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["ok", "code", "issues", "omitted", "position", "hint"]);
        assert_eq!((&report["ok"], &report["code"]), (&ok, &error), "{instance}");
        let has_issue = report["issues"].as_array().unwrap().iter().all(|issue| issue["path"].is_string());
        assert!(has_issue, "{report}");
    }
}

#[test]
fn samples_are_valid_and_the_same_for_a_seed() {
    let place = with(&[("s.json", PAIR), ("never.json", r#"{"type":"integer","minimum":3,"maximum":2}"#)]);
    let first = place.run(&["sample", "s.json", "--seed", "7", "--count", "5"]);
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""));
    assert_eq!(first.stdout.lines().count(), 5);
    assert_eq!(place.run(&["sample", "s.json", "--seed", "7", "--count", "5"]).stdout, first.stdout);
    for line in first.stdout.lines() {
        place.run_with(&["validate", "s.json", "-"], line).is(0, "valid\n");
    }
    let never = place.run(&["sample", "never.json"]);
    never.fails(4, "validation_failed");
}

#[test]
fn every_example_is_legal_and_has_valid_samples() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/schemas");
    let place = Place::new();
    let mut count = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        let checked = place.run(&["check", path]);
        assert_eq!(checked.code, Some(0), "{path}: {}", checked.stderr);
        let samples = place.run(&["sample", path, "--count", "3"]);
        assert_eq!(samples.code, Some(0), "{path}: {}", samples.stderr);
        for line in samples.stdout.lines() {
            place.run_with(&["validate", path, "-"], line).is(0, "valid\n");
        }
        count += 1;
    }
    assert_eq!(count, 8);
    let strict = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/schemas/contact-strict.json");
    assert_eq!(
        place.run(&["check", strict, "--for", "openai"]).code,
        Some(0),
        "{}",
        place.run(&["check", strict]).stdout
    );
}

#[test]
fn models_lists_for_people_and_programs() {
    let place = Place::new();
    let table = place.run(&["models"]);
    assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""));
    assert!(table.stdout.contains("sim/repair") && table.stdout.contains("simulated"), "{}", table.stdout);
    let rows = value(&place.run(&["models", "--json"]).stdout);
    let rows = rows.as_array().unwrap();
    assert!(rows.iter().any(|row| row["name"] == json!("sim/repair") && row["simulated"] == json!(true)));
    for row in rows {
        for key in ["name", "route", "reason", "ready"] {
            assert!(row.get(key).is_some(), "{row}");
        }
    }
}

#[test]
fn the_configuration_is_shown_without_keys_and_checked_with_places() {
    let place = with(&[(
        "config.toml",
        "model = \"sim/sample\"\n\n[providers.lab]\ndialect = \"openai_chat\"\nbase_url = \"http://127.0.0.1:1/v1\"\napi_key_env = \"LAB_KEY\"\n",
    )]);
    let path = place.run(&["config", "path"]);
    assert!(path.stdout.contains(place.path("config.toml").to_str().unwrap()), "{}", path.stdout);
    let shown = place.run(&["config", "show"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("model = \"sim/sample\"") && shown.stdout.contains("LAB_KEY"), "{}", shown.stdout);
    assert!(place.run(&["config", "check"]).stdout.starts_with("ok: "));

    place.write("config.toml", "model = \"sim/sample\"\ntimeout_secnods = 3\n");
    for args in [&["config", "check"][..], &["config", "show"], &["models"], &["-p", "x"]] {
        let ended = place.run(args);
        ended.fails(2, "config");
        ended.says("config.toml:2:1");
        ended.says("timeout_seconds");
    }
    place.run(&["config", "path"]).says("");
    place.write("other.toml", "");
    assert_eq!(place.run(&["config", "check", "--config", "other.toml"]).code, Some(0));
    assert_eq!(place.run(&["--config", "other.toml", "config", "check"]).code, Some(0));
}

#[test]
fn completions_and_manual_come_from_the_definition() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = place.run(&["completions", shell]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(ended.stdout.contains("json-schema"), "{shell}");
    }
    let page = place.run(&["man"]);
    assert_eq!((page.code, page.stderr.as_str()), (Some(0), ""));
    for part in [".TH formwork 1", "formwork\\-check", "Exit status"] {
        assert!(page.stdout.contains(part), "{part}");
    }
}

#[test]
fn a_gateways_query_is_sent_and_its_values_are_not_shown() {
    let place = Place::new();
    place.write(
        "config.toml",
        "[providers.gate]\nbase_url = \"http://127.0.0.1:9/openai?api-version=v1&code=hushhush\"\n[mcp_servers.x]\ncommand = \"x\"\n",
    );
    let dry = place.run(&["-p", "x", "-m", "gate/m", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}", dry.stderr);
    let url = "http://127.0.0.1:9/openai/chat/completions?api-version=v1&code=hidden";
    assert_eq!(value(&dry.stdout)["request"]["url"], url);
    for args in [&["config", "check"][..], &["config", "show"]] {
        let ended = place.run(args);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("hushhush"), "{args:?}");
    }
    place.run(&["config", "check"]).says("`mcp_servers` is not heeded yet");
}

#[test]
fn the_places_of_a_sarif_report_are_uris() {
    let place = with(&[("a b.json", OPEN)]);
    let log = value(&place.run(&["check", "a b.json", "--for", "openai", "--format", "sarif"]).stdout);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    let rules: Vec<_> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    for result in results {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.json");
        assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{result}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_the_output() {
    let place = with(&[("s.json", PAIR)]);
    for args in [
        &["--version"][..],
        &["--help"],
        &["man"],
        &["check", "s.json"],
        &["-p", "x", "-m", "sim/sample"],
        &["-p", "x", "-m", "sim/sample", "--json-schema", "s.json"],
        &["-p", "x", "-m", "sim/sample", "--events"],
    ] {
        let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap().into_file();
        let output = place.command(args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("error[output]: cannot write"), "{args:?}: {said}");
    }
}

#[test]
fn one_provider_has_one_name_however_it_is_spelt() {
    let place = Place::new();
    place.write(
        "s.json",
        r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#,
    );
    for name in ["llama_cpp", "llamacpp", "llama.cpp"] {
        let ended = place.run(&["check", "s.json", "--for", name]);
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.stderr);
        assert!(ended.stdout.contains("llama_cpp"), "{name}: {}", ended.stdout);
    }
}

#[test]
fn a_schema_given_as_a_command_is_led_to_its_option() {
    let ended = Place::new().run(&["examples/schemas/invoice.json"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("formwork --json-schema examples/schemas/invoice.json"), "{}", ended.stderr);
}

#[test]
fn models_without_a_key_say_which_variable_is_missing() {
    let ended = Place::new().run(&["models"]);
    let line = ended.stdout.lines().find(|line| line.starts_with("openai/gpt-5-mini")).unwrap();
    assert!(line.contains("set OPENAI_API_KEY"), "{line}");
}

#[test]
fn models_are_filtered_and_say_what_they_cost() {
    let place = Place::new();
    let rows = |args: &[&str]| {
        let ended = place.run(&[&["models", "--json"], args].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{args:?}");
        value(&ended.stdout).as_array().unwrap().clone()
    };
    let names = |args: &[&str]| -> Vec<String> {
        rows(args).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let sonnets = names(&["SONNET", "anthropic/", "--native"]);
    assert!(sonnets.contains(&"anthropic/claude-sonnet-4-5".to_owned()), "{sonnets:?}");
    assert!(!sonnets.contains(&"anthropic/claude-3-5-sonnet-20241022".to_owned()), "too old for schemas");
    assert!(names(&["--provider", "groq", "--tools"]).iter().all(|name| name.starts_with("groq/")));
    assert!(names(&["--all"]).len() > names(&[]).len() + 500);
    let five = &rows(&["openai/gpt-5"])[0];
    assert_eq!(
        (&five["name"], &five["context"], &five["price_in"]),
        (&json!("openai/gpt-5"), &json!(400_000), &json!(1.25))
    );
    let unknown =
        rows(&["--provider", "anthropic"]).into_iter().find(|row| row["name"] == json!("anthropic/claude-sonnet-5"));
    assert_eq!(unknown.unwrap()["tools"], serde_json::Value::Null, "a flag nobody knows stays unknown");
    let wrong = place.run(&["models", "--provider", "nobody"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("there is no provider") && wrong.stderr.contains("anthropic"), "{}", wrong.stderr);
}

#[test]
fn a_newer_catalogue_is_taken_from_a_file_or_left_as_it_is() {
    let place = Place::new();
    place.write("api.json", r#"{"groq":{"models":{"new":{"id":"new","tool_call":true,"last_updated":"2027-01-02"}}}}"#);
    let taken = place.run(&["models", "--refresh", "api.json"]);
    assert_eq!(taken.code, Some(0), "{}", taken.stderr);
    assert!(
        taken.stdout.starts_with("2027-01-02: 1 models of 1 providers from api.json, kept in "),
        "{}",
        taken.stdout
    );
    let listed = place.run(&["models", "groq/new"]);
    assert!(
        listed.stdout.contains("groq/new") && listed.stdout.contains("2027-01-02 from api.json"),
        "{}",
        listed.stdout
    );
    place.write("page.json", "<html>");
    for source in ["page.json", "nowhere.json", "http://127.0.0.1:1/api.json"] {
        let failed = place.run(&["models", "--refresh", source]);
        assert!(matches!(failed.code, Some(1 | 2)), "{source}");
        assert!(failed.stderr.contains("no newer catalogue: "), "{}", failed.stderr);
        assert!(place.run(&["models", "groq/new"]).stdout.contains("groq/new"), "{source}");
    }
}

#[test]
fn a_probe_asks_before_it_spends() {
    let place = Place::new();
    let asked = place.run(&["probe", "llama_cpp/m"]);
    assert_eq!(asked.code, Some(2));
    assert!(asked.stderr.contains("at most 5 requests") && asked.stderr.contains("--yes"), "{}", asked.stderr);
    for (args, code, words) in [
        (["probe", "sim/sample", "--yes"], 2, "built in"),
        (["probe", "openai/gpt-5", "--yes"], 1, "OPENAI_API_KEY is not set"),
        (["probe", "azure/x", "--yes"], 2, "AZURE_OPENAI_ENDPOINT is not set"),
        (["probe", "nobody/x", "--yes"], 2, "there is no provider"),
    ] {
        let ended = place.run(&args);
        assert_eq!(ended.code, Some(code), "{args:?} {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{args:?} {}", ended.stderr);
    }
}

#[test]
fn a_probe_is_shown_kept_and_used() {
    let pinned = r#"{"word":"kestrel-4417"}"#;
    let answers = vec![
        server::text("A door opens."),
        server::text(pinned),
        server::text(r#"{"months":["none"]}"#),
        server::calls(&[("report_word", pinned)]),
        server::text(pinned),
        // The list asks servers on this machine for theirs.
        server::Answer::Status(404, "{}".to_owned()),
        server::Answer::Status(401, r#"{"error":{"message":"invalid key"}}"#.to_owned()),
    ];
    let server = server::Server::start(answers);
    let place = Place::with_declared(&server, "");
    let report = place.run(&["probe", "lab/m", "--yes", "--json"]);
    assert_eq!((report.code, report.stderr.as_str()), (Some(0), ""), "{}", report.stdout);
    let report = value(&report.stdout);
    assert_eq!((&report["route"], &report["requests"]), (&json!("native"), &json!(5)));
    assert_eq!(report["features"]["schema"]["verdict"], json!("enforced"));
    // Negotiation uses it at once, and the list gives it as the reason.
    let listed = place.run(&["models", "lab/m"]);
    assert!(listed.stdout.contains("schema parameter, probed 20"), "{}", listed.stdout);
    place.write("s.json", PAIR);
    let plan = place.run(&["-p", "x", "--json-schema", "s.json", "-m", "lab/m", "--dry-run"]);
    assert_eq!(value(&plan.stdout)["mode"], json!("native"), "{}", plan.stderr);
    // A bad key afterwards changes nothing.
    let refused = place.run(&["probe", "lab/m", "--yes"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("error[auth]: nothing was learned: "), "{}", refused.stderr);
    assert!(refused.stderr.contains("stays: enforced"), "{}", refused.stderr);
    assert!(place.run(&["models", "lab/m"]).stdout.contains("probed 20"));
}
