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

/// A part of the schema whose grammar may grow too large.
pub(super) struct Heavy {
    pub(super) path: String,
    /// Objects that stand inside one another, from the root on.
    pub(super) levels: usize,
    pub(super) unions: usize,
    pub(super) optional: usize,
}

/// As many levels of objects were reported to fail, when unions stand in them.
const HEAVY_LEVELS: usize = 5;
/// At most this many parts are named.
const MAX_HEAVY: usize = 10;
/// At most this many are looked at: parts may share most of what stands below them.
const MAX_LOOKED_AT: usize = 64;

/// The properties of the root whose objects stand deep in one another and hold unions or optional properties.
pub(super) fn heavy(tree: &Tree) -> Vec<Heavy> {
    let levels = levels(tree);
    let below = |id: &Id| levels.get(*id).copied().unwrap_or(0).saturating_add(1);
    let parts = tree.node(tree.root).named("properties").unwrap_or_default();
    let deep = parts.iter().map(|(_, id)| *id).filter(|id| below(id) >= HEAVY_LEVELS);
    let counted = deep.take(MAX_LOOKED_AT).map(|id| {
        let nodes: Vec<&Node> = tree.reachable(id).into_iter().map(|id| tree.node(id)).collect();
        let sum = |what| nodes.iter().map(|node| uses(tree, node, what).0).sum();
        let (unions, optional) = (sum(Measure::Unions), sum(Measure::OptionalProperties));
        Heavy { path: tree.node(id).origin.clone(), levels: below(&id), unions, optional }
    });
    counted.filter(|part| part.unions + part.optional > 0).take(MAX_HEAVY).collect()
}

/// How many objects stand inside one another from each node down, references followed; a way back adds nothing.
fn levels(tree: &Tree) -> Vec<usize> {
    let mut known: Vec<Option<usize>> = vec![None; tree.nodes.len()];
    let mut begun = vec![false; tree.nodes.len()];
    let mut stack = vec![(tree.root, false)];
    while let Some((id, left)) = stack.pop() {
        let words = tree.node(id).body.words().iter().filter(|word| word.name != "additionalProperties");
        let children: Vec<Id> = words.flat_map(|word| word.held.children()).collect();
        if left {
            let deepest = children.iter().filter_map(|child| known[*child]).max().unwrap_or(0);
            known[id] = Some(deepest + usize::from(tree.node(id).word("properties").is_some()));
        } else if !std::mem::replace(&mut begun[id], true) {
            stack.push((id, true));
            stack.extend(children.into_iter().map(|child| (child, false)));
        }
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}
