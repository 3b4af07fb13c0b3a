//! Sessions and their runs: who asked what, what came of it, and the events in order.
//!
//! The events of a session stand in one list with rising ids; a connection is a place in it. So a slow client costs
//! nothing and stalls nobody, neighbouring deltas are joined when they are read, and whoever comes back with the last id
//! it saw goes on from there. Lives in memory: a restart begins empty.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Notify;

use super::App;
use super::ask::{Ask, Refused};
use super::metrics::Metrics;
use crate::dialect::Message;
use crate::event::{Mode, RunError, RunEvent};
use crate::feed::{Item, joined};
use crate::json::Value;
use crate::runtime::{self, Cancel, RunHandle};

/// Runs whose events a session still holds for those who come back.
const REPLAYED: usize = 4;
/// Ended runs that can still be asked for.
const REMEMBERED: usize = 10_000;
/// Sessions that are held; the longest unused goes first.
const SESSIONS: usize = 10_000;
/// Turns of a session that go into the next request.
const TURNS: usize = 200;
/// Deltas are joined up to about this many bytes in one frame.
const FRAME: usize = 256 * 1024;

/// All sessions and runs.
#[derive(Default)]
pub struct Hub {
    inner: Mutex<Inner>,
    connections: AtomicU64,
    /// Told whenever a run ends.
    ended: Notify,
}

#[derive(Default)]
struct Inner {
    sessions: HashMap<String, Session>,
    runs: HashMap<String, Run>,
    /// Ended runs, oldest first.
    old: VecDeque<String>,
    active: usize,
    uses: u64,
}

struct Session {
    history: Vec<Message>,
    title: String,
    log: VecDeque<Entry>,
    /// The id of the first entry of the log.
    first: u64,
    /// Where the runs of the log begin.
    begins: VecDeque<u64>,
    active: Option<String>,
    watchers: BTreeMap<u64, Arc<Notify>>,
    used: u64,
}

struct Entry {
    msg: Arc<str>,
    what: What,
}

enum What {
    Event(RunEvent),
    /// The result or error that ends the run, as it goes over the wire.
    End(Value),
}

struct Run {
    session: String,
    model: String,
    state: &'static str,
    end: Option<Value>,
    cancel: Option<Cancel>,
}

/// What a run was given on the way in.
#[derive(Debug, Clone)]
pub(super) struct Ack {
    pub(super) session_id: String,
    pub(super) msg_id: String,
}

/// What a connection reads next.
pub(super) enum Read {
    Frame {
        text: String,
        after: u64,
    },
    Nothing,
    /// Events after the asked id are held no longer; the list begins here.
    Gone {
        first: u64,
    },
    NoSession,
}

fn new_id() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// Begins a run of a session, new or old.
pub(super) fn begin(app: &Arc<App>, mut ask: Ask) -> Result<Ack, Refused> {
    if app.is_draining() {
        return Err(Refused::ShuttingDown);
    }
    let session_id = ask.session_id.take().unwrap_or_else(new_id);
    if session_id.is_empty() || session_id.len() > 64 || !session_id.bytes().all(|b| b.is_ascii_graphic()) {
        let message = "`session_id` must be 1 to 64 visible ASCII characters";
        return Err(super::fields::BadRequest::new("session_id", message).into());
    }
    let msg_id = new_id();
    let prompt = ask.prompt.clone();
    let mut inner = app.hub.lock();
    if inner.active >= app.limits.runs {
        return Err(Refused::TooManyRuns);
    }
    let known = inner.sessions.get(&session_id);
    if known.is_some_and(|session| session.active.is_some()) {
        return Err(Refused::RunActive);
    }
    let spec = ask.spec(app, known.map(|session| session.history.clone()).unwrap_or_default())?;
    let model = format!("{}/{}", spec.endpoint.provider, spec.model_id);
    let handle = runtime::start(spec);
    inner.open(&session_id, &msg_id, &prompt);
    let run =
        Run { session: session_id.clone(), model, state: "running", end: None, cancel: Some(handle.cancel.clone()) };
    inner.runs.insert(msg_id.clone(), run);
    inner.active += 1;
    drop(inner);
    Metrics::one(&app.metrics.started);
    let follow = Follow { app: Arc::clone(app), session: session_id.clone(), msg: msg_id.as_str().into(), prompt };
    tokio::spawn(follow.drive(handle));
    Ok(Ack { session_id, msg_id })
}

/// Takes a run's events into its session.
struct Follow {
    app: Arc<App>,
    session: String,
    msg: Arc<str>,
    prompt: String,
}

/// What a run has told of its result so far.
#[derive(Default)]
struct Told {
    value: Option<(u32, Mode, Value)>,
    hash: Option<String>,
    mode: Option<Mode>,
}

impl Follow {
    async fn drive(self, mut handle: RunHandle) {
        let began = Instant::now();
        let mut told = Told::default();
        while let Some(items) = handle.feed.next().await {
            for item in items {
                let Item::Event(event) = item else { continue };
                self.count(&event, &mut told);
                let end = self.end(&event, &mut told, began);
                self.app.hub.push(&self.session, &self.msg, What::Event(event));
                if let Some((state, answer, end)) = end {
                    self.app.hub.finish(&self, state, answer, end);
                }
            }
        }
    }

    fn count(&self, event: &RunEvent, told: &mut Told) {
        let metrics = &self.app.metrics;
        match event {
            RunEvent::RunStart { mode, schema_hash, .. } => {
                (told.mode, told.hash) = (*mode, schema_hash.clone());
                Metrics::one(&metrics.attempts);
            }
            RunEvent::StructuredOutputRetry { .. } => {
                Metrics::one(&metrics.retries);
                Metrics::one(&metrics.attempts);
            }
            RunEvent::Usage { usage, .. } => metrics.usage(usage),
            RunEvent::StructuredOutputEnd { attempt, mode, value } => {
                told.value = Some((*attempt, *mode, value.clone()));
            }
            _ => {}
        }
    }

    /// The state, the answer for the history, and the frame's data, when the event ends the run.
    fn end(&self, event: &RunEvent, told: &mut Told, began: Instant) -> Option<(&'static str, Option<String>, Value)> {
        match event {
            RunEvent::Done { message, .. } => {
                self.app.metrics.ended("done", began.elapsed());
                let (attempt, mode, value) = match told.value.take() {
                    Some((attempt, mode, value)) => (json!(attempt), json!(mode), value),
                    None => (json!(1), Value::Null, Value::Null),
                };
                let data = json!({
                    "type": "result", "session_id": self.session, "msg_id": &*self.msg, "content": message,
                    "structured_output": value, "structured_output_mode": mode, "attempt": attempt,
                    "schema_hash": told.hash,
                });
                Some(("done", Some(message.clone()), data))
            }
            RunEvent::Error(error) => {
                self.app.metrics.ended(error.code.code(), began.elapsed());
                let state = if error.code == crate::event::ErrorCode::Cancelled { "cancelled" } else { "failed" };
                Some((state, None, error_data(&self.session, &self.msg, error)))
            }
            _ => None,
        }
    }
}

/// The data of an error frame.
fn error_data(session: &str, msg: &str, error: &RunError) -> Value {
    json!({
        "type": "error", "session_id": session, "msg_id": msg, "code": error.code.code(),
        "content": error.message, "attempts": error.attempts, "issues": error.issues, "omitted": error.omitted,
        "retryable": error.retryable, "provider": error.provider, "model": error.model,
        "schema_hash": error.schema_hash,
    })
}

impl Inner {
    /// Makes room in the session for a new run, or makes the session.
    fn open(&mut self, id: &str, msg: &str, prompt: &str) {
        self.uses += 1;
        if !self.sessions.contains_key(id) && self.sessions.len() >= SESSIONS {
            let idle = self.sessions.iter().filter(|(_, s)| s.active.is_none() && s.watchers.is_empty());
            if let Some(oldest) = idle.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone()) {
                self.sessions.remove(&oldest);
            }
        }
        let session = self.sessions.entry(id.to_owned()).or_insert_with(|| Session {
            history: Vec::new(),
            title: prompt.lines().next().unwrap_or_default().chars().take(50).collect(),
            log: VecDeque::new(),
            first: 1,
            begins: VecDeque::new(),
            active: None,
            watchers: BTreeMap::new(),
            used: 0,
        });
        session.used = self.uses;
        session.active = Some(msg.to_owned());
        session.begins.push_back(session.next());
        while session.begins.len() > REPLAYED {
            session.begins.pop_front();
            let keep = session.begins.front().copied().unwrap_or(session.first);
            while session.first < keep && session.log.pop_front().is_some() {
                session.first += 1;
            }
        }
    }
}

impl Session {
    /// The id of the next entry.
    fn next(&self) -> u64 {
        self.first + self.log.len() as u64
    }

    fn at(&self, id: u64) -> Option<&Entry> {
        self.log.get(usize::try_from(id.checked_sub(self.first)?).ok()?)
    }
}

impl Hub {
    /// A panic elsewhere leaves everything as it was: every change is one step.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, session: &str, msg: &Arc<str>, what: What) {
        let mut inner = self.lock();
        let Some(session) = inner.sessions.get_mut(session) else { return };
        session.log.push_back(Entry { msg: Arc::clone(msg), what });
        for watcher in session.watchers.values() {
            watcher.notify_one();
        }
    }

    fn finish(&self, follow: &Follow, state: &'static str, answer: Option<String>, end: Value) {
        let mut inner = self.lock();
        if let Some(run) = inner.runs.get_mut(&*follow.msg) {
            (run.state, run.end, run.cancel) = (state, Some(end.clone()), None);
        }
        inner.active = inner.active.saturating_sub(1);
        inner.old.push_back(follow.msg.to_string());
        if inner.old.len() > REMEMBERED
            && let Some(oldest) = inner.old.pop_front()
        {
            inner.runs.remove(&oldest);
        }
        if let Some(session) = inner.sessions.get_mut(&follow.session) {
            session.active = None;
            if let Some(answer) = answer {
                session.history.push(Message::user(follow.prompt.clone()));
                session.history.push(Message::assistant(answer));
                let over = session.history.len().saturating_sub(2 * TURNS);
                session.history.drain(..over);
            }
        }
        drop(inner);
        self.push(&follow.session, &follow.msg, What::End(end));
        self.ended.notify_waiters();
    }

    /// A number for a connection.
    pub(super) fn connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Watches a session from after this id, or from its end. The id it stands at comes back; `None`: no such session.
    pub(super) fn watch(
        &self,
        session: &str,
        connection: u64,
        notify: &Arc<Notify>,
        after: Option<u64>,
    ) -> Option<u64> {
        let mut inner = self.lock();
        let session = inner.sessions.get_mut(session)?;
        session.watchers.insert(connection, Arc::clone(notify));
        notify.notify_one();
        let last = session.next() - 1;
        Some(after.unwrap_or(last).min(last))
    }

    /// The first id of the run that is under way or was the last one, less one: where its own client begins.
    pub(super) fn before_last_run(&self, session: &str) -> u64 {
        self.lock().sessions.get(session).and_then(|s| s.begins.back().copied()).map_or(0, |begin| begin - 1)
    }

    /// The connection is gone.
    pub(super) fn leave<'a>(&self, connection: u64, sessions: impl Iterator<Item = &'a String>) {
        let mut inner = self.lock();
        for id in sessions {
            if let Some(session) = inner.sessions.get_mut(id) {
                session.watchers.remove(&connection);
            }
        }
    }

    /// The next frame of a session after an id, neighbouring deltas joined.
    pub(super) fn read(&self, id: &str, after: u64) -> Read {
        let inner = self.lock();
        let Some(session) = inner.sessions.get(id) else { return Read::NoSession };
        if after + 1 < session.first {
            return Read::Gone { first: session.first };
        }
        let mut at = after + 1;
        let Some(entry) = session.at(at) else { return Read::Nothing };
        let data = match &entry.what {
            What::End(data) => {
                let mut data = data.clone();
                if let Some(data) = data.as_object_mut() {
                    data.insert("event_id".to_owned(), json!(at));
                }
                data
            }
            What::Event(event) => {
                let mut event = event.clone();
                let mut bytes = 0;
                while let Some(Entry { msg, what: What::Event(next) }) = session.at(at + 1)
                    && *msg == entry.msg
                    && bytes < FRAME
                    && let Some(more) = joined(&mut event, next)
                {
                    bytes += more;
                    at += 1;
                }
                json!({ "type": "stream_event", "session_id": id, "msg_id": &*entry.msg, "event_id": at, "event": event })
            }
        };
        drop(inner);
        Read::Frame { text: json!({ "type": "chat_response", "data": data }).to_string(), after: at }
    }

    /// Cancels a run; false when there is none of that name under way.
    pub(super) fn cancel(&self, msg: &str) -> bool {
        let cancel = self.lock().runs.get(msg).and_then(|run| run.cancel.clone());
        cancel.inspect(Cancel::cancel).is_some()
    }

    /// A run, for a client that missed it.
    pub(super) fn run(&self, msg: &str) -> Option<Value> {
        let inner = self.lock();
        let run = inner.runs.get(msg)?;
        Some(
            json!({ "msg_id": msg, "session_id": run.session, "model": run.model, "state": run.state, "end": run.end }),
        )
    }

    /// All sessions, the last used first.
    pub(super) fn sessions(&self) -> Value {
        let inner = self.lock();
        let mut rows: Vec<_> = inner.sessions.iter().collect();
        rows.sort_by_key(|(_, session)| std::cmp::Reverse(session.used));
        let row = |(id, session): (&String, &Session)| {
            let turns = session.history.len() / 2;
            json!({ "session_id": id, "title": session.title, "turns": turns, "active": session.active,
                "last_event_id": session.next() - 1 })
        };
        Value::Array(rows.into_iter().map(row).collect())
    }

    /// Runs under way.
    pub(super) fn active(&self) -> usize {
        self.lock().active
    }

    /// Waits until no run is under way; after the grace the rest is cancelled and given a moment to say so.
    pub(super) async fn settle(&self, grace: Duration) {
        if tokio::time::timeout(grace, self.quiet()).await.is_ok() {
            return;
        }
        let rest: Vec<Cancel> = self.lock().runs.values().filter_map(|run| run.cancel.clone()).collect();
        rest.iter().for_each(Cancel::cancel);
        let _ = tokio::time::timeout(Duration::from_secs(2), self.quiet()).await;
    }

    async fn quiet(&self) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            if self.active() == 0 {
                return;
            }
            ended.await;
        }
    }
}
