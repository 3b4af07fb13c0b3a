//! The conversation as the model was trained to read it: `ChatML`, turn by turn, to token ids.
//!
//! Only the template puts control tokens in; the text of a turn is encoded without, so that no prompt can fake one.
//! A model that wants another form is refused.

use std::fmt::Write as _;

use super::gguf::Gguf;
use super::tokenizer::Tokenizer;
use crate::dialect::{Attachment, Call, Message, ToolCall, ToolChoice, ToolSpec};
use crate::json::{Map, Value, canonical};

const START: &str = "<|im_start|>";
const END: &str = "<|im_end|>";

/// A schema is shown to the model up to this many tokens; of a longer one only the names of its properties.
const MAX_SCHEMA: usize = 400;
/// At most this many names are told.
const MAX_NAMES: usize = 40;

/// Why a call cannot be put to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("the model's chat template is not ChatML, the only one this version writes")]
    NotChatMl,
    #[error("a local model reads text only: {0} is none")]
    Attachment(String),
}

/// How a model's turns are written.
#[derive(Debug, Clone)]
pub struct Template {
    start: u32,
    end: u32,
    /// What the model's own template says when the caller says nothing.
    system: Option<String>,
}

impl Template {
    /// Looks at the model's own template and vocabulary.
    ///
    /// # Errors
    /// [`TemplateError::NotChatMl`].
    pub fn new(gguf: &Gguf, tokenizer: &Tokenizer) -> Result<Self, TemplateError> {
        let source = gguf.text("tokenizer.chat_template");
        let written = source.is_none_or(|source| source.contains(START) && source.contains(END));
        let marks = tokenizer.control(START).zip(tokenizer.control(END)).filter(|_| written);
        let (start, end) = marks.ok_or(TemplateError::NotChatMl)?;
        Ok(Self { start, end, system: source.and_then(default_system) })
    }

    /// The tokens of a call, up to where the model's answer begins.
    ///
    /// # Errors
    /// [`TemplateError::Attachment`].
    pub fn prompt(&self, tokenizer: &Tokenizer, call: &Call) -> Result<Vec<u32>, TemplateError> {
        let mut out: Vec<u32> = tokenizer.bos().filter(|bos| *bos != self.start).into_iter().collect();
        let system = self.system_text(tokenizer, call);
        if !system.is_empty() {
            self.turn(tokenizer, "system", &system, &mut out);
        }
        let mut results = String::new();
        for message in &call.messages {
            if let Message::ToolResult { content, .. } = message {
                results.push_str(if results.is_empty() { "" } else { "\n" });
                results.extend(["<tool_response>\n", content.as_str(), "\n</tool_response>"]);
                continue;
            }
            self.results(tokenizer, &mut results, &mut out);
            match message {
                Message::System { .. } | Message::ToolResult { .. } => {}
                Message::User { text, attachments } => {
                    self.turn(tokenizer, "user", &with_attachments(text, attachments)?, &mut out);
                }
                Message::Assistant { text, calls, .. } => {
                    self.turn(tokenizer, "assistant", &with_calls(text, calls), &mut out);
                }
            }
        }
        self.results(tokenizer, &mut results, &mut out);
        out.push(self.start);
        out.extend(tokenizer.encode("assistant\n"));
        Ok(out)
    }

    fn results(&self, tokenizer: &Tokenizer, results: &mut String, out: &mut Vec<u32>) {
        if !results.is_empty() {
            self.turn(tokenizer, "user", &std::mem::take(results), out);
        }
    }

    fn turn(&self, tokenizer: &Tokenizer, role: &str, text: &str, out: &mut Vec<u32>) {
        out.push(self.start);
        out.extend(tokenizer.encode(&format!("{role}\n{text}")));
        out.push(self.end);
        out.extend(tokenizer.encode("\n"));
    }

    fn system_text(&self, tokenizer: &Tokenizer, call: &Call) -> String {
        let said = call.messages.iter().filter_map(|message| match message {
            Message::System { text } => Some(text.as_str()),
            Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
        });
        let mut parts: Vec<String> = said.filter(|text| !text.trim().is_empty()).map(str::to_owned).collect();
        if parts.is_empty() {
            parts.extend(self.system.clone());
        }
        if !call.tools.is_empty() && call.tool_choice != ToolChoice::None {
            parts.push(tools(&call.tools));
        }
        if let Some(format) = &call.format {
            parts.push(schema(tokenizer, &format.schema));
        }
        parts.join("\n\n")
    }
}

/// The words between the marks of the system turn in the model's own template, where they are fixed.
fn default_system(source: &str) -> Option<String> {
    let source = source.replace("\\n", "\n");
    let (_, rest) = source.split_once(&format!("{START}system\n"))?;
    let (text, _) = rest.split_once(END)?;
    let fixed = !text.trim().is_empty() && text.len() <= 1_000 && !text.contains(['\'', '"', '{', '}', '<']);
    fixed.then(|| text.to_owned())
}

/// A text file stands in the turn as it is; anything else a text model cannot read.
fn with_attachments(text: &str, attachments: &[Attachment]) -> Result<String, TemplateError> {
    let mut out = String::new();
    for attachment in attachments {
        let content = std::str::from_utf8(&attachment.bytes).ok().filter(|_| is_text(&attachment.media_type));
        let content = content.ok_or_else(|| TemplateError::Attachment(attachment.media_type.clone()))?;
        let _ = write!(out, "File {}:\n{content}\n\n", attachment.name);
    }
    out.push_str(text);
    Ok(out)
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || media_type.contains("json") || media_type.contains("xml")
}

fn with_calls(text: &str, calls: &[ToolCall]) -> String {
    let mut out = text.to_owned();
    for call in calls {
        let name = canonical(&Value::String(call.name.clone()));
        out.push_str(if out.is_empty() { "" } else { "\n" });
        let _ = write!(out, "<tool_call>\n{{\"name\":{name},\"arguments\":{}}}\n</tool_call>", call.arguments);
    }
    out
}

/// As the families of `SmolLM2` and Qwen2.5 were trained.
fn tools(tools: &[ToolSpec]) -> String {
    let mut out = String::from(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function \
         signatures within <tools></tools> XML tags:\n<tools>",
    );
    for tool in tools {
        let function = [
            ("name", Value::String(tool.name.clone())),
            ("description", Value::String(tool.description.clone())),
            ("parameters", tool.parameters.clone()),
        ];
        let function: Map<String, Value> = function.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        out.push_str("\n{\"type\":\"function\",\"function\":");
        out.push_str(&Value::Object(function).to_string());
        out.push('}');
    }
    out.push_str(
        "\n</tools>\n\nFor each function call, return a json object with function name and arguments within \
         <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": \
         <args-json-object>}\n</tool_call>",
    );
    out
}

/// The grammar holds the form whatever is said here; this helps the content.
fn schema(tokenizer: &Tokenizer, schema: &Value) -> String {
    let text = canonical(schema);
    // A token has one byte at least: a text that cannot fit is not cut into tokens for nothing.
    if text.len() <= MAX_SCHEMA * 16 && tokenizer.encode(&text).len() <= MAX_SCHEMA {
        return format!("Answer in JSON that follows this schema:\n{text}");
    }
    let names = schema.get("properties").and_then(Value::as_object).map(|names| {
        let names: Vec<&str> = names.keys().take(MAX_NAMES).map(String::as_str).collect();
        names.join(", ")
    });
    match names.filter(|names| !names.is_empty() && names.len() <= MAX_SCHEMA * 4) {
        Some(names) => format!("Answer in JSON with these properties: {names}"),
        None => "Answer in JSON.".to_owned(),
    }
}
