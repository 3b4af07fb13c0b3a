//! Responses events → raw events and one typed terminal.
//!
//! The terminal comes with the last event; an end without one is `missing`, never success. Unknown events are passed
//! over.

use super::failure;
use super::items::{Items, Part};
use super::shape::{Event, Response};
use crate::dialect::held;
use crate::dialect::loose::{self, Loose};
use crate::dialect::{Decoder, Frame};
use crate::event::{RawEvent, Terminal, Usage};
use crate::json::{Map, Value};

/// Decodes a Responses stream.
#[derive(Debug, Default)]
pub struct ResponsesDecoder {
    items: Items,
    model_told: bool,
    over: bool,
}

impl Decoder for ResponsesDecoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>) {
        let data = frame.data.trim();
        // `[DONE]` is no word of this dialect, but intermediaries send it.
        if self.over || data.is_empty() || data == "[DONE]" {
            return;
        }
        match loose::read::<Event<'_>>(data) {
            Ok(event) => {
                self.event(event, frame, out);
                self.check(out);
            }
            Err(_) if frame.event.as_deref() == Some("error") => self.fault(failure::in_stream_text(data), out),
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

impl ResponsesDecoder {
    /// Ends a call that holds more than any answer may.
    fn check(&mut self, out: &mut Vec<RawEvent>) {
        if self.items.held.is_too_much() && !self.over {
            self.end(Terminal::Missing, out);
        }
    }

    fn event(&mut self, event: Event<'_>, frame: &Frame, out: &mut Vec<RawEvent>) {
        let id = event.item_id.text().or_else(|| event.item.as_deref()?.get("id")?.as_str());
        let index = self.items.place(event.output_index, id);
        let at = event.content_index.or(event.summary_index).unwrap_or(0);
        let kind = event.kind.text().or(frame.event.as_deref()).unwrap_or_default();
        let delta = |part: Part, items: &mut Items, out: &mut Vec<RawEvent>| {
            if let Some(delta) = event.delta.text() {
                items.delta(index, part, at, delta, out);
            }
        };
        let whole = |part: Part, text: &Loose<'_>, items: &mut Items, out: &mut Vec<RawEvent>| {
            items.whole(index, part, at, text.text().unwrap_or_default(), out);
        };
        match kind {
            "response.output_text.delta" => delta(Part::Text, &mut self.items, out),
            "response.refusal.delta" => delta(Part::Refusal, &mut self.items, out),
            "response.reasoning_summary_text.delta" => delta(Part::Summary, &mut self.items, out),
            "response.reasoning_text.delta" => delta(Part::Reasoning, &mut self.items, out),
            "response.output_text.done" => whole(Part::Text, &event.text, &mut self.items, out),
            "response.refusal.done" => whole(Part::Refusal, &event.refusal, &mut self.items, out),
            "response.reasoning_summary_text.done" => whole(Part::Summary, &event.text, &mut self.items, out),
            "response.reasoning_text.done" => whole(Part::Reasoning, &event.text, &mut self.items, out),
            "response.function_call_arguments.delta" => {
                if let Some(delta) = event.delta.text() {
                    self.items.arguments(index, delta, out);
                }
            }
            "response.function_call_arguments.done" => {
                self.items.whole_arguments(index, event.arguments.text().unwrap_or_default(), out);
            }
            "response.output_item.added" => {
                if let Some(item) = &event.item {
                    self.items.added(index, item, out);
                }
            }
            "response.output_item.done" => {
                if let Some(item) = &event.item {
                    self.items.done(index, item, out);
                }
            }
            "response.created" | "response.queued" | "response.in_progress" => {
                if let Some(response) = &event.response {
                    self.model(response, out);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let word = kind.strip_prefix("response.").unwrap_or_default();
                self.last(&event.response.map(|response| *response).unwrap_or_default(), word, out);
            }
            "error" => self.error(&event, out),
            "" if event.error.is_some() => self.error(&event, out),
            _ => {}
        }
    }

    fn model(&mut self, response: &Response<'_>, out: &mut Vec<RawEvent>) {
        if let Some(id) = response.model.text().filter(|_| !self.model_told) {
            self.model_told = true;
            out.push(RawEvent::Model { id: id.to_owned() });
        }
    }

    /// The response in its last state. `word` is what the event calls it; the response's own word counts more.
    fn last(&mut self, response: &Response<'_>, word: &str, out: &mut Vec<RawEvent>) {
        self.model(response, out);
        for (index, item) in (0..).zip(response.output.as_deref().unwrap_or_default()) {
            let place = self.items.known(item).unwrap_or(index);
            self.items.done(place, item, out);
        }
        out.extend(response.usage.as_deref().and_then(usage).map(|usage| RawEvent::Usage { usage }));
        let status = response.status.text().unwrap_or(word);
        // The event's name is the stronger word where the two disagree for the worse.
        let status = if word == "completed" || word.is_empty() { status } else { word };
        let error = response.error.as_deref().filter(|error| !error.is_null());
        match status {
            "completed" => {
                let terminal = self.completed(response.content_filters.as_deref());
                self.end(terminal, out);
            }
            "incomplete" => {
                let reason = response.incomplete_details.as_deref().and_then(|d| d.get("reason"));
                self.end(failure::incomplete(reason.and_then(Value::as_str)), out);
            }
            "failed" => match error {
                Some(error) => self.fault(failure::in_stream(error), out),
                None => self.end(failure::bare(), out),
            },
            "in_progress" | "queued" => self.end(Terminal::Missing, out),
            other => {
                let word = crate::dialect::fault::safe(other, crate::dialect::fault::MAX_CODE);
                self.end(Terminal::Unknown { word }, out);
            }
        }
    }

    fn completed(&self, filters: Option<&Value>) -> Terminal {
        let blocked = |verdict: &Value| verdict.get("blocked").and_then(Value::as_bool) == Some(true);
        if filters.and_then(Value::as_array).is_some_and(|list| list.iter().any(blocked)) {
            return Terminal::ContentFilter;
        }
        match (self.items.refused, self.items.has_calls()) {
            (true, _) => Terminal::Refusal,
            (false, true) => Terminal::ToolUse,
            (false, false) => Terminal::Stop,
        }
    }

    /// An `error` event, flat or nested.
    fn error(&mut self, event: &Event<'_>, out: &mut Vec<RawEvent>) {
        let told = match event.error.as_deref().filter(|error| !error.is_null()) {
            Some(error) => failure::in_stream(error),
            None => failure::in_stream(&flat(event)),
        };
        self.fault(told, out);
    }

    fn fault(&mut self, (terminal, said): (Terminal, Option<String>), out: &mut Vec<RawEvent>) {
        // Why the provider's policy stopped the call: for the user's own screen.
        if let Some(delta) = said.filter(|_| matches!(terminal, Terminal::Refusal | Terminal::ContentFilter)) {
            out.push(RawEvent::Refusal { delta });
        }
        self.end(terminal, out);
    }

    /// Whatever was announced: what was held back in part is no answer.
    fn end(&mut self, mut terminal: Terminal, out: &mut Vec<RawEvent>) {
        if self.items.held.is_too_much() {
            self.items = Items::default();
            terminal = Terminal::Error { failure: held::too_much() };
        }
        self.items.give_out_nameless(out);
        out.push(RawEvent::Terminal { terminal });
        self.over = true;
    }
}

/// The flat `error` event as an error object.
fn flat(event: &Event<'_>) -> Value {
    let mut error = Map::new();
    for (key, value) in [("code", &event.code), ("message", &event.message)] {
        if let Some(text) = value.text() {
            error.insert(key.to_owned(), Value::from(text));
        }
    }
    if let Some(param) = event.param.as_deref() {
        error.insert("param".to_owned(), param.clone());
    }
    Value::Object(error)
}

fn usage(value: &Value) -> Option<Usage> {
    let count = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
    let usage = Usage {
        input_tokens: count("/input_tokens"),
        output_tokens: count("/output_tokens"),
        reasoning_tokens: count("/output_tokens_details/reasoning_tokens"),
        cached_tokens: count("/input_tokens_details/cached_tokens"),
    };
    (usage != Usage::default()).then_some(usage)
}

/// Decodes a response that came as one JSON body because the server ignored `stream`.
#[must_use]
pub fn decode_whole(body: &str) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (ResponsesDecoder::default(), Vec::new());
    let body = body.trim_start_matches('\u{feff}').trim();
    match loose::read::<Response<'_>>(body) {
        Err(_) => decoder.end(failure::unreadable(), &mut out),
        Ok(response) if response.status.text().is_some() || response.object.text() == Some("response") => {
            decoder.last(&response, "", &mut out);
        }
        Ok(Response { error: Some(error), .. }) => decoder.fault(failure::in_stream(&error), &mut out),
        Ok(_) => decoder.finish(&mut out),
    }
    out
}

#[cfg(test)]
mod tests;
