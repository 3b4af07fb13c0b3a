//! What the server's words for endings and faults mean. Its errors are plain text: only the overflow of the context
//! is looked for in it, since there is no other sign.

use crate::dialect::fault::{
    self, AUTH, Class, NOT_FOUND, OVERFLOW, UNREADABLE, UPSTREAM, by_status, call_failure,
};
use crate::event::{CallFailure, Terminal};
use crate::json::Value;

/// Words of the runner when a prompt is too long.
const OVERFLOWS: [&str; 3] = ["exceeds the context", "context length", "exceed_context_size_error"];

/// The word of the last line.
pub(super) fn finish(word: &str, called: bool) -> Terminal {
    match (word, called) {
        ("stop", false) => Terminal::Stop,
        ("stop" | "tool_calls", true) => Terminal::ToolUse,
        ("length", _) => Terminal::Length,
        // The model was loaded or unloaded, and nothing was said; or a word of the future.
        ("", _) => Terminal::Unknown { word: "done".to_owned() },
        (other, _) => Terminal::Unknown { word: fault::safe(other, fault::MAX_CODE) },
    }
}

/// Classifies a non-2xx response.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let (text, parsed) = fault::body(body);
    let said = parsed.as_ref().and_then(said);
    let class = match (by_status(status), said.as_deref()) {
        // The server says 500 too when the prompt does not fit.
        (class, Some(said)) if class != AUTH && class != NOT_FOUND && overflows(said) => OVERFLOW,
        (class, _) => class,
    };
    call_failure(class, Some(status), None, Some(said.unwrap_or(text).as_str()).filter(|text| !text.is_empty()))
}

/// An error line.
pub(super) fn in_stream(error: &Value) -> Terminal {
    let said = words(error);
    let class: Class = if said.as_deref().is_some_and(overflows) { OVERFLOW } else { UPSTREAM };
    if class == OVERFLOW {
        return Terminal::ContextOverflow;
    }
    Terminal::Error { failure: call_failure(class, None, None, said.as_deref()) }
}

/// A line that is no JSON object.
pub(super) fn unreadable() -> Terminal {
    Terminal::Error { failure: call_failure(UNREADABLE, None, None, None) }
}

fn overflows(said: &str) -> bool {
    OVERFLOWS.iter().any(|words| said.contains(words))
}

fn said(body: &Value) -> Option<String> {
    words(body.get("error").filter(|error| !error.is_null())?)
}

/// `"text"`, or the shape of the chat dialect.
fn words(error: &Value) -> Option<String> {
    error.as_str().or_else(|| error.get("message").and_then(Value::as_str)).map(str::to_owned)
}
