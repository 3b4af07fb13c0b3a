//! Negotiation: which mode can carry this schema to this model, and why the others cannot (ENGINE §4).
//!
//! Pure: the same inputs give the same plan. Sends nothing.

use serde::Serialize;

use crate::capability::{Capability, ModelFlag};
use crate::dialect::ToolChoice;
use crate::event::Mode;
use crate::json::Value;
use crate::schema::ResponseFormat;
use crate::schema::project::{Change, Level, Refusal};

/// What a run will do. The original schema judges in every mode; `provider_schema` is what the provider sees.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub mode: Mode,
    pub format: ResponseFormat,
    pub provider_schema: Value,
    /// Set in tool mode only.
    pub submit_tool_name: Option<&'static str>,
    /// True when a non-object root was wrapped as `{value: …}` for the submit tool.
    pub wrapped: bool,
    /// What the projection changed, in order of path.
    pub changes: Vec<Change>,
    /// The level that was needed.
    pub level: Level,
}

/// What the caller's own tools and options are, as far as negotiation must know.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallerTools {
    pub names: Vec<String>,
    pub choice: ToolChoice,
    pub parallel: Option<bool>,
}

/// Everything negotiation looks at: one snapshot.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub provider: &'a str,
    pub model: &'a str,
    pub capability: &'a Capability,
    pub flag: ModelFlag,
    pub format: &'a ResponseFormat,
    pub level: Level,
    pub tools: &'a CallerTools,
}

/// One route that was tried, and why it is closed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClosedRoute {
    pub mode: Mode,
    /// Each reason is a sentence.
    pub reasons: Vec<String>,
    /// Where the schema breaks the profile, if that was a reason.
    pub refusals: Vec<Refusal>,
    /// The lowest projection level that would open this route, if any does.
    pub opens_at: Option<Level>,
}

/// No route is open. Names provider, model, each route and what to do next.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{provider}/{model} cannot take this schema by any allowed route")]
pub struct Unsupported {
    pub provider: String,
    pub model: String,
    pub routes: Vec<ClosedRoute>,
    /// What to do next, best first.
    pub advice: Vec<String>,
}

/// The reserved name of the hidden submit tool (ENGINE §6).
pub const SUBMIT_TOOL: &str = "__formwork_submit_json";

/// Decides the route, in the order of ENGINE §4.
///
/// # Errors
/// [`Unsupported`], which explains every route.
pub fn negotiate(question: &Question<'_>) -> Result<Plan, Unsupported> {
    let _ = question;
    todo!()
}
