//! Reasoning that must go back unchanged (`reasoning_details` of a router and of servers that copy it): pieces of a
//! stream are put together to the blocks they are pieces of, in their order. Nothing of it is shown from here.
//!
//! Source: the router's page on preserving reasoning blocks, as of 2026: "the entire sequence of consecutive reasoning
//! blocks must match".

use crate::dialect::held::{Held, weight};
use crate::event::RawEvent;
use crate::json::{Map, Value};

/// The blocks of one answer.
#[derive(Debug, Default)]
pub(super) struct Details {
    blocks: Vec<Map<String, Value>>,
}

/// Members that come in pieces; all others come whole, the last one counts.
const PIECES: [&str; 3] = ["text", "summary", "data"];
/// Every block's type begins so.
const PREFIX: &str = "reasoning.";

impl Details {
    /// Takes what one chunk or one whole message says.
    pub(super) fn take(&mut self, told: Value, held: &mut Held) {
        let Value::Array(told) = told else { return };
        for piece in told {
            let Value::Object(piece) = piece else { continue };
            let bytes = piece.iter().map(|(key, value)| key.len().saturating_add(weight(value)));
            if !held.bytes(bytes.fold(0, usize::saturating_add)) {
                return;
            }
            match self.blocks.last_mut() {
                Some(block) if goes_on(block, &piece) => append(block, piece),
                Some(_) | None if held.part() => self.blocks.push(piece),
                Some(_) | None => return,
            }
        }
    }

    /// Gives the blocks out.
    pub(super) fn give_out(&mut self, out: &mut Vec<RawEvent>) {
        let blocks = std::mem::take(&mut self.blocks).into_iter();
        out.extend(blocks.map(|block| RawEvent::Keep { part: Value::Object(block) }));
    }
}

/// The readable text of what one chunk says, for servers that say it nowhere else.
pub(super) fn readable(told: &Value) -> Option<String> {
    let text = |piece: &Value| ["text", "summary"].iter().find_map(|key| piece.get(*key)?.as_str().map(str::to_owned));
    let told: String = told.as_array()?.iter().filter_map(text).collect();
    (!told.is_empty()).then_some(told)
}

/// Was this part given out by [`Details`]?
pub(super) fn is_ours(part: &Value) -> bool {
    part.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with(PREFIX))
}

/// Is it a further piece of the block? Of one kind and place; and a signature ends a block whose place is not told.
fn goes_on(block: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let same = |key: &str| block.get(key).filter(|v| !v.is_null()) == piece.get(key).filter(|v| !v.is_null());
    let told = |map: &Map<String, Value>, key: &str| map.get(key).is_some_and(|value| !value.is_null());
    let placed = told(block, "index");
    let closed = !placed && told(block, "signature") && PIECES.iter().any(|key| told(piece, key));
    let other = told(block, "id") && told(piece, "id") && !same("id");
    same("type") && same("index") && !closed && !other && (placed || block.get("type") != Some(&encrypted()))
}

fn encrypted() -> Value {
    Value::from("reasoning.encrypted")
}

fn append(block: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (key, value) in piece {
        let pieces = PIECES.contains(&key.as_str());
        match (block.get_mut(&key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(before)), Value::String(more)) if pieces => before.push_str(&more),
            (Some(before), value) => *before = value,
            (None, value) => {
                block.insert(key, value);
            }
        }
    }
}
