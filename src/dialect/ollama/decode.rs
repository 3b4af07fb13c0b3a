//! Lines → raw events and one typed terminal. The last line says `done`; an end without it is `missing`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::failure;
use crate::dialect::held::{self, Held};
use crate::dialect::loose::{self, Loose};
use crate::dialect::{Decoder, Frame};
use crate::event::{RawEvent, Terminal, Usage};
use crate::json::Value;

/// One line.
#[derive(Debug, Default, Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    model: Loose<'a>,
    #[serde(borrow)]
    message: Option<Said<'a>>,
    done: Option<bool>,
    #[serde(borrow, default)]
    done_reason: Loose<'a>,
    prompt_eval_count: Option<Box<Value>>,
    eval_count: Option<Box<Value>>,
    error: Option<Box<Value>>,
}

#[derive(Debug, Default, Deserialize)]
struct Said<'a> {
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    thinking: Loose<'a>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Called<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
struct Called<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    /// An object, kept as it was written: a repeated key or a long number must reach the judge.
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Decodes a native stream.
#[derive(Debug, Default)]
pub struct OllamaDecoder {
    calls: u32,
    /// Calls are counted: one line may hold any number of them.
    held: Held,
    model_told: bool,
    over: bool,
}

impl Decoder for OllamaDecoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>) {
        let data = frame.data.trim();
        if self.over || data.is_empty() {
            return;
        }
        match loose::read::<Line<'_>>(data) {
            Ok(line) => self.line(line, out),
            Err(_) => self.end(failure::unreadable(), out),
        }
    }

    fn finish(&mut self, out: &mut Vec<RawEvent>) {
        if !self.over {
            self.end(Terminal::Missing, out);
        }
    }

    fn is_done(&self) -> bool {
        self.over
    }
}

impl OllamaDecoder {
    fn line(&mut self, line: Line<'_>, out: &mut Vec<RawEvent>) {
        if let Some(id) = line.model.text().filter(|_| !self.model_told) {
            self.model_told = true;
            out.push(RawEvent::Model { id: id.to_owned() });
        }
        if let Some(said) = line.message {
            self.said(said, out);
        }
        if self.held.is_too_much() {
            return self.end(Terminal::Error { failure: held::too_much() }, out);
        }
        if let Some(error) = line.error.filter(|error| !error.is_null()) {
            return self.end(failure::in_stream(&error), out);
        }
        if line.done != Some(true) {
            return;
        }
        let count = |value: Option<Box<Value>>| value.and_then(|value| value.as_u64());
        let usage = Usage {
            input_tokens: count(line.prompt_eval_count),
            output_tokens: count(line.eval_count),
            ..Usage::default()
        };
        if usage != Usage::default() {
            out.push(RawEvent::Usage { usage });
        }
        let terminal = failure::finish(line.done_reason.text().unwrap_or_default(), self.calls > 0);
        self.end(terminal, out);
    }

    fn said(&mut self, said: Said<'_>, out: &mut Vec<RawEvent>) {
        if let Some(text) = said.thinking.into_text() {
            out.push(RawEvent::Thinking { delta: text.into_owned() });
        }
        if let Some(text) = said.content.into_text() {
            out.push(RawEvent::Text { delta: text.into_owned() });
        }
        for called in said.tool_calls.into_iter().flatten() {
            if !self.held.part() {
                return;
            }
            let (slot, function) = (self.calls, called.function.unwrap_or_default());
            self.calls = self.calls.saturating_add(1);
            let text = |loose: Loose<'_>| loose.into_text().map(Cow::into_owned).unwrap_or_default();
            out.push(RawEvent::ToolStart { slot, id: text(called.id), name: text(function.name) });
            if let Some(arguments) = function.arguments {
                out.push(RawEvent::ToolArgs { slot, delta: arguments.get().to_owned() });
            }
        }
    }

    fn end(&mut self, terminal: Terminal, out: &mut Vec<RawEvent>) {
        out.push(RawEvent::Terminal { terminal });
        self.over = true;
    }
}

/// Decodes an answer that came as one JSON body: it has the shape of the last line.
#[must_use]
pub fn decode_whole(body: &str) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (OllamaDecoder::default(), Vec::new());
    let frame = Frame { event: None, data: body.trim_start_matches('\u{feff}').to_owned() };
    decoder.frame(&frame, &mut out);
    decoder.finish(&mut out);
    out
}

#[cfg(test)]
mod tests;
