//! Arguments that come in pieces: `{"jsonPath": "$.a[0].b", "stringValue": "…"}` (Vertex only).
//!
//! Nothing is guessed: a path that cannot be followed, or a piece that does not fit what is there, breaks the call.

use serde_json::json;

use super::chunk::PartialArg;
use crate::dialect::held::{Held, weight};
use crate::json::{Map, Value};

/// Steps of one path.
const MAX_STEPS: usize = 128;
/// What a step costs beside its text: a place for a value.
const STEP: usize = 64;

/// The arguments of a call so far.
#[derive(Debug)]
pub(super) struct Pieces {
    args: Value,
    broken: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl Pieces {
    pub(super) fn new() -> Self {
        Self { args: json!({}), broken: false }
    }

    /// Puts a piece where it belongs. What is held is counted, also what a path makes on its way.
    pub(super) fn put(&mut self, piece: PartialArg, held: &mut Held) {
        let text = piece.string_value.as_ref().map_or(0, String::len);
        let number = piece.number_value.as_ref().map_or(0, weight);
        let bytes = [text, number].into_iter().fold(0, usize::saturating_add);
        self.broken = self.broken || !held.bytes(bytes) || self.place(piece, held).is_none();
        if self.broken {
            self.args = Value::Null;
        }
    }

    /// The arguments as text; `None` when a piece did not fit.
    pub(super) fn text(self) -> Option<String> {
        (!self.broken).then(|| self.args.to_string())
    }

    fn place(&mut self, piece: PartialArg, held: &mut Held) -> Option<()> {
        let path = piece.json_path?;
        let mut at = &mut self.args;
        for step in steps(&path)? {
            at = go(at, step, held)?;
        }
        match (piece.string_value, piece.number_value, piece.bool_value) {
            (Some(more), None, None) => match at {
                Value::String(text) => text.push_str(&more),
                Value::Null => *at = Value::String(more),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => return None,
            },
            (None, Some(number), None) if number.is_number() => *at = number,
            (None, None, Some(truth)) => *at = Value::Bool(truth),
            (None, None, None) => {}
            _ => return None,
        }
        Some(())
    }
}

/// One step down; makes the place when it is the next one.
fn go<'a>(at: &'a mut Value, step: Step<'_>, held: &mut Held) -> Option<&'a mut Value> {
    match step {
        Step::Key(key) => {
            if at.is_null() {
                *at = Value::Object(Map::new());
            }
            let map = at.as_object_mut()?;
            if !map.contains_key(key) && !held.bytes(key.len().saturating_add(STEP)) {
                return None;
            }
            Some(map.entry(key).or_insert(Value::Null))
        }
        Step::Index(index) => {
            if at.is_null() {
                *at = Value::Array(Vec::new());
            }
            let list = at.as_array_mut()?;
            if index == list.len() {
                if !held.bytes(STEP) {
                    return None;
                }
                list.push(Value::Null);
            }
            list.get_mut(index)
        }
    }
}

/// `$.a.b[0]['c d']` → its steps.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = step(rest)?;
        steps.push(step);
        rest = after;
        if steps.len() > MAX_STEPS {
            return None;
        }
    }
    Some(steps)
}

fn step(rest: &str) -> Option<(Step<'_>, &str)> {
    if let Some(name) = rest.strip_prefix('.') {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (key, after) = name.split_at_checked(end)?;
        return (!key.is_empty()).then_some((Step::Key(key), after));
    }
    let inner = rest.strip_prefix('[')?;
    for quote in ['\'', '"'] {
        if let Some(quoted) = inner.strip_prefix(quote) {
            let (key, after) = quoted.split_once(quote)?;
            return Some((Step::Key(key), after.strip_prefix(']')?));
        }
    }
    let (index, after) = inner.split_once(']')?;
    Some((Step::Index(index.parse().ok()?), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(pieces: &[(&str, Value)]) -> Option<String> {
        let (mut all, mut held) = (Pieces::new(), Held::default());
        for (path, value) in pieces {
            let mut piece = PartialArg { json_path: Some((*path).to_owned()), ..PartialArg::default() };
            match value {
                Value::String(text) => piece.string_value = Some(text.clone()),
                Value::Bool(truth) => piece.bool_value = Some(*truth),
                Value::Number(_) => piece.number_value = Some(value.clone()),
                _ => {}
            }
            all.put(piece, &mut held);
        }
        all.text()
    }

    #[test]
    fn pieces_find_their_places() {
        for (pieces, want) in [
            (&[][..], Some("{}")),
            (&[("$.a", json!("x")), ("$.a", json!("y"))], Some(r#"{"a":"xy"}"#)),
            (
                &[("$.a.b[0]", json!(1)), ("$.a.b[1]", json!(true)), ("$.a.c", json!(null))],
                Some(r#"{"a":{"b":[1,true],"c":null}}"#),
            ),
            (&[("$['a b'].c", json!("x")), ("$[\"d\"]", json!("é"))], Some(r#"{"a b":{"c":"x"},"d":"é"}"#)),
            (&[("$.a[1]", json!(1))], None),
            (&[("$.a[999999999999]", json!(1))], None),
            (&[("$.a", json!(1)), ("$.a", json!("x"))], None),
            (&[("$.a", json!(1)), ("$.a.b", json!(1))], None),
            (&[("a", json!(1))], None),
            (&[("$..a", json!(1))], None),
            (&[("$.a[", json!(1))], None),
            (&[("$.a['b", json!(1))], None),
        ] {
            assert_eq!(put(pieces).as_deref(), want, "{pieces:?}");
        }
        assert_eq!(put(&[(&format!("${}", "[0]".repeat(200)), json!(1))]), None);
    }
}
