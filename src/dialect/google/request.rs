//! The request body, in the key order of the vendor's examples.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::model::{Thinking, Traits, traits};
use crate::dialect::attach::{self, Kind, Pdf};
use crate::dialect::{Attachment, Call, Header, Message, Target, ToolCall, ToolChoice, ToolSpec, WireRequest};
use crate::json::{self, Map, ParseLimits, Value};

/// The version whose models include the `*-latest` names; the fields sent here are in `v1` as well.
const VERSION: &str = "v1beta";
/// Media types of images (vendor's page on image understanding).
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"];
/// Raw arguments are at most a candidate.
const ARGUMENTS: ParseLimits = ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 };
/// What may stand unescaped in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Can the file go with a user's turn?
///
/// # Errors
/// Why not, in words that follow "cannot attach NAME: ".
pub(crate) fn accepts(attachment: &Attachment) -> Result<(), String> {
    attach::only(attachment, "the Gemini API", IMAGES, Pdf::Taken)
}

/// Builds the request. The key is not in it: the transport adds it.
#[must_use]
pub(crate) fn build(target: &Target, call: &Call) -> WireRequest {
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned(), secret: false };
    WireRequest {
        url: endpoint(&target.base_url, &call.model_id),
        headers: vec![
            header("content-type", "application/json"),
            header("accept", "text/event-stream, application/json"),
        ],
        body: body(call),
    }
}

/// The address. A base without a version gets one; a query of the base stays.
fn endpoint(base: &str, model: &str) -> String {
    let (path, query) = base.split_once('?').map_or((base, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let version = if path.split('/').skip(3).any(is_version) { String::new() } else { format!("/{VERSION}") };
    let query = query.filter(|query| !query.is_empty()).map_or(String::new(), |query| format!("&{query}"));
    format!("{path}{version}/{}:streamGenerateContent?alt=sse{query}", resource(model))
}

/// `v1`, `v1beta`, `v1beta1`, `v2alpha`
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// The model's path. Nothing in a name can leave its segment.
fn resource(model: &str) -> String {
    let named = model
        .split_once('/')
        .filter(|(folder, name)| matches!(*folder, "models" | "tunedModels") && !name.contains('/'));
    let (folder, name) = named.unwrap_or(("models", model));
    format!("{folder}/{}", utf8_percent_encode(name, SEGMENT))
}

fn body(call: &Call) -> Value {
    let traits = traits(&call.model_id);
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let system = system(&call.messages);
    let (instruction, lead) = if traits.system { (system, None) } else { (None, system) };
    set("systemInstruction", instruction.map(|text| json!({"parts": [{"text": text}]})));
    set("contents", Some(Value::Array(contents(&call.messages, lead))));
    set("generationConfig", generation_config(traits, call));
    set(
        "tools",
        (!call.tools.is_empty()).then(|| {
            let declarations: Vec<Value> = call.tools.iter().map(tool_body).collect();
            json!([{"functionDeclarations": declarations}])
        }),
    );
    set("toolConfig", tool_config(traits, call));
    Value::Object(body)
}

fn system(messages: &[Message]) -> Option<String> {
    let texts: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::System { text } => Some(text.as_str()),
            Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
        })
        .filter(|text| !text.trim().is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn generation_config(traits: Traits, call: &Call) -> Option<Value> {
    let mut config = Map::new();
    if let Some(format) = &call.format {
        // Both are needed.
        config.insert("responseMimeType".to_owned(), "application/json".into());
        config.insert("responseJsonSchema".to_owned(), format.schema.clone());
    }
    if let Some(most) = call.max_output_tokens {
        config.insert("maxOutputTokens".to_owned(), most.into());
    }
    if let Some(thinking) = call.reasoning_effort.as_deref().and_then(|effort| thinking(traits.thinking, effort)) {
        config.insert("thinkingConfig".to_owned(), thinking);
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

/// Share of the largest budget, in thousandths, and the level, for each word.
const EFFORTS: &[(&str, u64, &str)] = &[
    ("none", 0, "MINIMAL"),
    ("minimal", 0, "MINIMAL"),
    ("low", 100, "LOW"),
    ("medium", 350, "MEDIUM"),
    ("high", 1_000, "HIGH"),
    ("xhigh", 1_000, "XHIGH"),
    ("max", 1_000, "XHIGH"),
];

fn thinking(kind: Thinking, effort: &str) -> Option<Value> {
    let (_, share, level) = EFFORTS.iter().find(|(word, _, _)| *word == effort)?;
    match kind {
        Thinking::None => None,
        Thinking::Budget(least, most) => {
            let budget = (most * share / 1_000).max(least);
            Some(json!({"thinkingBudget": budget, "includeThoughts": false}))
        }
        Thinking::Level(least) => {
            let level = if *level == "MINIMAL" { least } else { level };
            Some(json!({"thinkingLevel": level, "includeThoughts": false}))
        }
    }
}

/// The turns: neighbours of one role are one turn.
fn contents(messages: &[Message], lead: Option<String>) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    turns.extend(lead.map(|text| ("user", vec![json!({"text": text})])));
    // Ids that the provider gave to calls; ours are not sent.
    let mut ids: Vec<(&str, &str)> = Vec::new();
    for message in messages {
        let (role, parts) = match message {
            Message::System { .. } => continue,
            Message::User { text, attachments } => ("user", user(text, attachments)),
            Message::Assistant { text, calls, kept } => {
                ids.extend(kept.iter().filter_map(|part| given_id(calls, part)));
                ("model", assistant(text, calls, kept))
            }
            Message::ToolResult { call_id, name, content, is_error } => {
                let id = ids.iter().rev().find(|(ours, _)| ours == call_id).map(|(_, theirs)| *theirs);
                ("user", vec![tool_result(id, name, content, *is_error)])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            Some(_) | None if parts.is_empty() => {}
            Some(_) | None => turns.push((role, parts)),
        }
    }
    turns.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

/// Our id of a call and the provider's own.
fn given_id<'a>(calls: &'a [ToolCall], part: &'a Value) -> Option<(&'a str, &'a str)> {
    let id = part.get("call")?.get("id")?.as_str()?;
    let call = calls.get(place(part, "calls"))?;
    Some((call.id.as_str(), id))
}

fn place(part: &Value, key: &str) -> usize {
    part.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

fn user(text: &str, attachments: &[Attachment]) -> Vec<Value> {
    let own = (!text.is_empty()).then(|| json!({"text": text}));
    attachments.iter().filter_map(attachment).chain(own).collect()
}

fn attachment(attachment: &Attachment) -> Option<Value> {
    match attach::kind(attachment) {
        Kind::Text => Some(json!({"text": attach::text(attachment)?})),
        Kind::Image | Kind::Pdf => {
            Some(json!({"inlineData": {"mimeType": attachment.media_type, "data": attach::base64(attachment)}}))
        }
        // Refused before any call.
        Kind::Other => None,
    }
}

fn tool_result(id: Option<&str>, name: &str, content: &str, is_error: bool) -> Value {
    let key = if is_error { "error" } else { "output" };
    let mut response = Map::new();
    response.extend(id.map(|id| ("id".to_owned(), id.into())));
    response.insert("name".to_owned(), name.into());
    response.insert("response".to_owned(), json!({key: content}));
    json!({"functionResponse": response})
}

/// Text and calls, each signature on the part it came with.
fn assistant(text: &str, calls: &[ToolCall], kept: &[Value]) -> Vec<Value> {
    let mut parts = Vec::new();
    let (mut at, mut call) = (0, 0);
    for part in kept {
        let to = boundary(text, place(part, "text").max(at));
        parts.extend(text.get(at..to).and_then(text_part));
        at = to;
        let before = place(part, "calls").clamp(call, calls.len());
        parts.extend(calls.get(call..before).unwrap_or_default().iter().map(|call| call_part(call, None)));
        call = before;
        if let Some(own) = part.get("part") {
            parts.push(own.clone());
            if own.get("thought").is_none() {
                at = boundary(text, at.saturating_add(own.get("text").and_then(Value::as_str).map_or(0, str::len)));
            }
        } else if let Some(signed) = part.get("call")
            && let Some(this) = calls.get(call)
        {
            parts.push(call_part(this, Some(signed)));
            call += 1;
        }
    }
    parts.extend(text.get(at..).and_then(text_part));
    parts.extend(calls.get(call..).unwrap_or_default().iter().map(|call| call_part(call, None)));
    parts
}

/// The place itself, or the end of the text when it is none.
fn boundary(text: &str, at: usize) -> usize {
    if text.is_char_boundary(at) { at } else { text.len() }
}

fn text_part(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"text": text}))
}

/// The wire wants an object. Arguments that are none (a rejected candidate) are told as text inside one.
fn call_part(call: &ToolCall, signed: Option<&Value>) -> Value {
    let text = call.arguments.trim();
    let args = if text.is_empty() { Some(json!({})) } else { json::parse(text, ARGUMENTS).ok() };
    let args = args.filter(Value::is_object).unwrap_or_else(|| json!({"invalid_json": text}));
    let of = |key: &str| signed.and_then(|signed| signed.get(key)).cloned();
    let mut inner = Map::new();
    inner.extend(of("id").map(|id| ("id".to_owned(), id)));
    inner.insert("name".to_owned(), call.name.as_str().into());
    inner.insert("args".to_owned(), args);
    let mut part = Map::new();
    part.insert("functionCall".to_owned(), Value::Object(inner));
    part.extend(of("thoughtSignature").map(|signature| ("thoughtSignature".to_owned(), signature)));
    Value::Object(part)
}

fn tool_body(tool: &ToolSpec) -> Value {
    let mut body = Map::new();
    body.insert("name".to_owned(), tool.name.as_str().into());
    if !tool.description.is_empty() {
        body.insert("description".to_owned(), tool.description.as_str().into());
    }
    body.insert("parametersJsonSchema".to_owned(), tool.parameters.clone());
    Value::Object(body)
}

/// Strictness is the whole request's: mode VALIDATED. A forced call needs ANY; beside a JSON format only AUTO is taken.
fn tool_config(traits: Traits, call: &Call) -> Option<Value> {
    if call.tools.is_empty() {
        return None;
    }
    let strict = traits.validated && call.format.is_none() && call.tools.iter().any(|tool| tool.strict);
    let all = || call.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>();
    let (mode, names) = match &call.tool_choice {
        ToolChoice::None => ("NONE", None),
        ToolChoice::Named(name) => ("ANY", Some(vec![name.as_str()])),
        ToolChoice::Required => ("ANY", Some(all())),
        ToolChoice::Unset | ToolChoice::Auto if strict => ("VALIDATED", Some(all())),
        ToolChoice::Unset => return None,
        ToolChoice::Auto => ("AUTO", None),
    };
    let mut config = Map::new();
    config.insert("mode".to_owned(), mode.into());
    config.extend(names.map(|names| ("allowedFunctionNames".to_owned(), names.into())));
    Some(json!({"functionCallingConfig": config}))
}

#[cfg(test)]
mod tests;
