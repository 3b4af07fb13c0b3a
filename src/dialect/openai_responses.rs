//! `POST {base}/responses`: the vendor's Responses interface and the servers that copy it (PROVIDERS §2).
//!
//! Only what is this dialect's own: the address. Body, events and errors are those of `responses`.

use super::responses::{self, Manner};
use super::{Call, Target, WireRequest};

pub use super::responses::{ResponsesDecoder, decode_whole, failure};

/// Builds the request. The key is not in it: the transport adds it.
#[must_use]
pub fn build(target: &Target, call: &Call) -> WireRequest {
    responses::request(endpoint(&target.base_url), Manner::Vendor, call)
}

/// The base with the path behind it; a query of the base stays at the end.
fn endpoint(base: &str) -> String {
    let (path, query) = base.split_once('?').map_or((base, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/responses").unwrap_or(path);
    match query {
        Some(query) => format!("{path}/responses?{query}"),
        None => format!("{path}/responses"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address() {
        for (base, url) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
            ("https://h/v1/", "https://h/v1/responses"),
            ("https://h/v1/responses", "https://h/v1/responses"),
            ("https://h/v1?tenant=1", "https://h/v1/responses?tenant=1"),
        ] {
            assert_eq!(endpoint(base), url);
        }
    }
}
