//! What the dialects share when a call fails: the classes of failure, and how one becomes a [`CallFailure`].
//!
//! Messages are ours; the provider's text goes into `detail`, bounded. Which word or status means which class is each
//! dialect's own table.

use crate::event::{CallFailure, ErrorCode};
use crate::json::{self, ParseLimits, Value};

/// Longest provider text kept for the user's screen.
const MAX_DETAIL: usize = 4 * 1024;
/// Longest provider code.
pub(super) const MAX_CODE: usize = 64;
/// Longest request id.
const MAX_ID: usize = 128;
/// An error body is small; a larger one is not parsed.
pub(super) const BODY: ParseLimits = ParseLimits { max_bytes: 256 * 1024, max_depth: 64 };
/// A whole answer in one body: twice the largest candidate.
pub(super) const WHOLE: ParseLimits = ParseLimits { max_bytes: 16 * 1024 * 1024, max_depth: 1_024 };

/// A class of failure: public code, may it be sent again, our words.
pub(super) type Class = (ErrorCode, bool, &'static str);

pub(super) const OVERFLOW: Class =
    (ErrorCode::Incomplete, false, "the request does not fit the model's context window");
pub(super) const AUTH: Class = (ErrorCode::Auth, false, "the provider did not accept the API key");
pub(super) const QUOTA: Class = (ErrorCode::RateLimited, false, "the provider account has no quota or credit left");
pub(super) const FILTERED: Class = (ErrorCode::Refusal, false, "the provider's content filter refused the request");
pub(super) const RATE: Class = (ErrorCode::RateLimited, true, "the provider limits the rate of calls");
pub(super) const UPSTREAM: Class = (ErrorCode::Provider, true, "the provider failed to answer");
pub(super) const REQUEST: Class = (ErrorCode::Provider, false, "the provider did not accept the request");
pub(super) const TOO_LARGE: Class = (ErrorCode::Provider, false, "the request is larger than the provider takes");
pub(super) const FORMAT: Class =
    (ErrorCode::Provider, false, "the provider did not accept the response format: see its answer for the place");
pub(super) const NOT_FOUND: Class = (ErrorCode::Provider, false, "the provider knows no such model or address");
pub(super) const GENERATION: Class =
    (ErrorCode::Provider, false, "the provider could not make the model's output fit the schema or tool");
pub(super) const UNREADABLE: Class = (ErrorCode::Provider, true, "the provider sent a chunk that cannot be read");

/// What a status alone says (ENGINE §5: of 4xx only 408, 409, 425 and 429 may be sent again).
pub(super) fn by_status(status: u16) -> Class {
    match status {
        401 | 403 => AUTH,
        402 => QUOTA,
        404 => NOT_FOUND,
        413 => TOO_LARGE,
        429 => RATE,
        408 | 409 | 425 => UPSTREAM,
        400..=499 => REQUEST,
        _ => UPSTREAM,
    }
}

/// The class of a word in a dialect's table.
pub(super) fn by_word(table: &[(&str, Class)], word: &str) -> Option<Class> {
    table.iter().find(|(name, _)| *name == word).map(|(_, class)| *class)
}

pub(super) fn call_failure(
    class: Class,
    status: Option<u16>,
    code: Option<String>,
    detail: Option<&str>,
) -> CallFailure {
    let (error, retryable, message) = class;
    CallFailure {
        code: error,
        status,
        provider_code: code,
        request_id: None,
        retryable,
        retry_after_ms: None,
        message: message.to_owned(),
        detail: detail.map(|text| bounded(text, MAX_DETAIL).to_owned()),
    }
}

/// An error body as text, and as a value where it is one.
pub(super) fn body(bytes: &[u8]) -> (String, Option<Value>) {
    let text = String::from_utf8_lossy(bytes.get(..BODY.max_bytes).unwrap_or(bytes)).trim().to_owned();
    let value = json::parse(&text, BODY).ok();
    (text, value)
}

/// A word that may stand on any screen.
pub(super) fn safe(word: &str, most: usize) -> String {
    word.chars().filter(char::is_ascii_graphic).take(most).collect()
}

/// A provider's own code, if anything of it may be shown.
pub(super) fn code(word: &str) -> Option<String> {
    Some(safe(word, MAX_CODE)).filter(|word| !word.is_empty())
}

/// A request id that came in a body.
pub(super) fn request_id(word: &str) -> Option<String> {
    Some(safe(word, MAX_ID)).filter(|word| !word.is_empty())
}

/// The start of a text, cut at a character.
fn bounded(text: &str, most: usize) -> &str {
    let cut = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..cut).unwrap_or_default()
}
