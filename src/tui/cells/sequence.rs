//! Where a terminal escape sequence ends (ECMA-48), to leave it out of what is read. Obeys none of them.

/// A longer sequence is no sequence: its characters are shown. Bounds what a stream can hold back.
const MAX: usize = 4096;

/// What stands at a place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    None,
    /// So many bytes.
    Whole(usize),
    /// The text ends inside it.
    Begun,
}

/// How a sequence goes on after its introducer.
#[derive(Clone, Copy)]
enum Form {
    /// Parameters and one final byte.
    Control,
    /// Text up to BEL or ST.
    Text,
    /// Intermediate bytes and one final byte.
    Escape,
}

/// The sequence that starts at byte `at`.
pub(super) fn at(text: &str, at: usize) -> Found {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let (form, introducer) = match rest {
        [0x1B | 0xC2] => return Found::Begun,
        // Each as two characters, or as one (C1) in UTF-8.
        [0x1B, b'[', ..] | [0xC2, 0x9B, ..] => (Form::Control, 2),
        [0x1B, b']' | b'P' | b'X' | b'^' | b'_', ..] | [0xC2, 0x9D | 0x90 | 0x98 | 0x9E | 0x9F, ..] => (Form::Text, 2),
        [0x1B, ..] => (Form::Escape, 1),
        _ => return Found::None,
    };
    let body = rest.get(introducer..).unwrap_or_default();
    let body = body.get(..MAX).unwrap_or(body);
    let end = match form {
        Form::Control => final_byte(body, 0x40),
        Form::Escape => final_byte(body, 0x30),
        Form::Text => string_end(body),
    };
    match end {
        Found::Whole(len) => Found::Whole(introducer + len),
        Found::Begun if body.len() >= MAX => Found::None,
        Found::Begun => Found::Begun,
        Found::None => Found::None,
    }
}

/// Parameter and intermediate bytes, then one byte from `first` to `~`.
fn final_byte(body: &[u8], first: u8) -> Found {
    match body.iter().position(|b| !(0x20..first).contains(b)) {
        None => Found::Begun,
        Some(end) if body.get(end).is_some_and(|b| (first..=0x7E).contains(b)) => Found::Whole(end + 1),
        Some(_) => Found::None,
    }
}

/// Up to BEL or ST; a line end means that there is none.
fn string_end(body: &[u8]) -> Found {
    let mut before = 0;
    for (at, byte) in body.iter().enumerate() {
        match (byte, before) {
            // 0x9C after another byte than 0xC2 is inside a character.
            (0x07, _) | (0x9C, 0xC2) | (b'\\', 0x1B) => return Found::Whole(at + 1),
            (b'\n' | b'\r', _) | (_, 0x1B) => return Found::None,
            _ => before = *byte,
        }
    }
    Found::Begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_end_of_each_form() {
        for (text, want) in [
            ("a", Found::None),
            ("\u{1b}", Found::Begun),
            ("\u{1b}[2Jx", Found::Whole(4)),
            ("\u{1b}[6", Found::Begun),
            ("\u{1b}[6\n", Found::None),
            ("\u{1b}]52;c;aGk=\u{7}b", Found::Whole(12)),
            ("\u{1b}]8;;http://x\u{1b}\\l", Found::Whole(15)),
            ("\u{1b}]0;\u{4f1c}\u{7}", Found::Whole(8)),
            ("\u{1b}]unterminated", Found::Begun),
            ("\u{1b}]un\nterminated", Found::None),
            ("\u{1b}Pq\u{1b}\\", Found::Whole(5)),
            ("\u{1b}c!", Found::Whole(2)),
            ("\u{1b}(B", Found::Whole(3)),
            ("\u{9b}31m", Found::Whole(5)),
            ("\u{9d}0;t\u{9c}", Found::Whole(7)),
            ("\u{e9}", Found::None),
        ] {
            assert_eq!(at(text, 0), want, "{text:?}");
        }
        assert_eq!(at(&format!("\u{1b}]{}\u{7}", "x".repeat(MAX)), 0), Found::None);
    }
}
