//! Which parts of the schema describe each value of an answer.

use std::collections::HashSet;

use crate::json::{Value, below};
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Tree};

/// Parts that are looked at for one value.
const MAX_HOMES: usize = 64;
/// Items of a list that are spoilt.
const MAX_ITEMS: usize = 2;

/// One value of the good answer.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    /// Pointer into the answer.
    pub(super) path: String,
    /// What the value is called: its name in the object, `an item of tags` in a list.
    pub(super) name: String,
    pub(super) value: &'a Value,
    /// The schema parts that describe it: those that hold always in front, the branches of choices behind.
    pub(super) homes: Vec<Node>,
}

/// The values of an answer, parents first; and how many were left out.
pub(super) fn places<'a>(tree: &Tree, good: &'a Value, most: usize) -> (Vec<Place<'a>>, usize) {
    let (mut out, mut more) = (Vec::new(), 0);
    let mut queue = std::collections::VecDeque::from([(String::new(), String::new(), good, vec![(tree.root, false)])]);
    while let Some((path, name, value, roots)) = queue.pop_front() {
        let homes = homes(tree, &roots, value);
        // What waits already fills the list: more need not be remembered.
        let mut room = most.saturating_sub(out.len() + 1 + queue.len());
        match value {
            Value::Object(members) => {
                more += members.len().saturating_sub(room);
                for (key, member) in members.iter().take(room) {
                    let place = below(&path, key);
                    queue.push_back((place, key.clone(), member, members_of(tree, &homes, key)));
                }
            }
            Value::Array(items) => {
                room = room.min(MAX_ITEMS);
                more += items.len().min(MAX_ITEMS) - items.len().min(room);
                for (at, item) in items.iter().enumerate().take(room) {
                    let called = if name.is_empty() { "an item".to_owned() } else { format!("an item of {name}") };
                    queue.push_back((below(&path, &at.to_string()), called, item, items_of(tree, &homes, at)));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        let homes = sorted(homes).into_iter().map(|id| tree.node(id).clone()).collect();
        out.push(Place { path, name, value, homes });
    }
    (out, more)
}

fn sorted(mut homes: Vec<(Id, bool)>) -> Vec<Id> {
    homes.sort_by_key(|(_, branch)| *branch);
    homes.into_iter().map(|(id, _)| id).collect()
}

/// Everything that describes the value: through references, `allOf`, and the branches it fits.
fn homes(tree: &Tree, roots: &[(Id, bool)], value: &Value) -> Vec<(Id, bool)> {
    let (mut seen, mut out) = (HashSet::new(), Vec::new());
    let mut stack: Vec<(Id, bool)> = roots.iter().rev().copied().collect();
    while let Some((id, branch)) = stack.pop() {
        if !seen.insert(id) || out.len() >= MAX_HOMES {
            continue;
        }
        let node = tree.node(id);
        let mut own = node.body.words().is_empty();
        for word in node.body.words().iter().rev() {
            match (word.name.as_str(), &word.held) {
                ("$ref" | "$dynamicRef", Held::Ref(target)) => stack.push((*target, branch)),
                ("allOf", Held::List(parts)) => stack.extend(parts.iter().rev().map(|part| (*part, branch))),
                ("anyOf" | "oneOf", Held::List(parts)) => {
                    let fitting = parts.iter().rev().filter(|part| fits(tree, **part, value));
                    stack.extend(fitting.map(|part| (*part, true)));
                }
                _ => own = true,
            }
        }
        if own {
            out.push((id, branch));
        }
    }
    out
}

/// Could the value belong to this branch, at a glance: its type, its listed values, its discriminating constants.
fn fits(tree: &Tree, id: Id, value: &Value) -> bool {
    let node = tree.node(tree.follow(id));
    if node.body == Body::Never || !Types::of_value(value).within(node.types()) {
        return false;
    }
    let listed = node.data("enum").and_then(Value::as_array);
    if listed.is_some_and(|list| !list.contains(value)) || node.data("const").is_some_and(|only| only != value) {
        return false;
    }
    let Value::Object(members) = value else { return true };
    let required = node.required().iter().all(|name| members.contains_key(*name));
    required
        && node.named("properties").unwrap_or_default().iter().all(|(name, child)| {
            let only = tree.node(tree.follow(*child)).data("const");
            only.is_none_or(|only| members.get(name).is_none_or(|there| there == only))
        })
}

fn members_of(tree: &Tree, homes: &[(Id, bool)], key: &str) -> Vec<(Id, bool)> {
    let one = |(id, branch): &(Id, bool)| {
        let node = tree.node(*id);
        let listed = node.named("properties").unwrap_or_default().iter().find(|(name, _)| name == key);
        let child = listed.map(|(_, child)| *child).or_else(|| node.one("additionalProperties"))?;
        Some((child, *branch))
    };
    homes.iter().filter_map(one).collect()
}

fn items_of(tree: &Tree, homes: &[(Id, bool)], at: usize) -> Vec<(Id, bool)> {
    let one = |(id, branch): &(Id, bool)| {
        let node = tree.node(*id);
        let place = node.list("prefixItems").and_then(|places| places.get(at)).copied();
        Some((place.or_else(|| node.one("items"))?, *branch))
    };
    homes.iter().filter_map(one).collect()
}
