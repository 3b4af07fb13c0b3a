//! How deep the smallest value of each node is; `usize::MAX` where none ends.

use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Tree};

/// One height per node.
pub(super) fn heights(tree: &Tree) -> Vec<usize> {
    let mut heights = vec![usize::MAX; tree.nodes.len()];
    // Each round settles at least one node, or is the last; real schemas need a handful.
    for _ in 0..200 {
        let mut changed = false;
        for id in (0..tree.nodes.len()).rev() {
            let height = height(tree, id, &heights);
            if height < heights.get(id).copied().unwrap_or(0) {
                heights[id] = height;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    heights
}

fn height(tree: &Tree, id: Id, known: &[usize]) -> usize {
    let node = tree.node(id);
    let at = |id: Id| known.get(id).copied().unwrap_or(usize::MAX);
    let words = match &node.body {
        Body::Any => return 0,
        Body::Never => return usize::MAX,
        Body::Words(words) => words,
    };
    if node.word("const").is_some() || node.word("enum").is_some() {
        return 0;
    }
    let mut least = own(tree, id, known);
    for word in words {
        match (word.name.as_str(), &word.held) {
            ("$ref" | "$dynamicRef", Held::Ref(target)) => least = least.max(at(*target)),
            ("allOf", Held::List(members)) => least = members.iter().map(|id| at(*id)).fold(least, usize::max),
            ("anyOf" | "oneOf", Held::List(branches)) => {
                least = least.max(branches.iter().map(|id| at(*id)).min().unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }
    least
}

fn own(tree: &Tree, id: Id, known: &[usize]) -> usize {
    let node = tree.node(id);
    let at = |id: Id| known.get(id).copied().unwrap_or(usize::MAX).saturating_add(1);
    let types = node.types();
    let plain = Types::NULL.or(Types::BOOLEAN).or(Types::NUMBER).or(Types::STRING);
    if types.meets(plain) {
        return 0;
    }
    let mut least = usize::MAX;
    if types.meets(Types::OBJECT) {
        let listed = node.named("properties").unwrap_or_default();
        let others = node.one("additionalProperties");
        let of =
            |name: &str| listed.iter().find(|(there, _)| there == name).map(|(_, id)| *id).or(others).map_or(1, at);
        least = least.min(node.required().into_iter().map(of).max().unwrap_or(0));
    }
    if types.meets(Types::ARRAY) {
        let some = node.data("minItems").and_then(crate::json::Value::as_u64).unwrap_or(0) > 0;
        let items = node.one("items").map_or(1, at);
        least = least.min(if some { items } else { 0 });
    }
    least
}
