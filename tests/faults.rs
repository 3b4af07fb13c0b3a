//! The fault matrix: every dialect over real sockets through everything a network, a proxy and a server can do. Each
//! ends in the right code, in time, with the connection closed, and nothing leaks: no key anywhere, no text of a body in
//! what is public.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    dead_code,
    reason = "a test stops at the first surprise and tells what it measured; the server is shared"
)]

#[path = "support/server.rs"]
mod server;
#[path = "faults/wires.rs"]
mod wires;

use std::time::{Duration, Instant};

use formwork::capability::Dialect;
use formwork::event::{ErrorCode, RunEvent};
use formwork::feed::Item;
use formwork::machine::Budget;
use formwork::runtime::{RunSpec, dry_run, start};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use server::{Fake, Part};
use wires::{SECRETS, Wire, wires};

/// No text of a body may be public.
const MARK: &str = "BODY-TEXT-OF-THEIRS";
/// How long silence is waited for, where silence is the fault.
const SHORT: Duration = Duration::from_millis(150);
/// No fault may take longer than this.
const IN_TIME: Duration = Duration::from_secs(20);

fn spec(wire: Wire, base_url: &str, idle: Duration) -> RunSpec {
    RunSpec {
        budget: Budget { max_retries: 1, max_iterations: 20 },
        idle_timeout: idle,
        ..RunSpec::new(wire.endpoint(base_url), "m".to_owned(), "count".to_owned())
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
enum End {
    Done(String),
    Failed { code: ErrorCode, retryable: bool, message: String },
}

impl End {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Done(_) => None,
            Self::Failed { code, .. } => Some(*code),
        }
    }
}

/// Runs and looks at everything that came out.
async fn run(spec: RunSpec, about: &str) -> End {
    let began = Instant::now();
    let mut handle = start(spec);
    let (mut public, mut private, mut end) = (String::new(), String::new(), None);
    while let Some(items) = handle.feed.next().await {
        for item in items {
            match item {
                Item::Event(event) => {
                    if !matches!(event, RunEvent::TextDelta { .. } | RunEvent::Done { .. }) {
                        public.push_str(&serde_json::to_string(&event).unwrap());
                    }
                    match event {
                        RunEvent::Done { message, .. } => end = Some(End::Done(message)),
                        RunEvent::Error(error) => {
                            let (code, retryable) = (error.code, error.retryable);
                            end = Some(End::Failed { code, retryable, message: error.message });
                        }
                        _ => {}
                    }
                }
                Item::Inspect(inspect) => {
                    let text = format!("{inspect:?}");
                    private.push_str(text.get(..text.len().min(100_000)).unwrap_or_default());
                }
            }
        }
    }
    assert!(began.elapsed() < IN_TIME, "{about}: {:?}", began.elapsed());
    for secret in SECRETS {
        assert!(!public.contains(secret) && !private.contains(secret), "{about}: a key leaked");
    }
    assert!(!private.contains("Signature="), "{about}: a signature leaked");
    assert!(!public.contains(MARK), "{about}: {public}");
    end.expect("every run ends")
}

async fn answer(wire: Wire, parts: Vec<Part>, idle: Duration) -> (Fake, End) {
    let fake = Fake::start(vec![parts]).await;
    let end = run(spec(wire, &fake.base_url, idle), &format!("{wire:?}")).await;
    (fake, end)
}

const PATIENT: Duration = Duration::from_mins(1);

/// The head of a stream that ends with its connection; `more` are header lines, each with its line end.
fn head(wire: Wire, more: &str) -> Part {
    let kind = wire.content_type();
    Part::Bytes(format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{more}connection: close\r\n\r\n").into_bytes())
}

fn good(wire: Wire) -> Vec<Part> {
    let pieces = [wire.text("{\"n\""), wire.text(":7}"), wire.end()];
    [head(wire, "")].into_iter().chain(pieces.map(Part::Bytes)).chain([Part::Close]).collect()
}

fn is(end: &End, code: ErrorCode, about: &str) {
    assert_eq!(end.code(), Some(code), "{about}: {end:?}");
}

#[tokio::test]
async fn a_good_answer_is_one_in_every_dialect() {
    for wire in wires() {
        let (fake, end) = answer(wire, good(wire), PATIENT).await;
        assert_eq!(end, End::Done("{\"n\":7}".to_owned()), "{wire:?}");
        assert_eq!(fake.count(), 1);
    }
}

#[tokio::test]
async fn keys_go_where_each_dialect_wants_them_and_nowhere_else() {
    for wire in wires() {
        let (fake, _) = answer(wire, good(wire), PATIENT).await;
        let request = fake.request(0);
        let places: Vec<String> = request
            .head
            .lines()
            .filter(|line| SECRETS.iter().any(|secret| line.contains(secret)) || line.contains("Signature="))
            .map(|line| line.split([':', ' ']).next().unwrap().to_ascii_lowercase())
            .collect();
        let want: &[&str] = match wire {
            Wire { signed: true, .. } => &["authorization", "x-amz-security-token"],
            Wire { dialect: Dialect::AzureOpenaiResponses, .. } => &["api-key"],
            Wire { dialect: Dialect::Anthropic, .. } => &["x-api-key"],
            Wire { dialect: Dialect::Google, .. } => &["x-goog-api-key"],
            Wire { .. } => &["authorization"],
        };
        let mut places: Vec<&str> = places.iter().map(String::as_str).collect();
        places.sort_unstable();
        assert_eq!(places, want, "{wire:?}");
        assert!(!request.body.contains("SECRET"), "{wire:?}");
        assert!(!request.head.to_ascii_lowercase().contains("accept-encoding"), "compression is never asked for");
        // What would be sent shows none of it either.
        let shown = dry_run(&spec(wire, &fake.base_url, PATIENT)).unwrap();
        let headers = shown.request.unwrap().headers;
        assert!(headers.iter().all(|header| !SECRETS.iter().any(|secret| header.value.contains(secret))));
        assert!(headers.iter().any(|header| header.secret), "{wire:?}: the place of the key is shown");
    }
}

#[tokio::test]
async fn nobody_listens() {
    for wire in wires() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        drop(listener);
        let end = run(spec(wire, &base_url, PATIENT), "refused").await;
        is(&end, ErrorCode::Transport, "refused");
    }
}

/// Nothing of the request goes out before the handshake is made.
#[tokio::test]
async fn tls_that_comes_to_nothing() {
    for reply in [
        &b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"[..],
        // "handshake failure"
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"\x16\x03\x03\xff\xff\x00",
        b"",
    ] {
        for wire in wires() {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let base_url = format!("https://{}/v1", listener.local_addr().unwrap());
            let server = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut hello = vec![0; 16 * 1024];
                let read = stream.read(&mut hello).await.unwrap();
                stream.write_all(reply).await.unwrap();
                hello.truncate(read);
                hello
            });
            let end = run(spec(wire, &base_url, PATIENT), "tls").await;
            is(&end, ErrorCode::Transport, &format!("{wire:?} {reply:?}"));
            let hello = String::from_utf8_lossy(&server.await.unwrap()).into_owned();
            assert!(!hello.contains("POST") && !hello.contains("SECRET"), "{wire:?}");
        }
    }
}

#[tokio::test]
async fn a_reset_at_every_phase() {
    for wire in wires() {
        let whole = wire.text("{\"n\"");
        let half = |bytes: &[u8]| Part::Bytes(bytes.get(..bytes.len() / 2).unwrap().to_vec());
        for (phase, parts) in [
            ("before the head", vec![Part::Reset]),
            ("in the head", vec![Part::Bytes(b"HTTP/1.1 200 OK\r\ncontent-ty".to_vec()), Part::Reset]),
            ("after the head", vec![head(wire, "content-length: 9999\r\n"), Part::Reset]),
            ("in a frame", vec![head(wire, "content-length: 9999\r\n"), half(&whole), Part::Reset]),
            ("after a frame", vec![head(wire, "content-length: 9999\r\n"), Part::Bytes(whole.clone()), Part::Reset]),
            // A length that is not reached is a break as well, however politely the connection ends.
            ("closed too early", vec![head(wire, "content-length: 9999\r\n"), Part::Bytes(whole.clone()), Part::Close]),
        ] {
            let (_fake, end) = answer(wire, parts, PATIENT).await;
            is(&end, ErrorCode::Transport, &format!("{wire:?} {phase}"));
        }
    }
}

/// The connection goes as soon as the silence was long enough.
#[tokio::test]
async fn silence_at_every_phase_ends_in_time() {
    for wire in wires() {
        let whole = wire.text("{\"n\"");
        let half = whole.get(..whole.len() / 2).unwrap().to_vec();
        for (phase, parts) in [
            ("no head", vec![Part::Hang]),
            ("half a head", vec![Part::Bytes(b"HTTP/1.1 200 OK\r\n".to_vec()), Part::Hang]),
            ("no body", vec![head(wire, ""), Part::Hang]),
            ("half a frame", vec![head(wire, ""), Part::Bytes(half.clone()), Part::Hang]),
            ("a frame", vec![head(wire, ""), Part::Bytes(whole.clone()), Part::Hang]),
        ] {
            let (fake, end) = answer(wire, parts, SHORT).await;
            is(&end, ErrorCode::Timeout, &format!("{wire:?} {phase}"));
            tokio::time::timeout(IN_TIME, fake.dropped.acquire()).await.expect("closed").unwrap().forget();
        }
    }
}

#[tokio::test]
async fn an_end_without_its_mark_is_no_answer() {
    for wire in wires() {
        let (text, end) = (wire.text("{\"n\":7}"), wire.end());
        let torn = if wire.dialect == Dialect::Bedrock { ErrorCode::Transport } else { ErrorCode::Incomplete };
        for (phase, bytes, want) in [
            ("nothing", Vec::new(), ErrorCode::Incomplete),
            ("text only", text.clone(), ErrorCode::Incomplete),
            ("half a frame", text.get(..text.len() / 2).unwrap().to_vec(), torn),
            ("a piece of the end", [text.clone(), end.get(..12).unwrap().to_vec()].concat(), torn),
        ] {
            let (_fake, got) = answer(wire, vec![head(wire, ""), Part::Bytes(bytes), Part::Close], PATIENT).await;
            is(&got, want, &format!("{wire:?} {phase}"));
        }
    }
}

#[tokio::test]
async fn a_long_line_is_taken_and_one_without_end_is_not() {
    let long = "x".repeat(1024 * 1024);
    for wire in wires() {
        let parts = vec![head(wire, ""), Part::Bytes(wire.text(&long)), Part::Bytes(wire.end()), Part::Close];
        let (_fake, end) = answer(wire, parts, PATIENT).await;
        assert_eq!(end, End::Done(long.clone()), "{wire:?}");
        // Bedrock's bound stands in the first bytes of a frame.
        let piece = if wire.dialect == Dialect::Bedrock {
            prelude(25 * 1024 * 1024)
        } else {
            format!("data: {long}").into_bytes()
        };
        let mut parts = vec![head(wire, "")];
        parts.extend((0..18).map(|_| Part::Bytes(piece.clone())));
        parts.push(Part::Hang);
        let (fake, end) = answer(wire, parts, PATIENT).await;
        is(&end, ErrorCode::Provider, &format!("{wire:?}"));
        tokio::time::timeout(IN_TIME, fake.dropped.acquire()).await.expect("closed").unwrap().forget();
    }
}

/// The first bytes of a frame of this length, rightly summed.
fn prelude(length: u32) -> Vec<u8> {
    let mut bytes = [length.to_be_bytes(), 0_u32.to_be_bytes()].concat();
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xEDB8_8320 * (sum & 1)))
    });
    bytes.extend((!sum).to_be_bytes());
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_grows_past_its_bounds_is_dropped() {
    let piece = "x".repeat(1024 * 1024);
    for wire in wires() {
        let mut parts = vec![head(wire, "")];
        parts.extend((0..66).map(|_| Part::Bytes(wire.text(&piece))));
        parts.push(Part::Hang);
        let (fake, end) = answer(wire, parts, PATIENT).await;
        is(&end, ErrorCode::Incomplete, &format!("{wire:?}"));
        tokio::time::timeout(IN_TIME, fake.dropped.acquire()).await.expect("closed").unwrap().forget();
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_or_not_asked_for() {
    for wire in wires() {
        let broken = vec![head(wire, ""), Part::Bytes(wire.broken_text()), Part::Hang];
        let page = format!("<!doctype html>\n<html>{MARK}</html>\n").into_bytes();
        let typed = |kind: &str| {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
            vec![Part::Bytes(head.into_bytes()), Part::Bytes(page.clone()), Part::Close]
        };
        for (what, parts) in [
            ("not UTF-8", broken),
            (
                "gzip",
                vec![head(wire, "content-encoding: gzip\r\n"), Part::Bytes(b"\x1f\x8b\x08\0".to_vec()), Part::Hang],
            ),
            ("brotli", vec![head(wire, "content-encoding: br\r\n"), Part::Bytes(b"\x0b\x02\x80".to_vec()), Part::Hang]),
            ("a page", typed("text/html")),
            ("a page under another name", typed("text/plain")),
            ("a page under the right name", typed(wire.content_type())),
        ] {
            let (fake, end) = answer(wire, parts, PATIENT).await;
            is(&end, ErrorCode::Provider, &format!("{wire:?} {what}"));
            assert_eq!(fake.count(), 1);
        }
    }
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn a_damaged_frame_is_not_read() {
    let wire = Wire { dialect: Dialect::Bedrock, signed: true };
    let text = wire.text("{\"n\":7}");
    for at in 0..text.len() {
        let mut damaged = text.clone();
        damaged[at] ^= 0x20;
        let bytes = [wire.text("{"), damaged, wire.end()].concat();
        let (_fake, end) = answer(wire, vec![head(wire, ""), Part::Bytes(bytes), Part::Close], PATIENT).await;
        is(&end, ErrorCode::Transport, &format!("byte {at}"));
    }
}

#[tokio::test]
async fn a_redirect_elsewhere_is_not_followed_and_one_at_home_is() {
    for wire in wires() {
        let other = Fake::start(vec![good(wire)]).await;
        for status in [301, 302, 303, 307, 308] {
            let to = format!("HTTP/1.1 {status} X\r\nlocation: {}/x\r\ncontent-length: 0\r\n\r\n", other.base_url);
            let (_fake, end) = answer(wire, vec![Part::Bytes(to.into_bytes())], PATIENT).await;
            is(&end, ErrorCode::Provider, &format!("{wire:?} {status}"));
        }
        assert_eq!(other.count(), 0, "{wire:?}: nothing went to the other server");
        let home = b"HTTP/1.1 307 X\r\nlocation: /moved\r\ncontent-length: 0\r\n\r\n".to_vec();
        let fake = Fake::start(vec![vec![Part::Bytes(home)], good(wire)]).await;
        let end = run(spec(wire, &fake.base_url, PATIENT), "moved").await;
        assert_eq!(end, End::Done("{\"n\":7}".to_owned()), "{wire:?}");
        assert!(fake.request(1).head.starts_with("POST /moved "), "{wire:?}");
    }
}

/// What a status says when nothing else does: code, and may the call be sent again?
const STATUSES: [(u16, ErrorCode, bool); 20] = [
    (300, ErrorCode::Provider, false),
    (304, ErrorCode::Provider, false),
    (400, ErrorCode::Provider, false),
    (401, ErrorCode::Auth, false),
    (403, ErrorCode::Auth, false),
    (404, ErrorCode::Provider, false),
    (405, ErrorCode::Provider, false),
    (408, ErrorCode::Provider, true),
    (409, ErrorCode::Provider, true),
    (413, ErrorCode::Provider, false),
    (418, ErrorCode::Provider, false),
    (422, ErrorCode::Provider, false),
    (424, ErrorCode::Provider, false),
    (425, ErrorCode::Provider, true),
    (429, ErrorCode::RateLimited, true),
    (500, ErrorCode::Provider, true),
    (502, ErrorCode::Provider, true),
    (503, ErrorCode::Provider, true),
    (504, ErrorCode::Provider, true),
    (529, ErrorCode::Provider, true),
];

#[tokio::test]
async fn statuses_with_and_without_bodies() {
    let bodies = [
        String::new(),
        format!(r#"{{"error":{{"message":"{MARK}"}}}}"#),
        format!(r#"{{"message":"{MARK}"}}"#),
        format!("<html><body>{MARK}</body></html>"),
        format!("{MARK} and no JSON"),
        "[".repeat(5_000),
    ];
    for wire in wires() {
        for (status, code, retryable) in STATUSES {
            for body in &bodies {
                let length = if status == 304 { 0 } else { body.len() };
                let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                let body = body.get(..length).unwrap();
                let parts = vec![Part::Bytes(format!("{text}{body}").into_bytes()), Part::Close];
                let (_fake, end) = answer(wire, parts, PATIENT).await;
                let End::Failed { code: got, retryable: again, .. } = &end else { panic!("{wire:?} {status}") };
                assert_eq!((*got, *again), (code, retryable), "{wire:?} {status} {body:.40}: {end:?}");
            }
        }
    }
}

/// The head has said enough when the body of an error breaks.
#[tokio::test]
async fn an_error_whose_body_breaks_keeps_its_status() {
    for wire in wires() {
        let head = b"HTTP/1.1 429 X\r\ncontent-length: 9999\r\nretry-after: 7\r\n\r\n{\"error\"".to_vec();
        for last in [Part::Close, Part::Reset] {
            let (_fake, end) = answer(wire, vec![Part::Bytes(head.clone()), last], PATIENT).await;
            is(&end, ErrorCode::RateLimited, &format!("{wire:?}"));
        }
    }
}

/// An endless error body is read to its bound, not to its end.
#[tokio::test]
async fn an_error_without_end_is_bounded() {
    for wire in wires() {
        let mut parts = vec![Part::Bytes(b"HTTP/1.1 500 X\r\nconnection: close\r\n\r\n".to_vec())];
        parts.extend((0..4_000).map(|_| Part::Bytes(vec![b'x'; 64 * 1024])));
        parts.push(Part::Hang);
        let (fake, end) = answer(wire, parts, PATIENT).await;
        is(&end, ErrorCode::Provider, &format!("{wire:?}"));
        tokio::time::timeout(IN_TIME, fake.dropped.acquire()).await.expect("closed").unwrap().forget();
    }
}
