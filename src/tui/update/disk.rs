//! The loaded file changed on disk: what nobody edited here is reloaded, what was edited is asked about. Nothing is
//! written; the save's own look at the file stays the last word.

use super::super::effect::{Effect, OnDisk};
use super::super::state::popup::{Kind, List, Popup, Row, Take};
use super::super::state::schema::{Disk, Sides};
use super::super::state::{State, Tone};
use super::inspect;
use crate::command::Id;
use crate::text::ends::{Ends, plain};
use crate::tui::rows::Syntax;

/// The file of this path was looked at after something happened to it.
pub(super) fn came(state: &mut State, path: &std::path::Path, found: OnDisk) {
    if state.schema.path.as_deref() != Some(path) {
        return;
    }
    match found {
        OnDisk::Text(text) => holds(state, text),
        OnDisk::Gone => gone(state),
        OnDisk::Unread(why) => {
            let name = state.schema.name();
            state.say(Tone::Warn, format!("{name} changed on disk and cannot be taken: {why}; the text here stays"));
        }
    }
}

/// The file holds this text now.
fn holds(state: &mut State, raw: String) {
    let (theirs, ends) = (plain(&raw), Ends::of(&raw));
    let schema = &mut state.schema;
    let unread = std::mem::take(&mut schema.disk.unread);
    if schema.disk.writing.as_ref() == Some(&theirs) {
        return;
    }
    let as_it_was = match &schema.disk.gone {
        Some(gone) => *gone == theirs,
        None => schema.saved == theirs,
    };
    if as_it_was || schema.editor.as_str() == theirs {
        // Another program may have given it other line ends.
        (schema.saved, schema.ends) = (theirs, ends);
        return forget(state);
    }
    if unread {
        schema.disk.theirs = Some(raw);
        return;
    }
    let untouched = schema.disk.gone.as_deref() == Some(schema.editor.as_str());
    if untouched || !schema.dirty() {
        reload(state, &raw);
        let name = state.schema.name();
        state.say(Tone::Good, format!("reloaded {name}: it changed on disk"));
    } else if schema.disk.theirs.as_ref() != Some(&raw) {
        ask(state, raw);
    }
}

/// The file is no more: its text is here only.
fn gone(state: &mut State) {
    let unread = std::mem::take(&mut state.schema.disk.unread);
    if unread || state.schema.disk.gone.is_some() || state.schema.disk.writing.is_some() {
        return;
    }
    forget(state);
    let saved = std::mem::take(&mut state.schema.saved);
    state.schema.disk.gone = Some(saved);
    let (name, save) = (state.schema.name(), state.keymap.shown(Id::SchemaSave));
    state.say(Tone::Info, format!("{name} is gone from disk: its text stays here, {save} writes it again"));
}

/// Puts the file's text into the editor as one edit; the caret stays on its line.
fn reload(state: &mut State, theirs: &str) {
    let (row, column) = state.schema.editor.caret();
    state.schema.editor.replace(&plain(theirs));
    state.schema.ends = Ends::of(theirs);
    state.schema.editor.jump(row, column);
    state.schema.mark = None;
    state.schema.saved = state.schema.editor.text();
    forget(state);
}

/// Both sides changed. The question goes below what is open already, and its first row harms nobody whose Enter was meant
/// for something else.
fn ask(state: &mut State, theirs: String) {
    state.schema.disk.theirs = Some(theirs);
    state.schema.overwrite = None;
    let name = state.schema.name();
    state.say(Tone::Warn, format!("{name} changed on disk, and your edits are not saved"));
    if state.popups.iter().any(is_question) {
        return;
    }
    let rows = [
        (Sides::Difference, "Show the difference", "yours against the file"),
        (Sides::Mine, "Keep mine", "the next save writes over the file"),
        (Sides::Theirs, "Take theirs", "the file's text as one edit: undo brings yours back"),
    ];
    let rows = rows.map(|(sides, label, detail)| Row {
        label: label.to_owned(),
        detail: detail.to_owned(),
        aside: String::new(),
        key: String::new(),
        take: Take::Disk(sides),
        barred: None,
    });
    let title = format!("{name} changed on disk");
    let list = List::new(Kind::Disk, &title, rows.into(), "no such choice");
    state.popups.insert(0, Popup::List(Box::new(list)));
}

fn is_question(popup: &Popup) -> bool {
    matches!(popup, Popup::List(list) if list.kind == Kind::Disk)
}

/// The question was answered.
pub(super) fn answer(state: &mut State, sides: Sides) -> Vec<Effect> {
    let name = state.schema.name();
    match sides {
        Sides::Difference => {
            let Some(theirs) = state.schema.disk.theirs.clone() else { return Vec::new() };
            return vec![Effect::CompareDisk { mine: state.schema.editor.text(), theirs: plain(&theirs), name }];
        }
        Sides::Mine => {
            state.schema.overwrite.clone_from(&state.schema.path);
            let save = state.keymap.shown(Id::SchemaSave);
            state.say(Tone::Good, format!("yours is kept: {save} writes it over {name}"));
        }
        Sides::Theirs => {
            let Some(theirs) = state.schema.disk.theirs.take() else { return Vec::new() };
            reload(state, &theirs);
            let undo = state.keymap.shown(Id::Undo);
            state.say(Tone::Good, format!("{name} is as the file has it; {undo} brings yours back"));
        }
    }
    Vec::new()
}

/// The difference is ready; Esc goes back to the question.
pub(super) fn compared(state: &mut State, diff: &str) {
    if state.popups.iter().any(is_question) {
        let title = format!("{}: yours and the file", state.schema.name());
        inspect::page(state, &title, diff, Syntax::Diff, "Esc goes back to the question");
    }
}

/// The file and the text have another beginning: what was known or asked about the file counts no more.
pub(super) fn forget(state: &mut State) {
    let writing = state.schema.disk.writing.take();
    state.schema.disk = Disk { writing, ..Disk::default() };
    state.schema.overwrite = None;
    state.popups.retain(|popup| !is_question(popup));
}
