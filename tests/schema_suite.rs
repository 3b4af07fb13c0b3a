//! The official JSON-Schema-Test-Suite through our own preflight and judge. Every difference is counted by its reason.

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
use std::path::{Path, PathBuf};

use formwork::json::{Map, ParseLimits, Value, parse};
use formwork::schema::validate::{JudgeOptions, judge};
use formwork::schema::{Reason, preflight};

const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = fs_err::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    out.retain(|p| p.extension().is_some_and(|e| e == "json"));
    out.sort();
    out
}

fn read(path: &Path) -> Value {
    parse(&fs_err::read_to_string(path).unwrap(), ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 }).unwrap()
}

/// The draft is named; a boolean or keyword-less root is put under `allOf`, which means the same.
fn prepared(schema: &Value, uri: &str) -> Value {
    let mut map = Map::new();
    match schema {
        Value::Object(object) if object.is_empty() => {}
        Value::Object(object) => map.clone_from(object),
        other => {
            map.insert("allOf".to_owned(), Value::Array(vec![other.clone()]));
        }
    }
    if !map.contains_key("$schema") {
        map.insert("$schema".to_owned(), Value::String(uri.to_owned()));
    }
    Value::Object(map)
}

/// Groups of required cases that are refused: reason, why that is right, number.
const REQUIRED_DIFFERENCES: [(Reason, &str, usize); 2] = [
    (
        Reason::RemoteReference,
        "the case refers to a file of the suite's server or to a meta-schema; nothing is ever fetched",
        46,
    ),
    (Reason::UnknownDialect, "the case names a meta-schema of its own; custom ones are refused", 4),
];
const OPTIONAL_DIFFERENCES: [(Reason, &str, usize); 2] = [
    (Reason::RemoteReference, "the case refers to a file of the suite's server", 4),
    (Reason::UnknownDialect, "the case names a meta-schema of its own", 2),
];

/// How many cases were refused for each reason.
fn classes(tally: &Tally) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for ((reason, _), n) in &tally.refused {
        *out.entry(reason.clone()).or_default() += n;
    }
    out
}

#[derive(Default)]
struct Tally {
    passed: usize,
    wrong: Vec<String>,
    refused: BTreeMap<(String, String), usize>,
}

fn run_case(tally: &mut Tally, name: &str, case: &Value, uri: &str, options: JudgeOptions) {
    let schema = prepared(&case["schema"], uri);
    let title = format!("{name}: {}", case["description"].as_str().unwrap());
    let format = match preflight::check(&schema) {
        Ok(checked) => checked.format,
        Err(errors) => {
            *tally.refused.entry((format!("{:?}", errors[0].reason), title)).or_default() += 1;
            return;
        }
    };
    let judge = judge(&format, options).unwrap();
    for test in case["tests"].as_array().unwrap() {
        let issues = judge.validate(&test["data"]);
        let valid = issues.list.is_empty();
        if Some(valid) == test["valid"].as_bool() {
            tally.passed += 1;
            for issue in &issues.list {
                assert!(format.schema.pointer(&issue.schema_path).is_some(), "{title}: {issue:?}");
                assert!(test["data"].pointer(&issue.path).is_some(), "{title}: {issue:?}");
            }
        } else {
            tally.wrong.push(format!("{title} / {} {issues:?}", test["description"]));
        }
    }
}

fn run_folder(sub: &str, options: JudgeOptions) -> Option<Tally> {
    let root = cases::shared()?.join("corpora/json-schema-test-suite/tests");
    let mut tally = Tally::default();
    for (draft, uri) in DRAFTS {
        let folder = root.join(draft).join(sub);
        if !folder.is_dir() {
            continue;
        }
        for file in files(&folder) {
            let name = format!("{draft}/{sub}{}", file.file_stem().unwrap().to_string_lossy());
            for case in read(&file).as_array().unwrap() {
                run_case(&mut tally, &name, case, uri, options);
            }
        }
    }
    Some(tally)
}

fn report(tally: &Tally) {
    for ((reason, title), n) in &tally.refused {
        println!("refused {reason}: {title} ({n})");
    }
    for wrong in &tally.wrong {
        println!("WRONG {wrong}");
    }
    println!("passed {} wrong {} refused {}", tally.passed, tally.wrong.len(), tally.refused.len());
}

#[test]
fn required() {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let Some(tally) = run_folder("", options) else { return };
    report(&tally);
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    assert_eq!(tally.passed, 3_486);
    assert_eq!(classes(&tally), REQUIRED_DIFFERENCES.map(|(reason, _, n)| (format!("{reason:?}"), n)).into());
}

#[test]
fn optional() {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let Some(tally) = run_folder("optional/", options) else { return };
    report(&tally);
    let wrong: Vec<&str> = tally.wrong.iter().filter_map(|w| w.split(": ").next()).collect();
    // ENGINE §2: content keywords are annotations, in every draft
    assert_eq!(wrong, ["draft7/optional/content"]);
    assert_eq!(tally.passed, 478);
    assert_eq!(classes(&tally), OPTIONAL_DIFFERENCES.map(|(reason, _, n)| (format!("{reason:?}"), n)).into());
}

#[test]
fn formats_when_asserted() {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: true };
    let Some(tally) = run_folder("optional/format/", options) else { return };
    report(&tally);
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
}
