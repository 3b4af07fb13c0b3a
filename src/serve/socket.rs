//! One WebSocket connection: takes actions, sends the events of the sessions it watches, and ends when its client does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use serde_json::json;
use tokio::sync::Notify;

use super::App;
use super::ask::{Ask, Refused};
use super::fields::{BadRequest, Fields};
use super::hub::{self, Read};
use super::metrics::Metrics;
use crate::json::{ParseLimits, Value, parse};

/// Depth of a request: a schema may be 100 deep, below an envelope and the request itself.
const DEPTH: usize = 128;

/// The client is gone, or is to be cut off.
struct Gone;

struct Connection {
    socket: WebSocket,
    app: Arc<App>,
    id: u64,
    notify: Arc<Notify>,
    /// The sessions that are watched, and the last id that was sent of each.
    watched: BTreeMap<String, u64>,
}

/// Serves a connection to its end.
pub(super) async fn serve(socket: WebSocket, app: Arc<App>) {
    let id = app.hub.connection();
    let mut connection =
        Connection { socket, app: Arc::clone(&app), id, notify: Arc::new(Notify::new()), watched: BTreeMap::new() };
    if connection.run().await.is_err() {
        Metrics::one(&app.metrics.cut);
    }
    app.hub.leave(id, connection.watched.keys());
    app.connections.fetch_sub(1, Ordering::AcqRel);
}

impl Connection {
    /// `Ok` when the client or the server said goodbye.
    async fn run(&mut self) -> Result<(), Gone> {
        let silence = self.app.limits.silence;
        let mut beat = tokio::time::interval(silence / 3);
        let mut heard = Instant::now();
        let (notify, closing) = (Arc::clone(&self.notify), self.app.closing.clone());
        loop {
            tokio::select! {
                biased;
                () = closing.cancelled() => {
                    self.flush().await?;
                    let frame = CloseFrame { code: 1001, reason: "the server ends".into() };
                    return self.send(Message::Close(Some(frame))).await;
                }
                message = self.socket.recv() => {
                    heard = Instant::now();
                    match message {
                        None | Some(Ok(Message::Close(_))) => return Ok(()),
                        Some(Err(_)) => return Err(Gone),
                        Some(Ok(Message::Text(text))) => self.take(text.as_str()).await?,
                        Some(Ok(Message::Binary(_))) => {
                            let error = BadRequest::new("", "frames must be text");
                            self.refuse(None, None, &error.into()).await?;
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    }
                    self.flush().await?;
                }
                () = notify.notified() => self.flush().await?,
                _ = beat.tick() => {
                    if heard.elapsed() > silence {
                        return Err(Gone);
                    }
                    self.send(Message::Ping(bytes::Bytes::new())).await?;
                }
            }
        }
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match tokio::time::timeout(self.app.limits.write_patience, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    async fn say(&mut self, value: &Value) -> Result<(), Gone> {
        self.send(Message::Text(value.to_string().into())).await
    }

    /// Sends what the watched sessions have; what comes meanwhile is joined.
    async fn flush(&mut self) -> Result<(), Gone> {
        let sessions: Vec<String> = self.watched.keys().cloned().collect();
        for session in sessions {
            loop {
                let after = self.watched.get(&session).copied().unwrap_or_default();
                match self.app.hub.read(&session, after) {
                    Read::Frame { text, after } => {
                        self.send(Message::Text(text.into())).await?;
                        self.watched.insert(session.clone(), after);
                    }
                    Read::Nothing => break,
                    Read::NoSession => {
                        self.watched.remove(&session);
                        break;
                    }
                    Read::Gone { first } => {
                        let data = json!({ "session_id": session, "code": "events_gone", "first_event_id": first,
                            "error": "older events are held no longer: GET /api/runs/MSG_ID has the result" });
                        self.say(&json!({ "type": "action_error", "data": data })).await?;
                        self.watched.insert(session.clone(), first - 1);
                    }
                }
            }
        }
        Ok(())
    }

    async fn take(&mut self, text: &str) -> Result<(), Gone> {
        if text == "ping" {
            return self.say(&json!({ "type": "pong" })).await;
        }
        let limits = ParseLimits { max_bytes: self.app.limits.body, max_depth: DEPTH };
        let fields = match parse(text, limits) {
            Ok(value) => Fields::of(value),
            Err(error) => Err(BadRequest::new("", format!("the frame is no JSON: {error}"))),
        };
        let (mut fields, action) = match fields.and_then(|mut fields| Ok((fields.text("action")?, fields))) {
            Ok((Some(action), fields)) => (fields, action),
            Ok((None, _)) => {
                let error = BadRequest::new("action", "`action` is missing: chat, cancel, attach or ping");
                return self.refuse(None, None, &error.into()).await;
            }
            Err(error) => return self.refuse(None, None, &error.into()).await,
        };
        let outcome = match action.as_str() {
            "ping" => return self.say(&json!({ "type": "pong" })).await,
            "chat" => match Ask::chat(fields).and_then(|ask| hub::begin(&self.app, ask)) {
                Ok(ack) => return self.acknowledge(ack).await,
                Err(error) => Err(error),
            },
            "cancel" => match one(&mut fields, "msg_id").and_then(|id| fields.done().map(|()| id)) {
                Ok(msg_id) => {
                    let found = self.app.hub.cancel(&msg_id);
                    return self
                        .say(&json!({ "type": "cancel_ack", "data": { "msg_id": msg_id, "found": found } }))
                        .await;
                }
                Err(error) => Err(error.into()),
            },
            "attach" => match attach(fields) {
                Ok((session, after)) => return self.attach(session, after).await,
                Err(error) => Err(error.into()),
            },
            _ => {
                let message = "there is no such action: chat, cancel, attach or ping";
                Err(BadRequest::new("action", message).into())
            }
        };
        match outcome {
            Ok(()) => Ok(()),
            Err(error) => self.refuse(Some(&action), None, &error).await,
        }
    }

    async fn acknowledge(&mut self, ack: hub::Ack) -> Result<(), Gone> {
        let data = json!({ "session_id": ack.session_id, "msg_id": ack.msg_id });
        self.say(&json!({ "type": "chat_ack", "data": data })).await?;
        let from = self.watched.get(&ack.session_id).copied();
        let from = from.unwrap_or_else(|| self.app.hub.before_last_run(&ack.session_id));
        if let Some(at) = self.app.hub.watch(&ack.session_id, self.id, &self.notify, Some(from)) {
            self.watched.insert(ack.session_id, at);
        }
        Ok(())
    }

    async fn attach(&mut self, session: String, after: Option<u64>) -> Result<(), Gone> {
        let Some(at) = self.app.hub.watch(&session, self.id, &self.notify, after) else {
            let data = json!({ "action": "attach", "session_id": session, "code": "no_session",
                "error": "there is no such session: it was never begun, or the server was started again" });
            return self.say(&json!({ "type": "action_error", "data": data })).await;
        };
        self.watched.insert(session.clone(), at);
        let data = json!({ "session_id": session, "last_event_id": at });
        self.say(&json!({ "type": "attach_ack", "data": data })).await
    }

    /// Tells that nothing was dispatched. What concerns a chat is a chat response, all else an action error.
    async fn refuse(&mut self, action: Option<&str>, session: Option<&str>, error: &Refused) -> Result<(), Gone> {
        let (code, message) = (error.code(), error.message());
        let frame = match (action, error) {
            (Some("chat"), Refused::Schema(errors, session)) => json!({ "type": "chat_response", "data": {
                "type": "error", "session_id": session, "msg_id": null, "code": code, "content": message,
                "attempts": 0, "issues": [], "schema_errors": errors } }),
            (_, Refused::Request(bad)) => json!({ "type": "action_error", "data": {
                "action": action, "session_id": session, "code": code, "field": bad.field, "error": message } }),
            (Some("chat"), _) => json!({ "type": "chat_response", "data": {
                "type": "error", "session_id": session, "msg_id": null, "code": code, "content": message,
                "attempts": 0, "issues": [] } }),
            (_, _) => json!({ "type": "action_error", "data": {
                "action": action, "session_id": session, "code": code, "error": message } }),
        };
        self.say(&frame).await
    }
}

fn one(fields: &mut Fields, name: &'static str) -> Result<String, BadRequest> {
    fields.text(name)?.ok_or_else(|| BadRequest::new(name, format!("`{name}` is missing")))
}

fn attach(mut fields: Fields) -> Result<(String, Option<u64>), BadRequest> {
    let session = one(&mut fields, "session_id")?;
    let after = fields.whole("last_event_id", u64::MAX)?;
    fields.done()?;
    Ok((session, after))
}
