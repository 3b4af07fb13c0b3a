//! A fake server on a real socket: every byte, cut and pause of an answer is scripted. Pauses wait for signals, never
//! for time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

/// One thing the server does in answer to a request.
#[derive(Clone)]
pub(crate) enum Part {
    /// One write, flushed: usually one read at the other end.
    Bytes(Vec<u8>),
    /// Goes on when the test says so.
    #[allow(dead_code, reason = "not every test binary makes answers wait")]
    Wait(Arc<Notify>),
    /// Closes the connection.
    Close,
    /// Resets the connection: what is on its way is lost.
    #[allow(dead_code, reason = "not every test binary breaks connections")]
    Reset,
    /// Never goes on.
    #[allow(dead_code, reason = "not every test binary lets an answer hang")]
    Hang,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    #[allow(dead_code, reason = "not every test binary looks at headers")]
    pub(crate) head: String,
    pub(crate) body: String,
}

/// The server. It lives until the test ends.
pub(crate) struct Fake {
    pub(crate) base_url: String,
    pub(crate) requests: Arc<Mutex<Vec<Request>>>,
    /// One permit for each request that was read.
    pub(crate) arrived: Arc<Semaphore>,
    /// One permit for each connection the client closed while an answer was hanging.
    pub(crate) dropped: Arc<Semaphore>,
}

type Replies = Arc<Mutex<VecDeque<Vec<Part>>>>;

impl Fake {
    /// Answers requests in the order they come; after the last it closes connections unanswered.
    pub(crate) async fn start(replies: Vec<Vec<Part>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let fake = Self {
            base_url,
            requests: Arc::default(),
            arrived: Arc::new(Semaphore::new(0)),
            dropped: Arc::new(Semaphore::new(0)),
        };
        let replies: Replies = Arc::new(Mutex::new(replies.into()));
        let (requests, arrived, dropped) =
            (Arc::clone(&fake.requests), Arc::clone(&fake.arrived), Arc::clone(&fake.dropped));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (replies, requests) = (Arc::clone(&replies), Arc::clone(&requests));
                tokio::spawn(serve(stream, replies, requests, Arc::clone(&arrived), Arc::clone(&dropped)));
            }
        });
        fake
    }

    pub(crate) fn request(&self, at: usize) -> Request {
        self.requests.lock().unwrap()[at].clone()
    }

    #[allow(dead_code, reason = "not every test binary counts requests")]
    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn serve(
    mut stream: TcpStream,
    replies: Replies,
    requests: Arc<Mutex<Vec<Request>>>,
    arrived: Arc<Semaphore>,
    dropped: Arc<Semaphore>,
) {
    let _ = stream.set_nodelay(true);
    while let Some(request) = read_request(&mut stream).await {
        requests.lock().unwrap().push(request);
        arrived.add_permits(1);
        let Some(parts) = replies.lock().unwrap().pop_front() else { return };
        for part in parts {
            match part {
                Part::Bytes(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        dropped.add_permits(1);
                        return;
                    }
                    let _ = stream.flush().await;
                }
                Part::Wait(signal) => signal.notified().await,
                Part::Close => return,
                Part::Reset => {
                    let _ = stream.set_zero_linger();
                    return;
                }
                Part::Hang => {
                    let mut rest = [0; 64];
                    while !matches!(stream.read(&mut rest).await, Ok(0) | Err(_)) {}
                    dropped.add_permits(1);
                    return;
                }
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
            let length = head.lines().find_map(|l| l.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            let body_at = at + 4;
            if bytes.len() >= body_at + length.unwrap_or(0) {
                return Some(Request { head, body: String::from_utf8_lossy(&bytes[body_at..]).into_owned() });
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
        }
    }
}

/// An event stream that ends with its connection, one write a read.
pub(crate) fn stream(reads: &[&[u8]]) -> Vec<Part> {
    let mut parts = open_stream(reads);
    parts.push(Part::Close);
    parts
}

/// An event stream whose connection stays open.
pub(crate) fn open_stream(reads: &[&[u8]]) -> Vec<Part> {
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_1\r\nconnection: close\r\n\r\n";
    let mut parts = vec![Part::Bytes(head.to_vec())];
    parts.extend(reads.iter().map(|r| Part::Bytes(r.to_vec())));
    parts
}

/// A whole response with a body and more headers (each with its line end).
#[allow(dead_code, reason = "not every test binary answers without a stream")]
pub(crate) fn response(status: u16, headers: &str, body: &str) -> Vec<Part> {
    let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
    vec![Part::Bytes(text.into_bytes())]
}

/// One chunk of a chat stream with answer text.
pub(crate) fn text(delta: &str) -> Vec<u8> {
    let delta = serde_json::Value::from(delta);
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{delta}}},\"finish_reason\":null}}]}}\n\n")
        .into_bytes()
}

/// The chunk that ends an answer.
pub(crate) fn finish(reason: &str) -> Vec<u8> {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n")
        .into_bytes()
}
