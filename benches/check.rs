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
#[path = "corpora/real.rs"]
mod real;

use std::hint::black_box;
use std::time::{Duration, Instant};

use formwork::capability::ProfileId;
use formwork::plan::portability::portability;
use formwork::runtime::grammar::verdict;
use formwork::schema::preflight::check_text;
use formwork::schema::project::Source;

fn main() {
    let mut times: Vec<Duration> = real::schemas().iter().map(|text| best(|| all(text))).collect();
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
