//! The outline of the schema as the screen keeps it, and the field whose form is open.

use std::sync::Arc;

use crate::json::Value;
use crate::schema::outline::Field;

/// The fields of one text.
#[derive(Debug, Clone)]
pub struct Outlined {
    /// The check whose text they are of.
    pub generation: u64,
    /// Where the schema stands in the document.
    pub below: &'static str,
    pub schema: Arc<Value>,
    pub fields: Arc<Vec<Field>>,
}

/// The field of an open form; it is found again by its place when the text changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormOf {
    pub place: String,
    pub name: String,
}

/// A row of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormRow {
    Keyword(&'static str),
    Required,
    Rename,
    Remove,
    Add,
    /// To the text.
    Text,
}

impl Outlined {
    /// The field at a place.
    #[must_use]
    pub fn field(&self, place: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.place == place)
    }
}
