//! The prompt composer and its completion list.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::super::layout::Areas;
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::{editor, outside, pane, put};
use crate::command::Id;
use crate::text;

/// Rows of the completion list at most.
const MOST: usize = 8;

/// Draws the region; gives the caret's cell.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) -> (u16, u16) {
    let theme = &state.theme;
    let inner = pane(buf, area, state, areas, Region::Prompt, Vec::new());
    let text = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let pane = &state.prompt.editor;
    let (rows, caret) = editor::wrap(pane.lines(), pane.caret(), usize::from(text.width));
    let height = usize::from(text.height);
    let top = (caret.0 + 1).saturating_sub(height);
    if pane.is_blank() && pane.lines().len() == 1 {
        placeholder(buf, text, state);
    }
    for (i, row) in rows.iter().skip(top).take(height).enumerate() {
        let line = pane.lines().get(row.line).and_then(|l| l.get(row.start..row.end)).unwrap_or_default();
        let role = if state.prompt.is_slash() { Role::Accent } else { Role::Text };
        let y = text.y + u16::try_from(i).unwrap_or(0);
        let selected = |offset: usize| selected(state, row.line, row.start + offset);
        editor::draw_line(buf, (text.x, y), text.width, line, 0, |o| {
            let base = theme.style(role);
            if selected(o) { base.patch(theme.style(Role::Selection)) } else { base }
        });
    }
    let x = text.x + u16::try_from(caret.1).unwrap_or(0).min(text.width.saturating_sub(1));
    (x, text.y + u16::try_from(caret.0 - top).unwrap_or(0))
}

fn selected(state: &State, line: usize, offset: usize) -> bool {
    let editor = &state.prompt.editor;
    let column = |text: &String| text.get(..offset).map_or(0, |head| head.chars().count());
    let at = (line, editor.lines().get(line).map_or(0, column));
    editor.selection().is_some_and(|(start, end)| at >= start && at < end)
}

fn placeholder(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let style = theme.style(Role::Placeholder);
    let first = match state.prompt.last() {
        Some(last) => {
            let last = last.lines().next().unwrap_or_default();
            let run = state.keymap.shown(Id::RunStart);
            let room = usize::from(area.width).saturating_sub(run.len() + 16);
            format!("{run} runs again: {}", text::truncate(&text::safe(last), room))
        }
        None if state.habits.toured => "Ask for something…  / for commands".to_owned(),
        None => "Ask for something…  /tour shows how".to_owned(),
    };
    put(theme, buf, area.x, area.y, area.width, &Line::styled(first, style));
}

/// The completion list, above the prompt (below it when there is no room).
pub(super) fn completions(buf: &mut Buffer, areas: &Areas, state: &State) {
    let Some(prompt) = areas.of(Region::Prompt) else { return };
    let theme = &state.theme;
    let offers = &state.prompt.completions;
    let screen = buf.area;
    let above = prompt.y.saturating_sub(screen.y);
    let below = screen.bottom().saturating_sub(prompt.bottom());
    let room = above.max(below).saturating_sub(2);
    let rows = offers.len().min(MOST).min(usize::from(room));
    if rows == 0 {
        return;
    }
    let height = u16::try_from(rows).unwrap_or(0) + 2;
    let width = prompt.width.max(46).min(screen.right().saturating_sub(prompt.x));
    let y = if above >= height { prompt.y - height } else { prompt.bottom() };
    let area = Rect { x: prompt.x, y, width, height: height.min(screen.bottom().saturating_sub(y)) };
    Clear.render(area, buf);
    buf.set_style(area, theme.style(Role::Popup));
    let count = format!(" {}/{} ", state.prompt.selected + 1, offers.len());
    Block::bordered()
        .border_set(theme.glyphs().border)
        .border_style(theme.style(Role::BorderFocus))
        .title_bottom(Line::styled(count, theme.style(Role::Muted)).right_aligned())
        .render(area, buf);
    let inner = super::inner(area);
    let top = (state.prompt.selected + 1).saturating_sub(usize::from(inner.height));
    let shown = offers.iter().skip(top).take(usize::from(inner.height));
    let column = shown.clone().map(|o| text::width(&o.shown)).max().unwrap_or(0).min(usize::from(inner.width) * 2 / 3);
    for (i, offer) in shown.enumerate() {
        let row_y = inner.y + u16::try_from(i).unwrap_or(0);
        let on = top + i == state.prompt.selected;
        let sign = if on { theme.glyphs().selected } else { " " };
        let name = text::safe(&offer.shown).into_owned();
        let pad = " ".repeat(column.saturating_sub(text::width(&name)) + 2);
        let line = Line::from(vec![
            Span::styled(format!("{sign} "), theme.style(Role::Accent)),
            Span::raw(format!("{name}{pad}")),
            outside(&offer.doc, Role::Muted, theme),
        ]);
        put(theme, buf, inner.x, row_y, inner.width, &line);
        if on {
            buf.set_style(Rect { y: row_y, height: 1, ..inner }, theme.style(Role::Selection));
        }
    }
}
