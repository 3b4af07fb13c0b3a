//! Why nothing can satisfy a schema, where that can be known from its structure alone.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::json::Value;
use crate::schema::tree::merge::{merge, order};
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Tree, Word};

/// A place and what is wrong there.
pub(super) type Reason = (String, String);

/// What stands in the way at one node.
enum Obstacle {
    Here(Reason),
    /// This part must hold, and cannot.
    Part(Id),
}

/// The reason why the root has no instance; `None` when none is known.
pub(super) fn impossible(tree: &Tree) -> Option<Reason> {
    let mut scratch = tree.clone();
    let nodes = tree.reachable(tree.root);
    let mut possible: HashSet<Id> = HashSet::new();
    loop {
        let before = possible.len();
        for id in nodes.iter().rev() {
            if !possible.contains(id) && obstacle(&mut scratch, *id, &possible).is_none() {
                possible.insert(*id);
            }
            scratch.nodes.truncate(tree.nodes.len());
        }
        if possible.len() == before {
            break;
        }
    }
    let mut id = tree.root;
    let mut seen = HashSet::new();
    while !possible.contains(&id) {
        if !seen.insert(id) {
            let path = tree.node(id).origin.clone();
            return Some((path, "what is required here leads in a circle without end".to_owned()));
        }
        match obstacle(&mut scratch, id, &possible)? {
            Obstacle::Here(reason) => return Some(reason),
            Obstacle::Part(part) => id = part,
        }
    }
    None
}

fn obstacle(tree: &mut Tree, id: Id, possible: &HashSet<Id>) -> Option<Obstacle> {
    let node = tree.node(id).clone();
    let here = |path: String, why: &str| Some(Obstacle::Here((path, why.to_owned())));
    let words = match node.body.clone() {
        Body::Any => return None,
        Body::Never => return here(node.origin, "the schema false accepts nothing"),
        Body::Words(words) => words,
    };
    for word in &words {
        let stuck = |id: &&Id| !possible.contains(*id);
        match (word.name.as_str(), &word.held) {
            ("$ref" | "$dynamicRef", Held::Ref(target)) if stuck(&target) => return Some(Obstacle::Part(*target)),
            ("allOf", Held::List(members)) => {
                if let Some(member) = members.iter().find(stuck) {
                    return Some(Obstacle::Part(*member));
                }
            }
            ("anyOf" | "oneOf", Held::List(branches)) if branches.iter().all(|id| !possible.contains(id)) => {
                return branches.first().map(|branch| Obstacle::Part(*branch));
            }
            ("not", Held::One(child))
                if tree.node(*child).body == Body::Any
                    || tree.node(*child).body.words().is_empty() && tree.node(*child).body != Body::Never =>
            {
                return here(word.origin.clone(), "not forbids every value");
            }
            ("enum", Held::Data(Value::Array(values))) if values.is_empty() => {
                return here(word.origin.clone(), "the list of values is empty");
            }
            _ => {}
        }
    }
    let whole = match together(tree, words) {
        Ok(words) => Node { origin: node.origin.clone(), body: Body::Words(words) },
        Err(path) => return here(path, "what must hold together excludes itself"),
    };
    contradiction(tree, &whole, possible)
}

/// Everything that must hold, as far as it can be merged; an error names where it excludes itself.
fn together(tree: &mut Tree, words: Vec<Word>) -> Result<Vec<Word>, String> {
    let (mut parts, mut all) = (Vec::new(), words);
    let mut taken = HashSet::new();
    for _ in 0..200 {
        let next = all.iter().position(|word| matches!(word.name.as_str(), "$ref" | "$dynamicRef" | "allOf"));
        if let Some(at) = next {
            let word = all.remove(at);
            parts.extend(word.held.children().into_iter().map(|id| (id, word.origin.clone())));
        }
        let Some((id, origin)) = parts.pop() else { return Ok(all) };
        if !taken.insert(id) {
            continue;
        }
        let added = tree.node(id).body.words().to_vec();
        let merged = merge(tree, all, added);
        if merged.empty {
            return Err(origin);
        }
        all = merged.words;
    }
    Ok(all)
}

/// Contradictions inside one schema, for every type it allows.
fn contradiction(tree: &Tree, node: &Node, possible: &HashSet<Id>) -> Option<Obstacle> {
    let place = |name: &str| node.word(name).map_or_else(|| node.origin.clone(), |word| word.origin.clone());
    let values: Option<Vec<Value>> = match (node.data("const"), node.data("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    };
    let types = node.types();
    if let Some(values) = &values {
        if values.iter().all(|value| !types.meets(Types::of_value(value))) {
            let name = if node.word("const").is_some() { "const" } else { "enum" };
            return Some(Obstacle::Here((place(name), "no listed value has the type".to_owned())));
        }
        return None;
    }
    let mut first = None;
    for word in types.words() {
        let kind = Types::named(word);
        let found = if kind == Types::OBJECT {
            object(tree, node, possible)
        } else if kind == Types::ARRAY {
            array(node, possible)
        } else if kind == Types::STRING {
            crossed(node, "minLength", "maxLength")
        } else if kind.within(Types::NUMBER) {
            numbers(node)
        } else {
            None
        };
        match found {
            None => return None,
            Some(obstacle) => first = first.or(Some(obstacle)),
        }
    }
    first
}

fn crossed(node: &Node, low: &str, high: &str) -> Option<Obstacle> {
    let path = node.word(low)?.origin.clone();
    (order(node.data(low)?, node.data(high)?)? == Ordering::Greater)
        .then(|| Obstacle::Here((path, format!("{low} is greater than {high}"))))
}

fn numbers(node: &Node) -> Option<Obstacle> {
    for (low, high) in [
        ("minimum", "maximum"),
        ("exclusiveMinimum", "exclusiveMaximum"),
        ("minimum", "exclusiveMaximum"),
        ("exclusiveMinimum", "maximum"),
    ] {
        if let Some(found) = crossed(node, low, high) {
            return Some(found);
        }
        let touching = || order(node.data(low)?, node.data(high)?);
        if (low, high) != ("minimum", "maximum") && touching() == Some(Ordering::Equal) {
            let path = node.word(low).map(|word| word.origin.clone()).unwrap_or_default();
            return Some(Obstacle::Here((path, format!("{low} leaves nothing below {high}"))));
        }
    }
    None
}

fn array(node: &Node, possible: &HashSet<Id>) -> Option<Obstacle> {
    if let Some(found) = crossed(node, "minItems", "maxItems") {
        return Some(found);
    }
    let least = node.data("minItems").and_then(Value::as_u64).unwrap_or(0);
    let places = node.list("prefixItems").unwrap_or_default();
    for (index, place) in places.iter().enumerate() {
        if (index as u64) < least && !possible.contains(place) {
            return Some(Obstacle::Part(*place));
        }
    }
    let items = node.one("items").filter(|items| !possible.contains(items))?;
    (least > places.len() as u64).then_some(Obstacle::Part(items))
}

fn object(tree: &Tree, node: &Node, possible: &HashSet<Id>) -> Option<Obstacle> {
    if let Some(found) = crossed(node, "minProperties", "maxProperties") {
        return Some(found);
    }
    let required = node.required();
    let path = |name: &str| node.word(name).map_or_else(|| node.origin.clone(), |word| word.origin.clone());
    let most = node.data("maxProperties").and_then(Value::as_u64);
    if most.is_some_and(|most| {
        (required.len() as u64) > most && required.iter().collect::<HashSet<_>>().len() as u64 > most
    }) {
        return Some(Obstacle::Here((path("maxProperties"), "more properties are required than allowed".to_owned())));
    }
    let listed = node.named("properties").unwrap_or_default();
    let others = node.one("additionalProperties");
    let patterned = node.word("patternProperties").is_some();
    for name in required {
        match listed.iter().find(|(there, _)| there == name) {
            // Merged nodes are scratch: they count as possible.
            Some((_, id)) if *id < tree.nodes.len() && !possible.contains(id) && is_known(tree, *id, possible) => {
                return Some(Obstacle::Part(*id));
            }
            None if !patterned && others.is_some_and(|others| tree.node(others).body == Body::Never) => {
                let why = "a property is required that the closed object does not list";
                return Some(Obstacle::Here((path("required"), why.to_owned())));
            }
            Some(_) | None => {}
        }
    }
    None
}

/// Is this a node of the schema (not one made by a merge)?
fn is_known(tree: &Tree, id: Id, possible: &HashSet<Id>) -> bool {
    let _ = possible;
    let node = tree.node(id);
    !node.body.words().iter().any(|word| word.name == "allOf" && word.origin == node.origin)
}
