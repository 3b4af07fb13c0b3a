//! Turns a built-in model's behaviour into timed raw events.

use super::answer::{Material, NoInstance, Want, text};
use super::script::Step;
use super::{Kind, LOOKUP, Tempo, arguments};
use crate::event::{CallFailure, ErrorCode, RawEvent, Terminal, Usage};

/// What the player must know of the call.
#[derive(Debug, Clone)]
pub struct Situation {
    pub material: Material,
    /// Name of the hidden submit tool, in tool mode.
    pub submit: Option<&'static str>,
    /// Candidates of this run that were rejected before this call.
    pub rejected: u32,
    /// The first tool that is offered and was not used yet.
    pub next_tool: Option<String>,
    /// Characters of the request, for a made-up token count.
    pub request_characters: usize,
    pub tempo: Tempo,
}

/// All steps of one call.
///
/// # Errors
/// The failure the call ends with when no instance of the schema was found.
pub fn steps(kind: Kind, at: &Situation) -> Result<Vec<Step>, Box<CallFailure>> {
    let mut play = Play { at, steps: Vec::new(), rng: at.material.seed | 1, deltas: 0 };
    play.push(RawEvent::Model { id: "simulated".to_owned() });
    let first = at.rejected == 0;
    match kind {
        Kind::Repair if first => play.broken(0)?,
        Kind::Fence if first => play.fenced()?,
        Kind::Tools if first && at.next_tool.is_some() => play.call(at.next_tool.as_deref().unwrap_or_default()),
        Kind::TwiceBad => play.broken(at.rejected as usize)?,
        Kind::Refusal => play.refusal(),
        Kind::Truncated => play.half(Terminal::Length)?,
        Kind::Eof => play.half(Terminal::Missing)?,
        Kind::Slow => play.good(Pace::Slow)?,
        Kind::Flood => play.flood()?,
        Kind::Sample | Kind::Repair | Kind::Fence | Kind::Tools => play.good(Pace::Typing)?,
    }
    Ok(play.steps)
}

/// How fast an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// 8 to 15 ms a chunk, at most [`MAX_CHUNKS`] chunks.
    Typing,
    /// 200 ms a chunk.
    Slow,
    AtOnce,
}

/// A long answer comes in larger chunks, so that a demo ends within a few seconds.
const MAX_CHUNKS: usize = 250;
/// Characters of one chunk of a short answer: about a token.
const TOKEN: usize = 4;
const FLOOD_THOUGHTS: usize = 30_000;
const FLOOD_SPACES: usize = 10_000;

struct Play<'a> {
    at: &'a Situation,
    steps: Vec<Step>,
    rng: u64,
    deltas: u64,
}

impl Play<'_> {
    fn good(&mut self, pace: Pace) -> Result<(), Box<CallFailure>> {
        self.think("Reading the schema. Filling in one value for each property.");
        let answer = self.answer(Want::Valid)?;
        self.say(&answer, pace);
        self.end(self.stop());
        Ok(())
    }

    fn broken(&mut self, way: usize) -> Result<(), Box<CallFailure>> {
        self.think("Answering from memory, without looking at the schema again.");
        // A run without a schema has nothing to break: it gets its text.
        let answer = self.answer(Want::Broken(way))?;
        self.say(&answer, Pace::Typing);
        self.end(self.stop());
        Ok(())
    }

    fn fenced(&mut self) -> Result<(), Box<CallFailure>> {
        let answer = self.answer(Want::Valid)?;
        let text = if self.at.material.format.is_some() { format!("```json\n{answer}\n```") } else { answer };
        self.say(&text, Pace::Typing);
        self.end(self.stop());
        Ok(())
    }

    fn refusal(&mut self) {
        for delta in chunks("I cannot help with that. (Simulated refusal.)", TOKEN) {
            self.wait(Pace::Typing);
            self.delta(RawEvent::Refusal { delta: delta.to_owned() });
        }
        self.end(Terminal::Refusal);
    }

    fn half(&mut self, terminal: Terminal) -> Result<(), Box<CallFailure>> {
        let answer = self.answer(Want::Valid)?;
        let half = answer.chars().count().div_ceil(2);
        let text: String = answer.chars().take(half).collect();
        self.say(&text, Pace::Typing);
        self.end(terminal);
        Ok(())
    }

    fn flood(&mut self) -> Result<(), Box<CallFailure>> {
        let answer = self.answer(Want::Valid)?;
        for n in 0..FLOOD_THOUGHTS {
            let delta = if n % 16 == 15 { "thought.\n" } else { "thought " };
            self.delta(RawEvent::Thinking { delta: delta.to_owned() });
        }
        // White space before a JSON document is allowed and breaks nothing.
        let lead = if self.at.material.format.is_some() { "\n" } else { "word " };
        let text = format!("{}{answer}", lead.repeat(FLOOD_SPACES));
        self.speak(&text, 1, Pace::AtOnce);
        self.end(self.stop());
        Ok(())
    }

    fn call(&mut self, name: &str) {
        let why = if name == LOOKUP { "A word is needed first." } else { "This tool may help." };
        self.think(why);
        self.push(RawEvent::ToolStart { slot: 0, id: format!("call_{name}"), name: name.to_owned() });
        for delta in chunks(arguments(name), TOKEN) {
            self.wait(Pace::Typing);
            self.delta(RawEvent::ToolArgs { slot: 0, delta: delta.to_owned() });
        }
        self.end(Terminal::ToolUse);
    }

    fn answer(&self, want: Want) -> Result<String, Box<CallFailure>> {
        text(&self.at.material, want).map_err(|NoInstance| Box::new(no_instance()))
    }

    fn think(&mut self, words: &str) {
        for delta in words.split_inclusive(' ') {
            self.wait(Pace::Typing);
            self.delta(RawEvent::Thinking { delta: delta.to_owned() });
        }
    }

    fn say(&mut self, text: &str, pace: Pace) {
        let size = text.chars().count().div_ceil(MAX_CHUNKS).max(TOKEN);
        self.speak(text, size, pace);
    }

    /// The answer: as text, or as the arguments of the submit tool.
    fn speak(&mut self, text: &str, size: usize, pace: Pace) {
        if let Some(name) = self.at.submit {
            self.push(RawEvent::ToolStart { slot: 0, id: "call_submit".to_owned(), name: name.to_owned() });
        }
        for delta in chunks(text, size) {
            self.wait(pace);
            let delta = delta.to_owned();
            self.delta(match self.at.submit {
                Some(_) => RawEvent::ToolArgs { slot: 0, delta },
                None => RawEvent::Text { delta },
            });
        }
    }

    fn stop(&self) -> Terminal {
        if self.at.submit.is_some() { Terminal::ToolUse } else { Terminal::Stop }
    }

    fn end(&mut self, terminal: Terminal) {
        let usage = Usage {
            input_tokens: u64::try_from(self.at.request_characters.div_ceil(TOKEN)).ok(),
            output_tokens: Some(self.deltas),
            reasoning_tokens: None,
            cached_tokens: None,
        };
        self.push(RawEvent::Usage { usage });
        self.push(RawEvent::Terminal { terminal });
    }

    fn delta(&mut self, event: RawEvent) {
        self.deltas += 1;
        self.push(event);
    }

    fn push(&mut self, event: RawEvent) {
        self.steps.push(Step::Event(event));
    }

    fn wait(&mut self, pace: Pace) {
        let ms = match pace {
            Pace::Typing if self.at.tempo == Tempo::AtOnce => return,
            Pace::Typing => 8 + self.random() % 8,
            Pace::Slow => 200,
            Pace::AtOnce => return,
        };
        self.steps.push(Step::Wait { ms });
    }

    /// Xorshift: only for a lively rhythm.
    fn random(&mut self) -> u64 {
        self.rng ^= self.rng << 13;
        self.rng ^= self.rng >> 7;
        self.rng ^= self.rng << 17;
        self.rng >> 8
    }
}

/// Pieces of `size` characters.
fn chunks(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, tail) = rest.split_at_checked(cut)?;
        rest = tail;
        Some(piece)
    })
}

fn no_instance() -> CallFailure {
    failure("the built-in provider found no instance of this schema: `formwork sample` says why")
}

/// A failure of the built-in provider, in fixed words.
#[must_use]
pub fn failure(message: &str) -> CallFailure {
    CallFailure {
        code: ErrorCode::Provider,
        status: None,
        provider_code: None,
        request_id: None,
        retryable: false,
        retry_after_ms: None,
        message: message.to_owned(),
        detail: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_lose_nothing_and_cut_no_character() {
        for text in ["", "a", "äöü…🔥那个 abc"] {
            for size in 1..5 {
                let pieces: Vec<&str> = chunks(text, size).collect();
                assert_eq!(pieces.concat(), text);
                assert!(pieces.iter().all(|p| (1..=size).contains(&p.chars().count())), "{pieces:?}");
            }
        }
    }
}
