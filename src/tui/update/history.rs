//! What was run before: the retro-check behind the live one, the list of versions, what taking a row of them does.

use super::super::effect::{Answer, Effect, RetroJob};
use super::super::state::editor::Editor;
use super::super::state::history::{VersionRow, short};
use super::super::state::popup::{Kind, Line, List, Page, Popup, Purpose, Row, Take};
use super::super::state::{Region, State, Tone};
use super::{command, focus, open};
use crate::command::Id;
use crate::schema::retro::{Change, Retro};
use crate::schema::source::Form;
use crate::tui::palette::rank;
use crate::tui::rows::{Mark, Syntax};
use crate::tui::theme::Role;

/// Asks what the newest legal text does to earlier answers.
pub(super) fn look_back(state: &mut State) -> Vec<Effect> {
    let Some(checked) = state.schema.legal() else {
        state.history.retro = None;
        return Vec::new();
    };
    let format = Box::new(checked.format.clone());
    vec![Effect::Retro(Box::new(job(state, format)))]
}

fn job(state: &State, format: Box<crate::schema::ResponseFormat>) -> RetroJob {
    RetroJob {
        generation: state.schema.generation,
        format,
        assert_format: state.settings.assert_format,
        source: state.schema.path.clone(),
    }
}

/// The retro-check of the newest text came back; that of an older one falls away.
pub(super) fn looked_back(state: &mut State, generation: u64, retro: Option<Retro>) {
    if generation == state.schema.generation {
        state.history.retro = retro;
    }
}

/// Lists the earlier answers that changed.
pub(super) fn changed(state: &mut State) {
    let Some(retro) = &state.history.retro else { return };
    let rows: Vec<Row> = retro.changed.iter().map(changed_row).collect();
    let named = rows.len();
    let all = retro.now_fail + retro.newly_pass;
    let cut = if named < all { format!(" (the newest {named} of {all})") } else { String::new() };
    let title = format!("Earlier answers that changed{cut}");
    let list = List::new(Kind::Retro, &title, rows, "no answer reads so");
    open(state, Popup::List(Box::new(list)));
}

fn changed_row(change: &Change) -> Row {
    let (label, aside) = match &change.fails {
        Some(issue) => (issue.message.clone(), "now fails"),
        None => ("passes under the edited schema".to_owned(), "newly passes"),
    };
    let place = change.fails.as_ref().map(|issue| issue.path.as_str()).filter(|path| !path.is_empty());
    let detail =
        place.map_or_else(|| format!("answer {}", change.id), |path| format!("{path} of answer {}", change.id));
    Row { label, detail, aside: aside.to_owned(), key: String::new(), take: Take::Answer(change.id), barred: None }
}

/// Fetches an earlier answer.
pub(super) fn answer(state: &State, id: i64) -> Vec<Effect> {
    let Some(checked) = state.schema.legal() else { return Vec::new() };
    let format = Box::new(checked.format.clone());
    vec![Effect::ReadAnswer { id, job: Box::new(job(state, format)) }]
}

/// Shows an earlier answer, its issues above it, the first one's place marked.
pub(super) fn answered(state: &mut State, page: Result<Box<Answer>, String>) {
    match page {
        Ok(answer) => {
            let Answer { title, text, mark } = *answer;
            let mut page =
                Page::new(&title, &text, Syntax::Json, "from the store in the data folder; no model was asked");
            let marks = mark.map(|(start, end)| Mark { range: start..end, role: Role::MarkError });
            page.rows.set_marks(marks.into_iter().collect());
            open(state, Popup::Page(Box::new(page)));
        }
        Err(why) => state.say(Tone::Warn, why),
    }
}

/// Opens the list of versions; its rows follow.
pub(super) fn versions(state: &mut State) -> Vec<Effect> {
    let mut list =
        List::new(Kind::Versions, "Schemas that were run here", Vec::new(), "no schema was run in this folder");
    list.loading = true;
    open(state, Popup::List(Box::new(list)));
    vec![Effect::Versions]
}

/// The versions are here: fills the list, also one that is open already.
pub(super) fn listed(state: &mut State, versions: Result<Vec<VersionRow>, String>) {
    let found = match versions {
        Ok(found) => found,
        Err(why) => {
            state.say(Tone::Warn, why);
            Vec::new()
        }
    };
    let current = state.schema.hash().map(str::to_owned);
    state.history.versions = found;
    let rows = state.history.versions.iter().map(|version| version_row(version, current.as_deref())).collect();
    let lists = state.popups.iter_mut().rev();
    let list = lists.filter_map(|popup| match popup {
        Popup::List(list) if list.kind == Kind::Versions => Some(list),
        Popup::List(_)
        | Popup::Line(_)
        | Popup::Page(_)
        | Popup::Ask(_)
        | Popup::Board(_)
        | Popup::Raw(_)
        | Popup::Turns(_) => None,
    });
    if let Some(list) = list.into_iter().next() {
        let selected = list.selected;
        (list.rows, list.loading) = (rows, false);
        rank(list);
        list.selected = selected.min(list.matches.len().saturating_sub(1));
    }
}

fn version_row(version: &VersionRow, current: Option<&str>) -> Row {
    let name = version.name.as_ref().map_or_else(|| short(&version.hash), Clone::clone);
    let here = if current == Some(version.hash.as_str()) { " · in the editor" } else { "" };
    let runs = if version.runs == 1 { "1 run".to_owned() } else { format!("{} runs", version.runs) };
    let verdict = version.verdict.map_or(String::new(), |verdict| format!(" · {}", verdict.word()));
    Row {
        label: format!("{}  {name}", version.first),
        detail: format!("{}{here}", version.what),
        aside: format!("{runs}, {} accepted{verdict}", version.passes),
        key: String::new(),
        take: Take::Version(version.hash.clone()),
        barred: None,
    }
}

/// The version the list stands at.
fn selected(state: &State) -> Option<&VersionRow> {
    let Some(Popup::List(list)) = state.popups.last() else { return None };
    let Take::Version(hash) = &list.row()?.take else { return None };
    state.history.versions.iter().find(|version| version.hash == *hash)
}

/// Fetches a version for the editor; unsaved work is asked about first, with the list still open.
pub(super) fn take(state: &mut State, hash: String) -> Vec<Effect> {
    let warning = "the schema is not saved: Enter again to put the version in its place";
    if state.schema.dirty() && !command::armed(state, Id::SchemaVersions, warning) {
        return Vec::new();
    }
    state.popups.pop();
    vec![Effect::ReadVersion { hash }]
}

/// Puts a version's text into the editor, as one edit.
pub(super) fn taken(state: &mut State, hash: &str, text: Result<String, String>) {
    match text {
        Ok(text) => {
            state.schema.editor.replace(&text);
            let form = Form::sniff(&text);
            if form != Form::Json && form != state.schema.form() {
                // Saved there, the file's name would say what the text is not.
                state.schema.let_go();
            }
            (state.schema.top, state.schema.left, state.schema.mark) = (0, 0, None);
            focus(state, Region::Schema);
            let undo = state.keymap.shown(Id::Undo);
            state.say(
                Tone::Good,
                format!("version {} is in the editor; {undo} brings the other text back", short(hash)),
            );
        }
        Err(why) => state.say(Tone::Warn, why),
    }
}

/// Asks for a name of the selected version.
pub(super) fn name(state: &mut State) {
    let Some(version) = selected(state) else { return };
    let (hash, name) = (version.hash.clone(), version.name.clone().unwrap_or_default());
    let title = format!("Name of version {} (empty takes it away)", short(&hash));
    state.history.naming = Some(hash);
    let mut editor = Editor::new(&name);
    editor.to_end();
    open(
        state,
        Popup::Line(Box::new(Line { purpose: Purpose::NameVersion, title, editor, offered: !name.is_empty() })),
    );
}

/// A name was typed.
pub(super) fn named(state: &mut State, name: String) -> Vec<Effect> {
    let Some(hash) = state.history.naming.take() else { return Vec::new() };
    if let Some(fault) = crate::store::name_fault(&name) {
        state.say(Tone::Warn, fault);
        return Vec::new();
    }
    vec![Effect::NameVersion { hash, name }]
}

/// Shows what changed from the version before the selected one.
pub(super) fn difference(state: &mut State) -> Vec<Effect> {
    let Some(version) = selected(state) else { return Vec::new() };
    let (new, old) = (version.hash.clone(), version.before.clone());
    let Some(old) = old else {
        state.say(Tone::Info, "this is the first version of its schema: there is none before it");
        return Vec::new();
    };
    vec![Effect::CompareVersions { old, new }]
}

/// The comparison is ready.
pub(super) fn compared(state: &mut State, text: Result<String, String>) {
    match text {
        Ok(text) => {
            let page = Page::new("What changed", &text, Syntax::Plain, "stricter takes less, looser takes more");
            open(state, Popup::Page(Box::new(page)));
        }
        Err(why) => state.say(Tone::Warn, why),
    }
}
