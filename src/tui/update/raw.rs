//! Walking the raw events of the run.

use super::super::effect::Effect;
use super::super::state::popup::Popup;
use super::super::state::raw::{RawLog, RawView, Stride};
use super::super::state::run::Run;
use super::super::state::{State, Tone};
use super::open;
use crate::json::ParseLimits;
use crate::tui::scroll::Motion;
use crate::tui::words;

/// Opens the events at the end of the shown attempt; of a running one the end is followed.
pub(super) fn show(state: &mut State) {
    let Some(run) = &state.run else { return };
    let last = run.raw.len().saturating_sub(1);
    let at = run.shown().and_then(|attempt| run.raw.last_of(attempt.number)).unwrap_or(last);
    let view = RawView { at, follow: at == last, ..RawView::default() };
    open(state, Popup::Raw(Box::new(view)));
}

/// The view and what it looks at, once both are there.
fn parts(state: &mut State) -> Option<(&mut RawView, &Run)> {
    let State { popups, run, .. } = state;
    match (popups.last_mut(), run.as_ref()) {
        (Some(Popup::Raw(view)), Some(run)) => Some((view, run)),
        _ => None,
    }
}

fn go(view: &mut RawView, log: &RawLog, to: usize) {
    let last = log.len().saturating_sub(1);
    view.at = to.min(last);
    view.follow = view.at == last;
    view.told = None;
}

/// A step.
pub(super) fn step(state: &mut State, stride: Stride, by: isize) {
    let Some((view, run)) = parts(state) else { return };
    let to = run.raw.step(view.place(&run.raw), stride, by);
    go(view, &run.raw, to);
}

/// The keys every reader knows: a row is an event.
pub(super) fn scroll(state: &mut State, motion: Motion) {
    let page = isize::try_from(state.sizes.page / 2).unwrap_or(1).max(1);
    let by = match motion {
        Motion::Up(n) => isize::try_from(n).map_or(isize::MIN, |n| -n),
        Motion::Down(n) => isize::try_from(n).unwrap_or(isize::MAX),
        Motion::PageUp | Motion::HalfUp => -page,
        Motion::PageDown | Motion::HalfDown => page,
        Motion::Home => isize::MIN,
        Motion::End => isize::MAX,
    };
    step(state, Stride::Event, by);
}

/// Bytes as numbers, and back.
pub(super) fn hex(state: &mut State) {
    if let Some((view, _)) = parts(state) {
        view.hex = !view.hex;
    }
}

/// To the byte that spoilt the answer: what JSON itself says, else the first value the schema rejects.
pub(super) fn spoilt(state: &mut State) {
    let Some((view, run)) = parts(state) else { return };
    let at = view.place(&run.raw);
    let Some(found) = run.raw.spoilt(at, ParseLimits::default()) else { return rejected(state) };
    go(view, &run.raw, found.event);
    let place =
        format!("byte {}, line {}, column {}", found.dead.offset + 1, found.position.line, found.position.column);
    view.told = Some(format!("no JSON from {place} on: {}", found.dead.why));
    view.marked = Some(found.dead.offset);
}

/// JSON stayed possible to the end: the end of the first value that the schema rejects.
fn rejected(state: &mut State) {
    let Some((view, run)) = parts(state) else { return };
    let here = run.raw.event(view.place(&run.raw)).map(|seen| seen.attempt);
    let attempt = run.attempts.iter().find(|attempt| Some(attempt.number) == here);
    let first = attempt.and_then(|attempt| {
        let findings = attempt.findings.iter().zip(&attempt.issues);
        let placed = findings.filter_map(|(finding, issue)| Some((finding.place.clone()?, finding, issue)));
        placed.min_by_key(|(place, ..)| place.end)
    });
    let last = attempt.and_then(|attempt| run.raw.last_of(attempt.number));
    let found = first.zip(last).and_then(|((place, finding, issue), last)| {
        let event = run.raw.event_of(last, place.end.saturating_sub(1))?;
        let why = finding.why.clone().unwrap_or_else(|| words::without_keyword(issue).to_owned());
        Some((event, place.end, why))
    });
    let Some((event, end, why)) = found else {
        view.told = Some("JSON: any byte so far can be part of a valid document".to_owned());
        return;
    };
    go(view, &run.raw, event);
    view.told = Some(format!("JSON all the way; the schema's first complaint is whole at byte {end}: {why}"));
    view.marked = Some(end.saturating_sub(1));
}

/// Copies the buffer as it was.
pub(super) fn copy(state: &mut State) -> Vec<Effect> {
    let Some((view, run)) = parts(state) else { return Vec::new() };
    let at = view.place(&run.raw);
    let text = run.raw.tail(at, usize::MAX);
    if text.is_empty() {
        state.say(Tone::Info, "the buffer is empty here");
        return Vec::new();
    }
    vec![Effect::Copy { what: format!("the buffer after event {}", at + 1), text }]
}

/// Copies the bytes of the read, as text.
pub(super) fn copy_bytes(state: &mut State) -> Vec<Effect> {
    let Some((view, run)) = parts(state) else { return Vec::new() };
    let seen = run.raw.event(view.place(&run.raw)).filter(|seen| !seen.bytes.is_empty());
    let Some(seen) = seen else {
        state.say(Tone::Info, "there are no bytes: nothing came over a wire");
        return Vec::new();
    };
    let text = String::from_utf8_lossy(seen.bytes).into_owned();
    vec![Effect::Copy { what: format!("the bytes of read {}", seen.read + 1), text }]
}
