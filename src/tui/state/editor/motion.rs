//! Where the caret goes: characters as a reader sees them, words, lines. Pure: text and offset in, offset out.

use unicode_segmentation::GraphemeCursor;

use super::buffer::Buffer;

/// Way to move the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    Top,
    Bottom,
    /// So many lines down; up when negative. Keeps the column where it can.
    Lines(isize),
}

/// What kind of thing a character is, for moves by word.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Space,
    Word,
    Mark,
}

fn class(c: char) -> Class {
    match c {
        c if c.is_whitespace() => Class::Space,
        c if c.is_alphanumeric() || c == '_' || c == '$' => Class::Word,
        _ => Class::Mark,
    }
}

/// The boundary before an offset: what reads as one character may be several code points.
pub(super) fn left(buffer: &Buffer, at: usize) -> usize {
    let line = buffer.start(buffer.row_of(at));
    if at == line {
        return at.saturating_sub(1);
    }
    let text = buffer.as_str();
    // An ASCII character never takes part in a cluster with what stands before it.
    if text.as_bytes().get(at - 1).is_some_and(u8::is_ascii) {
        return at - 1;
    }
    let before = text.get(line..at).unwrap_or_default();
    let found = GraphemeCursor::new(before.len(), before.len(), true).prev_boundary(before, 0);
    line + found.ok().flatten().unwrap_or(0)
}

/// The boundary after an offset.
pub(super) fn right(buffer: &Buffer, at: usize) -> usize {
    let end = buffer.end(buffer.row_of(at));
    if at >= end {
        return (at + 1).min(buffer.len());
    }
    let rest = buffer.slice(at..end);
    match rest.as_bytes() {
        [a, b, ..] if a.is_ascii() && b.is_ascii() => at + 1,
        _ => {
            let found = GraphemeCursor::new(0, rest.len(), true).next_boundary(rest, 0);
            at + found.ok().flatten().unwrap_or(rest.len())
        }
    }
}

/// The start of the word before an offset; at the start of a line the end of the line above.
pub(super) fn word_left(buffer: &Buffer, at: usize) -> usize {
    let start = buffer.start(buffer.row_of(at));
    if at == start {
        return at.saturating_sub(1);
    }
    let before = buffer.slice(start..at);
    let trimmed = before.trim_end();
    let Some(kind) = trimmed.chars().next_back().map(class) else { return start };
    start + trimmed.trim_end_matches(|c| class(c) == kind).len()
}

/// The start of the next word; at the end of a line the start of the line below.
pub(super) fn word_right(buffer: &Buffer, at: usize) -> usize {
    let end = buffer.end(buffer.row_of(at));
    if at >= end {
        return (at + 1).min(buffer.len());
    }
    let rest = buffer.slice(at..end);
    let kind = rest.chars().next().map_or(Class::Space, class);
    end - rest.trim_start_matches(|c| class(c) == kind).trim_start().len()
}

/// The column of an offset, in characters.
pub(super) fn column(buffer: &Buffer, at: usize) -> usize {
    buffer.slice(buffer.start(buffer.row_of(at))..at).chars().count()
}

/// The offset of a line and column; both are clamped.
pub(super) fn offset(buffer: &Buffer, row: usize, column: usize) -> usize {
    let row = row.min(buffer.rows() - 1);
    let line = buffer.line(row).unwrap_or_default();
    let inside = if column >= line.len() && line.is_ascii() {
        line.len()
    } else {
        line.char_indices().nth(column).map_or(line.len(), |(i, _)| i)
    };
    buffer.start(row) + inside
}
