//! Bodies against text written by hand from PROVIDERS §2 and §3.

use super::*;
use std::sync::Arc;

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

fn system(text: &str) -> Message {
    Message::System { text: text.to_owned() }
}

fn native() -> NativeFormat {
    NativeFormat {
        name: "response".to_owned(),
        description: Some("D".to_owned()),
        strict: true,
        schema: json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}}),
    }
}

fn tool(strict: bool) -> ToolSpec {
    ToolSpec {
        name: "lookup".to_owned(),
        description: "Look up a value".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        strict,
    }
}

#[track_caller]
fn wire(manner: Manner, call: &Call, expected: &str) {
    assert_eq!(serde_json::to_string(&body(manner, call)).unwrap(), expected);
}

#[test]
fn native_schema_and_effort_stand_side_by_side() {
    let mut native_call = call(vec![system("S"), system("T"), Message::user("U")]);
    native_call.format = Some(native());
    native_call.max_output_tokens = Some(4096);
    native_call.reasoning_effort = Some("low".to_owned());
    wire(
        Manner::Vendor,
        &native_call,
        concat!(
            r#"{"model":"M","stream":true,"store":false,"include":["reasoning.encrypted_content"],"#,
            r#""instructions":"S\n\nT","input":[{"role":"user","content":[{"type":"input_text","text":"U"}]}],"#,
            r#""text":{"format":{"type":"json_schema","name":"response","description":"D","strict":true,"#,
            r#""schema":{"type":"object","required":["b"],"properties":{"b":{"type":"integer"}}}}},"#,
            r#""reasoning":{"effort":"low"},"max_output_tokens":4096}"#
        ),
    );
}

#[test]
fn tools_always_say_whether_they_are_strict() {
    let mut tools = call(vec![Message::user("U")]);
    tools.tools = vec![tool(false), tool(true)];
    tools.tool_choice = ToolChoice::Named("lookup".to_owned());
    wire(
        Manner::Vendor,
        &tools,
        concat!(
            r#"{"model":"M","stream":true,"store":false,"#,
            r#""input":[{"role":"user","content":[{"type":"input_text","text":"U"}]}],"#,
            r#""tools":[{"type":"function","name":"lookup","description":"Look up a value","#,
            r#""parameters":{"type":"object","properties":{}},"strict":false},"#,
            r#"{"type":"function","name":"lookup","description":"Look up a value","#,
            r#""parameters":{"type":"object","properties":{}},"strict":true}],"#,
            r#""tool_choice":{"type":"function","name":"lookup"},"parallel_tool_calls":false}"#
        ),
    );
}

#[test]
fn choices_and_parallel_calls() {
    let plain = call(vec![Message::user("U")]);
    let with = |choice: ToolChoice| Call { tools: vec![tool(false)], tool_choice: choice, ..plain.clone() };
    for (choice, word) in [
        (ToolChoice::Unset, None),
        (ToolChoice::Auto, Some("auto")),
        (ToolChoice::None, Some("none")),
        (ToolChoice::Required, Some("required")),
    ] {
        assert_eq!(body(Manner::Vendor, &with(choice)).get("tool_choice"), word.map(Value::from).as_ref());
    }
    let parallel = |manner, strict, schema: bool, wanted, tools: bool| {
        let call = Call {
            tools: if tools { vec![tool(strict)] } else { Vec::new() },
            format: schema.then(native),
            parallel_tool_calls: wanted,
            ..plain.clone()
        };
        body(manner, &call).get("parallel_tool_calls").and_then(Value::as_bool)
    };
    for (manner, strict, schema, wanted, tools, sent) in [
        (Manner::Vendor, false, false, None, true, None),
        (Manner::Vendor, true, false, None, true, Some(false)),
        (Manner::Vendor, true, false, Some(true), true, Some(true)),
        (Manner::Vendor, false, true, None, true, None),
        (Manner::Vendor, false, false, Some(false), false, None),
        (Manner::Azure, false, true, Some(true), true, Some(false)),
        (Manner::Azure, true, false, Some(true), true, Some(false)),
        (Manner::Azure, false, false, Some(true), true, Some(true)),
        (Manner::Azure, false, true, None, false, None),
    ] {
        assert_eq!(parallel(manner, strict, schema, wanted, tools), sent, "{manner:?} {strict} {schema} {wanted:?}");
    }
}

#[test]
fn a_conversation_with_kept_reasoning_and_a_rejected_call() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let foreign = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    let history = vec![
        Message::user("U"),
        Message::Assistant {
            text: "on it".to_owned(),
            calls: vec![
                ToolCall { id: "c1".to_owned(), name: "a".to_owned(), arguments: r#"{"x": 1.50}"#.to_owned() },
                ToolCall { id: "c2".to_owned(), name: "b".to_owned(), arguments: String::new() },
            ],
            kept: vec![reasoning.clone(), foreign],
        },
        Message::ToolResult {
            call_id: "c1".to_owned(),
            name: "a".to_owned(),
            content: "no".to_owned(),
            is_error: true,
        },
        // Reasoning that led to nothing is not sent: the service refuses it alone.
        Message::Assistant { text: String::new(), calls: Vec::new(), kept: vec![reasoning] },
        system("later"),
    ];
    wire(
        Manner::Vendor,
        &call(history),
        concat!(
            r#"{"model":"M","stream":true,"store":false,"input":["#,
            r#"{"role":"user","content":[{"type":"input_text","text":"U"}]},"#,
            r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},"#,
            r#"{"role":"assistant","content":"on it"},"#,
            r#"{"type":"function_call","call_id":"c1","name":"a","arguments":"{\"x\": 1.50}"},"#,
            r#"{"type":"function_call","call_id":"c2","name":"b","arguments":"{}"},"#,
            r#"{"type":"function_call_output","call_id":"c1","output":"no"},"#,
            r#"{"role":"assistant","content":""},"#,
            r#"{"role":"developer","content":[{"type":"input_text","text":"later"}]}]}"#
        ),
    );
}

#[test]
fn files_go_as_text_image_and_document() {
    let file = |name: &str, media: &str, bytes: &[u8]| Attachment {
        name: name.to_owned(),
        media_type: media.to_owned(),
        bytes: Arc::from(bytes),
    };
    let files = vec![file("a.png", "image/png", b"\x89PNG"), file("d.pdf", "application/pdf", b"%PDF")];
    let message = Message::User { text: "U".to_owned(), attachments: files };
    wire(
        Manner::Azure,
        &call(vec![message]),
        concat!(
            r#"{"model":"M","stream":true,"store":false,"input":[{"role":"user","content":["#,
            r#"{"type":"input_text","text":"U"},"#,
            r#"{"type":"input_image","image_url":"data:image/png;base64,iVBORw==","detail":"auto"},"#,
            r#"{"type":"input_file","filename":"d.pdf","file_data":"data:application/pdf;base64,JVBERg=="}]}]}"#
        ),
    );
}

#[test]
fn only_models_that_reason_are_asked_for_their_reasoning() {
    let plain = call(vec![Message::user("U")]);
    let asks = |manner, id: &str, effort: Option<&str>| {
        let call = Call { model_id: id.to_owned(), reasoning_effort: effort.map(str::to_owned), ..plain.clone() };
        body(manner, &call).get("include").is_some()
    };
    for (id, reasons) in [
        ("gpt-5", true),
        ("gpt-5.6-sol", true),
        ("gpt-5-mini", true),
        ("gpt-6-astra", true),
        ("o3", true),
        ("o4-mini", true),
        ("gpt-5-chat-latest", false),
        ("gpt-4o", false),
        ("gpt-4.1-mini", false),
        ("gpt-50", false),
        ("omni", false),
    ] {
        assert_eq!(asks(Manner::Vendor, id, None), reasons, "{id}");
    }
    assert!(!asks(Manner::Azure, "gpt-5", None), "a deployment's name says nothing");
    assert!(asks(Manner::Azure, "mine", Some("low")), "the caller says that it reasons");
}
