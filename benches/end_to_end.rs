//! End to end against a fast local server, side by side in one run with a minimal client written for it.
//!
//! `cargo bench --bench end_to_end` prints, each as measured and as a ratio:
//! CPU per 1,000 deltas, wall of a one-shot structured call over the server's own time, and the time of `--version`.
//! Linux only (CPU comes from /proc). The server and the minimal client are this same binary, run again.

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
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("serve") => serve(),
        Some("client") => minimal_client(&args[2], &args[3]),
        _ => compare(),
    }
}

/// Answers every request with the number of deltas and the pause that its model name asks for (`DELTAS-MICROSECONDS`).
fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    std::io::stdout().flush().unwrap();
    for stream in listener.incoming() {
        let stream = stream.unwrap();
        std::thread::spawn(move || answer(stream));
    }
}

fn answer(mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let model = body.split("\"model\":\"").nth(1).unwrap().split('"').next().unwrap();
    let (deltas, pause) = model.split_once('-').unwrap();
    let (deltas, pause): (usize, u64) = (deltas.parse().unwrap(), pause.parse().unwrap());
    let started = Instant::now();
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    let mut send = |content: &str, finish: &str| {
        let event = format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}},\"finish_reason\":{finish}}}],\"usage\":null}}\n\n"
        );
        stream.write_all(event.as_bytes()).is_ok()
    };
    send("{\\\"text\\\":\\\"", "null");
    for _ in 0..deltas {
        if !send(" word", "null") {
            return;
        }
        if pause > 0 {
            std::thread::sleep(Duration::from_micros(pause));
        }
    }
    send("\\\"}", "null");
    send("", "\"stop\"");
    let _ = stream.write_all(b"data: [DONE]\n\n");
    // The server's own time travels on its standard error: one line a request.
    eprintln!("{}", started.elapsed().as_micros());
}

/// The least a client can do: send, split lines, read the deltas, print the text.
fn minimal_client(base: &str, model: &str) {
    #[derive(serde::Deserialize)]
    struct Chunk<'a> {
        #[serde(borrow)]
        choices: Vec<Choice<'a>>,
    }
    #[derive(serde::Deserialize)]
    struct Choice<'a> {
        #[serde(borrow)]
        delta: Delta<'a>,
    }
    #[derive(serde::Deserialize)]
    struct Delta<'a> {
        #[serde(borrow)]
        content: Option<std::borrow::Cow<'a, str>>,
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = reqwest::Client::builder().tls_certs_only([]).no_proxy().build().unwrap();
        let body = format!("{{\"model\":\"{model}\",\"stream\":true}}");
        let mut response = client.post(format!("{base}/chat/completions")).body(body).send().await.unwrap();
        let (mut pending, mut text) = (Vec::new(), String::new());
        while let Some(bytes) = response.chunk().await.unwrap() {
            pending.extend_from_slice(&bytes);
            let mut start = 0;
            while let Some(end) = pending[start..].iter().position(|b| *b == b'\n').map(|n| start + n) {
                if let Some(data) = pending[start..end].strip_prefix(b"data: ")
                    && data != b"[DONE]"
                {
                    let chunk: Chunk<'_> = serde_json::from_slice(data).unwrap();
                    if let Some(content) = chunk.choices.first().and_then(|c| c.delta.content.as_deref()) {
                        text.push_str(content);
                    }
                }
                start = end + 1;
            }
            pending.drain(..start);
        }
        println!("{text}");
    });
}

struct Server {
    child: Child,
    base: String,
    times: BufReader<std::process::ChildStderr>,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let times = BufReader::new(child.stderr.take().unwrap());
        Self { base: format!("http://127.0.0.1:{}/v1", port.trim()), child, times }
    }

    fn own_time(&mut self) -> Duration {
        let mut line = String::new();
        self.times.read_line(&mut line).unwrap();
        Duration::from_micros(line.trim().parse().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// CPU seconds of children that ended, in clock ticks of 10 ms.
fn children_cpu() -> f64 {
    let stat = fs_err::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |i: usize| fields[i].parse::<f64>().unwrap();
    (ticks(13) + ticks(14)) / 100.0
}

struct Cost {
    cpu: f64,
    wall: Duration,
    output: String,
}

fn measure(command: &mut Command) -> Cost {
    let (before, started) = (children_cpu(), Instant::now());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let wall = started.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Cost { cpu: children_cpu() - before, wall, output: String::from_utf8(output.stdout).unwrap() }
}

fn formwork(config: &str, model: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
    command.args(["--config", config, "-m", &format!("bench/{model}"), "--json-schema-inline", SCHEMA, "-p", "x"]);
    command
}

fn client(base: &str, model: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["client", base, model]);
    command
}

fn compare() {
    let mut server = Server::start();
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.toml");
    let text = format!(
        "[providers.bench]\ndialect = \"openai_chat\"\nbase_url = \"{}\"\nstructured_output = {{ native = \"supported\", schema_profile = \"none\" }}\n",
        server.base
    );
    fs_err::write(&config, text).unwrap();
    let config = config.to_str().unwrap();

    let deltas = 200_000;
    let model = format!("{deltas}-0");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let them = measure(&mut client(&server.base, &model));
        server.own_time();
        let us = measure(&mut formwork(config, &model));
        server.own_time();
        assert_eq!(us.output.len(), them.output.len(), "both saw the same text");
        ours.push(us.cpu);
        theirs.push(them.cpu);
    }
    let (us, them) = (median(&mut ours), median(&mut theirs));
    let per = |cpu: f64| cpu * 1_000.0 / (f64::from(deltas) / 1_000.0);
    println!(
        "CPU per 1,000 deltas: minimal client {:.2} ms, formwork {:.2} ms, ratio {:.2}",
        per(them),
        per(us),
        us / them
    );

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let them = measure(&mut client(&server.base, "100-1000"));
        theirs.push(them.wall.as_secs_f64() / server.own_time().as_secs_f64());
        let us = measure(&mut formwork(config, "100-1000"));
        ours.push(us.wall.as_secs_f64() / server.own_time().as_secs_f64());
    }
    println!(
        "wall over the server's own time (100 deltas, 1 ms apart): minimal client {:.3}, formwork {:.3}",
        median(&mut theirs),
        median(&mut ours)
    );

    let mut times: Vec<f64> = (0..50)
        .map(|_| measure(Command::new(env!("CARGO_BIN_EXE_formwork")).arg("--version")).wall.as_secs_f64() * 1_000.0)
        .collect();
    println!("--version: median {:.2} ms, process start and end included", median(&mut times));
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
