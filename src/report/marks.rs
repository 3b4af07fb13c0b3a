//! Which bytes of a candidate its issues speak of.

use std::ops::Range;

use super::Attempt;
use crate::json::{Part, locate};

/// A place, and the number of the first issue that speaks of it, from 0; nothing where the text stops being JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    pub(super) issue: Option<usize>,
}

/// The places, in order, none inside another: of a value over several lines its first character.
pub(super) fn of(attempt: &Attempt, text: &str) -> Vec<Mark> {
    let slip = attempt.position.map(|position| {
        let start = text.floor_char_boundary(position.offset.min(text.len()));
        Mark { range: start..next(text, start), issue: None }
    });
    let places = attempt.issues.iter().enumerate().filter_map(|(at, issue)| {
        let range = place(text, &format!("{}{}", attempt.base, issue.path))?;
        Some(Mark { range, issue: Some(at) })
    });
    let mut all: Vec<Mark> = slip.into_iter().chain(places).collect();
    all.sort_by_key(|mark| (mark.range.start, mark.issue));
    let mut end = 0;
    all.retain(|mark| {
        let free = mark.range.start >= end && !mark.range.is_empty();
        if free {
            end = mark.range.end;
        }
        free
    });
    all
}

/// The value a pointer names, else the nearest that is there: a missing property has no place of its own.
fn place(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut pointer = pointer.to_owned();
    loop {
        if let Some(span) = locate(text, &pointer, Part::Value) {
            let end = span.end.min(text.len());
            let value = text.get(span.start..end)?;
            let long = value.contains('\n') || value.starts_with(['{', '[']);
            return Some(span.start..if long { next(text, span.start) } else { end });
        }
        pointer.truncate(pointer.rfind('/')?);
    }
}

/// The end of the character that begins here.
fn next(text: &str, start: usize) -> usize {
    text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8())
}
