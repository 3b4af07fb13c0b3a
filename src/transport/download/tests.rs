//! Downloads from a server on a real socket that does what a hub, its mirror, or a bad day does.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test stops at the first surprise")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::*;

/// Answers a request: its number (from 0) and head, and where to write.
type Answering = dyn Fn(usize, &str, &mut TcpStream) + Send + Sync;

struct Hub {
    address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Hub {
    fn start(answer: impl Fn(usize, &str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer): (_, Arc<Answering>) = (Arc::clone(&heads), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let head = head_of(&stream);
                let number = {
                    let mut heads = kept.lock().unwrap();
                    heads.push(head.clone());
                    heads.len() - 1
                };
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || answer(number, &head, &mut stream));
            }
        });
        Self { address, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    fn wish(&self) -> Wish {
        Wish {
            url: Url::parse(&format!("{}/o/r/resolve/main/m.gguf", self.address)).unwrap(),
            token: Some(SecretString::from("hf_sEcReT")),
            begins: b"GGUF",
            max_bytes: 1 << 20,
            idle: Duration::from_secs(20),
            pause: Duration::ZERO,
        }
    }
}

fn head_of(stream: &TcpStream) -> String {
    let mut head = String::new();
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            return head.to_ascii_lowercase();
        }
        head.push_str(&line);
    }
}

/// Where a request wants to go on.
fn start(head: &str) -> Option<usize> {
    head.lines().find_map(|line| line.strip_prefix("range: bytes=")?.strip_suffix('-')?.trim().parse().ok())
}

fn send(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let _ = write!(stream, "HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n");
    let _ = stream.write_all(body);
}

fn file() -> Vec<u8> {
    let rest = (0..5_000u32).flat_map(u32::to_le_bytes);
    b"GGUF".iter().copied().chain(rest).collect()
}

/// As a good server serves it, but for what a test changes. Sends at most `most` bytes and then drops the connection.
fn serve(stream: &mut TcpStream, head: &str, more: &str, most: usize) {
    let file = file();
    let total = file.len();
    let (status, range, from) = match start(head) {
        Some(from) => ("206 Partial", format!("content-range: bytes {from}-{}/{total}\r\n", total - 1), from),
        None => ("200 OK", String::new(), 0),
    };
    let length = total - from;
    let headers = format!("etag: \"v1\"\r\ncontent-length: {length}\r\n{range}{more}");
    send(stream, status, &headers, &file[from..from.saturating_add(most).min(total)]);
}

/// Keeps everything in memory; fails where it is told to.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    about: About,
    begun: Vec<u64>,
    fails: Option<io::ErrorKind>,
}

impl Sink for Memory {
    fn kept(&self) -> Kept {
        Kept { bytes: self.bytes.len() as u64, about: self.about.clone() }
    }

    fn begin(&mut self, about: &About, at: u64) -> io::Result<()> {
        self.bytes.truncate(usize::try_from(at).unwrap());
        self.about = about.clone();
        self.begun.push(at);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(kind) = self.fails {
            return Err(kind.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

async fn run(wish: &Wish, sink: &mut Memory) -> Result<About, DownloadError> {
    download(wish, sink, &mut |_| {}, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_file_comes_whole() {
    let hash = "a".repeat(64);
    let more = format!("x-linked-etag: \"{hash}\"\r\nx-linked-size: {}\r\n", file().len());
    let hub = Hub::start(move |_, head, stream| serve(stream, head, &more, usize::MAX));
    let mut sink = Memory::default();
    let about = run(&hub.wish(), &mut sink).await.unwrap();
    assert_eq!((sink.bytes, about.sha256.as_deref()), (file(), Some(hash.as_str())));
    assert!(hub.heads()[0].contains("authorization: bearer hf_secret"));
    assert!(hub.heads()[0].contains("accept-encoding: identity"));
}

#[tokio::test]
async fn a_drop_anywhere_is_gone_on_from() {
    let total = file().len();
    for cut in [0, 1, 3, 4, 5, 4_096, 9_999, total - 1] {
        let most = move |number| if number == 0 { cut } else { usize::MAX };
        let hub = Hub::start(move |number, head, stream| serve(stream, head, "", most(number)));
        let mut sink = Memory::default();
        run(&hub.wish(), &mut sink).await.unwrap();
        assert_eq!(sink.bytes, file(), "cut at {cut}");
        let begun = if cut >= 4 { vec![0, cut as u64] } else { vec![0] };
        assert_eq!(sink.begun, begun, "cut at {cut}");
        // Fewer bytes than a file is known by are not kept.
        let from = (cut >= 4).then_some(cut);
        assert_eq!(start(&hub.heads()[1]), from, "cut at {cut}");
        assert_eq!(hub.heads()[1].contains("if-range: \"v1\""), from.is_some());
    }
}

#[tokio::test]
async fn a_server_that_always_drops_ends_the_tries() {
    let hub = Hub::start(|_, head, stream| serve(stream, head, "", 0));
    let error = run(&hub.wish(), &mut Memory::default()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Lost { .. }), "{error}");
    assert_eq!(hub.heads().len(), MAX_FRUITLESS as usize + 1);
}

#[tokio::test]
async fn a_server_that_ignores_ranges_begins_anew() {
    let hub = Hub::start(|number, _, stream| serve(stream, "", "", if number == 0 { 100 } else { usize::MAX }));
    let mut sink = Memory::default();
    run(&hub.wish(), &mut sink).await.unwrap();
    assert_eq!((sink.bytes, sink.begun), (file(), vec![0, 0]));
}

#[tokio::test]
async fn a_changed_file_and_a_wrong_part_begin_anew() {
    for range in ["content-range: bytes 100-20003/30000", "content-range: bytes 7-20003/20004", ""] {
        let hub = Hub::start(move |number, head, stream| match number {
            0 => serve(stream, head, "", 100),
            1 => send(stream, "206 Partial", &format!("{range}\r\ncontent-length: 4\r\n"), b"evil"),
            _ => serve(stream, head, "", usize::MAX),
        });
        let mut sink = Memory::default();
        run(&hub.wish(), &mut sink).await.unwrap();
        assert_eq!(sink.bytes, file(), "{range}");
        assert_eq!(start(&hub.heads()[2]), None, "{range}");
    }
}

#[tokio::test]
async fn a_part_that_is_whole_needs_no_more() {
    let hub = Hub::start(|_, _, stream| {
        send(stream, "416 Range", &format!("content-range: bytes */{}\r\ncontent-length: 0\r\n", file().len()), b"");
    });
    let about = About { tag: Some("\"v1\"".to_owned()), ..About::default() };
    let mut sink = Memory { bytes: file(), about, ..Memory::default() };
    run(&hub.wish(), &mut sink).await.unwrap();
    assert_eq!(sink.bytes, file());
}

#[tokio::test]
async fn the_token_stays_with_its_host() {
    let cdn = Hub::start(|_, head, stream| serve(stream, head, "", usize::MAX));
    let to = cdn.address.clone();
    let hash = "b".repeat(64);
    let linked = format!("x-linked-etag: \"{hash}\"\r\n");
    let hub = Hub::start(move |_, _, stream| {
        send(stream, "302 Found", &format!("location: {to}/blob?sig=1\r\n{linked}content-length: 0\r\n"), b"");
    });
    let mut sink = Memory::default();
    let about = run(&hub.wish(), &mut sink).await.unwrap();
    assert_eq!((sink.bytes, about.sha256), (file(), Some(hash)));
    assert!(hub.heads()[0].contains("authorization:"));
    let seen = cdn.heads();
    assert!(seen.len() == 1 && !seen[0].contains("authorization") && !seen[0].contains("hf_"), "{seen:?}");
}

#[tokio::test]
async fn what_another_host_announces_is_not_believed() {
    let lie = format!("x-linked-etag: \"{}\"\r\n", "c".repeat(64));
    let cdn = Hub::start(move |_, head, stream| serve(stream, head, &lie, usize::MAX));
    let to = cdn.address.clone();
    let hub = Hub::start(move |_, _, stream| {
        send(stream, "302 Found", &format!("location: {to}/blob\r\ncontent-length: 0\r\n"), b"");
    });
    assert_eq!(run(&hub.wish(), &mut Memory::default()).await.unwrap().sha256, None);
}

#[tokio::test]
async fn redirects_have_their_limits() {
    for (to, is_loop) in
        [("/again", true), ("file:///etc/passwd", false), ("ftp://127.0.0.1/x", false), ("http://", false)]
    {
        let hub = Hub::start(move |_, _, stream| {
            send(stream, "302 Found", &format!("location: {to}\r\ncontent-length: 0\r\n"), b"");
        });
        let error = run(&hub.wish(), &mut Memory::default()).await.unwrap_err();
        let wanted = if is_loop {
            matches!(error, DownloadError::Loop { .. })
        } else {
            matches!(error, DownloadError::BadRedirect { .. })
        };
        assert!(wanted, "{to}: {error}");
    }
}

#[tokio::test]
async fn each_refusal_has_its_words() {
    for (status, more, words, requests) in [
        ("401 No", "", "wants a token", 1),
        ("401 No", "x-error-code: GatedRepo\r\n", "does not give this file to you", 1),
        ("403 No", "", "does not give this file to you", 1),
        ("404 No", "", "no such file", 1),
        ("400 No", "", "refused the download (status 400)", 1),
        ("503 Later", "retry-after: 0\r\n", "refused the download (status 503)", 6),
        ("200 OK", "content-type: text/html; charset=utf-8\r\n", "web page", 1),
        ("200 OK", "content-encoding: gzip\r\n", "compressed", 1),
        ("200 OK", "content-length: 9\r\n", "web page", 1),
        ("206 Partial", "content-range: bytes 9-10/11\r\n", "wrong part", 1),
        ("200 OK", "content-length: 2000000\r\n", "larger than the limit", 1),
        ("200 OK", "content-length: 9\r\nx-linked-size: 10\r\n", "said to have 10", 1),
    ] {
        let hub = Hub::start(move |_, _, stream| send(stream, status, more, b"<!doctype"));
        let mut sink = Memory::default();
        let error = run(&hub.wish(), &mut sink).await.unwrap_err();
        assert!(error.to_string().contains(words), "{status} {more}: {error}");
        assert_eq!((hub.heads().len(), sink.begun.len()), (requests, 0), "{status} {more}");
        assert!(!error.to_string().contains("resolve") && !error.next().is_empty());
    }
}

#[tokio::test]
async fn another_kind_of_file_is_refused_before_it_is_kept() {
    for body in [&b"PK\x03\x04 zip"[..], b"version https://git-lfs", b"GG"] {
        let hub = Hub::start(move |_, _, stream| {
            send(stream, "200 OK", &format!("content-length: {}\r\n", body.len()), body);
        });
        let mut sink = Memory::default();
        let error = run(&hub.wish(), &mut sink).await.unwrap_err();
        assert!(matches!(error, DownloadError::Foreign { .. }), "{error}");
        assert!(sink.begun.is_empty() && sink.bytes.is_empty());
    }
}

#[tokio::test]
async fn a_body_without_an_end_is_bounded() {
    let hub = Hub::start(|_, _, stream| {
        send(stream, "200 OK", "", b"GGUF");
        while stream.write_all(&[7; 4096]).is_ok() {}
    });
    let mut sink = Memory::default();
    let error = run(&hub.wish(), &mut sink).await.unwrap_err();
    assert!(matches!(error, DownloadError::TooLarge { .. }), "{error}");
    assert!(sink.bytes.len() <= 1 << 20);
}

#[tokio::test]
async fn a_full_disk_ends_it_at_once() {
    let hub = Hub::start(|_, head, stream| serve(stream, head, "", usize::MAX));
    let mut sink = Memory { fails: Some(io::ErrorKind::StorageFull), ..Memory::default() };
    let error = run(&hub.wish(), &mut sink).await.unwrap_err();
    assert!(matches!(&error, DownloadError::Disk(e) if e.kind() == io::ErrorKind::StorageFull), "{error}");
    assert_eq!(hub.heads().len(), 1);
}

#[tokio::test]
async fn silence_ends_a_try_and_a_cancel_ends_all() {
    let hang = |_: usize, _: &str, stream: &mut TcpStream| {
        send(stream, "200 OK", "etag: \"v1\"\r\ncontent-length: 20004\r\n", b"GGUF and then nothing");
        let _ = stream.set_nonblocking(false);
        let _ = std::io::Read::read(stream, &mut [0]);
    };
    let hub = Hub::start(hang);
    let wish = Wish { idle: Duration::from_millis(20), ..hub.wish() };
    let mut sink = Memory::default();
    let error = run(&wish, &mut sink).await.unwrap_err();
    assert!(matches!(error, DownloadError::Silent { .. }), "{error}");
    assert!(error.keeps_the_part() && sink.bytes.starts_with(b"GGUF and"));

    let hub = Hub::start(hang);
    let (wish, cancel) = (hub.wish(), CancellationToken::new());
    let mut sink = Memory::default();
    let stop = cancel.clone();
    // The first bytes are there: now it is cancelled, in the middle of the file.
    let mut tell = move |_| stop.cancel();
    let error = download(&wish, &mut sink, &mut tell, &cancel).await.unwrap_err();
    assert!(matches!(error, DownloadError::Cancelled), "{error}");
    assert_eq!(sink.bytes, b"GGUF and then nothing");
}
