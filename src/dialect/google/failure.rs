//! What the API's words for endings and faults mean: one table each (PROVIDERS §5).
//!
//! Classifies by status and typed fields; by text only where the API has no field: a prompt that is too long, and a key
//! that is not valid, which is answered 400.

use crate::dialect::fault::{
    self, AUTH, BODY, Class, FORMAT, MAX_CODE, NOT_FOUND, OVERFLOW, RATE, REQUEST, UNREADABLE, UPSTREAM, by_status,
    call_failure, safe,
};
use crate::event::{CallFailure, ErrorCode, Terminal};
use crate::json::{self, Value};

const LIMITED: Class = (ErrorCode::Provider, false, "the provider limits this account");
const MALFORMED: Class =
    (ErrorCode::Incomplete, false, "the model's answer or call was malformed, and the provider dropped it");

/// A finish reason.
pub(super) fn finish(word: &str) -> Terminal {
    match word {
        "STOP" => Terminal::Stop,
        "MAX_TOKENS" => Terminal::Length,
        "CONTINUATION" => Terminal::Paused,
        "SAFETY" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "RECITATION" | "LANGUAGE" | "MODEL_ARMOR"
        | "ESCALATION" => Terminal::ContentFilter,
        "PUP_LIMITED_DISABLED" => error(LIMITED, word),
        "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL" => error(MALFORMED, word),
        _ if word.starts_with("IMAGE_") => Terminal::ContentFilter,
        other => Terminal::Unknown { word: safe(other, MAX_CODE) },
    }
}

fn error(class: Class, word: &str) -> Terminal {
    Terminal::Error { failure: call_failure(class, None, fault::code(word), None) }
}

/// Words in `status`.
const STATUSES: &[(&str, Class)] = &[
    ("INVALID_ARGUMENT", REQUEST),
    ("FAILED_PRECONDITION", REQUEST),
    ("OUT_OF_RANGE", REQUEST),
    ("UNIMPLEMENTED", REQUEST),
    ("UNAUTHENTICATED", AUTH),
    ("PERMISSION_DENIED", AUTH),
    ("NOT_FOUND", NOT_FOUND),
    ("RESOURCE_EXHAUSTED", RATE),
    ("INTERNAL", UPSTREAM),
    ("UNAVAILABLE", UPSTREAM),
    ("DEADLINE_EXCEEDED", UPSTREAM),
    ("ABORTED", UPSTREAM),
];

/// Classifies a non-2xx response.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let (text, parsed) = fault::body(body);
    match parsed.as_ref().and_then(error_of) {
        Some(error) => classified(error, Some(status)),
        None => {
            call_failure(by_status(status), Some(status), None, Some(text.as_str()).filter(|text| !text.is_empty()))
        }
    }
}

/// `{"error":{…}}`, also as the first of a list.
pub(super) fn error_of(body: &Value) -> Option<&Value> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    body.get("error").filter(|error| !error.is_null())
}

/// An error object inside a stream.
pub(super) fn in_stream(error: &Value) -> CallFailure {
    classified(error, None)
}

/// The data of an event that calls itself an error.
pub(super) fn in_stream_text(data: &str) -> CallFailure {
    match json::parse(data, BODY) {
        Ok(value) => in_stream(error_of(&value).unwrap_or(&value)),
        Err(_) => call_failure(UPSTREAM, None, None, Some(data)),
    }
}

/// A chunk that is no JSON object.
pub(super) fn unreadable() -> CallFailure {
    call_failure(UNREADABLE, None, None, None)
}

fn classified(error: &Value, status: Option<u16>) -> CallFailure {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let number = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let message = text("message").or_else(|| error.as_str());
    let word = text("status").unwrap_or_default();
    let reason = details(error).find_map(|detail| detail.get("reason")).and_then(Value::as_str).unwrap_or_default();
    let number = status.or(number).filter(|number| (400..600).contains(number));
    let class = fault::by_word(STATUSES, word).or_else(|| number.map(by_status)).unwrap_or(UPSTREAM);
    let class = match message.unwrap_or_default() {
        _ if reason.starts_with("API_KEY_") => AUTH,
        message if class == REQUEST && message.starts_with("API key not valid") => AUTH,
        message if class == REQUEST && too_long(message) => OVERFLOW,
        _ if class == REQUEST && names_format(error) => FORMAT,
        _ => class,
    };
    let code = if reason.starts_with("API_KEY_") { reason } else { word };
    let mut failure = call_failure(class, status, fault::code(code), message);
    failure.retry_after_ms = details(error).find_map(|detail| detail.get("retryDelay")).and_then(delay);
    failure
}

fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error.get("details").and_then(Value::as_array).into_iter().flatten()
}

/// "The input token count (N) exceeds the maximum number of tokens allowed (M)."
fn too_long(message: &str) -> bool {
    message.contains("input token count") && message.contains("exceeds the maximum")
}

/// A field violation that names the schema parameter.
fn names_format(error: &Value) -> bool {
    let violations = details(error).filter_map(|detail| detail.get("fieldViolations")?.as_array()).flatten();
    let mut fields = violations.filter_map(|violation| violation.get("field")?.as_str());
    fields.any(|field| {
        let field = field.replace('_', "").to_ascii_lowercase();
        field.starts_with("generationconfig.response")
    })
}

/// `"1.5s"` → 1500.
fn delay(value: &Value) -> Option<u64> {
    let seconds = value.as_str()?.strip_suffix('s')?.parse::<f64>().ok()?;
    let wait = std::time::Duration::try_from_secs_f64(seconds).ok()?;
    u64::try_from(wait.as_millis()).ok().map(|ms| ms.min(86_400_000))
}
