//! A text with a caret: the schema's, and the single lines of popups.
//!
//! Every edit goes through one door (`change`), which keeps history, caret and what has to be looked at again in step.
//! Costs what is moved, not what there is: no look at the whole text for a key. Draws nothing, knows no JSON but its
//! brackets and indents.

mod block;
mod bracket;
mod buffer;
mod find;
mod history;
mod keys;
mod motion;
mod moves;
mod pattern;
mod search;

use std::ops::Range;

pub use block::Shift;
use buffer::Buffer;
pub use buffer::Lines;
pub use find::{Case, MOST as MOST_HITS, find};
use history::{Edit, History, Join};
pub use keys::motion_of;
pub use motion::Motion;
pub use moves::Select;
pub use pattern::Manner;
pub use search::{Needle, Refused};

// Terminals paste `\r`; files may hold `\r\n`: the editor knows `\n` only.
pub use crate::text::ends::unix_lines;

/// One step of indent.
const INDENT: &str = "  ";

/// A text with caret, history and search.
#[derive(Debug, Clone)]
pub struct Editor {
    buffer: Buffer,
    /// Byte offset of the caret, always on a character boundary.
    at: usize,
    /// The other end of the selection.
    anchor: Option<usize>,
    /// The column vertical moves aim at.
    goal: Option<usize>,
    history: History,
    /// Rises with every change of the text.
    revision: u64,
    /// What changed since somebody asked.
    touched: Option<Touched>,
    needle: Needle,
    /// Hits of the needle, and the revision they were found in.
    hits: (Option<u64>, Vec<Range<usize>>),
}

/// Where a text changed, over one or more edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The first byte that changed: what was worked out of the text before it still holds.
    pub first: usize,
    /// So many bytes at the end are as they were.
    pub tail: usize,
}

impl Default for Editor {
    fn default() -> Self {
        Self::new("")
    }
}

impl Editor {
    /// An editor that holds `text`, the caret at its start.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            buffer: Buffer::new(unix_lines(text)),
            at: 0,
            anchor: None,
            goal: None,
            history: History::default(),
            revision: 0,
            touched: Some(Touched { first: 0, tail: 0 }),
            needle: Needle::default(),
            hits: (None, Vec::new()),
        }
    }

    /// The lines, without their ends.
    #[must_use]
    pub fn lines(&self) -> Lines<'_> {
        Lines(&self.buffer)
    }

    /// A copy of the whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.buffer.as_str().to_owned()
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.buffer.as_str()
    }

    /// Nothing but white space?
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.as_str().chars().all(char::is_whitespace)
    }

    /// Rises with every change of the text.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What changed since the last call.
    pub fn take_touched(&mut self) -> Option<Touched> {
        self.touched.take()
    }

    /// Caret: line and character, from 0.
    #[must_use]
    pub fn caret(&self) -> (usize, usize) {
        self.place(self.at)
    }

    /// The caret's line, from 0.
    #[must_use]
    pub fn row(&self) -> usize {
        self.buffer.row_of(self.at)
    }

    /// Byte offset of the caret in the text.
    #[must_use]
    pub fn caret_offset(&self) -> usize {
        self.at
    }

    /// Byte offset of a line's first character.
    #[must_use]
    pub fn line_start(&self, row: usize) -> usize {
        self.buffer.start(row)
    }

    /// The line that holds a byte offset.
    #[must_use]
    pub fn row_of(&self, offset: usize) -> usize {
        self.buffer.row_of(offset)
    }

    /// The selected bytes.
    #[must_use]
    pub fn selected(&self) -> Option<Range<usize>> {
        let anchor = self.anchor.filter(|anchor| *anchor != self.at)?;
        Some(anchor.min(self.at)..anchor.max(self.at))
    }

    /// The selected text.
    #[must_use]
    pub fn selected_text(&self) -> Option<&str> {
        self.selected().map(|range| self.buffer.slice(range))
    }

    /// Selects a range, the caret at its end; both are put on characters.
    pub fn select(&mut self, range: Range<usize>) {
        self.go(range.end);
        self.anchor = Some(self.buffer.floor(range.start));
    }

    /// Selects everything.
    pub fn select_all(&mut self) {
        self.select(0..self.buffer.len());
    }

    /// The one door for edits: ranges in order that do not overlap, each with its new text; one step of history.
    fn change_many(&mut self, edits: &[(Range<usize>, &str)], after: impl FnOnce(&Buffer) -> usize, join: Join) {
        let before = (self.at, self.anchor);
        let mut made = Vec::with_capacity(edits.len());
        // From the end, so that the places of those before still hold.
        for (range, with) in edits.iter().rev() {
            let range = self.buffer.floor(range.start)..self.buffer.floor(range.end);
            let with = with.to_owned();
            touch(&mut self.touched, &self.buffer, &range);
            let removed = self.buffer.splice(range.clone(), with);
            made.push(Edit { at: range.start, removed, put: with.to_owned() });
        }
        if made.iter().all(|edit| edit.removed == edit.put) {
            return;
        }
        self.revision += 1;
        self.at = self.buffer.floor(after(&self.buffer));
        (self.anchor, self.goal) = (None, None);
        self.history.push(made, before, (self.at, None), join);
    }

    fn change(&mut self, range: Range<usize>, with: &str, join: Join) {
        let after = range.start + with.len();
        self.change_many(&[(range, with)], |_| after, join);
    }

    /// Begins with another text: what was undone or done to the one before is forgotten, so that no undo brings the text
    /// of one file under the name of another.
    pub fn begin(&mut self, text: &str) {
        self.replace(text);
        self.history = History::default();
    }

    /// Replaces everything, the caret at the start; can be undone. Only what differs is touched.
    pub fn replace(&mut self, text: &str) {
        self.replace_keeping(text, 0);
    }

    /// Replaces everything, the caret at a byte offset of the new text.
    pub fn replace_keeping(&mut self, text: &str, caret: usize) {
        let text = unix_lines(text);
        let (range, with) = difference(self.as_str(), &text);
        self.change_many(&[(range, with)], |_| caret, Join::Alone);
        self.go(caret);
    }

    /// Replaces one range; the caret goes behind it.
    pub fn replace_range(&mut self, range: Range<usize>, with: &str) {
        self.change(range, &unix_lines(with), Join::Alone);
    }

    /// Inserts text at the caret as one edit; what is selected goes.
    pub fn insert(&mut self, text: &str) {
        self.put(&unix_lines(text), Join::Alone);
    }

    fn put(&mut self, text: &str, join: Join) {
        let range = self.selected().unwrap_or(self.at..self.at);
        self.change(range, text, join);
    }

    /// Empties the text; can be undone.
    pub fn clear(&mut self) {
        self.replace("");
    }

    /// Takes back the last edit: a run of typed letters is one.
    pub fn undo(&mut self) -> bool {
        let (buffer, touched) = (&mut self.buffer, &mut self.touched);
        let caret = self.history.undo(|edit| {
            let range = edit.at..edit.at + edit.put.len();
            touch(touched, buffer, &range);
            buffer.splice(range, &edit.removed);
        });
        self.restored(caret)
    }

    /// Makes an undone edit again.
    pub fn redo(&mut self) -> bool {
        let (buffer, touched) = (&mut self.buffer, &mut self.touched);
        let caret = self.history.redo(|edit| {
            let range = edit.at..edit.at + edit.removed.len();
            touch(touched, buffer, &range);
            buffer.splice(range, &edit.put);
        });
        self.restored(caret)
    }

    fn restored(&mut self, caret: Option<history::Caret>) -> bool {
        let Some((at, anchor)) = caret else { return false };
        (self.at, self.anchor, self.goal) = (at, anchor, None);
        self.revision += 1;
        true
    }
}

/// Notes that a range is about to be replaced.
fn touch(touched: &mut Option<Touched>, buffer: &Buffer, range: &Range<usize>) {
    let tail = buffer.len().saturating_sub(range.end);
    let before = touched.unwrap_or(Touched { first: range.start, tail });
    *touched = Some(Touched { first: before.first.min(range.start), tail: before.tail.min(tail) });
}

/// The range of `old` that `new` has otherwise, and what it has there: without their common beginning and end.
fn difference<'t>(old: &str, new: &'t str) -> (Range<usize>, &'t str) {
    let same = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let head = old.floor_char_boundary(same(old.as_bytes(), new.as_bytes()));
    let head = new.floor_char_boundary(head);
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
    let old_end = old.ceil_char_boundary(old.len() - tail);
    let new_end = new.ceil_char_boundary(new.len() - tail);
    let tail = (old.len() - old_end).min(new.len() - new_end);
    (head..old.len() - tail, new.get(head..new.len() - tail).unwrap_or_default())
}

#[cfg(test)]
mod tests;
