//! Search in a growing text: each byte is looked at once.

use std::ops::Range;

use super::Rows;

/// The words looked for and where they were found.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    /// ASCII lower case; empty = no search.
    needle: Vec<u8>,
    /// Starts of the hits, rising, not overlapping.
    hits: Vec<u32>,
    /// Every start below this was tried.
    tried: usize,
}

impl Search {
    pub(super) fn restart(&mut self) {
        self.hits.clear();
        self.tried = 0;
    }

    pub(super) fn read_on(&mut self, text: &str) {
        if self.needle.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        while let Some(window) = bytes.get(self.tried..self.tried + self.needle.len()) {
            if window.eq_ignore_ascii_case(&self.needle) {
                self.hits.push(u32::try_from(self.tried).unwrap_or(u32::MAX));
                self.tried += self.needle.len();
            } else {
                self.tried += 1;
            }
        }
    }

    fn range(&self, hit: Option<&u32>) -> Option<Range<usize>> {
        hit.map(|start| *start as usize..*start as usize + self.needle.len())
    }

    /// The hits that touch a byte range.
    pub(super) fn within(&self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (len, end) = (self.needle.len(), range.end);
        let first = self.hits.partition_point(|start| *start as usize + len <= range.start);
        let hits = self.hits.get(first..).unwrap_or_default().iter();
        hits.map(move |start| *start as usize..*start as usize + len).take_while(move |hit| hit.start < end)
    }
}

impl Rows {
    /// Looks for `needle` (ASCII case folded) in what is there and in what will come; empty ends the search. Returns
    /// the number of hits so far.
    pub fn search(&mut self, needle: &str) -> usize {
        self.search.needle = needle.to_ascii_lowercase().into_bytes();
        self.search.restart();
        self.search.read_on(&self.text);
        self.hits()
    }

    /// Number of hits so far.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.search.hits.len()
    }

    /// First hit that starts after `offset`, around the end.
    #[must_use]
    pub fn hit_after(&self, offset: usize) -> Option<Range<usize>> {
        let hits = &self.search.hits;
        let next = hits.partition_point(|start| *start as usize <= offset);
        self.search.range(hits.get(next).or(hits.first()))
    }

    /// Last hit that starts before `offset`, around the start.
    #[must_use]
    pub fn hit_before(&self, offset: usize) -> Option<Range<usize>> {
        let hits = &self.search.hits;
        let next = hits.partition_point(|start| (*start as usize) < offset);
        self.search.range(next.checked_sub(1).and_then(|i| hits.get(i)).or(hits.last()))
    }
}
