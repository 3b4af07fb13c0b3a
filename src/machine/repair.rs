//! Why a candidate was rejected, and the messages that ask for a better one.
//!
//! The request holds the failure code and whole, bounded issues; never schema text or a copy of the candidate beyond
//! the model's own message.

use serde::Serialize;

use super::Outcome;
use super::report::Ending;
use super::round::Round;
use crate::dialect::Message;
use crate::event::{ErrorCode, Mode, RunEvent};
use crate::issue::{Issue, Issues};
use crate::json::{Hint, ParseError};
use crate::plan::Plan;

/// Bound of the whole repair request in characters; issues that do not fit whole are counted.
const MAX_CHARACTERS: usize = 4_000;
/// Room kept for the words around the issues.
const FRAME_CHARACTERS: usize = 700;
/// A pointer of a repeated key longer than this is left out: it is made of the candidate's own keys.
const MAX_POINTER: usize = 512;

/// Why a candidate was rejected. Only these can be repaired, and not all of them ([`Rejection::repairable`]).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rejection {
    NotJson(ParseError),
    Invalid(Issues),
    MissingSubmission,
    MixedSubmission,
}

impl Rejection {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotJson(_) => ErrorCode::InvalidJson,
            Self::Invalid(_) => ErrorCode::ValidationFailed,
            Self::MissingSubmission => ErrorCode::MissingSubmission,
            Self::MixedSubmission => ErrorCode::MixedSubmission,
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::NotJson(error) => Outcome::NotJson(error.clone()),
            Self::Invalid(issues) => Outcome::Invalid(issues.clone()),
            Self::MissingSubmission | Self::MixedSubmission => Outcome::Failed { code: self.code(), failure: None },
        }
    }

    /// A better answer may be asked for. Not when judging was given up: nothing says that the answer is wrong, and
    /// another one of its kind would cost as much.
    pub(super) fn repairable(&self) -> bool {
        match self {
            Self::Invalid(issues) => !issues.list.iter().any(|issue| issue.code == "too_expensive"),
            Self::NotJson(_) | Self::MissingSubmission | Self::MixedSubmission => true,
        }
    }

    fn parse_error(&self) -> Option<&ParseError> {
        match self {
            Self::NotJson(error) => Some(error),
            Self::Invalid(_) | Self::MissingSubmission | Self::MixedSubmission => None,
        }
    }

    fn issues(&self) -> Issues {
        match self {
            Self::Invalid(issues) => issues.clone(),
            Self::NotJson(_) | Self::MissingSubmission | Self::MixedSubmission => Issues::default(),
        }
    }

    /// The event that clears attempt `attempt` and announces the next.
    pub(super) fn event(&self, attempt: u32) -> RunEvent {
        let issues = self.issues();
        RunEvent::StructuredOutputRetry {
            attempt,
            next_attempt: attempt.saturating_add(1),
            code: self.code(),
            issues: issues.list,
            omitted: issues.omitted,
            position: self.parse_error().map(|error| error.position),
            hint: self.parse_error().map(|error| error.hint),
        }
    }

    /// How the run ends when nothing better may be asked for.
    pub(super) fn ending(&self) -> Ending {
        let message = match self {
            Self::NotJson(error) => format!("the answer is not one JSON document: {error}"),
            Self::Invalid(_) if !self.repairable() => {
                "the answer could not be judged by the schema within the bounds of work and memory".to_owned()
            }
            Self::Invalid(issues) => match issues.list.len().saturating_add(issues.omitted) {
                1 => "the answer breaks the schema in 1 place".to_owned(),
                count => format!("the answer breaks the schema in {count} places"),
            },
            Self::MissingSubmission => "the model answered without submitting a value".to_owned(),
            Self::MixedSubmission => "the model submitted a value beside other calls; nothing was executed".to_owned(),
        };
        let mut ending = Ending::new(self.code(), message);
        ending.issues = self.issues();
        ending.position = self.parse_error().map(|error| error.position);
        ending.hint = self.parse_error().map(|error| error.hint);
        ending
    }
}

#[derive(Serialize)]
struct Fault<'a> {
    hint: Hint,
    offset: usize,
    line: usize,
    column: usize,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

#[derive(Serialize)]
struct Shown<'a> {
    path: &'a str,
    schema_path: &'a str,
    message: &'a str,
    keyword: &'a str,
}

/// The messages that ask for the next attempt: the rejected message, a synthetic result for each of its calls (the
/// wire demands one), and the request.
pub(super) fn messages(plan: &Plan, round: &Round, rejection: &Rejection) -> Vec<Message> {
    let results = round.calls().into_iter().map(|call| Message::ToolResult {
        call_id: call.id,
        name: call.name,
        content: "Not accepted and not executed: see the next message.".to_owned(),
        is_error: true,
    });
    let mut messages = vec![round.message()];
    messages.extend(results);
    messages.push(Message::user(request(plan, rejection)));
    messages
}

fn request(plan: &Plan, rejection: &Rejection) -> String {
    let what = match rejection {
        Rejection::NotJson(_) => "it is not one complete JSON document",
        Rejection::Invalid(_) => "it breaks the JSON Schema you were given",
        Rejection::MissingSubmission => "it did not call the submit tool",
        Rejection::MixedSubmission => "the submit call was not the only call of the message",
    };
    let mut text = format!("Your last answer was rejected with the code {}: {what}.", rejection.code().code());
    match rejection {
        Rejection::NotJson(error) => push_fault(&mut text, error),
        Rejection::Invalid(issues) => push_issues(&mut text, issues, plan.wrapped),
        Rejection::MissingSubmission | Rejection::MixedSubmission => {}
    }
    text.push('\n');
    match (plan.mode, plan.submit_tool_name) {
        (Mode::Tool, Some(name)) => {
            let again = [
                "Call the tool ",
                name,
                " again, once and alone, with the whole corrected answer as its ",
                "arguments. Do not answer in text.",
            ];
            text.extend(again);
        }
        (Mode::Tool | Mode::Native | Mode::Prompt, _) => {
            text.push_str("Answer again with only the whole corrected JSON value: no other text, no code fence.");
        }
    }
    text
}

fn push_fault(text: &mut String, error: &ParseError) {
    let fault = Fault {
        hint: error.hint,
        offset: error.position.offset,
        line: error.position.line,
        column: error.position.column,
        message: &error.message,
        path: error.path.as_deref().filter(|path| path.chars().count() <= MAX_POINTER),
    };
    if let Ok(fault) = serde_json::to_string(&fault) {
        text.push_str("\nFault: ");
        text.push_str(&fault);
    }
}

/// Whole issues only, in order, while they fit; the rest is counted.
fn push_issues(text: &mut String, issues: &Issues, wrapped: bool) {
    let (list, left_out) = whole(&issues.list, MAX_CHARACTERS - FRAME_CHARACTERS);
    text.push_str("\nIssues: ");
    text.push_str(&list);
    let omitted = issues.omitted.saturating_add(left_out);
    if omitted > 0 {
        text.extend(["\n", &omitted.to_string(), " more issues are not listed."]);
    }
    if wrapped {
        text.push_str("\nThe paths begin inside the argument \"value\".");
    }
}

fn whole(issues: &[Issue], room: usize) -> (String, usize) {
    let mut list = String::from("[");
    let (mut used, mut left_out) = (0, 0);
    for issue in issues {
        let Issue { code: _, path, schema_path, message, keyword } = issue;
        let Ok(one) = serde_json::to_string(&Shown { path, schema_path, message, keyword }) else { continue };
        let length = one.chars().count() + 1;
        if used + length > room {
            left_out += 1;
            continue;
        }
        if used > 0 {
            list.push(',');
        }
        used += length;
        list.push_str(&one);
    }
    list.push(']');
    (list, left_out)
}
