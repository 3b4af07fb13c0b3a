//! Responses on Azure: the v1 address, or the legacy one where the base names a dated `api-version` (PROVIDERS §3).
//!
//! Only what is this dialect's own: addresses, and which kind of key a key is. Body, events and errors are those of
//! `responses`; the model is the name of a deployment and says nothing about what stands behind it.

use super::responses::{self, Manner};
use super::{Call, Target, WireRequest};

pub use super::responses::{ResponsesDecoder, decode_whole, failure};

/// Versions that are no date: the v1 address takes them.
const UNDATED: [&str; 3] = ["v1", "preview", "latest"];

/// Builds the request. The key is not in it: the transport adds it.
#[must_use]
pub fn build(target: &Target, call: &Call) -> WireRequest {
    responses::request(endpoint(&target.base_url), Manner::Azure, call)
}

/// Is this key a token of the directory (a signed JSON web token), which goes as a bearer? A resource's own key is
/// hexadecimal or base64 text without dots.
#[must_use]
pub fn is_token(key: &str) -> bool {
    let mut parts = key.split('.');
    let three = [parts.next(), parts.next(), parts.next()].iter().all(|part| part.is_some_and(|p| !p.is_empty()));
    three && parts.next().is_none() && key.starts_with("eyJ")
}

/// The address: the base may be the resource, `…/openai`, `…/openai/v1`, a deployment, or a gateway's own `…/v1`.
fn endpoint(base: &str) -> String {
    let (path, query) = base.split_once('?').map_or((base, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/responses").unwrap_or(path);
    let root = path.split_once("/openai").filter(|(_, rest)| rest.is_empty() || rest.starts_with('/'));
    let root = root.map_or(path, |(root, _)| root);
    let address = if query.and_then(version).is_some_and(|version| !UNDATED.contains(&version)) {
        format!("{root}/openai/responses")
    } else if path.ends_with("/v1") {
        format!("{path}/responses")
    } else {
        format!("{root}/openai/v1/responses")
    };
    query.map_or(address.clone(), |query| format!("{address}?{query}"))
}

fn version(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("api-version="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses() {
        let v1 = "https://r.openai.azure.com/openai/v1/responses";
        let legacy = "https://r.openai.azure.com/openai/responses?api-version=2025-04-01-preview";
        for (base, url) in [
            ("https://r.openai.azure.com", v1),
            ("https://r.openai.azure.com/", v1),
            ("https://r.openai.azure.com/openai", v1),
            ("https://r.openai.azure.com/openai/v1/", v1),
            ("https://r.openai.azure.com/openai/v1/responses", v1),
            ("https://r.openai.azure.com/openai/deployments/d", v1),
            ("https://r.openai.azure.com?api-version=v1", &format!("{v1}?api-version=v1")),
            ("https://r.openai.azure.com/openai/v1?api-version=preview", &format!("{v1}?api-version=preview")),
            ("https://r.openai.azure.com?api-version=2025-04-01-preview", legacy),
            ("https://r.openai.azure.com/openai?api-version=2025-04-01-preview", legacy),
            ("https://r.openai.azure.com/openai/deployments/d?api-version=2025-04-01-preview", legacy),
            ("https://gate.example/openai-team/v1", "https://gate.example/openai-team/v1/responses"),
            ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/responses"),
        ] {
            assert_eq!(endpoint(base), url, "{base}");
        }
    }

    #[test]
    fn a_token_is_told_from_a_key() {
        for (key, token) in [
            ("eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJ4In0.c2ln", true),
            ("0123456789abcdef0123456789abcdef", false),
            ("eyJhbGciOiJSUzI1NiJ9", false),
            ("eyJ..", false),
            ("a.b.c", false),
            ("eyJ.b.c.d", false),
            ("", false),
        ] {
            assert_eq!(is_token(key), token, "{key}");
        }
    }
}
