//! The mouse, where it is wanted: a click focuses, the wheel scrolls what is under it. Everything it does a key does too.

use super::super::effect::Effect;
use super::super::state::editor::Select;
use super::super::state::popup::Popup;
use super::super::state::{Region, State, Tone};
use super::{Pointer, focus, inspect, panes, popup};
use crate::tui::scroll::Motion;
use crate::tui::view::{layout, tab_at};

/// Rows of one step of the wheel.
const STEP: usize = 3;

/// Takes the mouse, or leaves it to the terminal.
pub(super) fn toggle(state: &mut State) -> Vec<Effect> {
    state.mouse = !state.mouse;
    let text = if state.mouse {
        "the mouse is on: a click focuses, the wheel scrolls, borders can be dragged; most terminals select text with Shift"
    } else {
        "the mouse is off: selecting is the terminal's again"
    };
    state.say(Tone::Good, text);
    vec![Effect::Mouse(state.mouse)]
}

/// Handles what the mouse did.
pub(super) fn point(state: &mut State, pointer: Pointer) -> Vec<Effect> {
    match pointer {
        Pointer::Press(x, y) => {
            if state.popups.is_empty() {
                state.held = layout::border_at(state, (x, y));
                if let Some(region) = tab_at(state, (x, y)).or_else(|| state.region_at((x, y))) {
                    focus(state, region);
                }
            }
            Vec::new()
        }
        Pointer::Drag(x, y) => {
            if let Some(border) = state.held {
                layout::moved(state, border, (x, y));
            }
            Vec::new()
        }
        Pointer::Release => state.held.take().map_or_else(Vec::new, |_| panes::keep(state)),
        Pointer::WheelUp(x, y) => wheel(state, (x, y), Motion::Up(STEP), -1),
        Pointer::WheelDown(x, y) => wheel(state, (x, y), Motion::Down(STEP), 1),
    }
}

fn wheel(state: &mut State, at: (u16, u16), motion: Motion, sign: isize) -> Vec<Effect> {
    match state.popups.last() {
        Some(Popup::List(_)) => return popup::go(state, sign),
        Some(Popup::Page(_) | Popup::Ask(_) | Popup::Board(_)) => inspect::scroll(state, motion),
        Some(Popup::Line(_)) => {}
        None => match state.region_at(at) {
            Some(Region::Schema) => state.schema.step(sign * 3, Select::Drop),
            Some(region) => inspect::scroll_region(state, region, motion),
            None => {}
        },
    }
    Vec::new()
}
