//! What the workbench does behind a key: the board, the outline, a sample, what a schema lets through.
//!
//! `cargo bench --bench workbench` reads the schemas of `../shared/corpora/pydantic-models` (or of `FORMWORK_CORPORA`), and
//! makes a large one and a hostile one itself. Goal: nothing a person waits for takes a second on a real schema.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

#[path = "corpora/real.rs"]
mod real;

use std::hint::black_box;
use std::time::{Duration, Instant};

use formwork::json::ParseLimits;
use formwork::plan::board::{Board, felt_by};
use formwork::runtime::grammar::verdict;
use formwork::schema::ResponseFormat;
use formwork::schema::loose::loose;
use formwork::schema::outline::outline;
use formwork::schema::preflight::check_text;
use formwork::schema::sample::sample;
use formwork::schema::validate::JudgeOptions;

const OPTIONS: JudgeOptions =
    JudgeOptions { limits: ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 }, assert_format: false };

/// One thing that is measured; false where the schema gives it nothing to do.
type Work = fn(&ResponseFormat) -> bool;

const WORKS: [(&str, Work); 5] =
    [("board", board), ("outline", fields), ("sample", one_sample), ("loose", lets_through), ("felt by", felt)];

fn board(format: &ResponseFormat) -> bool {
    !black_box(Board::of(format, verdict)).rows.is_empty()
}

fn fields(format: &ResponseFormat) -> bool {
    !black_box(outline(&format.schema)).is_empty()
}

fn one_sample(format: &ResponseFormat) -> bool {
    black_box(sample(format, 1)).is_ok()
}

fn lets_through(format: &ResponseFormat) -> bool {
    sample(format, 1).is_ok_and(|good| black_box(loose(format, &good, OPTIONS)).is_ok())
}

fn felt(format: &ResponseFormat) -> bool {
    let found = sample(format, 1).ok().and_then(|good| loose(format, &good, OPTIONS).ok());
    found.is_some_and(|found| !black_box(felt_by(format, &found.findings, verdict)).is_empty())
}

fn main() {
    let real: Vec<ResponseFormat> =
        real::schemas().iter().filter_map(|text| Some(check_text(text).ok()?.format)).collect();
    if real.is_empty() {
        println!("no real schemas: ../shared/corpora is not here");
    }
    for (what, work) in WORKS {
        let mut times: Vec<Duration> = real.iter().filter_map(|format| timed(format, work)).collect();
        times.sort();
        let at = |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default();
        if !times.is_empty() {
            let (count, p50, p99, worst) = (times.len(), at(50), at(99), at(100));
            println!("{what:<8} {count} real schemas: p50 {p50:.2?}, p99 {p99:.2?}, worst {worst:.2?}");
        }
    }
    for (name, text) in [("large", large()), ("hostile", hostile())] {
        let format = check_text(&text).unwrap().format;
        for (what, work) in WORKS {
            match timed(&format, work) {
                Some(time) => println!("{what:<8} {name} ({} kB): {time:.2?}", text.len() / 1000),
                None => println!("{what:<8} {name}: nothing to do"),
            }
        }
    }
}

fn timed(format: &ResponseFormat, work: Work) -> Option<Duration> {
    let started = Instant::now();
    work(format).then(|| started.elapsed())
}

/// 1,800 fields of every type, near what a schema may hold, as a generator of schemas makes them.
fn large() -> String {
    let kinds = [r#""string""#, r#""number""#, r#""integer""#, r#""boolean""#, r#"["string","null"]"#];
    let fields: Vec<String> = (0..1_800)
        .map(|n| format!(r#""field_{n}":{{"type":{},"description":"What field {n} holds."}}"#, kinds[n % kinds.len()]))
        .collect();
    let names: Vec<String> = (0..1_800).map(|n| format!(r#""field_{n}""#)).collect();
    let (fields, names) = (fields.join(","), names.join(","));
    format!(r#"{{"type":"object","properties":{{{fields}}},"required":[{names}],"additionalProperties":false}}"#)
}

/// Choices of choices over definitions that refer to one another, with a long pattern on every text.
fn hostile() -> String {
    let parts: Vec<String> = (0..120)
        .map(|n| {
            let (a, b) = ((n * 7 + 1) % 120, (n * 11 + 3) % 120);
            format!(
                r##""p{n}":{{"type":"object","properties":{{"kind":{{"const":"{n}"}},"text":{{"type":"string","pattern":"^(a|b|c{n}){{1,40}}[x-z]*$"}},"next":{{"anyOf":[{{"$ref":"#/$defs/p{a}"}},{{"$ref":"#/$defs/p{b}"}},{{"type":"null"}}]}}}},"required":["kind","text"]}}"##
            )
        })
        .collect();
    let any: Vec<String> = (0..120).map(|n| format!(r##"{{"$ref":"#/$defs/p{n}"}}"##)).collect();
    format!(
        r#"{{"type":"object","properties":{{"list":{{"type":"array","minItems":3,"items":{{"anyOf":[{}]}}}}}},"required":["list"],"$defs":{{{}}}}}"#,
        any.join(","),
        parts.join(",")
    )
}
