//! The OpenAI-compatible face: `POST /v1/chat/completions`, `POST /v1/responses` and `GET /v1/models`.
//!
//! In front of any provider it negotiates, judges locally and repairs once. What was not judged valid is never sent as
//! content: a structured answer streams only after it was accepted. A parameter that would be ignored is refused.

mod responses;

pub(super) use self::responses::responses;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde_json::json;

use super::App;
use super::ask::{self, Ask, Refused};
use super::fields::{BadRequest, Fields};
use super::metrics::Metrics;
use super::routes::{body, json_response};
use crate::catalog::Wanted;
use crate::dialect::Message;
use crate::event::{ErrorCode, RunError, RunEvent, Usage};
use crate::feed::Item;
use crate::json::{Map, Value};
use crate::runtime::{self, RunHandle, RunSpec};

/// A request of this face, understood.
struct Wanting {
    ask: Ask,
    history: Vec<Message>,
    model: String,
    stream: bool,
    usage: bool,
}

/// `GET /v1/models`.
pub(super) async fn models(State(app): State<Arc<App>>) -> Response {
    let rows = tokio::task::spawn_blocking(move || app.catalog.list(Wanted::Ready)).await.unwrap_or_default();
    let data: Vec<Value> = rows
        .iter()
        .filter(|row| row.ready)
        .map(|row| {
            json!({ "id": row.name, "object": "model", "created": 0,
            "owned_by": row.name.split('/').next().unwrap_or_default() })
        })
        .collect();
    json_response(StatusCode::OK, &json!({ "object": "list", "data": data }))
}

/// `POST /v1/chat/completions`.
pub(super) async fn completions(State(app): State<Arc<App>>, bytes: Result<Bytes, BytesRejection>) -> Response {
    let request = match body(&app, bytes) {
        Ok(request) => request,
        Err((status, message)) => return problem(status, "invalid_request_error", "invalid_request", None, &message),
    };
    let (wanting, spec) = match prepare(&app, request) {
        Ok(ready) => ready,
        Err(refused) => return refusal(&refused),
    };
    Metrics::one(&app.metrics.started);
    let structured = spec.format.is_some();
    let handle = runtime::start(spec);
    let head = Head { id: format!("chatcmpl-{}", handle.id), created: now(), model: wanting.model.clone() };
    if wanting.stream && !structured {
        return live(&app, handle, head, wanting.usage);
    }
    if wanting.stream {
        return held(app, handle, head, wanting.usage);
    }
    match until_accepted(&app, handle).await {
        Ok(answer) => json_response(StatusCode::OK, &head.completion(&answer)),
        Err(error) => failed(&error),
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn prepare(app: &App, request: Value) -> Result<(Wanting, RunSpec), Refused> {
    if app.is_draining() {
        return Err(Refused::ShuttingDown);
    }
    let mut wanting = read(request)?;
    let ask = std::mem::take(&mut wanting.ask);
    let history = std::mem::take(&mut wanting.history);
    let spec = ask.spec(app, history)?;
    Ok((wanting, spec))
}

/// Parameters that change nothing here and are taken: they name, they do not steer.
const NAMES: [&str; 7] =
    ["user", "metadata", "store", "safety_identifier", "prompt_cache_key", "service_tier", "parallel_tool_calls"];

fn read(request: Value) -> Result<Wanting, Refused> {
    let mut fields = Fields::of(request)?;
    let model = fields.text("model")?.ok_or_else(|| BadRequest::new("model", "`model` is missing"))?;
    let messages = fields.any("messages").ok_or_else(|| BadRequest::new("messages", "`messages` is missing"))?;
    let format = fields.any("response_format");
    let stream = flag(&mut fields, "stream")?;
    let usage = stream_usage(&mut fields)?;
    let most = fields.whole("max_completion_tokens", u64::MAX)?;
    let most = most.or(fields.whole("max_tokens", u64::MAX)?);
    let effort = fields.text("reasoning_effort")?;
    if fields.whole("n", 1)? == Some(0) {
        return Err(BadRequest::new("n", "`n` must be 1").into());
    }
    for name in NAMES {
        fields.any(name);
    }
    fields.done()?;
    let (system, mut history) = turns(&messages)?;
    let Some(Message::User { text: prompt, .. }) = history.pop() else {
        return Err(BadRequest::new("messages", "the last message must be the user's").into());
    };
    let format = match format {
        Some(value) => schema(value)?.map(|schema| ask::format(&schema, None)).transpose()?,
        None => None,
    };
    let ask = Ask {
        prompt,
        system,
        model: Some(model.clone()),
        format,
        max_output_tokens: most,
        reasoning_effort: effort,
        ..Ask::default()
    };
    Ok(Wanting { ask, history, model, stream, usage })
}

fn flag(fields: &mut Fields, name: &'static str) -> Result<bool, BadRequest> {
    match fields.any(name) {
        None => Ok(false),
        Some(Value::Bool(on)) => Ok(on),
        Some(_) => Err(BadRequest::new(name, format!("`{name}` must be true or false"))),
    }
}

fn stream_usage(fields: &mut Fields) -> Result<bool, BadRequest> {
    let Some(options) = fields.any("stream_options") else { return Ok(false) };
    let mut options = Fields::of(options).map_err(|_| BadRequest::new("stream_options", "it must be an object"))?;
    let usage = flag(&mut options, "include_usage")?;
    options.any("include_obfuscation");
    options.done()?;
    Ok(usage)
}

/// The schema of `response_format`, as an envelope of ours; `None` for text.
fn schema(value: Value) -> Result<Option<Value>, BadRequest> {
    let wrong = |message: &str| BadRequest::new("response_format", message);
    let mut fields = Fields::of(value).map_err(|_| wrong("`response_format` must be an object"))?;
    match fields.text("type")?.as_deref() {
        Some("text") => fields.done().map(|()| None),
        Some("json_object") => {
            fields.done()?;
            Ok(Some(json!({ "type": "json_schema", "schema": { "type": "object" }, "fallback": "prompt" })))
        }
        Some("json_schema") => {
            let inner = fields.any("json_schema").ok_or_else(|| wrong("`json_schema` is missing"))?;
            fields.done()?;
            let Value::Object(mut inner) = inner else { return Err(wrong("`json_schema` must be an object")) };
            // The official clients send what is not set as null.
            inner.retain(|_, value| !value.is_null());
            let mut envelope = Map::new();
            envelope.insert("type".to_owned(), json!("json_schema"));
            envelope.extend(inner);
            envelope.insert("fallback".to_owned(), json!("prompt"));
            Ok(Some(Value::Object(envelope)))
        }
        _ => Err(wrong("`response_format.type` must be text, json_object or json_schema")),
    }
}

/// System text and turns.
fn turns(messages: &Value) -> Result<(Option<String>, Vec<Message>), BadRequest> {
    let wrong = |message: &str| BadRequest::new("messages", message);
    let list = messages.as_array().ok_or_else(|| wrong("the messages must be a list"))?;
    let (mut system, mut turns) = (Vec::new(), Vec::new());
    for message in list {
        let text = content(message.get("content")).ok_or_else(|| wrong("a message's content must be text"))?;
        match message.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => system.push(text),
            Some("user") => turns.push(Message::user(text)),
            Some("assistant") => turns.push(Message::assistant(text)),
            _ => return Err(wrong("a message's role must be system, developer, user or assistant")),
        }
    }
    Ok(((!system.is_empty()).then(|| system.join("\n\n")), turns))
}

/// A text, or a list of text parts.
fn content(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let text = |part: &Value| {
                let kind = part.get("type").and_then(Value::as_str);
                let is_text = matches!(kind, Some("text" | "input_text" | "output_text"));
                part.get("text").and_then(Value::as_str).filter(|_| is_text).map(str::to_owned)
            };
            parts.iter().map(text).collect()
        }
        _ => None,
    }
}

/// An accepted answer.
struct Answer {
    text: String,
    input: u64,
    output: u64,
}

/// What one event means to this face, counted on the way.
enum Heard {
    Delta(String),
    End(Result<Answer, Box<RunError>>),
    Other,
}

/// Adds up what the calls of a run cost.
struct Counting {
    app: Arc<App>,
    began: Instant,
    input: u64,
    output: u64,
}

impl Counting {
    fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), began: Instant::now(), input: 0, output: 0 }
    }

    fn hear(&mut self, item: Item) -> Heard {
        let Item::Event(event) = item else { return Heard::Other };
        match event {
            RunEvent::TextDelta { delta, .. } => Heard::Delta(delta),
            RunEvent::Usage { usage, .. } => {
                self.count(&usage);
                Heard::Other
            }
            RunEvent::StructuredOutputRetry { .. } => {
                Metrics::one(&self.app.metrics.retries);
                Heard::Other
            }
            RunEvent::Done { message, .. } => {
                self.app.metrics.ended("done", self.began.elapsed());
                Heard::End(Ok(Answer { text: message, input: self.input, output: self.output }))
            }
            RunEvent::Error(error) => {
                self.app.metrics.ended(error.code.code(), self.began.elapsed());
                Heard::End(Err(error))
            }
            _ => Heard::Other,
        }
    }

    fn count(&mut self, usage: &Usage) {
        self.app.metrics.usage(usage);
        self.input += usage.input_tokens.unwrap_or(0);
        self.output += usage.output_tokens.unwrap_or(0);
    }
}

async fn until_accepted(app: &Arc<App>, mut handle: RunHandle) -> Result<Answer, Box<RunError>> {
    let mut counting = Counting::new(app);
    while let Some(items) = handle.feed.next().await {
        for item in items {
            if let Heard::End(end) = counting.hear(item) {
                return end;
            }
        }
    }
    Err(Box::new(broken()))
}

/// The run's task went away without an end: it panicked.
fn broken() -> RunError {
    RunError {
        code: ErrorCode::Provider,
        message: "the run broke".to_owned(),
        provider: String::new(),
        model: String::new(),
        attempts: 0,
        issues: Vec::new(),
        omitted: 0,
        retryable: false,
        schema_hash: None,
        position: None,
        hint: None,
        facts: Vec::new(),
    }
}

/// What all chunks of an answer share.
#[derive(Clone)]
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    fn completion(&self, answer: &Answer) -> Value {
        json!({ "id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": [{ "index": 0, "finish_reason": "stop", "logprobs": null,
                "message": { "role": "assistant", "content": answer.text, "refusal": null } }],
            "usage": usage(answer) })
    }

    fn chunk(&self, delta: &Value, finish: &Value) -> Event {
        Event::default().data(
            json!({ "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish, "logprobs": null }] })
            .to_string(),
        )
    }

    /// The last events of a good answer.
    fn last(&self, answer: &Answer, with_usage: bool) -> Vec<Event> {
        let mut events = vec![self.chunk(&json!({}), &json!("stop"))];
        if with_usage {
            let chunk = json!({ "id": self.id, "object": "chat.completion.chunk", "created": self.created,
                "model": self.model, "choices": [], "usage": usage(answer) });
            events.push(Event::default().data(chunk.to_string()));
        }
        events.push(Event::default().data("[DONE]"));
        events
    }
}

fn usage(answer: &Answer) -> Value {
    json!({ "prompt_tokens": answer.input, "completion_tokens": answer.output,
        "total_tokens": answer.input + answer.output })
}

/// A structured answer: nothing is sent before it was accepted.
fn held(app: Arc<App>, handle: RunHandle, head: Head, with_usage: bool) -> Response {
    let once = async move {
        let events = match until_accepted(&app, handle).await {
            Ok(answer) => {
                let first = json!({ "role": "assistant", "content": answer.text });
                let mut events = vec![head.chunk(&first, &Value::Null)];
                events.extend(head.last(&answer, with_usage));
                events
            }
            Err(error) => vec![Event::default().data(error_body(&error).to_string())],
        };
        stream::iter(events.into_iter().map(Ok::<_, Infallible>))
    };
    let events = futures_util::StreamExt::flatten(stream::once(once));
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

/// A text answer streams as it comes; dropping the response cancels the run.
fn live(app: &Arc<App>, handle: RunHandle, head: Head, with_usage: bool) -> Response {
    let first = head.chunk(&json!({ "role": "assistant", "content": "" }), &Value::Null);
    let state = (Counting::new(app), Some(handle), head);
    let rest = stream::unfold(state, move |(mut counting, handle, head)| async move {
        let mut handle = handle?;
        let mut events = Vec::new();
        let mut text = String::new();
        let mut end = None;
        for item in handle.feed.next().await? {
            match counting.hear(item) {
                Heard::Delta(delta) => text.push_str(&delta),
                Heard::End(outcome) => end = Some(outcome),
                Heard::Other => {}
            }
        }
        if !text.is_empty() {
            events.push(head.chunk(&json!({ "content": text }), &Value::Null));
        }
        let over = end.is_some();
        match end {
            Some(Ok(answer)) => events.extend(head.last(&answer, with_usage)),
            Some(Err(error)) => events.push(Event::default().data(error_body(&error).to_string())),
            None => {}
        }
        let next = (counting, (!over).then_some(handle), head);
        Some((stream::iter(events.into_iter().map(Ok::<_, Infallible>)), next))
    });
    let first = stream::iter([Ok::<_, Infallible>(first)]);
    let events = futures_util::StreamExt::chain(first, futures_util::StreamExt::flatten(rest));
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

/// An error in the shape the clients know.
fn problem(status: StatusCode, kind: &str, code: &str, param: Option<&str>, message: &str) -> Response {
    let error = json!({ "message": message, "type": kind, "param": param, "code": code });
    json_response(status, &json!({ "error": error }))
}

fn refusal(refused: &Refused) -> Response {
    let status = StatusCode::from_u16(refused.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let param = match refused {
        Refused::Request(bad) => Some(bad.field.as_str()),
        Refused::Schema(..) => Some("response_format"),
        Refused::Model(_) | Refused::NoModel => Some("model"),
        Refused::RunActive | Refused::TooManyRuns | Refused::ShuttingDown => None,
    };
    problem(status, "invalid_request_error", refused.code(), param, &refused.message())
}

fn error_body(error: &RunError) -> Value {
    let (_, kind) = status_of(error.code);
    json!({ "error": { "message": error.message, "type": kind, "param": null, "code": error.code.code(),
        "attempts": error.attempts, "issues": error.issues, "omitted": error.omitted,
        "schema_hash": error.schema_hash } })
}

fn failed(error: &RunError) -> Response {
    let (status, _) = status_of(error.code);
    json_response(status, &error_body(error))
}

fn status_of(code: ErrorCode) -> (StatusCode, &'static str) {
    match code {
        ErrorCode::InvalidSchema | ErrorCode::Unsupported => (StatusCode::BAD_REQUEST, "invalid_request_error"),
        // 422: asked again, the official clients do not retry it; one repair was tried already.
        ErrorCode::InvalidJson
        | ErrorCode::ValidationFailed
        | ErrorCode::MissingSubmission
        | ErrorCode::MixedSubmission
        | ErrorCode::Refusal
        | ErrorCode::Incomplete => (StatusCode::UNPROCESSABLE_ENTITY, "generation_error"),
        ErrorCode::RateLimited => (StatusCode::TOO_MANY_REQUESTS, "rate_limit_error"),
        ErrorCode::Timeout => (StatusCode::GATEWAY_TIMEOUT, "timeout_error"),
        ErrorCode::Auth | ErrorCode::Transport | ErrorCode::Provider | ErrorCode::ReplayMismatch => {
            (StatusCode::BAD_GATEWAY, "upstream_error")
        }
        ErrorCode::Cancelled => (StatusCode::SERVICE_UNAVAILABLE, "cancelled"),
        ErrorCode::Config => (StatusCode::INTERNAL_SERVER_ERROR, "config_error"),
    }
}
