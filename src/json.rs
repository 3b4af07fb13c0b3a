//! JSON as Formwork needs it: exact numbers, strict parse with positions and hints, canonical text, pointers.
//!
//! [`Value`] is `serde_json`'s, with the author's key order and with numbers that keep their written text. Text becomes a
//! `Value` only through [`parse`]; `serde_json::from_str` is banned (it drops repeated keys and reads a magic key).

use std::fmt;

use sha2::{Digest as _, Sha256};

pub mod comments;
pub mod diff;
pub mod edit;
pub mod layout;
mod mistake;
mod parse;
mod pointer;
pub mod prefix;
pub mod walk;
mod write;

pub use pointer::{Part, below, locate, push_token, resolve, tokens};
pub use serde_json::{Map, Number, Value};
pub use write::{canonical, pretty};

/// The white space JSON knows.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

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
        match self {
            Self::Empty => "empty",
            Self::Fence => "fence",
            Self::ProseBefore => "prose_before",
            Self::ProseAfter => "prose_after",
            Self::SecondDocument => "second_document",
            Self::TrailingComma => "trailing_comma",
            Self::SingleQuotes => "single_quotes",
            Self::Comment => "comment",
            Self::NonFinite => "non_finite",
            Self::RepeatedKey => "repeated_key",
            Self::LoneSurrogate => "lone_surrogate",
            Self::ByteOrderMark => "byte_order_mark",
            Self::ControlCharacter => "control_character",
            Self::Truncated => "truncated",
            Self::DoubleEncoded => "double_encoded",
            Self::UnquotedKey => "unquoted_key",
            Self::BadNumber => "bad_number",
            Self::BadEscape => "bad_escape",
            Self::BadLiteral => "bad_literal",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::TooLarge => "too_large",
            Self::TooDeep => "too_deep",
            Self::Syntax => "syntax",
        }
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
    parse::document(text, limits)
}

/// Says whether [`parse`] would take the text, without keeping its values: for texts that are too large to hold parsed.
///
/// # Errors
/// The same as [`parse`].
pub fn check(text: &str, limits: ParseLimits) -> Result<(), ParseError> {
    parse::check(text, limits)
}

/// Parses a file's bytes: UTF-8, one leading byte order mark is refused as such.
///
/// # Errors
/// As [`parse`].
pub fn parse_bytes(bytes: &[u8], limits: ParseLimits) -> Result<Value, ParseError> {
    parse::bytes(bytes, limits)
}

/// True when the value is a text whose content is itself a JSON object or array: legal JSON, but most likely a
/// document that was serialised twice ([`Hint::DoubleEncoded`]).
#[must_use]
pub fn double_encoded(value: &Value) -> bool {
    let Value::String(text) = value else { return false };
    if !text.trim_start_matches(SPACE).starts_with(['{', '[']) {
        return false;
    }
    parse(text, ParseLimits::default()).map(discard).is_ok()
}

/// Drops a value without recursion: for values that were parsed with a depth limit above the default.
pub fn discard(value: Value) {
    let mut left = vec![value];
    while let Some(next) = left.pop() {
        match next {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.into_iter().map(|(_, member)| member)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Line and column of a byte offset; lines end with LF, CR LF or a lone CR. An offset beyond the text means its end,
/// one inside a character means the character's start.
#[must_use]
pub fn position(text: &str, offset: usize) -> Position {
    let offset = text.floor_char_boundary(offset);
    let before = text.get(..offset).unwrap_or_default();
    let mut place = Position { offset, line: 1, column: 1 };
    let mut from = 0;
    for (at, byte) in before.bytes().enumerate() {
        let ends = match byte {
            b'\n' => true,
            b'\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        if ends {
            place.line += 1;
            from = at + 1;
        }
    }
    place.column = before.get(from..).unwrap_or_default().chars().count() + 1;
    place
}

/// SHA-256 of a text, lower-case hex.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).map_or('0', |&d| char::from(d));
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
