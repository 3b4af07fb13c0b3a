//! JSON as Formwork needs it: exact numbers, strict parse with positions and hints, canonical text, pointers.
//!
//! [`Value`] is `serde_json`'s, with the author's key order and with numbers that keep their written text. Text becomes a
//! `Value` only through [`parse`]; `serde_json::from_str` is banned (it drops repeated keys and reads a magic key).

use std::fmt;

pub use serde_json::{Map, Number, Value};

/// What a parse may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Length of the text in bytes.
    pub max_bytes: usize,
    /// Nesting of arrays and objects; a scalar document has depth 0.
    pub max_depth: usize,
}

/// What kind of slip the text holds; stable codes for events, repair requests and exit messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    Empty,
    Fence,
    ProseBefore,
    ProseAfter,
    SecondDocument,
    TrailingComma,
    SingleQuotes,
    Comment,
    NonFinite,
    RepeatedKey,
    LoneSurrogate,
    ByteOrderMark,
    ControlCharacter,
    Truncated,
    DoubleEncoded,
    UnquotedKey,
    BadNumber,
    BadEscape,
    BadLiteral,
    InvalidUtf8,
    TooLarge,
    TooDeep,
    Syntax,
}

/// Where in a text: byte offset from 0, line and column from 1 (column counts characters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Position {
    pub offset: usize,
    pub line: usize,
    pub column: usize,
}

/// Why a text is no single JSON document. Holds no piece of the text except the pointer of a repeated key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {}, column {})", position.line, position.column)]
pub struct ParseError {
    pub hint: Hint,
    pub position: Position,
    /// One sentence: what is wrong and what is expected instead. Built from fixed words and numbers only.
    pub message: String,
    /// For [`Hint::RepeatedKey`]: pointer of the member that stands twice.
    pub path: Option<String>,
}

/// A half-open byte range in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Hint {
    /// The stable code, e.g. `trailing_comma`.
    #[must_use]
    pub fn code(self) -> &'static str {
        todo!()
    }
}

impl Default for ParseLimits {
    /// 8 MiB and depth 512 (ENGINE §5).
    fn default() -> Self {
        Self { max_bytes: 8 * 1024 * 1024, max_depth: 512 }
    }
}

/// Parses exactly one JSON document; JSON white space around it only. Numbers keep their text, keys their order.
///
/// # Errors
/// [`ParseError`] with position and hint; nothing is mended.
pub fn parse(text: &str, limits: ParseLimits) -> Result<Value, ParseError> {
    let _ = (text, limits);
    todo!()
}

/// Parses a file's bytes: UTF-8, one leading byte order mark is refused as such.
///
/// # Errors
/// As [`parse`].
pub fn parse_bytes(bytes: &[u8], limits: ParseLimits) -> Result<Value, ParseError> {
    let _ = (bytes, limits);
    todo!()
}

/// Canonical JSON (ENGINE §3): keys sorted by code point, no spaces, shortest escapes, numbers as written.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let _ = value;
    todo!()
}

/// SHA-256 of a text, lower-case hex.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    let _ = text;
    todo!()
}

/// Indented for people: two spaces, keys in the author's order, numbers as written.
#[must_use]
pub fn pretty(value: &Value) -> String {
    let _ = value;
    todo!()
}

/// Byte span of the value at `pointer` in `text`, which may be broken after that place. With `key`, the span of the
/// member's key instead (when the pointer names a member).
#[must_use]
pub fn locate(text: &str, pointer: &str, key: Part) -> Option<Span> {
    let _ = (text, pointer, key);
    todo!()
}

/// Which part of a member [`locate`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Key,
    Value,
}

/// Line and column of a byte offset.
#[must_use]
pub fn position(text: &str, offset: usize) -> Position {
    let _ = (text, offset);
    todo!()
}

/// Appends one reference token to a pointer, escaped.
pub fn push_token(pointer: &mut String, token: &str) {
    let _ = (pointer, token);
    todo!()
}

/// The value a pointer names.
#[must_use]
pub fn resolve<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    let _ = (value, pointer);
    todo!()
}
