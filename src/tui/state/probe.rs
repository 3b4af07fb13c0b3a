//! The probe of a model's server, as the screen keeps it: the question before it, how far it is, what earlier ones found.

use crate::capability::verdict::{Feature, Found, Verdict};
use crate::capability::{Day, Evidence};
use crate::catalog::{Endpoint, known};
use crate::tui::words;

use super::Models;

/// A probe under way: one at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probing {
    /// `PROVIDER/MODEL`.
    pub name: String,
    /// What was told so far, in the order it came.
    pub told: Vec<(Feature, Verdict)>,
    /// When it began, in milliseconds.
    pub started: u64,
    /// Cancel was asked for; the end still comes.
    pub cancelled: bool,
}

impl Probing {
    /// A probe that has just begun.
    #[must_use]
    pub fn new(name: String, now: u64) -> Self {
        Self { name, told: Vec::new(), started: now, cancelled: false }
    }

    /// The share of the features that are settled, in thousandths.
    #[must_use]
    pub fn share(&self) -> u64 {
        let count = |n: usize| u64::try_from(n).unwrap_or(0);
        count(self.told.len()) * 1000 / count(Feature::ALL.len())
    }

    /// `2 of 5 · schema enforced · 3.1 s`, and shorter where there is less room.
    #[must_use]
    pub fn figures(&self, now: u64) -> [String; 3] {
        let count = format!("{} of {}", self.told.len(), Feature::ALL.len());
        let newest = self.told.last().map(|(feature, verdict)| format!(" · {} {}", feature.name(), verdict.name()));
        let told = format!("{count}{}", newest.unwrap_or_default());
        [format!("{told} · {}", words::span(now.saturating_sub(self.started))), told, count]
    }
}

/// What the newest probe says of a model's schema parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    pub verdict: Verdict,
    pub date: Day,
    pub evidence: String,
    /// The route rests on it; else it is too old, or the configuration stands above it.
    pub counts: bool,
}

impl Models {
    /// The kept verdict of `PROVIDER/MODEL`; `None` where there is none.
    #[must_use]
    pub fn badge(&self, name: &str) -> Option<Badge> {
        let (endpoint, model) = self.at(name)?;
        let Found { verdict, evidence, date } = endpoint.facts.probes.get(model)?.get(&Feature::Schema)?.clone();
        Some(Badge { verdict, date, evidence, counts: endpoint.record(model).evidence == Evidence::Probed })
    }

    /// Everything that probes found of `PROVIDER/MODEL`, each with its verdict, day and evidence; empty without one.
    #[must_use]
    pub fn findings(&self, name: &str) -> String {
        let found = self.at(name).and_then(|(endpoint, model)| endpoint.facts.probes.get(model));
        let lines = found.into_iter().flatten().map(|(feature, Found { verdict, evidence, date })| {
            format!("  {:<13}{:<13}{date}\n      {evidence}\n", feature.name(), verdict.name())
        });
        lines.collect()
    }

    fn at<'a>(&self, name: &'a str) -> Option<(&Endpoint, &'a str)> {
        let (provider, model) = name.split_once('/')?;
        let endpoints = &self.catalog.endpoints;
        let endpoint = endpoints.get(provider).or_else(|| endpoints.get(known::canonical(provider)))?;
        Some((endpoint, model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_tells_how_far_it_is() {
        let mut probing = Probing::new("lab/m".to_owned(), 1_000);
        assert_eq!(
            (probing.share(), probing.figures(1_500)),
            (0, ["0 of 5 · 0.5 s", "0 of 5", "0 of 5"].map(str::to_owned))
        );
        probing.told.push((Feature::Streaming, Verdict::Enforced));
        probing.told.push((Feature::Schema, Verdict::ShapeOnly));
        let told = ["2 of 5 · schema shape_only · 3.0 s", "2 of 5 · schema shape_only", "2 of 5"];
        assert_eq!((probing.share(), probing.figures(4_000)), (400, told.map(str::to_owned)));
    }
}
