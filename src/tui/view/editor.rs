//! Lines of an editor as cells: colours by byte, a window in cells, the caret's cell.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::super::ruler::TAB;
use crate::text;

/// How a cluster shows and how wide it is.
#[must_use]
pub(super) fn shown(cluster: &str) -> (Cow<'_, str>, usize) {
    if cluster == "\t" {
        return (Cow::Borrowed("  "), TAB);
    }
    let safe = text::safe(cluster);
    let width = text::width(&safe);
    (safe, width)
}

/// The cell (from the line's start) of a character index.
#[must_use]
pub(super) fn cell_of(line: &str, column: usize) -> usize {
    let mut chars = 0;
    let mut cells = 0;
    for cluster in text::graphemes(line) {
        if chars >= column {
            break;
        }
        chars += cluster.chars().count();
        cells += shown(cluster).1;
    }
    cells
}

/// Draws a line from cell `left` on; `style` colours the cluster at a byte offset. Gives the cell it came to, or `None`
/// when the line goes on.
pub(super) fn draw_line(
    buf: &mut Buffer,
    (x, y): (u16, u16),
    width: u16,
    line: &str,
    left: usize,
    style: impl Fn(usize) -> Style,
) -> Option<usize> {
    let right = left + usize::from(width);
    let (mut cell, mut offset) = (0, 0);
    for cluster in text::graphemes(line) {
        if cell >= right {
            return None;
        }
        let (text, cells) = shown(cluster);
        if cell >= left && cell + cells <= right {
            let at = x + u16::try_from(cell - left).unwrap_or(0);
            buf.set_stringn(at, y, text.as_ref(), cells, style(offset));
        }
        cell += cells;
        offset += cluster.len();
    }
    Some(cell)
}

/// One screen row of a wrapped text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrapped {
    pub line: usize,
    /// Byte range in the line.
    pub start: usize,
    pub end: usize,
}

/// Wraps lines at `width` cells, at spaces where possible; and the caret's row and cell.
#[must_use]
pub(super) fn wrap(lines: &[String], caret: (usize, usize), width: usize) -> (Vec<Wrapped>, (usize, usize)) {
    let width = width.max(2);
    let mut rows = Vec::new();
    let mut place = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        let first = rows.len();
        wrap_line(line, index, width, &mut rows);
        if index == caret.0 {
            place = caret_place(line, caret.1, rows.get(first..).unwrap_or_default(), first, width);
        }
    }
    // The caret after a full row stands on a row of its own.
    if place.0 >= rows.len() {
        let line = lines.len().saturating_sub(1);
        let end = lines.get(line).map_or(0, String::len);
        rows.push(Wrapped { line, start: end, end });
    }
    (rows, place)
}

fn wrap_line(line: &str, index: usize, width: usize, rows: &mut Vec<Wrapped>) {
    let (mut start, mut cells, mut offset) = (0, 0, 0);
    let mut space: Option<(usize, usize)> = None;
    for cluster in text::graphemes(line) {
        let w = shown(cluster).1;
        if cells + w > width {
            let (cut, rest) = space.take().filter(|(at, _)| *at > start).map_or((offset, 0), |(at, c)| (at, cells - c));
            rows.push(Wrapped { line: index, start, end: cut });
            (start, cells) = (cut, rest);
        }
        cells += w;
        offset += cluster.len();
        if cluster == " " {
            space = Some((offset, cells));
        }
    }
    rows.push(Wrapped { line: index, start, end: line.len() });
}

fn caret_place(line: &str, column: usize, rows: &[Wrapped], first: usize, width: usize) -> (usize, usize) {
    let offset: usize = line.chars().take(column).map(char::len_utf8).sum();
    let found = rows.iter().enumerate().rev().find(|(_, r)| r.start <= offset);
    let (row, start) = found.map_or((0, 0), |(i, r)| (i, r.start));
    let cells: usize = line.get(start..offset).map_or(0, |t| text::graphemes(t).map(|c| shown(c).1).sum());
    if cells >= width && offset == line.len() { (first + row + 1, 0) } else { (first + row, cells) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, column: usize, width: usize) -> (Vec<String>, (usize, usize)) {
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let (rows, caret) = wrap(&lines, (lines.len() - 1, column), width);
        (rows.iter().map(|r| lines[r.line].get(r.start..r.end).unwrap().to_owned()).collect(), caret)
    }

    #[test]
    fn text_wraps_at_spaces_and_the_caret_follows() {
        assert_eq!(rows("abc def gh", 10, 7), (vec!["abc ".into(), "def gh".into()], (1, 6)));
        assert_eq!(rows("abcdefgh", 8, 4), (vec!["abcd".into(), "efgh".into(), String::new()], (2, 0)));
        assert_eq!(rows("汉字汉", 3, 4), (vec!["汉字".into(), "汉".into()], (1, 2)));
        assert_eq!(rows("a\n", 0, 4), (vec!["a".into(), String::new()], (1, 0)));
    }

    #[test]
    fn the_caret_stays_visible_past_a_wrap() {
        let (_, caret) = rows("abc abc abc abc abc abc abc abc ", 32, 18);
        assert_eq!(caret.0, 1);
    }

    #[test]
    fn cells_count_wide_and_hidden_characters() {
        assert_eq!(cell_of("汉a", 1), 2);
        assert_eq!(cell_of("\ta", 1), 2);
        assert!(cell_of("\u{202e}a", 1) > 0);
    }
}
