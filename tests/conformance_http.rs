//! Faults that people reported: every `http_error` case of the shared data over real sockets, and the `wire`, `events`
//! and `payload` cases of the dialects that `conformance_wire` leaves to this file. A case that ENGINE or PROVIDERS
//! decides otherwise stands in the table with its reason; one that no row knows stops the test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    dead_code,
    reason = "a test stops at the first surprise and tells what it measured; the server is shared"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/server.rs"]
mod server;

use std::sync::Arc;
use std::time::Duration;

use formwork::capability::{Dialect, Native, ProfileId};
use formwork::catalog::{Catalog, Endpoint};
use formwork::config::{Config, Declared, Env, Provider};
use formwork::dialect::{self, Call, Frame, Message, NativeFormat, Target, ToolChoice};
use formwork::event::{ErrorCode, RawEvent, RunEvent, Terminal};
use formwork::json::Value;
use formwork::runtime::{RunSpec, start};
use formwork::schema::preflight;
use formwork::transport::framing::Framer;

use server::{Fake, response};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

/// Dialects whose cases `conformance_wire` holds.
const ELSEWHERE: [&str; 4] = ["openai-chat", "anthropic", "google", "openrouter"];

fn dialect_of(name: &str) -> Option<Dialect> {
    match name {
        "openai-responses" => Some(Dialect::OpenaiResponses),
        "bedrock-converse-stream" => Some(Dialect::Bedrock),
        "ollama-ndjson" | "ollama-native" => Some(Dialect::Ollama),
        other if ELSEWHERE.contains(&other) => None,
        other => panic!("a new dialect: {other}"),
    }
}

fn faults(kind: &str) -> Vec<Value> {
    cases::rows("cases/faults.jsonl").into_iter().filter(|row| row["input"]["kind"] == kind).collect()
}

fn endpoint(base_url: &str, dialect: Dialect) -> Arc<Endpoint> {
    let declared = Declared {
        native: Some(Native::Supported),
        strict_tool: true,
        with_tools: false,
        schema_profile: Some(ProfileId::None),
    };
    let provider = Provider {
        base_url: Some(base_url.to_owned()),
        api_key_env: Some("LAB_KEY".to_owned()),
        structured_output: Some(declared),
        ..Provider::default()
    };
    let mut config = Config { env: Env::from_pairs([("LAB_KEY", "sk-KEY-0123456789")]), ..Config::default() };
    config.providers.insert("lab".to_owned(), provider);
    let mut endpoint = Endpoint::clone(&Catalog::new(&config).find("lab/m").unwrap().0);
    (endpoint.dialect, endpoint.capability.dialect) = (dialect, dialect);
    Arc::new(endpoint)
}

/// Public events, and everything else a run said, as text.
async fn run(endpoint: Arc<Endpoint>) -> (Vec<RunEvent>, String) {
    let mut handle = start(RunSpec {
        format: Some(preflight::check_text(SCHEMA).unwrap().format),
        idle_timeout: Duration::from_mins(1),
        ..RunSpec::new(endpoint, "m".to_owned(), "count".to_owned())
    });
    let (mut events, mut inspected) = (Vec::new(), String::new());
    while let Some(items) = handle.feed.next().await {
        for item in items {
            match item {
                formwork::feed::Item::Event(event) => events.push(event),
                formwork::feed::Item::Inspect(inspect) => inspected.extend([format!("{inspect:?}")]),
            }
        }
    }
    (events, inspected)
}

#[tokio::test]
async fn refused_requests_over_the_wire() {
    let rows = faults("http_error");
    for row in &rows {
        let (id, input) = (row["id"].as_str().unwrap(), &row["input"]);
        let status = u16::try_from(input["status"].as_u64().unwrap()).unwrap();
        let dialect = if input["provider"] == "google" { Dialect::Google } else { Dialect::OpenaiChat };
        // Would be asked again if it were taken for a passing fault.
        let reply = || response(status, "content-type: application/json\r\n", &input["body"].to_string());
        let fake = Fake::start(vec![reply(), reply()]).await;
        let query = input["url"].as_str().and_then(|url| url.split_once('?')).map_or("", |(_, query)| query);
        let base = if query.is_empty() { fake.base_url.clone() } else { format!("{}?{query}", fake.base_url) };
        let (events, inspected) = run(endpoint(&base, dialect)).await;
        let Some(RunEvent::Error(error)) = events.last() else { panic!("{id}: {events:?}") };
        let want: &[ErrorCode] = match id {
            "cp-003" => &[ErrorCode::Auth],
            // The server does not know the schema parameter: whether that is told as `unsupported` or as the provider's
            // refusal, it is not asked again.
            "cp-002" | "lm-003" => &[ErrorCode::Unsupported, ErrorCode::Provider],
            "se-001" => &[ErrorCode::Provider],
            other => panic!("a new case: {other}"),
        };
        assert!(want.contains(&error.code) && !error.retryable, "{id}: {error:?}");
        assert_eq!(fake.count(), 1, "{id}");
        let public: String = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        for secret in ["SECRET123", "sk-KEY-0123456789"] {
            assert!(!public.contains(secret) && !inspected.contains(secret), "{id}");
        }
        let said = input["body"].pointer("/error/message").or_else(|| input["body"].get("message"));
        if let Some(said) = said.and_then(Value::as_str) {
            assert!(!public.contains(said), "{id}: the provider's text is public");
        }
    }
    assert!(rows.is_empty() || rows.len() == 4, "{}", rows.len());
}

fn hex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn told(dialect: Dialect, frames: impl IntoIterator<Item = Frame>) -> (String, Terminal) {
    let (mut decoder, mut out) = (dialect::decoder(dialect), Vec::new());
    for frame in frames {
        decoder.frame(&frame, &mut out);
    }
    decoder.finish(&mut out);
    let (mut text, mut ending) = (String::new(), None);
    for event in out {
        match event {
            RawEvent::Text { delta } => text.push_str(&delta),
            RawEvent::Terminal { terminal } => ending = Some(terminal),
            _ => {}
        }
    }
    (text, ending.unwrap())
}

/// Answer text and ending. Only `stop` can become a candidate (ENGINE §5).
fn reported(id: &str) -> (&'static str, Terminal) {
    match id {
        // `refusal` there: the public code of both.
        "re-013" => ("I can't help with that.", Terminal::ContentFilter),
        "re-018" => (r#"{"value":1}"#, Terminal::Length),
        "ws-018" => (r#"{"n":7}"#, Terminal::Missing),
        "ws-021" => (r#"{"s":"a}\n{b"}"#, Terminal::Stop),
        other => panic!("a new case: {other}"),
    }
}

#[test]
fn wire_faults() {
    let rows = faults("wire");
    let mut count = 0;
    for row in &rows {
        let Some(dialect) = dialect_of(row["input"]["dialect"].as_str().unwrap()) else { continue };
        count += 1;
        let id = row["id"].as_str().unwrap();
        let reads: Vec<Vec<u8>> =
            row["input"]["reads_hex"].as_array().unwrap().iter().map(|read| hex(read.as_str().unwrap())).collect();
        let joined = reads.concat();
        let as_it_came: Vec<&[u8]> = reads.iter().map(Vec::as_slice).collect();
        for cut in [as_it_came, joined.chunks(1).collect(), vec![&joined]] {
            let mut cutter = Framer::new(dialect::framing(dialect)).unwrap();
            let mut frames = Vec::new();
            for piece in cut {
                cutter.feed(piece, &mut |frame| frames.push(frame.clone())).unwrap();
            }
            cutter.finish(&mut |frame| frames.push(frame.clone())).unwrap();
            let (text, ending) = told(dialect, frames);
            assert_eq!((text.as_str(), ending), reported(id), "{id}");
        }
    }
    assert!(rows.is_empty() || count == 3, "{count} wire cases speak these dialects");
}

#[test]
fn event_faults() {
    let rows = faults("events");
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let dialect = dialect_of(row["input"]["dialect"].as_str().unwrap()).unwrap();
        let frames = row["input"]["events"].as_array().unwrap().iter().map(|event| {
            let (name, payload) = event.as_object().unwrap().iter().next().unwrap();
            Frame { event: Some(name.clone()), data: payload.to_string() }
        });
        let (text, ending) = told(dialect, frames);
        assert_eq!((text.as_str(), ending), reported(id), "{id}");
    }
    assert!(rows.is_empty() || rows.len() == 1);
}

#[test]
fn payload_faults() {
    let rows = faults("payload");
    let mut count = 0;
    for row in &rows {
        let (id, input) = (row["id"].as_str().unwrap(), &row["input"]);
        let Some(dialect) = dialect_of(input["provider"].as_str().unwrap()) else { continue };
        count += 1;
        let schema = input["schema"].clone();
        let call = Call {
            model_id: "m".to_owned(),
            messages: vec![Message::user("x")],
            format: Some(NativeFormat { name: "response".to_owned(), description: None, strict: true, schema }),
            tools: Vec::new(),
            tool_choice: ToolChoice::Unset,
            parallel_tool_calls: None,
            max_output_tokens: None,
            reasoning_effort: None,
        };
        let target = Target { base_url: "http://127.0.0.1:1".to_owned(), provider: "lab".to_owned(), official: false };
        let body = dialect::build(dialect, &target, &call).body;
        match id {
            "ol-005" => assert_eq!(body["format"], input["schema"], "an object, not its text"),
            other => panic!("a new case: {other}"),
        }
    }
    assert!(rows.is_empty() || count == 1, "{count}");
}
