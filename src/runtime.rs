//! Starts runs and hands out their handles: the one way every surface runs a prompt.
//!
//! The driver executes the machine's effects: calls, judging (off the loop, bounded), waits, the deadline, cancel.

use std::sync::Arc;
use std::time::Duration;

use crate::catalog::Endpoint;
use crate::dialect::{Message, ToolChoice, WireRequest};
use crate::event::{Mode, RunError};
use crate::feed::Feed;
use crate::machine::Budget;
use crate::plan::Plan;
use crate::schema::ResponseFormat;
use crate::schema::project::Level;

/// Everything a run needs. Built by a surface, never changed afterwards.
#[derive(Debug, Clone)]
pub struct RunSpec {
    pub endpoint: Arc<Endpoint>,
    /// The model's id at that endpoint.
    pub model_id: String,
    pub system: Option<String>,
    /// Earlier turns, oldest first.
    pub history: Vec<Message>,
    pub prompt: String,
    pub format: Option<ResponseFormat>,
    pub level: Level,
    pub budget: Budget,
    /// Whole run.
    pub deadline: Option<Duration>,
    /// No byte for this long ends the call.
    pub idle_timeout: Duration,
    pub tool_choice: ToolChoice,
    pub max_output_tokens: Option<u64>,
    pub reasoning_effort: Option<String>,
    pub assert_format: bool,
}

/// A running run. Dropping the handle cancels it.
pub struct RunHandle {
    pub id: String,
    pub feed: Feed,
    pub cancel: Cancel,
}

/// Cancels its run, at any moment, from anywhere.
#[derive(Clone)]
pub struct Cancel {
    pub(crate) token: tokio_util::sync::CancellationToken,
}

impl Cancel {
    /// Idempotent.
    pub fn cancel(&self) {
        self.token.cancel();
    }
}

/// What a run would do, without doing it.
#[derive(Debug, Clone)]
pub struct DryRun {
    pub mode: Option<Mode>,
    pub plan: Option<Plan>,
    /// `None` for the built-in provider, which has no wire.
    pub request: Option<WireRequest>,
}

/// Starts a run on the current tokio runtime. Never fails: what is wrong comes as the run's `error` event.
#[must_use]
pub fn start(spec: RunSpec) -> RunHandle {
    let _ = spec;
    todo!()
}

/// Negotiates and builds the first request, sends nothing.
///
/// # Errors
/// The same error a run would end with before its first call.
pub fn dry_run(spec: &RunSpec) -> Result<DryRun, Box<RunError>> {
    let _ = spec;
    todo!()
}
