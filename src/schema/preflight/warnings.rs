//! Legal but probably not meant: said as warnings, never refused.

use super::{Reason, SchemaError};
use crate::json::{Map, Value, push_token};
use crate::schema::format::looks_like_envelope;
use crate::schema::keywords;
use crate::schema::references::Index;

/// At most this many warnings.
const MAX_WARNINGS: usize = 20;

/// Finds what is worth saying about a schema that passed.
pub(super) fn find(index: &Index<'_>) -> Vec<SchemaError> {
    let mut out = Vec::new();
    for (id, place) in index.places.iter().enumerate() {
        let Some(object) = place.value.as_object() else { continue };
        if out.len() >= MAX_WARNINGS {
            break;
        }
        let mut warn = |reason, tokens: &[&str], message: String| {
            let mut path = index.pointer(id);
            for token in tokens {
                push_token(&mut path, token);
            }
            out.push(SchemaError { reason, path, position: None, message });
        };
        if id == 0 {
            root(object, &mut warn);
        }
        misspelt(object, &mut warn);
        unlisted(object, &mut warn);
        if keywords::ref_hides_siblings(place.dialect) && object.contains_key("$ref") {
            let hidden = object.keys().find(|k| keywords::find(k).is_some_and(|w| judges(w.name)));
            if let Some(key) = hidden {
                warn(Reason::MetaSchema, &[key], format!("`{key}` beside `$ref` is ignored before draft 2019-09"));
            }
        }
    }
    out.truncate(MAX_WARNINGS);
    out
}

fn judges(keyword: &str) -> bool {
    let silent = [
        "$ref",
        "$schema",
        "$id",
        "id",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
    ];
    !silent.contains(&keyword)
}

fn root(object: &Map<String, Value>, warn: &mut impl FnMut(Reason, &[&str], String)) {
    if object.is_empty() {
        warn(Reason::WrongShape, &[], "this schema accepts every JSON value".to_owned());
    }
    if looks_like_envelope(object) {
        let message = "looks_like_envelope: the schema under `schema` is ignored here; hand over that part alone, or \
             set \"type\":\"json_schema\"";
        warn(Reason::Envelope, &["schema"], message.to_owned());
    }
    if object.get("not") == Some(&Value::Object(Map::new())) || object.get("not") == Some(&Value::Bool(true)) {
        warn(Reason::WrongShape, &["not"], "nothing can ever pass this schema".to_owned());
    }
}

/// An unknown keyword one or two slips away from a known one.
fn misspelt(object: &Map<String, Value>, warn: &mut impl FnMut(Reason, &[&str], String)) {
    for key in object.keys().filter(|k| keywords::find(k).is_none() && !k.starts_with("x-") && k.len() <= 32) {
        let near = keywords::KEYWORDS.iter().map(|k| k.name).find(|name| *name != "extends" && close(key, name));
        if let Some(name) = near {
            warn(Reason::MetaSchema, &[key], format!("unknown keyword, ignored; did you mean `{name}`?"));
        }
    }
}

fn close(written: &str, known: &str) -> bool {
    if known.len() < 4 {
        return false;
    }
    let (a, b) = (written.to_lowercase().replace(['_', '-', '$'], ""), known.to_lowercase().replace('$', ""));
    let letters = |text: &str| {
        let mut list: Vec<char> = text.chars().collect();
        list.sort_unstable();
        list
    };
    a == b || letters(&a) == letters(&b) || distance(&a, &b) <= if known.len() < 7 { 1 } else { 2 }
}

/// Edits between two short words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let get = |list: &[usize], at: usize| list.get(at).copied().unwrap_or(usize::MAX - 1);
            let change = get(&row, j) + usize::from(ca != *cb);
            next.push(change.min(get(&row, j + 1) + 1).min(get(&next, j) + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// `required` names a property that `properties` does not describe.
fn unlisted(object: &Map<String, Value>, warn: &mut impl FnMut(Reason, &[&str], String)) {
    let (Some(Value::Array(required)), Some(Value::Object(properties))) =
        (object.get("required"), object.get("properties"))
    else {
        return;
    };
    for (at, name) in required.iter().enumerate() {
        if name.as_str().is_some_and(|n| !properties.contains_key(n)) {
            let closed = object.get("additionalProperties") == Some(&Value::Bool(false))
                && !object.contains_key("patternProperties");
            let message = if closed {
                "this name is required but `properties` does not have it and no other is allowed: nothing can pass"
            } else {
                "this name is required but `properties` does not describe it"
            };
            warn(Reason::MetaSchema, &["required", &at.to_string()], message.to_owned());
        }
    }
}
