//! What the Messages API's words for endings and faults mean: one table each (PROVIDERS §4).
//!
//! Classifies by status and by the error's type; by text only where the API has no code of its own: a prompt that is
//! too long.

use crate::dialect::fault::{
    self, AUTH, BODY, Class, MAX_CODE, NOT_FOUND, OVERFLOW, QUOTA, RATE, REQUEST, TOO_LARGE, UNREADABLE, UPSTREAM,
    by_status, call_failure, safe,
};
use crate::event::{CallFailure, Terminal};
use crate::json::{self, Value};

/// A stop reason.
pub(super) fn stop(word: &str) -> Terminal {
    match word {
        "end_turn" | "stop_sequence" => Terminal::Stop,
        "tool_use" => Terminal::ToolUse,
        "max_tokens" => Terminal::Length,
        "refusal" => Terminal::Refusal,
        "model_context_window_exceeded" => Terminal::ContextOverflow,
        "pause_turn" | "compaction" => Terminal::Paused,
        other => Terminal::Unknown { word: safe(other, MAX_CODE) },
    }
}

/// Error types.
const TYPES: &[(&str, Class)] = &[
    ("invalid_request_error", REQUEST),
    ("authentication_error", AUTH),
    ("billing_error", QUOTA),
    ("permission_error", AUTH),
    ("not_found_error", NOT_FOUND),
    ("request_too_large", TOO_LARGE),
    ("rate_limit_error", RATE),
    ("api_error", UPSTREAM),
    ("timeout_error", UPSTREAM),
    ("overloaded_error", UPSTREAM),
];

/// The API has no code for it: "prompt is too long: N tokens > M maximum".
const TOO_LONG: &str = "prompt is too long";

/// Classifies a non-2xx response.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let (text, parsed) = fault::body(body);
    let Some(value) = parsed.filter(Value::is_object) else {
        return call_failure(
            by_status(status),
            Some(status),
            None,
            Some(text.as_str()).filter(|text| !text.is_empty()),
        );
    };
    let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(&value);
    let mut failure = classified(error, Some(status));
    failure.request_id = value.get("request_id").and_then(Value::as_str).and_then(fault::request_id);
    failure
}

/// An `error` event inside a stream.
pub(super) fn in_stream(error: &Value) -> CallFailure {
    classified(error, None)
}

/// The data of an event that calls itself an error.
pub(super) fn in_stream_text(data: &str) -> CallFailure {
    match json::parse(data, BODY) {
        Ok(value) => in_stream(value.get("error").filter(|error| !error.is_null()).unwrap_or(&value)),
        Err(_) => call_failure(UPSTREAM, None, None, Some(data)),
    }
}

/// An event that is no JSON object.
pub(super) fn unreadable() -> CallFailure {
    call_failure(UNREADABLE, None, None, None)
}

fn classified(error: &Value, status: Option<u16>) -> CallFailure {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let kind = text("type").unwrap_or_default();
    let message = text("message").or_else(|| error.as_str());
    let by_type = fault::by_word(TYPES, kind);
    // `invalid_request_error` is the type of many refusals: the status knows better, where there is one.
    let class = match (by_type, status) {
        (Some(class), None) => class,
        (Some(class), Some(_)) if class != REQUEST => class,
        (_, Some(status)) => by_status(status),
        (None, None) => UPSTREAM,
    };
    let class = match message {
        Some(message) if class == REQUEST && message.contains(TOO_LONG) => OVERFLOW,
        Some(_) | None => class,
    };
    call_failure(class, status, fault::code(kind), message)
}
