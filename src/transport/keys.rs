//! Puts the endpoint's key where its dialect wants it, or signs the request. The one place where keys become headers.

use std::time::SystemTime;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use url::Url;

use super::fault;
use crate::capability::Dialect;
use crate::catalog::Endpoint;
use crate::dialect::{KeyPlace, azure_openai_responses, key_place};
use crate::event::{CallFailure, ErrorCode};

/// Which header the endpoint's key goes into; `None` when the request is signed instead.
pub(super) fn place(endpoint: &Endpoint) -> Option<KeyPlace> {
    match (key_place(endpoint.dialect), &endpoint.api_key) {
        // A token of the directory, not the resource's own key.
        (_, Some(key))
            if endpoint.dialect == Dialect::AzureOpenaiResponses
                && azure_openai_responses::is_token(key.expose_secret().trim()) =>
        {
            Some(KeyPlace::Bearer)
        }
        (KeyPlace::Signed, Some(_)) => Some(KeyPlace::Bearer),
        (KeyPlace::Signed, None) => None,
        (place, _) => Some(place),
    }
}

/// Adds what lets the request in.
pub(super) fn add(
    endpoint: &Endpoint,
    url: &Url,
    headers: &mut HeaderMap,
    body: &[u8],
    now: SystemTime,
) -> Result<(), Box<CallFailure>> {
    let signed = key_place(endpoint.dialect) == KeyPlace::Signed;
    match (place(endpoint), &endpoint.api_key) {
        (None | Some(KeyPlace::Signed), _) => sign(endpoint, url, headers, body, now),
        (Some(_), Some(_)) if signed && url.scheme() != "https" && !super::client::is_loopback(url) => {
            Err(Box::new(fault::plain_line()))
        }
        (Some(KeyPlace::Bearer), Some(key)) => {
            let value = format!("Bearer {}", clean(endpoint, key.expose_secret())?);
            insert(headers, AUTHORIZATION, &value).ok_or_else(|| Box::new(odd(endpoint)))
        }
        (Some(KeyPlace::Header(name)), Some(key)) => {
            let value = clean(endpoint, key.expose_secret())?;
            insert(headers, HeaderName::from_static(name), value).ok_or_else(|| Box::new(odd(endpoint)))
        }
        (Some(KeyPlace::Bearer | KeyPlace::Header(_)), None) => Ok(()),
    }
}

/// A header could hold other letters, but no key does: it was not copied well, which the server would tell worse.
fn clean<'a>(endpoint: &Endpoint, key: &'a str) -> Result<&'a str, Box<CallFailure>> {
    let key = key.trim();
    let fine = key.bytes().all(|b| b.is_ascii_graphic());
    if fine { Ok(key) } else { Err(Box::new(odd(endpoint))) }
}

fn odd(endpoint: &Endpoint) -> CallFailure {
    let variable = endpoint.api_key_env.as_deref().unwrap_or("the key's variable");
    let message = format!("the key in {variable} holds characters that no key has: copy it again");
    fault::failure(ErrorCode::Auth, false, &message)
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) -> Option<()> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Some(())
}

#[cfg(feature = "bedrock")]
fn sign(
    endpoint: &Endpoint,
    url: &Url,
    headers: &mut HeaderMap,
    body: &[u8],
    now: SystemTime,
) -> Result<(), Box<CallFailure>> {
    let unsigned = || Box::new(fault::failure(ErrorCode::Config, false, "the request cannot be signed: check base_url"));
    for (name, value) in super::sign::signed(&endpoint.aws, url, "application/json", body, now)? {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsigned())?;
        insert(headers, name, &value).ok_or_else(unsigned)?;
    }
    Ok(())
}

#[cfg(not(feature = "bedrock"))]
fn sign(_: &Endpoint, _: &Url, _: &mut HeaderMap, _: &[u8], _: SystemTime) -> Result<(), Box<CallFailure>> {
    Err(Box::new(fault::not_built()))
}
