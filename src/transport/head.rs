//! What of a response's head may be looked at: a fixed list of names. Never cookies, never anything that opens a door.

/// A response's head, without what is secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// Headers worth looking at; everything else stays out.
const SHOWN: &[&str] = &[
    "content-type",
    "date",
    "server",
    "via",
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "x-amzn-errortype",
    "x-amzn-bedrock-invocation-latency",
    "apim-request-id",
    "x-ms-region",
    "x-ms-request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "openai-model",
    "openai-processing-ms",
    "openai-version",
    "x-envoy-upstream-service-time",
    "server-timing",
    "cf-ray",
];
/// Families of names: how much may still be asked, and until when.
const FAMILIES: [&str; 3] = ["x-ratelimit-", "anthropic-ratelimit-", "ratelimit-"];
/// Headers that are kept of one response.
const MOST: usize = 64;
/// Characters of a value that are kept.
const LONGEST: usize = 256;

impl Head {
    /// What may be shown of a response's head.
    pub(super) fn of(response: &reqwest::Response) -> Self {
        let headers = response.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        Self { status: response.status().as_u16(), headers: shown(headers) }
    }
}

fn shown<'a>(headers: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<(String, String)> {
    let may = |name: &str| SHOWN.contains(&name) || FAMILIES.iter().any(|start| name.starts_with(start));
    let kept = headers.filter(|(name, _)| may(name)).take(MOST);
    kept.map(|(name, value)| {
        let value = String::from_utf8_lossy(value);
        (name.to_owned(), value.chars().take(LONGEST).collect())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_and_keys_are_no_part_of_a_head() {
        let long = "9".repeat(1_000);
        let came = [
            ("set-cookie", "session=1"),
            ("authorization", "Bearer x"),
            ("www-authenticate", "Basic"),
            ("x-api-key", "k"),
            ("x-amz-security-token", "t"),
            ("x-request-id", "req_1"),
            ("x-ratelimit-remaining-tokens", "12"),
            ("ratelimit-reset", long.as_str()),
        ];
        let kept = shown(came.iter().map(|(name, value)| (*name, value.as_bytes())));
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["x-request-id", "x-ratelimit-remaining-tokens", "ratelimit-reset"]);
        assert!(kept.iter().all(|(_, value)| value.len() <= LONGEST));
        let many = (0..1_000).map(|_| ("server", b"x".as_slice()));
        assert_eq!(shown(many).len(), MOST);
    }
}
