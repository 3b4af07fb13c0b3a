//! Where a text stops being the beginning of any JSON document, by the rules of the strict parser: RFC 8259, no key
//! twice, no lone surrogate, bounded depth and size.
//!
//! Decides syntax only: a schema says nothing here. One pass, linear, an explicit stack.

use std::collections::BTreeSet;

use super::{ParseLimits, parse};

/// The byte that spoils a text, and what it broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeadEnd {
    /// Offset of the byte. The text before it can still be completed to a document; with it, it cannot.
    pub offset: usize,
    /// What was expected instead: fixed words.
    pub why: &'static str,
}

/// The first byte after which the text cannot be valid JSON, whatever follows; `None` while it still can.
#[must_use]
pub fn dead_end(text: &str, limits: ParseLimits) -> Option<DeadEnd> {
    // What lies beyond the largest size is dead whatever it says.
    let text_in_size = text.get(..text.floor_char_boundary(limits.max_bytes)).unwrap_or_default();
    let bytes = text_in_size.as_bytes();
    let mut scan = Scan { bytes, at: 0, open: Vec::new(), text: text_in_size, max_depth: limits.max_depth };
    let slip = match scan.document() {
        Err(Stop::Dead(why)) => Some(DeadEnd { offset: scan.at, why }),
        Ok(()) | Err(Stop::Ended) => None,
    };
    let size = (text.len() > limits.max_bytes)
        .then_some(DeadEnd { offset: limits.max_bytes, why: "the document grows past its largest size" });
    [slip, size].into_iter().flatten().min_by_key(|dead| dead.offset)
}

/// Why reading stopped: no byte is left, or the one at hand can stand in no document.
enum Stop {
    Ended,
    Dead(&'static str),
}

enum Open {
    Array,
    Object(BTreeSet<String>),
}

struct Scan<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    max_depth: usize,
}

impl Scan<'_> {
    fn document(&mut self) -> Result<(), Stop> {
        loop {
            self.space();
            if self.value()? {
                continue;
            }
            // A whole value stands there: what may follow it?
            loop {
                self.space();
                match self.open.last() {
                    None => return self.end(),
                    Some(Open::Array) => match self.next()? {
                        b',' => self.at += 1,
                        b']' => {
                            self.close();
                            continue;
                        }
                        _ => return Err(Stop::Dead("a comma or ] is expected")),
                    },
                    Some(Open::Object(_)) => match self.next()? {
                        b',' => {
                            self.at += 1;
                            self.space();
                            self.key()?;
                        }
                        b'}' => {
                            self.close();
                            continue;
                        }
                        _ => return Err(Stop::Dead("a comma or } is expected")),
                    },
                }
                break;
            }
        }
    }

    fn end(&self) -> Result<(), Stop> {
        match self.bytes.get(self.at) {
            None => Ok(()),
            Some(_) => Err(Stop::Dead("the document is over; only white space may follow")),
        }
    }

    /// Reads a scalar or an empty container; true when a container was opened and its first value is next.
    fn value(&mut self) -> Result<bool, Stop> {
        match self.next()? {
            b'"' => self.string()?,
            b'{' => return self.object(),
            b'[' => return self.array(),
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => return Err(Stop::Dead("a value is expected")),
        }
        Ok(false)
    }

    fn array(&mut self) -> Result<bool, Stop> {
        self.deeper()?;
        self.open.push(Open::Array);
        self.space();
        if self.next()? == b']' {
            self.close();
            return Ok(false);
        }
        Ok(true)
    }

    fn object(&mut self) -> Result<bool, Stop> {
        self.deeper()?;
        self.open.push(Open::Object(BTreeSet::new()));
        self.space();
        if self.next()? == b'}' {
            self.close();
            return Ok(false);
        }
        self.key()?;
        Ok(true)
    }

    fn deeper(&mut self) -> Result<(), Stop> {
        if self.open.len() >= self.max_depth {
            return Err(Stop::Dead("arrays and objects are nested too deep"));
        }
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        self.open.pop();
    }

    /// A key and its colon. A key that stands twice is dead with its closing quote: until then it may grow.
    fn key(&mut self) -> Result<(), Stop> {
        if self.next()? != b'"' {
            return Err(Stop::Dead("a key in double quotes is expected"));
        }
        let start = self.at;
        self.string()?;
        let key = self.text.get(start..self.at).and_then(parse::text);
        if let (Some(Open::Object(keys)), Some(key)) = (self.open.last_mut(), key)
            && !keys.insert(key)
        {
            self.at -= 1;
            return Err(Stop::Dead("the object holds this key already"));
        }
        self.space();
        if self.next()? != b':' {
            return Err(Stop::Dead("a colon is expected"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    fn string(&mut self) -> Result<(), Stop> {
        self.at += 1;
        loop {
            match self.next()? {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => {
                    self.at += 1;
                    self.escape()?;
                }
                0..0x20 => return Err(Stop::Dead("a control character in a text must be escaped")),
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Stop> {
        match self.next()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                self.at += 1;
                self.code_unit()?;
            }
            _ => return Err(Stop::Dead("the backslash starts no JSON escape")),
        }
        Ok(())
    }

    /// Four digits; the first half of a surrogate pair wants the second at once, and the second never comes first.
    fn code_unit(&mut self) -> Result<(), Stop> {
        let first = self.hex()?;
        let second = self.next()?;
        if first == 0xD && char::from(second).to_digit(16).is_some_and(|digit| digit >= 0xC) {
            return Err(Stop::Dead("the second half of a surrogate pair comes first"));
        }
        let second = self.hex()?;
        self.hex()?;
        self.hex()?;
        if first != 0xD || second < 8 {
            return Ok(());
        }
        for wanted in [b'\\', b'u'] {
            if self.next()? != wanted {
                return Err(Stop::Dead("the other half of a surrogate pair is expected"));
            }
            self.at += 1;
        }
        if !matches!(self.next()?, b'd' | b'D') {
            return Err(Stop::Dead("the other half of a surrogate pair is expected"));
        }
        self.at += 1;
        if !matches!(self.next()?, b'c'..=b'f' | b'C'..=b'F') {
            return Err(Stop::Dead("the other half of a surrogate pair is expected"));
        }
        self.at += 1;
        self.hex()?;
        self.hex()?;
        Ok(())
    }

    fn hex(&mut self) -> Result<u32, Stop> {
        let digit = char::from(self.next()?).to_digit(16).ok_or(Stop::Dead("four hexadecimal digits are expected"))?;
        self.at += 1;
        Ok(digit)
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Stop> {
        for letter in word {
            if self.next()? != *letter {
                return Err(Stop::Dead("a bare word is no value: only true, false and null are"));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Stop> {
        if self.next()? == b'-' {
            self.at += 1;
        }
        if self.next()? == b'0' {
            self.at += 1;
            if self.peek().is_some_and(|b| b.is_ascii_digit()) {
                return Err(Stop::Dead("a number has no leading zero"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.next()?, b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// At least one.
    fn digits(&mut self) -> Result<(), Stop> {
        if !self.next()?.is_ascii_digit() {
            return Err(Stop::Dead("a digit is expected"));
        }
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&self) -> Result<u8, Stop> {
        self.peek().ok_or(Stop::Ended)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::check;

    const LIMITS: ParseLimits = ParseLimits { max_bytes: 1 << 20, max_depth: 8 };

    fn dead(text: &str) -> Option<usize> {
        dead_end(text, LIMITS).map(|dead| dead.offset)
    }

    #[test]
    fn the_byte_that_spoils_it_is_found() {
        let cases: [(&str, Option<usize>); 30] = [
            ("", None),
            ("  ", None),
            ("{\"a\": [1, 2.", None),
            ("{\"a\": tru", None),
            ("1e+", None),
            ("-", None),
            ("\"\\ud83d", None),
            ("```json\n{}", Some(0)),
            ("Sure! {}", Some(0)),
            ("\u{feff}{}", Some(0)),
            ("{\"a\": 1,}", Some(8)),
            ("[1,]", Some(3)),
            ("{\"a\": 1, \"a\": 2}", Some(11)),
            ("{\"a\": 1, \"\\u0061\": 2}", Some(16)),
            ("{\"a\": 1, \"ab\": 2}", None),
            ("{'a': 1}", Some(1)),
            ("{a: 1}", Some(1)),
            ("01", Some(1)),
            ("1.x", Some(2)),
            ("12a", Some(2)),
            ("truth", Some(3)),
            ("NaN", Some(0)),
            ("{} {}", Some(3)),
            ("\"a\nb\"", Some(2)),
            ("\"\\x\"", Some(2)),
            ("\"\\ud83d x\"", Some(7)),
            ("\"\\udc00\"", Some(4)),
            ("[[[[[[[[[", Some(8)),
            ("{\"汉\": é}", Some(8)),
            ("[1 // one\n]", Some(3)),
        ];
        for (text, want) in cases {
            assert_eq!(dead(text), want, "{text}");
        }
        let small = ParseLimits { max_bytes: 3, max_depth: 8 };
        assert_eq!(dead_end("[1, 2]", small).unwrap().offset, 3);
    }

    /// A text that can be completed is completed, character by character.
    fn completed(text: &str) -> Option<String> {
        let mut text = text.to_owned();
        for _ in 0..200 {
            if check(&text, LIMITS).is_ok() {
                return Some(text);
            }
            let next = "\"]}0:\\udDcCrelsanft".chars().find(|c| {
                text.push(*c);
                let alive = dead(&text).is_none();
                text.pop();
                alive
            });
            text.push(next?);
        }
        None
    }

    proptest! {
        /// The law: every beginning before the dead end can be completed, none that holds it is a document.
        #[test]
        fn what_is_alive_can_be_completed(text in r#"[\[\]{}":,\\u0-2dD8cCtrue.eE+\-a \n]{0,14}"#) {
            let end = dead(&text).unwrap_or(text.len());
            for n in 0..=end {
                let alive = text.get(..n).unwrap();
                prop_assert!(completed(alive).is_some(), "{alive:?} of {text:?}");
            }
            if dead(&text).is_some() {
                prop_assert!(check(&text, LIMITS).is_err(), "{text:?}");
                prop_assert!(completed(&text).is_none());
            }
        }

        #[test]
        fn no_beginning_of_a_document_is_dead(value in value(), cut in 0..400usize) {
            let text = crate::json::pretty(&value);
            let cut = text.floor_char_boundary(cut);
            prop_assert_eq!(dead(text.get(..cut).unwrap_or(&text)), None);
        }
    }

    fn value() -> impl Strategy<Value = crate::json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::json!(null)),
            any::<bool>().prop_map(|b| serde_json::json!(b)),
            any::<i64>().prop_map(|n| serde_json::json!(n)),
            ".{0,6}".prop_map(|s| serde_json::json!(s)),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|items| serde_json::json!(items)),
                prop::collection::btree_map(".{0,4}", inner, 0..4).prop_map(|members| serde_json::json!(members)),
            ]
        })
    }
}
