//! The thread that owns the model: loaded at the first call and kept, one call at a time, events back in batches.
//!
//! The model of the last call and what it was told stay, so that the next turn and a repair feed only what is new.
//! Dropping the receiver cancels: looked at between tokens, between the parts of a prompt and between tensors. A panic
//! in the arithmetic ends the call with a failure; the next call loads anew.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::SystemTime;

use tokio::sync::mpsc as bounded;

use super::answer::Reader;
use super::constraint::TokenSet;
use super::generate::{Conversation, End, GenerateError, Kinds, Network, Words};
use super::gguf::Gguf;
use super::grammar::{Compiler, Form};
use super::model::{Cache, Hidden, Model, ModelError};
use super::template::Template;
use super::tokenizer::Tokenizer;
use crate::dialect::{Call, ToolChoice};
use crate::event::{CallFailure, ErrorCode, Phase, Progress, RawEvent, Terminal, Usage};

/// An answer has at most this many tokens when nobody says how many: a small model that has said nothing until then
/// will not.
const DEFAULT_BUDGET: usize = 1_024;
/// Batches that wait to be taken; then the model waits too.
const QUEUE: usize = 64;
/// More threads than this wait for the memory, not for one another.
const MAX_THREADS: usize = 8;

/// What the engine says while it works on a call. Ends with a terminal or a failure.
#[derive(Debug)]
pub enum Said {
    Progress(Progress),
    Events(Vec<RawEvent>),
    /// A fact for the error that follows.
    Fact(&'static str, String),
    Failed(CallFailure),
}

struct Request {
    path: PathBuf,
    call: Call,
    out: bounded::Sender<Said>,
}

/// One model at a time is as much as a machine should be asked for.
static ENGINE: Mutex<Option<mpsc::Sender<Request>>> = Mutex::new(None);

/// Puts a call to the model in this file. Dropping the receiver cancels it.
#[must_use]
pub fn ask(path: PathBuf, call: Call) -> bounded::Receiver<Said> {
    let (out, said) = bounded::channel(QUEUE);
    let mut request = Request { path, call, out };
    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    // Twice: a thread that is gone is replaced.
    for _ in 0..2 {
        let Some(sender) = engine.take().or_else(start) else {
            let _ = request.out.try_send(Said::Failed(failure("the system gives no thread to run a model on")));
            return said;
        };
        match sender.send(request) {
            Ok(()) => {
                *engine = Some(sender);
                return said;
            }
            Err(mpsc::SendError(back)) => request = back,
        }
    }
    said
}

fn start() -> Option<mpsc::Sender<Request>> {
    let (sender, requests) = mpsc::channel::<Request>();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.saturating_sub(1).clamp(1, MAX_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|_| "model".to_owned()).build().ok()?;
    let work = move || {
        let mut loaded = None;
        for request in requests {
            let worked = catch_unwind(AssertUnwindSafe(|| pool.install(|| serve(&mut loaded, &request))));
            if worked.is_err() {
                loaded = None;
                let _ = request.out.blocking_send(Said::Failed(failure("the model stopped in the middle of its work")));
            }
        }
    };
    std::thread::Builder::new().name("engine".to_owned()).spawn(work).ok()?;
    Some(sender)
}

/// A model that is ready.
struct Loaded {
    file: Stamp,
    tokenizer: Arc<Tokenizer>,
    compiler: Compiler,
    template: Template,
    kinds: Kinds,
    conversation: Conversation<Running>,
}

/// Which file it was: one that was replaced is another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    path: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

fn serve(loaded: &mut Option<Loaded>, request: &Request) {
    let ended = match ready(loaded, request) {
        Ok(Some(model)) => model.serve(request),
        Ok(None) => Ok(()),
        Err(failed) => Err(failed),
    };
    if let Err(failed) = ended {
        let _ = request.out.blocking_send(Said::Failed(*failed));
    }
}

type Failed = Box<CallFailure>;

/// The model of the call, loaded if it is not there. Nothing when nobody listens any more.
fn ready<'a>(loaded: &'a mut Option<Loaded>, request: &Request) -> Result<Option<&'a mut Loaded>, Failed> {
    if request.out.is_closed() {
        return Ok(None);
    }
    let about = fs_err::metadata(&request.path).map_err(|error| config(&error))?;
    let file = Stamp { path: request.path.clone(), bytes: about.len(), changed: about.modified().ok() };
    if loaded.as_ref().is_none_or(|model| model.file != file) {
        // The old one goes first: there may be no room for both.
        *loaded = None;
        *loaded = load(file, &request.out)?;
    }
    Ok(loaded.as_mut())
}

fn load(file: Stamp, out: &bounded::Sender<Said>) -> Result<Option<Loaded>, Failed> {
    let gguf = Gguf::open(&file.path).map_err(|error| config(&error))?;
    let tokenizer = Arc::new(Tokenizer::from_gguf(&gguf).map_err(|error| config(&error))?);
    let template = Template::new(&gguf, &tokenizer).map_err(|error| config(&error))?;
    let mut progress = |done, total| tell(out, Phase::Loading, done, total);
    let model = match Model::load(&gguf, &mut progress) {
        Ok(model) => model,
        Err(ModelError::Stopped) => return Ok(None),
        Err(error) => return Err(config(&error)),
    };
    let compiler = Compiler::new(&tokenizer).map_err(|error| config(&error))?;
    let kinds = Kinds::new(tokenizer.as_ref());
    let cache = model.cache();
    let running = Running { model, cache, hidden: Hidden::default(), logits: Vec::new() };
    Ok(Some(Loaded { file, tokenizer, compiler, template, kinds, conversation: Conversation::new(running) }))
}

fn tell(out: &bounded::Sender<Said>, phase: Phase, done: u64, total: u64) -> ControlFlow<()> {
    if out.is_closed() {
        return ControlFlow::Break(());
    }
    // Progress is only worth telling while somebody keeps up.
    let _ = out.try_send(Said::Progress(Progress { phase, done, total }));
    ControlFlow::Continue(())
}

impl Loaded {
    fn serve(&mut self, request: &Request) -> Result<(), Failed> {
        let (call, out) = (&request.call, &request.out);
        let prompt = self.template.prompt(&self.tokenizer, call).map_err(|error| config(&error))?;
        let form = Form {
            schema: call.format.as_ref().map(|format| &format.schema),
            tools: &call.tools,
            choice: &call.tool_choice,
            parallel: call.parallel_tool_calls != Some(false),
        };
        let constraint = self.compiler.answer(&form).map_err(|error| {
            let mut failed = failure(&error.to_string());
            failed.code = ErrorCode::Unsupported;
            Box::new(failed)
        })?;
        send(out, vec![RawEvent::Model { id: call.model_id.clone() }]);
        let mut progress = |done: usize, total: usize| tell(out, Phase::Prefill, done as u64, total as u64);
        let cached = match self.conversation.prefill(&prompt, &mut progress) {
            Ok(Some(cached)) => cached,
            Ok(None) => return Ok(()),
            Err(GenerateError::TooLong { tokens, limit }) => {
                overflow(out, tokens, limit);
                return Ok(());
            }
            Err(error) => return Err(provider(&error)),
        };
        let with_calls = !call.tools.is_empty() && call.tool_choice != ToolChoice::None;
        let mut reader = Reader::new(with_calls);
        let budget = call.max_output_tokens.and_then(|most| usize::try_from(most).ok()).unwrap_or(DEFAULT_BUDGET);
        let mut say = |text: String| {
            let mut events = Vec::new();
            reader.push(text, &mut events);
            if send(out, events) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let words = self.tokenizer.as_ref();
        let made = self.conversation.answer(words, &self.kinds, constraint, budget, &mut say);
        let outcome = made.map_err(|error| provider(&error))?;
        let mut events = Vec::new();
        reader.finish(&mut events);
        let usage = Usage {
            input_tokens: Some(prompt.len() as u64),
            output_tokens: Some(outcome.tokens as u64),
            reasoning_tokens: None,
            cached_tokens: Some(cached as u64),
        };
        events.push(RawEvent::Usage { usage });
        let terminal = match outcome.end {
            End::Complete if reader.has_calls() => Terminal::ToolUse,
            End::Complete => Terminal::Stop,
            End::Length => Terminal::Length,
            End::Cancelled => return Ok(()),
        };
        events.push(RawEvent::Terminal { terminal });
        send(out, events);
        Ok(())
    }
}

/// False when nobody listens any more. Waits for a slow listener.
fn send(out: &bounded::Sender<Said>, events: Vec<RawEvent>) -> bool {
    if events.is_empty() { !out.is_closed() } else { out.blocking_send(Said::Events(events)).is_ok() }
}

fn overflow(out: &bounded::Sender<Said>, tokens: usize, limit: usize) {
    let fact = format!("the prompt has {tokens} tokens, the model's context holds {limit}");
    let _ = out.blocking_send(Said::Fact("context", fact));
    let usage = Usage { input_tokens: Some(tokens as u64), ..Usage::default() };
    let terminal = Terminal::ContextOverflow;
    send(out, vec![RawEvent::Usage { usage }, RawEvent::Terminal { terminal }]);
}

/// Something about the model's file or the call's form.
#[allow(clippy::unnecessary_box_returns, reason = "the error of this file's results, made by map_err")]
fn config(error: &dyn std::fmt::Display) -> Failed {
    Box::new(failure(&error.to_string()))
}

#[allow(clippy::unnecessary_box_returns, reason = "the error of this file's results, made by map_err")]
fn provider(error: &GenerateError) -> Failed {
    let mut failed = failure(&error.to_string());
    failed.code = ErrorCode::Provider;
    Box::new(failed)
}

fn failure(message: &str) -> CallFailure {
    CallFailure {
        code: ErrorCode::Config,
        status: None,
        provider_code: None,
        request_id: None,
        retryable: false,
        retry_after_ms: None,
        message: message.to_owned(),
        detail: None,
    }
}

/// A model with its conversation.
struct Running {
    model: Model,
    cache: Cache,
    hidden: Hidden,
    logits: Vec<f32>,
}

impl Network for Running {
    fn context(&self) -> usize {
        self.model.shape().context
    }

    fn truncate(&mut self, length: usize) {
        self.cache.truncate(length);
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<(), ModelError> {
        self.hidden = self.model.feed(&mut self.cache, tokens)?;
        Ok(())
    }

    fn logits(&mut self, only: Option<&TokenSet>) -> Result<&[f32], ModelError> {
        self.model.logits(&self.hidden, only, &mut self.logits)?;
        Ok(&self.logits)
    }
}

impl Words for Tokenizer {
    fn bytes(&self, token: u32) -> &[u8] {
        Self::bytes(self, token)
    }

    fn size(&self) -> usize {
        self.len()
    }

    fn stops(&self) -> &[u32] {
        Self::stops(self)
    }
}
