//! What the end of a provider call means for the run. Pure; the table of ENGINE §5 and §6.

use super::repair::Rejection;
use super::report::Ending;
use super::round::Round;
use crate::event::{CallFailure, Mode, Terminal};

/// Where the run goes from here.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    /// The message is a candidate.
    Judge,
    /// The message is the answer of a plain-text run.
    Answer,
    /// Execute the message's ordinary calls.
    Tools,
    /// Rejected without looking at a value: `missing_submission` or `mixed_submission`.
    Reject(Rejection),
    /// The call failed; it may be sent again.
    Retry(CallFailure),
    Fail(Ending),
}

pub(super) fn classify(mode: Option<Mode>, round: &Round, terminal: &Terminal) -> Next {
    match terminal {
        Terminal::Stop => answered(mode, round, Word::Stop),
        Terminal::ToolUse => answered(mode, round, Word::ToolUse),
        Terminal::Error { failure } if failure.retryable => Next::Retry(failure.clone()),
        Terminal::Error { failure } => Next::Fail(Ending::failed(failure)),
        Terminal::Length
        | Terminal::Refusal
        | Terminal::ContentFilter
        | Terminal::Paused
        | Terminal::ContextOverflow
        | Terminal::Missing
        | Terminal::Unknown { .. } => Next::Fail(Ending::terminal(terminal)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Stop,
    ToolUse,
}

fn answered(mode: Option<Mode>, round: &Round, word: Word) -> Next {
    let (submits, ordinary) = round.tally();
    match (mode, submits, ordinary, word) {
        (Some(Mode::Tool), 1, 0, _) => Next::Judge,
        (Some(Mode::Tool), 0, 0, _) => Next::Reject(Rejection::MissingSubmission),
        (_, 0, 1.., _) => Next::Tools,
        (_, 1.., _, _) => Next::Reject(Rejection::MixedSubmission),
        (Some(Mode::Native | Mode::Prompt), 0, 0, Word::Stop) => Next::Judge,
        (None, 0, 0, Word::Stop) => Next::Answer,
        (None | Some(Mode::Native | Mode::Prompt), 0, 0, Word::ToolUse) => Next::Fail(Ending::no_calls()),
    }
}
