//! The wire shape of one chunk, borrowed from the frame: read once, tolerant, nothing built that is not used.
//!
//! Every field may be absent, null or of another type than documented; unknown fields are passed over. A chunk is no
//! document of the user's, so the strict parser is not its judge.
//!
//! What is rare stands in a box: a chunk is moved several times while it is read, and most hold one short text.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

pub(super) use crate::dialect::loose::Loose;
use crate::json::Value;

/// One chunk of a stream, or a whole response (`message` instead of `delta`).
#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) model: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) object: Loose<'a>,
    #[serde(borrow)]
    pub(super) choices: Option<First<'a>>,
    pub(super) usage: Option<Box<Value>>,
    pub(super) error: Option<Box<Value>>,
}

/// The first choice with index 0 or none; further ones (`n > 1` is never asked for) are passed over.
#[derive(Debug, Default)]
pub(super) struct First<'a>(pub(super) Option<Choice<'a>>);

#[derive(Debug, Default, Deserialize)]
pub(super) struct Choice<'a> {
    index: Option<i64>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<Box<Delta<'a>>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) native_finish_reason: Loose<'a>,
    pub(super) error: Option<Box<Value>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: Loose<'a>,
    pub(super) reasoning_details: Option<Box<Value>>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<Fragment<'a>>>,
    #[serde(borrow)]
    pub(super) function_call: Option<Box<Function<'a>>>,
}

/// A piece of a tool call.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Fragment<'a> {
    pub(super) index: Option<i64>,
    #[serde(borrow, default)]
    pub(super) id: Loose<'a>,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) name: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: Loose<'a>,
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
        f.write_str("a list of choices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut first = None;
        while first.is_none() {
            match seq.next_element::<Choice<'de>>()? {
                Some(choice) => first = Some(choice).filter(|choice| choice.index.unwrap_or(0) == 0),
                None => return Ok(First(None)),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(First(first))
    }
}
