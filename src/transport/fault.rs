//! What went wrong on the wire, in fixed words: never an address's query or user, never a key.

use std::error::Error;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use super::sse::FrameError;
use crate::event::{CallFailure, ErrorCode};

/// Longest request id that is kept.
const MAX_ID: usize = 128;
/// Longest code.
const MAX_CODE: usize = 64;
/// Where servers put it, the vendors' own names first.
const REQUEST_IDS: [&str; 5] = ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-ms-request-id"];
/// A server that asks for more than this is treated as having asked for this: a day.
const MAX_RETRY_AFTER_MS: u64 = 86_400_000;

/// A failure without a response.
pub(super) fn failure(code: ErrorCode, retryable: bool, message: &str) -> CallFailure {
    CallFailure {
        code,
        status: None,
        provider_code: None,
        request_id: None,
        retryable,
        retry_after_ms: None,
        message: message.to_owned(),
        detail: None,
    }
}

/// The request could not be sent, or its response did not begin.
pub(super) fn unsent(error: &reqwest::Error, loopback: bool) -> CallFailure {
    if error.is_builder() {
        return failure(ErrorCode::Config, false, "the endpoint's address cannot be used: check base_url");
    }
    if error.is_timeout() {
        return failure(ErrorCode::Timeout, true, "the server did not take the connection in time");
    }
    let causes = causes(error);
    let kind = io_kind(error);
    let says = |words: &[&str]| words.iter().any(|word| causes.contains(word));
    match kind {
        // On this machine nothing changes by asking again: a person has to start the server.
        Some(ErrorKind::ConnectionRefused) => {
            failure(ErrorCode::Transport, !loopback, "connection refused: no server answers at that address")
        }
        _ if says(&["certificate", "invalidcertificate", "unknownissuer"]) => {
            failure(ErrorCode::Transport, false, "the server's certificate is not trusted")
        }
        _ if says(&["dns error", "failed to lookup"]) => {
            failure(ErrorCode::Transport, true, "the server's name was not found")
        }
        _ if says(&["tunnel", "proxy"]) => failure(ErrorCode::Transport, true, "the proxy did not open the connection"),
        // Asking again brings the same: the address is another service's, or its scheme is wrong.
        _ if says(&["corrupt message", "invalidcontenttype", "wrong version"]) => {
            failure(ErrorCode::Transport, false, "the server does not speak TLS there: is it an http:// address?")
        }
        _ if says(&["invalid http", "message head is too large", "invalid status", "invalid header"]) => {
            failure(ErrorCode::Transport, false, "what the server sent is no HTTP that can be read: check base_url")
        }
        _ if says(&["tls", "handshake"]) => failure(ErrorCode::Transport, true, "the TLS handshake failed"),
        _ if error.is_connect() => failure(ErrorCode::Transport, true, "the connection failed"),
        _ => failure(ErrorCode::Transport, true, "the connection broke before the server answered"),
    }
}

/// HTML where an answer should be.
pub(super) fn web_page() -> CallFailure {
    failure(ErrorCode::Provider, false, "the server answered with a web page: check base_url")
}

/// A body in a coding nobody asked for.
pub(super) fn compressed() -> CallFailure {
    failure(
        ErrorCode::Provider,
        false,
        "the server compressed its answer, which was not asked for: turn that off there",
    )
}

/// The body broke off.
pub(super) fn torn() -> CallFailure {
    failure(ErrorCode::Transport, true, "the connection broke in the middle of the answer")
}

/// No byte for too long.
pub(super) fn idle(limit: Duration) -> CallFailure {
    failure(ErrorCode::Timeout, true, &format!("the server sent nothing for {} s", limit.as_secs_f64().ceil()))
}

/// The stream cannot be read. Sending it again would bring the same, unless something on the way damaged it.
pub(super) fn unreadable(error: FrameError) -> CallFailure {
    match error {
        FrameError::Checksum | FrameError::Torn => failure(ErrorCode::Transport, true, &error.to_string()),
        FrameError::TooLong
        | FrameError::NotUtf8
        | FrameError::Foreign
        | FrameError::FrameTooLarge
        | FrameError::Headers => failure(ErrorCode::Provider, false, &error.to_string()),
    }
}

/// A dialect that this build leaves out.
pub(super) fn not_built() -> CallFailure {
    failure(ErrorCode::Config, false, "this build cannot speak to Bedrock: build it with the feature `bedrock`")
}

/// A token does not go over a line that anybody can read.
pub(super) fn plain_line() -> CallFailure {
    failure(ErrorCode::Config, false, "a token of this service is not sent over http://: use an https:// address")
}

/// Puts what the response's headers say to a failure: id, wait, whether the server wants the call again.
pub(super) fn add_headers(failure: &mut CallFailure, headers: &HeaderMap, now: SystemTime) {
    failure.request_id = failure.request_id.take().or_else(|| request_id(headers));
    failure.retry_after_ms = failure.retry_after_ms.or_else(|| retry_after_ms(headers, now));
    // The type of an error, before the colon: the body does not name it.
    let kind = text(headers, "x-amzn-errortype").and_then(|kind| kind.split([':', '/']).next());
    failure.provider_code = failure.provider_code.take().or_else(|| short(kind?, MAX_CODE));
    match text(headers, "x-should-retry").map(str::to_ascii_lowercase).as_deref() {
        Some("false") => failure.retryable = false,
        Some("true") => failure.retryable |= may_be_repeated(failure.status),
        Some(_) | None => {}
    }
}

/// ENGINE §5: a refused request is not sent again, whatever the server says.
fn may_be_repeated(status: Option<u16>) -> bool {
    match status {
        Some(408 | 409 | 425 | 429) => true,
        Some(status) => status >= 500,
        None => false,
    }
}

/// The response's own id, display-safe.
pub(super) fn request_id(headers: &HeaderMap) -> Option<String> {
    let id = REQUEST_IDS.iter().find_map(|name| text(headers, name).filter(|id| !id.is_empty()))?;
    short(id, MAX_ID)
}

/// A word that may stand on any screen.
fn short(word: &str, most: usize) -> Option<String> {
    let safe: String = word.chars().filter(char::is_ascii_graphic).take(most).collect();
    (!safe.is_empty()).then_some(safe)
}

/// `retry-after-ms`, else `retry-after` in seconds or as a date.
pub(super) fn retry_after_ms(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let whole = |ms: f64| (ms.is_finite() && ms >= 0.0).then(|| Duration::from_secs_f64((ms / 1_000.0).min(86_400.0)));
    let number = |name, factor: f64| text(headers, name)?.parse::<f64>().ok().and_then(|n| whole(n * factor));
    let wait = number("retry-after-ms", 1.0).or_else(|| number("retry-after", 1_000.0)).or_else(|| {
        let date = httpdate::parse_http_date(text(headers, "retry-after")?).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    })?;
    Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).min(MAX_RETRY_AFTER_MS))
}

pub(super) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim)
}

/// All causes in small letters: only searched for words, never shown.
fn causes(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&error.to_string().to_ascii_lowercase());
        text.push('\n');
        cause = error.source();
    }
    text
}

fn io_kind(error: &reqwest::Error) -> Option<ErrorKind> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_static(v))).collect()
    }

    #[test]
    fn waits() {
        let now = httpdate::parse_http_date("Mon, 30 Nov 2026 12:00:00 GMT").unwrap();
        for (pairs, want) in [
            (&[("retry-after-ms", "250"), ("retry-after", "9")][..], Some(250)),
            (&[("retry-after", "2")], Some(2_000)),
            (&[("retry-after", "0.5")], Some(500)),
            (&[("retry-after", "Mon, 30 Nov 2026 12:00:03 GMT")], Some(3_000)),
            (&[("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")], Some(0)),
            (&[("retry-after", "99999999999999999999")], Some(MAX_RETRY_AFTER_MS)),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ] {
            assert_eq!(retry_after_ms(&headers(pairs), now), want, "{pairs:?}");
        }
    }

    #[test]
    fn the_servers_word_on_repeating() {
        for (status, before, word, after) in [
            (500, true, "false", false),
            (429, false, "true", true),
            (400, false, "true", false),
            (401, false, "TRUE", false),
            (503, false, "True", true),
            (500, true, "maybe", true),
        ] {
            let mut failure = failure(ErrorCode::Provider, before, "x");
            failure.status = Some(status);
            add_headers(&mut failure, &headers(&[("x-should-retry", word)]), SystemTime::now());
            assert_eq!(failure.retryable, after, "{status} {word}");
        }
    }
}
