//! Everything that is checked before a provider is called (ENGINE §2). Never touches network or files.
//!
//! Order: depth, canonical bytes, containers and edges, envelope fields, `$schema`, meta-schema, patterns, references,
//! cycles and fan-out. The first stage that fails ends the check.

mod limits;
mod meta;
mod patterns;
mod warnings;

use serde::Serialize;

use super::error::{Dialect, MAX_ERRORS, Reason, SchemaError, unknown_dialect};
use super::source::{self, Document, Form};
use super::{ResponseFormat, cost, format, references};
use crate::json::{self, Hint, ParseError, ParseLimits, Position, Value};

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
    check_source(text, Form::Json)
}

/// As [`check_text`] for a text in any form: lines and columns are those of the text.
///
/// # Errors
/// As [`check_text`].
pub fn check_source(text: &str, form: Form) -> Result<Checked, Vec<SchemaError>> {
    let document = source::read(text, form, TEXT_LIMITS).map_err(|e| vec![unreadable(e)])?;
    check_part(&document.value, "", |path| mark(text, &document, path))
}

/// Checks a value that was taken out of a document; `place` finds the position a pointer below `base` has in the text.
///
/// # Errors
/// As [`check`].
pub fn check_part(
    value: &Value,
    base: &str,
    place: impl Fn(&str) -> Option<Position>,
) -> Result<Checked, Vec<SchemaError>> {
    let put = |error: &mut SchemaError| error.position = place(&format!("{base}{}", error.path));
    match check(value) {
        Ok(mut checked) => {
            checked.warnings.iter_mut().for_each(put);
            Ok(checked)
        }
        Err(mut errors) => {
            errors.iter_mut().for_each(put);
            Err(errors)
        }
    }
}

/// Line and column a pointer's mark has in the text of a document.
#[must_use]
pub fn mark(text: &str, document: &Document, path: &str) -> Option<Position> {
    document.mark(text, path).map(|span| json::position(text, span.start))
}

/// Source text may be indented: eight times the canonical limit. Deeper or longer text is past a schema limit anyhow.
pub(crate) const TEXT_LIMITS: ParseLimits = ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 };

/// The refusal a text that cannot be read gets.
#[must_use]
pub fn unreadable(error: ParseError) -> SchemaError {
    let reason = match error.hint {
        Hint::TooDeep => Reason::LimitDepth,
        Hint::TooLarge => Reason::LimitBytes,
        _ => Reason::NotJson,
    };
    let message = format!("{} ({})", error.message, error.hint.code());
    SchemaError { reason, path: error.path.unwrap_or_default(), position: Some(error.position), message }
}

fn dialect(schema: &Value) -> Result<Dialect, SchemaError> {
    let Some(named) = schema.get("$schema") else { return Ok(Dialect::Draft202012) };
    let found = named.as_str().and_then(Dialect::from_uri);
    found.ok_or_else(|| unknown_dialect("/$schema".to_owned()))
}
