//! The portability board: providers by routes, and what stands in the way of the one looked at. And its one line below
//! the schema.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::State;
use super::super::state::board::BoardView;
use super::super::theme::{Role, Theme};
use super::super::update::portability_words;
use super::super::words;
use super::popup::{frame, page_area};
use super::{empty, outside, put};
use crate::catalog::known;
use crate::plan::board::{Board, Row};
use crate::plan::portability::{Objection, Portability, Support, Use};

/// Cells of the table: mark, name, three answers.
const TABLE: u16 = 44;
/// From this width on the details stand beside the table.
const BESIDE: u16 = 96;
/// Below this height there is no room for gaps.
const LOW: u16 = 20;
/// The head of the table and the line below it.
const HEAD: u16 = 2;

/// Draws the board; gives its area.
pub(super) fn draw(buf: &mut Buffer, screen: Rect, state: &State, view: BoardView) -> Rect {
    let most = page_area(screen);
    let Some(board) = state.schema.board() else {
        let area = Rect { height: most.height.min(5), ..most };
        let inside = frame(buf, area, state, "Portability", "");
        let why = if state.schema.legal().is_none() && !state.schema.checking() {
            "the schema has problems: mend them first"
        } else {
            "asking every provider"
        };
        empty(&state.theme, buf, inside, &[Line::styled(why, state.theme.style(Role::Muted))]);
        return area;
    };
    let rows = u16::try_from(board.rows.len()).unwrap_or(u16::MAX);
    let beside = most.width >= BESIDE;
    let wanted = if beside { rows + HEAD + 2 } else { most.height };
    let area = Rect { height: most.height.min(wanted.max(18)), ..most };
    let note = format!("{} of {} providers", (view.selected + 1).min(board.rows.len()), board.rows.len());
    let inside = frame(buf, area, state, &format!("Portability of {}", state.schema.name()), &note);
    let (left, right) = parts(inside, rows, beside);
    table(buf, left, state, board, view);
    if let Some(row) = view.row(board) {
        details(buf, right, state, row);
    }
    area
}

/// Table and details: beside one another, or the table above as far as it needs room.
fn parts(inside: Rect, rows: u16, beside: bool) -> (Rect, Rect) {
    if beside {
        let left = Rect { width: TABLE, ..inside };
        let right = Rect { x: inside.x + TABLE + 1, width: inside.width.saturating_sub(TABLE + 2), ..inside };
        return (left, right);
    }
    // On a low screen what stands in the way is worth more than a longer list of names.
    let share = if inside.height < LOW { inside.height / 2 } else { inside.height.saturating_mul(3) / 5 };
    let table = (rows + HEAD).min(share);
    let below = Rect { y: inside.y + table + 1, height: inside.height.saturating_sub(table + 1), ..inside };
    let below = Rect { x: below.x + 1, width: below.width.saturating_sub(2), ..below };
    (Rect { height: table, ..inside }, below)
}

fn table(buf: &mut Buffer, area: Rect, state: &State, board: &Board, view: BoardView) {
    let theme = &state.theme;
    let head =
        Line::styled(format!("  {:<12}{:<11}{:<11}prompt", "provider", "native", "tool"), theme.style(Role::Muted));
    put(theme, buf, area.x, area.y, area.width, &head);
    let dash = theme.glyphs().border.horizontal_top.repeat(usize::from(area.width));
    put(theme, buf, area.x, area.y + 1, area.width, &Line::styled(dash, theme.style(Role::Border)));
    let room = usize::from(area.height.saturating_sub(HEAD));
    let top = (view.selected + 1).saturating_sub(room);
    for (y, (at, row)) in (area.y + HEAD..area.bottom()).zip(board.rows.iter().enumerate().skip(top)) {
        let on = at == view.selected;
        let mark = if on { theme.glyphs().selected } else { " " };
        let mut line = Line::from(vec![
            Span::styled(format!("{mark} "), theme.style(Role::Accent)),
            Span::styled(format!("{:<12}", row.provider.name), theme.style(Role::Text)),
        ]);
        for support in [row.native(), row.tool()] {
            line.extend(answer(support, theme));
        }
        line.push_span(Span::styled(theme.glyphs().success, theme.style(Role::Success)));
        put(theme, buf, area.x, y, area.width, &line);
        if on {
            buf.set_style(Rect { y, height: 1, ..area }, theme.style(Role::Selection));
        }
    }
}

/// A sign and, where it is not a plain yes, a word.
fn answer<'a>(support: Support, theme: &Theme) -> [Span<'a>; 2] {
    let (sign, role) = sign(support, theme);
    [
        Span::styled(format!("{sign} "), theme.style(role)),
        Span::styled(format!("{:<9}", support.name()), theme.style(role)),
    ]
}

fn sign(support: Support, theme: &Theme) -> (&'static str, Role) {
    let glyphs = theme.glyphs();
    match support {
        Support::Accepted => (glyphs.success, Role::Success),
        Support::Narrow | Support::Relax => (glyphs.warning, Role::Warning),
        Support::Refused => (glyphs.error, Role::Error),
        Support::Unknown => (glyphs.unknown, Role::Muted),
    }
}

fn details(buf: &mut Buffer, area: Rect, state: &State, row: &Row) {
    let theme = &state.theme;
    let mut pen = Pen { buf, area, y: area.y, theme };
    let dated = row.profile().map_or(String::new(), |profile| format!("rules of {}", profile.date));
    pen.line(&Line::from(vec![
        Span::styled(row.provider.name, theme.style(Role::Title)),
        Span::styled(format!("  {dated}"), theme.style(Role::Muted)),
    ]));
    let Some(found) = &row.found else {
        pen.text("What it accepts depends on the server behind it; a probe of the model finds out.", Role::Muted);
        return;
    };
    let (_, role) = sign(found.native, theme);
    pen.text(&portability_words(found), role);
    let uses: Vec<String> = found.uses.iter().map(used).collect();
    let limits = format!("limits: {}", uses.join(" · "));
    if area.height < LOW / 2 {
        objections(&mut pen, found);
        if !uses.is_empty() && pen.fits(&limits) {
            pen.text(&limits, Role::Muted);
        }
        return;
    }
    pen.gap();
    if !uses.is_empty() {
        pen.text(&limits, Role::Muted);
        pen.gap();
    }
    objections(&mut pen, found);
}

fn used(row: &Use) -> String {
    let used = row.used.map_or_else(|| "?".to_owned(), |used| used.to_string());
    let over = if row.used.is_some_and(|used| used > row.limit) { " (over)" } else { "" };
    format!("{} {used}/{}{over}", row.what.short(), row.limit)
}

/// The places, as many as have room; the last line says how many are left.
fn objections(pen: &mut Pen<'_>, found: &Portability) {
    let mut rest = found.objections.as_slice();
    while let Some((Objection { refusal, routes }, after)) = rest.split_first() {
        if pen.left() < 3 && !after.is_empty() {
            pen.text(&format!("and {} more: Enter lists them", rest.len()), Role::Muted);
            return;
        }
        let only = if let [one] = routes { format!(" ({one} only)") } else { String::new() };
        let place = if refusal.path.is_empty() { "(root)" } else { &refusal.path };
        pen.line(&Line::from(vec![
            outside(place, Role::Text, pen.theme),
            Span::styled(format!("  {}{only}", refusal.rule), pen.theme.style(Role::Muted)),
        ]));
        pen.text(&format!("  {}", refusal.message), Role::Muted);
        rest = after;
    }
    for (at, warning) in found.warnings.iter().enumerate() {
        let text = format!("{} {}: {}", pen.theme.glyphs().warning, warning.path, warning.message);
        let last = at + 1 == found.warnings.len();
        if !pen.fits(&text) || (pen.left() < 2 && !last) {
            let left = words::count(found.warnings.len() - at, "warning");
            pen.text(&format!("{} {left} more: a larger screen shows them", pen.theme.glyphs().warning), Role::Warning);
            return;
        }
        pen.text(&text, Role::Warning);
    }
}

/// Writes lines from above until the area is full.
struct Pen<'a> {
    buf: &'a mut Buffer,
    area: Rect,
    y: u16,
    theme: &'a Theme,
}

impl Pen<'_> {
    fn left(&self) -> u16 {
        self.area.bottom().saturating_sub(self.y)
    }

    fn gap(&mut self) {
        self.y += 1;
    }

    /// Has a sentence room, all of it?
    fn fits(&self, text: &str) -> bool {
        words::wrap(text, usize::from(self.area.width)).len() <= usize::from(self.left())
    }

    fn line(&mut self, line: &Line<'_>) {
        if self.left() > 0 {
            put(self.theme, self.buf, self.area.x, self.y, self.area.width, line);
            self.y += 1;
        }
    }

    /// A sentence, broken at spaces; what is indented stays so.
    fn text(&mut self, text: &str, role: Role) {
        let lead = text.chars().take_while(|c| *c == ' ').count();
        let width = usize::from(self.area.width).saturating_sub(lead).max(1);
        let rows = words::wrap(text, width);
        let room = usize::from(self.left());
        for (at, row) in rows.iter().enumerate().take(room) {
            let cut = if at + 1 == room && rows.len() > room { self.theme.glyphs().ellipsis } else { "" };
            let line = Line::from(vec![Span::raw(" ".repeat(lead)), outside(row, role, self.theme), Span::raw(cut)]);
            self.line(&line);
        }
    }
}

/// One line below the schema: the providers that are set up here first, whole names only, then how many are left.
pub(super) fn strip<'a>(state: &State, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let Some(board) = state.schema.board() else { return Line::default() };
    let key = format!(" · {} all", state.keymap.shown(crate::command::Id::Board));
    let room = usize::from(width).saturating_sub(key.chars().count() + 6);
    let mut rows: Vec<&Row> = board.rows.iter().collect();
    rows.sort_by_key(|row| !is_set_up(state, row.provider.name));
    let mut line = Line::raw(" ");
    let mut shown = 0;
    for row in &rows {
        let (sign, role) = sign(row.native(), theme);
        let places = row.found.as_ref().map_or(0, |found| found.objections.len());
        let count = if places == 0 || row.native() == Support::Accepted { String::new() } else { format!(" {places}") };
        let name = row.provider.name;
        if line.width() + sign.len() + name.len() + count.len() + 2 > room {
            break;
        }
        line.push_span(Span::styled(sign, theme.style(role)));
        line.push_span(Span::styled(format!(" {name}{count}  "), theme.style(Role::Muted)));
        shown += 1;
    }
    if shown < rows.len() {
        line.push_span(Span::styled(format!("+{}", rows.len() - shown), theme.style(Role::Muted)));
    }
    line.push_span(Span::styled(key, theme.style(Role::KeyHint)));
    line
}

/// Can a model of this provider be called now?
fn is_set_up(state: &State, provider: &str) -> bool {
    let ready = state.models.rows.iter().filter(|row| row.ready && !row.simulated);
    ready.filter_map(|row| row.name.split('/').next()).any(|name| known::canonical(name) == provider)
}
