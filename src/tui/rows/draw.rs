//! Drawing the visible rows: one lexer run from the checkpoint above them, then cell by cell.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Mark, Rows, Syntax};
use crate::tui::cells::End;
use crate::tui::highlight::{self, Kind, Token};
use crate::tui::scroll::Scroll;
use crate::tui::theme::{Role, Theme};

/// What one frame carries from row to row.
struct Pen<'a> {
    theme: &'a Theme,
    state: highlight::State,
    line: usize,
    marks: Vec<&'a Mark>,
    area: Rect,
    left: u16,
}

impl Rows {
    /// Draws the visible rows; returns how many. Costs the visible text and at most one checkpoint's distance.
    pub fn render(&self, area: Rect, buf: &mut Buffer, scroll: &Scroll, theme: &Theme) -> usize {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return 0;
        }
        let top = scroll.top(self, usize::from(area.height));
        let end = self.len().min(top + usize::from(area.height));
        buf.set_style(area, theme.style(Role::Text));
        let mut pen = self.pen_at(top, end, area, theme);
        for (y, row) in (area.y..area.bottom()).zip(top..end) {
            self.draw_row(row, y, buf, &mut pen);
        }
        end - top
    }

    fn pen_at<'a>(&'a self, top: usize, end: usize, area: Rect, theme: &'a Theme) -> Pen<'a> {
        let seen = self.start_of(top)..self.range_of(end.saturating_sub(1)).end;
        let mut check = self.check_before(seen.start);
        let before = self.slice(check.offset..seen.start);
        self.lex(&mut check.state, before, 0, |_| {});
        Pen {
            theme,
            state: check.state,
            line: check.lines + super::newlines(before),
            marks: self.marks.iter().filter(|m| m.range.start <= seen.end && covered(m).end > seen.start).collect(),
            area,
            left: area.x + self.gutter_cells(),
        }
    }

    fn lex(&self, state: &mut highlight::State, text: &str, base: usize, mut emit: impl FnMut(Token)) {
        match self.syntax {
            Syntax::Json => highlight::lex(state, text, base, emit),
            Syntax::Plain => emit(Token { start: base, end: base + text.len(), kind: Kind::Text }),
            Syntax::Diff => emit(Token { start: base, end: base + text.len(), kind: self.side(base) }),
        }
    }

    /// Which side of a diff a row belongs to: its line's first letter says it.
    fn side(&self, at: usize) -> Kind {
        let bytes = self.text.as_bytes();
        let start = bytes.get(..at).and_then(|before| before.iter().rposition(|b| *b == b'\n')).map_or(0, |i| i + 1);
        match bytes.get(start) {
            Some(b'+') => Kind::Added,
            Some(b'-') => Kind::Removed,
            Some(b'@') => Kind::Place,
            _ => Kind::Text,
        }
    }

    fn draw_row(&self, row: usize, y: u16, buf: &mut Buffer, pen: &mut Pen<'_>) {
        let range = self.range_of(row);
        let text = self.slice(range.clone());
        let opens_line = range.start == 0 || self.text.as_bytes().get(range.start - 1) == Some(&b'\n');
        if opens_line && pen.left > pen.area.x {
            let digits = usize::from(pen.left - pen.area.x - 1);
            let number = format!("{:>digits$}", pen.line + 1);
            buf.set_stringn(pen.area.x, y, number, digits, pen.theme.style(Role::Gutter));
        }
        let mut tokens = Vec::new();
        self.lex(&mut pen.state, text, range.start, |token| tokens.push(token));
        pen.line += usize::from(text.ends_with('\n'));
        let x = self.draw_units(&range, &tokens, y, buf, pen);
        self.mark_the_end(row, (x, y), buf, pen);
    }

    fn draw_units(&self, range: &Range<usize>, tokens: &[Token], y: u16, buf: &mut Buffer, pen: &Pen<'_>) -> u16 {
        let mut hits = self.search.within(range).peekable();
        let mut tokens = tokens.iter().peekable();
        let (mut x, mut at) = (pen.left, range.start);
        while at < range.end && x < pen.area.right() {
            let Some(unit) = self.unit(at, range.start, End::Closed) else { break };
            while tokens.next_if(|token| token.end <= at).is_some() {}
            while hits.next_if(|hit| hit.end <= at).is_some() {}
            let kind = tokens.peek().map_or(Kind::Text, |token| token.kind);
            let hit = hits.peek().is_some_and(|hit| hit.start < at + unit.len);
            let style = pen.style(kind, at..at + unit.len, hit);
            x = unit.draw(buf, (x, y), pen.left, pen.area.right(), style);
            at += unit.len;
        }
        x
    }

    /// A mark at the very end of the text (it was cut off there) has no unit to stand on: it gets the cell after it.
    fn mark_the_end(&self, row: usize, at: (u16, u16), buf: &mut Buffer, pen: &Pen<'_>) {
        let last = row + 1 == self.len() && at.0 < pen.area.right();
        let mark = pen.marks.iter().find(|mark| mark.range.start >= self.laid);
        if let (true, Some(mark), Some(cell)) = (last, mark, buf.cell_mut(at)) {
            cell.set_style(pen.theme.style(mark.role));
        }
    }
}

impl Pen<'_> {
    fn style(&self, kind: Kind, unit: Range<usize>, hit: bool) -> Style {
        let mut style = self.theme.style(Role::Text).patch(self.theme.style(kind.role()));
        for mark in self.marks.iter().filter(|m| m.range.start < unit.end && covered(m).end > unit.start) {
            style = style.patch(self.theme.style(mark.role));
        }
        if hit { style.patch(self.theme.style(Role::Match)) } else { style }
    }
}

/// The bytes a mark covers: at least one.
fn covered(mark: &Mark) -> Range<usize> {
    mark.range.start..mark.range.end.max(mark.range.start + 1)
}
