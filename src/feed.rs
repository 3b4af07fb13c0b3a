//! The lossless, merging queue between a run and one consumer.
//!
//! A push never waits and never drops; neighbouring deltas of the same kind and attempt are joined; the order against
//! every other event holds. The consumer takes everything that is there at once. Knows nothing of runs or surfaces.

pub mod raw;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use self::raw::{RawRead, ReadsCut};
use crate::event::{CallFailure, Progress, RunEvent};
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
    /// What the model's tokens cost by the catalogue, in US dollars for a million.
    Priced { input: f64, output: f64 },
    /// A provider call begins, for this attempt.
    Called { call: u32, attempt: u32 },
    /// A provider call was sent: the request with secrets out, and the same as a curl command.
    Request { call: u32, url: String, headers: Vec<(String, String)>, body: String, curl: String },
    /// The response began.
    Response { call: u32, status: u16, headers: Vec<(String, String)>, first_byte_ms: u64 },
    /// The first of a call's answer came, this long after the call was sent.
    FirstRead { call: u32, after_ms: u64 },
    /// What one read of a call brought; only when the run was asked to tell it.
    Read(RawRead),
    /// The reads grew past their bound: from here on they are counted, not kept.
    ReadsCut(ReadsCut),
    /// A provider call failed.
    Failed { call: u32, failure: CallFailure, duration_ms: u64 },
    /// An attempt ended.
    Attempt { record: AttemptRecord, duration_ms: u64 },
    /// The built-in model gets ready to answer.
    Progress(Progress),
}

/// The sending half: held by the run. The feed ends when the last clone is gone.
#[derive(Clone)]
pub struct Sender {
    hold: Arc<Hold>,
}

/// The receiving half. Dropping it never disturbs the run.
pub struct Feed {
    shared: Arc<Shared>,
}

/// Ends the feed when the last sender goes.
struct Hold {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Notify,
}

#[derive(Default)]
struct Queue {
    items: Vec<Item>,
    /// No sender is left.
    ended: bool,
    /// No consumer is left: what is pushed is thrown away, so that an unread run costs no memory.
    abandoned: bool,
}

/// A new queue.
#[must_use]
pub fn channel() -> (Sender, Feed) {
    let shared = Arc::new(Shared { queue: Mutex::new(Queue::default()), ready: Notify::new() });
    let hold = Arc::new(Hold { shared: Arc::clone(&shared) });
    (Sender { hold }, Feed { shared })
}

impl Sender {
    /// Adds one item, joining it to the last where that loses nothing.
    pub fn push(&self, item: Item) {
        let shared = &self.hold.shared;
        let mut queue = shared.lock();
        if queue.abandoned {
            return;
        }
        let was_empty = queue.items.is_empty();
        if let Some(item) = join(queue.items.last_mut(), item) {
            queue.items.push(item);
        }
        drop(queue);
        // The consumer takes all at once: it only sleeps on an empty queue.
        if was_empty {
            shared.ready.notify_one();
        }
    }
}

impl Feed {
    /// Waits until something is there, then takes all of it; `None` when the run is over and all was taken.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<Vec<Item>> {
        loop {
            let (items, ended) = self.take();
            if !items.is_empty() {
                return Some(items);
            }
            if ended {
                return None;
            }
            self.shared.ready.notified().await;
        }
    }

    /// Takes what is there now, without waiting.
    pub fn drain(&mut self) -> Vec<Item> {
        self.take().0
    }

    fn take(&mut self) -> (Vec<Item>, bool) {
        let mut queue = self.shared.lock();
        (std::mem::take(&mut queue.items), queue.ended)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.ready.notify_one();
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.abandoned = true;
        queue.items = Vec::new();
    }
}

impl Shared {
    /// A panic elsewhere leaves the queue as it was: every change to it is one step.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends `item` to `last` where both are deltas of the same thing; gives it back otherwise. Amortised O(1).
fn join(last: Option<&mut Item>, item: Item) -> Option<Item> {
    let (Some(Item::Event(last)), Item::Event(next)) = (last, &item) else { return Some(item) };
    let Some((text, more)) = neighbours(last, next) else { return Some(item) };
    text.push_str(more);
    None
}

/// Joins a delta to its left neighbour where that loses nothing, and says how many bytes that were; `None` leaves both
/// as they are. For a reader that takes events from a list of its own.
#[must_use]
pub fn joined(last: &mut RunEvent, next: &RunEvent) -> Option<usize> {
    let (text, more) = neighbours(last, next)?;
    text.push_str(more);
    Some(more.len())
}

/// The two texts of neighbouring deltas of the same thing.
fn neighbours<'a>(last: &'a mut RunEvent, next: &'a RunEvent) -> Option<(&'a mut String, &'a str)> {
    use RunEvent::{TextDelta, ThinkingDelta, ToolCallDelta};
    match (last, next) {
        (TextDelta { output_attempt: a, delta: text }, TextDelta { output_attempt: b, delta: more })
        | (ThinkingDelta { output_attempt: a, delta: text }, ThinkingDelta { output_attempt: b, delta: more })
            if a == b =>
        {
            Some((text, more))
        }
        (
            ToolCallDelta { output_attempt: a, call_id: c, delta: text },
            ToolCallDelta { output_attempt: b, call_id: d, delta: more },
        ) if a == b && c == d => Some((text, more)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(attempt: u32, delta: &str) -> Item {
        Item::Event(RunEvent::TextDelta { output_attempt: attempt, delta: delta.to_owned() })
    }

    #[test]
    fn neighbours_of_one_attempt_are_joined() {
        let (tx, mut feed) = channel();
        tx.push(text(1, "a"));
        tx.push(text(1, "b"));
        tx.push(text(2, "c"));
        assert_eq!(feed.drain(), [text(1, "ab"), text(2, "c")]);
        assert!(feed.drain().is_empty());
    }

    #[test]
    fn a_dropped_feed_costs_nothing_and_disturbs_nobody() {
        let (tx, feed) = channel();
        tx.push(text(1, "a"));
        drop(feed);
        tx.push(text(1, "b"));
        assert!(tx.hold.shared.lock().items.is_empty());
    }

    #[tokio::test]
    async fn the_rest_is_taken_before_the_end() {
        let (tx, mut feed) = channel();
        let second = tx.clone();
        tx.push(text(1, "a"));
        drop(tx);
        assert_eq!(feed.next().await.unwrap().len(), 1);
        second.push(text(1, "b"));
        drop(second);
        assert_eq!(feed.next().await, Some(vec![text(1, "b")]));
        assert_eq!(feed.next().await, None);
        assert_eq!(feed.next().await, None);
    }

    #[tokio::test]
    async fn a_waiting_consumer_wakes() {
        let (tx, mut feed) = channel();
        let (items, ()) = tokio::join!(feed.next(), async {
            tokio::task::yield_now().await;
            tx.push(text(1, "late"));
        });
        assert_eq!(items, Some(vec![text(1, "late")]));
    }

    fn any_item() -> impl Strategy<Value = Item> {
        let delta = "[a-z]{0,3}";
        prop_oneof![
            (1..3u32, delta).prop_map(|(a, d)| text(a, &d)),
            (1..3u32, delta).prop_map(|(a, d)| Item::Event(RunEvent::ThinkingDelta { output_attempt: a, delta: d })),
            (1..3u32, "[xy]", delta).prop_map(|(a, c, d)| Item::Event(RunEvent::ToolCallDelta {
                output_attempt: a,
                call_id: c,
                delta: d
            })),
            (1..3u32).prop_map(|a| Item::Event(RunEvent::TextEnd { output_attempt: a })),
        ]
    }

    /// One character a delta: the finest cut there is. Two lists are the same stream when this is the same.
    fn fine(items: &[Item]) -> Vec<String> {
        let mut out = Vec::new();
        for item in items {
            let (key, delta) = match item {
                Item::Event(RunEvent::TextDelta { output_attempt, delta }) => (format!("t{output_attempt}"), delta),
                Item::Event(RunEvent::ThinkingDelta { output_attempt, delta }) => (format!("k{output_attempt}"), delta),
                Item::Event(RunEvent::ToolCallDelta { output_attempt, call_id, delta }) => {
                    (format!("c{output_attempt}{call_id}"), delta)
                }
                other => {
                    out.push(format!("{other:?}"));
                    continue;
                }
            };
            out.extend(delta.chars().map(|c| format!("{key}:{c}")));
        }
        out
    }

    proptest! {
        #[test]
        fn any_interleaving_concatenates_to_the_same(items in prop::collection::vec((any_item(), any::<bool>()), 0..60)) {
            let (tx, mut feed) = channel();
            let mut taken = Vec::new();
            for (item, take) in &items {
                tx.push(item.clone());
                if *take {
                    taken.extend(feed.drain());
                }
            }
            taken.extend(feed.drain());
            let pushed: Vec<Item> = items.into_iter().map(|(item, _)| item).collect();
            prop_assert_eq!(fine(&taken), fine(&pushed));
        }
    }
}
