//! One provider call as it streams: raw events in, public events out, everything kept that the call said.
//!
//! Knows nothing of budgets or verdicts. Work per delta is constant: it is appended once and moved on.

use std::collections::BTreeMap;

use super::{AttemptRecord, Effect, Outcome, Stand};
use crate::dialect::{Message, ToolCall};
use crate::event::{Mode, RawEvent, RunEvent, Terminal, Usage};
use crate::json::Value;

/// All text of one call together: far above any candidate that could be accepted (8 MiB), so that a server that never
/// stops cannot fill the memory.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Tool calls of one message: far above what any server sends.
const MAX_CALLS: usize = 512;

/// A running or just ended call.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) call: u32,
    pub(super) attempt: u32,
    /// Answer text, not counting the submit tool's arguments.
    pub(super) text: String,
    pub(super) usage: Usage,
    submit: Option<&'static str>,
    thinking: String,
    refusal: String,
    slots: Vec<Slot>,
    kept: Vec<Value>,
    by_number: BTreeMap<u32, usize>,
    /// A submit call has begun.
    submitted: bool,
    open: Open,
    /// Something of this call is on the consumer's screen.
    pub(super) shown: bool,
    terminal: Option<Terminal>,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Slot {
    kind: Kind,
    call: ToolCall,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Submit,
    Ordinary,
}

/// Which block is open on the consumer's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    None,
    Text,
    Thinking,
    /// The submit tool's arguments, shown as the candidate's text.
    Candidate,
}

/// What a raw event did to the call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Took {
    More,
    Ended(Terminal),
    /// The call said more than any answer may hold.
    TooMuch,
}

impl Round {
    pub(super) fn new(call: u32, attempt: u32, submit: Option<&'static str>) -> Self {
        Self {
            call,
            attempt,
            text: String::new(),
            usage: Usage::default(),
            submit,
            thinking: String::new(),
            refusal: String::new(),
            slots: Vec::new(),
            kept: Vec::new(),
            by_number: BTreeMap::new(),
            submitted: false,
            open: Open::None,
            shown: false,
            terminal: None,
            bytes: 0,
        }
    }

    /// Which block is open on the consumer's side.
    pub(super) fn stand(&self) -> Stand {
        match self.open {
            Open::None => Stand::Calling,
            Open::Text => Stand::Text,
            Open::Thinking => Stand::Thinking,
            Open::Candidate => Stand::Candidate,
        }
    }

    /// Takes one raw event, emits what it means.
    pub(super) fn take(&mut self, event: RawEvent, fx: &mut Vec<Effect>) -> Took {
        match event {
            RawEvent::Text { delta } => self.text_delta(delta, fx),
            RawEvent::Thinking { delta } => self.thinking_delta(delta, fx),
            RawEvent::ToolStart { slot, id, name } => self.tool_start(slot, id, name, fx),
            RawEvent::ToolArgs { slot, delta } => self.tool_args(slot, delta, fx),
            RawEvent::Refusal { delta } => {
                self.bytes = self.bytes.saturating_add(delta.len());
                self.refusal.push_str(&delta);
            }
            RawEvent::Usage { usage } => self.usage = usage,
            RawEvent::Keep { part } => self.keep(part),
            RawEvent::Restart => self.restart(fx),
            RawEvent::Model { .. } => {}
            RawEvent::Terminal { terminal } => return Took::Ended(terminal),
        }
        if self.bytes > MAX_BYTES || self.slots.len() > MAX_CALLS { Took::TooMuch } else { Took::More }
    }

    /// Sent back as it is; counted roughly, by its text.
    fn keep(&mut self, part: Value) {
        self.bytes = self.bytes.saturating_add(part.to_string().len());
        self.kept.push(part);
    }

    /// What was taken for the answer was something the model said on its way.
    fn restart(&mut self, fx: &mut Vec<Effect>) {
        if self.open == Open::Text {
            self.close_block(fx);
        }
        self.thinking.push_str(&std::mem::take(&mut self.text));
    }

    fn text_delta(&mut self, delta: String, fx: &mut Vec<Effect>) {
        if delta.is_empty() {
            return;
        }
        self.bytes = self.bytes.saturating_add(delta.len());
        self.text.push_str(&delta);
        // Beside a submission text is no part of the candidate on the screen; it stays in the record.
        if !self.submitted {
            self.show(Open::Text, fx);
            fx.push(Effect::Emit(RunEvent::TextDelta { output_attempt: self.attempt, delta }));
        }
    }

    fn thinking_delta(&mut self, delta: String, fx: &mut Vec<Effect>) {
        if delta.is_empty() {
            return;
        }
        self.bytes = self.bytes.saturating_add(delta.len());
        self.thinking.push_str(&delta);
        // Text is one block: thinking that comes in between is kept, not shown, since the block would begin anew.
        if !matches!(self.open, Open::Text | Open::Candidate) {
            self.show(Open::Thinking, fx);
            fx.push(Effect::Emit(RunEvent::ThinkingDelta { output_attempt: self.attempt, delta }));
        }
    }

    fn tool_start(&mut self, number: u32, id: String, name: String, fx: &mut Vec<Effect>) {
        if self.by_number.contains_key(&number) {
            return;
        }
        self.bytes = self.bytes.saturating_add(id.len()).saturating_add(name.len());
        let kind = if self.submit == Some(name.as_str()) { Kind::Submit } else { Kind::Ordinary };
        let id = if id.is_empty() || self.slots.iter().any(|s| s.call.id == id) {
            format!("call_{}_{number}", self.call)
        } else {
            id
        };
        match kind {
            Kind::Submit => {
                self.submitted = true;
                self.close_block(fx);
                self.show(Open::Candidate, fx);
            }
            Kind::Ordinary => {
                self.shown = true;
                let (call_id, name) = (id.clone(), name.clone());
                fx.push(Effect::Emit(RunEvent::ToolCallStart { output_attempt: self.attempt, call_id, name }));
            }
        }
        self.by_number.insert(number, self.slots.len());
        self.slots.push(Slot { kind, call: ToolCall { id, name, arguments: String::new() } });
    }

    fn tool_args(&mut self, number: u32, delta: String, fx: &mut Vec<Effect>) {
        let Some(slot) = self.by_number.get(&number).and_then(|at| self.slots.get_mut(*at)) else { return };
        if delta.is_empty() {
            return;
        }
        self.bytes = self.bytes.saturating_add(delta.len());
        slot.call.arguments.push_str(&delta);
        let output_attempt = self.attempt;
        match slot.kind {
            Kind::Submit if self.open == Open::Candidate => {
                fx.push(Effect::Emit(RunEvent::TextDelta { output_attempt, delta }));
            }
            Kind::Submit => {}
            Kind::Ordinary => {
                let call_id = slot.call.id.clone();
                fx.push(Effect::Emit(RunEvent::ToolCallDelta { output_attempt, call_id, delta }));
            }
        }
    }

    /// Makes `block` the open one, closing the other.
    fn show(&mut self, block: Open, fx: &mut Vec<Effect>) {
        if self.open == block {
            return;
        }
        self.close_block(fx);
        let output_attempt = self.attempt;
        fx.push(Effect::Emit(match block {
            Open::None => return,
            Open::Text | Open::Candidate => RunEvent::TextStart { output_attempt },
            Open::Thinking => RunEvent::ThinkingStart { output_attempt },
        }));
        self.open = block;
        self.shown = true;
    }

    fn close_block(&mut self, fx: &mut Vec<Effect>) {
        let output_attempt = self.attempt;
        let end = match std::mem::replace(&mut self.open, Open::None) {
            Open::None => return,
            Open::Text | Open::Candidate => RunEvent::TextEnd { output_attempt },
            Open::Thinking => RunEvent::ThinkingEnd { output_attempt },
        };
        fx.push(Effect::Emit(end));
    }

    /// Closes everything that is open on the consumer's side. Idempotent only through `close`'s single caller per end.
    pub(super) fn close(&mut self, terminal: Option<Terminal>, fx: &mut Vec<Effect>) {
        self.close_block(fx);
        for slot in self.slots.iter().filter(|slot| slot.kind == Kind::Ordinary) {
            let call_id = slot.call.id.clone();
            fx.push(Effect::Emit(RunEvent::ToolCallEnd { output_attempt: self.attempt, call_id }));
        }
        self.terminal = terminal;
    }

    /// Number of submit calls and of ordinary ones.
    pub(super) fn tally(&self) -> (usize, usize) {
        let submits = self.slots.iter().filter(|slot| slot.kind == Kind::Submit).count();
        (submits, self.slots.len() - submits)
    }

    /// The candidate: the submission's raw argument text, otherwise the answer text.
    pub(super) fn candidate(&self) -> &str {
        let submission = self.slots.iter().find(|slot| slot.kind == Kind::Submit);
        submission.map_or(self.text.as_str(), |slot| slot.call.arguments.as_str())
    }

    pub(super) fn calls(&self) -> Vec<ToolCall> {
        self.slots.iter().map(|slot| slot.call.clone()).collect()
    }

    /// The message as the model sent it.
    pub(super) fn message(&self) -> Message {
        Message::Assistant { text: self.text.clone(), calls: self.calls(), kept: self.kept.clone() }
    }

    /// Everything of the call, for the user's own screen.
    pub(super) fn record(self, mode: Option<Mode>, outcome: Outcome, repair: Vec<Message>) -> AttemptRecord {
        let text = match self.slots.iter().find(|slot| slot.kind == Kind::Submit) {
            Some(slot) => slot.call.arguments.clone(),
            None => self.text,
        };
        AttemptRecord {
            attempt: self.attempt,
            mode,
            call: self.call,
            text,
            thinking: self.thinking,
            calls: self.slots.into_iter().map(|slot| slot.call).collect(),
            refusal: self.refusal,
            terminal: self.terminal,
            outcome,
            usage: self.usage,
            repair,
        }
    }
}
