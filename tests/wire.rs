//! The chat decoder against hand-written oddities. Recordings stand in `streams.rs`, reported faults in
//! `conformance_wire.rs`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test stops at the first surprise")]

#[path = "wire/reasoning.rs"]
mod reasoning;
#[path = "support/sse.rs"]
mod sse;

use formwork::dialect::openai_chat::{ChatDecoder, failure};
use formwork::dialect::{Decoder, Frame};
use formwork::event::{CallFailure, ErrorCode, RawEvent, Terminal, Usage};
use formwork::transport::sse::Framer;
use proptest::prelude::*;

/// A decoded response, put together.
#[derive(Debug, Clone, PartialEq, Default)]
struct Told {
    text: String,
    thinking: String,
    refusal: String,
    /// id, name, arguments.
    calls: Vec<(String, String, String)>,
    usage: Option<Usage>,
    model: Option<String>,
    ending: Option<Terminal>,
}

impl Told {
    fn of(events: Vec<RawEvent>) -> Self {
        let mut told = Self::default();
        for event in events {
            assert_eq!(told.ending, None, "something follows the terminal: {event:?}");
            match event {
                RawEvent::Text { delta } => told.text.push_str(&delta),
                RawEvent::Restart => told.text.clear(),
                RawEvent::Thinking { delta } => told.thinking.push_str(&delta),
                RawEvent::Refusal { delta } => told.refusal.push_str(&delta),
                RawEvent::ToolStart { slot, id, name } => {
                    assert_eq!(slot as usize, told.calls.len(), "slots are given out in order");
                    told.calls.push((id, name, String::new()));
                }
                RawEvent::ToolArgs { slot, delta } => told.calls[slot as usize].2.push_str(&delta),
                RawEvent::Usage { usage } => told.usage = Some(usage),
                RawEvent::Keep { .. } => {}
                RawEvent::Model { id } => told.model = Some(id),
                RawEvent::Terminal { terminal } => told.ending = Some(terminal),
            }
        }
        assert!(told.ending.is_some(), "no terminal");
        told
    }

    fn succeeded(&self) -> bool {
        matches!(self.ending, Some(Terminal::Stop | Terminal::ToolUse))
    }

    fn failure(&self) -> &CallFailure {
        match &self.ending {
            Some(Terminal::Error { failure }) => failure,
            other => panic!("no error: {other:?}"),
        }
    }
}

fn decode(frames: &[Frame]) -> Told {
    let (mut decoder, mut out) = (ChatDecoder::default(), Vec::new());
    for frame in frames {
        decoder.frame(frame, &mut out);
    }
    decoder.finish(&mut out);
    decoder.finish(&mut out);
    assert!(decoder.is_done());
    Told::of(out)
}

/// Cuts reads into frames, by the transport's framing, which must say what the plain reading says.
fn frames<'a>(reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let reads: Vec<&[u8]> = reads.into_iter().collect();
    let (mut framer, mut out) = (Framer::default(), Vec::new());
    for read in &reads {
        framer.push(read, &mut out).unwrap();
    }
    assert_eq!(out, sse::frames(reads));
    framer.finish(&mut |frame| out.push(frame.clone()));
    out
}

fn body(bytes: &[u8]) -> Told {
    decode(&frames([bytes]))
}

fn framed<'a>(payloads: impl Iterator<Item = &'a str>) -> String {
    payloads.chain(["[DONE]"]).flat_map(|payload| ["data: ", payload, "\n\n"]).collect()
}

/// A stream of these payloads, ended by `[DONE]`.
fn chunks(payloads: &[&str]) -> Told {
    body(framed(payloads.iter().copied()).as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a server sends: one terminal, last, and no success without a finish reason.
    #[test]
    fn no_frame_breaks_the_decoder(frames in prop::collection::vec(frame(), 0..12)) {
        let told = decode(&frames);
        if told.succeeded() {
            prop_assert!(frames.iter().any(|frame| frame.data.contains("finish_reason")));
        }
    }
}

fn frame() -> impl Strategy<Value = Frame> {
    let piece = prop_oneof![
        Just("{}".to_owned()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("[DONE]".to_owned()),
        Just(r#"{"choices":[{"delta":{"content":"a"}}]}"#.to_owned()),
        Just(r#"{"choices":[{"delta":{"content":["a",{"type":"text","text":"b"},7]}}]}"#.to_owned()),
        Just(r#"{"choices":[{"finish_reason":"stop"}]}"#.to_owned()),
        Just(r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"n":1.50}}},{}]}}]}"#.to_owned()),
        Just(r#"{"choices":null,"usage":{"prompt_tokens":"x","completion_tokens":-1}}"#.to_owned()),
        Just(r#"{"error":5}"#.to_owned()),
        ".{0,20}",
    ];
    let event = prop_oneof![9 => Just(None), 1 => Just(Some("error".to_owned()))];
    (event, piece).prop_map(|(event, data)| Frame { event, data })
}

#[test]
fn whitespace_without_end_passes_through() {
    let frames = vec![Frame { event: None, data: r#"{"choices":[{"delta":{"content":"\n\t"}}]}"#.to_owned() }; 8_154];
    let told = decode(&frames);
    assert_eq!((told.text.len(), told.ending), (2 * 8_154, Some(Terminal::Missing)));
}

#[test]
fn endings() {
    let finish = |word: &str| chunks(&[&format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":{word}}}]}}"#)]).ending;
    let table = [
        (r#""stop""#, Terminal::Stop),
        (r#""tool_calls""#, Terminal::ToolUse),
        (r#""function_call""#, Terminal::ToolUse),
        (r#""length""#, Terminal::Length),
        (r#""model_length""#, Terminal::ContextOverflow),
        (r#""content_filter""#, Terminal::ContentFilter),
        (r#""weird""#, Terminal::Unknown { word: "weird".to_owned() }),
        (r#""""#, Terminal::Missing),
        ("null", Terminal::Missing),
        ("7", Terminal::Missing),
    ];
    for (word, ending) in table {
        assert_eq!(finish(word), Some(ending), "{word}");
    }
    for word in ["error", "insufficient_system_resource"] {
        let ending = finish(&format!("\"{word}\""));
        assert!(
            matches!(ending, Some(Terminal::Error { failure }) if failure.retryable && failure.code == ErrorCode::Provider)
        );
    }
}

#[test]
fn the_worse_ending_stays() {
    let first_length = [r#"{"choices":[{"finish_reason":"length"}]}"#, r#"{"choices":[{"finish_reason":"stop"}]}"#];
    assert_eq!(chunks(&first_length).ending, Some(Terminal::Length));
    let then_filter =
        [r#"{"choices":[{"finish_reason":"stop"}]}"#, r#"{"choices":[{"finish_reason":"content_filter"}]}"#];
    assert_eq!(chunks(&then_filter).ending, Some(Terminal::ContentFilter));
    let cut = [
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]},"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls","native_finish_reason":"length"}]}"#,
    ];
    assert_eq!(chunks(&cut).ending, Some(Terminal::Length), "a router's word is no proof");
}

#[test]
fn an_end_without_done_counts_and_one_without_a_reason_does_not() {
    let stop = r#"data: {"choices":[{"delta":{"content":"1"},"finish_reason":"stop"}]}"#;
    assert_eq!(body(format!("{stop}\n\n").as_bytes()).ending, Some(Terminal::Stop));
    assert_eq!(body(b"data: [DONE]\n\n").ending, Some(Terminal::Missing));
    assert_eq!(body(b"").ending, Some(Terminal::Missing));
    // Nothing is taken after the end mark.
    assert_eq!(body(format!("data: [DONE]\n\n{stop}\n\n").as_bytes()).text, "");
}

#[test]
fn a_refusal_is_one_whatever_the_finish_reason() {
    for word in ["stop", "tool_calls", "length", "weird"] {
        let finish = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{word}"}}]}}"#);
        let told = chunks(&[r#"{"choices":[{"delta":{"content":"","refusal":"No."}}]}"#, &finish]);
        assert_eq!((told.refusal.as_str(), told.ending), ("No.", Some(Terminal::Refusal)), "{word}");
    }
    let empty = [r#"{"choices":[{"delta":{"content":"1","refusal":""},"finish_reason":"stop"}]}"#];
    assert_eq!(chunks(&empty).ending, Some(Terminal::Stop));
}

#[test]
fn odd_chunks() {
    let told = chunks(&[
        r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}],"object":"","model":""}"#,
        r#"{"id":"x","unknown":{"deep":[1,2,{"a":null}]},"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":null,"tool_calls":null,"function_call":null},"logprobs":null,"finish_reason":""}],"usage":null,"error":null}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"length"},{"index":0,"delta":{"content":"{\"n\":"}}]}"#,
        r#"{"choices":[{"delta":{"content":"1.50"}},{"index":1,"delta":{"content":"more"}}]}"#,
        r#"{"choices":[{"delta":null,"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":"}"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
    ]);
    assert_eq!((told.text.as_str(), told.model.as_deref()), (r#"{"n":1.50}"#, Some("m")));
    assert_eq!(told.usage.unwrap().input_tokens, Some(3));
    assert_eq!(told.ending, Some(Terminal::Stop));
}

#[test]
fn reasoning_and_content_parts() {
    let told = chunks(&[
        r#"{"choices":[{"delta":{"reasoning":"a"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_content":"b","reasoning":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"c"}]},{"type":"text","text":"t"}]}}]}"#,
        r#"{"choices":[{"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!((told.thinking.as_str(), told.text.as_str()), ("abc", "t"));
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[test]
fn tool_fragments() {
    let calls = |deltas: &[&str]| {
        let payloads: Vec<String> =
            deltas.iter().map(|tools| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{tools}]}}}}]}}"#)).collect();
        chunks(&payloads.iter().map(String::as_str).collect::<Vec<_>>()).calls
    };
    let begun = r#"{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}"#;
    let more = r#"{"index":0,"function":{"arguments":"{\"x\":"}}"#;
    let rest = r#"{"index":0,"function":{"arguments":"1}"}}"#;
    let whole = vec![call("a", "f", r#"{"x":1}"#)];
    assert_eq!(calls(&[begun, more, rest]), whole);
    // No index, only the first carries the id.
    let bare: Vec<String> = [begun, more, rest].iter().map(|t| t.replace(r#""index":0,"#, "")).collect();
    assert_eq!(calls(&bare.iter().map(String::as_str).collect::<Vec<_>>()), whole);
    // The id and the name are repeated in every fragment.
    let again = r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}"#;
    let and_again = r#"{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}}"#;
    assert_eq!(calls(&[begun, again, and_again]), whole);
    // A fresh id in every fragment, but no name.
    assert_eq!(calls(&[begun, r#"{"index":0,"id":"z","function":{"arguments":"{\"x\":1}"}}"#]), whole);
    // Two calls that both say index 0.
    let second = r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}"#;
    assert_eq!(calls(&[begun, second]), vec![call("a", "f", ""), call("b", "g", "{}")]);
    // Interleaved fragments of parallel calls.
    let other = r#"{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}"#;
    let end = r#"{"index":1,"function":{"arguments":"}"}}"#;
    assert_eq!(calls(&[begun, other, more, end, rest]), vec![call("a", "f", r#"{"x":1}"#), call("b", "g", "{}")]);
    // Arguments before the name; arguments as an object keep their numbers.
    let early = r#"{"index":0,"id":"a","function":{"arguments":"{\"x\":"}}"#;
    let named = r#"{"index":0,"function":{"name":"f","arguments":"1}"}}"#;
    assert_eq!(calls(&[early, named]), whole);
    let object = r#"{"id":"a","function":{"name":"f","arguments":{"z":1.50,"a":12345678901234567890123}}}"#;
    assert_eq!(calls(&[object]), vec![call("a", "f", r#"{"z":1.50,"a":12345678901234567890123}"#)]);
    // A call whose name never comes is still a call.
    assert_eq!(calls(&[early]), vec![call("a", "", r#"{"x":"#)]);
    // Two whole calls without index and id.
    let nameless = r#"{"function":{"name":"f","arguments":"{}"}}"#;
    assert_eq!(calls(&[nameless, nameless]).len(), 2);
}

#[test]
fn the_legacy_function_call() {
    let told = chunks(&[
        r#"{"choices":[{"delta":{"function_call":{"name":"f","arguments":""}}}]}"#,
        r#"{"choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"function_call"}]}"#,
    ]);
    assert_eq!((told.calls, told.ending), (vec![call("", "f", "{}")], Some(Terminal::ToolUse)));
}

#[test]
fn errors_inside_a_stream() {
    // data, code, retryable, provider code
    let table = [
        (
            r#"{"error":{"message":"upstream failed","type":"server_error"}}"#,
            ErrorCode::Provider,
            true,
            Some("server_error"),
        ),
        (r#"{"error":"lost"}"#, ErrorCode::Provider, true, None),
        (
            r#"{"error":{"code":502,"message":"m"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
            ErrorCode::Provider,
            true,
            Some("502"),
        ),
        (
            r#"{"choices":[{"delta":{},"finish_reason":"error","error":{"code":429,"message":"m"}}]}"#,
            ErrorCode::RateLimited,
            true,
            Some("429"),
        ),
        (r#"{"error":{"code":401,"message":"m"}}"#, ErrorCode::Auth, false, Some("401")),
        (
            r#"{"error":{"code":"insufficient_quota","message":"m"}}"#,
            ErrorCode::RateLimited,
            false,
            Some("insufficient_quota"),
        ),
        (
            r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#,
            ErrorCode::Incomplete,
            false,
            Some("context_length_exceeded"),
        ),
        (
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"tool_use_failed","status_code":400}}"#,
            ErrorCode::Provider,
            false,
            Some("tool_use_failed"),
        ),
        (r#"{"object":"error","message":"m","code":400}"#, ErrorCode::Provider, true, None),
        ("not json", ErrorCode::Provider, true, None),
        ("null", ErrorCode::Provider, true, None),
    ];
    for (data, code, retryable, word) in table {
        let told = chunks(&[r#"{"choices":[{"delta":{"content":"x"}}]}"#, data]);
        let failure = told.failure();
        assert_eq!(
            (failure.code, failure.retryable, failure.provider_code.as_deref()),
            (code, retryable, word),
            "{data}"
        );
        assert_eq!((told.text.as_str(), failure.status), ("x", None));
    }
    let named = body(b"event: error\ndata: {\"error\":{\"message\":\"m\",\"code\":\"json_validate_failed\"}}\n\n");
    assert_eq!(named.failure().provider_code.as_deref(), Some("json_validate_failed"));
    assert!(!named.failure().retryable);
    let text = body(b"event: error\ndata: it broke\n\n");
    assert_eq!(text.failure().detail.as_deref(), Some("it broke"));
}

#[test]
fn errors_instead_of_a_stream() {
    use ErrorCode::{Auth, Incomplete, Provider, RateLimited, Refusal};
    let table: &[(u16, &str, ErrorCode, bool, Option<&str>)] = &[
        (
            400,
            r#"{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}"#,
            Incomplete,
            false,
            Some("context_length_exceeded"),
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"m","n_ctx":512,"type":"exceed_context_size_error"}}"#,
            Incomplete,
            false,
            Some("exceed_context_size_error"),
        ),
        (
            400,
            r#"{"error":{"message":"m","type":"invalid_request_error","param":"response_format","code":null}}"#,
            Provider,
            false,
            Some("invalid_request_error"),
        ),
        (400, r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#, Provider, false, None),
        (400, r#"{"error":{"code":"content_filter","message":"m"}}"#, Refusal, false, Some("content_filter")),
        (
            400,
            r#"{"error":{"code":"json_validate_failed","message":"m","failed_generation":"{}"}}"#,
            Provider,
            false,
            Some("json_validate_failed"),
        ),
        (
            400,
            r#"{"code":400,"reason":"INVALID_REQUEST_BODY","message":"m"}"#,
            Provider,
            false,
            Some("INVALID_REQUEST_BODY"),
        ),
        (
            401,
            r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#,
            Auth,
            false,
            Some("authentication_error"),
        ),
        (
            401,
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            Auth,
            false,
            Some("invalid_api_key"),
        ),
        (
            401,
            r#"{"error":{"message":"m","type":"invalid_request_error"}}"#,
            Auth,
            false,
            Some("invalid_request_error"),
        ),
        (403, "<html>denied</html>", Auth, false, None),
        (404, r#"{"error":{"message":"m","code":"model_not_found"}}"#, Provider, false, Some("model_not_found")),
        (404, "", Provider, false, None),
        (408, "", Provider, true, None),
        (409, "", Provider, true, None),
        (413, "", Provider, false, None),
        (425, "", Provider, true, None),
        (
            429,
            r#"{"error":{"code":"insufficient_quota","type":"insufficient_quota"}}"#,
            RateLimited,
            false,
            Some("insufficient_quota"),
        ),
        (429, r#"{"error":{"code":"rate_limit_exceeded"}}"#, RateLimited, true, Some("rate_limit_exceeded")),
        (
            429,
            r#"[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]"#,
            RateLimited,
            true,
            Some("RESOURCE_EXHAUSTED"),
        ),
        (422, r#"{"detail":[{"loc":["body"],"msg":"m"}]}"#, Provider, false, None),
        (500, "<html>", Provider, true, None),
        (502, "", Provider, true, None),
        (529, r#"{"error":{"type":"overloaded_error"}}"#, Provider, true, Some("overloaded_error")),
    ];
    for (status, body, code, retryable, word) in table {
        let failure = failure(*status, body.as_bytes());
        assert_eq!((failure.code, failure.retryable), (*code, *retryable), "{status} {body}");
        assert_eq!(failure.provider_code.as_deref(), *word, "{status} {body}");
        assert_eq!(failure.status, Some(*status));
        assert_eq!(failure.detail.is_some(), !body.is_empty(), "{status} {body}");
    }
}

#[test]
fn a_refused_response_format_is_named() {
    for param in ["response_format", "response_format.json_schema.schema"] {
        let body = format!(r#"{{"error":{{"message":"m","type":"invalid_request_error","param":"{param}"}}}}"#);
        let failure = failure(400, body.as_bytes());
        assert!(failure.message.contains("response format") && !failure.retryable);
    }
    let other = failure(400, br#"{"error":{"message":"m","param":"messages"}}"#);
    assert!(!other.message.contains("response format"));
}

#[test]
fn provider_text_is_bounded_and_its_code_display_safe() {
    let body =
        format!(r#"{{"error":{{"code":"a\u001b[31m b{}","message":"{}"}}}}"#, "x".repeat(100), "é".repeat(5_000));
    let failure = failure(400, body.as_bytes());
    let code = failure.provider_code.unwrap();
    assert!(code.starts_with("a[31mb") && code.len() == 64, "{code}");
    let detail = failure.detail.unwrap();
    assert!(detail.len() <= 4_096 && detail.starts_with('é'));
    assert!(!failure.message.contains('é'));
    let binary = self::failure(500, &[0xff, 0xfe, 0x00]);
    assert!(binary.retryable && binary.detail.is_some());
}
