//! What the words for endings and faults mean: one table each (PROVIDERS §2, §3).
//!
//! Classifies by typed fields and status, never by words in a message.

use crate::dialect::fault::{
    self, AUTH, BODY, Class, FILTERED, FORMAT, NOT_FOUND, OVERFLOW, QUOTA, RATE, REQUEST, UNREADABLE, UPSTREAM,
    by_status, by_word, call_failure,
};
use crate::event::{CallFailure, ErrorCode, Terminal};
use crate::json::Value;

const POLICY: Class = (ErrorCode::Refusal, false, "the provider's usage policy stopped the request");
const RESIDENCY: Class =
    (ErrorCode::Provider, false, "the account's data residency does not allow this request at this address");

/// Words in `code` or `type` that say more than the status. Open: a recorded answer has words outside the vendor's list.
const WORDS: &[(&str, Class)] = &[
    ("context_length_exceeded", OVERFLOW),
    ("invalid_api_key", AUTH),
    ("authentication_error", AUTH),
    ("permission_error", AUTH),
    ("insufficient_quota", QUOTA),
    ("billing_hard_limit_reached", QUOTA),
    ("content_filter", FILTERED),
    ("content_policy_violation", FILTERED),
    ("bio_policy", POLICY),
    ("misalignment_policy_violation", POLICY),
    ("invalid_prompt", POLICY),
    ("data_residency_mismatch", RESIDENCY),
    ("model_not_found", NOT_FOUND),
    ("DeploymentNotFound", NOT_FOUND),
    ("rate_limit_exceeded", RATE),
    ("rate_limit_error", RATE),
    ("server_error", UPSTREAM),
    ("vector_store_timeout", UPSTREAM),
    ("invalid_image", REQUEST),
    ("invalid_image_format", REQUEST),
    ("invalid_base64_image", REQUEST),
    ("invalid_image_url", REQUEST),
    ("image_too_large", REQUEST),
    ("image_too_small", REQUEST),
    ("image_parse_error", REQUEST),
    ("image_content_policy_violation", FILTERED),
    ("invalid_image_mode", REQUEST),
    ("image_file_too_large", REQUEST),
    ("unsupported_image_media_type", REQUEST),
    ("empty_image_file", REQUEST),
    ("failed_to_download_image", REQUEST),
    ("image_file_not_found", REQUEST),
    ("invalid_request_error", REQUEST),
];

/// Why a response is not complete.
pub(super) fn incomplete(reason: Option<&str>) -> Terminal {
    match reason {
        Some("max_output_tokens") => Terminal::Length,
        Some("content_filter") => Terminal::ContentFilter,
        Some("max_messages" | "steered") => Terminal::Paused,
        Some(other) => Terminal::Unknown { word: fault::safe(other, fault::MAX_CODE) },
        None => Terminal::Unknown { word: "incomplete".to_owned() },
    }
}

/// Classifies a non-2xx response.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let (text, parsed) = fault::body(body);
    let told = parsed.as_ref().map(Told::of).unwrap_or_default();
    let class = told.class(Some(status)).unwrap_or_else(|| by_status(status));
    let class = if class == REQUEST && told.names_format() { FORMAT } else { class };
    let detail = told.detail.clone().or(Some(text)).filter(|text| !text.is_empty());
    call_failure(class, Some(status), told.provider_code(), detail.as_deref())
}

/// What an error inside a stream means for the call, and the provider's words for the user's screen.
pub(super) fn in_stream(error: &Value) -> (Terminal, Option<String>) {
    let told = Told::of_error(error);
    let class = told.class(None).unwrap_or(UPSTREAM);
    let terminal = match class {
        OVERFLOW => Terminal::ContextOverflow,
        FILTERED => Terminal::ContentFilter,
        POLICY => Terminal::Refusal,
        class => Terminal::Error { failure: call_failure(class, None, told.provider_code(), told.detail.as_deref()) },
    };
    (terminal, told.detail)
}

/// A response that says it failed, or a stream that says so, without an error.
pub(super) fn bare() -> Terminal {
    Terminal::Error { failure: call_failure(UPSTREAM, None, None, None) }
}

/// An event that is no JSON object.
pub(super) fn unreadable() -> Terminal {
    Terminal::Error { failure: call_failure(UNREADABLE, None, None, None) }
}

/// The data of a frame that only its name calls an error.
pub(super) fn in_stream_text(data: &str) -> (Terminal, Option<String>) {
    if let Ok(value) = crate::json::parse(data, BODY) {
        return in_stream(inner(&value));
    }
    let failure = call_failure(UPSTREAM, None, None, Some(data));
    (Terminal::Error { failure }, None)
}

fn inner(body: &Value) -> &Value {
    body.get("error").filter(|error| !error.is_null()).unwrap_or(body)
}

/// What an error says.
#[derive(Debug, Default)]
struct Told {
    code: Option<String>,
    kind: Option<String>,
    /// The innermost code: Azure puts its filter's verdict there.
    inner: Option<String>,
    param: Option<String>,
    detail: Option<String>,
}

impl Told {
    /// Reads a body: `{"error":{…}}`, `{"error":"text"}`, `{"message":…}`, or a list of such.
    fn of(body: &Value) -> Self {
        Self::of_error(inner(body.as_array().and_then(|list| list.first()).unwrap_or(body)))
    }

    fn of_error(error: &Value) -> Self {
        if let Value::String(text) = error {
            return Self { detail: Some(text.clone()), ..Self::default() };
        }
        let text = |pointer: &str| error.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        // The flat event calls itself "error": that is no kind of error.
        let kind = text("/type").filter(|kind| kind != "error");
        let number = error.get("code").and_then(Value::as_u64).map(|code| code.to_string());
        Self {
            code: text("/code").or(number),
            kind,
            inner: text("/innererror/code"),
            param: text("/param"),
            detail: text("/message").or_else(|| text("/detail")),
        }
    }

    fn class(&self, status: Option<u16>) -> Option<Class> {
        if self.inner.as_deref() == Some("ResponsibleAIPolicyViolation") {
            return Some(FILTERED);
        }
        let known = |word: &String| by_word(WORDS, word);
        let class = self.code.as_ref().and_then(known).or_else(|| self.kind.as_ref().and_then(known))?;
        // `invalid_request_error` is the type of many refusals: the status knows better, where there is one.
        if class == REQUEST { status.map(by_status).or(Some(class)) } else { Some(class) }
    }

    fn names_format(&self) -> bool {
        self.param
            .as_deref()
            .is_some_and(|param| param.starts_with("text.format") || param.starts_with("response_format"))
    }

    fn provider_code(&self) -> Option<String> {
        self.code.as_deref().or(self.kind.as_deref()).and_then(fault::code)
    }
}
