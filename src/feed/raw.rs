//! What one read of a call brought, packed: its bytes, and the events that were decoded from them.
//!
//! For the user's own screen only. Packs, keeps no more than a share of a run's bound, decides nothing.

use std::fmt::Write;

use crate::event::{RawEvent, Terminal, Usage};
use crate::machine::Stand;

/// One network read (or one batch of a source without a wire), and what it was decoded to.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRead {
    pub call: u32,
    /// The attempt it belongs to.
    pub attempt: u32,
    /// Since the call was sent.
    pub at_ms: u64,
    /// As they arrived, secrets out; empty where there is no wire.
    pub bytes: Vec<u8>,
    /// The events' texts, one after the other.
    pub text: String,
    pub events: Vec<Noted>,
    /// Where the run stands after it.
    pub stand: Stand,
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    pub kind: Kind,
    /// Which tool call, within the provider call.
    pub slot: u32,
    /// Where its text ends in the read's.
    pub end: u32,
}

/// What an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Thinking,
    /// Its text is the tool's name.
    ToolStart,
    ToolArgs,
    Refusal,
    Usage,
    Model,
    /// An opaque part that goes back unchanged.
    Keep,
    Restart,
    Terminal,
    /// The call failed outside its stream.
    Failed,
}

/// Reads that were not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadsCut {
    pub reads: u64,
    pub bytes: u64,
}

/// All reads of a run together, packed.
pub const MOST: usize = 64 * 1024 * 1024;
/// Of a text that is no part of the answer this many characters are kept.
const NOTE: usize = 400;

impl RawRead {
    /// Packs events; what they said beside the answer is cut to a note.
    #[must_use]
    pub fn pack(events: &[RawEvent]) -> (String, Vec<Noted>) {
        let mut text = String::new();
        let noted = events.iter().map(|event| {
            let (kind, slot) = note(event, &mut text);
            Noted { kind, slot, end: u32::try_from(text.len()).unwrap_or(u32::MAX) }
        });
        let noted = noted.collect();
        (text, noted)
    }

    /// Bytes it takes to keep it.
    #[must_use]
    pub fn size(&self) -> usize {
        const READ: usize = 64;
        READ + self.bytes.len() + self.text.len() + self.events.len() * 2 * size_of::<Noted>()
    }
}

fn note(event: &RawEvent, text: &mut String) -> (Kind, u32) {
    let (kind, slot, said) = match event {
        RawEvent::Text { delta } => (Kind::Text, 0, delta.as_str()),
        RawEvent::Thinking { delta } => (Kind::Thinking, 0, delta.as_str()),
        RawEvent::ToolArgs { slot, delta } => (Kind::ToolArgs, *slot, delta.as_str()),
        RawEvent::Refusal { delta } => (Kind::Refusal, 0, delta.as_str()),
        RawEvent::ToolStart { slot, name, .. } => (Kind::ToolStart, *slot, name.as_str()),
        RawEvent::Model { id } => (Kind::Model, 0, id.as_str()),
        RawEvent::Restart => (Kind::Restart, 0, ""),
        RawEvent::Usage { usage } => {
            usage_words(*usage, text);
            (Kind::Usage, 0, "")
        }
        RawEvent::Keep { part } => {
            let written = part.to_string();
            text.extend(written.chars().take(NOTE));
            (Kind::Keep, 0, "")
        }
        RawEvent::Terminal { terminal } => {
            terminal_words(terminal, text);
            (Kind::Terminal, 0, "")
        }
    };
    text.push_str(said);
    (kind, slot)
}

fn usage_words(usage: Usage, text: &mut String) {
    let parts = [
        ("in", usage.input_tokens),
        ("out", usage.output_tokens),
        ("reasoning", usage.reasoning_tokens),
        ("cached", usage.cached_tokens),
    ];
    let said = parts.iter().filter_map(|(label, n)| n.map(|n| format!("{label} {n}")));
    text.push_str(&said.collect::<Vec<_>>().join(" "));
}

fn terminal_words(terminal: &Terminal, text: &mut String) {
    let word = match terminal {
        Terminal::Stop => "stop",
        Terminal::ToolUse => "tool_use",
        Terminal::Length => "length",
        Terminal::Refusal => "refusal",
        Terminal::ContentFilter => "content_filter",
        Terminal::Paused => "paused",
        Terminal::ContextOverflow => "context_overflow",
        Terminal::Missing => "missing",
        Terminal::Error { failure } => {
            let _ = write!(text, "error {}: ", failure.code);
            text.extend(failure.message.chars().take(NOTE));
            ""
        }
        Terminal::Unknown { word } => {
            text.push_str("unknown: ");
            text.extend(word.chars().take(NOTE));
            ""
        }
    };
    text.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_packed_with_their_texts() {
        let usage = Usage { input_tokens: Some(3), output_tokens: Some(9), ..Usage::default() };
        let events = [
            RawEvent::Text { delta: "{\"a\"".to_owned() },
            RawEvent::ToolStart { slot: 2, id: "c1".to_owned(), name: "submit".to_owned() },
            RawEvent::Usage { usage },
            RawEvent::Keep { part: serde_json::json!("x".repeat(5_000)) },
            RawEvent::Terminal { terminal: Terminal::Unknown { word: "odd".to_owned() } },
        ];
        let (text, noted) = RawRead::pack(&events);
        let mut from = 0;
        let parts: Vec<(Kind, u32, &str)> = noted
            .iter()
            .map(|n| (n.kind, n.slot, text.get(std::mem::replace(&mut from, n.end as usize)..n.end as usize).unwrap()))
            .collect();
        assert_eq!(parts[0], (Kind::Text, 0, "{\"a\""));
        assert_eq!(parts[1], (Kind::ToolStart, 2, "submit"));
        assert_eq!(parts[2], (Kind::Usage, 0, "in 3 out 9"));
        assert_eq!((parts[3].0, parts[3].2.len()), (Kind::Keep, NOTE));
        assert_eq!(parts[4], (Kind::Terminal, 0, "unknown: odd"));
    }
}
