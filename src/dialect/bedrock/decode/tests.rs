//! The terminal table of PROVIDERS §6, and what blocks hold.

use super::*;
use crate::event::{CallFailure, ErrorCode};

fn frames(list: &[(&str, &str)]) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (ConverseDecoder::default(), Vec::new());
    for (event, data) in list {
        let event = Some((*event).to_owned()).filter(|event| !event.is_empty());
        decoder.frame(&Frame { event, data: (*data).to_owned() }, &mut out);
    }
    decoder.finish(&mut out);
    let ends = out.iter().filter(|event| matches!(event, RawEvent::Terminal { .. })).count();
    assert_eq!((ends, decoder.is_done()), (1, true));
    out
}

fn ending(list: &[(&str, &str)]) -> Terminal {
    match frames(list).pop() {
        Some(RawEvent::Terminal { terminal }) => terminal,
        other => panic!("no terminal at the end: {other:?}"),
    }
}

const START: (&str, &str) = ("messageStart", r#"{"p":"abc","role":"assistant"}"#);
const TEXT: (&str, &str) = ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"{\"n\":7}"},"p":"ab"}"#);
const METADATA: (&str, &str) =
    ("metadata", r#"{"metrics":{"latencyMs":1},"usage":{"inputTokens":3,"outputTokens":5,"totalTokens":8}}"#);

#[test]
fn the_terminal_table() {
    let unknown = |word: &str| Terminal::Unknown { word: word.to_owned() };
    for (word, want) in [
        ("end_turn", Terminal::Stop),
        ("stop_sequence", Terminal::Stop),
        ("tool_use", Terminal::ToolUse),
        ("max_tokens", Terminal::Length),
        ("model_context_window_exceeded", Terminal::ContextOverflow),
        ("guardrail_intervened", Terminal::ContentFilter),
        ("content_filtered", Terminal::ContentFilter),
        ("refusal", Terminal::Refusal),
        ("malformed_model_output", unknown("malformed_model_output")),
        ("malformed_tool_use", unknown("malformed_tool_use")),
        ("moon phase", unknown("moonphase")),
        ("", unknown("")),
    ] {
        let stop = format!(r#"{{"stopReason":"{word}"}}"#);
        let stop = ("messageStop", stop.as_str());
        assert_eq!(ending(&[START, TEXT, stop, METADATA]), want, "{word}");
        assert_eq!(ending(&[START, TEXT, stop]), want, "{word} without usage");
    }
    assert_eq!(ending(&[START, TEXT, ("contentBlockStop", r#"{"contentBlockIndex":0}"#)]), Terminal::Missing);
    assert_eq!(ending(&[START, TEXT, METADATA]), Terminal::Missing);
    assert_eq!(ending(&[]), Terminal::Missing);
}

#[test]
fn usage_comes_behind_the_stop() {
    let events = frames(&[START, TEXT, ("messageStop", r#"{"stopReason":"end_turn"}"#), METADATA, TEXT]);
    let [RawEvent::Text { delta }, RawEvent::Usage { usage }, RawEvent::Terminal { .. }] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(delta, r#"{"n":7}"#);
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(3), Some(5)));
}

fn failure(list: &[(&str, &str)]) -> CallFailure {
    match ending(list) {
        Terminal::Error { failure } => failure,
        other => panic!("no error: {other:?}"),
    }
}

#[test]
fn exception_frames() {
    for (name, code, again) in [
        ("throttlingException", ErrorCode::RateLimited, true),
        ("serviceUnavailableException", ErrorCode::Provider, true),
        ("internalServerException", ErrorCode::Provider, true),
        ("modelStreamErrorException", ErrorCode::Provider, true),
        ("modelTimeoutException", ErrorCode::Provider, true),
        ("validationException", ErrorCode::Provider, false),
        ("accessDeniedException", ErrorCode::Auth, false),
        ("resourceNotFoundException", ErrorCode::Provider, false),
        ("serviceQuotaExceededException", ErrorCode::RateLimited, false),
        ("moonPhaseException", ErrorCode::Provider, true),
    ] {
        let failure = failure(&[START, TEXT, (name, r#"{"message":"of theirs"}"#)]);
        assert_eq!((failure.code, failure.retryable), (code, again), "{name}");
        assert_eq!((failure.provider_code.as_deref(), failure.detail.as_deref()), (Some(name), Some("of theirs")));
        assert!(!failure.message.contains("theirs"));
    }
    let framing = failure(&[("error", r#"{"code":"InternalFailure","message":"m"}"#)]);
    assert_eq!((framing.provider_code.as_deref(), framing.retryable), (Some("InternalFailure"), true));
    let long = ("validationException", r#"{"message":"Input is too long for requested model."}"#);
    assert_eq!(ending(&[START, long]), Terminal::ContextOverflow);
    let bad = failure(&[("contentBlockDelta", "no")]);
    assert!(bad.retryable && bad.code == ErrorCode::Provider);
}

#[test]
fn calls_and_unknown_events() {
    let events = frames(&[
        START,
        ("weather", r#"{"rain":true}"#),
        ("", "{}"),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"citation":{"title":"t"}}}"#),
        ("contentBlockStart", r#"{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t1","name":"f"}}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"x\":"}}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":2,"delta":{"toolUse":{"input":"{}"}}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"1}"}}}"#),
        ("messageStop", r#"{"stopReason":"tool_use"}"#),
    ]);
    let told: Vec<String> = events
        .iter()
        .map(|event| match event {
            RawEvent::ToolStart { slot, id, name } => format!("start {slot} {id} {name}"),
            RawEvent::ToolArgs { slot, delta } => format!("args {slot} {delta}"),
            other => format!("{other:?}"),
        })
        .collect();
    let want = ["start 0 t1 f", "args 0 {\"x\":", "start 1  ", "args 1 {}", "args 0 1}"];
    assert_eq!(told.get(..5).unwrap(), want);
}

#[test]
fn signed_and_redacted_reasoning_is_kept_block_by_block() {
    let think =
        |block: u64, inner: &str| format!(r#"{{"contentBlockIndex":{block},"delta":{{"reasoningContent":{inner}}}}}"#);
    let (a, b) = (think(0, r#"{"text":"hm"}"#), think(0, r#"{"signature":"c2ln"}"#));
    let (c, unsigned) = (think(1, r#"{"redactedContent":"UlhS"}"#), think(2, r#"{"text":"open"}"#));
    let stop = |block: u64| format!(r#"{{"contentBlockIndex":{block}}}"#);
    let events = frames(&[
        ("contentBlockDelta", &a),
        ("contentBlockDelta", &b),
        ("contentBlockStop", &stop(0)),
        ("contentBlockDelta", &c),
        ("contentBlockStop", &stop(1)),
        ("contentBlockDelta", &unsigned),
        ("contentBlockStop", &stop(2)),
        ("messageStop", r#"{"stopReason":"end_turn"}"#),
    ]);
    let kept: Vec<&Value> =
        events.iter().filter_map(|event| if let RawEvent::Keep { part } = event { Some(part) } else { None }).collect();
    assert_eq!(
        kept,
        [
            &json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}),
            &json!({"reasoningContent": {"redactedContent": "UlhS"}}),
        ]
    );
}

#[test]
fn whole_bodies() {
    let body = r#"{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},{"text":"t"},{"toolUse":{"toolUseId":"u","name":"f","input":{"x":1.50}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":2}}"#;
    let events = decode_whole(body);
    assert!(matches!(events.last(), Some(RawEvent::Terminal { terminal: Terminal::ToolUse })));
    let arguments =
        events.iter().find_map(|event| if let RawEvent::ToolArgs { delta, .. } = event { Some(delta) } else { None });
    assert_eq!(arguments.map(String::as_str), Some(r#"{"x":1.50}"#));
    assert_eq!(events.iter().filter(|event| matches!(event, RawEvent::Keep { .. })).count(), 1);
    let end = |body: &str| decode_whole(body).pop();
    assert_eq!(end("{}"), Some(RawEvent::Terminal { terminal: Terminal::Missing }));
    for body in ["no", r#"{"message":"denied"}"#] {
        assert!(matches!(end(body), Some(RawEvent::Terminal { terminal: Terminal::Error { .. } })), "{body}");
    }
}

#[test]
fn refusals_of_service() {
    for (status, body, code, again) in [
        (400, r#"{"message":"Input is too long for requested model."}"#, ErrorCode::Incomplete, false),
        (400, r#"{"Message":"prompt is too long: 9 tokens > 8 maximum"}"#, ErrorCode::Incomplete, false),
        (400, r#"{"message":"The provided model identifier is invalid."}"#, ErrorCode::Provider, false),
        (403, r#"{"message":"no access"}"#, ErrorCode::Auth, false),
        (404, "{}", ErrorCode::Provider, false),
        (408, "{}", ErrorCode::Provider, true),
        (424, "{}", ErrorCode::Provider, false),
        (429, "{}", ErrorCode::RateLimited, true),
        (500, "", ErrorCode::Provider, true),
        (503, "", ErrorCode::Provider, true),
    ] {
        let failure = super::failure::failure(status, body.as_bytes());
        assert_eq!((failure.code, failure.retryable, failure.status), (code, again, Some(status)), "{status} {body}");
    }
    let named = super::failure::failure(403, br#"{"__type":"com.amazon.coral#AccessDeniedException"}"#);
    assert_eq!(named.provider_code.as_deref(), Some("AccessDeniedException"));
}
