//! Chat chunks → raw events and one typed terminal.
//!
//! The terminal is held back until `[DONE]` or the end of the body, because usage comes after the finish reason and a
//! later chunk may make the ending worse. An ending that was not announced is `missing`, never success.

use std::borrow::Cow;

use super::chunk::{Choice, Chunk, Delta, Fragment, Function, Loose};
use super::failure;
use super::reasoning::{Details, readable};
use crate::dialect::held::{self, Held};
use crate::dialect::{Decoder, Frame, loose};
use crate::event::{RawEvent, Terminal, Usage};
use crate::json::Value;

/// Decodes a chat stream.
#[derive(Debug, Default)]
pub struct ChatDecoder {
    calls: Vec<Slot>,
    /// The ending announced so far.
    ending: Option<Terminal>,
    refused: bool,
    usage: Option<Usage>,
    /// Reasoning that goes back in the next call.
    details: Details,
    /// What of calls and reasoning is held until the end.
    held: Held,
    model_told: bool,
    over: bool,
}

/// One tool call that is being put together.
#[derive(Debug, Default)]
struct Slot {
    index: Option<i64>,
    id: String,
    /// The name came and the call was given out.
    started: bool,
    /// Argument text that came before the name.
    waiting: String,
}

/// Slot key of the legacy `function_call`, which has no index: no server sends a negative one.
const LEGACY: i64 = -1;

impl Decoder for ChatDecoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>) {
        if self.over {
            return;
        }
        let data = frame.data.trim();
        if frame.event.as_deref() == Some("error") {
            return self.fail(failure::in_stream_text(data), out);
        }
        match data {
            "" => {}
            "[DONE]" => self.finish(out),
            _ => match loose::read::<Chunk<'_>>(data) {
                Ok(chunk) => self.chunk(chunk, out),
                Err(_) => self.fail(failure::unreadable(), out),
            },
        }
    }

    fn finish(&mut self, out: &mut Vec<RawEvent>) {
        if self.over {
            return;
        }
        let announced = self.ending.take().unwrap_or(Terminal::Missing);
        // A refusal is one whatever the finish reason says.
        let fault = matches!(announced, Terminal::Error { .. });
        let terminal = if self.refused && !fault { Terminal::Refusal } else { announced };
        self.end(terminal, out);
    }

    fn is_done(&self) -> bool {
        self.over
    }
}

impl ChatDecoder {
    fn end(&mut self, terminal: Terminal, out: &mut Vec<RawEvent>) {
        self.give_out_nameless(out);
        self.details.give_out(out);
        out.extend(self.usage.take().map(|usage| RawEvent::Usage { usage }));
        out.push(RawEvent::Terminal { terminal });
        self.over = true;
    }

    fn fail(&mut self, failure: crate::event::CallFailure, out: &mut Vec<RawEvent>) {
        self.end(Terminal::Error { failure }, out);
    }

    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut Vec<RawEvent>) {
        if !self.model_told
            && let Some(id) = chunk.model.text()
        {
            self.model_told = true;
            out.push(RawEvent::Model { id: id.to_owned() });
        }
        if let Some(usage) = chunk.usage.as_deref().and_then(usage) {
            self.usage = Some(usage);
        }
        let mut fault = chunk.error.filter(|error| says_something(error));
        let listed = chunk.choices.is_some();
        if let Some(choice) = chunk.choices.and_then(|first| first.0) {
            fault = self.choice(choice, out).or(fault);
        }
        match fault {
            Some(error) => self.fail(failure::in_stream(&error), out),
            None if self.held.is_too_much() => {
                self.calls.clear();
                self.details = Details::default();
                self.fail(held::too_much(), out);
            }
            None if !listed && chunk.object.text() == Some("error") => self.fail(failure::in_stream_bare(), out),
            None => {}
        }
    }

    /// Takes one choice; hands back the error object that may stand in it.
    fn choice(&mut self, choice: Choice<'_>, out: &mut Vec<RawEvent>) -> Option<Box<Value>> {
        if let Some(delta) = choice.delta.or_else(|| choice.message.map(|message| *message)) {
            self.delta(delta, out);
        }
        if let Some(word) = choice.finish_reason.text() {
            let terminal = failure::finish(word);
            let native = choice.native_finish_reason.text().and_then(failure::native_finish);
            self.announce(native.unwrap_or(terminal));
        }
        choice.error.filter(|error| says_something(error))
    }

    /// The first bad ending stays; a good one may still turn bad.
    fn announce(&mut self, terminal: Terminal) {
        let good = |terminal: &Terminal| matches!(terminal, Terminal::Stop | Terminal::ToolUse);
        match &self.ending {
            None => self.ending = Some(terminal),
            Some(before) if good(before) && !good(&terminal) => self.ending = Some(terminal),
            Some(_) => {}
        }
    }

    fn delta(&mut self, delta: Delta<'_>, out: &mut Vec<RawEvent>) {
        let thinking = delta.reasoning_content.into_text().or_else(|| delta.reasoning.into_text());
        let told = delta.reasoning_details.map(|details| *details);
        let thinking = thinking.map(Cow::into_owned).or_else(|| told.as_ref().and_then(readable));
        out.extend(thinking.map(|delta| RawEvent::Thinking { delta }));
        if let Some(told) = told {
            self.details.take(told, &mut self.held);
        }
        content(delta.content, out);
        if let Some(text) = delta.refusal.into_text() {
            self.refused = true;
            out.push(RawEvent::Refusal { delta: text.into_owned() });
        }
        for fragment in delta.tool_calls.into_iter().flatten() {
            self.fragment(fragment, out);
        }
        if let Some(function) = delta.function_call {
            let fragment = Fragment { index: Some(LEGACY), id: Loose::Nothing, function: Some(*function) };
            self.fragment(fragment, out);
        }
    }

    fn fragment(&mut self, fragment: Fragment<'_>, out: &mut Vec<RawEvent>) {
        let Some(at) = self.slot_of(&fragment) else { return };
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let Some(slot) = self.calls.get_mut(at) else { return };
        if let Some(id) = fragment.id.text().filter(|id| slot.id.is_empty() && self.held.text(id)) {
            id.clone_into(&mut slot.id);
        }
        let Function { name, arguments } = fragment.function.unwrap_or_default();
        if let Some(name) = name.text().filter(|_| !slot.started) {
            slot.started = true;
            out.push(RawEvent::ToolStart { slot: number, id: slot.id.clone(), name: name.to_owned() });
            if !slot.waiting.is_empty() {
                out.push(RawEvent::ToolArgs { slot: number, delta: std::mem::take(&mut slot.waiting) });
            }
        }
        let Some(delta) = argument_text(arguments) else { return };
        if slot.started {
            out.push(RawEvent::ToolArgs { slot: number, delta });
        } else if self.held.text(&delta) {
            slot.waiting.push_str(&delta);
        }
    }

    /// Which call a fragment belongs to; begins one when none fits. `None` when there are too many.
    fn slot_of(&mut self, fragment: &Fragment<'_>) -> Option<usize> {
        let id = fragment.id.text();
        let named = fragment.function.as_ref().is_some_and(|function| function.name.text().is_some());
        let found = match (fragment.index, id) {
            // A new id together with a name is a new call, though the index repeats.
            (Some(index), id) => self.calls.iter().rposition(|slot| slot.index == Some(index)).filter(|at| {
                let other =
                    |slot: &Slot| named && slot.started && id.is_some_and(|id| !slot.id.is_empty() && slot.id != id);
                !self.calls.get(*at).is_some_and(other)
            }),
            (None, Some(id)) => self.calls.iter().rposition(|slot| slot.id == id),
            (None, None) => self
                .calls
                .len()
                .checked_sub(1)
                .filter(|at| !named || self.calls.get(*at).is_some_and(|slot| !slot.started)),
        };
        if found.is_none() && self.held.part() {
            self.calls.push(Slot { index: fragment.index, ..Slot::default() });
            return self.calls.len().checked_sub(1);
        }
        found
    }

    /// Calls whose name never came are given out too, so that nobody takes the message for one without calls.
    fn give_out_nameless(&mut self, out: &mut Vec<RawEvent>) {
        for (at, slot) in self.calls.iter_mut().enumerate().filter(|(_, slot)| !slot.started) {
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            slot.started = true;
            out.push(RawEvent::ToolStart { slot: number, id: slot.id.clone(), name: String::new() });
            out.push(RawEvent::ToolArgs { slot: number, delta: std::mem::take(&mut slot.waiting) });
        }
    }
}

/// Answer text, or a list of parts where a server sends such.
fn content(content: Loose<'_>, out: &mut Vec<RawEvent>) {
    match content {
        Loose::Text(text) if !text.is_empty() => out.push(RawEvent::Text { delta: text.into_owned() }),
        Loose::Other(value) => out.extend(value.as_array().into_iter().flatten().filter_map(part)),
        Loose::Text(_) | Loose::Nothing => {}
    }
}

/// `{"type":"text","text":…}` or `{"type":"thinking","thinking":[{"text":…}]}`.
fn part(part: &Value) -> Option<RawEvent> {
    let text = |value: &Value| value.get("text").and_then(Value::as_str).map(str::to_owned);
    match part.get("thinking") {
        Some(Value::Array(inner)) => Some(RawEvent::Thinking { delta: inner.iter().filter_map(text).collect() }),
        Some(Value::String(inner)) => Some(RawEvent::Thinking { delta: inner.clone() }),
        _ => text(part).map(|delta| RawEvent::Text { delta }),
    }
}

/// Argument text; some servers send the object itself.
fn argument_text(arguments: Loose<'_>) -> Option<String> {
    match arguments {
        Loose::Text(text) if !text.is_empty() => Some(text.into_owned()),
        Loose::Other(value) => serde_json::to_string(&value).ok(),
        Loose::Text(_) | Loose::Nothing => None,
    }
}

fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Array(_) => true,
    }
}

/// Reasoning is part of the output. Servers that count it beside the output (xAI) are told by their own total.
fn usage(value: &Value) -> Option<Usage> {
    let count = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
    let (input, output) = (count("/prompt_tokens"), count("/completion_tokens"));
    let reasoning = count("/completion_tokens_details/reasoning_tokens");
    let together = output.map(|output| output.saturating_add(reasoning.unwrap_or(0)));
    let beside = together.map(|output| output.saturating_add(input.unwrap_or(0))) == count("/total_tokens");
    let usage = Usage {
        input_tokens: input,
        output_tokens: if beside { together } else { output },
        reasoning_tokens: reasoning,
        cached_tokens: count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens")),
    };
    (usage != Usage::default()).then_some(usage)
}

/// Decodes a response that came as one JSON body because the server ignored `stream`.
#[must_use]
pub fn decode_whole(body: &str) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (ChatDecoder::default(), Vec::new());
    let frame = Frame { event: None, data: body.trim_start_matches('\u{feff}').to_owned() };
    decoder.frame(&frame, &mut out);
    decoder.finish(&mut out);
    out
}
