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

/// The router gets its own reasoning back, unchanged and in order; nobody gets another dialect's.
#[test]
fn reasoning_goes_back_to_where_it_came_from() {
    let ours = json!({"type": "reasoning.text", "text": "hm", "signature": "SIG", "format": "x", "index": 0});
    let hidden = json!({"type": "reasoning.encrypted", "data": "gAAA", "id": "rs_1"});
    let foreign = [json!({"type": "reasoning", "encrypted_content": "x"}), json!({"text": 0, "calls": 0, "block": {}})];
    let kept: Vec<Value> = [ours, hidden].into_iter().chain(foreign.clone()).collect();
    let calls = vec![ToolCall { id: "c".to_owned(), name: "a".to_owned(), arguments: "{}".to_owned() }];
    let history = vec![
        Message::Assistant { text: "t".to_owned(), calls: Vec::new(), kept: kept.clone() },
        Message::Assistant { text: String::new(), calls, kept: kept.clone() },
        // Reasoning that led to nothing is not sent.
        Message::Assistant { text: String::new(), calls: Vec::new(), kept },
        Message::Assistant { text: "t".to_owned(), calls: Vec::new(), kept: foreign.to_vec() },
    ];
    let details = concat!(
        r#""reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"SIG","format":"x","index":0},"#,
        r#"{"type":"reasoning.encrypted","data":"gAAA","id":"rs_1"}]"#
    );
    wire(
        &target("openrouter", "https://openrouter.ai/api/v1", false),
        &call(history),
        &[
            r#"{"model":"M","stream":true,"stream_options":{"include_usage":true},"messages":["#,
            r#"{"role":"assistant","content":"t","#,
            details,
            r#"},{"role":"assistant","content":null,"tool_calls":["#,
            r#"{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}],"#,
            details,
            r#"},{"role":"assistant","content":""},{"role":"assistant","content":"t"}]}"#,
        ]
        .concat(),
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

fn file(media_type: &str, bytes: &[u8]) -> Attachment {
    Attachment { name: "a.x".to_owned(), media_type: media_type.to_owned(), bytes: bytes.into() }
}

#[test]
fn files_are_parts_behind_the_prompt() {
    let files = vec![file("image/png", b"\x89PNG"), file("application/pdf", b"%PDF-"), file("text/plain", b"a")];
    wire(
        &openai(),
        &call(vec![Message::User { text: "U".to_owned(), attachments: files }]),
        concat!(
            r#"{"model":"M","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":["#,
            r#"{"type":"text","text":"U"},"#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}},"#,
            r#"{"type":"file","file":{"filename":"a.x","file_data":"data:application/pdf;base64,JVBERi0="}},"#,
            r#"{"type":"text","text":"File \"a.x\":\n```\na\n```"}]}]}"#
        ),
    );
}

#[test]
fn which_server_takes_which_file() {
    for (provider, image, pdf) in [
        ("openrouter", true, true),
        ("groq", true, false),
        ("llama_cpp", true, false),
        ("lab", true, false),
        ("deepseek", false, false),
    ] {
        let target = target(provider, "http://x", false);
        let taken = |media_type| accepts_at(&target, &file(media_type, b"x")).is_ok();
        assert_eq!((taken("image/png"), taken("application/pdf")), (image, pdf), "{provider}");
        assert!(taken("text/plain") && !taken("audio/wav"), "{provider}");
    }
    assert!(accepts_at(&openai(), &file("application/pdf", b"x")).is_ok());
}

/// PROVIDERS §7, server by server: schema, strict tool, forced choice, parallel switch.
#[test]
fn each_server_in_its_manner() {
    let format =
        NativeFormat { name: "r".to_owned(), description: None, strict: true, schema: json!({"type": "object"}) };
    let named = r#"{"type":"function","function":{"name":"lookup"}}"#;
    for (provider, base, kind, strict, choice, parallel) in [
        ("lab", "http://x", "json_schema", "true", named, "false"),
        ("openrouter", "http://x", "json_schema", "true", named, "false"),
        ("groq", "http://x", "json_schema", "true", named, "false"),
        ("mistral", "http://x", "json_schema", "true", named, "false"),
        ("xai", "http://x", "json_schema", "true", named, "false"),
        ("vllm", "http://x", "json_schema", "true", named, "false"),
        ("llama_cpp", "http://x", "json_schema", "true", r#""required""#, "false"),
        ("lmstudio", "http://x", "json_schema", "true", r#""required""#, "false"),
        ("ollama", "http://x", "json_schema", "true", "null", "null"),
        ("deepseek", "https://api.deepseek.com/v1", "json_object", "null", named, "false"),
        ("deepseek", "https://api.deepseek.com/beta", "json_object", "true", named, "false"),
    ] {
        let mut all = call(vec![user("U")]);
        (all.format, all.tools, all.tool_choice) =
            (Some(format.clone()), vec![lookup(true)], ToolChoice::Named("lookup".to_owned()));
        let body = build(&target(provider, base, false), &all).body;
        assert_eq!(body["response_format"]["type"], kind, "{provider}");
        assert_eq!(body["tools"][0]["function"]["strict"].to_string(), strict, "{provider} {base}");
        assert_eq!(body["tool_choice"].to_string(), choice, "{provider}");
        assert_eq!(body["parallel_tool_calls"].to_string(), parallel, "{provider}");
        assert_eq!((body.get("max_tokens"), body["messages"][0]["role"].as_str()), (None, Some("user")), "{provider}");
    }
    // There all tools must be strict: a mixed list has none.
    let mut mixed = call(vec![user("U")]);
    mixed.tools = vec![lookup(true), lookup(false)];
    let body = build(&target("deepseek", "https://api.deepseek.com/beta", false), &mixed).body;
    assert_eq!(body["tools"][0]["function"].get("strict"), None);
}

#[test]
fn tools_exclude_reasoning_on_some_models_of_the_vendor() {
    for (model, with_tools, without) in [
        ("gpt-5.6-sol", Some("none"), Some("high")),
        ("gpt-5.10", Some("none"), Some("high")),
        ("gpt-5.5", Some("high"), Some("high")),
        ("gpt-5-mini", Some("high"), Some("high")),
        ("gpt-6-luna", Some("high"), Some("high")),
    ] {
        let mut tools = call(vec![user("U")]);
        (tools.model_id, tools.reasoning_effort) = (model.to_owned(), Some("high".to_owned()));
        assert_eq!(build(&openai(), &tools).body["reasoning_effort"].as_str(), without, "{model}");
        tools.tools = vec![lookup(true)];
        assert_eq!(build(&openai(), &tools).body["reasoning_effort"].as_str(), with_tools, "{model}");
        let elsewhere = build(&target("lab", "http://x", false), &tools).body;
        assert_eq!(elsewhere["reasoning_effort"].as_str(), Some("high"), "{model}");
    }
}
