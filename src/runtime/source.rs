//! Where the events of a running call come from: the wire, or the built-in provider. Both are pulled, batch by batch,
//! and may be dropped at any moment.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Sleep;

use super::RunSpec;
use crate::dialect::{Call, Message};
use crate::event::{CallFailure, RawEvent, Terminal};
#[cfg(feature = "local")]
use crate::local::engine::{Said, ask};
#[cfg(feature = "local")]
use crate::local::weights::weights_of;
use crate::plan::Plan;
use crate::sim;
use crate::sim::answer::{Material, seed_of};
use crate::sim::play::{Situation, failure, steps};
use crate::sim::script::Step as Scripted;
use crate::transport::{Exchange, Step};

/// A loaded script: one list of steps a call.
pub(super) type Script = Arc<Vec<Vec<Scripted>>>;

/// A running call.
pub(super) enum Source {
    Wire(Box<Exchange>),
    Sim(SimCall),
    #[cfg(feature = "local")]
    Local(LocalCall),
}

/// What a running call tells.
pub(super) enum Heard {
    Step(Step),
    /// The built-in model gets ready.
    #[cfg(feature = "local")]
    Progress(crate::event::Progress),
    /// A fact for the error that follows.
    #[cfg(feature = "local")]
    Fact(&'static str, String),
}

impl Source {
    /// What comes next. Cancel-safe.
    pub(super) async fn next(&mut self) -> Heard {
        match self {
            Self::Wire(exchange) => Heard::Step(exchange.next().await),
            Self::Sim(call) => Heard::Step(call.next().await),
            #[cfg(feature = "local")]
            Self::Local(call) => call.next().await,
        }
    }
}

/// One call to the model in the program.
#[cfg(feature = "local")]
pub(super) struct LocalCall {
    said: Result<tokio::sync::mpsc::Receiver<Said>, Option<Box<CallFailure>>>,
}

#[cfg(feature = "local")]
impl LocalCall {
    pub(super) fn new(spec: &RunSpec, call: &Call) -> Self {
        let weights = weights_of(&spec.endpoint, &spec.model_id);
        let said = weights.map(|path| ask(path, call.clone()));
        Self { said: said.map_err(|error| Some(Box::new(local_failure(&error.to_string())))) }
    }

    async fn next(&mut self) -> Heard {
        let said = match &mut self.said {
            Ok(said) => said.recv().await,
            Err(failure) => {
                return Heard::Step(failure.take().map_or(Step::Ended, |failure| Step::Failed(*failure)));
            }
        };
        match said {
            Some(Said::Progress(progress)) => Heard::Progress(progress),
            Some(Said::Fact(label, text)) => Heard::Fact(label, text),
            Some(Said::Events(events)) => Heard::Step(Step::Events(events)),
            Some(Said::Failed(failure)) => Heard::Step(Step::Failed(failure)),
            None => Heard::Step(Step::Failed(local_failure("the model stopped in the middle of its work"))),
        }
    }
}

#[cfg(feature = "local")]
fn local_failure(message: &str) -> CallFailure {
    CallFailure { code: crate::event::ErrorCode::Config, ..failure(message) }
}

/// Waits for ever when no call runs.
pub(super) async fn next_of(source: &mut Option<Source>) -> Heard {
    match source {
        Some(source) => source.next().await,
        None => std::future::pending().await,
    }
}

/// At most this many events in one batch: what a network read would bring, and cancel is looked at in between.
const BATCH: usize = 64;

type Made = Result<Vec<Scripted>, Box<CallFailure>>;

/// One call to the built-in provider.
pub(super) struct SimCall {
    /// The answer is made off the loop: an instance of a hard schema can take long.
    making: Option<oneshot::Receiver<Made>>,
    steps: std::vec::IntoIter<Scripted>,
    pause: Option<Pin<Box<Sleep>>>,
    submit: Option<&'static str>,
    submit_begun: bool,
    over: bool,
}

impl SimCall {
    pub(super) fn new(spec: &RunSpec, plan: Option<&Plan>, call: &Call, at: At<'_>) -> Self {
        let (sender, making) = oneshot::channel();
        let situation = situation(spec, plan, call, at.rejected);
        let submit = situation.submit;
        let kind = sim::kind(&spec.model_id);
        let scripted = at.script.map(|script| script.get(at.call as usize).cloned());
        let make = move || match (kind, scripted) {
            (_, Some(Some(steps))) => Ok(steps),
            (_, Some(None)) => {
                Err(Box::new(failure("the script has no such call: the run asks for more than it holds")))
            }
            (Some(kind), None) => steps(kind, &situation),
            (None, None) => Err(Box::new(failure("the built-in provider has no such model"))),
        };
        let spawned = std::thread::Builder::new().name("sim".to_owned()).spawn(move || {
            let _ = sender.send(make());
        });
        // Without a thread the channel is closed, which `next` reports.
        drop(spawned);
        Self {
            making: Some(making),
            steps: Vec::new().into_iter(),
            pause: None,
            submit,
            submit_begun: false,
            over: false,
        }
    }

    async fn next(&mut self) -> Step {
        if self.over {
            return Step::Ended;
        }
        if let Some(making) = &mut self.making {
            let made = making.await;
            self.making = None;
            match made {
                Ok(Ok(steps)) => self.steps = steps.into_iter(),
                Ok(Err(failure)) => return self.fail(*failure),
                Err(_) => return self.fail(failure("the built-in provider could not answer")),
            }
        }
        match &mut self.pause {
            Some(pause) => pause.as_mut().await,
            // Events without a pause must not keep everything else on this thread from its turn.
            None => tokio::task::yield_now().await,
        }
        self.pause = None;
        self.batch()
    }

    fn fail(&mut self, failure: CallFailure) -> Step {
        self.over = true;
        Step::Failed(failure)
    }

    /// Everything up to the next pause.
    fn batch(&mut self) -> Step {
        let mut events = Vec::new();
        while events.len() < BATCH {
            match self.steps.as_slice().first() {
                None => {
                    self.over = true;
                    events.push(RawEvent::Terminal { terminal: Terminal::Missing });
                    break;
                }
                Some(Scripted::Fail(_)) if !events.is_empty() => break,
                Some(_) => {}
            }
            match self.steps.next() {
                None => break,
                Some(Scripted::Fail(failure)) => return self.fail(*failure),
                Some(Scripted::Wait { ms }) => {
                    self.pause = Some(Box::pin(tokio::time::sleep(Duration::from_millis(ms))));
                    break;
                }
                Some(Scripted::Answer(delta)) => self.answer(delta, &mut events),
                Some(Scripted::Event(event)) => {
                    self.over = matches!(event, RawEvent::Terminal { .. });
                    events.push(event);
                    if self.over {
                        break;
                    }
                }
            }
        }
        Step::Events(events)
    }

    /// Answer text goes where the mode wants it.
    fn answer(&mut self, delta: String, events: &mut Vec<RawEvent>) {
        let Some(name) = self.submit else { return events.push(RawEvent::Text { delta }) };
        if !std::mem::replace(&mut self.submit_begun, true) {
            events.push(RawEvent::ToolStart { slot: 0, id: "call_submit".to_owned(), name: name.to_owned() });
        }
        events.push(RawEvent::ToolArgs { slot: 0, delta });
    }
}

/// Where in the run a call stands.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) call: u32,
    pub(super) rejected: u32,
    pub(super) script: Option<&'a Script>,
}

fn situation(spec: &RunSpec, plan: Option<&Plan>, call: &Call, rejected: u32) -> Situation {
    let hash = spec.format.as_ref().map_or("", |f| f.schema_hash.as_str());
    Situation {
        material: Material {
            format: spec.format.clone(),
            wrapped: plan.is_some_and(|p| p.wrapped && p.submit_tool_name.is_some()),
            seed: seed_of(&[&spec.prompt, hash]),
        },
        submit: plan.and_then(|p| p.submit_tool_name),
        rejected,
        next_tool: next_tool(plan, call),
        tempo: spec.tempo,
        request_characters: call.messages.iter().map(characters).sum(),
    }
}

/// The first tool of the call, in order, that has not answered yet.
fn next_tool(plan: Option<&Plan>, call: &Call) -> Option<String> {
    let submit = plan.and_then(|plan| plan.submit_tool_name);
    let used = |tool: &str| call.messages.iter().any(|m| matches!(m, Message::ToolResult { name, .. } if name == tool));
    let names = call.tools.iter().map(|tool| tool.name.as_str());
    names.filter(|name| Some(*name) != submit).find(|name| !used(name)).map(str::to_owned)
}

fn characters(message: &Message) -> usize {
    match message {
        Message::System { text } | Message::User { text, .. } | Message::Assistant { text, .. } => text.chars().count(),
        Message::ToolResult { content, .. } => content.chars().count(),
    }
}

/// Loads the script of `sim/script:FILE` off the loop.
pub(super) async fn load_script(model: &str) -> Result<Option<Script>, sim::script::ScriptError> {
    let Some(path) = sim::script_path(model).map(std::path::PathBuf::from) else { return Ok(None) };
    let lost = |_| sim::script::ScriptError { line: None, message: "the script could not be read".to_owned() };
    let loaded = tokio::task::spawn_blocking(move || sim::script::load(&path)).await.map_err(lost)?;
    loaded.map(|script| Some(Arc::new(script)))
}
