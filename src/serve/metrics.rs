//! What the server counts, as Prometheus reads it. Numbers and fixed words only.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::event::Usage;

/// Upper bounds of the run times, in milliseconds.
const BOUNDS: [u64; 8] = [50, 100, 250, 1_000, 5_000, 15_000, 60_000, 300_000];

/// All counters.
#[derive(Default)]
pub(crate) struct Metrics {
    pub(crate) started: AtomicU64,
    pub(crate) attempts: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) denied: AtomicU64,
    pub(crate) cut: AtomicU64,
    input: AtomicU64,
    output: AtomicU64,
    outcomes: Mutex<BTreeMap<&'static str, u64>>,
    buckets: [AtomicU64; BOUNDS.len()],
    total_ms: AtomicU64,
    ended: AtomicU64,
}

impl Metrics {
    pub(crate) fn one(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn usage(&self, usage: &Usage) {
        self.input.fetch_add(usage.input_tokens.unwrap_or(0), Ordering::Relaxed);
        self.output.fetch_add(usage.output_tokens.unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn ended(&self, outcome: &'static str, after: Duration) {
        let ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).entry(outcome).or_default() += 1;
        for (bound, bucket) in BOUNDS.iter().zip(&self.buckets) {
            if ms <= *bound {
                Self::one(bucket);
            }
        }
        self.total_ms.fetch_add(ms, Ordering::Relaxed);
        Self::one(&self.ended);
    }

    /// The page of `/metrics`.
    pub(crate) fn text(&self, running: usize, connections: usize) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut out = String::new();
        let mut row = |kind: &str, name: &str, about: &str, value: u64| {
            let _ =
                writeln!(out, "# HELP formwork_{name} {about}\n# TYPE formwork_{name} {kind}\nformwork_{name} {value}");
        };
        row("counter", "runs_started_total", "Runs that were begun.", get(&self.started));
        row("counter", "attempts_total", "Attempts that were begun.", get(&self.attempts));
        row(
            "counter",
            "structured_output_retries_total",
            "Attempts that were rejected and repaired.",
            get(&self.retries),
        );
        row("counter", "input_tokens_total", "Tokens sent, as providers counted them.", get(&self.input));
        row("counter", "output_tokens_total", "Tokens received, as providers counted them.", get(&self.output));
        row("counter", "requests_denied_total", "Requests refused by Host, Origin or credential.", get(&self.denied));
        row(
            "counter",
            "connections_cut_total",
            "WebSocket connections cut off: slow, silent or broken.",
            get(&self.cut),
        );
        row("gauge", "runs_active", "Runs under way.", running as u64);
        row("gauge", "websocket_connections", "Open WebSocket connections.", connections as u64);
        let _ = writeln!(
            out,
            "# HELP formwork_runs_ended_total Runs by outcome.\n# TYPE formwork_runs_ended_total counter"
        );
        for (outcome, count) in self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(out, "formwork_runs_ended_total{{outcome=\"{outcome}\"}} {count}");
        }
        let name = "formwork_run_duration_milliseconds";
        let _ = writeln!(out, "# HELP {name} How long runs took.\n# TYPE {name} histogram");
        for (bound, bucket) in BOUNDS.iter().zip(&self.buckets) {
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {}", get(bucket));
        }
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {}", get(&self.ended));
        let _ = writeln!(out, "{name}_sum {}\n{name}_count {}", get(&self.total_ms), get(&self.ended));
        out
    }
}
