//! The provider path over real sockets: transport, dialect, driver, feed. Offline, and never waits for time to pass
//! where a signal will do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use formwork::capability::{Evidence, Native, ProfileId};
use formwork::catalog::{Catalog, Endpoint};
use formwork::config::{Config, Declared, Env, Provider};
use formwork::event::{ErrorCode, RunError, RunEvent};
use formwork::feed::{Inspect, Item};
use formwork::machine::Budget;
use formwork::runtime::{RunHandle, RunSpec, Tools, detect, dry_run, start};
use formwork::schema::{ResponseFormat, preflight};
use formwork::sim::Tempo;

#[path = "support/cases.rs"]
mod cases;
#[path = "provider/hostile.rs"]
mod hostile;
#[path = "provider/reads.rs"]
mod reads;
#[path = "support/server.rs"]
mod server;
#[path = "provider/stages.rs"]
mod stages;

use server::{Fake, Part, finish, open_stream, response, stream, text};

const KEY: &str = "sk-SECRET-0123456789";
const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

/// How long a cancelled run may still take.
const PROMPT: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
enum Route {
    Native,
    Tool,
    Unknown,
}

fn endpoint(base_url: &str, route: Route) -> Arc<Endpoint> {
    with_key(base_url, KEY, route)
}

fn with_key(base_url: &str, key: &str, route: Route) -> Arc<Endpoint> {
    let declared = |native, strict_tool| Declared {
        native: Some(native),
        strict_tool,
        with_tools: false,
        schema_profile: Some(ProfileId::None),
    };
    let provider = Provider {
        base_url: Some(base_url.to_owned()),
        api_key_env: Some("LAB_KEY".to_owned()),
        structured_output: match route {
            Route::Native => Some(declared(Native::Supported, false)),
            Route::Tool => Some(declared(Native::Unsupported, true)),
            Route::Unknown => None,
        },
        ..Provider::default()
    };
    let mut config = Config { env: Env::from_pairs([("LAB_KEY", key)]), ..Config::default() };
    config.providers.insert("lab".to_owned(), provider);
    Catalog::new(&config).find("lab/m").unwrap().0
}

fn sim(model: &str) -> RunSpec {
    let (endpoint, model_id) = Catalog::new(&Config::default()).find(&format!("sim/{model}")).unwrap();
    RunSpec { model_id, ..spec(endpoint, None) }
}

/// With calls left for a repair.
fn repaired(model: &str) -> RunSpec {
    RunSpec { budget: Budget { max_retries: 6, max_iterations: 20 }, ..sim(model) }
}

fn spec(endpoint: Arc<Endpoint>, schema: Option<&str>) -> RunSpec {
    RunSpec {
        format: schema.map(format),
        budget: Budget { max_retries: 1, max_iterations: 20 },
        idle_timeout: Duration::from_mins(1),
        tempo: Tempo::Typing,
        ..RunSpec::new(endpoint, "m".to_owned(), "count".to_owned())
    }
}

fn format(schema: &str) -> ResponseFormat {
    preflight::check_text(schema).unwrap().format
}

/// Everything a run said.
struct Told {
    events: Vec<RunEvent>,
    inspected: Vec<Inspect>,
}

impl Told {
    fn error(&self) -> &RunError {
        match self.events.last() {
            Some(RunEvent::Error(error)) => error,
            other => panic!("no error at the end: {other:?}"),
        }
    }

    fn message(&self) -> &str {
        match self.events.last() {
            Some(RunEvent::Done { message, .. }) => message,
            other => panic!("not done: {other:?}"),
        }
    }

    /// All that is public, as text.
    fn public(&self) -> String {
        self.events.iter().map(|e| serde_json::to_string(e).unwrap()).collect::<Vec<_>>().join("\n")
    }

    /// One word an event; deltas are joined.
    fn outline(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for event in &self.events {
            let word = match event {
                RunEvent::RunStart { mode, .. } => format!("run {}", mode.map_or("plain", |m| m.code())),
                RunEvent::TextStart { output_attempt } => format!("text{output_attempt}"),
                RunEvent::TextEnd { output_attempt } => format!("/text{output_attempt}"),
                RunEvent::ThinkingStart { output_attempt } => format!("thinking{output_attempt}"),
                RunEvent::ThinkingEnd { output_attempt } => format!("/thinking{output_attempt}"),
                RunEvent::ToolCallStart { name, .. } => format!("call {name}"),
                RunEvent::ToolCallEnd { .. } => "/call".to_owned(),
                RunEvent::ToolResult { is_error, .. } => format!("result {}", if *is_error { "failed" } else { "ok" }),
                RunEvent::TransportRetry { code, .. } => format!("again {code}"),
                RunEvent::StructuredOutputRetry { attempt, next_attempt, code, .. } => {
                    format!("retry {attempt}>{next_attempt} {code}")
                }
                RunEvent::StructuredOutputEnd { attempt, .. } => format!("value{attempt}"),
                RunEvent::Usage { .. } => "usage".to_owned(),
                RunEvent::Done { .. } => "done".to_owned(),
                RunEvent::Error(error) => format!("error {}", error.code),
                RunEvent::TextDelta { .. } | RunEvent::ThinkingDelta { .. } | RunEvent::ToolCallDelta { .. } => {
                    continue;
                }
            };
            words.push(word);
        }
        words
    }
}

async fn rest(mut handle: RunHandle) -> Told {
    let mut told = Told { events: Vec::new(), inspected: Vec::new() };
    while let Some(items) = handle.feed.next().await {
        for item in items {
            match item {
                Item::Event(event) => told.events.push(event),
                Item::Inspect(inspect) => told.inspected.push(*inspect),
            }
        }
    }
    told
}

async fn run(spec: RunSpec) -> Told {
    rest(start(spec)).await
}

async fn plain(replies: Vec<Vec<Part>>) -> (Fake, Told) {
    let fake = Fake::start(replies).await;
    let told = run(spec(endpoint(&fake.base_url, Route::Native), None)).await;
    (fake, told)
}

// ---- what goes out

#[tokio::test]
async fn the_key_is_sent_and_never_shown() {
    let (fake, told) = plain(vec![stream(&[&text("hello"), &finish("stop")])]).await;
    assert_eq!(told.message(), "hello");
    let request = fake.request(0);
    assert!(request.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", request.head);
    let head = request.head.to_lowercase();
    assert!(head.contains(&format!("authorization: bearer {}", KEY.to_lowercase())), "{head}");
    assert!(head.contains(concat!("user-agent: formwork/", env!("CARGO_PKG_VERSION"))), "{head}");
    let shown = format!("{:?}{}", told.inspected, told.public());
    assert!(!shown.contains("SECRET"), "{shown}");
    let curl = told.inspected.iter().find_map(|i| match i {
        Inspect::Request { curl, .. } => Some(curl.clone()),
        _ => None,
    });
    assert!(curl.unwrap().contains("-H \"authorization: Bearer $LAB_KEY\""));
    assert!(told.inspected.iter().any(|i| matches!(i, Inspect::Response { status: 200, .. })));
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let (endpoint, model_id) = Catalog::new(&Config::default()).find("openai/gpt-5-mini").unwrap();
    let told = run(RunSpec { model_id, ..spec(endpoint, None) }).await;
    assert_eq!(told.error().code, ErrorCode::Auth);
    let facts = format!("{:?}", told.error().facts);
    assert!(facts.contains("set OPENAI_API_KEY") && facts.contains("api.openai.com"), "{facts}");
    assert_eq!(told.outline(), ["run plain", "error auth"]);
}

#[tokio::test]
async fn a_dry_run_sends_nothing_and_names_the_variable() {
    let fake = Fake::start(vec![]).await;
    let plan = dry_run(&spec(endpoint(&fake.base_url, Route::Native), None)).unwrap();
    let request = plan.request.unwrap();
    assert_eq!(request.url, format!("{}/chat/completions", fake.base_url));
    let key = request.headers.iter().find(|h| h.secret).unwrap();
    assert_eq!(key.value, "Bearer $LAB_KEY");
    assert_eq!(fake.count(), 0);
}

#[tokio::test]
async fn a_redirect_keeps_the_key_home() {
    let thief = Fake::start(vec![]).await;
    let location = format!("location: {}/chat/completions\r\n", thief.base_url);
    for status in [301, 302, 307, 308] {
        let (_, told) = plain(vec![response(status, &location, "")]).await;
        assert_eq!(told.error().code, ErrorCode::Provider, "{status}");
        assert!(told.error().message.contains("redirects"), "{}", told.error().message);
    }
    assert_eq!(thief.count(), 0);
}

#[tokio::test]
async fn a_redirect_on_the_same_server_is_followed() {
    let moved = response(307, "location: /v2/chat/completions\r\n", "");
    let (fake, told) = plain(vec![moved, stream(&[&text("hi"), &finish("stop")])]).await;
    assert_eq!(told.message(), "hi");
    assert!(fake.request(1).head.starts_with("POST /v2/chat/completions"));
    assert_eq!(fake.request(1).body, fake.request(0).body);
}

// ---- what comes back

#[tokio::test]
async fn refusals_of_service_have_their_codes() {
    for (status, headers, body, code) in [
        (401, "", r#"{"error":{"message":"SECRET"}}"#, ErrorCode::Auth),
        (404, "", r#"{"error":{"code":"model_not_found"}}"#, ErrorCode::Provider),
        (400, "", r#"{"error":{"code":"context_length_exceeded"}}"#, ErrorCode::Incomplete),
        (429, "retry-after: 1\r\n", "slow down SECRET", ErrorCode::RateLimited),
        (500, "", "<html>SECRET</html>", ErrorCode::Provider),
        (503, "x-should-retry: false\r\n", "", ErrorCode::Provider),
    ] {
        let headers = format!("{headers}x-request-id: req_9\r\n");
        let (fake, told) = plain(vec![response(status, &headers, body)]).await;
        assert_eq!(told.error().code, code, "{status}");
        assert!(told.error().facts.contains(&("status".to_owned(), status.to_string())), "{status}");
        assert!(told.error().facts.contains(&("request_id".to_owned(), "req_9".to_owned())), "{status}");
        assert!(!told.public().contains("SECRET"), "{status}");
        assert_eq!(fake.count(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_failed_call_is_sent_again() {
    let replies = vec![
        response(429, "retry-after-ms: 20\r\n", ""),
        response(500, "retry-after-ms: 1\r\n", ""),
        stream(&[&text("third"), &finish("stop")]),
    ];
    let fake = Fake::start(replies).await;
    let mut spec = spec(endpoint(&fake.base_url, Route::Native), None);
    spec.budget.max_retries = 3;
    let told = run(spec).await;
    assert_eq!(told.message(), "third");
    assert_eq!(told.outline()[..3], ["run plain", "again rate_limited", "again provider"]);
    assert_eq!(told.inspected.iter().filter(|i| matches!(i, Inspect::Failed { .. })).count(), 2);
}

#[tokio::test]
async fn any_cut_of_the_bytes_gives_the_same_text() {
    let whole = [b"\xef\xbb\xbf: hi\r\n".to_vec(), text("那个🔥"), text(" é"), finish("stop")].concat();
    for size in [1, 2, 3, 7, 50] {
        let reads: Vec<&[u8]> = whole.chunks(size).collect();
        let (_, told) = plain(vec![stream(&reads)]).await;
        assert_eq!(told.message(), "那个🔥 é", "{size}");
    }
}

#[tokio::test]
async fn a_whole_json_body_counts_too() {
    let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}"#;
    let (_, told) = plain(vec![response(200, "content-type: application/json\r\n", body)]).await;
    assert_eq!(told.message(), "whole");
    let (_, told) = plain(vec![response(200, "content-type: text/html\r\n", "<p>SECRET</p>")]).await;
    assert!(told.error().message.contains("web page"));
}

#[tokio::test]
async fn an_end_without_a_finish_is_no_success() {
    let cut = stream(&[&text("valid looking")]);
    let (_, told) = plain(vec![cut]).await;
    assert_eq!(told.error().code, ErrorCode::Incomplete);
    let torn = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\ndata:";
    let (_, told) = plain(vec![vec![Part::Bytes(torn.to_vec()), Part::Close]]).await;
    assert_eq!(told.error().code, ErrorCode::Transport);
}

#[tokio::test]
async fn an_error_in_the_stream_ends_the_call_though_the_stream_stays_open() {
    let mut parts =
        open_stream(&[&text("x"), b"data: {\"error\":{\"message\":\"SECRET\",\"type\":\"server_error\"}}\n\n"]);
    parts.push(Part::Hang);
    let (fake, told) = plain(vec![parts]).await;
    assert_eq!(told.error().code, ErrorCode::Provider);
    assert!(!told.public().contains("SECRET"));
    let _ = fake.dropped.acquire().await.unwrap();
}

#[tokio::test]
async fn a_line_without_end_is_bounded() {
    let line = vec![b'x'; 1024 * 1024];
    let mut parts = open_stream(&[b"data: "]);
    parts.extend(std::iter::repeat_n(Part::Bytes(line), 18));
    let (_, told) = plain(vec![parts]).await;
    assert_eq!(told.error().code, ErrorCode::Provider);
    assert!(told.error().message.contains("16 MiB"), "{}", told.error().message);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let mut spec = spec(endpoint(&base, Route::Native), None);
    spec.budget.max_retries = 6;
    let told = run(spec).await;
    assert_eq!(told.error().code, ErrorCode::Transport);
    assert!(told.error().message.starts_with("connection refused"), "{}", told.error().message);
    assert_eq!(told.outline(), ["run plain", "error transport"], "nothing listens: no use in asking again");
}

// ---- ends from outside

async fn cancelled_while(parts: Vec<Part>) {
    let fake = Fake::start(vec![parts]).await;
    let handle = start(spec(endpoint(&fake.base_url, Route::Native), None));
    fake.arrived.acquire().await.unwrap().forget();
    let began = Instant::now();
    handle.cancel.cancel();
    let told = rest(handle).await;
    assert_eq!(told.error().code, ErrorCode::Cancelled);
    fake.dropped.acquire().await.unwrap().forget();
    assert!(began.elapsed() < PROMPT, "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_drops_a_call_that_hangs_before_its_head() {
    cancelled_while(vec![Part::Hang]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_drops_a_call_that_hangs_in_its_stream() {
    let mut parts = open_stream(&[&text("x")]);
    parts.push(Part::Hang);
    cancelled_while(parts).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_handle_drops_the_call() {
    let fake = Fake::start(vec![vec![Part::Hang]]).await;
    let handle = start(spec(endpoint(&fake.base_url, Route::Native), None));
    fake.arrived.acquire().await.unwrap().forget();
    drop(handle);
    fake.dropped.acquire().await.unwrap().forget();
}

#[tokio::test]
async fn cancel_before_anything_happened() {
    let handle = start(sim("slow"));
    handle.cancel.cancel();
    assert_eq!(rest(handle).await.error().code, ErrorCode::Cancelled);
}

#[tokio::test]
async fn a_silent_server_and_a_deadline() {
    let fake = Fake::start(vec![vec![Part::Hang], vec![Part::Hang]]).await;
    let mut idle = spec(endpoint(&fake.base_url, Route::Native), None);
    idle.idle_timeout = Duration::from_millis(30);
    let told = run(idle).await;
    assert_eq!(told.error().code, ErrorCode::Timeout);
    assert!(told.error().message.starts_with("the server sent nothing"), "{}", told.error().message);
    let mut late = spec(endpoint(&fake.base_url, Route::Native), None);
    late.deadline = Some(Duration::from_millis(30));
    let told = run(late).await;
    assert_eq!(told.error().code, ErrorCode::Timeout);
    assert!(told.error().message.contains("deadline"), "{}", told.error().message);
}

// ---- local servers

#[tokio::test]
async fn servers_on_this_machine_are_found() {
    let list = response(
        200,
        "content-type: application/json\r\n",
        r#"{"object":"list","data":[{"id":"qwen"},{"id":"a\u0007b"}]}"#,
    );
    let fake = Fake::start(vec![list]).await;
    let mut config = Config::default();
    let at = |base_url: &str| Provider { base_url: Some(base_url.to_owned()), ..Provider::default() };
    config.providers.insert("here".to_owned(), at(&fake.base_url));
    config.providers.insert("elsewhere".to_owned(), at("http://192.0.2.1/v1"));
    let found = detect(&Catalog::new(&config)).await;
    let here = found.iter().find(|s| s.provider == "here").unwrap();
    assert_eq!(here.models, ["qwen"]);
    assert!(found.iter().all(|s| s.provider != "elsewhere"));
    assert!(fake.request(0).head.starts_with("GET /v1/models"));
}

#[tokio::test]
async fn a_server_that_hangs_is_not_waited_for() {
    let fake = Fake::start(vec![vec![Part::Hang]]).await;
    let mut config = Config::default();
    config
        .providers
        .insert("here".to_owned(), Provider { base_url: Some(fake.base_url.clone()), ..Provider::default() });
    let began = Instant::now();
    assert!(detect(&Catalog::new(&config)).await.iter().all(|s| s.provider != "here"));
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn nobody_vouches_for_another_address() {
    assert_eq!(endpoint("http://127.0.0.1:1/v1", Route::Unknown).capability.evidence, Evidence::Nobody);
}

// ---- structured runs on the wire

fn call_chunk(name: &str, arguments: &str) -> Vec<u8> {
    let arguments = serde_json::Value::from(arguments);
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\
         \"function\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}]}},\"finish_reason\":null}}]}}\n\n"
    )
    .into_bytes()
}

fn value_of(told: &Told) -> String {
    let value = told.events.iter().find_map(|e| match e {
        RunEvent::StructuredOutputEnd { value, .. } => Some(value.to_string()),
        _ => None,
    });
    value.unwrap()
}

#[tokio::test]
async fn native_with_a_repair() {
    let replies = vec![
        stream(&[&text("{\"n\":"), &text("\"SECRET\"}"), &finish("stop")]),
        stream(&[&text("{\"n\":9007199254740993}"), &finish("stop")]),
    ];
    let fake = Fake::start(replies).await;
    let mut spec = spec(endpoint(&fake.base_url, Route::Native), Some(SCHEMA));
    spec.budget.max_retries = 2;
    let told = run(spec).await;
    let outline = ["run native", "text1", "/text1", "retry 1>2 validation_failed", "text2", "/text2", "value2", "done"];
    assert_eq!(told.outline(), outline);
    assert_eq!((value_of(&told).as_str(), told.message()), ("{\"n\":9007199254740993}", "{\"n\":9007199254740993}"));
    assert!(fake.request(0).body.contains("\"response_format\":{\"type\":\"json_schema\""), "{}", fake.request(0).body);
    assert!(fake.request(1).body.contains("SECRET"), "the rejected message goes back to the model");
    let attempts = told.inspected.iter().filter(|i| matches!(i, Inspect::Attempt { .. })).count();
    assert_eq!((attempts, fake.count()), (2, 2));
}

#[tokio::test]
async fn the_submit_tool_with_a_wrapped_root() {
    let replies = vec![
        stream(&[&call_chunk("__formwork_submit_json", "{\"value\":[1,\"x\"]}"), &finish("tool_calls")]),
        stream(&[&call_chunk("__formwork_submit_json", "{\"value\":[1,2]}"), &finish("tool_calls")]),
    ];
    let fake = Fake::start(replies).await;
    let array = r#"{"type":"array","items":{"type":"integer"}}"#;
    let mut spec = spec(endpoint(&fake.base_url, Route::Tool), Some(array));
    spec.budget.max_retries = 2;
    let told = run(spec).await;
    assert_eq!(told.message(), "[1,2]");
    let path = told.events.iter().find_map(|e| match e {
        RunEvent::StructuredOutputRetry { issues, .. } => Some(issues[0].path.clone()),
        _ => None,
    });
    assert_eq!(path.as_deref(), Some("/1"));
    assert!(fake.request(0).body.contains("\"__formwork_submit_json\""));
}

#[tokio::test]
async fn an_endpoint_nobody_vouches_for_is_not_called() {
    let fake = Fake::start(vec![]).await;
    let told = run(spec(endpoint(&fake.base_url, Route::Unknown), Some(SCHEMA))).await;
    assert_eq!(told.error().code, ErrorCode::Unsupported);
    let labels: Vec<&str> = told.error().facts.iter().map(|(label, _)| label.as_str()).collect();
    assert!(labels.contains(&"native") && labels.contains(&"tool") && labels.contains(&"next"), "{labels:?}");
    assert_eq!((fake.count(), told.outline()), (0, vec!["run plain".to_owned(), "error unsupported".to_owned()]));
}

#[tokio::test]
async fn a_refused_schema_parameter_is_unsupported_whatever_its_words() {
    for body in [
        // cp-002, lm-003
        r#"{"code":400,"reason":"INVALID_REQUEST_BODY","message":"model x does not support feature: structured-outputs"}"#,
        r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#,
        r#"{"error":{"message":"Invalid schema for response_format 'response'","param":"response_format"}}"#,
        // Recorded: the Messages API has no code for it. an-008: the grammar of a deep schema.
        r#"{"error":{"type":"invalid_request_error","message":"Schema is too complex for compilation."}}"#,
        r#"{"error":{"message":"Schemas contains too many parameters with union types (17 parameters)."}}"#,
        r#"{"error":{"message":"tools.0: Circular reference detected in schema definitions"}}"#,
        r#"{"error":{"message":"The compiled grammar is too large"}}"#,
    ] {
        let fake = Fake::start(vec![response(400, "", body)]).await;
        let mut spec = spec(endpoint(&fake.base_url, Route::Native), Some(SCHEMA));
        spec.budget.max_retries = 6;
        let told = run(spec).await;
        assert_eq!((told.error().code, fake.count()), (ErrorCode::Unsupported, 1), "{body}");
        assert!(told.error().facts.iter().any(|(label, text)| label == "next" && text.contains("native")), "{body}");
    }
}

#[tokio::test]
async fn a_bad_key_is_no_verdict_on_the_schema() {
    // cp-003
    let fake =
        Fake::start(vec![response(401, "", r#"{"error":{"message":"invalid key for structured output"}}"#)]).await;
    let told = run(spec(endpoint(&fake.base_url, Route::Native), Some(SCHEMA))).await;
    assert_eq!(told.error().code, ErrorCode::Auth);
}

#[tokio::test]
async fn a_key_in_the_address_is_shown_nowhere() {
    // se-001
    let fake = Fake::start(vec![response(400, "", r#"{"error":{"message":"bad"}}"#)]).await;
    let mut secret = endpoint(&fake.base_url, Route::Native).as_ref().clone();
    secret.base_url = format!("{}?key=SECRET123", fake.base_url);
    let told = run(spec(Arc::new(secret), None)).await;
    assert!(fake.request(0).head.contains("SECRET123"), "it is sent");
    let shown = format!("{}{:?}", told.public(), told.inspected);
    assert!(!shown.contains("SECRET123"), "{shown}");
}

#[tokio::test]
async fn the_handed_wire_cases_end_to_end() {
    for row in cases::rows("cases/faults.jsonl") {
        let input = &row["input"];
        if input["kind"] != "wire" || input["dialect"] != "openai-chat" {
            continue;
        }
        let id = row["id"].as_str().unwrap();
        let reads: Vec<Vec<u8>> =
            input["reads_hex"].as_array().unwrap().iter().map(|r| unhex(r.as_str().unwrap())).collect();
        // The cases name the submit tool in short.
        let reads: Vec<Vec<u8>> = reads.iter().map(|r| named(r)).collect();
        let reads: Vec<&[u8]> = reads.iter().map(Vec::as_slice).collect();
        let mut parts = open_stream(&reads);
        parts.push(if input["end"] == "open" { Part::Hang } else { Part::Close });
        let fake = Fake::start(vec![parts]).await;
        let schema = input["schema"].to_string();
        let route = if reads.concat().windows(9).any(|w| w == b"_formwork") { Route::Tool } else { Route::Native };
        let told = run(spec(endpoint(&fake.base_url, route), Some(&schema))).await;
        let want = &row["expected"];
        match want["outcome"].as_str().unwrap() {
            "valid" => assert_eq!(value_of(&told), want["value"].to_string(), "{id}"),
            "incomplete" => assert_eq!(told.error().code, ErrorCode::Incomplete, "{id}"),
            "provider_error" => assert_eq!(told.error().code, ErrorCode::Provider, "{id}"),
            "missing_submission_or_invalid_json" => {
                assert!(matches!(told.error().code, ErrorCode::InvalidJson | ErrorCode::MissingSubmission), "{id}");
            }
            other => panic!("{id}: {other}"),
        }
    }
}

fn named(read: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(read.to_vec());
    text.map_or_else(
        |_| read.to_vec(),
        |t| {
            t.replace("\"_submit\"", "\"__formwork_submit_json\"")
                .replace("\"__submit\"", "\"__formwork_submit_json\"")
                .into_bytes()
        },
    )
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

// ---- the built-in provider

#[tokio::test(start_paused = true)]
async fn built_in_models_tell_the_same_story_every_time() {
    let good = "thinking1 /thinking1 text1 /text1 value1 usage done";
    let second = "thinking2 /thinking2 text2 /text2 value2 usage done";
    let bad = "thinking1 /thinking1 text1 /text1 usage retry_1>2_validation_failed";
    for (model, want) in [
        ("sample", good.to_owned()),
        ("slow", good.to_owned()),
        ("flood", good.to_owned()),
        ("repair", format!("{bad} {second}")),
        ("twice-bad", format!("{bad} thinking2 /thinking2 text2 /text2 usage error_validation_failed")),
        ("fence", format!("text1 /text1 usage retry_1>2_invalid_json {second}")),
        ("refusal", "usage error_refusal".to_owned()),
        ("truncated", "text1 /text1 usage error_incomplete".to_owned()),
        ("eof", "text1 /text1 usage error_incomplete".to_owned()),
        ("tools", format!("thinking1 call_lookup /thinking1 /call usage result_ok {good}")),
    ] {
        let spec = || {
            let mut spec = sim(model);
            spec.format = Some(format(SCHEMA));
            spec.budget.max_retries = 6;
            spec
        };
        let (first, again) = (run(spec()).await, run(spec()).await);
        let story: Vec<String> = first.outline().iter().skip(1).map(|word| word.replace(' ', "_")).collect();
        assert_eq!((first.outline()[0].as_str(), story.join(" ")), ("run native", want), "{model}");
        assert_eq!(first.outline(), again.outline(), "{model}");
        let simulated = matches!(first.events[0], RunEvent::RunStart { simulated: true, .. });
        assert!(simulated, "{model}");
        if matches!(first.events.last(), Some(RunEvent::Done { .. })) {
            assert_eq!(first.message(), again.message(), "{model}");
            let judge = formwork::schema::judge(
                &format(SCHEMA),
                formwork::schema::validate::JudgeOptions {
                    limits: formwork::json::ParseLimits::default(),
                    assert_format: false,
                },
            );
            let judged = judge.unwrap().judge(first.message());
            assert!(matches!(judged, formwork::schema::validate::Judgement::Valid { .. }), "{model}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn built_in_models_answer_without_a_schema() {
    for model in ["sample", "repair", "twice-bad", "fence", "slow", "flood", "tools"] {
        assert!(run(sim(model)).await.message().contains("built-in"), "{model}");
    }
}

#[tokio::test(start_paused = true)]
async fn built_in_models_type_for_people_only() {
    for (tempo, model, pauses) in [
        (Tempo::Typing, "sample", true),
        (Tempo::AtOnce, "sample", false),
        (Tempo::AtOnce, "repair", false),
        (Tempo::AtOnce, "slow", true),
    ] {
        let began = tokio::time::Instant::now();
        let told = run(RunSpec { tempo, format: Some(format(SCHEMA)), ..repaired(model) }).await;
        assert!(matches!(told.events.last(), Some(RunEvent::Done { .. })), "{model}");
        assert_eq!(began.elapsed() > Duration::ZERO, pauses, "{tempo:?} {model}");
    }
}

#[tokio::test(start_paused = true)]
async fn withheld_tools_are_not_called() {
    let told = run(RunSpec { tools: Tools::Withheld, ..repaired("tools") }).await;
    assert_eq!(told.outline(), ["run plain", "thinking1", "/thinking1", "text1", "/text1", "usage", "done"]);
}

#[tokio::test]
async fn a_flood_is_joined_and_cancel_gets_through() {
    let handle = start(sim("flood"));
    handle.cancel.cancel();
    assert_eq!(rest(handle).await.error().code, ErrorCode::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_script_says_what_its_file_says() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("s.jsonl");
    let lines = concat!(
        "[{\"error\":{\"code\":\"rate_limited\",\"status\":429,\"retryable\":true}}]\n",
        "[{\"thinking\":\"hm\"},{\"wait_ms\":900000},{\"answer\":\"{\\\"n\\\"\"},{\"answer\":\":1}\"},{\"terminal\":\"stop\"}]\n"
    );
    fs_err::write(&file, lines).unwrap();
    let spec = || {
        let mut spec = sim(&format!("script:{}", file.display()));
        spec.format = Some(format(SCHEMA));
        spec.budget.max_retries = 2;
        spec
    };
    let told = run(spec()).await;
    assert_eq!(told.message(), "{\"n\":1}");
    assert_eq!(told.outline()[1], "again rate_limited");
    fs_err::write(&file, "[{\"text\":\"a\"}]\n[{\"txet\":\"SECRET\"}]\n").unwrap();
    let told = run(spec()).await;
    assert_eq!(told.error().code, ErrorCode::Config);
    assert!(told.error().facts.contains(&("line".to_owned(), "2".to_owned())));
    assert!(!told.public().contains("SECRET"));
}

#[tokio::test]
async fn a_delta_is_there_before_the_next_one_is_sent() {
    let go = Arc::new(tokio::sync::Notify::new());
    let mut parts = open_stream(&[&text("first")]);
    parts.extend([Part::Wait(Arc::clone(&go)), Part::Bytes(text(" second")), Part::Bytes(finish("stop")), Part::Close]);
    let fake = Fake::start(vec![parts]).await;
    let mut handle = start(spec(endpoint(&fake.base_url, Route::Native), None));
    let mut seen = String::new();
    while let Some(items) = handle.feed.next().await {
        for item in items {
            if let Item::Event(RunEvent::TextDelta { delta, .. }) = item {
                seen.push_str(&delta);
            }
        }
        if seen == "first" {
            go.notify_one();
        }
    }
    assert_eq!(seen, "first second");
}

// ---- what only a process of its own can show

/// Runs one of the `child_` tests below in a new process with these variables, and says whether it passed.
fn child(test: &str, vars: &[(&str, &str)]) -> bool {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", test]).envs(vars.iter().copied());
    for var in ["NO_PROXY", "no_proxy"] {
        command.env_remove(var);
    }
    command.output().unwrap().status.success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_from_the_environment_is_used_but_not_for_this_machine() {
    let proxy = Fake::start(vec![stream(&[&text("by proxy"), &finish("stop")])]).await;
    let address = proxy.base_url.trim_end_matches("/v1").to_owned();
    let vars = [("http_proxy", address.as_str()), ("HTTP_PROXY", address.as_str())];
    assert!(tokio::task::block_in_place(|| child("child_asks_a_far_server", &vars)));
    assert!(
        proxy.request(0).head.starts_with("POST http://far.invalid/v1/chat/completions"),
        "{}",
        proxy.request(0).head
    );
    assert!(tokio::task::block_in_place(|| child("child_asks_this_machine", &vars)));
    assert_eq!(proxy.count(), 1);
}

#[test]
fn without_any_certificate_file_everything_still_works() {
    assert!(child("child_asks_this_machine", &[("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")]));
    assert!(child("child_builds_the_tls_client", &[("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")]));
}

#[tokio::test]
#[ignore = "run by a_proxy_from_the_environment"]
async fn child_asks_a_far_server() {
    let told = run(spec(endpoint("http://far.invalid/v1", Route::Native), None)).await;
    assert_eq!(told.message(), "by proxy");
}

#[tokio::test]
#[ignore = "run by a_proxy_from_the_environment"]
async fn child_asks_this_machine() {
    let (_, told) = plain(vec![stream(&[&text("direct"), &finish("stop")])]).await;
    assert_eq!(told.message(), "direct");
}

/// The name cannot be found: what matters is that a client was built and asked.
#[tokio::test]
#[ignore = "run by without_any_certificate_file"]
async fn child_builds_the_tls_client() {
    let told = run(spec(endpoint("https://far.invalid/v1", Route::Native), None)).await;
    assert_eq!(told.error().code, ErrorCode::Transport, "{}", told.error().message);
}
