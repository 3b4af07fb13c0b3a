//! Finds out what a server really holds: a few small requests whose answers only a server that enforces could give.
//!
//! Sends fixed words of ours, never a user's text, and keeps none of the provider's. What nothing was learned of (key,
//! limit, network, a cut answer) is `unreachable` and changes no earlier verdict. Negotiates nothing: it asks also
//! where no route is open, since that is what it is for.

mod ask;
mod judge;
mod questions;

use std::sync::Arc;
use std::time::Duration;

use self::ask::ask;
use self::questions::{Question, question};
use crate::capability::Day;
use crate::capability::verdict::{Feature, Findings, Found, Verdict};
use crate::catalog::Endpoint;
use crate::catalog::probes::{Probe, shown};
use crate::event::{CallFailure, ErrorCode};

/// Output tokens of one request, at most.
const OUTPUT: u64 = 1_024;
/// A model that thinks needs room for it.
const OUTPUT_OF_THINKERS: u64 = 4_096;
/// Our longest prompt with schema and tool, generously.
const INPUT: u64 = 500;

/// A small server on this machine may take its time over one request.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// Why an endpoint cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Barred {
    #[error("{provider} is built in: there is no server to probe")]
    BuiltIn { provider: String },
    #[error("there is no address for {provider}: {variable} is not set")]
    NoAddress { provider: String, variable: String },
    #[error("there is no key for {provider}: {variable} is not set")]
    NoKey { provider: String, variable: String },
}

/// Can this endpoint be asked at all? Sends nothing.
///
/// # Errors
/// [`Barred`]: it is no server, or its address or key is missing.
pub fn can_be_asked(endpoint: &Endpoint) -> Result<(), Barred> {
    let provider = endpoint.provider.clone();
    if !endpoint.dialect.is_wire() {
        return Err(Barred::BuiltIn { provider });
    }
    let Some(variable) = endpoint.missing().map(str::to_owned) else { return Ok(()) };
    Err(if endpoint.base_url.is_empty() {
        Barred::NoAddress { provider, variable }
    } else {
        Barred::NoKey { provider, variable }
    })
}

/// What to probe.
#[derive(Debug, Clone)]
pub struct Spec {
    pub endpoint: Arc<Endpoint>,
    pub model: String,
    pub today: Day,
    /// One request takes no longer.
    pub patience: Duration,
}

impl Spec {
    /// `PROVIDER/MODEL`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.endpoint.provider, self.model)
    }

    /// What stays when nothing is learned.
    #[must_use]
    pub fn earlier(&self) -> String {
        match self.endpoint.last_probe(&self.model) {
            Some((day, verdict)) => format!("the verdict of {day} stays: {}", verdict.name()),
            None => "there is no earlier verdict".to_owned(),
        }
    }
}

/// What a probe may cost, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub requests: u64,
    pub tokens: u64,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    pub probe: Probe,
    /// Requests that were sent.
    pub requests: u64,
    /// What ended the probe early.
    pub stopped: Option<CallFailure>,
}

impl Report {
    /// Was anything learned?
    #[must_use]
    pub fn learned(&self) -> bool {
        self.probe.findings.values().any(|found| found.verdict.is_known())
    }

    /// Why nothing was learned, or why not all was; the message is of our own words.
    #[must_use]
    pub fn why(&self) -> (ErrorCode, String) {
        match &self.stopped {
            Some(failure) => (failure.code, failure.message.clone()),
            None => (ErrorCode::Provider, "no answer proved anything".to_owned()),
        }
    }
}

/// The most a probe of this model may cost.
#[must_use]
pub fn cost(spec: &Spec) -> Cost {
    let requests = u64::try_from(Feature::ALL.len()).unwrap_or(u64::MAX);
    Cost { requests, tokens: requests.saturating_mul(INPUT + max_output(spec)) }
}

fn max_output(spec: &Spec) -> u64 {
    let thinks = spec.endpoint.details(&spec.model).and_then(|model| model.reasoning) == Some(true);
    if thinks { OUTPUT_OF_THINKERS } else { OUTPUT }
}

/// Asks, one request after the other; `told` hears each finding as it comes.
pub async fn run(spec: &Spec, told: &mut (dyn FnMut(Feature, &Found) + Send)) -> Report {
    let mut run = Run { spec, findings: Findings::new(), requests: 0, stopped: None };
    for feature in Feature::ALL {
        let found = run.feature(feature).await;
        told(feature, &found);
        run.findings.insert(feature, found);
    }
    let endpoint = &spec.endpoint;
    let probe = Probe {
        provider: endpoint.provider.clone(),
        endpoint: shown(&endpoint.base_url),
        dialect: endpoint.dialect,
        model: spec.model.clone(),
        max_output_tokens: max_output(spec),
        findings: run.findings,
    };
    Report { probe, requests: run.requests, stopped: run.stopped }
}

struct Run<'a> {
    spec: &'a Spec,
    findings: Findings,
    requests: u64,
    stopped: Option<CallFailure>,
}

impl Run<'_> {
    async fn feature(&mut self, feature: Feature) -> Found {
        let (verdict, evidence) = match self.pointless(feature) {
            Some(known) => known,
            None => self.asked(feature).await,
        };
        Found { verdict, evidence, date: self.spec.today }
    }

    /// What needs no request: nothing answers, or what it builds upon is known not to hold.
    fn pointless(&self, feature: Feature) -> Option<(Verdict, String)> {
        if self.stopped.is_some() {
            return Some((Verdict::Unreachable, "not asked: the probe was stopped".to_owned()));
        }
        let upon_schema = matches!(feature, Feature::ArrayBound | Feature::WithTools);
        let schema = self.findings.get(&Feature::Schema).map(|found| found.verdict);
        let failed = schema.filter(|verdict| upon_schema && *verdict != Verdict::Enforced)?;
        Some((failed, "not asked: follows from the schema parameter".to_owned()))
    }

    async fn asked(&mut self, feature: Feature) -> (Verdict, String) {
        self.requests += 1;
        let Question { call, judge } = question(feature, self.spec, max_output(self.spec));
        match ask(&self.spec.endpoint, &call, self.spec.patience).await {
            Ok(answer) => judge::answer(&answer, judge),
            Err(failure) => self.failed(feature, failure),
        }
    }

    /// A refusal is a verdict only of what was asked beyond the plain request, which went through before.
    fn failed(&mut self, feature: Feature, failure: CallFailure) -> (Verdict, String) {
        let evidence = match failure.status {
            Some(status) => format!("status {status}: {}", failure.message),
            None => failure.message.clone(),
        };
        if is_refusal(&failure) && feature != Feature::Streaming {
            return (Verdict::Refused, evidence);
        }
        self.stopped = Some(failure);
        (Verdict::Unreachable, evidence)
    }
}

/// Did the server refuse this very request, whatever its words? A bad key, a limit and a fault say nothing of it.
fn is_refusal(failure: &CallFailure) -> bool {
    let about_the_request = matches!(failure.code, ErrorCode::Provider | ErrorCode::Unsupported);
    let status = failure.status.unwrap_or_default();
    let passing = matches!(status, 401 | 402 | 403 | 407 | 408 | 409 | 425 | 429);
    about_the_request && (matches!(status, 400..=499) && !passing || status == 501)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_about_the_request_is_a_refusal() {
        let failure = |code, status| CallFailure {
            code,
            status,
            provider_code: None,
            request_id: None,
            retryable: false,
            retry_after_ms: None,
            message: String::new(),
            detail: None,
        };
        for (code, status, want) in [
            (ErrorCode::Provider, Some(400), true),
            (ErrorCode::Provider, Some(404), true),
            (ErrorCode::Provider, Some(422), true),
            (ErrorCode::Provider, Some(501), true),
            (ErrorCode::Unsupported, Some(400), true),
            (ErrorCode::Auth, Some(401), false),
            (ErrorCode::Auth, Some(400), false),
            (ErrorCode::Provider, Some(402), false),
            (ErrorCode::RateLimited, Some(429), false),
            (ErrorCode::Provider, Some(500), false),
            (ErrorCode::Provider, Some(529), false),
            (ErrorCode::Provider, Some(302), false),
            (ErrorCode::Provider, None, false),
            (ErrorCode::Transport, None, false),
            (ErrorCode::Timeout, None, false),
            (ErrorCode::Incomplete, Some(400), false),
            (ErrorCode::Refusal, Some(400), false),
        ] {
            assert_eq!(is_refusal(&failure(code, status)), want, "{code:?} {status:?}");
        }
    }
}
