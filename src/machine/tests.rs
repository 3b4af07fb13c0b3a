//! The machine as tables: scripted inputs, expected effects.

use super::*;
use crate::dialect::{ToolChoice, ToolSpec};
use crate::issue::Issue;
use crate::json::{Hint, Position};
use crate::plan::SUBMIT_TOOL;
use crate::schema::project::Level;
use crate::schema::{Fallback, ResponseFormat};

pub(super) fn plan(mode: Mode, retries: u8) -> Plan {
    let schema = serde_json::json!({"type": "object"});
    Plan {
        mode,
        format: ResponseFormat {
            schema: schema.clone(),
            name: "response".to_owned(),
            description: None,
            strict: true,
            fallback: Fallback::Auto,
            max_validation_retries: retries,
            schema_hash: "hash".to_owned(),
        },
        provider_schema: schema,
        submit_tool_name: (mode == Mode::Tool).then_some(SUBMIT_TOOL),
        wrapped: false,
        changes: Vec::new(),
        level: Level::Exact,
    }
}

pub(super) fn setup(plan: Option<Plan>, budget: Budget) -> Setup {
    Setup {
        run_id: "r".to_owned(),
        provider: "lab".to_owned(),
        model_id: "m".to_owned(),
        simulated: false,
        schema_hash: plan.as_ref().map(|p| p.format.schema_hash.clone()),
        plan,
        messages: vec![Message::User { text: "prompt".to_owned() }],
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: None,
        reasoning_effort: None,
        budget,
        seed: 1,
    }
}

pub(super) const ROOMY: Budget = Budget { max_retries: 6, max_iterations: 20 };

fn feed(machine: &mut Machine, input: Input) -> Vec<Effect> {
    let mut effects = Vec::new();
    machine.step(input, &mut effects);
    effects
}

fn started(setup: Setup) -> Machine {
    let mut machine = Machine::new(setup);
    let effects = feed(&mut machine, Input::Start);
    assert!(matches!(effects.as_slice(), [Effect::Emit(RunEvent::RunStart { .. }), Effect::Call { index: 0, .. }]));
    machine
}

fn text(delta: &str) -> RawEvent {
    RawEvent::Text { delta: delta.to_owned() }
}

fn end(terminal: Terminal) -> RawEvent {
    RawEvent::Terminal { terminal }
}

fn call(slot: u32, name: &str, arguments: &str) -> Vec<RawEvent> {
    vec![
        RawEvent::ToolStart { slot, id: format!("c{slot}"), name: name.to_owned() },
        RawEvent::ToolArgs { slot, delta: arguments.to_owned() },
    ]
}

fn failure(retryable: bool) -> CallFailure {
    CallFailure {
        code: ErrorCode::Transport,
        status: Some(503),
        provider_code: None,
        request_id: None,
        retryable,
        retry_after_ms: None,
        message: "the connection broke".to_owned(),
        detail: Some("secret body".to_owned()),
    }
}

fn valid() -> Verdict {
    Verdict::Valid { value: Value::Null, canonical: "null".to_owned() }
}

/// One word per effect, for tables.
fn words(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(word).collect()
}

fn word(effect: &Effect) -> String {
    match effect {
        Effect::Emit(event) => match event {
            RunEvent::RunStart { .. } => "run_start".to_owned(),
            RunEvent::TextStart { output_attempt } => format!("text_start@{output_attempt}"),
            RunEvent::TextDelta { output_attempt, delta } => format!("text_delta@{output_attempt}:{delta}"),
            RunEvent::TextEnd { output_attempt } => format!("text_end@{output_attempt}"),
            RunEvent::ThinkingStart { .. } => "thinking_start".to_owned(),
            RunEvent::ThinkingDelta { .. } => "thinking_delta".to_owned(),
            RunEvent::ThinkingEnd { .. } => "thinking_end".to_owned(),
            RunEvent::ToolCallStart { name, .. } => format!("tool_call_start:{name}"),
            RunEvent::ToolCallDelta { delta, .. } => format!("tool_call_delta:{delta}"),
            RunEvent::ToolCallEnd { .. } => "tool_call_end".to_owned(),
            RunEvent::ToolResult { name, is_error, .. } => format!("tool_result:{name}:{is_error}"),
            RunEvent::TransportRetry { call, .. } => format!("transport_retry:{call}"),
            RunEvent::StructuredOutputRetry { attempt, next_attempt, code, .. } => {
                format!("retry:{attempt}->{next_attempt}:{code}")
            }
            RunEvent::StructuredOutputEnd { attempt, .. } => format!("structured_end@{attempt}"),
            RunEvent::Usage { call, .. } => format!("usage:{call}"),
            RunEvent::Done { message, .. } => format!("done:{message}"),
            RunEvent::Error(error) => format!("error:{}", error.code),
        },
        Effect::Call { index, .. } => format!("CALL {index}"),
        Effect::DropCall => "DROP".to_owned(),
        Effect::Judge { attempt, text, .. } => format!("JUDGE {attempt} {text}"),
        Effect::RunTool { call } => format!("TOOL {}", call.id),
        Effect::Wait { ticket, .. } => format!("WAIT {ticket}"),
        Effect::Keep(record) => format!(
            "KEEP {} {}",
            record.attempt,
            match &record.outcome {
                Outcome::Accepted => "accepted".to_owned(),
                Outcome::Plain => "plain".to_owned(),
                Outcome::NotJson(_) => "not_json".to_owned(),
                Outcome::Invalid(_) => "invalid".to_owned(),
                Outcome::Failed { code, .. } => code.to_string(),
            }
        ),
        Effect::End => "END".to_owned(),
    }
}

#[test]
fn a_good_candidate_ends_the_run() {
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    let usage = RawEvent::Usage { usage: Usage { input_tokens: Some(3), ..Usage::default() } };
    let effects = feed(&mut machine, Input::Raw(vec![text("{"), text(""), text("}"), usage, end(Terminal::Stop)]));
    assert_eq!(words(&effects), ["text_start@1", "text_delta@1:{", "text_delta@1:}", "text_end@1", "JUDGE 1 {}"]);
    let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: valid() });
    assert_eq!(words(&effects), ["KEEP 1 accepted", "structured_end@1", "usage:0", "done:null", "END"]);
    assert!(machine.is_over());
    assert!(feed(&mut machine, Input::Cancel).is_empty());
}
