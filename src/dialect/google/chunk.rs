//! The wire shape of one response chunk, borrowed from the frame: read once, tolerant, nothing built that is not used.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

pub(super) use crate::dialect::loose::Loose;
use crate::json::Value;

/// One chunk of a stream, or a whole response.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) candidates: Option<First<'a>>,
    #[serde(borrow)]
    pub(super) prompt_feedback: Option<Box<PromptFeedback<'a>>>,
    pub(super) usage_metadata: Option<Box<Counts>>,
    #[serde(borrow, default)]
    pub(super) model_version: Loose<'a>,
    pub(super) error: Option<Box<Value>>,
}

/// The first candidate; more are never asked for.
#[derive(Debug, Default)]
pub(super) struct First<'a>(pub(super) Option<Candidate<'a>>);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) finish_message: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Content<'a> {
    #[serde(borrow)]
    pub(super) parts: Option<Vec<Part<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) text: Loose<'a>,
    pub(super) thought: Option<bool>,
    #[serde(borrow, default)]
    pub(super) thought_signature: Loose<'a>,
    /// Rare: in a box.
    #[serde(borrow)]
    pub(super) function_call: Option<Box<FunctionCall<'a>>>,
}

/// A call, whole in one part; pieces of one come from Vertex only.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionCall<'a> {
    #[serde(borrow, default)]
    pub(super) id: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) name: Loose<'a>,
    pub(super) args: Option<Value>,
    #[serde(default)]
    pub(super) partial_args: Option<Vec<PartialArg>>,
    pub(super) will_continue: Option<bool>,
}

/// A piece of the arguments: where it belongs, and what it says.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartialArg {
    pub(super) json_path: Option<String>,
    pub(super) string_value: Option<String>,
    pub(super) number_value: Option<Value>,
    /// Without any value it is null.
    pub(super) bool_value: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptFeedback<'a> {
    #[serde(borrow, default)]
    pub(super) block_reason: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) block_reason_message: Loose<'a>,
}

/// Tokens, cumulative.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct Counts {
    #[serde(rename = "promptTokenCount")]
    pub(super) prompt: Option<u64>,
    /// The answer, without thoughts.
    #[serde(rename = "candidatesTokenCount")]
    pub(super) answer: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    pub(super) thoughts: Option<u64>,
    #[serde(rename = "cachedContentTokenCount")]
    pub(super) cached: Option<u64>,
}

impl<'de: 'a, 'a> Deserialize<'de> for First<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FirstVisitor)
    }
}

struct FirstVisitor;

impl<'de> Visitor<'de> for FirstVisitor {
    type Value = First<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of candidates")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let first = seq.next_element::<Candidate<'de>>()?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(First(first))
    }
}
