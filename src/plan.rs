//! Negotiation: which mode can carry this schema to this model, and why the others cannot (ENGINE §4).
//!
//! Pure: the same inputs give the same plan. Sends nothing.

mod advice;
pub mod board;
mod grammar;
pub mod portability;

use serde::Serialize;

use crate::capability::{Capability, ModelFlag, Native};
use crate::dialect::ToolChoice;
use crate::event::Mode;
use crate::json::Value;
use crate::schema::profile::profile;
use crate::schema::project::{Change, Level, Place, Projected, Refusal, lowest_level};
use crate::schema::{Fallback, ResponseFormat};

pub use grammar::{Dropped, GrammarVerdict};

pub use crate::schema::project::{WRAPPER, unwrap, unwrap_text};

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
    /// What the grammar compiler says, where one holds the answer: it decides instead of the profile's list.
    pub grammar: Option<&'a GrammarVerdict>,
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
    let native = route(question, Mode::Native, native_reasons(question));
    let native = match native {
        Ok(projected) => return Ok(plan(question, Mode::Native, projected)),
        Err(closed) => closed,
    };
    let tool = match route(question, Mode::Tool, tool_reasons(question)) {
        Ok(projected) => return Ok(plan(question, Mode::Tool, projected)),
        Err(closed) => closed,
    };
    if question.format.fallback == Fallback::Prompt {
        return Ok(prompt_plan(question));
    }
    let routes = vec![native, tool, closed_prompt(question)];
    let advice = advice::advice(question, &routes);
    Err(Unsupported { provider: question.provider.to_owned(), model: question.model.to_owned(), routes, advice })
}

/// Is a route open? Without other reasons the projection decides; with them it is still tried, to tell all there is to tell.
fn route(question: &Question<'_>, mode: Mode, reasons: Vec<String>) -> Result<Projected, ClosedRoute> {
    let profile = question.capability.schema_profile;
    let place = if mode == Mode::Tool { Place::Tool } else { Place::Native };
    let projected = projection(question, place, question.level);
    match projected {
        Ok(projected) if reasons.is_empty() => Ok(projected),
        Ok(_) => Err(ClosedRoute { mode, reasons, refusals: Vec::new(), opens_at: None }),
        Err(refusals) => {
            let alone = reasons.is_empty();
            let mut reasons = reasons;
            reasons.push(refused_sentence(question, refusals.len()));
            let lowest = || match question.grammar {
                Some(verdict) => verdict.lowest_level(),
                None => lowest_level(profile, place, question.format),
            };
            let opens_at = alone.then(lowest).flatten();
            Err(ClosedRoute { mode, reasons, refusals, opens_at })
        }
    }
}

/// The schema as it would be sent, by the grammar compiler or by the profile.
fn projection(question: &Question<'_>, place: Place, level: Level) -> Result<Projected, Vec<Refusal>> {
    portability::projection(question.capability.schema_profile, question.grammar, place, question.format, level)
}

fn refused_sentence(question: &Question<'_>, count: usize) -> String {
    let places = if count == 1 { "one place".to_owned() } else { format!("{count} places") };
    let profile = profile(question.capability.schema_profile);
    let (name, date) = (profile.name, profile.date);
    format!("The profile {name} ({date}) refuses the schema in {places} at --project {}.", question.level.name())
}

fn native_reasons(question: &Question<'_>) -> Vec<String> {
    let record = question.capability;
    let mut reasons = Vec::new();
    let opted_in = record.native_model_opt_in && question.flag == ModelFlag::Yes;
    match record.native {
        Native::Supported => {}
        Native::Unsupported => reasons.push("The endpoint has no schema parameter of its own.".to_owned()),
        Native::Unknown if opted_in => {}
        Native::Unknown if record.native_model_opt_in => {
            reasons.push("Native output is only used for models flagged as supporting it; this one is not.".to_owned());
        }
        Native::Unknown => reasons.push("Nobody vouches that the endpoint holds a schema of its own.".to_owned()),
    }
    if question.flag == ModelFlag::No {
        reasons.push("The model is flagged as not supporting structured output.".to_owned());
    }
    if !record.streaming {
        reasons.push("The endpoint does not stream.".to_owned());
    }
    if !question.tools.names.is_empty() && !record.with_tools {
        reasons.push("The endpoint is not known to take a schema together with tools.".to_owned());
    }
    match &question.tools.choice {
        ToolChoice::Required => reasons.push("tool_choice demands a tool call, so no answer could be text.".to_owned()),
        ToolChoice::Named(_) => reasons.push("tool_choice forces one tool, so no answer could be text.".to_owned()),
        ToolChoice::Unset | ToolChoice::Auto | ToolChoice::None => {}
    }
    reasons
}

fn tool_reasons(question: &Question<'_>) -> Vec<String> {
    let record = question.capability;
    let tools = question.tools;
    let mut reasons = Vec::new();
    match question.format.fallback {
        Fallback::Auto => {}
        Fallback::None => reasons.push("fallback is none: no other route than native is allowed.".to_owned()),
        Fallback::Prompt => reasons.push("fallback is prompt: the submit tool is only used with auto.".to_owned()),
    }
    if !record.strict_tool {
        reasons.push("Strict tools are not verified at this endpoint.".to_owned());
    }
    if !record.streaming {
        reasons.push("The endpoint does not stream.".to_owned());
    }
    match &tools.choice {
        ToolChoice::Unset | ToolChoice::Auto => {}
        ToolChoice::Required if record.forced_tool => {}
        ToolChoice::Named(name) if name == SUBMIT_TOOL && record.forced_tool => {}
        ToolChoice::Named(name) if name != SUBMIT_TOOL => reasons.push("tool_choice forces another tool.".to_owned()),
        ToolChoice::Required | ToolChoice::Named(_) => {
            reasons.push("This model refuses a demanded tool call: tool_choice must be auto.".to_owned());
        }
        ToolChoice::None => reasons.push("tool_choice forbids tools.".to_owned()),
    }
    if tools.parallel == Some(true) {
        reasons.push("parallel_tool_calls is true; the submit tool must be called alone.".to_owned());
    }
    if tools.names.iter().any(|name| name == SUBMIT_TOOL) {
        reasons.push(format!("A tool of the caller has the reserved name {SUBMIT_TOOL}."));
    }
    reasons
}

fn closed_prompt(question: &Question<'_>) -> ClosedRoute {
    let word = match question.format.fallback {
        Fallback::Auto => "auto",
        Fallback::None => "none",
        Fallback::Prompt => "prompt",
    };
    let reasons = vec![format!("fallback is {word}: the prompt route must be asked for by name.")];
    ClosedRoute { mode: Mode::Prompt, reasons, refusals: Vec::new(), opens_at: None }
}

fn plan(question: &Question<'_>, mode: Mode, projected: Projected) -> Plan {
    Plan {
        mode,
        format: question.format.clone(),
        provider_schema: projected.schema,
        submit_tool_name: (mode == Mode::Tool).then_some(SUBMIT_TOOL),
        wrapped: projected.wrapped,
        changes: projected.changes,
        level: projected.level,
    }
}

/// The schema goes into the prompt as it is.
fn prompt_plan(question: &Question<'_>) -> Plan {
    Plan {
        mode: Mode::Prompt,
        format: question.format.clone(),
        provider_schema: question.format.schema.clone(),
        submit_tool_name: None,
        wrapped: false,
        changes: Vec::new(),
        level: Level::Exact,
    }
}
