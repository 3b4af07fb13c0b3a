//! What of a run goes to the log: its id, the model's name, the schema's hash, codes, counts and times.
//!
//! The one place where events become lines of the log, so that what they hold of texts can be seen to stay out.

use tokio::time::Instant;

use crate::event::{ErrorCode, RunEvent, Usage};
use crate::feed::Inspect;
use crate::log;
use crate::machine::{AttemptRecord, Outcome};

/// The log of one run.
pub(super) struct Journal {
    run: String,
    began: Instant,
    attempts: u32,
    /// Of all calls.
    usage: Usage,
}

impl Journal {
    pub(super) fn open(run: &str) -> Self {
        Self { run: run.to_owned(), began: Instant::now(), attempts: 0, usage: Usage::default() }
    }

    pub(super) fn event(&mut self, event: &RunEvent) {
        let run = &self.run;
        match event {
            RunEvent::RunStart { model, mode, schema_hash, simulated, .. } => {
                log::run_began(run, model, *mode, schema_hash.as_deref(), *simulated);
            }
            RunEvent::TransportRetry { call, code, delay_ms, .. } => log::call_again(run, *call, *code, *delay_ms),
            RunEvent::ToolResult { is_error, bytes, .. } => log::tool_ended(run, *is_error, *bytes),
            RunEvent::Usage { usage, .. } => {
                add(&mut self.usage.input_tokens, usage.input_tokens);
                add(&mut self.usage.output_tokens, usage.output_tokens);
            }
            RunEvent::Done { .. } => self.over("done"),
            RunEvent::Error(error) => self.over(error.code.code()),
            _ => {}
        }
    }

    pub(super) fn inspect(&mut self, inspect: &Inspect) {
        let run = &self.run;
        match inspect {
            Inspect::Called { call, attempt } => {
                self.attempts = self.attempts.max(*attempt);
                log::call_made(run, *call, *attempt);
            }
            Inspect::Response { call, status, first_byte_ms, .. } => {
                log::call_answered(run, *call, *status, *first_byte_ms);
            }
            Inspect::Failed { call, failure, duration_ms } => {
                log::call_failed(run, *call, failure.code, failure.status, *duration_ms);
            }
            Inspect::Attempt { record, duration_ms } => {
                let (outcome, issues) = became(record);
                log::attempt_ended(run, record.attempt, outcome, issues, *duration_ms);
            }
            _ => {}
        }
    }

    fn over(&self, outcome: &'static str) {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        log::run_ended(&self.run, outcome, self.attempts, self.usage, elapsed);
    }
}

fn became(record: &AttemptRecord) -> (&'static str, usize) {
    match &record.outcome {
        Outcome::Accepted => ("accepted", 0),
        Outcome::Plain => ("plain", 0),
        Outcome::NotJson(_) => (ErrorCode::InvalidJson.code(), 0),
        Outcome::Invalid(issues) => (ErrorCode::ValidationFailed.code(), issues.list.len() + issues.omitted),
        Outcome::Failed { code, .. } => (code.code(), 0),
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}
