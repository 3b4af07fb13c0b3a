//! The terminal table of PROVIDERS §2 and §3, and what of a stream is the answer.

use super::*;
use crate::event::ErrorCode;

/// A response, put together.
#[derive(Debug, Default, PartialEq)]
struct Told {
    text: String,
    thinking: String,
    refusal: String,
    calls: Vec<(String, String, String)>,
    kept: usize,
    restarts: usize,
}

fn told(events: &[RawEvent]) -> (Told, Terminal) {
    let mut told = Told::default();
    for event in events {
        match event {
            RawEvent::Text { delta } => told.text.push_str(delta),
            RawEvent::Thinking { delta } => told.thinking.push_str(delta),
            RawEvent::Refusal { delta } => told.refusal.push_str(delta),
            RawEvent::ToolStart { id, name, .. } => told.calls.push((id.clone(), name.clone(), String::new())),
            RawEvent::ToolArgs { slot, delta } => told.calls[*slot as usize].2.push_str(delta),
            RawEvent::Keep { .. } => told.kept += 1,
            RawEvent::Restart => {
                told.text.clear();
                told.restarts += 1;
            }
            RawEvent::Usage { .. } | RawEvent::Model { .. } => {}
            RawEvent::Terminal { terminal } => return (told, terminal.clone()),
        }
    }
    panic!("no terminal")
}

fn stream(payloads: &[&str]) -> (Told, Terminal) {
    let (mut decoder, mut out) = (ResponsesDecoder::default(), Vec::new());
    for payload in payloads {
        decoder.frame(&Frame { event: None, data: (*payload).to_owned() }, &mut out);
    }
    decoder.finish(&mut out);
    let ends = out.iter().filter(|event| matches!(event, RawEvent::Terminal { .. })).count();
    assert_eq!((ends, decoder.is_done()), (1, true));
    assert!(matches!(out.last(), Some(RawEvent::Terminal { .. })), "something follows the terminal");
    told(&out)
}

const TEXT: &str = r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"{\"n\":7}"}"#;
const REFUSAL: &str = r#"{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"no"}"#;
const CALL: &str = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}"#;
const DONE: &str = r#"{"type":"response.completed","response":{"status":"completed"}}"#;

fn word(terminal: &Terminal) -> String {
    match terminal {
        Terminal::Stop => "stop".to_owned(),
        Terminal::ToolUse => "tool_use".to_owned(),
        Terminal::Length => "length".to_owned(),
        Terminal::Refusal => "refusal".to_owned(),
        Terminal::ContentFilter => "content_filter".to_owned(),
        Terminal::Paused => "paused".to_owned(),
        Terminal::ContextOverflow => "context_overflow".to_owned(),
        Terminal::Missing => "missing".to_owned(),
        Terminal::Unknown { word } => format!("unknown {word}"),
        Terminal::Error { failure } => {
            let again = if failure.retryable { "again" } else { "never" };
            format!("{} {again}", failure.code)
        }
    }
}

#[test]
fn the_terminal_table() {
    let incomplete = |reason: &str| {
        format!(
            r#"{{"type":"response.incomplete","response":{{"status":"incomplete","incomplete_details":{reason}}}}}"#
        )
    };
    let because = |reason: &str| incomplete(&format!(r#"{{"reason":"{reason}"}}"#));
    let failed = |code: &str| {
        let error = format!(r#"{{"code":"{code}","message":"m"}}"#);
        format!(r#"{{"type":"response.failed","response":{{"status":"failed","error":{error}}}}}"#)
    };
    for (name, payloads, want) in [
        ("completed with text", vec![TEXT.to_owned(), DONE.to_owned()], "stop"),
        ("completed with a refusal", vec![TEXT.to_owned(), REFUSAL.to_owned(), DONE.to_owned()], "refusal"),
        ("completed with a call", vec![CALL.to_owned(), DONE.to_owned()], "tool_use"),
        ("cut by tokens", vec![TEXT.to_owned(), because("max_output_tokens")], "length"),
        ("cut by messages", vec![TEXT.to_owned(), because("max_messages")], "paused"),
        ("steered", vec![TEXT.to_owned(), because("steered")], "paused"),
        ("filtered", vec![TEXT.to_owned(), because("content_filter")], "content_filter"),
        ("a reason of the future", vec![TEXT.to_owned(), because("moon phase")], "unknown moonphase"),
        ("no reason", vec![TEXT.to_owned(), incomplete("null")], "unknown incomplete"),
        ("context", vec![failed("context_length_exceeded")], "context_overflow"),
        ("policy", vec![failed("bio_policy")], "refusal"),
        ("policy", vec![failed("misalignment_policy_violation")], "refusal"),
        ("policy", vec![failed("invalid_prompt")], "refusal"),
        ("server", vec![failed("server_error")], "provider again"),
        ("rate", vec![failed("rate_limit_exceeded")], "rate_limited again"),
        ("quota", vec![failed("insufficient_quota")], "rate_limited never"),
        ("residency", vec![failed("data_residency_mismatch")], "provider never"),
        ("image", vec![failed("invalid_image")], "provider never"),
        ("a code of the future", vec![failed("moon_phase")], "provider again"),
        ("no error", vec![r#"{"type":"response.failed","response":{}}"#.to_owned()], "provider again"),
        (
            "cancelled",
            vec![r#"{"type":"response.completed","response":{"status":"cancelled"}}"#.to_owned()],
            "unknown cancelled",
        ),
        ("no end", vec![TEXT.to_owned()], "missing"),
        ("nothing", vec![], "missing"),
        ("not JSON", vec!["<html>".to_owned()], "provider again"),
    ] {
        let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
        assert_eq!(word(&stream(&payloads).1), want, "{name}");
    }
}

#[test]
fn an_error_event_may_be_flat_nested_or_bare() {
    let flat = r#"{"type":"error","code":"server_error","message":"m","param":null,"sequence_number":3}"#;
    let nested = r#"{"type":"error","sequence_number":2,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"m"}}"#;
    let bare = r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#;
    for (payload, want) in [
        (flat, "provider again"),
        (nested, "rate_limited never"),
        (bare, "context_overflow"),
        (r#"{"type":"error","code":"bio_policy","message":"m"}"#, "refusal"),
        (r#"{"type":"error"}"#, "provider again"),
    ] {
        let (told, terminal) = stream(&[TEXT, payload, DONE]);
        assert_eq!(word(&terminal), want, "{payload}");
        assert_eq!(told.text, r#"{"n":7}"#);
    }
    let named = Frame { event: Some("error".to_owned()), data: "plain words".to_owned() };
    let (mut decoder, mut out) = (ResponsesDecoder::default(), Vec::new());
    decoder.frame(&named, &mut out);
    let [RawEvent::Terminal { terminal: Terminal::Error { failure } }] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(failure.detail.as_deref(), Some("plain words"));
    assert!(!failure.message.contains("plain"));
}

#[test]
fn a_blocked_verdict_of_the_filter_wins() {
    for (blocked, want) in [("true", "content_filter"), ("false", "stop"), ("null", "stop")] {
        let last = format!(
            r#"{{"type":"response.completed","response":{{"status":"completed","content_filters":[{{"blocked":false,"source_type":"prompt"}},{{"blocked":{blocked},"source_type":"completion"}}]}}}}"#
        );
        assert_eq!(word(&stream(&[TEXT, &last]).1), want, "{blocked}");
    }
    // The verdict on a prompt, as a single chunk of a stream.
    let chunk = r#"{"error":{"message":"m","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
    assert_eq!(word(&stream(&[chunk]).1), "content_filter");
}

/// `output_item.added` of a message.
fn message(index: u64, phase: &str) -> String {
    let phase = if phase.is_empty() { String::new() } else { format!(r#","phase":"{phase}""#) };
    format!(
        r#"{{"type":"response.output_item.added","output_index":{index},"item":{{"type":"message","role":"assistant","content":[]{phase}}}}}"#
    )
}

fn says(index: u64, text: &str) -> String {
    format!(r#"{{"type":"response.output_text.delta","output_index":{index},"content_index":0,"delta":"{text}"}}"#)
}

#[test]
fn only_the_last_final_message_is_the_answer() {
    for (name, phases, want, thinking, restarts) in [
        ("one", vec![""], "m0", "", 0),
        ("the last, without phases", vec!["", ""], "m1", "", 1),
        ("commentary, then the answer", vec!["commentary", "final_answer"], "m1", "m0", 0),
        ("the answer, then commentary", vec!["final_answer", "commentary"], "m0", "m1", 0),
        ("two answers", vec!["final_answer", "final_answer"], "m1", "", 1),
        ("an answer after a message without phase", vec!["", "final_answer"], "m1", "", 1),
        ("a message without phase after the answer", vec!["final_answer", ""], "m0", "m1", 0),
        ("only commentary", vec!["commentary"], "", "m0", 0),
        ("a phase of the future", vec!["musing", "final_answer"], "m1", "", 1),
    ] {
        let mut payloads = Vec::new();
        for (index, phase) in (0..).zip(&phases) {
            payloads.extend([message(index, phase), says(index, &format!("m{index}"))]);
        }
        payloads.push(DONE.to_owned());
        let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
        let (told, terminal) = stream(&payloads);
        assert_eq!((told.text.as_str(), told.thinking.as_str(), told.restarts), (want, thinking, restarts), "{name}");
        assert_eq!(terminal, Terminal::Stop);
    }
}

#[test]
fn what_the_fragments_left_out_comes_from_the_whole() {
    let done = r#"{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"{\"n\":71}"}"#;
    let short = r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"{\"n\":"}"#;
    assert_eq!(stream(&[short, done, DONE]).0.text, r#"{"n":71}"#);
    assert_eq!(stream(&[done, done, DONE]).0.text, r#"{"n":71}"#, "a repetition adds nothing");
    assert_eq!(stream(&[TEXT, done, DONE]).0.text, r#"{"n":7}"#, "where they disagree the fragments stand");
    let last = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{\"n\":7}"}]}]}}"#;
    assert_eq!(stream(&[last]).0.text, r#"{"n":7}"#, "all of it in the last event");
    assert_eq!(stream(&[TEXT, last]).0.text, r#"{"n":7}"#, "and told only once");
}

#[test]
fn calls_are_put_together() {
    let fragment = |index: u64, text: &str| {
        format!(r#"{{"type":"response.function_call_arguments.delta","output_index":{index},"delta":"{text}"}}"#)
    };
    let done = r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"d","name":"g","arguments":"{}"}}"#;
    let (told, terminal) =
        stream(&[CALL, &fragment(0, "{\\\"x\\\":"), &fragment(1, "{"), &fragment(0, "1}"), done, DONE]);
    let call = |id: &str, name: &str, arguments: &str| (id.to_owned(), name.to_owned(), arguments.to_owned());
    assert_eq!(told.calls, [call("c", "f", r#"{"x":1}"#), call("d", "g", "{}")]);
    assert_eq!(terminal, Terminal::ToolUse);
    // A call whose name never came is one all the same.
    let (told, terminal) = stream(&[&fragment(0, "{}"), DONE]);
    assert_eq!((told.calls, terminal), (vec![call("", "", "{}")], Terminal::ToolUse));
}

/// Some servers that copy the interface leave the numbers of items out.
#[test]
fn items_without_numbers_are_told_apart_by_their_ids() {
    let added = |id: &str, kind: &str| {
        format!(
            r#"{{"type":"response.output_item.added","item":{{"type":"{kind}","id":"{id}","name":"f","call_id":"{id}"}}}}"#
        )
    };
    let text = r#"{"type":"response.output_text.delta","item_id":"m","delta":"t"}"#;
    let arguments = r#"{"type":"response.function_call_arguments.delta","item_id":"c","delta":"{}"}"#;
    let last = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"t"}]},{"type":"function_call","id":"c","arguments":"{}"}]}}"#;
    let (told, terminal) = stream(&[
        &added("r", "reasoning"),
        &added("m", "message"),
        text,
        &added("c", "function_call"),
        arguments,
        last,
    ]);
    assert_eq!((told.text.as_str(), terminal), ("t", Terminal::ToolUse));
    assert_eq!(told.calls, [("c".to_owned(), "f".to_owned(), "{}".to_owned())]);
    // Not even ids: text is the answer's all the same.
    let bare = r#"{"type":"response.output_text.delta","delta":"t"}"#;
    let reasoning = r#"{"type":"response.output_item.added","item":{"type":"reasoning"}}"#;
    assert_eq!(stream(&[reasoning, bare, DONE]).0.text, "t");
}

#[test]
fn encrypted_reasoning_is_kept_and_plain_reasoning_is_not() {
    let item = |rest: &str| {
        format!(
            r#"{{"type":"response.output_item.done","output_index":0,"item":{{"type":"reasoning","id":"r","summary":[{{"type":"summary_text","text":"hm"}}]{rest}}}}}"#
        )
    };
    let (told, _) = stream(&[&item(r#","encrypted_content":"gAAA""#), &says(1, "t"), DONE]);
    assert_eq!((told.kept, told.thinking.as_str()), (1, "hm"));
    let (told, _) = stream(&[&item(""), DONE]);
    assert_eq!((told.kept, told.thinking.as_str()), (0, "hm"));
}

#[test]
fn whole_bodies() {
    let whole = |body: &str| told(&decode_whole(body));
    let body = r#"{"object":"response","status":"STATUS","incomplete_details":{"reason":"max_output_tokens"},"error":{"code":"server_error"},"output":[{"type":"message","content":[{"type":"output_text","text":"t"}]}]}"#;
    for (status, want) in [
        ("completed", "stop"),
        ("incomplete", "length"),
        ("failed", "provider again"),
        ("in_progress", "missing"),
        ("queued", "missing"),
        ("cancelled", "unknown cancelled"),
    ] {
        let (told, terminal) = whole(&body.replace("STATUS", status));
        assert_eq!((told.text.as_str(), word(&terminal).as_str()), ("t", want), "{status}");
    }
    assert_eq!(word(&whole(r#"{"error":{"code":"invalid_api_key"}}"#).1), "auth never");
    assert_eq!(word(&whole("{}").1), "missing");
    assert_eq!(word(&whole("no").1), "provider again");
}

#[test]
fn refusals_of_service() {
    use super::super::failure::failure;
    for (status, body, code, again, provider_code) in [
        (
            400,
            r#"{"error":{"code":"context_length_exceeded"}}"#,
            ErrorCode::Incomplete,
            false,
            Some("context_length_exceeded"),
        ),
        (400, r#"{"error":{"code":"invalid_prompt"}}"#, ErrorCode::Refusal, false, Some("invalid_prompt")),
        (
            400,
            r#"{"error":{"type":"invalid_request_error","param":"text.format.schema"}}"#,
            ErrorCode::Provider,
            false,
            Some("invalid_request_error"),
        ),
        (
            400,
            r#"{"error":{"message":"m","type":null,"param":"prompt","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
            ErrorCode::Refusal,
            false,
            Some("content_filter"),
        ),
        (401, r#"{"error":{"code":"invalid_api_key"}}"#, ErrorCode::Auth, false, Some("invalid_api_key")),
        (401, r#"{"error":{"code":"401","message":"Access denied"}}"#, ErrorCode::Auth, false, Some("401")),
        (404, r#"{"error":{"code":"DeploymentNotFound"}}"#, ErrorCode::Provider, false, Some("DeploymentNotFound")),
        (408, "", ErrorCode::Provider, true, None),
        (409, "", ErrorCode::Provider, true, None),
        (425, "", ErrorCode::Provider, true, None),
        (422, "", ErrorCode::Provider, false, None),
        (429, r#"{"error":{"code":"insufficient_quota"}}"#, ErrorCode::RateLimited, false, Some("insufficient_quota")),
        (429, r#"{"error":{"code":"rate_limit_exceeded"}}"#, ErrorCode::RateLimited, true, Some("rate_limit_exceeded")),
        (500, "<html>", ErrorCode::Provider, true, None),
        (503, r#"["x"]"#, ErrorCode::Provider, true, None),
    ] {
        let failure = failure(status, body.as_bytes());
        let got = (failure.code, failure.retryable, failure.provider_code.as_deref(), failure.status);
        assert_eq!(got, (code, again, provider_code, Some(status)), "{status} {body}");
    }
    let named = failure(400, br#"{"error":{"type":"invalid_request_error","param":"text.format.schema"}}"#);
    assert!(named.message.contains("response format"));
}
