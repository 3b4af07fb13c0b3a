//! The text itself: one string, and where its lines begin. Knows no caret, no history and no JSON.
//!
//! One string rather than a list of lines: whoever reads the whole text (check, search, completion) borrows it, and a
//! line of a mebibyte costs no more than a thousand short ones.

use std::ops::{Index, Range};

/// A text and its lines; line ends are `\n` only.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    text: String,
    /// Byte offset of each line's first character; never empty.
    starts: Vec<usize>,
}

impl Buffer {
    pub(super) fn new(text: String) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self { text, starts }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Lines; at least one.
    pub(super) fn rows(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    pub(super) fn line(&self, row: usize) -> Option<&str> {
        self.starts.get(row)?;
        self.text.get(self.start(row)..self.end(row))
    }

    /// Byte offset of a line; that of the last line when there are fewer.
    pub(super) fn start(&self, row: usize) -> usize {
        self.starts.get(row).or(self.starts.last()).copied().unwrap_or(0)
    }

    /// Byte offset of the end of a line, before its `\n`.
    pub(super) fn end(&self, row: usize) -> usize {
        self.starts.get(row + 1).map_or(self.text.len(), |next| next - 1)
    }

    /// The line that holds a byte offset.
    pub(super) fn row_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The nearest character boundary at or before an offset.
    pub(super) fn floor(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }

    /// Replaces a range; gives what stood there. Cost: the bytes and the lines behind the range are moved.
    pub(super) fn splice(&mut self, range: Range<usize>, with: &str) -> String {
        let removed = self.slice(range.clone()).to_owned();
        let (first, last) = (self.row_of(range.start), self.row_of(range.start + removed.len()));
        let end = range.start + removed.len();
        self.text.replace_range(range.start..end, with);
        let fresh: Vec<usize> = with.match_indices('\n').map(|(i, _)| range.start + i + 1).collect();
        let behind = first + 1 + fresh.len();
        self.starts.splice((first + 1)..=last, fresh);
        for start in self.starts.iter_mut().skip(behind) {
            *start = *start + with.len() - removed.len();
        }
        removed
    }
}

/// The lines of an editor, without their ends.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a>(pub(super) &'a Buffer);

impl<'a> Lines<'a> {
    /// How many; at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a line")]
    pub fn len(self) -> usize {
        self.0.rows()
    }

    /// One line.
    #[must_use]
    pub fn get(self, row: usize) -> Option<&'a str> {
        self.0.line(row)
    }

    /// The first line.
    #[must_use]
    pub fn first(self) -> Option<&'a str> {
        self.0.line(0)
    }

    /// All of them, or those from a row on with `skip`, which costs nothing.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.0.rows()).filter_map(move |row| self.0.line(row))
    }
}

impl Index<usize> for Lines<'_> {
    type Output = str;

    /// A line that is not there is empty.
    fn index(&self, row: usize) -> &str {
        self.0.line(row).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_those_of_the_text_after_any_edit(
            text in "[aä\n]{0,20}",
            edits in prop::collection::vec((0usize..24, 0usize..24, "[b語\n]{0,4}"), 0..8),
        ) {
            let mut buffer = Buffer::new(text);
            for (a, b, with) in edits {
                let (a, b) = (buffer.floor(a.min(b)), buffer.floor(a.max(b)));
                let mut wanted = buffer.as_str().to_owned();
                wanted.replace_range(a..b, &with);
                buffer.splice(a..b, &with);
                prop_assert_eq!(buffer.as_str(), &wanted);
                let lines: Vec<&str> = Lines(&buffer).iter().collect();
                prop_assert_eq!(lines, wanted.split('\n').collect::<Vec<_>>());
                for at in 0..=wanted.len() {
                    let row = buffer.row_of(at);
                    prop_assert!(buffer.start(row) <= at && at <= buffer.end(row));
                }
            }
        }
    }
}
