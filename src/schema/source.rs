//! The text a schema is kept in, and the JSON value it stands for: JSON, JSON with comments, YAML, TOML.
//!
//! The text stays the user's; the value is derived from it, and every pointer into the value leads back to a byte range
//! of the text. JSON is strict: comments make a text JSONC, which is another form and must be named. What a form has
//! beyond JSON (tags, dates, keys that are no texts, infinities) is refused with its place and never mended. No file is
//! touched here, and no schema is judged.

mod jsonc;
mod places;
mod sniff;
mod toml;
mod yaml;

use self::places::Places;
use crate::json::{self, Hint, ParseError, ParseLimits, Part, Span, Value};

/// A way to write a value down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// RFC 8259, strictly.
    #[default]
    Json,
    /// JSON with `//` and `/* */` comments and commas before a closing bracket.
    Jsonc,
    /// YAML 1.2, core schema, one document.
    Yaml,
    /// TOML 1.1.
    Toml,
}

/// What a file's name says of its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Form(Form),
    /// A form that is not read: its sentence is [`Unread::message`].
    Unread(Unread),
    /// The name says nothing: the text has to ([`Form::sniff`]).
    Unknown,
}

/// Forms that people have and that are refused by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    Json5,
    Hjson,
}

/// How far keys may differ from JSON's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Every key is a text; `200:` and `true:` are refused.
    Texts,
    /// A number as a key is taken as it is written: `OpenAPI` documents have `200:`. Only to recognise a document.
    AsWritten,
}

/// The endings of the names schema files have.
pub const ENDINGS: [&str; 5] = ["json", "jsonc", "yaml", "yml", "toml"];

impl Form {
    /// Every form, in the order help names them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Jsonc, Self::Yaml, Self::Toml];

    /// The word for it: `json`, `jsonc`, `yaml`, `toml`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonc => "jsonc",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
        }
    }

    /// As a sentence says it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Jsonc => "JSON with comments",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
        }
    }

    /// The form the ending of a file's name stands for.
    #[must_use]
    pub fn of_name(name: &str) -> Named {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "json" => Named::Form(Self::Json),
            "jsonc" => Named::Form(Self::Jsonc),
            "yaml" | "yml" => Named::Form(Self::Yaml),
            "toml" => Named::Form(Self::Toml),
            "json5" => Named::Unread(Unread::Json5),
            "hjson" => Named::Unread(Unread::Hjson),
            _ => Named::Unknown,
        }
    }

    /// The form a text without a telling name is most likely in; [`Form::Json`] when nothing speaks for another.
    #[must_use]
    pub fn sniff(text: &str) -> Self {
        sniff::form(text)
    }

    /// The form of a text by its file's name, else by the text itself. A form that is not read counts as JSON, whose
    /// parser says what is wrong with it.
    #[must_use]
    pub fn of(name: Option<&str>, text: &str) -> Self {
        match name.map_or(Named::Unknown, Self::of_name) {
            Named::Form(form) => form,
            Named::Unread(_) => Self::Json,
            Named::Unknown => Self::sniff(text),
        }
    }

    /// Is the text itself JSON, so that an edit of the JSON is an edit of the text?
    #[must_use]
    pub fn is_json(self) -> bool {
        match self {
            Self::Json => true,
            Self::Jsonc | Self::Yaml | Self::Toml => false,
        }
    }
}

impl Unread {
    /// Why, and what to do.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Json5 => {
                "JSON5 is not read: save it as .json, or as .jsonc, which allows comments and trailing commas"
            }
            Self::Hjson => "Hjson is not read: save it as .json, as .jsonc, which allows comments, or as .yaml",
        }
    }
}

/// A text that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub form: Form,
    pub value: Value,
    map: Map,
}

/// How a pointer leads back into the text.
#[derive(Debug, Clone, PartialEq)]
enum Map {
    /// The text is JSON.
    Text,
    /// The text is JSON once comments are blanked out; same length, same places.
    Blanked(String),
    Places(Places),
}

/// Reads a text. Numbers keep their written text where JSON has it, keys their order.
///
/// # Errors
/// [`ParseError`] with the position in the text; nothing is mended.
pub fn read(text: &str, form: Form, limits: ParseLimits) -> Result<Document, ParseError> {
    read_with(text, form, limits, Keys::Texts)
}

/// As [`read`], with another rule for keys (YAML has them).
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, form: Form, limits: ParseLimits, keys: Keys) -> Result<Document, ParseError> {
    let (value, map) = match form {
        Form::Json => (json::parse(text, limits)?, Map::Text),
        Form::Jsonc => {
            let (value, blanked) = jsonc::read(text, limits)?;
            (value, Map::Blanked(blanked))
        }
        Form::Yaml => {
            fits(text, limits)?;
            let (value, places) = yaml::read(text, limits, keys)?;
            (value, Map::Places(places))
        }
        Form::Toml => {
            fits(text, limits)?;
            let (value, places) = toml::read(text, limits)?;
            (value, Map::Places(places))
        }
    };
    Ok(Document { form, value, map })
}

impl Document {
    /// Byte span in `text` (the one that was read) of the value a pointer names, or of its key with the quotes it has.
    /// `None` when the pointer names nothing, or no member.
    #[must_use]
    pub fn locate(&self, text: &str, pointer: &str, part: Part) -> Option<Span> {
        match &self.map {
            Map::Text => json::locate(text, pointer, part),
            Map::Blanked(blanked) => json::locate(blanked, pointer, part),
            Map::Places(places) => places.locate(&self.value, pointer, part),
        }
    }

    /// The place a mark belongs to: the key if there is one, else the value, else the nearest container that is there.
    #[must_use]
    pub fn mark(&self, text: &str, pointer: &str) -> Option<Span> {
        let mut pointer = pointer;
        loop {
            let found = self.locate(text, pointer, Part::Key).or_else(|| self.locate(text, pointer, Part::Value));
            if found.is_some() {
                return found;
            }
            pointer = pointer.rsplit_once('/')?.0;
        }
    }
}

/// JSON's parser does this itself.
fn fits(text: &str, limits: ParseLimits) -> Result<(), ParseError> {
    if text.len() > limits.max_bytes {
        let message = format!("The text has {} bytes; at most {} are allowed.", text.len(), limits.max_bytes);
        return Err(slip(text, Hint::TooLarge, limits.max_bytes, message));
    }
    if text.starts_with('\u{FEFF}') {
        return Err(slip(text, Hint::ByteOrderMark, 0, "The text starts with a byte order mark: save it without."));
    }
    Ok(())
}

fn slip(text: &str, hint: Hint, offset: usize, message: impl Into<String>) -> ParseError {
    ParseError { hint, position: json::position(text, offset), message: message.into(), path: None }
}

/// The error for nesting past the limit.
fn too_deep(text: &str, offset: usize, limits: ParseLimits) -> ParseError {
    let message = format!("Lists and mappings are nested deeper than {} levels.", limits.max_depth);
    slip(text, Hint::TooDeep, offset, message)
}

#[cfg(test)]
mod tests;
