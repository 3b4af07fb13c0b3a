//! The wishes of a form as edits of the schema: each is a few small edits that keep the author's layout.
//!
//! Pointers are into the schema. An edit says nothing about whether the schema stays legal: it is checked like any other.

use super::{Field, Part};
use crate::json::edit::Edit;
use crate::json::{Value, below, resolve};
use crate::schema::tree::types::{OF_USE, Shown, Types};

/// Keywords a form offers for every type.
const COMMON: &[&str] = &["description", "title", "enum", "const", "default"];

/// The type words a form offers.
pub const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// What bare words stand for in a list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// The field holds texts: `1` is one.
    Only,
    /// `1` is a number, `true` a boolean.
    AndOthers,
}

impl Texts {
    /// By the type of a field.
    #[must_use]
    pub fn of(schema: &Value, field: &Field) -> Self {
        let typed = resolve(schema, &field.target).and_then(|target| target.get("type"));
        if typed.is_some_and(|typed| typed == "string") { Self::Only } else { Self::AndOthers }
    }
}

/// A wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// A keyword of the field's schema; without a value it goes.
    Keyword { name: String, value: Option<Value> },
    /// Must the property be there?
    Required(bool),
    /// Another name for the property.
    Rename(String),
    /// A new property, a text, that must be there.
    Add(String),
    /// The property goes.
    Remove,
}

/// Why a wish cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("only a listed property can be renamed, removed, or made required")]
    NoProperty,
    #[error("only an object has properties")]
    NoObject,
    #[error("there is a property of that name already")]
    Taken,
    #[error("a property needs a name")]
    NoName,
    #[error("{0} takes {1}")]
    Value(String, &'static str),
}

/// The keywords a form offers for a field, those that are set first.
#[must_use]
pub fn keywords(schema: &Value, field: &Field) -> Vec<(&'static str, Option<Value>)> {
    let target = resolve(schema, &field.target);
    let typed = target.and_then(|target| target.get("type"));
    let own = match typed {
        Some(stated) => Types::of_keyword(stated),
        None if target.is_some_and(|target| target.get("properties").is_some()) => Types::OBJECT,
        None => Types::NONE,
    };
    let own = if typed.is_some_and(|stated| !stated.is_string() && !stated.is_array()) { Types::NONE } else { own };
    let mut names: Vec<&'static str> = vec!["type"];
    names.extend(COMMON.iter().take(1));
    let fits = OF_USE.iter().filter(|row| row.types.meets(own) && matches!(row.shown, Shown::Bound | Shown::Form));
    names.extend(fits.map(|row| row.name));
    names.extend(COMMON.iter().skip(1));
    let mut rows: Vec<_> = names.into_iter().map(|name| (name, target.and_then(|t| t.get(name)).cloned())).collect();
    rows.sort_by_key(|(name, value)| (*name != "type", value.is_none()));
    rows
}

/// How a value of a keyword is typed into a form, where what the keyword means does not say it.
#[must_use]
pub fn typed_as(name: &str) -> Option<&'static str> {
    match name {
        "type" => Some("string, integer, number, boolean, object, array, null; several with or"),
        "enum" => Some("the only values, with commas between them"),
        "const" => Some("the only value, as JSON"),
        "format" => Some("date, date-time, email, uri, uuid, …"),
        "additionalProperties" => Some("false: only the listed properties"),
        _ => None,
    }
}

/// What a person typed for a keyword as its value; nothing means that the keyword goes.
///
/// # Errors
/// What the keyword takes instead.
pub fn typed(name: &str, text: &str, of: Texts) -> Result<Option<Value>, Denied> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let denied = |takes| Denied::Value(name.to_owned(), takes);
    let json = || crate::json::parse(text, crate::json::ParseLimits { max_bytes: 65_536, max_depth: 64 });
    let value = match name {
        "description" | "title" | "pattern" | "format" => Value::String(text.to_owned()),
        "type" => types(text).ok_or_else(|| denied("type words, as in: string or null"))?,
        "enum" => match json() {
            Ok(Value::Array(values)) if !values.is_empty() => Value::Array(values),
            Err(_) if text.starts_with(['[', '{', '"']) => return Err(denied("words with commas, or a JSON array")),
            Ok(_) | Err(_) => words(text, of),
        },
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            json().ok().filter(|value| value.as_u64().is_some()).ok_or_else(|| denied("a whole number from 0"))?
        }
        "minimum" | "maximum" => json().ok().filter(Value::is_number).ok_or_else(|| denied("a number"))?,
        "exclusiveMinimum" | "exclusiveMaximum" => json()
            .ok()
            .filter(|value| value.is_number() || value.is_boolean())
            .ok_or_else(|| denied("a number, in draft 4 true or false"))?,
        "multipleOf" => json().ok().filter(is_positive).ok_or_else(|| denied("a number above 0"))?,
        "uniqueItems" | "additionalProperties" => {
            json().ok().filter(Value::is_boolean).ok_or_else(|| denied("true or false"))?
        }
        _ if text.starts_with(['[', '{', '"']) => json().map_err(|_| denied("one JSON value"))?,
        _ if of == Texts::Only => Value::String(text.to_owned()),
        _ => json().unwrap_or_else(|_| Value::String(text.to_owned())),
    };
    Ok(Some(value))
}

fn is_positive(value: &Value) -> bool {
    value.is_number() && value.as_f64().is_some_and(|number| number > 0.0)
}

/// `string or null`, `string, null`, `string|null`.
fn types(text: &str) -> Option<Value> {
    let words: Vec<&str> = text.split([',', '|', ' ']).filter(|word| !word.is_empty() && *word != "or").collect();
    let known = words.iter().all(|word| TYPES.contains(word));
    match words.as_slice() {
        [] => None,
        _ if !known => None,
        [only] => Some(Value::String((*only).to_owned())),
        all => Some(Value::Array(all.iter().map(|word| Value::String((*word).to_owned())).collect())),
    }
}

fn words(text: &str, of: Texts) -> Value {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    let limits = crate::json::ParseLimits { max_bytes: 65_536, max_depth: 64 };
    let value = |word: &str| match of {
        Texts::Only => Value::String(word.to_owned()),
        Texts::AndOthers => crate::json::parse(word, limits).unwrap_or_else(|_| Value::String(word.to_owned())),
    };
    Value::Array(words.map(value).collect())
}

/// The edits that grant a wish.
///
/// # Errors
/// Why it cannot be granted.
pub fn edits(schema: &Value, field: &Field, wish: &Wish) -> Result<Vec<Edit>, Denied> {
    match wish {
        Wish::Keyword { name, value } => Ok(keyword(schema, field, name, value.as_ref())),
        Wish::Required(wanted) => {
            let owner = property(field)?;
            Ok(required(schema, owner, |names| {
                names.retain(|name| *name != field.name);
                if *wanted {
                    names.push(field.name.clone());
                }
            }))
        }
        Wish::Rename(to) => rename(schema, field, to),
        Wish::Remove => {
            let owner = property(field)?;
            let mut edits = vec![Edit::Remove { pointer: field.place.clone() }];
            edits.extend(required(schema, owner, |names| names.retain(|name| *name != field.name)));
            Ok(edits)
        }
        Wish::Add(name) => add(schema, field, name),
    }
}

fn property(field: &Field) -> Result<&str, Denied> {
    field.owner.as_deref().filter(|_| field.part == Part::Property).ok_or(Denied::NoProperty)
}

fn keyword(schema: &Value, field: &Field, name: &str, value: Option<&Value>) -> Vec<Edit> {
    let pointer = below(&field.target, name);
    let there = resolve(schema, &pointer).is_some();
    match (resolve(schema, &field.target), value) {
        // `true` allows everything: the keyword is the first thing it says.
        (Some(Value::Bool(true)), Some(value)) => {
            let members = std::iter::once((name.to_owned(), value.clone())).collect();
            vec![Edit::Set { pointer: field.target.clone(), value: Value::Object(members) }]
        }
        (Some(Value::Object(_)), Some(value)) => vec![Edit::Set { pointer, value: value.clone() }],
        (Some(Value::Object(_)), None) if there => vec![Edit::Remove { pointer }],
        _ => Vec::new(),
    }
}

/// An object's list of required names, changed; an empty one goes (draft 4 refuses it).
fn required(schema: &Value, owner: &str, change: impl FnOnce(&mut Vec<String>)) -> Vec<Edit> {
    let pointer = below(owner, "required");
    let before = resolve(schema, &pointer);
    let names = before.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let before_names: Vec<String> = names.map(str::to_owned).collect();
    let mut names = before_names.clone();
    change(&mut names);
    if names == before_names {
        return Vec::new();
    }
    if names.is_empty() {
        return vec![Edit::Remove { pointer }];
    }
    vec![Edit::Set { pointer, value: Value::Array(names.into_iter().map(Value::String).collect()) }]
}

fn rename(schema: &Value, field: &Field, to: &str) -> Result<Vec<Edit>, Denied> {
    let owner = property(field)?;
    if to.is_empty() {
        return Err(Denied::NoName);
    }
    if to == field.name {
        return Ok(Vec::new());
    }
    if resolve(schema, &below(&below(owner, "properties"), to)).is_some() {
        return Err(Denied::Taken);
    }
    let mut edits = vec![Edit::Rename { pointer: field.place.clone(), to: to.to_owned() }];
    edits.extend(required(schema, owner, |names| {
        for name in names.iter_mut().filter(|name| **name == field.name) {
            to.clone_into(name);
        }
    }));
    Ok(edits)
}

fn add(schema: &Value, field: &Field, name: &str) -> Result<Vec<Edit>, Denied> {
    if !field.object {
        return Err(Denied::NoObject);
    }
    if name.is_empty() {
        return Err(Denied::NoName);
    }
    let properties = below(&field.target, "properties");
    let text: Value = std::iter::once(("type".to_owned(), Value::String("string".to_owned()))).collect();
    let mut edits = match resolve(schema, &properties).and_then(Value::as_object) {
        Some(members) if members.contains_key(name) => return Err(Denied::Taken),
        Some(_) => vec![Edit::Set { pointer: below(&properties, name), value: text }],
        None => {
            let members = std::iter::once((name.to_owned(), text)).collect();
            vec![Edit::Set { pointer: properties, value: Value::Object(members) }]
        }
    };
    edits.extend(required(schema, &field.target, |names| names.push(name.to_owned())));
    Ok(edits)
}
