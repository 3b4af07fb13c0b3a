//! A request as it may be shown: secrets out, and as a curl command that can be run.

use super::keys::place;
use crate::catalog::Endpoint;
use crate::config::safe_url;
use crate::dialect::{Header, KeyPlace};

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

/// The headers that let a request in, with variables in place of what is secret.
#[must_use]
pub fn key_placeholders(endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    let used = endpoint.api_key.is_some() || endpoint.needs_key;
    let variable = format!("${}", endpoint.api_key_env.as_deref().unwrap_or("API_KEY"));
    match place(endpoint) {
        Some(KeyPlace::Bearer) if used => vec![("authorization", format!("Bearer {variable}"))],
        Some(KeyPlace::Header(name)) if used => vec![(name, variable)],
        Some(KeyPlace::Bearer | KeyPlace::Header(_)) => Vec::new(),
        None | Some(KeyPlace::Signed) => {
            let session = endpoint.aws.keys.as_ref().is_some_and(|keys| keys.session_token.is_some());
            let mut list = vec![("authorization", "AWS4-HMAC-SHA256 $SIGNATURE".to_owned())];
            list.extend(session.then(|| ("x-amz-security-token", "$AWS_SESSION_TOKEN".to_owned())));
            list
        }
    }
}

/// The request as it may be shown. `headers` are those without the key.
pub(super) fn shown(endpoint: &Endpoint, url: &str, headers: &[Header], body: String) -> Shown {
    let signed = matches!(place(endpoint), None | Some(KeyPlace::Signed));
    let region = signed.then(|| region(endpoint, url));
    let url = safe_url(url);
    let mut arguments = vec![format!("curl -sSN {}", quoted(&url))];
    let mut list = Vec::new();
    for header in headers {
        let value = if header.secret { HIDDEN } else { &header.value };
        list.push((header.name.clone(), value.to_owned()));
        arguments.push(format!("-H {}", quoted(&format!("{}: {value}", header.name))));
    }
    if let Some(region) = region {
        // Curl signs by itself.
        arguments.push(format!("--aws-sigv4 {}", quoted(&format!("aws:amz:{region}:bedrock"))));
        arguments.push("--user \"$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY\"".to_owned());
    }
    for (name, value) in key_placeholders(endpoint) {
        list.push((name.to_owned(), HIDDEN.to_owned()));
        if !(signed && name == "authorization") {
            // Double quotes: the shell puts the key in. The name was checked to be a variable's.
            arguments.push(format!("-H \"{name}: {value}\""));
        }
    }
    arguments.push(format!("--data-binary {}", quoted(&body)));
    let curl = arguments.join(" \\\n  ");
    Shown { url, headers: list, body, curl }
}

#[cfg(feature = "bedrock")]
fn region(endpoint: &Endpoint, url: &str) -> String {
    let url = url::Url::parse(url).ok();
    super::sign::region(&endpoint.aws, url.as_ref()).unwrap_or_else(|| "REGION".to_owned())
}

#[cfg(not(feature = "bedrock"))]
fn region(_: &Endpoint, _: &str) -> String {
    "REGION".to_owned()
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
