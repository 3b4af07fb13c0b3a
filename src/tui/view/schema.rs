//! The schema editor: its window, its frame, the caret. Text and foot are drawn by the files beside.

mod complete;
mod foot;
mod text;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub(super) use complete::completions;

use super::super::layout::Areas;
use super::super::ruler::LONG;
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::{empty, outside, pane};

/// Cells a long line keeps in sight right and left of the caret.
const MARGIN: usize = 4;

/// Rows below the text: the check, the route, the providers, and what becomes of earlier answers where there are any.
fn foot(height: u16, state: &State) -> u16 {
    match height {
        0..3 => 0,
        3..6 => 1,
        6..12 => 2,
        _ => 3 + u16::from(!state.history.lines().is_empty()),
    }
}

fn gutter(state: &State) -> u16 {
    let digits = state.schema.editor.lines().len().to_string().len();
    u16::try_from(digits.max(2) + 3).unwrap_or(5)
}

/// Moves the window so that the caret is in it.
pub(super) fn fit(state: &mut State, inner: Rect) {
    let height = usize::from(inner.height.saturating_sub(foot(inner.height, state)));
    let width = usize::from(inner.width.saturating_sub(gutter(state)));
    state.sizes.schema = height;
    state.schema.follow();
    state.schema.settle();
    state.schema.look();
    state.schema.scroll(height);
    let cell = caret_cell(state);
    let margin = MARGIN.min(width / 3);
    if cell < state.schema.left + margin {
        state.schema.left = cell.saturating_sub(margin);
    } else if cell + margin >= state.schema.left + width {
        state.schema.left = (cell + margin + 1).saturating_sub(width);
    }
    if cell + margin < width {
        state.schema.left = 0;
    }
    measure(state, height);
}

/// The caret's cell from the start of its line.
fn caret_cell(state: &mut State) -> usize {
    let pane = &mut state.schema;
    let row = pane.editor.row();
    let byte = pane.editor.caret_offset() - pane.editor.line_start(row);
    let line = &pane.editor.lines()[row];
    pane.ruler.measure(row, line, 0, byte);
    pane.ruler.cell_of(row, line, byte)
}

/// Reads the long lines in sight as far as the window's left edge.
fn measure(state: &mut State, height: usize) {
    let pane = &mut state.schema;
    let mut row = pane.top;
    for _ in 0..height {
        let Some(line) = pane.editor.lines().get(row) else { break };
        if line.len() > LONG {
            pane.ruler.measure(row, line, pane.left, 0);
        }
        row = pane.folds.next(row);
    }
}

/// Draws the region; gives the caret's cell.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) -> Option<(u16, u16)> {
    let inner = pane(buf, area, state, areas, Region::Schema, badge(state));
    let foot = foot(inner.height, state);
    let text = Rect { height: inner.height.saturating_sub(foot), ..inner };
    if state.schema.editor.is_blank() && state.focus != Region::Schema {
        hints(buf, text, state);
    } else {
        text::lines(buf, text, state);
    }
    if state.focus == Region::Schema {
        foot::hover(buf, area, state);
    }
    let strip = Rect { y: text.bottom(), height: foot, ..inner };
    foot::report(buf, strip, state);
    caret(text, state)
}

fn badge<'a>(state: &State) -> Vec<Line<'a>> {
    let theme = &state.theme;
    let name = outside(&state.schema.name(), Role::Muted, theme);
    // A schema without a file says already that it is not saved.
    let dirty = if state.schema.dirty() && state.schema.path.is_some() { " (changed)" } else { "" };
    vec![Line::from(vec![Span::raw(" "), name, Span::styled(dirty, theme.style(Role::Warning)), Span::raw(" ")])]
}

fn hints(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let key = |id| state.keymap.shown(id);
    let rows = [
        (key(crate::command::Id::SchemaLoad), "opens a schema file"),
        (key(crate::command::Id::SchemaNew), "starts from a small schema"),
        (key(crate::command::Id::FocusSchema), "to write or paste one here"),
    ];
    let lines: Vec<Line<'_>> =
        std::iter::once(Line::styled("No schema yet: answers are plain text", theme.style(Role::Muted)))
            .chain(std::iter::once(Line::default()))
            .chain(rows.iter().map(|(key, what)| {
                Line::from(vec![
                    Span::styled(format!("{key:>7}"), theme.style(Role::KeyHint)),
                    Span::styled(format!("  {what:<27}"), theme.style(Role::Muted)),
                ])
            }))
            .collect();
    empty(theme, buf, area, &lines);
}

fn caret(text: Rect, state: &State) -> Option<(u16, u16)> {
    let pane = &state.schema;
    let row = pane.editor.row();
    let byte = pane.editor.caret_offset() - pane.editor.line_start(row);
    let cell = pane.ruler.cell_of(row, &pane.editor.lines()[row], byte).checked_sub(pane.left)?;
    let y = pane.folds.index(row).checked_sub(pane.folds.index(pane.top)).filter(|y| *y < usize::from(text.height))?;
    let x = usize::from(text.x + gutter(state)) + cell;
    let x = u16::try_from(x).ok()?.min(text.right().saturating_sub(1));
    Some((x, text.y + u16::try_from(y).ok()?))
}
