//! The request body.

use serde_json::json;

use crate::dialect::{Call, Header, Message, Target, ToolCall, ToolChoice, ToolSpec, WireRequest, attach};
use crate::json::{self, Map, ParseLimits, Value};

/// Arguments of earlier calls: larger ones were never accepted.
const ARGUMENTS: ParseLimits = ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 };

/// Builds the request. The key, if the server wants one, is added by the transport.
#[must_use]
pub fn build(target: &Target, call: &Call) -> WireRequest {
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned(), secret: false };
    WireRequest {
        url: endpoint(&target.base_url),
        headers: vec![
            header("content-type", "application/json"),
            header("accept", "application/x-ndjson, application/json"),
        ],
        body: body(call),
    }
}

/// The base may be the server, its `/api`, or the `/v1` that other programs are given.
fn endpoint(base: &str) -> String {
    let (path, query) = base.split_once('?').map_or((base, None), |(path, query)| (path, Some(query)));
    let mut path = path.trim_end_matches('/');
    for end in ["/chat", "/api", "/v1"] {
        path = path.strip_suffix(end).unwrap_or(path);
    }
    match query {
        Some(query) => format!("{path}/api/chat?{query}"),
        None => format!("{path}/api/chat"),
    }
}

fn body(call: &Call) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let offered = !call.tools.is_empty() && call.tool_choice != ToolChoice::None;
    set("model", Some(Value::from(call.model_id.as_str())));
    set("messages", Some(call.messages.iter().map(message_body).collect()));
    set("stream", Some(Value::Bool(true)));
    set("format", call.format.as_ref().map(|format| format.schema.clone()));
    set("tools", offered.then(|| call.tools.iter().map(tool_body).collect()));
    set("think", call.reasoning_effort.as_deref().map(think));
    set("options", call.max_output_tokens.map(|most| json!({"num_predict": most})));
    Value::Object(body)
}

/// Models that only switch take every level as "on".
fn think(effort: &str) -> Value {
    match effort {
        "none" => Value::Bool(false),
        "minimal" | "low" => Value::from("low"),
        "medium" => Value::from("medium"),
        _ => Value::from("high"),
    }
}

fn message_body(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text, attachments } => {
            let texts = attachments.iter().filter_map(attach::text);
            let text: Vec<String> = texts.chain(Some(text.clone())).filter(|text| !text.is_empty()).collect();
            let images = attachments.iter().filter(|file| attach::kind(file) == attach::Kind::Image);
            let images: Vec<String> = images.map(attach::base64).collect();
            let mut body = json!({"role": "user", "content": text.join("\n\n")});
            if let (Value::Object(body), false) = (&mut body, images.is_empty()) {
                body.insert("images".to_owned(), Value::from(images));
            }
            body
        }
        Message::Assistant { text, calls, .. } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls, .. } => {
            let calls: Vec<Value> = calls.iter().map(call_body).collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Message::ToolResult { name, content, .. } => json!({"role": "tool", "tool_name": name, "content": content}),
    }
}

fn call_body(call: &ToolCall) -> Value {
    json!({"function": {"name": call.name, "arguments": arguments(&call.arguments)}})
}

/// The server takes an object only. What is none goes back as text inside one, so that the model sees what it wrote.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    json::parse(text, ARGUMENTS).ok().filter(Value::is_object).unwrap_or_else(|| json!({"unparsed": text}))
}

fn tool_body(tool: &ToolSpec) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), Value::from(tool.name.as_str()));
    function.insert("description".to_owned(), Value::from(tool.description.as_str()));
    function.insert("parameters".to_owned(), tool.parameters.clone());
    json!({"type": "function", "function": function})
}

#[cfg(test)]
mod tests;
