//! The request body, in the key order the vendor documents, and the small deviations single servers need.

use serde_json::json;

use super::manner::{self, Choice, Files, Format, Manner, Strict, manner};
use super::reasoning;
use crate::dialect::attach::{self, Kind, Pdf};
use crate::dialect::{
    Attachment, Call, Header, Message, NativeFormat, Target, ToolCall, ToolChoice, ToolSpec, WireRequest,
};
use crate::json::{Map, Value};

/// Media types of images (vendor's page on vision).
const IMAGES: &[&str] = &["image/png", "image/jpeg", "image/webp", "image/gif"];

/// Can the file go with a user's turn, as far as the dialect goes?
///
/// # Errors
/// Why not, in words that follow "cannot attach NAME: ".
pub(crate) fn accepts(attachment: &Attachment) -> Result<(), String> {
    attach::only(attachment, "the chat dialect", IMAGES, Pdf::Taken)
}

/// Can the file go to this server?
///
/// # Errors
/// As [`accepts`].
pub(crate) fn accepts_at(target: &Target, attachment: &Attachment) -> Result<(), String> {
    let (images, pdf) = match manner(target).files {
        Files::ImagesAndPdf => (IMAGES, Pdf::Taken),
        Files::Images => (IMAGES, Pdf::Refused),
        Files::None => (&[][..], Pdf::Refused),
    };
    attach::only(attachment, &target.provider, images, pdf)
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
        body: body(target, call),
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

fn body(target: &Target, call: &Call) -> Value {
    let manner = manner(target);
    let strict = match manner.strict {
        Strict::Each => true,
        Strict::AllOnBeta => manner::is_beta(target) && call.tools.iter().all(|tool| tool.strict),
    };
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
    set("response_format", call.format.as_ref().map(|format| format_body(manner, format)));
    set("tools", (!call.tools.is_empty()).then(|| call.tools.iter().map(|tool| tool_body(tool, strict)).collect()));
    set("tool_choice", choice_body(manner, call));
    set("parallel_tool_calls", parallel(call).filter(|_| manner.parallel).map(Value::Bool));
    set(manner.max_tokens, call.max_output_tokens.map(Value::from));
    set("reasoning_effort", effort(manner, call).map(Value::from));
    set("provider", (manner.pin_parameters && structured).then(|| json!({"require_parameters": true})));
    Value::Object(body)
}

fn message_body(manner: Manner, message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": manner.system_role, "content": text}),
        Message::User { text, attachments } if attachments.is_empty() => json!({"role": "user", "content": text}),
        Message::User { text, attachments } => {
            let own = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
            let parts: Vec<Value> = own.into_iter().chain(attachments.iter().filter_map(file_body)).collect();
            json!({"role": "user", "content": parts})
        }
        Message::Assistant { text, calls, kept } => assistant_body(text, calls, kept),
        Message::ToolResult { call_id, name: _, content, is_error: _ } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
    }
}

/// What the model said and did, with the reasoning it gave out to be sent back; that is refused where it led to nothing.
fn assistant_body(text: &str, calls: &[ToolCall], kept: &[Value]) -> Value {
    let mut body = Map::new();
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { Value::from(text) };
    body.insert("role".to_owned(), Value::from("assistant"));
    body.insert("content".to_owned(), content);
    if !calls.is_empty() {
        body.insert("tool_calls".to_owned(), calls.iter().map(call_body).collect());
    }
    let kept: Vec<Value> = kept.iter().filter(|part| reasoning::is_ours(part)).cloned().collect();
    let led_somewhere = !text.is_empty() || !calls.is_empty();
    if led_somewhere && !kept.is_empty() {
        body.insert("reasoning_details".to_owned(), Value::Array(kept));
    }
    Value::Object(body)
}

fn call_body(call: &ToolCall) -> Value {
    // Servers parse the text of earlier calls again; one without arguments must still be JSON.
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn file_body(attachment: &Attachment) -> Option<Value> {
    match attach::kind(attachment) {
        Kind::Text => Some(json!({"type": "text", "text": attach::text(attachment)?})),
        Kind::Image => Some(json!({"type": "image_url", "image_url": {"url": attach::data_url(attachment)}})),
        Kind::Pdf => {
            let data = attach::data_url(attachment);
            Some(json!({"type": "file", "file": {"filename": attachment.name, "file_data": data}}))
        }
        // Refused before any call.
        Kind::Other => None,
    }
}

fn format_body(manner: Manner, format: &NativeFormat) -> Value {
    if manner.format == Format::Object {
        return json!({"type": "json_object"});
    }
    let mut schema = Map::new();
    schema.insert("name".to_owned(), Value::from(format.name.as_str()));
    if let Some(description) = &format.description {
        schema.insert("description".to_owned(), Value::from(description.as_str()));
    }
    schema.insert("strict".to_owned(), Value::Bool(format.strict));
    schema.insert("schema".to_owned(), format.schema.clone());
    json!({"type": "json_schema", "json_schema": schema})
}

fn tool_body(tool: &ToolSpec, strict: bool) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), Value::from(tool.name.as_str()));
    function.insert("description".to_owned(), Value::from(tool.description.as_str()));
    function.insert("parameters".to_owned(), tool.parameters.clone());
    if tool.strict && strict {
        function.insert("strict".to_owned(), Value::Bool(true));
    }
    json!({"type": "function", "function": function})
}

/// Sent only beside tools: without them it is answered with 400.
fn choice_body(manner: Manner, call: &Call) -> Option<Value> {
    if call.tools.is_empty() || manner.choice == Choice::None {
        return None;
    }
    match &call.tool_choice {
        ToolChoice::Unset => None,
        ToolChoice::Auto => Some(Value::from("auto")),
        ToolChoice::None => Some(Value::from("none")),
        ToolChoice::Required => Some(Value::from(manner.required)),
        ToolChoice::Named(_) if manner.choice == Choice::Words => Some(Value::from(manner.required)),
        ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

/// Sent only beside tools. The schema guarantee of strict tools does not hold for parallel calls, so they are switched
/// off unless the caller asked for them.
fn parallel(call: &Call) -> Option<bool> {
    let strict = call.tools.iter().any(|tool| tool.strict);
    call.parallel_tool_calls.or(strict.then_some(false)).filter(|_| !call.tools.is_empty())
}

/// The vendor's models from 5.6 on (of the fifth generation) refuse function tools together with reasoning here.
fn effort(manner: Manner, call: &Call) -> Option<&str> {
    let excluded = manner.tools_or_reasoning && !call.tools.is_empty() && is_late_fifth(&call.model_id);
    if excluded { Some("none") } else { call.reasoning_effort.as_deref() }
}

/// `gpt-5.6-sol` and newer ones of that generation.
fn is_late_fifth(model: &str) -> bool {
    let minor = model.strip_prefix("gpt-5.").and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= 6)
}

#[cfg(test)]
mod tests;
