//! The run as a pure state machine: `(state, input) → effects`. Rounds, attempts, repair, budget.
//!
//! No clock, no I/O, no provider name. The driver (`runtime`) executes effects and feeds results back, which is why a
//! replay is exact. Time and randomness enter as arguments of [`Input`].
//!
//! What a consumer may rely on: starts and ends balance; each call shows at most one open text block at a time, and a
//! `text_start` begins an empty candidate; attempt numbers only rise; after [`Effect::End`] nothing follows.

mod budget;
mod classify;
mod prompt;
mod repair;
mod report;
mod request;
mod round;
mod state;
#[cfg(test)]
mod tests;

use crate::dialect::{Call, Message, ToolCall};
use crate::event::{CallFailure, ErrorCode, Mode, RawEvent, RunEvent, Terminal, Usage};
use crate::issue::Issues;
use crate::json::{ParseError, Value};
use crate::plan::Plan;

use budget::Ledger;
use repair::Rejection;
use report::Ending;
use state::Phase;

/// Total provider calls that are not continuations after ordinary tool calls (ENGINE §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Default 6, at least 1.
    pub max_retries: u32,
    /// Provider calls that continue after tool results; default 20.
    pub max_iterations: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { max_retries: 6, max_iterations: 20 }
    }
}

/// What the judge (strict parse + validation) says of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The value, and its canonical text.
    Valid {
        value: Value,
        canonical: String,
    },
    NotJson(ParseError),
    Invalid(Issues),
}

/// What happens to the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Begin. Once, first.
    Start,
    /// Decoded events of the running call, in order; a batch is one network read.
    Raw(Vec<RawEvent>),
    /// The running call failed before or outside its stream (connect, HTTP status, torn body).
    CallFailed(CallFailure),
    /// The judge's answer to [`Effect::Judge`].
    Judged { attempt: u32, verdict: Verdict },
    /// An ordinary tool ended (results come in any order).
    ToolDone { call_id: String, content: String, is_error: bool },
    /// The wait of [`Effect::Wait`] is over.
    Waited { ticket: u32 },
    /// The user cancelled.
    Cancel,
    /// The run's deadline passed.
    Deadline,
}

/// What the driver must do, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Tell the surfaces.
    Emit(RunEvent),
    /// Send this call. `index` counts provider calls of the run from 0.
    Call { index: u32, call: Box<Call> },
    /// Drop the running call's stream now.
    DropCall,
    /// Parse and validate a candidate off the loop; answer with [`Input::Judged`]. When `wrapped`, the text is the
    /// submit tool's `{"value": …}` and what stands inside is judged ([`Plan::wrapped`]).
    Judge { attempt: u32, text: String, wrapped: bool },
    /// Execute an ordinary tool (after approval); answer with [`Input::ToolDone`].
    RunTool { call: ToolCall },
    /// Answer with [`Input::Waited`] after at least `min_ms` (back-off and jitter are already in it).
    Wait { ticket: u32, min_ms: u64 },
    /// For inspection only: an attempt ended. Comes before the events that announce its end.
    Keep(Box<AttemptRecord>),
    /// The run is over; nothing follows.
    End,
}

/// Everything that is kept of one attempt, for the user's own screen.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRecord {
    pub attempt: u32,
    pub mode: Option<Mode>,
    /// Index of the provider call that made it.
    pub call: u32,
    /// The candidate (or plain answer) as streamed.
    pub text: String,
    pub thinking: String,
    pub calls: Vec<ToolCall>,
    pub refusal: String,
    pub terminal: Option<Terminal>,
    pub outcome: Outcome,
    pub usage: Usage,
    /// The messages that were added to ask for the next attempt, if there is one.
    pub repair: Vec<Message>,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Accepted,
    /// Text of a run without a schema, or a round that ended in ordinary tool calls.
    Plain,
    NotJson(ParseError),
    Invalid(Issues),
    /// Any other end, by its public code.
    Failed {
        code: ErrorCode,
        failure: Option<CallFailure>,
    },
}

/// What a run is given besides its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    pub run_id: String,
    pub provider: String,
    pub model_id: String,
    /// Answers come from the built-in scripted provider.
    pub simulated: bool,
    /// `None` = plain text run.
    pub plan: Option<Plan>,
    pub schema_hash: Option<String>,
    /// The conversation so far, the prompt last. Prompt mode's instruction is added by the machine.
    pub messages: Vec<Message>,
    /// The caller's own tools.
    pub tools: Vec<crate::dialect::ToolSpec>,
    pub tool_choice: crate::dialect::ToolChoice,
    pub parallel_tool_calls: Option<bool>,
    pub max_output_tokens: Option<u64>,
    pub reasoning_effort: Option<String>,
    pub budget: Budget,
    /// Seed for the jitter of the back-off.
    pub seed: u64,
}

/// One run.
#[derive(Debug, Clone)]
pub struct Machine {
    setup: Setup,
    /// The conversation of this run: grows with tool rounds and a repair, dies with the run.
    history: Vec<Message>,
    ledger: Ledger,
    /// The attempt the next content belongs to; 0 before the start.
    attempt: u32,
    /// Why the last candidate was rejected, while a better one is awaited.
    pending: Option<Rejection>,
    phase: Phase,
}

impl Machine {
    /// A run that has not begun.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let history = request::opening(&setup);
        let ledger = Ledger::new(setup.budget, setup.seed);
        Self { setup, history, ledger, attempt: 0, pending: None, phase: Phase::Idle }
    }

    /// Feeds one input, appends what must be done. Inputs that do not fit the state (late timers, a dropped call's
    /// events) are ignored. Nothing is appended after [`Effect::End`].
    pub fn step(&mut self, input: Input, effects: &mut Vec<Effect>) {
        match input {
            Input::Start => self.start(effects),
            Input::Raw(events) => self.raw(events, effects),
            Input::CallFailed(failure) => self.call_ended(Terminal::Error { failure }, effects),
            Input::Judged { attempt, verdict } => self.judged(attempt, verdict, effects),
            Input::ToolDone { call_id, content, is_error } => self.tool_done(&call_id, content, is_error, effects),
            Input::Waited { ticket } => self.waited(ticket, effects),
            Input::Cancel => self.stop(Ending::cancelled(), effects),
            Input::Deadline => self.stop(Ending::timed_out(), effects),
        }
    }

    /// True after [`Effect::End`].
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// The attempt that what comes next belongs to; 0 before the start.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Where the run stands, for the user's own screen.
    #[must_use]
    pub fn stand(&self) -> Stand {
        match &self.phase {
            Phase::Idle => Stand::Idle,
            Phase::Calling(round) => round.stand(),
            Phase::Judging(_) => Stand::Judging,
            Phase::Tools(_) => Stand::Tools,
            Phase::Waiting { .. } => Stand::Waiting,
            Phase::Over => Stand::Over,
        }
    }
}

/// Where a run stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    Idle,
    /// A call runs and has shown nothing, or what it showed is closed.
    Calling,
    /// Answer text is open.
    Text,
    Thinking,
    /// The submit tool's arguments are open.
    Candidate,
    /// A candidate is with the judge.
    Judging,
    /// Ordinary tools run.
    Tools,
    /// Between a failed call and the next.
    Waiting,
    Over,
}
