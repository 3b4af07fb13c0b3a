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
    let order = order(tree, root);
    if !fits(tree, root, &order, &names) {
        return None;
    }
    let mut made = Made { values: HashMap::new(), holders: holders(tree, &order) };
    for id in order {
        let value = render(tree, tree.node(id), id == root, &names, &mut made)?;
        made.values.insert(id, value);
    }
    let definitions = define(tree, root, &names, &mut made)?;
    let mut document = made.values.remove(&root)?;
    if let (Value::Object(members), false) = (&mut document, definitions.is_empty()) {
        members.insert(definitions_word(tree.dialect).to_owned(), Value::Object(definitions));
    }
    Some(document)
}

/// Would the whole schema fit when it is written out?
pub(crate) fn document_fits(tree: &Tree) -> bool {
    fits(tree, tree.root, &order(tree, tree.root), &names(tree, tree.root))
}

/// Counts the places of every part and of all definitions together.
fn fits(tree: &Tree, root: Id, order: &[Id], names: &HashMap<Id, String>) -> bool {
    let mut places: HashMap<Id, usize> = HashMap::new();
    let of = |id: &Id, places: &HashMap<Id, usize>| places.get(id).copied().unwrap_or(MAX_PLACES + 1);
    for id in order {
        let words = tree.node(*id).body.words().iter().filter(|word| !matches!(word.held, Held::Ref(_)));
        let below = words.flat_map(|word| word.held.children()).map(|child| of(&child, &places));
        let all = below.fold(1_usize, usize::saturating_add);
        if all > MAX_PLACES {
            return false;
        }
        places.insert(*id, all);
    }
    let defined = names.keys().filter(|id| **id != root).map(|id| of(id, &places)).fold(0, usize::saturating_add);
    defined <= MAX_PLACES
}

/// Rendered parts; the last holder of one takes it, the others copy it.
struct Made {
    values: HashMap<Id, Value>,
    holders: HashMap<Id, usize>,
}

impl Made {
    fn take(&mut self, id: Id) -> Option<Value> {
        let left = self.holders.get_mut(&id)?;
        *left = left.saturating_sub(1);
        if *left == 0 { self.values.remove(&id) } else { self.values.get(&id).cloned() }
    }
}

/// How often each part is written: by the keywords that hold it, and once more where it may be a definition or the root.
fn holders(tree: &Tree, order: &[Id]) -> HashMap<Id, usize> {
    let mut holders: HashMap<Id, usize> = HashMap::new();
    for id in order {
        for word in tree.node(*id).body.words() {
            for child in word.held.children() {
                *holders.entry(child).or_default() += 1;
            }
        }
    }
    holders
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
    let (mut targets, mut known): (Vec<Id>, HashSet<Id>) = (Vec::new(), HashSet::new());
    for id in tree.reachable(root) {
        for word in tree.node(id).body.words() {
            if let Held::Ref(target) = word.held
                && target != root
                && known.insert(target)
            {
                targets.push(target);
            }
        }
    }
    for (name, id) in &tree.definitions {
        if known.contains(id) && is_plain(name) && taken.insert(name.clone()) {
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

/// The definitions that references lead to: the author's in their order, then the others.
fn define(tree: &Tree, root: Id, names: &HashMap<Id, String>, made: &mut Made) -> Option<Map<String, Value>> {
    let listed = tree.definitions.iter().map(|(_, id)| *id).filter(|id| names.contains_key(id));
    let (mut ids, mut known): (Vec<Id>, HashSet<Id>) = (Vec::new(), HashSet::new());
    for id in listed {
        if known.insert(id) {
            ids.push(id);
        }
    }
    let mut others: Vec<Id> = names.keys().copied().filter(|id| !known.contains(id)).collect();
    others.sort_unstable();
    ids.extend(others);
    let mut definitions = Map::new();
    for id in ids.into_iter().filter(|id| *id != root) {
        // References never take: what they lead to is still there.
        definitions.insert(names.get(&id)?.clone(), made.values.remove(&id)?);
    }
    Some(definitions)
}

fn render(tree: &Tree, node: &Node, root: bool, names: &HashMap<Id, String>, made: &mut Made) -> Option<Value> {
    let words = match &node.body {
        Body::Any => return Some(Value::Bool(true)),
        Body::Never => return Some(Value::Bool(false)),
        Body::Words(words) => words,
    };
    let old = definitions_word(tree.dialect) == "definitions";
    let tuple = tree.dialect != Dialect::Draft202012 && node.word("prefixItems").is_some();
    let mut members = Map::new();
    for word in words {
        let name = word.name.strip_prefix(INERT).unwrap_or(&word.name);
        if !root && matches!(name, "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" | "$schema") {
            continue;
        }
        let (name, value) = match &word.held {
            Held::Data(value) => (name, value.clone()),
            Held::One(id) => (name, made.take(*id)?),
            Held::List(ids) => (name, Value::Array(ids.iter().map(|id| made.take(*id)).collect::<Option<_>>()?)),
            Held::Named(entries) => {
                let entries = entries.iter().map(|(name, id)| Some((name.clone(), made.take(*id)?)));
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
    Some(Value::Object(members))
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
