//! Lists, input lines and pages above the regions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::super::state::State;
use super::super::state::popup::{Line as InputLine, List, Page, Popup, Row};
use super::super::theme::Role;
use super::{editor, empty, inner, outside, put};
use crate::text;

/// Draws a popup; gives the caret's cell.
pub(super) fn draw(buf: &mut Buffer, screen: Rect, state: &State, popup: &Popup) -> Option<(u16, u16)> {
    match popup {
        Popup::List(list) => Some(self::list(buf, screen, state, list)),
        Popup::Line(line) => Some(input(buf, screen, state, line)),
        Popup::Page(page) => {
            self::page(buf, screen, state, page);
            None
        }
    }
}

/// Where a page lies.
pub(super) fn page_area(screen: Rect) -> Rect {
    let width = screen.width.saturating_sub(if screen.width > 70 { 8 } else { 0 }).min(120);
    let height = screen.height.saturating_sub(if screen.height > 24 { 4 } else { 2 });
    centred(screen, width, height)
}

fn centred(screen: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(screen.width), height.min(screen.height));
    Rect { x: screen.x + (screen.width - width) / 2, y: screen.y + (screen.height - height) / 3, width, height }
}

fn frame(buf: &mut Buffer, area: Rect, state: &State, title: &str, note: &str) -> Rect {
    let theme = &state.theme;
    Clear.render(area, buf);
    buf.set_style(area, theme.style(Role::Popup));
    let title = format!(" {} ", text::truncate(&text::safe(title), usize::from(area.width.saturating_sub(4))));
    let note = text::truncate(note, usize::from(area.width.saturating_sub(6))).into_owned();
    let note = if note.is_empty() { note } else { format!(" {note} ") };
    Block::bordered()
        .border_set(theme.glyphs().border)
        .border_style(theme.style(Role::BorderFocus))
        .title_top(Line::styled(title, theme.style(Role::Title)))
        .title_bottom(Line::styled(note, theme.style(Role::Muted)).right_aligned())
        .render(area, buf);
    inner(area)
}

fn list(buf: &mut Buffer, screen: Rect, state: &State, list: &List) -> (u16, u16) {
    let theme = &state.theme;
    let width = screen.width.saturating_sub(if screen.width > 70 { 8 } else { 0 }).min(110);
    let most = screen.height.saturating_sub(if screen.height > 24 { 6 } else { 2 });
    let wanted = u16::try_from(list.rows.len()).unwrap_or(u16::MAX).saturating_add(4).clamp(8, most.max(8));
    let area = centred(screen, width, wanted);
    let count =
        if list.loading { "looking…".to_owned() } else { format!("{} of {}", list.matches.len(), list.rows.len()) };
    let inside = frame(buf, area, state, &list.title, &count);
    let caret = query(buf, inside, state, &list.query);
    let rows = Rect { y: inside.y + 2, height: inside.height.saturating_sub(2), ..inside };
    let dash = theme.glyphs().border.horizontal_top.repeat(usize::from(inside.width));
    put(buf, inside.x, inside.y + 1, inside.width, &Line::styled(dash, theme.style(Role::Border)));
    if list.matches.is_empty() && !list.loading {
        empty(buf, rows, &[Line::styled(list.empty.as_str(), theme.style(Role::Muted))]);
    }
    let top = (list.selected + 1).saturating_sub(usize::from(rows.height));
    let column = labels(list, top, rows);
    for (i, (index, hits)) in list.matches.iter().enumerate().skip(top).take(usize::from(rows.height)) {
        let Some(row) = list.rows.get(*index) else { continue };
        let y = rows.y + u16::try_from(i - top).unwrap_or(0);
        let on = i == list.selected;
        list_row(buf, Rect { y, height: 1, ..rows }, state, row, (hits, column, on));
    }
    caret
}

/// The width of the label column of the rows in sight.
fn labels(list: &List, top: usize, area: Rect) -> usize {
    let shown = list.matches.iter().skip(top).take(usize::from(area.height));
    let widest = shown.filter_map(|(i, _)| list.rows.get(*i)).map(|r| text::width(&r.label)).max().unwrap_or(0);
    let detailed = list.rows.iter().any(|r| !r.detail.is_empty());
    let most = usize::from(area.width) * if detailed { 3 } else { 5 } / 6;
    widest.min(most)
}

fn list_row(buf: &mut Buffer, area: Rect, state: &State, row: &Row, (hits, column, on): (&[u32], usize, bool)) {
    let theme = &state.theme;
    let sign = if on { theme.glyphs().selected } else { " " };
    let role = if row.barred.is_some() { Role::Muted } else { Role::Text };
    put(buf, area.x, area.y, 2, &Line::styled(sign, theme.style(Role::Accent)));
    let aside_width = u16::try_from(text::width(&row.aside)).unwrap_or(0).min(area.width / 2);
    let room = area.width.saturating_sub(2 + aside_width + if aside_width == 0 { 1 } else { 3 });
    let label = label(row, hits, role, state);
    put(buf, area.x + 2, area.y, room.min(u16::try_from(column).unwrap_or(room)), &Line::from(label));
    let at = u16::try_from(column + 2).unwrap_or(0);
    if at < room {
        let role = if row.barred.is_some() { Role::Warning } else { Role::Muted };
        put(buf, area.x + 2 + at, area.y, room - at, &Line::from(outside(&row.detail, role, theme)));
    }
    let aside = Line::from(outside(&row.aside, Role::KeyHint, theme));
    put(buf, area.right().saturating_sub(aside_width + 1), area.y, aside_width, &aside);
    if on {
        buf.set_style(area, theme.style(Role::Selection));
    }
}

/// The label with the matched characters marked.
fn label<'a>(row: &Row, hits: &[u32], role: Role, state: &State) -> Vec<Span<'a>> {
    let theme = &state.theme;
    if hits.is_empty() {
        return vec![outside(&row.label, role, theme)];
    }
    let base = theme.style(role);
    let spans = text::graphemes(&row.label).enumerate().map(|(i, cluster)| {
        let hit = u32::try_from(i).is_ok_and(|i| hits.binary_search(&i).is_ok());
        let style = if hit { base.patch(theme.style(Role::Accent)) } else { base };
        Span::styled(text::safe(cluster).into_owned(), style)
    });
    spans.collect()
}

/// A one-line text field; gives the caret's cell.
fn query(buf: &mut Buffer, area: Rect, state: &State, field: &super::super::state::editor::Editor) -> (u16, u16) {
    let theme = &state.theme;
    let sign = theme.glyphs().arrow;
    put(buf, area.x, area.y, 2, &Line::styled(sign, theme.style(Role::Accent)));
    let text = Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area };
    let line = field.lines().first().map_or("", String::as_str);
    let cell = editor::cell_of(line, field.caret().1);
    let left = (cell + 1).saturating_sub(usize::from(text.width));
    editor::draw_line(buf, (text.x, text.y), text.width, line, left, |_| theme.style(Role::Text));
    (text.x + u16::try_from(cell - left).unwrap_or(0), text.y)
}

fn input(buf: &mut Buffer, screen: Rect, state: &State, line: &InputLine) -> (u16, u16) {
    let area = centred(screen, screen.width.saturating_sub(8).min(80).max(screen.width.min(30)), 3);
    let inside = frame(buf, area, state, &line.title, "Enter takes, Esc closes");
    query(buf, inside, state, &line.editor)
}

fn page(buf: &mut Buffer, screen: Rect, state: &State, page: &Page) {
    let area = page_area(screen);
    let inside = frame(buf, area, state, &page.title, &page.note);
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    page.rows.render(text, buf, &page.scroll, &state.theme);
}
