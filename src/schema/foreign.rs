//! What was handed over when it is no schema, and which part of it is one: documents and payloads of other tools, a
//! value, a dump of another language.
//!
//! Recognises by keys and kinds only. A part is taken as it stands, with what it refers to brought along; the only things
//! changed are those that another tool's dialect writes differently (`nullable`, upper-case types). Judges nothing: the
//! part goes through preflight like any text. Meant for what preflight refused.

mod part;
mod python;
mod slots;
mod source_code;

pub(in crate::schema) use slots::schema_below;

use super::error::{Reason, SchemaError};
use super::infer::infer;
use super::preflight;
use super::source::{self, Document, Form, Keys};
use crate::json::{self, Map, ParseLimits, Value, push_token, resolve};

/// Parts that are offered at most.
pub const MAX_OFFERS: usize = 500;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    OpenApi,
    Swagger,
    /// A request or a part of one, with a schema in the place of its provider.
    Payload,
    /// A list of tools, or one.
    Tools,
    /// Upper-case types: Gemini's own dialect.
    Gemini,
    PropertyMap,
    /// JSON text in a JSON text.
    Encoded,
    /// A Python dict as `print` shows it.
    PythonDict,
    /// Definitions without a root.
    Definitions,
    /// Only a value.
    Instance,
    TypeScript,
    Pydantic,
    Zod,
}

impl What {
    /// `an OpenAPI document`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenApi => "an OpenAPI document",
            Self::Swagger => "a Swagger 2 document",
            Self::Payload => "a request of a provider's API with a schema in it",
            Self::Tools => "a tool definition",
            Self::Gemini => "a schema in the dialect of the Gemini API (upper-case types)",
            Self::PropertyMap => "a map of properties without a schema around it",
            Self::Encoded => "a schema written as a text",
            Self::PythonDict => "a Python dict, not JSON",
            Self::Definitions => "a set of definitions without a root",
            Self::Instance => "a value, not a schema",
            Self::TypeScript => "TypeScript source",
            Self::Pydantic => "Python source with a Pydantic model",
            Self::Zod => "source with a Zod schema",
        }
    }

    /// What to run instead, for sources of other languages.
    #[must_use]
    pub fn advice(self) -> Option<&'static str> {
        match self {
            Self::TypeScript => Some("npx ts-json-schema-generator --path FILE --type NAME > schema.json"),
            Self::Pydantic => Some(
                "python -c 'import json, MODULE; print(json.dumps(MODULE.NAME.model_json_schema()))' > schema.json",
            ),
            Self::Zod => Some("in JavaScript: JSON.stringify(z.toJSONSchema(SCHEMA)) (Zod 4)"),
            Self::OpenApi
            | Self::Swagger
            | Self::Payload
            | Self::Tools
            | Self::Gemini
            | Self::PropertyMap
            | Self::Encoded
            | Self::PythonDict
            | Self::Definitions
            | Self::Instance => None,
        }
    }
}

/// A document that is no schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    pub what: What,
    pub offers: Vec<Offer>,
    /// More parts than are offered.
    pub cut: bool,
    /// The document the offers point into; for a text that was no JSON, what it was read as.
    document: Value,
}

/// One part that can be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// How a person names it: `Pet`, `POST /pets request`, `inferred`.
    pub label: String,
    /// Where it stands in the document; empty for the whole.
    pub pointer: String,
    how: How,
}

/// How an offer becomes a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Part,
    Wrapped,
    Inferred,
}

/// Recognises a parsed document.
#[must_use]
pub fn recognise(document: &Value) -> Option<Foreign> {
    match document {
        Value::Object(members) => object(document, members).or_else(|| instance(document)),
        Value::Array(_) => slots::found(document).or_else(|| instance(document)),
        Value::String(text) => encoded(text).or_else(|| instance(document)),
        Value::Null | Value::Bool(_) => None,
        Value::Number(_) => instance(document),
    }
}

/// Recognises a text that no reader takes: a Python dict, or source of another language.
#[must_use]
pub fn recognise_text(text: &str) -> Option<Foreign> {
    if let Some(value) = python::dict(text) {
        // A schema, or whatever else the dict holds.
        let inner = recognise(&value).filter(|found| found.what != What::Instance);
        return Some(inner.unwrap_or_else(|| Foreign::of(What::PythonDict, value, vec![whole("dict", How::Part)])));
    }
    let (what, models) = source_code::recognise(text)?;
    let offers = models.keys().map(|name| {
        let mut pointer = String::new();
        push_token(&mut pointer, name);
        Offer { label: name.clone(), pointer, how: How::Part }
    });
    let offers = offers.collect();
    Some(Foreign::of(what, Value::Object(models), offers))
}

/// What a text is, whatever preflight says of it; with the document its parts stand in, if it could be read.
#[must_use]
pub fn of_text(text: &str, form: Form) -> Option<(Foreign, Option<Document>)> {
    let keys = |keys| source::read_with(text, form, preflight::TEXT_LIMITS, keys).ok();
    // An `OpenAPI` document in YAML has numbers as keys.
    let document = keys(Keys::Texts).or_else(|| keys(Keys::AsWritten).filter(|_| form == Form::Yaml));
    match document {
        Some(document) => recognise(&document.value).map(|found| (found, Some(document))),
        None => recognise_text(text).map(|found| (found, None)),
    }
}

/// As [`of_text`] for a text that preflight refused: a mistake within a schema is a mistake, and only what is no schema at
/// all is asked what it is.
#[must_use]
pub fn refused(text: &str, form: Form, errors: &[SchemaError]) -> Option<(Foreign, Option<Document>)> {
    let doubt = errors.iter().filter_map(doubt).max()?;
    of_text(text, form).filter(|(found, _)| match doubt {
        Doubt::Dialect => found.what == What::Gemini,
        Doubt::Size => matches!(found.what, What::OpenApi | What::Swagger | What::Tools),
        Doubt::Kind => true,
    })
}

/// What a refusal leaves open, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// A type that no draft knows.
    Dialect,
    /// Past a limit, as documents of other tools often are.
    Size,
    /// No schema at all.
    Kind,
}

fn doubt(error: &SchemaError) -> Option<Doubt> {
    match error.reason {
        Reason::NotJson | Reason::WrongShape | Reason::Envelope => Some(Doubt::Kind),
        Reason::LimitBytes | Reason::LimitNodes | Reason::LimitEdges => Some(Doubt::Size),
        Reason::MetaSchema => (error.path == "/type").then_some(Doubt::Dialect),
        Reason::LimitDepth
        | Reason::UnknownDialect
        | Reason::RemoteReference
        | Reason::DanglingReference
        | Reason::DuplicateAnchor
        | Reason::ReferenceCycle
        | Reason::TooExpensive
        | Reason::Pattern => None,
    }
}

/// Takes any part of any document by its pointer, with what it refers to.
#[must_use]
pub fn take(document: &Value, pointer: &str) -> Option<Value> {
    resolve(document, pointer).filter(|value| value.is_object())?;
    Some(part::taken(document, pointer))
}

impl Foreign {
    fn of(what: What, document: Value, mut offers: Vec<Offer>) -> Self {
        let cut = offers.len() > MAX_OFFERS;
        offers.truncate(MAX_OFFERS);
        Self { what, offers, cut, document }
    }

    /// The offer a name or pointer means: the pointer itself, a label, or the last token of one pointer only.
    #[must_use]
    pub fn find(&self, wanted: &str) -> Option<&Offer> {
        let by = |is: &dyn Fn(&Offer) -> bool| {
            let mut found = self.offers.iter().filter(|offer| is(offer));
            found.next().filter(|_| found.next().is_none())
        };
        let last = |offer: &Offer| offer.pointer.rsplit_once('/').is_some_and(|(_, token)| token == wanted);
        by(&|offer| offer.pointer == wanted)
            .or_else(|| by(&|offer| offer.label == wanted))
            .or_else(|| by(&|offer| offer.label.eq_ignore_ascii_case(wanted)))
            .or_else(|| by(&last))
    }

    /// The schema of an offer.
    #[must_use]
    pub fn schema(&self, offer: &Offer) -> Value {
        match offer.how {
            How::Part => part::taken(&self.document, &offer.pointer),
            How::Wrapped => wrapped(&self.document),
            How::Inferred => infer(std::slice::from_ref(&self.document)).unwrap_or(Value::Null),
        }
    }
}

fn whole(label: &str, how: How) -> Offer {
    Offer { label: label.to_owned(), pointer: String::new(), how }
}

fn object(document: &Value, members: &Map<String, Value>) -> Option<Foreign> {
    let text = |key: &str| members.get(key).is_some_and(Value::is_string);
    if text("openapi") {
        return Some(Foreign::of(What::OpenApi, document.clone(), slots::openapi(document)));
    }
    if text("swagger") {
        return Some(Foreign::of(What::Swagger, document.clone(), slots::openapi(document)));
    }
    if part::is_shouted(document) {
        return Some(Foreign::of(What::Gemini, document.clone(), vec![whole("schema", How::Part)]));
    }
    slots::found(document).or_else(|| definitions(document, members)).or_else(|| property_map(document, members))
}

/// Only definitions: one of them is meant.
fn definitions(document: &Value, members: &Map<String, Value>) -> Option<Foreign> {
    let roots = ["$defs", "definitions"];
    let only = |key: &String| {
        roots.contains(&key.as_str()) || ["$schema", "$id", "title", "description", "$comment"].contains(&key.as_str())
    };
    if !members.keys().all(only) {
        return None;
    }
    let mut offers = Vec::new();
    for root in roots {
        let found = members.get(root).and_then(Value::as_object).into_iter().flatten();
        for (name, _) in found.filter(|(_, value)| value.is_object()) {
            let mut pointer = format!("/{root}");
            push_token(&mut pointer, name);
            offers.push(Offer { label: name.clone(), pointer, how: How::Part });
        }
    }
    (!offers.is_empty()).then(|| Foreign::of(What::Definitions, document.clone(), offers))
}

fn property_map(document: &Value, members: &Map<String, Value>) -> Option<Foreign> {
    let is_map = !members.is_empty() && members.values().all(part::is_schema_like);
    is_map.then(|| Foreign::of(What::PropertyMap, document.clone(), vec![whole("wrapped", How::Wrapped)]))
}

/// The object whose properties these are; each is required, as most providers want it.
fn wrapped(properties: &Value) -> Value {
    let names = properties.as_object().into_iter().flatten().map(|(name, _)| Value::from(name.as_str()));
    let required: Vec<Value> = names.collect();
    Value::Object(Map::from_iter([
        ("type".to_owned(), Value::from("object")),
        ("properties".to_owned(), part::taken(properties, "")),
        ("required".to_owned(), Value::Array(required)),
        ("additionalProperties".to_owned(), Value::Bool(false)),
    ]))
}

/// A text that holds a JSON object.
fn encoded(text: &str) -> Option<Foreign> {
    let inner = json::parse(text, ParseLimits::default()).ok().filter(Value::is_object)?;
    let found = recognise(&inner).filter(|found| found.what != What::Instance);
    Some(found.unwrap_or_else(|| Foreign::of(What::Encoded, inner, vec![whole("decoded", How::Part)])))
}

fn instance(document: &Value) -> Option<Foreign> {
    infer(std::slice::from_ref(document)).ok()?;
    Some(Foreign::of(What::Instance, document.clone(), vec![whole("inferred", How::Inferred)]))
}

#[cfg(test)]
mod tests;
