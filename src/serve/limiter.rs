//! How many failed credentials a minute are answered as such. Good ones always pass: nobody can lock the owner out.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_mins(1);
/// A person mistypes a few times; a program that guesses does not stop there.
const MOST: u32 = 30;

/// Counts failures in a window.
#[derive(Default)]
pub(super) struct Limiter {
    window: Mutex<Option<(Instant, u32)>>,
}

impl Limiter {
    /// Notes a failure; true when there were too many.
    pub(super) fn failed(&self, now: Instant) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, count) = window.filter(|(began, _)| now.duration_since(*began) < WINDOW).unwrap_or((now, 0));
        *window = Some((began, count.saturating_add(1)));
        count >= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_failures_are_told_apart_until_the_window_is_over() {
        let (limiter, start) = (Limiter::default(), Instant::now());
        assert!((0..MOST).all(|_| !limiter.failed(start)));
        assert!(limiter.failed(start));
        assert!(!limiter.failed(start + WINDOW));
    }
}
