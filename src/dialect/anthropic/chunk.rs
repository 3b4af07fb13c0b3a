//! The wire shape of one stream event, borrowed from the frame: read once, tolerant, nothing built that is not used.

use serde::Deserialize;

pub(super) use crate::dialect::loose::Loose;
use crate::json::Value;

/// One event of a stream. `type` may stand anywhere in it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Loose<'a>,
    pub(super) index: Option<i64>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// Rare: moved often, so in a box.
    #[serde(borrow)]
    pub(super) content_block: Option<Box<Block<'a>>>,
    #[serde(borrow)]
    pub(super) message: Option<Box<Message<'a>>>,
    pub(super) usage: Option<Box<Counts>>,
    pub(super) error: Option<Box<Value>>,
}

/// A piece of a block, or of the message itself (`stop_reason`).
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) text: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) partial_json: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) thinking: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) signature: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Loose<'a>,
    #[serde(borrow)]
    pub(super) stop_details: Option<Box<StopDetails<'a>>>,
}

/// Why a refusal.
#[derive(Debug, Default, Deserialize)]
pub(super) struct StopDetails<'a> {
    #[serde(borrow, default)]
    pub(super) category: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) explanation: Loose<'a>,
}

/// The head of a message.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) model: Loose<'a>,
    pub(super) usage: Option<Box<Counts>>,
}

/// A block as it begins, or whole.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) text: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) id: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) name: Loose<'a>,
    pub(super) input: Option<Value>,
    #[serde(borrow, default)]
    pub(super) thinking: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) signature: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) data: Loose<'a>,
}

/// Tokens, cumulative: a later event replaces what it names.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct Counts {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Option<u64>,
}
