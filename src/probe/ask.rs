//! Sends one request of a probe and gathers its answer, bounded in size and time. Never sends twice.

use std::time::Duration;

use tokio::time::timeout;

use crate::catalog::Endpoint;
use crate::dialect::{Call, build};
use crate::event::{CallFailure, ErrorCode, RawEvent, Terminal};
use crate::transport::{self, Exchange, Step};

/// An answer that is longer than this is none to a small question.
const MAX_BYTES: usize = 256 * 1024;

/// What came back.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) text: String,
    /// Name and raw arguments.
    pub(super) calls: Vec<(String, String)>,
    pub(super) streamed: bool,
    pub(super) terminal: Terminal,
}

/// Sends and gathers.
pub(super) async fn ask(endpoint: &Endpoint, call: &Call, patience: Duration) -> Result<Answer, CallFailure> {
    let late = |_| Err(failure(ErrorCode::Timeout, "no whole answer came in time"));
    timeout(patience, gather(endpoint, call, patience)).await.unwrap_or_else(late)
}

async fn gather(endpoint: &Endpoint, call: &Call, patience: Duration) -> Result<Answer, CallFailure> {
    let request = build(endpoint.dialect, &transport::target(endpoint), call);
    let mut exchange = Exchange::start(endpoint, &request, patience);
    let mut gathered = Gathered {
        answer: Answer { text: String::new(), calls: Vec::new(), streamed: true, terminal: Terminal::Missing },
        slots: Vec::new(),
        bytes: 0,
    };
    loop {
        match exchange.next().await {
            Step::Began(head) => {
                let kind =
                    head.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
                gathered.answer.streamed = !kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"));
            }
            Step::Events(events) => {
                for event in events {
                    gathered.take(event)?;
                }
            }
            Step::Failed(failure) => return Err(failure),
            Step::Ended => return Ok(gathered.answer),
        }
    }
}

struct Gathered {
    answer: Answer,
    /// The slot of each call.
    slots: Vec<u32>,
    bytes: usize,
}

impl Gathered {
    fn take(&mut self, event: RawEvent) -> Result<(), CallFailure> {
        match event {
            RawEvent::Text { delta } => {
                self.grow(delta.len())?;
                self.answer.text.push_str(&delta);
            }
            RawEvent::ToolStart { slot, name, .. } => {
                self.grow(name.len())?;
                self.slots.push(slot);
                self.answer.calls.push((name, String::new()));
            }
            RawEvent::ToolArgs { slot, delta } => {
                self.grow(delta.len())?;
                let at = self.slots.iter().rposition(|known| *known == slot);
                if let Some((_, arguments)) = at.and_then(|at| self.answer.calls.get_mut(at)) {
                    arguments.push_str(&delta);
                }
            }
            RawEvent::Terminal { terminal: Terminal::Error { failure } } => return Err(failure),
            RawEvent::Terminal { terminal } => self.answer.terminal = terminal,
            // What came before is void.
            RawEvent::Restart => {
                self.answer.text.clear();
                self.answer.calls.clear();
                self.slots.clear();
            }
            // Reasoning is never an answer.
            RawEvent::Thinking { delta } => self.grow(delta.len())?,
            RawEvent::Refusal { .. } | RawEvent::Usage { .. } | RawEvent::Model { .. } | RawEvent::Keep { .. } => {}
        }
        Ok(())
    }

    fn grow(&mut self, by: usize) -> Result<(), CallFailure> {
        self.bytes += by;
        if self.bytes <= MAX_BYTES {
            return Ok(());
        }
        Err(failure(ErrorCode::Transport, "the answer to a small question does not end"))
    }
}

fn failure(code: ErrorCode, message: &str) -> CallFailure {
    CallFailure {
        code,
        status: None,
        provider_code: None,
        request_id: None,
        retryable: false,
        retry_after_ms: None,
        message: message.to_owned(),
        detail: None,
    }
}
