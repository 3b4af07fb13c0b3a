//! `(state, message) → effects`: every decision of the terminal program. Does no I/O, reads no clock.

mod board;
mod calls;
mod command;
mod compare;
mod disk;
mod draft;
mod edit;
mod fields;
mod function;
mod help;
mod history;
mod inspect;
mod loose;
mod mouse;
mod panes;
mod popup;
mod probe;
mod pull;
mod raw;
mod reply;
mod report;
pub(super) mod run;
mod sample;
mod schema;
mod schema_source;
mod tour;
mod turns;
mod work;

pub use board::summary as portability_words;
pub use run::mode_words;
pub use turns::outcome as turn_outcome;

use super::effect::{Effect, Reply};
use super::frame::Urgency;
use super::slash;
use super::state::editor::Select;
use super::state::popup::Popup;
use super::state::{Region, State, Tone, Watched};
use crate::command::{Chord, Id, Key};
use crate::feed::Item;

/// What the mouse did, at a cell of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    Press(u16, u16),
    /// Moved with the button down.
    Drag(u16, u16),
    Release,
    WheelUp(u16, u16),
    WheelDown(u16, u16),
}

/// What happened.
#[derive(Debug)]
pub enum Msg {
    Key(Chord),
    Paste(String),
    Mouse(Pointer),
    Resize(u16, u16),
    /// The terminal got or lost the focus.
    Watched(Watched),
    /// A command by other ways than a key.
    Command(Id, String),
    /// Items of the run with this sequence number.
    Feed(u64, Vec<Item>),
    /// That run's feed ended.
    FeedEnd(u64),
    Reply(Box<Reply>),
    /// Time passed: a spinner turns, a notice goes.
    Tick,
    /// Something to tell, from the loop itself.
    Say(Tone, String),
    /// End with this code now (a signal).
    End(u8),
}

impl Msg {
    /// Whether somebody waits for the answer on the screen.
    #[must_use]
    pub fn urgency(&self) -> Urgency {
        match self {
            Self::Key(_) | Self::Paste(_) | Self::Mouse(_) | Self::Command(..) => Urgency::Input,
            // A storm of sizes is drawn at the pace.
            Self::Resize(..)
            | Self::Watched(_)
            | Self::Feed(..)
            | Self::FeedEnd(_)
            | Self::Reply(_)
            | Self::Tick
            | Self::Say(..)
            | Self::End(_) => Urgency::Feed,
        }
    }
}

/// Handles one message.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    state.expire();
    if matches!(msg, Msg::Paste(_) | Msg::Mouse(_) | Msg::Command(..)) {
        state.glance = None;
    }
    let mut effects = match msg {
        Msg::Key(chord) => key(state, chord),
        Msg::Paste(text) => paste(state, &text),
        Msg::Mouse(pointer) => mouse::point(state, pointer),
        Msg::Resize(width, height) => {
            state.sizes.screen = (width, height);
            // A terminal that shrank and grew again between two frames has lost what the last one drew.
            vec![Effect::Repaint]
        }
        Msg::Watched(watched) => {
            state.watched = watched;
            Vec::new()
        }
        Msg::Command(id, argument) => command::give(state, id, &argument),
        Msg::Feed(sequence, items) => run::items(state, sequence, items),
        Msg::FeedEnd(sequence) => run::ended(state, sequence),
        Msg::Reply(reply) => reply::take(state, *reply),
        Msg::Tick => Vec::new(),
        Msg::Say(tone, text) => {
            state.say(tone, text);
            Vec::new()
        }
        Msg::End(code) => {
            state.quit = Some(code);
            Vec::new()
        }
    };
    tour::follow(state);
    state.schema.settle();
    if let Some(check) = schema::check_if_changed(state) {
        effects.push(check);
        effects.extend(fields::follow(state));
    }
    effects
}

/// A key: text fields take printable keys first, then the innermost context that knows the chord, then the field again.
fn key(state: &mut State, chord: Chord) -> Vec<Effect> {
    if panes::takes(state, chord) {
        return Vec::new();
    }
    let contexts = state.contexts();
    let text = contexts.first().is_some_and(|c| c.takes_text());
    if text && chord.printable().is_some() {
        return typed(state, chord);
    }
    match state.keymap.lookup(&contexts, chord) {
        Some(id) => command::by_key(state, id, chord),
        None if text => typed(state, chord),
        None => Vec::new(),
    }
}

/// A key no command took goes to the text field in focus.
fn typed(state: &mut State, chord: Chord) -> Vec<Effect> {
    if !state.popups.is_empty() {
        return popup::typed(state, chord);
    }
    match state.focus {
        Region::Schema => {
            match chord.key {
                Key::PageUp => state.schema.step(-page(state), Select::Drop),
                Key::PageDown => state.schema.step(page(state), Select::Drop),
                _ => state.schema.key(chord),
            }
            state.schema.mark = None;
            edit::typed(state, chord);
            Vec::new()
        }
        Region::Prompt => {
            let before = state.prompt.editor.revision();
            state.prompt.editor.key(chord);
            if state.prompt.editor.revision() == before { Vec::new() } else { slash::refresh(state) }
        }
        Region::Candidate | Region::Result | Region::Attempts => Vec::new(),
    }
}

fn page(state: &State) -> isize {
    isize::try_from(state.sizes.schema.saturating_sub(1).max(1)).unwrap_or(1)
}

/// A paste is one event: it is inserted, never executed. Outside text fields it goes to the prompt.
fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    if !state.popups.is_empty() {
        popup::paste(state, text);
        return Vec::new();
    }
    if state.focus == Region::Schema {
        state.schema.editor.insert(text);
        return Vec::new();
    }
    focus(state, Region::Prompt);
    state.prompt.editor.insert(text);
    slash::refresh(state)
}

/// Moves the focus; a reader that gets it comes to the top.
pub(super) fn focus(state: &mut State, region: Region) {
    state.focus = region;
    if matches!(region, Region::Candidate | Region::Result | Region::Attempts) {
        state.reader = region;
    }
}

/// Closes the topmost popup; a theme that was only tried goes back.
pub(super) fn close_popup(state: &mut State) {
    state.popups.pop();
    if let Some(before) = state.theme_before.take() {
        state.theme = before;
    }
}

/// Opens a popup above the others.
pub(super) fn open(state: &mut State, popup: Popup) {
    state.glance = None;
    state.popups.push(popup);
}
