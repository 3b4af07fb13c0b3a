//! Faults that people reported, on the wire and in requests: every `wire`, `payload`, `response` and `http_error` case
//! of the shared data that speaks one of these dialects, and all terminal and payload cases of the reference. What a case
//! expects and ENGINE or PROVIDERS decides otherwise stands in the table with its reason. No case is passed over
//! silently: one that no row knows stops the test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "conformance_wire/told.rs"]
#[allow(dead_code, reason = "only the decoders' own tests give whole payloads")]
mod told;

use formwork::capability::Dialect;
use formwork::dialect::{self, Call, Frame, Message, NativeFormat, Target, ToolCall, ToolChoice, ToolSpec};
use formwork::event::{ErrorCode, Terminal};
use formwork::json::{ParseLimits, Value, parse};

use serde_json::json;
use told::{Told, decode_reads};

/// Dialects whose reported cases `conformance_http` holds.
const ELSEWHERE: &[&str] = &["openai-responses", "bedrock-converse-stream", "ollama-ndjson", "ollama-native"];

fn dialect_of(name: &str) -> Option<Dialect> {
    match name {
        "openai-chat" | "openai_chat" | "openai-compatible" | "openrouter" => Some(Dialect::OpenaiChat),
        "anthropic" => Some(Dialect::Anthropic),
        "google" => Some(Dialect::Google),
        other if ELSEWHERE.contains(&other) => None,
        other => panic!("a new dialect: {other}"),
    }
}

fn faults(kind: &str) -> Vec<Value> {
    cases::rows("cases/faults.jsonl").into_iter().filter(|row| row["input"]["kind"] == kind).collect()
}

fn hex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Answer text, arguments of the first call, word of the ending. The run's outcome follows from it by ENGINE §5: only
/// `stop` and `tool_use` can become a candidate.
fn reported(id: &str) -> (&'static str, Option<&'static str>, &'static str) {
    match id {
        "lm-001" => ("", None, "stop"),
        "ta-001" => ("", Some(r#"{"n":7}"#), "tool_use"),
        // Judged as `{}`: what is missing is named.
        "ta-003" => ("", Some("{}"), "tool_use"),
        "ws-001" => ("{\"s\":\"那个🔥\"}", None, "stop"),
        "ws-004" | "ws-005" | "ws-006" | "ws-009" => (r#"{"n":7}"#, None, "stop"),
        "ws-011" | "ws-016" => (r#"{"n":7}"#, None, "missing"),
        "ws-015" => (r#"{"n":"#, None, "error"),
        // "generation_error" there; PROVIDERS §5: a defect of the model's output, `incomplete` with the vendor's word.
        "re-010" => ("", None, "error"),
        "re-011" => (r#"{"value": 1"#, None, "length"),
        "re-012" => ("", None, "length"),
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
            row["input"]["reads_hex"].as_array().unwrap().iter().map(|r| hex(r.as_str().unwrap())).collect();
        let joined = reads.concat();
        let (text, call, ending) = reported(id);
        let as_it_came: Vec<&[u8]> = reads.iter().map(Vec::as_slice).collect();
        let single: Vec<&[u8]> = joined.chunks(1).collect();
        for told in [decode_reads(dialect, &as_it_came), decode_reads(dialect, &single)] {
            assert_eq!(told.text, text, "{id}");
            assert_eq!(told.calls.first().map(|(_, _, arguments)| arguments.as_str()), call, "{id}");
            let word = serde_json::to_value(told.ending.as_ref().unwrap()).unwrap();
            assert_eq!(word["kind"], ending, "{id}");
            if let Some(wanted) = row["expected"].get("value") {
                let candidate = call.unwrap_or(text);
                assert_eq!(&parse(candidate, ParseLimits { max_bytes: 99, max_depth: 9 }).unwrap(), wanted, "{id}");
            }
            match id {
                "lm-001" => assert_eq!(told.thinking, r#"{"joke":"ok"}"#, "reasoning is no candidate"),
                "re-010" => {
                    let failure = told.failure();
                    assert_eq!((failure.code, failure.retryable), (ErrorCode::Incomplete, false));
                    assert_eq!(failure.provider_code.as_deref(), Some("MALFORMED_FUNCTION_CALL"));
                }
                "re-011" => {
                    let counts = (told.usage.reasoning_tokens, told.usage.output_tokens);
                    assert_eq!(counts, (Some(478), Some(496)), "thinking 478 of 496 output tokens");
                }
                _ => {}
            }
        }
        if row["expected"]["must_end_without_eof"] == true {
            let told = told::until_done(dialect, &as_it_came).expect("the error ends the call");
            assert_eq!(told.failure().code, ErrorCode::Provider, "{id}");
        }
    }
    assert!(rows.is_empty() || count == 14, "{count} wire cases speak these dialects");
}

#[test]
fn whole_responses() {
    let rows = faults("response");
    for row in &rows {
        let Some(dialect) = dialect_of(row["input"]["dialect"].as_str().unwrap()) else { continue };
        let told = Told::of(dialect::decode_whole(dialect, &row["input"]["body"].to_string()));
        assert_eq!((row["id"].as_str(), told.ending), (Some("re-014"), Some(Terminal::Refusal)));
    }
    assert!(rows.is_empty() || rows.len() == 1);
}

#[test]
fn refused_requests() {
    let rows = faults("http_error");
    for row in &rows {
        let dialect = dialect_of(row["input"]["provider"].as_str().unwrap()).unwrap();
        let status = u16::try_from(row["input"]["status"].as_u64().unwrap()).unwrap();
        let failure = dialect::failure(dialect, status, row["input"]["body"].to_string().as_bytes());
        let id = row["id"].as_str().unwrap();
        let detail = failure.detail.clone().unwrap_or_default();
        let (code, words) = match id {
            // `unsupported` there: the run's driver makes it that when the call held the schema parameter, by the
            // provider's own text, which must therefore be kept.
            "cp-002" => (ErrorCode::Provider, "structured-outputs"),
            "cp-003" => (ErrorCode::Auth, "invalid key"),
            "lm-003" => (ErrorCode::Provider, "response_format"),
            // The key never stands in an address here: it is a header that the transport adds.
            "se-001" => (ErrorCode::Provider, "bad"),
            other => panic!("a new case: {other}"),
        };
        assert_eq!((failure.code, failure.retryable), (code, false), "{id}");
        assert!(detail.contains(words) && !failure.message.contains(words), "{id}");
    }
    assert!(rows.is_empty() || rows.len() == 4, "{}", rows.len());
}

fn call(format: Option<NativeFormat>, tools: Vec<ToolSpec>) -> Call {
    Call {
        model_id: "m".to_owned(),
        messages: vec![Message::user("x")],
        format,
        tools,
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: None,
        reasoning_effort: None,
    }
}

fn native(schema: &Value) -> NativeFormat {
    NativeFormat { name: "response".to_owned(), description: None, strict: true, schema: schema.clone() }
}

#[test]
fn payload_faults() {
    let rows = faults("payload");
    let mut count = 0;
    for row in &rows {
        if dialect_of(row["input"]["provider"].as_str().unwrap()).is_none() {
            continue;
        }
        count += 1;
        // or-002, where a user's routing option cancels the pin: there is no such option here, so the pin always stands.
        let id = row["id"].as_str().unwrap();
        assert!(["or-001", "or-002"].contains(&id), "a new case: {id}");
        let target = Target {
            base_url: "https://openrouter.ai/api/v1".to_owned(),
            provider: "openrouter".to_owned(),
            official: false,
        };
        let call = call(Some(native(&row["input"]["schema"])), Vec::new());
        let body = dialect::build(Dialect::OpenaiChat, &target, &call).body;
        assert_eq!(body["provider"], serde_json::json!({"require_parameters": true}), "{id}");
    }
    assert!(rows.is_empty() || count == 2, "{count}");
}

/// Everything `wanted` holds stands in `got`.
fn holds(got: &Value, wanted: &Value, path: &str) {
    match (got, wanted) {
        (Value::Object(got), Value::Object(wanted)) => {
            for (key, value) in wanted {
                // The reference marks its tools for the prompt cache, which nobody asked for here.
                if key == "cache_control" {
                    continue;
                }
                holds(
                    got.get(key).unwrap_or_else(|| panic!("{path}/{key} is missing")),
                    value,
                    &format!("{path}/{key}"),
                );
            }
        }
        (Value::Array(got), Value::Array(wanted)) => {
            assert_eq!(got.len(), wanted.len(), "{path}");
            got.iter().zip(wanted).for_each(|(got, wanted)| holds(got, wanted, &format!("{path}/-")));
        }
        // PROVIDERS §1.1, fault ge-013: properties keep the author's order, also where the schema travels as text; the
        // reference sorts them.
        (Value::String(got), Value::String(wanted)) if path.ends_with("/jsonSchema/schema") => {
            let read = |text: &str| parse(text, ParseLimits::default()).unwrap();
            assert_eq!(read(got), read(wanted), "{path}");
        }
        _ => assert_eq!(got, wanted, "{path}"),
    }
}

/// ta-004: a call whose arguments were an empty text goes back with an object.
#[test]
fn empty_arguments_go_back_as_an_object() {
    let rows = faults("history");
    for row in &rows {
        assert_eq!((&row["id"], &row["input"]["dialect"]), (&json!("ta-004"), &json!("anthropic")));
        let said = &row["input"]["message"]["tool_calls"][0];
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        let made = ToolCall { id: text("id"), name: text("name"), arguments: text("arguments") };
        let mut call = call(None, Vec::new());
        call.messages.push(Message::Assistant { text: String::new(), calls: vec![made], kept: Vec::new() });
        let target = Target { base_url: "https://x".to_owned(), provider: "x".to_owned(), official: true };
        let body = dialect::build(Dialect::Anthropic, &target, &call).body;
        assert_eq!(body["messages"][1]["content"][0]["input"], row["expected"]["input_at_tool_use"]);
    }
    assert!(rows.is_empty() || rows.len() == 1);
}

/// re-006: a cut answer ends the same way whether it streamed or came whole (as one run, it is the same from there on).
#[test]
fn a_cut_answer_ends_the_same_way_streamed_and_whole() {
    let rows = faults("parity");
    for row in &rows {
        assert_eq!(row["id"], "re-006");
        let attempt = &row["input"]["attempt"];
        let (text, finish) = (&attempt["text"], &attempt["finish"]);
        let choice = |part: &str| json!({"choices": [{part: {"content": text}, "finish_reason": finish}]}).to_string();
        let frame = Frame { event: None, data: choice("delta") };
        for told in [
            told::told(Dialect::OpenaiChat, &[frame]),
            Told::of(dialect::decode_whole(Dialect::OpenaiChat, &choice("message"))),
        ] {
            assert_eq!((Some(told.text.as_str()), told.ending), (text.as_str(), Some(Terminal::Length)));
        }
    }
    assert!(rows.is_empty() || rows.len() == 1);
}

#[test]
fn reference_payloads() {
    let rows: Vec<Value> =
        cases::rows("cases/reference.jsonl").into_iter().filter(|row| row["area"] == "payload").collect();
    for row in &rows {
        let input = &row["input"];
        let dialect = reference_dialect(row);
        let of = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
        let format = &input["response_format"];
        let format = format.is_object().then(|| NativeFormat {
            name: of(format, "name").unwrap(),
            description: of(format, "description"),
            strict: format["strict"].as_bool().unwrap(),
            schema: format["schema"].clone(),
        });
        let tools = input["tools"].as_array().unwrap().iter().map(|tool| ToolSpec {
            name: of(tool, "name").unwrap(),
            description: of(tool, "description").unwrap(),
            parameters: tool["parameters"].clone(),
            strict: true,
        });
        let mut call = call(format, tools.collect());
        call.model_id = of(input, "model").or_else(|| of(input, "deployment")).unwrap_or_else(|| "m".to_owned());
        call.reasoning_effort = of(input, "effort");
        call.parallel_tool_calls = input.get("parallel_tool_calls").and_then(Value::as_bool);
        let target = Target { base_url: "https://x".to_owned(), provider: "x".to_owned(), official: true };
        let wanted = row.get("want").unwrap_or(&row["expected"]);
        holds(&dialect::build(dialect, &target, &call).body, wanted, row["name"].as_str().unwrap());
    }
    assert!(rows.is_empty() || rows.len() == 8, "{}: all of them ran", rows.len());
}

/// The dialect a case of the reference speaks. There is none that is not spoken here.
fn reference_dialect(row: &Value) -> Dialect {
    match row["input"]["dialect"].as_str().unwrap() {
        "openai_chat" => Dialect::OpenaiChat,
        "openai_responses" => Dialect::OpenaiResponses,
        "azure_openai_responses" => Dialect::AzureOpenaiResponses,
        "anthropic" => Dialect::Anthropic,
        "google" => Dialect::Google,
        "bedrock" => Dialect::Bedrock,
        other => panic!("a new dialect: {other}"),
    }
}

/// The frames of the reference's words for a stream.
fn frames(dialect: Dialect, signals: &[&str]) -> Vec<Frame> {
    let of = |data: Value| Frame { event: None, data: data.to_string() };
    let named = |name: &str, data: Value| Frame { event: Some(name.to_owned()), data: data.to_string() };
    let last = |word: &str, rest: Value| {
        let mut response = json!({"status": word, "output": []});
        response.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        of(json!({"type": format!("response.{word}"), "response": response}))
    };
    let mut out = Vec::new();
    for signal in signals {
        let (before, after) = signal.split_once('=').unwrap_or((signal, ""));
        let frame = match (dialect, before) {
            (_, "eof") => continue,
            (Dialect::OpenaiChat, "finish_reason") => {
                of(json!({"choices": [{"delta": {"content": "x"}, "finish_reason": after}]}))
            }
            (Dialect::OpenaiResponses, "response.completed" | "response.completed status") => {
                last("completed", json!({}))
            }
            (Dialect::OpenaiResponses, "response.incomplete reason") => {
                last("incomplete", json!({"incomplete_details": {"reason": after}}))
            }
            (Dialect::OpenaiResponses, "response.failed") => {
                last("failed", json!({"error": {"code": "server_error", "message": "it broke"}}))
            }
            (Dialect::OpenaiResponses, "function_call item") => of(json!({
                "type": "response.output_item.done", "output_index": 0,
                "item": {"type": "function_call", "call_id": "c", "name": "lookup", "arguments": "{}"},
            })),
            (Dialect::OpenaiResponses, "output_item.done content") => of(json!({
                "type": "response.output_item.done", "output_index": 0,
                "item": {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]},
            })),
            (Dialect::OpenaiResponses, "output_text.delta") => {
                of(json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "x"}))
            }
            (Dialect::Anthropic, "stop_reason") => {
                out.push(of(json!({"type": "message_delta", "delta": {"stop_reason": after}})));
                of(json!({"type": "message_stop"}))
            }
            (Dialect::Anthropic, "content_block_delta") => {
                of(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}))
            }
            (Dialect::Google, "finish_reason") => of(json!({"candidates": [{"finishReason": after}]})),
            (Dialect::Google, "prompt_feedback.block_reason") => of(json!({"promptFeedback": {"blockReason": after}})),
            (Dialect::Google, "function_call lookup") => {
                of(json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "lookup", "args": {}}}]}}]}))
            }
            (Dialect::Google, "text") => of(json!({"candidates": [{"content": {"parts": [{"text": "x"}]}}]})),
            (Dialect::Bedrock, "contentBlockDelta") => {
                named("contentBlockDelta", json!({"contentBlockIndex": 0, "delta": {"text": "x"}}))
            }
            (Dialect::Bedrock, word) if word.starts_with("messageStop ") => {
                named("messageStop", json!({"stopReason": word.trim_start_matches("messageStop ")}))
            }
            other => panic!("a new signal: {other:?}"),
        };
        out.push(frame);
    }
    out
}

/// Cases of the reference that no decoder decides, and why.
const NO_STREAM: &[(&str, &str)] = &[(
    "google transport failure whose text contains safety",
    "the connection failed: there is no frame; the transport classifies by type, never by words (tests/faults.rs)",
)];

#[test]
fn reference_terminals() {
    let rows: Vec<Value> =
        cases::rows("cases/reference.jsonl").into_iter().filter(|row| row["area"] == "terminal").collect();
    let mut count = 0;
    for row in &rows {
        let dialect = reference_dialect(row);
        let name = row["name"].as_str().unwrap();
        if NO_STREAM.iter().any(|(listed, _)| *listed == name) {
            continue;
        }
        count += 1;
        let signals: Vec<&str> =
            row["input"]["signals"].as_array().unwrap().iter().map(|signal| signal.as_str().unwrap()).collect();
        let ending = told::told(dialect, &frames(dialect, &signals)).ending.unwrap();
        let expected = row.get("want").unwrap_or(&row["expected"]);
        let error = expected["error"].as_str().or_else(|| expected["structured"]["error"].as_str());
        let fits = match (error, expected["stop_reason"].as_str()) {
            (Some("incomplete"), _) => matches!(
                ending,
                Terminal::Length
                    | Terminal::Paused
                    | Terminal::ContextOverflow
                    | Terminal::Missing
                    | Terminal::Unknown { .. }
            ),
            (Some("refusal"), _) => matches!(ending, Terminal::Refusal | Terminal::ContentFilter),
            // Code and message of the failure are kept; the message for the user's own screen.
            (Some("provider"), _) => matches!(&ending, Terminal::Error { failure }
                if failure.code == ErrorCode::Provider
                    && failure.provider_code.as_deref() == Some("server_error")
                    && failure.detail.as_deref().is_some_and(|detail| detail.contains("it broke"))),
            (None, Some("stop")) => ending == Terminal::Stop,
            (None, Some("toolUse")) => ending == Terminal::ToolUse,
            (None, Some("error")) => matches!(ending, Terminal::ContentFilter),
            other => panic!("{name}: a new outcome: {other:?}"),
        };
        assert!(fits, "{name}: {ending:?}");
    }
    assert!(rows.is_empty() || count + NO_STREAM.len() == rows.len(), "{count}");
}
