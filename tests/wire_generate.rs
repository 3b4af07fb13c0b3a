//! The generateContent decoder beyond its recordings: terminal and error tables, places of kept parts, oddities.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test stops at the first surprise")]

#[path = "conformance_wire/told.rs"]
#[allow(dead_code, reason = "not every test binary cuts reads")]
mod told;

use formwork::capability::Dialect;
use formwork::dialect::google::{GenerateDecoder, decode_whole, failure};
use formwork::dialect::{Decoder, Frame};
use formwork::event::{ErrorCode, RawEvent, Terminal};
use formwork::json::{ParseLimits, Value, parse};
use proptest::prelude::*;
use told::Told;

fn events(payloads: &[&str]) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (GenerateDecoder::default(), Vec::new());
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

fn parts(parts: &str) -> String {
    format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}],"role":"model"}}}}]}}"#)
}

fn finish(word: &str) -> String {
    format!(r#"{{"candidates":[{{"finishReason":{word}}}]}}"#)
}

fn value(text: &str) -> Value {
    parse(text, ParseLimits { max_bytes: 4096, max_depth: 32 }).unwrap()
}

const STOP: &str = r#"{"candidates":[{"finishReason":"STOP"}]}"#;

/// PROVIDERS §5, table of finish reasons.
#[test]
fn endings() {
    for (word, want) in [
        ("STOP", Terminal::Stop),
        ("MAX_TOKENS", Terminal::Length),
        ("CONTINUATION", Terminal::Paused),
        ("SAFETY", Terminal::ContentFilter),
        ("BLOCKLIST", Terminal::ContentFilter),
        ("PROHIBITED_CONTENT", Terminal::ContentFilter),
        ("SPII", Terminal::ContentFilter),
        ("RECITATION", Terminal::ContentFilter),
        ("LANGUAGE", Terminal::ContentFilter),
        ("MODEL_ARMOR", Terminal::ContentFilter),
        ("ESCALATION", Terminal::ContentFilter),
        ("IMAGE_SAFETY", Terminal::ContentFilter),
        ("IMAGE_PROHIBITED_CONTENT", Terminal::ContentFilter),
        ("TOO_MANY_TOOL_CALLS", Terminal::Unknown { word: "TOO_MANY_TOOL_CALLS".to_owned() }),
        ("MISSING_THOUGHT_SIGNATURE", Terminal::Unknown { word: "MISSING_THOUGHT_SIGNATURE".to_owned() }),
        ("NO_IMAGE", Terminal::Unknown { word: "NO_IMAGE".to_owned() }),
        ("OTHER", Terminal::Unknown { word: "OTHER".to_owned() }),
        ("FINISH_REASON_UNSPECIFIED", Terminal::Unknown { word: "FINISH_REASON_UNSPECIFIED".to_owned() }),
        ("weird", Terminal::Unknown { word: "weird".to_owned() }),
    ] {
        assert_eq!(decoded(&[&finish(&format!("\"{word}\""))]).ending, Some(want), "{word}");
    }
    for (word, code) in [
        ("PUP_LIMITED_DISABLED", ErrorCode::Provider),
        ("MALFORMED_FUNCTION_CALL", ErrorCode::Incomplete),
        ("MALFORMED_RESPONSE", ErrorCode::Incomplete),
        ("UNEXPECTED_TOOL_CALL", ErrorCode::Incomplete),
    ] {
        let told = decoded(&[&finish(&format!("\"{word}\""))]);
        let failure = told.failure();
        assert_eq!((failure.code, failure.retryable), (code, false), "{word}");
        assert_eq!(failure.provider_code.as_deref(), Some(word));
    }
    // Intermediaries write null.
    for word in ["null", "\"\"", "7"] {
        assert_eq!(decoded(&[&finish(word)]).ending, Some(Terminal::Missing), "{word}");
    }
    assert_eq!(decoded(&[&parts(r#"{"text":"{}"}"#)]).ending, Some(Terminal::Missing));
    assert_eq!(decoded(&["[DONE]"]).ending, Some(Terminal::Missing));
    assert_eq!(decoded(&[STOP, "[DONE]", &finish("\"SAFETY\"")]).ending, Some(Terminal::Stop));
}

#[test]
fn the_worse_ending_stays_and_a_blocked_prompt_is_the_worst() {
    assert_eq!(decoded(&[&finish("\"MAX_TOKENS\""), STOP]).ending, Some(Terminal::Length));
    assert_eq!(decoded(&[STOP, &finish("\"SAFETY\"")]).ending, Some(Terminal::ContentFilter));
    for reason in ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK"] {
        let blocked = format!(r#"{{"promptFeedback":{{"blockReason":"{reason}"}}}}"#);
        assert_eq!(decoded(&[&blocked]).ending, Some(Terminal::ContentFilter), "{reason}");
        assert_eq!(decoded(&[&blocked, STOP]).ending, Some(Terminal::ContentFilter), "{reason}");
        assert_eq!(decoded(&[STOP, &blocked]).ending, Some(Terminal::ContentFilter), "{reason}");
    }
    assert_eq!(decoded(&[r#"{"promptFeedback":{"safetyRatings":[]}}"#, STOP]).ending, Some(Terminal::Stop));
}

#[test]
fn calls_thoughts_and_what_goes_back() {
    let all = events(&[
        &parts(r#"{"text":"hm","thought":true},{"text":"ä"}"#),
        &parts(r#"{"functionCall":{"id":"g1","name":"f","args":{"n":1.50}},"thoughtSignature":"s1"}"#),
        &parts(r#"{"functionCall":{"name":"g"}},{"functionCall":{"name":"h","args":null}}"#),
        &parts(r#"{"text":"b","thoughtSignature":"s2"},{"text":"","thought":true,"thoughtSignature":"s3"}"#),
        &parts(r#"{"executableCode":{"code":"x"}},{"inlineData":{"data":"x"}}"#),
        STOP,
    ]);
    let kept: Vec<Value> = all
        .iter()
        .filter_map(|event| match event {
            RawEvent::Keep { part } => Some(part.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(
        kept,
        [
            value(r#"{"text":2,"calls":0,"call":{"id":"g1","thoughtSignature":"s1"}}"#),
            value(r#"{"text":2,"calls":3,"part":{"text":"b","thoughtSignature":"s2"}}"#),
            value(r#"{"text":3,"calls":3,"part":{"thought":true,"text":"","thoughtSignature":"s3"}}"#),
        ]
    );
    let told = Told::of(all);
    assert_eq!((told.text.as_str(), told.thinking.as_str()), ("äb", "hm"));
    let calls: Vec<(&str, &str, &str)> =
        told.calls.iter().map(|(i, n, a)| (i.as_str(), n.as_str(), a.as_str())).collect();
    assert_eq!(calls, [("g1", "f", r#"{"n":1.50}"#), ("", "g", "{}"), ("", "h", "{}")]);
    assert_eq!(told.ending, Some(Terminal::Stop));
}

#[test]
fn a_call_in_pieces_that_never_ends_is_no_success() {
    let begun = parts(r#"{"functionCall":{"name":"f","willContinue":true}}"#);
    let piece = parts(r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"x"}],"willContinue":true}}"#);
    let told = decoded(&[&begun, &piece, STOP]);
    assert_eq!((told.calls.len(), told.ending), (1, Some(Terminal::Missing)));
    // A piece that fits nowhere leaves the call without arguments: judged as no JSON, nothing is made up.
    let odd = parts(r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.a[7]","stringValue":"x"}]}}"#);
    let told = decoded(&[&begun, &odd, STOP]);
    assert_eq!(told.calls, [(String::new(), "f".to_owned(), String::new())]);
}

#[test]
fn errors_inside_a_stream() {
    for (data, code, retryable) in [
        (r#"{"error":{"code":503,"message":"M","status":"UNAVAILABLE"}}"#, ErrorCode::Provider, true),
        (r#"[{"error":{"code":429,"message":"M","status":"RESOURCE_EXHAUSTED"}}]"#, ErrorCode::RateLimited, true),
        (r#"{"error":{"code":400,"message":"M","status":"INVALID_ARGUMENT"}}"#, ErrorCode::Provider, false),
        (r#"{"error":{"code":500,"message":"M"}}"#, ErrorCode::Provider, true),
        (r#"{"error":"M"}"#, ErrorCode::Provider, true),
        ("no json", ErrorCode::Provider, true),
        ("[1", ErrorCode::Provider, true),
        ("7", ErrorCode::Provider, true),
    ] {
        let told = decoded(&[&parts(r#"{"text":"x"}"#), data]);
        let failure = told.failure();
        assert_eq!((failure.code, failure.retryable), (code, retryable), "{data}");
        assert!(!failure.message.contains('M'), "the provider's text is for the user's screen only");
    }
    let told = told::decode(Dialect::Google, &[STOP.to_owned(), "[]".to_owned(), "[7]".to_owned()]);
    assert_eq!(told.ending, Some(Terminal::Stop), "an empty list says nothing");
}

#[test]
fn refusals_of_service() {
    let body = |status: &str, message: &str, details: &str| {
        format!(r#"{{"error":{{"code":0,"message":"{message}","status":"{status}","details":[{details}]}}}}"#)
    };
    for (status, word, code, retryable) in [
        (400, "INVALID_ARGUMENT", ErrorCode::Provider, false),
        (400, "FAILED_PRECONDITION", ErrorCode::Provider, false),
        (401, "UNAUTHENTICATED", ErrorCode::Auth, false),
        (403, "PERMISSION_DENIED", ErrorCode::Auth, false),
        (404, "NOT_FOUND", ErrorCode::Provider, false),
        (429, "RESOURCE_EXHAUSTED", ErrorCode::RateLimited, true),
        (500, "INTERNAL", ErrorCode::Provider, true),
        (503, "UNAVAILABLE", ErrorCode::Provider, true),
        (504, "DEADLINE_EXCEEDED", ErrorCode::Provider, true),
        (501, "UNIMPLEMENTED", ErrorCode::Provider, false),
    ] {
        let failure = failure(status, body(word, "M", "").as_bytes());
        assert_eq!((failure.code, failure.retryable, failure.status), (code, retryable, Some(status)), "{word}");
        assert_eq!((failure.provider_code.as_deref(), failure.detail.as_deref()), (Some(word), Some("M")));
    }
    let told = |message: &str, details: &str| failure(400, body("INVALID_ARGUMENT", message, details).as_bytes());
    let key = told("M", r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}"#);
    assert_eq!((key.code, key.provider_code.as_deref()), (ErrorCode::Auth, Some("API_KEY_INVALID")));
    assert_eq!(told("API key not valid. Please pass a valid API key.", "").code, ErrorCode::Auth);
    let long = told("The input token count (9) exceeds the maximum number of tokens allowed (8).", "");
    assert_eq!((long.code, long.retryable), (ErrorCode::Incomplete, false));
    let format = told("M", r#"{"fieldViolations":[{"field":"generation_config.response_json_schema.a"}]}"#);
    assert!(format.message.contains("response format"), "{}", format.message);
    for (delay, ms) in
        [("\"1s\"", Some(1_000)), ("\"1.5s\"", Some(1_500)), ("\"-1s\"", None), ("7", None), ("\"xs\"", None)]
    {
        let rate = failure(429, body("RESOURCE_EXHAUSTED", "M", &format!(r#"{{"retryDelay":{delay}}}"#)).as_bytes());
        assert_eq!(rate.retry_after_ms, ms, "{delay}");
    }
    let listed = failure(400, format!("[{}]", body("INVALID_ARGUMENT", "M", "")).as_bytes());
    assert_eq!(listed.provider_code.as_deref(), Some("INVALID_ARGUMENT"));
    for body in [&b""[..], b"<html>", b"[]", b"\xff\xfe", b"null", b"{\"error\":7}"] {
        assert_eq!(failure(503, body).code, ErrorCode::Provider);
        assert_eq!(failure(401, body).code, ErrorCode::Auth);
    }
}

#[test]
fn whole_bodies() {
    let one = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#;
    assert_eq!(Told::of(decode_whole(one)).ending, Some(Terminal::Stop));
    // Without alt=sse: a list of chunks.
    let list = format!("\u{feff}[{},\r\n{one}\n]", parts(r#"{"text":"b"}"#));
    let told = Told::of(decode_whole(&list));
    assert_eq!((told.text.as_str(), told.ending), ("ba", Some(Terminal::Stop)));
    assert_eq!(Told::of(decode_whole("{}")).ending, Some(Terminal::Missing));
    assert_eq!(Told::of(decode_whole("[]")).ending, Some(Terminal::Missing));
    assert_eq!(Told::of(decode_whole("")).ending, Some(Terminal::Missing));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever a server sends: one terminal, last, and no success without a finish reason.
    #[test]
    fn no_frame_breaks_the_decoder(payloads in prop::collection::vec(payload(), 0..12)) {
        let told = told::decode(Dialect::Google, &payloads);
        prop_assert!(told.ending.is_some());
        if told.ending == Some(Terminal::Stop) {
            prop_assert!(payloads.iter().any(|payload| payload.contains("STOP")));
        }
        let _ = decode_whole(&payloads.concat());
        let _ = failure(400, payloads.concat().as_bytes());
    }
}

fn payload() -> impl Strategy<Value = String> {
    let odd = prop_oneof![Just("7"), Just("null"), Just("[1]"), Just("{}"), Just("\"x\""), Just("true")];
    let part = prop_oneof![
        odd.clone().prop_map(|odd| format!(r#"{{"text":{odd},"thoughtSignature":{odd}}}"#)),
        odd.clone()
            .prop_map(|odd| format!(r#"{{"functionCall":{{"name":{odd},"args":{odd}}},"thoughtSignature":"s"}}"#)),
        odd.clone().prop_map(|odd| format!(
            r#"{{"functionCall":{{"partialArgs":[{{"jsonPath":"$.a","numberValue":{odd}}}],"willContinue":true}}}}"#
        )),
        Just(r#"{"functionCall":{"name":"f","willContinue":true}}"#.to_owned()),
        Just(r#"{"functionCall":{}}"#.to_owned()),
    ];
    let whole = prop_oneof![
        part.prop_map(|part| parts(&part)),
        Just(STOP.to_owned()),
        Just(finish("\"OTHER\"")),
        odd.prop_map(|odd| format!(r#"{{"usageMetadata":{odd},"modelVersion":{odd},"error":null}}"#)),
    ];
    prop_oneof![9 => whole, 1 => ".{0,20}"]
}
