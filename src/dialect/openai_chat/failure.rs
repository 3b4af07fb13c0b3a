//! What a chat server's words for endings and faults mean: one table each (PROVIDERS §1, §7).
//!
//! Classifies by status and by typed fields, never by words in a message. Messages are ours; the provider's text goes
//! into `detail`, bounded.

use crate::dialect::fault::{
    self, AUTH, BODY, Class, FILTERED, FORMAT, GENERATION, MAX_CODE, NOT_FOUND, OVERFLOW, QUOTA, RATE, REQUEST,
    UNREADABLE, UPSTREAM, by_status, call_failure, safe,
};
use crate::event::{CallFailure, Terminal};
use crate::json::{self, Value};

/// A finish reason.
pub(super) fn finish(word: &str) -> Terminal {
    match word {
        "stop" | "eos" | "eos_token" | "end_turn" => Terminal::Stop,
        "tool_calls" | "function_call" | "tool_use" => Terminal::ToolUse,
        "length" | "max_tokens" => Terminal::Length,
        "model_length" => Terminal::ContextOverflow,
        "content_filter" => Terminal::ContentFilter,
        "refusal" => Terminal::Refusal,
        "error" | "insufficient_system_resource" => {
            Terminal::Error { failure: CallFailure { provider_code: Some(word.to_owned()), ..upstream(None) } }
        }
        other => Terminal::Unknown { word: safe(other, MAX_CODE) },
    }
}

/// The upstream's own finish reason behind a router, where it tells something worse than the router's.
pub(super) fn native_finish(word: &str) -> Option<Terminal> {
    match word {
        "length" | "max_tokens" | "max_output_tokens" | "MAX_TOKENS" => Some(Terminal::Length),
        "model_length" | "model_context_window_exceeded" => Some(Terminal::ContextOverflow),
        "content_filter" | "SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" | "RECITATION" => {
            Some(Terminal::ContentFilter)
        }
        "refusal" => Some(Terminal::Refusal),
        _ => None,
    }
}

/// Words in `code` or `type` that say more than the status.
const WORDS: &[(&str, Class)] = &[
    ("context_length_exceeded", OVERFLOW),
    ("exceed_context_size_error", OVERFLOW),
    ("invalid_api_key", AUTH),
    ("authentication_error", AUTH),
    ("permission_error", AUTH),
    ("permission_denied", AUTH),
    ("insufficient_quota", QUOTA),
    ("billing_hard_limit_reached", QUOTA),
    ("content_filter", FILTERED),
    ("content_policy_violation", FILTERED),
    ("json_validate_failed", GENERATION),
    ("tool_use_failed", GENERATION),
    ("model_not_found", NOT_FOUND),
    ("rate_limit_exceeded", RATE),
    ("rate_limit_error", RATE),
    ("invalid_request_error", REQUEST),
    ("BadRequestError", REQUEST),
];

/// Classifies a non-2xx response.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let (text, parsed) = fault::body(body);
    let told = parsed.as_ref().map(Told::of).unwrap_or_default();
    let class = told.class(Some(status)).unwrap_or_else(|| by_status(status));
    let class = if class == REQUEST && told.names_format() { FORMAT } else { class };
    let detail = told.detail.clone().or(Some(text)).filter(|text| !text.is_empty());
    call_failure(class, Some(status), told.provider_code(Some(status)), detail.as_deref())
}

/// An error object inside a stream. Retryable unless its fields say that sending it again is in vain.
pub(super) fn in_stream(error: &Value) -> CallFailure {
    let told = Told::of_error(error);
    let status = told.number.filter(|number| (400..600).contains(number));
    let class = told.class(status).or_else(|| status.map(by_status)).unwrap_or(UPSTREAM);
    call_failure(class, None, told.provider_code(None), told.detail.as_deref())
}

/// The data of an `event: error` frame.
pub(super) fn in_stream_text(data: &str) -> CallFailure {
    match json::parse(data, BODY) {
        Ok(value) => in_stream(value.get("error").filter(|error| !error.is_null()).unwrap_or(&value)),
        Err(_) => call_failure(UPSTREAM, None, None, Some(data)),
    }
}

/// A chunk that only calls itself an error.
pub(super) fn in_stream_bare() -> CallFailure {
    upstream(None)
}

/// A chunk that is no JSON object.
pub(super) fn unreadable() -> CallFailure {
    call_failure(UNREADABLE, None, None, None)
}

fn upstream(detail: Option<&str>) -> CallFailure {
    call_failure(UPSTREAM, None, None, detail)
}

/// What an error body says.
#[derive(Debug, Default)]
struct Told {
    code: Option<String>,
    kind: Option<String>,
    /// The field of the request that the provider complains about.
    param: Option<String>,
    /// An integer code: an HTTP status in most servers.
    number: Option<u16>,
    detail: Option<String>,
}

impl Told {
    /// Reads a body: `{"error":{…}}`, `{"error":"text"}`, `{"message":…}`, `{"detail":…}`, or a list of such.
    fn of(body: &Value) -> Self {
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
        Self::of_error(body.get("error").filter(|error| !error.is_null()).unwrap_or(body))
    }

    fn of_error(error: &Value) -> Self {
        if let Value::String(text) = error {
            return Self { detail: Some(text.clone()), ..Self::default() };
        }
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| error.get(key).and_then(Value::as_u64).and_then(|n| u16::try_from(n).ok());
        Self {
            code: text("code").or_else(|| text("reason")),
            kind: text("type").or_else(|| text("status")),
            param: text("param"),
            number: number("code").or_else(|| number("status_code")).or_else(|| number("status")),
            detail: detail(error),
        }
    }

    fn class(&self, status: Option<u16>) -> Option<Class> {
        let known = |word: &String| fault::by_word(WORDS, word);
        let class = self.code.as_ref().and_then(known).or_else(|| self.kind.as_ref().and_then(known))?;
        // `invalid_request_error` is the type of many refusals: the status knows better, where there is one.
        if class == REQUEST { status.map(by_status).or(Some(class)) } else { Some(class) }
    }

    fn names_format(&self) -> bool {
        self.param.as_deref().is_some_and(|param| param.starts_with("response_format"))
    }

    fn provider_code(&self, status: Option<u16>) -> Option<String> {
        let number = self.number.filter(|number| Some(*number) != status).map(|number| number.to_string());
        let word = self.code.clone().or_else(|| self.kind.clone()).or(number)?;
        fault::code(&word)
    }
}

/// The provider's text for the user's own screen.
fn detail(error: &Value) -> Option<String> {
    let said = ["message", "detail", "failed_generation"];
    let mut parts: Vec<String> = said.iter().filter_map(|key| error.get(*key)).filter_map(plain).collect();
    parts.extend(error.pointer("/metadata/raw").and_then(plain));
    (!parts.is_empty()).then(|| parts.join("\n"))
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => serde_json::to_string(value).ok(),
    }
}
