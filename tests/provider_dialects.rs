//! Whole runs in the vendors' own dialects over real sockets: what goes back in a repair, and what never becomes a value.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    dead_code,
    reason = "a test stops at the first surprise; the server is shared"
)]

#[path = "support/server.rs"]
mod server;

use std::sync::Arc;
use std::time::Duration;

use formwork::capability::{Dialect, Native, ProfileId};
use formwork::catalog::{Catalog, Endpoint};
use formwork::config::{Config, Declared, Env, Provider};
use formwork::event::{ErrorCode, RunEvent};
use formwork::feed::Item;
use formwork::json::{ParseLimits, Value, parse};
use formwork::machine::Budget;
use formwork::runtime::{RunSpec, start};
use formwork::schema::preflight;
use server::{Fake, Part, stream};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

fn endpoint(base_url: &str, dialect: Dialect, native: Native) -> Arc<Endpoint> {
    let declared =
        Declared { native: Some(native), strict_tool: true, with_tools: false, schema_profile: Some(ProfileId::None) };
    let provider = Provider {
        base_url: Some(base_url.to_owned()),
        api_key_env: Some("LAB_KEY".to_owned()),
        structured_output: Some(declared),
        ..Provider::default()
    };
    let mut config = Config { env: Env::from_pairs([("LAB_KEY", "sk-SECRET")]), ..Config::default() };
    config.providers.insert("lab".to_owned(), provider);
    let mut endpoint = Endpoint::clone(&Catalog::new(&config).find("lab/m").unwrap().0);
    endpoint.dialect = dialect;
    endpoint.capability.dialect = dialect;
    Arc::new(endpoint)
}

async fn run(model: &str, dialect: Dialect, native: Native, replies: Vec<Vec<Part>>) -> (Fake, Vec<RunEvent>) {
    let fake = Fake::start(replies).await;
    let mut handle = start(RunSpec {
        format: Some(preflight::check_text(SCHEMA).unwrap().format),
        budget: Budget { max_retries: 2, max_iterations: 20 },
        idle_timeout: Duration::from_mins(1),
        ..RunSpec::new(endpoint(&fake.base_url, dialect, native), model.to_owned(), "count".to_owned())
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

fn message(events: &[RunEvent]) -> &str {
    match events.last() {
        Some(RunEvent::Done { message, .. }) => message,
        other => panic!("not done: {other:?}"),
    }
}

const SUBMIT: &str = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"__formwork_submit_json","input":{}}}"#;
const ENDED: &str = r#"{"type":"content_block_stop","index":1}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

#[tokio::test]
async fn a_repair_sends_signed_thinking_back_unchanged() {
    let rejected = sse(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIGNED"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        SUBMIT,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1.5}"}}"#,
        ENDED,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        STOP,
    ]);
    let accepted = sse(&[
        SUBMIT,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":7}"}}"#,
        ENDED,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        STOP,
    ]);
    let (fake, events) =
        run("claude-sonnet-4-6", Dialect::Anthropic, Native::Unsupported, vec![rejected, accepted]).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    assert!(fake.request(0).head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{}", fake.request(0).head);
    let first = body(&fake, 0);
    assert_eq!(first["tool_choice"].to_string(), r#"{"type":"any","disable_parallel_tool_use":true}"#);
    let turns = body(&fake, 1)["messages"].clone();
    assert_eq!(
        turns[1].to_string(),
        concat!(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"SIGNED"},"#,
            r#"{"type":"tool_use","id":"t1","name":"__formwork_submit_json","input":{"n":1.5}}]}"#
        )
    );
    assert_eq!(turns[2]["role"], "user");
    assert_eq!(turns[2]["content"][0]["type"], "tool_result", "the result stands before the request: {}", turns[2]);
    assert_eq!(turns.as_array().unwrap().len(), 3, "neighbours of one role are one turn");
}

#[tokio::test]
async fn a_repair_sends_the_routers_reasoning_back_unchanged() {
    let chunk = |delta: &str, finish: &str| {
        format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}"#)
    };
    let said = |n: &str, reasoning: &str| {
        sse(&[
            &chunk(
                &format!(
                    r#"{{"reasoning":"h","reasoning_details":[{{"type":"reasoning.text","text":"{reasoning}","index":0}}]}}"#
                ),
                "null",
            ),
            &chunk(r#"{"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]}"#, "null"),
            &chunk(r#"{"reasoning_details":[{"type":"reasoning.text","signature":"SIGNED","index":0}]}"#, "null"),
            &chunk(&format!(r#"{{"content":"{{\"n\":{n}}}"}}"#), "null"),
            &chunk("{}", "\"stop\""),
            "[DONE]",
        ])
    };
    let replies = vec![said("1.5", "h"), said("7", "again")];
    let (fake, events) = run("m", Dialect::OpenaiChat, Native::Supported, replies).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    assert_eq!(
        body(&fake, 1)["messages"][1].to_string(),
        concat!(
            r#"{"role":"assistant","content":"{\"n\":1.5}","#,
            r#""reasoning_details":[{"type":"reasoning.text","text":"hm","index":0,"signature":"SIGNED"}]}"#
        )
    );
}

#[tokio::test]
async fn a_refusal_after_a_complete_submission_accepts_nothing() {
    let refused = sse(&[
        SUBMIT,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":7}"}}"#,
        ENDED,
        r#"{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":null,"explanation":"WHY"}}}"#,
        STOP,
    ]);
    let (fake, events) = run("claude-fable-5", Dialect::Anthropic, Native::Unsupported, vec![refused]).await;
    let Some(RunEvent::Error(error)) = events.last() else { panic!("{events:?}") };
    assert_eq!((error.code, fake.count()), (ErrorCode::Refusal, 1));
    assert!(!events.iter().any(|event| matches!(event, RunEvent::StructuredOutputEnd { .. })));
    assert!(!serde_json::to_string(error).unwrap().contains("WHY"), "the provider's words are no public ones");
    assert_eq!(body(&fake, 0)["tool_choice"]["type"], "auto", "this model answers a forced choice with 400");
}

#[tokio::test]
async fn a_repair_in_native_mode_sends_thought_signatures_back_on_their_parts() {
    let rejected = sse(&[
        r#"{"candidates":[{"content":{"parts":[{"text":"{\"n\":1"}],"role":"model"}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":".5}","thoughtSignature":"SIGNED"}],"role":"model"},"finishReason":"STOP"}]}"#,
    ]);
    let accepted =
        sse(&[r#"{"candidates":[{"content":{"parts":[{"text":"{\"n\":7}"}],"role":"model"},"finishReason":"STOP"}]}"#]);
    let (fake, events) = run("gemini-3-pro", Dialect::Google, Native::Supported, vec![rejected, accepted]).await;
    assert_eq!(message(&events), r#"{"n":7}"#);
    let head = fake.request(0).head;
    assert!(head.starts_with("POST /v1/models/gemini-3-pro:streamGenerateContent?alt=sse HTTP/1.1\r\n"), "{head}");
    assert_eq!(body(&fake, 0)["generationConfig"]["responseMimeType"], "application/json");
    assert_eq!(
        body(&fake, 1)["contents"][1].to_string(),
        r#"{"role":"model","parts":[{"text":"{\"n\":1"},{"text":".5}","thoughtSignature":"SIGNED"}]}"#
    );
}

#[tokio::test]
async fn a_stream_without_its_end_mark_is_incomplete() {
    let cut = sse(&[
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"n\":7}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
    ]);
    let (_, events) = run("claude-sonnet-5", Dialect::Anthropic, Native::Supported, vec![cut]).await;
    let Some(RunEvent::Error(error)) = events.last() else { panic!("{events:?}") };
    assert_eq!(error.code, ErrorCode::Incomplete);
    let cut = sse(&[r#"{"candidates":[{"content":{"parts":[{"text":"{\"n\":7}"}]}}]}"#]);
    let (_, events) = run("gemini-3-pro", Dialect::Google, Native::Supported, vec![cut]).await;
    let Some(RunEvent::Error(error)) = events.last() else { panic!("{events:?}") };
    assert_eq!(error.code, ErrorCode::Incomplete);
}
