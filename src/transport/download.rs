//! Large files over HTTP: resumed where they broke off, bounded in size, time and number of tries.
//!
//! Redirects are followed from host to host, but the token goes only to the host it belongs to. What comes is given to a
//! [`Sink`] piece by piece; where it lies, and whether its hash is right, is the sink's business.

mod answer;
mod error;

use std::io;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::{ACCEPT_ENCODING, IF_RANGE, LOCATION, RANGE};
use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::sync::CancellationToken;
use url::Url;

use self::answer::{Answer, Body};
pub use self::error::DownloadError;
use super::client::{client, is_loopback};
use super::fault;
use super::idle::Idle;

/// More hops than this are a loop.
const MAX_HOPS: usize = 10;
/// Tries in a row that bring nothing new.
const MAX_FRUITLESS: u32 = 5;
/// Tries in total: a server that gives a few bytes each time ends some day.
const MAX_TRIES: u32 = 100;
/// Longest wait between two tries, whatever a server asks for.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Wish {
    pub url: Url,
    /// Sent to the origin of `url` and to nobody else.
    pub token: Option<SecretString>,
    /// The file's first bytes: another file is refused before it is downloaded.
    pub begins: &'static [u8],
    /// A larger file is refused.
    pub max_bytes: u64,
    /// No byte for this long ends a try.
    pub idle: Duration,
    /// The wait after the first try that brought nothing; doubles with each further one.
    pub pause: Duration,
}

/// What the servers say about the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    pub total: Option<u64>,
    /// Strong entity tag of the server that sends the bytes.
    pub tag: Option<String>,
    /// The hash as the first host announces it, 64 small hexadecimal digits.
    pub sha256: Option<String>,
}

/// What a sink has already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// Nothing to go on with is 0.
    pub bytes: u64,
    pub about: About,
}

/// Where the bytes go.
pub trait Sink: Send {
    /// What is there from an earlier try.
    fn kept(&self) -> Kept;

    /// The bytes from `at` on follow. `at` is 0, or what [`Sink::kept`] has; what lies behind it is dropped.
    ///
    /// # Errors
    /// The disk's; the download ends with it.
    fn begin(&mut self, about: &About, at: u64) -> io::Result<()>;

    /// The next bytes.
    ///
    /// # Errors
    /// As [`Sink::begin`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// What is told meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    Bytes {
        done: u64,
        total: Option<u64>,
    },
    /// The connection broke; the next try follows after `wait`.
    Again {
        why: String,
        wait: Duration,
    },
}

/// Why a try ended.
enum Trouble {
    /// Another try would bring the same.
    Final(DownloadError),
    /// Worth another try, after what the server asks to wait.
    Again { error: DownloadError, wait: Option<Duration> },
}

impl From<DownloadError> for Trouble {
    fn from(error: DownloadError) -> Self {
        Self::Final(error)
    }
}

/// Downloads until the file is whole.
///
/// # Errors
/// [`DownloadError`]; what the sink has by then may be gone on with.
pub async fn download(
    wish: &Wish,
    sink: &mut dyn Sink,
    tell: &mut (dyn FnMut(Told) + Send),
    cancel: &CancellationToken,
) -> Result<About, DownloadError> {
    let mut fruitless = 0;
    for tries in 1.. {
        let before = sink.kept().bytes;
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Trouble::Final(DownloadError::Cancelled)),
            ended = once(wish, sink, tell) => ended,
        };
        let (error, asked) = match ended {
            Ok(about) => return Ok(about),
            Err(Trouble::Final(error)) => return Err(error),
            Err(Trouble::Again { error, wait }) => (error, wait),
        };
        fruitless = if sink.kept().bytes > before { 1 } else { fruitless + 1 };
        if fruitless > MAX_FRUITLESS || tries >= MAX_TRIES {
            return Err(error);
        }
        let wait = asked.unwrap_or_else(|| wish.pause.saturating_mul(1 << (fruitless - 1))).min(MAX_PAUSE);
        tell(Told::Again { why: error.to_string(), wait });
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(DownloadError::Cancelled),
            () = tokio::time::sleep(wait) => {}
        }
    }
    Err(DownloadError::Cancelled)
}

/// One try: request, redirects, body.
async fn once(wish: &Wish, sink: &mut dyn Sink, tell: &mut (dyn FnMut(Told) + Send)) -> Result<About, Trouble> {
    let mut idle = Idle::new(wish.idle);
    let kept = sink.kept();
    let (response, announced) = ask(wish, &kept, &mut idle).await?;
    let answer = answer::read(&response, &kept, announced, &wish.url)?;
    let Body { about, at } = match answer {
        Answer::Body(body) => body,
        Answer::Complete(about) => {
            sink.begin(&about, kept.bytes).map_err(DownloadError::Disk)?;
            return Ok(about);
        }
        Answer::Stale(error) => {
            sink.begin(&About::default(), 0).map_err(DownloadError::Disk)?;
            return Err(Trouble::Again { error, wait: Some(Duration::ZERO) });
        }
    };
    if about.total.unwrap_or(0) > wish.max_bytes {
        return Err(DownloadError::TooLarge { limit: wish.max_bytes }.into());
    }
    if at > 0 {
        sink.begin(&about, at).map_err(DownloadError::Disk)?;
    }
    receive(wish, response, about, at, sink, tell, &mut idle).await
}

/// Sends the request and follows redirects by hand: each hop decides anew who sees the token.
async fn ask(wish: &Wish, kept: &Kept, idle: &mut Idle) -> Result<(Response, About), Trouble> {
    let mut url = wish.url.clone();
    let mut announced = About::default();
    for _ in 0..MAX_HOPS {
        let own = url.origin() == wish.url.origin();
        let mut request = client(&url).ok_or(DownloadError::NoClient)?.get(url.clone());
        request = request.header(ACCEPT_ENCODING, "identity");
        if let Some(token) = wish.token.as_ref().filter(|_| own) {
            request = request.bearer_auth(token.expose_secret().trim());
        }
        if kept.bytes > 0 {
            request = request.header(RANGE, format!("bytes={}-", kept.bytes));
            if let Some(tag) = &kept.about.tag {
                request = request.header(IF_RANGE, tag);
            }
        }
        let sent = idle.guard(std::pin::pin!(request.send())).await;
        let response = match sent {
            None => return Err(again(DownloadError::Silent { host: host(&url), seconds: wish.idle.as_secs() })),
            Some(Err(error)) => {
                let failure = fault::unsent(&error, is_loopback(&url));
                let error = DownloadError::Lost { host: host(&url), why: failure.message, at: kept.bytes };
                return Err(if failure.retryable { again(error) } else { error.into() });
            }
            Some(Ok(response)) => response,
        };
        if own {
            answer::announced(response.headers(), &mut announced);
        }
        if !response.status().is_redirection() {
            return Ok((response, announced));
        }
        url = next_hop(&response)?;
    }
    Err(DownloadError::Loop { host: host(&wish.url) }.into())
}

/// Where a redirect leads; from a safe connection never to an open one.
fn next_hop(response: &Response) -> Result<Url, DownloadError> {
    let from = response.url();
    let lost = || DownloadError::BadRedirect { host: host(from) };
    let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).ok_or_else(lost)?;
    let to = from.join(to).map_err(|_| lost())?;
    let fine = matches!((from.scheme(), to.scheme()), (_, "https") | ("http", "http"));
    if fine && to.has_host() { Ok(to) } else { Err(lost()) }
}

/// Takes the body.
async fn receive(
    wish: &Wish,
    mut response: Response,
    about: About,
    at: u64,
    sink: &mut dyn Sink,
    tell: &mut (dyn FnMut(Told) + Send),
    idle: &mut Idle,
) -> Result<About, Trouble> {
    let host = host(response.url());
    let mut done = at;
    // The file's first bytes, until there are enough to know it by.
    let mut head = (at == 0).then(Vec::new);
    loop {
        let read = idle.guard(std::pin::pin!(response.chunk())).await;
        let bytes = match read {
            None => return Err(again(DownloadError::Silent { host, seconds: wish.idle.as_secs() })),
            Some(Err(_)) => return Err(again(torn(host, done))),
            Some(Ok(None)) => break,
            Some(Ok(Some(bytes))) => bytes,
        };
        done = done.saturating_add(bytes.len() as u64);
        if done > about.total.unwrap_or(wish.max_bytes).min(wish.max_bytes) {
            return Err(DownloadError::TooLarge { limit: about.total.unwrap_or(wish.max_bytes) }.into());
        }
        match &mut head {
            None => sink.write(&bytes).map_err(DownloadError::Disk)?,
            Some(begun) => {
                begun.extend_from_slice(&bytes);
                if begun.len() >= wish.begins.len() {
                    open(wish, &host, begun, &about, sink)?;
                    head = None;
                }
            }
        }
        tell(Told::Bytes { done, total: about.total });
    }
    match (&head, about.total) {
        (_, Some(total)) if done < total => Err(again(DownloadError::Truncated { host, got: done, total })),
        // Shorter than its first bytes.
        (Some(_), _) => Err(DownloadError::Foreign { host }.into()),
        (None, _) => Ok(about),
    }
}

/// The file is what it should be: the sink is opened.
fn open(wish: &Wish, host: &str, head: &[u8], about: &About, sink: &mut dyn Sink) -> Result<(), DownloadError> {
    if !head.starts_with(wish.begins) {
        let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
        let host = host.to_owned();
        return Err(if first == Some(&b'<') {
            DownloadError::WebPage { host }
        } else {
            DownloadError::Foreign { host }
        });
    }
    sink.begin(about, 0).and_then(|()| sink.write(head)).map_err(DownloadError::Disk)
}

fn torn(host: String, at: u64) -> DownloadError {
    DownloadError::Lost { host, why: "the connection broke in the middle of the file".to_owned(), at }
}

fn again(error: DownloadError) -> Trouble {
    Trouble::Again { error, wait: None }
}

/// The part of an address that may be shown.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests;
