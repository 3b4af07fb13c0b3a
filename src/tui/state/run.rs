//! A run as the screen keeps it: its attempts, what was sent, how it ended.
//!
//! Takes feed items and nothing else; asks nobody, sends nothing. Older runs' items never reach it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dialect::Message;
use crate::event::{CallFailure, ErrorCode, Mode, Progress, RunError, RunEvent, Usage};
use crate::feed::{Inspect, Item};
use crate::issue::Issue;
use crate::json::{Hint, Position, Value};
use crate::machine::{AttemptRecord, Outcome};
use crate::plan::Plan;
use crate::report::{Asked, End, Report};

use super::raw::RawLog;
use super::rounds::{Prices, Rounds, sum};

pub(in crate::tui) use super::attempt::nearest;
pub use super::attempt::{Attempt, Fate};

/// A request that went out.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    pub curl: String,
    pub status: Option<u16>,
    pub first_byte_ms: Option<u64>,
}

/// How a run stands.
#[derive(Debug, Clone)]
pub enum Status {
    Running,
    /// Waiting before the next call, until this instant in milliseconds.
    Waiting {
        until: u64,
        code: ErrorCode,
        status: Option<u16>,
    },
    Done,
    Failed(Box<RunError>),
}

/// One run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Ours: rises with every run, so late items of an older one are told apart.
    pub sequence: u64,
    pub id: String,
    pub model: String,
    pub mode: Option<Mode>,
    pub simulated: bool,
    /// The model says of itself that its answers are not to be relied on.
    pub demo: bool,
    pub structured: bool,
    /// Hash of the schema it runs with.
    pub schema_hash: Option<String>,
    /// What it was started with, for its report.
    pub asked: Option<Arc<Asked>>,
    pub status: Status,
    pub started: u64,
    pub ended: Option<u64>,
    pub attempts: Vec<Attempt>,
    /// The attempt on screen, when the reader chose one.
    pub pinned: Option<usize>,
    pub plan: Option<Plan>,
    /// How far the built-in model is before its first token.
    pub preparing: Option<Progress>,
    pub sent: BTreeMap<u32, Sent>,
    pub failures: Vec<(u32, CallFailure)>,
    pub rounds: Rounds,
    /// What the calls said, read by read.
    pub raw: RawLog,
    /// What the model's tokens cost, if the catalogue knows.
    pub prices: Option<Prices>,
}

/// What an item asks of the rest of the program.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcomes {
    Nothing,
    /// The validated value came.
    Value(Value),
    /// The text of a plain run came.
    Text(String),
    /// An attempt was rejected.
    Retried {
        attempt: u32,
        code: ErrorCode,
    },
    Failed,
}

impl Run {
    /// A run that was just started.
    #[must_use]
    pub fn new(sequence: u64, model: String, structured: bool, simulated: bool, now: u64) -> Self {
        Self {
            sequence,
            id: String::new(),
            model,
            mode: None,
            simulated,
            demo: false,
            structured,
            schema_hash: None,
            asked: None,
            status: Status::Running,
            started: now,
            ended: None,
            attempts: Vec::new(),
            pinned: None,
            plan: None,
            preparing: None,
            sent: BTreeMap::new(),
            failures: Vec::new(),
            rounds: Rounds::default(),
            raw: RawLog::default(),
            prices: None,
        }
    }

    /// The run with the hash of its schema.
    #[must_use]
    pub fn with_schema(self, schema_hash: Option<String>) -> Self {
        Self { schema_hash, ..self }
    }

    /// The run with what it was started with.
    #[must_use]
    pub fn asking(self, asked: Asked) -> Self {
        Self { asked: Some(Arc::new(asked)), ..self }
    }

    /// The run as a document, as far as it is; `value` is the validated one. Nothing without what was asked.
    #[must_use]
    pub fn report(&self, value: Option<&Arc<Value>>, made: String, now: u64) -> Option<Report> {
        let mut report = Report::new(self.asked.as_deref()?.clone(), made);
        report.run.clone_from(&self.id);
        (report.simulated, report.mode) = (self.simulated, self.mode.map(Mode::code));
        report.duration_ms = Some(self.ended.unwrap_or(now).saturating_sub(self.started));
        if let Some(plan) = &self.plan {
            report.planned(plan);
        }
        for attempt in &self.attempts {
            if let Some(record) = &attempt.record {
                let spent = attempt.ended.map(|ended| ended.saturating_sub(attempt.started));
                report.attempt(record, spent, self.plan.as_ref());
            }
        }
        match (&self.status, value) {
            (Status::Failed(error), _) => report.failed(error),
            (Status::Done, Some(value)) => report.end = End::Value { value: Arc::clone(value) },
            (Status::Done, None) => {
                let last = self.attempts.last().and_then(|attempt| attempt.record.as_ref());
                let text = last.filter(|_| !self.structured).map(|record| record.text.clone());
                report.end = text.map_or(End::Open, |text| End::Text { text });
            }
            (Status::Running | Status::Waiting { .. }, _) => {}
        }
        Some(report)
    }

    /// The run marked as one of a demo model.
    #[must_use]
    pub fn of_demo(self, demo: bool) -> Self {
        Self { demo, ..self }
    }

    /// Still going?
    #[must_use]
    pub fn running(&self) -> bool {
        matches!(self.status, Status::Running | Status::Waiting { .. })
    }

    /// Index of the attempt on screen.
    #[must_use]
    pub fn shown_index(&self) -> usize {
        self.pinned.unwrap_or(usize::MAX).min(self.attempts.len().saturating_sub(1))
    }

    /// The attempt on screen.
    #[must_use]
    pub fn shown(&self) -> Option<&Attempt> {
        self.attempts.get(self.shown_index())
    }

    /// The attempt on screen, to move in it.
    pub fn shown_mut(&mut self) -> Option<&mut Attempt> {
        let at = self.shown_index();
        self.attempts.get_mut(at)
    }

    /// Was the submit tool's argument wrapped as `{value: …}`?
    #[must_use]
    pub fn wrapped(&self) -> bool {
        self.plan.as_ref().is_some_and(|p| p.wrapped && p.mode == Mode::Tool)
    }

    /// The request of the shown attempt.
    #[must_use]
    pub fn request(&self) -> Option<&Sent> {
        let call = self.shown().map_or(0, |a| a.call);
        self.sent.get(&call).or_else(|| self.sent.values().next_back())
    }

    /// What was asked after the shown attempt.
    #[must_use]
    pub fn repair(&self) -> Option<&[Message]> {
        let record = self.shown()?.record.as_ref()?;
        Some(record.repair.as_slice()).filter(|r| !r.is_empty())
    }

    /// Tokens of all calls.
    #[must_use]
    pub fn tokens(&self) -> Usage {
        sum(self.attempts.iter().map(|attempt| attempt.usage))
    }

    /// Works out where an attempt's issues are.
    fn judge(&mut self, at: usize) {
        let wrapped = self.wrapped();
        let schema = self.plan.as_ref().map(|plan| &plan.format.schema);
        if let Some(attempt) = self.attempts.get_mut(at) {
            attempt.judge(schema, wrapped);
        }
    }

    fn attempt(&mut self, number: u32, now: u64) -> &mut Attempt {
        let found = self.attempts.iter().position(|a| a.number == number);
        let at = found.unwrap_or_else(|| {
            self.attempts.push(Attempt::new(number, self.rounds.call(), now));
            self.attempts.len() - 1
        });
        &mut self.attempts[at]
    }

    /// Takes one item of the feed.
    pub fn take(&mut self, item: Item, now: u64) -> Outcomes {
        match item {
            Item::Event(event) => self.event(event, now),
            Item::Inspect(inspect) => {
                self.inspect(*inspect, now);
                Outcomes::Nothing
            }
        }
    }

    fn event(&mut self, event: RunEvent, now: u64) -> Outcomes {
        match event {
            RunEvent::RunStart { run, model, mode, simulated, .. } => {
                (self.id, self.model, self.mode, self.simulated) = (run, model, mode, simulated);
            }
            RunEvent::TextStart { output_attempt } => {
                self.status = Status::Running;
                // A text begins an empty candidate: what stood there was no answer.
                self.attempt(output_attempt, now).rows.clear();
            }
            RunEvent::ThinkingStart { output_attempt } => {
                self.status = Status::Running;
                self.attempt(output_attempt, now);
            }
            RunEvent::TextDelta { output_attempt, delta } | RunEvent::ToolCallDelta { output_attempt, delta, .. } => {
                self.attempt(output_attempt, now).rows.push(&delta);
            }
            RunEvent::TextEnd { output_attempt } | RunEvent::ToolCallEnd { output_attempt, .. } => {
                let attempt = self.attempt(output_attempt, now);
                attempt.rows.finish();
                if attempt.fate == Fate::Streaming {
                    attempt.fate = Fate::Judging;
                }
            }
            RunEvent::ThinkingDelta { output_attempt, delta } => {
                self.attempt(output_attempt, now).thinking.push_str(&delta);
            }
            RunEvent::ToolCallStart { output_attempt, name, .. } => {
                self.rounds.tool(name);
                let attempt = self.attempt(output_attempt, now);
                attempt.fate = Fate::Streaming;
                self.status = Status::Running;
            }
            RunEvent::ThinkingEnd { .. } | RunEvent::ToolResult { .. } => {}
            RunEvent::TransportRetry { call, code, status, delay_ms } => {
                if let Some(round) = self.rounds.get(call) {
                    (round.failed, round.wait_ms) = (Some(code), Some(delay_ms));
                }
                if let Some(last) = self.attempts.last_mut() {
                    last.close(Fate::Failed(code), now);
                }
                self.status = Status::Waiting { until: now + delay_ms, code, status };
            }
            RunEvent::StructuredOutputRetry { attempt, next_attempt, code, issues, omitted, position, hint } => {
                return self.retried(attempt, next_attempt, code, (issues, omitted), position.map(|p| (p, hint)), now);
            }
            RunEvent::StructuredOutputEnd { attempt, mode, value } => {
                self.mode = Some(mode);
                self.attempt(attempt, now).close(Fate::Accepted, now);
                return Outcomes::Value(value);
            }
            RunEvent::Usage { call, output_attempt, usage } => self.used(call, output_attempt, usage, now),
            RunEvent::Done { message, .. } => return self.done(message, now),
            RunEvent::Error(error) => return self.failed(error, now),
        }
        Outcomes::Nothing
    }

    fn used(&mut self, call: u32, attempt: u32, usage: Usage, now: u64) {
        let all = match self.rounds.get(call) {
            Some(round) => {
                round.usage = usage;
                self.rounds.usage(attempt)
            }
            None => usage,
        };
        self.attempt(attempt, now).usage = all;
    }

    fn retried(
        &mut self,
        attempt: u32,
        next: u32,
        code: ErrorCode,
        issues: (Vec<Issue>, usize),
        slip: Option<(Position, Option<Hint>)>,
        now: u64,
    ) -> Outcomes {
        let rejected = self.attempt(attempt, now);
        (rejected.issues, rejected.omitted) = issues;
        rejected.slip = slip;
        rejected.close(Fate::Rejected(code), now);
        let at = self.attempts.iter().position(|a| a.number == attempt);
        if let Some(at) = at {
            self.judge(at);
        }
        self.attempt(next, now);
        self.pinned = None;
        Outcomes::Retried { attempt, code }
    }

    fn done(&mut self, message: String, now: u64) -> Outcomes {
        self.status = Status::Done;
        self.ended = Some(now);
        self.rounds.end_last(now);
        if let Some(last) = self.attempts.last_mut() {
            last.close(Fate::Text, now);
        }
        if self.structured { Outcomes::Nothing } else { Outcomes::Text(message) }
    }

    fn failed(&mut self, error: Box<RunError>, now: u64) -> Outcomes {
        let judged = is_verdict(error.code);
        self.rounds.end_last(now);
        if let Some(last) = self.attempts.last_mut() {
            last.close(if judged { Fate::Rejected(error.code) } else { Fate::Failed(error.code) }, now);
            if judged {
                last.issues.clone_from(&error.issues);
                last.omitted = error.omitted;
                last.slip = error.position.map(|p| (p, error.hint));
            }
        }
        if judged && !self.attempts.is_empty() {
            self.judge(self.attempts.len() - 1);
        }
        self.status = Status::Failed(error);
        self.ended = Some(now);
        Outcomes::Failed
    }

    /// The feed ended without an end of the run: the task died.
    pub fn lost(&mut self, now: u64) -> bool {
        let running = self.running();
        if running {
            self.ended = Some(now);
            self.status = Status::Done;
            if let Some(last) = self.attempts.last_mut() {
                last.close(Fate::Failed(ErrorCode::Provider), now);
            }
        }
        running
    }

    fn inspect(&mut self, inspect: Inspect, now: u64) {
        match inspect {
            Inspect::Planned(plan) => self.plan = Some(plan),
            Inspect::Priced { input, output } => self.prices = Some(Prices { input, output }),
            Inspect::Called { call, attempt } => self.rounds.begin(call, attempt, now),
            Inspect::Request { call, url, headers, body, curl } => {
                self.sent.insert(call, Sent { url, headers, body, curl, status: None, first_byte_ms: None });
            }
            Inspect::Response { call, status, first_byte_ms, headers } => {
                if let Some(sent) = self.sent.get_mut(&call) {
                    (sent.status, sent.first_byte_ms) = (Some(status), Some(first_byte_ms));
                }
                if let Some(round) = self.rounds.get(call) {
                    (round.head, round.headers) = (Some((status, first_byte_ms)), headers);
                }
            }
            Inspect::FirstRead { call, after_ms } => {
                if let Some(round) = self.rounds.get(call) {
                    round.first_ms = Some(after_ms);
                }
            }
            Inspect::Read(read) => {
                let submit = self.plan.as_ref().and_then(|plan| plan.submit_tool_name);
                self.raw.take(&read, submit);
            }
            Inspect::ReadsCut(cut) => self.raw.cut = Some(cut),
            Inspect::Failed { call, failure, duration_ms } => {
                self.rounds.end(call, duration_ms);
                if let Some(round) = self.rounds.get(call) {
                    round.failed = Some(failure.code);
                }
                self.failures.push((call, failure));
            }
            Inspect::Attempt { record, duration_ms } => {
                self.rounds.end(record.call, duration_ms);
                self.keep(record);
            }
            Inspect::Progress(progress) => self.preparing = Some(progress),
        }
    }

    fn keep(&mut self, record: AttemptRecord) {
        let started = self.attempts.last().map_or(self.started, |a| a.started);
        let attempt = self.attempt(record.attempt, started);
        attempt.call = record.call;
        match &record.outcome {
            Outcome::NotJson(error) => attempt.slip = Some((error.position, Some(error.hint))),
            Outcome::Invalid(issues) => {
                attempt.issues.clone_from(&issues.list);
                attempt.omitted = issues.omitted;
            }
            Outcome::Failed { failure: Some(failure), .. } => {
                let failure = (record.call, failure.clone());
                if !self.failures.contains(&failure) {
                    self.failures.push(failure);
                }
            }
            Outcome::Accepted | Outcome::Plain | Outcome::Failed { failure: None, .. } => {}
        }
        let number = record.attempt;
        self.attempt(number, started).record = Some(record);
    }
}

/// Did the judge speak, or did the call fail?
fn is_verdict(code: ErrorCode) -> bool {
    match code {
        ErrorCode::InvalidJson
        | ErrorCode::ValidationFailed
        | ErrorCode::MissingSubmission
        | ErrorCode::MixedSubmission => true,
        ErrorCode::InvalidSchema
        | ErrorCode::Unsupported
        | ErrorCode::Refusal
        | ErrorCode::Incomplete
        | ErrorCode::Auth
        | ErrorCode::RateLimited
        | ErrorCode::Transport
        | ErrorCode::Provider
        | ErrorCode::Timeout
        | ErrorCode::Cancelled
        | ErrorCode::ReplayMismatch
        | ErrorCode::Config => false,
    }
}
