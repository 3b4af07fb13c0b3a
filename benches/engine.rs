//! The schema engine over real schemas: preflight, compilation, validation.
//!
//! `cargo bench --bench engine` reads the schemas of the folder `../shared/corpora` (or those of `FORMWORK_CORPORA`)
//! and prints the distribution of each step, and the time to judge candidates of growing size.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, Value, parse};
use formwork::schema::preflight::check_text;
use formwork::schema::validate::{JudgeOptions, Judgement, judge};

const OPTIONS: JudgeOptions =
    JudgeOptions { limits: ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 }, assert_format: false };

fn main() {
    let schemas = schemas();
    println!("{} schema files", schemas.len());
    let mut checks = Vec::new();
    let mut builds = Vec::new();
    for text in &schemas {
        let (took, checked) = timed(|| check_text(text));
        checks.push(took);
        if let Ok(checked) = checked {
            builds.push(timed(|| judge(&checked.format, OPTIONS)).0);
        }
    }
    show("preflight", &mut checks);
    show("build", &mut builds);
    cases();
    growth();
}

/// Best of three, since other programs run beside this one.
fn timed<T>(work: impl Fn() -> T) -> (Duration, T) {
    let once = || {
        let started = Instant::now();
        let result = black_box(work());
        (started.elapsed(), result)
    };
    let best = once().0.min(once().0);
    let (took, result) = once();
    (best.min(took), result)
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |percent: usize| times.get((times.len().saturating_sub(1)) * percent / 100).copied().unwrap_or_default();
    println!("{what:>10} of {}: p50 {:.1?}, p99 {:.1?}, worst {:.1?}", times.len(), at(50), at(99), at(100));
}

/// The answers of the function-call corpus against their schemas.
fn cases() {
    let Ok(text) = fs_err::read_to_string(root().join("bfcl/cases.jsonl")) else { return };
    let mut times = Vec::new();
    for line in text.lines() {
        let row = parse(line, ParseLimits { max_bytes: usize::MAX, max_depth: 512 }).unwrap();
        let Ok(checked) = check_text(&row["schema"].to_string()) else { continue };
        let judge = judge(&checked.format, OPTIONS).unwrap();
        let answer = row["answer"].to_string();
        times.push(timed(|| judge.judge(&answer)).0);
    }
    show("judge", &mut times);
}

/// Parse and validation of one candidate as it grows.
fn growth() {
    let schema = r#"{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer","minimum":0},"name":{"type":"string","minLength":1},"tags":{"type":"array","items":{"type":"string"}}},"required":["id","name","tags"],"additionalProperties":false}}"#;
    let checked = check_text(schema).unwrap();
    let judge = judge(&checked.format, OPTIONS).unwrap();
    let item = r#"{"id":12345,"name":"a name of some length","tags":["red","green","blue"]}"#;
    for kib in [1, 64, 1024, 4096] {
        let count = (kib * 1024 / (item.len() + 1)).max(1);
        let text = format!("[{}]", vec![item; count].join(","));
        let (took, verdict) = timed(|| judge.judge(&text));
        let word = match verdict {
            Judgement::Valid { .. } => "valid",
            Judgement::NotJson(_) | Judgement::Invalid(_) => panic!("this candidate is valid"),
        };
        let speed = text.len() as f64 / took.as_secs_f64() / f64::from(1 << 20);
        println!("     judge {:>5} KiB: {took:>9.2?} ({speed:.0} MiB/s), {word}", text.len() / 1024);
    }
}

fn root() -> PathBuf {
    std::env::var_os("FORMWORK_CORPORA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from)
}

fn schemas() -> Vec<String> {
    let mut found = Vec::new();
    let Ok(manifest) = fs_err::read_to_string(root().join("MANIFEST.jsonl")) else { return found };
    for line in manifest.lines() {
        let row: Value = parse(line, ParseLimits::default()).unwrap();
        let path = row["path"].as_str().unwrap();
        found.extend(fs_err::read_to_string(root().join(path)));
    }
    for source in ["baml", "instructor", "openai-python", "outlines"] {
        let text = fs_err::read_to_string(root().join(format!("pydantic-models/{source}.jsonl"))).unwrap();
        for line in text.lines() {
            let row = parse(line, ParseLimits { max_bytes: usize::MAX, max_depth: 512 }).unwrap();
            found.push(row["schema"].to_string());
        }
    }
    found
}
