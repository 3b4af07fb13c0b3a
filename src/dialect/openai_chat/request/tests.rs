//! Requests byte for byte, written by hand from PROVIDERS §1 and §7.

use super::*;
use crate::json::Value;

fn target(provider: &str, base: &str, official: bool) -> Target {
    Target { base_url: base.to_owned(), provider: provider.to_owned(), official }
}

fn openai() -> Target {
    target("openai", "https://api.openai.com/v1", true)
}

fn user(text: &str) -> Message {
    Message::user(text)
}

fn call(messages: Vec<Message>) -> Call {
    Call {
        model_id: "M".to_owned(),
        messages,
        format: None,
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: None,
        reasoning_effort: None,
    }
}

fn schema() -> Value {
    json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}, "additionalProperties": false})
}

fn lookup(strict: bool) -> ToolSpec {
    ToolSpec {
        name: "lookup".to_owned(),
        description: "Look up a value".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        strict,
    }
}

#[track_caller]
fn wire(target: &Target, call: &Call, expected: &str) {
    assert_eq!(serde_json::to_string(&build(target, call).body).unwrap(), expected);
}

#[test]
fn native_schema_on_the_vendors_endpoint() {
    let mut native = call(vec![Message::System { text: "S".to_owned() }, user("U")]);
    native.format = Some(NativeFormat {
        name: "response".to_owned(),
        description: Some("D".to_owned()),
        strict: true,
        schema: schema(),
    });
    native.max_output_tokens = Some(4096);
    native.reasoning_effort = Some("low".to_owned());
    wire(
        &openai(),
        &native,
        concat!(
            r#"{"model":"M","stream":true,"stream_options":{"include_usage":true},"#,
            r#""messages":[{"role":"developer","content":"S"},{"role":"user","content":"U"}],"#,
            r#""response_format":{"type":"json_schema","json_schema":{"name":"response","description":"D","#,
            r#""strict":true,"schema":{"type":"object","required":["b"],"properties":{"b":{"type":"integer"}},"#,
            r#""additionalProperties":false}}},"max_completion_tokens":4096,"reasoning_effort":"low"}"#
        ),
    );
}

#[test]
fn a_compatible_server_gets_the_older_words() {
    let mut plain = call(vec![Message::System { text: "S".to_owned() }, user("U")]);
    plain.max_output_tokens = Some(16);
    plain.parallel_tool_calls = Some(false);
    plain.tool_choice = ToolChoice::Required;
    wire(
        &target("lab", "http://127.0.0.1:8080/v1", false),
        &plain,
        concat!(
            r#"{"model":"M","stream":true,"stream_options":{"include_usage":true},"#,
            r#""messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"max_tokens":16}"#
        ),
    );
}

#[test]
fn tools_and_their_choice() {
    let mut tools = call(vec![user("U")]);
    tools.tools = vec![lookup(false), lookup(true)];
    tools.tool_choice = ToolChoice::Named("lookup".to_owned());
    wire(
        &openai(),
        &tools,
        concat!(
            r#"{"model":"M","stream":true,"stream_options":{"include_usage":true},"#,
            r#""messages":[{"role":"user","content":"U"}],"tools":["#,
            r#"{"type":"function","function":{"name":"lookup","description":"Look up a value","#,
            r#""parameters":{"type":"object","properties":{}}}},"#,
            r#"{"type":"function","function":{"name":"lookup","description":"Look up a value","#,
            r#""parameters":{"type":"object","properties":{}},"strict":true}}],"#,
            r#""tool_choice":{"type":"function","function":{"name":"lookup"}},"parallel_tool_calls":false}"#
        ),
    );
    tools.parallel_tool_calls = Some(true);
    assert_eq!(build(&openai(), &tools).body["parallel_tool_calls"], Value::Bool(true));
    tools.parallel_tool_calls = None;
    tools.tools = vec![lookup(false)];
    assert_eq!(build(&openai(), &tools).body.get("parallel_tool_calls"), None);
}

#[test]
fn a_rejected_call_and_its_result() {
    let calls = vec![
        ToolCall { id: "c1".to_owned(), name: "a".to_owned(), arguments: r#"{"x": 1.50}"#.to_owned() },
        ToolCall { id: "c2".to_owned(), name: "b".to_owned(), arguments: String::new() },
    ];
    let history = vec![
        Message::Assistant { text: String::new(), calls, kept: Vec::new() },
        Message::ToolResult {
            call_id: "c1".to_owned(),
            name: "a".to_owned(),
            content: "no".to_owned(),
            is_error: true,
        },
        Message::assistant("t"),
    ];
    wire(
        &openai(),
        &call(history),
        concat!(
            r#"{"model":"M","stream":true,"stream_options":{"include_usage":true},"messages":["#,
            r#"{"role":"assistant","content":null,"tool_calls":["#,
            r#"{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"x\": 1.50}"}},"#,
            r#"{"id":"c2","type":"function","function":{"name":"b","arguments":"{}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"no"},{"role":"assistant","content":"t"}]}"#
        ),
    );
}

#[test]
fn servers_that_want_it_otherwise() {
    let mut structured = call(vec![user("U")]);
    structured.tools = vec![lookup(true)];
    structured.tool_choice = ToolChoice::Required;
    for target in [target("openrouter", "http://x", false), target("or", "https://openrouter.ai/api/v1", false)] {
        assert_eq!(build(&target, &structured).body["provider"], json!({"require_parameters": true}));
    }
    let mistral = build(&target("mistral", "https://api.mistral.ai/v1", false), &structured).body;
    assert_eq!((mistral.get("stream_options"), &mistral["tool_choice"]), (None, &Value::from("any")));
    let elsewhere = build(&target("lab", "https://example.com/openrouter.ai", false), &structured).body;
    assert_eq!(elsewhere.get("provider"), None);
}

#[test]
fn the_address_and_the_headers() {
    for (base, url) in [
        ("https://h/v1", "https://h/v1/chat/completions"),
        ("https://h/v1/", "https://h/v1/chat/completions"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/v1?api-version=1", "https://h/v1/chat/completions?api-version=1"),
    ] {
        assert_eq!(build(&target("lab", base, false), &call(Vec::new())).url, url);
    }
    let request = build(&openai(), &call(Vec::new()));
    let names: Vec<&str> = request.headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(names, ["content-type", "accept"]);
    assert!(request.headers.iter().all(|header| !header.secret));
}
