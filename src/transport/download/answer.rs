//! What a response's head says: whole, a part, complete, stale or refused.

use std::time::{Duration, SystemTime};

use reqwest::Response;
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap};
use url::Url;

use super::super::{fault, is_compressed};
use super::{About, DownloadError, Kept, Trouble, host};

/// What follows a head.
pub(super) enum Answer {
    Body(Body),
    /// What was kept is the whole file.
    Complete(About),
    /// What was kept is of no use: from the beginning.
    Stale(DownloadError),
}

/// A body, and where in the file it begins.
pub(super) struct Body {
    pub(super) about: About,
    pub(super) at: u64,
}

/// What the first host announces of a file that lies elsewhere.
pub(super) fn announced(headers: &HeaderMap, about: &mut About) {
    let hash = fault::text(headers, "x-linked-etag").map(|tag| tag.trim_matches('"').to_ascii_lowercase());
    about.sha256 = hash.filter(|hash| is_sha256(hash)).or_else(|| about.sha256.take());
    let size = fault::text(headers, "x-linked-size").and_then(|size| size.parse().ok());
    about.total = size.or(about.total);
}

/// 64 hexadecimal digits?
pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads the head. `announced` is what the first host said.
pub(super) fn read(response: &Response, kept: &Kept, announced: About, first: &Url) -> Result<Answer, Trouble> {
    let (headers, at) = (response.headers(), host(response.url()));
    let status = response.status().as_u16();
    if !matches!(status, 200 | 206 | 416) {
        return Err(refused(response, first));
    }
    if status != 416 && is_web_page(headers) {
        return Err(DownloadError::WebPage { host: at }.into());
    }
    if is_compressed(headers) {
        return Err(DownloadError::Compressed { host: at }.into());
    }
    let range = fault::text(headers, CONTENT_RANGE.as_str()).and_then(range);
    let served = match status {
        200 => fault::text(headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok()),
        _ => range.and_then(|(_, total)| total),
    };
    if let (Some(served), Some(announced)) = (served, announced.total)
        && served != announced
    {
        return Err(DownloadError::Size { host: at, served, announced }.into());
    }
    let tag = fault::text(headers, ETAG.as_str()).filter(|tag| tag.starts_with('"')).map(str::to_owned);
    let about = About { total: served.or(announced.total), tag, sha256: announced.sha256 };
    Ok(match status {
        200 => Answer::Body(Body { about, at: 0 }),
        _ if has_changed(&kept.about, &about) => Answer::Stale(DownloadError::Changed { host: at }),
        206 => match range {
            Some((Some(start), _)) if start == kept.bytes && start > 0 => Answer::Body(Body { about, at: start }),
            _ if kept.bytes > 0 => Answer::Stale(DownloadError::Range { host: at }),
            _ => return Err(DownloadError::Range { host: at }.into()),
        },
        _ if kept.bytes > 0 && about.total == Some(kept.bytes) => Answer::Complete(about),
        _ if kept.bytes > 0 => Answer::Stale(DownloadError::Range { host: at }),
        _ => return Err(DownloadError::Range { host: at }.into()),
    })
}

/// Is it another file than the one that was begun?
fn has_changed(before: &About, now: &About) -> bool {
    fn differ<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
        a.zip(b).is_some_and(|(a, b)| a != b)
    }
    differ(before.sha256.as_ref(), now.sha256.as_ref()) || differ(before.total.as_ref(), now.total.as_ref())
}

/// `bytes 5-9/10`, `bytes 5-9/*` or `bytes */10`: the start and the total.
fn range(text: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (span, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let start = span.split_once('-').and_then(|(start, _)| start.trim().parse().ok());
    Some((start, total.trim().parse().ok()))
}

fn is_web_page(headers: &HeaderMap) -> bool {
    let kind = fault::text(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

/// A status that brings no file.
fn refused(response: &Response, first: &Url) -> Trouble {
    let (status, at) = (response.status().as_u16(), host(response.url()));
    let own = response.url().origin() == first.origin();
    let word = fault::text(response.headers(), "x-error-code").unwrap_or_default();
    let wait = fault::retry_after_ms(response.headers(), SystemTime::now()).map(Duration::from_millis);
    let error = match (status, word) {
        (401 | 403, "GatedRepo") | (403, _) => DownloadError::Forbidden { host: at, status },
        (401, _) => DownloadError::Unauthorized { host: at, status },
        (404 | 410, _) => DownloadError::NotFound { host: at, status },
        _ => DownloadError::Status { host: at, status },
    };
    let passing = matches!(status, 408 | 425 | 429 | 500..=599);
    // An address elsewhere is signed for a while: the first host gives a new one.
    let expired = !own && matches!(status, 401 | 403);
    if passing || expired { Trouble::Again { error, wait } } else { Trouble::Final(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (text, want) in [
            ("bytes 5-9/10", Some((Some(5), Some(10)))),
            ("bytes 5-9/*", Some((Some(5), None))),
            ("bytes */10", Some((None, Some(10)))),
            ("bytes -5-9/10", Some((None, Some(10)))),
            ("items 5-9/10", None),
            ("bytes 5-9", None),
            ("", None),
        ] {
            assert_eq!(range(text), want, "{text}");
        }
    }
}
