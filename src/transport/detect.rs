//! Which servers answer on this machine. A look, never a wait: what does not answer at once is not there.

use std::time::Duration;

use futures_util::future::join_all;
use secrecy::ExposeSecret as _;

use super::client::{client, is_loopback};
use crate::capability::Dialect;
use crate::catalog::{Catalog, Endpoint};
use crate::config::safe_url;
use crate::json::{ParseLimits, Value, parse_bytes};

/// A server on the same machine answers within this.
const PATIENCE: Duration = Duration::from_millis(300);
/// A list of models is small.
const LIMITS: ParseLimits = ParseLimits { max_bytes: 1024 * 1024, max_depth: 32 };
const MAX_MODELS: usize = 200;
const MAX_NAME: usize = 200;

/// A server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The provider's name in the catalogue.
    pub provider: String,
    /// As it may be shown.
    pub base_url: String,
    /// Model ids as the server lists them; may be empty.
    pub models: Vec<String>,
}

/// Asks every endpoint on this machine for its models, all at once, for at most 300 ms.
pub async fn detect(catalog: &Catalog) -> Vec<LocalServer> {
    let asked = catalog.endpoints.values().map(|endpoint| ask(endpoint));
    join_all(asked).await.into_iter().flatten().collect()
}

async fn ask(endpoint: &Endpoint) -> Option<LocalServer> {
    let url = list_address(&endpoint.base_url, endpoint.dialect).filter(is_loopback)?;
    let models = tokio::time::timeout(PATIENCE, models(endpoint, url)).await.ok()??;
    Some(LocalServer { provider: endpoint.provider.clone(), base_url: shown(&endpoint.base_url), models })
}

/// The address as it was written, unless it has something to hide.
fn shown(base: &str) -> String {
    if base.contains('?') { safe_url(base) } else { base.to_owned() }
}

/// Where the models are listed; a query of the base stays.
fn list_address(base: &str, dialect: Dialect) -> Option<url::Url> {
    let mut url = url::Url::parse(base).ok()?;
    if dialect == Dialect::Ollama {
        let root = url.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
        url.set_path(&format!("{root}/api/tags"));
    } else {
        url.path_segments_mut().ok()?.pop_if_empty().push("models");
    }
    Some(url)
}

async fn models(endpoint: &Endpoint, url: url::Url) -> Option<Vec<String>> {
    let mut request = client(&url)?.get(url);
    if let Some(key) = &endpoint.api_key {
        request = request.bearer_auth(key.expose_secret().trim());
    }
    let mut response = request.send().await.ok().filter(|r| r.status().is_success())?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > LIMITS.max_bytes {
            return None;
        }
    }
    listed(&parse_bytes(&body, LIMITS).ok()?)
}

/// `{"data": [{"id": "…"}]}`, or Ollama's `{"models": [{"name": "…"}]}`; some servers say `null` for an empty list.
/// Anything else is another program.
fn listed(body: &Value) -> Option<Vec<String>> {
    let list = match body.get("data").or_else(|| body.get("models"))? {
        Value::Array(list) => list.as_slice(),
        Value::Null => &[],
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => return None,
    };
    let fine = |id: &&str| !id.is_empty() && id.len() <= MAX_NAME && !id.chars().any(char::is_control);
    let id = |m: &'_ Value| m.get("id").or_else(|| m.get("name")).and_then(Value::as_str).map(str::to_owned);
    let ids = list.iter().filter_map(id).filter(|id| fine(&id.as_str()));
    Some(ids.take(MAX_MODELS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_is_asked_where_it_lists() {
        for (base, dialect, want) in [
            ("http://127.0.0.1:8080/v1/", Dialect::OpenaiChat, "http://127.0.0.1:8080/v1/models"),
            ("http://127.0.0.1:11434", Dialect::Ollama, "http://127.0.0.1:11434/api/tags"),
            ("http://127.0.0.1:1/v1?x=y", Dialect::OpenaiChat, "http://127.0.0.1:1/v1/models?x=y"),
        ] {
            assert_eq!(list_address(base, dialect).unwrap().as_str(), want);
        }
    }

    #[test]
    fn lists_of_both_shapes_are_read_and_nothing_else() {
        let read = |text: &str| listed(&parse_bytes(text.as_bytes(), LIMITS).unwrap());
        let ab = Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(read(r#"{"data":[{"id":"a"},{"id":"b"},{"id":""},{"id":"x\u0007"},{}]}"#), ab);
        assert_eq!(read(r#"{"models":[{"name":"a","model":"a"},{"name":"b"}]}"#), ab);
        assert_eq!(read(r#"{"data":null}"#), Some(Vec::new()));
        assert_eq!(read(r#"{"data":{}}"#), None);
        assert_eq!(read(r#"{"hello":1}"#), None);
    }
}
