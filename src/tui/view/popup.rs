//! Lists, input lines and pages above the regions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::super::state::State;
use super::super::state::editor::Editor;
use super::super::state::popup::{Line as InputLine, List, Page, Popup, Purpose, Row};
use super::super::theme::{Role, Theme};
use super::super::words;
use super::{editor, empty, inner, outside, put};
use crate::text;

/// Draws a popup; gives the caret's cell.
pub(super) fn draw(buf: &mut Buffer, screen: Rect, state: &State, popup: &Popup) -> Option<(u16, u16)> {
    let (area, caret) = match popup {
        Popup::List(list) => self::list(buf, screen, state, list),
        Popup::Line(line) => input(buf, screen, state, line),
        Popup::Page(page) => (self::page(buf, screen, state, page), None),
        Popup::Ask(ask) => (self::page(buf, screen, state, &ask.page), None),
        Popup::Board(view) => (super::board::draw(buf, screen, state, *view.as_ref()), None),
        Popup::Raw(view) => (super::raw::draw(buf, screen, state, view), None),
        Popup::Turns(view) => (super::turns::draw(buf, screen, state, view), None),
    };
    ground(buf, area, &state.theme);
    caret
}

/// Draws a popup that another one covers: there, but not where keys go.
pub(super) fn draw_below(buf: &mut Buffer, screen: Rect, state: &State, popup: &Popup) {
    let before = buf.clone();
    draw(buf, screen, state, popup);
    let quiet = state.theme.style(Role::Muted);
    for position in screen.intersection(buf.area).positions() {
        let old = before.cell(position).cloned();
        if let Some(cell) = buf.cell_mut(position).filter(|cell| old.as_ref() != Some(*cell)) {
            cell.set_style(quiet);
        }
    }
}

/// What a popup shows is styled for the screen's ground; here it stands on the popup's.
pub(super) fn ground(buf: &mut Buffer, area: Rect, theme: &Theme) {
    let (screen, popup) = (theme.style(Role::Text).bg, theme.style(Role::Popup).bg);
    let (Some(screen), Some(popup)) = (screen, popup) else { return };
    for position in area.intersection(buf.area).positions() {
        if let Some(cell) = buf.cell_mut(position).filter(|c| c.bg == screen) {
            cell.set_bg(popup);
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

pub(super) fn frame(buf: &mut Buffer, area: Rect, state: &State, title: &str, note: &str) -> Rect {
    let theme = &state.theme;
    Clear.render(area, buf);
    buf.set_style(area, theme.style(Role::Popup));
    let title = format!(" {} ", text::truncate(&text::safe(title), usize::from(area.width.saturating_sub(4))));
    let note = text::truncate(note, usize::from(area.width.saturating_sub(6))).into_owned();
    let note = if note.is_empty() { note } else { format!(" {note} ") };
    let (title, note) = (theme.glyphs().fold(&title), theme.glyphs().fold(&note));
    Block::bordered()
        .border_set(theme.glyphs().border)
        .border_style(theme.style(Role::BorderFocus))
        .title_top(Line::styled(title, theme.style(Role::Title)))
        .title_bottom(Line::styled(note, theme.style(Role::Muted)).right_aligned())
        .render(area, buf);
    inner(area)
}

fn list(buf: &mut Buffer, screen: Rect, state: &State, list: &List) -> (Rect, Option<(u16, u16)>) {
    let theme = &state.theme;
    let width = screen.width.saturating_sub(if screen.width > 70 { 8 } else { 0 }).min(110);
    let most = screen.height.saturating_sub(if screen.height > 24 { 6 } else { 2 });
    let columns = Columns::of(list, width.saturating_sub(2));
    let told = if columns.without_detail(list) { TOLD } else { 0 };
    let wanted = u16::try_from(list.rows.len()).unwrap_or(u16::MAX).saturating_add(4 + told).clamp(8, most.max(8));
    let area = centred(screen, width, wanted);
    let count =
        if list.loading { "looking…".to_owned() } else { format!("{} of {}", list.matches.len(), list.rows.len()) };
    let inside = frame(buf, area, state, &list.title, &count);
    let caret = query(buf, inside, state, &list.query, Role::Text);
    let below = Rect { y: inside.y + 2, height: inside.height.saturating_sub(2), ..inside };
    let told = if below.height > TOLD + 1 { told } else { 0 };
    let rows = Rect { height: below.height - told, ..below };
    if told > 0 {
        detail(buf, Rect { y: rows.bottom(), height: told, ..below }, state, list);
    }
    let dash = theme.glyphs().border.horizontal_top.repeat(usize::from(inside.width));
    put(theme, buf, inside.x, inside.y + 1, inside.width, &Line::styled(dash, theme.style(Role::Border)));
    if list.matches.is_empty() && !list.loading {
        empty(theme, buf, rows, &[Line::styled(list.empty.as_str(), theme.style(Role::Muted))]);
    }
    let top = (list.selected + 1).saturating_sub(usize::from(rows.height));
    for (i, (index, hits)) in list.matches.iter().enumerate().skip(top).take(usize::from(rows.height)) {
        let Some(row) = list.rows.get(*index) else { continue };
        let y = rows.y + u16::try_from(i - top).unwrap_or(0);
        let on = i == list.selected;
        list_row(buf, Rect { y, height: 1, ..rows }, state, row, (hits, columns, on));
    }
    (area, Some(caret))
}

/// Cells between two columns of a list.
const GAP: usize = 2;
/// A detail in fewer cells says nothing: its column is left out.
const DETAIL: usize = 16;

/// Rows below a list for the selected row's detail, where its column has no room.
const TOLD: u16 = 2;

/// The detail of the selected row, below the list.
fn detail(buf: &mut Buffer, area: Rect, state: &State, list: &List) {
    let Some(row) = list.row() else { return };
    let lines = words::wrap(&row.detail, usize::from(area.width.saturating_sub(4)));
    for (y, line) in (area.y..area.bottom()).zip(&lines) {
        let line = Line::from(outside(line, Role::Muted, &state.theme));
        put(&state.theme, buf, area.x + 2, y, area.width.saturating_sub(3), &line);
    }
}

/// The widths of a list's columns, the same for all its rows so that nothing jumps while one scrolls or types.
#[derive(Clone, Copy, Default)]
struct Columns {
    label: usize,
    detail: usize,
    aside: usize,
    key: usize,
}

impl Columns {
    fn of(list: &List, width: u16) -> Self {
        let widest = |part: fn(&Row) -> &str| list.rows.iter().map(|r| text::width(part(r))).max().unwrap_or(0);
        let gap = |width: usize| if width == 0 { 0 } else { width + GAP };
        // The mark of the selection left, one cell right.
        let room = usize::from(width).saturating_sub(3);
        let detailed = list.rows.iter().any(|r| !r.detail.is_empty());
        let most = if detailed { room * 3 / 5 } else { room };
        let mut columns = Self {
            label: widest(|r| &r.label).min(most),
            detail: 0,
            aside: widest(|r| &r.aside).min(room / 2),
            key: widest(|r| &r.key).min(room / 3),
        };
        // A slash name can be typed without being seen; a key cannot be pressed.
        if columns.key > 0 && columns.label + gap(columns.aside) + gap(columns.key) > room {
            columns.aside = 0;
        }
        let asides = gap(columns.aside) + gap(columns.key);
        columns.label = columns.label.min(room.saturating_sub(asides));
        let left = room.saturating_sub(columns.label + asides + GAP);
        columns.detail = if detailed && left >= DETAIL { left } else { 0 };
        columns
    }

    /// Has the list details and no column for them?
    fn without_detail(self, list: &List) -> bool {
        self.detail == 0 && list.rows.iter().any(|row| !row.detail.is_empty())
    }
}

fn list_row(buf: &mut Buffer, area: Rect, state: &State, row: &Row, (hits, columns, on): (&[u32], Columns, bool)) {
    let theme = &state.theme;
    let cells = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let sign = if on { theme.glyphs().selected } else { " " };
    let (role, why) = if row.barred.is_some() { (Role::Muted, Role::Warning) } else { (Role::Text, Role::Muted) };
    put(theme, buf, area.x, area.y, 2, &Line::styled(sign, theme.style(Role::Accent)));
    put(theme, buf, area.x + 2, area.y, cells(columns.label), &Line::from(label(row, hits, role, state)));
    let at = area.x + 2 + cells(columns.label + GAP);
    put(theme, buf, at, area.y, cells(columns.detail), &Line::from(outside(&row.detail, why, theme)));
    let right = area.right().saturating_sub(1);
    let key = right.saturating_sub(cells(columns.key));
    put(theme, buf, key, area.y, cells(columns.key), &Line::from(outside(&row.key, Role::KeyHint, theme)));
    let gap = if columns.key == 0 { 0 } else { cells(GAP) };
    let aside = key.saturating_sub(cells(columns.aside) + gap);
    put(theme, buf, aside, area.y, cells(columns.aside), &Line::from(outside(&row.aside, Role::Accent, theme)));
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
fn query(buf: &mut Buffer, area: Rect, state: &State, field: &Editor, role: Role) -> (u16, u16) {
    let theme = &state.theme;
    let sign = theme.glyphs().arrow;
    put(theme, buf, area.x, area.y, 2, &Line::styled(sign, theme.style(Role::Accent)));
    let text = Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area };
    let line = field.lines().first().unwrap_or_default();
    let cell = editor::cell_of(line, field.caret().1);
    let left = (cell + 1).saturating_sub(usize::from(text.width));
    editor::draw_line(buf, (text.x, text.y), text.width, line, left, |_| theme.style(role));
    (text.x + u16::try_from(cell - left).unwrap_or(0), text.y)
}

/// At the foot of the schema, so that the text stays in sight while it is searched.
fn below(screen: Rect, state: &State) -> Rect {
    let region = state.sizes.regions.first().copied().flatten().unwrap_or(screen);
    let width = region.width.max(screen.width.min(30));
    Rect { width, height: 3, y: region.bottom().saturating_sub(3), ..region }.intersection(screen)
}

fn input(buf: &mut Buffer, screen: Rect, state: &State, line: &InputLine) -> (Rect, Option<(u16, u16)>) {
    let (area, note) = match line.purpose {
        Purpose::SearchSchema => (below(screen, state), "Enter takes, Alt-C case, Alt-R regex, Esc closes"),
        Purpose::ReplaceSchema => (below(screen, state), "Enter this one, Alt-Enter all, Esc closes"),
        Purpose::SearchResult
        | Purpose::SaveSchema
        | Purpose::ExportResult
        | Purpose::ExportRun
        | Purpose::FieldKeyword(_)
        | Purpose::FieldName
        | Purpose::FieldNew
        | Purpose::NameVersion
        | Purpose::NameFunction => (
            centred(screen, screen.width.saturating_sub(8).min(80).max(screen.width.min(30)), 3),
            "Enter takes, Esc closes",
        ),
    };
    let inside = frame(buf, area, state, &line.title, note);
    let role = if line.offered { Role::Selection } else { Role::Text };
    (area, Some(query(buf, inside, state, &line.editor, role)))
}

fn page(buf: &mut Buffer, screen: Rect, state: &State, page: &Page) -> Rect {
    let most = page_area(screen);
    // A short page takes what it needs: around it stays in sight what it speaks of.
    let wanted = u16::try_from(page.rows.len()).unwrap_or(u16::MAX).saturating_add(2).max(5);
    let area = Rect { height: most.height.min(wanted), ..most };
    let inside = frame(buf, area, state, &page.title, &page.note);
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    page.rows.render(text, buf, &page.scroll, &state.theme);
    area
}
