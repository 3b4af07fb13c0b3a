//! The handed cases of the command line: each matches, or stands in a list with the reason why ours differs.

use formwork::json::{ParseLimits, Value, canonical, parse};

use crate::PAIR;
use crate::place::{Ended, Place};
use crate::server::{self, Answer, Server, calls, text};
use crate::support::rows;

/// Faults of the command line that are not this version's, or that ENGINE and SURFACES decide otherwise.
const OTHERWISE: [(&str, &str); 2] = [
    ("cl-008", "sessions come with a later version: --continue is an unknown flag, status 2"),
    ("cl-009", "the command is `check`, and paths are JSON Pointers: /properties/b, without the leading #"),
];

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap()
}

/// Answers and runs `--print` with a schema at a declared endpoint.
fn answered(schema: &str, answers: Vec<Answer>, declared: &str) -> Ended {
    let server = Server::start(answers);
    let place = Place::with_declared(&server, declared);
    place.write("s.json", schema);
    place.run(&["--print", "answer", "--json-schema", "s.json", "-m", "lab/m", "--max-validation-retries", "0"])
}

const NATIVE: &str = "structured_output = { native = \"supported\", strict_tool = true }";
const TOOL: &str = "structured_output = { native = \"unsupported\", strict_tool = true }";
const ANYTHING: &str = "{\"title\":\"anything\"}";

/// Plays one reference case; `None` for a name this test does not know.
fn reference(name: &str) -> Option<Ended> {
    let good = || vec![text("{\"b\":1,\"a\":2}")];
    let place = Place::new();
    let tools = || vec![calls(&[("__formwork_submit_json", "{}"), ("__formwork_submit_json", "{}")])];
    Some(match name {
        "schema file" | "key order on standard output" => answered(PAIR, good(), NATIVE),
        "both from standard input" => place.run(&["--print", "-", "--json-schema", "-"]),
        "missing schema file" => place.run(&["--print", "q", "--json-schema", "missing.json"]),
        "schema without --print" => place.run(&["--json-schema", "s.json"]),
        "10,000 nested lists on standard input" => {
            let lists = format!("{}0{}", "[".repeat(10_000), "]".repeat(10_000));
            place.run_with(&["--print", "q", "--json-schema", "-"], lists)
        }
        "unsupported" => answered(PAIR, good(), ""),
        "failure invalid_json" => answered(PAIR, vec![text("oops")], NATIVE),
        "failure missing_submission" => answered(PAIR, good(), TOOL),
        "failure mixed_submission" => answered(PAIR, tools(), TOOL),
        "failure refusal" => answered(PAIR, vec![server::refusal("no")], NATIVE),
        "schema file is not UTF-8" => {
            place.write("s.json", b"{\"title\":\"\xe9\"}");
            place.run(&["--print", "q", "--json-schema", "s.json"])
        }
        "candidate holds a lone surrogate" => answered(ANYTHING, vec![text("\"\\ud800\"")], NATIVE),
        _ => return None,
    })
}

#[test]
fn the_reference_cases_match() {
    let cases: Vec<Value> = rows("cases/reference.jsonl").into_iter().filter(|row| row["area"] == "cli").collect();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let ended = reference(name).unwrap_or_else(|| panic!("the case {name:?} is new: play it"));
        // `fix` corrects the expectation in the points it names; what a traceback said is never ours.
        let expected = if case["verdict"] == "fix" { &case["want"] } else { &case["expected"] };
        if let Some(code) =
            expected["exit"].as_i64().or(case["expected"]["exit"].as_i64().filter(|_| name.starts_with("missing")))
        {
            assert_eq!(ended.code.map(i64::from), Some(code), "{name}: {}", ended.stderr);
        }
        if let Some(words) = expected["stderr_has"].as_str() {
            let words = if words == "the path" { "missing.json" } else { words };
            assert!(ended.stderr.contains(words), "{name}: wanted {words:?} in {}", ended.stderr);
        }
        match expected["stdout"].as_str() {
            Some("one JSON line") => assert_eq!(canonical(&value(&ended.stdout)) + "\n", ended.stdout, "{name}"),
            Some(stdout) if name.starts_with("key order") => {
                let (ours, theirs) = (value(&ended.stdout), value(stdout));
                assert_eq!(
                    (ours, ended.stdout.as_str()),
                    (theirs.clone(), format!("{}\n", canonical(&theirs)).as_str())
                );
            }
            Some(stdout) => assert_eq!(ended.stdout, stdout, "{name}"),
            None if ended.code != Some(0) => assert_eq!(ended.stdout, "", "{name}"),
            None => {}
        }
        // The reference hides everything behind one sentence; ours names the code and the place, never the content.
        if expected["stderr"].as_str().is_some_and(|text| text.starts_with("invalid_schema")) {
            assert!(ended.stderr.starts_with("error[invalid_schema]: "), "{name}: {}", ended.stderr);
        }
    }
}

#[test]
fn the_reported_faults_do_not_happen() {
    for fault in rows("cases/faults.jsonl") {
        let Some(id) = fault["id"].as_str().filter(|id| id.starts_with("cl-")) else { continue };
        let (input, expected) = (&fault["input"], &fault["expected"]);
        if OTHERWISE.iter().any(|(other, _)| *other == id) {
            continue;
        }
        let answers = input["answers"].as_array().into_iter().flatten();
        let server = Server::start(answers.map(|answer| text(answer["text"].as_str().unwrap())).collect());
        let place = Place::with_lab(&server);
        for (name, file) in input["files"].as_object().into_iter().flatten() {
            place.write(name, file.to_string());
        }
        // The reported tool calls its event output `--json`.
        let argv = input["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
        let argv: Vec<&str> =
            argv.map(|arg| if arg == "--json" { "--events" } else { arg }).chain(["-m", "lab/m"]).collect();
        let ended = place.run(&argv);
        if let Some(code) = expected["exit_code"].as_i64() {
            assert_eq!(ended.code.map(i64::from), Some(code), "{id}: {}", ended.stderr);
        } else {
            // cl-007: a bare map of properties. ENGINE §1 refuses it before any call and says how to mend it.
            ended.fails(2, "invalid_schema");
            ended.says("map of properties");
        }
        if let Some(words) = expected["stdout_contains"].as_str() {
            assert!(ended.stdout.contains(words), "{id}: {}", ended.stdout);
        }
        if expected["exit_code"] == 2 {
            assert_eq!((ended.stdout.as_str(), server.rest()), ("", 0), "{id}");
        }
    }
}

#[test]
fn what_differs_is_what_the_list_says() {
    let place = Place::new();
    let open = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;
    place.write("s.json", open);
    assert_eq!(place.run(&["--continue", "--print", "next", "--json-schema", "s.json"]).code, Some(2));
    let checked = place.run(&["check", "s.json", "--for", "openai"]);
    assert_eq!(checked.code, Some(3));
    assert!(checked.stdout.contains("\"/properties/b\""), "{}", checked.stdout);
}
