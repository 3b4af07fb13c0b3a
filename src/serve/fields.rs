//! The members of a request, taken one by one: what nobody took is refused by its name, what has the wrong type too.

use crate::json::{Map, Value};

/// What is wrong with a request. Names fields, never their values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct BadRequest {
    pub(super) field: String,
    pub(super) message: String,
}

/// A longer name is no field of anything; it is cut.
const MAX_NAME: usize = 64;

impl BadRequest {
    pub(super) fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.chars().take(MAX_NAME).collect(), message: message.into() }
    }
}

/// The members that are left.
pub(super) struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn of(value: Value) -> Result<Self, BadRequest> {
        match value {
            Value::Object(left) => Ok(Self { left, known: Vec::new() }),
            _ => Err(BadRequest::new("", "the request must be a JSON object")),
        }
    }

    /// Takes a member; `null` stands for none.
    pub(super) fn any(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.shift_remove(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<String>, BadRequest> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(BadRequest::new(name, format!("`{name}` must be a text"))),
        }
    }

    pub(super) fn whole(&mut self, name: &'static str, most: u64) -> Result<Option<u64>, BadRequest> {
        let wrong = || BadRequest::new(name, format!("`{name}` must be a whole number from 0 to {most}"));
        match self.any(name) {
            None => Ok(None),
            Some(value) => value.as_u64().filter(|number| *number <= most).map(Some).ok_or_else(wrong),
        }
    }

    pub(super) fn word<T>(
        &mut self,
        name: &'static str,
        of: impl Fn(&str) -> Option<T>,
        words: &str,
    ) -> Result<Option<T>, BadRequest> {
        let wrong = || BadRequest::new(name, format!("`{name}` must be one of {words}"));
        match self.any(name) {
            None => Ok(None),
            Some(value) => value.as_str().and_then(of).map(Some).ok_or_else(wrong),
        }
    }

    /// Nothing may be left.
    pub(super) fn done(self) -> Result<(), BadRequest> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => {
                let name: String = unknown.chars().take(MAX_NAME).collect();
                let message = format!("unknown field `{name}`; known are {}", self.known.join(", "));
                Err(BadRequest::new(unknown, message))
            }
        }
    }
}
