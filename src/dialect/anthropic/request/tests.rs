//! Requests byte for byte, written by hand from PROVIDERS §4.

use super::*;

fn target(base: &str) -> Target {
    Target { base_url: base.to_owned(), provider: "anthropic".to_owned(), official: false }
}

fn call(model: &str, messages: Vec<Message>) -> Call {
    Call {
        model_id: model.to_owned(),
        messages,
        format: None,
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: Some(4096),
        reasoning_effort: None,
    }
}

fn lookup(strict: bool) -> ToolSpec {
    ToolSpec {
        name: "lookup".to_owned(),
        description: "Look up a value".to_owned(),
        parameters: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        strict,
    }
}

fn file(media_type: &str, bytes: &[u8]) -> Attachment {
    Attachment { name: "a.x".to_owned(), media_type: media_type.to_owned(), bytes: bytes.into() }
}

#[track_caller]
fn wire(call: &Call, expected: &str) {
    assert_eq!(build(&target("https://api.anthropic.com"), call).body.to_string(), expected);
}

#[track_caller]
fn turns_are(messages: Vec<Message>, expected: &str) {
    let body = build(&target("https://api.anthropic.com"), &call("claude-sonnet-5", messages)).body;
    assert_eq!(body["messages"].to_string(), expected);
}

#[test]
fn native_schema_and_effort_share_one_object() {
    let mut native = call("claude-sonnet-5", vec![Message::System { text: "S".to_owned() }, Message::user("U")]);
    native.reasoning_effort = Some("medium".to_owned());
    native.format = Some(NativeFormat {
        name: "response".to_owned(),
        description: Some("D".to_owned()),
        strict: true,
        schema: json!({"type": "object", "required": ["b"], "properties": {"b": {"const": 1.50}}}),
    });
    native.format.as_mut().unwrap().schema["properties"]["b"]["const"] = json::parse("1.50", ARGUMENTS).unwrap();
    wire(
        &native,
        concat!(
            r#"{"model":"claude-sonnet-5","max_tokens":4096,"stream":true,"system":"S","#,
            r#""messages":[{"role":"user","content":"U"}],"thinking":{"type":"adaptive"},"#,
            r#""output_config":{"effort":"medium","format":{"type":"json_schema","#,
            r#""schema":{"type":"object","required":["b"],"properties":{"b":{"const":1.50}}}}}}"#
        ),
    );
    native.model_id = "claude-haiku-4-5".to_owned();
    native.max_output_tokens = None;
    wire(
        &native,
        concat!(
            r#"{"model":"claude-haiku-4-5","max_tokens":32000,"stream":true,"system":"S","#,
            r#""messages":[{"role":"user","content":"U"}],"#,
            r#""output_config":{"format":{"type":"json_schema","#,
            r#""schema":{"type":"object","required":["b"],"properties":{"b":{"const":1.50}}}}}}"#
        ),
    );
}

#[test]
fn strict_tools_and_a_forced_choice() {
    let mut tools = call("claude-opus-4-6", vec![Message::user("U")]);
    tools.tools = vec![lookup(true), ToolSpec { description: String::new(), ..lookup(false) }];
    tools.tool_choice = ToolChoice::Required;
    wire(
        &tools,
        concat!(
            r#"{"model":"claude-opus-4-6","max_tokens":4096,"stream":true,"messages":[{"role":"user","content":"U"}],"#,
            r#""tools":[{"name":"lookup","description":"Look up a value","#,
            r#""input_schema":{"type":"object","properties":{},"additionalProperties":false},"strict":true},"#,
            r#"{"name":"lookup","input_schema":{"type":"object","properties":{},"additionalProperties":false}}],"#,
            r#""tool_choice":{"type":"any","disable_parallel_tool_use":true}}"#
        ),
    );
}

#[test]
fn the_choice_by_model_and_the_switch_for_parallel_calls() {
    use ToolChoice::{Auto, Named, None as Never, Required, Unset};
    let named = Named("lookup".to_owned());
    let (free, forced_refused) = ("claude-sonnet-4-6", "claude-fable-5-1");
    for (model, choice, parallel, strict, want) in [
        (free, Unset, None, false, "null"),
        (free, Unset, None, true, r#"{"type":"auto","disable_parallel_tool_use":true}"#),
        (free, Unset, Some(true), true, "null"),
        (free, Unset, Some(false), false, r#"{"type":"auto","disable_parallel_tool_use":true}"#),
        (free, Auto, Some(true), false, r#"{"type":"auto"}"#),
        (free, Never, Some(false), true, r#"{"type":"none"}"#),
        (free, Required, Some(false), true, r#"{"type":"any","disable_parallel_tool_use":true}"#),
        (free, named.clone(), Some(true), false, r#"{"type":"tool","name":"lookup"}"#),
        (free, named.clone(), None, true, r#"{"type":"tool","name":"lookup","disable_parallel_tool_use":true}"#),
        (forced_refused, Required, Some(false), true, r#"{"type":"auto","disable_parallel_tool_use":true}"#),
        (forced_refused, named, Some(true), false, r#"{"type":"auto"}"#),
        ("another-model", Required, None, false, r#"{"type":"auto"}"#),
    ] {
        let mut tools = call(model, vec![Message::user("U")]);
        tools.tools = vec![lookup(strict)];
        (tools.tool_choice, tools.parallel_tool_calls) = (choice.clone(), parallel);
        let body = build(&target("https://x"), &tools).body;
        assert_eq!(body["tool_choice"].to_string(), want, "{model} {choice:?} {parallel:?} {strict}");
        tools.tools.clear();
        assert_eq!(build(&target("https://x"), &tools).body.get("tool_choice"), None, "without tools");
    }
}

#[test]
fn results_and_neighbours_are_one_turn() {
    let calls = vec![
        ToolCall { id: "t1".to_owned(), name: "a".to_owned(), arguments: r#"{"x": 1.50}"#.to_owned() },
        ToolCall { id: "t2".to_owned(), name: "b".to_owned(), arguments: String::new() },
        ToolCall { id: "t3".to_owned(), name: "c".to_owned(), arguments: "{\"x\"".to_owned() },
        ToolCall { id: "t4".to_owned(), name: "c".to_owned(), arguments: "[1]".to_owned() },
    ];
    let result = |id: &str, is_error| Message::ToolResult {
        call_id: id.to_owned(),
        name: "a".to_owned(),
        content: "no".to_owned(),
        is_error,
    };
    turns_are(
        vec![
            Message::user("U"),
            Message::user("V"),
            Message::Assistant { text: "t".to_owned(), calls, kept: Vec::new() },
            result("t1", true),
            result("t2", false),
            Message::user("W"),
            Message::assistant(" \n"),
            Message::user("X"),
        ],
        concat!(
            r#"[{"role":"user","content":[{"type":"text","text":"U"},{"type":"text","text":"V"}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"t"},"#,
            r#"{"type":"tool_use","id":"t1","name":"a","input":{"x":1.50}},"#,
            r#"{"type":"tool_use","id":"t2","name":"b","input":{}},"#,
            r#"{"type":"tool_use","id":"t3","name":"c","input":{"invalid_json":"{\"x\""}},"#,
            r#"{"type":"tool_use","id":"t4","name":"c","input":{"invalid_json":"[1]"}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no","is_error":true},"#,
            r#"{"type":"tool_result","tool_use_id":"t2","content":"no"},"#,
            r#"{"type":"text","text":"W"},{"type":"text","text":"X"}]}]"#
        ),
    );
}

#[test]
fn kept_blocks_go_back_in_their_places() {
    let signed = |text: usize, calls: u32, n: u32| json!({"text": text, "calls": calls, "block": {"type": "thinking", "thinking": format!("t{n}"), "signature": format!("s{n}")}});
    let call = |id: &str| ToolCall { id: id.to_owned(), name: "a".to_owned(), arguments: "{}".to_owned() };
    let message = |kept| Message::Assistant { text: "äb".to_owned(), calls: vec![call("c1"), call("c2")], kept };
    turns_are(
        vec![message(vec![signed(0, 0, 1), signed(2, 1, 2)])],
        concat!(
            r#"[{"role":"assistant","content":[{"type":"thinking","thinking":"t1","signature":"s1"},"#,
            r#"{"type":"text","text":"ä"},{"type":"tool_use","id":"c1","name":"a","input":{}},"#,
            r#"{"type":"thinking","thinking":"t2","signature":"s2"},"#,
            r#"{"type":"text","text":"b"},{"type":"tool_use","id":"c2","name":"a","input":{}}]}]"#
        ),
    );
    // Parts of another dialect, and places that are none, take nothing away.
    for kept in [vec![json!({"foreign": 1})], vec![json!(null)]] {
        turns_are(
            vec![message(kept)],
            concat!(
                r#"[{"role":"assistant","content":[{"type":"text","text":"äb"},"#,
                r#"{"type":"tool_use","id":"c1","name":"a","input":{}},{"type":"tool_use","id":"c2","name":"a","input":{}}]}]"#
            ),
        );
    }
    turns_are(
        vec![message(vec![signed(1, 99, 1), signed(99, 0, 2)])],
        concat!(
            r#"[{"role":"assistant","content":[{"type":"text","text":"äb"},"#,
            r#"{"type":"tool_use","id":"c1","name":"a","input":{}},{"type":"tool_use","id":"c2","name":"a","input":{}},"#,
            r#"{"type":"thinking","thinking":"t1","signature":"s1"},"#,
            r#"{"type":"thinking","thinking":"t2","signature":"s2"}]}]"#
        ),
    );
}

#[test]
fn files_stand_before_the_question() {
    let files = vec![
        file("image/png", b"\x89PNG"),
        file("application/pdf", b"%PDF-"),
        file("text/plain", b"a"),
        file("audio/wav", b"x"),
    ];
    turns_are(
        vec![Message::User { text: "U".to_owned(), attachments: files }],
        concat!(
            r#"[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},"#,
            r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"a.x"},"#,
            r#"{"type":"text","text":"File \"a.x\":\n```\na\n```"},{"type":"text","text":"U"}]}]"#
        ),
    );
}

#[test]
fn the_address_and_the_version() {
    for (base, url, version) in [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages", VERSION),
        ("https://API.anthropic.com/v1/", "https://API.anthropic.com/v1/messages", VERSION),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages", VERSION),
        ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1/messages", COPIED_VERSION),
        (
            "https://api.anthropic.com.evil.example",
            "https://api.anthropic.com.evil.example/v1/messages",
            COPIED_VERSION,
        ),
        ("https://h/anthropic?beta=true", "https://h/anthropic/v1/messages?beta=true", COPIED_VERSION),
        (
            "https://api.anthropic.com?anthropic-version=2023-06-01",
            "https://api.anthropic.com/v1/messages",
            "2023-06-01",
        ),
        ("https://h?x=1&anthropic-version=2026-10-21&y=2", "https://h/v1/messages?x=1&y=2", "2026-10-21"),
    ] {
        let request = build(&target(base), &call("claude-sonnet-5", Vec::new()));
        assert_eq!(request.url, url);
        let named = |name: &str| request.headers.iter().find(|h| h.name == name).map(|h| h.value.as_str());
        assert_eq!(named("anthropic-version"), Some(version), "{base}");
        assert!(request.headers.iter().all(|header| !header.secret), "the key is the transport's");
    }
}

#[test]
fn what_a_turn_may_carry() {
    for (media_type, taken) in [
        ("image/png", true),
        ("image/jpeg", true),
        ("image/gif", true),
        ("image/webp", true),
        ("application/pdf", true),
        ("text/markdown", true),
        ("image/heic", false),
        ("image/tiff", false),
        ("audio/wav", false),
    ] {
        assert_eq!(accepts(&file(media_type, b"x")).is_ok(), taken, "{media_type}");
    }
}

/// Both versions of the API, byte for byte: what is sent means the same in both, so only the header differs. Nothing that
/// the newer one removed (PROVIDERS §4) stands in the body: no sampling, no citations, no document in an assistant's turn.
#[test]
fn both_versions_of_the_api_get_the_same_bytes() {
    const BODY: &str = concat!(
        r#"{"model":"claude-sonnet-4-6","max_tokens":64,"stream":true,"system":"S","#,
        r#""messages":[{"role":"user","content":"U"},{"role":"assistant","content":"A"},{"role":"user","content":"V"}],"#,
        r#""output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}}}"#
    );
    for (base, version) in [
        ("https://api.anthropic.com", "2026-10-21"),
        ("https://api.anthropic.com?anthropic-version=2023-06-01", "2023-06-01"),
        ("https://h.example", "2023-06-01"),
        ("https://h.example?anthropic-version=2026-10-21", "2026-10-21"),
    ] {
        let messages = vec![
            Message::System { text: "S".to_owned() },
            Message::user("U"),
            Message::assistant("A"),
            Message::user("V"),
        ];
        let mut call = call("claude-sonnet-4-6", messages);
        call.max_output_tokens = Some(64);
        call.reasoning_effort = Some("low".to_owned());
        call.format = Some(NativeFormat {
            name: "response".to_owned(),
            description: Some("D".to_owned()),
            strict: true,
            schema: json!({"type": "object"}),
        });
        let request = build(&target(base), &call);
        let headers: Vec<(&str, &str)> =
            request.headers.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect();
        assert_eq!(
            headers,
            [
                ("content-type", "application/json"),
                ("accept", "text/event-stream, application/json"),
                ("anthropic-version", version),
            ],
            "{base}: no beta header, and the key is the transport's"
        );
        let mut body = request.body.to_string();
        if let Some(at) = body.find(r#""thinking":{"type":"adaptive"},"#) {
            body.replace_range(at..at + r#""thinking":{"type":"adaptive"},"#.len(), "");
        }
        assert_eq!(body, BODY, "{base}");
    }
}
