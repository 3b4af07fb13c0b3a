//! What the service's words for endings and faults mean: one table each (PROVIDERS §6).

use crate::dialect::fault::{
    self, Class, NOT_FOUND, OVERFLOW, RATE, REQUEST, UNREADABLE, UPSTREAM, call_failure,
};
use crate::event::{CallFailure, ErrorCode, Terminal};
use crate::json::Value;

const AUTH: Class =
    (ErrorCode::Auth, false, "the service did not accept the credentials, or they may not use this model");
const QUOTA: Class = (ErrorCode::RateLimited, false, "the account's quota for this model is used up");

/// The types of its errors, as a frame or a header names them: in small letters, without the closing `exception`.
const TYPES: &[(&str, Class)] = &[
    ("throttling", RATE),
    ("serviceunavailable", UPSTREAM),
    ("internalserver", UPSTREAM),
    ("modelstreamerror", UPSTREAM),
    ("modeltimeout", UPSTREAM),
    ("modelnotready", RATE),
    ("modelerror", UPSTREAM),
    ("validation", REQUEST),
    ("accessdenied", AUTH),
    ("unrecognizedclient", AUTH),
    ("invalidsignature", AUTH),
    ("expiredtoken", AUTH),
    ("missingauthenticationtoken", AUTH),
    ("incompletesignature", AUTH),
    ("resourcenotfound", NOT_FOUND),
    ("servicequotaexceeded", QUOTA),
];

/// There is no code for a context that is too small, only these words (small letters).
const OVERFLOWS: [&str; 6] = [
    "input is too long",
    "prompt is too long",
    "context length",
    "context window",
    "too many input tokens",
    "input tokens exceed",
];

/// The reason a message stopped.
pub(super) fn finish(word: &str) -> Terminal {
    match word {
        "end_turn" | "stop_sequence" => Terminal::Stop,
        "tool_use" => Terminal::ToolUse,
        "max_tokens" => Terminal::Length,
        "model_context_window_exceeded" => Terminal::ContextOverflow,
        "guardrail_intervened" | "content_filtered" => Terminal::ContentFilter,
        // No documented word; the only one a Claude refusal could have.
        "refusal" => Terminal::Refusal,
        // `malformed_model_output` and `malformed_tool_use` are among these: nothing there is a candidate.
        other => Terminal::Unknown { word: fault::safe(other, fault::MAX_CODE) },
    }
}

/// Classifies a non-2xx response. Its type stands in a header, which the transport adds; the status says as much.
///
/// 424 (a model that failed) is not sent again, though its frame inside a stream would be: of 4xx only 408, 409, 425
/// and 429 ever are.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let (text, parsed) = fault::body(body);
    let said = parsed.as_ref().and_then(message);
    let class = match status {
        400 if said.as_deref().is_some_and(overflows) => OVERFLOW,
        401 | 403 => AUTH,
        _ => fault::by_status(status),
    };
    let kind = parsed.as_ref().and_then(kind);
    let code = kind.as_deref().and_then(fault::code);
    call_failure(class, Some(status), code, Some(said.unwrap_or(text).as_str()).filter(|text| !text.is_empty()))
}

/// An exception frame. `name` is its type.
pub(super) fn in_stream(name: &str, payload: &str) -> Terminal {
    let (text, parsed) = fault::body(payload.as_bytes());
    let said = parsed.as_ref().and_then(message).or(Some(text)).filter(|text| !text.is_empty());
    let kind = name.to_ascii_lowercase();
    let kind = kind.strip_suffix("exception").unwrap_or(&kind);
    let class = fault::by_word(TYPES, kind).unwrap_or(UPSTREAM);
    if class == REQUEST && said.as_deref().is_some_and(overflows) {
        return Terminal::ContextOverflow;
    }
    Terminal::Error { failure: call_failure(class, None, fault::code(name), said.as_deref()) }
}

/// A payload that is no JSON object.
pub(super) fn unreadable() -> Terminal {
    Terminal::Error { failure: call_failure(UNREADABLE, None, None, None) }
}

fn overflows(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    OVERFLOWS.iter().any(|words| said.contains(words))
}

fn message(body: &Value) -> Option<String> {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    text("message").or_else(|| text("Message")).map(str::to_owned)
}

/// `{"__type": "com.amazon.coral.service#AccessDeniedException"}`, where a gateway answers.
fn kind(body: &Value) -> Option<String> {
    let name = body.get("__type").and_then(Value::as_str)?;
    Some(name.rsplit('#').next().unwrap_or(name).to_owned())
}
