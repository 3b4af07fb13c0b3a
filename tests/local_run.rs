//! Runs of the real embedded model through the whole chain: tools, plain chat, sessions, repair, and every end that is no
//! answer. What is counted here is tokens; nothing is timed but that a cancelled call does not go on.

#![cfg(feature = "local")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/local.rs"]
mod local;
#[path = "support/weights.rs"]
mod weights;

use std::path::Path;
use std::time::{Duration, Instant};

use formwork::dialect::{Call, Message, ToolChoice, ToolSpec};
use formwork::event::{ErrorCode, Mode, RawEvent, RunEvent, Terminal};
use formwork::json::{ParseLimits, Value, parse};
use formwork::local::engine::{Said, ask};
use formwork::runtime::{RunSpec, start};
use formwork::schema::project::Level;
use local::{Ran, alone, block_on, finish, run, spec, turns};

const MOOD: &str = r#"{"type":"object","properties":{"mood":{"enum":["good","bad"]}},"required":["mood"],"additionalProperties":false}"#;
/// Cannot end before it has some thousand tokens.
const ENDLESS: &str =
    r#"{"type":"array","items":{"type":"integer","minimum":100,"maximum":999},"minItems":1000,"maxItems":1000}"#;

fn json(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap()
}

#[test]
fn the_submit_tool_carries_the_answer_where_a_call_is_demanded() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let demanded = RunSpec { tool_choice: ToolChoice::Required, ..spec(&path, "I am so happy today!", Some(MOOD)) };
    let ran = run(demanded);
    let mood = json(ran.message())["mood"].clone();
    assert!(mood == "good" || mood == "bad", "{mood}");
    assert_eq!(ran.mode(), Some(Mode::Tool));
    let calls = &ran.attempts()[0].calls;
    assert_eq!(calls.len(), 1);
    assert_eq!(json(&calls[0].arguments)["mood"], mood);
}

#[test]
fn a_root_that_is_no_object_is_wrapped_for_the_submit_tool_and_unwrapped_again() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let schema = r#"{"type":"array","items":{"enum":[1,2]},"minItems":2,"maxItems":2}"#;
    let ran = run(RunSpec { tool_choice: ToolChoice::Required, ..spec(&path, "Two numbers, please.", Some(schema)) });
    assert_eq!(ran.mode(), Some(Mode::Tool));
    assert_eq!(json(ran.message()).as_array().map(Vec::len), Some(2), "{}", ran.message());
}

/// One call to the engine itself: the runtime offers no tools of the user's in this version.
fn told(path: &Path, call: Call) -> Vec<RawEvent> {
    block_on(async {
        let mut said = ask(path.to_owned(), call);
        let mut events = Vec::new();
        while let Some(said) = said.recv().await {
            match said {
                Said::Events(more) => events.extend(more),
                Said::Progress(_) => {}
                Said::Fact(label, text) => panic!("{label}: {text}"),
                Said::Failed(failure) => panic!("{failure:?}"),
            }
        }
        events
    })
}

fn weather(choice: ToolChoice, prompt: &str) -> Call {
    let parameters = r#"{"type":"object","properties":{"city":{"enum":["Paris","Rome"]},
        "days":{"type":"integer","minimum":1,"maximum":9}},"required":["city","days"],"additionalProperties":false}"#;
    Call {
        model_id: "m".to_owned(),
        messages: vec![Message::user(prompt)],
        format: None,
        tools: vec![ToolSpec {
            name: "weather".to_owned(),
            description: "The weather of a city".to_owned(),
            parameters: json(parameters),
            strict: true,
        }],
        tool_choice: choice,
        parallel_tool_calls: Some(false),
        max_output_tokens: Some(120),
        reasoning_effort: None,
    }
}

#[test]
fn a_users_tool_is_called_with_arguments_of_its_schema() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let prompt = "How will the weather be in Rome the next three days?";
    for choice in [ToolChoice::Required, ToolChoice::Named("weather".to_owned())] {
        let events = told(&path, weather(choice.clone(), prompt));
        let name = events.iter().find_map(|event| match event {
            RawEvent::ToolStart { name, .. } => Some(name.as_str()),
            _ => None,
        });
        let arguments: String = events
            .iter()
            .filter_map(|event| match event {
                RawEvent::ToolArgs { delta, .. } => Some(delta.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(name, Some("weather"), "{choice:?}");
        let arguments = json(&arguments);
        assert!(arguments["city"] == "Paris" || arguments["city"] == "Rome", "{arguments}");
        assert!((1..=9).contains(&arguments["days"].as_i64().unwrap()), "{arguments}");
        assert!(matches!(events.last(), Some(RawEvent::Terminal { terminal: Terminal::ToolUse })), "{events:?}");
    }
    let events = told(&path, weather(ToolChoice::None, prompt));
    assert!(!events.iter().any(|event| matches!(event, RawEvent::ToolStart { .. })), "tools were forbidden");
}

#[test]
fn plain_chat_streams_text_and_the_same_call_gives_the_same_text() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let chat = || RunSpec { max_output_tokens: Some(60), ..spec(&path, "What is the capital of France?", None) };
    let first = run(chat());
    assert!(first.message().contains("Paris"), "{}", first.message());
    assert_eq!((first.mode(), first.value()), (None, None));
    let streamed: String = first
        .events
        .iter()
        .filter_map(|event| match event {
            RunEvent::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(streamed, first.message());
    // once from a conversation that knows the prompt, once from one that does not
    assert_eq!(run(chat()).message(), first.message());
    run(RunSpec { system: Some("Be brief.".to_owned()), ..chat() });
    assert_eq!(run(chat()).message(), first.message());
}

#[test]
fn a_second_turn_feeds_only_what_is_new() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let system = Some("You are a helpful assistant who knows the capitals of all countries.".to_owned());
    let (one, two) = ("What is the capital of France?", "And of Italy?");
    let first = run(RunSpec { system: system.clone(), ..spec(&path, one, None) });
    let (input, _, output) = first.usage()[0];
    let second = run(RunSpec { system, history: turns(one, first.message()), ..spec(&path, two, None) });
    let (all, known, _) = second.usage()[0];
    println!("first {input} in, {output} out; second {all} in, {known} of them known, fed {:?}", second.prefilled());
    assert!(known >= input, "the first prompt is known: {known} of {input}");
    assert!(known + 2 >= input + output, "and the answer: {known} of {input} + {output}");
    assert_eq!(second.prefilled(), Some(all - known), "the rest was fed, nothing else");
    assert!(all - known < 20, "{all} {known}");
}

/// The grammar cannot count what is unique, so the relaxed answer breaks the schema and is asked for again.
#[test]
fn a_repair_feeds_only_the_rejection() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let schema = r#"{"type":"object","properties":{"pair":{"type":"array","items":{"enum":["x"]},"minItems":2,
        "maxItems":2,"uniqueItems":true}},"required":["pair"],"additionalProperties":false}"#;
    let ran = run(RunSpec { level: Level::Relax, ..spec(&path, "Two letters.", Some(schema)) });
    ran.fails(ErrorCode::ValidationFailed);
    assert_eq!((ran.mode(), ran.attempts().len()), (Some(Mode::Native), 2));
    let usage = ran.usage();
    let [(input, _, output), (all, known, _)] = usage[..] else { panic!("{usage:?}") };
    println!("first {input} in, {output} out; repair {all} in, {known} of them known");
    assert!(known >= input, "the first prompt is known: {known} of {input}");
    assert!(all > input + output, "the rejection stands behind the answer");
}

#[test]
fn a_prompt_longer_than_the_context_is_told_before_it_is_fed() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let ran = run(spec(&path, &"word ".repeat(9_000), Some(MOOD)));
    let error = ran.fails(ErrorCode::Incomplete);
    assert!(error.message.contains("context"), "{}", error.message);
    let fact = &error.facts.iter().find(|(label, _)| label == "context").expect("a fact with the numbers").1;
    assert!(fact.ends_with("the model's context holds 8192"), "{fact}");
    assert_eq!(ran.prefilled(), None, "nothing was fed");
    // and the next one is answered
    run(spec(&path, "I am happy.", Some(MOOD))).message();
}

#[test]
fn a_spent_budget_is_an_incomplete_answer() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let ran = run(RunSpec { max_output_tokens: Some(8), ..spec(&path, "Numbers.", Some(ENDLESS)) });
    let error = ran.fails(ErrorCode::Incomplete);
    assert!(error.message.contains("limit of output tokens"), "{}", error.message);
    assert_eq!(ran.usage()[0].2, 8);
}

/// The call that is cancelled would need some thousand tokens more; the next one does not wait for them.
#[test]
fn a_cancel_in_the_middle_frees_the_model_at_once() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let endless = RunSpec { max_output_tokens: Some(4_000), ..spec(&path, "Numbers.", Some(ENDLESS)) };
    let (ran, tokens, took) = block_on(async {
        let mut handle = start(endless);
        let started = Instant::now();
        let mut ran = Ran::default();
        let deltas = |ran: &Ran| ran.events.iter().filter(|event| matches!(event, RunEvent::TextDelta { .. })).count();
        while deltas(&ran) < 3 {
            ran.add(handle.feed.next().await.expect("it does not end by itself"));
        }
        let took = started.elapsed();
        handle.cancel.cancel();
        let asked = Instant::now();
        let ran = finish(&mut handle, ran).await;
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
        let tokens = deltas(&ran);
        (ran, tokens, took)
    });
    ran.fails(ErrorCode::Cancelled);
    let freed = Instant::now();
    run(RunSpec { max_output_tokens: Some(40), ..spec(&path, "I am happy.", Some(MOOD)) }).message();
    println!("{tokens} deltas until the cancel in {took:?}; the next answer in {:?}", freed.elapsed());
    assert!(freed.elapsed() < Duration::from_secs(30), "{:?}", freed.elapsed());
}

/// Cancelled while it is still taken in: the parts behind the one of the moment are not fed.
#[test]
fn a_cancel_in_the_middle_of_a_prompt_feeds_no_more_of_it() {
    let Some(path) = weights::weights() else { return };
    let _alone = alone();
    let long = spec(&path, &"The sea is blue. ".repeat(1_200), Some(MOOD));
    let ran = block_on(async {
        let mut handle = start(long);
        let mut ran = Ran::default();
        while ran.prefilled().is_none() {
            ran.add(handle.feed.next().await.expect("it does not end by itself"));
        }
        handle.cancel.cancel();
        finish(&mut handle, ran).await
    });
    ran.fails(ErrorCode::Cancelled);
    assert!(ran.usage().is_empty(), "no answer was made: {:?}", ran.usage());
    run(spec(&path, "I am happy.", Some(MOOD))).message();
}
