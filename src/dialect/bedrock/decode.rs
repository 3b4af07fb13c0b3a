//! Payloads of frames → raw events and one typed terminal.
//!
//! The terminal is held back after `messageStop`, because usage comes behind it; an end without `messageStop` is
//! `missing`. Signed and redacted reasoning is kept, block by block, to go back unchanged.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::failure;
use crate::dialect::held::{self, Held};
use crate::dialect::loose::{self, Loose};
use crate::dialect::{Decoder, Frame};
use crate::event::{RawEvent, Terminal, Usage};
use crate::json::Value;

/// The payload of a frame; which frame it is stands in the frame's headers.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    content_block_index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    start: Option<Box<Value>>,
    #[serde(borrow, default)]
    stop_reason: Loose<'a>,
    usage: Option<Box<Value>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow)]
    tool_use: Option<ToolUse<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Reasoning<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct ToolUse<'a> {
    #[serde(borrow, default)]
    input: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasoning<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    signature: Loose<'a>,
    #[serde(borrow, default)]
    redacted_content: Loose<'a>,
}

/// A block of reasoning that is being put together.
#[derive(Debug, Default)]
struct Thought {
    text: String,
    signature: String,
    /// Each fragment is base64 of its own.
    redacted: Vec<String>,
}

/// Decodes a Converse stream.
#[derive(Debug, Default)]
pub struct ConverseDecoder {
    /// Block → slot of its call.
    calls: BTreeMap<u64, u32>,
    thoughts: BTreeMap<u64, Thought>,
    /// What of the blocks is held until they end.
    held: Held,
    ending: Option<Terminal>,
    over: bool,
}

impl Decoder for ConverseDecoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>) {
        if self.over {
            return;
        }
        let name = frame.event.as_deref().unwrap_or_default();
        if name == "error" || name.ends_with("Exception") {
            return self.end(failure::in_stream(&self.exception(name, &frame.data), &frame.data), out);
        }
        if !matches!(name, "contentBlockStart" | "contentBlockDelta" | "contentBlockStop" | "messageStop" | "metadata")
        {
            return;
        }
        match loose::read::<Payload<'_>>(&frame.data) {
            Ok(payload) => {
                self.payload(name, payload, out);
                self.check(out);
            }
            Err(_) => self.end(failure::unreadable(), out),
        }
    }

    fn finish(&mut self, out: &mut Vec<RawEvent>) {
        if !self.over {
            let terminal = self.ending.take().unwrap_or(Terminal::Missing);
            self.end(terminal, out);
        }
    }

    fn is_done(&self) -> bool {
        self.over
    }
}

impl ConverseDecoder {
    /// A fault of the framing layer names itself in its payload.
    fn exception(&self, name: &str, data: &str) -> String {
        let _ = self;
        let code = loose::read::<Value>(data).ok();
        let code = code.as_ref().and_then(|value| value.get("code")).and_then(Value::as_str);
        code.filter(|_| name == "error").unwrap_or(name).to_owned()
    }

    /// Ends a call that holds more than any answer may.
    fn check(&mut self, out: &mut Vec<RawEvent>) {
        if self.held.is_too_much() && !self.over {
            self.end(Terminal::Missing, out);
        }
    }

    fn payload(&mut self, name: &str, payload: Payload<'_>, out: &mut Vec<RawEvent>) {
        let block = payload.content_block_index.unwrap_or(0);
        match name {
            "contentBlockStart" => self.start(block, payload.start.as_deref(), out),
            "contentBlockDelta" => self.delta(block, payload.delta.unwrap_or_default(), out),
            "contentBlockStop" => self.keep(block, out),
            "messageStop" => {
                let word = payload.stop_reason.text().unwrap_or_default();
                self.ending.get_or_insert_with(|| failure::finish(word));
            }
            "metadata" => {
                out.extend(payload.usage.as_deref().and_then(usage).map(|usage| RawEvent::Usage { usage }));
                if let Some(terminal) = self.ending.take() {
                    self.end(terminal, out);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, block: u64, start: Option<&Value>, out: &mut Vec<RawEvent>) {
        let Some(tool) = start.and_then(|start| start.get("toolUse")) else { return };
        let word = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default();
        self.call(block, word("toolUseId"), word("name"), out);
    }

    fn call(&mut self, block: u64, id: &str, name: &str, out: &mut Vec<RawEvent>) {
        let next = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        if self.calls.contains_key(&block) || !self.held.part() {
            return;
        }
        self.calls.insert(block, next);
        out.push(RawEvent::ToolStart { slot: next, id: id.to_owned(), name: name.to_owned() });
    }

    fn delta(&mut self, block: u64, delta: Delta<'_>, out: &mut Vec<RawEvent>) {
        if let Some(text) = delta.text.into_text() {
            out.push(RawEvent::Text { delta: text.into_owned() });
        }
        if let Some(tool) = delta.tool_use {
            // Arguments without a start are a call all the same: nobody must take the message for one without.
            self.call(block, "", "", out);
            if let (Some(text), Some(slot)) = (tool.input.into_text(), self.calls.get(&block)) {
                out.push(RawEvent::ToolArgs { slot: *slot, delta: text.into_owned() });
            }
        }
        if let Some(reasoning) = delta.reasoning_content {
            self.think(block, reasoning, out);
        }
    }

    fn think(&mut self, block: u64, reasoning: Reasoning<'_>, out: &mut Vec<RawEvent>) {
        let signature = reasoning.signature.text().unwrap_or_default();
        let redacted = reasoning.redacted_content.text();
        let text = reasoning.text.into_text();
        if (!self.thoughts.contains_key(&block) || redacted.is_some()) && !self.held.part() {
            return;
        }
        let more = [signature, redacted.unwrap_or_default(), text.as_deref().unwrap_or_default()];
        if !more.iter().all(|text| self.held.text(text)) {
            return;
        }
        let thought = self.thoughts.entry(block).or_default();
        thought.signature.push_str(signature);
        thought.redacted.extend(redacted.map(str::to_owned));
        if let Some(text) = text {
            thought.text.push_str(&text);
            out.push(RawEvent::Thinking { delta: text.into_owned() });
        }
    }

    /// A block of reasoning is complete. Without a signature it would be refused: it is not sent back.
    fn keep(&mut self, block: u64, out: &mut Vec<RawEvent>) {
        let Some(thought) = self.thoughts.remove(&block) else { return };
        if !thought.signature.is_empty() {
            let part = json!({"reasoningText": {"text": thought.text, "signature": thought.signature}});
            out.push(RawEvent::Keep { part: json!({"reasoningContent": part}) });
        }
        for redacted in thought.redacted {
            out.push(RawEvent::Keep { part: json!({"reasoningContent": {"redactedContent": redacted}}) });
        }
    }

    /// Whatever was announced: what was held back in part is no answer.
    fn end(&mut self, mut terminal: Terminal, out: &mut Vec<RawEvent>) {
        if self.held.is_too_much() {
            terminal = Terminal::Error { failure: held::too_much() };
        }
        out.push(RawEvent::Terminal { terminal });
        self.over = true;
    }

    /// One block of a whole message.
    fn block(&mut self, index: u64, block: &Value, out: &mut Vec<RawEvent>) {
        let text = |pointer: &str| block.pointer(pointer).and_then(Value::as_str);
        if let Some(delta) = text("/text") {
            out.push(RawEvent::Text { delta: delta.to_owned() });
        }
        if let Some(tool) = block.get("toolUse") {
            self.call(
                index,
                text("/toolUse/toolUseId").unwrap_or_default(),
                text("/toolUse/name").unwrap_or_default(),
                out,
            );
            if let (Some(input), Some(slot)) = (tool.get("input"), self.calls.get(&index)) {
                out.push(RawEvent::ToolArgs { slot: *slot, delta: input.to_string() });
            }
        }
        if let Some(delta) = text("/reasoningContent/reasoningText/text") {
            out.push(RawEvent::Thinking { delta: delta.to_owned() });
        }
        let signed =
            text("/reasoningContent/reasoningText/signature").or_else(|| text("/reasoningContent/redactedContent"));
        if signed.is_some() {
            out.push(RawEvent::Keep { part: block.clone() });
        }
    }
}

fn usage(value: &Value) -> Option<Usage> {
    let count = |key: &str| value.get(key).and_then(Value::as_u64);
    let usage = Usage {
        input_tokens: count("inputTokens"),
        output_tokens: count("outputTokens"),
        reasoning_tokens: None,
        cached_tokens: count("cacheReadInputTokens"),
    };
    (usage != Usage::default()).then_some(usage)
}

/// Decodes the answer of a plain Converse call: some gateways send it instead of a stream.
#[must_use]
pub fn decode_whole(body: &str) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (ConverseDecoder::default(), Vec::new());
    let Ok(value) = crate::json::parse(body.trim_start_matches('\u{feff}').trim(), crate::dialect::fault::WHOLE) else {
        decoder.end(failure::unreadable(), &mut out);
        return out;
    };
    let blocks = value.pointer("/output/message/content").and_then(Value::as_array);
    for (index, block) in (0..).zip(blocks.into_iter().flatten()) {
        decoder.block(index, block, &mut out);
    }
    out.extend(value.get("usage").and_then(usage).map(|usage| RawEvent::Usage { usage }));
    let terminal = match value.get("stopReason").and_then(Value::as_str) {
        Some(word) => failure::finish(word),
        None if blocks.is_none() && value.get("message").is_some() => failure::in_stream("", body),
        None => Terminal::Missing,
    };
    decoder.end(terminal, &mut out);
    out
}

#[cfg(test)]
mod tests;
