//! What a person can do next when no route is open, best first.

use super::{ClosedRoute, Question, SUBMIT_TOOL, projection};
use crate::capability::{Evidence, Native};
use crate::dialect::ToolChoice;
use crate::event::Mode;
use crate::schema::Fallback;
use crate::schema::project::{Change, Level, Place};

pub(super) fn advice(question: &Question<'_>, routes: &[ClosedRoute]) -> Vec<String> {
    let mut advice = Vec::new();
    advice.extend(project_flag(question, routes));
    advice.extend(caller(question));
    advice.extend(declare(question));
    if question.format.fallback == Fallback::None {
        advice.push("Use --fallback auto to allow the submit tool.".to_owned());
    }
    advice.push(
        "Use --fallback prompt: the schema stands in the system prompt and the answer is still validated.".to_owned(),
    );
    if routes.iter().any(|route| !route.refusals.is_empty()) {
        advice.push("Run formwork check SCHEMA to see every place a provider refuses.".to_owned());
    }
    advice
}

/// The lowest level that opens a route, and what it would change.
fn project_flag(question: &Question<'_>, routes: &[ClosedRoute]) -> Option<String> {
    let open = routes.iter().filter_map(|route| Some((route.opens_at?, route.mode))).min_by_key(|(level, _)| *level);
    let (level, mode) = open.filter(|(level, _)| *level > question.level)?;
    let place = if mode == Mode::Tool { Place::Tool } else { Place::Native };
    let changes = projection(question, place, level).ok()?.changes;
    Some(format!("Add --project {} ({}).", level.name(), summary(&changes)))
}

/// `closed 3 objects, made 2 properties required, 1 other change`.
fn summary(changes: &[Change]) -> String {
    const SAID: [(&str, &str, &str); 3] = [
        ("closed the object", "closes 1 object", "closes {} objects"),
        ("made required", "makes 1 property required", "makes {} properties required"),
        ("", "drops 1 constraint, checked locally only", "drops {} constraints, checked locally only"),
    ];
    let count = |wanted: &str| -> usize {
        let fits = |change: &&Change| match wanted {
            "" => change.level == Level::Relax,
            words => change.what == words,
        };
        changes.iter().filter(fits).count()
    };
    let mut parts: Vec<String> = Vec::new();
    let mut told = 0;
    for (what, one, many) in SAID {
        let number = count(what);
        told += number;
        match number {
            0 => {}
            1 => parts.push(one.to_owned()),
            _ => parts.push(many.replace("{}", &number.to_string())),
        }
    }
    let others = changes.iter().filter(|change| change.level > Level::Exact).count().saturating_sub(told);
    if others > 0 {
        parts.push(format!("{others} other {}", if others == 1 { "change" } else { "changes" }));
    }
    parts.join(", ")
}

/// What the caller's own options stand in the way of.
fn caller(question: &Question<'_>) -> Vec<String> {
    let mut advice = Vec::new();
    match &question.tools.choice {
        ToolChoice::Unset | ToolChoice::Auto => {}
        ToolChoice::Named(name) if name == SUBMIT_TOOL => {}
        ToolChoice::Named(_) | ToolChoice::Required | ToolChoice::None => {
            advice.push("Leave tool_choice out or set it to auto.".to_owned());
        }
    }
    if question.tools.parallel == Some(true) {
        advice.push("Leave parallel_tool_calls out or set it to false.".to_owned());
    }
    if question.tools.names.iter().any(|name| name == SUBMIT_TOOL) {
        advice.push(format!("Rename your tool {SUBMIT_TOOL}: the name is reserved."));
    }
    advice
}

/// An endpoint nobody vouches for can be declared.
fn declare(question: &Question<'_>) -> Option<String> {
    let record = question.capability;
    let unknown = record.native == Native::Unknown && !record.strict_tool && record.evidence == Evidence::Nobody;
    unknown.then(|| {
        format!(
            "Find out with formwork probe {}/{}, or, if you know what the server holds, declare it in the config: [providers.{}] \
             structured_output = {{ native = \"supported\", schema_profile = \"llama_cpp\" }}.",
            question.provider, question.model, question.provider
        )
    })
}
