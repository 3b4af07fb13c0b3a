//! Everything that is checked before a provider is called (ENGINE §2). Never touches network or files.

use serde::Serialize;

use super::ResponseFormat;
use crate::json::{Position, Value};

/// Why a schema is refused; stable codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The text is no JSON (position and hint are in the message).
    NotJson,
    LimitDepth,
    LimitBytes,
    LimitNodes,
    LimitEdges,
    /// Envelope fields or shape.
    Envelope,
    /// Something else was handed over: a value, an OpenAPI document, a provider's private payload, a bare property map.
    WrongShape,
    UnknownDialect,
    MetaSchema,
    RemoteReference,
    DanglingReference,
    DuplicateAnchor,
    ReferenceCycle,
    TooExpensive,
    Pattern,
}

/// One reason for refusal. Built from keywords and pointers, never from values of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    pub reason: Reason,
    /// RFC 6901 pointer into the document as given (in an envelope: `/schema/…`).
    pub path: String,
    /// Present when the source text was at hand.
    pub position: Option<Position>,
    /// What is wrong, and how to mend it.
    pub message: String,
}

/// The JSON Schema draft a schema is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Dialect {
    #[serde(rename = "draft-04")]
    Draft4,
    #[serde(rename = "draft-06")]
    Draft6,
    #[serde(rename = "draft-07")]
    Draft7,
    #[serde(rename = "2019-09")]
    Draft201909,
    #[serde(rename = "2020-12")]
    Draft202012,
}

/// A schema that passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    pub format: ResponseFormat,
    pub dialect: Dialect,
    /// True when the document was an envelope (paths into the document start with `/schema`).
    pub envelope: bool,
    /// Things that are legal but worth saying (`{}` accepts anything, …).
    pub warnings: Vec<SchemaError>,
    pub counts: Counts,
}

/// Size of a schema against the limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub canonical_bytes: usize,
    pub containers: usize,
    pub edges: usize,
    pub depth: usize,
}

/// Checks a parsed document.
///
/// # Errors
/// All failures of the first failing stage (limits give one; references, meta-schema may give several), never empty.
pub fn check(document: &Value) -> Result<Checked, Vec<SchemaError>> {
    let _ = document;
    todo!()
}

/// Checks source text: strict parse, then [`check`], with line and column in every error.
///
/// # Errors
/// As [`check`]; [`Reason::NotJson`] when the text is no JSON.
pub fn check_text(text: &str) -> Result<Checked, Vec<SchemaError>> {
    let _ = text;
    todo!()
}
