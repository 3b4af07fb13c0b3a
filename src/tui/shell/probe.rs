//! Probes a model's server away from the loop; what it finds is kept as `formwork probe` keeps it.

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::capability::verdict::{Feature, Found, Verdict};
use crate::catalog::{Catalog, probes, today};
use crate::config::Config;
use crate::probe::{self, Report, Spec};
use crate::tui::effect::{Learned, Reply};

/// Asks the server, telling each finding as it comes, until it ends or is cancelled.
pub(super) async fn run(config: &Config, spec: Spec, replies: &UnboundedSender<Reply>, cancel: CancellationToken) {
    let spec = Spec { today: today(), ..spec };
    let outcome = probed(config, &spec, replies, cancel).await;
    let _ = replies.send(Reply::Probed { name: spec.name(), outcome });
}

async fn probed(
    config: &Config,
    spec: &Spec,
    replies: &UnboundedSender<Reply>,
    cancel: CancellationToken,
) -> Result<Learned, String> {
    // What cannot be kept is not worth its price.
    let folder = config.paths.data_dir.clone();
    away(move || probes::load(&folder)).await?.map_err(|error| format!("nothing was sent: {error}"))?;
    let mut told = |feature: Feature, found: &Found| {
        let _ = replies.send(Reply::Probing { feature, verdict: found.verdict });
    };
    let report = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err("the probe was stopped".to_owned()),
        report = probe::run(spec, &mut told) => report,
    };
    if !report.learned() {
        return Err(nothing(spec, &report));
    }
    kept(config, report).await
}

/// Nothing was learned: why, and that an earlier verdict stays.
fn nothing(spec: &Spec, report: &Report) -> String {
    format!("nothing was learned of {}: {}; {}", spec.name(), why(report), spec.earlier())
}

fn why(report: &Report) -> String {
    let (code, message) = report.why();
    let status = report.stopped.as_ref().and_then(|failure| failure.status);
    let status = status.map_or(String::new(), |status| format!(" (status {status})"));
    format!("{}: {message}{status}", code.code())
}

/// Keeps the findings; with the catalogue that goes by them.
async fn kept(config: &Config, report: Report) -> Result<Learned, String> {
    let schema = report.probe.findings.get(&Feature::Schema).map_or(Verdict::Unreachable, |found| found.verdict);
    let stopped = report.stopped.is_some().then(|| why(&report));
    let config = config.clone();
    away(move || {
        probes::keep(&config.paths.data_dir, report.probe).map_err(|error| error.to_string())?;
        Ok(Learned { catalog: Box::new(Catalog::new(&config)), schema, stopped })
    })
    .await?
}

/// Files are read and written where nobody waits for the thread.
async fn away<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|_| "a background job died: this is a fault of formwork".to_owned())
}
