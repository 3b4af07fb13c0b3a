//! `formwork check --for all`, without reading the file and writing the report: preflight, every profile, both routes.
//!
//! `cargo bench --bench check` reads the schemas of `../shared/corpora/pydantic-models` (or of `FORMWORK_CORPORA`) for the
//! median real schema, and makes the largest legal ones itself. Goals: 5 ms for the median, 200 ms for the largest.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

#[path = "../tests/support/largest.rs"]
mod largest;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use formwork::capability::ProfileId;
use formwork::json::{ParseLimits, Value, parse};
use formwork::plan::portability::portability;
use formwork::runtime::grammar::verdict;
use formwork::schema::preflight::check_text;
use formwork::schema::project::Source;

const FILES: [&str; 4] = ["baml", "instructor", "openai-python", "outlines"];

fn main() {
    let mut times: Vec<Duration> = real().iter().map(|text| best(|| all(text))).collect();
    if times.is_empty() {
        println!("no real schemas: ../shared/corpora is not here");
    } else {
        times.sort();
        let at = |percent: usize| times.get((times.len() - 1) * percent / 100).copied().unwrap_or_default();
        println!("{} real schemas: p50 {:.2?}, p99 {:.2?}, worst {:.2?}", times.len(), at(50), at(99), at(100));
    }
    for (what, text) in largest::largest() {
        println!("{:>9.1?} largest: {what}", best(|| all(&text)));
    }
}

/// Everything the command decides.
fn all(text: &str) -> usize {
    let checked = check_text(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let source = Source::read(&checked.format.schema);
    let rows = ProfileId::ALL.into_iter().filter(|id| *id != ProfileId::None).map(|id| {
        let grammar = verdict(id, &checked.format.schema);
        portability(id, grammar.as_ref(), &source, &checked.format)
    });
    rows.map(|row| row.objections.len()).sum()
}

/// Best of three, since other programs run beside this one.
fn best(work: impl Fn() -> usize) -> Duration {
    let once = || {
        let started = Instant::now();
        black_box(work());
        started.elapsed()
    };
    once().min(once()).min(once())
}

fn real() -> Vec<String> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let beside =
        here.ancestors().skip(1).take(3).map(|folder| folder.join("shared/corpora")).find(|path| path.is_dir());
    let Some(folder) = std::env::var_os("FORMWORK_CORPORA").map(PathBuf::from).or(beside) else { return Vec::new() };
    let limits = ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 };
    let schema = |line: &str| -> Value { parse(line, limits).unwrap()["schema"].clone() };
    FILES
        .iter()
        .filter_map(|file| std::fs::read_to_string(folder.join(format!("pydantic-models/{file}.jsonl"))).ok())
        .flat_map(|text| text.lines().map(|line| schema(line).to_string()).collect::<Vec<_>>())
        .collect()
}
