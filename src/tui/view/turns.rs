//! The turns of the session: a line each, all of the unfolded ones; branches deeper, the way to the newest marked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::State;
use super::super::state::history::short;
use super::super::state::turns::{Outcome, Place, Record, TurnsView};
use super::super::theme::Role;
use super::super::update::turn_outcome;
use super::super::words;
use super::popup::{frame, page_area};
use super::{empty, outside, put};
use crate::text;

/// Rows of a prompt, and of an answer, of an unfolded turn.
const MOST_ROWS: usize = 12;
/// Characters of a text that are looked at to lay it out.
const LOOK: usize = 4 * 1024;
/// Branchings that still indent.
const DEEPEST: usize = 8;

/// Draws the turns; gives their area.
pub(super) fn draw(buf: &mut Buffer, screen: Rect, state: &State, view: &TurnsView) -> Rect {
    let most = page_area(screen);
    let count = words::count(state.turns.list.len(), "turn");
    let (rows, selected) = rows(state, view, most.width.saturating_sub(2));
    let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2).max(8);
    let area = Rect { height: most.height.min(wanted), ..most };
    let inside = frame(buf, area, state, "Turns of the session", &count);
    if rows.is_empty() {
        let line = Line::styled("nothing was run yet", state.theme.style(Role::Muted));
        empty(&state.theme, buf, inside, &[line]);
        return area;
    }
    let room = usize::from(inside.height);
    let top = top(&selected, rows.len(), room);
    for (y, (index, line)) in (inside.y..inside.bottom()).zip(rows.iter().enumerate().skip(top)) {
        put(&state.theme, buf, inside.x, y, inside.width, line);
        if index == selected.start {
            buf.set_style(Rect { y, height: 1, ..inside }, state.theme.style(Role::Selection));
        }
    }
    area
}

/// The first row that is shown: as much as there is room for of the selected turn, and some of what is before it.
fn top(selected: &std::ops::Range<usize>, rows: usize, room: usize) -> usize {
    let before = room / 3;
    let last = rows.saturating_sub(room);
    let wanted = (selected.end + 1).saturating_sub(room).max(selected.start.saturating_sub(before));
    wanted.min(selected.start).min(last)
}

/// All rows, and those of the selected turn.
fn rows<'a>(state: &'a State, view: &TurnsView, width: u16) -> (Vec<Line<'a>>, std::ops::Range<usize>) {
    let mut rows = Vec::new();
    let mut selected = 0..0;
    for place in state.turns.places() {
        let Some(turn) = state.turns.list.get(place.at) else { continue };
        let start = rows.len();
        let open = view.unfolded.contains(&turn.record.id);
        rows.push(head(state, &turn.record, place, open));
        if open {
            let lead = 6 + 2 * place.depth.min(DEEPEST);
            body(state, &turn.record, turn.kept.is_some(), (lead, usize::from(width)), &mut rows);
        }
        if turn.record.id == view.selected {
            selected = start..rows.len();
        }
    }
    (rows, selected)
}

/// `▸ 3 ✓ valid, 2 attempts · sim/repair · book.json  Rate the book Dune`.
fn head<'a>(state: &State, record: &Record, place: Place, open: bool) -> Line<'a> {
    let theme = &state.theme;
    let glyphs = theme.glyphs();
    let (sign, role) = match record.outcome {
        Outcome::Running => (glyphs.pending, Role::Info),
        Outcome::Valid | Outcome::Text => (glyphs.success, Role::Success),
        Outcome::Failed(_) => (glyphs.error, Role::Error),
    };
    let on_screen = state.run.as_ref().is_some_and(|run| run.sequence == record.id);
    let mark = match (on_screen, place.current) {
        (true, _) => glyphs.selected,
        (false, true) => glyphs.border.vertical_left,
        (false, false) => " ",
    };
    let fold = if open { glyphs.unfolded } else { glyphs.folded };
    let branch = place.branch.map_or(String::new(), |(nth, of)| format!("branch {nth} of {of}  "));
    let schema = record.schema.as_deref().map_or(String::new(), |name| format!(" · {name}"));
    let first = record.prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Line::from(vec![
        Span::styled(format!("{mark} "), theme.style(Role::Accent)),
        Span::raw("  ".repeat(place.depth.min(DEEPEST))),
        Span::styled(format!("{fold} "), theme.style(Role::Muted)),
        Span::styled(branch, theme.style(Role::Info)),
        Span::styled(format!("{} ", record.id), theme.style(Role::Gutter)),
        Span::styled(format!("{sign} {}", turn_outcome(record)), theme.style(role)),
        Span::styled("  ", theme.style(Role::Muted)),
        outside(&beginning(first, 200), Role::Text, theme),
        outside(&format!("  {}{schema}", record.model), Role::Muted, theme),
    ])
}

fn beginning(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Everything of a turn that has room.
fn body(state: &State, record: &Record, kept: bool, (lead, width): (usize, usize), rows: &mut Vec<Line<'_>>) {
    let theme = &state.theme;
    let room = width.saturating_sub(lead + 9).max(8);
    let indent = " ".repeat(lead.min(width / 2));
    let mut add = |label: &str, role: Role, said: &str| {
        let lines = said.split('\n').flat_map(|line| words::wrap(&text::safe(line), room));
        let all: Vec<String> = lines.take(MOST_ROWS + 1).collect();
        for (at, line) in all.iter().take(MOST_ROWS).enumerate() {
            let more = if at + 1 == MOST_ROWS && all.len() > MOST_ROWS { theme.glyphs().ellipsis } else { "" };
            let label = if at == 0 { format!("{label:<7} ") } else { " ".repeat(8) };
            rows.push(Line::from(vec![
                Span::raw(indent.clone()),
                Span::styled(label, theme.style(Role::Muted)),
                Span::styled(format!("{line}{more}"), theme.style(role)),
            ]));
        }
    };
    add("prompt", Role::Text, &beginning(&record.prompt, LOOK));
    let hash = record.schema_hash.as_deref().map_or(String::new(), |hash| format!(" ({})", short(hash)));
    let schema = record.schema.as_deref().map_or_else(|| "none".to_owned(), |name| format!("{name}{hash}"));
    add("schema", Role::Muted, &schema);
    let took = record.took_ms.map_or(String::new(), |ms| format!(" · {}", words::span(ms)));
    add("model", Role::Muted, &format!("{} · {}{took}", record.model, turn_outcome(record)));
    let answer = match record.outcome {
        Outcome::Failed(_) => ("error", Role::Error),
        Outcome::Running | Outcome::Valid | Outcome::Text => ("answer", Role::JsonString),
    };
    if !record.answer.is_empty() {
        add(answer.0, answer.1, &beginning(&record.answer, LOOK));
    }
    let on_screen = state.run.as_ref().is_some_and(|run| run.sequence == record.id);
    if !kept && !on_screen {
        add("note", Role::Warning, "its attempts were let go to save memory");
    }
    rows.push(Line::default());
}
