//! A tree written as a document again: references point into one list of definitions at the root.

use std::collections::{HashMap, HashSet};

use crate::json::{Map, Value};
use crate::schema::Dialect;
use crate::schema::tree::keywords::INERT;
use crate::schema::tree::{Body, Held, Id, Node, Tree};

/// Rendered schemas have at most this many places: shared parts are written out, which multiplies.
const MAX_PLACES: usize = 20_000;

/// The whole schema.
pub(crate) fn document(tree: &Tree) -> Option<Value> {
    fragment(tree, tree.root)
}

/// One node as a document of its own, with the definitions it needs. `None` when it would be too large.
pub(crate) fn fragment(tree: &Tree, root: Id) -> Option<Value> {
    let names = names(tree, root);
    let mut done: HashMap<Id, (Value, usize)> = HashMap::new();
    let order = order(tree, root);
    for id in order {
        let (value, places) = render(tree, tree.node(id), id == root, &names, &done)?;
        if places > MAX_PLACES {
            return None;
        }
        done.insert(id, (value, places));
    }
    let mut document = done.get(&root)?.0.clone();
    define(tree, &mut document, &names, &done)?;
    Some(document)
}

/// Children before parents; a reference's target counts as a child too, so that it is rendered (its place does not matter).
fn order(tree: &Tree, root: Id) -> Vec<Id> {
    let mut order = Vec::new();
    let mut state: HashMap<Id, bool> = HashMap::new();
    let mut targets = vec![root];
    while let Some(start) = targets.pop() {
        let mut stack = vec![start];
        while let Some(id) = stack.last().copied() {
            if let Some(done) = state.get_mut(&id) {
                if !std::mem::replace(done, true) {
                    order.push(id);
                }
                stack.pop();
                continue;
            }
            state.insert(id, false);
            for word in tree.node(id).body.words() {
                if let Held::Ref(target) = word.held {
                    targets.push(target);
                } else {
                    stack.extend(word.held.children().into_iter().filter(|child| !state.contains_key(child)));
                }
            }
        }
    }
    order
}

/// The text of each reference's target.
fn names(tree: &Tree, root: Id) -> HashMap<Id, String> {
    let mut names = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut targets: Vec<Id> = Vec::new();
    for id in tree.reachable(root) {
        for word in tree.node(id).body.words() {
            if let Held::Ref(target) = word.held
                && target != root
                && !targets.contains(&target)
            {
                targets.push(target);
            }
        }
    }
    for (name, id) in &tree.definitions {
        if targets.contains(id) && is_plain(name) && taken.insert(name.clone()) {
            names.entry(*id).or_insert_with(|| name.clone());
        }
    }
    for id in targets {
        names.entry(id).or_insert_with(|| fresh(&tree.node(id).origin, &mut taken));
    }
    names
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn fresh(origin: &str, taken: &mut HashSet<String>) -> String {
    let last = origin.rsplit('/').next().unwrap_or("");
    let plain: String = last.chars().map(|c| if is_plain(&c.to_string()) { c } else { '_' }).collect();
    let stem = if plain.is_empty() { "root".to_owned() } else { plain };
    let mut name = stem.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{stem}_{number}");
        number += 1;
    }
    name
}

fn definitions_word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Draft4 | Dialect::Draft6 | Dialect::Draft7 => "definitions",
        Dialect::Draft201909 | Dialect::Draft202012 => "$defs",
    }
}

type Done = HashMap<Id, (Value, usize)>;

fn define(tree: &Tree, document: &mut Value, names: &HashMap<Id, String>, done: &Done) -> Option<()> {
    if names.is_empty() {
        return Some(());
    }
    let listed = tree.definitions.iter().map(|(_, id)| *id).filter(|id| names.contains_key(id));
    let mut ids: Vec<Id> = Vec::new();
    for id in listed {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let mut others: Vec<Id> = names.keys().copied().filter(|id| !ids.contains(id)).collect();
    others.sort_unstable();
    ids.extend(others);
    let mut definitions = Map::new();
    let mut places = 0_usize;
    for id in ids {
        let (value, size) = done.get(&id)?;
        places = places.saturating_add(*size);
        definitions.insert(names.get(&id)?.clone(), value.clone());
    }
    if places > MAX_PLACES {
        return None;
    }
    let Value::Object(members) = document else { return Some(()) };
    members.insert(definitions_word(tree.dialect).to_owned(), Value::Object(definitions));
    Some(())
}

fn render(tree: &Tree, node: &Node, root: bool, names: &HashMap<Id, String>, done: &Done) -> Option<(Value, usize)> {
    let words = match &node.body {
        Body::Any => return Some((Value::Bool(true), 1)),
        Body::Never => return Some((Value::Bool(false), 1)),
        Body::Words(words) => words,
    };
    let old = definitions_word(tree.dialect) == "definitions";
    let tuple = tree.dialect != Dialect::Draft202012 && node.word("prefixItems").is_some();
    let mut places = 1_usize;
    let mut members = Map::new();
    for word in words {
        let mut take = |id: &Id| -> Option<Value> {
            let (value, size) = done.get(id)?;
            places = places.saturating_add(*size);
            (places <= MAX_PLACES).then(|| value.clone())
        };
        let name = word.name.strip_prefix(INERT).unwrap_or(&word.name);
        if !root && matches!(name, "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" | "$schema") {
            continue;
        }
        let (name, value) = match &word.held {
            Held::Data(value) => (name, value.clone()),
            Held::One(id) => (name, take(id)?),
            Held::List(ids) => (name, Value::Array(ids.iter().map(take).collect::<Option<_>>()?)),
            Held::Named(entries) => {
                let entries = entries.iter().map(|(name, id)| Some((name.clone(), take(id)?)));
                (name, Value::Object(entries.collect::<Option<_>>()?))
            }
            Held::Ref(id) => ("$ref", Value::String(reference(tree.dialect, names.get(id)))),
        };
        let name = match name {
            "prefixItems" if tuple => "items",
            "items" if tuple => "additionalItems",
            "dependentRequired" | "dependentSchemas" if old => "dependencies",
            other => other,
        };
        add(&mut members, name, value);
    }
    Some((Value::Object(members), places))
}

/// Adds a member; the two halves of `dependencies` become one again.
fn add(members: &mut Map<String, Value>, name: &str, value: Value) {
    match (members.get_mut(name), value) {
        (Some(Value::Object(there)), Value::Object(more)) if name == "dependencies" => there.extend(more),
        (_, value) => {
            members.insert(name.to_owned(), value);
        }
    }
}

fn reference(dialect: Dialect, name: Option<&String>) -> String {
    name.map_or_else(|| "#".to_owned(), |name| format!("#/{}/{name}", definitions_word(dialect)))
}
