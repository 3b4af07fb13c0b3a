//! Which rows the timeline of a run has: a row an attempt, below it a row a round where there were several.
//! How they look is the view's.

use super::rounds::Round;
use super::run::{Attempt, Run};

/// A row of the timeline.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Index of the attempt it selects; a round of none selects nothing.
    pub attempt: Option<usize>,
    pub what: What<'a>,
}

/// What a row of the timeline is about.
#[derive(Debug)]
pub enum What<'a> {
    Attempt(&'a Attempt),
    Round(&'a Round),
}

/// The rows of a run.
#[must_use]
pub fn entries(run: &Run) -> Vec<Entry<'_>> {
    let mut rows = Vec::new();
    for (at, attempt) in run.attempts.iter().enumerate() {
        rows.push(Entry { attempt: Some(at), what: What::Attempt(attempt) });
        if run.rounds.of(attempt.number).nth(1).is_some() {
            let rounds = run.rounds.of(attempt.number);
            rows.extend(rounds.map(|round| Entry { attempt: Some(at), what: What::Round(round) }));
        }
    }
    let shown = |round: &&Round| run.attempts.iter().all(|attempt| attempt.number != round.attempt);
    rows.extend(run.rounds.list.iter().filter(shown).map(|round| Entry { attempt: None, what: What::Round(round) }));
    rows
}

/// How many rows the timeline wants, its head included; none while there is nothing to show.
#[must_use]
pub fn height(run: &Run) -> usize {
    match entries(run).len() {
        0 => 0,
        rows => rows + 1,
    }
}
