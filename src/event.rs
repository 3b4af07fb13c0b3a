//! The vocabulary of a run: what a provider says ([`RawEvent`], [`Terminal`]) and what a run tells ([`RunEvent`]).
//!
//! Pure data. Decides nothing; `machine` turns the first into the second.

use serde::Serialize;

use crate::issue::Issue;
use crate::json::{Hint, Position, Value};

/// How the schema reaches the model (ENGINE §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The provider's own schema parameter.
    Native,
    /// The hidden submit tool.
    Tool,
    /// The schema stands in the system prompt.
    Prompt,
}

/// Tokens of one provider call, as the provider counted them; absent means it did not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// Part of `output_tokens` that was reasoning.
    pub reasoning_tokens: Option<u64>,
    /// Part of `input_tokens` that came from a cache.
    pub cached_tokens: Option<u64>,
}

/// One decoded thing a provider said, dialect-free. The machine's food, and what a recording keeps.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RawEvent {
    /// Answer text.
    Text {
        delta: String,
    },
    /// Reasoning text: shown, never a candidate.
    Thinking {
        delta: String,
    },
    /// A tool call begins; `slot` joins its fragments within this call.
    ToolStart {
        slot: u32,
        id: String,
        name: String,
    },
    /// A fragment of the call's raw argument text.
    ToolArgs {
        slot: u32,
        delta: String,
    },
    /// Text of a refusal (kept for the user's screen).
    Refusal {
        delta: String,
    },
    Usage {
        usage: Usage,
    },
    /// The model's own name for itself, as the response says it.
    Model {
        id: String,
    },
    /// An opaque part of the model's turn that must be sent back unchanged in the next call of the run (signed thinking,
    /// thought signatures, encrypted reasoning). Its shape is the dialect's own; never shown, never a candidate.
    Keep {
        part: Value,
    },
    /// The text so far was no answer: a later message of the same response takes its place.
    Restart,
    /// The end of the call. Exactly one, last.
    Terminal {
        terminal: Terminal,
    },
}

/// How a provider call ended. Only `Stop`, and `ToolUse` for tool calls, can lead to a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Terminal {
    Stop,
    ToolUse,
    Length,
    Refusal,
    ContentFilter,
    Paused,
    ContextOverflow,
    /// The provider reported a fault inside the stream.
    Error {
        failure: CallFailure,
    },
    /// The stream ended without any terminal.
    Missing,
    /// A terminal word this version does not know. Never success.
    Unknown {
        word: String,
    },
}

/// Why a provider call brought no answer. `detail` is provider text: for the user's own screen only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallFailure {
    /// `Auth`, `RateLimited`, `Transport`, `Provider`, `Timeout`, `Incomplete` (context overflow by 400)…
    pub code: ErrorCode,
    /// HTTP status, if there was one.
    pub status: Option<u16>,
    /// The provider's own error code (a short word such as `insufficient_quota`), display-safe, ≤ 64 characters.
    pub provider_code: Option<String>,
    pub request_id: Option<String>,
    /// May the same call be sent again?
    pub retryable: bool,
    /// Lower bound for the wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Fixed words of ours: safe everywhere.
    pub message: String,
    /// The provider's text. Never in events, logs, stderr or public errors.
    #[serde(skip)]
    pub detail: Option<String>,
}

/// The public error codes (ENGINE §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    InvalidSchema,
    Unsupported,
    InvalidJson,
    ValidationFailed,
    MissingSubmission,
    MixedSubmission,
    Refusal,
    Incomplete,
    Auth,
    RateLimited,
    Transport,
    Provider,
    Timeout,
    Cancelled,
    ReplayMismatch,
    Config,
}

/// What the run tells its surfaces, in order (ENGINE §5). Consumers ignore types they do not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    RunStart {
        run: String,
        model: String,
        mode: Option<Mode>,
        schema_hash: Option<String>,
        /// True when the built-in scripted provider answers: shown wherever the answer is.
        simulated: bool,
    },
    TextStart {
        output_attempt: u32,
    },
    TextDelta {
        output_attempt: u32,
        delta: String,
    },
    TextEnd {
        output_attempt: u32,
    },
    ThinkingStart {
        output_attempt: u32,
    },
    ThinkingDelta {
        output_attempt: u32,
        delta: String,
    },
    ThinkingEnd {
        output_attempt: u32,
    },
    ToolCallStart {
        output_attempt: u32,
        call_id: String,
        name: String,
    },
    ToolCallDelta {
        output_attempt: u32,
        call_id: String,
        delta: String,
    },
    ToolCallEnd {
        output_attempt: u32,
        call_id: String,
    },
    ToolResult {
        call_id: String,
        name: String,
        is_error: bool,
        bytes: usize,
    },
    /// A failed call will be sent again after `delay_ms`; content shown so far was closed first.
    TransportRetry {
        call: u32,
        code: ErrorCode,
        status: Option<u16>,
        delay_ms: u64,
    },
    /// Attempt `attempt` was rejected; its candidate is to be cleared, `next_attempt` follows.
    StructuredOutputRetry {
        attempt: u32,
        next_attempt: u32,
        code: ErrorCode,
        issues: Vec<Issue>,
        /// How many issues were left out of `issues`.
        omitted: usize,
        /// For `invalid_json`: where the text stops being JSON, and what kind of slip it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<Hint>,
    },
    StructuredOutputEnd {
        attempt: u32,
        mode: Mode,
        value: Value,
    },
    Usage {
        call: u32,
        output_attempt: u32,
        #[serde(flatten)]
        usage: Usage,
    },
    /// The end of a good run. `message` is the accepted answer (canonical JSON, or the text of a plain run).
    Done {
        reason: &'static str,
        message: String,
    },
    Error(Box<RunError>),
}

/// The end of a failed run. Public: no candidate, schema, prompt, provider body or key in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunError {
    pub code: ErrorCode,
    pub message: String,
    pub provider: String,
    pub model: String,
    /// Attempts begun.
    pub attempts: u32,
    pub issues: Vec<Issue>,
    pub omitted: usize,
    pub retryable: bool,
    pub schema_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Facts a person needs next: `(label, text)`, e.g. `("status", "401")`, `("next", "set OPENAI_API_KEY")`.
    pub facts: Vec<(String, String)>,
}

impl ErrorCode {
    /// The stable code, as it stands in events, errors and documents.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::InvalidSchema => "invalid_schema",
            Self::Unsupported => "unsupported",
            Self::InvalidJson => "invalid_json",
            Self::ValidationFailed => "validation_failed",
            Self::MissingSubmission => "missing_submission",
            Self::MixedSubmission => "mixed_submission",
            Self::Refusal => "refusal",
            Self::Incomplete => "incomplete",
            Self::Auth => "auth",
            Self::RateLimited => "rate_limited",
            Self::Transport => "transport",
            Self::Provider => "provider",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::ReplayMismatch => "replay_mismatch",
            Self::Config => "config",
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

impl Mode {
    /// The stable code, as it stands in events and documents.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Tool => "tool",
            Self::Prompt => "prompt",
        }
    }
}

/// How far the built-in model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    pub done: u64,
    pub total: u64,
}

/// What the built-in model does before its first token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Weights are read; counted in tensors.
    Loading,
    /// The prompt is taken in; counted in tokens.
    Prefill,
}
