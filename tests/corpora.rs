//! Real schemas: each loads or is refused with a right reason, quickly; real documents get the right verdict.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

#[path = "support/cases.rs"]
mod cases;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, Value, parse};
use formwork::schema::validate::{Judge, JudgeOptions, judge};
use formwork::schema::{Reason, SchemaError, preflight};

/// Preflight and compilation of one real schema.
const TIME: Duration = Duration::from_millis(250);

/// How many schemas of a folder end how: folder, reason (`None`: accepted), number.
const EXPECTED: &[(&str, Option<Reason>, usize)] = &[
    // three hold a key twice, the others refer to sibling files
    ("ans-schema", None, 10),
    ("ans-schema", Some(Reason::NotJson), 4),
    ("ans-schema", Some(Reason::RemoteReference), 10),
    ("crds", None, 37),
    ("crds", Some(Reason::RemoteReference), 2),
    ("crds", Some(Reason::LimitEdges), 1),
    // a custom `$schema` each
    ("iglu-central", Some(Reason::UnknownDialect), 20),
    ("jsonschema-rs", None, 3),
    ("jsonschemabench", None, 214),
    ("mcp", None, 2),
    ("pydantic baml", None, 53),
    ("pydantic instructor", None, 313),
    ("pydantic openai-python", None, 7),
    ("pydantic outlines", None, 30),
    ("schemastore", None, 87),
    ("schemastore", Some(Reason::RemoteReference), 10),
    ("schemastore-over-limits", Some(Reason::LimitEdges), 1),
    ("schemastore-over-limits", Some(Reason::LimitNodes), 1),
];

fn read(path: &Path) -> String {
    fs_err::read_to_string(path).unwrap()
}

fn options() -> JudgeOptions {
    JudgeOptions { limits: ParseLimits::default(), assert_format: true }
}

fn load(text: &str) -> Result<Judge, Vec<SchemaError>> {
    let checked = preflight::check_text(text)?;
    judge(&checked.format, options()).map_err(|e| vec![e])
}

/// Loads a schema, measured; the best of a few tries, since other tests run beside this one.
fn timed(text: &str, slowest: &mut Vec<(Duration, String)>, name: &str) -> Result<Judge, Vec<SchemaError>> {
    let mut best = Duration::MAX;
    let mut result = Err(Vec::new());
    for _ in 0..4 {
        let start = Instant::now();
        result = load(text);
        best = best.min(start.elapsed());
        if best < TIME / 4 {
            break;
        }
    }
    slowest.push((best, name.to_owned()));
    result
}

#[test]
fn every_real_schema_loads_or_is_refused_with_a_reason() {
    let Some(root) = cases::shared().map(|r| r.join("corpora")) else { return };
    let mut slowest = Vec::new();
    let mut tally: BTreeMap<(String, String), usize> = BTreeMap::new();
    let word = |r: &Result<Judge, Vec<SchemaError>>| format!("{:?}", r.as_ref().err().map(|e| e[0].reason));
    for row in cases::rows("corpora/MANIFEST.jsonl") {
        let path = row["path"].as_str().unwrap();
        let folder = path.split('/').next().unwrap();
        if !root.join(path).is_file() {
            println!("no file {path}");
            continue;
        }
        let result = timed(&read(&root.join(path)), &mut slowest, path);
        if let Err(errors) = &result {
            println!("{path}: {:?} at {} ({})", errors[0].reason, errors[0].path, row["error"]);
            assert!(errors.iter().all(|e| e.position.is_some()), "{path}: {errors:?}");
        }
        *tally.entry((folder.to_owned(), word(&result))).or_default() += 1;
    }
    for source in ["baml", "instructor", "openai-python", "outlines"] {
        for (at, row) in cases::rows(&format!("corpora/pydantic-models/{source}.jsonl")).iter().enumerate() {
            let result = timed(&row["schema"].to_string(), &mut slowest, &format!("{source} {at}"));
            *tally.entry((format!("pydantic {source}"), word(&result))).or_default() += 1;
        }
    }
    slowest.sort();
    for (time, name) in slowest.iter().rev().take(12) {
        println!("{time:>8.2?} {name}");
    }
    let expected: BTreeMap<(String, String), usize> =
        EXPECTED.iter().map(|(folder, reason, n)| (((*folder).to_owned(), format!("{reason:?}")), *n)).collect();
    assert_eq!(tally, expected);
    assert!(slowest.iter().all(|(time, _)| *time <= TIME), "{:?}", slowest.last());
}

#[test]
fn schemastore_documents() {
    let Some(root) = cases::shared().map(|r| r.join("corpora/schemastore")) else { return };
    let (mut run, mut wrong) = (0, Vec::new());
    for entry in fs_err::read_dir(&root).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(judge) = (match fs_err::read_to_string(folder.join("schema.json")) {
            Ok(text) => load(&text),
            Err(_) => continue,
        }) else {
            continue;
        };
        for (kind, want) in [("valid", true), ("invalid", false)] {
            let Ok(files) = fs_err::read_dir(folder.join(kind)) else { continue };
            for file in files {
                let path = file.unwrap().path();
                let Ok(value) = parse(&read(&path), ParseLimits::default()) else { continue };
                run += 1;
                let issues = judge.validate(&value);
                if issues.list.is_empty() != want {
                    wrong.push(format!("{}: {issues:?}", path.display()));
                }
            }
        }
    }
    println!("{run} documents");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(run > 50, "{run}");
}

#[test]
fn bfcl_answers_are_valid() {
    let rows = cases::rows("corpora/bfcl/cases.jsonl");
    let mut wrong = Vec::new();
    for row in &rows {
        match load(&row["schema"].to_string()) {
            Ok(judge) => {
                let issues = judge.validate(&row["answer"]);
                if !issues.list.is_empty() {
                    wrong.push(format!("{}: {issues:?}", row["id"]));
                }
            }
            Err(errors) => wrong.push(format!("{}: {errors:?}", row["id"])),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn keyword_sets_of_the_validator() {
    let Some(root) = cases::shared() else { return };
    let table = parse(&read(&root.join("corpora/jsonschema-rs/keywords.json")), ParseLimits::default()).unwrap();
    let mut wrong = Vec::new();
    for set in table.as_array().unwrap() {
        let mut schema = set["schema"].clone();
        if schema.is_boolean() {
            continue; // refused as root (ENGINE §1)
        }
        if let Value::Object(map) = &mut schema
            && map.get("items").is_some_and(Value::is_array)
        {
            map.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
        }
        let judge = match load(&schema.to_string()) {
            Ok(judge) => judge,
            Err(errors) => {
                wrong.push(format!("{}: {errors:?}", set["name"]));
                continue;
            }
        };
        for (kind, want) in [("valid", true), ("invalid", false)] {
            for value in set[kind].as_array().into_iter().flatten() {
                if judge.validate(value).list.is_empty() != want {
                    wrong.push(format!("{}: {kind} {value}", set["name"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
