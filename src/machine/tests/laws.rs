//! What holds for every sequence of inputs.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// A driver's input, or one that does not fit: both must be harmless.
fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        1 => Just(Input::Start),
        12 => prop::collection::vec(raw_event(), 0..6).prop_map(Input::Raw),
        2 => any::<bool>().prop_map(|retryable| Input::CallFailed(failure(retryable))),
        6 => (1_u32..4, verdict()).prop_map(|(attempt, verdict)| Input::Judged { attempt, verdict }),
        4 => (0_u32..3, any::<bool>()).prop_map(|(slot, is_error)| Input::ToolDone {
            call_id: format!("c{slot}"),
            content: "r".to_owned(),
            is_error,
        }),
        4 => (1_u32..6).prop_map(|ticket| Input::Waited { ticket }),
        1 => Just(Input::Cancel),
        1 => Just(Input::Deadline),
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(valid()), Just(rejected("x")), Just(rejected("y")), Just(not_json())]
}

fn raw_event() -> impl Strategy<Value = RawEvent> {
    let name = prop_oneof![Just("lookup"), Just(SUBMIT_TOOL)];
    prop_oneof![
        4 => prop_oneof![Just("a"), Just("")].prop_map(text),
        2 => Just(RawEvent::Thinking { delta: "t".to_owned() }),
        3 => (0_u32..3, name).prop_map(|(slot, name)| RawEvent::ToolStart {
            slot,
            id: format!("c{slot}"),
            name: name.to_owned(),
        }),
        3 => (0_u32..4).prop_map(|slot| RawEvent::ToolArgs { slot, delta: "1".to_owned() }),
        1 => Just(RawEvent::Refusal { delta: "no".to_owned() }),
        1 => Just(RawEvent::Usage { usage: Usage { output_tokens: Some(1), ..Usage::default() } }),
        5 => terminal().prop_map(end),
    ]
}

fn terminal() -> impl Strategy<Value = Terminal> {
    prop_oneof![
        6 => Just(Terminal::Stop),
        4 => Just(Terminal::ToolUse),
        1 => Just(Terminal::Length),
        1 => Just(Terminal::Refusal),
        1 => Just(Terminal::Missing),
        1 => Just(Terminal::Unknown { word: "w".to_owned() }),
        2 => any::<bool>().prop_map(|retryable| Terminal::Error { failure: failure(retryable) }),
    ]
}

fn any_setup() -> impl Strategy<Value = Setup> {
    let mode = prop_oneof![Just(None), Just(Some(Mode::Native)), Just(Some(Mode::Tool)), Just(Some(Mode::Prompt))];
    (mode, 0_u8..2, 1_u32..5, 0_u32..4).prop_map(|(mode, repairs, max_retries, max_iterations)| {
        setup(mode.map(|mode| plan(mode, repairs)), Budget { max_retries, max_iterations })
    })
}

/// What one consumer and one driver have seen.
#[derive(Debug, Default)]
struct Witness {
    attempt: u32,
    open_block: Option<&'static str>,
    open_calls: HashSet<String>,
    calls: u32,
    continuations: u32,
    running: bool,
    tools_open: usize,
    ended: bool,
    verdicts: u32,
    kept: HashSet<(u32, u32)>,
    closed: HashSet<u32>,
    retries: u32,
    last_outcome: Option<Outcome>,
}

impl Witness {
    fn see(&mut self, effect: &Effect, setup: &Setup) {
        assert!(!self.ended, "after the end: {effect:?}");
        match effect {
            Effect::Emit(event) => self.event(event),
            Effect::Call { index, .. } => {
                assert!(!self.running, "two calls at once");
                assert_eq!(*index, self.calls);
                self.calls += 1;
                self.running = true;
                assert!(self.calls - self.continuations <= setup.budget.max_retries, "more calls than the budget");
                assert!(self.continuations <= setup.budget.max_iterations);
            }
            Effect::DropCall => self.running = false,
            Effect::Judge { .. } | Effect::Wait { .. } => {}
            Effect::RunTool { .. } => self.tools_open += 1,
            Effect::Keep(record) => self.keep(record),
            Effect::End => {
                assert_eq!(self.verdicts, 1, "exactly one done or error");
                self.ended = true;
            }
        }
    }

    fn keep(&mut self, record: &AttemptRecord) {
        assert!(self.open_block.is_none() && self.open_calls.is_empty(), "kept while something is open");
        assert!(self.kept.insert((record.attempt, record.call)), "kept twice");
        if record.outcome != Outcome::Plain {
            assert!(self.closed.insert(record.attempt), "attempt {} closed twice", record.attempt);
        }
        self.last_outcome = Some(record.outcome.clone());
    }

    fn at(&mut self, attempt: u32) {
        assert!(attempt >= self.attempt, "attempt numbers only rise");
        assert!(!self.closed.contains(&attempt), "content of a closed attempt");
        self.attempt = attempt;
    }

    fn event(&mut self, event: &RunEvent) {
        assert_eq!(self.verdicts, 0, "after done or error: {event:?}");
        match event {
            RunEvent::TextStart { output_attempt } | RunEvent::ThinkingStart { output_attempt } => {
                self.at(*output_attempt);
                let block = if matches!(event, RunEvent::TextStart { .. }) { "text" } else { "thinking" };
                assert_eq!(self.open_block.replace(block), None);
            }
            RunEvent::TextDelta { output_attempt, .. } => {
                self.at(*output_attempt);
                assert_eq!(self.open_block, Some("text"));
            }
            RunEvent::ThinkingDelta { output_attempt, .. } => {
                self.at(*output_attempt);
                assert_eq!(self.open_block, Some("thinking"));
            }
            RunEvent::TextEnd { .. } => assert_eq!(self.open_block.take(), Some("text")),
            RunEvent::ThinkingEnd { .. } => assert_eq!(self.open_block.take(), Some("thinking")),
            RunEvent::ToolCallStart { output_attempt, call_id, .. } => {
                self.at(*output_attempt);
                assert!(self.open_calls.insert(call_id.clone()));
            }
            RunEvent::ToolCallDelta { call_id, .. } => assert!(self.open_calls.contains(call_id)),
            RunEvent::ToolCallEnd { call_id, .. } => assert!(self.open_calls.remove(call_id)),
            RunEvent::ToolResult { .. } => {
                self.tools_open -= 1;
                self.continuations += u32::from(self.tools_open == 0);
            }
            RunEvent::StructuredOutputRetry { attempt, next_attempt, .. } => {
                assert_eq!(*next_attempt, attempt + 1);
                let repairable = match &self.last_outcome {
                    Some(Outcome::NotJson(_) | Outcome::Invalid(_)) => true,
                    Some(Outcome::Failed { code, .. }) => {
                        matches!(code, ErrorCode::MissingSubmission | ErrorCode::MixedSubmission)
                    }
                    Some(Outcome::Accepted | Outcome::Plain) | None => false,
                };
                assert!(repairable, "repaired after {:?}", self.last_outcome);
                self.retries += 1;
                assert!(self.retries <= 1, "more than one repair");
            }
            RunEvent::Done { .. } | RunEvent::Error(_) => {
                assert!(self.open_block.is_none() && self.open_calls.is_empty(), "ended while something is open");
                self.verdicts += 1;
            }
            RunEvent::RunStart { .. }
            | RunEvent::TransportRetry { .. }
            | RunEvent::StructuredOutputEnd { .. }
            | RunEvent::Usage { .. } => {}
        }
    }
}

/// Does this input end the running call?
fn ends_call(input: &Input) -> bool {
    match input {
        Input::Raw(events) => events.iter().any(|event| matches!(event, RawEvent::Terminal { .. })),
        Input::CallFailed(_) => true,
        Input::Start
        | Input::Judged { .. }
        | Input::ToolDone { .. }
        | Input::Waited { .. }
        | Input::Cancel
        | Input::Deadline => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_sequence_of_inputs(setup in any_setup(), inputs in prop::collection::vec(input(), 0..40)) {
        let mut machine = Machine::new(setup.clone());
        let mut witness = Witness::default();
        let start = std::iter::once(Input::Start);
        for input in start.chain(inputs).chain([Input::Cancel]) {
            if ends_call(&input) {
                witness.running = false;
            }
            for effect in feed(&mut machine, input) {
                witness.see(&effect, &setup);
            }
            assert_eq!(machine.is_over(), witness.ended);
        }
        prop_assert!(witness.ended, "a cancelled run is over");
    }

    /// The same inputs give the same effects: a replay is exact.
    #[test]
    fn a_machine_is_a_function_of_its_inputs(setup in any_setup(), inputs in prop::collection::vec(input(), 0..20)) {
        let run = || {
            let mut machine = Machine::new(setup.clone());
            inputs.iter().cloned().flat_map(|input| feed(&mut machine, input)).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }

    /// How a call's events were grouped into reads changes nothing.
    #[test]
    fn the_cut_into_reads_changes_nothing(setup in any_setup(), events in prop::collection::vec(raw_event(), 0..20)) {
        let batched = {
            let mut machine = Machine::new(setup.clone());
            feed(&mut machine, Input::Start);
            feed(&mut machine, Input::Raw(until_terminal(&events)))
        };
        let single: Vec<Effect> = {
            let mut machine = Machine::new(setup);
            feed(&mut machine, Input::Start);
            until_terminal(&events).into_iter().flat_map(|event| feed(&mut machine, Input::Raw(vec![event]))).collect()
        };
        prop_assert_eq!(batched, single);
    }
}

fn until_terminal(events: &[RawEvent]) -> Vec<RawEvent> {
    let end = events.iter().position(|event| matches!(event, RawEvent::Terminal { .. }));
    events[..end.map_or(events.len(), |at| at + 1)].to_vec()
}
