//! What a one-shot run shows while it works: the value alone, the text as it streams, or every event as NDJSON.

use std::io;

use super::failure::{self, Exit, Failure, Outcome};
use super::output;
use super::status::Status;
use crate::event::{ErrorCode, RunError, RunEvent};
use crate::feed::{Inspect, Item};
use crate::json::canonical;
use crate::plan::Plan;
use crate::schema::project::Level;
use crate::text;

/// What goes to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The validated value, canonical, one line.
    Value,
    /// The text as it comes.
    Text,
    /// Every event, one a line.
    Events,
}

/// Who reads standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A screen: nothing that could drive it goes there.
    Terminal,
    /// A file or a program: every byte as it came.
    Program,
}

/// Follows one run.
pub(super) struct View {
    form: Form,
    reader: Reader,
    status: Status,
    /// Text was written and its last byte was no line feed.
    open_line: bool,
    wrote: bool,
    /// An answer that was shown is about to begin again.
    restarted: bool,
    /// Why the last call failed, in our words.
    why: String,
    end: Option<End>,
}

enum End {
    Done,
    Error(Box<RunError>),
}

impl View {
    pub(super) fn new(form: Form) -> Self {
        let reader = if output::stdout_is_terminal() { Reader::Terminal } else { Reader::Program };
        Self {
            form,
            reader,
            status: Status::new(output::stderr_is_terminal()),
            open_line: false,
            wrote: false,
            restarted: false,
            why: String::new(),
            end: None,
        }
    }

    /// Is a status line to be kept moving?
    pub(super) fn ticks(&self) -> bool {
        self.status.is_enabled()
    }

    pub(super) fn tick(&mut self) {
        self.status.tick();
    }

    /// Takes a batch; standard output is flushed once at its end.
    pub(super) fn take(&mut self, items: Vec<Item>) -> io::Result<()> {
        let mut out = Vec::new();
        for item in items {
            match item {
                Item::Event(event) => self.event(event, &mut out)?,
                Item::Inspect(inspect) => self.inspect(&inspect),
            }
        }
        if out.is_empty() {
            return Ok(());
        }
        match (self.reader, self.form) {
            (Reader::Terminal, Form::Text) => self.status.retire(),
            // Whole lines: the moving one comes back below them.
            (Reader::Terminal, Form::Value | Form::Events) => self.status.clear(),
            (Reader::Program, _) => {}
        }
        output::result(&out)
    }

    /// The run is over: says why if it failed.
    pub(super) fn finish(mut self) -> Outcome {
        self.status.clear();
        if self.open_line {
            output::result(b"\n")?;
        }
        match self.end {
            Some(End::Done) => Ok(Exit::Done),
            Some(End::Error(error)) => Err(failure::of_run(&error).into()),
            None => Err(Failure::new(ErrorCode::Provider, "the run ended without a verdict").into()),
        }
    }

    fn event(&mut self, event: RunEvent, out: &mut Vec<u8>) -> io::Result<()> {
        if self.form == Form::Events {
            serde_json::to_writer(&mut *out, &event)?;
            out.push(b'\n');
        }
        match event {
            RunEvent::RunStart { model, simulated: true, .. } => {
                self.status.note(&format!("simulated by {model}"));
            }
            RunEvent::TextStart { output_attempt } => self.status.attempt = output_attempt,
            RunEvent::TextDelta { delta, .. } => self.delta(&delta, out),
            RunEvent::ToolCallDelta { delta, .. } => self.status.bytes += delta.len(),
            RunEvent::TransportRetry { code, status, delay_ms, .. } => self.transport_retry(code, status, delay_ms),
            RunEvent::StructuredOutputRetry { attempt, next_attempt, code, issues, omitted, .. } => {
                self.rejected(attempt, next_attempt, code, issues.len() + omitted);
            }
            RunEvent::StructuredOutputEnd { value, .. } if self.form == Form::Value => {
                out.extend_from_slice(canonical(&value).as_bytes());
                out.push(b'\n');
            }
            RunEvent::Usage { usage, .. } => self.status.tokens += usage.output_tokens.unwrap_or(0),
            RunEvent::Done { message, .. } => self.done(&message, out),
            RunEvent::Error(error) => self.end = Some(End::Error(error)),
            RunEvent::RunStart { .. }
            | RunEvent::TextEnd { .. }
            | RunEvent::ThinkingStart { .. }
            | RunEvent::ThinkingDelta { .. }
            | RunEvent::ThinkingEnd { .. }
            | RunEvent::ToolCallStart { .. }
            | RunEvent::ToolCallEnd { .. }
            | RunEvent::ToolResult { .. }
            | RunEvent::StructuredOutputEnd { .. } => {}
        }
        Ok(())
    }

    fn delta(&mut self, delta: &str, out: &mut Vec<u8>) {
        self.status.bytes += delta.len();
        if self.form == Form::Text {
            self.text(delta, out);
        }
    }

    fn text(&mut self, delta: &str, out: &mut Vec<u8>) {
        if delta.is_empty() {
            return;
        }
        if std::mem::take(&mut self.restarted) && self.open_line {
            out.push(b'\n');
        }
        match self.reader {
            Reader::Terminal => out.extend_from_slice(text::safe_keep_lines(delta).as_bytes()),
            Reader::Program => out.extend_from_slice(delta.as_bytes()),
        }
        self.wrote = true;
        self.open_line = !delta.ends_with('\n');
    }

    /// The text of a plain run was streamed already, unless the provider sent it in one piece at the end.
    fn done(&mut self, message: &str, out: &mut Vec<u8>) {
        if self.form == Form::Text && !self.wrote {
            self.text(message, out);
        }
        self.end = Some(End::Done);
    }

    fn transport_retry(&mut self, code: ErrorCode, status: Option<u16>, delay_ms: u64) {
        let status = status.map_or_else(String::new, |status| format!(", status {status}"));
        let cut = if self.wrote { "; the text above is cut and begins again" } else { "" };
        let name = code.code();
        self.break_line();
        let why = std::mem::take(&mut self.why);
        let why = if why.is_empty() { why } else { format!(": {why}") };
        self.status.note(&format!("the call failed ({name}{status}){why}; next one in {delay_ms} ms{cut}"));
        self.restarted = self.wrote;
        self.wrote = false;
    }

    /// A note must not stand in the middle of a line of the answer on the same screen.
    fn break_line(&mut self) {
        if self.open_line && self.reader == Reader::Terminal && output::stderr_is_terminal() {
            output::say("\n");
            self.open_line = false;
        }
    }

    fn rejected(&mut self, attempt: u32, next_attempt: u32, code: ErrorCode, count: usize) {
        let issues = match count {
            0 => String::new(),
            1 => ", 1 issue".to_owned(),
            _ => format!(", {count} issues"),
        };
        let name = code.code();
        self.status.note(&format!("attempt {attempt} was rejected ({name}{issues}), attempt {next_attempt} follows"));
        self.status.attempt = next_attempt;
    }

    fn inspect(&mut self, inspect: &Inspect) {
        match inspect {
            Inspect::Planned(plan) => self.planned(plan),
            Inspect::Failed { failure, .. } => self.why.clone_from(&failure.message),
            Inspect::Progress(progress) => self.status.preparing = Some(*progress),
            Inspect::Priced { .. }
            | Inspect::Called { .. }
            | Inspect::Request { .. }
            | Inspect::Response { .. }
            | Inspect::FirstRead { .. }
            | Inspect::Read(_)
            | Inspect::ReadsCut(_)
            | Inspect::Attempt { .. } => {}
        }
    }

    /// A schema that was changed for the provider is never silent (ENGINE §4).
    fn planned(&mut self, plan: &Plan) {
        let how = match plan.level {
            Level::Exact => return,
            Level::Narrow => "narrowed",
            Level::Relax => "relaxed",
        };
        self.status.note(&format!("the provider gets a {how} schema; the answer is judged by yours"));
        for change in &plan.changes {
            self.status.note(&format!("{:?} {}", change.path, change.what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(deltas: &[&str], reader: Reader) -> String {
        let mut view = View::new(Form::Text);
        view.reader = reader;
        let mut out = Vec::new();
        for delta in deltas {
            view.text(delta, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn to_a_pipe_the_text_is_as_it_came() {
        assert_eq!(text_of(&["\n\nHe", "llo\x1b[31m."], Reader::Program), "\n\nHello\x1b[31m.");
    }

    #[test]
    fn to_a_terminal_no_escape_comes_through() {
        let shown = text_of(&["a\x1b]0;title\x07b\n", "c\u{202e}d"], Reader::Terminal);
        assert!(!shown.contains('\x1b') && !shown.contains('\x07') && !shown.contains('\u{202e}'), "{shown:?}");
        assert!(shown.contains('\n'));
    }

    #[test]
    fn events_are_one_json_line_each() {
        let mut view = View::new(Form::Events);
        let mut out = Vec::new();
        let delta = RunEvent::TextDelta { output_attempt: 1, delta: "a\nb".to_owned() };
        view.event(delta, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "{\"type\":\"text_delta\",\"output_attempt\":1,\"delta\":\"a\\nb\"}\n");
    }
}
