//! `POST /v1/responses`: the newer face of the same runs. Streamed or not, nothing is sent as content before it was
//! accepted; the stream's events are those of the official description, in its order.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use super::{Answer, NAMES, Wanting, failed, flag, now, problem, refusal, schema, turns, until_accepted};
use crate::dialect::Message;
use crate::event::RunError;
use crate::json::{Map, Value};
use crate::runtime;
use crate::serve::App;
use crate::serve::ask::{self, Ask, Refused};
use crate::serve::fields::{BadRequest, Fields};
use crate::serve::metrics::Metrics;
use crate::serve::routes::{body, json_response};

/// Answers a request of this face.
pub(in crate::serve) async fn responses(State(app): State<Arc<App>>, bytes: Result<Bytes, BytesRejection>) -> Response {
    let request = match body(&app, bytes) {
        Ok(request) => request,
        Err((status, message)) => return problem(status, "invalid_request_error", "invalid_request", None, &message),
    };
    if app.is_draining() {
        return refusal(&Refused::ShuttingDown);
    }
    let ready = read(request).and_then(|wanting| {
        let Wanting { ask, history, model, stream, .. } = wanting;
        Ok((ask.spec(&app, history)?, model, stream))
    });
    let (spec, model, streamed) = match ready {
        Ok(ready) => ready,
        Err(refused) => return refusal(&refused),
    };
    Metrics::one(&app.metrics.started);
    let handle = runtime::start(spec);
    let head = Head { id: handle.id.clone(), created: now(), model };
    if streamed {
        let first = stream::iter(head.begin());
        let rest = stream::once(async move {
            let events = match until_accepted(&app, handle).await {
                Ok(answer) => head.told(&answer),
                Err(error) => vec![head.broken(&error)],
            };
            stream::iter(events)
        });
        let events = first.chain(rest.flatten()).map(Ok::<_, Infallible>);
        return Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response();
    }
    match until_accepted(&app, handle).await {
        Ok(answer) => json_response(StatusCode::OK, &head.whole("completed", Some(&answer), &Value::Null)),
        Err(error) => failed(&error),
    }
}

fn read(request: Value) -> Result<Wanting, Refused> {
    let mut fields = Fields::of(request)?;
    let model = fields.text("model")?.ok_or_else(|| BadRequest::new("model", "`model` is missing"))?;
    let input = fields.any("input").ok_or_else(|| BadRequest::new("input", "`input` is missing"))?;
    let instructions = fields.text("instructions")?;
    let text = fields.any("text");
    let stream = flag(&mut fields, "stream")?;
    let most = fields.whole("max_output_tokens", u64::MAX)?;
    let effort = fields.any("reasoning").map(effort).transpose()?.flatten();
    for name in NAMES {
        fields.any(name);
    }
    fields.done()?;
    let (system, mut history) = match input {
        Value::String(text) => (None, vec![Message::user(text)]),
        list => turns(&list)?,
    };
    let system: Vec<String> = instructions.into_iter().chain(system).collect();
    let Some(Message::User { text: prompt, .. }) = history.pop() else {
        return Err(BadRequest::new("input", "the last message must be the user's").into());
    };
    let format = text.map(format).transpose()?.flatten();
    let ask = Ask {
        prompt,
        system: (!system.is_empty()).then(|| system.join("\n\n")),
        model: Some(model.clone()),
        format: format.map(|envelope| ask::format(&envelope, None)).transpose()?,
        max_output_tokens: most,
        reasoning_effort: effort,
        ..Ask::default()
    };
    Ok(Wanting { ask, history, model, stream, usage: true })
}

fn effort(value: Value) -> Result<Option<String>, BadRequest> {
    let mut fields = Fields::of(value).map_err(|_| BadRequest::new("reasoning", "`reasoning` must be an object"))?;
    let effort = fields.text("effort")?;
    fields.done()?;
    Ok(effort)
}

/// `text.format` has the members of `response_format.json_schema` beside its type.
fn format(text: Value) -> Result<Option<Value>, BadRequest> {
    let wrong = || BadRequest::new("text", "`text` must be {\"format\": {…}}");
    let mut fields = Fields::of(text).map_err(|_| wrong())?;
    let format = fields.any("format");
    fields.done()?;
    let Some(format) = format else { return Ok(None) };
    let Value::Object(mut members) = format else { return Err(wrong()) };
    if members.get("type").and_then(Value::as_str) != Some("json_schema") {
        return schema(Value::Object(members));
    }
    members.shift_remove("type");
    let mut outer = Map::new();
    outer.insert("type".to_owned(), json!("json_schema"));
    outer.insert("json_schema".to_owned(), Value::Object(members));
    schema(Value::Object(outer))
}

/// What all events of a response share.
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    fn whole(&self, status: &str, answer: Option<&Answer>, error: &Value) -> Value {
        let output = answer.map(|answer| self.item("completed", Some(&answer.text)));
        let usage = answer.map(|answer| {
            json!({ "input_tokens": answer.input, "input_tokens_details": { "cached_tokens": 0 },
                "output_tokens": answer.output, "output_tokens_details": { "reasoning_tokens": 0 },
                "total_tokens": answer.input + answer.output })
        });
        json!({ "id": format!("resp_{}", self.id), "object": "response", "created_at": self.created,
            "status": status, "model": self.model, "output": output.into_iter().collect::<Vec<_>>(),
            "error": error, "incomplete_details": null, "instructions": null, "metadata": {},
            "parallel_tool_calls": false, "tool_choice": "auto", "tools": [], "temperature": null, "top_p": null,
            "usage": usage })
    }

    fn item(&self, status: &str, text: Option<&str>) -> Value {
        let content: Vec<Value> = text.into_iter().map(part).collect();
        json!({ "type": "message", "id": self.message(), "status": status, "role": "assistant", "content": content })
    }

    fn message(&self) -> String {
        format!("msg_{}", self.id)
    }

    fn begin(&self) -> Vec<Event> {
        let response = self.whole("in_progress", None, &Value::Null);
        let two = ["response.created", "response.in_progress"];
        two.iter().enumerate().map(|(at, kind)| event(kind, at, json!({ "response": response }))).collect()
    }

    /// The accepted answer, as the events it would have streamed as.
    fn told(&self, answer: &Answer) -> Vec<Event> {
        let at = json!({ "item_id": self.message(), "output_index": 0, "content_index": 0 });
        let with = |more: Value| merged(at.clone(), more);
        let text = answer.text.as_str();
        let events = [
            ("response.output_item.added", json!({ "output_index": 0, "item": self.item("in_progress", None) })),
            ("response.content_part.added", with(json!({ "part": part("") }))),
            ("response.output_text.delta", with(json!({ "delta": text, "logprobs": [] }))),
            ("response.output_text.done", with(json!({ "text": text, "logprobs": [] }))),
            ("response.content_part.done", with(json!({ "part": part(text) }))),
            ("response.output_item.done", json!({ "output_index": 0, "item": self.item("completed", Some(text)) })),
            ("response.completed", json!({ "response": self.whole("completed", Some(answer), &Value::Null) })),
        ];
        events.into_iter().enumerate().map(|(at, (kind, data))| event(kind, at + 2, data)).collect()
    }

    fn broken(&self, error: &RunError) -> Event {
        let error = json!({ "code": error.code.code(), "message": error.message, "issues": error.issues });
        event("response.failed", 2, json!({ "response": self.whole("failed", None, &error) }))
    }
}

fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn merged(mut left: Value, right: Value) -> Value {
    if let (Some(left), Value::Object(right)) = (left.as_object_mut(), right) {
        left.extend(right);
    }
    left
}

fn event(kind: &str, number: usize, data: Value) -> Event {
    let head = json!({ "type": kind, "sequence_number": number });
    Event::default().event(kind).data(merged(head, data).to_string())
}
