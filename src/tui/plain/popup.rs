//! What lies above the regions, as lines: pages are told and gone, lists and questions wait for an answer.

use crate::command::Id;
use crate::tui::state::State;
use crate::tui::state::popup::{Line, List, Popup};
use crate::tui::update::{portability_words, turn_outcome};
use crate::tui::words;

/// Rows of a list that are told at once.
const MOST_ROWS: usize = 40;
/// Events that are told: the last ones.
const MOST_EVENTS: usize = 200;

/// What the topmost popup says, once it is ready; nothing while it waits for its rows.
pub(super) fn told(state: &State) -> Option<String> {
    match state.popups.last()? {
        Popup::List(list) => (!list.loading).then(|| {
            self::list(list).replace(&format!("{} pulls it", state.keymap.shown(Id::ModelPull)), "/pull fetches it")
        }),
        Popup::Line(line) => Some(self::line(line)),
        Popup::Page(page) => Some(format!("{}\n{}", page.title, page.text())),
        Popup::Ask(ask) => Some(format!("{}\n{}\nanswer yes or no", ask.page.title, ask.page.text())),
        Popup::Board(_) => board(state),
        Popup::Raw(_) => Some(events(state)),
        Popup::Turns(_) => Some(turns(state)),
    }
}

/// Is it told in full, so that nothing is asked?
pub(super) fn passes(popup: &Popup) -> bool {
    matches!(popup, Popup::Page(_) | Popup::Raw(_))
}

fn list(list: &List) -> String {
    if list.matches.is_empty() {
        return format!("{}: {}", list.title, list.empty);
    }
    let mut lines = vec![format!("{}: {}", list.title, words::count(list.matches.len(), "row"))];
    for (number, (at, _)) in list.matches.iter().enumerate().take(MOST_ROWS) {
        let Some(row) = list.rows.get(*at) else { continue };
        let barred = row.barred.as_ref().map(|why| format!("not now: {why}"));
        let parts = [Some(row.label.clone()), Some(row.detail.clone()), Some(row.aside.clone()), barred];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.trim().is_empty()).collect();
        lines.push(format!("{}: {}", number + 1, parts.join("; ")));
    }
    let more = list.matches.len().saturating_sub(MOST_ROWS);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.push("a number takes a row, words narrow the list, an empty line leaves it".to_owned());
    lines.join("\n")
}

fn line(line: &Line) -> String {
    let text = line.editor.text();
    let now = if text.is_empty() { String::new() } else { format!(" (for example {text})") };
    format!("{}{now}: type it, or an empty line to leave", line.title)
}

/// The providers; nothing while they are being asked.
fn board(state: &State) -> Option<String> {
    let Some(board) = state.schema.board() else {
        let broken = state.schema.legal().is_none() && !state.schema.checking();
        return broken.then(|| "Portability: the schema has problems, mend them first".to_owned());
    };
    let mut lines = vec![format!("Portability of {}", state.schema.name())];
    for (number, row) in board.rows.iter().enumerate() {
        let why = row.found.as_ref().map_or_else(|| "depends on the server behind it".to_owned(), portability_words);
        let (native, tool) = (row.native().name(), row.tool().name());
        lines.push(format!("{}: {}; native {native}, tool {tool}; {why}", number + 1, row.provider.name));
    }
    lines.push("a number lists places and edits, an empty line leaves it".to_owned());
    Some(lines.join("\n"))
}

fn events(state: &State) -> String {
    let Some(run) = &state.run else { return "no run".to_owned() };
    let all = run.raw.len();
    let first = all.saturating_sub(MOST_EVENTS);
    let mut lines = vec![format!("{} in {}", words::count(all, "event"), words::count(run.raw.reads(), "read"))];
    if first > 0 {
        lines.push(format!("the last {MOST_EVENTS}"));
    }
    for (at, seen) in (first..all).filter_map(|at| run.raw.event(at).map(|seen| (at, seen))) {
        let text = if seen.text.is_empty() { String::new() } else { format!(": {}", words::short(seen.text)) };
        let kind = words::event_kind(seen.kind);
        let (read, attempt, time) = (seen.read + 1, seen.attempt, words::span(seen.at_ms));
        lines.push(format!("{}: {kind}{text} (read {read}, attempt {attempt}, {time})", at + 1));
    }
    lines.join("\n")
}

fn turns(state: &State) -> String {
    let mut lines = vec![words::count(state.turns.list.len(), "turn")];
    for (number, place) in state.turns.places().into_iter().enumerate() {
        let Some(turn) = state.turns.list.get(place.at) else { continue };
        let record = &turn.record;
        let branch = place.branch.map_or(String::new(), |(n, of)| format!("; branch {n} of {of}"));
        let current = if place.current { "; current branch" } else { "" };
        let prompt = words::short(&record.prompt.replace('\n', " "));
        lines.push(format!("{}: {prompt}; {}; {}{branch}{current}", number + 1, turn_outcome(record), record.model));
    }
    lines.push(
        "a number shows a turn again, /turn.rerun NUMBER runs its prompt again, an empty line leaves it".to_owned(),
    );
    lines.join("\n")
}
