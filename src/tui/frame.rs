//! When to draw: frame requests merged to one deadline.
//!
//! Pure: every instant is passed in, so the loop decides how to wait. Refuses to tick: without a request there is no
//! deadline, and the idle program sleeps.

use std::time::{Duration, Instant};

/// A screen can show no more; a quicker pace only burns the reader's battery.
const LOCAL: Duration = Duration::from_millis(16);
/// Over a network link half the frames keep typing smooth.
const REMOTE: Duration = Duration::from_millis(33);
/// At most a fifth of the time is spent on drawing.
const COST_FACTOR: u32 = 4;

/// How far away the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Local,
    /// Through SSH (`SSH_TTY` is set).
    Remote,
}

impl Link {
    /// Reads the link from the value of `SSH_TTY`.
    #[must_use]
    pub fn detect(ssh_tty: Option<&str>) -> Self {
        if ssh_tty.is_some() { Self::Remote } else { Self::Local }
    }
}

/// Merges requests to the earliest deadline that keeps the pace.
#[derive(Debug, Clone)]
pub struct Scheduler {
    pace: Duration,
    /// The earliest instant the next frame may start.
    free_at: Option<Instant>,
    deadline: Option<Instant>,
}

impl Scheduler {
    #[must_use]
    pub fn new(link: Link) -> Self {
        let pace = match link {
            Link::Local => LOCAL,
            Link::Remote => REMOTE,
        };
        Self { pace, free_at: None, deadline: None }
    }

    /// Something changed: draw as soon as the pace allows.
    pub fn request(&mut self, now: Instant) {
        self.request_at(now);
    }

    /// Something will change at `at` (a spinner's next step): draw then, not before. The earliest request wins.
    pub fn request_at(&mut self, at: Instant) {
        let at = self.free_at.map_or(at, |free| free.max(at));
        self.deadline = Some(self.deadline.map_or(at, |d| d.min(at)));
    }

    /// What the loop waits for; `None` means no wake-up at all.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether a frame is to be drawn now.
    #[must_use]
    pub fn due(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|d| d <= now)
    }

    /// A frame was drawn: every request before `start` is served, and a slow frame makes the next one later. Call it
    /// before the requests that belong to the next frame.
    pub fn drawn(&mut self, start: Instant, end: Instant) {
        let cost = end.saturating_duration_since(start);
        self.deadline = None;
        self.free_at = Some((start + self.pace).max(end + cost * COST_FACTOR));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn idle_has_no_deadline() {
        let t = Instant::now();
        let mut s = Scheduler::new(Link::Local);
        assert_eq!(s.deadline(), None);
        s.request(t);
        assert!(s.due(t));
        s.drawn(t, t + ms(1));
        assert_eq!(s.deadline(), None);
        assert!(!s.due(t + ms(10_000)));
    }

    #[test]
    fn a_burst_is_one_frame_a_pace_later() {
        let t = Instant::now();
        for (link, pace) in [(Link::Local, ms(16)), (Link::Remote, ms(33))] {
            let mut s = Scheduler::new(link);
            s.drawn(t, t);
            for i in 1..10 {
                s.request(t + ms(i));
            }
            assert_eq!(s.deadline(), Some(t + pace));
            assert!(!s.due(t + ms(15)) && s.due(t + pace));
        }
    }

    #[test]
    fn a_slow_draw_leaves_four_fifths_to_the_rest() {
        let t = Instant::now();
        let mut s = Scheduler::new(Link::Local);
        s.drawn(t, t + ms(50));
        s.request(t + ms(51));
        assert_eq!(s.deadline(), Some(t + ms(250)));
    }

    #[test]
    fn the_earliest_request_wins_and_a_late_one_waits_for_its_time() {
        let t = Instant::now();
        let mut s = Scheduler::new(Link::Local);
        s.request_at(t + ms(120));
        assert_eq!(s.deadline(), Some(t + ms(120)));
        s.request_at(t + ms(80));
        s.request_at(t + ms(500));
        assert_eq!(s.deadline(), Some(t + ms(80)));
    }

    #[test]
    fn the_link_follows_ssh_tty() {
        assert_eq!(Link::detect(None), Link::Local);
        assert_eq!(Link::detect(Some("/dev/pts/1")), Link::Remote);
    }
}
