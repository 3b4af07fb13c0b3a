//! Editing the schema: lines, clipboard, search and replace, layout, going along references, completion.

use super::super::effect::Effect;
use super::super::state::editor::{Case, Editor, MOST_HITS, Shift};
use super::super::state::folds::Folded;
use super::super::state::popup::{Kind, List, Popup, Purpose, Row, Take};
use super::super::state::schema::{Offered, Want};
use super::super::state::{Region, State, Tone};
use super::{focus, open, popup};
use crate::command::{Chord, Id, Key};
use crate::json::layout::{Layout, lay_out};
use crate::json::walk::Slot;
use crate::json::{self, Part, Value, locate, push_token, resolve};
use crate::schema::links;
use crate::schema::preflight::TEXT_LIMITS;
use crate::tui::words;

/// An edit of the schema's lines or selection.
pub(super) fn with(state: &mut State, edit: impl FnOnce(&mut Editor)) {
    focus(state, Region::Schema);
    edit(&mut state.schema.editor);
}

/// Moves lines; at the end of the text there is nowhere to go.
pub(super) fn shift(state: &mut State, way: Shift) {
    focus(state, Region::Schema);
    state.schema.editor.shift_lines(way);
}

/// Copies the selection, or the line.
pub(super) fn copy(state: &mut State) -> Vec<Effect> {
    let text = state.schema.editor.copied();
    copied(state, text)
}

/// Takes the selection out, or the line, into the clipboard.
pub(super) fn cut(state: &mut State) -> Vec<Effect> {
    let text = state.schema.editor.cut();
    copied(state, text)
}

fn copied(state: &mut State, text: String) -> Vec<Effect> {
    state.clip.clone_from(&text);
    let what =
        if text.ends_with('\n') { words::count(text.lines().count(), "line") } else { "the selection".to_owned() };
    vec![Effect::Copy { what, text }]
}

/// Puts back what was cut or copied last in this program; the terminal's own paste brings the system's clipboard.
pub(super) fn paste(state: &mut State) {
    if state.clip.is_empty() {
        return state.say(Tone::Info, "nothing was copied here yet: your terminal's own paste key works too");
    }
    let text = state.clip.clone();
    state.schema.editor.insert(&text);
}

/// Lays the text out anew; the caret stays in its token. Broken text is not touched: the caret goes to the error.
pub(super) fn lay(state: &mut State, layout: Layout) {
    focus(state, Region::Schema);
    let text = state.schema.editor.text();
    if let Err(error) = json::check(&text, TEXT_LIMITS) {
        state.schema.editor.jump_offset(error.position.offset);
        let place = format!("{}:{}", error.position.line, error.position.column);
        return state.say(Tone::Bad, format!("not laid out, {place} {}", error.message));
    }
    let (laid, caret) = lay_out(&text, layout, state.schema.editor.caret_offset());
    if laid == text {
        return state.say(Tone::Info, "it is laid out so already");
    }
    state.schema.editor.replace_keeping(&laid, caret);
    state.say(Tone::Good, "laid out anew (undo takes it back)");
}

/// Previous match of the search, or the search itself when there is none yet.
pub(super) fn previous_match(state: &mut State) {
    if state.schema.editor.needle().is_empty() {
        return popup::search_schema(state);
    }
    state.schema.editor.previous_match();
    say_hit(state);
}

/// Which hit it is, said after a step.
pub(super) fn say_hit(state: &mut State) {
    let told = hits_told(state);
    let needle = state.schema.editor.needle().to_owned();
    state.say(Tone::Info, format!("{needle:?}: {told}"));
}

fn hits_told(state: &mut State) -> String {
    match state.schema.editor.hit_count() {
        (_, 0) => "not in the schema".to_owned(),
        (at, MOST_HITS) => format!("{at} of {MOST_HITS} or more"),
        (at, of) => format!("{at} of {of}"),
    }
}

/// A search line is open and its text may have changed: search as it is typed, and say how many there are.
pub(super) fn live(state: &mut State) {
    let Some(Popup::Line(line)) = state.popups.last() else { return };
    let text = line.editor.text();
    let title = match line.purpose {
        Purpose::SearchSchema => {
            if text != state.schema.editor.needle() {
                state.schema.editor.search(&text);
            }
            "Search the schema".to_owned()
        }
        Purpose::ReplaceSchema => format!("Replace {:?} with", state.schema.editor.needle()),
        Purpose::SearchResult
        | Purpose::SaveSchema
        | Purpose::ExportResult
        | Purpose::FieldKeyword(_)
        | Purpose::FieldName
        | Purpose::FieldNew
        | Purpose::NameVersion => return,
    };
    let case = match state.schema.editor.case() {
        Case::Folded => "",
        Case::Exact => " · Aa",
    };
    let told =
        if state.schema.editor.needle().is_empty() { String::new() } else { format!(" · {}", hits_told(state)) };
    if let Some(Popup::Line(line)) = state.popups.last_mut() {
        line.title = format!("{title}{told}{case}");
    }
}

/// Whether the case of letters matters, in the search line.
pub(super) fn toggle_case(state: &mut State) {
    let editor = &mut state.schema.editor;
    let case = if editor.case() == Case::Exact { Case::Folded } else { Case::Exact };
    let needle = editor.needle().to_owned();
    editor.set_search(&needle, case);
    editor.search(&needle);
    live(state);
}

/// Replace: needs something searched for first.
pub(super) fn replace(state: &mut State) {
    focus(state, Region::Schema);
    if state.schema.editor.hits().is_empty() {
        state.say(Tone::Info, "search for what is to be replaced first");
        return popup::search_schema(state);
    }
    if !state.schema.editor.on_hit() {
        state.schema.editor.next_match();
    }
    popup::replace_schema(state);
}

/// Enter in the replace line: this hit, then on to the next; the line stays open.
pub(super) fn replace_one(state: &mut State, with: &str) {
    state.schema.editor.replace_hit(with);
    if state.schema.editor.hits().is_empty() {
        super::close_popup(state);
        state.say(Tone::Good, "all are replaced");
    }
    live(state);
}

/// All hits at once, as one edit.
pub(super) fn replace_all(state: &mut State) {
    let Some(Popup::Line(line)) = state.popups.last() else { return };
    if line.purpose != Purpose::ReplaceSchema {
        return;
    }
    let with = line.editor.text();
    let count = state.schema.editor.replace_all(&with);
    super::close_popup(state);
    state.say(Tone::Good, format!("replaced {} (undo takes it back)", words::count(count, "place")));
}

/// Folds or opens what stands at the caret; with a number, folds all that stands deeper.
pub(super) fn fold(state: &mut State, argument: &str) {
    focus(state, Region::Schema);
    if !state.schema.reads_as_json() {
        return state.say(Tone::Info, "only JSON can be folded: /schema json converts this text");
    }
    if argument.is_empty() {
        if state.schema.fold() == Folded::Nothing {
            state.say(Tone::Info, "no object or array of several lines at the caret");
        }
        return;
    }
    match argument.parse() {
        Ok(0) => unfold(state),
        Ok(level) => {
            let count = state.schema.fold_below(level);
            let key = state.keymap.shown(Id::SchemaUnfold);
            let told = match count {
                0 => "nothing stands deeper over several lines".to_owned(),
                count => format!("folded {} · {key} opens all", words::count(count, "part")),
            };
            state.say(Tone::Info, told);
        }
        Err(_) => state.say(Tone::Warn, "write /schema fold N: so many levels stay open, 0 opens all"),
    }
}

/// Opens all folds.
pub(super) fn unfold(state: &mut State) {
    focus(state, Region::Schema);
    if state.schema.folds.is_empty() {
        return state.say(Tone::Info, "nothing is folded");
    }
    state.schema.fold_below(0);
}

fn document(state: &State) -> Option<Value> {
    json::parse(state.schema.editor.as_str(), TEXT_LIMITS).ok()
}

fn pointer(path: &[String]) -> String {
    let mut out = String::new();
    for step in path {
        push_token(&mut out, step);
    }
    out
}

/// Goes to what the reference at the caret names.
pub(super) fn target(state: &mut State) {
    focus(state, Region::Schema);
    let place = state.schema.place();
    let document = document(state);
    let found = if let Some(document) = &document {
        // The nearest object around the caret.
        let mut paths = (0..=place.path.len()).rev().filter_map(|n| place.path.get(..n)).map(pointer);
        let holder = paths.find(|path| resolve(document, path).is_some_and(Value::is_object));
        holder.and_then(|path| links::target(document, &path))
    } else {
        let named = place.token.filter(|_| place.slot == Slot::Value && place.path.last().is_some_and(|k| k == "$ref"));
        named.and_then(|span| links::plain(&json::walk::decoded(state.schema.editor.as_str(), span), ""))
    };
    let text = state.schema.editor.as_str();
    let located = found.and_then(|to| {
        let span = locate(text, &to, Part::Key).or_else(|| locate(text, &to, Part::Value))?;
        Some((to, span.start))
    });
    let Some((to, start)) = located else {
        return state.say(Tone::Info, "no reference at the caret that leads anywhere");
    };
    state.schema.leap(start);
    let back = state.keymap.shown(Id::Back);
    let shown = if to.is_empty() { "the whole schema".to_owned() } else { to };
    state.say(Tone::Info, format!("{shown} · {back} goes back"));
}

/// Back to where the last jump began.
pub(super) fn back(state: &mut State) {
    focus(state, Region::Schema);
    if !state.schema.leap_back() {
        state.say(Tone::Info, "no jump to go back from");
    }
}

/// The references that lead to the definition around the caret.
pub(super) fn references(state: &mut State) {
    focus(state, Region::Schema);
    let place = state.schema.place();
    let Some(document) = document(state) else {
        return state.say(Tone::Warn, "the text is no JSON yet: its references cannot be followed");
    };
    let paths = (0..=place.path.len()).rev().filter_map(|n| place.path.get(..n));
    let found = paths.map(pointer).find_map(|at| {
        let all = links::referrers(&document, &at);
        (!all.is_empty()).then_some((at, all))
    });
    let Some((at, all)) = found else {
        return state.say(Tone::Info, "nothing refers to what is at the caret");
    };
    let text = state.schema.editor.as_str();
    let rows = all.into_iter().filter_map(|from| {
        let span = locate(text, &from, Part::Key)?;
        let (line, column) = state.schema.editor.place(span.start);
        let (line, column) = (line + 1, column + 1);
        let take = Take::SchemaPlace { line, column };
        let aside = format!("{line}:{column}");
        Some(Row { label: from, detail: String::new(), aside, key: String::new(), take, barred: None })
    });
    let shown = if at.is_empty() { "the whole schema".to_owned() } else { at };
    let list = List::new(Kind::Choices, &format!("References to {shown}"), rows.collect(), "no reference reads so");
    open(state, Popup::List(Box::new(list)));
}

/// Opens the completion list at the caret.
pub(super) fn complete(state: &mut State) {
    focus(state, Region::Schema);
    state.schema.offer(Want::Asked);
    if state.schema.offered().is_none() {
        state.say(Tone::Info, "nothing to offer here");
    }
}

/// A key was typed into the schema: the list follows, opens behind a quote, or closes.
pub(super) fn typed(state: &mut State, chord: Chord) {
    let listed = state.schema.offered.take().is_some();
    match chord.key {
        Key::Char('"') if !chord.ctrl && !chord.alt => state.schema.offer(Want::Opened),
        Key::Char(_) if listed && chord.printable().is_some() => state.schema.offer(Want::GoesOn),
        Key::Backspace if listed => state.schema.offer(Want::GoesOn),
        _ => {}
    }
}

/// Moves in the completion list, around its ends.
pub(super) fn step(state: &mut State, by: isize) {
    if let Some(Offered { offer, selected, .. }) = &mut state.schema.offered {
        let n = isize::try_from(offer.candidates.len()).unwrap_or(1).max(1);
        *selected = usize::try_from((isize::try_from(*selected).unwrap_or(0) + by).rem_euclid(n)).unwrap_or(0);
    }
}

/// Takes the selected candidate; behind a key its values are offered next.
pub(super) fn accept(state: &mut State) {
    let Some(Offered { offer, selected, .. }) = state.schema.offered.take() else { return };
    let Some(candidate) = offer.candidates.get(selected) else { return };
    state.schema.editor.replace_range(offer.range, &candidate.insert);
    if candidate.insert.ends_with(' ') {
        state.schema.offer(Want::Opened);
    }
}
