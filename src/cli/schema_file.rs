//! A schema from the command line: read, named in every message, checked before anything else happens.

use super::failure::{self, Failure};
use super::input::{MAX_SCHEMA, Source};
use crate::event::ErrorCode;
use crate::json::{self, Value};
use crate::schema::Checked;
use crate::schema::{SchemaError, preflight};

/// A schema's text and what messages call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads a schema file or standard input.
pub(super) fn load(source: &Source) -> Result<Loaded, Failure> {
    let text = source.text(MAX_SCHEMA, ErrorCode::InvalidSchema)?;
    Ok(Loaded::new(source.name(), text))
}

impl Loaded {
    pub(super) fn new(name: String, text: String) -> Self {
        Self { name, text }
    }

    /// The verdict of preflight.
    pub(super) fn verdict(&self) -> Result<Checked, Vec<SchemaError>> {
        preflight::check_text(&self.text)
    }

    /// The document as it was written.
    pub(super) fn document(&self) -> Result<Value, Failure> {
        json::parse(&self.text, preflight::TEXT_LIMITS)
            .map_err(|_| Failure::new(ErrorCode::InvalidSchema, format!("{} is not JSON", self.name)))
    }

    /// As [`Self::verdict`], as an error for a person.
    pub(super) fn check(&self) -> Result<Checked, Failure> {
        self.verdict().map_err(|errors| failure::of_schema(&self.name, &errors))
    }
}
