//! Addresses of servers: what may stand in one, and what of it may be shown.

use url::Url;

/// Query parameters whose values are no secret; gateways want them in the address.
const HARMLESS: &[&str] = &["api-version"];

/// Why a text is no base address, in words that do not repeat it.
pub(super) fn address_fault(text: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(text.trim()) else {
        return Some("an http:// or https:// address such as \"http://127.0.0.1:8080/v1\"");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Some("an http:// or https:// address");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("an address without user and password: name the key's variable in api_key_env");
    }
    if url.fragment().is_some() {
        return Some("an address without #: it is never sent");
    }
    None
}

/// Is the value of this query parameter none to hide?
#[must_use]
pub fn is_harmless_parameter(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// The address without user, fragment and the values of its query, but for harmless ones: a key may stand in any.
#[must_use]
pub fn safe_url(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return "[no address]".to_owned() };
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    if url.query().is_some() {
        let pairs: Vec<_> = url.query_pairs().map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
        let mut shown = url.query_pairs_mut();
        shown.clear();
        for (name, value) in pairs {
            match (is_harmless_parameter(&name), value.is_empty()) {
                (true, _) => shown.append_pair(&name, &value),
                (false, false) => shown.append_pair(&name, "hidden"),
                // A word alone may be the key itself.
                (false, true) => shown.append_key_only("hidden"),
            };
        }
        drop(shown);
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_an_address_gives_a_key_away() {
        for (url, want) in [
            (
                "https://host.invalid/v1beta/models/m:gen?key=SECRET123",
                "https://host.invalid/v1beta/models/m:gen?key=hidden",
            ),
            ("https://me:SECRET123@h.invalid/v1#SECRET123", "https://h.invalid/v1"),
            (
                "https://h.invalid/v1?api-version=2025-04-01&code=SECRET123",
                "https://h.invalid/v1?api-version=2025-04-01&code=hidden",
            ),
            ("https://h.invalid/v1?SECRET123", "https://h.invalid/v1?hidden"),
            ("SECRET123", "[no address]"),
        ] {
            assert_eq!(safe_url(url), want);
        }
    }

    #[test]
    fn a_gateway_may_want_a_query() {
        assert_eq!(address_fault("https://gate.example/openai?api-version=v1"), None);
        for bad in ["https://me:pw@gate.example", "https://gate.example/#x", "ftp://gate.example", "gate.example", ""] {
            assert!(address_fault(bad).is_some(), "{bad}");
        }
    }
}
