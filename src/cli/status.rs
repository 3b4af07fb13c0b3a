//! The line that moves on standard error while a run works, and the notes beside it.
//!
//! Draws only when standard error is a terminal; the line is gone before anything else is written.

use std::time::{Duration, Instant};

use super::output;
use crate::event::{Phase, Progress};
use crate::text;

/// How often the line is redrawn.
pub(super) const TICK: Duration = Duration::from_millis(120);
const FRAMES: [&str; 4] = ["|", "/", "-", "\\"];

/// Progress of one run.
pub(super) struct Status {
    enabled: bool,
    drawn: bool,
    started: Instant,
    frame: usize,
    /// Attempt that is being answered.
    pub(super) attempt: u32,
    /// Bytes of answer text that came in.
    pub(super) bytes: usize,
    /// Output tokens the provider counted.
    pub(super) tokens: u64,
    /// What the built-in model does before its first token.
    pub(super) preparing: Option<Progress>,
}

impl Status {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            drawn: false,
            started: Instant::now(),
            frame: 0,
            attempt: 1,
            bytes: 0,
            tokens: 0,
            preparing: None,
        }
    }

    /// Is there a line to keep moving?
    pub(super) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Draws the line anew.
    pub(super) fn tick(&mut self) {
        if !self.enabled {
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let line = self.line(self.started.elapsed());
        output::draw(&format!("\r\x1b[2K{line}"));
        self.drawn = true;
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if self.drawn {
            output::draw("\r\x1b[2K");
            self.drawn = false;
        }
    }

    /// Takes the line away for good: the answer streams to the same screen from here on.
    pub(super) fn retire(&mut self) {
        self.clear();
        self.enabled = false;
    }

    /// Says one line; the moving line comes back below it with the next tick.
    pub(super) fn note(&mut self, text: &str) {
        self.clear();
        output::say(&format!("note: {}\n", text::safe(text)));
    }

    fn line(&self, elapsed: Duration) -> String {
        let frame = FRAMES.get(self.frame).copied().unwrap_or("|");
        let seconds = elapsed.as_secs_f32();
        if let Some(progress) = self.preparing.filter(|progress| progress.done < progress.total) {
            let what = match progress.phase {
                Phase::Loading => "loading the model",
                Phase::Prefill => "reading the prompt",
            };
            let percent = progress.done.saturating_mul(100) / progress.total.max(1);
            return format!("{frame} attempt {} · {seconds:.1} s · {what}, {percent} %", self.attempt);
        }
        let amount = if self.tokens > 0 { format!("{} tokens", self.tokens) } else { text::length(self.bytes) };
        format!("{frame} attempt {} · {seconds:.1} s · {amount}", self.attempt)
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_attempt_time_and_amount() {
        let mut status = Status::new(false);
        status.attempt = 2;
        status.bytes = 12_345;
        assert_eq!(status.line(Duration::from_millis(1540)), "| attempt 2 · 1.5 s · 12 kB");
        status.preparing = Some(Progress { phase: Phase::Loading, done: 1, total: 4 });
        assert_eq!(status.line(Duration::ZERO), "| attempt 2 · 0.0 s · loading the model, 25 %");
        status.preparing = Some(Progress { phase: Phase::Prefill, done: 4, total: 4 });
        status.tokens = 7;
        assert_eq!(status.line(Duration::ZERO), "| attempt 2 · 0.0 s · 7 tokens");
    }

    #[test]
    fn nothing_is_drawn_without_a_terminal() {
        let mut status = Status::new(false);
        status.tick();
        assert!(!status.drawn);
    }
}
