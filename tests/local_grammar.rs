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
#[allow(dead_code, reason = "not every test binary uses all")]
#[path = "support/generate.rs"]
mod generate;
#[path = "support/walk.rs"]
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, Value, parse};
use formwork::local::grammar::{Compiler, verdict};
use formwork::plan::GrammarVerdict;
use formwork::schema::preflight;
use formwork::schema::validate::{JudgeOptions, Judgement, judge};
use walk::{End, Walk, compiler};

/// A verdict on a legal schema takes no longer (debug build, one busy core).
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
    let start = Instant::now();
    let verdict = verdict(schema);
    let took = start.elapsed();
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
        12,
        1,
    );
}

#[test]
fn texts_for_real_schemas_are_valid() {
    corpus(&["pydantic-models", "jsonschemabench", "bfcl", "mcp", "schemastore", "crds"], 3, 2);
}
