//! Work on the whole text, asked for by a key and done away from the loop: layout, ways along references, conversion, parts.
//! What comes back counts only for the text it was made from.

use super::super::effect::{Effect, Errand, Laid, Named, TextJob, Worked};
use super::super::state::popup::{Kind, List, Popup, Row, Take};
use super::super::state::{Region, State, Tone};
use super::{focus, open, schema_source};
use crate::json::layout::Layout;
use crate::json::walk::Slot;

/// Sends an errand off with the text as it is now.
pub(super) fn send(state: &State, errand: Errand) -> Vec<Effect> {
    let editor = &state.schema.editor;
    let job = TextJob { revision: editor.revision(), text: editor.text(), form: state.schema.form(), errand };
    vec![Effect::Work(Box::new(job))]
}

/// Lays the text out anew; the caret stays in its token.
pub(super) fn lay(state: &mut State, layout: Layout) -> Vec<Effect> {
    focus(state, Region::Schema);
    let caret = state.schema.editor.caret_offset();
    send(state, Errand::Lay { layout, caret })
}

/// Goes to what the reference at the caret names.
pub(super) fn target(state: &mut State) -> Vec<Effect> {
    focus(state, Region::Schema);
    let place = state.schema.place();
    let is_value = place.slot == Slot::Value && place.path.last().is_some_and(|key| key == "$ref");
    let token = place.token.filter(|_| is_value);
    send(state, Errand::Target { path: place.path, token })
}

/// The references that lead to the definition around the caret.
pub(super) fn references(state: &mut State) -> Vec<Effect> {
    focus(state, Region::Schema);
    let path = state.schema.place().path;
    send(state, Errand::References { path })
}

/// An errand is done.
pub(super) fn came(state: &mut State, revision: u64, worked: Worked) {
    if revision != state.schema.editor.revision() {
        return state.say(Tone::Info, "the text changed meanwhile: nothing was done, ask again");
    }
    match worked {
        Worked::Laid(laid) => laid_out(state, laid),
        Worked::Target(found) => jump(state, found),
        Worked::References(found) => list(state, found),
        Worked::Json(read) => schema_source::converted(state, read),
        Worked::Picked { wanted, schema } => schema_source::picked(state, &wanted, schema),
    }
}

/// Broken text is not touched: the caret goes to the error.
fn laid_out(state: &mut State, laid: Laid) {
    match laid {
        Laid::Already => state.say(Tone::Info, "it is laid out so already"),
        Laid::Anew { text, caret } => {
            state.schema.editor.replace_keeping(&text, caret);
            state.say(Tone::Good, "laid out anew (undo takes it back)");
        }
        Laid::Broken(error) => {
            state.schema.editor.jump_offset(error.position.offset);
            let place = format!("{}:{}", error.position.line, error.position.column);
            state.say(Tone::Bad, format!("not laid out, {place} {}", error.message));
        }
    }
}

fn jump(state: &mut State, found: Option<Named>) {
    let Some(Named { pointer, start }) = found else {
        return state.say(Tone::Info, "no reference at the caret that leads anywhere");
    };
    state.schema.leap(start);
    let back = state.keymap.shown(crate::command::Id::Back);
    state.say(Tone::Info, format!("{} · {back} goes back", shown(&pointer)));
}

fn list(state: &mut State, found: Result<(String, Vec<Named>, usize), &'static str>) {
    let (at, places, more) = match found {
        Ok(found) => found,
        Err(why) => return state.say(Tone::Info, why),
    };
    let rows = places.into_iter().map(|Named { pointer, start }| {
        let (line, column) = state.schema.editor.place(start);
        let (line, column) = (line + 1, column + 1);
        let take = Take::SchemaPlace { line, column };
        let aside = format!("{line}:{column}");
        Row { label: pointer, detail: String::new(), aside, key: String::new(), take, barred: None }
    });
    let cut = if more == 0 { String::new() } else { format!(" (the first; {more} more)") };
    let title = format!("References to {}{cut}", shown(&at));
    let list = List::new(Kind::Choices, &title, rows.collect(), "no reference reads so");
    open(state, Popup::List(Box::new(list)));
}

fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the whole schema" } else { pointer }
}
