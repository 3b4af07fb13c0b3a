//! The limit on silence: a server that sends nothing for too long is not there any more.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Ends a wait in which nothing comes. The timer is moved only when it fires, not with every read.
pub(super) struct Idle {
    pub(super) limit: Duration,
    last: Instant,
    timer: Pin<Box<Sleep>>,
}

impl Idle {
    pub(super) fn new(limit: Duration) -> Self {
        let last = Instant::now();
        Self { limit, last, timer: Box::pin(sleep_until(last + limit)) }
    }

    /// The wait's result, or `None` when the limit passed since the last result. Cancel-safe if the wait is.
    pub(super) async fn guard<F: Future + ?Sized>(&mut self, wait: Pin<&mut F>) -> Option<F::Output> {
        let result = tokio::select! {
            biased;
            result = wait => Some(result),
            () = expired(&mut self.timer, self.last + self.limit) => None,
        };
        self.last = Instant::now();
        result
    }
}

async fn expired(timer: &mut Pin<Box<Sleep>>, due: Instant) {
    loop {
        timer.as_mut().await;
        if Instant::now() >= due {
            return;
        }
        timer.as_mut().reset(due);
    }
}
