//! generateContent chunks → raw events and one typed terminal.
//!
//! There is no end mark: the terminal is given out when the body ends, and a later chunk may make the ending worse. A
//! blocked prompt outweighs every finish reason. What must go back unchanged (thought signatures, ids of calls) is kept
//! with its place in the message: how many bytes of text and how many calls came before.

use serde_json::json;

use super::chunk::{Candidate, Chunk, Counts, FunctionCall, Loose, Part};
use super::failure;
use super::partial::Pieces;
use crate::dialect::held::{self, Held};
use crate::dialect::{Decoder, Frame, fault, loose};
use crate::event::{CallFailure, RawEvent, Terminal, Usage};
use crate::json::{self, Map, Value};

/// Decodes a generateContent stream.
#[derive(Debug, Default)]
pub struct GenerateDecoder {
    /// Bytes of answer text given out.
    text: usize,
    /// Tool calls given out.
    calls: u32,
    /// Calls, and the pieces of their arguments.
    held: Held,
    /// The call whose arguments come in pieces.
    open: Option<(u32, Pieces)>,
    /// The ending announced so far.
    ending: Option<Terminal>,
    blocked: bool,
    usage: Option<Usage>,
    model_told: bool,
    over: bool,
}

impl Decoder for GenerateDecoder {
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
            // The vendor sends none; routers do.
            "[DONE]" => self.finish(out),
            list if list.starts_with('[') => self.list(list, out),
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
        let terminal = match announced {
            error @ Terminal::Error { .. } => error,
            _ if self.blocked => Terminal::ContentFilter,
            // The last piece of a call's arguments never came.
            Terminal::Stop if self.open.is_some() => Terminal::Missing,
            other => other,
        };
        self.end(terminal, out);
    }

    fn is_done(&self) -> bool {
        self.over
    }
}

impl GenerateDecoder {
    fn end(&mut self, terminal: Terminal, out: &mut Vec<RawEvent>) {
        out.extend(self.usage.take().map(|usage| RawEvent::Usage { usage }));
        out.push(RawEvent::Terminal { terminal });
        self.over = true;
    }

    fn fail(&mut self, failure: CallFailure, out: &mut Vec<RawEvent>) {
        self.end(Terminal::Error { failure }, out);
    }

    /// Chunks in a list: the form without `alt=sse`, and some gateways' errors.
    fn list(&mut self, data: &str, out: &mut Vec<RawEvent>) {
        let Ok(Value::Array(chunks)) = json::parse(data, fault::WHOLE) else {
            return self.fail(failure::unreadable(), out);
        };
        for chunk in chunks.iter().filter(|chunk| chunk.is_object()) {
            self.frame(&Frame { event: None, data: chunk.to_string() }, out);
        }
    }

    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut Vec<RawEvent>) {
        if let Some(id) = chunk.model_version.text().filter(|_| !self.model_told) {
            self.model_told = true;
            out.push(RawEvent::Model { id: id.to_owned() });
        }
        self.usage = chunk.usage_metadata.and_then(|counts| usage(*counts)).or(self.usage);
        if let Some(error) = chunk.error {
            return self.fail(failure::in_stream(&error), out);
        }
        if let Some(candidate) = chunk.candidates.and_then(|first| first.0) {
            self.candidate(candidate, out);
        }
        if self.held.is_too_much() {
            return self.fail(held::too_much(), out);
        }
        if let Some(feedback) = chunk.prompt_feedback
            && let Some(reason) = feedback.block_reason.text()
        {
            self.blocked = true;
            let told = feedback.block_reason_message.text().unwrap_or(reason);
            out.push(RawEvent::Refusal { delta: told.to_owned() });
        }
    }

    fn candidate(&mut self, candidate: Candidate<'_>, out: &mut Vec<RawEvent>) {
        for part in candidate.content.and_then(|content| content.parts).into_iter().flatten() {
            self.part(part, out);
        }
        let Some(word) = candidate.finish_reason.text() else { return };
        let terminal = failure::finish(word);
        if terminal == Terminal::ContentFilter
            && let Some(message) = candidate.finish_message.text()
        {
            out.push(RawEvent::Refusal { delta: message.to_owned() });
        }
        // The first bad ending stays; a good one may still turn bad.
        if self.ending.as_ref().is_none_or(|before| *before == Terminal::Stop && terminal != Terminal::Stop) {
            self.ending = Some(terminal);
        }
    }

    fn part(&mut self, part: Part<'_>, out: &mut Vec<RawEvent>) {
        let Part { text, thought, thought_signature, function_call } = part;
        let signature = thought_signature.text();
        if let Some(call) = function_call {
            return self.call(*call, signature, out);
        }
        let (text_at, calls) = (self.text, self.calls);
        let thought = thought == Some(true);
        if let Some(signature) = signature {
            let mut kept = Map::new();
            if thought {
                kept.insert("thought".to_owned(), true.into());
            }
            kept.insert("text".to_owned(), text.text().unwrap_or_default().into());
            kept.insert("thoughtSignature".to_owned(), signature.into());
            out.push(RawEvent::Keep { part: json!({"text": text_at, "calls": calls, "part": kept}) });
        }
        let Some(delta) = text.into_text().map(std::borrow::Cow::into_owned) else { return };
        if thought {
            out.push(RawEvent::Thinking { delta });
        } else {
            self.text = self.text.saturating_add(delta.len());
            out.push(RawEvent::Text { delta });
        }
    }

    fn call(&mut self, call: FunctionCall<'_>, signature: Option<&str>, out: &mut Vec<RawEvent>) {
        let FunctionCall { id, name, args, partial_args, will_continue } = call;
        if let Some(name) = name.text() {
            self.begin(&id, name, signature, out);
            if let Some(args) = args.filter(|args| !args.is_null()) {
                let delta = args.to_string();
                out.extend(self.open.take().map(|(slot, _)| RawEvent::ToolArgs { slot, delta }));
                return;
            }
        }
        if let Some((_, pieces)) = &mut self.open {
            partial_args.into_iter().flatten().for_each(|piece| pieces.put(piece, &mut self.held));
        }
        if will_continue != Some(true)
            && let Some((slot, pieces)) = self.open.take()
        {
            // A call that cannot be put together has no arguments: it is judged as what it is, no JSON.
            out.extend(pieces.text().map(|delta| RawEvent::ToolArgs { slot, delta }));
        }
    }

    fn begin(&mut self, id: &Loose<'_>, name: &str, signature: Option<&str>, out: &mut Vec<RawEvent>) {
        if !self.held.part() {
            return;
        }
        let slot = self.calls;
        let id = id.text();
        if id.is_some() || signature.is_some() {
            let mut part = Map::new();
            part.insert("text".to_owned(), self.text.into());
            part.insert("calls".to_owned(), slot.into());
            let mut sign = Map::new();
            sign.extend(id.map(|id| ("id".to_owned(), id.into())));
            sign.extend(signature.map(|signature| ("thoughtSignature".to_owned(), signature.into())));
            part.insert("call".to_owned(), Value::Object(sign));
            out.push(RawEvent::Keep { part: Value::Object(part) });
        }
        self.calls = slot.saturating_add(1);
        out.push(RawEvent::ToolStart { slot, id: id.unwrap_or_default().to_owned(), name: name.to_owned() });
        self.open = Some((slot, Pieces::new()));
    }
}

/// The vendor counts thoughts beside the answer; here they are part of the output.
fn usage(counts: Counts) -> Option<Usage> {
    let Counts { prompt, answer, thoughts, cached } = counts;
    let output = match (answer, thoughts) {
        (None, None) => None,
        (answer, thoughts) => Some(answer.unwrap_or(0).saturating_add(thoughts.unwrap_or(0))),
    };
    let usage =
        Usage { input_tokens: prompt, output_tokens: output, reasoning_tokens: thoughts, cached_tokens: cached };
    (usage != Usage::default()).then_some(usage)
}

/// Decodes a response that came as one JSON body.
#[must_use]
pub fn decode_whole(body: &str) -> Vec<RawEvent> {
    let (mut decoder, mut out) = (GenerateDecoder::default(), Vec::new());
    let frame = Frame { event: None, data: body.trim_start_matches('\u{feff}').to_owned() };
    decoder.frame(&frame, &mut out);
    decoder.finish(&mut out);
    out
}
