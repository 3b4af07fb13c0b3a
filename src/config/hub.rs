//! The model hub as its own usual variables name it.

use std::time::Duration;

use secrecy::SecretString;

use super::Config;
use crate::local::weights::Hub;

/// The hub when no variable names another one.
const ENDPOINT: &str = "https://huggingface.co";
/// A hub that sends nothing for this long is asked again.
const IDLE: Duration = Duration::from_secs(30);
/// The wait before the second try.
const PAUSE: Duration = Duration::from_millis(500);

impl Config {
    /// Where models come from: `HF_ENDPOINT`, `HF_TOKEN` or the older `HUGGING_FACE_HUB_TOKEN`, `HF_HUB_OFFLINE`.
    #[must_use]
    pub fn hub(&self) -> Hub {
        let token = self.env.get("HF_TOKEN").or_else(|| self.env.get("HUGGING_FACE_HUB_TOKEN"));
        // Blanks are no token, and none holds what a header cannot.
        let token =
            token.map(str::trim).filter(|token| !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()));
        let offline = self.env.get("HF_HUB_OFFLINE").is_some_and(is_on);
        Hub {
            endpoint: self.env.get("HF_ENDPOINT").unwrap_or(ENDPOINT).to_owned(),
            token: token.map(SecretString::from),
            offline,
            idle: IDLE,
            pause: PAUSE,
        }
    }
}

/// As the hub's own client reads a switch.
fn is_on(value: &str) -> bool {
    ["1", "on", "yes", "true"].iter().any(|word| value.trim().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Env;
    use secrecy::ExposeSecret as _;

    #[test]
    fn the_usual_variables_count() {
        let hub = |pairs: [(&str, &str); 2]| Config { env: Env::from_pairs(pairs), ..Config::default() }.hub();
        let token = |hub: Hub| hub.token.map(|token| token.expose_secret().to_owned());
        assert_eq!(token(hub([("HF_TOKEN", "new"), ("HUGGING_FACE_HUB_TOKEN", "old")])).as_deref(), Some("new"));
        assert_eq!(token(hub([("HF_TOKEN", ""), ("HUGGING_FACE_HUB_TOKEN", " old\n")])).as_deref(), Some("old"));
        assert_eq!(token(hub([("HF_TOKEN", "two\nlines"), ("X", "")])), None);
        let other = hub([("HF_ENDPOINT", "http://127.0.0.1:1"), ("HF_HUB_OFFLINE", "TRUE")]);
        assert!(other.offline && other.endpoint == "http://127.0.0.1:1");
        let plain = hub([("HF_HUB_OFFLINE", "0"), ("X", "")]);
        assert!(!plain.offline && plain.token.is_none() && plain.endpoint == ENDPOINT);
    }
}
