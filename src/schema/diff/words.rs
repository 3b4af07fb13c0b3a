//! Differences in words. Long values are cut: a list of changes is read at a glance.

use super::arena::Arena;
use crate::json::{Value, canonical};
use crate::schema::tree::Id;
use crate::schema::tree::types::Types;

/// Characters of a value that are shown.
const MAX_VALUE: usize = 40;
/// Listed values that are shown.
const MAX_LISTED: usize = 4;

/// A value, cut.
pub(super) fn value(value: &Value) -> String {
    let text = canonical(value);
    if text.chars().count() <= MAX_VALUE {
        return text;
    }
    text.chars().take(MAX_VALUE - 1).chain(['…']).collect()
}

/// The types as people say them.
fn types(values: &[Value]) -> String {
    if values.is_empty() {
        return "any type".to_owned();
    }
    let all = values.iter().map(Types::of_keyword).fold(Types::ALL, Types::and);
    all.words().join(" or ")
}

/// What a schema is, in a word or two.
pub(super) fn shape(arena: &Arena, ids: &[Id]) -> String {
    let types = arena.types(ids);
    if types == Types::ALL { "a schema".to_owned() } else { types.words().join(" or ") }
}

/// `minimum 0 → 1`.
pub(super) fn keyword(name: &str, old: &[Value], new: &[Value]) -> String {
    match name {
        "type" => return format!("{} → {}", types(old), types(new)),
        "enum" if old.len() == 1 && new.len() == 1 => return listed(&old[0], &new[0]),
        "uniqueItems" => {
            let now = new.first() == Some(&Value::Bool(true));
            return if now { "items must now differ".to_owned() } else { "items may now repeat".to_owned() };
        }
        _ => {}
    }
    let said = |values: &[Value]| values.iter().map(value).collect::<Vec<_>>().join(" and ");
    match (old.is_empty(), new.is_empty()) {
        (false, false) => format!("{name} {} → {}", said(old), said(new)),
        (true, _) => format!("{name} {} added", said(new)),
        (false, true) => format!("{name} {} removed", said(old)),
    }
}

/// `enum: + "a", − "b"`.
fn listed(old: &Value, new: &Value) -> String {
    let empty = Vec::new();
    let (old, new) = (old.as_array().unwrap_or(&empty), new.as_array().unwrap_or(&empty));
    let only = |a: &[Value], b: &[Value], sign: &str| {
        let left: Vec<&Value> = a.iter().filter(|one| !b.contains(one)).collect();
        let shown = left.iter().take(MAX_LISTED).map(|one| format!("{sign} {}", value(one)));
        let more = left.len().saturating_sub(MAX_LISTED);
        shown.chain((more > 0).then(|| format!("{sign} {more} more"))).collect::<Vec<_>>()
    };
    let parts = [only(new, old, "+"), only(old, new, "−")].concat();
    if parts.is_empty() { "enum in another order".to_owned() } else { format!("enum {}", parts.join(", ")) }
}

pub(super) fn annotation(name: &str, before: bool, after: bool) -> String {
    let what = match (before, after) {
        (true, true) => "changed",
        (false, _) => "added",
        (true, false) => "removed",
    };
    format!("{name} {what}")
}
