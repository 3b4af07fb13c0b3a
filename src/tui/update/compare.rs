//! Two attempts side by side, and what the heads of the responses said.

use std::fmt::Write;

use super::super::effect::{AttemptsJob, Effect};
use super::super::state::rounds::Round;
use super::super::state::run::{Attempt, Run};
use super::super::state::{State, Tone};
use super::inspect::page;
use crate::tui::rows::Syntax;
use crate::tui::words;

/// Compares the shown attempt with the one before it, or with the one of this number.
pub(super) fn attempts(state: &mut State, argument: &str) -> Vec<Effect> {
    let Some(run) = &state.run else { return Vec::new() };
    let shown = run.shown_index();
    let other = match argument.trim().parse::<u32>() {
        Ok(number) => run.attempts.iter().position(|attempt| attempt.number == number),
        Err(_) if argument.trim().is_empty() => Some(if shown == 0 { 1 } else { shown - 1 }),
        Err(_) => None,
    };
    let other = other.filter(|at| *at < run.attempts.len() && *at != shown);
    let (Some(other), Some(mine)) = (other.and_then(|at| run.attempts.get(at)), run.attempts.get(shown)) else {
        let text = match run.attempts.len() {
            1 => "there is one attempt only: nothing to compare it with".to_owned(),
            n => format!("name another attempt than the shown one, of {n}"),
        };
        state.say(Tone::Warn, text);
        return Vec::new();
    };
    let (old, new) = if other.number < mine.number { (other, mine) } else { (mine, other) };
    let named = |attempt: &Attempt| (format!("attempt {}", attempt.number), attempt.rows.text().to_owned());
    vec![Effect::CompareAttempts(Box::new(AttemptsJob { old: named(old), new: named(new) }))]
}

/// The comparison is there.
pub(super) fn compared(state: &mut State, title: &str, text: &str) {
    page(state, title, text, Syntax::Diff, "by path, then in text");
}

/// Status, times and headers of every call.
pub(super) fn response(state: &mut State) {
    let Some(run) = &state.run else { return };
    let mut text = String::new();
    for round in &run.rounds.list {
        round_words(&mut text, run, round);
    }
    page(state, "Responses", text.trim_end(), Syntax::Plain, "of the headers a fixed list: no cookies, no keys");
}

fn round_words(text: &mut String, run: &Run, round: &Round) {
    let status = round.head.map_or_else(|| "no response head".to_owned(), |(status, _)| format!("status {status}"));
    let _ = writeln!(text, "call {} · attempt {} · {status}", round.call + 1, round.attempt);
    let since = |ms: u64| format!("{} after it was sent", words::span(ms));
    let facts = [
        ("head", round.head.map(|(_, ms)| since(ms))),
        ("first", round.first_ms.map(since)),
        ("end", round.ended.map(|end| since(end.saturating_sub(round.sent)))),
        ("failed", round.failed.map(|code| code.code().to_owned())),
        ("then", round.wait_ms.map(|ms| format!("waited {} before the next call", words::span(ms)))),
    ];
    for (label, said) in facts.into_iter().filter_map(|(label, said)| Some((label, said?))) {
        let _ = writeln!(text, "  {label}: {said}");
    }
    for (name, value) in &round.headers {
        let _ = writeln!(text, "  {name}: {}", crate::text::safe(value));
    }
    if round.head.is_none() && run.simulated {
        let _ = writeln!(text, "  simulated: there is no wire, so there are no headers");
    }
    text.push('\n');
}
