//! Token by token: what the model thinks, held to the constraint, until the answer ends or its budget is spent.
//!
//! Greedy, so that the same call gives the same answer. Two guards keep answers from never ending: past 60 % of the
//! budget what closes is preferred to everything else the constraint allows, and so it is when the text goes in
//! circles. Running out of tokens stays a real outcome. Knows neither files nor threads.

mod guard;
mod letters;
mod pick;

use std::ops::ControlFlow;

use self::guard::Circles;
use self::letters::Letters;
pub use self::pick::Kinds;
use self::pick::Place;
use super::constraint::{Constraint, ConstraintError, TokenSet};
use super::model::{CHUNK, ModelError};

/// The network as generation sees it: one conversation that can be rolled back.
pub trait Network {
    /// Tokens the conversation may have.
    fn context(&self) -> usize;
    /// Forgets everything behind the first `length` tokens.
    fn truncate(&mut self, length: usize);
    /// Appends at most [`CHUNK`] tokens.
    ///
    /// # Errors
    /// [`ModelError`].
    fn feed(&mut self, tokens: &[u32]) -> Result<(), ModelError>;
    /// How likely each token is next; where only some are wanted the others need not be right.
    ///
    /// # Errors
    /// [`ModelError`].
    fn logits(&mut self, only: Option<&TokenSet>) -> Result<&[f32], ModelError>;
}

/// What the tokens of a vocabulary are.
pub trait Words {
    /// The bytes of a token; empty for one that is not text.
    fn bytes(&self, token: u32) -> &[u8];
    /// Ids are below this.
    fn size(&self) -> usize;
    /// The tokens that end an answer.
    fn stops(&self) -> &[u32];
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The model or the constraint ended it.
    Complete,
    /// The budget or the context is spent.
    Length,
    /// Nobody listens any more.
    Cancelled,
}

/// An answer that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub end: End,
    /// Tokens made, the forced ones too.
    pub tokens: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    #[error("the prompt has {tokens} tokens, the model's context holds {limit}")]
    TooLong { tokens: usize, limit: usize },
}

/// Of an answer's budget, in percent: from there on what closes comes first.
const CLOSE_DOWN: usize = 60;

/// A network and what it was told: the prefix of the next prompt that is there already is not fed again.
pub struct Conversation<N> {
    network: N,
    fed: Vec<u32>,
}

impl<N: Network> Conversation<N> {
    pub const fn new(network: N) -> Self {
        Self { network, fed: Vec::new() }
    }

    /// Takes a prompt in; `progress` is told `(done, total)` tokens between the parts and may stop it. Gives how many
    /// tokens were there already, or nothing when it was stopped.
    ///
    /// # Errors
    /// [`GenerateError::TooLong`], before anything is fed.
    pub fn prefill(
        &mut self,
        prompt: &[u32],
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<usize>, GenerateError> {
        let limit = self.network.context();
        // One token at least must be left for the answer.
        if prompt.len() >= limit {
            return Err(GenerateError::TooLong { tokens: prompt.len(), limit });
        }
        let known = self.fed.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        // The last one is fed in any case: what the network makes of it is the beginning of the answer.
        let cached = known.min(prompt.len().saturating_sub(1));
        self.network.truncate(cached);
        self.fed.truncate(cached);
        let rest = prompt.get(cached..).unwrap_or_default();
        for chunk in rest.chunks(CHUNK) {
            if progress(self.fed.len() - cached, rest.len()).is_break() {
                return Ok(None);
            }
            self.feed(chunk)?;
        }
        Ok(progress(rest.len(), rest.len()).is_continue().then_some(cached))
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<(), ModelError> {
        for chunk in tokens.chunks(CHUNK) {
            self.network.feed(chunk)?;
            self.fed.extend_from_slice(chunk);
        }
        Ok(())
    }

    /// Makes an answer to the prompt that was taken in. `say` gets whole characters and may stop it.
    ///
    /// # Errors
    /// [`GenerateError`]; what was said until then stays said.
    pub fn answer(
        &mut self,
        words: &dyn Words,
        kinds: &Kinds,
        constraint: Option<Box<dyn Constraint>>,
        budget: usize,
        say: &mut dyn FnMut(String) -> ControlFlow<()>,
    ) -> Result<Outcome, GenerateError> {
        let room = self.network.context().saturating_sub(self.fed.len());
        let allowed = TokenSet::new(words.size());
        let answer = Answer {
            conversation: self,
            words,
            kinds,
            constraint,
            budget: budget.min(room),
            made: Vec::new(),
            pending: Vec::new(),
            allowed,
            place: Place::default(),
            circles: Circles::default(),
            letters: Letters::default(),
        };
        answer.run(say)
    }
}

/// An answer in the making.
struct Answer<'a, N> {
    conversation: &'a mut Conversation<N>,
    words: &'a dyn Words,
    kinds: &'a Kinds,
    constraint: Option<Box<dyn Constraint>>,
    budget: usize,
    made: Vec<u32>,
    /// Made, but not fed yet.
    pending: Vec<u32>,
    allowed: TokenSet,
    place: Place,
    circles: Circles,
    letters: Letters,
}

/// What comes next.
enum Next {
    Token(u32),
    End(End),
}

impl<N: Network> Answer<'_, N> {
    fn run(mut self, say: &mut dyn FnMut(String) -> ControlFlow<()>) -> Result<Outcome, GenerateError> {
        let end = loop {
            let forced = self.constraint.as_mut().map_or_else(Vec::new, |constraint| constraint.forced());
            let tokens = if forced.is_empty() {
                match self.next()? {
                    Next::Token(token) => vec![token],
                    Next::End(end) => break end,
                }
            } else {
                forced
            };
            if let Some(end) = self.take(&tokens, say)? {
                break end;
            }
        };
        let rest = self.letters.finish();
        let heard = if rest.is_empty() { ControlFlow::Continue(()) } else { say(rest) };
        let end = if heard.is_break() { End::Cancelled } else { end };
        Ok(Outcome { end, tokens: self.made.len() })
    }

    /// The tokens are part of the answer now.
    fn take(
        &mut self,
        tokens: &[u32],
        say: &mut dyn FnMut(String) -> ControlFlow<()>,
    ) -> Result<Option<End>, GenerateError> {
        let mut text = String::new();
        let mut end = None;
        for &token in tokens {
            if self.made.len() >= self.budget {
                end = Some(End::Length);
                break;
            }
            if let Some(constraint) = &mut self.constraint {
                constraint.take(token)?;
            }
            let bytes = self.words.bytes(token);
            self.place.read(bytes, self.made.len());
            self.letters.push(bytes, &mut text);
            self.circles.push(&self.made, token);
            self.made.push(token);
            self.pending.push(token);
        }
        if say(text).is_break() {
            end = Some(End::Cancelled);
        }
        Ok(end)
    }

    fn next(&mut self) -> Result<Next, GenerateError> {
        let mut may_stop = true;
        if let Some(constraint) = &mut self.constraint {
            if constraint.is_complete() {
                return Ok(Next::End(End::Complete));
            }
            may_stop = constraint.may_stop();
            constraint.allowed(&mut self.allowed)?;
            let closing = self.made.len() * 100 >= self.budget * CLOSE_DOWN;
            if may_stop && (closing || self.allowed.count() == 0) {
                return Ok(Next::End(End::Complete));
            }
        }
        if self.made.len() >= self.budget {
            return Ok(Next::End(End::Length));
        }
        if self.constraint.is_some() && !may_stop && self.allowed.count() == 1 {
            let only = self.allowed.iter().next();
            return Ok(only.map_or(Next::End(End::Complete), Next::Token));
        }
        self.choose(may_stop)
    }

    /// What the model thinks, where there is a choice.
    fn choose(&mut self, may_stop: bool) -> Result<Next, GenerateError> {
        let pending = std::mem::take(&mut self.pending);
        self.conversation.feed(&pending)?;
        let held = self.constraint.is_some();
        if held && may_stop {
            self.words.stops().iter().for_each(|stop| self.allowed.insert(*stop));
        }
        let logits = self.conversation.network.logits(held.then_some(&self.allowed))?;
        let allowed = if held { &self.allowed } else { self.kinds.sayable() };
        let circle = self
            .circles
            .found(!held || self.place.is_in_string())
            .filter(|period| !self.place.began_within(self.made.len(), *period));
        let closing = self.made.len() * 100 >= self.budget * CLOSE_DOWN;
        let wanted =
            if held && (closing || circle.is_some()) { self.kinds.closing(&self.place, allowed, logits) } else { None };
        let again = circle.and_then(|period| self.made.len().checked_sub(period)).and_then(|at| self.made.get(at));
        let best = wanted.or_else(|| pick::best(allowed.iter().filter(|token| Some(token) != again), logits));
        let best = best.or_else(|| pick::best(allowed.iter(), logits));
        match best {
            None => Err(ConstraintError::Stuck.into()),
            Some(stop) if self.words.stops().contains(&stop) => Ok(Next::End(End::Complete)),
            Some(token) => Ok(Next::Token(token)),
        }
    }
}

#[cfg(test)]
mod tests;
