//! Search and replace in the text: the needle, its hits, going through them.

use std::ops::Range;

use super::find::find;
use super::history::Join;
use super::{Case, Editor, unix_lines};

/// The needle stays until another is set.
impl Editor {
    /// What is searched for; empty when nothing is.
    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Does the case of letters matter?
    #[must_use]
    pub fn case(&self) -> Case {
        self.case
    }

    /// Sets the search and goes to the first match at or after the start of the selection. False when there is none.
    pub fn search(&mut self, needle: &str) -> bool {
        self.set_search(needle, self.case);
        let from = self.selected().map_or(self.at, |range| range.start);
        self.go_to_match(from, Forward)
    }

    /// Sets the search without going anywhere.
    pub fn set_search(&mut self, needle: &str, case: Case) {
        needle.clone_into(&mut self.needle);
        (self.case, self.hits.0) = (case, None);
    }

    /// All hits of the needle in the text as it is.
    pub fn hits(&mut self) -> &[Range<usize>] {
        if self.hits.0 != Some(self.revision) {
            self.hits = (Some(self.revision), find(self.buffer.as_str(), &self.needle, self.case));
        }
        &self.hits.1
    }

    /// Which hit is selected, from 1, and how many there are.
    pub fn hit_count(&mut self) -> (usize, usize) {
        let selected = self.selected();
        let hits = self.hits();
        let at = selected.and_then(|range| hits.iter().position(|hit| *hit == range));
        (at.map_or(0, |i| i + 1), hits.len())
    }

    /// Goes to the next match, around the end.
    pub fn next_match(&mut self) -> bool {
        self.go_to_match(self.at, Forward)
    }

    /// Goes to the match before, around the start.
    pub fn previous_match(&mut self) -> bool {
        let from = self.selected().map_or(self.at, |range| range.start);
        self.go_to_match(from, Back)
    }

    /// Is exactly a hit selected?
    pub fn on_hit(&mut self) -> bool {
        self.hit_count().0 > 0
    }

    fn go_to_match(&mut self, from: usize, way: Way) -> bool {
        let hits = self.hits();
        let found = match way {
            Forward => hits.iter().find(|hit| hit.start >= from).or_else(|| hits.first()),
            Back => hits.iter().rev().find(|hit| hit.end <= from).or_else(|| hits.last()),
        };
        let Some(hit) = found.cloned() else { return false };
        self.select(hit);
        true
    }

    /// Replaces the selected hit and goes to the next; one that is not selected is gone to first.
    pub fn replace_hit(&mut self, with: &str) -> bool {
        if !self.on_hit() {
            return self.next_match();
        }
        let range = self.selected().unwrap_or(self.at..self.at);
        self.replace_range(range, with);
        self.go_to_match(self.at, Forward);
        true
    }

    /// Replaces every hit as one edit; gives how many.
    pub fn replace_all(&mut self, with: &str) -> usize {
        let hits = self.hits().to_vec();
        let with = unix_lines(with);
        let edits: Vec<(Range<usize>, &str)> = hits.into_iter().map(|hit| (hit, with.as_str())).collect();
        let behind = edits.iter().filter(|(hit, _)| hit.end <= self.at);
        let caret = behind.fold(self.at, |at, (hit, with)| (at + with.len()).saturating_sub(hit.len()));
        self.change_many(&edits, |_| caret, Join::Alone);
        edits.len()
    }
}

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
}
use Way::{Back, Forward};
