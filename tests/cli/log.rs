//! The log of the state folder, and `formwork doctor`: what they tell, and what they never do.

use serde_json::{Value, json};

use crate::PAIR;
use crate::place::{KEY, Place};
use crate::server::{Answer, Server, text};

/// Everything the log folder holds, and its lines as values.
fn logged(place: &Place) -> (String, Vec<Value>) {
    let Ok(folder) = fs_err::read_dir(place.path("data/logs")) else { return (String::new(), Vec::new()) };
    let all: String = folder.map(|file| fs_err::read_to_string(file.unwrap().path()).unwrap()).collect();
    let lines = all.lines().map(|line| line.parse().unwrap()).collect();
    (all, lines)
}

fn messages(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["message"].as_str().unwrap()).collect()
}

/// A run whose prompt, system text, schema, answers, key and provider's error all hold a word of their own.
fn planted(level: &str, answers: Vec<Answer>) -> (Place, Option<i32>) {
    let server = Server::start(answers);
    let place = Place::with_lab(&server);
    place.write("schema.json", PAIR.replace("\"b\"", "\"plantedschema\""));
    let arguments = "-p plantedprompt --system plantedsystem --json-schema schema.json -m lab/m --max-retries 3";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let ended = place.command(&arguments).env("FORMWORK_LOG", level).output().unwrap();
    (place, ended.status.code())
}

#[test]
fn a_run_is_told_by_ids_codes_and_counts_and_never_by_its_texts() {
    let (place, code) = planted(
        "debug",
        vec![
            Answer::Status(500, "{\"error\":{\"message\":\"plantederror\"}}".to_owned()),
            text("{\"plantedschema\":\"plantedanswer\",\"a\":2}"),
            text("{\"plantedschema\":1,\"a\":2}"),
        ],
    );
    assert_eq!(code, Some(0));
    let (all, lines) = logged(&place);
    for word in ["planted", KEY, "127.0.0.1"] {
        assert!(!all.contains(word), "{word} is in the log:\n{all}");
    }
    let told = [
        "began",
        "run began",
        "call made",
        "call answered",
        "call failed",
        "call again",
        "call made",
        "call answered",
        "attempt ended",
        "call made",
        "call answered",
        "attempt ended",
        "run ended",
    ];
    assert_eq!(messages(&lines), told, "{all}");
    let runs: Vec<&Value> = lines.iter().skip(1).map(|line| &line["run"]).collect();
    assert!(runs.iter().all(|run| run.is_string() && *run == runs[0]), "{all}");
    let began = &lines[1];
    assert_eq!((&began["model"], &began["mode"]), (&json!("lab/m"), &json!("native")));
    assert_eq!(began["schema"].as_str().unwrap().len(), 64, "{began}");
    let rejected = lines.iter().find(|line| line["message"] == "attempt ended").unwrap();
    assert_eq!((&rejected["outcome"], &rejected["issues"]), (&json!("validation_failed"), &json!(1)));
    assert_eq!(lines.last().unwrap()["outcome"], "done");
}

#[test]
fn a_failed_run_ends_with_its_code() {
    let (place, code) = planted("info", vec![Answer::Status(401, "{\"error\":\"plantederror\"}".to_owned())]);
    assert_eq!(code, Some(1));
    let (all, lines) = logged(&place);
    assert!(!all.contains("planted"), "{all}");
    assert_eq!(messages(&lines), ["began", "run began", "call failed", "attempt ended", "run ended"], "{all}");
    assert_eq!(lines.last().unwrap()["outcome"], "auth");
}

#[test]
fn the_level_says_how_much_is_written() {
    let answers = || vec![text("{\"plantedschema\":\"x\",\"a\":2}"), text("{\"plantedschema\":1,\"a\":2}")];
    for (level, wanted) in [("off", 0), ("error", 0), ("warn", 0), ("info", 5), ("debug", 9)] {
        let (place, code) = planted(level, answers());
        assert_eq!(code, Some(0), "{level}");
        assert_eq!(logged(&place).1.len(), wanted, "{level}: {}", logged(&place).0);
        assert_eq!(place.path("data/logs").exists(), level != "off");
    }
}

#[test]
fn a_level_that_is_none_is_refused_with_those_there_are() {
    let place = Place::new();
    let ended = place.command(&["-p", "x", "-m", "sim/sample"]).env("FORMWORK_LOG", "inof").output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(said.contains("FORMWORK_LOG: must be one of off, error, warn, info, debug"), "{said}");
    assert!(said.contains("did you mean info?"), "{said}");
    place.write("config.toml", "log.level = \"loud\"\n");
    place.run(&["config", "check"]).says("config.toml:1");
}

#[test]
fn a_log_that_cannot_be_written_is_told_to_those_who_asked_and_the_run_goes_on() {
    let place = Place::new();
    fs_err::create_dir(place.path("data")).unwrap();
    place.write("data/logs", "no folder");
    let run = ["-p", "x", "-m", "sim/sample", "--no-session"];
    let silent = place.run(&run);
    assert_eq!(silent.code, Some(0), "{}", silent.stderr);
    silent.keeps_silent_about("log");
    let asked = place.command(&run).env("FORMWORK_LOG", "info").output().unwrap();
    let said = String::from_utf8(asked.stderr).unwrap();
    assert_eq!(asked.status.code(), Some(0));
    assert!(said.contains("note: no log is written: "), "{said}");
}

#[test]
fn the_doctor_names_what_is_there_and_gives_no_secret_away() {
    let server = Server::start(vec![text("{\"b\":1,\"a\":2}")]);
    let place = Place::with_lab(&server);
    place.write("pair.json", PAIR);
    assert_eq!(place.run(&["-p", "x", "--json-schema", "pair.json", "-m", "lab/m"]).code, Some(0));
    let home = place.path("").to_string_lossy().trim_end_matches('/').to_owned();
    for arguments in [&["doctor"][..], &["doctor", "--json"]] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
        for word in [KEY, "127.0.0.1", home.as_str()] {
            assert!(!ended.stdout.contains(word), "{word} is in:\n{}", ended.stdout);
        }
        for word in [env!("CARGO_PKG_VERSION"), "~/config.toml", "1 schemas", "1 candidates", "LAB_KEY"] {
            assert!(ended.stdout.contains(word), "{word} is not in:\n{}", ended.stdout);
        }
    }
    let report: Value = place.run(&["doctor", "--json"]).stdout.parse().unwrap();
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.iter().any(|c| c["what"] == "provider" && c["found"].as_str().unwrap().starts_with("lab: ")));
    assert!(checks.iter().all(|c| c["standing"] != "fail"), "{report}");
}

#[test]
fn the_doctor_names_every_mistake_and_a_broken_store() {
    let place = Place::new();
    place.write("config.toml", "modle = \"x\"\ntimeout_seconds = \"long\"\n");
    let ended = place.run(&["doctor"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("~/config.toml:1:1") && ended.stdout.contains("~/config.toml:2:"),
        "{}",
        ended.stdout
    );

    place.write("config.toml", "");
    fs_err::create_dir_all(place.path("data")).unwrap();
    place.write("data/formwork.db", "this is no database at all, and was never one".repeat(100));
    let ended = place.run(&["doctor"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert!(ended.stdout.lines().any(|line| line.starts_with("fail  store")), "{}", ended.stdout);
    let kept = fs_err::read_to_string(place.path("data/formwork.db")).unwrap();
    assert!(kept.starts_with("this is no database"), "looking changed the file");
}
