//! The task of one run: waits for whatever comes first, feeds it to the machine, executes what the machine wants.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::journal::Journal;
use super::judging::{Job, Judging};
use super::keep::Tap;
use super::prepare;
use super::reads::{Before, Teller};
#[cfg(feature = "local")]
use super::source::LocalCall;
use super::source::{At, Heard, Script, SimCall, Source, load_script, next_of};
use super::tools::Working;
use super::{Reads, RunSpec};
use crate::capability::Dialect;
use crate::dialect::{Call, build};
use crate::event::{CallFailure, ErrorCode, RawEvent, RunError, RunEvent};
use crate::feed::{Inspect, Item, Sender};
use crate::machine::{AttemptRecord, Effect, Input, Machine, Setup};
use crate::plan::Plan;
use crate::sim;
use crate::transport::{self, Exchange, Keep, Step};

/// Runs a run from beginning to end. Exactly one `done` or `error` is pushed, last.
pub(super) async fn drive(spec: RunSpec, id: String, seed: u64, feed: Sender, cancel: CancellationToken) {
    let deadline = spec.deadline.map(|d| Instant::now() + d);
    let mut journal = Journal::open(&id);
    match begin(&spec, &id, seed, &cancel).await {
        Ok((setup, judging, script)) => {
            let plan = setup.plan.clone();
            if let Some(plan) = &plan {
                feed.push(Item::Inspect(Box::new(Inspect::Planned(plan.clone()))));
            }
            if let Some(priced) = priced(&spec) {
                feed.push(Item::Inspect(Box::new(priced)));
            }
            let tap = Tap::open(&spec, &id, plan.as_ref());
            let machine = Machine::new(setup);
            let running = Running::default();
            let teller = match spec.reads {
                Reads::Told => Some(Teller::new()),
                Reads::Untold => None,
            };
            let (judged, working) = (0, Working::new());
            let driver =
                Driver { spec, feed, machine, plan, judging, script, running, judged, working, tap, teller, journal };
            driver.run(cancel, deadline).await;
        }
        Err(error) => {
            let start = RunEvent::RunStart {
                run: id,
                model: format!("{}/{}", spec.endpoint.provider, spec.model_id),
                mode: None,
                schema_hash: error.schema_hash.clone(),
                simulated: spec.endpoint.dialect == Dialect::Sim,
            };
            for event in [start, RunEvent::Error(error)] {
                journal.event(&event);
                feed.push(Item::Event(event));
            }
        }
    }
}

/// What the tokens cost, where the catalogue knows both prices.
fn priced(spec: &RunSpec) -> Option<Inspect> {
    let known = spec.endpoint.details(&spec.model_id)?;
    Some(Inspect::Priced { input: known.cost_in.as_ref()?.as_f64()?, output: known.cost_out.as_ref()?.as_f64()? })
}

type Begun = (Setup, Option<Judging>, Option<Script>);

/// Everything that can fail before the first call.
async fn begin(spec: &RunSpec, id: &str, seed: u64, cancel: &CancellationToken) -> Result<Begun, Box<RunError>> {
    let setup = prepare::setup(spec, id, seed)?;
    if let Some(error) = prepare::missing_key(spec) {
        return Err(Box::new(error));
    }
    let script = if spec.endpoint.dialect == Dialect::Sim {
        tokio::select! {
            script = load_script(&spec.model_id) => script.map_err(|e| Box::new(bad_script(spec, &e)))?,
            // The machine has its own words for a cancelled run.
            () = cancel.cancelled() => None,
        }
    } else {
        None
    };
    let judging = match &setup.plan {
        None => None,
        Some(plan) => {
            Some(Judging::start(plan.format.clone(), spec.assert_format).map_err(|_| Box::new(no_thread(spec)))?)
        }
    };
    Ok((setup, judging, script))
}

fn bad_script(spec: &RunSpec, error: &sim::script::ScriptError) -> RunError {
    let line = error.line.map(|line| ("line".to_owned(), line.to_string()));
    let next = ("next".to_owned(), "mend the script: the README shows its format".to_owned());
    prepare::early(spec, ErrorCode::Config, error.message.clone(), line.into_iter().chain([next]).collect())
}

fn no_thread(spec: &RunSpec) -> RunError {
    let message = "the system gives no thread to judge answers on".to_owned();
    prepare::early(spec, ErrorCode::Config, message, Vec::new())
}

struct Driver {
    spec: RunSpec,
    feed: Sender,
    machine: Machine,
    plan: Option<Plan>,
    judging: Option<Judging>,
    script: Option<Script>,
    running: Running,
    /// Candidates given to the judge so far.
    judged: u32,
    /// The ordinary tools at work.
    working: Working,
    /// What is kept of the run.
    tap: Option<Tap>,
    /// Tells what each read brought, when the surface asked for it.
    teller: Option<Teller>,
    /// What goes to the log.
    journal: Journal,
}

/// The call and the wait of the moment.
#[derive(Default)]
struct Running {
    source: Option<Source>,
    call: u32,
    began: Option<Instant>,
    /// Something of the answer came.
    heard: bool,
    /// The call carries the schema as the provider's own parameter.
    native: bool,
    wait: Option<(u32, Pin<Box<Sleep>>)>,
    /// What the call said beside its events, for the error it may end with.
    facts: Vec<(String, String)>,
}

/// What the loop woke up for.
enum Woke {
    Input(Input),
    Call(Heard),
}

impl Driver {
    async fn run(mut self, cancel: CancellationToken, deadline: Option<Instant>) {
        let mut limits = Limits { cancel: Some(cancel), deadline: deadline.map(|at| Box::pin(sleep_until(at))) };
        let mut effects = Vec::new();
        self.machine.step(Input::Start, &mut effects);
        loop {
            for effect in effects.drain(..) {
                self.execute(effect);
            }
            if self.machine.is_over() {
                return;
            }
            let woke = self.wake(&mut limits).await;
            match woke {
                Woke::Input(input) => self.machine.step(input, &mut effects),
                Woke::Call(Heard::Step(step)) => self.called(step, &mut effects),
                #[cfg(feature = "local")]
                Woke::Call(Heard::Progress(progress)) => self.inspect(Inspect::Progress(progress)),
                #[cfg(feature = "local")]
                Woke::Call(Heard::Fact(label, text)) => self.running.facts.push((label.to_owned(), text)),
            }
        }
    }

    /// Waits for what comes first; cancel and deadline before everything else.
    async fn wake(&mut self, limits: &mut Limits) -> Woke {
        let Self { running, judging, working, .. } = self;
        let Running { source, wait, .. } = running;
        tokio::select! {
            biased;
            input = limits.hit() => Woke::Input(input),
            step = next_of(source) => Woke::Call(step),
            (attempt, verdict) = verdict_of(judging) => Woke::Input(Input::Judged { attempt, verdict }),
            input = working.next() => Woke::Input(input),
            ticket = waited(wait) => Woke::Input(Input::Waited { ticket }),
        }
    }

    /// One thing that came from the running call.
    fn called(&mut self, step: Step, effects: &mut Vec<Effect>) {
        match step {
            Step::Began(head) => {
                let (call, first_byte_ms) = (self.running.call, self.elapsed_ms());
                self.inspect(Inspect::Response { call, status: head.status, headers: head.headers, first_byte_ms });
            }
            Step::Events(events) => {
                self.first();
                let ended = matches!(events.last(), Some(RawEvent::Terminal { .. }));
                let read = self.read(|teller, at, bytes| teller.events(at, bytes, &events));
                if ended {
                    self.running.source = None;
                }
                self.machine.step(Input::Raw(events), effects);
                self.tell(read, ended);
            }
            Step::Failed(mut failure) => {
                let read = self.read(|_, at, bytes| Teller::failure(at, bytes, &failure));
                self.running.source = None;
                if self.running.native {
                    prepare::refused_schema(&mut failure);
                }
                self.failed(&failure);
                self.machine.step(Input::CallFailed(failure), effects);
                self.tell(read, true);
            }
            Step::Ended => self.running.source = None,
        }
    }

    /// The first of a call's answer.
    fn first(&mut self) {
        if !std::mem::replace(&mut self.running.heard, true) {
            let (call, after_ms) = (self.running.call, self.elapsed_ms());
            self.inspect(Inspect::FirstRead { call, after_ms });
        }
    }

    /// Notes a read before the machine takes its events; nothing when nobody asked.
    fn read(&mut self, note: impl FnOnce(&Teller, (u32, u32, u64), Vec<u8>) -> Before) -> Option<Before> {
        let at = (self.running.call, self.machine.attempt(), self.elapsed_ms());
        let teller = self.teller.as_ref()?;
        let bytes = match &mut self.running.source {
            Some(Source::Wire(exchange)) => exchange.take_bytes(),
            Some(Source::Sim(_)) | None => Vec::new(),
            #[cfg(feature = "local")]
            Some(Source::Local(_)) => Vec::new(),
        };
        Some(note(teller, at, bytes))
    }

    /// Tells a read, before what it meant.
    fn tell(&mut self, read: Option<Before>, last: bool) {
        let (Some(read), Some(teller)) = (read, self.teller.as_mut()) else { return };
        let told = teller.tell(read, self.machine.stand(), last);
        if let Some(inspect) = told {
            self.inspect(inspect);
        }
    }

    fn failed(&mut self, failure: &CallFailure) {
        let (call, duration_ms) = (self.running.call, self.elapsed_ms());
        self.inspect(Inspect::Failed { call, failure: failure.clone(), duration_ms });
    }

    fn execute(&mut self, effect: Effect) {
        match effect {
            Effect::Emit(RunEvent::Error(mut error)) => {
                error.facts.append(&mut self.running.facts);
                prepare::add_facts(&mut error, &self.spec.endpoint);
                self.emit(RunEvent::Error(error));
            }
            Effect::Emit(event) => self.emit(event),
            Effect::Call { index, call } => self.call(index, &call),
            Effect::DropCall => self.running.source = None,
            Effect::Judge { attempt, text, wrapped } => self.judge(Job { attempt, text, wrapped }),
            Effect::RunTool { call } => self.working.start(&self.spec, call),
            Effect::Wait { ticket, min_ms } => {
                self.running.wait = Some((ticket, Box::pin(sleep(Duration::from_millis(min_ms)))));
            }
            Effect::Keep(record) => self.keep(*record),
            Effect::End => {}
        }
    }

    fn call(&mut self, index: u32, call: &Call) {
        self.running.call = index;
        self.running.began = Some(Instant::now());
        self.running.heard = false;
        self.running.native = call.format.is_some();
        self.inspect(Inspect::Called { call: index, attempt: self.machine.attempt() });
        let endpoint = &self.spec.endpoint;
        self.running.source = Some(match endpoint.dialect {
            Dialect::Sim => {
                let at = At { call: index, rejected: self.judged, script: self.script.as_ref() };
                Source::Sim(SimCall::new(&self.spec, self.plan.as_ref(), call, at))
            }
            #[cfg(feature = "local")]
            Dialect::Local => Source::Local(LocalCall::new(&self.spec, call)),
            _ => {
                let request = build(endpoint.dialect, &transport::target(endpoint), call);
                let mut exchange = Exchange::start(endpoint, &request, self.spec.idle_timeout);
                if self.teller.is_some() {
                    exchange.keep_bytes(Keep::Bytes);
                }
                let shown = exchange.shown();
                self.inspect(Inspect::Request {
                    call: index,
                    url: shown.url,
                    headers: shown.headers,
                    body: shown.body,
                    curl: shown.curl,
                });
                Source::Wire(Box::new(exchange))
            }
        });
    }

    fn judge(&mut self, job: Job) {
        self.judged = self.judged.saturating_add(1);
        if let Some(judging) = &self.judging {
            judging.submit(job);
        }
    }

    fn emit(&mut self, event: RunEvent) {
        self.journal.event(&event);
        if let Some(tap) = &self.tap {
            tap.event(&event);
        }
        self.feed.push(Item::Event(event));
    }

    fn keep(&mut self, record: AttemptRecord) {
        if let Some(tap) = &self.tap {
            tap.attempt(&record);
        }
        let duration_ms = self.elapsed_ms();
        self.inspect(Inspect::Attempt { record, duration_ms });
    }

    fn inspect(&mut self, inspect: Inspect) {
        self.journal.inspect(&inspect);
        self.feed.push(Item::Inspect(Box::new(inspect)));
    }

    /// Since the running call was sent.
    fn elapsed_ms(&self) -> u64 {
        let elapsed = self.running.began.map(|began| began.elapsed()).unwrap_or_default();
        u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
    }
}

/// What ends a run from outside; each at most once.
struct Limits {
    cancel: Option<CancellationToken>,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Limits {
    /// Cancel-safe: a limit is taken away only when it was hit.
    async fn hit(&mut self) -> Input {
        let Self { cancel, deadline } = self;
        tokio::select! {
            biased;
            () = cancelled(cancel.as_ref()) => {
                self.cancel = None;
                Input::Cancel
            }
            () = passed(deadline.as_mut()) => {
                self.deadline = None;
                Input::Deadline
            }
        }
    }
}

async fn cancelled(token: Option<&CancellationToken>) {
    match token {
        Some(token) => token.cancelled().await,
        None => std::future::pending().await,
    }
}

async fn passed(deadline: Option<&mut Pin<Box<Sleep>>>) {
    match deadline {
        Some(deadline) => deadline.as_mut().await,
        None => std::future::pending().await,
    }
}

async fn verdict_of(judging: &mut Option<Judging>) -> (u32, crate::machine::Verdict) {
    match judging {
        Some(judging) => judging.next().await,
        None => std::future::pending().await,
    }
}

async fn waited(wait: &mut Option<(u32, Pin<Box<Sleep>>)>) -> u32 {
    let ticket = match wait {
        Some((ticket, sleep)) => {
            sleep.as_mut().await;
            *ticket
        }
        None => std::future::pending().await,
    };
    *wait = None;
    ticket
}
