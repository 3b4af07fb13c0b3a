//! `check --for all` on schemas as large as preflight lets through: every shape is legal and answered in bounded time.
//! `cargo bench --bench check` measures; this test only refuses what grows out of bounds.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failing test stops and says what it measured"
)]

#[path = "support/largest.rs"]
mod largest;

use std::time::{Duration, Instant};

use formwork::capability::ProfileId;
use formwork::plan::portability::portability;
use formwork::schema::preflight::check_text;
use formwork::schema::project::Source;

/// For all lists together, in the development profile on a busy machine: the goal of a release build is 200 ms.
const TIME: Duration = Duration::from_secs(6);

#[test]
fn the_largest_schemas_are_answered_in_bounded_time() {
    let mut slow = Vec::new();
    for (what, text) in largest::largest() {
        let checked = check_text(&text).unwrap_or_else(|errors| panic!("{what}: {errors:?}"));
        let started = Instant::now();
        let source = Source::read(&checked.format.schema);
        let mut slowest = (Duration::ZERO, ProfileId::None);
        for id in ProfileId::ALL {
            let begun = Instant::now();
            let found = portability(id, None, &source, &checked.format);
            assert!(found.objections.iter().all(|o| !o.refusal.message.is_empty()));
            slowest = slowest.max((begun.elapsed(), id));
        }
        let took = started.elapsed();
        println!("{took:>8.0?} {what}, most of it {:?} ({:.0?})", slowest.1, slowest.0);
        if took > TIME {
            slow.push((what, took));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
