//! The terminal table of PROVIDERS §7.3, and what a line may hold.

use super::*;
use crate::event::ErrorCode;

fn lines(lines: &[&str]) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (OllamaDecoder::default(), Vec::new());
    for line in lines {
        decoder.frame(&Frame { event: None, data: (*line).to_owned() }, &mut out);
    }
    decoder.finish(&mut out);
    let ends = out.iter().filter(|event| matches!(event, RawEvent::Terminal { .. })).count();
    assert_eq!((ends, decoder.is_done()), (1, true));
    out
}

fn ending(list: &[&str]) -> Terminal {
    match lines(list).pop() {
        Some(RawEvent::Terminal { terminal }) => terminal,
        other => panic!("no terminal at the end: {other:?}"),
    }
}

const TEXT: &str = r#"{"model":"m","message":{"role":"assistant","content":"{\"n\":7}"},"done":false}"#;
const CALL: &str = r#"{"message":{"content":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"n": 9007199254740993.0, "n":1}}}]},"done":false}"#;

fn last(reason: &str) -> String {
    format!(r#"{{"message":{{"content":""}},"done":true{reason},"prompt_eval_count":3,"eval_count":5}}"#)
}

#[test]
fn the_terminal_table() {
    let unknown = |word: &str| Terminal::Unknown { word: word.to_owned() };
    for (first, reason, want) in [
        (TEXT, r#","done_reason":"stop""#, Terminal::Stop),
        (CALL, r#","done_reason":"stop""#, Terminal::ToolUse),
        (TEXT, r#","done_reason":"length""#, Terminal::Length),
        (CALL, r#","done_reason":"length""#, Terminal::Length),
        (TEXT, r#","done_reason":"load""#, unknown("load")),
        (TEXT, r#","done_reason":"moon phase""#, unknown("moonphase")),
        (TEXT, r#","done_reason":null"#, unknown("done")),
        (TEXT, "", unknown("done")),
    ] {
        assert_eq!(ending(&[first, &last(reason)]), want, "{reason}");
    }
    assert_eq!(ending(&[TEXT]), Terminal::Missing);
    assert_eq!(ending(&[]), Terminal::Missing);
    assert_eq!(ending(&["", "  ", TEXT, &last(r#","done_reason":"stop""#), TEXT]), Terminal::Stop);
}

#[test]
fn errors_inside_a_stream() {
    for (line, code) in [
        (r#"{"error":"llama runner process has terminated"}"#, Some(ErrorCode::Provider)),
        (r#"{"error":{"message":"m"}}"#, Some(ErrorCode::Provider)),
        (r#"{"error":"the input length exceeds the context length"}"#, None),
        ("<html>", Some(ErrorCode::Provider)),
        ("[1]", Some(ErrorCode::Provider)),
    ] {
        match (ending(&[TEXT, line]), code) {
            (Terminal::Error { failure }, Some(code)) => assert!(failure.code == code && failure.retryable, "{line}"),
            (Terminal::ContextOverflow, None) => {}
            (other, _) => panic!("{line}: {other:?}"),
        }
    }
    assert_eq!(ending(&[r#"{"error":null,"done":true,"done_reason":"stop"}"#]), Terminal::Stop);
}

#[test]
fn arguments_keep_their_text_to_the_byte() {
    let events = lines(&[CALL, &last(r#","done_reason":"stop""#)]);
    let [
        RawEvent::ToolStart { slot: 0, id, name },
        RawEvent::ToolArgs { slot: 0, delta },
        RawEvent::Usage { usage },
        _,
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!((id.as_str(), name.as_str()), ("c", "f"));
    assert_eq!(delta, r#"{"n": 9007199254740993.0, "n":1}"#);
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(3), Some(5)));
}

#[test]
fn thinking_text_and_several_calls() {
    let line = r#"{"model":"m","message":{"thinking":"hm","content":"a","tool_calls":[{"function":{"name":"f"}},{"function":{"name":"g","arguments":{}}}]},"done":false}"#;
    let events = lines(&[line, line]);
    let kinds: Vec<String> = events
        .iter()
        .map(|event| match event {
            RawEvent::Model { id } => format!("model {id}"),
            RawEvent::Thinking { delta } => format!("thinking {delta}"),
            RawEvent::Text { delta } => format!("text {delta}"),
            RawEvent::ToolStart { slot, name, .. } => format!("call {slot} {name}"),
            RawEvent::ToolArgs { slot, delta } => format!("args {slot} {delta}"),
            other => format!("{other:?}"),
        })
        .collect();
    let (first, rest) = kinds.split_at(6);
    assert_eq!(first, ["model m", "thinking hm", "text a", "call 0 f", "call 1 g", "args 1 {}"]);
    assert_eq!(rest.get(..5).unwrap(), ["thinking hm", "text a", "call 2 f", "call 3 g", "args 3 {}"]);
}

#[test]
fn refusals_of_service() {
    for (status, body, code, again) in [
        (400, r#"{"error":"the input length exceeds the context length"}"#, ErrorCode::Incomplete, false),
        (500, r#"{"error":"input length exceeds the context window"}"#, ErrorCode::Incomplete, false),
        (400, r#"{"error":"invalid format"}"#, ErrorCode::Provider, false),
        (401, r#"{"error":"context length"}"#, ErrorCode::Auth, false),
        (404, r#"{"error":"model 'x' not found"}"#, ErrorCode::Provider, false),
        (500, r#"{"error":"runner crashed"}"#, ErrorCode::Provider, true),
        (503, "busy", ErrorCode::Provider, true),
    ] {
        let failure = super::failure::failure(status, body.as_bytes());
        assert_eq!((failure.code, failure.retryable, failure.status), (code, again, Some(status)), "{status} {body}");
        assert!(failure.detail.is_some() && !failure.message.contains("runner"), "{status}");
    }
}
