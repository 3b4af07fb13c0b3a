//! What preflight says of a schema it refuses, and the drafts it knows. Values only.

use serde::Serialize;

use crate::json::Position;

/// At most this many errors are reported at once.
pub(crate) const MAX_ERRORS: usize = 20;

/// Why a schema is refused; stable codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The text cannot be read in its form (position and hint are in the message).
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

/// The error for a `$schema` that names no draft; also for an embedded resource.
pub(crate) fn unknown_dialect(path: String) -> SchemaError {
    let drafts = DIALECTS.map(|(_, uri)| uri).join(", ");
    let message = format!("`$schema` must name one of {drafts}; leave it out for 2020-12");
    SchemaError { reason: Reason::UnknownDialect, path, position: None, message }
}
