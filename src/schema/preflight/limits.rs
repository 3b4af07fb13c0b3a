//! Size limits of a schema, counted with an explicit stack before anything else looks at it.

use super::{Counts, Reason, SchemaError};
use crate::json::{self, Value, push_token};

/// Canonical JSON of a schema: 1 MiB.
pub(crate) const MAX_BYTES: usize = 1_048_576;
/// Objects and arrays, the root included.
pub(crate) const MAX_CONTAINERS: usize = 4_096;
/// Members and elements, scalars included.
pub(crate) const MAX_EDGES: usize = 8_192;
/// Nesting of containers with the root at 0.
pub(crate) const MAX_DEPTH: usize = 100;

/// Counts a schema and refuses it at the first limit it breaks: depth, then bytes, then containers and edges.
///
/// # Errors
/// The limit that is broken, at the first place past it.
pub(super) fn check(schema: &Value) -> Result<Counts, SchemaError> {
    let depth = depth(schema, MAX_DEPTH)?;
    let canonical_bytes = json::canonical(schema).len();
    if canonical_bytes > MAX_BYTES {
        return Err(SchemaError {
            reason: Reason::LimitBytes,
            path: String::new(),
            position: None,
            message: format!(
                "the schema has {canonical_bytes} bytes of canonical JSON; at most {MAX_BYTES} are allowed"
            ),
        });
    }
    let (containers, edges) = count(schema)?;
    Ok(Counts { canonical_bytes, containers, edges, depth })
}

fn items(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// What is left to visit of one container, and the step last taken.
struct Level<'a> {
    left: Left<'a>,
    step: Step<'a>,
}

enum Left<'a> {
    List(std::iter::Enumerate<std::slice::Iter<'a, Value>>),
    Map(serde_json::map::Iter<'a>),
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Index(usize),
    Key(&'a str),
}

impl<'a> Level<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        let left = match value {
            Value::Array(list) => Left::List(list.iter().enumerate()),
            Value::Object(map) => Left::Map(map.iter()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
        Some(Self { left, step: Step::Index(0) })
    }

    fn next(&mut self) -> Option<&'a Value> {
        let (step, value) = match &mut self.left {
            Left::List(list) => list.next().map(|(i, v)| (Step::Index(i), v))?,
            Left::Map(map) => map.next().map(|(k, v)| (Step::Key(k), v))?,
        };
        self.step = step;
        Some(value)
    }
}

/// Deepest container; an error at the first one deeper than `max`. Never holds more than one path.
fn depth(schema: &Value, max: usize) -> Result<usize, SchemaError> {
    let mut deepest = 0;
    let mut stack: Vec<Level<'_>> = Level::of(schema).into_iter().collect();
    while let Some(level) = stack.last_mut() {
        let Some(value) = level.next() else {
            stack.pop();
            continue;
        };
        let Some(below) = Level::of(value) else { continue };
        if stack.len() > max {
            return Err(too_deep(&stack, max));
        }
        deepest = deepest.max(stack.len());
        stack.push(below);
    }
    Ok(deepest)
}

fn too_deep(stack: &[Level<'_>], max: usize) -> SchemaError {
    let mut path = String::new();
    for level in stack {
        match level.step {
            Step::Index(at) => push_token(&mut path, &at.to_string()),
            Step::Key(key) => push_token(&mut path, key),
        }
    }
    SchemaError {
        reason: Reason::LimitDepth,
        path,
        position: None,
        message: format!("objects and arrays are nested more than {max} deep here"),
    }
}

fn count(schema: &Value) -> Result<(usize, usize), SchemaError> {
    let (mut containers, mut edges) = (0, 0);
    let mut stack = vec![schema];
    while let Some(value) = stack.pop() {
        containers += 1;
        edges += items(value);
        match value {
            Value::Array(list) => stack.extend(list.iter().filter(|v| v.is_array() || v.is_object())),
            Value::Object(map) => stack.extend(map.values().filter(|v| v.is_array() || v.is_object())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let refuse = |reason, message| SchemaError { reason, path: String::new(), position: None, message };
    if containers > MAX_CONTAINERS {
        let message = format!("the schema has {containers} objects and arrays; at most {MAX_CONTAINERS} are allowed");
        return Err(refuse(Reason::LimitNodes, message));
    }
    if edges > MAX_EDGES {
        let message = format!("the schema has {edges} members and elements; at most {MAX_EDGES} are allowed");
        return Err(refuse(Reason::LimitEdges, message));
    }
    Ok((containers, edges))
}

/// Bytes of the pointers of all containers: what an error at each of them would take.
pub(super) fn pointer_bytes(schema: &Value) -> usize {
    let mut total = 0_usize;
    let mut stack = vec![(schema, 0_usize)];
    while let Some((value, length)) = stack.pop() {
        total = total.saturating_add(length);
        match value {
            Value::Array(list) => stack.extend(list.iter().map(|v| (v, length + 5))),
            Value::Object(map) => stack.extend(map.iter().map(|(k, v)| (v, length + 1 + k.len()))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    total
}
