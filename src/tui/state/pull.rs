//! The download of a model, as the screen keeps it: one at a time.

use crate::tui::words;

/// A model that can be pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// As `/pull` takes it.
    pub name: String,
    pub bytes: u64,
    pub licence: String,
    /// What to expect of it.
    pub note: String,
    /// It is here already.
    pub installed: bool,
}

/// What a download is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is known yet.
    Starting,
    /// Another program pulls the same model.
    Waiting,
    /// The connection broke; it is tried again.
    Pausing,
    /// Bytes come in.
    Loading,
    /// The file is being checked.
    Checking,
}

/// A download under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pull {
    pub name: String,
    pub phase: Phase,
    pub done: u64,
    /// Unknown until the server tells.
    pub total: Option<u64>,
    /// When it began, in milliseconds.
    pub started: u64,
    /// Bytes that were there before: they say nothing about the rate.
    pub resumed: Option<u64>,
    /// Cancel was asked for; the end still comes.
    pub cancelled: bool,
}

impl Pull {
    /// A download that has just begun.
    #[must_use]
    pub fn new(name: &str, total: Option<u64>, now: u64) -> Self {
        let phase = Phase::Starting;
        Self { name: name.to_owned(), phase, done: 0, total, started: now, resumed: None, cancelled: false }
    }

    /// More came.
    pub fn progress(&mut self, phase: Phase, done: u64, total: Option<u64>) {
        self.phase = phase;
        if !matches!(phase, Phase::Waiting | Phase::Pausing) {
            self.done = done;
        }
        self.total = total.or(self.total);
        if phase == Phase::Loading {
            self.resumed.get_or_insert(done);
        }
    }

    /// The share that is here, in thousandths; `None` while the size or the beginning is unknown.
    #[must_use]
    pub fn share(&self) -> Option<u64> {
        let total = self.total.filter(|total| *total > 0 && self.phase != Phase::Starting)?;
        Some((self.done.min(total)).saturating_mul(1000) / total)
    }

    /// `42 MB of 98 MB · 3.1 MB/s · 18 s left`, as far as it is known.
    #[must_use]
    pub fn figures(&self, now: u64) -> String {
        let elapsed = now.saturating_sub(self.started);
        match self.phase {
            Phase::Starting => words::span(elapsed),
            Phase::Waiting => "another program is pulling it".to_owned(),
            Phase::Pausing => "the connection broke; trying again".to_owned(),
            Phase::Checking => "checking the file".to_owned(),
            Phase::Loading => {
                let mut parts = vec![match self.total {
                    Some(total) => format!("{} of {}", words::bytes(self.done), words::bytes(total)),
                    None => words::bytes(self.done),
                }];
                let fresh = self.done.saturating_sub(self.resumed.unwrap_or(0));
                if let Some(rate) = fresh.saturating_mul(1000).checked_div(elapsed).filter(|rate| *rate > 0) {
                    parts.push(format!("{}/s", words::bytes(rate)));
                    let left = self.total.map(|total| total.saturating_sub(self.done).saturating_mul(1000) / rate);
                    parts.extend(left.filter(|_| elapsed > 2_000).map(|left| format!("{} left", words::span(left))));
                }
                parts.join(" · ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_tells_what_it_knows() {
        let mut pull = Pull::new("m", None, 1_000);
        assert_eq!((pull.share(), pull.figures(1_500)), (None, "0.5 s".to_owned()));
        pull.progress(Phase::Loading, 0, None);
        assert_eq!(pull.figures(1_000), "0 B");
        pull.progress(Phase::Loading, 1_000_000, Some(10_000_000));
        assert_eq!(pull.share(), Some(100));
        assert_eq!(pull.figures(5_000), "1.0 MB of 10 MB · 250 kB/s · 36 s left");
        pull.progress(Phase::Checking, 10_000_000, None);
        assert_eq!((pull.share(), pull.figures(9_000)), (Some(1000), "checking the file".to_owned()));
    }

    #[test]
    fn what_was_there_before_is_no_speed() {
        let mut pull = Pull::new("m", Some(1000), 0);
        pull.progress(Phase::Loading, 900, Some(1000));
        assert_eq!(pull.figures(10_000), "900 B of 1.0 kB");
        pull.progress(Phase::Loading, 950, Some(1000));
        assert_eq!(pull.figures(10_000), "950 B of 1.0 kB · 5 B/s · 10 s left");
    }
}
