//! Starts runs and hands out their handles: the one way every surface runs a prompt.
//!
//! The driver executes the machine's effects: calls, judging (off the loop, bounded), waits, the deadline, cancel. It
//! decides nothing about a run: `plan` and `machine` do.

mod driver;
pub mod grammar;
mod journal;
mod judging;
mod keep;
mod prepare;
mod reads;
mod source;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::catalog::Endpoint;
use crate::dialect::{Attachment, Header, Message, ToolChoice, WireRequest, build};
use crate::event::{Mode, RunError};
use crate::feed::{self, Feed};
use crate::machine::{Budget, Effect, Input, Machine};
use crate::plan::Plan;
use crate::schema::ResponseFormat;
use crate::schema::project::Level;
use crate::sim::Tempo;
use crate::store::keeper::Keeper;
use crate::tool::Toolbox;
use crate::transport;

pub use crate::transport::detect::{LocalServer, detect};
pub use crate::transport::fetch::{FetchError, fetch};

/// Everything a run needs. Built by a surface, never changed afterwards.
#[derive(Debug, Clone)]
pub struct RunSpec {
    pub endpoint: Arc<Endpoint>,
    /// The model's id at that endpoint.
    pub model_id: String,
    pub system: Option<String>,
    /// Earlier turns, oldest first.
    pub history: Vec<Message>,
    pub prompt: String,
    /// Files that go with the prompt.
    pub attachments: Vec<Attachment>,
    pub format: Option<ResponseFormat>,
    pub level: Level,
    pub budget: Budget,
    /// Whole run.
    pub deadline: Option<Duration>,
    /// No byte for this long ends the call.
    pub idle_timeout: Duration,
    pub tool_choice: ToolChoice,
    pub max_output_tokens: Option<u64>,
    pub reasoning_effort: Option<String>,
    pub assert_format: bool,
    /// For whom the built-in provider types.
    pub tempo: Tempo,
    pub tools: Tools,
    /// The tools there are, besides the built-in provider's own, as far as the user allows them.
    pub toolbox: Toolbox,
    /// Where the schema came from, for what is kept.
    pub written: Option<Written>,
    /// Where the schema and its candidates are kept; `None` keeps nothing.
    pub keeper: Option<Keeper>,
    /// Is every read told, with its bytes and events?
    pub reads: Reads,
}

/// May a run tell what each read of its calls brought? Costs a copy of every byte, bounded by [`feed::raw::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    Told,
    Untold,
}

/// The schema of a run as the user has it.
#[derive(Debug, Clone)]
pub struct Written {
    /// As it was written, envelope and all.
    pub text: Arc<str>,
    /// The file it stands in.
    pub source: Option<PathBuf>,
}

/// No byte for this long ends a call, unless the surface says otherwise.
const IDLE: Duration = Duration::from_mins(2);

impl RunSpec {
    /// A run of plain text with every setting at its default: nothing before it, no schema, no deadline, tools offered,
    /// two minutes of silence allowed.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>, model_id: String, prompt: String) -> Self {
        Self {
            endpoint,
            model_id,
            system: None,
            history: Vec::new(),
            prompt,
            attachments: Vec::new(),
            format: None,
            level: Level::Exact,
            budget: Budget::default(),
            deadline: None,
            idle_timeout: IDLE,
            tool_choice: ToolChoice::Unset,
            max_output_tokens: None,
            reasoning_effort: None,
            assert_format: false,
            tempo: Tempo::AtOnce,
            tools: Tools::Offered,
            toolbox: Toolbox::default(),
            written: None,
            keeper: None,
            reads: Reads::Untold,
        }
    }
}

/// May the model call tools? The hidden submit tool is none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tools {
    /// Those of the toolbox, and the built-in provider's own.
    Offered,
    Withheld,
}

/// A running run. Dropping the handle cancels it.
pub struct RunHandle {
    pub id: String,
    pub feed: Feed,
    pub cancel: Cancel,
    /// Cancels when the handle goes; the fields above may be moved out of it meanwhile.
    _guard: DropGuard,
}

/// Cancels its run, at any moment, from anywhere.
#[derive(Clone)]
pub struct Cancel {
    pub(crate) token: CancellationToken,
}

impl Cancel {
    /// Idempotent.
    pub fn cancel(&self) {
        self.token.cancel();
    }
}

/// What a run would do, without doing it.
#[derive(Debug, Clone)]
pub struct DryRun {
    pub mode: Option<Mode>,
    pub plan: Option<Plan>,
    /// `None` for the built-in providers, which have no wire. Secret headers name their variable, never the key.
    pub request: Option<WireRequest>,
}

/// Starts a run on the current tokio runtime. Never fails: what is wrong comes as the run's `error` event.
#[must_use]
pub fn start(spec: RunSpec) -> RunHandle {
    let stamp = uuid::Uuid::now_v7();
    let id = stamp.simple().to_string();
    let (sender, feed) = feed::channel();
    let token = CancellationToken::new();
    // The low half of the id is random: enough to spread the waits of several programs.
    let seed = stamp.as_u64_pair().1;
    tokio::spawn(driver::drive(spec, id.clone(), seed, sender, token.clone()));
    RunHandle { id, feed, cancel: Cancel { token: token.clone() }, _guard: token.drop_guard() }
}

/// Negotiates and builds the first request, sends nothing. Needs no key.
///
/// # Errors
/// The same error a run would end with before its first call, but for a missing key.
pub fn dry_run(spec: &RunSpec) -> Result<DryRun, Box<RunError>> {
    let setup = prepare::setup(spec, "dry-run", 0)?;
    let plan = setup.plan.clone();
    let mut effects = Vec::new();
    Machine::new(setup).step(Input::Start, &mut effects);
    let call = effects.into_iter().find_map(|effect| match effect {
        Effect::Call { call, .. } => Some(call),
        _ => None,
    });
    let request = call.filter(|_| spec.endpoint.dialect.is_wire()).map(|call| {
        let mut request = build(spec.endpoint.dialect, &transport::target(&spec.endpoint), &call);
        request.url = crate::config::safe_url(&request.url);
        for (name, value) in transport::key_placeholders(&spec.endpoint) {
            request.headers.push(Header { name: name.to_owned(), value, secret: true });
        }
        request
    });
    Ok(DryRun { mode: plan.as_ref().map(|p| p.mode), plan, request })
}
