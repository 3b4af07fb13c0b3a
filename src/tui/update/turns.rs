//! The turns of the session: beginning one, walking them, showing one again, branching from one.

use std::fmt::Write;

use super::super::effect::Effect;
use super::super::state::popup::Popup;
use super::super::state::result::Shown;
use super::super::state::run::Run;
use super::super::state::turns::{Outcome, Record, Turn, TurnsView};
use super::super::state::{Region, State, Tone};
use super::{close_popup, command, focus, open, sample};
use crate::command::Id;
use crate::tui::scroll::Motion;
use crate::tui::{slash, words};

/// A run was made and is about to be shown: what was shown before is put away, the turn begins.
pub(super) fn begin(state: &mut State, run: &Run, prompt: &str) {
    put_away(state);
    state.turns.begin(Record {
        id: run.sequence,
        parent: None,
        prompt: prompt.to_owned(),
        schema: run.structured.then(|| state.schema.name()),
        schema_hash: run.schema_hash.clone(),
        model: run.model.clone(),
        ..Record::default()
    });
}

/// Puts what is on the screen away with its turn.
fn put_away(state: &mut State) {
    sample::back(state);
    let result = std::mem::take(&mut state.result);
    if let Some(run) = state.run.take() {
        state.turns.put_away(run, result);
    }
}

/// Something happened to the run: its turn knows.
pub(super) fn note(state: &mut State) {
    if let Some(run) = &state.run {
        state.turns.note(run);
    }
}

/// The answer of the newest run came.
pub(super) fn answered(state: &mut State) {
    let Some(id) = state.run.as_ref().map(|run| run.sequence) else { return };
    match &state.result.shown {
        Shown::Value(built) if state.result.sample.is_none() => state.turns.answer(id, built.canonical.text()),
        Shown::Text(rows) => state.turns.answer(id, rows.text()),
        Shown::Value(_) | Shown::Nothing | Shown::Building => {}
    }
}

/// Opens the turns at the one on the screen, which is unfolded.
pub(super) fn show(state: &mut State) {
    note(state);
    let newest = state.turns.list.last().map_or(0, |turn| turn.record.id);
    let selected = state.run.as_ref().map_or(newest, |run| run.sequence);
    let view = TurnsView { selected, unfolded: [selected].into(), top: 0 };
    open(state, Popup::Turns(Box::new(view)));
}

fn view(state: &mut State) -> Option<&mut TurnsView> {
    match state.popups.last_mut() {
        Some(Popup::Turns(view)) => Some(view),
        _ => None,
    }
}

/// The selected turn.
fn selected(state: &mut State) -> Option<&Turn> {
    let id = view(state)?.selected;
    state.turns.get(id)
}

/// Selects a turn before or after, in reading order.
pub(super) fn scroll(state: &mut State, motion: Motion) {
    let ids: Vec<u64> = {
        let list = &state.turns.list;
        let places = state.turns.places();
        places.iter().filter_map(|place| list.get(place.at)).map(|turn| turn.record.id).collect()
    };
    let Some(view) = view(state) else { return };
    let last = ids.len().saturating_sub(1);
    let at = ids.iter().position(|id| *id == view.selected).unwrap_or(last);
    let to = match motion {
        Motion::Up(n) => at.saturating_sub(n),
        Motion::Down(n) => at.saturating_add(n),
        Motion::PageUp | Motion::HalfUp => at.saturating_sub(10),
        Motion::PageDown | Motion::HalfDown => at.saturating_add(10),
        Motion::Home => 0,
        Motion::End => last,
    };
    if let Some(id) = ids.get(to.min(last)) {
        view.selected = *id;
    }
}

/// Folds the selected turn, or unfolds it.
pub(super) fn fold(state: &mut State) {
    if let Some(view) = view(state) {
        let id = view.selected;
        if !view.unfolded.remove(&id) {
            view.unfolded.insert(id);
        }
    }
}

/// Unfolds every turn; when all are, folds them.
pub(super) fn fold_all(state: &mut State) {
    let all: std::collections::BTreeSet<u64> = state.turns.list.iter().map(|turn| turn.record.id).collect();
    if let Some(view) = view(state) {
        view.unfolded = if view.unfolded == all { std::collections::BTreeSet::new() } else { all };
    }
}

/// Shows the selected turn again.
pub(super) fn pick(state: &mut State) {
    let Some((id, there)) = selected(state).map(|turn| (turn.record.id, turn.kept.is_some())) else { return };
    if state.run.as_ref().is_some_and(|run| run.sequence == id) {
        state.turns.head = Some(id);
        return close_popup(state);
    }
    if state.running() || matches!(state.result.shown, Shown::Building) {
        return state.say(Tone::Warn, "a run is going: cancel it or wait, then show an earlier turn");
    }
    if !there {
        return state.say(Tone::Warn, "its attempts were let go to save memory; e edits its prompt, r runs it again");
    }
    put_away(state);
    let Some(kept) = state.turns.take_out(id) else { return };
    (state.run, state.result) = (Some(kept.run), kept.result);
    state.bench.asked = None;
    state.schema.mark = None;
    close_popup(state);
    if matches!(state.focus, Region::Schema | Region::Prompt) {
        state.reader = if state.result.built().is_some() { Region::Result } else { Region::Candidate };
    }
    state.say(Tone::Info, format!("turn {id} is shown again; what you send next follows it"));
}

/// Puts the turn's prompt into the composer; sending it makes a branch.
pub(super) fn edit(state: &mut State) -> Vec<Effect> {
    let Some((id, prompt)) = selected(state).map(|turn| (turn.record.id, turn.record.prompt.clone())) else {
        return Vec::new();
    };
    state.turns.beside = Some(id);
    close_popup(state);
    put_prompt(state, &prompt);
    focus(state, Region::Prompt);
    state.say(Tone::Info, format!("the prompt of turn {id}: sending it makes a branch beside it"));
    slash::refresh(state)
}

/// Puts a prompt into the composer. A draft is not thrown away: the arrow keys bring it back.
fn put_prompt(state: &mut State, prompt: &str) {
    let draft = state.prompt.text();
    state.prompt.keep(&draft);
    state.prompt.set(prompt);
}

/// Runs the turn's prompt again, with the schema and the model of now.
pub(super) fn rerun(state: &mut State) -> Vec<Effect> {
    let Some((id, prompt)) = selected(state).map(|turn| (turn.record.id, turn.record.prompt.clone())) else {
        return Vec::new();
    };
    if let Some(reason) = state.barred(Id::RunStart) {
        state.say(Tone::Warn, reason);
        return Vec::new();
    }
    if state.running() {
        state.say(Tone::Warn, "a run is going: cancel it or wait");
        return Vec::new();
    }
    close_popup(state);
    put_prompt(state, &prompt);
    state.turns.beside = Some(id);
    command::give(state, Id::RunStart, "")
}

/// Copies the selected turn.
pub(super) fn copy(state: &mut State) -> Vec<Effect> {
    let Some(turn) = selected(state) else { return Vec::new() };
    vec![Effect::Copy { what: format!("turn {}", turn.record.id), text: plain(&[turn]) }]
}

/// Copies the turns that lead to the selected one.
pub(super) fn copy_branch(state: &mut State) -> Vec<Effect> {
    let Some(id) = selected(state).map(|turn| turn.record.id) else { return Vec::new() };
    let path = state.turns.path(id);
    vec![Effect::Copy { what: words::count(path.len(), "turn"), text: plain(&path) }]
}

/// Turns as plain text: no borders, nothing folded.
fn plain(turns: &[&Turn]) -> String {
    let mut text = String::new();
    for Turn { record, .. } in turns {
        let schema = record.schema.as_deref().map_or(String::new(), |name| format!(" · schema {name}"));
        let _ = writeln!(text, "# turn {} · {}{schema} · {}\n", record.id, record.model, outcome(record));
        let _ = writeln!(text, "{}\n", record.prompt);
        if !record.answer.is_empty() {
            let _ = writeln!(text, "{}{}\n", record.answer, if record.cut { "…" } else { "" });
        }
    }
    text.trim_end().to_owned()
}

/// `valid, 2 attempts`, `failed: rate_limited`.
#[must_use]
pub fn outcome(record: &Record) -> String {
    let attempts = words::count(record.attempts, "attempt");
    match &record.outcome {
        Outcome::Running => "running".to_owned(),
        Outcome::Valid => format!("valid, {attempts}"),
        Outcome::Text => "text".to_owned(),
        Outcome::Failed(code) => format!("{code}, {attempts}"),
    }
}
