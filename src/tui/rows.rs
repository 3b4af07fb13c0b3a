//! Streamed text as screen rows: grows with the new bytes only, draws the visible rows only.
//!
//! Not an editor and not a parser. It holds back the last grapheme cluster until the next delta or [`Rows::finish`],
//! because that cluster may still grow; so any cutting of a text into deltas gives the same rows.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::scroll::Scroll;
use super::theme::{Role, Theme};

/// How the text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Plain,
    Json,
}

/// What stands left of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gutter {
    None,
    LineNumbers,
}

/// A marked byte range, e.g. the place of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub range: Range<usize>,
    pub role: Role,
}

/// The rows of one text.
#[derive(Debug, Clone)]
pub struct Rows {
    _todo: (),
}

impl Rows {
    /// An empty text; 80 cells wide until [`Rows::fit`].
    #[must_use]
    pub fn new(syntax: Syntax, gutter: Gutter) -> Self {
        let _ = (syntax, gutter);
        todo!()
    }

    /// A complete text.
    #[must_use]
    pub fn of(text: &str, syntax: Syntax, gutter: Gutter) -> Self {
        let _ = (text, syntax, gutter);
        todo!()
    }

    /// Appends a delta: O(delta).
    pub fn push(&mut self, delta: &str) {
        let _ = delta;
        todo!()
    }

    /// No more deltas come: the held-back cluster is laid out.
    pub fn finish(&mut self) {
        todo!()
    }

    /// Drops text, marks and hits (a new attempt begins); keeps width, syntax and search words.
    pub fn clear(&mut self) {
        todo!()
    }

    /// The whole text as received, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        todo!()
    }

    /// Sets the width of the drawing area (gutter included). Call before each frame: free when nothing changed, one
    /// pass over the text when the width did.
    pub fn fit(&mut self, width: u16) {
        let _ = width;
        todo!()
    }

    /// Number of rows (an empty text has one).
    #[must_use]
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        todo!()
    }

    /// The row that shows the byte at `offset` (clamped).
    #[must_use]
    pub fn row_of(&self, offset: usize) -> usize {
        let _ = offset;
        todo!()
    }

    /// Byte offset at which a row starts (clamped).
    #[must_use]
    pub fn start_of(&self, row: usize) -> usize {
        let _ = row;
        todo!()
    }

    /// Line (from 1) a row belongs to.
    #[must_use]
    pub fn line_of(&self, row: usize) -> usize {
        let _ = row;
        todo!()
    }

    /// Byte offset at which a line (from 1) starts (clamped): `/issues` and line jumps.
    #[must_use]
    pub fn offset_of_line(&self, line: usize) -> usize {
        let _ = line;
        todo!()
    }

    /// Replaces the marks.
    pub fn set_marks(&mut self, marks: Vec<Mark>) {
        let _ = marks;
        todo!()
    }

    /// Looks for `needle` (ASCII case folded) in what is there and in what will come; empty ends the search. Returns
    /// the number of hits so far.
    pub fn search(&mut self, needle: &str) -> usize {
        let _ = needle;
        todo!()
    }

    /// First hit that starts after `offset`, around the end.
    #[must_use]
    pub fn hit_after(&self, offset: usize) -> Option<Range<usize>> {
        let _ = offset;
        todo!()
    }

    /// Last hit that starts before `offset`, around the start.
    #[must_use]
    pub fn hit_before(&self, offset: usize) -> Option<Range<usize>> {
        let _ = offset;
        todo!()
    }

    /// Draws the visible rows; returns how many.
    pub fn render(&self, area: Rect, buf: &mut Buffer, scroll: &Scroll, theme: &Theme) -> usize {
        let _ = (area, buf, scroll, theme);
        todo!()
    }
}
