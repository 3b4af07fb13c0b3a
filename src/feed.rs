//! The lossless, merging queue between a run and one consumer.
//!
//! A push never waits and never drops; neighbouring deltas of the same kind and attempt are joined; the order against
//! every other event holds. The consumer takes everything that is there at once.

use crate::event::{CallFailure, RunEvent};
use crate::machine::AttemptRecord;
use crate::plan::Plan;

/// What travels from a run to its consumer.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Public.
    Event(RunEvent),
    /// Private: for the user's own screen only.
    Inspect(Box<Inspect>),
}

/// Things to look at: never printed, logged or sent anywhere.
#[derive(Debug, Clone, PartialEq)]
pub enum Inspect {
    /// The plan the run follows.
    Planned(Plan),
    /// A provider call was sent: the request with secrets out, and the same as a curl command.
    Request { call: u32, url: String, headers: Vec<(String, String)>, body: String, curl: String },
    /// The response began.
    Response { call: u32, status: u16, headers: Vec<(String, String)>, first_byte_ms: u64 },
    /// A provider call failed.
    Failed { call: u32, failure: CallFailure, duration_ms: u64 },
    /// An attempt ended.
    Attempt { record: AttemptRecord, duration_ms: u64 },
}

/// The sending half: held by the run.
#[derive(Clone)]
pub struct Sender {
    _p: (),
}

/// The receiving half. Dropping it never disturbs the run.
pub struct Feed {
    _p: (),
}

/// A new queue.
#[must_use]
pub fn channel() -> (Sender, Feed) {
    todo!()
}

impl Sender {
    /// Adds one item, joining it to the last where that loses nothing.
    pub fn push(&self, item: Item) {
        let _ = item;
        todo!()
    }
}

impl Feed {
    /// Waits until something is there, then takes all of it; `None` when the run is over and all was taken.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<Vec<Item>> {
        todo!()
    }

    /// Takes what is there now, without waiting.
    pub fn drain(&mut self) -> Vec<Item> {
        todo!()
    }
}
