//! Where each value of a document stands in its text: one flat list in document order, twenty bytes a value.

use crate::json::{Part, Span, Value, tokens};

/// One value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The member's key; `u32::MAX` twice when the value is no member.
    key: (u32, u32),
    value: (u32, u32),
    /// Values in it, itself included: the next sibling is so many places on.
    size: u32,
}

/// All of a document: a value, then its children, in the order they have in the parsed value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Places {
    list: Vec<Place>,
}

/// Texts are shorter than 4 GiB by their limit.
fn short(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn long(pair: (u32, u32)) -> Span {
    Span { start: pair.0 as usize, end: pair.1 as usize }
}

const NO_KEY: (u32, u32) = (u32::MAX, u32::MAX);

impl Places {
    /// Adds a value, or a container that is not closed yet; gives its index.
    pub(super) fn add(&mut self, key: Option<Span>, value: Span) -> usize {
        let key = key.map_or(NO_KEY, |key| (short(key.start), short(key.end)));
        self.list.push(Place { key, value: (short(value.start), short(value.end)), size: 1 });
        self.list.len() - 1
    }

    /// Ends a container: everything added since is inside it.
    pub(super) fn close(&mut self, index: usize, start: usize, end: usize) {
        let size = short(self.list.len().saturating_sub(index));
        if let Some(place) = self.list.get_mut(index) {
            place.size = size;
            place.value = (short(start), short(end.max(start)));
        }
    }

    /// A copy of a whole subtree.
    pub(super) fn subtree(&self, index: usize) -> Vec<Place> {
        let size = self.list.get(index).map_or(0, |place| place.size as usize);
        self.list.get(index..index + size).unwrap_or_default().to_vec()
    }

    /// Adds a copied subtree under another key; its root stands at `value`, what is in it where it stood.
    pub(super) fn graft(&mut self, tree: &[Place], key: Option<Span>, value: Span) {
        let Some((root, rest)) = tree.split_first() else { return };
        let index = self.add(key, value);
        self.list.extend_from_slice(rest);
        if let Some(place) = self.list.get_mut(index) {
            place.size = root.size;
        }
    }

    /// Follows a pointer through the value and the list side by side.
    pub(super) fn locate(&self, root: &Value, pointer: &str, part: Part) -> Option<Span> {
        let (mut value, mut at) = (root, 0);
        for token in tokens(pointer)? {
            let (ordinal, child) = match value {
                Value::Object(members) => {
                    members.iter().enumerate().find(|(_, (key, _))| **key == token).map(|(i, (_, v))| (i, v))?
                }
                Value::Array(items) => {
                    let i: usize = token.parse().ok()?;
                    (i, items.get(i)?)
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            };
            at += 1;
            for _ in 0..ordinal {
                at += self.list.get(at)?.size as usize;
            }
            value = child;
        }
        let place = self.list.get(at)?;
        match part {
            Part::Key => (place.key != NO_KEY).then(|| long(place.key)),
            Part::Value => Some(long(place.value)),
        }
    }
}
