//! How a command ends: exit codes (SURFACES §1), and the one shape errors have on standard error.

use std::io;
use std::process::ExitCode;

use crate::event::{ErrorCode, RunError};
use crate::issue::Issue;
use crate::schema::SchemaError;
use crate::text::safe;

/// Exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Done,
    Failed,
    Usage,
    Unsupported,
    Rejected,
    Mismatch,
    Deadline,
    Interrupted,
    Terminated,
}

impl Exit {
    /// The number the shell sees.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unsupported => 3,
            Self::Rejected => 4,
            Self::Mismatch => 5,
            Self::Deadline => 124,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

/// What stops a command before its natural end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The reader of standard output went away: nothing to say.
    Closed,
    Failure(Box<Failure>),
}

/// How a command ended.
pub(super) type Outcome = Result<Exit, Stop>;

/// An error for a person: `error[CODE]: message`, then indented facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: &'static str,
    pub(super) exit: Exit,
    pub(super) message: String,
    /// `(label, text)`, in the order they are shown.
    pub(super) facts: Vec<(String, String)>,
}

impl Failure {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.code(), exit: exit(code), message: message.into(), facts: Vec::new() }
    }

    /// A usage or configuration error.
    pub(super) fn config(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Config, message)
    }

    #[must_use]
    pub(super) fn fact(mut self, label: &str, text: impl Into<String>) -> Self {
        self.facts.push((label.to_owned(), text.into()));
        self
    }

    #[must_use]
    pub(super) fn exits(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// The text for standard error; every line ends.
    pub(super) fn text(&self) -> String {
        let mut text = format!("error[{}]: {}\n", self.code, safe(&self.message));
        for (label, fact) in &self.facts {
            text.push_str("  ");
            text.push_str(label);
            text.push_str(": ");
            // A fact is one line: a text from outside must not forge another.
            text.push_str(&safe(fact));
            text.push('\n');
        }
        text
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure))
    }
}

/// Only writes to standard output come this way; other I/O is reported with its file's name.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        let mut failure = Failure::config(format!("cannot write to standard output: {error}")).exits(Exit::Failed);
        // No mistake of the command or the configuration, and no event has it.
        failure.code = "output";
        failure.into()
    }
}

/// The exit status of a public error code.
pub(super) fn exit(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::InvalidSchema | ErrorCode::Config => Exit::Usage,
        ErrorCode::Unsupported => Exit::Unsupported,
        ErrorCode::InvalidJson
        | ErrorCode::ValidationFailed
        | ErrorCode::MissingSubmission
        | ErrorCode::MixedSubmission
        | ErrorCode::Refusal
        | ErrorCode::Incomplete => Exit::Rejected,
        ErrorCode::Auth | ErrorCode::RateLimited | ErrorCode::Transport | ErrorCode::Provider => Exit::Failed,
        ErrorCode::Timeout => Exit::Deadline,
        ErrorCode::Cancelled => Exit::Interrupted,
        ErrorCode::ReplayMismatch => Exit::Mismatch,
    }
}

/// The failure a run's own error becomes.
pub(super) fn of_run(error: &RunError) -> Failure {
    let mut failure = Failure::new(error.code, &error.message);
    if !error.provider.is_empty() {
        failure = failure.fact("provider", &error.provider).fact("model", &error.model);
    }
    if error.attempts > 0 {
        failure = failure.fact("attempts", error.attempts.to_string());
    }
    if let Some(position) = error.position {
        failure = failure.fact("at", format!("line {}, column {}", position.line, position.column));
    }
    if let Some(hint) = error.hint {
        failure = failure.fact("hint", hint.code());
    }
    with_issues(failure, &error.issues, error.omitted).also(&error.facts)
}

/// Appends each issue as a fact.
pub(super) fn with_issues(mut failure: Failure, issues: &[Issue], omitted: usize) -> Failure {
    for issue in issues {
        failure = failure.fact("issue", format!("{:?} {}", issue.path, issue.message));
    }
    if omitted > 0 {
        failure = failure.fact("issues left out", omitted.to_string());
    }
    failure
}

/// The failure an illegal schema is. `origin` names the file or flag.
pub(super) fn of_schema(origin: &str, errors: &[SchemaError]) -> Failure {
    let Some(first) = errors.first() else {
        return Failure::new(ErrorCode::InvalidSchema, "the schema was refused").fact("schema", origin);
    };
    let mut failure = Failure::new(ErrorCode::InvalidSchema, &first.message).fact("schema", place(origin, first));
    failure = failure.fact("path", format!("{:?}", first.path));
    for error in errors.iter().skip(1) {
        failure = failure.fact("also", format!("{:?} {} ({})", error.path, error.message, place(origin, error)));
    }
    failure
}

fn place(origin: &str, error: &SchemaError) -> String {
    error.position.map_or_else(|| origin.to_owned(), |at| format!("{origin}:{}:{}", at.line, at.column))
}

impl Failure {
    fn also(mut self, facts: &[(String, String)]) -> Self {
        self.facts.extend_from_slice(facts);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_the_exit_status_of_the_table() {
        let table = [
            (ErrorCode::InvalidSchema, 2),
            (ErrorCode::Config, 2),
            (ErrorCode::Unsupported, 3),
            (ErrorCode::InvalidJson, 4),
            (ErrorCode::ValidationFailed, 4),
            (ErrorCode::MissingSubmission, 4),
            (ErrorCode::MixedSubmission, 4),
            (ErrorCode::Refusal, 4),
            (ErrorCode::Incomplete, 4),
            (ErrorCode::Auth, 1),
            (ErrorCode::RateLimited, 1),
            (ErrorCode::Transport, 1),
            (ErrorCode::Provider, 1),
            (ErrorCode::ReplayMismatch, 5),
            (ErrorCode::Timeout, 124),
            (ErrorCode::Cancelled, 130),
        ];
        for (code, number) in table {
            assert_eq!(exit(code).number(), number, "{code:?}");
        }
    }

    #[test]
    fn names_are_those_of_the_events() {
        for code in [ErrorCode::InvalidSchema, ErrorCode::MixedSubmission, ErrorCode::RateLimited, ErrorCode::Config] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.code());
        }
    }

    #[test]
    fn an_error_is_one_line_and_indented_facts() {
        let failure = Failure::config("no model").fact("next", "-m sim/sample");
        assert_eq!(failure.text(), "error[config]: no model\n  next: -m sim/sample\n");
    }

    #[test]
    fn a_closed_reader_is_no_error() {
        assert!(matches!(Stop::from(io::Error::from(io::ErrorKind::BrokenPipe)), Stop::Closed));
        assert!(matches!(Stop::from(io::Error::from(io::ErrorKind::StorageFull)), Stop::Failure(_)));
    }
}
