//! Lists, input lines and pages: opening them, typing in them, taking a row.

use super::super::effect::{Effect, Preview};
use super::super::state::editor::Editor;
use super::super::state::popup::{Kind, Line, List, Popup, Purpose, Row, Take, Then};
use super::super::state::probe::Badge;
use super::super::state::schema::Sides;
use super::super::state::{Region, State, Tone};
use super::{
    board, close_popup, command, disk, edit, fields, focus, history, inspect, loose, open, panes, probe, schema,
};
use crate::capability::Dialect;
use crate::catalog::ModelRow;
use crate::command::{self as table, Chord, Id};
use crate::schema::outline::edit::Wish;
use crate::tui::palette::{choice, rank};
use crate::tui::words;

fn show(state: &mut State, kind: Kind, title: &str, rows: Vec<Row>, empty: &str) {
    open(state, Popup::List(Box::new(List::new(kind, title, rows, empty))));
}

/// The models: those that answer now first, then the one that can be pulled, those that want a key, scripts last.
pub(super) fn models(state: &mut State) {
    let inside = format!("{}/", Dialect::Local.name());
    let pull = format!("{} pulls it", state.keymap.shown(Id::ModelPull));
    let mut models: Vec<_> = state.models.rows.iter().collect();
    models.sort_by_key(|m| (m.simulated, !m.ready, !m.name.starts_with(&inside)));
    let rows = models.into_iter().map(|m| {
        let simulated = if m.simulated { " · simulated" } else { "" };
        let current = if m.name == state.models.name { " · selected" } else { "" };
        let ready = if m.ready { "" } else { " · not ready" };
        let badge = state.models.badge(&m.name);
        let reason = reason(m, badge.as_ref()).replace("formwork model pull", &pull);
        let mut row = choice(Id::ModelPick, &m.name, &words::on_screen(&reason));
        let verdict = badge.map_or(String::new(), |badge| format!(" · {}", badge.verdict.name()));
        row.aside = format!("{}{verdict}{simulated}{ready}{current}", m.route);
        if !m.ready && m.name.starts_with(&inside) {
            // What is not here yet is offered, not refused.
            row.take = Take::Command(Id::ModelPull, String::new());
        }
        row
    });
    let rows = rows.collect();
    show(
        state,
        Kind::Models,
        "Model",
        rows,
        "no model is called so; /model PROVIDER/NAME takes any name of a known provider",
    );
}

/// Why the model goes that way; what a probe found says it with its day and its evidence.
fn reason(model: &ModelRow, badge: Option<&Badge>) -> String {
    let reason = model.reason.trim_end_matches('.');
    let Some(Badge { date, evidence, counts, .. }) = badge else { return reason.to_owned() };
    if *counts {
        let unset = reason.split_once("; ").filter(|(set, _)| set.starts_with("set "));
        let unset = unset.map_or(String::new(), |(set, _)| format!("{set}; "));
        return format!("{unset}probed {date}: {evidence}");
    }
    let day = date.to_string();
    if reason.contains(&day) { reason.to_owned() } else { format!("{reason}; probed {day}") }
}

/// The fixed choices of a command.
pub(super) fn choices(state: &mut State, id: Id) {
    let row = table::command(id);
    let rows = row.args.choices().iter().map(|(value, doc)| choice(id, value, doc)).collect();
    show(state, Kind::Choices, row.title, rows, "no such choice");
}

/// The themes; moving through them tries them.
pub(super) fn themes(state: &mut State) -> Vec<Effect> {
    let rows = theme_rows(&state.theme_names);
    state.theme_before = Some(state.theme.clone());
    show(state, Kind::Themes, "Theme", rows, "no theme is called so");
    vec![Effect::ThemeNames]
}

fn theme_rows(names: &[String]) -> Vec<Row> {
    names.iter().map(|n| choice(Id::ThemePick, n, "")).collect()
}

/// Fills the theme list when the names came later than the list.
pub(super) fn theme_names(state: &mut State, names: Vec<String>) {
    state.theme_names = names;
    if let Some(Popup::List(list)) = state.popups.last_mut()
        && list.kind == Kind::Themes
        && list.rows.is_empty()
    {
        list.rows = theme_rows(&state.theme_names);
        rank(list);
    }
}

/// Loads a theme for good.
pub(super) fn keep_theme(name: &str) -> Vec<Effect> {
    vec![Effect::LoadTheme { name: name.to_owned(), preview: Preview::Keep }]
}

/// Schema files below the working folder; the recent ones stand first at once, the rest follows.
pub(super) fn files(state: &mut State) -> Vec<Effect> {
    let rows = recent_rows(state);
    let mut list = List::new(Kind::Files, "Load a schema", rows, "no schema file is called so below this folder");
    list.loading = true;
    open(state, Popup::List(Box::new(list)));
    vec![Effect::FindFiles]
}

fn recent_rows(state: &State) -> Vec<Row> {
    state.recent.iter().map(|p| choice(Id::SchemaLoad, &schema::shown(p), "recent")).collect()
}

/// The files were found.
pub(super) fn found(state: &mut State, paths: Vec<std::path::PathBuf>, cut: bool) {
    let Some(Popup::List(list)) = state.popups.last_mut() else { return };
    if list.kind != Kind::Files {
        return;
    }
    list.loading = false;
    for path in paths {
        let shown = schema::shown(&path);
        if !list.rows.iter().any(|r| r.label == shown) {
            list.rows.push(choice(Id::SchemaLoad, &shown, ""));
        }
    }
    if cut {
        list.title.push_str(" (the first files only: type a path with /schema load)");
    }
    rank(list);
}

/// The schema files used before.
pub(super) fn recent(state: &mut State) {
    let rows = recent_rows(state);
    show(state, Kind::Recent, "Recent schemas", rows, "no schema was loaded before");
}

/// Problems and warnings of the schema.
pub(super) fn problems(state: &mut State) {
    let rows = state.schema.problems().iter().map(|p| Row {
        label: p.message.clone(),
        detail: p.path.clone(),
        key: String::new(),
        aside: format!("{}  {}:{}", if p.fatal { "problem" } else { "warning" }, p.line, p.column),
        take: Take::SchemaPlace { line: p.line, column: p.column },
        barred: None,
    });
    let rows = rows.collect();
    show(state, Kind::Problems, "Problems of the schema", rows, "no problem reads so");
}

/// Issues of the shown attempt.
pub(super) fn issues(state: &mut State) {
    let Some(attempt) = state.run.as_ref().and_then(|r| r.shown()) else { return };
    let mut rows: Vec<Row> = attempt
        .issues
        .iter()
        .enumerate()
        .map(|(i, issue)| Row {
            label: attempt.findings.get(i).and_then(|f| f.why.clone()).unwrap_or_else(|| issue.message.clone()),
            detail: if issue.path.is_empty() { "(root)".to_owned() } else { issue.path.clone() },
            aside: issue.keyword.clone(),
            key: String::new(),
            take: Take::Issue(i),
            barred: None,
        })
        .collect();
    if let Some((position, hint)) = attempt.slip {
        rows.push(choice_issue(&words::slip(position, hint)));
    }
    let title = format!("Issues of attempt {}", attempt.number);
    show(state, Kind::Issues, &title, rows, "no issue reads so");
}

fn choice_issue(label: &str) -> Row {
    Row { take: Take::Issue(0), ..choice(Id::IssueList, label, "") }
}

/// The attempts of the run.
pub(super) fn attempts(state: &mut State) {
    let Some(run) = &state.run else { return };
    let rows = run.attempts.iter().map(|a| {
        let fate = words::fate(a.fate);
        choice(Id::AttemptShow, &a.number.to_string(), &fate)
    });
    let rows = rows.collect();
    show(state, Kind::Choices, "Attempts", rows, "no such attempt");
}

pub(super) fn line(state: &mut State, purpose: Purpose, title: &str, text: &str) {
    let mut editor = Editor::new(text);
    editor.to_end();
    open(state, Popup::Line(Box::new(Line { purpose, title: title.to_owned(), editor, offered: !text.is_empty() })));
}

/// Asks where to save the schema.
pub(super) fn save_as(state: &mut State) {
    line(state, Purpose::SaveSchema, "Save the schema as", "schema.json");
}

/// Asks where to write the result.
pub(super) fn export_as(state: &mut State) {
    match state.result.sample {
        Some(_) => line(state, Purpose::ExportResult, "Write the sample to", "sample.json"),
        None => line(state, Purpose::ExportResult, "Write the result to", "result.json"),
    }
}

/// Asks what to search in the schema.
pub(super) fn search_schema(state: &mut State) {
    let needle = state.schema.editor.needle().text().to_owned();
    line(state, Purpose::SearchSchema, "Search the schema", &needle);
    edit::live(state);
}

/// Asks what to put in the place of what is searched for.
pub(super) fn replace_schema(state: &mut State) {
    line(state, Purpose::ReplaceSchema, "Replace with", "");
    edit::live(state);
}

/// Asks what to search in the result.
pub(super) fn search_result(state: &mut State) {
    let needle = state.result.needle.clone();
    line(state, Purpose::SearchResult, "Search the result", &needle);
}

/// A key for the text field of the topmost popup.
pub(super) fn typed(state: &mut State, chord: Chord) -> Vec<Effect> {
    let enter = chord.key == table::Key::Enter || (chord.ctrl && chord.key == table::Key::Char('m'));
    match state.popups.last_mut() {
        Some(Popup::List(list)) if !enter => {
            let before = list.query.revision();
            list.query.key(chord);
            if list.query.revision() != before {
                rank(list);
                return preview(state);
            }
        }
        Some(Popup::Line(line)) if !enter => {
            let erases = chord.key == table::Key::Backspace;
            let replaced = std::mem::take(&mut line.offered) && (chord.printable().is_some() || erases);
            if replaced {
                line.editor.clear();
            }
            if !(replaced && erases) {
                line.editor.key(chord);
            }
            edit::live(state);
        }
        Some(
            Popup::List(_)
            | Popup::Line(_)
            | Popup::Page(_)
            | Popup::Ask(_)
            | Popup::Board(_)
            | Popup::Raw(_)
            | Popup::Turns(_),
        )
        | None => {}
    }
    Vec::new()
}

/// A paste into the text field of the topmost popup; only its first line has a place there.
pub(super) fn paste(state: &mut State, text: &str) {
    let first = text.split(['\r', '\n']).next().unwrap_or_default();
    match state.popups.last_mut() {
        Some(Popup::List(list)) => {
            list.query.insert(first);
            rank(list);
        }
        Some(Popup::Line(line)) => {
            if std::mem::take(&mut line.offered) {
                line.editor.clear();
            }
            line.editor.insert(first);
            edit::live(state);
        }
        Some(Popup::Page(_) | Popup::Ask(_) | Popup::Board(_) | Popup::Raw(_) | Popup::Turns(_)) | None => {}
    }
}

/// Moves the selection of the topmost list.
pub(super) fn go(state: &mut State, by: isize) -> Vec<Effect> {
    if let Some(Popup::List(list)) = state.popups.last_mut() {
        list.go(by);
    }
    preview(state)
}

/// A theme under the selection is tried.
fn preview(state: &mut State) -> Vec<Effect> {
    let Some(Popup::List(list)) = state.popups.last() else { return Vec::new() };
    match list.row().map(|r| &r.take) {
        Some(Take::Command(Id::ThemePick, name)) if list.kind == Kind::Themes => {
            vec![Effect::LoadTheme { name: name.clone(), preview: Preview::Try }]
        }
        _ => Vec::new(),
    }
}

/// Yes to the topmost question.
pub(super) fn yes(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Ask(ask)) = state.popups.last() else { return Vec::new() };
    let then = ask.then.clone();
    close_popup(state);
    match then {
        Then::Probe(spec) => probe::start(state, spec),
        Then::Mend { before, after, said } => {
            schema::mend(state, &before, &after, said);
            Vec::new()
        }
    }
}

/// No to the topmost question: nothing is done.
pub(super) fn no(state: &mut State) {
    if matches!(state.popups.last(), Some(Popup::Ask(_))) {
        close_popup(state);
    }
}

/// Enter in the topmost popup.
pub(super) fn accept(state: &mut State) -> Vec<Effect> {
    match state.popups.last() {
        Some(Popup::List(_)) => accept_row(state),
        Some(Popup::Line(_)) => accept_line(state),
        Some(Popup::Page(_) | Popup::Ask(_) | Popup::Board(_) | Popup::Raw(_) | Popup::Turns(_)) | None => Vec::new(),
    }
}

fn accept_row(state: &mut State) -> Vec<Effect> {
    let Some(Popup::List(list)) = state.popups.last() else { return Vec::new() };
    let kind = list.kind;
    let Some(row) = list.row().cloned() else { return free_text(state) };
    if let Some(why) = row.barred {
        state.say(Tone::Warn, format!("{}: {why}", row.label));
        return Vec::new();
    }
    if kind == Kind::Themes {
        state.theme_before = None;
    }
    // Some lists stay open behind what they lead to.
    if !matches!(
        row.take,
        Take::Field(_)
            | Take::Form(_)
            | Take::Offer(_)
            | Take::Answer(_)
            | Take::Version(_)
            | Take::Disk(Sides::Difference)
    ) {
        state.popups.pop();
    }
    match row.take {
        Take::Command(id, argument) => {
            let used = kind == Kind::Palette && state.habits.used(id);
            let mut effects = if used { panes::keep(state) } else { Vec::new() };
            effects.extend(command::give(state, id, &argument));
            effects
        }
        Take::SchemaPlace { line, column } => {
            state.schema.editor.jump(line.saturating_sub(1), column.saturating_sub(1));
            focus(state, Region::Schema);
            Vec::new()
        }
        Take::SchemaPointer(pointer) => {
            state.popups.retain(|popup| !matches!(popup, Popup::Board(_)));
            schema::go_to_pointer(state, &pointer);
            Vec::new()
        }
        Take::Field(place) => {
            fields::form(state, &place);
            Vec::new()
        }
        Take::Form(row) => fields::choose(state, &row),
        Take::Offer(which) => board::preview(state, which),
        Take::Issue(index) => {
            inspect::select_issue(state, index);
            Vec::new()
        }
        Take::Finding(index) => {
            loose::jump(state, index);
            Vec::new()
        }
        Take::Answer(id) => history::answer(state, id),
        Take::Version(hash) => history::take(state, hash),
        Take::Disk(sides) => disk::answer(state, sides),
    }
}

/// No row fits what was typed: where any text is allowed, the text itself is taken.
fn free_text(state: &mut State) -> Vec<Effect> {
    let Some(Popup::List(list)) = state.popups.last() else { return Vec::new() };
    let text = list.query.text().trim().to_owned();
    let id = match list.kind {
        Kind::Models => Id::ModelPick,
        Kind::Offers => Id::ModelPull,
        Kind::Files | Kind::Recent => Id::SchemaLoad,
        Kind::Palette
        | Kind::Themes
        | Kind::Problems
        | Kind::Objections
        | Kind::Fields
        | Kind::Form
        | Kind::Issues
        | Kind::Loose
        | Kind::Retro
        | Kind::Versions
        | Kind::Parts
        | Kind::Disk
        | Kind::Choices => return Vec::new(),
    };
    if text.is_empty() {
        return Vec::new();
    }
    state.popups.pop();
    command::give(state, id, &text)
}

fn accept_line(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Line(line)) = state.popups.last() else { return Vec::new() };
    let (purpose, text) = (line.purpose, line.editor.text());
    if purpose == Purpose::ReplaceSchema {
        edit::replace_one(state, &text);
        return Vec::new();
    }
    let text = if purpose == Purpose::SearchSchema { text } else { text.trim().to_owned() };
    close_popup(state);
    match purpose {
        Purpose::SearchSchema => {
            // The search was made while it was typed.
            if !text.is_empty() {
                edit::say_hit(state);
            }
            Vec::new()
        }
        Purpose::SearchResult => {
            inspect::search(state, &text);
            Vec::new()
        }
        Purpose::NameVersion => history::named(state, text),
        Purpose::NameFunction if !text.is_empty() => command::give(state, Id::FunctionSave, &text),
        Purpose::SaveSchema if !text.is_empty() => command::give(state, Id::SchemaSave, &text),
        Purpose::ExportResult if !text.is_empty() => command::give(state, Id::Export, &text),
        Purpose::ExportRun if !text.is_empty() => command::give(state, Id::ExportRun, &text),
        Purpose::FieldKeyword(name) => fields::keyword(state, name, &text),
        Purpose::FieldName => fields::wish(state, &Wish::Rename(text)),
        Purpose::FieldNew => fields::wish(state, &Wish::Add(text)),
        Purpose::SaveSchema
        | Purpose::ExportResult
        | Purpose::ExportRun
        | Purpose::NameFunction
        | Purpose::ReplaceSchema => Vec::new(),
    }
}
