//! What a stream may make a decoder hold back: signatures, hidden reasoning, arguments without a name, blocks and items
//! without end. A server that sends such forever gets a typed error, and the memory stays bounded.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it measured"
)]

use formwork::capability::Dialect;
use formwork::dialect::{self, Frame};
use formwork::event::{ErrorCode, RawEvent, Terminal};
use serde_json::{Value, json};

/// How a class goes on: the `n`-th event of its stream.
type Next = fn(usize) -> (&'static str, Value);

/// A text of some length: hidden data comes in larger pieces than answers do.
fn text() -> String {
    "x".repeat(64 * 1024)
}

fn block(index: usize, delta: &Value) -> (&'static str, Value) {
    ("", json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn begin(index: usize, block: &Value) -> (&'static str, Value) {
    ("", json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn reasoning(index: usize, part: &Value) -> (&'static str, Value) {
    ("contentBlockDelta", json!({"contentBlockIndex": index, "delta": {"reasoningContent": part}}))
}

fn chat(delta: &Value) -> (&'static str, Value) {
    ("", json!({"choices": [{"delta": delta}]}))
}

fn parts(part: &Value) -> (&'static str, Value) {
    ("", json!({"candidates": [{"content": {"parts": [part]}}]}))
}

fn call(part: &Value) -> (&'static str, Value) {
    parts(&json!({"functionCall": part}))
}

/// The first piece of a call, and the others.
fn pieces(n: usize, piece: &Value) -> (&'static str, Value) {
    match n {
        0 => call(&json!({"name": "f", "willContinue": true})),
        _ => call(&json!({"partialArgs": [piece], "willContinue": true})),
    }
}

/// Every way to make a decoder hold something back.
const CLASSES: &[(&str, Dialect, Next)] = &[
    ("anthropic: a signature", Dialect::Anthropic, |n| match n {
        0 => begin(0, &json!({"type": "thinking", "thinking": ""})),
        _ => block(0, &json!({"type": "signature_delta", "signature": text()})),
    }),
    ("anthropic: signatures of many blocks", Dialect::Anthropic, |n| {
        begin(n, &json!({"type": "thinking", "thinking": "", "signature": text()}))
    }),
    ("anthropic: blocks that never end", Dialect::Anthropic, |n| begin(n, &json!({"type": "server_tool_use"}))),
    ("anthropic: calls that never end", Dialect::Anthropic, |n| begin(n, &json!({"type": "tool_use"}))),
    ("bedrock: a signature", Dialect::Bedrock, |_| reasoning(0, &json!({"signature": text()}))),
    ("bedrock: redacted reasoning", Dialect::Bedrock, |_| reasoning(0, &json!({"redactedContent": text()}))),
    ("bedrock: small redacted pieces", Dialect::Bedrock, |_| reasoning(0, &json!({"redactedContent": "e"}))),
    ("bedrock: blocks of nothing", Dialect::Bedrock, |n| reasoning(n, &json!({}))),
    ("bedrock: calls", Dialect::Bedrock, |n| {
        ("contentBlockStart", json!({"contentBlockIndex": n, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}))
    }),
    ("chat: arguments before a name", Dialect::OpenaiChat, |_| {
        chat(&json!({"tool_calls": [{"index": 0, "function": {"arguments": text()}}]}))
    }),
    ("chat: calls without a name", Dialect::OpenaiChat, |n| chat(&json!({"tool_calls": [{"index": n}]}))),
    ("chat: many calls in a chunk", Dialect::OpenaiChat, |_| {
        let calls: Vec<Value> = (0..10_000).map(|n| json!({"index": n})).collect();
        chat(&json!({"tool_calls": calls}))
    }),
    ("chat: long ids", Dialect::OpenaiChat, |n| chat(&json!({"tool_calls": [{"index": n, "id": text()}]}))),
    ("chat: reasoning to send back", Dialect::OpenaiChat, |_| {
        chat(&json!({"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "data": text()}]}))
    }),
    ("chat: reasoning of many blocks", Dialect::OpenaiChat, |n| chat(&json!({"reasoning_details": [{"index": n}]}))),
    ("chat: reasoning of another shape", Dialect::OpenaiChat, |n| {
        chat(&json!({"reasoning_details": [{"index": n, "data": [text(), {"more": text()}]}]}))
    }),
    ("responses: arguments before a name", Dialect::OpenaiResponses, |_| {
        ("", json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": text()}))
    }),
    ("responses: items", Dialect::OpenaiResponses, |n| {
        ("", json!({"type": "response.output_item.added", "output_index": n, "item": {"type": "web_search_call"}}))
    }),
    ("responses: ids of items that nobody counts", Dialect::OpenaiResponses, |n| {
        (
            "",
            json!({"type": "response.output_item.added", "item": {"type": "reasoning", "id": format!("{n}{}", text())}}),
        )
    }),
    ("responses: calls", Dialect::AzureOpenaiResponses, |n| {
        ("", json!({"type": "response.function_call_arguments.delta", "output_index": n, "delta": "{"}))
    }),
    ("responses: ids of calls", Dialect::AzureOpenaiResponses, |n| {
        let item = json!({"type": "function_call", "call_id": text()});
        ("", json!({"type": "response.output_item.added", "output_index": n, "item": item}))
    }),
    ("responses: parts of a message", Dialect::OpenaiResponses, |n| {
        ("", json!({"type": "response.output_text.delta", "output_index": 0, "content_index": n, "delta": "x"}))
    }),
    ("google: calls", Dialect::Google, |_| call(&json!({"name": "f"}))),
    ("google: arguments in pieces", Dialect::Google, |n| pieces(n, &json!({"jsonPath": "$.a", "stringValue": text()}))),
    ("google: names of arguments", Dialect::Google, |n| {
        pieces(n, &json!({"jsonPath": format!("$.{n}{}", text()), "numberValue": 1}))
    }),
    ("google: places of arguments", Dialect::Google, |n| {
        let many: Vec<Value> =
            (0..1_000).map(|at| json!({"jsonPath": format!("$.a{n}_{at}"), "boolValue": true})).collect();
        match n {
            0 => pieces(0, &json!({})),
            _ => call(&json!({"partialArgs": many, "willContinue": true})),
        }
    }),
    ("ollama: calls", Dialect::Ollama, |_| ("", json!({"message": {"tool_calls": [{"function": {"name": "f"}}]}}))),
    ("ollama: many calls in a line", Dialect::Ollama, |_| {
        ("", json!({"message": {"tool_calls": vec![json!({}); 10_000]}}))
    }),
];

/// Bytes a server may send before it is stopped: the bound of 16 MiB, and what names and brackets add.
const SENT: usize = 96 * 1024 * 1024;
/// Memory of the whole test, KiB.
const MEMORY: u64 = 160 * 1024;

/// The highest use of memory so far, KiB; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}

/// How the stream ended, after how many events and bytes.
fn endless(dialect: Dialect, next: Next) -> Option<(Terminal, usize, usize)> {
    let (mut decoder, mut sent) = (dialect::decoder(dialect), 0);
    for n in 0.. {
        let (event, data) = next(n);
        let frame =
            Frame { event: Some(event).filter(|name| !name.is_empty()).map(str::to_owned), data: data.to_string() };
        sent += frame.data.len();
        // Taken away after every frame, as the run does.
        let mut out = Vec::new();
        decoder.frame(&frame, &mut out);
        if decoder.is_done() {
            let Some(RawEvent::Terminal { terminal }) = out.pop() else { panic!("no terminal at the end") };
            assert!(!out.iter().any(|event| matches!(event, RawEvent::Keep { .. })), "nothing of it is sent back");
            return Some((terminal, n, sent));
        }
        if sent > SENT {
            return None;
        }
    }
    None
}

#[test]
fn nothing_hidden_grows_without_end() {
    for (name, dialect, next) in CLASSES {
        let Some((terminal, events, sent)) = endless(*dialect, *next) else { panic!("{name}: not stopped") };
        let Terminal::Error { failure } = terminal else { panic!("{name}: {terminal:?}") };
        assert_eq!((failure.code, failure.retryable), (ErrorCode::Incomplete, false), "{name}");
        assert!(failure.message.contains("16 MiB of hidden data, 4096 parts"), "{name}: {}", failure.message);
        assert_eq!(failure.detail, None, "{name}: nothing of what was sent");
        let used = peak();
        println!("{name:44} {events:6} events {:4} MiB sent, peak {:?} MiB", sent >> 20, used.map(|kib| kib >> 10));
        assert!(used.is_none_or(|kib| kib < MEMORY), "{name}: {used:?} KiB");
    }
}

/// A whole answer that holds too much is no success either, whatever it says of itself.
#[test]
fn a_whole_answer_has_the_same_bounds() {
    let items = vec![json!({"type": "function_call", "name": "f", "arguments": "{}"}); 5_000];
    let blocks = vec![json!({"toolUse": {"name": "f", "input": {}}}); 5_000];
    let uses = vec![json!({"type": "tool_use", "name": "f", "input": {}}); 5_000];
    let calls = vec![json!({"function": {"name": "f", "arguments": {}}}); 5_000];
    let parts = vec![json!({"functionCall": {"name": "f", "args": {}}}); 5_000];
    for (dialect, body) in [
        (Dialect::OpenaiResponses, json!({"status": "completed", "output": items})),
        (Dialect::Bedrock, json!({"stopReason": "tool_use", "output": {"message": {"content": blocks}}})),
        (Dialect::Anthropic, json!({"stop_reason": "tool_use", "content": uses})),
        (Dialect::OpenaiChat, json!({"choices": [{"message": {"tool_calls": calls}, "finish_reason": "tool_calls"}]})),
        (Dialect::Ollama, json!({"message": {"tool_calls": calls}, "done": true, "done_reason": "stop"})),
        (Dialect::Google, json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})),
    ] {
        let events = dialect::decode_whole(dialect, &body.to_string());
        let Some(RawEvent::Terminal { terminal: Terminal::Error { failure } }) = events.last() else {
            panic!("{dialect:?}: {:?}", events.last())
        };
        assert_eq!((failure.code, failure.retryable), (ErrorCode::Incomplete, false), "{dialect:?}");
    }
}
