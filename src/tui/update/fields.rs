//! The schema as fields and forms, for those who would rather not type JSON. Every wish becomes an edit of the text: both
//! views stay in step.

use super::super::effect::{Effect, MendJob, OutlineJob};
use super::super::state::fields::{FormOf, FormRow, Outlined};
use super::super::state::popup::{Kind, List, Popup, Purpose, Row, Take};
use super::super::state::{State, Tone};
use super::{open, popup, schema};
use crate::json::{Value, canonical};
use crate::schema::Dialect;
use crate::schema::meanings::meaning;
use crate::schema::outline::edit::{Texts, Wish, edits, keywords, typed, typed_as};
use crate::schema::outline::{Field, MAX_FIELDS, Part};
use crate::tui::palette::rank;
use crate::tui::words;

/// Opens the outline; its rows follow.
pub(super) fn show(state: &mut State) -> Vec<Effect> {
    state.schema.editing = None;
    let mut list = List::new(Kind::Fields, "Fields of the answer", Vec::new(), "no field is called so");
    list.loading = true;
    open(state, Popup::List(Box::new(list)));
    vec![ask(state)]
}

fn ask(state: &State) -> Effect {
    let (generation, form) = (state.schema.generation, state.schema.form());
    Effect::Outline(Box::new(OutlineJob { generation, text: state.schema.editor.text(), form }))
}

/// The text changed: an open outline or form follows.
pub(super) fn follow(state: &State) -> Option<Effect> {
    let of_fields =
        |popup: &Popup| matches!(popup, Popup::List(list) if matches!(list.kind, Kind::Fields | Kind::Form));
    state.popups.iter().any(of_fields).then(|| ask(state))
}

/// The fields are known.
pub(super) fn outlined(state: &mut State, outcome: Result<Outlined, String>) {
    match outcome {
        Ok(outlined) if outlined.generation == state.schema.generation => {
            state.schema.outlined = Some(outlined);
            fill(state);
        }
        Ok(_) => {}
        Err(why) => {
            close(state);
            state.say(Tone::Warn, format!("no fields can be shown: {why}"));
        }
    }
}

fn close(state: &mut State) {
    state.popups.retain(|p| !matches!(p, Popup::List(list) if matches!(list.kind, Kind::Fields | Kind::Form)));
    state.schema.editing = None;
}

/// Fills the lists that are open; the selection stays where it is.
fn fill(state: &mut State) {
    let Some(outlined) = state.schema.outlined.clone() else { return };
    let form = state.schema.editing.as_ref().and_then(|form| outlined.field(&form.place));
    let form_rows = form.map(|field| form_rows(&outlined.schema, field));
    if form.is_none() {
        state.popups.retain(|p| !matches!(p, Popup::List(list) if list.kind == Kind::Form));
    }
    for popup in &mut state.popups {
        let Popup::List(list) = popup else { continue };
        if list.kind != Kind::Fields && list.kind != Kind::Form {
            continue;
        }
        let rows = if list.kind == Kind::Form {
            form_rows.clone().unwrap_or_default()
        } else {
            outlined.fields.iter().map(field_row).collect()
        };
        let selected = list.selected;
        list.rows = rows;
        list.loading = false;
        if outlined.fields.len() >= MAX_FIELDS && list.kind == Kind::Fields {
            list.title = format!("Fields of the answer (the first {MAX_FIELDS})");
        }
        rank(list);
        list.selected = selected.min(list.matches.len().saturating_sub(1));
    }
}

fn field_row(field: &Field) -> Row {
    let must = match field.required {
        Some(true) => " · required",
        Some(false) => " · optional",
        None => "",
    };
    let above = if field.recursive { " · as above" } else { "" };
    let bounds = field.bounds.join(", ");
    let gap = if field.description.is_empty() || bounds.is_empty() { "" } else { " · " };
    Row {
        label: format!("{}{}", "  ".repeat(field.depth.min(12)), called(&field.name)),
        detail: format!("{}{gap}{bounds}", field.description),
        aside: format!("{}{must}{above}", field.kind),
        key: String::new(),
        take: Take::Field(field.place.clone()),
        barred: None,
    }
}

/// A field's name as it is shown: one that is empty must be seen all the same.
fn called(name: &str) -> &str {
    if name.is_empty() { "\"\"" } else { name }
}

/// Opens the form of a field.
pub(super) fn form(state: &mut State, place: &str) {
    let Some(outlined) = state.schema.outlined.clone() else { return };
    let Some(field) = outlined.field(place) else { return };
    state.schema.editing = Some(FormOf { place: place.to_owned(), name: field.name.clone() });
    let shared = if field.shared > 1 { format!(" (used in {} places)", field.shared) } else { String::new() };
    let rows = form_rows(&outlined.schema, field);
    let list =
        List::new(Kind::Form, &format!("{}: {}{shared}", called(&field.name), field.kind), rows, "no row is called so");
    open(state, Popup::List(Box::new(list)));
}

fn form_rows(schema: &Value, field: &Field) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(required) = field.required {
        let (now, then) = if required { ("yes", "Enter makes it optional") } else { ("no", "Enter makes it required") };
        rows.push(form_row("required", now, then, FormRow::Required));
    }
    rows.extend(keywords(schema, field).into_iter().map(|(name, value)| {
        let set = value.as_ref().map_or(String::new(), shown);
        form_row(name, &set, asks(schema, name), FormRow::Keyword(name))
    }));
    if field.object {
        rows.push(form_row("add a property", "", "a text that must be there, to begin with", FormRow::Add));
    }
    if field.part == Part::Property {
        rows.push(form_row("rename", "", "in the list of required names too", FormRow::Rename));
        rows.push(form_row("remove", "", "undo brings it back", FormRow::Remove));
    }
    rows.push(form_row("go to the text", "", &field.target, FormRow::Text));
    rows
}

fn form_row(name: &str, value: &str, detail: &str, row: FormRow) -> Row {
    let label = if value.is_empty() { name.to_owned() } else { format!("{name}: {value}") };
    Row {
        label,
        detail: detail.to_owned(),
        aside: String::new(),
        key: String::new(),
        take: Take::Form(row),
        barred: None,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => canonical(other),
    }
}

/// A value as it is put into the line: plain where the plain text means it, else JSON.
fn offered(name: &str, value: &Value, texts: Texts) -> String {
    let plain = shown(value);
    let means_it = typed(name, &plain, texts).is_ok_and(|read| read.as_ref() == Some(value));
    if means_it { plain } else { canonical(value) }
}

/// The title of a keyword's line.
fn title(schema: &Value, name: &str, field: &Field) -> String {
    format!("{name} of {}: {}", field.name, asks(schema, name))
}

/// What a keyword asks for, in a form: how it is typed, else what it means.
fn asks(schema: &Value, name: &str) -> &'static str {
    let named = schema.get("$schema").and_then(Value::as_str).and_then(Dialect::from_uri);
    typed_as(name).or_else(|| meaning(name, named.unwrap_or(Dialect::Draft202012))).unwrap_or_default()
}

fn field_of_form(state: &State) -> Option<(Outlined, Field)> {
    let outlined = state.schema.outlined.clone()?;
    let field = outlined.field(&state.schema.editing.as_ref()?.place)?.clone();
    Some((outlined, field))
}

/// Enter on a row of a form.
pub(super) fn choose(state: &mut State, row: &FormRow) -> Vec<Effect> {
    if *row != FormRow::Text && !schema::can_be_mended(state) {
        return Vec::new();
    }
    let Some((outlined, field)) = field_of_form(state) else { return Vec::new() };
    match row {
        FormRow::Required => return wish(state, &Wish::Required(field.required != Some(true))),
        FormRow::Remove => return wish(state, &Wish::Remove),
        FormRow::Keyword(name) => {
            let set = keywords(&outlined.schema, &field).into_iter().find(|(known, _)| known == name);
            let texts = Texts::of(&outlined.schema, &field);
            let set = set.and_then(|(_, value)| value).map_or(String::new(), |value| offered(name, &value, texts));
            popup::line(state, Purpose::FieldKeyword(name), &title(&outlined.schema, name, &field), &set);
        }
        FormRow::Rename => popup::line(state, Purpose::FieldName, &format!("New name of {}", field.name), &field.name),
        FormRow::Add => {
            popup::line(state, Purpose::FieldNew, &format!("Name of the new property of {}", field.name), "");
        }
        FormRow::Text => {
            close(state);
            schema::go_to_pointer(state, &field.target);
        }
    }
    Vec::new()
}

/// What was typed for a keyword.
pub(super) fn keyword(state: &mut State, name: &'static str, text: &str) -> Vec<Effect> {
    let Some((outlined, field)) = field_of_form(state) else { return Vec::new() };
    let texts = Texts::of(&outlined.schema, &field);
    let set = keywords(&outlined.schema, &field).into_iter().find(|(known, _)| *known == name);
    // Enter on what was only looked at changes nothing.
    if set.and_then(|(_, value)| value).is_some_and(|value| offered(name, &value, texts).trim() == text.trim()) {
        return Vec::new();
    }
    match typed(name, text, texts) {
        Ok(value) => wish(state, &Wish::Keyword { name: name.to_owned(), value }),
        Err(why) => {
            state.say(Tone::Warn, why.to_string());
            // The line stays, with what was typed.
            popup::line(state, Purpose::FieldKeyword(name), &title(&outlined.schema, name, &field), text);
            if let Some(Popup::Line(line)) = state.popups.last_mut() {
                line.offered = false;
            }
            Vec::new()
        }
    }
}

/// Grants a wish of the open form.
pub(super) fn wish(state: &mut State, wish: &Wish) -> Vec<Effect> {
    if !schema::can_be_mended(state) {
        return Vec::new();
    }
    let Some((outlined, field)) = field_of_form(state) else { return Vec::new() };
    if outlined.generation != state.schema.generation {
        state.say(Tone::Info, "the schema is being read: try again");
        return Vec::new();
    }
    let edits = match edits(&outlined.schema, &field, wish) {
        Ok(edits) if edits.is_empty() => return Vec::new(),
        Ok(edits) => edits,
        Err(why) => {
            state.say(Tone::Warn, why.to_string());
            return Vec::new();
        }
    };
    if let (Wish::Rename(to), Some(form)) = (wish, &mut state.schema.editing) {
        let mut place = form.place.rsplit_once('/').map_or(String::new(), |(parent, _)| parent.to_owned());
        crate::json::push_token(&mut place, to);
        (form.place, form.name) = (place, to.clone());
    }
    let said = format!("{}: {}; undo takes it back", field.name, told(wish));
    let edits = edits.into_iter().map(|edit| edit.below(outlined.below)).collect();
    vec![Effect::Mend(Box::new(MendJob { before: state.schema.editor.text(), edits, said }))]
}

fn told(wish: &Wish) -> String {
    match wish {
        Wish::Keyword { name, value: Some(value) } => format!("{name} is now {}", words::short(&canonical(value))),
        Wish::Keyword { name, value: None } => format!("{name} is gone"),
        Wish::Required(true) => "must be there now".to_owned(),
        Wish::Required(false) => "may be left out now".to_owned(),
        Wish::Rename(to) => format!("is called {to} now"),
        Wish::Add(name) => format!("has a property {name} now"),
        Wish::Remove => "is gone".to_owned(),
    }
}
