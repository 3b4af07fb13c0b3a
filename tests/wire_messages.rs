//! The Messages decoder beyond its recordings: terminal and error tables, places of kept blocks, oddities of proxies.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test stops at the first surprise")]

#[path = "conformance_wire/told.rs"]
#[allow(dead_code, reason = "not every test binary cuts reads")]
mod told;

use formwork::capability::Dialect;
use formwork::dialect::anthropic::{MessagesDecoder, decode_whole, failure};
use formwork::dialect::{Decoder, Frame};
use formwork::event::{ErrorCode, RawEvent, Terminal};
use formwork::json::{ParseLimits, Value, parse};
use proptest::prelude::*;
use told::Told;

const ANTHROPIC: Dialect = Dialect::Anthropic;

fn events(payloads: &[&str]) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (MessagesDecoder::default(), Vec::new());
    for payload in payloads {
        decoder.frame(&Frame { event: None, data: (*payload).to_owned() }, &mut out);
    }
    decoder.finish(&mut out);
    decoder.finish(&mut out);
    assert!(decoder.is_done());
    out
}

fn decoded(payloads: &[&str]) -> Told {
    Told::of(events(payloads))
}

fn value(text: &str) -> Value {
    parse(text, ParseLimits { max_bytes: 4096, max_depth: 32 }).unwrap()
}

const STOP: &str = r#"{"type":"message_stop"}"#;

/// PROVIDERS §4, table of stop reasons.
#[test]
fn endings() {
    for (word, want) in [
        ("end_turn", Terminal::Stop),
        ("stop_sequence", Terminal::Stop),
        ("tool_use", Terminal::ToolUse),
        ("refusal", Terminal::Refusal),
        ("max_tokens", Terminal::Length),
        ("model_context_window_exceeded", Terminal::ContextOverflow),
        ("pause_turn", Terminal::Paused),
        ("compaction", Terminal::Paused),
        ("weird", Terminal::Unknown { word: "weird".to_owned() }),
    ] {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{word}"}}}}"#);
        assert_eq!(decoded(&[&delta, STOP]).ending, Some(want), "{word}");
        assert_eq!(decoded(&[&delta]).ending, Some(Terminal::Missing), "{word} without message_stop");
    }
    for delta in [r#"{"type":"message_delta","delta":{"stop_reason":null}}"#, r#"{"type":"message_delta"}"#] {
        assert_eq!(decoded(&[delta, STOP]).ending, Some(Terminal::Missing));
    }
    assert_eq!(decoded(&[STOP]).ending, Some(Terminal::Missing), "an end without a reason");
    assert_eq!(decoded(&[]).ending, Some(Terminal::Missing));
}

#[test]
fn the_worse_ending_stays() {
    let delta = |word: &str| format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{word}"}}}}"#);
    for (first, second, want) in [
        ("max_tokens", "end_turn", Terminal::Length),
        ("end_turn", "refusal", Terminal::Refusal),
        ("tool_use", "max_tokens", Terminal::Length),
    ] {
        assert_eq!(decoded(&[&delta(first), &delta(second), STOP]).ending, Some(want));
    }
}

/// The call is shown, and nothing can come of it: a refusal is no ending that leads to a candidate.
#[test]
fn a_refusal_after_a_complete_call_accepts_nothing() {
    let told = decoded(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"__submit","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":7}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":null}}}"#,
        STOP,
    ]);
    assert_eq!(told.calls, [("t1".to_owned(), "__submit".to_owned(), r#"{"n":7}"#.to_owned())]);
    assert_eq!(told.ending, Some(Terminal::Refusal));
}

#[test]
fn calls_with_and_without_arguments() {
    let told = decoded(&[
        // Nothing at all, one empty piece, all at once, and a block that never ends.
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"f","input":{"x":1.50}}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"d","name":"f"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        STOP,
    ]);
    let arguments: Vec<&str> = told.calls.iter().map(|(_, _, arguments)| arguments.as_str()).collect();
    assert_eq!(arguments, ["{}", "{}", r#"{"x":1.50}"#, "{}"]);
}

#[test]
fn what_goes_back_is_kept_with_its_place() {
    let parts: Vec<Value> = events(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"ä"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"redacted_thinking","data":"xyz"}}"#,
        r#"{"type":"content_block_stop","index":3}"#,
        // Unsigned thinking cannot go back.
        r#"{"type":"content_block_start","index":4,"content_block":{"type":"thinking","thinking":"so"}}"#,
        r#"{"type":"content_block_stop","index":4}"#,
    ])
    .into_iter()
    .filter_map(|event| match event {
        RawEvent::Keep { part } => Some(part),
        _ => None,
    })
    .collect();
    assert_eq!(
        parts,
        [
            value(r#"{"text":0,"calls":0,"block":{"type":"thinking","thinking":"hm","signature":"s1"}}"#),
            value(r#"{"text":2,"calls":1,"block":{"type":"redacted_thinking","data":"xyz"}}"#),
        ]
    );
}

#[test]
fn unknown_things_are_passed_over() {
    let frame = |event: &str, data: &str| Frame { event: Some(event.to_owned()), data: data.to_owned() };
    let (mut decoder, mut out) = (MessagesDecoder::default(), Vec::new());
    for frame in [
        frame("future", "not json"),
        frame("ping", r#"{"type": "ping"}"#),
        frame(
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"hologram","text":"x"}}"#,
        ),
        frame(
            "content_block_delta",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"hologram_delta","text":"x"}}"#,
        ),
        frame(
            "content_block_delta",
            r#"{"type":"content_block_delta","index":9,"delta":{"type":"input_json_delta","partial_json":"x"}}"#,
        ),
        frame(
            "content_block_delta",
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"text":"x"}}}"#,
        ),
        // The name alone says what it is.
        frame("content_block_delta", r#"{"index":1,"delta":{"type":"text_delta","text":"y"}}"#),
        frame("message_delta", r#"{"delta":{"stop_reason":"end_turn"}}"#),
        frame("message_stop", "{}"),
        frame("content_block_delta", r#"{"index":1,"delta":{"type":"text_delta","text":"late"}}"#),
    ] {
        decoder.frame(&frame, &mut out);
    }
    let told = Told::of(out);
    assert_eq!((told.text.as_str(), told.calls.len(), told.ending), ("y", 0, Some(Terminal::Stop)));
}

#[test]
fn errors_inside_a_stream() {
    for (data, code, retryable, word) in [
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"M"}}"#,
            ErrorCode::Provider,
            true,
            Some("overloaded_error"),
        ),
        (
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"M"}}"#,
            ErrorCode::RateLimited,
            true,
            Some("rate_limit_error"),
        ),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"M"}}"#,
            ErrorCode::Provider,
            false,
            Some("invalid_request_error"),
        ),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
            ErrorCode::Incomplete,
            false,
            Some("invalid_request_error"),
        ),
        (
            r#"{"type":"error","error":{"type":"new_error","message":"M"}}"#,
            ErrorCode::Provider,
            true,
            Some("new_error"),
        ),
        (r#"{"type":"error"}"#, ErrorCode::Provider, true, None),
        (r#"{"error":{"message":"M"}}"#, ErrorCode::Provider, true, None),
        ("no json", ErrorCode::Provider, true, None),
        ("[1", ErrorCode::Provider, true, None),
    ] {
        let told =
            decoded(&[r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}"#, data]);
        let failure = told.failure();
        assert_eq!(
            (failure.code, failure.retryable, failure.provider_code.as_deref()),
            (code, retryable, word),
            "{data}"
        );
        assert!(!failure.message.contains('M'), "the provider's text is for the user's screen only");
    }
}

#[test]
fn refusals_of_service() {
    let body = |kind: &str, message: &str| {
        format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
    };
    for (status, kind, code, retryable) in [
        (400, "invalid_request_error", ErrorCode::Provider, false),
        (401, "authentication_error", ErrorCode::Auth, false),
        (402, "billing_error", ErrorCode::RateLimited, false),
        (403, "permission_error", ErrorCode::Auth, false),
        (404, "not_found_error", ErrorCode::Provider, false),
        (409, "conflict_error", ErrorCode::Provider, true),
        (413, "request_too_large", ErrorCode::Provider, false),
        (429, "rate_limit_error", ErrorCode::RateLimited, true),
        (500, "api_error", ErrorCode::Provider, true),
        (504, "timeout_error", ErrorCode::Provider, true),
        (529, "overloaded_error", ErrorCode::Provider, true),
        (418, "new_error", ErrorCode::Provider, false),
    ] {
        let failure = failure(status, body(kind, "M").as_bytes());
        assert_eq!((failure.code, failure.retryable, failure.status), (code, retryable, Some(status)), "{status}");
        assert_eq!((failure.provider_code.as_deref(), failure.request_id.as_deref()), (Some(kind), Some("req_1")));
        assert_eq!(failure.detail.as_deref(), Some("M"));
    }
    let long = failure(400, body("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum").as_bytes());
    assert_eq!((long.code, long.retryable), (ErrorCode::Incomplete, false));
    for body in [&b""[..], b"<html>", b"[]", b"\xff\xfe", b"null", b"{\"error\":7}"] {
        assert_eq!(failure(503, body).code, ErrorCode::Provider);
        assert_eq!(failure(401, body).code, ErrorCode::Auth);
    }
}

#[test]
fn whole_bodies() {
    let told = Told::of(decode_whole(
        r#"{"type":"message","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"n":1.50}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":5,"output_tokens":6}}"#,
    ));
    assert_eq!((told.text.as_str(), told.thinking.as_str()), ("a", "hm"));
    assert_eq!(told.calls, [("t".to_owned(), "f".to_owned(), r#"{"n":1.50}"#.to_owned())]);
    assert_eq!((told.usage.input_tokens, told.usage.cached_tokens), (Some(12), Some(4)), "cached input is input");
    assert_eq!(told.ending, Some(Terminal::ToolUse));
    for (body, error) in [
        ("{}", false),
        (r#"{"content":[],"stop_reason":null}"#, false),
        ("", true),
        ("[", true),
        (r#"{"error":{"message":"M"}}"#, true),
    ] {
        let ending = Told::of(decode_whole(body)).ending.unwrap();
        assert_eq!(matches!(ending, Terminal::Error { .. }), error, "{body}");
        assert!(error || ending == Terminal::Missing, "{body}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever a server sends: one terminal, last, and no success without `message_stop`.
    #[test]
    fn no_frame_breaks_the_decoder(payloads in prop::collection::vec(payload(), 0..12)) {
        let told = told::decode(ANTHROPIC, &payloads);
        prop_assert!(told.ending.is_some());
        if matches!(told.ending, Some(Terminal::Stop | Terminal::ToolUse)) {
            prop_assert!(payloads.iter().any(|payload| payload.contains("message_stop")));
        }
        let _ = decode_whole(&payloads.concat());
        let _ = failure(400, payloads.concat().as_bytes());
    }
}

fn payload() -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        Just("message_start"),
        Just("content_block_start"),
        Just("content_block_delta"),
        Just("content_block_stop"),
        Just("message_delta"),
        Just("message_stop"),
        Just("ping"),
    ];
    let block = prop_oneof![Just("text"), Just("tool_use"), Just("thinking"), Just("redacted_thinking"), Just("other")];
    let delta = prop_oneof![
        Just("text_delta"),
        Just("input_json_delta"),
        Just("thinking_delta"),
        Just("signature_delta"),
        Just("other"),
    ];
    let odd = prop_oneof![Just("7"), Just("null"), Just("[1]"), Just("{}"), Just("\"x\""), Just("true")];
    let whole = (kinds, -2_i64..4, block, delta, odd).prop_map(|(kind, index, block, delta, odd)| {
        format!(
            r#"{{"type":"{kind}","index":{index},"content_block":{{"type":"{block}","text":{odd},"id":{odd},"input":{odd}}},"delta":{{"type":"{delta}","text":{odd},"partial_json":{odd},"thinking":{odd},"signature":{odd},"stop_reason":"end_turn"}}}}"#
        )
    });
    prop_oneof![9 => whole, 1 => ".{0,20}"]
}
