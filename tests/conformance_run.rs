//! The reference's cases of the run (areas `loop`, `hidden_tool`, `repair_prompt`, `budget`,
//! `terminal_neutral`) and the reported
//! faults of kind `session`, through the machine. Every key of every expectation is looked at or named as not ours.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test stops at the first surprise")]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/script.rs"]
mod script;

use formwork::dialect::{Message, openai_chat};
use formwork::event::{Mode, RawEvent, RunEvent, Terminal};
use formwork::json::{self, ParseLimits, Value};
use formwork::machine::{Budget, Input, Outcome};
use formwork::plan::SUBMIT_TOOL;
use script::{Reply, Report, Script, call, drive, end, text};
use serde_json::json;

/// Cases that are decided before a machine exists: no call can have been made. Preflight and negotiation test them.
const BEFORE_THE_RUN: &[(&str, &str)] =
    &[("budget", "unsupported model"), ("budget", "invalid schema"), ("budget", "parallel true reaches the preflight")];

/// Keys of an expectation that a machine alone cannot show, and why.
const NOT_THE_MACHINES: &[(&str, &str)] = &[
    ("approval_checks", "the machine never asks: a submit call brings no RunTool effect, which `executed` shows"),
    ("log_node_status_not", "there is no log node; the run ends with an error event"),
    ("persisted_stop_reason", "what is stored is the session's; the done event says `stop`"),
    ("exception", "the reference's own words for a fault that is fixed here"),
    ("note", "a remark"),
];

/// Events of the reference that are not in our vocabulary (ENGINE §5 lists ours): frames around messages and turns.
const NOT_OUR_EVENTS: &[&str] = &[
    "agent_start",
    "agent_end",
    "turn_start",
    "turn_end",
    "message_start:user",
    "message_end:user",
    "message_start:assistant",
    "message_end:assistant",
];

fn answer_schema() -> Value {
    json!({"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"], "additionalProperties": false})
}

fn rows(area: &str) -> Vec<Value> {
    cases::rows("cases/reference.jsonl").into_iter().filter(|row| row["area"] == area).collect()
}

/// `want` replaces the observed behaviour where the verdict is `fix`.
fn wanted(row: &Value) -> &Value {
    if row["verdict"] == "fix" { &row["want"] } else { &row["expected"] }
}

fn name(row: &Value) -> &str {
    row["name"].as_str().unwrap()
}

fn number(value: &Value, default: u32) -> u32 {
    value.as_u64().map_or(default, |n| u32::try_from(n).unwrap())
}

fn words(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn mode(value: &Value) -> Mode {
    match value.as_str() {
        Some("native") => Mode::Native,
        Some("tool") => Mode::Tool,
        Some("prompt") | None => Mode::Prompt,
        Some(other) => panic!("mode {other}"),
    }
}

fn terminal(word: Option<&str>) -> Option<Terminal> {
    Some(match word? {
        "stop" => Terminal::Stop,
        "length" | "MAX_TOKENS" => Terminal::Length,
        other => panic!("terminal {other}"),
    })
}

fn raw_calls(calls: &Value) -> Vec<RawEvent> {
    let one = |(slot, made): (usize, &Value)| match made {
        Value::String(name) => call(slot, name, "{}"),
        made => call(slot, made["name"].as_str().unwrap(), &serde_json::to_string(&made["arguments"]).unwrap()),
    };
    calls.as_array().into_iter().flatten().enumerate().flat_map(one).collect()
}

/// A scripted reply of the cases: text, a list of calls, or an object with both.
fn reply(made: &Value) -> Reply {
    let mut events = Vec::new();
    match made {
        Value::String(said) => events.push(text(said)),
        Value::Array(_) => events.extend(raw_calls(made)),
        made => {
            let thinking = made["thinking"].as_str().map(|delta| RawEvent::Thinking { delta: delta.to_owned() });
            events.extend(thinking);
            events.extend(made["text"].as_str().map(text));
            events.extend(raw_calls(&made["tool_calls"]));
            events.extend(raw_calls(&made["calls"]));
        }
    }
    let calls = events.iter().any(|event| matches!(event, RawEvent::ToolStart { .. }));
    let implied = if calls { Terminal::ToolUse } else { Terminal::Stop };
    events.push(end(terminal(made["terminal"].as_str()).unwrap_or(implied)));
    Reply::Says(events)
}

fn scripted(row: &Value) -> Script {
    let input = &row["input"];
    let schema = &input["plan"]["schema"];
    let budget = Budget { max_retries: 6, max_iterations: number(&input["max_iterations"], 20) };
    let replies = match input["argument_text"].as_str() {
        Some(arguments) => {
            let mut events = call(0, SUBMIT_TOOL, arguments).to_vec();
            events.push(end(Terminal::ToolUse));
            vec![Reply::Says(events)]
        }
        None => input["replies"].as_array().unwrap().iter().map(reply).collect(),
    };
    let repairs = u8::try_from(number(&input["plan"]["max_validation_retries"], 1)).unwrap();
    let mut made = script::script(mode(&input["plan"]["mode"]), schema, repairs, budget, replies);
    for tool in words(&input["tools"]) {
        let name = tool.trim_end_matches("(fails)");
        made.setup.tools.push(script::tool(name));
        made.failing.extend((name != tool).then(|| name.to_owned()));
    }
    made
}

/// Our events in the notation of the cases.
fn notation(event: &RunEvent) -> Option<String> {
    Some(match event {
        RunEvent::TextStart { output_attempt } => format!("text_start@{output_attempt}"),
        RunEvent::TextDelta { output_attempt, .. } => format!("text_delta@{output_attempt}"),
        RunEvent::TextEnd { output_attempt } => format!("text_end@{output_attempt}"),
        RunEvent::StructuredOutputRetry { attempt, next_attempt, .. } => {
            format!("structured_output_retry{{{attempt}->{next_attempt}}}")
        }
        RunEvent::StructuredOutputEnd { attempt, mode, .. } => {
            format!("structured_output_end{{attempt:{attempt},mode:{}}}", mode.code())
        }
        RunEvent::Done { reason, .. } => format!("done{{{reason}}}"),
        RunEvent::Error(error) => format!("error{{{}}}", error.code),
        RunEvent::RunStart { .. }
        | RunEvent::ThinkingStart { .. }
        | RunEvent::ThinkingDelta { .. }
        | RunEvent::ThinkingEnd { .. }
        | RunEvent::ToolCallStart { .. }
        | RunEvent::ToolCallDelta { .. }
        | RunEvent::ToolCallEnd { .. }
        | RunEvent::ToolResult { .. }
        | RunEvent::TransportRetry { .. }
        | RunEvent::Usage { .. } => return None,
    })
}

fn retries(report: &Report) -> Vec<Value> {
    let next = |event: &RunEvent| match event {
        RunEvent::StructuredOutputRetry { next_attempt, .. } => Some(json!({"next_attempt": next_attempt})),
        _ => None,
    };
    report.events.iter().filter_map(next).collect()
}

/// Compares one key of an expectation.
#[expect(clippy::too_many_lines, reason = "a table: one arm a key")]
fn check(case: &str, key: &str, want: &Value, report: &Report) {
    let told: Vec<String> = report.events.iter().filter_map(notation).collect();
    let json_of = |event: &RunEvent| serde_json::to_string(event).unwrap();
    match key {
        "events" => {
            let ours: Vec<String> = words(want).into_iter().filter(|w| !NOT_OUR_EVENTS.contains(&w.as_str())).collect();
            assert_eq!(told, ours, "{case}");
        }
        "structured_events" => {
            let structured: Vec<String> = told.iter().filter(|w| w.starts_with("structured")).cloned().collect();
            // The cases leave the mode out here.
            let short: Vec<String> = structured.iter().map(|w| w.split(",mode").next().unwrap().to_owned()).collect();
            let short: Vec<String> =
                short.into_iter().map(|w| if w.ends_with('}') { w } else { format!("{w}}}") }).collect();
            match want {
                Value::Number(_) => assert_eq!(short.len() as u64, want.as_u64().unwrap(), "{case}"),
                want => assert_eq!(short, words(want), "{case}"),
            }
        }
        "never" | "no_events" | "events_never" => {
            for banned in words(want) {
                assert!(!told.iter().any(|w| w.starts_with(&banned)), "{case}: {banned} in {told:?}");
            }
        }
        "retry_events" => match want {
            Value::Number(_) => assert_eq!(retries(report).len() as u64, want.as_u64().unwrap(), "{case}"),
            want => assert_eq!(&Value::Array(retries(report)), want, "{case}"),
        },
        "value" => assert_eq!(report.accepted().unwrap().2, want, "{case}"),
        "mode" => assert_eq!(report.accepted().unwrap().1.code(), want.as_str().unwrap(), "{case}"),
        "attempt" => assert_eq!(u64::from(report.accepted().unwrap().0), want.as_u64().unwrap(), "{case}"),
        "provider_calls" | "calls" => assert_eq!(report.calls.len() as u64, want.as_u64().unwrap(), "{case}"),
        "attempts" => assert_eq!(u64::from(report.error().unwrap().attempts), want.as_u64().unwrap(), "{case}"),
        "error" => {
            let code = match want.as_str().unwrap() {
                "transport error of the repair call" => "transport",
                code => code,
            };
            assert_eq!(report.error().unwrap().code.code(), code, "{case}");
            assert_eq!(report.done(), None, "{case}");
        }
        "interrupt" => assert_eq!(report.error().unwrap().code.code(), "cancelled", "{case}"),
        "issues" => assert_eq!(serde_json::to_value(&report.error().unwrap().issues).unwrap(), *want, "{case}"),
        "persisted_assistant" => {
            let messages: Vec<&str> = report.done().into_iter().collect();
            let texts: Vec<&str> = want.as_array().unwrap().iter().map(|m| m["text"].as_str().unwrap()).collect();
            assert_eq!(messages, texts, "{case}");
        }
        "persisted_text" => assert_eq!(report.done(), want.as_str(), "{case}"),
        "persisted_content" => assert_eq!(report.done(), Some(r#"{"answer":5}"#), "{case}: {want}"),
        "committed" => assert_eq!(want, &Value::Bool(report.done().is_some()), "{case}"),
        "assistant_messages_kept" => {
            assert_eq!(u64::from(report.done().is_some()), want.as_u64().unwrap(), "{case}");
        }
        "executed" | "tools_executed" => {
            let names: Vec<String> = report.executed.iter().map(|call| call.name.clone()).collect();
            assert_eq!(names, words(want), "{case}");
        }
        "tool_results" => {
            let ours: Vec<Value> = report
                .events
                .iter()
                .filter_map(|event| match event {
                    RunEvent::ToolResult { is_error, .. } => Some(json!({"is_error": is_error})),
                    _ => None,
                })
                .collect();
            match want {
                Value::Number(_) => assert_eq!(ours.len() as u64, want.as_u64().unwrap(), "{case}"),
                want => assert_eq!(&Value::Array(ours), want, "{case}"),
            }
        }
        "request" => {
            let request = report.calls.first().unwrap();
            let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(
                (json!(names), json!(request.parallel_tool_calls)),
                (want["tools"].clone(), want["parallel_tool_calls"].clone()),
                "{case}"
            );
            assert!(want["response_format"].is_null() && request.format.is_none(), "{case}");
        }
        "second_request_tail" => {
            let tail = report.calls.get(1).unwrap().messages.iter().rev().take(3).rev().collect::<Vec<_>>();
            let fits = matches!(
                tail.as_slice(),
                [Message::Assistant { calls, .. }, Message::ToolResult { is_error: true, .. }, Message::User { .. }]
                    if calls.first().is_some_and(|call| call.arguments == r#"{"answer":"no"}"#)
            );
            assert!(fits, "{case}: {tail:?}");
        }
        "retry_issues_lack" => {
            let events: String = report
                .events
                .iter()
                .filter(|e| matches!(e, RunEvent::StructuredOutputRetry { .. }))
                .map(json_of)
                .collect();
            assert!(!events.is_empty());
            for secret in words(want) {
                assert!(!events.contains(&secret), "{case}");
            }
        }
        "repair_text_lacks" => {
            for secret in words(want) {
                assert!(!report.repair_text().contains(&secret), "{case}");
            }
        }
        "issue_count_at_most" | "issue_message_at_most" => {
            let issues = report.events.iter().find_map(|event| match event {
                RunEvent::StructuredOutputRetry { issues, .. } => Some(issues),
                _ => None,
            });
            let longest = issues.unwrap().iter().map(|issue| issue.message.chars().count()).max().unwrap();
            let measured = if key == "issue_count_at_most" { issues.unwrap().len() } else { longest };
            assert!(measured as u64 <= want.as_u64().unwrap(), "{case}");
        }
        "client_sees" => {
            let attempts: Vec<&String> = told.iter().filter(|word| word.starts_with("text_start")).collect();
            let mut sorted = attempts.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(attempts, sorted, "{case}: the numbers rise");
        }
        "caller_tool_list_unchanged" | "checked_against" => {} // done by the caller of this function
        key => assert!(NOT_THE_MACHINES.iter().any(|(name, _)| *name == key), "{case}: unknown key {key}"),
    }
}

fn check_all(case: &str, want: &Value, report: &Report) {
    want.as_object().unwrap().iter().for_each(|(key, value)| check(case, key, value, report));
    let ends = report.events.iter().filter(|e| matches!(e, RunEvent::Done { .. } | RunEvent::Error(_))).count();
    assert_eq!(ends, 1, "{case}: exactly one done or error");
}

#[test]
fn the_loop() {
    let rows = rows("loop");
    for row in &rows {
        let want = wanted(row);
        if !row["input"]["event"].is_null() {
            let event = RunEvent::StructuredOutputEnd { attempt: 1, mode: Mode::Native, value: Value::Null };
            assert_eq!(serde_json::to_value(event).unwrap(), want["json"], "{}", name(row));
            continue;
        }
        check_all(name(row), want, &drive(&scripted(row)));
    }
    assert!(rows.is_empty() || rows.len() == 11, "{}", rows.len());
}

#[test]
fn the_hidden_tool() {
    let rows = rows("hidden_tool");
    for row in &rows {
        let script = scripted(row);
        let report = drive(&script);
        check_all(name(row), wanted(row), &report);
        assert_eq!(words(&row["input"]["tools"]).len(), script.setup.tools.len(), "the caller's list stays");
        assert!(report.executed.iter().all(|call| call.name != SUBMIT_TOOL), "{}", name(row));
    }
    assert!(rows.is_empty() || rows.len() == 9, "{}", rows.len());
}

fn budget_script(row: &Value) -> Script {
    let input = &row["input"];
    let budget = Budget { max_retries: number(&input["max_calls"], 6), max_iterations: 20 };
    let repairs = u8::try_from(number(&input["max_validation_retries"], 1)).unwrap();
    let said = |answer: &str| vec![text(answer), end(Terminal::Stop)];
    let mut replies: Vec<Reply> = words(&input["provider"])
        .iter()
        .map(|word| match word.as_str() {
            "bad" => Reply::Says(said(r#"{"answer":"x"}"#)),
            "good" => Reply::Says(said(r#"{"answer":1}"#)),
            "transport_error" => Reply::Fails(script::connection_failure()),
            // The reference's word for a stream that its user stopped.
            "aborted" => Reply::Hangs(vec![text("{")], Input::Cancel),
            other => panic!("reply {other}"),
        })
        .collect();
    if !input["cancel_during_call"].is_null() {
        replies = vec![Reply::Hangs(vec![text("{")], Input::Cancel)];
    }
    if !input["timeout_s"].is_null() {
        replies = vec![Reply::Hangs(vec![text("{")], Input::Deadline)];
    }
    let mut made = script::script(Mode::Prompt, &answer_schema(), repairs, budget, replies);
    let calls = input["cancel_after_call"].as_u64();
    made.stop_after = calls.map(|calls| (usize::try_from(calls).unwrap(), Input::Cancel));
    made
}

#[test]
fn the_budget() {
    let rows = rows("budget");
    let mut elsewhere = 0;
    for row in &rows {
        if BEFORE_THE_RUN.contains(&("budget", name(row))) {
            assert_eq!(wanted(row)["calls"], 0);
            elsewhere += 1;
            continue;
        }
        check_all(name(row), wanted(row), &drive(&budget_script(row)));
    }
    assert!(rows.is_empty() || (rows.len(), elsewhere) == (12, BEFORE_THE_RUN.len()));
}

/// The case `restart announces itself` with content shown before the failure, which is where it matters.
#[test]
fn a_restart_after_shown_content_takes_the_next_number() {
    let broken = vec![text("{"), end(Terminal::Error { failure: script::connection_failure() })];
    let good = vec![text(r#"{"answer":1}"#), end(Terminal::Stop)];
    let budget = Budget { max_retries: 4, max_iterations: 20 };
    let replies = vec![Reply::Says(broken), Reply::Says(good)];
    let report = drive(&script::script(Mode::Prompt, &answer_schema(), 1, budget, replies));
    assert_eq!(report.accepted().unwrap().0, 2);
    let outcomes: Vec<&Outcome> = report.records.iter().map(|record| &record.outcome).collect();
    assert!(matches!(outcomes.as_slice(), [Outcome::Failed { .. }, Outcome::Accepted]));
}

#[test]
fn the_repair_request() {
    let rows = rows("repair_prompt");
    for row in &rows {
        let (name, want) = (name(row), wanted(row));
        let budget = Budget { max_retries: 6, max_iterations: 20 };
        let many = json!({"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}});
        let (mode, schema, said) = match name {
            "not JSON at all" => (Mode::Prompt, answer_schema(), "{\"answer\":\n 1,}".to_owned()),
            "hidden tool mode" => (Mode::Tool, answer_schema(), "4".to_owned()),
            "issue list longer than the bound" => {
                let members: Vec<String> = (0..20).map(|n| format!("\"{}{n}\":\"x\"", "k".repeat(490))).collect();
                (Mode::Prompt, many, format!("{{{}}}", members.join(",")))
            }
            other => panic!("a new case: {other}"),
        };
        let replies = vec![Reply::Says(vec![text(&said), end(Terminal::Stop)])];
        let report = drive(&script::script(mode, &schema, 1, budget, replies));
        let request = report.repair_text();
        assert!(request.chars().count() <= 4_000, "{name}");
        match name {
            "not JSON at all" => {
                for piece in ["invalid_json", "\"line\":2", "\"column\":", "\"offset\":", "trailing_comma"] {
                    assert!(request.contains(piece), "{name}: {piece} in {request}");
                }
            }
            "hidden tool mode" => {
                assert_eq!(want["says"], "call the submit tool");
                assert!(
                    request.contains("missing_submission") && request.contains(&format!("Call the tool {SUBMIT_TOOL}"))
                );
            }
            _ => {
                assert_eq!(want["cut"], "whole issues only, with a count of the rest");
                let list = request.lines().find_map(|line| line.strip_prefix("Issues: ")).unwrap();
                let kept = json::parse(list, ParseLimits::default()).unwrap().as_array().unwrap().len();
                assert!(kept > 0 && request.contains(&format!("{} more issues", 20 - kept)), "{request}");
            }
        }
    }
    assert!(rows.is_empty() || rows.len() == 3, "{}", rows.len());
}

#[test]
fn neutral_terminals() {
    let rows = rows("terminal_neutral");
    for row in &rows {
        let (input, want) = (&row["input"], wanted(row));
        // The reference matches words of an error message; here the adapter gives a typed reason (ENGINE §5).
        let events = match input["error_message"].as_str() {
            Some(message) if message.contains("content filter") => vec![end(Terminal::ContentFilter)],
            Some(message) if message.contains("refusal") || message.contains("safety") => vec![end(Terminal::Refusal)],
            Some(_) => {
                let failure = formwork::event::CallFailure { retryable: false, ..script::connection_failure() };
                vec![end(Terminal::Error { failure })]
            }
            None => {
                let shown = !words(&input["events"]).is_empty();
                let before = shown.then(|| text(r#"{"answer":1}"#));
                before.into_iter().chain([end(Terminal::Missing)]).collect()
            }
        };
        let budget = Budget { max_retries: 6, max_iterations: 20 };
        let report = drive(&script::script(Mode::Native, &answer_schema(), 1, budget, vec![Reply::Says(events)]));
        check_all(name(row), want, &report);
        assert_eq!((report.calls.len(), retries(&report).len()), (1, 0), "{}", name(row));
    }
    assert!(rows.is_empty() || rows.len() == 7, "{}", rows.len());
}

fn session_reply(made: &Value) -> Reply {
    if let Some(status) = made["http"].as_u64() {
        let body = serde_json::to_string(&made["body"]).unwrap();
        return Reply::Fails(openai_chat::failure(u16::try_from(status).unwrap(), body.as_bytes()));
    }
    let mut events: Vec<RawEvent> = made["text"].as_str().map(text).into_iter().collect();
    if let Some(arguments) = made["tool_call"]["arguments"].as_str() {
        events.extend(call(0, SUBMIT_TOOL, arguments));
    }
    events.push(end(terminal(made["finish"].as_str()).unwrap_or(Terminal::Stop)));
    Reply::Says(events)
}

fn check_session(id: &str, key: &str, want: &Value, report: &Report) {
    match key {
        "outcome" => match (want.as_str().unwrap(), report.error()) {
            ("valid", None) => assert!(report.done().is_some()),
            ("provider_error", Some(error)) => assert_eq!(error.code.code(), "provider", "{id}"),
            (code, Some(error)) => assert_eq!(error.code.code(), code, "{id}"),
            (code, None) => panic!("{id}: no {code}"),
        },
        "second_request_mentions" => {
            for word in words(want) {
                assert!(report.repair_text().contains(&word), "{id}: {word}");
            }
        }
        "events" => {
            let told: Vec<Value> =
                report.events.iter().map(|e| serde_json::to_value(e).unwrap()["type"].clone()).collect();
            let mut rest = told.iter();
            for word in want.as_array().unwrap() {
                assert!(rest.any(|told| told == word), "{id}: {word} in order");
            }
        }
        "attempts_inspectable" => assert_eq!(report.records.len() as u64, want.as_u64().unwrap(), "{id}"),
        "first_issue_code" => {
            let code = report.events.iter().find_map(|event| match event {
                RunEvent::StructuredOutputRetry { code, .. } => Some(code.code()),
                _ => None,
            });
            assert_eq!(code, want.as_str(), "{id}");
        }
        "body_visible_in" => {
            let Some(Outcome::Failed { failure: Some(failure), .. }) = report.records.last().map(|r| &r.outcome) else {
                panic!("{id}: {:?}", report.records)
            };
            assert!(failure.detail.as_deref().unwrap().contains("$defs"), "{id}");
            assert!(!serde_json::to_string(&report.events).unwrap().contains("$defs"), "{id}: not in public");
        }
        "bound" => {
            let added = report.calls[1].messages.iter().map(|message| match message {
                Message::System { text } | Message::User { text, .. } | Message::Assistant { text, .. } => text.len(),
                Message::ToolResult { content, .. } => content.len(),
            });
            let candidate = report.records[0].text.len();
            assert!(added.sum::<usize>() <= candidate + 4_000 + "prompt".len() + 1_000, "{id}");
        }
        key => check(id, key, want, report),
    }
}

#[test]
fn reported_sessions() {
    let rows = cases::rows("cases/faults.jsonl");
    let mut count = 0;
    for row in rows.iter().filter(|row| row["input"]["kind"] == "session") {
        count += 1;
        let (id, input) = (row["id"].as_str().unwrap(), &row["input"]);
        let budget = Budget { max_retries: number(&input["budget"]["max_retries"], 6), max_iterations: 20 };
        let repairs = u8::try_from(number(&input["budget"]["max_validation_retries"], 1)).unwrap();
        let replies = input["attempts"].as_array().unwrap().iter().map(session_reply).collect();
        let report = drive(&script::script(mode(&input["mode"]), &input["schema"], repairs, budget, replies));
        let want = row["expected"].as_object().unwrap();
        want.iter().for_each(|(key, value)| check_session(id, key, value, &report));
    }
    assert!(rows.is_empty() || count == 8, "{count}");
}

/// `ta-009`: runs share nothing, so each is judged by its own schema and offers its own tool.
#[test]
fn two_runs_in_one_process_keep_their_own_schema() {
    let rows = cases::rows("cases/faults.jsonl");
    let Some(row) = rows.iter().find(|row| row["input"]["kind"] == "concurrent") else { return };
    let budget = Budget { max_retries: 2, max_iterations: 20 };
    for run in row["input"]["runs"].as_array().unwrap() {
        let answer = run["answer"].as_str().unwrap();
        let mut events = call(0, SUBMIT_TOOL, answer).to_vec();
        events.push(end(Terminal::ToolUse));
        let report = drive(&script::script(Mode::Tool, &run["schema"], 1, budget, vec![Reply::Says(events)]));
        assert_eq!(report.done(), Some(answer));
        assert_eq!(report.calls[0].tools[0].parameters, run["schema"]);
    }
}
