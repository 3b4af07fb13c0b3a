//! Tells a schema from other things people hand over by mistake. Looks at keys and kinds only, never quotes values.

use crate::json::{Map, Value};
use crate::schema::keywords::{self, Shape};
use crate::schema::{Reason, SchemaError};

pub(super) const OPENAI_RESPONSE_FORMAT: &str = "this is OpenAI's own `response_format`: hand over the schema inside \
     `json_schema.schema`, or an envelope {\"type\":\"json_schema\",\"schema\":…}";

fn wrong(path: &str, message: &str) -> SchemaError {
    SchemaError { reason: Reason::WrongShape, path: path.to_owned(), position: None, message: message.to_owned() }
}

/// The error for a root that is no object.
pub(super) fn not_an_object(document: &Value) -> SchemaError {
    let message = match document {
        Value::Null => "this is null, not a schema: a JSON Schema is an object such as {\"type\":\"object\",…}",
        Value::Bool(true) => {
            "`true` accepts everything and describes no answer: write an object such as {\"type\":\"object\",…}"
        }
        Value::Bool(false) => {
            "`false` accepts nothing, so no answer could ever pass: write an object such as {\"type\":\"object\",…}"
        }
        Value::Number(_) => {
            "this is a number, not a schema: a JSON Schema is an object such as {\"type\":\"object\",…}"
        }
        Value::String(_) => {
            "this is a text, not a schema: if it holds a schema as JSON text, hand over the object itself"
        }
        Value::Array(_) => "this is a list, not a schema: for a list answer write {\"type\":\"array\",\"items\":{…}}",
        Value::Object(_) => "this is no schema",
    };
    wrong("", message)
}

/// Says no keyword of its own about the instance; a plain value often has keys of these names.
const NEUTRAL: [&str; 12] = [
    "title",
    "description",
    "default",
    "examples",
    "format",
    "id",
    "deprecated",
    "readOnly",
    "writeOnly",
    "extends",
    "contentEncoding",
    "contentMediaType",
];

fn is_keyword(name: &str) -> bool {
    name != "extends" && keywords::find(name).is_some()
}

fn assertive(name: &str) -> bool {
    !NEUTRAL.contains(&name) && is_keyword(name)
}

fn is_object(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).is_some_and(Value::is_object)
}

/// Refuses a root object that is something else than a schema.
pub(super) fn check(object: &Map<String, Value>) -> Result<(), SchemaError> {
    if object.is_empty() {
        return Ok(());
    }
    foreign(object)?;
    if let Some(key) = collided_property(object) {
        return Err(wrong(&format!("/{key}"), PROPERTY_MAP));
    }
    let schema_like = object.keys().any(|k| assertive(k));
    let strange = object.keys().any(|k| !is_keyword(k) && !k.starts_with("x-"));
    let known = object.keys().any(|k| is_keyword(k));
    if schema_like && strange && accidental(object) {
        return Err(wrong("", ACCIDENTAL));
    }
    if schema_like || (known && !strange) {
        return Ok(());
    }
    Err(wrong("", if is_property_map(object) { PROPERTY_MAP } else { VALUE }))
}

/// Every keyword that says something holds what no draft allows there: beside strange keys, a value with keys such as
/// `type` or `items` by accident (`{"type":"dog","name":"Rex"}`).
fn accidental(object: &Map<String, Value>) -> bool {
    object.iter().filter(|(k, _)| assertive(k)).all(|(k, v)| !plausible(k, v))
}

/// Could a person have meant this as the keyword?
fn plausible(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type" => match value {
            Value::String(word) => TYPE_WORDS.contains(&word.to_ascii_lowercase().as_str()),
            Value::Array(list) => list.iter().all(Value::is_string),
            _ => false,
        },
        "items" => schema_object(value) || value.as_array().is_some_and(|l| l.iter().any(schema_object)),
        _ => true,
    }
}

const PROPERTY_MAP: &str =
    "this is a map of properties, not a schema: wrap it as {\"type\":\"object\",\"properties\":{…}}";
const ACCIDENTAL: &str = "`type` or `items` does not hold here what a schema has there, and the other keys are no \
     keywords: it looks like a value rather than a schema; describe it with `type`, `properties`, `items`, `enum` and \
     so on";
const VALUE: &str = "no JSON Schema keyword here, so this would accept anything: it looks like a value rather than a \
     schema; describe it with `type`, `properties`, `items`, `enum` and so on";

/// Payloads of providers and documents that hold schemas somewhere inside.
fn foreign(object: &Map<String, Value>) -> Result<(), SchemaError> {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let schema_like = object.keys().any(|k| assertive(k) && k != "type");
    match text("type") {
        Some("json_object") => {
            return Err(wrong(
                "/type",
                "`json_object` is a provider's mode switch, not a schema: write a JSON Schema such as {\"type\":\"object\",…}",
            ));
        }
        Some("function") => return Err(wrong("", TOOL)),
        _ => {}
    }
    for key in ["openapi", "swagger"] {
        if text(key).is_some() {
            return Err(wrong(
                &format!("/{key}"),
                "this is an OpenAPI document: hand over one schema out of `components.schemas` (or `definitions`)",
            ));
        }
    }
    if schema_like {
        return Ok(());
    }
    for (key, message) in PAYLOADS {
        if is_object(object, key) {
            return Err(wrong(&format!("/{key}"), message));
        }
    }
    if object.contains_key("type") {
        return Ok(());
    }
    if is_object(object, "schema") {
        return Err(wrong(
            "",
            "this looks like an envelope without its marker: add \"type\":\"json_schema\", or hand over what is under `schema` alone",
        ));
    }
    Ok(())
}

const TOOL: &str = "this is a tool definition, not a schema: hand over what is under `parameters` alone";
const PAYLOADS: [(&str, &str); 9] = [
    ("json_schema", OPENAI_RESPONSE_FORMAT),
    ("response_format", "this is a request with a `response_format`: hand over the schema inside it alone"),
    (
        "input_schema",
        "this is a tool definition (`input_schema`), not a schema: hand over what is under `input_schema` alone",
    ),
    (
        "inputSchema",
        "this is a tool definition (`inputSchema`), not a schema: hand over what is under `inputSchema` alone",
    ),
    ("parameters", TOOL),
    ("function", TOOL),
    ("responseSchema", "this is a request with a `responseSchema`: hand over what is under that key alone"),
    ("generationConfig", "this is a request of the Gemini API: hand over the schema inside it alone"),
    ("output_config", "this is a request with an `output_config`: hand over the schema inside it alone"),
];

/// True when a schema has its real content under an unknown `schema` key: legal, accepts more than it looks.
pub(crate) fn looks_like_envelope(object: &Map<String, Value>) -> bool {
    let inner = object.get("schema").and_then(Value::as_object);
    let content = ["properties", "items", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"];
    inner.is_some_and(|i| i.keys().any(|k| assertive(k))) && !object.keys().any(|k| content.contains(&k.as_str()))
}

fn schema_object(value: &Value) -> bool {
    value.as_object().is_some_and(|o| o.keys().any(|k| assertive(k)))
}

/// A key that is a plain keyword by accident (`type`, `title`, …) and holds a schema: a property map.
fn collided_property(object: &Map<String, Value>) -> Option<&String> {
    if !object.values().all(schema_object) {
        return None;
    }
    let plain = |k: &str| {
        keywords::find(k).is_some_and(|w| w.shape == Shape::Plain) && !["const", "default", "enum"].contains(&k)
    };
    object.keys().find(|k| plain(k))
}

const TYPE_WORDS: [&str; 14] = [
    "string", "number", "integer", "boolean", "array", "object", "null", "float", "int", "str", "bool", "any", "list",
    "dict",
];

fn is_property_map(object: &Map<String, Value>) -> bool {
    let type_word = |v: &Value| {
        let words = v.as_str().map(|t| t.trim_end_matches("[]").split('|').all(|w| TYPE_WORDS.contains(&w.trim())));
        words == Some(true)
    };
    let member = |v: &Value| schema_object(v) || type_word(v);
    object.values().all(member)
}
