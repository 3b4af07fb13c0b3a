//! Looseness: each mutant is caught only with its keyword, and what is offered stops it and keeps the good answer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/random_schema.rs"]
mod random_schema;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use formwork::json::edit::{Edit, apply};
use formwork::json::{Map, ParseLimits, Value, canonical, parse, pretty};
use formwork::schema::ResponseFormat;
use formwork::schema::loose::{Finding, Kind, Looked, LooseError, Looseness, MAX_FINDINGS, loose};
use formwork::schema::preflight;
use formwork::schema::sample::sample;
use formwork::schema::validate::{JudgeOptions, judge};
use random_schema::{Dice, schema_with_definitions};

const OPTIONS: JudgeOptions =
    JudgeOptions { limits: ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 }, assert_format: false };

fn json(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap()
}

fn format(schema: &Value) -> ResponseFormat {
    preflight::check(schema).unwrap().format
}

fn of(schema: &str, good: &str) -> Looseness {
    loose(&format(&json(schema)), &json(good), OPTIONS).unwrap()
}

fn find<'a>(found: &'a Looseness, path: &str, kind: Kind) -> Option<&'a Finding> {
    found.findings.iter().find(|finding| finding.path == path && finding.kind == kind)
}

/// Schema without the keyword, a good answer, where, which mutant, the offered keyword and its value.
const CASES: &[(&str, &str, &str, Kind, &str, &str)] = &[
    (
        r#"{"type":"object","properties":{"a":{"type":"boolean"}}}"#,
        r#"{"a":true}"#,
        "",
        Kind::MissingField,
        "required",
        r#"["a"]"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"}},"required":["b"]}"#,
        r#"{"a":true,"b":null}"#,
        "",
        Kind::MissingField,
        "required",
        r#"["b","a"]"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}"#,
        r#"{"a":true}"#,
        "",
        Kind::ExtraField,
        "additionalProperties",
        "false",
    ),
    (
        r#"{"allOf":[{"type":"object","properties":{"a":{"type":"boolean"}}},{"properties":{"b":{"type":"null"}}}],"required":["a","b"]}"#,
        r#"{"a":true,"b":null}"#,
        "",
        Kind::ExtraField,
        "unevaluatedProperties",
        "false",
    ),
    (
        r#"{"type":"object","properties":{"name":{"type":"string"}}}"#,
        r#"{"name":"Ada"}"#,
        "/name",
        Kind::EmptyText,
        "minLength",
        "1",
    ),
    (
        r#"{"type":"object","properties":{"name":{"type":"string","minLength":1}}}"#,
        r#"{"name":"Ada"}"#,
        "/name",
        Kind::BlankText,
        "pattern",
        r#""\\S""#,
    ),
    (
        r#"{"type":"object","properties":{"name":{"type":"string"}}}"#,
        r#"{"name":"Ada"}"#,
        "/name",
        Kind::LongText,
        "maxLength",
        "100",
    ),
    (
        r#"{"type":"object","properties":{"due_date":{"type":"string"}}}"#,
        r#"{"due_date":"2026-01-31"}"#,
        "/due_date",
        Kind::WrongFormat,
        "pattern",
        r#""^\\d{4}-\\d{2}-\\d{2}$""#,
    ),
    (
        r#"{"type":"object","properties":{"email":{"type":"string"}}}"#,
        r#"{"email":"a@b.example"}"#,
        "/email",
        Kind::WrongFormat,
        "pattern",
        r#""^[^@\\s]+@[^@\\s]+$""#,
    ),
    (
        r#"{"type":"object","properties":{"level":{"type":"string","description":"one of 'low', 'high'"}}}"#,
        r#"{"level":"low"}"#,
        "/level",
        Kind::OtherWord,
        "enum",
        r#"["low","high"]"#,
    ),
    (
        r#"{"type":"object","properties":{"total":{"type":"number"}}}"#,
        r#"{"total":12.5}"#,
        "/total",
        Kind::Negative,
        "minimum",
        "0",
    ),
    (
        r#"{"type":"object","properties":{"total":{"type":"number"}}}"#,
        r#"{"total":12.5}"#,
        "/total",
        Kind::Zero,
        "exclusiveMinimum",
        "0",
    ),
    (
        r#"{"type":"object","properties":{"count":{"type":"integer"}}}"#,
        r#"{"count":3}"#,
        "/count",
        Kind::Zero,
        "minimum",
        "1",
    ),
    (
        r#"{"type":"object","properties":{"count":{"type":"integer"}}}"#,
        r#"{"count":3}"#,
        "/count",
        Kind::LargeNumber,
        "maximum",
        "1000",
    ),
    (
        r#"{"type":"object","properties":{"count":{"type":"number"}}}"#,
        r#"{"count":3}"#,
        "/count",
        Kind::Fraction,
        "type",
        r#""integer""#,
    ),
    (r#"{"type":"array","items":{"type":"string"}}"#, r#"["a"]"#, "", Kind::EmptyList, "minItems", "1"),
    (r#"{"type":"array","items":{"type":"string"}}"#, r#"["a"]"#, "", Kind::LongList, "maxItems", "20"),
    (r#"{"type":"array","items":{"type":"string"}}"#, r#"["a"]"#, "", Kind::RepeatedItem, "uniqueItems", "true"),
    (r#"{"type":"object","properties":{"a":{}}}"#, r#"{"a":"x"}"#, "/a", Kind::Null, "type", r#""string""#),
    (r#"{"type":"object","properties":{"a":true}}"#, r#"{"a":[1]}"#, "/a", Kind::Null, "type", r#""array""#),
];

#[test]
fn each_mutant_is_caught_only_with_its_keyword() {
    for (schema, good, path, kind, keyword, value) in CASES {
        let found = of(schema, good);
        let finding = find(&found, path, *kind).unwrap_or_else(|| panic!("{schema}: no {kind:?}: {found:#?}"));
        let offer = finding.offer.as_ref().unwrap_or_else(|| panic!("{schema}: {kind:?} has no offer"));
        assert_eq!((offer.keyword, &offer.value), (*keyword, &json(value)), "{schema}");
        let tighter = offer.applied(&json(schema)).unwrap();
        let again = loose(&format(&tighter), &json(good), OPTIONS).unwrap();
        assert_eq!(find(&again, path, *kind), None, "{schema}: still there with {}", offer.words());
    }
}

#[test]
fn offers_are_written_where_the_author_defined_the_part() {
    let schema = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/money"},"b":{"$ref":"#/$defs/money"}},"required":["a","b"],"additionalProperties":false,"$defs":{"money":{"type":"number"}}}"##;
    let found = of(schema, r#"{"a":1.5,"b":2.5}"#);
    let finding = find(&found, "/a", Kind::Negative).unwrap();
    let offer = finding.offer.as_ref().unwrap();
    assert_eq!((offer.at.as_str(), offer.pointer.as_str(), offer.shared), ("/$defs/money", "/$defs/money/minimum", 1));
    assert_eq!((finding.also, find(&found, "/b", Kind::Negative)), (1, None), "one finding for both places");
    assert_eq!(offer.words(), "minimum: 0 at /$defs/money (shared with 1 other place)");
}

#[test]
fn what_the_author_said_is_not_told() {
    let found = of(
        r#"{"type":"object","properties":{"t":{"type":"number","minimum":-5,"maximum":9},"s":{"enum":["a",""]},"n":{"type":["string","null"],"minLength":0,"maxLength":9,"pattern":""},"l":{"type":"array","minItems":0,"maxItems":5,"uniqueItems":false,"items":{"const":1}}},"required":["t","s","n","l"],"additionalProperties":{"type":"integer"}}"#,
        r#"{"t":1,"s":"a","n":"x","l":[1]}"#,
    );
    assert_eq!(found.findings, [], "nothing gets through that was not meant to");
    assert!(found.tried > 0);
}

#[test]
fn the_most_likely_mistake_comes_first() {
    let found = of(
        r#"{"type":"object","properties":{"total":{"type":"number"},"note":{"type":"string"}},"required":["total","note"],"additionalProperties":false}"#,
        r#"{"total":3.5,"note":"x"}"#,
    );
    assert_eq!((found.findings[0].path.as_str(), found.findings[0].kind), ("/total", Kind::Negative));
    assert!(found.findings.windows(2).all(|pair| pair[0].likely >= pair[1].likely));
    assert!(found.findings.iter().all(|finding| !finding.what.contains("3.5")), "no value of the answer is told");
}

#[test]
fn one_constraint_is_one_finding() {
    let found =
        of(r#"{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}"#, r#"{"a":true}"#);
    let told: Vec<&str> = found.findings.iter().map(|finding| finding.what.as_str()).collect();
    assert_eq!(told, ["a = null and a = a text"]);
}

#[test]
fn only_a_good_answer_can_be_spoilt() {
    let error = loose(&format(&json(r#"{"type":"string"}"#)), &json("1"), OPTIONS).unwrap_err();
    assert!(matches!(error, LooseError::Invalid(issues) if issues.list.len() == 1));
}

#[test]
fn asserted_formats_are_offered_as_formats() {
    let schema = json(r#"{"type":"object","properties":{"due":{"type":"string"}}}"#);
    let options = JudgeOptions { assert_format: true, ..OPTIONS };
    let found = loose(&format(&schema), &json(r#"{"due":"2026-01-31"}"#), options).unwrap();
    let offer = find(&found, "/due", Kind::WrongFormat).unwrap().offer.as_ref().unwrap();
    assert_eq!((offer.keyword, &offer.value), ("format", &json(r#""date""#)));
}

/// The law: an offer put into the author's text leaves a legal schema under which the good answer is valid and the same
/// mutant is told no more.
fn hold_law(schema: &Value, seed: u64, tally: &mut BTreeMap<&'static str, usize>) {
    let Ok(checked) = preflight::check(schema) else { return };
    let Ok(good) = sample(&checked.format, seed) else { return };
    let found = loose(&checked.format, &good, OPTIONS).unwrap();
    assert!(found.findings.len() <= MAX_FINDINGS && found.tried >= found.caught);
    for finding in found.findings.iter().take(8) {
        assert!(good.pointer(&finding.path).is_some(), "{finding:?}");
        let Some(offer) = &finding.offer else {
            *tally.entry("without offer").or_default() += 1;
            continue;
        };
        *tally.entry(finding.kind.code()).or_default() += 1;
        let edit = Edit::Set { pointer: offer.pointer.clone(), value: offer.replacement.clone() };
        let text = apply(&pretty(schema), &[edit]).unwrap();
        let tighter = json(&text);
        assert_eq!(Some(&tighter), offer.applied(schema).as_ref(), "{}", offer.words());
        let legal = preflight::check(&tighter).unwrap_or_else(|e| panic!("{}: {e:?}", offer.words()));
        assert!(judge(&legal.format, OPTIONS).unwrap().validate(&good).list.is_empty(), "{}", offer.words());
        let again = loose(&legal.format, &good, OPTIONS).unwrap();
        let same = again.findings.iter().any(|other| {
            (other.path == finding.path && other.kind == finding.kind && other.what == finding.what)
                && other.offer.as_ref().is_some_and(|other| other == offer)
        });
        assert!(!same, "{} of {}: still offered", offer.words(), canonical(schema));
    }
}

#[test]
fn offers_hold_on_random_schemas() {
    let mut tally = BTreeMap::new();
    for seed in 1..400_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        hold_law(&schema_with_definitions(&mut dice), seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.values().sum::<usize>() > 200 && tally.len() > 8, "{tally:?}");
}

#[test]
fn offers_hold_on_real_schemas() {
    let mut tally = BTreeMap::new();
    let mut slowest = (Duration::ZERO, String::new());
    for source in ["instructor", "outlines", "baml", "openai-python"] {
        let rows = cases::rows(&format!("corpora/pydantic-models/{source}.jsonl"));
        for (at, row) in rows.iter().enumerate().step_by(12) {
            let started = Instant::now();
            hold_law(&row["schema"], 1, &mut tally);
            let spent = started.elapsed();
            if spent > slowest.0 {
                slowest = (spent, format!("{source} {at}"));
            }
        }
    }
    println!("{tally:?}, slowest {slowest:?}");
}

#[test]
fn large_answers_and_schemas_end() {
    let mut properties = Map::new();
    let mut good = Map::new();
    for n in 0..3_000 {
        properties.insert(format!("total{n}"), json(r#"{"type":"number"}"#));
        good.insert(format!("total{n}"), Value::from(n));
    }
    let wide = Value::Object(std::iter::once(("properties".to_owned(), Value::Object(properties))).collect());
    let depth = 45;
    let deep = json(&format!("{}{{}}{}", r#"{"properties":{"a":"#.repeat(depth), "}}".repeat(depth)));
    let deep_good = json(&format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth)));
    let long = Value::Array(vec![Value::from("x".repeat(1_000)); 5_000]);
    // Every one of sixty fields can be left out of four megabytes, on ten levels.
    let listed = (0..60).map(|n| format!(r#""f{n}":{{}},"#)).collect::<Vec<_>>().concat();
    let heavy = (0..10).fold("{}".to_owned(), |inner, _| format!(r#"{{"properties":{{{listed}"a":{inner}}}}}"#));
    let fields = (0..60).map(|n| format!(r#""f{n}":"{}","#, "x".repeat(7_000))).collect::<Vec<_>>().concat();
    let heavy_good = (0..10).fold("1".to_owned(), |inner, _| format!(r#"{{{fields}"a":{inner}}}"#));
    let heavy = (json(&heavy), json(&heavy_good));
    let found = loose(&format(&wide), &Value::Object(good.clone()), OPTIONS).unwrap();
    let cut: Vec<_> = found.findings.iter().filter(|finding| finding.looked == Looked::CutShort).collect();
    assert!(!cut.is_empty(), "every constraint of {} findings was tried", found.findings.len());
    assert!(cut.iter().all(|finding| finding.offer.is_none() && finding.why_no_offer().contains("too large")));
    for (schema, good) in [(wide, Value::Object(good)), (deep, deep_good), (json("{}"), long), heavy] {
        let started = Instant::now();
        let found = loose(&format(&schema), &good, OPTIONS).unwrap();
        println!(
            "{} told, {} tried, {} omitted in {:?}",
            found.findings.len(),
            found.tried,
            found.omitted,
            started.elapsed()
        );
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
