//! The panes themselves: their sizes, jumping between them, and the keys that work here.

use super::super::effect::Effect;
use super::super::state::{Glance, Region, State, Tone};
use super::{focus, popup};
use crate::command::{Chord, Id, Key};
use crate::text;
use crate::tui::layout::{self, Axis};

/// Makes the focused pane larger or smaller by a step.
pub(super) fn resize(state: &mut State, axis: Axis, by: i32) -> Vec<Effect> {
    let Some((border, cell)) = layout::toward(state, axis, by) else {
        let why = match axis {
            Axis::Width => "no parts lie side by side here",
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
    state.glance = Some(Glance::Letters);
    let letters: Vec<String> =
        Region::ALL.iter().map(|r| format!("{} {}", r.letter(), r.title().to_lowercase())).collect();
    let forms = [
        format!("{} · any other key leaves", letters.join(" · ")),
        letters.join(" · "),
        letters.join("  "),
        "a letter goes to its part".to_owned(),
    ];
    // The status line has a sign and a gap before it.
    let room = usize::from(state.sizes.screen.0).saturating_sub(4);
    let fits = forms.iter().position(|form| text::width(form) <= room).unwrap_or(forms.len() - 1);
    state.say(Tone::Info, forms.get(fits).cloned().unwrap_or_default());
}

/// A key while letters or keys are shown. True when it is used up; either way they go.
pub(super) fn takes(state: &mut State, chord: Chord) -> bool {
    match state.glance.take() {
        None => false,
        Some(Glance::Keys) => chord.key == Key::Esc,
        Some(Glance::Letters) => jumped(state, chord),
    }
}

fn jumped(state: &mut State, chord: Chord) -> bool {
    state.notice = None;
    let letter = chord.printable().map(|c| c.to_ascii_lowercase());
    let found = Region::ALL.into_iter().find(|region| Some(region.letter()) == letter);
    if let Some(region) = found {
        focus(state, region);
    }
    found.is_some() || letter.is_some() || chord.key == Key::Esc
}
