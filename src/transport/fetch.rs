//! Fetches one document: bounded in size and time, with no key and no cookie.

use std::time::Duration;

use tokio::time::timeout;

use super::client::client;

/// Why a document did not come. Holds no address and no text of the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("this is no http:// or https:// address")]
    NoAddress,
    #[error("the server cannot be reached")]
    Unreachable,
    #[error("the server answered with status {0}")]
    Status(u16),
    #[error("the answer is larger than {} MiB", .0 / 1024 / 1024)]
    TooLarge(usize),
    #[error("the answer broke off")]
    Torn,
    #[error("the answer did not come within {} s", .0.as_secs())]
    TooSlow(Duration),
}

/// The body at this address, of at most `max_bytes`, within `patience`.
///
/// # Errors
/// [`FetchError`]
pub async fn fetch(address: &str, max_bytes: usize, patience: Duration) -> Result<Vec<u8>, FetchError> {
    timeout(patience, body(address, max_bytes)).await.unwrap_or(Err(FetchError::TooSlow(patience)))
}

async fn body(address: &str, max_bytes: usize) -> Result<Vec<u8>, FetchError> {
    let url = url::Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or(FetchError::NoAddress)?;
    let request = client(&url).ok_or(FetchError::Unreachable)?.get(url);
    let mut response = request.send().await.map_err(|_| FetchError::Unreachable)?;
    if !response.status().is_success() {
        return Err(FetchError::Status(response.status().as_u16()));
    }
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    if announced.is_some_and(|length| length > max_bytes) {
        return Err(FetchError::TooLarge(max_bytes));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| FetchError::Torn)? {
        if bytes.len() + chunk.len() > max_bytes {
            return Err(FetchError::TooLarge(max_bytes));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
