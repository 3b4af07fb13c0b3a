//! Streams written by hand, one for each way an answer can end in each dialect: the recordings do not hold them all.

use formwork::capability::Dialect;

use super::stage::{Act, Kind};
use super::wires::frame;

fn act(dialect: Dialect, name: &str, body: impl Into<Vec<u8>>) -> Act {
    Act { name: format!("made: {} {name}", dialect.name()), dialect, kind: Kind::Stream, body: body.into() }
}

pub(crate) fn acts() -> Vec<Act> {
    let mut acts = chat();
    acts.extend(responses(Dialect::OpenaiResponses));
    acts.extend(responses(Dialect::AzureOpenaiResponses));
    acts.extend(anthropic());
    acts.extend(google());
    if cfg!(feature = "bedrock") {
        acts.extend(bedrock());
    }
    acts.extend(ollama());
    acts
}

/// `data:` lines, ended as chat servers end.
fn data(payloads: &[&str]) -> String {
    payloads.iter().flat_map(|payload| ["data: ", payload, "\n\n"]).collect()
}

fn chat() -> Vec<Act> {
    let chunk = |delta: &str, finish: &str| {
        format!(
            r#"{{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}"#
        )
    };
    let said = chunk(r#"{"role":"assistant","content":"{\"n\":"}"#, "null");
    let usage = r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#;
    let call = |index: u8, rest: &str| chunk(&format!(r#"{{"tool_calls":[{{"index":{index},{rest}}}]}}"#), "null");
    let ending = |word: &str| {
        let finish = chunk("{}", &format!("{word:?}"));
        act(Dialect::OpenaiChat, word, data(&[&said, &chunk(r#"{"content":"7}"}"#, "null"), &finish, usage, "[DONE]"]))
    };
    let mut acts: Vec<Act> = ["stop", "length", "content_filter"].into_iter().map(ending).collect();
    let calls = [
        call(0, r#""id":"a","type":"function","function":{"name":"f","arguments":""}"#),
        call(1, r#""id":"b","type":"function","function":{"name":"g","arguments":"{\"y\""}"#),
        call(0, r#""function":{"arguments":"{\"x\":1.50}"}"#),
        call(1, r#""function":{"arguments":":\"é\"}"}"#),
        chunk("{}", "\"tool_calls\""),
    ];
    let mut both: Vec<&str> = calls.iter().map(String::as_str).collect();
    both.extend([usage, "[DONE]"]);
    acts.push(act(Dialect::OpenaiChat, "two calls, interleaved", data(&both)));
    acts.push(act(
        Dialect::OpenaiChat,
        "refusal",
        data(&[&chunk(r#"{"refusal":"No."}"#, "null"), &chunk("{}", "\"stop\""), "[DONE]"]),
    ));
    acts.push(act(Dialect::OpenaiChat, "an end without a reason", data(&[&said, "[DONE]"])));
    acts.push(act(Dialect::OpenaiChat, "an end without anything", data(&[&said])));
    let fault = r#"{"error":{"message":"m","type":"server_error","param":null,"code":"overloaded"}}"#;
    acts.push(act(Dialect::OpenaiChat, "a fault", data(&[&said, fault])));
    acts
}

/// `event:` and `data:`, the first being the second's type.
fn named(payloads: &[String]) -> String {
    let name = |payload: &str| payload.split('"').nth(3).unwrap().to_owned();
    payloads.iter().map(|payload| format!("event: {}\ndata: {payload}\n\n", name(payload))).collect()
}

fn responses(dialect: Dialect) -> Vec<Act> {
    let response = |status: &str, more: &str, output: &str| {
        format!(
            r#"{{"id":"r","object":"response","created_at":1,"model":"m","status":"{status}","parallel_tool_calls":true,"tool_choice":"auto","tools":[],"output":[{output}],"usage":{{"input_tokens":3,"output_tokens":4,"total_tokens":7,"input_tokens_details":{{"cached_tokens":0}},"output_tokens_details":{{"reasoning_tokens":0}}}}{more}}}"#
        )
    };
    let created =
        format!(r#"{{"type":"response.created","sequence_number":0,"response":{}}}"#, response("in_progress", "", ""));
    let part = |part: &str| {
        format!(r#"{{"type":"message","id":"i","role":"assistant","status":"completed","content":[{part}]}}"#)
    };
    let text = part(r#"{"type":"output_text","text":"{\"n\":7}","annotations":[]}"#);
    let added = r#"{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"i","role":"assistant","status":"in_progress","content":[]}}"#;
    let begun = r#"{"type":"response.content_part.added","sequence_number":2,"item_id":"i","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}"#;
    let delta = |text: &str| {
        format!(
            r#"{{"type":"response.output_text.delta","sequence_number":3,"item_id":"i","output_index":0,"content_index":0,"delta":{text:?},"logprobs":[]}}"#
        )
    };
    let saying = |last: Option<String>| {
        let mut all = vec![created.clone(), added.to_owned(), begun.to_owned(), delta("{\"n\":"), delta("7}")];
        all.extend(last);
        named(&all)
    };
    let last = |word: &str, response: String| {
        Some(format!(r#"{{"type":"response.{word}","sequence_number":9,"response":{response}}}"#))
    };
    let cut = |reason: &str| {
        let more = format!(r#","incomplete_details":{{"reason":"{reason}"}}"#);
        act(dialect, reason, saying(last("incomplete", response("incomplete", &more, &text))))
    };
    let failed = |code: &str| {
        let more = format!(r#","error":{{"code":"{code}","message":"m"}}"#);
        act(dialect, code, named(&[created.clone(), last("failed", response("failed", &more, "")).unwrap()]))
    };
    let call =
        r#"{"type":"function_call","id":"f","call_id":"a","name":"f","arguments":"{\"x\":1.50}","status":"completed"}"#;
    let opened = r#"{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"function_call","id":"f","call_id":"a","name":"f","arguments":"","status":"in_progress"}}"#;
    let argued = r#"{"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"f","output_index":0,"delta":"{\"x\":1.50}"}"#;
    let refused = part(r#"{"type":"refusal","refusal":"No."}"#);
    let refusing = r#"{"type":"response.refusal.delta","sequence_number":3,"item_id":"i","output_index":0,"content_index":0,"delta":"No."}"#;
    vec![
        act(dialect, "completed", saying(last("completed", response("completed", "", &text)))),
        cut("max_output_tokens"),
        cut("content_filter"),
        failed("server_error"),
        failed("rate_limit_exceeded"),
        act(
            dialect,
            "a call",
            named(&[
                created.clone(),
                opened.to_owned(),
                argued.to_owned(),
                last("completed", response("completed", "", call)).unwrap(),
            ]),
        ),
        act(
            dialect,
            "refusal",
            named(&[
                created.clone(),
                added.to_owned(),
                refusing.to_owned(),
                last("completed", response("completed", "", &refused)).unwrap(),
            ]),
        ),
        act(dialect, "an end without anything", saying(None)),
    ]
}

fn anthropic() -> Vec<Act> {
    let start = r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#;
    let text = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"n\":7}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
    ];
    let tool = [
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\": 1"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":".5}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"u","name":"g","input":{}}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
    ];
    let stop = |word: &str| {
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{word}","stop_sequence":null}},"usage":{{"output_tokens":4}}}}"#
        )
    };
    let of = |name: &str, parts: &[&[&str]], rest: &[&str]| {
        let all: Vec<String> = [&[start][..]]
            .iter()
            .chain(parts)
            .chain(&[rest])
            .flat_map(|part| part.iter().map(|p| (*p).to_owned()))
            .collect();
        act(Dialect::Anthropic, name, named(&all))
    };
    let over = r#"{"type":"message_stop"}"#;
    let mut acts: Vec<Act> = [
        "end_turn",
        "stop_sequence",
        "max_tokens",
        "refusal",
        "pause_turn",
        "model_context_window_exceeded",
        "compaction",
        "of the future",
    ]
    .into_iter()
    .map(|word| of(word, &[&text, &[r#"{"type":"ping"}"#]], &[&stop(word), over]))
    .collect();
    acts.push(of("tool_use", &[&text, &tool], &[&stop("tool_use"), over]));
    acts.push(of("refusal after complete calls", &[&text, &tool], &[&stop("refusal"), over]));
    acts.push(of("an end without its mark", &[&text], &[&stop("end_turn")]));
    acts.push(of("a fault", &[&text], &[r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#]));
    acts
}

fn google() -> Vec<Act> {
    let chunk = |parts: &str, more: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"index":0{more}}}],"usageMetadata":{{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}},"modelVersion":"m"}}"#
        )
    };
    let text = chunk(r#"{"text":"{\"n\":"}"#, "");
    let ending = |word: &str| {
        let last = chunk(r#"{"text":"7}"}"#, &format!(r#","finishReason":"{word}""#));
        act(Dialect::Google, word, data(&[&text, &last]))
    };
    let mut acts: Vec<Act> = [
        "STOP",
        "MAX_TOKENS",
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "OTHER",
    ]
    .into_iter()
    .map(ending)
    .collect();
    let call = chunk(r#"{"functionCall":{"id":"a","name":"f","args":{"x":1.5}}}"#, r#","finishReason":"STOP""#);
    let thought = chunk(r#"{"text":"hm","thought":true}"#, "");
    acts.push(act(Dialect::Google, "a thought and a call", data(&[&thought, &call])));
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3},"modelVersion":"m"}"#;
    acts.push(act(Dialect::Google, "a blocked prompt", data(&[blocked])));
    acts.push(act(Dialect::Google, "an end without a reason", data(&[&text])));
    acts
}

fn bedrock() -> Vec<Act> {
    let event = |name: &str, payload: &str| frame(name, payload.as_bytes());
    let start = event("messageStart", r#"{"role":"assistant"}"#);
    let text = event("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"{\"n\":7}"}}"#);
    let done = event("contentBlockStop", r#"{"contentBlockIndex":0}"#);
    let usage = event(
        "metadata",
        r#"{"usage":{"inputTokens":3,"outputTokens":4,"totalTokens":7},"metrics":{"latencyMs":1},"p":"abcdef"}"#,
    );
    let stop = |word: &str| event("messageStop", &format!(r#"{{"stopReason":"{word}"}}"#));
    let mut acts: Vec<Act> = [
        "end_turn",
        "stop_sequence",
        "max_tokens",
        "guardrail_intervened",
        "content_filtered",
        "malformed_model_output",
        "malformed_tool_use",
        "model_context_window_exceeded",
        "refusal",
    ]
    .into_iter()
    .map(|word| act(Dialect::Bedrock, word, [&start[..], &text, &done, &stop(word), &usage].concat()))
    .collect();
    let tool = [
        event("contentBlockStart", r#"{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"a","name":"f"}}}"#),
        event("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"x\": 1"}}}"#),
        event("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":".5}"}}}"#),
        event("contentBlockStop", r#"{"contentBlockIndex":1}"#),
    ]
    .concat();
    acts.push(act(Dialect::Bedrock, "tool_use", [&start[..], &text, &done, &tool, &stop("tool_use"), &usage].concat()));
    acts.push(act(Dialect::Bedrock, "an end without its mark", [&start[..], &text, &done].concat()));
    for name in ["throttlingException", "internalServerException", "modelStreamErrorException", "validationException"] {
        let fault = super::exception(name, br#"{"message":"m"}"#);
        acts.push(act(Dialect::Bedrock, name, [&start[..], &text, &fault].concat()));
    }
    acts
}

fn ollama() -> Vec<Act> {
    let line = |message: &str, more: &str| {
        format!(
            "{{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{{\"role\":\"assistant\",{message}}},{more}}}\n"
        )
    };
    let text = line(r#""content":"{\"n\":7}""#, r#""done":false"#);
    let thought = line(r#""content":"","thinking":"hm""#, r#""done":false"#);
    let call =
        line(r#""content":"","tool_calls":[{"function":{"name":"f","arguments":{"x":1.5}}}]"#, r#""done":false"#);
    let end = |word: &str| {
        line(r#""content":"""#, &format!(r#""done":true,"done_reason":"{word}","prompt_eval_count":3,"eval_count":4"#))
    };
    let of = |name: &str, lines: &[&str]| act(Dialect::Ollama, name, lines.concat());
    vec![
        of("stop", &[&thought, &text, &end("stop")]),
        of("length", &[&text, &end("length")]),
        of("a call", &[&call, &end("stop")]),
        of("an end without its mark", &[&text]),
        of("a fault", &[&text, "{\"error\":\"m\"}\n"]),
    ]
}
