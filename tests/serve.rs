//! The server as its clients see it: real sockets, the built-in provider, and the reference's cases of the areas `ws`,
//! `http` and `auth`. A case that is decided otherwise here stands in a table with its reason.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::large_futures,
    reason = "a test stops at the first surprise"
)]

#[path = "support/cases.rs"]
mod cases;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use formwork::config::{Config, Paths};
use formwork::json::{ParseLimits, Value, canonical, parse};
use formwork::serve::{Limits, Options, ServeError, TokenError, open};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Nothing here takes longer unless it hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// The sizes of the promise instead of those of a quick look.
#[allow(clippy::disallowed_methods, reason = "a test's own switch")]
fn full_load() -> bool {
    std::env::var_os("FORMWORK_LOAD").is_some()
}

struct Running {
    address: SocketAddr,
    token: String,
    code: String,
    end: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    folder: tempfile::TempDir,
}

fn options() -> Options {
    Options {
        bind: [127, 0, 0, 1].into(),
        port: 0,
        token_file: None,
        tls: None,
        hosts: Vec::new(),
        origins: vec!["http://tools.example".to_owned()],
        model: None,
        limits: Limits { grace: Duration::from_millis(300), ..Limits::default() },
    }
}

fn config(folder: &tempfile::TempDir) -> Config {
    let paths = Paths { data_dir: folder.path().to_owned(), ..Paths::default() };
    Config { paths, ..Config::default() }
}

async fn start(options: Options) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let server = open(options, config(&folder)).await.unwrap();
    let token = fs_err::read_to_string(&server.token_file).unwrap().trim().to_owned();
    let (end, ended) = oneshot::channel();
    let (address, code) = (server.address, server.link.split_once("#code=").unwrap().1.to_owned());
    let task = tokio::spawn(async move {
        server.run(async { drop(ended.await) }).await.unwrap();
    });
    Running { address, token, code, end: Some(end), task, folder }
}

impl Running {
    async fn finish(mut self) {
        self.end.take().unwrap().send(()).unwrap();
        timeout(PATIENCE, self.task).await.unwrap().unwrap();
    }

    /// Sends a request as it stands; status, headers and body come back.
    async fn raw(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    async fn request(&self, method: &str, path: &str, headers: &[(&str, String)], body: &str) -> (u16, String, String) {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        self.raw(&format!("{text}\r\n{body}")).await
    }

    fn host(&self) -> (&'static str, String) {
        ("Host", self.address.to_string())
    }

    fn bearer(&self) -> (&'static str, String) {
        ("Authorization", format!("Bearer {}", self.token))
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        let (status, _, body) = self.request("GET", path, &[self.host(), self.bearer()], "").await;
        (status, parse(&body, ParseLimits::default()).unwrap_or(Value::Null))
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let text = body.to_string();
        let (status, _, body) = self.request("POST", path, &[self.host(), self.bearer()], &text).await;
        (status, parse(&body, ParseLimits::default()).unwrap_or(Value::String(body)))
    }

    async fn client(&self) -> Client {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        let offered = format!("formwork, formwork.token.{}", self.token);
        request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
        let (socket, answer) = connect_async(request).await.unwrap();
        assert_eq!(answer.headers()["sec-websocket-protocol"], "formwork", "the token must not come back");
        Client { socket }
    }
}

struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    async fn send(&mut self, frame: Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap() {
                Message::Text(text) => return parse(&text, ParseLimits::default()).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Frames up to and with the one that ends the run.
    async fn until_over(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            let over = matches!(frame["data"]["type"].as_str(), Some("result" | "error"));
            frames.push(frame);
            if over {
                return frames;
            }
        }
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"],
        "additionalProperties": false})
}

fn chat(model: &str) -> Value {
    json!({"action": "chat", "content": "answer", "model": model, "response_format": schema()})
}

/// The streamed candidate, in canonical form: the result has that form.
fn text_of(frames: &[Value], attempt: u32) -> String {
    let events = frames.iter().map(|frame| &frame["data"]["event"]);
    let deltas = events.filter(|event| event["type"] == "text_delta" && event["output_attempt"] == attempt);
    let text: String = deltas.map(|event| event["delta"].as_str().unwrap()).collect();
    canonical(&parse(&text, ParseLimits::default()).unwrap())
}

#[tokio::test]
async fn a_chat_is_acknowledged_streamed_repaired_and_ends_with_its_result() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.send(chat("sim/repair")).await;
    let ack = client.next().await;
    assert_eq!(ack["type"], "chat_ack");
    let (session, msg) = (ack["data"]["session_id"].clone(), ack["data"]["msg_id"].clone());
    let frames = client.until_over().await;
    assert!(
        frames
            .iter()
            .all(|f| f["type"] == "chat_response" && f["data"]["session_id"] == session && f["data"]["msg_id"] == msg)
    );
    let kinds: Vec<&str> = frames.iter().filter_map(|f| f["data"]["event"]["type"].as_str()).collect();
    assert!(kinds.contains(&"run_start") && kinds.contains(&"structured_output_retry"), "{kinds:?}");
    let result = &frames.last().unwrap()["data"];
    assert_eq!((&result["type"], &result["attempt"]), (&json!("result"), &json!(2)));
    assert_eq!(canonical(&result["structured_output"]), result["content"].as_str().unwrap());
    assert!(result["structured_output"]["answer"].is_i64());
    assert_eq!(result["schema_hash"].as_str().unwrap().len(), 64);
    let (status, run) = server.get(&format!("/api/runs/{}", msg.as_str().unwrap())).await;
    assert_eq!((status, &run["state"], &run["end"]["content"]), (200, &json!("done"), &result["content"]));
    let (_, sessions) = server.get("/api/sessions").await;
    assert_eq!(sessions[0]["turns"], 1);
    server.finish().await;
}

#[tokio::test]
async fn who_comes_back_with_the_last_id_misses_nothing() {
    let server = start(options()).await;
    let mut first = server.client().await;
    first.send(chat("sim/slow")).await;
    let session = first.next().await["data"]["session_id"].clone();
    let mut before = vec![first.next().await, first.next().await, first.next().await];
    let last = before.last().unwrap()["data"]["event_id"].clone();
    // Gone without a word.
    drop(first);
    let mut second = server.client().await;
    second.send(json!({"action": "attach", "session_id": session, "last_event_id": last})).await;
    assert_eq!(second.next().await["type"], "attach_ack");
    before.extend(second.until_over().await);
    let result = &before.last().unwrap()["data"];
    assert_eq!(text_of(&before, 1), result["content"].as_str().unwrap());
    let ids: Vec<u64> = before.iter().map(|f| f["data"]["event_id"].as_u64().unwrap()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    server.finish().await;
}

#[tokio::test]
async fn events_reach_only_those_who_watch_the_session() {
    let server = start(options()).await;
    let (mut owner, mut other) = (server.client().await, server.client().await);
    owner.send(chat("sim/sample")).await;
    owner.until_over().await;
    other.socket.send(Message::text("ping")).await.unwrap();
    assert_eq!(other.next().await, json!({"type": "pong"}), "nothing of the other session came before it");
    server.finish().await;
}

#[tokio::test]
async fn a_session_has_one_run_and_it_can_be_cancelled() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.send(chat("sim/slow")).await;
    let ack = client.next().await;
    let mut again = chat("sim/slow");
    again["session_id"] = ack["data"]["session_id"].clone();
    client.send(again).await;
    loop {
        let frame = client.next().await;
        if frame["data"]["code"] == "run_active" {
            break;
        }
        assert_eq!(frame["data"]["type"], "stream_event");
    }
    client.send(json!({"action": "cancel", "msg_id": ack["data"]["msg_id"]})).await;
    let frames = client.until_over().await;
    assert!(frames.iter().any(|frame| frame["type"] == "cancel_ack" && frame["data"]["found"] == true));
    assert_eq!(frames.last().unwrap()["data"]["code"], "cancelled");
    server.finish().await;
}

#[tokio::test]
async fn what_cannot_be_dispatched_is_told_by_name_and_the_connection_stays() {
    let server = start(options()).await;
    let mut client = server.client().await;
    for (frame, code, field) in [
        (json!({"action": "chat", "content": "x", "colour": 1}), "invalid_request", "colour"),
        (json!({"action": "chat"}), "invalid_request", "content"),
        (json!({"action": "chat", "content": 1}), "invalid_request", "content"),
        (json!({"action": "fly"}), "invalid_request", "action"),
        (json!([1]), "invalid_request", ""),
        (json!({"action": "cancel"}), "invalid_request", "msg_id"),
    ] {
        client.send(frame.clone()).await;
        let answer = client.next().await;
        assert_eq!(answer["type"], "action_error", "{frame}");
        assert_eq!((&answer["data"]["code"], &answer["data"]["field"]), (&json!(code), &json!(field)), "{frame}");
    }
    client.send(json!({"action": "chat", "content": "x", "model": "nobody/x"})).await;
    assert_eq!(client.next().await["data"]["code"], "unknown_model");
    client.send(json!({"action": "chat", "content": "x", "model": "sim/script:/etc/passwd"})).await;
    assert_eq!(client.next().await["data"]["code"], "unknown_model");
    client.socket.send(Message::text("{\"action\": \"chat\", \"action\"")).await.unwrap();
    assert_eq!(client.next().await["data"]["code"], "invalid_request");
    server.finish().await;
}

#[tokio::test]
async fn many_streams_at_once_each_end_with_their_result() {
    let count = if full_load() { 500 } else { 100 };
    let server = start(options()).await;
    let mut clients = Vec::new();
    for _ in 0..count {
        let mut client = server.client().await;
        client.send(chat("sim/slow")).await;
        clients.push(client);
    }
    let ends = clients.into_iter().map(|mut client| tokio::spawn(async move { client.until_over().await }));
    for end in ends.collect::<Vec<_>>() {
        let frames = end.await.unwrap();
        let result = &frames.last().unwrap()["data"];
        assert_eq!(result["type"], "result", "{result}");
        assert_eq!(text_of(&frames, 1), result["content"].as_str().unwrap());
    }
    let (_, _, page) = server.request("GET", "/metrics", &[server.host(), server.bearer()], "").await;
    assert!(page.contains(&format!("formwork_runs_ended_total{{outcome=\"done\"}} {count}")), "{page}");
    assert!(page.contains("formwork_runs_active 0"));
    server.finish().await;
}

#[tokio::test]
async fn the_end_of_the_server_cancels_what_its_grace_does_not_cover_and_says_so() {
    let server = start(options()).await;
    let mut client = server.client().await;
    let mut long = chat("sim/slow");
    long["response_format"]["properties"] = json!({"answer": {"type": "string", "minLength": 400}});
    client.send(long).await;
    client.next().await;
    let (frames, ()) = tokio::join!(client.until_over(), server.finish());
    assert_eq!(frames.last().unwrap()["data"]["code"], "cancelled");
}

#[tokio::test]
async fn the_schema_check_is_that_of_the_command_line() {
    let server = start(options()).await;
    let (status, report) = server.post("/api/schema/check", &json!({"schema": schema(), "for": ["openai"]})).await;
    assert_eq!(
        (status, &report["preflight"]["ok"], &report["providers"][0]["native"]),
        (200, &json!(true), &json!("accepted"))
    );
    let (status, report) = server.post("/api/schema/check", &json!({"schema": {"type": "nonsense"}})).await;
    assert_eq!((status, &report["preflight"]["ok"]), (200, &json!(false)));
    let (status, error) = server.post("/api/schema/check", &json!({"schema": {}, "fro": []})).await;
    assert_eq!((status, &error["code"], &error["field"]), (400, &json!("invalid_request"), &json!("fro")));
    let (status, models) = server.get("/api/models").await;
    assert!(status == 200 && models.as_array().unwrap().iter().any(|row| row["name"] == "sim/repair"));
    server.finish().await;
}

fn completion(model: &str, stream: bool) -> Value {
    json!({"model": model, "stream": stream, "messages": [{"role": "system", "content": "be short"},
        {"role": "user", "content": [{"type": "text", "text": "answer"}]}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": true, "schema": schema()}}})
}

#[tokio::test]
async fn the_openai_face_gives_only_what_was_accepted() {
    let server = start(options()).await;
    let (status, answer) = server.post("/v1/chat/completions", &completion("sim/repair", false)).await;
    assert_eq!((status, &answer["object"]), (200, &json!("chat.completion")));
    let content = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(parse(content, ParseLimits::default()).unwrap()["answer"].is_i64());
    let (status, text) = server.post("/v1/chat/completions", &completion("sim/repair", true)).await;
    let text = text.as_str().unwrap();
    let events: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!((status, events.last()), (200, Some(&"[DONE]")));
    let streamed: String = events
        .iter()
        .filter_map(|event| parse(event, ParseLimits::default()).ok())
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert!(
        parse(&streamed, ParseLimits::default()).unwrap()["answer"].is_i64(),
        "one answer, the accepted one: {streamed}"
    );
    let (status, error) = server.post("/v1/chat/completions", &completion("sim/twice-bad", false)).await;
    assert_eq!(
        (status, &error["error"]["code"], &error["error"]["attempts"]),
        (422, &json!("validation_failed"), &json!(2))
    );
    let mut odd = completion("sim/sample", false);
    odd["logit_bias"] = json!({});
    let (status, error) = server.post("/v1/chat/completions", &odd).await;
    assert_eq!((status, &error["error"]["param"]), (400, &json!("logit_bias")));
    let plain = json!({"model": "sim/sample", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let (status, text) = server.post("/v1/chat/completions", &plain).await;
    assert!(status == 200 && text.as_str().unwrap().contains("data: [DONE]"));
    server.finish().await;
}

#[tokio::test]
async fn the_responses_face_gives_only_what_was_accepted() {
    let server = start(options()).await;
    let asked = |model: &str, stream: bool| {
        json!({"model": model, "stream": stream, "instructions": "be short", "input": "answer",
            "text": {"format": {"type": "json_schema", "name": "a", "strict": true, "schema": schema()}}})
    };
    let (status, answer) = server.post("/v1/responses", &asked("sim/repair", false)).await;
    assert_eq!((status, &answer["status"]), (200, &json!("completed")));
    let text = answer["output"][0]["content"][0]["text"].as_str().unwrap();
    assert!(parse(text, ParseLimits::default()).unwrap()["answer"].is_i64());
    let (_, stream) = server.post("/v1/responses", &asked("sim/repair", true)).await;
    let lines = stream.as_str().unwrap().lines().filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = lines.map(|line| parse(line, ParseLimits::default()).unwrap()).collect();
    assert!(events.iter().enumerate().all(|(at, event)| event["sequence_number"] == at), "{events:?}");
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    let streamed: String = deltas.map(|event| event["delta"].as_str().unwrap()).collect();
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["response"]["output"][0]["content"][0]["text"], streamed);
    let (status, error) = server.post("/v1/responses", &asked("sim/twice-bad", false)).await;
    assert_eq!((status, &error["error"]["code"]), (422, &json!("validation_failed")));
    let (_, stream) = server.post("/v1/responses", &asked("sim/twice-bad", true)).await;
    let stream = stream.as_str().unwrap();
    assert!(stream.contains("response.failed") && !stream.contains("output_text.delta"), "{stream}");
    server.finish().await;
}

#[tokio::test]
async fn only_the_owner_comes_in() {
    let server = start(options()).await;
    let (host, bearer) = (server.host(), server.bearer());
    let own = ("Origin", format!("http://{}", server.address));
    let status = async |method: &str, path: &str, headers: &[(&str, String)], body: &str| {
        server.request(method, path, headers, body).await.0
    };
    let guess = ("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned());
    assert_eq!(status("GET", "/api/sessions", &[host.clone(), guess.clone()], "").await, 401);
    // DNS rebinding: the name is another's, the token would even be right.
    assert_eq!(status("GET", "/api/sessions", &[("Host", "evil.invalid".to_owned()), bearer.clone()], "").await, 403);
    for origin in ["http://evil.invalid", "null", "http://localhost:1", "http://127.0.0.1"] {
        let origin = ("Origin", origin.to_owned());
        assert_eq!(status("POST", "/api/schema/check", &[host.clone(), bearer.clone(), origin], "{}").await, 403);
    }
    let lent = ("Origin", "http://tools.example".to_owned());
    assert_eq!(status("GET", "/api/sessions", &[host.clone(), bearer.clone(), lent.clone()], "").await, 200);
    // The one-time code works once, the token always; both give a cookie that a page cannot read.
    let code = json!({"token": server.code}).to_string();
    let (code_status, head, _) =
        server.request("POST", "/api/auth/bootstrap", &[host.clone(), own.clone()], &code).await;
    assert_eq!(code_status, 204);
    assert!(head.contains("httponly; samesite=strict") && !head.contains(&server.token.to_ascii_lowercase()));
    assert_eq!(status("POST", "/api/auth/bootstrap", &[host.clone(), own.clone()], &code).await, 401);
    let line = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = ("Cookie", line.split(';').next().unwrap().to_owned());
    assert_eq!(status("GET", "/api/sessions", &[host.clone(), cookie.clone()], "").await, 200);
    // CSRF: a form of another page would send the cookie, with its own origin or with none.
    assert_eq!(status("POST", "/api/schema/check", &[host.clone(), cookie.clone()], "{}").await, 403);
    assert_eq!(status("POST", "/api/schema/check", &[host.clone(), cookie.clone(), own], "{}").await, 400);
    // Cross-site WebSocket.
    let upgrade = [
        ("Upgrade", "websocket".to_owned()),
        ("Sec-WebSocket-Version", "13".to_owned()),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==".to_owned()),
    ];
    for extra in [vec![host.clone(), cookie.clone()], vec![host.clone(), cookie.clone(), lent]] {
        assert_eq!(status("GET", "/ws", &[extra, upgrade.to_vec()].concat(), "").await, 403);
    }
    // A token in the address is no credential.
    assert_eq!(
        status("GET", &format!("/api/sessions?token={}", server.token), std::slice::from_ref(&host), "").await,
        401
    );
    let mut last = 0;
    for _ in 0..40 {
        last = status("GET", "/api/sessions", &[host.clone(), guess.clone()], "").await;
    }
    assert_eq!(last, 429);
    assert_eq!(status("GET", "/api/sessions", &[host, bearer], "").await, 200, "the owner is never locked out");
    server.finish().await;
}

#[tokio::test]
async fn a_data_folder_has_one_server_and_other_addresses_need_a_name() {
    let server = start(options()).await;
    let second = open(options(), config(&server.folder)).await.err().unwrap();
    assert!(matches!(second, ServeError::Token(TokenError::Taken { .. })), "{second}");
    let folder = tempfile::tempdir().unwrap();
    let open_to_all = Options { bind: [0, 0, 0, 0].into(), ..options() };
    assert!(matches!(open(open_to_all, config(&folder)).await, Err(ServeError::Exposed { .. })));
    server.finish().await;
}

#[tokio::test]
async fn bad_requests_never_break_the_server() {
    let count = if full_load() { 10_000 } else { 200 };
    let server = start(options()).await;
    let (host, bearer) = (server.host(), server.bearer());
    let bodies =
        ["", "{", "[]", "null", "{\"a\":1}", "{\"schema\":{\"$ref\":\"http://x/\"}}", "\u{fffd}", "{\"messages\":[]}"];
    let paths =
        ["/api/schema/check", "/v1/chat/completions", "/api/runs/..%2f", "/nowhere", "/api/auth/bootstrap", "/ws"];
    for n in 0..count {
        let (path, body) = (paths[n % paths.len()], bodies[n / paths.len() % bodies.len()]);
        let method = ["POST", "GET", "PUT"][n % 3];
        let (status, _, _) = server.request(method, path, &[host.clone(), bearer.clone()], body).await;
        assert!(status < 500 || status == 503, "{method} {path} {body:?}: {status}");
    }
    assert_eq!(server.get("/healthz").await.0, 200);
    server.finish().await;
}

/// Cases of the reference that are decided otherwise, or that another test shows.
const OTHERWISE: [(&str, &str, &str); 5] = [
    (
        "ws",
        "hidden tool argument deltas are not forwarded",
        "the machine emits them as the candidate's text (ENGINE §6)",
    ),
    (
        "ws",
        "attempts in an error frame when the budget stopped the repair",
        "counted, not computed: below, as `want` says",
    ),
    ("ws", "handler fails", "an unknown action is named as such: `invalid_request` with the field `action`"),
    ("http", "run already active", "over WebSocket: a_session_has_one_run_and_it_can_be_cancelled"),
    ("auth", "second server on the same state folder", "a_data_folder_has_one_server_and_other_addresses_need_a_name"),
];

fn rows(area: &str) -> Vec<Value> {
    let rows = cases::rows("cases/reference.jsonl").into_iter();
    rows.filter(|row| row["area"] == area && !OTHERWISE.iter().any(|(a, name, _)| *a == area && row["name"] == *name))
        .collect()
}

/// Does the frame hold everything the case names? Texts in angle brackets stand for any text.
fn holds(found: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(members) => members.iter().all(|(name, value)| found.get(name).is_some_and(|v| holds(v, value))),
        Value::String(text) if text.starts_with('<') => found.is_string(),
        other => found == other,
    }
}

#[tokio::test]
async fn the_references_socket_cases_hold() {
    let server = start(Options { model: Some("sim/sample".to_owned()), ..options() }).await;
    for row in rows("ws") {
        let mut client = server.client().await;
        let name = row["name"].as_str().unwrap();
        match name {
            "bad schema in a chat action" => {
                client.send(row["input"]["send"].clone()).await;
                let frame = client.next().await;
                assert!(holds(&frame, &row["expected"]["frames"][0]), "{frame}");
                assert!(!frame.to_string().contains(row["expected"]["lacks"].as_str().unwrap()), "{frame}");
            }
            "ping" => {
                client.socket.send(Message::text("ping")).await.unwrap();
                assert_eq!(client.next().await, row["expected"]["frames"][0]);
            }
            "result frame" => {
                client.send(chat("sim/sample")).await;
                let frames = client.until_over().await;
                let data = &frames.last().unwrap()["data"];
                for key in row["expected"]["frame"]["data"].as_object().unwrap().keys() {
                    assert!(data.get(key).is_some(), "{key} is missing in {data}");
                }
            }
            "error frame" => {
                client.send(chat("sim/twice-bad")).await;
                let data = client.until_over().await.pop().unwrap()["data"].clone();
                assert_eq!((&data["code"], &data["attempts"]), (&json!("validation_failed"), &json!(2)), "{data}");
                assert!(data["issues"].is_array() && data["content"].is_string());
            }
            other => panic!("a new case: {other}"),
        }
    }
    let mut client = server.client().await;
    let mut tight = chat("sim/twice-bad");
    tight["max_retries"] = json!(1);
    client.send(tight).await;
    assert_eq!(client.until_over().await.pop().unwrap()["data"]["attempts"], 1);
    server.finish().await;
}

#[tokio::test]
async fn the_references_auth_cases_hold() {
    let server = start(options()).await;
    let (host, bearer) = (server.host(), server.bearer());
    let own = ("Origin", format!("http://{}", server.address));
    let good = json!({"token": server.token}).to_string();
    let (status, head, _) = server.request("POST", "/api/auth/bootstrap", &[host.clone(), own.clone()], &good).await;
    assert_eq!(status, 204);
    let cookie = (
        "Cookie",
        head.lines().find_map(|l| l.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap().to_owned(),
    );
    let upgrade = [
        ("Upgrade", "websocket".to_owned()),
        ("Connection", "Upgrade".to_owned()),
        ("Sec-WebSocket-Version", "13".to_owned()),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==".to_owned()),
    ];
    let boot = "/api/auth/bootstrap";
    for row in rows("auth") {
        let name = row["name"].as_str().unwrap();
        let (method, path, headers, body) = match name {
            "no credential" => ("GET", "/ws", [vec![host.clone()], upgrade.to_vec()].concat(), String::new()),
            "good bearer without Origin" => ("GET", "/api/sessions", vec![host.clone(), bearer.clone()], String::new()),
            "cookie on a socket without Origin" => {
                ("GET", "/ws", [vec![host.clone(), cookie.clone()], upgrade.to_vec()].concat(), String::new())
            }
            "cookie on GET without Origin" => {
                ("GET", "/api/sessions", vec![host.clone(), cookie.clone()], String::new())
            }
            "Host outside the allowed origins" => {
                ("GET", "/healthz", vec![("Host", "evil.invalid".to_owned())], String::new())
            }
            "missing Host" => ("GET", "/healthz", vec![], String::new()),
            "Origin differs from Host but is allowed, good bearer" => (
                "GET",
                "/api/sessions",
                vec![host.clone(), bearer.clone(), ("Origin", "http://tools.example".to_owned())],
                String::new(),
            ),
            "two Authorization headers" => {
                ("GET", "/api/sessions", vec![host.clone(), bearer.clone(), bearer.clone()], String::new())
            }
            "health check" => ("GET", "/healthz", vec![host.clone()], String::new()),
            "bootstrap" => ("POST", boot, vec![host.clone(), own.clone()], good.clone()),
            "bootstrap with an extra key" => {
                ("POST", boot, vec![host.clone(), own.clone()], json!({"token": server.token, "x": 1}).to_string())
            }
            "bootstrap with a repeated key" => (
                "POST",
                boot,
                vec![host.clone(), own.clone()],
                format!("{{\"token\":\"{0}\",\"token\":\"{0}\"}}", server.token),
            ),
            "bootstrap with a bearer header" => {
                ("POST", boot, vec![host.clone(), own.clone(), bearer.clone()], good.clone())
            }
            other => panic!("a new case: {other}"),
        };
        let (status, head, text) = server.request(method, path, &headers, &body).await;
        let expected = &row["expected"];
        match expected["status"].as_u64() {
            Some(wanted) => assert_eq!(u64::from(status), wanted, "{name}"),
            None => assert_eq!((expected["allowed"].as_bool(), status), (Some(true), 200), "{name}"),
        }
        if let Some(error) = expected["error"].as_str() {
            assert!(text.contains(&format!("\"error\":\"{error}\"")), "{name}: {text}");
        }
        if name == "health check" {
            assert!(head.contains("cache-control: no-store"), "{head}");
        }
    }
    server.finish().await;
}

/// A self-signed certificate for `localhost`, made by the machine's openssl.
fn certificate(folder: &std::path::Path) -> Option<(std::path::PathBuf, std::path::PathBuf)> {
    let (chain, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let made = std::process::Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext"])
        .args(["basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&chain)
        .output();
    made.is_ok_and(|output| output.status.success()).then_some((chain, key))
}

#[tokio::test]
async fn behind_a_certificate_the_same_is_served_and_a_hung_handshake_holds_up_nobody() {
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

    let folder = tempfile::tempdir().unwrap();
    let Some((chain, key)) = certificate(folder.path()) else {
        println!("skipped: openssl is not here");
        return;
    };
    let server = start(Options { tls: Some((chain.clone(), key)), ..options() }).await;
    // Says nothing, ever.
    let _hung = TcpStream::connect(server.address).await.unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&chain).unwrap()).unwrap();
    let provider = std::sync::Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_root_certificates(roots).with_no_client_auth();
    let stream = TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(std::sync::Arc::new(config));
    let mut stream = timeout(PATIENCE, connector.connect(name, stream)).await.unwrap().unwrap();
    let body = json!({"token": server.code}).to_string();
    let request = format!(
        "POST /api/auth/bootstrap HTTP/1.1\r\nHost: localhost:{0}\r\nOrigin: https://localhost:{0}\r\nConnection: close\r\nContent-Length: {1}\r\n\r\n{body}",
        server.address.port(),
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 204") && answer.contains("SameSite=Strict; Secure"), "{answer}");
    server.finish().await;
}

/// Opt-in: installs the judges of `tests/judges.rs`.
#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "a test's own switch")]
async fn the_official_python_client_is_content() {
    if std::env::var_os("FORMWORK_JUDGES").is_none() {
        println!("skipped: set FORMWORK_JUDGES=1 to install the judges and ask them");
        return;
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (dir, judges) = (root.join("target/judges"), root.join("tests/judges"));
    let installed = std::process::Command::new(judges.join("install.sh")).arg(&dir).output().unwrap();
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    let server = start(options()).await;
    let mut command = std::process::Command::new(dir.join("venv/bin/python"));
    command.arg(judges.join("serve.py")).arg(format!("http://{}/v1", server.address)).arg(&server.token);
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Vec<Value> = said.lines().map(|line| parse(line, ParseLimits::default()).unwrap()).collect();
    let ways: Vec<&str> = said.iter().map(|line| line["way"].as_str().unwrap()).collect();
    assert_eq!(ways, ["chat", "chat stream", "responses", "responses stream", "error"]);
    assert!(said[..4].iter().all(|line| line["value"]["answer"].is_i64() && line["value"]["name"].is_string()));
    assert_eq!(said[4]["value"], json!({"answer": 422, "name": "validation_failed"}));
    server.finish().await;
}
