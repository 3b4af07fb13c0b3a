//! The request body, in the key order the vendor documents, and the small deviations single servers need.

use serde_json::json;

use crate::dialect::{Call, Header, Message, NativeFormat, Target, ToolCall, ToolChoice, ToolSpec, WireRequest};
use crate::json::{Map, Value};

/// What a server wants otherwise than the vendor's own endpoint (PROVIDERS §7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Manner {
    /// Role of the system message.
    system_role: &'static str,
    /// Name of the limit of output tokens.
    max_tokens: &'static str,
    /// `stream_options.include_usage`: not accepted everywhere.
    ask_usage: bool,
    /// The word for "some tool must be called".
    required: &'static str,
    /// Without this the router may pick a host that drops the schema.
    pin_parameters: bool,
}

const OFFICIAL: Manner = Manner {
    system_role: "developer",
    max_tokens: "max_completion_tokens",
    ask_usage: true,
    required: "required",
    pin_parameters: false,
};

const COMPATIBLE: Manner = Manner { system_role: "system", max_tokens: "max_tokens", ..OFFICIAL };

/// Name in the config, host of the vendor, manner.
const SPECIAL: &[(&str, &str, Manner)] = &[
    ("openrouter", "openrouter.ai", Manner { pin_parameters: true, ..COMPATIBLE }),
    // Sends usage unasked; calls "required" "any".
    ("mistral", "api.mistral.ai", Manner { ask_usage: false, required: "any", ..COMPATIBLE }),
];

fn manner(target: &Target) -> Manner {
    if target.official {
        return OFFICIAL;
    }
    let special = |(name, host, _): &&(&str, &str, Manner)| {
        target.provider == *name || host_of(&target.base_url).is_some_and(|found| found.eq_ignore_ascii_case(host))
    };
    SPECIAL.iter().find(special).map_or(COMPATIBLE, |(_, _, manner)| *manner)
}

fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next()
}

/// Builds the request. The key is not in it: the transport adds it.
#[must_use]
pub fn build(target: &Target, call: &Call) -> WireRequest {
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned(), secret: false };
    WireRequest {
        url: endpoint(&target.base_url),
        headers: vec![
            header("content-type", "application/json"),
            header("accept", "text/event-stream, application/json"),
        ],
        body: body(manner(target), call),
    }
}

/// The base with the path behind it; a query of the base (`?api-version=…`) stays at the end.
fn endpoint(base: &str) -> String {
    let (path, query) = base.split_once('?').map_or((base, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/chat/completions").unwrap_or(path);
    match query {
        Some(query) => format!("{path}/chat/completions?{query}"),
        None => format!("{path}/chat/completions"),
    }
}

fn body(manner: Manner, call: &Call) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let messages: Vec<Value> = call.messages.iter().map(|message| message_body(manner, message)).collect();
    let structured = call.format.is_some() || !call.tools.is_empty();
    set("model", Some(Value::from(call.model_id.as_str())));
    set("stream", Some(Value::Bool(true)));
    set("stream_options", manner.ask_usage.then(|| json!({"include_usage": true})));
    set("messages", Some(Value::Array(messages)));
    set("response_format", call.format.as_ref().map(format_body));
    set("tools", (!call.tools.is_empty()).then(|| call.tools.iter().map(tool_body).collect()));
    set("tool_choice", choice_body(manner, call));
    set("parallel_tool_calls", parallel(call).map(Value::Bool));
    set(manner.max_tokens, call.max_output_tokens.map(Value::from));
    set("reasoning_effort", call.reasoning_effort.as_deref().map(Value::from));
    set("provider", (manner.pin_parameters && structured).then(|| json!({"require_parameters": true})));
    Value::Object(body)
}

fn message_body(manner: Manner, message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": manner.system_role, "content": text}),
        Message::User { text, .. } => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls, .. } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls, .. } => {
            let content = if text.is_empty() { Value::Null } else { Value::from(text.as_str()) };
            let calls: Vec<Value> = calls.iter().map(call_body).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::ToolResult { call_id, name: _, content, is_error: _ } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
    }
}

fn call_body(call: &ToolCall) -> Value {
    // Servers parse the text of earlier calls again; one without arguments must still be JSON.
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn format_body(format: &NativeFormat) -> Value {
    let mut schema = Map::new();
    schema.insert("name".to_owned(), Value::from(format.name.as_str()));
    if let Some(description) = &format.description {
        schema.insert("description".to_owned(), Value::from(description.as_str()));
    }
    schema.insert("strict".to_owned(), Value::Bool(format.strict));
    schema.insert("schema".to_owned(), format.schema.clone());
    json!({"type": "json_schema", "json_schema": schema})
}

fn tool_body(tool: &ToolSpec) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), Value::from(tool.name.as_str()));
    function.insert("description".to_owned(), Value::from(tool.description.as_str()));
    function.insert("parameters".to_owned(), tool.parameters.clone());
    if tool.strict {
        function.insert("strict".to_owned(), Value::Bool(true));
    }
    json!({"type": "function", "function": function})
}

/// Sent only beside tools: without them it is answered with 400.
fn choice_body(manner: Manner, call: &Call) -> Option<Value> {
    if call.tools.is_empty() {
        return None;
    }
    match &call.tool_choice {
        ToolChoice::Unset => None,
        ToolChoice::Auto => Some(Value::from("auto")),
        ToolChoice::None => Some(Value::from("none")),
        ToolChoice::Required => Some(Value::from(manner.required)),
        ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

/// Sent only beside tools. The schema guarantee of strict tools does not hold for parallel calls, so they are switched
/// off unless the caller asked for them.
fn parallel(call: &Call) -> Option<bool> {
    let strict = call.tools.iter().any(|tool| tool.strict);
    call.parallel_tool_calls.or(strict.then_some(false)).filter(|_| !call.tools.is_empty())
}

#[cfg(test)]
mod tests {
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
}
