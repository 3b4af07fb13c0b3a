//! HTTP: sends a dialect's request, reads the response bounded and in time, gives raw events. The only user of
//! `reqwest`.
//!
//! Everything is pulled: an [`Exchange`] does something only while it is asked, and dropping it drops the connection.
//! Decides neither retries nor deadlines (machine and driver do), and shows no key to anybody but the server.

mod client;
pub mod detect;
pub mod download;
mod fault;
pub mod fetch;
#[cfg(feature = "bedrock")]
pub mod frames;
pub mod framing;
mod head;
mod idle;
mod keys;
pub mod lines;
mod secrets;
mod shown;
#[cfg(feature = "bedrock")]
mod sign;
pub mod sse;
mod tap;

use std::pin::Pin;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::time::timeout;

use self::framing::Framer;
pub use self::head::Head;
use self::idle::Idle;
use self::secrets::Secrets;
pub use self::shown::{Shown, key_placeholders};
use self::sse::FrameError;
pub use self::tap::Keep;
use self::tap::Tap;
use crate::capability::Dialect;
use crate::catalog::Endpoint;
use crate::dialect::{self, Decoder, Framing, Target, WireRequest};
use crate::event::{CallFailure, ErrorCode, RawEvent};

/// What came of a call.
#[derive(Debug)]
pub enum Step {
    /// The response began.
    Began(Head),
    /// What one network read brought. Exactly one terminal, last of all.
    Events(Vec<RawEvent>),
    /// The call failed; nothing follows.
    Failed(CallFailure),
    /// Nothing follows.
    Ended,
}

/// An error body is read up to this size.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// An error body that takes longer than this is judged by what came.
const ERROR_BODY_PATIENCE: Duration = Duration::from_secs(5);
/// A whole JSON answer may be this large: twice the largest candidate.
const MAX_WHOLE_BODY: usize = 16 * 1024 * 1024;
/// Reads that are ready at once are taken together up to this many bytes.
const BATCH: usize = 64 * 1024;
/// How long the rest of a finished stream is waited for, so that its connection can be used again.
const DRAIN: Duration = Duration::from_millis(500);

/// Where an endpoint is, as far as a dialect must know.
#[must_use]
pub fn target(endpoint: &Endpoint) -> Target {
    endpoint.target()
}

/// One request and its response.
pub struct Exchange {
    state: State,
    dialect: Dialect,
    idle: Idle,
    loopback: bool,
    secrets: Secrets,
    shown: Option<Shown>,
    tap: Tap,
}

type Sending = Pin<Box<dyn Future<Output = Result<reqwest::Response, reqwest::Error>> + Send>>;

enum State {
    Sending(Sending),
    Failing(Box<CallFailure>),
    Refused(Box<reqwest::Response>),
    Whole { response: Box<reqwest::Response>, body: Vec<u8> },
    Streaming(Box<Streaming>),
    Over,
}

struct Streaming {
    response: reqwest::Response,
    framer: Framer,
    decoder: Box<dyn Decoder>,
    /// Nothing but white space came so far.
    blank: bool,
}

impl Exchange {
    /// Prepares the request; it is sent with the first [`Exchange::next`].
    #[must_use]
    pub fn start(endpoint: &Endpoint, request: &WireRequest, idle: Duration) -> Self {
        // A value always has a text.
        let body = serde_json::to_string(&request.body).unwrap_or_default();
        let loopback = url::Url::parse(&request.url).is_ok_and(|url| client::is_loopback(&url));
        let state = match sending(endpoint, request, body.clone()) {
            Ok(sending) => State::Sending(sending),
            Err(failure) => State::Failing(failure),
        };
        let shown = shown::shown(endpoint, &request.url, &request.headers, body);
        let secrets = Secrets::of(endpoint);
        let tap = Tap::default();
        Self { state, dialect: endpoint.dialect, idle: Idle::new(idle), loopback, secrets, shown: Some(shown), tap }
    }

    /// The request as it may be shown. Given out once; empty afterwards.
    pub fn shown(&mut self) -> Shown {
        let empty = || Shown { url: String::new(), headers: Vec::new(), body: String::new(), curl: String::new() };
        self.shown.take().unwrap_or_else(empty)
    }

    /// From now on the bytes that arrive are kept for [`Exchange::take_bytes`], or no longer.
    pub fn keep_bytes(&mut self, keep: Keep) {
        self.tap.set(keep);
    }

    /// The bytes behind the last step, secrets out. Those that may be the beginning of a secret come with the next.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        let over = matches!(self.state, State::Over);
        self.tap.take(&self.secrets, over)
    }

    /// What comes next. Cancel-safe.
    pub async fn next(&mut self) -> Step {
        loop {
            if let Some(mut step) = self.advance().await {
                self.secrets.hide(&mut step);
                return step;
            }
        }
    }

    /// One wait. `None` = it brought nothing to tell.
    async fn advance(&mut self) -> Option<Step> {
        let limit = self.idle.limit;
        match &mut self.state {
            State::Over => Some(Step::Ended),
            State::Failing(failure) => {
                let failure = failure.as_ref().clone();
                Some(self.fail(failure))
            }
            State::Sending(sending) => {
                let answer = self.idle.guard(sending.as_mut()).await;
                Some(match answer {
                    None => self.fail(fault::idle(limit)),
                    Some(Err(error)) => self.fail(fault::unsent(&error, self.loopback)),
                    Some(Ok(response)) => self.begin(response),
                })
            }
            State::Refused(response) => {
                let failure = refusal(self.dialect, response).await;
                Some(self.fail(failure))
            }
            State::Whole { response, body } => {
                let read = self.idle.guard(std::pin::pin!(response.chunk())).await;
                match read {
                    None => Some(self.fail(fault::idle(limit))),
                    Some(Err(_)) => Some(self.fail(fault::torn())),
                    Some(Ok(Some(bytes))) if body.len() + bytes.len() > MAX_WHOLE_BODY => {
                        Some(self.fail(fault::failure(ErrorCode::Provider, false, "the answer is larger than 16 MiB")))
                    }
                    Some(Ok(Some(bytes))) => {
                        body.extend_from_slice(&bytes);
                        self.tap.see(&bytes);
                        None
                    }
                    Some(Ok(None)) => {
                        let step = whole(self.dialect, body);
                        self.state = State::Over;
                        Some(step)
                    }
                }
            }
            State::Streaming(streaming) => {
                let read = self.idle.guard(std::pin::pin!(streaming.response.chunk())).await;
                match read {
                    None => Some(self.fail(fault::idle(limit))),
                    Some(read) => self.streamed(read),
                }
            }
        }
    }

    fn fail(&mut self, failure: CallFailure) -> Step {
        self.state = State::Over;
        Step::Failed(failure)
    }

    /// The head is there: what kind of body follows?
    fn begin(&mut self, response: reqwest::Response) -> Step {
        let head = Head::of(&response);
        let kind = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        self.state = match (response.status(), kind.as_str()) {
            (status, _) if !status.is_success() => State::Refused(Box::new(response)),
            _ if is_compressed(response.headers()) => State::Failing(Box::new(fault::compressed())),
            (_, "text/html") => State::Failing(Box::new(fault::web_page())),
            // Lines of JSON often come under the name of one, and one is a line as well.
            (_, "application/json") if dialect::framing(self.dialect) != Framing::Lines => {
                State::Whole { response: Box::new(response), body: Vec::new() }
            }
            _ => match Framer::new(dialect::framing(self.dialect)) {
                None => State::Failing(Box::new(fault::not_built())),
                Some(framer) => State::Streaming(Box::new(Streaming {
                    response,
                    framer,
                    decoder: dialect::decoder(self.dialect),
                    blank: true,
                })),
            },
        };
        Step::Began(head)
    }

    /// One read of a stream, and whatever else is there already.
    fn streamed(&mut self, read: Result<Option<bytes::Bytes>, reqwest::Error>) -> Option<Step> {
        let State::Streaming(streaming) = &mut self.state else { return None };
        let mut events = Vec::new();
        let end = streaming.take(read, &mut events, &mut self.tap);
        match end {
            None => {}
            Some(End::Failed(failure)) if events.is_empty() => return Some(self.fail(*failure)),
            Some(End::Failed(failure)) => self.state = State::Failing(failure),
            Some(End::Finished) => self.finish(),
        }
        (!events.is_empty()).then_some(Step::Events(events))
    }

    /// The terminal was given out. What is left of the body is read elsewhere, so that the connection stays usable.
    fn finish(&mut self) {
        let State::Streaming(streaming) = std::mem::replace(&mut self.state, State::Over) else { return };
        let mut response = streaming.response;
        tokio::spawn(timeout(DRAIN, async move {
            let mut left = BATCH;
            while let Ok(Some(bytes)) = response.chunk().await {
                left = left.saturating_sub(bytes.len());
                if left == 0 {
                    return;
                }
            }
        }));
    }
}

/// How a stream ended.
enum End {
    Finished,
    Failed(Box<CallFailure>),
}

impl Streaming {
    /// Decodes a read and those that are ready behind it.
    fn take(
        &mut self,
        first: Result<Option<bytes::Bytes>, reqwest::Error>,
        events: &mut Vec<RawEvent>,
        tap: &mut Tap,
    ) -> Option<End> {
        let mut read = first;
        let mut taken = 0;
        loop {
            let Ok(Some(bytes)) = read else { return Some(self.ended(read.is_ok(), events)) };
            taken += bytes.len();
            tap.see(&bytes);
            if self.is_web_page(&bytes) {
                return Some(End::Failed(Box::new(fault::web_page())));
            }
            if let Err(error) = self.framer.feed(&bytes, &mut |frame| self.decoder.frame(frame, events)) {
                return Some(End::Failed(Box::new(fault::unreadable(error))));
            }
            if self.decoder.is_done() {
                self.decoder.finish(events);
                return Some(End::Finished);
            }
            if taken >= BATCH {
                return None;
            }
            // What is not there at once is waited for by the next call, with a waker.
            read = self.response.chunk().now_or_never()?;
        }
    }

    /// No line of an event stream begins with `<`: a page came under another name.
    fn is_web_page(&mut self, bytes: &[u8]) -> bool {
        if !self.framer.is_text() {
            return false;
        }
        let first = bytes.iter().find(|b| self.blank && !b.is_ascii_whitespace());
        self.blank &= first.is_none();
        first == Some(&b'<')
    }

    fn ended(&mut self, cleanly: bool, events: &mut Vec<RawEvent>) -> End {
        if !cleanly {
            return End::Failed(Box::new(fault::torn()));
        }
        if let Err(error) = self.framer.finish(&mut |frame| self.decoder.frame(frame, events)) {
            return End::Failed(Box::new(fault::unreadable(error)));
        }
        self.decoder.finish(events);
        End::Finished
    }
}

/// Builds the request's future.
fn sending(endpoint: &Endpoint, request: &WireRequest, body: String) -> Result<Sending, Box<CallFailure>> {
    let config = |message: &str| Box::new(fault::failure(ErrorCode::Config, false, message));
    let url =
        url::Url::parse(&request.url).map_err(|_| config("the endpoint's address cannot be used: check base_url"))?;
    let client = client::client(&url).ok_or_else(|| config("no HTTP client can be built on this system"))?;
    let mut headers = headers(request);
    keys::add(endpoint, &url, &mut headers, body.as_bytes(), SystemTime::now())?;
    Ok(Box::pin(client.post(url).headers(headers).body(body).send()))
}

/// The dialect's headers.
fn headers(request: &WireRequest) -> HeaderMap {
    let mut map = HeaderMap::new();
    map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for header in &request.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let (Ok(name), Ok(mut value)) = (name, HeaderValue::from_str(&header.value)) else { continue };
        value.set_sensitive(header.secret);
        map.insert(name, value);
    }
    map
}

/// Compression is never asked for: a small delta would wait in the packer.
fn is_compressed(headers: &HeaderMap) -> bool {
    fault::text(headers, CONTENT_ENCODING.as_str()).is_some_and(|how| !how.eq_ignore_ascii_case("identity"))
}

/// A response that is no success: its body, bounded in size and time, then its class.
async fn refusal(dialect: Dialect, response: &mut reqwest::Response) -> CallFailure {
    let status = response.status();
    if status.is_redirection() {
        let message = "the server redirects to another address, which is not followed: check base_url";
        let mut failure = fault::failure(ErrorCode::Provider, false, message);
        failure.status = Some(status.as_u16());
        return failure;
    }
    let mut body = Vec::new();
    // The head has said enough when the body hangs or breaks.
    let _ = timeout(ERROR_BODY_PATIENCE, async {
        while let Ok(Some(bytes)) = response.chunk().await {
            let room = MAX_ERROR_BODY - body.len();
            body.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
            if body.len() >= MAX_ERROR_BODY {
                return;
            }
        }
    })
    .await;
    let mut failure = dialect::failure(dialect, status.as_u16(), &body);
    fault::add_headers(&mut failure, response.headers(), SystemTime::now());
    failure
}

/// A body that came in one piece. Some servers call a stream `application/json`.
fn whole(dialect: Dialect, body: &[u8]) -> Step {
    let Ok(text) = std::str::from_utf8(body) else { return Step::Failed(fault::unreadable(FrameError::NotUtf8)) };
    let text = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let streamed = ["data:", "event:", ":"].iter().any(|start| text.starts_with(start));
    if dialect::framing(dialect) != Framing::Sse || !streamed {
        return Step::Events(dialect::decode_whole(dialect, text));
    }
    let (mut framer, mut decoder, mut events) = (sse::Framer::default(), dialect::decoder(dialect), Vec::new());
    if let Err(error) = framer.feed(text.as_bytes(), &mut |frame| decoder.frame(frame, &mut events)) {
        return Step::Failed(fault::unreadable(error));
    }
    framer.finish(&mut |frame| decoder.frame(frame, &mut events));
    decoder.finish(&mut events);
    Step::Events(events)
}
