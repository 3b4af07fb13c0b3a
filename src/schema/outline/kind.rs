//! A schema's type in a few words.

use crate::json::Value;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Tree};

/// Alternatives that are named one by one.
const NAMED: usize = 3;
/// Levels of `array of …`, unions and references that are told: a schema may lead back to itself.
const LEVELS: usize = 4;

/// The type of a schema as a person says it.
pub(super) fn words(tree: &Tree, id: Id) -> String {
    told(tree, id, LEVELS)
}

fn told(tree: &Tree, id: Id, levels: usize) -> String {
    let node = tree.node(id);
    if let Some(name) = node.one("$ref").and_then(|target| definition(&tree.node(target).origin)) {
        return name;
    }
    let followed = tree.follow(id);
    if followed != id {
        return levels.checked_sub(1).map_or_else(|| "…".to_owned(), |levels| told(tree, followed, levels));
    }
    match node.body {
        Body::Any => return "anything".to_owned(),
        Body::Never => return "nothing".to_owned(),
        Body::Words(_) => {}
    }
    if let Some(only) = beside_null(tree, id) {
        let Some(levels) = levels.checked_sub(1) else { return "… or null".to_owned() };
        return format!("{} or null", told(tree, only, levels));
    }
    if let Some(value) = node.data("const") {
        return format!("exactly {}", shown(value));
    }
    if let Some(values) = node.data("enum").and_then(Value::as_array) {
        return one_of(values);
    }
    for name in ["anyOf", "oneOf"] {
        if let Some(branches) = node.list(name) {
            return union(tree, branches, levels);
        }
    }
    plain(tree, node, levels)
}

fn plain(tree: &Tree, node: &Node, levels: usize) -> String {
    let types = node.types();
    let format = node.data("format").and_then(Value::as_str).filter(|_| types == Types::STRING);
    if let Some(format) = format {
        return format!("string ({})", crate::text::safe(format));
    }
    if types == Types::ARRAY
        && levels > 0
        && let Some(items) = node.one("items")
    {
        return format!("array of {}", told(tree, items, levels - 1));
    }
    if types == Types::ALL {
        let object = node.word("properties").is_some();
        return if object { "object or anything".to_owned() } else { "anything".to_owned() };
    }
    types.words().join(" or ")
}

fn union(tree: &Tree, branches: &[Id], levels: usize) -> String {
    let Some(levels) = levels.checked_sub(1) else { return format!("{} alternatives", branches.len()) };
    if branches.len() > NAMED {
        return format!("{} alternatives", branches.len());
    }
    let mut names: Vec<String> = Vec::new();
    for name in branches.iter().map(|id| told(tree, *id, levels)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" or ")
}

fn one_of(values: &[Value]) -> String {
    match values {
        [only] => format!("exactly {}", shown(only)),
        _ => format!("one of {} values", values.len()),
    }
}

fn shown(value: &Value) -> String {
    crate::text::truncate(&crate::text::safe(&crate::json::canonical(value)), 20).into_owned()
}

/// The name a definition has in the document.
fn definition(origin: &str) -> Option<String> {
    let (before, name) = origin.rsplit_once('/')?;
    let named = before.ends_with("/$defs") || before.ends_with("/definitions");
    let token = crate::json::tokens(&format!("/{name}"))?.pop()?.into_owned();
    named.then(|| crate::text::safe(&token).into_owned())
}

/// The one schema beside `null` in a union of two: `anyOf: [X, {type: null}]` is an X that may be null.
pub(super) fn beside_null(tree: &Tree, id: Id) -> Option<Id> {
    let node = tree.node(id);
    let alone = node.word("type").is_none() && node.word("enum").is_none() && node.word("const").is_none();
    let union = node.body.words().iter().find(|word| matches!(word.name.as_str(), "anyOf" | "oneOf"))?;
    let Held::List(branches) = &union.held else { return None };
    let is_null = |id: &Id| tree.node(*id).types() == Types::NULL;
    match branches.as_slice() {
        [a, b] if alone && is_null(b) && !is_null(a) => Some(*a),
        [a, b] if alone && is_null(a) && !is_null(b) => Some(*b),
        _ => None,
    }
}
