//! The request body, in the key order of the vendor's examples.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use crate::dialect::{
    Attachment, Call, Header, Message, NativeFormat, Target, ToolCall, ToolChoice, ToolSpec, WireRequest, attach,
};
use crate::json::{self, Map, ParseLimits, Value};

/// Everything but the unreserved characters: `:` and `/` of a model's id are data here.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Arguments of earlier calls: larger ones were never accepted.
const ARGUMENTS: ParseLimits = ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 };
/// Stands where a block of text must not be blank.
const BLANK: &str = "(empty)";
/// Longest name of a document.
const MAX_NAME: usize = 200;

/// Builds the request. It is signed, or given its token, by the transport.
#[must_use]
pub fn build(target: &Target, call: &Call) -> WireRequest {
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned(), secret: false };
    WireRequest {
        url: endpoint(&target.base_url, &call.model_id),
        headers: vec![
            header("content-type", "application/json"),
            header("accept", "application/vnd.amazon.eventstream"),
        ],
        body: body(call),
    }
}

fn endpoint(base: &str, model: &str) -> String {
    let path = base.split_once('?').map_or(base, |(path, _)| path).trim_end_matches('/');
    format!("{path}/model/{}/converse-stream", utf8_percent_encode(model, PATH))
}

fn body(call: &Call) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let system = call.messages.iter().filter_map(|message| match message {
        Message::System { text } if !text.trim().is_empty() => Some(json!({"text": text})),
        _ => None,
    });
    let system: Vec<Value> = system.collect();
    set("messages", Some(Value::Array(turns(&call.messages))));
    set("system", (!system.is_empty()).then_some(Value::Array(system)));
    set("inferenceConfig", call.max_output_tokens.map(|most| json!({"maxTokens": most})));
    set("toolConfig", tool_config(call));
    set("outputConfig", output_config(call));
    set("additionalModelRequestFields", single_call(call).map(|choice| json!({"tool_choice": choice})));
    Value::Object(body)
}

/// The conversation: neighbouring turns of the same side are one.
fn turns(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, content) = match message {
            Message::System { .. } => continue,
            Message::User { text, attachments } => ("user", user(text, attachments)),
            Message::Assistant { text, calls, kept } => ("assistant", assistant(text, calls, kept)),
            Message::ToolResult { call_id, content, is_error, .. } => {
                ("user", vec![tool_result(call_id, content, *is_error)])
            }
        };
        match turns.last_mut() {
            _ if content.is_empty() => {}
            Some((last, blocks)) if *last == role => blocks.extend(content),
            Some(_) | None => turns.push((role, content)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn text(text: &str) -> Value {
    json!({"text": if text.trim().is_empty() { BLANK } else { text }})
}

fn user(words: &str, attachments: &[Attachment]) -> Vec<Value> {
    let texts = attachments.iter().filter_map(attach::text);
    let texts: Vec<String> = texts.chain(Some(words.to_owned())).filter(|text| !text.is_empty()).collect();
    // A document must have text beside it.
    let text = Some(text(&texts.join("\n\n")));
    text.into_iter().chain(attachments.iter().enumerate().filter_map(|(at, file)| block(at, file))).collect()
}

fn block(at: usize, file: &Attachment) -> Option<Value> {
    let source = |file| json!({"bytes": attach::base64(file)});
    match attach::kind(file) {
        attach::Kind::Image => {
            let format = file.media_type.strip_prefix("image/").unwrap_or_default();
            let format = if format == "jpg" { "jpeg" } else { format };
            Some(json!({"image": {"format": format, "source": source(file)}}))
        }
        attach::Kind::Pdf => {
            let name = document_name(at, &file.name);
            Some(json!({"document": {"format": "pdf", "name": name, "source": source(file)}}))
        }
        attach::Kind::Text | attach::Kind::Other => None,
    }
}

/// The service takes letters, digits, single blanks, hyphens and brackets, and no name twice.
fn document_name(at: usize, name: &str) -> String {
    let stem = name.strip_suffix(".pdf").unwrap_or(name);
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']') { c } else { ' ' };
    let words: String = stem.chars().take(MAX_NAME).map(plain).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    format!("{} {}", at.saturating_add(1), if words.is_empty() { "document".to_owned() } else { words.join(" ") })
}

/// Reasoning first, as it came; then text, then calls.
fn assistant(words: &str, calls: &[ToolCall], kept: &[Value]) -> Vec<Value> {
    let said = !words.trim().is_empty();
    let kept = kept.iter().filter(|part| (said || !calls.is_empty()) && part.get("reasoningContent").is_some());
    let text = said.then(|| json!({"text": words}));
    kept.cloned().chain(text).chain(calls.iter().map(tool_use)).collect()
}

fn tool_use(call: &ToolCall) -> Value {
    json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": arguments(&call.arguments)}})
}

/// What is no object goes back as text inside one, so that the model sees what it wrote.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    json::parse(text, ARGUMENTS).ok().filter(Value::is_object).unwrap_or_else(|| json!({"unparsed": text}))
}

fn tool_result(id: &str, content: &str, is_error: bool) -> Value {
    let status = if is_error { "error" } else { "success" };
    json!({"toolResult": {"toolUseId": id, "content": [text(content)], "status": status}})
}

fn output_config(call: &Call) -> Option<Value> {
    let mut config = Map::new();
    if let Some(format) = &call.format {
        let structure = json!({"jsonSchema": schema_body(format)});
        config.insert("textFormat".to_owned(), json!({"type": "json_schema", "structure": structure}));
    }
    if let Some(effort) = &call.reasoning_effort {
        config.insert("effort".to_owned(), Value::from(effort.as_str()));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

/// The schema as text: the order of its keys is the order of the answer's.
fn schema_body(format: &NativeFormat) -> Value {
    let mut body = Map::new();
    body.insert("schema".to_owned(), Value::from(format.schema.to_string()));
    body.insert("name".to_owned(), Value::from(format.name.as_str()));
    if let Some(description) = format.description.as_deref().filter(|text| !text.is_empty()) {
        body.insert("description".to_owned(), Value::from(description));
    }
    Value::Object(body)
}

fn tool_config(call: &Call) -> Option<Value> {
    // There is no "none": without tools there is nothing to choose. A conversation with calls in it needs them anyway.
    let called = |message: &Message| match message {
        Message::Assistant { calls, .. } => !calls.is_empty(),
        Message::ToolResult { .. } => true,
        Message::System { .. } | Message::User { .. } => false,
    };
    let needed = call.tool_choice != ToolChoice::None || call.messages.iter().any(called);
    if call.tools.is_empty() || !needed {
        return None;
    }
    let mut config = Map::new();
    config.insert("tools".to_owned(), call.tools.iter().map(tool_body).collect());
    if single_call(call).is_none()
        && let Some(choice) = choice_body(call)
    {
        config.insert("toolChoice".to_owned(), choice);
    }
    Some(Value::Object(config))
}

fn tool_body(tool: &ToolSpec) -> Value {
    let mut spec = Map::new();
    spec.insert("name".to_owned(), Value::from(tool.name.as_str()));
    if !tool.description.is_empty() {
        spec.insert("description".to_owned(), Value::from(tool.description.as_str()));
    }
    spec.insert("inputSchema".to_owned(), json!({"json": tool.parameters}));
    if tool.strict {
        spec.insert("strict".to_owned(), Value::Bool(true));
    }
    json!({"toolSpec": spec})
}

fn choice_body(call: &Call) -> Option<Value> {
    match &call.tool_choice {
        ToolChoice::Unset | ToolChoice::None => None,
        ToolChoice::Auto => Some(json!({"auto": {}})),
        ToolChoice::Required => Some(json!({"any": {}})),
        ToolChoice::Named(name) => Some(json!({"tool": {"name": name}})),
    }
}

/// Only Claude can be told to make one call at a time, through its own field, which then carries the choice as well.
fn single_call(call: &Call) -> Option<Value> {
    let claude = call.model_id.contains("anthropic.claude");
    let wanted = call.parallel_tool_calls == Some(false) && !call.tools.is_empty() && claude;
    let mut choice = match &call.tool_choice {
        _ if !wanted => return None,
        ToolChoice::None => return None,
        ToolChoice::Unset | ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
    };
    if let Value::Object(choice) = &mut choice {
        choice.insert("disable_parallel_tool_use".to_owned(), Value::Bool(true));
    }
    Some(choice)
}

#[cfg(test)]
mod tests;
