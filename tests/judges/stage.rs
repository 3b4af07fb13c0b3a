//! A server that plays answers: each has a folder of its own in the address, so that any client of any dialect can be
//! pointed at it. Every dialect, binary frames, whole bodies and refusals of service.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use formwork::capability::Dialect;
use formwork::dialect::{Framing, framing};

/// One answer.
pub(crate) struct Act {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
    pub(crate) kind: Kind,
    pub(crate) body: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Stream,
    Whole,
    Refused(u16),
}

impl Act {
    fn head(&self) -> String {
        let status = if let Kind::Refused(status) = self.kind { status } else { 200 };
        let kind = match (self.kind, framing(self.dialect)) {
            (Kind::Stream, Framing::Sse) => "text/event-stream",
            (Kind::Stream, Framing::Lines) => "application/x-ndjson",
            (Kind::Stream, Framing::EventStream) => "application/vnd.amazon.eventstream",
            (Kind::Whole | Kind::Refused(_), _) => "application/json",
        };
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        )
    }
}

/// The server; it plays until the process ends.
pub(crate) struct Stage {
    pub(crate) address: String,
}

impl Stage {
    pub(crate) fn open(acts: Arc<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let acts = Arc::clone(&acts);
                std::thread::spawn(move || play(stream, &acts));
            }
        });
        Self { address }
    }

    /// Where the act of this number is played.
    pub(crate) fn base(&self, number: usize) -> String {
        format!("{}/{number}", self.address)
    }
}

/// Reads one request and plays the act it asks for, in chunks that cut words and frames.
fn play(mut stream: TcpStream, acts: &[Act]) -> Option<()> {
    let head = request(&mut stream)?;
    let number: usize = head.split(' ').nth(1)?.split('/').nth(1)?.parse().ok()?;
    let act = acts.get(number)?;
    stream.write_all(act.head().as_bytes()).ok()?;
    for chunk in act.body.chunks(97) {
        write!(stream, "{:x}\r\n", chunk.len()).ok()?;
        stream.write_all(chunk).ok()?;
        stream.write_all(b"\r\n").ok()?;
    }
    stream.write_all(b"0\r\n\r\n").ok()
}

/// The head of a request whose body was read as well: by its length, or in chunks.
fn request(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 16 * 1024]);
    loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(bytes.get(..at)?).into_owned();
            let lower = head.to_lowercase();
            let length: Option<usize> =
                lower.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            let whole = match length {
                Some(length) => bytes.len() >= at + 4 + length,
                None if lower.contains("transfer-encoding: chunked") => bytes.ends_with(b"0\r\n\r\n"),
                None => true,
            };
            if whole {
                return Some(head);
            }
            if lower.contains("expect: 100-continue") && bytes.len() == at + 4 {
                stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(buffer.get(..n)?),
        }
    }
}
