//! The response format: a bare schema or an envelope, told apart, normalised once, never changed afterwards (ENGINE §1).
//!
//! Refuses to guess: what looks like something else is refused with a sentence that says what it is.

mod shape;

use serde::Serialize;

use super::{Reason, SchemaError};
use crate::json::{self, Map, Value, push_token};

pub(crate) use shape::looks_like_envelope;

/// What a run may do when the native route is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    #[default]
    Auto,
    None,
    Prompt,
}

impl Fallback {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "none" => Some(Self::None),
            "prompt" => Some(Self::Prompt),
            _ => None,
        }
    }
}

/// A normalised response format. Made by `preflight::check` only.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseFormat {
    pub schema: Value,
    pub name: String,
    pub description: Option<String>,
    pub strict: bool,
    pub fallback: Fallback,
    /// 0 or 1.
    pub max_validation_retries: u8,
    /// SHA-256 of the canonical schema, lower-case hex.
    pub schema_hash: String,
}

const FIELDS: [&str; 7] = ["type", "schema", "name", "description", "strict", "fallback", "max_validation_retries"];
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 4_096;

/// An envelope is an object whose `type` is exactly `"json_schema"`.
pub(crate) fn is_envelope(document: &Value) -> bool {
    document.get("type").and_then(Value::as_str) == Some("json_schema")
}

fn refuse(field: &str, message: impl Into<String>) -> SchemaError {
    let mut path = String::new();
    if !field.is_empty() {
        push_token(&mut path, field);
    }
    SchemaError { reason: Reason::Envelope, path, position: None, message: message.into() }
}

/// Checks the document's outer shape: envelope fields, or that a bare schema is a schema at all.
pub(crate) fn check_shape(document: &Value) -> Result<(), Vec<SchemaError>> {
    let Some(object) = document.as_object() else { return Err(vec![shape::not_an_object(document)]) };
    if !is_envelope(document) {
        return shape::check(object).map_err(|e| vec![e]);
    }
    check_envelope(object).map_err(|e| vec![e])?;
    match object.get("schema") {
        Some(Value::Object(inner)) => shape::check(inner).map_err(|mut e| {
            e.path.insert_str(0, "/schema");
            vec![e]
        }),
        Some(_) => Err(vec![refuse(
            "schema",
            "`schema` must be an object (true, false and other values are no answer format)",
        )]),
        None => Err(vec![refuse("", "the envelope has no `schema`: put the JSON Schema under that key")]),
    }
}

fn check_envelope(object: &Map<String, Value>) -> Result<(), SchemaError> {
    if object.contains_key("json_schema") {
        let mut error = refuse("json_schema", shape::OPENAI_RESPONSE_FORMAT);
        error.reason = Reason::WrongShape;
        return Err(error);
    }
    let mut unknown: Vec<&String> = object.keys().filter(|k| !FIELDS.contains(&k.as_str())).collect();
    unknown.sort();
    if let Some(first) = unknown.first() {
        let message = format!("an envelope has only the fields {}; remove this one", FIELDS.join(", "));
        return Err(refuse(first, message));
    }
    let check = |field: &str, ok: fn(&Value) -> bool, message: &str| match object.get(field) {
        Some(value) if !ok(value) => Err(refuse(field, message)),
        _ => Ok(()),
    };
    check(
        "name",
        name_ok,
        "`name` must be a text of 1 to 64 letters, digits, `_` or `-` that starts with a letter or `_`",
    )?;
    check("description", description_ok, "`description` must be null or a text of at most 4,096 bytes")?;
    check("strict", Value::is_boolean, "`strict` must be true or false")?;
    check(
        "fallback",
        |v| v.as_str().and_then(Fallback::from_word).is_some(),
        "`fallback` must be \"auto\", \"none\" or \"prompt\"",
    )?;
    check("max_validation_retries", |v| retries(v).is_some(), "`max_validation_retries` must be the integer 0 or 1")
}

fn name_ok(value: &Value) -> bool {
    let Some(name) = value.as_str() else { return false };
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && name.len() <= MAX_NAME && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn description_ok(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|t| t.len() <= MAX_DESCRIPTION)
}

fn retries(value: &Value) -> Option<u8> {
    match value.as_number()?.to_string().as_str() {
        "0" => Some(0),
        "1" => Some(1),
        _ => None,
    }
}

/// Reads a checked document; absent fields get their defaults.
pub(crate) fn read(document: &Value, schema: &Value) -> ResponseFormat {
    let field = |name: &str| if is_envelope(document) { document.get(name) } else { None };
    ResponseFormat {
        schema: schema.clone(),
        name: field("name").and_then(Value::as_str).unwrap_or("response").to_owned(),
        description: field("description").and_then(Value::as_str).map(str::to_owned),
        strict: field("strict").and_then(Value::as_bool).unwrap_or(true),
        fallback: field("fallback").and_then(Value::as_str).and_then(Fallback::from_word).unwrap_or_default(),
        max_validation_retries: field("max_validation_retries").and_then(retries).unwrap_or(1),
        schema_hash: json::sha256_hex(&json::canonical(schema)),
    }
}
