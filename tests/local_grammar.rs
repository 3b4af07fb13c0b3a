//! What the grammar of a schema allows must be valid for the schema: random texts through the grammar of every schema
//! at hand, judged by the program's own validator. Verdicts end in bounded time on any schema.

#![cfg(feature = "local")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/cpu.rs"]
mod cpu;
#[path = "support/walk.rs"]
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cpu::{cpu, since};
use formwork::json::{ParseLimits, Value, parse};
use formwork::local::grammar::{Compiler, verdict};
use formwork::plan::GrammarVerdict;
use formwork::schema::preflight;
use formwork::schema::validate::{JudgeOptions, Judgement, judge};
use walk::{End, Walk, compiler};

/// CPU time that a verdict on a legal schema takes at most (debug build).
const VERDICT: Duration = Duration::from_millis(2_500);

#[derive(Debug, Default)]
struct Tally {
    schemas: usize,
    strict: usize,
    lenient: usize,
    refused: BTreeMap<String, usize>,
    dropped: BTreeMap<String, usize>,
    finished: usize,
    unfinished: usize,
    wrong: Vec<String>,
    slowest: Duration,
}

/// Verdict, and random texts through the grammar: those of a strict one must be valid.
fn probe(schema: &Value, name: &str, walks: u64, compiler: &Compiler, tally: &mut Tally) {
    let Ok(checked) = preflight::check(schema) else { return };
    tally.schemas += 1;
    let start = cpu();
    let verdict = verdict(schema);
    let took = since(start);
    tally.slowest = tally.slowest.max(took);
    if took > VERDICT {
        tally.wrong.push(format!("{name}: the verdict took {took:?}"));
    }
    let grammar = match verdict {
        GrammarVerdict::Strict => {
            tally.strict += 1;
            schema.clone()
        }
        GrammarVerdict::Lenient { schema, dropped } => {
            tally.lenient += 1;
            for place in dropped {
                *tally.dropped.entry(format!("{} ({})", place.keyword, place.rule)).or_default() += 1;
            }
            schema
        }
        GrammarVerdict::Refused(refusal) => {
            *tally.refused.entry(refusal.rule).or_default() += 1;
            return;
        }
    };
    // A relaxed document is a schema of its own: what its grammar allows must be valid for it.
    let Ok(checked) = preflight::check(&grammar).or(Ok::<_, ()>(checked)) else { return };
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let Ok(judge) = judge(&checked.format, options) else { return };
    for seed in 0..walks {
        let mut constraint = match compiler.schema(&grammar) {
            Ok(constraint) => constraint,
            Err(error) => {
                tally.wrong.push(format!("{name}: the negotiated grammar is refused: {error}"));
                return;
            }
        };
        match Walk::new(seed).run(constraint.as_mut()) {
            End::Finished(text) => {
                tally.finished += 1;
                match judge.judge(&text) {
                    Judgement::Valid { .. } => {}
                    Judgement::Invalid(issues) => {
                        tally.wrong.push(format!("{name} {seed}: {} {:?}", brief(&text), issues.list.first()));
                    }
                    Judgement::NotJson(error) => {
                        tally.wrong.push(format!("{name} {seed}: {} {error:?}", brief(&text)));
                    }
                }
            }
            End::TooLong => tally.unfinished += 1,
            End::Failed(error, text) => tally.wrong.push(format!("{name} {seed}: {error} after {}", brief(&text))),
        }
    }
}

fn brief(text: &str) -> String {
    text.chars().take(200).collect()
}

fn report(name: &str, tally: &Tally) {
    println!(
        "{name}: {} schemas, {} strict, {} lenient, refused {:?}, dropped {:?}, {} texts, {} unfinished, slowest {:?}",
        tally.schemas,
        tally.strict,
        tally.lenient,
        tally.refused,
        tally.dropped,
        tally.finished,
        tally.unfinished,
        tally.slowest
    );
    for wrong in tally.wrong.iter().take(60) {
        println!("  {wrong}");
    }
    assert!(tally.wrong.is_empty(), "{name}: {} wrong", tally.wrong.len());
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl") {
            out.push(path);
        }
    }
    out.sort();
}

fn read(text: &str) -> Option<Value> {
    parse(text, ParseLimits { max_bytes: usize::MAX, max_depth: 500 }).ok()
}

/// The schemas of a file: cases of a suite, lines of a list, or the file itself.
fn schemas(path: &Path) -> Vec<(String, Value)> {
    let text = fs_err::read_to_string(path).unwrap_or_default();
    let name = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("<");
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        let rows = text.lines().enumerate().filter_map(|(at, line)| Some((at, read(line)?.get("schema")?.clone())));
        return rows.map(|(at, schema)| (format!("{name}:{at}"), schema)).collect();
    }
    match read(&text) {
        Some(Value::Array(groups)) => groups
            .iter()
            .enumerate()
            .filter_map(|(at, group)| Some((format!("{name}:{at}"), group.get("schema")?.clone())))
            .collect(),
        Some(schema) => vec![(name, schema)],
        None => Vec::new(),
    }
}

fn corpus(folders: &[&str], walks: u64, step: usize) {
    let Some(root) = cases::shared().map(|root| root.join("corpora")) else { return };
    let compiler = compiler();
    for folder in folders {
        let mut tally = Tally::default();
        let mut paths = Vec::new();
        files(&root.join(folder), &mut paths);
        for (name, schema) in paths.iter().flat_map(|path| schemas(path)).step_by(step) {
            probe(&schema, &name, walks, &compiler, &mut tally);
        }
        report(folder, &tally);
    }
}

#[test]
fn texts_for_the_suites_are_valid() {
    corpus(
        &[
            "json-schema-test-suite/tests/draft2020-12",
            "json-schema-test-suite/tests/draft2019-09",
            "json-schema-test-suite/tests/draft7",
            "json-schema-test-suite/tests/draft4",
            "ajv/tests",
        ],
        4,
        1,
    );
}

#[test]
fn texts_for_real_schemas_are_valid() {
    corpus(&["pydantic-models", "jsonschemabench", "bfcl", "mcp", "schemastore", "crds"], 3, 2);
}

/// `n` definitions, each made from the name of the next one.
fn chain(n: usize, link: impl Fn(&str) -> String, leaf: &str) -> String {
    let definition = |i: usize| format!("\"d{i}\":{}", link(&format!("{{\"$ref\":\"#/$defs/d{}\"}}", i + 1)));
    let all: Vec<String> = (0..n).map(definition).collect();
    format!("{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{},\"d{n}\":{leaf}}}}}", all.join(","))
}

fn many(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).map(one).collect::<Vec<_>>().join(",")
}

/// Schemas that are small or legal and large to compile.
fn hostile() -> Vec<(&'static str, String)> {
    let branch = |i: usize| format!("{{\"type\":\"object\",\"properties\":{{\"p{i}\":{{\"type\":\"integer\"}}}}}}");
    let union = |k: usize| format!("{{\"anyOf\":[{}]}}", many(10, |i| branch(10 * k + i)));
    vec![
        ("anyOf chain", chain(12, |r| format!("{{\"anyOf\":[{r},{r}]}}"), "{\"type\":\"null\"}")),
        ("allOf chain", chain(12, |r| format!("{{\"allOf\":[{r},{r}]}}"), "{\"minimum\":3}")),
        ("oneOf chain", chain(10, |r| format!("{{\"oneOf\":[{r},{r},{{\"type\":\"string\"}}]}}"), "{\"type\":\"null\"}")),
        ("links", chain(900, str::to_owned, "{\"type\":\"integer\"}")),
        ("links with siblings", chain(90, |r| format!("{{\"allOf\":[{r}],\"type\":\"object\"}}"), "{}")),
        ("product of unions", format!("{{\"allOf\":[{}]}}", many(4, union))),
        ("larger product of unions", format!("{{\"allOf\":[{}]}}", many(8, union))),
        ("nested not", format!("{}{{}}{}", "{\"not\":".repeat(99), "}".repeat(99))),
        ("nested items", format!("{}{{\"type\":\"null\"}}{}", "{\"items\":".repeat(99), "}".repeat(99))),
        ("recursive branches", r##"{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","minItems":0,"items":{"$ref":"#"}},{"type":"null"}]}"##.to_owned()),
        ("recursion with siblings", r##"{"type":"object","properties":{"a":{"$ref":"#","minProperties":1}}}"##.to_owned()),
        ("only itself", r##"{"type":"array","minItems":1,"items":{"$ref":"#"}}"##.to_owned()),
        ("huge enum", format!("{{\"enum\":[{}]}}", many(7_000, |i| format!("\"value{i}\"")))),
        ("huge enum of lists", format!("{{\"enum\":[{}]}}", many(2_000, |i| format!("[1,{i}]")))),
        ("huge enum of numbers", format!("{{\"enum\":[{}]}}", many(7_000, |i| i.to_string()))),
        ("big repeats", "{\"type\":\"string\",\"pattern\":\"(a{100}){100}\"}".to_owned()),
        ("counting states", r#"{"type":"string","pattern":"(a|b)*a(a|b){300}c"}"#.to_owned()),
        ("unicode repeats", r#"{"type":"string","pattern":"^\\p{L}{1,400}$"}"#.to_owned()),
        ("many patterns", format!("{{\"patternProperties\":{{{}}}}}", many(900, |i| format!("\"^x{i}[a-z]{{1,90}}$\":{{}}")))),
        ("patterns that meet", format!("{{\"allOf\":[{}]}}", many(40, |i| format!("{{\"type\":\"string\",\"pattern\":\"(a|b)*a(a|b){{{i}}}\"}}")))),
        ("long texts", r#"{"type":"string","minLength":100000,"maxLength":2000000000}"#.to_owned()),
        ("long lists", r#"{"type":"array","items":{"type":"integer"},"minItems":100000,"maxItems":2000000000}"#.to_owned()),
        ("wide bounds", r#"{"type":"number","minimum":0.000000000000001,"maximum":8999999999999999}"#.to_owned()),
        ("large step", r#"{"type":"number","multipleOf":0.99999,"minimum":-5}"#.to_owned()),
        ("steps that meet", format!("{{\"allOf\":[{}]}}", many(20, |i| format!("{{\"type\":\"integer\",\"multipleOf\":{}}}", 2 * i + 3)))),
        ("many properties", format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", many(3_500, |i| format!("\"p{i}\":{{\"type\":\"integer\"}}")))),
        ("at least one of many", format!("{{\"type\":\"object\",\"additionalProperties\":false,\"minProperties\":1,\"properties\":{{{}}}}}", many(800, |i| format!("\"p{i}\":{{}}")))),
        ("many branches of oneOf", format!("{{\"oneOf\":[{}]}}", many(400, |i| format!("{{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{{\"k\":{{\"const\":\"v{i}\"}}}}}}")))),
        ("many oneOf that overlap", format!("{{\"properties\":{{{}}}}}", many(500, |i| format!("\"p{i}\":{{\"oneOf\":[{{\"minimum\":{i}}},{{\"maximum\":{i}}}]}}")))),
    ]
}

#[test]
fn a_verdict_ends_in_bounded_time_on_any_schema() {
    let compiler = compiler();
    let mut tally = Tally::default();
    for (name, text) in hostile() {
        let schema = read(&text).unwrap_or_else(|| panic!("{name} is no JSON"));
        let start = Instant::now();
        let legal = preflight::check(&schema).is_ok();
        let before = start.elapsed();
        let start = cpu();
        let said = match verdict(&schema) {
            GrammarVerdict::Strict => "strict".to_owned(),
            GrammarVerdict::Lenient { dropped, .. } => format!("lenient, {} dropped", dropped.len()),
            GrammarVerdict::Refused(refusal) => format!("refused: {}", refusal.rule),
        };
        let took = since(start);
        println!("{name}: legal {legal} in {before:?}; {said} in {took:?}");
        assert!(took < VERDICT * 4, "{name}: {took:?}");
        let start = Instant::now();
        probe(&schema, name, 1, &compiler, &mut tally);
        println!("    one text in {:?}", start.elapsed());
    }
    // Some of these grammars are too much for a step: told, never endless.
    tally.wrong.retain(|wrong| !wrong.contains("exceeds its limits"));
    report("hostile", &tally);
}
