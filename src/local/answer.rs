//! The text a model writes to raw events: plain text as it is, tool calls taken out of their marks.
//!
//! The grammar has held a call to its form; a text that breaks it all the same is passed on as text.

use super::grammar::{CALL_END, CALL_START};
use crate::event::RawEvent;
use crate::json::{ParseLimits, Value, parse};

/// A call's head may be this long before it counts as text.
const MAX_HEAD: usize = 4_096;
const ARGUMENTS: &str = ",\"arguments\":";

/// Reads one answer.
#[derive(Debug, Default)]
pub struct Reader {
    /// Calls are looked for.
    with_calls: bool,
    held: String,
    state: State,
    calls: u32,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// Behind the mark, before the arguments.
    Head,
    Arguments {
        depth: usize,
        in_string: bool,
        escaped: bool,
    },
    /// Behind the arguments, up to the closing mark.
    Tail,
}

impl Reader {
    #[must_use]
    pub fn new(with_calls: bool) -> Self {
        Self { with_calls, ..Self::default() }
    }

    /// Has a call begun?
    #[must_use]
    pub const fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Reads what was said next.
    pub fn push(&mut self, text: String, out: &mut Vec<RawEvent>) {
        if !self.with_calls {
            if !text.is_empty() {
                out.push(RawEvent::Text { delta: text });
            }
            return;
        }
        self.held.push_str(&text);
        while self.step(out) {}
    }

    /// The answer is over: what is held was no mark.
    pub fn finish(&mut self, out: &mut Vec<RawEvent>) {
        let rest = std::mem::take(&mut self.held);
        match self.state {
            State::Text if !rest.is_empty() => out.push(RawEvent::Text { delta: rest }),
            State::Head => out.push(RawEvent::Text { delta: format!("{CALL_START}{rest}") }),
            State::Text | State::Arguments { .. } | State::Tail => {}
        }
    }

    /// Goes on as far as what is held allows; false when more must come.
    fn step(&mut self, out: &mut Vec<RawEvent>) -> bool {
        match &mut self.state {
            State::Text => {
                let found = self.held.split_once(CALL_START).map(|(a, b)| (a.to_owned(), b.to_owned()));
                let (text, rest, state) = if let Some((text, rest)) = found {
                    (text, rest, Some(State::Head))
                } else {
                    let (text, rest) = self.held.split_at(self.held.len() - begun(&self.held));
                    (text.to_owned(), rest.to_owned(), None)
                };
                if !text.is_empty() {
                    out.push(RawEvent::Text { delta: text });
                }
                self.held = rest;
                state.map(|state| self.state = state).is_some()
            }
            State::Head => self.head(out),
            State::Arguments { depth, in_string, escaped } => {
                let mut end = None;
                for (at, byte) in self.held.bytes().enumerate() {
                    match byte {
                        _ if *escaped => *escaped = false,
                        b'\\' if *in_string => *escaped = true,
                        b'"' => *in_string = !*in_string,
                        b'{' | b'[' if !*in_string => *depth += 1,
                        b'}' | b']' if !*in_string => *depth = depth.saturating_sub(1),
                        _ => continue,
                    }
                    if *depth == 0 && !*in_string && matches!(byte, b'}' | b']') {
                        end = Some(at + 1);
                        break;
                    }
                }
                let rest = self.held.split_off(end.unwrap_or(self.held.len()));
                let delta = std::mem::replace(&mut self.held, rest);
                if !delta.is_empty() {
                    out.push(RawEvent::ToolArgs { slot: self.calls - 1, delta });
                }
                if end.is_some() {
                    self.state = State::Tail;
                }
                end.is_some()
            }
            State::Tail => {
                let Some((_, rest)) = self.held.split_once(CALL_END) else { return false };
                self.held = rest.trim_start_matches('\n').to_owned();
                self.state = State::Text;
                true
            }
        }
    }

    fn head(&mut self, out: &mut Vec<RawEvent>) -> bool {
        let found = self.held.split_once(ARGUMENTS).map(|(head, rest)| (name(head), rest.to_owned()));
        match found {
            Some((Some(name), rest)) => {
                let slot = self.calls;
                self.calls += 1;
                out.push(RawEvent::ToolStart { slot, id: format!("call_{}", slot + 1), name });
                self.held = rest;
                self.state = State::Arguments { depth: 0, in_string: false, escaped: false };
                true
            }
            Some((None, _)) => self.no_call(out),
            None if self.held.len() > MAX_HEAD => self.no_call(out),
            None => false,
        }
    }

    fn no_call(&mut self, out: &mut Vec<RawEvent>) -> bool {
        out.push(RawEvent::Text { delta: format!("{CALL_START}{}", std::mem::take(&mut self.held)) });
        self.state = State::Text;
        false
    }
}

/// The name in `{"name":"…"`.
fn name(head: &str) -> Option<String> {
    let value = parse(&format!("{}}}", head.trim_start()), ParseLimits::default()).ok()?;
    value.get("name").and_then(Value::as_str).map(str::to_owned)
}

/// Bytes at the end that may be the beginning of a mark.
fn begun(text: &str) -> usize {
    (1..CALL_START.len()).rev().find(|length| text.as_bytes().ends_with(&CALL_START.as_bytes()[..*length])).unwrap_or(0)
}
