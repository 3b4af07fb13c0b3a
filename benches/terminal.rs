//! The real program in a real pseudo-terminal: first frame, memory at start, key-to-screen lag while deltas arrive.
//!
//! `cargo bench --bench terminal` prints the figures. Linux only (memory comes from /proc). The server is this same
//! binary, run again: it streams 1,000 deltas a second.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::string_slice,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const SECONDS: usize = 20;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        serve();
    } else {
        measure();
    }
}

/// One answer a connection: `SECONDS` seconds of 1,000 deltas a second.
fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    std::io::stdout().flush().unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        std::thread::spawn(move || {
            stream.set_nodelay(true).unwrap();
            let mut seen = [0; 16384];
            let n = stream.read(&mut seen).unwrap_or(0);
            if seen[..n].starts_with(b"GET") {
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                return;
            }
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            let started = Instant::now();
            for n in 0..SECONDS * 1_000 {
                let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word of an answer\"},\"finish_reason\":null}]}\n\n";
                if stream.write_all(event.as_bytes()).is_err() {
                    return;
                }
                let due = Duration::from_millis(n as u64);
                if let Some(rest) = due.checked_sub(started.elapsed()) {
                    std::thread::sleep(rest);
                }
            }
        });
    }
}

struct Screen {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    started: Instant,
}

impl Screen {
    fn start(args: &[&str]) -> Self {
        let pair =
            native_pty_system().openpty(PtySize { rows: 50, cols: 200, pixel_width: 0, pixel_height: 0 }).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_formwork"));
        command.args(args);
        command.env("TERM", "xterm-256color");
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 16384];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        let writer = pair.master.take_writer().unwrap();
        Self {
            child,
            master: pair.master,
            writer,
            bytes,
            parser: vt100::Parser::new(NonZero::new(50).unwrap(), NonZero::new(200).unwrap(), 0),
            started,
        }
    }

    /// Waits until the screen holds the text.
    fn wait(&mut self, seen: impl Fn(&str) -> bool) -> Instant {
        loop {
            if seen(&self.parser.screen().contents()) {
                return Instant::now();
            }
            let bytes = self.bytes.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| {
                panic!("not seen in 20 s; the screen:\n{}", self.parser.screen().contents());
            });
            self.parser.process(&bytes);
        }
    }

    fn send(&mut self, keys: &str) -> Instant {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
        Instant::now()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = &self.master;
    }
}

fn measure() {
    let mut server =
        Command::new(std::env::current_exe().unwrap()).arg("serve").stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.toml");
    let text = format!(
        "model = \"bench/m\"\n[providers.bench]\ndialect = \"openai_chat\"\nbase_url = \"http://127.0.0.1:{}/v1\"\nstructured_output = {{ native = \"supported\", schema_profile = \"none\" }}\n",
        port.trim()
    );
    fs_err::write(&config, text).unwrap();
    let schema = dir.path().join("schema.json");
    fs_err::write(&schema, r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#).unwrap();
    let args = ["--config", config.to_str().unwrap(), "--json-schema", schema.to_str().unwrap()];

    let mut firsts: Vec<f64> = (0..15)
        .map(|_| {
            let mut screen = Screen::start(&args);
            let at = screen.wait(|s| s.contains("Schema") && s.contains("Prompt"));
            (at - screen.started).as_secs_f64() * 1_000.0
        })
        .collect();
    println!("first frame: median {:.1} ms, worst {:.1} ms", percentile(&mut firsts, 50), percentile(&mut firsts, 100));

    let mut screen = Screen::start(&args);
    screen.wait(|s| s.contains("Schema") && s.contains("Prompt"));
    let pid = screen.child.process_id().unwrap();
    let status = fs_err::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let rss = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or_default();
    println!("memory at start: {}", rss.trim());

    screen.send("go\r");
    screen.wait(|s| s.contains("word of an answer"));
    let begun = Instant::now();
    let mut lags = Vec::new();
    let mut typed = String::new();
    while begun.elapsed() < Duration::from_secs(SECONDS as u64 - 5) {
        typed.push(char::from(b'a' + u8::try_from(lags.len() % 26).unwrap()));
        let sent = screen.send(&typed[typed.len() - 1..]);
        let tail = typed[typed.len().saturating_sub(12)..].to_owned();
        let seen = screen.wait(|s| s.contains(&tail));
        lags.push((seen - sent).as_secs_f64() * 1_000.0);
        if typed.len() == 24 {
            typed.clear();
            screen.send(&"\x7f".repeat(24));
        }
        std::thread::sleep(Duration::from_millis(37));
    }
    let half = lags.len() / 2;
    let (mut early, mut late) = (lags[..half].to_vec(), lags[half..].to_vec());
    println!(
        "key to screen at 1,000 deltas/s, {} keys: first half p50 {:.1} p99 {:.1} ms; second half p50 {:.1} p99 {:.1} ms",
        lags.len(),
        percentile(&mut early, 50),
        percentile(&mut early, 99),
        percentile(&mut late, 50),
        percentile(&mut late, 99)
    );
    let _ = server.kill();
    let _ = server.wait();
}

fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) * percent).div_ceil(100)]
}
