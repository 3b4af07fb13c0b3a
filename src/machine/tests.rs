//! The machine as tables: scripted inputs, expected effects.

mod tools;

use super::*;
use crate::dialect::{ToolChoice, ToolSpec};
use crate::event::RunError;
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
        messages: vec![Message::user("prompt")],
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

fn raw(machine: &mut Machine, parts: Vec<Vec<RawEvent>>, terminal: Terminal) -> Vec<Effect> {
    let mut events: Vec<RawEvent> = parts.into_iter().flatten().collect();
    events.push(end(terminal));
    feed(machine, Input::Raw(events))
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

fn rejected(code: &str) -> Verdict {
    let issue = Issue {
        code: "schema_violation",
        path: "/a".to_owned(),
        schema_path: "/properties/a/type".to_owned(),
        message: format!("{code}: expected an integer"),
        keyword: "type".to_owned(),
    };
    Verdict::Invalid(Issues { list: vec![issue], omitted: 2 })
}

fn not_json() -> Verdict {
    Verdict::NotJson(ParseError {
        hint: Hint::TrailingComma,
        position: Position { offset: 40, line: 3, column: 5 },
        message: "a comma stands before the closing bracket".to_owned(),
        path: None,
    })
}

/// The call of the last effect, if it is one.
fn called(effects: &[Effect]) -> &Call {
    match effects.last() {
        Some(Effect::Call { call, .. }) => call,
        other => panic!("no call: {other:?}"),
    }
}

fn error(effects: &[Effect]) -> &RunError {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::Emit(RunEvent::Error(error)) => Some(error),
        _ => None,
    });
    found.unwrap()
}

fn answer(machine: &mut Machine, text_delta: &str) -> Vec<Effect> {
    feed(machine, Input::Raw(vec![text(text_delta), end(Terminal::Stop)]))
}

#[test]
fn a_rejected_candidate_is_repaired_once() {
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    answer(&mut machine, "bad");
    let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: rejected("x") });
    assert_eq!(words(&effects), ["KEEP 1 invalid", "retry:1->2:validation_failed", "CALL 1"]);
    let messages = &called(&effects).messages;
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[1], Message::assistant("bad"));
    let Some(Message::User { text: request, .. }) = messages.last() else { panic!("{messages:?}") };
    for piece in ["validation_failed", r#""path":"/a""#, r#""keyword":"type""#, "2 more issues"] {
        assert!(request.contains(piece), "{piece} in {request}");
    }
    assert!(!request.contains("bad"), "no copy of the candidate");
    let effects = answer(&mut machine, "worse");
    assert_eq!(words(&effects), ["text_start@2", "text_delta@2:worse", "text_end@2", "JUDGE 2 worse"]);
    let effects = feed(&mut machine, Input::Judged { attempt: 2, verdict: not_json() });
    assert_eq!(words(&effects), ["KEEP 2 not_json", "error:invalid_json", "END"]);
    let error = error(&effects);
    assert_eq!((error.attempts, error.hint, error.position.unwrap().line), (2, Some(Hint::TrailingComma), 3));
}

#[test]
fn no_repair_without_budget_or_leave() {
    for (retries, budget) in
        [(0, ROOMY), (1, Budget { max_retries: 1, ..ROOMY }), (1, Budget { max_iterations: 1, ..ROOMY })]
    {
        let mut machine = started(setup(Some(plan(Mode::Prompt, retries)), budget));
        answer(&mut machine, "bad");
        let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: rejected("x") });
        assert_eq!(words(&effects), ["KEEP 1 invalid", "error:validation_failed", "END"]);
        assert_eq!((error(&effects).issues.len(), error(&effects).omitted), (1, 2));
    }
}

#[test]
fn a_judgement_that_was_given_up_is_no_fault_of_the_answer() {
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    answer(&mut machine, "[1]");
    let Verdict::Invalid(mut issues) = rejected("x") else { panic!() };
    issues.list[0].code = "too_expensive";
    let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: Verdict::Invalid(issues) });
    assert!(machine.is_over() && !effects.iter().any(|e| matches!(e, Effect::Call { .. })), "{effects:?}");
    assert!(error(&effects).message.contains("could not be judged"), "{effects:?}");
}

#[test]
fn prompt_mode_tells_the_schema_in_the_system_message() {
    let mut with_system = setup(Some(plan(Mode::Prompt, 1)), ROOMY);
    let effects = feed(&mut Machine::new(with_system.clone()), Input::Start);
    let Message::System { text } = &called(&effects).messages[0] else { panic!() };
    assert!(text.ends_with("JSON Schema:\n{\"type\":\"object\"}"), "{text}");
    with_system.messages.insert(0, Message::System { text: "Be brief.".to_owned() });
    let effects = feed(&mut Machine::new(with_system), Input::Start);
    let Message::System { text } = &called(&effects).messages[0] else { panic!() };
    assert!(text.starts_with("Be brief.\n\nAnswer with exactly one JSON value"), "{text}");
    assert_eq!(called(&effects).format, None);
}

#[test]
fn native_mode_sends_the_format_and_tool_mode_the_submit_tool_last() {
    let effects = feed(&mut Machine::new(setup(Some(plan(Mode::Native, 1)), ROOMY)), Input::Start);
    let native = called(&effects);
    assert_eq!(native.format.as_ref().unwrap().name, "response");
    assert_eq!((native.tools.len(), native.parallel_tool_calls), (0, None));

    let ordinary = ToolSpec {
        name: "lookup".to_owned(),
        description: String::new(),
        parameters: serde_json::json!({}),
        strict: false,
    };
    let mut with_tools = setup(Some(plan(Mode::Tool, 1)), ROOMY);
    let effects = feed(&mut Machine::new(with_tools.clone()), Input::Start);
    assert_eq!(called(&effects).tool_choice, ToolChoice::Required, "nothing else could be called");
    with_tools.tools = vec![ordinary.clone()];
    with_tools.parallel_tool_calls = None;
    let effects = feed(&mut Machine::new(with_tools.clone()), Input::Start);
    let tool = called(&effects);
    assert_eq!(tool.tools.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["lookup", SUBMIT_TOOL]);
    assert!(tool.tools[1].strict && tool.format.is_none());
    assert_eq!((tool.parallel_tool_calls, &tool.tool_choice), (Some(false), &ToolChoice::Unset));
    assert_eq!(with_tools.tools, vec![ordinary]);
}

#[test]
fn endings_that_are_never_repaired_or_retried() {
    let unknown = Terminal::Unknown { word: "weird".to_owned() };
    let table = [
        (Terminal::Length, "incomplete"),
        (Terminal::Missing, "incomplete"),
        (Terminal::Paused, "incomplete"),
        (Terminal::ContextOverflow, "incomplete"),
        (unknown, "incomplete"),
        (Terminal::Refusal, "refusal"),
        (Terminal::ContentFilter, "refusal"),
        (Terminal::Error { failure: failure(false) }, "transport"),
    ];
    for mode in [Some(Mode::Native), Some(Mode::Tool), Some(Mode::Prompt), None] {
        for (terminal, code) in &table {
            let mut machine = started(setup(mode.map(|mode| plan(mode, 1)), ROOMY));
            let effects = raw(&mut machine, vec![vec![text("{}")]], terminal.clone());
            let expected = [
                "text_start@1",
                "text_delta@1:{}",
                "text_end@1",
                &format!("KEEP 1 {code}"),
                &format!("error:{code}"),
                "END",
            ];
            assert_eq!(words(&effects), expected, "{terminal:?}");
            assert!(!serde_json::to_string(error(&effects)).unwrap().contains("secret"));
        }
    }
}

#[test]
fn a_failed_call_is_sent_again_under_the_same_number_while_nothing_was_shown() {
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    let effects = feed(&mut machine, Input::CallFailed(failure(true)));
    assert_eq!(words(&effects), ["transport_retry:0", "WAIT 1"]);
    assert!(feed(&mut machine, Input::Waited { ticket: 9 }).is_empty());
    assert_eq!(words(&feed(&mut machine, Input::Waited { ticket: 1 })), ["CALL 1"]);
    assert!(feed(&mut machine, Input::Waited { ticket: 1 }).is_empty());
    assert_eq!(words(&answer(&mut machine, "1")).last().unwrap(), "JUDGE 1 1");
}

#[test]
fn after_content_was_shown_the_attempt_is_closed_first() {
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    feed(&mut machine, Input::Raw(vec![RawEvent::Thinking { delta: "hm".to_owned() }, text("{")]));
    let effects = feed(&mut machine, Input::CallFailed(failure(true)));
    assert_eq!(words(&effects), ["text_end@1", "KEEP 1 transport", "transport_retry:0", "WAIT 1"]);
    feed(&mut machine, Input::Waited { ticket: 1 });
    assert_eq!(words(&answer(&mut machine, "1"))[0], "text_start@2");
}

#[test]
fn transport_retries_end_with_the_budget_or_a_long_wait() {
    let mut machine = started(setup(None, Budget { max_retries: 3, max_iterations: 20 }));
    for ticket in 1..3 {
        feed(&mut machine, Input::CallFailed(failure(true)));
        feed(&mut machine, Input::Waited { ticket });
    }
    let effects = feed(&mut machine, Input::CallFailed(failure(true)));
    assert_eq!(words(&effects), ["KEEP 1 transport", "error:transport", "END"]);
    let facts = &error(&effects).facts;
    assert!(error(&effects).retryable && facts.contains(&("status".to_owned(), "503".to_owned())));

    let mut machine = started(setup(None, ROOMY));
    let long = CallFailure { retry_after_ms: Some(180_000), ..failure(true) };
    let effects = feed(&mut machine, Input::CallFailed(long));
    assert_eq!(words(&effects).last().unwrap(), "END");
    assert!(error(&effects).facts.contains(&("retry_after".to_owned(), "180 s".to_owned())));
}

#[test]
fn a_stop_from_outside_ends_the_run_anywhere() {
    for (input, code) in [(Input::Cancel, "cancelled"), (Input::Deadline, "timeout")] {
        let fresh = || setup(Some(plan(Mode::Native, 1)), ROOMY);
        let mut idle = Machine::new(fresh());
        assert_eq!(
            words(&feed(&mut idle, input.clone())),
            ["run_start".to_owned(), format!("error:{code}"), "END".to_owned()]
        );
        assert!(feed(&mut idle, Input::Start).is_empty());

        let mut calling = started(fresh());
        feed(&mut calling, Input::Raw([vec![text("{")], call(0, "a", "{")].concat()));
        let told = words(&feed(&mut calling, input.clone()));
        assert_eq!(
            told,
            ["DROP", "text_end@1", "tool_call_end", &format!("KEEP 1 {code}"), &format!("error:{code}"), "END"]
        );

        let mut judging = started(fresh());
        answer(&mut judging, "1");
        assert_eq!(
            words(&feed(&mut judging, input.clone())),
            [format!("KEEP 1 {code}"), format!("error:{code}"), "END".to_owned()]
        );
        assert!(feed(&mut judging, Input::Judged { attempt: 1, verdict: rejected("late") }).is_empty());

        let mut waiting = started(fresh());
        feed(&mut waiting, Input::CallFailed(failure(true)));
        assert_eq!(words(&feed(&mut waiting, input.clone())), [format!("error:{code}"), "END".to_owned()]);

        let mut tools = started(fresh());
        raw(&mut tools, vec![call(0, "a", "{}")], Terminal::ToolUse);
        assert_eq!(words(&feed(&mut tools, input.clone())), [format!("error:{code}"), "END".to_owned()]);
    }
}

#[test]
fn a_plain_run_answers_with_text() {
    let mut machine = started(setup(None, ROOMY));
    let effects = answer(&mut machine, "hello");
    assert_eq!(
        words(&effects),
        ["text_start@1", "text_delta@1:hello", "text_end@1", "KEEP 1 plain", "done:hello", "END"]
    );
}

#[test]
fn ids_are_made_up_where_a_server_sends_none_or_the_same_twice() {
    let mut machine = started(setup(None, ROOMY));
    let start = |slot, id: &str| RawEvent::ToolStart { slot, id: id.to_owned(), name: "a".to_owned() };
    let events = vec![start(0, ""), start(1, "x"), start(2, "x"), end(Terminal::ToolUse)];
    let effects = feed(&mut machine, Input::Raw(events));
    let ids: Vec<&str> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::RunTool { call } => Some(call.id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["call_0_0", "x", "call_0_2"]);
}

#[test]
fn an_answer_without_end_is_dropped() {
    let mut machine = started(setup(None, ROOMY));
    let piece = "x".repeat(8 * 1024 * 1024);
    let mut told = Vec::new();
    for _ in 0..10 {
        told = words(&feed(&mut machine, Input::Raw(vec![text(&piece)])));
        if machine.is_over() {
            break;
        }
    }
    assert_eq!(told[1..], ["DROP", "text_end@1", "KEEP 1 incomplete", "error:incomplete", "END"]);
}

#[test]
fn a_repair_request_holds_whole_issues_and_counts_the_rest() {
    let issue = Issue {
        code: "schema_violation",
        path: "/a".to_owned(),
        schema_path: "/b".to_owned(),
        message: "é".repeat(500),
        keyword: "type".to_owned(),
    };
    let issues = Issues { list: vec![issue; 20], omitted: 3 };
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    answer(&mut machine, "bad");
    let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: Verdict::Invalid(issues) });
    let Some(Message::User { text, .. }) = called(&effects).messages.last() else { panic!() };
    assert!(text.chars().count() <= 4_000);
    let list = text.lines().find_map(|line| line.strip_prefix("Issues: ")).unwrap();
    let list = crate::json::parse(list, crate::json::ParseLimits::default()).unwrap();
    let kept = list.as_array().unwrap().len();
    assert!(kept >= 4 && text.contains(&format!("\n{} more issues", 23 - kept)), "{kept}");
}

#[test]
fn a_repair_request_names_the_place_where_the_text_stops_being_json() {
    let mut machine = started(setup(Some(plan(Mode::Prompt, 1)), ROOMY));
    answer(&mut machine, "bad");
    let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: not_json() });
    let Some(Message::User { text, .. }) = called(&effects).messages.last() else { panic!() };
    let fault = r#"{"hint":"trailing_comma","offset":40,"line":3,"column":5,"message":"a comma"#;
    assert!(text.contains("invalid_json") && text.contains(fault), "{text}");
}

mod laws;
