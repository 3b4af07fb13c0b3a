//! The provider calls of a run, one round each: when it was sent, when the answer began, what it cost, how it ended.
//!
//! Plain data from feed items. An attempt has more than one round when tools ran in between, or when a call was sent
//! again before anything of it was shown.

use crate::event::{ErrorCode, Usage};

/// Tools named of one round.
const TOOLS: usize = 64;

/// One provider call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Round {
    /// Counted from 0 over the whole run.
    pub call: u32,
    pub attempt: u32,
    /// When it was sent, in the screen's milliseconds.
    pub sent: u64,
    /// The response's head: status, and how long after the sending it came.
    pub head: Option<(u16, u64)>,
    /// Headers of the response that may be looked at.
    pub headers: Vec<(String, String)>,
    /// How long after the sending the first of the answer came.
    pub first_ms: Option<u64>,
    pub ended: Option<u64>,
    pub usage: Usage,
    /// Names of the tools the model called.
    pub tools: Vec<String>,
    /// Why it failed, if it did.
    pub failed: Option<ErrorCode>,
    /// The wait that followed, before the call was sent again.
    pub wait_ms: Option<u64>,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    pub input: f64,
    pub output: f64,
}

impl Prices {
    /// What these tokens cost by the list, in US dollars; `None` when no tokens were counted. Tokens from a cache are
    /// counted like all others: the real price is at most this.
    #[must_use]
    pub fn of(self, usage: Usage) -> Option<f64> {
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        if input.is_none() && output.is_none() {
            return None;
        }
        let cost = |tokens: Option<u64>, price: f64| {
            let tokens = u32::try_from(tokens.unwrap_or(0)).unwrap_or(u32::MAX);
            f64::from(tokens) * price / 1e6
        };
        Some(cost(input, self.input) + cost(output, self.output))
    }
}

/// All rounds of a run.
#[derive(Debug, Clone, Default)]
pub struct Rounds {
    pub list: Vec<Round>,
}

impl Rounds {
    /// The rounds of one attempt, in order.
    pub fn of(&self, attempt: u32) -> impl Iterator<Item = &Round> {
        self.list.iter().filter(move |round| round.attempt == attempt)
    }

    /// The newest round's call.
    #[must_use]
    pub fn call(&self) -> u32 {
        self.list.last().map_or(0, |round| round.call)
    }

    /// Tokens of one attempt's rounds together.
    #[must_use]
    pub fn usage(&self, attempt: u32) -> Usage {
        sum(self.of(attempt).map(|round| round.usage))
    }

    /// A call begins.
    pub(super) fn begin(&mut self, call: u32, attempt: u32, now: u64) {
        self.end_last(now);
        self.list.push(Round { call, attempt, sent: now, ..Round::default() });
    }

    pub(super) fn get(&mut self, call: u32) -> Option<&mut Round> {
        self.list.iter_mut().rev().find(|round| round.call == call)
    }

    /// A call ended this long after it was sent.
    pub(super) fn end(&mut self, call: u32, duration_ms: u64) {
        if let Some(round) = self.get(call) {
            let end = round.sent + duration_ms;
            round.ended.get_or_insert(end);
        }
    }

    /// Whatever runs still has ended now.
    pub(super) fn end_last(&mut self, now: u64) {
        if let Some(round) = self.list.last_mut() {
            round.ended.get_or_insert(now);
        }
    }

    /// The model called a tool.
    pub(super) fn tool(&mut self, name: String) {
        if let Some(round) = self.list.last_mut().filter(|round| round.tools.len() < TOOLS) {
            round.tools.push(name);
        }
    }
}

/// Tokens of several calls together; what nobody counted stays absent.
#[must_use]
pub fn sum(all: impl Iterator<Item = Usage>) -> Usage {
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    };
    all.fold(Usage::default(), |a, b| Usage {
        input_tokens: add(a.input_tokens, b.input_tokens),
        output_tokens: add(a.output_tokens, b.output_tokens),
        reasoning_tokens: add(a.reasoning_tokens, b.reasoning_tokens),
        cached_tokens: add(a.cached_tokens, b.cached_tokens),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_several_rounds_are_added() {
        let mut rounds = Rounds::default();
        rounds.begin(0, 1, 10);
        rounds.begin(1, 1, 30);
        rounds.begin(2, 2, 60);
        for (call, tokens) in [(0, 5), (1, 7), (2, 11)] {
            rounds.get(call).unwrap().usage.output_tokens = Some(tokens);
        }
        assert_eq!(rounds.usage(1), Usage { output_tokens: Some(12), ..Usage::default() });
        assert_eq!(rounds.usage(3), Usage::default());
        assert_eq!(rounds.list[0].ended, Some(30), "the next call ends the one before");
        rounds.end(2, 15);
        rounds.end_last(900);
        assert_eq!(rounds.list[2].ended, Some(75));
    }

    #[test]
    fn a_price_is_the_lists() {
        let prices = Prices { input: 1.25, output: 10.0 };
        let usage = Usage { input_tokens: Some(1_000), output_tokens: Some(200), ..Usage::default() };
        assert!((prices.of(usage).unwrap() - 0.003_25).abs() < 1e-12);
        assert_eq!(prices.of(Usage::default()), None);
    }
}
