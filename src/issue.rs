//! One violation of the schema, and the bounded list that travels in events, errors and repair requests.
//!
//! Does not decide what is a violation (`schema::validate` does) and never holds a value of the candidate.

use serde::Serialize;

/// At most this many issues are kept; the rest is counted (ENGINE §5).
pub const MAX_ISSUES: usize = 20;
/// An issue's message is at most this many characters (ENGINE §5).
pub const MAX_MESSAGE: usize = 500;

/// One violation. Both paths are RFC 6901 pointers that resolve: `path` in the candidate, `schema_path` in the
/// schema as the user wrote it (through `$ref`: `/$defs/s/type`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Stable code: `schema_violation`, `number_precision`, `too_expensive`, …
    pub code: &'static str,
    /// RFC 6901 pointer into the candidate; `""` is the root.
    pub path: String,
    /// RFC 6901 pointer into the schema.
    pub schema_path: String,
    /// Names the keyword and the expected constraint, never the candidate's value; ≤ [`MAX_MESSAGE`] characters.
    pub message: String,
    /// The schema keyword that was violated.
    pub keyword: String,
}

/// A bounded, ordered list of issues and the count of those left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Issues {
    /// In order of instance path (indexes as numbers), schema path, message; at most [`MAX_ISSUES`].
    pub list: Vec<Issue>,
    /// How many more there are.
    pub omitted: usize,
}

/// A text of at most `most` characters; a cut is marked.
pub(crate) fn bounded(text: String, most: usize) -> String {
    if text.len() <= most || text.chars().count() <= most {
        return text;
    }
    text.chars().take(most.saturating_sub(1)).chain(std::iter::once('…')).collect()
}
