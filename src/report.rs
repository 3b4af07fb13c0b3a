//! One run as a document for other people: what was asked, every attempt with its issues in place, how it ended.
//!
//! Pure: the caller hands over what the run told. Holds no request, header, address or key, and no provider's body: a
//! failed call is told in our own words. What a person or a model wrote is shown, never obeyed: each form escapes it, and
//! no control, bidirectional or hidden character is left as one.

mod html;
mod json;
mod markdown;
mod marks;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::dialect::{Attachment, Message};
use crate::event::{CallFailure, ErrorCode, Mode, RunError, RunEvent, Usage};
use crate::issue::Issue;
use crate::json::{Hint, Position, Value};
use crate::machine::{AttemptRecord, Outcome};
use crate::plan::Plan;
use crate::text;

/// Bytes of one text that Markdown and HTML show; JSON holds all of it.
const MAX_SHOWN: usize = 2 * 1024 * 1024;

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Json,
    Html,
}

/// The end of a file's name that no form has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a report ends in .md, .json or .html")]
pub struct UnknownFormat;

impl Format {
    /// The form a file's name asks for.
    ///
    /// # Errors
    /// The name ends in none of them.
    pub fn of(path: &Path) -> Result<Self, UnknownFormat> {
        let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("md" | "markdown") => Ok(Self::Markdown),
            Some("json") => Ok(Self::Json),
            Some("html" | "htm") => Ok(Self::Html),
            Some(_) | None => Err(UnknownFormat),
        }
    }
}

/// What a run was started with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// `PROVIDER/MODEL`.
    pub model: String,
    pub system: Option<String>,
    pub prompt: String,
    pub attachments: Vec<Attached>,
    pub schema: Option<Schema>,
}

/// A file that went along: its name and size, not its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attached {
    pub name: String,
    pub media_type: String,
    pub bytes: usize,
}

/// The schema of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Schema {
    pub hash: String,
    /// As the user wrote it.
    #[serde(serialize_with = "text_of")]
    pub text: Arc<str>,
}

/// One attempt that ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    pub attempt: u32,
    /// Index of the provider call that made it.
    pub call: u32,
    /// `accepted`, `text`, or the code of what was wrong.
    pub outcome: &'static str,
    /// Why, in our words; empty for an accepted one.
    pub why: String,
    pub duration_ms: Option<u64>,
    pub usage: Usage,
    /// What the model wrote as its answer.
    pub candidate: String,
    /// Reasoning text it showed.
    pub thinking: String,
    pub issues: Vec<Issue>,
    /// Issues left out of the list.
    pub omitted: usize,
    /// Where the text stops being JSON, and what slip it is.
    pub position: Option<Position>,
    pub hint: Option<Hint>,
    /// What was asked of the model after it.
    pub repair: Vec<String>,
    /// Pointers of issues begin below this one: the submit tool wraps what is judged.
    #[serde(skip)]
    base: &'static str,
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum End {
    /// A valid value.
    Value {
        #[serde(serialize_with = "value_of")]
        value: Arc<Value>,
    },
    /// The text of a run without a schema.
    Text {
        text: String,
    },
    Failed {
        code: &'static str,
        message: String,
        facts: Vec<(String, String)>,
    },
    /// It was not over when the report was made.
    Open,
}

/// A change that the provider's copy of the schema got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    pub path: String,
    pub what: String,
}

/// One run, ready to be written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Version of this shape.
    #[serde(rename = "formwork_report")]
    shape: u32,
    /// The program that wrote it.
    program: &'static str,
    pub run: String,
    /// When the report was made, as people read it.
    pub made: String,
    /// The built-in scripted provider answered.
    pub simulated: bool,
    pub mode: Option<&'static str>,
    /// How far the provider's copy of the schema was changed.
    pub level: Option<&'static str>,
    pub changes: Vec<Changed>,
    pub duration_ms: Option<u64>,
    pub asked: Asked,
    pub attempts: Vec<Attempt>,
    pub end: End,
}

impl Asked {
    /// What goes to a model, as a report tells it.
    #[must_use]
    pub fn new(model: String, system: Option<&str>, prompt: &str, attachments: &[Attachment]) -> Self {
        let attached = |file: &Attachment| Attached {
            name: file.name.clone(),
            media_type: file.media_type.clone(),
            bytes: file.bytes.len(),
        };
        Self {
            model,
            system: system.map(str::to_owned),
            prompt: prompt.to_owned(),
            attachments: attachments.iter().map(attached).collect(),
            schema: None,
        }
    }

    /// With a schema: its hash and its text.
    #[must_use]
    pub fn with_schema(self, hash: &str, text: Arc<str>) -> Self {
        Self { schema: Some(Schema { hash: hash.to_owned(), text }), ..self }
    }
}

impl Attempt {
    fn new(record: &AttemptRecord, duration_ms: Option<u64>, base: &'static str) -> Self {
        let mut attempt = Self {
            attempt: record.attempt,
            call: record.call,
            outcome: "accepted",
            why: String::new(),
            duration_ms,
            usage: record.usage,
            candidate: record.text.clone(),
            thinking: record.thinking.clone(),
            issues: Vec::new(),
            omitted: 0,
            position: None,
            hint: None,
            repair: record.repair.iter().filter_map(asked_of_model).collect(),
            base,
        };
        match &record.outcome {
            Outcome::Accepted => {}
            Outcome::Plain => attempt.outcome = "text",
            Outcome::NotJson(error) => {
                attempt.outcome = ErrorCode::InvalidJson.code();
                attempt.why.clone_from(&error.message);
                (attempt.position, attempt.hint) = (Some(error.position), Some(error.hint));
            }
            Outcome::Invalid(issues) => {
                attempt.outcome = ErrorCode::ValidationFailed.code();
                attempt.issues.clone_from(&issues.list);
                attempt.omitted = issues.omitted;
            }
            Outcome::Failed { code, failure } => {
                attempt.outcome = code.code();
                attempt.why = failure.as_ref().map(told).unwrap_or_default();
            }
        }
        attempt
    }
}

/// What a call's failure is in public: never the provider's own text.
fn told(failure: &CallFailure) -> String {
    let status = failure.status.map(|status| format!("status {status}"));
    let more: Vec<String> = [status, failure.provider_code.clone()].into_iter().flatten().collect();
    match more.as_slice() {
        [] => failure.message.clone(),
        more => format!("{} ({})", failure.message, more.join(", ")),
    }
}

fn asked_of_model(message: &Message) -> Option<String> {
    match message {
        Message::System { text } | Message::User { text, .. } => Some(text.clone()),
        Message::ToolResult { content, .. } => Some(content.clone()),
        Message::Assistant { .. } => None,
    }
}

impl Report {
    /// A run of which nothing came yet. `made` is the moment, as people read it.
    #[must_use]
    pub fn new(asked: Asked, made: String) -> Self {
        Self {
            shape: 1,
            program: concat!("formwork ", env!("CARGO_PKG_VERSION")),
            run: String::new(),
            made,
            simulated: false,
            mode: None,
            level: None,
            changes: Vec::new(),
            duration_ms: None,
            asked,
            attempts: Vec::new(),
            end: End::Open,
        }
    }

    /// The route it took, and what the provider's copy of the schema became.
    pub fn planned(&mut self, plan: &Plan) {
        self.mode = Some(plan.mode.code());
        self.level = Some(plan.level.name());
        let changed =
            |change: &crate::schema::project::Change| Changed { path: change.path.clone(), what: change.what.clone() };
        self.changes = plan.changes.iter().map(changed).collect();
    }

    /// What an event says of the run as a whole; attempts come by [`Report::attempt`].
    pub fn event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStart { run, mode, simulated, .. } => {
                self.run.clone_from(run);
                (self.mode, self.simulated) = (mode.map(Mode::code), *simulated);
            }
            RunEvent::StructuredOutputEnd { value, .. } => self.end = End::Value { value: Arc::new(value.clone()) },
            RunEvent::Done { message, .. } => {
                if self.end == End::Open {
                    self.end = End::Text { text: message.clone() };
                }
            }
            RunEvent::Error(error) => self.failed(error),
            RunEvent::TextStart { .. }
            | RunEvent::TextDelta { .. }
            | RunEvent::TextEnd { .. }
            | RunEvent::ThinkingStart { .. }
            | RunEvent::ThinkingDelta { .. }
            | RunEvent::ThinkingEnd { .. }
            | RunEvent::ToolCallStart { .. }
            | RunEvent::ToolCallDelta { .. }
            | RunEvent::ToolCallEnd { .. }
            | RunEvent::ToolResult { .. }
            | RunEvent::TransportRetry { .. }
            | RunEvent::StructuredOutputRetry { .. }
            | RunEvent::Usage { .. } => {}
        }
    }

    /// An attempt ended. `plan` is the run's, when it has one.
    pub fn attempt(&mut self, record: &AttemptRecord, duration_ms: Option<u64>, plan: Option<&Plan>) {
        let wrapped = plan.is_some_and(|plan| plan.wrapped && plan.mode == Mode::Tool);
        self.attempts.push(Attempt::new(record, duration_ms, if wrapped { "/value" } else { "" }));
    }

    /// The run failed.
    pub fn failed(&mut self, error: &RunError) {
        self.end = End::Failed { code: error.code.code(), message: error.message.clone(), facts: error.facts.clone() };
    }

    /// Tokens of all attempts.
    #[must_use]
    fn tokens(&self) -> (Option<u64>, Option<u64>) {
        let sum = |of: fn(&Usage) -> Option<u64>| {
            let counted = self.attempts.iter().filter_map(|attempt| of(&attempt.usage));
            counted.fold(None, |all: Option<u64>, one| Some(all.unwrap_or(0).saturating_add(one)))
        };
        (sum(|usage| usage.input_tokens), sum(|usage| usage.output_tokens))
    }

    /// The document.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Markdown => markdown::render(self),
            Format::Json => json::render(self),
            Format::Html => html::render(self),
        }
    }

    /// Label and text of what stands at the top.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let asked = &self.asked;
        let simulated = if self.simulated { " (simulated: no model was asked)" } else { "" };
        let mut out = vec![("Model", format!("{}{simulated}", asked.model)), ("Outcome", self.end.words())];
        if let Some(mode) = self.mode {
            let level = match self.level {
                Some("narrow") => ", the provider's copy narrowed",
                Some("relax") => ", the provider's copy relaxed",
                Some(_) | None => "",
            };
            out.push(("Route", format!("{mode}{level}")));
        }
        out.push(("Attempts", self.attempts.len().to_string()));
        out.extend(self.duration_ms.map(|ms| ("Duration", seconds(ms))));
        if let (Some(input), Some(output)) = self.tokens() {
            out.push(("Tokens", format!("{input} in, {output} out")));
        }
        out.extend(asked.schema.as_ref().map(|schema| ("Schema hash", schema.hash.clone())));
        out.extend((!self.run.is_empty()).then(|| ("Run", self.run.clone())));
        out.push(("Made", format!("{} by {}", self.made, self.program)));
        out
    }
}

impl End {
    /// In one line.
    fn words(&self) -> String {
        match self {
            Self::Value { .. } => "accepted: the value is valid".to_owned(),
            Self::Text { .. } => "done: text without a schema".to_owned(),
            Self::Failed { code, message, .. } => format!("{code}: {message}"),
            Self::Open => "not over when this report was made".to_owned(),
        }
    }

    /// What stands before it: state is never told by colour alone.
    const fn sign(&self) -> &'static str {
        match self {
            Self::Value { .. } | Self::Text { .. } => "✓",
            Self::Failed { .. } => "✗",
            Self::Open => "…",
        }
    }
}

impl Attempt {
    fn is_good(&self) -> bool {
        matches!(self.outcome, "accepted" | "text")
    }

    const fn sign(&self) -> &'static str {
        match self.outcome.as_bytes() {
            b"accepted" | b"text" => "✓",
            _ => "✗",
        }
    }

    /// `1: validation_failed, 2 issues, 1.20 s`.
    fn title(&self) -> String {
        let issues = match self.issues.len() + self.omitted {
            0 => String::new(),
            1 => ", 1 issue".to_owned(),
            many => format!(", {many} issues"),
        };
        let spent = self.duration_ms.map_or(String::new(), |ms| format!(", {}", seconds(ms)));
        format!("{}: {}{issues}{spent}", self.attempt, self.outcome)
    }

    /// Where the text stops being JSON, in words.
    fn slip(&self) -> Option<String> {
        let position = self.position?;
        Some(format!("line {}, column {}: {}", position.line, position.column, self.why))
    }
}

fn text_of<S: serde::Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    text.serialize(to)
}

fn value_of<S: serde::Serializer>(value: &Arc<Value>, to: S) -> Result<S::Ok, S::Error> {
    value.serialize(to)
}

fn seconds(ms: u64) -> String {
    format!("{}.{:02} s", ms / 1000, ms % 1000 / 10)
}

/// The beginning of a text that is shown, and how many bytes are not.
fn shown(text: &str) -> (&str, usize) {
    if text.len() <= MAX_SHOWN {
        return (text, 0);
    }
    let end = text.floor_char_boundary(MAX_SHOWN);
    let kept = text.get(..end).unwrap_or_default();
    (kept, text.len() - kept.len())
}

/// What is said below a text that was cut.
fn left_out(bytes: usize) -> String {
    format!("{} more are left out here; a report in JSON holds them", text::bytes(bytes as u64))
}

/// A text of several lines without anything that a reader's program would obey.
fn safe_lines(text: &str) -> Cow<'_, str> {
    text::safe_keep_lines(text)
}

#[cfg(test)]
mod tests;
