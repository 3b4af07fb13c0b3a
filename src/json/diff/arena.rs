//! A value as a flat list of its nodes, each with a fingerprint of all that is inside: equal values have equal ones.
//!
//! Holds references only. 128 bits, from fixed keys: nobody finds two values with one fingerprint by trying.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::json::Value;

/// Index of a node in document order; 0 is the root.
pub(super) type Node = u32;

pub(super) struct Arena<'v> {
    entries: Vec<Entry<'v>>,
}

struct Entry<'v> {
    value: &'v Value,
    key: Option<&'v str>,
    parent: Node,
    /// The node after the last one inside.
    end: Node,
    hash: u128,
}

impl<'v> Arena<'v> {
    /// The nodes of a value; `None` when there are more than `most`.
    pub(super) fn of(value: &'v Value, most: usize) -> Option<Self> {
        let mut entries: Vec<Entry<'v>> = Vec::new();
        let mut left: Vec<(&'v Value, Option<&'v str>, Node)> = vec![(value, None, 0)];
        while let Some((value, key, parent)) = left.pop() {
            let node = Node::try_from(entries.len()).ok()?;
            entries.push(Entry { value, key, parent, end: node + 1, hash: 0 });
            match value {
                Value::Array(items) => left.extend(items.iter().rev().map(|item| (item, None, node))),
                Value::Object(members) => {
                    left.extend(members.iter().rev().map(|(key, member)| (member, Some(key.as_str()), node)));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
            if entries.len() + left.len() > most {
                return None;
            }
        }
        let mut arena = Self { entries };
        arena.close();
        Some(arena)
    }

    /// From the last node to the first: what is inside a node is done before the node.
    fn close(&mut self) {
        for at in (0..self.entries.len()).rev() {
            let Some(entry) = self.entries.get_mut(at) else { continue };
            entry.hash = fingerprint(entry.value, entry.hash);
            let (key, parent, end, hash) = (entry.key, entry.parent as usize, entry.end, entry.hash);
            if at == 0 {
                continue;
            }
            if let Some(parent) = self.entries.get_mut(parent) {
                parent.end = parent.end.max(end);
                parent.hash = match key {
                    // Members have no order.
                    Some(key) => parent.hash.wrapping_add(mix(&(key, hash))),
                    None => mix(&(parent.hash, hash)),
                };
            }
        }
    }

    pub(super) fn value(&self, node: Node) -> Option<&'v Value> {
        self.entries.get(node as usize).map(|entry| entry.value)
    }

    pub(super) fn key(&self, node: Node) -> Option<&'v str> {
        self.entries.get(node as usize).and_then(|entry| entry.key)
    }

    pub(super) fn hash(&self, node: Node) -> u128 {
        self.entries.get(node as usize).map_or(0, |entry| entry.hash)
    }

    pub(super) fn children(&self, node: Node) -> impl Iterator<Item = Node> {
        let end = self.end(node);
        let first = (node + 1 < end).then_some(node + 1);
        std::iter::successors(first, move |child| Some(self.end(*child)).filter(|next| *next < end))
    }

    fn end(&self, node: Node) -> Node {
        self.entries.get(node as usize).map_or(0, |entry| entry.end)
    }
}

fn fingerprint(value: &Value, inside: u128) -> u128 {
    match value {
        Value::Null => mix(&0_u8),
        Value::Bool(on) => mix(&(1_u8, on)),
        Value::Number(number) => mix(&(2_u8, number.as_str())),
        Value::String(text) => mix(&(3_u8, text)),
        Value::Array(items) => mix(&(4_u8, items.len(), inside)),
        Value::Object(members) => mix(&(5_u8, members.len(), inside)),
    }
}

fn mix(what: &impl Hash) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(seed);
        what.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0x9E37_79B9_7F4A_7C15) << 64 | half(0xD1B5_4A32_D192_ED03)
}
