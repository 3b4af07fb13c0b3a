//! One attempt as the screen keeps it: its text, what became of it, where its issues are.

use std::ops::Range;

use super::findings::{Finding, findings, marks, short};
use crate::event::{ErrorCode, Usage};
use crate::issue::Issue;
use crate::json::{Hint, Part, Position, Value, locate};
use crate::machine::AttemptRecord;
use crate::tui::rows::{Gutter, Mark, Rows, Syntax};
use crate::tui::scroll::Scroll;
use crate::tui::theme::Role;

/// What became of an attempt, as the list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Streaming,
    /// Complete; the judge has not spoken.
    Judging,
    Accepted,
    /// Text of a run without a schema.
    Text,
    Rejected(ErrorCode),
    Failed(ErrorCode),
}

/// One attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub number: u32,
    pub rows: Rows,
    pub scroll: Scroll,
    pub thinking: String,
    pub fate: Fate,
    pub issues: Vec<Issue>,
    /// Where each of them is and why; worked out when the attempt was rejected.
    pub findings: Vec<Finding>,
    pub omitted: usize,
    /// For text that is no JSON.
    pub slip: Option<(Position, Option<Hint>)>,
    pub selected: usize,
    pub record: Option<AttemptRecord>,
    pub call: u32,
    pub usage: Usage,
    pub started: u64,
    pub ended: Option<u64>,
}

impl Attempt {
    pub(super) fn new(number: u32, call: u32, now: u64) -> Self {
        Self {
            number,
            rows: Rows::new(Syntax::Json, Gutter::LineNumbers),
            scroll: Scroll::default(),
            thinking: String::new(),
            fate: Fate::Streaming,
            issues: Vec::new(),
            findings: Vec::new(),
            omitted: 0,
            slip: None,
            selected: 0,
            record: None,
            call,
            usage: Usage::default(),
            started: now,
            ended: None,
        }
    }

    /// How many things are wrong, the ones left out included.
    #[must_use]
    pub fn faults(&self) -> usize {
        self.issues.len() + self.omitted + usize::from(self.slip.is_some())
    }

    /// Works out where the issues are, and marks them all.
    pub(super) fn judge(&mut self, schema: Option<&Value>, wrapped: bool) {
        self.findings = findings(self.rows.text(), &self.issues, schema, wrapped);
        self.mark();
    }

    /// The byte range in the candidate that the selected issue speaks of.
    #[must_use]
    pub fn place(&self) -> Option<Range<usize>> {
        if let Some((position, _)) = self.slip {
            let end = self.rows.text().len();
            let start = end.min(position.offset);
            return Some(start..end.min(start + 1));
        }
        self.findings.get(self.selected)?.place.clone()
    }

    /// Why the selected issue is one, in words that name what was expected.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        self.findings.get(self.selected)?.why.as_deref()
    }

    /// Marks every issue's place, the selected one's most.
    pub fn mark(&mut self) {
        let text = self.rows.text();
        let marked = match (self.slip, self.place()) {
            (Some(_), Some(place)) => vec![Mark { range: short(text, place), role: Role::MarkError }],
            (Some(_), None) => Vec::new(),
            (None, _) => marks(text, &self.findings, self.selected),
        };
        self.rows.set_marks(marked);
    }

    pub(super) fn close(&mut self, fate: Fate, now: u64) {
        if matches!(self.fate, Fate::Streaming | Fate::Judging) {
            self.fate = fate;
        }
        self.rows.finish();
        self.ended.get_or_insert(now);
    }
}

/// The value a pointer names, else the nearest ancestor that is there (a missing property has no place of its own).
pub(in crate::tui) fn nearest(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let mut pointer = pointer.to_owned();
    loop {
        if let Some(span) = locate(text, &pointer, Part::Value) {
            return Some((span.start, span.end));
        }
        pointer.truncate(pointer.rfind('/')?);
    }
}
