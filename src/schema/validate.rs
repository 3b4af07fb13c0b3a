//! Judging a candidate: strict parse, then validation against the original schema, bounded in time and memory.

use super::ResponseFormat;
use crate::issue::Issues;
use crate::json::{ParseError, ParseLimits, Value};

/// A compiled schema, ready to judge. Cheap to share, `Send + Sync`.
#[derive(Clone)]
pub struct Judge {
    _p: (),
}

/// What [`Judge::judge`] says.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    Valid { value: Value, canonical: String },
    NotJson(ParseError),
    Invalid(Issues),
}

/// How candidates are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeOptions {
    pub limits: ParseLimits,
    /// Assert `format` (ENGINE §2: off unless the caller asks).
    pub assert_format: bool,
}

/// Compiles the schema of a checked format.
///
/// # Errors
/// What the compiler refuses that preflight let through (should be nothing).
pub fn judge(format: &ResponseFormat, options: JudgeOptions) -> Result<Judge, super::SchemaError> {
    let _ = (format, options);
    todo!()
}

impl Judge {
    /// Parses and validates one candidate text. Runs long on large ones: call it off the loop.
    #[must_use]
    pub fn judge(&self, text: &str) -> Judgement {
        let _ = text;
        todo!()
    }

    /// Validates a value that was parsed already.
    #[must_use]
    pub fn validate(&self, value: &Value) -> Issues {
        let _ = value;
        todo!()
    }
}
