//! Moves of the caret and of the selection with it.

use super::Editor;
use super::buffer::Buffer;
use super::motion::{self, Motion};

/// What a move does to the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    Drop,
    Extend,
}

impl Editor {
    /// Puts the caret on a byte offset and drops the selection.
    pub(super) fn go(&mut self, at: usize) {
        self.at = self.buffer.floor(at);
        (self.anchor, self.goal) = (None, None);
        self.history.stop_joining();
    }

    /// Moves the caret to a line and character, both from 0; what lies outside is clamped.
    pub fn jump(&mut self, row: usize, column: usize) {
        self.go(motion::offset(&self.buffer, row, column));
    }

    /// Moves the caret to a byte offset of the text.
    pub fn jump_offset(&mut self, offset: usize) {
        self.go(offset);
    }

    /// Line and character of a byte offset, clamped to the text.
    #[must_use]
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let at = self.buffer.floor(offset);
        (self.buffer.row_of(at), motion::column(&self.buffer, at))
    }

    /// Moves the caret.
    pub fn move_by(&mut self, motion: Motion, select: Select) {
        let (buffer, at) = (&self.buffer, self.at);
        let row = buffer.row_of(at);
        let mut goal = None;
        let target = match motion {
            // A selection collapses to its side.
            Motion::Left if select == Select::Drop && self.selected().is_some() => {
                self.at.min(self.anchor.unwrap_or(at))
            }
            Motion::Right if select == Select::Drop && self.selected().is_some() => {
                self.at.max(self.anchor.unwrap_or(at))
            }
            Motion::Left => motion::left(buffer, at),
            Motion::Right => motion::right(buffer, at),
            Motion::WordLeft => motion::word_left(buffer, at),
            Motion::WordRight => motion::word_right(buffer, at),
            Motion::Home => home(buffer, at),
            Motion::End => buffer.end(row),
            Motion::Top => 0,
            Motion::Bottom => buffer.len(),
            Motion::Lines(by) => {
                let column = self.goal.unwrap_or_else(|| motion::column(buffer, at));
                goal = Some(column);
                motion::offset(buffer, row.saturating_add_signed(by).min(buffer.rows() - 1), column)
            }
        };
        let anchor = (select == Select::Extend).then(|| self.anchor.unwrap_or(at));
        self.go(target);
        (self.anchor, self.goal) = (anchor, goal);
    }

    /// Moves the caret by whole lines.
    pub fn move_lines(&mut self, down: isize) {
        self.move_by(Motion::Lines(down), Select::Drop);
    }

    /// Caret to the end of the text.
    pub fn to_end(&mut self) {
        self.go(self.buffer.len());
    }
}

/// To the first character of the line that is no space; from there to its very start.
fn home(buffer: &Buffer, at: usize) -> usize {
    let row = buffer.row_of(at);
    let (start, line) = (buffer.start(row), buffer.line(row).unwrap_or_default());
    let text = start + line.len() - line.trim_start_matches([' ', '\t']).len();
    if at == text { start } else { text }
}
