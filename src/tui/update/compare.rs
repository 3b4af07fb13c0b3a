//! Two attempts side by side.

use super::super::effect::{AttemptsJob, Effect};
use super::super::state::run::Attempt;
use super::super::state::{State, Tone};
use super::inspect::page;
use crate::tui::rows::Syntax;

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
