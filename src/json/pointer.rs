//! RFC 6901 pointers: building them, following them in a value, and finding their place in a text.
//!
//! [`locate`] reads text that may be broken or still arriving; it judges nothing.

use std::borrow::Cow;

use super::{Span, Value};

/// Which part of a member [`locate`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Key,
    Value,
}

/// A pointer one token longer.
#[must_use]
pub fn below(pointer: &str, token: &str) -> String {
    let mut longer = pointer.to_owned();
    push_token(&mut longer, token);
    longer
}

/// Appends one reference token to a pointer, escaped.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for letter in token.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The unescaped reference tokens of a pointer; `None` when it is none (no leading `/`, a `~` without 0 or 1).
#[must_use]
pub fn tokens(pointer: &str) -> Option<Vec<Cow<'_, str>>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescape).collect()
}

fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut out = String::with_capacity(token.len());
    let mut letters = token.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '~' => out.push(match letters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            other => out.push(other),
        }
    }
    Some(Cow::Owned(out))
}

/// An array index as RFC 6901 writes it: digits without a leading zero.
pub(super) fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && !token.is_empty());
    if plain && token.bytes().all(|b| b.is_ascii_digit()) { token.parse().ok() } else { None }
}

/// The value a pointer names.
#[must_use]
pub fn resolve<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    tokens(pointer)?.iter().try_fold(value, |at, token| match at {
        Value::Object(members) => members.get(token.as_ref()),
        Value::Array(items) => items.get(index(token)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// Byte span of the value at `pointer` in `text`, which may be broken or end after that place (a value that is cut
/// reaches to the end of the text). With [`Part::Key`], the span of the member's key with its quotes; `None` when the
/// pointer names no member. Of a repeated key the first counts. Linear in the text up to the place.
#[must_use]
pub fn locate(text: &str, pointer: &str, part: Part) -> Option<Span> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    let mut key = None;
    if text.starts_with('\u{FEFF}') {
        scan.at = '\u{FEFF}'.len_utf8();
    }
    for token in tokens(pointer)? {
        key = scan.enter(text, &token)?.key;
    }
    match part {
        Part::Key => key,
        Part::Value => scan.value(),
    }
}

/// A tolerant walk: every byte is read once, nothing recurses.
struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// A child was found; only an object's has a key.
struct Child {
    key: Option<Span>,
}

impl Scan<'_> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// From a container's start to the start of one child's value. Gives the span of the child's key if it has one.
    fn enter(&mut self, text: &str, token: &str) -> Option<Child> {
        match self.peek()? {
            b'{' => self.member(text, token).map(|key| Child { key: Some(key) }),
            b'[' => self.item(index(token)?).map(|()| Child { key: None }),
            _ => None,
        }
    }

    fn member(&mut self, text: &str, token: &str) -> Option<Span> {
        self.at += 1;
        loop {
            if self.peek()? != b'"' {
                return None;
            }
            let key = self.value()?;
            if self.eat(b':').is_none() {
                // The text ends (or breaks) right after the key: the key itself can still be shown.
                return is_key(text, key, token).then_some(key);
            }
            if is_key(text, key, token) {
                return Some(key);
            }
            self.value()?;
            self.eat(b',')?;
        }
    }

    fn item(&mut self, index: usize) -> Option<()> {
        self.at += 1;
        for _ in 0..index {
            self.value()?;
            self.eat(b',')?;
        }
        Some(())
    }

    /// Skips one value and gives its span; `None` when no value starts here.
    fn value(&mut self) -> Option<Span> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => self.skip_text(),
            b'{' | b'[' => self.skip_container(),
            b'}' | b']' | b',' | b':' => return None,
            _ => self.skip_word(),
        }
        Some(Span { start, end: self.at })
    }

    fn skip_text(&mut self) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    fn skip_container(&mut self) {
        let mut depth = 0_usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.skip_text();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }

    fn skip_word(&mut self) {
        let ends = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b']' | b'}' | b'{' | b'[' | b'"');
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
    }
}

/// Compares a key as written (quotes and escapes) with a token, unescaping as it goes.
fn is_key(text: &str, key: Span, token: &str) -> bool {
    let written = text.get(key.start..key.end).unwrap_or_default();
    let Some(inner) = written.strip_prefix('"').and_then(|w| w.strip_suffix('"')) else { return false };
    if !inner.contains('\\') {
        return inner == token;
    }
    super::parse::text(written).is_some_and(|decoded| decoded == token)
}
