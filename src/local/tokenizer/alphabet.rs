//! The byte alphabet of GPT-2: a character for each byte, so that every vocabulary is readable text.
//!
//! Printable bytes of Latin-1 stand for themselves; the others are numbered upwards from U+0100.

/// The characters by byte.
pub(super) struct Alphabet {
    letters: [char; 256],
}

impl Alphabet {
    pub(super) fn new() -> Self {
        let mut letters = ['\0'; 256];
        let mut next = 0x100_u32;
        for (letter, byte) in letters.iter_mut().zip(0..=u8::MAX) {
            *letter = if matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..) {
                char::from(byte)
            } else {
                next += 1;
                char::from_u32(next - 1).unwrap_or_default()
            };
        }
        Self { letters }
    }

    pub(super) fn letter(&self, byte: u8) -> char {
        self.letters.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The bytes that a token's text stands for; `None` when a character is of no byte.
    pub(super) fn bytes(&self, text: &str) -> Option<Vec<u8>> {
        text.chars().map(|letter| self.byte(letter)).collect()
    }

    fn byte(&self, letter: char) -> Option<u8> {
        let own = u8::try_from(letter).ok().filter(|byte| self.letter(*byte) == letter);
        own.or_else(|| {
            // the numbered ones: 68 of them
            let index = self.letters.iter().position(|known| *known == letter && letter > '\u{ff}')?;
            u8::try_from(index).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_letter_and_comes_back() {
        let alphabet = Alphabet::new();
        for byte in 0..=255 {
            let letter = alphabet.letter(byte);
            assert_eq!(alphabet.bytes(&letter.to_string()), Some(vec![byte]), "{byte}");
        }
        assert_eq!((alphabet.letter(b' '), alphabet.letter(b'\n'), alphabet.letter(0xad)), ('Ġ', 'Ċ', 'Ń'));
        assert_eq!(alphabet.bytes("a b"), None);
        assert_eq!(alphabet.bytes("\u{2581}"), None);
    }
}
