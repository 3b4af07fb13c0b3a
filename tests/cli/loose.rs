//! `loose` and `weight`: what is told, the two formats, and the exit status.

use crate::place::Place;
use formwork::json::{ParseLimits, Value, parse};

const ORDER: &str = r#"{"type":"object","properties":{"total":{"type":"number","maximum":9},"paid":{"type":"boolean"}},"required":["total","paid"],"additionalProperties":false}"#;
const TIGHT: &str =
    r#"{"type":"object","properties":{"paid":{"type":"boolean"}},"required":["paid"],"additionalProperties":false}"#;

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn with(name: &str, text: &str) -> Place {
    let place = Place::new();
    place.write(name, text);
    place
}

#[test]
fn what_gets_through_is_told_with_what_would_stop_it() {
    let place = with("order.json", ORDER);
    place.write("good.json", r#"{"total":3.5,"paid":true}"#);
    let ended = place.run(&["loose", "order.json", "good.json"]);
    let wanted = "order.json: 2 of 4 spoilt answers get through (2 caught); from good.json\n\n\
        /total  accepts total = -1\n  stopped by minimum: 0 at /properties/total\n\n\
        /total  accepts total = 0\n  stopped by exclusiveMinimum: 0 at /properties/total\n";
    let told: String = ended
        .stdout
        .lines()
        .filter(|line| !line.starts_with("  with it:"))
        .fold(String::new(), |all, line| all + line + "\n");
    assert_eq!((ended.code, told.as_str(), ended.stderr.as_str()), (Some(0), wanted, ""));
    let piped = place.run_with(&["loose", "order.json", "-", "--format", "json"], r#"{"total":3.5,"paid":true}"#);
    let report = value(&piped.stdout);
    assert_eq!((piped.code, report["answer"].as_str(), report["caught"].as_u64()), (Some(0), Some("file"), Some(2)));
    let first = &report["findings"][0];
    assert_eq!((first["kind"].as_str(), first["path"].as_str()), (Some("negative"), Some("/total")));
    assert_eq!(first["offer"]["pointer"].as_str(), Some("/properties/total/minimum"));
    assert!(first["providers"].is_array(), "{first}");
}

#[test]
fn without_an_answer_a_sample_is_spoilt_and_strict_makes_a_gate() {
    let place = with("order.json", ORDER);
    place.write("tight.json", TIGHT);
    let ended = place.run(&["loose", "order.json", "--seed", "3", "--strict"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stdout);
    assert!(ended.stdout.contains("from a sample, seed 3"), "{}", ended.stdout);
    let ended = place.run(&["loose", "tight.json", "--strict"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
    assert!(ended.stdout.contains("tight.json: 0 of "), "{}", ended.stdout);
}

#[test]
fn a_bad_answer_and_a_bad_schema_are_refused() {
    let place = with("order.json", ORDER);
    place.write("bad.json", r#"{"total":"secret","paid":true}"#);
    let ended = place.run(&["loose", "order.json", "bad.json"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(4), ""));
    assert!(ended.stderr.contains("only a good answer can be spoilt") && ended.stderr.contains("/total"));
    assert!(!ended.stderr.contains("secret"), "no value reaches standard error: {}", ended.stderr);
    place.write("broken.json", r#"{"type":"text"}"#);
    assert_eq!(place.run(&["loose", "broken.json"]).code, Some(2));
    assert_eq!(place.run(&["loose", "-", "-"]).code, Some(2));
    assert_eq!(place.run(&["weight", "broken.json"]).code, Some(2));
}

#[test]
fn weights_are_told_as_an_estimate() {
    let place = with("order.json", ORDER);
    let ended = place.run(&["weight", "order.json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let first = ended.stdout.lines().next().unwrap();
    assert!(first.starts_with("order.json: about ") && first.ends_with("bytes), an estimate"), "{first}");
    assert!(ended.stdout.contains("/total"), "{}", ended.stdout);
    let report = value(&place.run(&["weight", "order.json", "--format", "json"]).stdout);
    assert_eq!((report["estimate"].as_bool(), report["bytes"].as_u64()), (Some(true), Some(ORDER.len() as u64)));
    let fields = report["fields"].as_array().unwrap();
    assert_eq!(fields[0]["path"].as_str(), Some("/total"));
    assert!(fields[0]["tokens"].as_u64() > fields[1]["tokens"].as_u64());
    assert!(report["tokens"].as_u64().unwrap() > 30 && !report["providers"].as_array().unwrap().is_empty());
}
