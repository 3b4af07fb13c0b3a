//! Texts inside a document: escapes, surrogate pairs, and the straight way for runs without any.

use super::{Parser, Slip};
use crate::json::{Hint, mistake};

impl Parser<'_> {
    /// Reads the rest of a text whose opening quote is behind.
    pub(super) fn string(&mut self) -> Result<String, Slip> {
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let plain = self.slice(start, self.at).to_owned();
            self.at += 1;
            return Ok(plain);
        }
        self.escaped_string(start)
    }

    fn escaped_string(&mut self, start: usize) -> Result<String, Slip> {
        let mut out = self.slice(start, self.at).to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(Slip::new(Hint::ControlCharacter, self.at, mistake::CONTROL_CHARACTER)),
                None => return Err(Slip::new(Hint::Truncated, self.at, mistake::TRUNCATED_TEXT)),
            }
            let run = self.at;
            self.skip_plain();
            out.push_str(self.slice(run, self.at));
        }
    }

    fn escape(&mut self) -> Result<char, Slip> {
        let Some(&letter) = self.bytes.get(self.at + 1) else { return Err(self.cut_text()) };
        let meant = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(Slip::new(Hint::BadEscape, self.at, mistake::BAD_ESCAPE)),
        };
        self.at += 2;
        Ok(meant)
    }

    fn unicode_escape(&mut self) -> Result<char, Slip> {
        let lone = Slip::new(Hint::LoneSurrogate, self.at, mistake::LONE_SURROGATE);
        let first = self.code_unit(self.at)?;
        if !(0xD800..0xDC00).contains(&first) {
            self.at += 6;
            return char::from_u32(first).ok_or(lone);
        }
        match (self.bytes.get(self.at + 6), self.bytes.get(self.at + 7)) {
            (None, _) | (Some(b'\\'), None) => return Err(self.cut_text()),
            (Some(b'\\'), Some(b'u')) => {}
            _ => return Err(lone),
        }
        let second = self.code_unit(self.at + 6)?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(lone);
        }
        self.at += 12;
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(lone)
    }

    /// The four hexadecimal digits of the `\u` escape at `at`.
    fn code_unit(&self, at: usize) -> Result<u32, Slip> {
        let mut unit = 0;
        for digit in at + 2..at + 6 {
            let Some(&byte) = self.bytes.get(digit) else { return Err(self.cut_text()) };
            let Some(value) = char::from(byte).to_digit(16) else {
                return Err(Slip::new(Hint::BadEscape, at, mistake::BAD_UNICODE_ESCAPE));
            };
            unit = unit * 16 + value;
        }
        Ok(unit)
    }

    fn cut_text(&self) -> Slip {
        Slip::new(Hint::Truncated, self.bytes.len(), mistake::TRUNCATED_TEXT)
    }

    /// Steps to the next quote, backslash, control character or the end: eight bytes at a time.
    fn skip_plain(&mut self) {
        while let Some(&word) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) {
            let found = special(u64::from_le_bytes(word));
            if found != 0 {
                self.at += found.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        while self.peek().is_some_and(|b| b >= b' ' && b != b'"' && b != b'\\') {
            self.at += 1;
        }
    }
}

/// A bit set in every byte (from the lowest up to the first true one exact) that ends a plain run of a text.
const fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let control = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & HIGH
}
