//! Projection of a schema onto a provider's profile, at three levels (ENGINE §4). Pure.

use serde::Serialize;

use super::ResponseFormat;
use crate::capability::ProfileId;
use crate::json::Value;

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
}

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
pub fn project(
    profile: ProfileId,
    place: Place,
    format: &ResponseFormat,
    level: Level,
) -> Result<Projected, Vec<Refusal>> {
    let _ = (profile, place, format, level);
    todo!()
}
