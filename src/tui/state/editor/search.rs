//! Search and replace in the text: the needle, its hits, going through them.

use std::ops::Range;

use regex::Regex;

use super::find::find;
use super::history::Join;
use super::pattern::{self, Manner};
use super::{Case, Editor, unix_lines};

/// What replacing everything may make of the text, in bytes: twice what a file may hold.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// What is searched for.
#[derive(Debug, Clone, Default)]
pub struct Needle {
    text: String,
    case: Case,
    manner: Manner,
    /// The expression, or what is wrong with it; a text needs none.
    compiled: Option<Result<Regex, String>>,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The text would be larger than anything that is read.
    TooLarge,
}

impl Needle {
    /// A needle; an expression is compiled here, once.
    #[must_use]
    pub fn new(text: &str, case: Case, manner: Manner) -> Self {
        let compiled = match manner {
            Manner::Expression if !text.is_empty() => Some(pattern::compile(text, case)),
            Manner::Expression | Manner::Text => None,
        };
        Self { text: text.to_owned(), case, manner, compiled }
    }

    /// As it was typed; empty when nothing is searched for.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Does the case of letters matter?
    #[must_use]
    pub fn case(&self) -> Case {
        self.case
    }

    #[must_use]
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// What is wrong with the expression.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.compiled.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// All its places in a text, in order.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        match &self.compiled {
            Some(Ok(expression)) => pattern::find(text, expression),
            Some(Err(_)) => Vec::new(),
            None => find(text, &self.text, self.case),
        }
    }

    /// What stands in a hit's place after replacing it; `None` where nothing is found.
    fn replaced(&self, text: &str, hit: &Range<usize>, with: &str) -> Option<String> {
        match &self.compiled {
            Some(Ok(expression)) => pattern::expand(text, expression, hit, &pattern::unescaped(with)),
            Some(Err(_)) => None,
            None => Some(unix_lines(with)),
        }
    }
}

/// The needle stays until another is set.
impl Editor {
    /// What is searched for.
    #[must_use]
    pub fn needle(&self) -> &Needle {
        &self.needle
    }

    /// Searches for another text in the same manner and goes to the first match at or after the start of the selection.
    /// False when there is none.
    pub fn search(&mut self, text: &str) -> bool {
        self.set_search(Needle::new(text, self.needle.case, self.needle.manner));
        let from = self.selected().map_or(self.at, |range| range.start);
        self.go_to_match(from, Forward)
    }

    /// Sets the search without going anywhere.
    pub fn set_search(&mut self, needle: Needle) {
        (self.needle, self.hits.0) = (needle, None);
    }

    /// All hits of the needle in the text as it is.
    pub fn hits(&mut self) -> &[Range<usize>] {
        if self.hits.0 != Some(self.revision) {
            self.hits = (Some(self.revision), self.needle.find(self.buffer.as_str()));
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

    /// Replaces the selected hit and goes to the next; one that is not selected is gone to first. An expression's groups
    /// stand in `with` as `$1` or `${name}`.
    pub fn replace_hit(&mut self, with: &str) -> bool {
        if !self.on_hit() {
            return self.next_match();
        }
        let range = self.selected().unwrap_or(self.at..self.at);
        if let Some(with) = self.needle.replaced(self.buffer.as_str(), &range, with) {
            self.replace_range(range, &with);
        }
        self.go_to_match(self.at, Forward);
        true
    }

    /// Replaces every hit as one edit; gives how many.
    ///
    /// # Errors
    /// Nothing was replaced.
    pub fn replace_all(&mut self, with: &str) -> Result<usize, Refused> {
        let hits = self.hits().to_vec();
        let mut length = self.buffer.len();
        let mut edits: Vec<(Range<usize>, String)> = Vec::with_capacity(hits.len());
        for hit in hits {
            let Some(with) = self.needle.replaced(self.buffer.as_str(), &hit, with) else { continue };
            length = length + with.len() - hit.len();
            if length > MAX_TEXT {
                return Err(Refused::TooLarge);
            }
            edits.push((hit, with));
        }
        let edits: Vec<(Range<usize>, &str)> = edits.iter().map(|(hit, with)| (hit.clone(), with.as_str())).collect();
        let behind = edits.iter().filter(|(hit, _)| hit.end <= self.at);
        let caret = behind.fold(self.at, |at, (hit, with)| (at + with.len()).saturating_sub(hit.len()));
        self.change_many(&edits, |_| caret, Join::Alone);
        Ok(edits.len())
    }
}

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
}
use Way::{Back, Forward};
