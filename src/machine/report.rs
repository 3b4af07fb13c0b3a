//! How a run's failure is put to the public: fixed words, numbers and short codes.
//!
//! Never a piece of the candidate, schema, prompt, provider body or key.

use super::Setup;
use crate::event::{CallFailure, ErrorCode, Mode, RunError, Terminal};
use crate::issue::Issues;
use crate::json::{Hint, Position};

/// Longest provider word that is repeated in public.
const MAX_WORD: usize = 64;

/// The end of a failed run, before the run's own names are put to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ending {
    pub(super) code: ErrorCode,
    pub(super) message: String,
    pub(super) issues: Issues,
    pub(super) position: Option<Position>,
    pub(super) hint: Option<Hint>,
    pub(super) retryable: bool,
    pub(super) facts: Vec<(String, String)>,
    /// For the attempt's record only.
    pub(super) failure: Option<CallFailure>,
}

impl Ending {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            issues: Issues::default(),
            position: None,
            hint: None,
            retryable: false,
            facts: Vec::new(),
            failure: None,
        }
    }

    fn next(mut self, advice: &str) -> Self {
        self.facts.push(("next".to_owned(), advice.to_owned()));
        self
    }

    pub(super) fn cancelled() -> Self {
        Self::new(ErrorCode::Cancelled, "the run was cancelled")
    }

    pub(super) fn timed_out() -> Self {
        let mut ending = Self::new(ErrorCode::Timeout, "the run did not end before its deadline");
        ending.retryable = true;
        ending.next("allow more time, or ask for a shorter answer")
    }

    pub(super) fn too_much() -> Self {
        Self::new(ErrorCode::Incomplete, "the answer grew past its bounds (64 MiB, 512 tool calls) and was dropped")
    }

    pub(super) fn no_calls() -> Self {
        Self::new(ErrorCode::Incomplete, "the provider announced tool calls and sent none")
    }

    /// The tool rounds are used up and no candidate was made.
    pub(super) fn out_of_rounds(mode: Option<Mode>, rounds: u32) -> Self {
        let (code, what) = match mode {
            Some(Mode::Tool) => (ErrorCode::MissingSubmission, "an answer was submitted"),
            Some(Mode::Native | Mode::Prompt) | None => (ErrorCode::Incomplete, "the model answered"),
        };
        Self::new(code, format!("all {rounds} tool rounds were used before {what}"))
            .next("allow more tool rounds (max_iterations)")
    }

    /// A terminal that no candidate can come from.
    pub(super) fn terminal(terminal: &Terminal) -> Self {
        let incomplete = |message: &str| Self::new(ErrorCode::Incomplete, message);
        match terminal {
            Terminal::Refusal => Self::new(ErrorCode::Refusal, "the model refused to answer"),
            Terminal::ContentFilter => {
                Self::new(ErrorCode::Refusal, "the provider's content filter stopped the answer")
            }
            Terminal::Length => incomplete("the answer was cut off at the limit of output tokens")
                .next("allow more output tokens, or ask for a shorter answer"),
            Terminal::Paused => incomplete("the provider paused the answer before it was complete"),
            Terminal::ContextOverflow => incomplete("the request does not fit the model's context window")
                .next("shorten the conversation, or take a model with a larger context window"),
            Terminal::Missing => incomplete("the stream ended without a finish signal: the answer may be cut"),
            Terminal::Unknown { word } => {
                let mut ending = incomplete("the provider ended the answer for a reason this version does not know");
                ending.facts.extend(safe_word(word).map(|word| ("finish_reason".to_owned(), word)));
                ending
            }
            Terminal::Error { failure } => Self::failed(failure),
            Terminal::Stop | Terminal::ToolUse => incomplete("the answer ended without content"),
        }
    }

    /// A provider call failed for good.
    pub(super) fn failed(failure: &CallFailure) -> Self {
        let mut ending = Self::new(failure.code, failure.message.clone());
        ending.retryable = failure.retryable;
        let facts = [
            ("status", failure.status.map(|status| status.to_string())),
            ("provider_code", failure.provider_code.as_deref().and_then(safe_word)),
            ("request_id", failure.request_id.as_deref().and_then(safe_word)),
            ("retry_after", failure.retry_after_ms.map(|ms| format!("{} s", ms.div_ceil(1_000)))),
        ];
        ending.facts.extend(facts.into_iter().filter_map(|(label, text)| Some((label.to_owned(), text?))));
        ending.failure = Some(failure.clone());
        ending
    }

    pub(super) fn error(self, setup: &Setup, attempts: u32) -> RunError {
        RunError {
            code: self.code,
            message: self.message,
            provider: setup.provider.clone(),
            model: setup.model_id.clone(),
            attempts,
            issues: self.issues.list,
            omitted: self.issues.omitted,
            retryable: self.retryable,
            schema_hash: setup.schema_hash.clone(),
            position: self.position,
            hint: self.hint,
            facts: self.facts,
        }
    }
}

/// A provider's word as it may stand in public: short and of plain characters, or not at all.
fn safe_word(word: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let fits = !word.is_empty() && word.len() <= MAX_WORD && word.chars().all(plain);
    fits.then(|| word.to_owned())
}
