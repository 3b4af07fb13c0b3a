//! The strict parser: RFC 8259, one document, an explicit stack instead of recursion, linear time.
//!
//! Mends nothing, expands no number, and never puts a piece of the text into an error. What a slip *means* is worked
//! out by [`super::mistake`], after the fact: the straight way stays short.

use std::borrow::Cow;

use serde_json::map::Entry;

use super::mistake::{self, Expected};
use super::{Hint, Map, Number, ParseError, ParseLimits, Value, discard, position, push_token};

mod string;

/// A slip as the parser notes it: cheap to make, no position worked out yet.
#[derive(Debug)]
pub(super) struct Slip {
    pub(super) hint: Hint,
    pub(super) at: usize,
    pub(super) message: Cow<'static, str>,
}

impl Slip {
    pub(super) fn new(hint: Hint, at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { hint, at, message: message.into() }
    }

    fn in_text(self, text: &str, path: Option<String>) -> ParseError {
        ParseError { hint: self.hint, position: position(text, self.at), message: self.message.into_owned(), path }
    }
}

/// See [`super::parse`].
pub(super) fn document(text: &str, limits: ParseLimits) -> Result<Value, ParseError> {
    if text.len() > limits.max_bytes {
        return Err(too_large(text.len(), limits).in_text(text, None));
    }
    read(&mut Parser::new(text, limits.max_depth))
}

/// See [`super::check`].
pub(super) fn check(text: &str, limits: ParseLimits) -> Result<(), ParseError> {
    if text.len() > limits.max_bytes {
        return Err(too_large(text.len(), limits).in_text(text, None));
    }
    let mut parser = Parser::new(text, limits.max_depth);
    parser.keep = false;
    read(&mut parser).map(|_| ())
}

fn read(parser: &mut Parser<'_>) -> Result<Value, ParseError> {
    parser.document().map_err(|slip| {
        let path = (slip.hint == Hint::RepeatedKey).then(|| parser.path());
        slip.in_text(parser.text, path)
    })
}

/// See [`super::parse_bytes`].
pub(super) fn bytes(bytes: &[u8], limits: ParseLimits) -> Result<Value, ParseError> {
    let slip = match std::str::from_utf8(bytes) {
        Ok(text) => return document(text, limits),
        Err(_) if bytes.len() > limits.max_bytes => too_large(bytes.len(), limits),
        Err(error) => Slip::new(Hint::InvalidUtf8, error.valid_up_to(), mistake::not_utf8(bytes)),
    };
    let readable = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    Err(slip.in_text(readable, None))
}

/// Decodes one JSON text (with its quotes), or says that it is none.
pub(super) fn text(written: &str) -> Option<String> {
    let mut parser = Parser::new(written, 0);
    parser.at = 1;
    let decoded = written.starts_with('"').then(|| parser.string().ok())??;
    (parser.at == written.len()).then_some(decoded)
}

fn too_large(bytes: usize, limits: ParseLimits) -> Slip {
    let message = format!("The text has {bytes} bytes; at most {} are allowed.", limits.max_bytes);
    Slip::new(Hint::TooLarge, limits.max_bytes, message)
}

/// A container whose end has not been read yet.
enum Open {
    Array {
        items: Vec<Value>,
        /// Whole items so far.
        count: usize,
    },
    /// `key` is the member whose value comes next.
    Object { members: Map<String, Value>, key: String, key_at: usize },
}

/// What became of a whole value.
enum Placed {
    /// It went into its container, and another value follows.
    More,
    /// Its container ended with it and is a whole value now.
    Closed(Value),
    /// No container is open: it is the document.
    Document(Value),
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    open: Vec<Open>,
    max_depth: usize,
    /// False: only the keys of open objects are kept, every value becomes null.
    keep: bool,
}

impl Drop for Parser<'_> {
    /// After a slip the containers read so far may be deeper than the program's stack.
    fn drop(&mut self) {
        for open in self.open.drain(..) {
            match open {
                Open::Array { items, .. } => discard(Value::Array(items)),
                Open::Object { members, .. } => discard(Value::Object(members)),
            }
        }
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, max_depth: usize) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, open: Vec::new(), max_depth, keep: true }
    }

    fn document(&mut self) -> Result<Value, Slip> {
        self.skip_space();
        let mut expected = Expected::Document;
        loop {
            let Some(mut value) = self.value(expected)? else {
                expected = Expected::Value;
                continue;
            };
            loop {
                match self.place(value)? {
                    Placed::More => break,
                    Placed::Closed(container) => value = container,
                    Placed::Document(document) => return self.end(document),
                }
            }
            expected = Expected::Value;
        }
    }

    /// Reads a scalar or an empty container whole. Opens any other container and gives `None`: its first value is next.
    fn value(&mut self, expected: Expected) -> Result<Option<Value>, Slip> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string().map(|text| Some(Value::String(text)))
            }
            Some(b'{') => self.open_object(),
            Some(b'[') => self.open_array(),
            Some(b'-' | b'0'..=b'9') => self.number(expected).map(Some),
            Some(b't') => self.literal("true", Value::Bool(true), expected),
            Some(b'f') => self.literal("false", Value::Bool(false), expected),
            Some(b'n') => self.literal("null", Value::Null, expected),
            _ => Err(self.slip(expected)),
        }
    }

    /// Puts a whole value where it belongs and reads the comma or bracket after it.
    fn place(&mut self, value: Value) -> Result<Placed, Slip> {
        let value = if self.keep { value } else { Value::Null };
        self.skip_space();
        let next = self.peek();
        match self.open.last_mut() {
            None => return Ok(Placed::Document(value)),
            Some(Open::Array { items, count }) => {
                *count += 1;
                if self.keep {
                    items.push(value);
                }
                match next {
                    Some(b',') => self.comma(),
                    Some(b']') => return Ok(self.close()),
                    _ => return Err(self.slip(Expected::Delimiter)),
                }
            }
            Some(Open::Object { members, key, key_at }) => {
                match members.entry(std::mem::take(key)) {
                    Entry::Vacant(place) => place.insert(value),
                    Entry::Occupied(earlier) => {
                        key.clone_from(earlier.key());
                        discard(value);
                        return Err(Slip::new(Hint::RepeatedKey, *key_at, mistake::REPEATED_KEY));
                    }
                };
                match next {
                    Some(b',') => {
                        self.comma();
                        self.next_key()?;
                    }
                    Some(b'}') => return Ok(self.close()),
                    _ => return Err(self.slip(Expected::Delimiter)),
                }
            }
        }
        Ok(Placed::More)
    }

    fn comma(&mut self) {
        self.at += 1;
        self.skip_space();
    }

    fn close(&mut self) -> Placed {
        self.at += 1;
        match self.open.pop() {
            Some(Open::Array { items, .. }) => Placed::Closed(Value::Array(items)),
            Some(Open::Object { members, .. }) => Placed::Closed(Value::Object(members)),
            None => Placed::More,
        }
    }

    fn end(&mut self, document: Value) -> Result<Value, Slip> {
        if self.at == self.bytes.len() {
            return Ok(document);
        }
        discard(document);
        Err(self.slip(Expected::End))
    }

    fn open_array(&mut self) -> Result<Option<Value>, Slip> {
        self.deeper()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Some(Value::Array(Vec::new())));
        }
        self.open.push(Open::Array { items: Vec::new(), count: 0 });
        Ok(None)
    }

    fn open_object(&mut self) -> Result<Option<Value>, Slip> {
        self.deeper()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Some(Value::Object(Map::new())));
        }
        self.open.push(Open::Object { members: Map::new(), key: String::new(), key_at: self.at });
        self.next_key()?;
        Ok(None)
    }

    /// Steps over an opening bracket if the depth allows it.
    fn deeper(&mut self) -> Result<(), Slip> {
        if self.open.len() >= self.max_depth {
            let message = format!("Arrays and objects are nested deeper than {} levels.", self.max_depth);
            return Err(Slip::new(Hint::TooDeep, self.at, message));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Reads a member's key and colon into the innermost object.
    fn next_key(&mut self) -> Result<(), Slip> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.slip(Expected::Key));
        }
        self.at += 1;
        let text = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.slip(Expected::Colon));
        }
        self.at += 1;
        self.skip_space();
        if let Some(Open::Object { key, key_at, .. }) = self.open.last_mut() {
            *key = text;
            *key_at = start;
        }
        Ok(())
    }

    fn literal(&mut self, word: &str, value: Value, expected: Expected) -> Result<Option<Value>, Slip> {
        let end = self.at + word.len();
        let whole = self.bytes.get(self.at..end) == Some(word.as_bytes());
        if !whole || self.bytes.get(end).is_some_and(|&b| mistake::is_word(b)) {
            return Err(self.slip(expected));
        }
        self.at = end;
        Ok(Some(value))
    }

    /// Reads a number and keeps it as written: `1e6`, `-0` and sixty digits stay what they are.
    fn number(&mut self, expected: Expected) -> Result<Value, Slip> {
        let start = self.at;
        let end = number_end(self.bytes, start);
        let Some(end) = end.filter(|&e| !self.bytes.get(e).is_some_and(|&b| mistake::continues_number(b))) else {
            return Err(mistake::number(self.text, start, expected));
        };
        self.at = end;
        let written = self.slice(start, end).to_owned();
        // The only constructor that neither parses nor expands the digits.
        Ok(Value::Number(Number::from_string_unchecked(written)))
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn slip(&self, expected: Expected) -> Slip {
        mistake::slip(self.text, self.at, expected)
    }

    /// Pointer to the member that is being read, from the open containers.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match open {
                Open::Array { count, .. } => push_token(&mut path, &count.to_string()),
                Open::Object { key, .. } => push_token(&mut path, key),
            }
        }
        path
    }
}

/// True when the text is one JSON number.
pub(super) fn is_number(text: &str) -> bool {
    number_end(text.as_bytes(), 0) == Some(text.len())
}

/// Where the number that starts at `at` ends, by RFC 8259's grammar.
fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        let count = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        (count > 0).then_some(from + count)
    };
    let whole = if bytes.get(at) == Some(&b'-') { at + 1 } else { at };
    let mut end = if bytes.get(whole) == Some(&b'0') { whole + 1 } else { digits(whole)? };
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        end = digits(end + 1 + usize::from(sign))?;
    }
    Some(end)
}
