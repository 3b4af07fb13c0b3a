//! The guided tour: beginning, going on when a step was done or skipped, ending.

use super::super::effect::Effect;
use super::super::state::tour::{MODEL, STEPS, Tour};
use super::super::state::{State, Tone};
use super::{panes, run, schema};
use crate::command::Id;

/// Begins the tour, or begins it again.
pub(super) fn begin(state: &mut State) -> Vec<Effect> {
    if state.running() {
        state.say(Tone::Warn, "a run is going: cancel it or wait, then begin the tour");
        return Vec::new();
    }
    let model = state.tour.take().map_or_else(|| state.models.name.clone(), |tour| tour.model);
    MODEL.clone_into(&mut state.models.name);
    schema::recheck(state);
    let blank = state.schema.editor.is_blank();
    state.tour = Some(Tour { step: 0, model, blank, runs: state.runs });
    (state.zoom, state.notice) = (false, None);
    if std::mem::replace(&mut state.habits.toured, true) { Vec::new() } else { panes::keep(state) }
}

/// Goes on to the next step.
pub(super) fn skip(state: &mut State) {
    if let Some(tour) = &mut state.tour {
        tour.step += 1;
        if tour.step >= STEPS {
            end(state);
        }
    }
}

/// Ends the tour; the model of before answers again.
pub(super) fn end(state: &mut State) {
    let Some(tour) = state.tour.take() else { return };
    if state.models.name == MODEL && tour.model != MODEL {
        run::choose_model(state, &tour.model);
    }
    let (palette, help) = (state.keymap.shown(Id::Palette), state.keymap.shown(Id::Help));
    let model = state.models.name.clone();
    state.say(Tone::Good, format!("that was the tour: {palette} finds every command, {help} helps; {model} answers"));
}

/// The step is done: the next one begins.
pub(super) fn follow(state: &mut State) {
    if state.popups.is_empty() && state.tour.as_ref().is_some_and(|tour| tour.done(state)) {
        skip(state);
    }
}
