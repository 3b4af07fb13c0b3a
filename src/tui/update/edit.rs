//! Editing the schema: lines, clipboard, search and replace, layout, going along references, completion.

use super::super::effect::Effect;
use super::super::state::editor::{Case, Editor, MOST_HITS, Manner, Needle, Refused, Shift};
use super::super::state::folds::Folded;
use super::super::state::popup::{Popup, Purpose};
use super::super::state::schema::{Offered, Want};
use super::super::state::{Region, State, Tone};
use super::{focus, popup};
use crate::command::{Chord, Id, Key};
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

/// Previous match of the search, or the search itself when there is none yet.
pub(super) fn previous_match(state: &mut State) {
    if state.schema.editor.needle().text().is_empty() {
        return popup::search_schema(state);
    }
    state.schema.editor.previous_match();
    say_hit(state);
}

/// Which hit it is, said after a step.
pub(super) fn say_hit(state: &mut State) {
    let told = hits_told(state);
    let needle = state.schema.editor.needle().text().to_owned();
    state.say(Tone::Info, format!("{needle:?}: {told}"));
}

fn hits_told(state: &mut State) -> String {
    if let Some(fault) = state.schema.editor.needle().fault() {
        return format!("bad regex: {fault}");
    }
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
            if text != state.schema.editor.needle().text() {
                state.schema.editor.search(&text);
            }
            "Search the schema".to_owned()
        }
        Purpose::ReplaceSchema => format!("Replace {:?} with", state.schema.editor.needle().text()),
        Purpose::SearchResult
        | Purpose::SaveSchema
        | Purpose::ExportResult
        | Purpose::ExportRun
        | Purpose::FieldKeyword(_)
        | Purpose::FieldName
        | Purpose::FieldNew
        | Purpose::NameVersion
        | Purpose::NameFunction => return,
    };
    let needle = state.schema.editor.needle();
    let case = match needle.case() {
        Case::Folded => "",
        Case::Exact => " · Aa",
    };
    let manner = match needle.manner() {
        Manner::Text => "",
        Manner::Expression => " · .*",
    };
    let told = if needle.text().is_empty() { String::new() } else { format!(" · {}", hits_told(state)) };
    if let Some(Popup::Line(line)) = state.popups.last_mut() {
        line.title = format!("{title}{told}{case}{manner}");
    }
}

/// Whether the case of letters matters, in the search line.
pub(super) fn toggle_case(state: &mut State) {
    let needle = state.schema.editor.needle();
    let case = if needle.case() == Case::Exact { Case::Folded } else { Case::Exact };
    search_as(state, case, state.schema.editor.needle().manner());
}

/// Whether a text or a regular expression is searched for, in the search line.
pub(super) fn toggle_manner(state: &mut State) {
    let needle = state.schema.editor.needle();
    let manner = if needle.manner() == Manner::Text { Manner::Expression } else { Manner::Text };
    search_as(state, needle.case(), manner);
}

fn search_as(state: &mut State, case: Case, manner: Manner) {
    let text = state.schema.editor.needle().text().to_owned();
    state.schema.editor.set_search(Needle::new(&text, case, manner));
    state.schema.editor.search(&text);
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
    // Which hit of how many it was is no longer so.
    state.notice = None;
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
    match state.schema.editor.replace_all(&with) {
        Ok(count) => {
            super::close_popup(state);
            state.say(Tone::Good, format!("replaced {} (undo takes it back)", words::count(count, "place")));
        }
        Err(Refused::TooLarge) => {
            state.say(Tone::Warn, "nothing was replaced: the text would be larger than any schema");
        }
    }
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

/// Back to where the last jump began.
pub(super) fn back(state: &mut State) {
    focus(state, Region::Schema);
    if !state.schema.leap_back() {
        state.say(Tone::Info, "no jump to go back from");
    }
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
