//! Bodies against text written by hand from PROVIDERS §6.

use std::sync::Arc;

use super::*;

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

fn tool(strict: bool, description: &str) -> ToolSpec {
    ToolSpec {
        name: "lookup".to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object"}),
        strict,
    }
}

#[track_caller]
fn wire(call: &Call, expected: &str) {
    assert_eq!(serde_json::to_string(&body(call)).unwrap(), expected);
}

#[test]
fn the_schema_goes_as_text_and_effort_stands_beside_it() {
    let mut native = call(vec![system("S"), Message::user("U"), system(" ")]);
    native.format = Some(NativeFormat {
        name: "response".to_owned(),
        description: Some("D".to_owned()),
        strict: true,
        schema: json!({"type": "object", "required": ["b", "a"]}),
    });
    native.max_output_tokens = Some(4096);
    native.reasoning_effort = Some("low".to_owned());
    wire(
        &native,
        concat!(
            r#"{"messages":[{"role":"user","content":[{"text":"U"}]}],"system":[{"text":"S"}],"#,
            r#""inferenceConfig":{"maxTokens":4096},"#,
            r#""outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"#,
            r#""schema":"{\"type\":\"object\",\"required\":[\"b\",\"a\"]}","name":"response","description":"D"}}},"#,
            r#""effort":"low"}}"#
        ),
    );
}

#[test]
fn tools_and_their_choice() {
    let mut tools = call(vec![Message::user("U")]);
    tools.tools = vec![tool(false, ""), tool(true, "D")];
    let with = |choice: &str| {
        format!(
            concat!(
                r#"{{"messages":[{{"role":"user","content":[{{"text":"U"}}]}}],"toolConfig":{{"tools":["#,
                r#"{{"toolSpec":{{"name":"lookup","inputSchema":{{"json":{{"type":"object"}}}}}}}},"#,
                r#"{{"toolSpec":{{"name":"lookup","description":"D","inputSchema":{{"json":{{"type":"object"}}}},"strict":true}}}}"#,
                r#"]{}}}}}"#
            ),
            choice
        )
    };
    for (choice, sent) in [
        (ToolChoice::Unset, ""),
        (ToolChoice::Auto, r#","toolChoice":{"auto":{}}"#),
        (ToolChoice::Required, r#","toolChoice":{"any":{}}"#),
        (ToolChoice::Named("lookup".to_owned()), r#","toolChoice":{"tool":{"name":"lookup"}}"#),
    ] {
        wire(&Call { tool_choice: choice, ..tools.clone() }, &with(sent));
    }
    // There is no word for none: the tools stay at home, unless the conversation has calls in it.
    tools.tool_choice = ToolChoice::None;
    wire(&tools, r#"{"messages":[{"role":"user","content":[{"text":"U"}]}]}"#);
    tools.messages.push(Message::Assistant {
        text: String::new(),
        calls: vec![ToolCall { id: "c".to_owned(), name: "lookup".to_owned(), arguments: "{}".to_owned() }],
        kept: Vec::new(),
    });
    let config = body(&tools).get("toolConfig").cloned().unwrap();
    assert!(config.get("tools").is_some() && config.get("toolChoice").is_none());
}

#[test]
fn only_claude_can_be_told_to_make_one_call() {
    let mut tools = call(vec![Message::user("U")]);
    tools.tools = vec![tool(false, "")];
    tools.parallel_tool_calls = Some(false);
    tools.tool_choice = ToolChoice::Required;
    assert_eq!(body(&tools).get("additionalModelRequestFields"), None);
    tools.model_id = "us.anthropic.claude-haiku-4-5-20251001-v1:0".to_owned();
    let sent = body(&tools);
    assert_eq!(
        sent["additionalModelRequestFields"],
        json!({"tool_choice": {"type": "any", "disable_parallel_tool_use": true}})
    );
    assert_eq!(sent["toolConfig"].get("toolChoice"), None, "the choice is said once");
    for (choice, kind) in [
        (ToolChoice::Unset, json!({"type": "auto", "disable_parallel_tool_use": true})),
        (
            ToolChoice::Named("lookup".to_owned()),
            json!({"type": "tool", "name": "lookup", "disable_parallel_tool_use": true}),
        ),
    ] {
        tools.tool_choice = choice;
        assert_eq!(body(&tools)["additionalModelRequestFields"]["tool_choice"], kind);
    }
    tools.parallel_tool_calls = Some(true);
    assert_eq!(body(&tools).get("additionalModelRequestFields"), None);
}

#[test]
fn neighbouring_turns_are_one_and_reasoning_goes_back() {
    let signed = json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}});
    let foreign = json!({"type": "reasoning", "encrypted_content": "x"});
    let result = |id: &str, content: &str, is_error| Message::ToolResult {
        call_id: id.to_owned(),
        name: "a".to_owned(),
        content: content.to_owned(),
        is_error,
    };
    let history = vec![
        Message::user("U"),
        Message::Assistant {
            text: "on it".to_owned(),
            calls: vec![
                ToolCall { id: "c1".to_owned(), name: "a".to_owned(), arguments: r#"{"x": 1.50}"#.to_owned() },
                ToolCall { id: "c2".to_owned(), name: "b".to_owned(), arguments: r#"{"x":"#.to_owned() },
            ],
            kept: vec![signed.clone(), foreign],
        },
        result("c1", "no", true),
        result("c2", "", false),
        Message::user("V"),
        // Nothing was said: nothing is sent.
        Message::Assistant { text: " ".to_owned(), calls: Vec::new(), kept: vec![signed] },
        Message::user(""),
    ];
    wire(
        &call(history),
        concat!(
            r#"{"messages":[{"role":"user","content":[{"text":"U"}]},{"role":"assistant","content":["#,
            r#"{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},{"text":"on it"},"#,
            r#"{"toolUse":{"toolUseId":"c1","name":"a","input":{"x":1.50}}},"#,
            r#"{"toolUse":{"toolUseId":"c2","name":"b","input":{"unparsed":"{\"x\":"}}}]},"#,
            r#"{"role":"user","content":["#,
            r#"{"toolResult":{"toolUseId":"c1","content":[{"text":"no"}],"status":"error"}},"#,
            r#"{"toolResult":{"toolUseId":"c2","content":[{"text":"(empty)"}],"status":"success"}},"#,
            r#"{"text":"V"},{"text":"(empty)"}]}]}"#
        ),
    );
}

#[test]
fn files_stand_beside_text() {
    let file = |name: &str, media: &str, bytes: &[u8]| Attachment {
        name: name.to_owned(),
        media_type: media.to_owned(),
        bytes: Arc::from(bytes),
    };
    let files = vec![file("a.jpg", "image/jpeg", b"\xff\xd8"), file("my  déjà_vu.v2.pdf", "application/pdf", b"%PDF")];
    wire(
        &call(vec![Message::User { text: String::new(), attachments: files }]),
        concat!(
            r#"{"messages":[{"role":"user","content":[{"text":"(empty)"},"#,
            r#"{"image":{"format":"jpeg","source":{"bytes":"/9g="}}},"#,
            r#"{"document":{"format":"pdf","name":"2 my d j vu v2","source":{"bytes":"JVBERg=="}}}]}]}"#
        ),
    );
}

#[test]
fn the_model_is_one_segment_of_the_address() {
    let base = "https://bedrock-runtime.us-east-1.amazonaws.com";
    for (base, model, path) in [
        (base, "us.anthropic.claude-haiku-4-5-20251001-v1:0", "us.anthropic.claude-haiku-4-5-20251001-v1%3A0"),
        (
            &format!("{base}/"),
            "arn:aws:bedrock:us-east-1:1:inference-profile/x",
            "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx",
        ),
        (base, "a b?c#d", "a%20b%3Fc%23d"),
    ] {
        let url = endpoint(base, model);
        assert_eq!(url, format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{path}/converse-stream"));
    }
}
