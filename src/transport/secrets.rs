//! Takes the endpoint's own secrets out of what its server says about itself: some repeat the key in their errors.
//!
//! Looks at failures, headers and names, not at the answer: what a model wrote is never changed.

use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::Step;
use crate::catalog::Endpoint;
use crate::config::is_harmless_parameter;
use crate::event::{CallFailure, RawEvent, Terminal};

/// Stands where a secret was.
const HIDDEN: &str = "[secret]";
/// A shorter one is a stand-in such as `none`, and would be found in innocent words.
const MIN_LENGTH: usize = 8;

/// What must not be seen.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    list: Vec<SecretString>,
}

impl Secrets {
    /// The key, what the address hides in its query, and what requests are signed with.
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let key = endpoint.api_key.as_ref().map(|key| key.expose_secret().trim().to_owned());
        let url = Url::parse(&endpoint.base_url).ok();
        let query = url.iter().flat_map(Url::query_pairs);
        let query = query.filter(|(name, _)| !is_harmless_parameter(name));
        let query = query.map(|(name, value)| if value.is_empty() { name.into_owned() } else { value.into_owned() });
        let account = endpoint.aws.keys.iter().flat_map(|keys| {
            let token = keys.session_token.as_ref().map(|token| token.expose_secret().to_owned());
            [Some(keys.access_key_id.clone()), Some(keys.secret_access_key.expose_secret().to_owned()), token]
        });
        let list = key.into_iter().chain(query).chain(account.flatten()).filter(|text| text.len() >= MIN_LENGTH);
        Self { list: list.map(SecretString::from).collect() }
    }

    /// Takes them out of one step.
    pub(super) fn hide(&self, step: &mut Step) {
        if self.list.is_empty() {
            return;
        }
        match step {
            Step::Began(head) => head.headers.iter_mut().for_each(|(_, value)| self.clean(value)),
            Step::Failed(failure) => self.failure(failure),
            Step::Events(events) => events.iter_mut().for_each(|event| self.event(event)),
            Step::Ended => {}
        }
    }

    /// Takes them out of bytes as they arrived.
    pub(super) fn clean_bytes(&self, bytes: &mut Vec<u8>) {
        for secret in &self.list {
            let secret = secret.expose_secret().as_bytes();
            let mut from = 0;
            while let Some(at) = find(bytes.get(from..).unwrap_or_default(), secret) {
                let start = from + at;
                bytes.splice(start..start + secret.len(), HIDDEN.bytes());
                from = start + HIDDEN.len();
            }
        }
    }

    /// How many of the last bytes may be the beginning of one.
    pub(super) fn begun(&self, bytes: &[u8]) -> usize {
        let of = |secret: &SecretString| {
            let secret = secret.expose_secret().as_bytes();
            let most = bytes.len().min(secret.len().saturating_sub(1));
            (1..=most).rev().find(|n| bytes.ends_with(secret.get(..*n).unwrap_or_default())).unwrap_or(0)
        };
        self.list.iter().map(of).max().unwrap_or(0)
    }

    #[cfg(test)]
    pub(super) fn of_texts(texts: &[&str]) -> Self {
        Self { list: texts.iter().map(|text| SecretString::from(*text)).collect() }
    }

    fn event(&self, event: &mut RawEvent) {
        match event {
            RawEvent::Model { id } => self.clean(id),
            RawEvent::Terminal { terminal: Terminal::Error { failure } } => self.failure(failure),
            RawEvent::Terminal { terminal: Terminal::Unknown { word } } => self.clean(word),
            RawEvent::Terminal { .. }
            | RawEvent::Text { .. }
            | RawEvent::Thinking { .. }
            | RawEvent::ToolStart { .. }
            | RawEvent::ToolArgs { .. }
            | RawEvent::Refusal { .. }
            | RawEvent::Keep { .. }
            | RawEvent::Restart
            | RawEvent::Usage { .. } => {}
        }
    }

    fn failure(&self, failure: &mut CallFailure) {
        self.clean(&mut failure.message);
        let told = [&mut failure.provider_code, &mut failure.request_id, &mut failure.detail];
        told.into_iter().flatten().for_each(|text| self.clean(text));
    }

    fn clean(&self, text: &mut String) {
        for secret in &self.list {
            if text.contains(secret.expose_secret()) {
                *text = text.replace(secret.expose_secret(), HIDDEN);
            }
        }
    }
}

/// Where `part` stands first; an empty one stands nowhere.
fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut from = 0;
    loop {
        let at = from + bytes.get(from..)?.iter().position(|byte| *byte == first)?;
        if bytes.get(at..)?.starts_with(part) {
            return Some(at);
        }
        from = at + 1;
    }
}
