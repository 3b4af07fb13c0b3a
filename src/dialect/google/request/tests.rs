//! Requests byte for byte, written by hand from PROVIDERS §5.

use super::*;
use crate::dialect::NativeFormat;

fn target(base: &str) -> Target {
    Target { base_url: base.to_owned(), provider: "google".to_owned(), official: false }
}

fn call(model: &str, messages: Vec<Message>) -> Call {
    Call {
        model_id: model.to_owned(),
        messages,
        format: None,
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: None,
        reasoning_effort: None,
    }
}

fn format() -> NativeFormat {
    NativeFormat {
        name: "response".to_owned(),
        description: Some("D".to_owned()),
        strict: true,
        schema: json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}}),
    }
}

fn tool(strict: bool) -> ToolSpec {
    ToolSpec {
        name: "f".to_owned(),
        description: "...".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        strict,
    }
}

fn file(media_type: &str, bytes: &[u8]) -> Attachment {
    Attachment { name: "a.x".to_owned(), media_type: media_type.to_owned(), bytes: bytes.into() }
}

fn built(call: &Call) -> Value {
    build(&target("https://generativelanguage.googleapis.com"), call).body
}

#[track_caller]
fn wire(call: &Call, expected: &str) {
    assert_eq!(built(call).to_string(), expected);
}

#[test]
fn native_schema_with_everything() {
    let mut native = call("gemini-3-pro-preview", vec![Message::System { text: "S".to_owned() }, Message::user("U")]);
    native.format = Some(format());
    native.max_output_tokens = Some(4096);
    native.reasoning_effort = Some("low".to_owned());
    wire(
        &native,
        concat!(
            r#"{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"U"}]}],"#,
            r#""generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","#,
            r#""required":["b"],"properties":{"b":{"type":"integer"}}},"maxOutputTokens":4096,"#,
            r#""thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":false}}}"#
        ),
    );
}

#[test]
fn strict_tools() {
    let mut tools = call("gemini-2.5-flash", vec![Message::user("U")]);
    tools.tools = vec![tool(true)];
    wire(
        &tools,
        concat!(
            r#"{"contents":[{"role":"user","parts":[{"text":"U"}]}],"#,
            r#""tools":[{"functionDeclarations":[{"name":"f","description":"...","#,
            r#""parametersJsonSchema":{"type":"object","properties":{}}}]}],"#,
            r#""toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["f"]}}}"#
        ),
    );
}

#[test]
fn the_mode_of_tools() {
    use ToolChoice::{Auto, Named, None as Never, Required, Unset};
    let new = "gemini-3-flash";
    for (model, choice, strict, with_format, want) in [
        (new, Unset, false, false, "null"),
        (new, Auto, false, false, r#"{"mode":"AUTO"}"#),
        (new, Unset, true, false, r#"{"mode":"VALIDATED","allowedFunctionNames":["f"]}"#),
        (new, Auto, true, false, r#"{"mode":"VALIDATED","allowedFunctionNames":["f"]}"#),
        (new, Never, true, false, r#"{"mode":"NONE"}"#),
        (new, Required, true, false, r#"{"mode":"ANY","allowedFunctionNames":["f"]}"#),
        (new, Named("f".to_owned()), false, false, r#"{"mode":"ANY","allowedFunctionNames":["f"]}"#),
        // Beside a JSON format only AUTO is taken.
        (new, Unset, true, true, "null"),
        (new, Auto, true, true, r#"{"mode":"AUTO"}"#),
        // The mode came with 2.5.
        ("gemini-2.0-flash", Unset, true, false, "null"),
    ] {
        let mut tools = call(model, vec![Message::user("U")]);
        (tools.tools, tools.tool_choice) = (vec![tool(strict)], choice.clone());
        tools.format = with_format.then(format);
        let body = built(&tools);
        assert_eq!(body["toolConfig"]["functionCallingConfig"].to_string(), want, "{model} {choice:?} {strict}");
        tools.tools.clear();
        assert_eq!(built(&tools).get("toolConfig"), None, "without tools");
    }
}

#[test]
fn thinking_by_generation() {
    for (model, effort, want) in [
        ("gemini-2.5-flash", Some("none"), r#"{"thinkingBudget":0,"includeThoughts":false}"#),
        ("gemini-2.5-flash", Some("low"), r#"{"thinkingBudget":2457,"includeThoughts":false}"#),
        ("gemini-2.5-flash", Some("high"), r#"{"thinkingBudget":24576,"includeThoughts":false}"#),
        ("gemini-2.5-pro", Some("none"), r#"{"thinkingBudget":128,"includeThoughts":false}"#),
        ("gemini-2.5-pro", Some("max"), r#"{"thinkingBudget":32768,"includeThoughts":false}"#),
        ("gemini-3-pro", Some("minimal"), r#"{"thinkingLevel":"MINIMAL","includeThoughts":false}"#),
        ("gemini-3-pro", Some("medium"), r#"{"thinkingLevel":"MEDIUM","includeThoughts":false}"#),
        ("gemini-4-pro", Some("none"), r#"{"thinkingLevel":"LOW","includeThoughts":false}"#),
        ("gemini-4-pro", Some("max"), r#"{"thinkingLevel":"XHIGH","includeThoughts":false}"#),
        ("gemini-3-pro", None, "null"),
        ("gemini-3-pro", Some("unheard-of"), "null"),
        ("gemini-2.0-flash", Some("high"), "null"),
    ] {
        let mut thinking = call(model, vec![Message::user("U")]);
        thinking.reasoning_effort = effort.map(str::to_owned);
        let config = built(&thinking)["generationConfig"]["thinkingConfig"].to_string();
        assert_eq!(config, want, "{model} {effort:?}");
    }
}

#[test]
fn gemma_takes_no_system_instruction() {
    let messages = vec![Message::System { text: "S".to_owned() }, Message::user("U")];
    wire(&call("gemma-3-27b-it", messages), r#"{"contents":[{"role":"user","parts":[{"text":"S"},{"text":"U"}]}]}"#);
}

#[test]
fn calls_results_signatures_and_ids() {
    let made = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "f".to_owned(),
        arguments: arguments.to_owned(),
    };
    let calls = vec![made("g1", r#"{"x": 1.50}"#), made("call_0_1", "{\"x\""), made("call_0_2", "")];
    let kept = vec![
        json!({"text": 0, "calls": 0, "part": {"thought": true, "text": "hm", "thoughtSignature": "s0"}}),
        json!({"text": 2, "calls": 0, "part": {"text": "b", "thoughtSignature": "s1"}}),
        json!({"text": 3, "calls": 0, "call": {"id": "g1", "thoughtSignature": "s2"}}),
        json!({"text": 4, "calls": 3, "part": {"text": "", "thoughtSignature": "s3"}}),
    ];
    let result = |id: &str, is_error| Message::ToolResult {
        call_id: id.to_owned(),
        name: "f".to_owned(),
        content: "no".to_owned(),
        is_error,
    };
    wire(
        &call(
            "gemini-3-pro",
            vec![
                Message::user("U"),
                Message::Assistant { text: "äbc".to_owned(), calls, kept },
                result("g1", true),
                result("call_0_1", false),
                Message::user("V"),
            ],
        ),
        concat!(
            r#"{"contents":[{"role":"user","parts":[{"text":"U"}]},{"role":"model","parts":["#,
            r#"{"thought":true,"text":"hm","thoughtSignature":"s0"},{"text":"ä"},{"text":"b","thoughtSignature":"s1"},"#,
            r#"{"functionCall":{"id":"g1","name":"f","args":{"x":1.50}},"thoughtSignature":"s2"},{"text":"c"},"#,
            r#"{"functionCall":{"name":"f","args":{"invalid_json":"{\"x\""}}},{"functionCall":{"name":"f","args":{}}},"#,
            r#"{"text":"","thoughtSignature":"s3"}]},{"role":"user","parts":["#,
            r#"{"functionResponse":{"id":"g1","name":"f","response":{"error":"no"}}},"#,
            r#"{"functionResponse":{"name":"f","response":{"output":"no"}}},{"text":"V"}]}]}"#
        ),
    );
}

#[test]
fn kept_parts_of_another_dialect_take_nothing_away() {
    let kept = vec![json!({"foreign": 1}), json!(null), json!({"text": 1, "calls": 99, "call": {}})];
    let message = Message::Assistant { text: "äb".to_owned(), calls: Vec::new(), kept };
    let parts = built(&call("gemini-3-pro", vec![message]))["contents"][0]["parts"].to_string();
    assert_eq!(parts, r#"[{"text":"äb"}]"#);
}

#[test]
fn files_stand_before_the_question() {
    let files = vec![file("image/png", b"\x89PNG"), file("application/pdf", b"%PDF-"), file("text/plain", b"a")];
    wire(
        &call("gemini-3-pro", vec![Message::User { text: "U".to_owned(), attachments: files }]),
        concat!(
            r#"{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw=="}},"#,
            r#"{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0="}},"#,
            r#"{"text":"File \"a.x\":\n```\na\n```"},{"text":"U"}]}]}"#
        ),
    );
    for (media_type, taken) in
        [("image/webp", true), ("image/heic", true), ("image/gif", false), ("audio/wav", false), ("text/csv", true)]
    {
        assert_eq!(accepts(&file(media_type, b"x")).is_ok(), taken, "{media_type}");
    }
}

#[test]
fn the_address() {
    let host = "https://generativelanguage.googleapis.com";
    for (base, model, url) in [
        (host, "gemini-3-pro", "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro"),
        ("https://h/v1/", "gemini-3-pro", "https://h/v1/models/gemini-3-pro"),
        (
            "https://h/v1beta1/projects/p/locations/l/publishers/google",
            "m",
            "https://h/v1beta1/projects/p/locations/l/publishers/google/models/m",
        ),
        ("https://v1.example", "m", "https://v1.example/v1beta/models/m"),
        ("https://h", "models/gemini-3-pro", "https://h/v1beta/models/gemini-3-pro"),
        ("https://h", "tunedModels/a b", "https://h/v1beta/tunedModels/a%20b"),
        ("https://h", "../../secret?x#y", "https://h/v1beta/models/..%2F..%2Fsecret%3Fx%23y"),
        ("https://h", "tunedModels/../x", "https://h/v1beta/models/tunedModels%2F..%2Fx"),
    ] {
        let request = build(&target(base), &call(model, Vec::new()));
        assert_eq!(request.url, format!("{url}:streamGenerateContent?alt=sse"));
        assert!(request.headers.iter().all(|header| !header.secret), "the key is the transport's");
    }
    let kept = build(&target("https://h/v1?x=1"), &call("m", Vec::new())).url;
    assert_eq!(kept, "https://h/v1/models/m:streamGenerateContent?alt=sse&x=1");
}
