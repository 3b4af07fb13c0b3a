//! One walk over a value: compact text and table, with an explicit stack.

use super::{MEMBER, Node, Order, TooLarge, TreeRows};
use crate::json::{self, Map, Value};

/// An open container.
struct Open<'v> {
    node: Node,
    rest: Rest<'v>,
    ordinal: u32,
}

enum Rest<'v> {
    Items(std::slice::Iter<'v, Value>),
    Members(Box<dyn Iterator<Item = (&'v String, &'v Value)> + 'v>),
}

pub(super) fn build(value: &Value, order: Order) -> Result<TreeRows, TooLarge> {
    let mut rows = TreeRows {
        text: String::new(),
        starts: Vec::new(),
        ends: Vec::new(),
        parents: Vec::new(),
        ordinals: Vec::new(),
    };
    let mut open = Vec::new();
    rows.add(None, None, 0)?;
    rows.write(value, 0, order, &mut open);
    while let Some(top) = open.last_mut() {
        let (key, value) = match &mut top.rest {
            Rest::Items(items) => (None, items.next()),
            Rest::Members(members) => members.next().map_or((None, None), |(key, value)| (Some(key), Some(value))),
        };
        let (parent, ordinal) = (top.node, top.ordinal);
        top.ordinal += 1;
        match value {
            Some(value) => {
                let node = rows.add(key.map(String::as_str), Some(parent), ordinal)?;
                rows.write(value, node, order, &mut open);
            }
            None => rows.close(&mut open),
        }
    }
    rows.shrink();
    Ok(rows)
}

fn members(map: &Map<String, Value>, order: Order) -> Box<dyn Iterator<Item = (&String, &Value)> + '_> {
    match order {
        Order::Author => Box::new(map.iter()),
        Order::Sorted => {
            let mut list: Vec<_> = map.iter().collect();
            list.sort_unstable_by_key(|(key, _)| *key);
            Box::new(list.into_iter())
        }
    }
}

impl TreeRows {
    /// Adds a node at the end of the text, and writes its comma and key.
    fn add(&mut self, key: Option<&str>, parent: Option<Node>, ordinal: u32) -> Result<Node, TooLarge> {
        if ordinal > 0 {
            self.text.push(',');
        }
        let node = Node::try_from(self.starts.len()).map_err(|_| TooLarge)?;
        self.starts.push(u32::try_from(self.text.len()).map_err(|_| TooLarge)?);
        self.ends.push(node + 1);
        self.parents.push(parent.unwrap_or(0));
        self.ordinals.push(ordinal | if key.is_some() { MEMBER } else { 0 });
        if let Some(key) = key {
            quote(&mut self.text, key);
            self.text.push(':');
        }
        Ok(node)
    }

    /// Writes a scalar or an empty container whole; opens any other.
    fn write<'v>(&mut self, value: &'v Value, node: Node, order: Order, open: &mut Vec<Open<'v>>) {
        let rest = match value {
            Value::String(text) => return quote(&mut self.text, text),
            Value::Number(number) => return self.text.push_str(number.as_str()),
            Value::Array(items) if !items.is_empty() => {
                self.text.push('[');
                Rest::Items(items.iter())
            }
            Value::Object(map) if !map.is_empty() => {
                self.text.push('{');
                Rest::Members(members(map, order))
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                return self.text.push_str(&json::canonical(value));
            }
        };
        open.push(Open { node, rest, ordinal: 0 });
    }

    fn close(&mut self, open: &mut Vec<Open<'_>>) {
        let Some(done) = open.pop() else { return };
        self.text.push(match done.rest {
            Rest::Items(_) => ']',
            Rest::Members(_) => '}',
        });
        let end = Node::try_from(self.starts.len()).unwrap_or(Node::MAX);
        if let Some(slot) = self.ends.get_mut(done.node as usize) {
            *slot = end;
        }
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        for list in [&mut self.starts, &mut self.ends, &mut self.parents, &mut self.ordinals] {
            list.shrink_to_fit();
        }
    }
}

/// Appends a JSON string; text without anything to escape is copied whole.
fn quote(out: &mut String, text: &str) {
    if text.bytes().any(|b| b < b' ' || b == b'"' || b == b'\\') {
        out.push_str(&json::canonical(&Value::String(text.to_owned())));
        return;
    }
    out.push('"');
    out.push_str(text);
    out.push('"');
}
