//! Samples: every keyword, stable seeds, and all real schemas at hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;

use std::path::Path;
use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, Value, canonical, parse, parse_bytes};
use formwork::schema::preflight::check;
use formwork::schema::sample::{SampleError, sample};
use formwork::schema::validate::{JudgeOptions, judge};
use formwork::schema::{Fallback, ResponseFormat};

fn format(schema: Value) -> ResponseFormat {
    ResponseFormat {
        schema,
        name: "response".into(),
        description: None,
        strict: true,
        fallback: Fallback::Auto,
        max_validation_retries: 1,
        schema_hash: String::new(),
    }
}

fn of(text: &str) -> ResponseFormat {
    format(parse(text, ParseLimits::default()).unwrap())
}

#[test]
fn every_keyword_gives_valid_values() {
    let schemas = [
        r#"{"type":"string","minLength":30,"maxLength":31}"#,
        r#"{"type":"string","pattern":"^[A-Z]{3}-[0-9]{4}$"}"#,
        r#"{"type":"string","pattern":"^(?!foo)[a-z]+$","minLength":12}"#,
        r#"{"type":"integer","minimum":7,"maximum":7}"#,
        r#"{"type":"integer","exclusiveMinimum":7,"exclusiveMaximum":9}"#,
        r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.001}"#,
        r#"{"type":"number","multipleOf":0.07,"minimum":1}"#,
        r#"{"type":"number","minimum":9007199254740993,"maximum":9007199254740993}"#,
        r#"{"type":"integer","multipleOf":1000000}"#,
        r#"{"type":"array","items":{"type":"integer"},"minItems":5,"uniqueItems":true}"#,
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false,"minItems":2}"#,
        r#"{"type":"array","contains":{"const":7},"minContains":2,"maxContains":3}"#,
        r#"{"type":"array","items":{"enum":[1,2,3]},"uniqueItems":true,"minItems":3}"#,
        r#"{"type":"object","required":["a","b"]}"#,
        r#"{"type":"object","minProperties":4}"#,
        r#"{"type":"object","patternProperties":{"^x-[a-z]+$":{"type":"integer"}},"additionalProperties":false,"minProperties":2}"#,
        r#"{"type":"object","propertyNames":{"pattern":"^[a-c]{2}$"},"minProperties":3}"#,
        r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"dependentRequired":{"a":["b"]},"required":["a"]}"#,
        r#"{"type":"object","properties":{"a":{"type":"integer"}},"dependentSchemas":{"a":{"required":["c"],"properties":{"c":{"const":1}}}},"required":["a"]}"#,
        r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":3}},"required":["a"]},{"properties":{"a":{"maximum":4}}}]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
        r#"{"oneOf":[{"type":"integer","multipleOf":3},{"type":"integer","multipleOf":5}]}"#,
        r#"{"type":"object","properties":{"k":{"enum":["a","b"]}},"required":["k"],"if":{"properties":{"k":{"const":"a"}}},"then":{"required":["x"],"properties":{"x":{"const":1}}},"else":{"required":["y"],"properties":{"y":{"const":2}}}}"#,
        r#"{"not":{"type":"string"}}"#,
        r#"{"type":"integer","not":{"multipleOf":2}}"#,
        r#"{"type":"object","not":{"required":["a"]},"properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#,
        r##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["v","next"]}}}"##,
        r##"{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}},"required":["kids"]}},"$ref":"#/$defs/t"}"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":{"type":"boolean"},"minItems":4}"#,
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":1,"exclusiveMinimum":true,"maximum":2}"#,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["b"],"c":{"required":["d"]}},"required":["a","c"]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"}},"unevaluatedProperties":false,"minProperties":1}"#,
        r#"{"enum":["x",1,null,{"a":[1]}]}"#,
        r#"{"const":{"deep":[1,2]}}"#,
        r#"{"type":["string","null"]}"#,
        r"{}",
        r"true",
    ];
    for text in schemas {
        let format = of(text);
        for seed in 0..12 {
            let value = sample(&format, seed).unwrap_or_else(|error| panic!("{text} seed {seed}: {error}"));
            let judge = judge(&format, JudgeOptions { limits: ParseLimits::default(), assert_format: false }).unwrap();
            assert!(judge.validate(&value).list.is_empty());
        }
    }
}

#[test]
fn formats_are_real() {
    for name in [
        "date-time",
        "date",
        "time",
        "email",
        "uri",
        "uuid",
        "ipv4",
        "ipv6",
        "hostname",
        "duration",
        "json-pointer",
        "regex",
    ] {
        let format = of(&format!(r#"{{"type":"string","format":"{name}"}}"#));
        let strict = judge(&format, JudgeOptions { limits: ParseLimits::default(), assert_format: true }).unwrap();
        for seed in 0..20 {
            let value = sample(&format, seed).unwrap();
            assert!(strict.validate(&value).list.is_empty(), "{name}: {value}");
        }
    }
}

#[test]
fn seeds_are_stable_and_differ() {
    let format = of(
        r#"{"type":"object","properties":{"name":{"type":"string"},"city":{"type":"string"},"price":{"type":"number"},"age":{"type":"integer"}},"required":["name","city","price","age"]}"#,
    );
    let first = canonical(&sample(&format, 1).unwrap());
    assert_eq!(first, canonical(&sample(&format, 1).unwrap()));
    let all: std::collections::HashSet<String> =
        (0..20).map(|seed| canonical(&sample(&format, seed).unwrap())).collect();
    assert!(all.len() > 15);
    println!("{first}");
}

#[test]
fn what_cannot_be_says_so_and_where() {
    for (text, path) in [
        (r#"{"type":"object","properties":{"a":false},"required":["a"]}"#, "/properties/a"),
        (
            r#"{"type":"object","properties":{"a":{"type":"integer","minimum":5,"maximum":4}},"required":["a"]}"#,
            "/properties/a/minimum",
        ),
        (r#"{"type":"string","minLength":5,"maxLength":4}"#, "/minLength"),
        (r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, "/allOf"),
        (r#"{"type":"array","minItems":1,"items":false}"#, "/items"),
        (r#"{"type":"string","enum":[1,2]}"#, "/enum"),
        (r#"{"not":{}}"#, "/not"),
        (r#"{"type":"object","required":["a"],"additionalProperties":false}"#, "/required"),
        (
            r##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["n"]}}}"##,
            "/$defs/n",
        ),
        (r"false", ""),
    ] {
        match sample(&of(text), 1) {
            Err(SampleError::Unsatisfiable { path: found, .. }) => assert_eq!(found, path, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

fn files(root: &Path, out: &mut Vec<std::path::PathBuf>) {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                out.push(path);
            }
        }
    }
    out.sort();
}

/// Every schema of the corpora, with a name.
fn corpus(root: &Path) -> Vec<(String, Value)> {
    let limits = ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 };
    let mut all = Vec::new();
    for file in ["baml", "instructor", "openai-python", "outlines"] {
        let rows = cases::rows(&format!("corpora/pydantic-models/{file}.jsonl"));
        all.extend(rows.into_iter().enumerate().map(|(i, row)| (format!("{file}:{i}"), row["schema"].clone())));
    }
    let rows = cases::rows("corpora/bfcl/cases.jsonl");
    all.extend(rows.into_iter().enumerate().map(|(i, row)| (format!("bfcl:{i}"), row["schema"].clone())));
    for folder in ["schemastore", "crds", "iglu-central", "jsonschemabench", "mcp", "ans-schema"] {
        let mut paths = Vec::new();
        files(&root.join("corpora").join(folder), &mut paths);
        for path in paths {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if name.contains("/valid/") || name.contains("/invalid/") || name.contains("/examples/") {
                continue;
            }
            if let Ok(value) = parse_bytes(&fs_err::read(&path).unwrap(), limits) {
                all.push((name, value));
            }
        }
    }
    let mut paths = Vec::new();
    files(&root.join("corpora/json-schema-test-suite/tests"), &mut paths);
    for path in paths {
        let Ok(Value::Array(groups)) = parse_bytes(&fs_err::read(&path).unwrap(), limits) else { continue };
        let name = path.strip_prefix(root).unwrap().display().to_string();
        all.extend(groups.into_iter().enumerate().map(|(i, group)| {
            let mut schema = group["schema"].clone();
            let draft =
                ["draft4", "draft6", "draft7", "draft2019-09"].iter().find(|d| name.contains(&format!("/{d}/")));
            if let (Some(draft), Value::Object(members)) = (draft, &mut schema)
                && !members.contains_key("$schema")
            {
                let uri = match *draft {
                    "draft4" => "http://json-schema.org/draft-04/schema#",
                    "draft6" => "http://json-schema.org/draft-06/schema#",
                    "draft7" => "http://json-schema.org/draft-07/schema#",
                    _ => "https://json-schema.org/draft/2019-09/schema",
                };
                members.insert("$schema".into(), uri.into());
            }
            (format!("{name}:{i}"), schema)
        }));
    }
    all
}

#[test]
fn real_schemas_give_samples() {
    let Some(root) = cases::shared() else { return };
    let (mut good, mut impossible, mut lost, mut slowest) = (0, Vec::new(), Vec::new(), Duration::ZERO);
    for (name, schema) in corpus(&root) {
        let Ok(checked) = check(&schema) else { continue };
        let start = Instant::now();
        let made = sample(&checked.format, 1);
        let took = start.elapsed();
        if took > slowest {
            slowest = took;
            println!("{took:?} {name}");
        }
        match made {
            Ok(_) => good += 1,
            Err(SampleError::Unsatisfiable { path, why }) => impossible.push(format!("{name} {path:?}: {why}")),
            Err(SampleError::NotFound { .. }) => {
                lost.push(format!("{name} {}", canonical(&schema).chars().take(400).collect::<String>()));
            }
        }
    }
    println!("impossible:\n{}\nlost:\n{}", impossible.join("\n"), lost.join("\n"));
    let all = good + impossible.len() + lost.len();
    println!(
        "{good} of {all} schemas gave a sample, {} are impossible, {} were not found, slowest {slowest:?}",
        impossible.len(),
        lost.len()
    );
    assert!(lost.len() * 100 <= all * 3);
}
