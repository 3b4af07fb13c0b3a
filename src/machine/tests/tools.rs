//! Tools: the hidden submission, and rounds of results.

use super::*;

#[test]
fn the_submissions_arguments_are_the_candidates_text() {
    let mut wrapped = plan(Mode::Tool, 1);
    wrapped.wrapped = true;
    let mut machine = started(setup(Some(wrapped), ROOMY));
    let parts = vec![
        vec![text("here ")],
        call(0, SUBMIT_TOOL, "{\"value\":"),
        vec![text("it is")],
        vec![RawEvent::ToolArgs { slot: 0, delta: "1}".to_owned() }],
    ];
    let effects = raw(&mut machine, parts, Terminal::ToolUse);
    assert_eq!(
        words(&effects),
        [
            "text_start@1",
            "text_delta@1:here ",
            "text_end@1",
            "text_start@1",
            "text_delta@1:{\"value\":",
            "text_delta@1:1}",
            "text_end@1",
            "JUDGE 1 {\"value\":1}"
        ]
    );
    assert!(matches!(effects.last(), Some(Effect::Judge { wrapped: true, .. })));
    let effects = feed(&mut machine, Input::Judged { attempt: 1, verdict: valid() });
    let Some(Effect::Keep(record)) = effects.first() else { panic!() };
    assert_eq!((record.text.as_str(), record.calls.len()), ("{\"value\":1}", 1));
}

#[test]
fn submissions_that_are_missing_or_mixed() {
    let table: Vec<(Vec<Vec<RawEvent>>, &str, usize)> = vec![
        (vec![vec![text("{}")]], "missing_submission", 0),
        (vec![], "missing_submission", 0),
        (vec![call(0, SUBMIT_TOOL, "{}"), call(1, "lookup", "{}")], "mixed_submission", 2),
        (vec![call(0, SUBMIT_TOOL, "{}"), call(1, SUBMIT_TOOL, "{}")], "mixed_submission", 2),
    ];
    for (parts, code, results) in table {
        let mut machine = started(setup(Some(plan(Mode::Tool, 1)), ROOMY));
        let effects = raw(&mut machine, parts, Terminal::Stop);
        let told = words(&effects);
        assert!(told.contains(&format!("retry:1->2:{code}")), "{told:?}");
        assert!(!told.iter().any(|word| word.starts_with("TOOL")), "nothing is executed");
        let messages = &called(&effects).messages;
        let synthetic = messages.iter().filter(|m| matches!(m, Message::ToolResult { is_error: true, .. })).count();
        assert_eq!(synthetic, results);
        let Some(Message::User { text, .. }) = messages.last() else { panic!() };
        assert!(text.contains(code) && text.contains(SUBMIT_TOOL), "{text}");
    }
}

#[test]
fn tool_results_go_back_in_call_order() {
    let mut machine = started(setup(Some(plan(Mode::Native, 1)), ROOMY));
    let parts = vec![vec![text("look")], call(0, "a", "{}"), call(1, "b", "{}")];
    let effects = raw(&mut machine, parts, Terminal::ToolUse);
    assert_eq!(
        words(&effects)[..8],
        [
            "text_start@1",
            "text_delta@1:look",
            "tool_call_start:a",
            "tool_call_delta:{}",
            "tool_call_start:b",
            "tool_call_delta:{}",
            "text_end@1",
            "tool_call_end"
        ]
    );
    assert_eq!(words(&effects)[8..], ["tool_call_end", "KEEP 1 plain", "TOOL c0", "TOOL c1"]);
    let done = |id: &str, is_error| Input::ToolDone { call_id: id.to_owned(), content: id.to_owned(), is_error };
    assert_eq!(words(&feed(&mut machine, done("c1", true))), ["tool_result:b:true"]);
    assert!(feed(&mut machine, done("c1", false)).is_empty(), "answered already");
    let effects = feed(&mut machine, done("c0", false));
    assert_eq!(words(&effects), ["tool_result:a:false", "CALL 1"]);
    let ids: Vec<&str> = called(&effects)
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::ToolResult { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["c0", "c1"]);
    let effects = answer(&mut machine, "1");
    assert_eq!(words(&effects).last().unwrap(), "JUDGE 1 1", "a tool round makes no attempt");
}

#[test]
fn tool_rounds_are_bounded() {
    let budget = Budget { max_retries: 1, max_iterations: 1 };
    for (mode, code) in
        [(Some(Mode::Tool), "missing_submission"), (Some(Mode::Native), "incomplete"), (None, "incomplete")]
    {
        let mut machine = started(setup(mode.map(|mode| plan(mode, 1)), budget));
        raw(&mut machine, vec![call(0, "a", "{}")], Terminal::ToolUse);
        let result = Input::ToolDone { call_id: "c0".to_owned(), content: String::new(), is_error: false };
        assert_eq!(words(&feed(&mut machine, result)), ["tool_result:a:false", "CALL 1"]);
        let effects = raw(&mut machine, vec![call(0, "a", "{}")], Terminal::ToolUse);
        let told = words(&effects);
        assert_eq!(told[told.len() - 2..], [format!("error:{code}"), "END".to_owned()]);
        assert!(!told.contains(&"TOOL c0".to_owned()));
    }
}
