//! Servers that break, lie or never end: what a run says then, and that it always ends.

use std::sync::Arc;
use std::time::Instant;

use formwork::event::{ErrorCode, RunEvent};
use formwork::feed::Item;
use formwork::runtime::start;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::server::{Fake, Part, finish, open_stream, response, stream, text};
use crate::{KEY, PROMPT, Route, SCHEMA, endpoint, plain, rest, run, spec, with_key};

/// One answer, byte for byte, then the connection closes.
fn raw(bytes: impl Into<Vec<u8>>) -> Vec<Part> {
    vec![Part::Bytes(bytes.into()), Part::Close]
}

fn head(lines: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{lines}connection: close\r\n\r\n").into_bytes()
}

const SSE: &str = "content-type: text/event-stream\r\n";

#[tokio::test]
async fn a_key_that_the_server_repeats_is_taken_out() {
    let inside = format!("data: {{\"error\":{{\"message\":\"{KEY}\",\"code\":\"{KEY}\"}}}}\n\n");
    let odd_end =
        format!("data: {{\"model\":\"{KEY}\",\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{KEY}\"}}]}}\n\n");
    for reply in [
        response(
            403,
            &format!("x-request-id: {KEY}\r\n"),
            &format!(r#"{{"error":{{"code":"{KEY}","message":"{KEY}"}}}}"#),
        ),
        response(400, "", &format!("no JSON but {KEY}")),
        stream(&[inside.as_bytes()]),
        stream(&[odd_end.as_bytes()]),
    ] {
        let (_, told) = plain(vec![reply]).await;
        assert!(!matches!(told.events.last(), Some(RunEvent::Done { .. })));
        let shown = format!("{}{:?}", told.public(), told.inspected);
        assert!(!shown.contains(KEY), "{shown}");
    }
}

#[tokio::test]
async fn keys_that_no_header_takes_are_told_and_not_sent() {
    for (key, refused) in
        [("a\nb-secret", true), ("ключ-secret", true), ("a\tb-secret", true), ("  ", true), ("k \n", false)]
    {
        let fake = Fake::start(vec![stream(&[&text("hi"), &finish("stop")])]).await;
        let told = run(spec(with_key(&fake.base_url, key, Route::Native), None)).await;
        if !refused {
            assert_eq!(told.message(), "hi", "blanks around a key are cut off");
            continue;
        }
        assert_eq!(told.error().code, ErrorCode::Auth, "{key:?}");
        assert_eq!(fake.count(), 0, "{key:?}");
        assert!(!format!("{}{:?}", told.public(), told.inspected).contains("-secret"), "{key:?}");
    }
}

#[tokio::test]
async fn answers_that_are_none_are_named_once_and_not_asked_for_again() {
    let page = "<!doctype html>\n<html></html>\n";
    let mut packed = head(&format!("{SSE}content-encoding: gzip\r\n"));
    packed.extend_from_slice(b"\x1f\x8b\x08\0\0");
    let under = |kind: &str| [head(&format!("content-type: {kind}\r\n")), page.as_bytes().to_vec()].concat();
    for (bytes, words) in [
        (packed, "compressed its answer"),
        (under("text/html"), "a web page"),
        (under("text/plain"), "a web page"),
        (under("text/event-stream"), "a web page"),
        ([head(""), b"\r\n ".to_vec(), page.as_bytes().to_vec()].concat(), "a web page"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n".to_vec(), "no HTTP"),
        (b"\x15\x03\x01\0\x02\x02\x0a\r\n\r\n".to_vec(), "no HTTP"),
        ([head(SSE), b"data: \xff\xfe\n\n".to_vec()].concat(), "not UTF-8"),
    ] {
        let fake = Fake::start(vec![raw(bytes)]).await;
        let mut spec = spec(endpoint(&fake.base_url, Route::Native), None);
        spec.budget.max_retries = 6;
        let told = run(spec).await;
        assert!(told.error().message.contains(words), "{words}: {}", told.error().message);
        assert_eq!(fake.count(), 1, "{words}");
    }
}

#[tokio::test]
async fn old_and_odd_http_is_taken() {
    let body = [text("h"), text("i"), finish("stop")].concat();
    let mut chunked =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for byte in &body {
        chunked.extend_from_slice(&[b'1', b'\r', b'\n', *byte, b'\r', b'\n']);
    }
    chunked.extend_from_slice(b"0\r\nx-checksum: 1\r\n\r\n");
    let old = [b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".as_slice(), &body].concat();
    let proceed = [b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), head(SSE), body.clone()].concat();
    let plainly = [head("content-encoding: identity\r\n"), body].concat();
    for bytes in [chunked, old, proceed, plainly] {
        let (_, told) = plain(vec![raw(bytes)]).await;
        assert_eq!(told.message(), "hi");
    }
    let (_, told) = plain(vec![raw(b"HTTP/1.1 204 No Content\r\n\r\n".as_slice())]).await;
    assert_eq!(told.error().code, ErrorCode::Incomplete);
}

/// The run succeeds with all of the text, or not at all.
#[tokio::test]
async fn a_connection_that_breaks_at_any_byte_is_no_success() {
    let begun = [head(SSE), text("{\"n\""), text(":1}")].concat();
    let ending = finish("stop");
    let line = ending.iter().position(|b| *b == b'\n').unwrap() + 1;
    let whole = [begun.clone(), ending].concat();
    for cut in 0..=whole.len() {
        let fake = Fake::start(vec![raw(&whole[..cut])]).await;
        let told = run(spec(endpoint(&fake.base_url, Route::Native), Some(SCHEMA))).await;
        let done = matches!(told.events.last(), Some(RunEvent::Done { .. }));
        assert_eq!(done, cut >= begun.len() + line, "cut at {cut} of {}", whole.len());
        if done {
            assert_eq!(told.message(), "{\"n\":1}");
        }
    }
}

#[tokio::test]
async fn tls_to_a_server_without_it_is_named_and_not_repeated() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n").await;
        }
    });
    let mut spec = spec(endpoint(&format!("https://{address}/v1"), Route::Native), None);
    spec.budget.max_retries = 6;
    let told = run(spec).await;
    assert!(told.error().message.contains("http:// address"), "{}", told.error().message);
    assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 1);
}

/// The feed of a run that nobody reads holds its text once, joined, and the run goes on to its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_does_not_read_stalls_nothing() {
    const PIECES: usize = 20_000;
    let mut parts = open_stream(&[]);
    parts.extend((0..PIECES / 100).map(|_| Part::Bytes(text("0123456789").repeat(100))));
    parts.extend([Part::Bytes(finish("stop")), Part::Hang]);
    let fake = Fake::start(vec![parts]).await;
    let mut handle = start(spec(endpoint(&fake.base_url, Route::Native), None));
    // The connection goes once the answer was taken to its end, though nobody has looked at the feed.
    fake.dropped.acquire().await.unwrap().forget();
    let items = handle.feed.next().await.unwrap();
    assert!(matches!(items.last(), Some(Item::Event(RunEvent::Done { .. }))));
    assert!(items.len() < 20, "{} items were not joined", items.len());
    let deltas = items.iter().filter_map(|item| match item {
        Item::Event(RunEvent::TextDelta { delta, .. }) => Some(delta.len()),
        _ => None,
    });
    assert_eq!(deltas.sum::<usize>(), PIECES * 10);
}

/// pa-025: white space, comments and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_without_end_are_bounded_and_can_be_cancelled() {
    for piece in [text("          ").repeat(100), b": ping\n\n".repeat(100), text("").repeat(100)] {
        let mut parts = open_stream(&[]);
        parts.extend(std::iter::repeat_n(Part::Bytes(piece), 100_000));
        let fake = Fake::start(vec![parts]).await;
        let handle = start(spec(endpoint(&fake.base_url, Route::Native), Some(SCHEMA)));
        fake.arrived.acquire().await.unwrap().forget();
        let began = Instant::now();
        handle.cancel.cancel();
        let told = rest(handle).await;
        assert_eq!(told.error().code, ErrorCode::Cancelled);
        assert!(began.elapsed() < PROMPT, "{:?}", began.elapsed());
        fake.dropped.acquire().await.unwrap().forget();
    }
}
