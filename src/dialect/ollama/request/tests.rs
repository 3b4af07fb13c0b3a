//! Bodies against text written by hand from PROVIDERS §7.3.

use std::sync::Arc;

use super::*;
use crate::dialect::{Attachment, NativeFormat};

fn call(messages: Vec<Message>) -> Call {
    Call {
        model_id: "qwen3:4b".to_owned(),
        messages,
        format: None,
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: Some(false),
        max_output_tokens: None,
        reasoning_effort: None,
    }
}

#[track_caller]
fn wire(call: &Call, expected: &str) {
    assert_eq!(serde_json::to_string(&body(call)).unwrap(), expected);
}

#[test]
fn the_schema_is_an_object_in_format() {
    let mut native = call(vec![Message::System { text: "S".to_owned() }, Message::user("U")]);
    native.format = Some(NativeFormat {
        name: "response".to_owned(),
        description: Some("D".to_owned()),
        strict: true,
        schema: json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}}),
    });
    native.max_output_tokens = Some(4096);
    native.reasoning_effort = Some("none".to_owned());
    wire(
        &native,
        concat!(
            r#"{"model":"qwen3:4b","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"#,
            r#""stream":true,"format":{"type":"object","required":["b"],"properties":{"b":{"type":"integer"}}},"#,
            r#""think":false,"options":{"num_predict":4096}}"#
        ),
    );
}

#[test]
fn tools_and_a_conversation_with_calls() {
    let history = vec![
        Message::Assistant {
            text: String::new(),
            calls: vec![
                ToolCall { id: "c1".to_owned(), name: "a".to_owned(), arguments: r#"{"x": 1.50}"#.to_owned() },
                ToolCall { id: "c2".to_owned(), name: "b".to_owned(), arguments: String::new() },
                ToolCall { id: "c3".to_owned(), name: "c".to_owned(), arguments: r#"{"x":"#.to_owned() },
                ToolCall { id: "c4".to_owned(), name: "d".to_owned(), arguments: "[1]".to_owned() },
            ],
            kept: Vec::new(),
        },
        Message::ToolResult {
            call_id: "c1".to_owned(),
            name: "a".to_owned(),
            content: "no".to_owned(),
            is_error: true,
        },
        Message::assistant("t"),
    ];
    let mut tools = call(history);
    tools.tools = vec![ToolSpec {
        name: "a".to_owned(),
        description: "D".to_owned(),
        parameters: json!({"type": "object"}),
        strict: true,
    }];
    tools.tool_choice = ToolChoice::Required;
    let messages = concat!(
        r#"{"model":"qwen3:4b","messages":[{"role":"assistant","content":"","tool_calls":["#,
        r#"{"function":{"name":"a","arguments":{"x":1.50}}},{"function":{"name":"b","arguments":{}}},"#,
        r#"{"function":{"name":"c","arguments":{"unparsed":"{\"x\":"}}},"#,
        r#"{"function":{"name":"d","arguments":{"unparsed":"[1]"}}}]},"#,
        r#"{"role":"tool","tool_name":"a","content":"no"},{"role":"assistant","content":"t"}],"stream":true"#
    );
    let offered =
        r#","tools":[{"type":"function","function":{"name":"a","description":"D","parameters":{"type":"object"}}}]}"#;
    wire(&tools, &format!("{messages}{offered}"));
    tools.tool_choice = ToolChoice::None;
    wire(&tools, &format!("{messages}}}"));
}

#[test]
fn images_go_beside_the_text() {
    let files = vec![Attachment {
        name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        bytes: Arc::from(&b"\x89PNG"[..]),
    }];
    wire(
        &call(vec![Message::User { text: "U".to_owned(), attachments: files }]),
        concat!(
            r#"{"model":"qwen3:4b","messages":[{"role":"user","content":"U","images":["iVBORw=="]}],"#,
            r#""stream":true}"#
        ),
    );
}

#[test]
fn levels_of_thinking() {
    for (effort, sent) in [
        ("none", json!(false)),
        ("minimal", json!("low")),
        ("low", json!("low")),
        ("medium", json!("medium")),
        ("high", json!("high")),
        ("max", json!("high")),
    ] {
        assert_eq!(think(effort), sent, "{effort}");
    }
}

#[test]
fn the_address() {
    for (base, url) in [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/api", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/chat"),
        ("https://gate.example/ollama?tenant=1", "https://gate.example/ollama/api/chat?tenant=1"),
    ] {
        assert_eq!(endpoint(base), url, "{base}");
    }
}
