//! Takes one schema out of a document: what it refers to comes along under `$defs`, and what other dialects write
//! differently (`nullable`, upper-case types, boolean `exclusiveMinimum`) is written as JSON Schema has it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::json::{Map, Value, resolve, tokens};
use crate::schema::Dialect;
use crate::schema::keywords::{self, Shape};

/// Deeper nesting is past every limit of a schema; what lies there stays as it is.
const MAX_DEPTH: usize = 128;
/// Definitions that come along at most: a schema has a few thousand containers.
const MAX_DEFINITIONS: usize = 2_000;
/// What they may weigh together, in bytes: twice what a text may. Definitions inside definitions come along once for
/// each, so their sum knows no other bound.
const MAX_TAKEN: usize = 16 * 1024 * 1024;

const TYPES: [&str; 7] = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
/// One of them is enough to take an object for a schema.
const TELLING: [&str; 10] =
    ["type", "properties", "items", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "additionalProperties"];

/// Is a root object written with upper-case types?
pub(super) fn is_shouted(value: &Value) -> bool {
    value.get("type").and_then(Value::as_str).is_some_and(|name| TYPES.contains(&name))
}

/// Does a value look like a schema, by its keywords and what they hold?
pub(super) fn is_schema_like(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return false };
    members.iter().any(|(key, value)| {
        TELLING.contains(&key.as_str())
            && match key.as_str() {
                "type" => is_type(value),
                "properties" => value.is_object(),
                "items" => value.is_object() || value.is_boolean(),
                "$ref" => value.as_str().is_some_and(|target| target.contains('#')),
                "anyOf" | "oneOf" | "allOf" => value.as_array().is_some_and(|list| list.iter().any(Value::is_object)),
                "enum" => value.is_array(),
                "additionalProperties" => members.len() == 1,
                _ => true,
            }
    })
}

fn is_type(value: &Value) -> bool {
    let known = |name: &str| TYPES.iter().any(|known| known.eq_ignore_ascii_case(name));
    match value {
        Value::String(name) => known(name),
        Value::Array(names) => !names.is_empty() && names.iter().all(|name| name.as_str().is_some_and(known)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// The schema at a pointer; `null` when there is none.
pub(super) fn taken(document: &Value, pointer: &str) -> Value {
    let Some(found) = resolve(document, pointer) else { return Value::Null };
    // A part that says it is of draft 4 stays of draft 4: there the flags are right, and numbers are none.
    let bounds = match found.get("$schema").and_then(Value::as_str).and_then(Dialect::from_uri) {
        Some(Dialect::Draft4) => Bounds::Flags,
        Some(Dialect::Draft6 | Dialect::Draft7 | Dialect::Draft201909 | Dialect::Draft202012) | None => Bounds::Numbers,
    };
    let own = found.get("$defs").and_then(Value::as_object);
    let mut taker = Taker {
        document,
        root: pointer,
        names: HashMap::new(),
        used: own.into_iter().flat_map(Map::keys).cloned().collect(),
        numbers: HashMap::new(),
        room: MAX_TAKEN,
        left: Vec::new(),
        shouted: is_shouted(found),
        bounds,
    };
    let mut schema = found.clone();
    taker.rewrite(&mut schema, 0);
    let mut definitions = Map::new();
    while let Some((target, name)) = taker.left.pop() {
        let mut definition = resolve(document, &target).cloned().unwrap_or(Value::Bool(true));
        taker.rewrite(&mut definition, 0);
        definitions.insert(name, definition);
    }
    if let (false, Some(members)) = (definitions.is_empty(), schema.as_object_mut()) {
        match members.entry("$defs") {
            serde_json::map::Entry::Vacant(place) => {
                place.insert(Value::Object(definitions));
            }
            serde_json::map::Entry::Occupied(mut place) => {
                if let Some(own) = place.get_mut().as_object_mut() {
                    own.extend(definitions);
                }
            }
        }
    }
    schema
}

struct Taker<'d> {
    document: &'d Value,
    root: &'d str,
    /// Pointer of a definition that comes along → its name.
    names: HashMap<String, String>,
    /// Names that are given, those of the part's own definitions too.
    used: HashSet<String>,
    /// The last number a name that stands in several places was given.
    numbers: HashMap<String, usize>,
    /// Bytes that still may come along.
    room: usize,
    left: Vec<(String, String)>,
    shouted: bool,
    bounds: Bounds,
}

/// What an exclusive bound is in the draft of the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bounds {
    /// `true` beside `minimum`.
    Flags,
    /// The number itself.
    Numbers,
}

impl Taker<'_> {
    /// Rewrites a schema and the schemas in it; [`MAX_DEPTH`] calls deep at most.
    fn rewrite(&mut self, schema: &mut Value, depth: usize) {
        let Some(members) = schema.as_object_mut().filter(|_| depth < MAX_DEPTH) else { return };
        if let Some(Value::String(target)) = members.get_mut("$ref")
            && let Some(name) = self.target(target)
        {
            *target = name;
        }
        self.shout(members);
        if self.bounds == Bounds::Numbers {
            exclusive(members, "exclusiveMinimum", "minimum");
            exclusive(members, "exclusiveMaximum", "maximum");
        }
        for (key, value) in members.iter_mut() {
            let shape = keywords::find(key).map_or(Shape::Plain, |keyword| keyword.shape);
            match (shape, value) {
                (Shape::List | Shape::OneOrList, Value::Array(list)) => {
                    for inner in list {
                        self.rewrite(inner, depth + 1);
                    }
                }
                (Shape::Map | Shape::MapOrNames, Value::Object(map)) => {
                    for inner in map.values_mut() {
                        self.rewrite(inner, depth + 1);
                    }
                }
                (Shape::One | Shape::OneOrList, inner) => self.rewrite(inner, depth + 1),
                (Shape::Plain | Shape::List | Shape::Map | Shape::MapOrNames, _) => {}
            }
        }
        nullable(members);
    }

    /// Where a reference into the document leads once the part stands alone; `None`: it stays.
    fn target(&mut self, target: &str) -> Option<String> {
        let pointer = target.strip_prefix('#').filter(|pointer| pointer.starts_with('/'))?;
        let pointer = percent_decoded(pointer);
        if let Some(inner) = pointer.strip_prefix(self.root).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Some(format!("#{inner}"));
        }
        let found = resolve(self.document, &pointer)?;
        if let Some(name) = self.names.get(&pointer) {
            return Some(reference(name));
        }
        if self.names.len() >= MAX_DEFINITIONS || self.room == 0 {
            return None;
        }
        let Some(weight) = weight(found, self.room) else {
            // Full is full: every further look would cost as much.
            self.room = 0;
            return None;
        };
        self.room -= weight;
        let name = self.free_name(&pointer);
        self.names.insert(pointer.clone(), name.clone());
        self.left.push((pointer, name.clone()));
        Some(reference(&name))
    }

    /// The last token of a pointer, with a number where it is given already.
    fn free_name(&mut self, pointer: &str) -> String {
        let last = tokens(pointer).and_then(|mut tokens| tokens.pop()).map_or_else(String::new, Cow::into_owned);
        let mut name = last.clone();
        while self.used.contains(&name) {
            let number = self.numbers.entry(last.clone()).or_insert(1);
            *number += 1;
            name = format!("{last}_{number}");
        }
        self.used.insert(name.clone());
        name
    }

    /// Gemini's upper-case types.
    fn shout(&self, members: &mut Map<String, Value>) {
        if !self.shouted {
            return;
        }
        if let Some(Value::String(name)) = members.get_mut("type")
            && TYPES.contains(&name.as_str())
        {
            *name = name.to_ascii_lowercase();
        }
    }
}

/// Bytes of a value, about as its text has; `None` past `most`.
fn weight(value: &Value, most: usize) -> Option<usize> {
    let mut sum = 0_usize;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        sum += 2 + match value {
            Value::String(text) => text.len(),
            Value::Number(number) => number.as_str().len(),
            Value::Array(items) => {
                left.extend(items);
                0
            }
            Value::Object(members) => {
                left.extend(members.values());
                members.keys().map(|key| key.len() + 2).sum()
            }
            Value::Null | Value::Bool(_) => 4,
        };
        if sum > most {
            return None;
        }
    }
    Some(sum)
}

/// A reference to a definition, its name escaped as a pointer in a URI fragment.
fn reference(name: &str) -> String {
    let mut pointer = String::from("#/$defs");
    crate::json::push_token(&mut pointer, name);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/$#!&'()*+,;=:@".contains(&byte);
    pointer.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn percent_decoded(pointer: &str) -> String {
    percent_encoding::percent_decode_str(pointer).decode_utf8().map_or_else(|_| pointer.to_owned(), Into::into)
}

/// `exclusiveMinimum: true` beside `minimum` is `OpenAPI` 3.0's (and draft 4's) way.
fn exclusive(members: &mut Map<String, Value>, exclusive: &str, limit: &str) {
    let Some(Value::Bool(on)) = members.get(exclusive) else { return };
    if *on && let Some(limit) = members.remove(limit) {
        members.insert(exclusive.to_owned(), limit);
    } else {
        members.remove(exclusive);
    }
}

/// `OpenAPI` 3.0's and Gemini's `nullable`.
fn nullable(members: &mut Map<String, Value>) {
    match members.get("nullable") {
        Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => {
            members.remove("nullable");
            return;
        }
        Some(_) | None => return,
    }
    members.remove("nullable");
    if let Some(Value::Array(choices)) = members.get_mut("enum")
        && !choices.contains(&Value::Null)
    {
        choices.push(Value::Null);
    }
    match members.get_mut("type") {
        Some(Value::String(name)) => {
            let name = Value::String(std::mem::take(name));
            members.insert("type".to_owned(), Value::Array(vec![name, Value::from("null")]));
        }
        Some(Value::Array(names)) if !names.contains(&Value::from("null")) => names.push(Value::from("null")),
        Some(_) => {}
        None => {
            let inner = Value::Object(std::mem::take(members));
            let null = Value::Object(Map::from_iter([("type".to_owned(), Value::from("null"))]));
            members.insert("anyOf".to_owned(), Value::Array(vec![inner, null]));
        }
    }
}
