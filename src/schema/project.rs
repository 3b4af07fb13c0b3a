//! Projection of a schema onto a provider's profile, at three levels (ENGINE §4). Pure.
//!
//! The original is never touched: the projection works on a tree of its own, mends what the level allows, then holds the
//! result against the profile again. What remains is refused, every place of it.

mod combine;
mod count;
mod cycles;
mod finite;
mod inspect;
mod measure;
mod mend;
mod object;
mod render;
mod scalar;
mod told;
mod union;
mod values;
mod wrap;

use std::collections::HashSet;

use serde::Serialize;

use super::ResponseFormat;
use super::profile::ProfileId;
use super::profile::{Profile, RuleName, profile_at};
use super::tree::{Dangling, Tree};
use crate::json::Value;

pub use wrap::{WRAPPER, unwrap, unwrap_text};

/// How far a projection may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Only changes that keep the meaning.
    #[default]
    Exact,
    /// May shrink the set of values.
    Narrow,
    /// May also drop constraints; they are checked locally only.
    Relax,
}

/// One change a projection made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Pointer into the original schema.
    pub path: String,
    /// The level this change needs.
    pub level: Level,
    /// `closed object`, `made required`, `dropped minLength`, …: a short phrase, no values.
    pub what: String,
}

/// One place the profile refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Pointer into the original schema, at the offending keyword.
    pub path: String,
    /// Short stable name of the rule, e.g. `all-required`, `keyword-not-supported`, `max-depth`.
    pub rule: String,
    pub message: String,
    /// The lowest level that mends it; `None` = no projection can.
    pub mends_at: Option<Level>,
}

/// A schema the provider accepts, and what was changed for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Projected {
    pub schema: Value,
    pub changes: Vec<Change>,
    /// Highest level among the changes.
    pub level: Level,
    /// True when a root that is no object was wrapped as `{value: …}` ([`Place::Tool`] only).
    pub wrapped: bool,
    /// Places that pass, although reports say they sometimes fail.
    pub warnings: Vec<Refusal>,
    /// How much of each limit is used.
    pub counts: Vec<Count>,
}

/// One limit and its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Count {
    pub what: super::profile::Measure,
    pub used: usize,
    pub most: usize,
}

/// At most this many refusals are listed; one more says how many were left out.
pub const MAX_REFUSALS: usize = 200;

/// Where a schema will stand: the rules differ a little (a tool's root must be an object: it is wrapped first).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Native,
    Tool,
}

/// Projects `format.schema` onto `profile` at no more than `level`.
///
/// # Errors
/// Every place that stays refused at that level.
pub fn project(id: ProfileId, place: Place, format: &ResponseFormat, level: Level) -> Result<Projected, Vec<Refusal>> {
    let source = Source::read(&format.schema);
    let rules = profile_at(id, place);
    let outcome = source.attempt(rules, place, level);
    if outcome.refusals.is_empty() {
        return Ok(outcome.projected);
    }
    let higher = [Level::Narrow, Level::Relax].into_iter().filter(|higher| *higher > level);
    let tried: Vec<Outcome> = higher.map(|higher| source.attempt(rules, place, higher)).collect();
    Err(bounded(with_mends(outcome.refusals, &tried)))
}

/// Everything one profile says about a schema at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The lowest level at which the profile takes the schema.
    pub level: Option<Level>,
    /// What stands in the way of the exact one.
    pub refusals: Vec<Refusal>,
    /// What stays refused at every level.
    pub left: Vec<Refusal>,
    /// The schema at that level; at `relax` as far as it goes when no level helps.
    pub projected: Projected,
}

/// A schema that is held against several profiles: it is read once.
#[derive(Debug)]
pub struct Source<'a> {
    schema: &'a Value,
    tree: Result<Tree, Dangling>,
}

impl<'a> Source<'a> {
    /// Reads a schema.
    #[must_use]
    pub fn read(schema: &'a Value) -> Self {
        Self { schema, tree: Tree::read(schema) }
    }

    /// Tries the levels from the lowest until one fits.
    #[must_use]
    pub fn assess(&self, id: ProfileId, place: Place) -> Assessment {
        let rules = profile_at(id, place);
        let exact = self.attempt(rules, place, Level::Exact);
        if exact.refusals.is_empty() {
            let (refusals, left) = (Vec::new(), Vec::new());
            return Assessment { level: Some(Level::Exact), refusals, left, projected: exact.projected };
        }
        let mut tried = vec![self.attempt(rules, place, Level::Narrow)];
        if tried.iter().all(|outcome| !outcome.refusals.is_empty()) {
            tried.push(self.attempt(rules, place, Level::Relax));
        }
        let refusals = bounded(with_mends(exact.refusals, &tried));
        let level = tried.iter().position(|outcome| outcome.refusals.is_empty());
        let level = level.map(|at| if at == 0 { Level::Narrow } else { Level::Relax });
        // One was tried at least.
        let last =
            tried.pop().map_or_else(|| (untouched(self.schema, Vec::new()), Vec::new()), |o| (o.projected, o.refusals));
        Assessment { level, refusals, left: bounded(last.1), projected: last.0 }
    }

    fn attempt(&self, rules: &'static Profile, place: Place, level: Level) -> Outcome {
        let tree = match &self.tree {
            Ok(tree) => tree,
            Err(Dangling(path)) => return unreadable(self.schema, path.clone()),
        };
        if rules.accepts_everything && (place == Place::Native || wrap::is_object(tree)) {
            return Outcome { level, projected: untouched(self.schema, Vec::new()), refusals: Vec::new() };
        }
        let mut mender = mend::Mender::new(tree.clone(), rules, place, level, self.schema);
        let wrapped = place == Place::Tool && mender.wrap();
        if !rules.accepts_everything {
            mender.run();
        }
        mender.finish(wrapped)
    }
}

/// What one level makes of a schema.
struct Outcome {
    level: Level,
    projected: Projected,
    refusals: Vec<Refusal>,
}

fn untouched(schema: &Value, counts: Vec<Count>) -> Projected {
    let (changes, warnings) = (Vec::new(), Vec::new());
    Projected { schema: schema.clone(), changes, level: Level::Exact, wrapped: false, warnings, counts }
}

fn unreadable(schema: &Value, path: String) -> Outcome {
    let refusal = refusal(RuleName::DanglingReference, path, "this reference leads nowhere in the document");
    Outcome { level: Level::Exact, projected: untouched(schema, Vec::new()), refusals: vec![refusal] }
}

pub(super) fn refusal(rule: RuleName, path: String, message: impl Into<String>) -> Refusal {
    Refusal { path, rule: rule.name().to_owned(), message: message.into(), mends_at: None }
}

/// Says of each refusal at which of the higher levels, lowest first, it is gone.
fn with_mends(mut refusals: Vec<Refusal>, higher: &[Outcome]) -> Vec<Refusal> {
    for outcome in higher.iter().rev() {
        let left: HashSet<(&str, &str)> =
            outcome.refusals.iter().map(|refusal| (refusal.path.as_str(), refusal.rule.as_str())).collect();
        for refusal in &mut refusals {
            if !left.contains(&(refusal.path.as_str(), refusal.rule.as_str())) {
                refusal.mends_at = Some(outcome.level);
            }
        }
    }
    refusals
}

fn bounded(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    let all = refusals.len();
    if all > MAX_REFUSALS {
        refusals.truncate(MAX_REFUSALS);
        refusals.push(Refusal {
            path: String::new(),
            rule: "more-refusals".to_owned(),
            message: format!("{} more places are refused", all - MAX_REFUSALS),
            mends_at: None,
        });
    }
    refusals
}

impl Level {
    /// The word of `--project`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Narrow => "narrow",
            Self::Relax => "relax",
        }
    }
}

/// The lowest level at which the profile takes the schema; `None` when no level helps.
#[must_use]
pub fn lowest_level(id: ProfileId, place: Place, format: &ResponseFormat) -> Option<Level> {
    Source::read(&format.schema).assess(id, place).level
}
