//! Unsaved work that a crash left: whose it is, how old, and what becomes of it. It stands in nobody's way who came for
//! something else.

use super::super::effect::{Beside, Draft, Effect};
use super::super::state::popup::{Kind, List, Popup};
use super::super::state::{Region, State, Tone};
use super::{command, disk, focus, inspect, open, schema};
use crate::command::{Id, command as row};
use crate::text::ends::{Ends, plain};
use crate::tui::palette::choice;
use crate::tui::rows::Syntax;
use crate::tui::words;

/// It was found: asked about at once, or only told where another schema was asked for.
pub(super) fn found(state: &mut State, draft: Box<Draft>) {
    let beside = draft.beside;
    state.draft = Some(draft);
    match beside {
        Beside::Alone => ask(state),
        Beside::Other => {
            let hint = hint(state);
            state.say(Tone::Info, hint);
        }
    }
}

/// What there is, for a status line, where it was not asked about; else empty.
pub(super) fn hint(state: &State) -> String {
    let Some(draft) = state.draft.as_ref().filter(|draft| draft.beside == Beside::Other) else { return String::new() };
    format!("unsaved work on {}: {} brings it back", title(draft), row(Id::Draft).slash)
}

/// `a.json, 4 minutes ago`.
fn title(draft: &Draft) -> String {
    let name = draft.path.as_deref().map_or_else(|| "a schema without a file".to_owned(), schema::shown);
    format!("{name}, {}", words::ago(draft.age))
}

/// What is to become of it?
pub(super) fn ask(state: &mut State) {
    let Some(draft) = &state.draft else { return };
    let title = format!("Unsaved work: {}", title(draft));
    let rows = row(Id::Draft).args.choices().iter().map(|(value, doc)| choice(Id::Draft, value, doc)).collect();
    open(state, Popup::List(Box::new(List::new(Kind::Choices, &title, rows, "no such choice"))));
}

/// The answer.
pub(super) fn answer(state: &mut State, what: &str) -> Vec<Effect> {
    match what {
        "diff" => difference(state),
        "restore" => return restore(state),
        "discard" => {
            let Some(draft) = state.draft.take() else { return Vec::new() };
            state.say(Tone::Info, format!("the unsaved work on {} is given up", title(&draft)));
            return vec![Effect::DiscardDraft(draft.file)];
        }
        _ => state.say(Tone::Warn, "write /schema draft restore, diff or discard"),
    }
    Vec::new()
}

fn difference(state: &mut State) {
    let Some(draft) = &state.draft else { return };
    let (title, diff) = (format!("Unsaved work: {}", title(draft)), draft.diff.clone());
    inspect::page(state, &title, &diff, Syntax::Plain, "/schema draft restore or discard · Esc closes");
}

/// Puts it into the editor, with its file. What is unsaved there is asked about first; the line stays to be sent again.
fn restore(state: &mut State) -> Vec<Effect> {
    let warning = "the schema is not saved: send it again to drop it";
    if state.schema.dirty() && !command::armed(state, Id::Draft, warning) {
        state.prompt.set(&format!("{} restore", row(Id::Draft).slash));
        focus(state, Region::Prompt);
        return Vec::new();
    }
    let Some(draft) = state.draft.take() else { return Vec::new() };
    let on_disk = plain(&draft.on_disk);
    // Undo leads to what the file holds and no further.
    state.schema.editor.begin(&on_disk);
    state.schema.editor.replace(&draft.text);
    state.schema.path = draft.path;
    (state.schema.saved, state.schema.ends) = (on_disk, Ends::of(&draft.on_disk));
    (state.schema.top, state.schema.left, state.schema.mark) = (0, 0, None);
    disk::forget(state);
    state.schema.disk.unread = true;
    focus(state, Region::Schema);
    state.say(Tone::Good, "the unsaved work is back: save it when you are content");
    vec![Effect::AdoptDraft(draft.file)]
}
