//! What a place of a schema expects, and what a candidate has there, in a few words: `an integer ≥ 1`, `text "abc"`.
//!
//! For the user's own screen only: these words hold pieces of the schema and of the candidate. Judges nothing.

use std::fmt::Write;

use crate::json::{ParseLimits, Value, parse, resolve};

/// Characters of a value that is repeated.
const SHORT: usize = 24;
/// Values of an `enum` that are named.
const NAMED: usize = 6;

/// What the schema expects at the place of a violated keyword; `schema_path` is the keyword's pointer. `None` where the
/// keyword speaks of more than one value, and the issue's own message says it better.
#[must_use]
pub fn expected(schema: &Value, schema_path: &str) -> Option<String> {
    let (holder, keyword) = schema_path.rsplit_once('/')?;
    let holder = resolve(schema, holder)?.as_object()?;
    match keyword {
        "const" => return Some(short(holder.get("const")?)),
        "enum" => return Some(one_of(holder.get("enum")?.as_array()?)),
        "type" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
        | "maxLength" | "pattern" | "format" | "minItems" | "maxItems" | "uniqueItems" | "minProperties"
        | "maxProperties" => {}
        _ => return None,
    }
    let mut words = kinds(holder.get("type"));
    let said = |name: &str| holder.get(name).filter(|v| v.is_number() || v.is_string()).map(short_text);
    for (name, sign) in [("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")] {
        if let Some(bound) = said(name) {
            let _ = write!(words, " {sign} {bound}");
        }
    }
    if let Some(step) = said("multipleOf") {
        let _ = write!(words, ", a multiple of {step}");
    }
    for (least, most, unit) in [
        ("minLength", "maxLength", "character"),
        ("minItems", "maxItems", "item"),
        ("minProperties", "maxProperties", "member"),
    ] {
        counted(&mut words, said(least), said(most), unit);
    }
    if holder.get("uniqueItems") == Some(&Value::Bool(true)) {
        words.push_str(", none twice");
    }
    if let Some(pattern) = said("pattern") {
        let _ = write!(words, " that matches {pattern}");
    }
    if let Some(format) = said("format") {
        let _ = write!(words, " in the format {format}");
    }
    Some(words)
}

fn counted(words: &mut String, least: Option<String>, most: Option<String>, unit: &str) {
    let many = |n: &str| if n == "1" { unit.to_owned() } else { format!("{unit}s") };
    let _ = match (least, most) {
        (None, None) => Ok(()),
        (Some(least), Some(most)) if least == most => write!(words, " of {least} {}", many(&least)),
        (Some(least), Some(most)) => write!(words, " of {least} to {most} {unit}s"),
        (Some(least), None) => write!(words, " of at least {least} {}", many(&least)),
        (None, Some(most)) => write!(words, " of at most {most} {}", many(&most)),
    };
}

fn kinds(types: Option<&Value>) -> String {
    let names: Vec<&str> = match types {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).take(NAMED).collect(),
        _ => Vec::new(),
    };
    if names.is_empty() { "a value".to_owned() } else { names.into_iter().map(kind).collect::<Vec<_>>().join(" or ") }
}

fn kind(name: &str) -> &str {
    match name {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "text",
        "boolean" => "true or false",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

fn one_of(values: &[Value]) -> String {
    let mut named: Vec<String> = values.iter().take(NAMED).map(short).collect();
    if values.len() > NAMED {
        named.push(format!("… ({} values)", values.len()));
    }
    if named.len() == 1 { named.remove(0) } else { format!("one of {}", named.join(", ")) }
}

fn short(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("the array of {} given there", count(items.len(), "item")),
        Value::Object(members) => format!("the object of {} given there", count(members.len(), "member")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => cut(&value.to_string()),
    }
}

fn short_text(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}

/// What stands there, by its written text: its kind and, where it is short, the value itself.
#[must_use]
pub fn found(written: &str) -> String {
    let written = written.trim();
    // Only containers that are cheap to read are counted.
    let read = (written.len() <= 64 * 1024).then(|| parse(written, ParseLimits::default()).ok()).flatten();
    match written.as_bytes().first() {
        Some(b'"') => format!("text {}", cut(written)),
        Some(b'{') => match read.as_ref().and_then(Value::as_object) {
            Some(members) => format!("an object of {}", count(members.len(), "member")),
            None => "an object".to_owned(),
        },
        Some(b'[') => match read.as_ref().and_then(Value::as_array) {
            Some(items) => format!("an array of {}", count(items.len(), "item")),
            None => "an array".to_owned(),
        },
        Some(b'-' | b'0'..=b'9') => format!("the number {}", cut(written)),
        Some(_) => cut(written),
        None => "nothing".to_owned(),
    }
}

fn count(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

fn cut(text: &str) -> String {
    let mut letters = text.chars();
    let head: String = letters.by_ref().take(SHORT).collect();
    if letters.next().is_some() { format!("{head}…") } else { head }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expectations_name_every_bound_of_the_place() {
        let schema = json!({
            "$defs": { "n": { "type": "integer", "minimum": 1, "maximum": 5 } },
            "properties": {
                "title": { "type": "string", "minLength": 1 },
                "code": { "type": ["string", "null"], "pattern": "^[A-Z]{3}$", "minLength": 3, "maxLength": 3 },
                "tags": { "type": "array", "maxItems": 2, "uniqueItems": true },
                "kind": { "enum": ["a", "b", 3] },
                "one": { "const": { "x": 1 } },
                "half": { "multipleOf": 0.5, "exclusiveMinimum": 0 },
                "day": { "type": "string", "format": "date" },
            },
            "required": ["title"],
        });
        let cases = [
            ("/$defs/n/type", Some("an integer ≥ 1 ≤ 5")),
            ("/$defs/n/minimum", Some("an integer ≥ 1 ≤ 5")),
            ("/properties/title/minLength", Some("text of at least 1 character")),
            ("/properties/code/pattern", Some("text or null of 3 characters that matches ^[A-Z]{3}$")),
            ("/properties/tags/maxItems", Some("an array of at most 2 items, none twice")),
            ("/properties/kind/enum", Some("one of \"a\", \"b\", 3")),
            ("/properties/one/const", Some("the object of 1 member given there")),
            ("/properties/half/multipleOf", Some("a value > 0, a multiple of 0.5")),
            ("/properties/day/format", Some("text in the format date")),
            ("/required", None),
            ("/nowhere/type", None),
            ("", None),
        ];
        for (path, want) in cases {
            assert_eq!(expected(&schema, path).as_deref(), want, "{path}");
        }
    }

    #[test]
    fn what_stands_there_is_named_by_its_kind() {
        let long = format!("\"{}\"", "汉".repeat(100));
        let cases = [
            ("\"abc\"", "text \"abc\""),
            ("-1", "the number -1"),
            ("null", "null"),
            ("{\"a\": 1}", "an object of 1 member"),
            ("[1, 2", "an array"),
            ("[]", "an array of 0 items"),
            ("", "nothing"),
        ];
        for (written, want) in cases {
            assert_eq!(found(written), want);
        }
        assert!(found(&long).chars().count() < 40);
    }
}
