//! Runs of the embedded model through the whole chain, as the command line starts them: spec, events, what was inspected.
#![allow(dead_code, reason = "not every test binary uses everything")]

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use formwork::catalog::{Catalog, Endpoint};
use formwork::config::Config;
use formwork::dialect::Message;
use formwork::event::{ErrorCode, Mode, Phase, RunError, RunEvent, Usage};
use formwork::feed::{Inspect, Item};
use formwork::json::Value;
use formwork::machine::AttemptRecord;
use formwork::runtime::{RunHandle, RunSpec, Tools, start};
use formwork::schema::preflight::check_text;

/// The engine has one conversation: a test that asks what it remembers must have it alone.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The endpoint with this file of weights, and the model's id there.
pub(crate) fn endpoint(weights: &Path) -> (Arc<Endpoint>, String) {
    let mut catalog = Catalog::new(&Config::default());
    let name = catalog.add_weights(weights.to_owned());
    catalog.find(&name).unwrap()
}

/// A run as `formwork --print` would start it.
pub(crate) fn spec(weights: &Path, prompt: &str, schema: Option<&str>) -> RunSpec {
    let (endpoint, model_id) = endpoint(weights);
    RunSpec {
        format: schema.map(|schema| check_text(schema).unwrap().format),
        deadline: Some(Duration::from_mins(5)),
        max_output_tokens: Some(200),
        tools: Tools::Withheld,
        ..RunSpec::new(endpoint, model_id, prompt.to_owned())
    }
}

/// Everything a run said.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) events: Vec<RunEvent>,
    pub(crate) inspected: Vec<Inspect>,
}

impl Ran {
    pub(crate) fn add(&mut self, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Event(event) => self.events.push(event),
                Item::Inspect(inspect) => self.inspected.push(*inspect),
            }
        }
    }

    /// The accepted message; whatever else the run ended with fails the test.
    #[track_caller]
    pub(crate) fn message(&self) -> &str {
        match self.events.last() {
            Some(RunEvent::Done { message, .. }) => message,
            other => panic!("the run ended with {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn error(&self) -> &RunError {
        match self.events.last() {
            Some(RunEvent::Error(error)) => error,
            other => panic!("the run ended with {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn fails(&self, code: ErrorCode) -> &RunError {
        let error = self.error();
        assert_eq!(error.code, code, "{error:?}");
        error
    }

    pub(crate) fn mode(&self) -> Option<Mode> {
        self.events.iter().find_map(|event| match event {
            RunEvent::RunStart { mode, .. } => *mode,
            _ => None,
        })
    }

    /// The value that was accepted.
    pub(crate) fn value(&self) -> Option<&Value> {
        self.events.iter().find_map(|event| match event {
            RunEvent::StructuredOutputEnd { value, .. } => Some(value),
            _ => None,
        })
    }

    pub(crate) fn attempts(&self) -> Vec<&AttemptRecord> {
        let attempts = self.inspected.iter().filter_map(|inspect| match inspect {
            Inspect::Attempt { record, .. } => Some(record),
            _ => None,
        });
        attempts.collect()
    }

    /// What the calls cost, in order: input, of it known already, output.
    pub(crate) fn usage(&self) -> Vec<(u64, u64, u64)> {
        let known = |usage: &Usage| {
            (usage.input_tokens.unwrap_or(0), usage.cached_tokens.unwrap_or(0), usage.output_tokens.unwrap_or(0))
        };
        let of = |event: &RunEvent| match event {
            RunEvent::Usage { usage, .. } => Some(known(usage)),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    /// Tokens of the prompt that were fed, as the progress told it: the largest total of a prefill.
    pub(crate) fn prefilled(&self) -> Option<u64> {
        let of = |inspect: &Inspect| match inspect {
            Inspect::Progress(progress) if progress.phase == Phase::Prefill => Some(progress.total),
            _ => None,
        };
        self.inspected.iter().filter_map(of).max()
    }
}

/// Runs to the end.
pub(crate) fn run(spec: RunSpec) -> Ran {
    block_on(async {
        let mut handle = start(spec);
        finish(&mut handle, Ran::default()).await
    })
}

pub(crate) async fn finish(handle: &mut RunHandle, mut ran: Ran) -> Ran {
    while let Some(items) = handle.feed.next().await {
        ran.add(items);
    }
    ran
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The turns of a conversation so far.
pub(crate) fn turns(prompt: &str, answer: &str) -> Vec<Message> {
    vec![Message::user(prompt), Message::assistant(answer)]
}
