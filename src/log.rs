//! What the program did, in a file of the state folder: one JSON object a line, for whoever has to find out why.
//!
//! The only user of `tracing`. Every line is made by a function here, and none takes a text of a prompt, a schema, an
//! answer or a provider: ids, hashes, stable codes, counts and times only. What other crates log goes nowhere. Writing
//! is done by a thread of its own, which drops lines rather than let a run wait.

use std::path::{Path, PathBuf};

use tracing::{Level, debug, error, info, warn};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::config::Config;
use crate::event::{ErrorCode, Mode, Usage};
use crate::files::private_folder;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    Off,
    Error,
    Warn,
    /// Begin and end of every run, failed calls, what was rejected.
    #[default]
    Info,
    /// Every call too.
    Debug,
}

impl Detail {
    /// The words of the configuration.
    pub const NAMES: &[&str] = &["off", "error", "warn", "info", "debug"];

    /// The word as it stands in the configuration.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let all = [Self::Off, Self::Error, Self::Warn, Self::Info, Self::Debug];
        Self::NAMES.iter().zip(all).find(|(name, _)| **name == word).map(|(_, detail)| detail)
    }

    /// See [`Detail::named`].
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }

    fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Error => Some(Level::ERROR),
            Self::Warn => Some(Level::WARN),
            Self::Info => Some(Level::INFO),
            Self::Debug => Some(Level::DEBUG),
        }
    }
}

/// Files are begun anew each day (UTC); this many are kept.
pub const DAYS: usize = 7;
/// Every line is of this target; nothing else passes.
const TARGET: &str = "formwork";

/// Did somebody ask for a log, or is it only the built-in value?
#[must_use]
pub fn is_asked_for(config: &Config) -> bool {
    config.env.get("FORMWORK_LOG").is_some() || config.settings.iter().any(|set| set.path == ["log", "level"])
}

/// Where the files lie.
#[must_use]
pub fn folder(config: &Config) -> PathBuf {
    config.paths.state_dir.join("logs")
}

/// The log is written as long as this is held; what waits is written when it goes.
pub struct Log {
    _guard: WorkerGuard,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
#[error("no log is written: {}: {why}", folder.display())]
pub struct LogError {
    pub folder: PathBuf,
    pub why: String,
}

/// Begins the log of this process; `surface` says what runs. `None` when it is off, or has begun already.
///
/// # Errors
/// The folder or the file cannot be written. Nothing else depends on it.
pub fn begin(config: &Config, surface: &'static str) -> Result<Option<Log>, LogError> {
    let Some(level) = config.log.level() else { return Ok(None) };
    let folder = folder(config);
    if config.paths.state_dir.as_os_str().is_empty() {
        return Err(LogError { folder, why: "this system has no folder for it".to_owned() });
    }
    let fail = |why: String| LogError { folder: folder.clone(), why };
    let file = open(&folder).map_err(fail)?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(writer);
    let wanted = Targets::new().with_target(TARGET, level);
    let subscriber = tracing_subscriber::registry().with(wanted).with(lines);
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        return Ok(None);
    }
    told_of_panics();
    let (version, pid) = (env!("CARGO_PKG_VERSION"), std::process::id());
    info!(target: TARGET, surface, version, pid, "began");
    Ok(Some(Log { _guard: guard }))
}

fn open(folder: &Path) -> Result<RollingFileAppender, String> {
    private_folder(folder).map_err(|error| error.to_string())?;
    let builder = RollingFileAppender::builder().rotation(Rotation::DAILY).max_log_files(DAYS);
    builder.filename_prefix("formwork").filename_suffix("log").build(folder).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{error}{cause}")
    })
}

/// A panic is noted with its place, never with its text; then the hook that was there has its turn.
fn told_of_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let (file, line) = info.location().map_or(("unknown", 0), |place| (place.file(), place.line()));
        error!(target: TARGET, file, line, "panicked");
        before(info);
    }));
}

/// A run begins: which model, by which route, against which schema.
pub(crate) fn run_began(run: &str, model: &str, mode: Option<Mode>, schema: Option<&str>, simulated: bool) {
    let (mode, schema) = (mode.map_or("text", Mode::code), schema.unwrap_or("none"));
    info!(target: TARGET, run, model, mode, schema, simulated, "run began");
}

/// A call is made.
pub(crate) fn call_made(run: &str, call: u32, attempt: u32) {
    debug!(target: TARGET, run, call, attempt, "call made");
}

/// The server answers.
pub(crate) fn call_answered(run: &str, call: u32, status: u16, first_byte_ms: u64) {
    debug!(target: TARGET, run, call, status, first_byte_ms, "call answered");
}

/// A call failed.
pub(crate) fn call_failed(run: &str, call: u32, code: ErrorCode, status: Option<u16>, duration_ms: u64) {
    let (code, status) = (code.code(), status.unwrap_or(0));
    warn!(target: TARGET, run, call, code, status, duration_ms, "call failed");
}

/// A failed call will be made again.
pub(crate) fn call_again(run: &str, call: u32, code: ErrorCode, delay_ms: u64) {
    info!(target: TARGET, run, call, code = code.code(), delay_ms, "call again");
}

/// What became of an attempt.
pub(crate) fn attempt_ended(run: &str, attempt: u32, outcome: &'static str, issues: usize, duration_ms: u64) {
    info!(target: TARGET, run, attempt, outcome, issues, duration_ms, "attempt ended");
}

/// A tool's result came.
pub(crate) fn tool_ended(run: &str, is_error: bool, bytes: usize) {
    debug!(target: TARGET, run, is_error, bytes, "tool ended");
}

/// The run is over; `outcome` is `done` or the error's code.
pub(crate) fn run_ended(run: &str, outcome: &'static str, attempts: u32, usage: Usage, duration_ms: u64) {
    let (input, output) = (usage.input_tokens.unwrap_or(0), usage.output_tokens.unwrap_or(0));
    info!(target: TARGET, run, outcome, attempts, input_tokens = input, output_tokens = output, duration_ms, "run ended");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_configuration_is_a_detail() {
        for word in Detail::NAMES {
            assert_eq!(Detail::named(word).map(Detail::word), Some(*word));
        }
        assert_eq!(Detail::named("loud"), None);
        assert_eq!(Detail::default().word(), "info");
    }
}
