//! A driver for the machine that answers from a script: no clock, no sockets, every effect written down.

use std::collections::VecDeque;

use formwork::dialect::{Call, Message, ToolCall, ToolChoice, ToolSpec};
use formwork::event::{CallFailure, ErrorCode, Mode, RawEvent, RunError, RunEvent, Terminal};
use formwork::issue::{Issue, Issues};
use formwork::json::{self, ParseLimits, Value};
use formwork::machine::{AttemptRecord, Budget, Effect, Input, Machine, Setup, Verdict};
use formwork::plan::{Plan, SUBMIT_TOOL};
use formwork::schema::project::Level;
use formwork::schema::{Fallback, ResponseFormat};

/// How one provider call goes.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Says(Vec<RawEvent>),
    Fails(CallFailure),
    /// Streams this, then nothing until the run is stopped from outside.
    Hangs(Vec<RawEvent>, Input),
}

/// A run to be driven.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) setup: Setup,
    pub(crate) schema: Value,
    /// The last one stands for all further calls.
    pub(crate) replies: Vec<Reply>,
    /// Names of ordinary tools that fail.
    pub(crate) failing: Vec<String>,
    /// Stops the run right after this many calls ended.
    pub(crate) stop_after: Option<(usize, Input)>,
}

/// Everything that came of it.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) events: Vec<RunEvent>,
    pub(crate) calls: Vec<Call>,
    pub(crate) executed: Vec<ToolCall>,
    pub(crate) records: Vec<AttemptRecord>,
}

impl Report {
    pub(crate) fn error(&self) -> Option<&RunError> {
        self.events.iter().find_map(|event| match event {
            RunEvent::Error(error) => Some(&**error),
            _ => None,
        })
    }

    pub(crate) fn done(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match event {
            RunEvent::Done { message, .. } => Some(message.as_str()),
            _ => None,
        })
    }

    pub(crate) fn accepted(&self) -> Option<(u32, Mode, &Value)> {
        self.events.iter().find_map(|event| match event {
            RunEvent::StructuredOutputEnd { attempt, mode, value } => Some((*attempt, *mode, value)),
            _ => None,
        })
    }

    /// The user message that asked for a repair, of the second attempt's call.
    pub(crate) fn repair_text(&self) -> &str {
        self.calls
            .iter()
            .find_map(|call| match call.messages.last() {
                Some(Message::User { text, .. }) if call.messages.len() > 1 && text.contains("rejected") => {
                    Some(text.as_str())
                }
                _ => None,
            })
            .unwrap()
    }
}

/// Strict parse, then validation by the library itself: an oracle beside the program's own judge.
fn judge(schema: &Value, text: &str, inside: bool) -> Verdict {
    let value = match json::parse(text, ParseLimits::default()) {
        Ok(value) => value,
        Err(error) => return Verdict::NotJson(error),
    };
    let value = if inside { value["value"].clone() } else { value };
    let validator = jsonschema::validator_for(schema).unwrap();
    let list: Vec<Issue> = validator
        .iter_errors(&value)
        .map(|error| Issue {
            code: "schema_violation",
            path: error.instance_path().to_string(),
            schema_path: error.schema_path().to_string(),
            message: format!("breaks {}", error.kind().keyword()),
            keyword: error.kind().keyword().to_owned(),
        })
        .collect();
    if list.is_empty() {
        Verdict::Valid { canonical: json::canonical(&value), value }
    } else {
        Verdict::Invalid(Issues { list, omitted: 0 })
    }
}

/// Drives one run to its end.
pub(crate) fn drive(script: &Script) -> Report {
    let mut machine = Machine::new(script.setup.clone());
    let mut report = Report::default();
    let mut inputs = VecDeque::from([Input::Start]);
    while let Some(input) = inputs.pop_front() {
        let mut effects = Vec::new();
        machine.step(input, &mut effects);
        for effect in effects {
            obey(script, effect, &mut report, &mut inputs);
        }
        assert!(report.calls.len() < 100, "a run without end");
    }
    assert!(machine.is_over(), "stuck: {:?}", report.events);
    report
}

fn obey(script: &Script, effect: Effect, report: &mut Report, inputs: &mut VecDeque<Input>) {
    match effect {
        Effect::Emit(event) => report.events.push(event),
        Effect::Call { index, call } => {
            assert_eq!(index as usize, report.calls.len());
            report.calls.push(*call);
            match script.replies.get(index as usize).or(script.replies.last()).cloned().unwrap() {
                Reply::Says(events) => inputs.push_back(Input::Raw(events)),
                Reply::Fails(failure) => inputs.push_back(Input::CallFailed(failure)),
                Reply::Hangs(events, stop) => inputs.extend([Input::Raw(events), stop]),
            }
            let stop = script.stop_after.iter().filter(|(calls, _)| *calls == report.calls.len());
            inputs.extend(stop.map(|(_, stop)| stop.clone()));
        }
        Effect::Judge { attempt, text, wrapped } => {
            inputs.push_back(Input::Judged { attempt, verdict: judge(&script.schema, &text, wrapped) });
        }
        Effect::RunTool { call } => {
            let is_error = script.failing.contains(&call.name);
            inputs.push_back(Input::ToolDone { call_id: call.id.clone(), content: "result".to_owned(), is_error });
            report.executed.push(call);
        }
        Effect::Wait { ticket, .. } => inputs.push_back(Input::Waited { ticket }),
        Effect::Keep(record) => report.records.push(*record),
        Effect::DropCall | Effect::End => {}
    }
}

pub(crate) fn plan(mode: Mode, schema: &Value, repairs: u8) -> Plan {
    Plan {
        mode,
        format: ResponseFormat {
            schema: schema.clone(),
            name: "response".to_owned(),
            description: None,
            strict: true,
            fallback: Fallback::Auto,
            max_validation_retries: repairs,
            schema_hash: json::sha256_hex(&json::canonical(schema)),
        },
        provider_schema: schema.clone(),
        submit_tool_name: (mode == Mode::Tool).then_some(SUBMIT_TOOL),
        wrapped: false,
        changes: Vec::new(),
        level: Level::Exact,
    }
}

pub(crate) fn script(mode: Mode, schema: &Value, repairs: u8, budget: Budget, replies: Vec<Reply>) -> Script {
    let plan = plan(mode, schema, repairs);
    Script {
        setup: Setup {
            run_id: "run".to_owned(),
            provider: "lab".to_owned(),
            model_id: "model".to_owned(),
            simulated: false,
            schema_hash: Some(plan.format.schema_hash.clone()),
            plan: Some(plan),
            messages: vec![Message::user("prompt")],
            tools: Vec::new(),
            tool_choice: ToolChoice::Unset,
            parallel_tool_calls: None,
            max_output_tokens: None,
            reasoning_effort: None,
            budget,
            seed: 1,
        },
        schema: schema.clone(),
        replies,
        failing: Vec::new(),
        stop_after: None,
    }
}

pub(crate) fn tool(name: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters: serde_json::json!({}), strict: false }
}

pub(crate) fn text(text: &str) -> RawEvent {
    RawEvent::Text { delta: text.to_owned() }
}

pub(crate) fn end(terminal: Terminal) -> RawEvent {
    RawEvent::Terminal { terminal }
}

/// A whole tool call.
pub(crate) fn call(slot: usize, name: &str, arguments: &str) -> [RawEvent; 2] {
    let slot = u32::try_from(slot).unwrap();
    [
        RawEvent::ToolStart { slot, id: format!("c{slot}"), name: name.to_owned() },
        RawEvent::ToolArgs { slot, delta: arguments.to_owned() },
    ]
}

pub(crate) fn connection_failure() -> CallFailure {
    CallFailure {
        code: ErrorCode::Transport,
        status: None,
        provider_code: None,
        request_id: None,
        retryable: true,
        retry_after_ms: None,
        message: "the connection broke".to_owned(),
        detail: None,
    }
}
