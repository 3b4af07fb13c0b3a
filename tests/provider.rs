//! The provider path over real sockets: transport, dialect, driver, feed. Offline, and never waits for time to pass
//! where a signal will do.

use std::sync::Arc;
use std::time::{Duration, Instant};

use formwork::capability::{Evidence, Native, ProfileId};
use formwork::catalog::{Catalog, Endpoint};
use formwork::config::{Config, Declared, Env, Provider};
use formwork::dialect::ToolChoice;
use formwork::event::{ErrorCode, RunError, RunEvent};
use formwork::feed::{Inspect, Item};
use formwork::machine::Budget;
use formwork::runtime::{RunHandle, RunSpec, detect, dry_run, start};
use formwork::schema::project::Level;
use formwork::schema::{ResponseFormat, preflight};

#[path = "support/cases.rs"]
mod cases;
#[path = "support/server.rs"]
mod server;

use server::{Fake, Part, finish, open_stream, response, stream, text};

const KEY: &str = "sk-SECRET-0123456789";
const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

/// How long a cancelled run may still take.
const PROMPT: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
enum Route {
    Native,
    Tool,
    Unknown,
}

fn endpoint(base_url: &str, route: Route) -> Arc<Endpoint> {
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
    let mut config = Config { env: Env::from_pairs([("LAB_KEY", KEY)]), ..Config::default() };
    config.providers.insert("lab".to_owned(), provider);
    Catalog::new(&config).find("lab/m").unwrap().0
}

fn sim(model: &str) -> RunSpec {
    let (endpoint, model_id) = Catalog::new(&Config::default()).find(&format!("sim/{model}")).unwrap();
    RunSpec { model_id, ..spec(endpoint, None) }
}

fn spec(endpoint: Arc<Endpoint>, schema: Option<&str>) -> RunSpec {
    RunSpec {
        endpoint,
        model_id: "m".to_owned(),
        system: None,
        history: Vec::new(),
        prompt: "count".to_owned(),
        format: schema.map(format),
        level: Level::Exact,
        budget: Budget { max_retries: 1, max_iterations: 20 },
        deadline: None,
        idle_timeout: Duration::from_secs(60),
        tool_choice: ToolChoice::Unset,
        max_output_tokens: None,
        reasoning_effort: None,
        assert_format: false,
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
                RunEvent::TextDelta { .. } | RunEvent::ThinkingDelta { .. } | RunEvent::ToolCallDelta { .. } => continue,
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
    let mut parts = open_stream(&[&text("x"), b"data: {\"error\":{\"message\":\"SECRET\",\"type\":\"server_error\"}}\n\n"]);
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
    let list = response(200, "content-type: application/json\r\n", r#"{"object":"list","data":[{"id":"qwen"},{"id":"a\u0007b"}]}"#);
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
    config.providers.insert("here".to_owned(), Provider { base_url: Some(fake.base_url.clone()), ..Provider::default() });
    let began = Instant::now();
    assert!(detect(&Catalog::new(&config)).await.iter().all(|s| s.provider != "here"));
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn nobody_vouches_for_another_address() {
    assert_eq!(endpoint("http://127.0.0.1:1/v1", Route::Unknown).capability.evidence, Evidence::Nobody);
}
