//! Everything that is checked before a provider is called (ENGINE §2). Never touches network or files.
//!
//! Order: depth, canonical bytes, containers and edges, envelope fields, `$schema`, meta-schema, patterns, references,
//! cycles and fan-out. The first stage that fails ends the check.

mod limits;
mod meta;
mod patterns;
mod warnings;

use serde::Serialize;

use super::{ResponseFormat, cost, format, references};
use crate::json::{self, Hint, ParseError, ParseLimits, Part, Position, Value};

/// At most this many errors are reported at once.
pub(crate) const MAX_ERRORS: usize = 20;

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
    /// Something else was handed over: a value, an `OpenAPI` document, a provider's private payload, a bare property map.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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

const DIALECTS: [(Dialect, &str); 5] = [
    (Dialect::Draft4, "http://json-schema.org/draft-04/schema"),
    (Dialect::Draft6, "http://json-schema.org/draft-06/schema"),
    (Dialect::Draft7, "http://json-schema.org/draft-07/schema"),
    (Dialect::Draft201909, "https://json-schema.org/draft/2019-09/schema"),
    (Dialect::Draft202012, "https://json-schema.org/draft/2020-12/schema"),
];

impl Dialect {
    /// The dialect a `$schema` names; http and https and a trailing `#` make no difference.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        fn bare(uri: &str) -> &str {
            let uri = uri.strip_suffix('#').unwrap_or(uri);
            uri.strip_prefix("https:").or_else(|| uri.strip_prefix("http:")).unwrap_or(uri)
        }
        DIALECTS.iter().find(|(_, known)| bare(known) == bare(uri)).map(|(dialect, _)| *dialect)
    }

    /// The meta-schema's URI, without `#`.
    #[must_use]
    pub fn uri(self) -> &'static str {
        DIALECTS.iter().find(|(dialect, _)| *dialect == self).map_or("", |(_, uri)| uri)
    }
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
    let envelope = format::is_envelope(document);
    let inner = if envelope { document.get("schema").unwrap_or(document) } else { document };
    let prefix = if envelope && document.get("schema").is_some() { "/schema" } else { "" };
    let below = |mut errors: Vec<SchemaError>| {
        for error in &mut errors {
            error.path.insert_str(0, prefix);
        }
        errors
    };
    let counts = limits::check(inner).map_err(|e| below(vec![e]))?;
    format::check_shape(document)?;
    let dialect = dialect(inner).map_err(|e| below(vec![e]))?;
    meta::check(inner, dialect).map_err(below)?;
    let index = references::index(inner, dialect).map_err(below)?;
    patterns::check(&index).map_err(below)?;
    cost::check(&index).map_err(below)?;
    let warnings = below(warnings::find(&index));
    let format = format::read(document, inner);
    Ok(Checked { format, dialect, envelope, warnings, counts })
}

/// Checks source text: strict parse, then [`check`], with line and column in every error.
///
/// # Errors
/// As [`check`]; [`Reason::NotJson`] when the text is no JSON.
pub fn check_text(text: &str) -> Result<Checked, Vec<SchemaError>> {
    let document = json::parse(text, TEXT_LIMITS).map_err(|e| vec![not_json(e)])?;
    match check(&document) {
        Ok(mut checked) => {
            for warning in &mut checked.warnings {
                place(text, warning);
            }
            Ok(checked)
        }
        Err(mut errors) => {
            for error in &mut errors {
                place(text, error);
            }
            Err(errors)
        }
    }
}

/// Source text may be indented: eight times the canonical limit. Deeper or longer text is past a schema limit anyhow.
const TEXT_LIMITS: ParseLimits = ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 };

fn not_json(error: ParseError) -> SchemaError {
    let reason = match error.hint {
        Hint::TooDeep => Reason::LimitDepth,
        Hint::TooLarge => Reason::LimitBytes,
        _ => Reason::NotJson,
    };
    let message = format!("{} ({})", error.message, error.hint.code());
    SchemaError { reason, path: error.path.unwrap_or_default(), position: Some(error.position), message }
}

fn place(text: &str, error: &mut SchemaError) {
    let span = json::locate(text, &error.path, Part::Key).or_else(|| json::locate(text, &error.path, Part::Value));
    error.position = span.map(|s| json::position(text, s.start));
}

fn dialect(schema: &Value) -> Result<Dialect, SchemaError> {
    let Some(named) = schema.get("$schema") else { return Ok(Dialect::Draft202012) };
    let found = named.as_str().and_then(Dialect::from_uri);
    found.ok_or_else(|| unknown_dialect("/$schema".to_owned()))
}

/// The error for a `$schema` that names no draft; also for an embedded resource.
pub(crate) fn unknown_dialect(path: String) -> SchemaError {
    let drafts = DIALECTS.map(|(_, uri)| uri).join(", ");
    let message = format!("`$schema` must name one of {drafts}; leave it out for 2020-12");
    SchemaError { reason: Reason::UnknownDialect, path, position: None, message }
}
