//! Where a schema's text comes from when it is not loaded as it is: a part of a file that is no schema, sample values, a
//! short form, the JSON a text in another form stands for. Every one replaces the text as one edit and lets go of the
//! file, so that saving cannot write over what the text was made from.

use std::path::PathBuf;

use super::super::effect::{Converted, Effect, Errand};
use super::super::state::popup::{Kind, List, Popup, Row, Take};
use super::super::state::{Region, State, Tone};
use super::{command, disk, focus, open, work};
use crate::command::{Id, command as row};
use crate::json::pretty;
use crate::schema::foreign::Foreign;
use crate::schema::short;
use crate::schema::source::Form;
use crate::tui::{slash, words};

/// What becomes of the file a text was loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum File {
    Keep,
    LetGo,
}

fn replace(state: &mut State, text: &str, file: File) {
    state.schema.editor.replace(text);
    (state.schema.top, state.schema.left, state.schema.mark) = (0, 0, None);
    if file == File::LetGo {
        state.schema.let_go();
        disk::forget(state);
    }
}

/// The JSON of the text is here.
pub(super) fn converted(state: &mut State, read: Converted) {
    let (text, form, file) = match read {
        Converted::Already => return state.say(Tone::Info, "the schema is JSON already"),
        Converted::Broken(error) => return state.say(Tone::Warn, format!("mend the text first: {error}")),
        Converted::Cleaned(text) => (text, Form::Jsonc, File::Keep),
        Converted::From(form, text) => (text, form, File::LetGo),
    };
    replace(state, &text, file);
    state.say(Tone::Good, format!("converted from {}: undo brings the text back", form.title()));
}

/// Takes a part of the text by name or pointer; without one, lists the parts.
pub(super) fn pick(state: &mut State, wanted: &str) -> Vec<Effect> {
    let found = state.schema.report().and_then(|report| report.foreign.clone());
    if !wanted.is_empty() {
        return work::send(state, Errand::Pick { wanted: wanted.to_owned(), found });
    }
    match found.filter(|found| !found.offers.is_empty()) {
        Some(found) => offer(state, &found),
        None => state.say(Tone::Info, "no part is offered: /schema pick takes a JSON Pointer too"),
    }
    Vec::new()
}

/// The part is here, if there is one.
pub(super) fn picked(state: &mut State, wanted: &str, schema: Option<String>) {
    if let Some(schema) = schema {
        replace(state, &schema, File::LetGo);
        focus(state, Region::Schema);
        state.say(Tone::Good, "took one part, without its file: undo brings the whole back");
    } else {
        let wanted = words::short(wanted);
        state.say(Tone::Warn, format!("there is no part {wanted:?}: /schema pick lists them"));
    }
}

/// A text that was just loaded and is no schema: its parts are offered.
pub(super) fn offer_if_loaded(state: &mut State) {
    if !std::mem::take(&mut state.schema.just_loaded) {
        return;
    }
    let Some(found) = state.schema.report().and_then(|report| report.foreign.clone()) else { return };
    if found.offers.is_empty() {
        let advice = found.what.advice().map_or(String::new(), |advice| format!("; run: {advice}"));
        state.say(Tone::Warn, format!("this is {}{advice}", found.what.name()));
    } else if state.popups.is_empty() {
        offer(state, &found);
    }
}

fn offer(state: &mut State, found: &Foreign) {
    let rows = found.offers.iter().map(|offer| Row {
        label: offer.label.clone(),
        detail: offer.pointer.clone(),
        aside: String::new(),
        key: String::new(),
        // The pointer is the surest name; a part that stands nowhere has only its label.
        take: Take::Command(Id::SchemaPick, named(&offer.pointer, &offer.label)),
        barred: None,
    });
    let cut = if found.cut { " (the first parts only)" } else { "" };
    let title = format!("This is {}: take a part{cut}", found.what.name());
    let list = List::new(Kind::Parts, &title, rows.collect(), "no part is called so");
    open(state, Popup::List(Box::new(list)));
}

fn named(pointer: &str, label: &str) -> String {
    if pointer.is_empty() { label.to_owned() } else { pointer.to_owned() }
}

/// Asks for a schema made from the values in files.
pub(super) fn infer(state: &mut State, files: &str) -> Vec<Effect> {
    if files.is_empty() {
        return begin_line(state, Id::SchemaInfer);
    }
    if kept(state, Id::SchemaInfer, files) {
        return Vec::new();
    }
    // A file's name may hold spaces; several names are separated by them.
    let whole = PathBuf::from(files);
    let several = files.split_whitespace().map(PathBuf::from).collect();
    vec![Effect::InferSchema { whole, several }]
}

/// A schema was made from samples.
pub(super) fn inferred(state: &mut State, made: Result<(u64, String), String>) {
    match made {
        Ok((samples, text)) => {
            replace(state, &text, File::LetGo);
            focus(state, Region::Schema);
            let noun = if samples == 1 { "sample" } else { "samples" };
            state.say(Tone::Good, format!("a schema from {samples} {noun}: look it over, then save it"));
        }
        Err(why) => state.say(Tone::Bad, why),
    }
}

/// Makes a schema from a short form.
pub(super) fn from_short(state: &mut State, fields: &str) -> Vec<Effect> {
    if fields.is_empty() {
        return begin_line(state, Id::SchemaShort);
    }
    match short::schema(fields) {
        Ok(_) if kept(state, Id::SchemaShort, fields) => {}
        Ok(schema) => {
            replace(state, &pretty(&schema), File::LetGo);
            focus(state, Region::Schema);
            state.say(Tone::Good, "a schema from the short form: look it over, then save it");
        }
        Err(error) => {
            let fields = format!("{} {fields}", row(Id::SchemaShort).slash);
            state.prompt.set(&fields);
            focus(state, Region::Prompt);
            state.say(Tone::Warn, format!("field text, column {}: {}", error.position.column, error.message));
        }
    }
    Vec::new()
}

/// Unsaved work is asked about first; the line stays to be sent again.
fn kept(state: &mut State, id: Id, argument: &str) -> bool {
    let warning = "the schema is not saved: send it again to drop it";
    if !state.schema.dirty() || command::armed(state, id, warning) {
        return false;
    }
    state.prompt.set(&format!("{} {argument}", row(id).slash));
    focus(state, Region::Prompt);
    true
}

/// The command's line in the prompt, ready for what it takes.
fn begin_line(state: &mut State, id: Id) -> Vec<Effect> {
    state.prompt.set(&format!("{} ", row(id).slash));
    focus(state, Region::Prompt);
    state.say(Tone::Info, format!("{}: {}", row(id).title, row(id).args.usage()));
    slash::refresh(state)
}
