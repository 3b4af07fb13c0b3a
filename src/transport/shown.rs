//! A request as it may be shown: secrets out, and as a curl command that can be run.

use crate::catalog::Endpoint;
use crate::config::safe_url;
use crate::dialect::Header;

/// What the user's screen gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    pub curl: String,
}

/// Stands where a secret was.
const HIDDEN: &str = "[secret]";

/// The `authorization` header's value with the variable in place of the key.
#[must_use]
pub fn key_placeholder(endpoint: &Endpoint) -> Option<String> {
    let used = endpoint.api_key.is_some() || endpoint.needs_key;
    used.then(|| format!("Bearer ${}", endpoint.api_key_env.as_deref().unwrap_or("API_KEY")))
}

/// The request as it may be shown. `headers` are those without the key.
pub(super) fn shown(endpoint: &Endpoint, url: &str, headers: &[Header], body: String) -> Shown {
    let url = safe_url(url);
    let mut arguments = vec![format!("curl -sSN {}", quoted(&url))];
    let mut list = Vec::new();
    for header in headers {
        let value = if header.secret { HIDDEN } else { &header.value };
        list.push((header.name.clone(), value.to_owned()));
        arguments.push(format!("-H {}", quoted(&format!("{}: {value}", header.name))));
    }
    if let Some(value) = key_placeholder(endpoint) {
        list.push(("authorization".to_owned(), HIDDEN.to_owned()));
        // Double quotes: the shell puts the key in. The name was checked to be a variable's.
        arguments.push(format!("-H \"authorization: {value}\""));
    }
    arguments.push(format!("--data-binary {}", quoted(&body)));
    let curl = arguments.join(" \\\n  ");
    Shown { url, headers: list, body, curl }
}

/// Quoted for a POSIX shell: nothing inside is read by it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_nothing_inside_quotes() {
        assert_eq!(quoted("it's $HOME `x` \\"), r"'it'\''s $HOME `x` \'");
    }
}
