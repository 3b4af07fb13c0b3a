//! Messages events → raw events and one typed terminal.
//!
//! The ending is announced by `message_delta` and given out at `message_stop`: a stream without that event is `missing`,
//! whatever was announced. Blocks of the server's own tools are nobody's calls. What must go back unchanged (signed and
//! redacted thinking) is kept with its place in the message: how many bytes of text and how many calls came before.

use serde_json::json;

use super::chunk::{Block, Counts, Delta, Event, Loose};
use super::failure;
use crate::dialect::held::{self, Held};
use crate::dialect::{Decoder, Frame, fault, loose};
use crate::event::{CallFailure, RawEvent, Terminal, Usage};
use crate::json::{self, Value};

/// Decodes a Messages stream.
#[derive(Debug, Default)]
pub struct MessagesDecoder {
    /// Blocks that have begun and not ended.
    open: Vec<(i64, Open)>,
    /// Bytes of answer text given out.
    text: usize,
    /// Tool calls given out.
    calls: u32,
    /// What of the blocks is held until they end.
    held: Held,
    /// The ending announced so far.
    ending: Option<Terminal>,
    counts: Option<Counts>,
    model_told: bool,
    over: bool,
}

/// A block that has begun.
#[derive(Debug)]
enum Open {
    Text,
    Tool {
        slot: u32,
        /// Argument text has come.
        spoke: bool,
    },
    Thinking {
        text: String,
        signature: String,
    },
    /// A block of the server's own, or of a kind of the future.
    Other,
}

impl Decoder for MessagesDecoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>) {
        if self.over {
            return;
        }
        let data = frame.data.trim();
        if frame.event.as_deref() == Some("error") {
            return self.fail(failure::in_stream_text(data), out);
        }
        if data.is_empty() || data == "[DONE]" {
            return;
        }
        match loose::read::<Event<'_>>(data) {
            Ok(event) => {
                self.event(event, frame.event.as_deref(), out);
                self.check(out);
            }
            // Events of a kind that is not known are passed over, whatever they hold.
            Err(_) if frame.event.as_deref().is_some_and(|name| !KNOWN.contains(&name)) => {}
            Err(_) => self.fail(failure::unreadable(), out),
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

/// Events that mean something here.
const KNOWN: [&str; 6] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
];

impl MessagesDecoder {
    fn end(&mut self, terminal: Terminal, out: &mut Vec<RawEvent>) {
        for (_, block) in std::mem::take(&mut self.open) {
            self.close(block, out);
        }
        out.extend(self.counts.take().as_ref().and_then(usage).map(|usage| RawEvent::Usage { usage }));
        out.push(RawEvent::Terminal { terminal });
        self.over = true;
    }

    /// Ends a call that holds more than any answer may.
    fn check(&mut self, out: &mut Vec<RawEvent>) {
        if self.held.is_too_much() && !self.over {
            self.open.clear();
            self.fail(held::too_much(), out);
        }
    }

    fn fail(&mut self, failure: CallFailure, out: &mut Vec<RawEvent>) {
        self.end(Terminal::Error { failure }, out);
    }

    fn event(&mut self, event: Event<'_>, name: Option<&str>, out: &mut Vec<RawEvent>) {
        let Event { kind, index, delta, content_block, message, usage, error } = event;
        match kind.text().or(name).unwrap_or_default() {
            "content_block_delta" => self.delta(index.unwrap_or(0), delta.unwrap_or_default(), out),
            "content_block_start" => {
                if let Some(block) = content_block {
                    self.start(index.unwrap_or(0), *block, out);
                }
            }
            "content_block_stop" => self.stop(index.unwrap_or(0), out),
            "message_start" => {
                if let Some(message) = message {
                    self.model(&message.model, out);
                    self.count(message.usage.as_deref());
                }
            }
            "message_delta" => {
                self.count(usage.as_deref());
                self.announce(&delta.unwrap_or_default(), out);
            }
            "message_stop" => {
                let terminal = self.ending.take().unwrap_or(Terminal::Missing);
                self.end(terminal, out);
            }
            "error" => self.fail(failure::in_stream(&error.map_or(Value::Null, |error| *error)), out),
            // A proxy's fault may come without a type.
            "" if error.is_some() => self.fail(failure::in_stream(&error.map_or(Value::Null, |error| *error)), out),
            _ => {}
        }
    }

    fn model(&mut self, model: &Loose<'_>, out: &mut Vec<RawEvent>) {
        if let Some(id) = model.text().filter(|_| !self.model_told) {
            self.model_told = true;
            out.push(RawEvent::Model { id: id.to_owned() });
        }
    }

    fn count(&mut self, counts: Option<&Counts>) {
        let Some(new) = counts else { return };
        let old = self.counts.unwrap_or_default();
        self.counts = Some(Counts {
            input_tokens: new.input_tokens.or(old.input_tokens),
            output_tokens: new.output_tokens.or(old.output_tokens),
            cache_creation_input_tokens: new.cache_creation_input_tokens.or(old.cache_creation_input_tokens),
            cache_read_input_tokens: new.cache_read_input_tokens.or(old.cache_read_input_tokens),
            output_tokens_details: new.output_tokens_details.or(old.output_tokens_details),
        });
    }

    /// The first bad ending stays; a good one may still turn bad.
    fn announce(&mut self, delta: &Delta<'_>, out: &mut Vec<RawEvent>) {
        let Some(word) = delta.stop_reason.text() else { return };
        let terminal = failure::stop(word);
        if terminal == Terminal::Refusal
            && let Some(details) = &delta.stop_details
            && let Some(text) = details.explanation.text().or(details.category.text())
        {
            out.push(RawEvent::Refusal { delta: text.to_owned() });
        }
        let good = |terminal: &Terminal| matches!(terminal, Terminal::Stop | Terminal::ToolUse);
        if self.ending.as_ref().is_none_or(|before| good(before) && !good(&terminal)) {
            self.ending = Some(terminal);
        }
    }

    fn start(&mut self, index: i64, block: Block<'_>, out: &mut Vec<RawEvent>) {
        self.stop(index, out);
        if !self.held.part() {
            return;
        }
        let open = match block.kind.text().unwrap_or_default() {
            "text" => {
                self.text_delta(block.text, out);
                Open::Text
            }
            "tool_use" => {
                let slot = self.calls;
                self.calls = slot.saturating_add(1);
                let text = |text: &Loose<'_>| text.text().unwrap_or_default().to_owned();
                out.push(RawEvent::ToolStart { slot, id: text(&block.id), name: text(&block.name) });
                // Empty here in a stream; a copy of the API may send all of it at once.
                let whole = block.input.filter(|input| !input.is_null() && *input != json!({}));
                let spoke = whole.is_some();
                out.extend(whole.map(|input| RawEvent::ToolArgs { slot, delta: input.to_string() }));
                Open::Tool { slot, spoke }
            }
            "thinking" => {
                let text = block.thinking.into_text().unwrap_or_default().into_owned();
                if !text.is_empty() {
                    out.push(RawEvent::Thinking { delta: text.clone() });
                }
                let signature = block.signature.into_text().unwrap_or_default().into_owned();
                self.held.bytes(text.len().saturating_add(signature.len()));
                Open::Thinking { text, signature }
            }
            "redacted_thinking" => {
                let data = block.data.text().unwrap_or_default();
                out.push(self.keep(&json!({"type": "redacted_thinking", "data": data})));
                Open::Other
            }
            _ => Open::Other,
        };
        self.open.push((index, open));
    }

    fn text_delta(&mut self, text: Loose<'_>, out: &mut Vec<RawEvent>) {
        if let Some(text) = text.into_text() {
            self.text = self.text.saturating_add(text.len());
            out.push(RawEvent::Text { delta: text.into_owned() });
        }
    }

    fn delta(&mut self, index: i64, delta: Delta<'_>, out: &mut Vec<RawEvent>) {
        match delta.kind.text().unwrap_or_default() {
            "text_delta" => self.text_delta(delta.text, out),
            "input_json_delta" => {
                if let Some(Open::Tool { slot, spoke }) = self.block(index)
                    && let Some(delta) = delta.partial_json.into_text()
                {
                    *spoke = true;
                    out.push(RawEvent::ToolArgs { slot: *slot, delta: delta.into_owned() });
                }
            }
            "thinking_delta" => {
                let Some(more) = delta.thinking.into_text() else { return };
                if self.held.text(&more)
                    && let Some(Open::Thinking { text, .. }) = self.block(index)
                {
                    text.push_str(&more);
                }
                out.push(RawEvent::Thinking { delta: more.into_owned() });
            }
            "signature_delta" => {
                let more = delta.signature.text().unwrap_or_default();
                if self.held.text(more)
                    && let Some(Open::Thinking { signature, .. }) = self.block(index)
                {
                    signature.push_str(more);
                }
            }
            // Citations, and kinds of the future.
            _ => {}
        }
    }

    fn block(&mut self, index: i64) -> Option<&mut Open> {
        self.open.iter_mut().rev().find(|(at, _)| *at == index).map(|(_, open)| open)
    }

    fn stop(&mut self, index: i64, out: &mut Vec<RawEvent>) {
        if let Some(at) = self.open.iter().rposition(|(open, _)| *open == index) {
            let (_, block) = self.open.remove(at);
            self.close(block, out);
        }
    }

    fn close(&mut self, block: Open, out: &mut Vec<RawEvent>) {
        match block {
            // A tool without arguments sends nothing, or one empty piece.
            Open::Tool { slot, spoke: false } => out.push(RawEvent::ToolArgs { slot, delta: "{}".to_owned() }),
            // Only a signed block may go back.
            Open::Thinking { text, signature } if !signature.is_empty() => {
                out.push(self.keep(&json!({"type": "thinking", "thinking": text, "signature": signature})));
            }
            Open::Tool { .. } | Open::Thinking { .. } | Open::Text | Open::Other => {}
        }
    }

    fn keep(&self, block: &Value) -> RawEvent {
        RawEvent::Keep { part: json!({"text": self.text, "calls": self.calls, "block": block}) }
    }
}

/// The vendor counts input that came from or went into a cache apart; here it is part of the input.
fn usage(counts: &Counts) -> Option<Usage> {
    let cached = counts.cache_read_input_tokens;
    let beside = cached.unwrap_or(0).saturating_add(counts.cache_creation_input_tokens.unwrap_or(0));
    let usage = Usage {
        input_tokens: counts.input_tokens.map(|input| input.saturating_add(beside)),
        output_tokens: counts.output_tokens,
        reasoning_tokens: counts.output_tokens_details.and_then(|details| details.thinking_tokens),
        cached_tokens: cached,
    };
    (usage != Usage::default()).then_some(usage)
}

/// Decodes a response that came as one JSON body.
#[must_use]
pub fn decode_whole(body: &str) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (MessagesDecoder::default(), Vec::new());
    match json::parse(body.trim_start_matches('\u{feff}').trim(), fault::WHOLE) {
        Ok(message) => decoder.whole(&message, &mut out),
        Err(_) => decoder.fail(failure::unreadable(), &mut out),
    }
    decoder.finish(&mut out);
    out
}

impl MessagesDecoder {
    /// Tells a whole message as the events it would have come in.
    fn whole(&mut self, message: &Value, out: &mut Vec<RawEvent>) {
        let mut tell = |event: &Value| self.frame(&Frame { event: None, data: event.to_string() }, out);
        let of = |key: &str| message.get(key).filter(|value| !value.is_null());
        if let Some(error) = of("error") {
            return tell(&json!({"type": "error", "error": error}));
        }
        tell(&json!({"type": "message_start", "message": {"model": of("model"), "usage": of("usage")}}));
        for (index, block) in of("content").and_then(Value::as_array).into_iter().flatten().enumerate() {
            tell(&json!({"type": "content_block_start", "index": index, "content_block": block}));
            tell(&json!({"type": "content_block_stop", "index": index}));
        }
        if let Some(reason) = of("stop_reason") {
            let delta = json!({"stop_reason": reason, "stop_details": of("stop_details")});
            tell(&json!({"type": "message_delta", "delta": delta}));
            tell(&json!({"type": "message_stop"}));
        }
    }
}
