//! `formwork probe`: asks before it spends, shows what was found, keeps it.

use std::fmt::Write as _;
use std::io::BufRead as _;
use std::sync::Arc;

use serde_json::json;

use super::args::PlaceArgs;
use super::failure::{Exit, Failure, Outcome, Stop};
use super::{config_failure, output, print};
use crate::capability::verdict::{Feature, Found, Verdict};
use crate::catalog::{Catalog, Endpoint, probes, today};
use crate::config::{self, Config};
use crate::event::ErrorCode;
use crate::json::{Map, Value};
use crate::probe::{self, Barred, PATIENCE, Report, Spec};
use crate::text;

/// Probes one model.
pub(super) fn run(model: &str, yes: bool, json: bool, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    let catalog = Catalog::new(&config);
    let (endpoint, model) = catalog
        .find(model)
        .map_err(|error| Failure::config(error.to_string()).fact("next", "see what there is with: formwork models"))?;
    can_be_asked(&endpoint)?;
    // What cannot be kept is not worth its price.
    probes::load(&config.paths.data_dir)
        .map_err(|error| Failure::config(error.to_string()).fact("next", "move the file away and try again"))?;
    let spec = Spec { endpoint, model, today: today(), patience: PATIENCE };
    if !yes && !consents(&spec)? {
        output::say("nothing was sent\n");
        return Ok(Exit::Done);
    }
    let report = asked(&spec)?;
    if !report.learned() {
        return Err(nothing(&spec, &report).into());
    }
    let kept = probes::keep(&config.paths.data_dir, report.probe.clone())
        .map_err(|error| Failure::config(error.to_string()).fact("next", "choose another --data-dir"))?;
    let (route, reason) = now(&config, &spec);
    let text = if json {
        let value = as_json(&spec, &report, route, &reason);
        serde_json::to_string_pretty(&value)
            .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))?
    } else {
        let mut table = table(&spec, &report);
        let _ = write!(
            table,
            "\nmeans: {route}: {}\nkept:  {}",
            text::safe(&reason),
            text::safe(&kept.display().to_string())
        );
        if spec.endpoint.facts.declared_native {
            table.push_str(
                "\nnote:  the configuration declares structured_output.native here, which stands above a probe",
            );
        }
        table
    };
    output::line(&text)?;
    Ok(Exit::Done)
}

fn can_be_asked(endpoint: &Endpoint) -> Result<(), Failure> {
    probe::can_be_asked(endpoint).map_err(|barred| match &barred {
        Barred::BuiltIn { .. } => Failure::config(barred.to_string()).fact("next", "formwork models lists the others"),
        Barred::NoAddress { variable, .. } => to_set(ErrorCode::Config, &barred, variable),
        Barred::NoKey { variable, .. } => to_set(ErrorCode::Auth, &barred, variable),
    })
}

fn to_set(code: ErrorCode, barred: &Barred, variable: &str) -> Failure {
    Failure::new(code, barred.to_string()).fact("next", format!("set {variable} in the environment"))
}

/// Says what it may cost and asks, where there is somebody to ask.
fn consents(spec: &Spec) -> Result<bool, Stop> {
    let cost = probe::cost(spec);
    let model = spec.name();
    let words = format!(
        "probing {model} sends at most {} requests to {}, at most {} tokens in all",
        cost.requests,
        spec.endpoint.host(),
        cost.tokens
    );
    if !(output::stdin_is_terminal() && output::stderr_is_terminal()) {
        let failure = Failure::config(format!("{words}: without a terminal to ask, this must be allowed by --yes"));
        return Err(failure.fact("next", format!("formwork probe {model} --yes")).into());
    }
    output::say(&format!("{words}. Go on? [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    Ok(read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Asks the server; a signal ends it with nothing kept.
fn asked(spec: &Spec) -> Result<Report, Stop> {
    let runtime = print::runtime()?;
    let report = runtime.block_on(async {
        let mut signals = print::signals()?;
        let mut told = |feature: Feature, found: &Found| {
            if output::stderr_is_terminal() {
                output::say(&format!("{}: {}\n", feature.name(), found.verdict.name()));
            }
        };
        tokio::select! {
            biased;
            exit = signals.next() => Err(Failure::new(ErrorCode::Cancelled, "the probe was ended; nothing was kept").exits(exit)),
            report = probe::run(spec, &mut told) => Ok(report),
        }
    });
    runtime.shutdown_background();
    Ok(report?)
}

/// Nothing was learned: why, and that an earlier verdict stays.
fn nothing(spec: &Spec, report: &Report) -> Failure {
    let (code, message) = report.why();
    let status = report.stopped.as_ref().and_then(|failure| failure.status);
    let mut failure = Failure::new(code, format!("nothing was learned: {message}"));
    // A server's refusal of the plain request is no lack of a route.
    failure = failure.exits(Exit::Failed).fact("endpoint", spec.endpoint.host());
    if let Some(status) = status {
        failure = failure.fact("status", status.to_string());
    }
    failure.fact("kept", spec.earlier())
}

/// The route the model would take now.
fn now(config: &Config, spec: &Spec) -> (&'static str, String) {
    let catalog = Catalog::on(config, spec.today);
    let fresh = catalog.endpoints.get(&spec.endpoint.provider).map(Arc::clone);
    fresh.unwrap_or_else(|| Arc::clone(&spec.endpoint)).route(&spec.model)
}

fn as_json(spec: &Spec, report: &Report, route: &str, reason: &str) -> Value {
    let features: Map<String, Value> = report
        .probe
        .findings
        .iter()
        .map(|(feature, found)| {
            (feature.name().to_owned(), json!({ "verdict": found.verdict.name(), "evidence": found.evidence }))
        })
        .collect();
    json!({
        "provider": spec.endpoint.provider,
        "model": spec.model,
        "endpoint": report.probe.endpoint,
        "dialect": spec.endpoint.dialect.name(),
        "date": spec.today,
        "requests": report.requests,
        "features": features,
        "route": route,
        "reason": reason,
    })
}

fn table(spec: &Spec, report: &Report) -> String {
    let mut table = format!(
        "{}/{} at {} ({}), {}\n\n{:<14}{:<13}why\n",
        text::safe(&spec.endpoint.provider),
        text::safe(&spec.model),
        text::safe(&spec.endpoint.host()),
        spec.endpoint.dialect.name(),
        spec.today,
        "feature",
        "verdict"
    );
    for (feature, found) in &report.probe.findings {
        let _ = writeln!(table, "{:<14}{:<13}{}", feature.name(), found.verdict.name(), text::safe(&found.evidence));
    }
    let words = report.probe.findings.values().map(|found| found.verdict);
    let mut words: Vec<Verdict> = words.collect();
    words.sort_unstable();
    words.dedup();
    table.push('\n');
    for verdict in words {
        let _ = writeln!(table, "{:<13}{}", verdict.name(), verdict.meaning());
    }
    table
}
