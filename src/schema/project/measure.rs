//! How much of a limit a schema uses, and where most of it is.

use std::collections::HashMap;

use super::Place;
use crate::json::Value;
use crate::schema::profile::Measure;
use crate::schema::tree::{Held, Id, Node, Tree};

/// How much is used, and where most of it is.
pub(super) fn measure(tree: &Tree, place: Place, what: Measure) -> (usize, String) {
    match what {
        Measure::Depth => return depth(tree),
        Measure::StrictTools => return (usize::from(place == Place::Tool), String::new()),
        _ => {}
    }
    let mut total = 0_usize;
    let mut largest = (0, String::new());
    for id in tree.reachable(tree.root) {
        let node = tree.node(id);
        let (own, share, path) = uses(tree, node, what);
        total = if what == Measure::EnumCharacters { total.max(own) } else { total.saturating_add(own) };
        if share > largest.0 {
            largest = (share, path.map_or_else(|| node.origin.clone(), |name| origin(node, name)));
        }
    }
    if what == Measure::Characters {
        let used: usize = tree.definitions.iter().map(|(name, _)| name.chars().count()).sum();
        total = total.saturating_add(used);
    }
    (total, largest.1)
}

fn origin(node: &Node, name: &str) -> String {
    node.word(name).map_or_else(|| node.origin.clone(), |word| word.origin.clone())
}

/// What one node uses, what it is to blame for, and the keyword that is.
fn uses(tree: &Tree, node: &Node, what: Measure) -> (usize, usize, Option<&'static str>) {
    let listed = node.named("properties").unwrap_or_default();
    let values: &[Value] = node.data("enum").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let (used, word) = match what {
        Measure::Depth | Measure::StrictTools => (0, None),
        Measure::Properties => (listed.len(), Some("properties")),
        Measure::EnumValues => (values.len(), Some("enum")),
        Measure::EnumCharacters if values.len() <= 250 => (0, Some("enum")),
        Measure::EnumCharacters => (values.iter().map(characters).sum(), Some("enum")),
        Measure::Characters => {
            let names: usize = listed.iter().map(|(name, _)| name.chars().count()).sum();
            let values: usize = values.iter().map(characters).sum();
            let only = node.data("const").map_or(0, characters);
            (names + values + only, None)
        }
        Measure::OptionalProperties => {
            let required = node.demanded();
            (listed.iter().filter(|(name, _)| !required.has(name)).count(), Some("properties"))
        }
        Measure::Unions => {
            let below = listed.iter().filter(|(_, child)| is_union(tree.node(*child))).count();
            return (usize::from(is_union(node)), below, Some("properties"));
        }
    };
    (used, used, word)
}

/// Has the node several shapes?
pub(super) fn is_union(node: &Node) -> bool {
    node.word("anyOf").is_some() || node.data("type").and_then(Value::as_array).is_some_and(|types| types.len() > 1)
}

fn characters(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().chars().count(), |text| text.chars().count())
}

/// Subschema steps from the root; a reference starts again one below the root, where its definition stands.
fn depth(tree: &Tree) -> (usize, String) {
    let mut at: HashMap<Id, usize> = HashMap::new();
    let mut deepest = (0, String::new());
    let mut stack = vec![(tree.root, 0)];
    while let Some((id, level)) = stack.pop() {
        if at.get(&id).is_some_and(|there| *there >= level) || level > tree.nodes.len() {
            continue;
        }
        at.insert(id, level);
        if level > deepest.0 {
            deepest = (level, tree.node(id).origin.clone());
        }
        for word in tree.node(id).body.words().iter().filter(|word| word.name != "additionalProperties") {
            let step = if matches!(word.held, Held::Ref(_)) { 1 } else { level + 1 };
            stack.extend(word.held.children().into_iter().map(|child| (child, step)));
        }
    }
    deepest
}
