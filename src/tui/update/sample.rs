//! Samples in the result region. A sample is never an answer: it has its own badge, and the run's result is put aside.

use super::super::effect::Effect;
use super::super::state::result::{Built, ResultPane, Shown};
use super::super::state::{Region, State, Tone};
use super::focus;
use crate::tui::scroll::Scroll;
use crate::tui::tree::TreeState;

/// Asks for the sample of a seed: the one given, else the one that was shown last.
pub(super) fn ask(state: &mut State, argument: &str) -> Vec<Effect> {
    let seed = if argument.is_empty() { Some(state.bench.seed) } else { argument.parse().ok() };
    let Some(seed) = seed else {
        state.say(Tone::Warn, format!("{argument:?} is no seed: a whole number from 0"));
        return Vec::new();
    };
    ask_for(state, seed)
}

fn ask_for(state: &mut State, seed: u64) -> Vec<Effect> {
    let Some(checked) = state.schema.legal() else {
        state.say(Tone::Info, "the schema is being checked: try again");
        return Vec::new();
    };
    let format = Box::new(checked.format.clone());
    state.bench.asked = Some(seed);
    vec![Effect::Sample { format, seed }]
}

/// Asks for the sample after the shown one, or before it.
pub(super) fn step(state: &mut State, by: i64) -> Vec<Effect> {
    let seed = state.bench.asked.unwrap_or(state.bench.seed);
    ask_for(state, seed.saturating_add_signed(by))
}

/// A sample came; one nobody waits for any more falls away.
pub(super) fn came(state: &mut State, seed: u64, schema_hash: String, built: Result<Box<Built>, String>) {
    if state.bench.asked != Some(seed) {
        return;
    }
    state.bench.asked = None;
    let built = match built {
        Ok(built) => built,
        Err(why) => return state.say(Tone::Warn, why),
    };
    state.bench.seed = seed;
    let raw = state.result.raw;
    let pane = ResultPane {
        tree: TreeState::new(&built.tree),
        scroll: Scroll::at_start(),
        shown: Shown::Value(built),
        raw,
        schema_hash: Some(schema_hash),
        sample: Some(seed),
        ..ResultPane::default()
    };
    let before = std::mem::replace(&mut state.result, pane);
    if before.sample.is_none() {
        state.bench.kept = Some(Box::new(before));
    }
    focus(state, Region::Result);
    state.say(Tone::Info, "made from the schema, checked by the validator; no model was asked");
}

/// The run's own result again, as it was left.
pub(super) fn back(state: &mut State) {
    state.bench.asked = None;
    if state.result.sample.is_some() {
        state.result = state.bench.kept.take().map(|kept| *kept).unwrap_or_default();
        state.notice = None;
    }
}
