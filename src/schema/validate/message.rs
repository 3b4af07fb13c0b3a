//! What an issue says about the branches of `anyOf` and `oneOf`, and how names are written.

use super::program::{Check, NodeId, Program, TYPE_NAMES, Types};
use crate::json::Value;

/// A property name as JSON text, cut when long.
pub(super) fn quoted(name: &str) -> String {
    let short: String = name.chars().take(80).collect();
    let mark = if short.len() < name.len() { "…" } else { "" };
    format!("{}{mark}", crate::json::canonical(&Value::String(short)))
}

/// The node behind references, followed a bounded number of steps.
fn behind(program: &Program, mut id: NodeId) -> NodeId {
    for _ in 0..64 {
        let checks = program.nodes.get(id).map(|n| n.checks.as_slice());
        match checks {
            Some([Check::Reference { to, dynamic: None }]) => id = *to,
            _ => break,
        }
    }
    id
}

fn checks(program: &Program, id: NodeId) -> &[Check] {
    program.nodes.get(behind(program, id)).map_or(&[], |n| n.checks.as_slice())
}

fn types(program: &Program, id: NodeId) -> Option<(Types, &str)> {
    checks(program, id).iter().find_map(|c| match c {
        Check::Type { types, shown } => Some((*types, shown.as_str())),
        _ => None,
    })
}

fn fixed_values(program: &Program, id: NodeId) -> Option<&str> {
    checks(program, id).iter().find_map(|c| match c {
        Check::Enum { shown, .. } => Some(shown.as_str()),
        _ => None,
    })
}

fn properties(program: &Program, id: NodeId) -> impl Iterator<Item = (&String, NodeId)> {
    checks(program, id)
        .iter()
        .filter_map(|c| match c {
            Check::Object { properties, .. } => Some(properties),
            _ => None,
        })
        .flatten()
        .map(|(k, n)| (k, *n))
}

/// A property that is `const` or `enum` in every branch, and the values the branches expect.
fn discriminator(program: &Program, list: &[NodeId]) -> Option<String> {
    let first = *list.first()?;
    let mut names: Vec<&String> =
        properties(program, first).filter(|(_, n)| fixed_values(program, *n).is_some()).map(|(k, _)| k).collect();
    names.sort();
    for name in names.into_iter().take(16) {
        let values = list.iter().take(20).map(|branch| {
            let (_, node) = properties(program, *branch).find(|(k, _)| *k == name)?;
            fixed_values(program, node)
        });
        if let Some(values) = values.collect::<Option<Vec<_>>>() {
            return Some(format!("the property {} tells them apart: {}", quoted(name), values.join(", ")));
        }
    }
    None
}

/// No branch matched: how many there are, and what they expect when that is short to say.
pub(super) fn no_branch(program: &Program, list: &[NodeId], keyword: &str) -> String {
    let exactly = if keyword == "oneOf" { "exactly one" } else { "at least one" };
    let head = format!("must match {exactly} of {} schemas, matches none ({keyword})", list.len());
    let by_type: Option<Vec<&str>> = list.iter().take(20).map(|n| types(program, *n).map(|(_, s)| s)).collect();
    let by_value = || list.iter().take(20).map(|n| fixed_values(program, *n)).collect::<Option<Vec<_>>>();
    if let Some(values) = by_value() {
        return format!("{head}; expected {}", values.join(", "));
    }
    if let Some(mut names) = by_type {
        let count = names.len();
        names.dedup();
        if names.len() == count && count > 1 {
            return format!("{head}; expected {}", names.join(" or "));
        }
    }
    match discriminator(program, list) {
        Some(text) => format!("{head}; {text}"),
        None => head,
    }
}

/// More than one branch of a `oneOf` matched.
pub(super) fn several_branches(matched: &[usize], total: usize) -> String {
    let shown: Vec<String> = matched.iter().take(10).map(usize::to_string).collect();
    let more = if matched.len() > 10 { ", …" } else { "" };
    format!(
        "must match exactly one of {total} schemas, matches {} of them: {}{more} (oneOf)",
        matched.len(),
        shown.join(", ")
    )
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::Number(_) => "number",
        Value::String(_) => "string",
    }
}

/// The one container branch that the value's type leaves, when every branch names its types.
pub(super) fn only_branch(program: &Program, list: &[NodeId], value: &Value) -> Option<NodeId> {
    if !(value.is_object() || value.is_array()) || !TYPE_NAMES.contains(&kind(value)) {
        return None;
    }
    let mut fits = Vec::new();
    for node in list {
        if types(program, *node)?.0.has(kind(value)) {
            fits.push(*node);
        }
    }
    match fits.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}
