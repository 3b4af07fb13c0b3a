//! Whole runs over real sockets in the dialects of Responses, Bedrock and Ollama: what goes back in a repair, which of
//! several messages is the answer, and what a policy stop means.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    dead_code,
    reason = "a test stops at the first surprise; the server is shared"
)]

#[path = "support/server.rs"]
mod server;
#[path = "faults/wires.rs"]
mod wires;

use std::sync::Arc;
use std::time::Duration;

use formwork::capability::{Capability, Declaration, Dialect, Native, ProfileId};
use formwork::catalog::Endpoint;
use formwork::event::{ErrorCode, RunEvent};
use formwork::feed::Item;
use formwork::json::{ParseLimits, Value, parse};
use formwork::runtime::{RunSpec, start};
use formwork::schema::preflight;

use server::{Fake, Part, stream};
use wires::Wire;

const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

async fn run(dialect: Dialect, native: Native, replies: Vec<Vec<Part>>) -> (Fake, Vec<RunEvent>) {
    let fake = Fake::start(replies).await;
    let mut endpoint = Endpoint::clone(&Wire { dialect, signed: false }.endpoint(&fake.base_url));
    let declaration = Declaration {
        native: Some(native),
        strict_tool: Some(true),
        with_tools: None,
        schema_profile: Some(ProfileId::None),
    };
    endpoint.capability = Capability::declared(dialect, declaration);
    let mut handle = start(RunSpec {
        format: Some(preflight::check_text(SCHEMA).unwrap().format),
        idle_timeout: Duration::from_mins(1),
        ..RunSpec::new(Arc::new(endpoint), "gpt-5".to_owned(), "count".to_owned())
    });
    let mut events = Vec::new();
    while let Some(items) = handle.feed.next().await {
        events.extend(items.into_iter().filter_map(|item| match item {
            Item::Event(event) => Some(event),
            Item::Inspect(_) => None,
        }));
    }
    (fake, events)
}

fn body(fake: &Fake, at: usize) -> Value {
    parse(&fake.request(at).body, ParseLimits { max_bytes: 1 << 20, max_depth: 64 }).unwrap()
}

fn sse(payloads: &[&str]) -> Vec<Part> {
    let text: String = payloads.iter().flat_map(|payload| ["data: ", payload, "\n\n"]).collect();
    stream(&[text.as_bytes()])
}

#[track_caller]
fn message(events: &[RunEvent]) -> &str {
    match events.last() {
        Some(RunEvent::Done { message, .. }) => message,
        other => panic!("not done: {other:?}"),
    }
}

/// Text of a message, whole.
fn said(index: u64, text: &str) -> String {
    let text = Value::from(text);
    format!(r#"{{"type":"response.output_text.delta","output_index":{index},"content_index":0,"delta":{text}}}"#)
}

const DONE: &str = r#"{"type":"response.completed","response":{"status":"completed"}}"#;

#[tokio::test]
async fn a_repair_sends_encrypted_reasoning_back_unchanged() {
    let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}"#;
    let done = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{reasoning}}}"#);
    let rejected = sse(&[&done, &said(1, r#"{"n":1.5}"#), DONE]);
    let accepted = sse(&[&said(0, r#"{"n":7}"#), DONE]);
    let (fake, events) = run(Dialect::OpenaiResponses, Native::Supported, vec![rejected, accepted]).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    assert!(fake.request(0).head.starts_with("POST /v1/responses HTTP/1.1\r\n"), "{}", fake.request(0).head);
    let first = body(&fake, 0);
    assert_eq!(
        (&first["store"], first["include"].to_string().as_str()),
        (&Value::Bool(false), r#"["reasoning.encrypted_content"]"#)
    );
    assert_eq!(first["text"]["format"]["type"], "json_schema");
    let input = body(&fake, 1)["input"].clone();
    assert_eq!(input[1].to_string(), reasoning);
    assert_eq!(input[2].to_string(), r#"{"role":"assistant","content":"{\"n\":1.5}"}"#);
    assert_eq!((input[3]["role"].as_str(), input.as_array().unwrap().len()), (Some("user"), 4));
}

#[tokio::test]
async fn the_last_of_several_messages_is_judged() {
    let (_, events) = run(
        Dialect::OpenaiResponses,
        Native::Supported,
        vec![sse(&[&said(0, r#"{"n":1}"#), &said(1, r#"{"n""#), &said(1, ":7}"), DONE])],
    )
    .await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    let starts = events.iter().filter(|event| matches!(event, RunEvent::TextStart { .. })).count();
    let ends = events.iter().filter(|event| matches!(event, RunEvent::TextEnd { .. })).count();
    assert_eq!((starts, ends), (2, 2), "what is begun is ended");
}

#[tokio::test]
async fn a_policy_stop_is_a_refusal_and_not_asked_for_again() {
    for code in ["bio_policy", "misalignment_policy_violation", "invalid_prompt"] {
        let failed = format!(
            r#"{{"type":"response.failed","response":{{"status":"failed","error":{{"code":"{code}","message":"of theirs"}}}}}}"#
        );
        let (fake, events) =
            run(Dialect::AzureOpenaiResponses, Native::Supported, vec![sse(&[&failed]), sse(&[&said(0, "{}"), DONE])])
                .await;
        let Some(RunEvent::Error(error)) = events.last() else { panic!("{events:?}") };
        assert_eq!((error.code, error.retryable, fake.count()), (ErrorCode::Refusal, false, 1), "{code}");
        assert!(!serde_json::to_string(&events).unwrap().contains("theirs"));
    }
}

#[tokio::test]
async fn the_native_tongue_of_ollama_takes_a_schema_and_a_submission() {
    let line = |text: &str| format!("{{\"message\":{{\"content\":{}}},\"done\":false}}\n", Value::from(text));
    let last = "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n";
    let reply = stream(&[line("{\"n\"").as_bytes(), line(":7}").as_bytes(), last.as_bytes()]);
    let (fake, events) = run(Dialect::Ollama, Native::Supported, vec![reply]).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    assert!(fake.request(0).head.starts_with("POST /api/chat HTTP/1.1\r\n"), "{}", fake.request(0).head);
    assert_eq!(body(&fake, 0)["format"]["type"], "object");
    let call = "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"__formwork_submit_json\",\
                \"arguments\":{\"n\":7}}}]},\"done\":false}\n";
    let reply = stream(&[call.as_bytes(), last.as_bytes()]);
    let (_, events) = run(Dialect::Ollama, Native::Unsupported, vec![reply]).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn a_repair_on_bedrock_sends_signed_reasoning_back() {
    let delta = |block: u64, delta: &str| {
        wires::frame("contentBlockDelta", format!(r#"{{"contentBlockIndex":{block},"delta":{delta}}}"#).as_bytes())
    };
    let end = |word: &str| wires::frame("messageStop", format!(r#"{{"stopReason":"{word}"}}"#).as_bytes());
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\nconnection: close\r\n\r\n";
    let reply = |frames: &[Vec<u8>]| vec![Part::Bytes(head.to_vec()), Part::Bytes(frames.concat()), Part::Close];
    let rejected = reply(&[
        delta(0, r#"{"reasoningContent":{"text":"hm"}}"#),
        delta(0, r#"{"reasoningContent":{"signature":"c2ln"}}"#),
        wires::frame("contentBlockStop", br#"{"contentBlockIndex":0}"#),
        delta(1, r#"{"text":"{\"n\":1.5}"}"#),
        end("end_turn"),
    ]);
    let accepted = reply(&[delta(0, r#"{"text":"{\"n\":7}"}"#), end("end_turn")]);
    let (fake, events) = run(Dialect::Bedrock, Native::Supported, vec![rejected, accepted]).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    assert!(fake.request(0).head.starts_with("POST /v1/model/gpt-5/converse-stream HTTP/1.1\r\n"));
    let schema = body(&fake, 0).pointer("/outputConfig/textFormat/structure/jsonSchema/schema").cloned().unwrap();
    assert!(schema.as_str().unwrap().contains(r#""n":{"type":"integer"}"#), "{schema}");
    assert_eq!(
        body(&fake, 1)["messages"][1].to_string(),
        concat!(
            r#"{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"c2ln"}}},"#,
            r#"{"text":"{\"n\":1.5}"}]}"#
        )
    );
}
