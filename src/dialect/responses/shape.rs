//! The wire shape of one event, borrowed from the frame. Every field may be absent; unknown ones are passed over.
//! What comes once a response (items, the response itself) is read as values.

use serde::Deserialize;

use crate::dialect::loose::Loose;
use crate::json::Value;

/// One event of the stream.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Loose<'a>,
    /// A fragment of text, refusal, arguments or reasoning.
    #[serde(borrow, default)]
    pub(super) delta: Loose<'a>,
    pub(super) output_index: Option<u64>,
    pub(super) content_index: Option<u64>,
    pub(super) summary_index: Option<u64>,
    /// Whole text, refusal, arguments: in the `done` events.
    #[serde(borrow, default)]
    pub(super) text: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: Loose<'a>,
    pub(super) item: Option<Box<Value>>,
    pub(super) response: Option<Box<Response<'a>>>,
    /// The nested form of the `error` event, and an error without a type.
    pub(super) error: Option<Box<Value>>,
    /// The flat form.
    #[serde(borrow, default)]
    pub(super) code: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) message: Loose<'a>,
    pub(super) param: Option<Box<Value>>,
}

/// The response as the first and the last events carry it, and as a whole body is.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) object: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) status: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) model: Loose<'a>,
    pub(super) output: Option<Vec<Value>>,
    pub(super) usage: Option<Box<Value>>,
    pub(super) error: Option<Box<Value>>,
    pub(super) incomplete_details: Option<Box<Value>>,
    /// Azure's verdicts on prompt and answer.
    pub(super) content_filters: Option<Box<Value>>,
}
