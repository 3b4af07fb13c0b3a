//! The schema region: checks as you type, files, jumps.

use std::path::{Path, PathBuf};

use super::super::effect::{CheckJob, Effect, Given};
use super::super::state::outputs::Over;
use super::super::state::popup::{Kind, Popup};
use super::super::state::run::Status;
use super::super::state::schema::Problem;
use super::super::state::{Region, State, Tone};
use super::{command, disk, draft, focus, popup};
use crate::command::Id;
use crate::event::ErrorCode;
use crate::schema::source::{Form, Named};
use crate::text::ends::{Ends, Mixture, plain};

/// Recent files kept.
const RECENT: usize = 30;

/// Legal everywhere, small enough to read at a glance: what `/schema new` starts from.
pub(super) const STARTER: &str = r#"{
  "type": "object",
  "properties": {
    "title": {
      "type": "string",
      "description": "A short title"
    },
    "tags": {
      "type": "array",
      "items": { "type": "string" }
    },
    "rating": {
      "type": "integer",
      "minimum": 1,
      "maximum": 5
    }
  },
  "required": ["title", "tags", "rating"],
  "additionalProperties": false
}"#;

/// Which way to go through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Back,
}

/// Asks for a check when the text (or the model it is asked about) changed. Every edit makes a new generation, so late
/// answers fall away.
pub(super) fn check_if_changed(state: &mut State) -> Option<Effect> {
    let revision = state.schema.editor.revision();
    if state.schema.asked == Some(revision) {
        return None;
    }
    state.schema.asked = Some(revision);
    state.schema.generation += 1;
    forget_refusal(state);
    if state.schema.editor.is_blank() {
        state.schema.forget_report();
        state.history.retro = None;
        return None;
    }
    let found = state.models.catalog.find(&state.models.name).ok();
    let (endpoint, model_id) = found.map_or((None, String::new()), |(e, id)| (Some(e), id));
    Some(Effect::Check(Box::new(CheckJob {
        generation: state.schema.generation,
        text: state.schema.editor.text(),
        form: state.schema.form(),
        endpoint,
        model_id,
        fallback: state.settings.fallback,
        level: state.settings.level,
    })))
}

/// A refusal answers the question it was asked: with another text, model or level it says nothing any more.
fn forget_refusal(state: &mut State) {
    let refused = state.run.as_ref().is_some_and(|run| match &run.status {
        Status::Failed(error) => {
            run.attempts.is_empty() && matches!(error.code, ErrorCode::Unsupported | ErrorCode::InvalidSchema)
        }
        Status::Running | Status::Waiting { .. } | Status::Done => false,
    });
    if refused {
        state.run = None;
        state.notice = state.notice.take().filter(|notice| notice.tone != Tone::Bad);
    }
}

/// Asks again about the same text: the model or the level is another.
pub(super) fn recheck(state: &mut State) {
    state.schema.asked = None;
}

/// Reads a schema file; unsaved work is asked about first.
pub(super) fn load(state: &mut State, path: &str) -> Vec<Effect> {
    if state.schema.dirty() && !command::armed(state, Id::SchemaLoad, "the schema is not saved: load again to drop it")
    {
        state.prompt.set(&format!("/schema load {path}"));
        focus(state, Region::Prompt);
        return Vec::new();
    }
    vec![Effect::ReadSchema(PathBuf::from(path))]
}

/// Puts a loaded text into the editor.
pub(super) fn loaded(state: &mut State, path: PathBuf, text: &str) -> Vec<Effect> {
    state.schema.editor.begin(&plain(text));
    state.schema.ends = Ends::of(text);
    state.schema.saved = state.schema.editor.text();
    (state.schema.top, state.schema.left, state.schema.mark) = (0, 0, None);
    let effects = remember(state, path.clone());
    state.schema.path = Some(path);
    state.schema.just_loaded = true;
    disk::forget(state);
    let unread = match Form::of_name(&state.schema.name()) {
        Named::Unread(form) => Some(form.message()),
        Named::Form(_) | Named::Unknown => None,
    };
    if let Some(why) = unread {
        state.say(Tone::Warn, why);
    } else {
        let mixed = mixed_words(state.schema.ends);
        // The first file is what the program was started with: its word must not hide that of unsaved work.
        let first = std::mem::take(&mut state.given) != Given::Nothing;
        let hint = if first { draft::hint(state) } else { String::new() };
        let hint = if hint.is_empty() { hint } else { format!("; {hint}") };
        state.say(Tone::Good, format!("loaded {}{mixed}{hint}", state.schema.name()));
    }
    effects
}

/// Said of a file whose lines do not all end alike: saving makes them so.
fn mixed_words(ends: Ends) -> String {
    match ends.mixture {
        Mixture::Alike => String::new(),
        Mixture::Mixed => format!("; its line ends are mixed, saving makes all {}", ends.end.name()),
    }
}

/// Puts a path first in the recent list.
pub(super) fn remember(state: &mut State, path: PathBuf) -> Vec<Effect> {
    state.recent.retain(|p| *p != path);
    state.recent.insert(0, path);
    state.recent.truncate(RECENT);
    vec![Effect::SaveRecent(state.recent.clone())]
}

/// Starts from the small schema.
pub(super) fn fresh(state: &mut State) {
    if state.schema.dirty() && !command::armed(state, Id::SchemaNew, "the schema is not saved: again to drop it") {
        return;
    }
    state.schema.let_go();
    state.schema.editor.replace(STARTER);
    state.schema.saved = state.schema.editor.text();
    (state.schema.top, state.schema.left, state.schema.mark) = (0, 0, None);
    disk::forget(state);
    state.say(Tone::Good, "a small schema to start from: edit it, then write a prompt");
}

/// Writes the schema to its file or a new one; without either asks for a path.
pub(super) fn save(state: &mut State, path: &str) -> Vec<Effect> {
    let path = if path.is_empty() { state.schema.path.clone() } else { Some(PathBuf::from(path)) };
    let Some(path) = path else {
        popup::save_as(state);
        return Vec::new();
    };
    let sure = state.schema.overwrite.take().is_some_and(|asked| asked == path);
    let own = state.schema.path.as_ref() == Some(&path);
    let was = (!sure && own).then(|| state.schema.saved.clone());
    let over = if sure || own { Over::Replace } else { Over::Ask };
    let text = state.schema.editor.text();
    state.schema.disk.writing = Some(text.clone());
    vec![Effect::WriteSchema { path, text, ends: state.schema.ends, was, over }]
}

/// Another program wrote the file meanwhile: which of the two stays is asked.
pub(super) fn changed(state: &mut State, path: PathBuf) {
    let name = shown(&path);
    state
        .say(Tone::Warn, format!("{name} changed on disk: save again to keep yours, /schema load {name} takes theirs"));
    state.schema.overwrite = Some(path);
    state.schema.disk.writing = None;
}

/// Another file of that name is there and was left as it is.
pub(super) fn there(state: &mut State, path: PathBuf) {
    let name = shown(&path);
    state.say(Tone::Warn, format!("{name} is there and stays as it is: save to it once more to replace it"));
    state.schema.overwrite = Some(path);
    state.schema.disk.writing = None;
}

/// Jumps to a problem after or before the caret, around the ends.
pub(super) fn next_problem(state: &mut State, direction: Direction) {
    let problems = state.schema.problems();
    let (row, column) = state.schema.editor.caret();
    let here = (row + 1, column + 1);
    let at = |p: &&Problem| (p.line, p.column);
    let found = match direction {
        Direction::Forward => problems.iter().find(|p| at(p) > here).or_else(|| problems.first()),
        Direction::Back => problems.iter().rev().find(|p| at(p) < here).or_else(|| problems.last()),
    };
    if let Some(problem) = found.cloned() {
        go_to(state, &problem);
    }
}

/// Jumps to a problem and says it.
pub(super) fn go_to(state: &mut State, problem: &Problem) {
    state.schema.editor.jump(problem.line.saturating_sub(1), problem.column.saturating_sub(1));
    focus(state, Region::Schema);
    let tone = if problem.fatal { Tone::Bad } else { Tone::Warn };
    state.say(tone, format!("{}:{} {}", problem.line, problem.column, problem.message));
}

/// Next match of the search, or the search itself when there is none yet.
pub(super) fn next_match(state: &mut State) {
    if state.schema.editor.needle().text().is_empty() {
        return popup::search_schema(state);
    }
    if !state.schema.editor.next_match() {
        let needle = state.schema.editor.needle().text().to_owned();
        return state.say(Tone::Info, format!("{needle:?} is not in the schema"));
    }
    super::edit::say_hit(state);
}

/// To the bracket that belongs to the one at the caret.
pub(super) fn bracket(state: &mut State) {
    if !state.schema.editor.to_bracket() {
        state.say(Tone::Info, "there is no bracket at the caret");
    }
}

/// Jumps to a keyword of the schema by its pointer into the schema.
pub(super) fn go_to_pointer(state: &mut State, pointer: &str) {
    // What is missing is shown where it is missing.
    let mut place = Some(pointer);
    while let Some(at) = place {
        if let Some((start, _)) = state.schema.keyword(at) {
            state.schema.editor.jump_offset(start);
            break;
        }
        place = at.rsplit_once('/').map(|(parent, _)| parent);
    }
    focus(state, Region::Schema);
}

/// Can edits be made in this text? They keep the layout of JSON; another form is asked to become JSON first.
pub(super) fn can_be_mended(state: &mut State) -> bool {
    let form = state.schema.form();
    let can = matches!(form, Form::Json | Form::Jsonc);
    if !can {
        state.say(Tone::Warn, format!("edits are made in JSON, this is {}: /schema json converts it", form.title()));
    }
    can
}

/// Puts an edit that was agreed to into the text; what was typed meanwhile is never lost.
pub(super) fn mend(state: &mut State, before: &str, after: &str, said: String) {
    if state.schema.editor.text() != before {
        state.say(Tone::Warn, "the schema changed meanwhile: nothing was edited");
        return;
    }
    let (row, column) = state.schema.editor.caret();
    state.schema.editor.replace(after);
    state.schema.editor.jump(row, column);
    state.schema.mark = None;
    state.popups.retain(|popup| !matches!(popup, Popup::List(list) if list.kind == Kind::Objections));
    state.say(Tone::Good, said);
}

/// A path as the screen shows it: below the working folder without it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string().trim_start_matches("./").to_owned()
}
