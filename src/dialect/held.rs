//! A bound on what a decoder holds back: signatures and other hidden parts, arguments whose call has no name yet, blocks
//! and items that have begun. What is given out at once is bounded by the run; what is held only here would grow as
//! long as a server sends.

use super::fault::{Class, call_failure};
use crate::event::{CallFailure, ErrorCode};
use crate::json::Value;

/// All hidden text of one answer: twice the largest candidate.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Blocks, items, parts of items and calls of one answer: eight times the calls a run takes.
pub(super) const MAX_PARTS: usize = 4_096;

/// As for a run that grew past its bounds: sending it again would bring the same.
const TOO_MUCH: Class = (
    ErrorCode::Incomplete,
    false,
    "the answer grew past its bounds (16 MiB of hidden data, 4096 parts) and was dropped",
);

/// What one answer holds. It is counted, never given back: a bound on the answer, not on a moment of it.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: usize,
    parts: usize,
}

impl Held {
    /// Counts text before it is held. False when it may not be held any more.
    pub(super) fn text(&mut self, text: &str) -> bool {
        self.bytes(text.len())
    }

    /// As [`Held::text`], by length.
    pub(super) fn bytes(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        !self.is_too_much()
    }

    /// Counts a block, an item, a call before it is held. False when it may not be held any more.
    pub(super) fn part(&mut self) -> bool {
        self.parts = self.parts.saturating_add(1);
        !self.is_too_much()
    }

    /// More than any answer may hold.
    pub(super) fn is_too_much(&self) -> bool {
        self.bytes > MAX_BYTES || self.parts > MAX_PARTS
    }
}

/// How a call ends that holds too much.
pub(super) fn too_much() -> CallFailure {
    call_failure(TOO_MUCH, None, None, None)
}

/// Bytes of a value: its text, and of everything below the top as it would be written.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Null | Value::Bool(_) => 0,
        Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_parts_have_a_bound_each() {
        let mut held = Held::default();
        assert!(held.bytes(MAX_BYTES) && !held.text("x") && held.is_too_much());
        let mut held = Held::default();
        assert!((0..MAX_PARTS).all(|_| held.part()) && !held.part() && held.is_too_much());
        let mut held = Held::default();
        held.bytes(usize::MAX);
        assert!(!held.bytes(usize::MAX), "the count does not wrap");
    }

    #[test]
    fn the_message_names_the_bounds() {
        let failure = too_much();
        assert!(failure.message.contains(&format!("{} MiB", MAX_BYTES / 1024 / 1024)), "{}", failure.message);
        assert!(failure.message.contains(&MAX_PARTS.to_string()), "{}", failure.message);
        assert_eq!((failure.code, failure.retryable, failure.detail), (ErrorCode::Incomplete, false, None));
    }
}
