//! A chat-completions server made of a `TcpListener`: it plays prepared answers and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Value, json};

/// What one request gets.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A stream of these frames; the connection closes after them.
    Frames(Vec<String>),
    /// A status and a body, no stream.
    Status(u16, String),
    /// Headers and the first frames, then silence until the client goes.
    Hang(Vec<String>),
    /// Frames without end, until the client goes.
    Endless(String),
}

/// A running server.
pub(crate) struct Server {
    pub(crate) base_url: String,
    requests: Receiver<Request>,
}

/// One request as it came in.
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Server {
    /// Plays the answers in order; further requests get status 599.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (sender, requests) = channel();
        thread::spawn(move || serve(&listener, answers, &sender));
        Self { base_url, requests }
    }

    /// Waits for the next request.
    pub(crate) fn request(&self) -> Request {
        self.requests.recv_timeout(std::time::Duration::from_secs(20)).expect("no request came")
    }

    /// Requests that came and were not looked at yet.
    pub(crate) fn rest(&self) -> usize {
        self.requests.try_iter().count()
    }
}

fn serve(listener: &TcpListener, answers: Vec<Answer>, sender: &Sender<Request>) {
    let mut answers = answers.into_iter();
    for stream in listener.incoming() {
        let Ok(stream) = stream else { return };
        let Some(request) = read(&stream) else { continue };
        if sender.send(request).is_err() {
            return;
        }
        let answer = answers.next().unwrap_or(Answer::Status(599, "no more answers".to_owned()));
        thread::spawn(move || {
            let _ = play(stream, answer);
        });
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body: String::from_utf8(body).ok()? })
}

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

fn play(mut stream: TcpStream, answer: Answer) -> std::io::Result<()> {
    match answer {
        Answer::Frames(frames) => {
            stream.write_all(STREAM.as_bytes())?;
            send(&mut stream, &frames)?;
            stream.shutdown(Shutdown::Write)
        }
        Answer::Status(status, body) => {
            let length = body.len();
            let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
            write!(stream, "{head}Connection: close\r\n\r\n{body}")
        }
        Answer::Hang(frames) => {
            stream.write_all(STREAM.as_bytes())?;
            send(&mut stream, &frames)?;
            let _ = stream.read(&mut [0]);
            Ok(())
        }
        Answer::Endless(frame) => {
            stream.write_all(STREAM.as_bytes())?;
            loop {
                send(&mut stream, std::slice::from_ref(&frame))?;
            }
        }
    }
}

fn send(stream: &mut TcpStream, frames: &[String]) -> std::io::Result<()> {
    for frame in frames {
        write!(stream, "data: {frame}\n\n")?;
    }
    stream.flush()
}

/// A frame with one choice.
pub(crate) fn choice(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    json!({ "id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice] }).to_string()
}

/// A whole text answer, cut into pieces.
pub(crate) fn text(answer: &str) -> Answer {
    ended(answer, "stop")
}

/// As [`text`], with another end.
pub(crate) fn ended(answer: &str, finish: &str) -> Answer {
    let mut frames = pieces(answer);
    frames.push(choice(&json!({}), Some(finish)));
    frames.push("[DONE]".to_owned());
    Answer::Frames(frames)
}

/// The text's frames, without an end.
pub(crate) fn pieces(answer: &str) -> Vec<String> {
    let chars: Vec<char> = answer.chars().collect();
    chars.chunks(3).map(|piece| choice(&json!({ "content": piece.iter().collect::<String>() }), None)).collect()
}

/// A call of the hidden submit tool, its arguments in two fragments.
pub(crate) fn submit(arguments: &str) -> Answer {
    calls(&[("__formwork_submit_json", arguments)])
}

/// Tool calls in one message.
pub(crate) fn calls(calls: &[(&str, &str)]) -> Answer {
    let mut frames = Vec::new();
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let (first, second) = arguments.split_at(arguments.len() / 2);
        let start = json!({ "index": index, "id": format!("call_{index}"), "type": "function",
            "function": { "name": name, "arguments": first } });
        frames.push(choice(&json!({ "tool_calls": [start] }), None));
        let rest = json!({ "index": index, "function": { "arguments": second } });
        frames.push(choice(&json!({ "tool_calls": [rest] }), None));
    }
    frames.push(choice(&json!({}), Some("tool_calls")));
    frames.push("[DONE]".to_owned());
    Answer::Frames(frames)
}

/// A refusal.
pub(crate) fn refusal(words: &str) -> Answer {
    let frames =
        vec![choice(&json!({ "refusal": words }), None), choice(&json!({}), Some("stop")), "[DONE]".to_owned()];
    Answer::Frames(frames)
}
