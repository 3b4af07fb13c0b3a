//! The request body, in the key order the vendor documents.

use serde_json::json;

use crate::dialect::{
    Attachment, Call, Header, Message, NativeFormat, ToolCall, ToolChoice, ToolSpec, WireRequest, attach,
};
use crate::json::{Map, Value};

/// Whose Responses they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum Manner {
    Vendor,
    /// Parallel calls must be off beside a schema; the model's name is a deployment's and says nothing.
    Azure,
}

/// Reasoning that must go back is asked for: nothing is stored on the server.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// The request to an address.
pub(in crate::dialect) fn request(url: String, manner: Manner, call: &Call) -> WireRequest {
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned(), secret: false };
    WireRequest {
        url,
        headers: vec![
            header("content-type", "application/json"),
            header("accept", "text/event-stream, application/json"),
        ],
        body: body(manner, call),
    }
}

fn body(manner: Manner, call: &Call) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let effort = call.reasoning_effort.as_deref();
    let leading = call.messages.iter().take_while(|m| matches!(m, Message::System { .. })).count();
    let (system, rest) = call.messages.split_at_checked(leading).unwrap_or_default();
    let input: Vec<Value> = rest.iter().flat_map(items).collect();
    let tools: Option<Vec<Value>> = (!call.tools.is_empty()).then(|| call.tools.iter().map(tool_body).collect());
    set("model", Some(Value::from(call.model_id.as_str())));
    set("stream", Some(Value::Bool(true)));
    set("store", Some(Value::Bool(false)));
    set("include", reasons(manner, call).then(|| json!([ENCRYPTED])));
    set("instructions", instructions(system).map(Value::from));
    set("input", Some(Value::Array(input)));
    set("text", call.format.as_ref().map(|format| json!({"format": format_body(format)})));
    set("tools", tools.map(Value::from));
    set("tool_choice", choice_body(call));
    set("parallel_tool_calls", parallel(manner, call).map(Value::Bool));
    set("reasoning", effort.map(|effort| json!({"effort": effort})));
    set("max_output_tokens", call.max_output_tokens.map(Value::from));
    Value::Object(body)
}

/// Does the model reason? One that does not answers 400 when asked for its reasoning.
fn reasons(manner: Manner, call: &Call) -> bool {
    if call.reasoning_effort.is_some() {
        return true;
    }
    let id = call.model_id.rsplit('/').next().unwrap_or_default();
    let family = ["gpt-5", "gpt-6", "o1", "o3", "o4"];
    let of = |family: &str| id.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']));
    manner == Manner::Vendor && family.iter().any(|name| of(name)) && !id.contains("-chat")
}

/// The system messages the conversation begins with.
fn instructions(messages: &[Message]) -> Option<String> {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text.as_str()),
        Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// A message as input items.
fn items(message: &Message) -> Vec<Value> {
    match message {
        Message::System { text } => vec![turn("developer", &[input_text(text)])],
        Message::User { text, attachments } => {
            let texts = attachments.iter().filter_map(attach::text);
            let text: Vec<String> = texts.chain(Some(text.clone())).filter(|text| !text.is_empty()).collect();
            let text = (!text.is_empty() || attachments.is_empty()).then(|| input_text(&text.join("\n\n")));
            vec![turn("user", &text.into_iter().chain(attachments.iter().filter_map(file)).collect::<Vec<_>>())]
        }
        Message::Assistant { text, calls, kept } => {
            let said = (!text.is_empty() || calls.is_empty()).then(|| json!({"role": "assistant", "content": text}));
            // An opaque part without what it led to is refused.
            let kept = kept.iter().filter(|part| is_ours(part) && !(text.is_empty() && calls.is_empty()));
            kept.cloned().chain(said).chain(calls.iter().map(call_body)).collect()
        }
        Message::ToolResult { call_id, name: _, content, is_error: _ } => {
            vec![json!({"type": "function_call_output", "call_id": call_id, "output": content})]
        }
    }
}

fn turn(role: &str, content: &[Value]) -> Value {
    json!({"role": role, "content": content})
}

fn input_text(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}

fn file(attachment: &Attachment) -> Option<Value> {
    match attach::kind(attachment) {
        // The vendor's description and its clients' types want the detail named.
        attach::Kind::Image => {
            Some(json!({"type": "input_image", "image_url": attach::data_url(attachment), "detail": "auto"}))
        }
        attach::Kind::Pdf => {
            let data = attach::data_url(attachment);
            Some(json!({"type": "input_file", "filename": attachment.name, "file_data": data}))
        }
        attach::Kind::Text | attach::Kind::Other => None,
    }
}

/// Was this part given out by a Responses decoder?
fn is_ours(part: &Value) -> bool {
    matches!(part.get("type").and_then(Value::as_str), Some("reasoning" | "message"))
}

fn call_body(call: &ToolCall) -> Value {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
}

fn format_body(format: &NativeFormat) -> Value {
    let mut body = Map::new();
    body.insert("type".to_owned(), Value::from("json_schema"));
    body.insert("name".to_owned(), Value::from(format.name.as_str()));
    if let Some(description) = &format.description {
        body.insert("description".to_owned(), Value::from(description.as_str()));
    }
    body.insert("strict".to_owned(), Value::Bool(format.strict));
    body.insert("schema".to_owned(), format.schema.clone());
    Value::Object(body)
}

/// `strict` always stands there: sources disagree on what its absence means.
fn tool_body(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": tool.strict,
    })
}

fn choice_body(call: &Call) -> Option<Value> {
    if call.tools.is_empty() {
        return None;
    }
    match &call.tool_choice {
        ToolChoice::Unset => None,
        ToolChoice::Auto => Some(Value::from("auto")),
        ToolChoice::None => Some(Value::from("none")),
        ToolChoice::Required => Some(Value::from("required")),
        ToolChoice::Named(name) => Some(json!({"type": "function", "name": name})),
    }
}

/// Sent only beside tools. The guarantee of strict tools does not hold for parallel calls, so they are off unless the
/// caller asked for them; Azure demands it.
fn parallel(manner: Manner, call: &Call) -> Option<bool> {
    let strict = call.tools.iter().any(|tool| tool.strict);
    let held = manner == Manner::Azure && (strict || call.format.is_some());
    let wanted = if held { Some(false) } else { call.parallel_tool_calls.or(strict.then_some(false)) };
    wanted.filter(|_| !call.tools.is_empty())
}

#[cfg(test)]
mod tests;
