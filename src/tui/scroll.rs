//! Where a reader stands in streamed rows: stays where scrolled to, follows the end when at the end.
//!
//! The anchor is a byte offset, not a row, so a new width or new text below never moves the reader.

use super::rows::Rows;

/// A step through rows; the same words for text and tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Up(usize),
    Down(usize),
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
    Home,
    End,
}

/// The reader's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scroll {
    /// A byte of the topmost row; used only while not following.
    anchor: usize,
    following: bool,
}

impl Default for Scroll {
    /// At the end, following.
    fn default() -> Self {
        Self { anchor: 0, following: true }
    }
}

impl Scroll {
    /// At the first row, not following: for texts that are complete.
    #[must_use]
    pub fn at_start() -> Self {
        Self { anchor: 0, following: false }
    }

    /// Whether new text moves the view.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.following
    }

    /// Index of the topmost row for a view of `height` rows.
    #[must_use]
    pub fn top(&self, rows: &Rows, height: usize) -> usize {
        let last = rows.len().saturating_sub(height);
        if self.following { last } else { rows.row_of(self.anchor).min(last) }
    }

    /// Moves the view.
    pub fn go(&mut self, rows: &Rows, height: usize, motion: Motion) {
        let top = self.top(rows, height);
        let half = (height / 2).max(1);
        // One row of the old page stays in sight.
        let page = height.saturating_sub(1).max(1);
        let row = match motion {
            Motion::Up(n) => top.saturating_sub(n),
            Motion::Down(n) => top.saturating_add(n),
            Motion::HalfUp => top.saturating_sub(half),
            Motion::HalfDown => top.saturating_add(half),
            Motion::PageUp => top.saturating_sub(page),
            Motion::PageDown => top.saturating_add(page),
            Motion::Home => 0,
            Motion::End => usize::MAX,
        };
        self.set_top(rows, height, row);
    }

    /// Brings a byte offset into view: no movement when it is visible, else in the upper third.
    pub fn to_offset(&mut self, rows: &Rows, height: usize, offset: usize) {
        let top = self.top(rows, height);
        let row = rows.row_of(offset);
        if row >= top && row < top + height.max(1) {
            // Seen already: hold it there even if text arrives.
            let last = rows.len().saturating_sub(height);
            self.anchor = rows.start_of(top.min(last));
            self.following = false;
            return;
        }
        self.following = false;
        let row = row.saturating_sub(height / 3).min(rows.len().saturating_sub(height));
        self.anchor = rows.start_of(row);
    }

    fn set_top(&mut self, rows: &Rows, height: usize, row: usize) {
        let last = rows.len().saturating_sub(height);
        self.following = row >= last;
        self.anchor = rows.start_of(row.min(last));
    }
}
