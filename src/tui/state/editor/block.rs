//! Edits of whole lines: the caret's, or all that the selection touches. Each is one step of history.

use std::ops::{Range, RangeInclusive};

use super::history::Join;
use super::{Editor, INDENT};

impl Editor {
    /// The lines the selection touches; one whose first character only ends it is not meant.
    fn touched_rows(&self) -> RangeInclusive<usize> {
        let Some(range) = self.selected() else { return self.row()..=self.row() };
        let (first, last) = (self.buffer.row_of(range.start), self.buffer.row_of(range.end));
        let ends_before = last > first && self.buffer.start(last) == range.end;
        first..=last - usize::from(ends_before)
    }

    /// Their bytes, without the last line end.
    fn touched_bytes(&self) -> Range<usize> {
        let rows = self.touched_rows();
        self.buffer.start(*rows.start())..self.buffer.end(*rows.end())
    }

    /// Takes the selection out, or the whole line; gives what was taken.
    pub fn cut(&mut self) -> String {
        let text = self.copied();
        let range = self.selected().unwrap_or_else(|| self.whole_line());
        self.change(range, "", Join::Alone);
        text
    }

    /// What copying takes: the selection, or the whole line with its end.
    #[must_use]
    pub fn copied(&self) -> String {
        match self.selected_text() {
            Some(text) => text.to_owned(),
            None => format!("{}\n", self.buffer.slice(self.touched_bytes())),
        }
    }

    /// The caret's line with its end; the last line takes the end before it.
    fn whole_line(&self) -> Range<usize> {
        let bytes = self.touched_bytes();
        if bytes.end < self.buffer.len() {
            return bytes.start..bytes.end + 1;
        }
        bytes.start.saturating_sub(1)..bytes.end
    }

    /// Deletes the touched lines.
    pub fn delete_lines(&mut self) {
        let range = self.whole_line();
        let column = self.caret().1;
        self.change(range.clone(), "", Join::Alone);
        self.jump(self.buffer.row_of(range.start.min(self.buffer.len())), column);
    }

    /// Puts a copy of the touched lines below them; the caret goes along.
    pub fn duplicate_lines(&mut self) {
        let bytes = self.touched_bytes();
        let text = format!("\n{}", self.buffer.slice(bytes.clone()));
        let caret = self.at + text.len();
        self.change_many(&[(bytes.end..bytes.end, &text)], |_| caret, Join::Alone);
    }

    /// Moves the touched lines over the one above or below; the selection goes along.
    pub fn shift_lines(&mut self, way: Shift) -> bool {
        let rows = self.touched_rows();
        let moved = self.touched_bytes();
        let (range, with, by) = match way {
            Shift::Up => {
                let Some(above) = rows.start().checked_sub(1) else { return false };
                let start = self.buffer.start(above);
                let line = self.buffer.slice(start..moved.start - 1);
                let with = format!("{}\n{line}", self.buffer.slice(moved.clone()));
                (start..moved.end, with, -isize::try_from(line.len() + 1).unwrap_or(0))
            }
            Shift::Down => {
                let below = rows.end() + 1;
                if below >= self.buffer.rows() {
                    return false;
                }
                let line = self.buffer.slice(self.buffer.start(below)..self.buffer.end(below));
                let with = format!("{line}\n{}", self.buffer.slice(moved.clone()));
                (moved.start..self.buffer.end(below), with, isize::try_from(line.len() + 1).unwrap_or(0))
            }
        };
        let (at, anchor) = (self.at.saturating_add_signed(by), self.anchor.map(|a| a.saturating_add_signed(by)));
        self.change_many(&[(range, &with)], |_| at, Join::Alone);
        self.anchor = anchor.map(|anchor| self.buffer.floor(anchor));
        true
    }

    /// Moves the touched lines one step of indent in; blank ones stay.
    pub fn indent(&mut self) {
        let rows = self.touched_rows();
        let starts = rows.filter(|row| !self.lines()[*row].is_empty()).map(|row| self.buffer.start(row));
        let edits: Vec<(Range<usize>, &str)> = starts.map(|start| (start..start, INDENT)).collect();
        self.reindent(&edits);
    }

    /// Moves the touched lines one step of indent out.
    pub fn outdent(&mut self) {
        let edits: Vec<(Range<usize>, &str)> = self
            .touched_rows()
            .map(|row| {
                let (start, line) = (self.buffer.start(row), &self.lines()[row]);
                let spaces = line.bytes().take(INDENT.len()).take_while(|b| *b == b' ').count();
                let tab = usize::from(line.starts_with('\t'));
                (start..start + spaces.max(tab), "")
            })
            .filter(|(range, _)| !range.is_empty())
            .collect();
        self.reindent(&edits);
    }

    fn reindent(&mut self, edits: &[(Range<usize>, &str)]) {
        let moved = |at: usize| {
            edits.iter().filter(|(range, _)| range.start <= at).fold(at, |to, (range, with)| {
                // A caret inside what goes stays at its start.
                (to + with.len()).saturating_sub(range.len().min(at - range.start))
            })
        };
        let (at, anchor) = (moved(self.at), self.anchor.map(moved));
        self.change_many(edits, |_| at, Join::Alone);
        self.anchor = anchor.map(|anchor| self.buffer.floor(anchor));
    }
}

/// Which way lines are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    Up,
    Down,
}
