//! The panes themselves: their sizes, jumping between them, and the keys that work here.

use super::super::effect::Effect;
use super::super::state::{Region, State, Tone};
use super::{focus, popup};
use crate::command::{Chord, Id, Key};
use crate::tui::view::layout::{self, Axis};

/// Makes the focused pane larger or smaller by a step.
pub(super) fn resize(state: &mut State, axis: Axis, by: i32) -> Vec<Effect> {
    let Some((border, cell)) = layout::toward(state, axis, by) else {
        let why = match axis {
            Axis::Width => "the parts do not lie side by side here: there is no width to give",
            Axis::Height => "one part has the whole height here",
        };
        state.say(Tone::Info, why);
        return Vec::new();
    };
    layout::moved(state, border, cell);
    keep(state)
}

/// `/layout WORD`.
pub(super) fn layout(state: &mut State, word: &str) -> Vec<Effect> {
    match word {
        "wider" => resize(state, Axis::Width, 1),
        "narrower" => resize(state, Axis::Width, -1),
        "taller" => resize(state, Axis::Height, 1),
        "shorter" => resize(state, Axis::Height, -1),
        "usual" => {
            state.habits.forget_shares();
            state.say(Tone::Good, "the parts have their usual sizes again");
            keep(state)
        }
        _ => {
            popup::choices(state, Id::Layout);
            Vec::new()
        }
    }
}

/// Keeps the habits as they are now.
pub(super) fn keep(state: &State) -> Vec<Effect> {
    vec![Effect::SaveHabits(Box::new(state.habits.clone()))]
}

/// Shows the letters.
pub(super) fn jump(state: &mut State) {
    state.jumping = true;
    let letters: Vec<String> =
        Region::ALL.iter().map(|r| format!("{} {}", r.letter(), r.title().to_lowercase())).collect();
    state.say(Tone::Info, format!("jump to: {} · any other key leaves", letters.join(" · ")));
}

/// A key while letters or keys are shown. True when it is used up; either way they go.
pub(super) fn takes(state: &mut State, chord: Chord) -> bool {
    if std::mem::take(&mut state.which) {
        return chord.key == Key::Esc;
    }
    if !std::mem::take(&mut state.jumping) {
        return false;
    }
    state.notice = None;
    let letter = chord.printable().map(|c| c.to_ascii_lowercase());
    let found = Region::ALL.into_iter().find(|region| Some(region.letter()) == letter);
    if let Some(region) = found {
        focus(state, region);
    }
    found.is_some() || letter.is_some() || chord.key == Key::Esc
}
