//! Functions: what prototyping yields, saved as one readable file (ENGINE §11): a prompt template with variables, a
//! response format, a model and options.
//!
//! Reads the files, fills the templates, says what is broken with line and column. Runs nothing; a template reads neither
//! files nor environment.

mod fill;
mod front;
mod sections;
mod shelf;
mod write;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::json::{Map, Position, Value};
use crate::schema::project::Level;
use crate::schema::source::Form;
use crate::schema::{Checked, Fallback, ResponseFormat};

pub use self::fill::{Filled, Given};
pub use self::shelf::{Missing, Shelf};
pub use self::write::Draft;

/// A function, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub name: String,
    pub file: PathBuf,
    /// What it is for, in one line.
    pub about: Option<String>,
    /// In the order of the file.
    pub vars: Vec<Var>,
    pub model: Option<String>,
    pub settings: Settings,
    system: Option<Template>,
    prompt: Template,
    pub schema: Option<Schema>,
}

/// Options of its runs; what is absent is left to flags and configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    pub fallback: Option<Fallback>,
    pub level: Option<Level>,
    pub max_retries: Option<u32>,
    /// 0 or 1.
    pub max_validation_retries: Option<u8>,
    pub max_iterations: Option<u32>,
    pub timeout_seconds: Option<u64>,
}

/// A variable of the template.
#[derive(Debug, Clone, PartialEq)]
pub struct Var {
    pub name: String,
    pub kind: Kind,
    pub about: Option<String>,
    /// Without one it must be given.
    pub default: Option<Value>,
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Text,
    Number,
    Flag,
    List,
    Object,
}

impl Kind {
    /// Every kind, by its word in the file.
    pub const ALL: [Self; 5] = [Self::Text, Self::Number, Self::Flag, Self::List, Self::Object];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Flag => "flag",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// The type of JSON Schema that holds its values.
    #[must_use]
    pub fn schema_type(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Number => "number",
            Self::Flag => "boolean",
            Self::List => "array",
            Self::Object => "object",
        }
    }

    /// Is the value of this kind?
    #[must_use]
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Flag => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// A piece of the file that is filled, and where it begins there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Template {
    text: String,
    start: Position,
}

/// The response format of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    pub checked: Checked,
    /// As it is written.
    pub text: String,
    pub form: Form,
    /// The file it stands in, if that is another.
    pub source: Option<PathBuf>,
}

impl Function {
    /// What it takes and gives, for programs.
    #[must_use]
    pub fn summary(&self) -> Value {
        let var = |var: &Var| {
            json!({ "name": var.name, "type": var.kind.name(), "description": var.about, "default": var.default,
                "required": var.default.is_none() })
        };
        json!({ "name": self.name, "ok": true, "file": self.file.display().to_string(), "description": self.about,
            "model": self.model, "vars": self.vars.iter().map(var).collect::<Vec<_>>(),
            "schema_hash": self.schema.as_ref().map(|schema| schema.checked.format.schema_hash.clone()) })
    }

    /// The response format of its runs: what the settings say goes before what an envelope says.
    #[must_use]
    pub fn format(&self) -> Option<ResponseFormat> {
        let schema = self.schema.as_ref()?;
        let mut format = schema.checked.format.clone();
        format.fallback = self.settings.fallback.unwrap_or(format.fallback);
        format.max_validation_retries = self.settings.max_validation_retries.unwrap_or(format.max_validation_retries);
        Some(format)
    }

    /// The JSON Schema of its variables: an object that takes these and no others.
    #[must_use]
    pub fn vars_schema(&self) -> Value {
        let mut properties = Map::new();
        for var in &self.vars {
            let mut property = json!({ "type": var.kind.schema_type() });
            if let Some(members) = property.as_object_mut() {
                if let Some(about) = &var.about {
                    members.insert("description".to_owned(), json!(about));
                }
                if let Some(default) = &var.default {
                    members.insert("default".to_owned(), default.clone());
                }
            }
            properties.insert(var.name.clone(), property);
        }
        let required: Vec<&str> =
            self.vars.iter().filter(|var| var.default.is_none()).map(|var| var.name.as_str()).collect();
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }
}

/// What is wrong with a function's file. Holds names and keywords, never a value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", file.display(), place(*at))]
pub struct Fault {
    pub file: PathBuf,
    pub at: Option<Position>,
    pub message: String,
    /// What to do next.
    pub advice: Option<String>,
}

fn place(at: Option<Position>) -> String {
    at.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column))
}

impl Fault {
    fn new(file: &Path, at: Option<Position>, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at, message: message.into(), advice: None }
    }

    fn advised(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// Can it name a function? As the name of a response format: it becomes a file's name and a tool's.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let starts = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Words that the template language has taken.
const TAKEN: [&str; 13] =
    ["true", "false", "none", "True", "False", "None", "loop", "self", "in", "not", "and", "or", "is"];

/// Can it name a variable?
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let starts = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !TAKEN.contains(&name)
}

/// Reads a function's text. `folder` is where a schema file named in it is looked for: the folder of its own file.
///
/// # Errors
/// The first [`Fault`], in the order of the file.
pub fn read(name: &str, file: &Path, text: &str) -> Result<Function, Fault> {
    let parts = sections::split(file, text)?;
    let front = front::read(file, text, &parts)?;
    let schema = shelf::schema(file, text, &parts, front.schema.as_ref())?;
    let function = Function {
        name: name.to_owned(),
        file: file.to_owned(),
        about: front.about,
        vars: front.vars,
        model: front.model,
        settings: front.settings,
        system: parts.system,
        prompt: parts.prompt,
        schema,
    };
    function.proofread()?;
    Ok(function)
}

#[cfg(test)]
mod tests;
