//! The request body, in the key order of the vendor's examples. Temperature is never sent: the newer API version refuses
//! it at any value.

use serde_json::json;

use super::model::{Traits, traits};
use crate::dialect::attach::{self, Kind, Pdf};
use crate::dialect::{
    Attachment, Call, Header, Message, NativeFormat, Target, ToolCall, ToolChoice, ToolSpec, WireRequest,
};
use crate::json::{self, Map, ParseLimits, Value};

/// What the vendor's own SDKs send since 2026-10-21.
const VERSION: &str = "2026-10-21";
/// What the copies of the API know (LM Studio, llama.cpp, routers). All that is sent here means the same in both.
const COPIED_VERSION: &str = "2023-06-01";
/// In the base URL's query this names another version; it does not stay in the address.
const VERSION_PARAMETER: &str = "anthropic-version";
const HOST: &str = "api.anthropic.com";
/// Media types of images (vendor's vision page).
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
/// Raw arguments are at most a candidate.
const ARGUMENTS: ParseLimits = ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 };

/// Can the file go with a user's turn?
///
/// # Errors
/// Why not, in words that follow "cannot attach NAME: ".
pub(crate) fn accepts(attachment: &Attachment) -> Result<(), String> {
    attach::only(attachment, "the Anthropic API", IMAGES, Pdf::Taken)
}

/// Builds the request. The key is not in it: the transport adds it.
#[must_use]
pub(crate) fn build(target: &Target, call: &Call) -> WireRequest {
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned(), secret: false };
    let (url, version) = endpoint(target);
    WireRequest {
        url,
        headers: vec![
            header("content-type", "application/json"),
            header("accept", "text/event-stream, application/json"),
            header("anthropic-version", &version),
        ],
        body: body(call),
    }
}

/// Address and API version. The base may be the vendor's (`https://host`), or end in `/v1` or `/v1/messages`.
fn endpoint(target: &Target) -> (String, String) {
    let (path, query) = target.base_url.split_once('?').unwrap_or((&target.base_url, ""));
    let (named, others): (Vec<&str>, Vec<&str>) = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .partition(|pair| pair.split('=').next() == Some(VERSION_PARAMETER));
    let named = named.first().and_then(|pair| pair.split_once('=')).map(|(_, version)| version);
    let default = if target.official || is_vendor(path) { VERSION } else { COPIED_VERSION };
    let path = path.trim_end_matches('/');
    let base = path.strip_suffix("/messages").unwrap_or(path);
    let base = base.strip_suffix("/v1").unwrap_or(base);
    let query = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    (format!("{base}/v1/messages{query}"), named.filter(|v| !v.is_empty()).unwrap_or(default).to_owned())
}

fn is_vendor(base: &str) -> bool {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    rest.split(['/', ':']).next().is_some_and(|host| host.eq_ignore_ascii_case(HOST))
}

fn body(call: &Call) -> Value {
    let traits = traits(&call.model_id);
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let effort = effort(traits, call.reasoning_effort.as_deref());
    set("model", Some(Value::from(call.model_id.as_str())));
    set("max_tokens", Some(Value::from(call.max_output_tokens.unwrap_or(traits.max_tokens))));
    set("stream", Some(Value::Bool(true)));
    set("system", system(&call.messages));
    set("messages", Some(Value::Array(turns(&call.messages))));
    set("tools", (!call.tools.is_empty()).then(|| call.tools.iter().map(tool_body).collect()));
    set("tool_choice", choice(traits, call));
    set("thinking", effort.filter(|_| traits.adaptive).map(|_| json!({"type": "adaptive"})));
    set("output_config", output_config(effort, call.format.as_ref()));
    Value::Object(body)
}

/// The vendor's word for an effort. Models without the switch get none: they would answer 400.
fn effort(traits: Traits, asked: Option<&str>) -> Option<&str> {
    let word = match asked? {
        "none" | "minimal" => "low",
        other => other,
    };
    traits.effort.then_some(word)
}

/// One object for both: neither may displace the other.
fn output_config(effort: Option<&str>, format: Option<&NativeFormat>) -> Option<Value> {
    let mut config = Map::new();
    if let Some(effort) = effort {
        config.insert("effort".to_owned(), effort.into());
    }
    if let Some(format) = format {
        // No name, no strict, no description: extra keys are refused.
        config.insert("format".to_owned(), json!({"type": "json_schema", "schema": format.schema}));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

fn system(messages: &[Message]) -> Option<Value> {
    let texts: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::System { text } => Some(text.as_str()),
            Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
        })
        .filter(|text| !text.trim().is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n").into())
}

/// The turns: neighbours of one role are one turn, and a turn without content is none.
fn turns(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::System { .. } => continue,
            Message::User { text, attachments } => ("user", user(text, attachments)),
            Message::Assistant { text, calls, kept } => ("assistant", assistant(text, calls, kept)),
            Message::ToolResult { call_id, name: _, content, is_error } => {
                ("user", vec![tool_result(call_id, content, *is_error)])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            Some(_) | None if blocks.is_empty() => {}
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, blocks)| json!({"role": role, "content": content(blocks)})).collect()
}

/// One text stands for itself.
fn content(blocks: Vec<Value>) -> Value {
    match blocks.as_slice() {
        [only] if only.get("type").is_some_and(|kind| kind == "text") => only.get("text").cloned().unwrap_or_default(),
        _ => Value::Array(blocks),
    }
}

/// A text block must hold more than white space.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn user(text: &str, attachments: &[Attachment]) -> Vec<Value> {
    // Files first: the vendor advises to ask after what is asked about.
    attachments.iter().filter_map(attachment).chain(text_block(text)).collect()
}

fn attachment(attachment: &Attachment) -> Option<Value> {
    let source = |media: &str| json!({"type": "base64", "media_type": media, "data": attach::base64(attachment)});
    match attach::kind(attachment) {
        Kind::Text => text_block(&attach::text(attachment)?),
        Kind::Image => Some(json!({"type": "image", "source": source(&attachment.media_type)})),
        Kind::Pdf => Some(json!({"type": "document", "source": source("application/pdf"), "title": attachment.name})),
        // Refused before any call.
        Kind::Other => None,
    }
}

fn tool_result(call_id: &str, content: &str, is_error: bool) -> Value {
    let mut block = Map::new();
    block.insert("type".to_owned(), "tool_result".into());
    block.insert("tool_use_id".to_owned(), call_id.into());
    block.insert("content".to_owned(), content.into());
    if is_error {
        block.insert("is_error".to_owned(), true.into());
    }
    Value::Object(block)
}

/// Text and calls with the kept blocks in their places among them.
fn assistant(text: &str, calls: &[ToolCall], kept: &[Value]) -> Vec<Value> {
    let mut blocks = Vec::new();
    let (mut at, mut call) = (0, 0);
    let mut upto = |blocks: &mut Vec<Value>, to: usize, before: usize| {
        let to = to.clamp(at, text.len());
        let to = if text.is_char_boundary(to) { to } else { text.len() };
        blocks.extend(text.get(at..to).and_then(text_block));
        at = to;
        let before = before.clamp(call, calls.len());
        blocks.extend(calls.get(call..before).unwrap_or_default().iter().map(call_block));
        call = before;
    };
    for part in kept {
        let place = |key: &str| part.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let Some(block) = part.get("block") else { continue };
        upto(&mut blocks, place("text").unwrap_or(0), place("calls").unwrap_or(0));
        blocks.push(block.clone());
    }
    upto(&mut blocks, text.len(), calls.len());
    blocks
}

/// The wire wants an object. Arguments that are none (a rejected candidate) are told as text inside one.
fn call_block(call: &ToolCall) -> Value {
    let text = call.arguments.trim();
    let input = if text.is_empty() { Some(json!({})) } else { json::parse(text, ARGUMENTS).ok() };
    let input = input.filter(Value::is_object).unwrap_or_else(|| json!({"invalid_json": text}));
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

fn tool_body(tool: &ToolSpec) -> Value {
    let mut body = Map::new();
    body.insert("name".to_owned(), tool.name.as_str().into());
    if !tool.description.is_empty() {
        body.insert("description".to_owned(), tool.description.as_str().into());
    }
    body.insert("input_schema".to_owned(), tool.parameters.clone());
    if tool.strict {
        body.insert("strict".to_owned(), true.into());
    }
    Value::Object(body)
}

/// The choice, with the switch for parallel calls inside it. A model that refuses to be forced is asked.
fn choice(traits: Traits, call: &Call) -> Option<Value> {
    if call.tools.is_empty() {
        return None;
    }
    let strict = call.tools.iter().any(|tool| tool.strict);
    let one_call = call.parallel_tool_calls.map_or(strict, |parallel| !parallel);
    let mut choice = match &call.tool_choice {
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Unset if !one_call => return None,
        ToolChoice::Required if traits.forced_choice => json!({"type": "any"}),
        ToolChoice::Named(name) if traits.forced_choice => json!({"type": "tool", "name": name}),
        ToolChoice::Unset | ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_) => json!({"type": "auto"}),
    };
    if let Value::Object(choice) = &mut choice
        && one_call
    {
        choice.insert("disable_parallel_tool_use".to_owned(), true.into());
    }
    Some(choice)
}

#[cfg(test)]
mod tests;
