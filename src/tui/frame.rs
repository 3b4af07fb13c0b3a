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
/// The answer to a key waits a quarter of the pace at most: a hand feels a whole one, and a held key still draws less
/// often than the terminal can show.
const INPUT_SHARE: u32 = 4;

/// Who asked for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// A key, a paste: somebody waits for the answer.
    Input,
    /// The run, a worker, a spinner: the pace is kept.
    Feed,
}

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
    /// Start and end of the last frame.
    last: Option<(Instant, Instant)>,
    deadline: Option<Instant>,
}

impl Scheduler {
    #[must_use]
    pub fn new(link: Link) -> Self {
        let pace = match link {
            Link::Local => LOCAL,
            Link::Remote => REMOTE,
        };
        Self { pace, last: None, deadline: None }
    }

    /// Something changed: draw as soon as the pace allows.
    pub fn request(&mut self, now: Instant, urgency: Urgency) {
        let at = self.free_at(urgency).map_or(now, |free| free.max(now));
        self.merge(at);
    }

    /// Something will change at `at` (a spinner's next step): draw then, not before. The earliest request wins.
    pub fn request_at(&mut self, at: Instant) {
        self.request(at, Urgency::Feed);
    }

    fn merge(&mut self, at: Instant) {
        self.deadline = Some(self.deadline.map_or(at, |d| d.min(at)));
    }

    /// The earliest instant the next frame may start: a slow frame makes the next one later, whoever asks.
    fn free_at(&self, urgency: Urgency) -> Option<Instant> {
        let (start, end) = self.last?;
        let pace = match urgency {
            Urgency::Input => self.pace / INPUT_SHARE,
            Urgency::Feed => self.pace,
        };
        let cost = end.saturating_duration_since(start);
        Some((start + pace).max(end + cost * COST_FACTOR))
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

    /// A frame was drawn: every request before `start` is served. Call it before the requests that belong to the next
    /// frame.
    pub fn drawn(&mut self, start: Instant, end: Instant) {
        self.deadline = None;
        self.last = Some((start, end));
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
        s.request(t, Urgency::Feed);
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
                s.request(t + ms(i), Urgency::Feed);
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
        s.request(t + ms(51), Urgency::Feed);
        assert_eq!(s.deadline(), Some(t + ms(250)));
    }

    #[test]
    fn a_key_is_drawn_at_once_and_a_held_one_within_a_quarter_of_the_pace() {
        let t = Instant::now();
        // (start and end of the last frame, when the key comes, when it may be drawn), in ms.
        let table = [
            (Link::Local, (0, 0), 1, 4),
            (Link::Local, (0, 0), 10, 10),
            (Link::Local, (0, 2), 3, 10),
            (Link::Local, (0, 50), 51, 250),
            (Link::Remote, (0, 0), 10, 10),
        ];
        for (link, (start, end), key, at) in table {
            let mut s = Scheduler::new(link);
            s.drawn(t + ms(start), t + ms(end));
            s.request(t + ms(key), Urgency::Input);
            let deadline = s.deadline().unwrap().duration_since(t);
            assert_eq!(deadline, ms(at), "{link:?} {start}-{end} {key}");
        }
    }

    #[test]
    fn a_key_among_deltas_brings_the_frame_forward_and_they_keep_their_pace_after() {
        let t = Instant::now();
        let mut s = Scheduler::new(Link::Local);
        s.drawn(t, t);
        s.request(t + ms(1), Urgency::Feed);
        s.request(t + ms(5), Urgency::Input);
        s.request(t + ms(6), Urgency::Feed);
        assert_eq!(s.deadline(), Some(t + ms(5)));
        s.drawn(t + ms(5), t + ms(5));
        s.request(t + ms(7), Urgency::Feed);
        assert_eq!(s.deadline(), Some(t + ms(21)));
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
