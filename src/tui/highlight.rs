//! Colours for JSON that may be partial, broken or mere prose: a lexer that can stop and go on at any character.
//!
//! Never fails and never looks ahead. Not a parser: it judges nothing.

use super::theme::Role;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Prose, fences, anything that is no JSON token.
    Text,
    Space,
    Key,
    String,
    /// A backslash sequence inside a string or key.
    Escape,
    Number,
    Literal,
    Punct,
    /// A line of a diff: new, gone, where it stands.
    Added,
    Removed,
    Place,
}

impl Kind {
    /// The theme role that colours it.
    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::Text | Self::Space => Role::Text,
            Self::Key => Role::JsonKey,
            Self::String => Role::JsonString,
            Self::Escape => Role::JsonEscape,
            Self::Number => Role::JsonNumber,
            Self::Literal => Role::JsonLiteral,
            Self::Punct => Role::JsonPunct,
            Self::Added => Role::DiffAdded,
            Self::Removed => Role::DiffRemoved,
            Self::Place => Role::Muted,
        }
    }
}

/// A run of text of one kind; byte offsets into the lexed text plus the given base. Neighbouring tokens of the same kind
/// are one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// Where the lexer stands between two pieces of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    mode: Mode,
    /// Whether a string that starts here is a key.
    key_next: bool,
    depth: u32,
    /// One bit a level, the innermost lowest: 1 = object. Below 64 levels the oldest are forgotten and count as arrays.
    objects: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    #[default]
    Ground,
    Quoted(Quoted),
    /// After a backslash.
    Escape(Quoted),
    /// So many hex digits of `\u` are missing.
    Hex(Quoted, u8),
    Number,
    /// So many letters of `true`, `false` or `null` are read; the first letter tells which.
    Literal(u8, u8),
    Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Key,
    String,
}

impl Quoted {
    fn kind(self) -> Kind {
        match self {
            Self::Key => Kind::Key,
            Self::String => Kind::String,
        }
    }
}

impl State {
    /// Takes one byte and says what it is.
    fn step(&mut self, byte: u8) -> Kind {
        match self.mode {
            Mode::Escape(quoted) => self.escape(quoted, byte),
            Mode::Hex(quoted, left) if byte.is_ascii_hexdigit() => {
                self.mode = if left <= 1 { Mode::Quoted(quoted) } else { Mode::Hex(quoted, left - 1) };
                Kind::Escape
            }
            Mode::Quoted(quoted) | Mode::Hex(quoted, _) => self.quoted(quoted, byte),
            Mode::Number if matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') => Kind::Number,
            Mode::Literal(first, read) if literal(first).get(usize::from(read)) == Some(&byte) => {
                self.mode = Mode::Literal(first, read + 1);
                Kind::Literal
            }
            Mode::Word | Mode::Literal(..) if !ends_word(byte) => {
                self.mode = Mode::Word;
                Kind::Text
            }
            Mode::Ground | Mode::Number | Mode::Literal(..) | Mode::Word => self.ground(byte),
        }
    }

    fn ground(&mut self, byte: u8) -> Kind {
        self.mode = Mode::Ground;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => Kind::Space,
            b'{' => self.open(1),
            b'[' => self.open(0),
            b'}' | b']' => self.close(),
            b',' => self.after(self.depth > 0 && self.objects & 1 == 1),
            b':' => self.after(false),
            b'"' => {
                let quoted = if self.key_next { Quoted::Key } else { Quoted::String };
                self.mode = Mode::Quoted(quoted);
                self.key_next = false;
                quoted.kind()
            }
            b'0'..=b'9' | b'-' => self.begin(Mode::Number, Kind::Number),
            b't' | b'f' | b'n' if self.depth > 0 => self.begin(Mode::Literal(byte, 1), Kind::Literal),
            _ => self.begin(Mode::Word, Kind::Text),
        }
    }

    fn begin(&mut self, mode: Mode, kind: Kind) -> Kind {
        self.mode = mode;
        kind
    }

    fn after(&mut self, key_next: bool) -> Kind {
        self.key_next = key_next;
        Kind::Punct
    }

    fn open(&mut self, object: u64) -> Kind {
        self.depth = self.depth.saturating_add(1);
        self.objects = self.objects << 1 | object;
        self.after(object == 1)
    }

    fn close(&mut self) -> Kind {
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
        self.after(false)
    }

    fn quoted(&mut self, quoted: Quoted, byte: u8) -> Kind {
        self.mode = Mode::Quoted(quoted);
        match byte {
            b'"' => self.begin(Mode::Ground, quoted.kind()),
            b'\\' => self.begin(Mode::Escape(quoted), Kind::Escape),
            // No string holds a raw newline: one missing quote must not colour the rest.
            b'\n' => self.begin(Mode::Ground, Kind::Space),
            _ => quoted.kind(),
        }
    }

    fn escape(&mut self, quoted: Quoted, byte: u8) -> Kind {
        match byte {
            b'u' => self.begin(Mode::Hex(quoted, 4), Kind::Escape),
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.begin(Mode::Quoted(quoted), Kind::Escape),
            b'\n' => self.begin(Mode::Ground, Kind::Space),
            _ => self.begin(Mode::Quoted(quoted), quoted.kind()),
        }
    }
}

fn literal(first: u8) -> &'static [u8] {
    match first {
        b't' => b"true",
        b'f' => b"false",
        _ => b"null",
    }
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"')
}

/// Lexes the next piece of text; `base` is its offset in the whole. Calls `emit` for every run in order, without gaps.
pub fn lex(state: &mut State, text: &str, base: usize, mut emit: impl FnMut(Token)) {
    let mut open: Option<(usize, Kind)> = None;
    for (at, byte) in text.bytes().enumerate() {
        let kind = state.step(byte);
        match open {
            Some((_, k)) if k == kind => {}
            Some((start, k)) => {
                emit(Token { start: base + start, end: base + at, kind: k });
                open = Some((at, kind));
            }
            None => open = Some((at, kind)),
        }
    }
    if let Some((start, kind)) = open {
        emit(Token { start: base + start, end: base + text.len(), kind });
    }
}

/// All runs of a text (for editors and short texts).
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    lex(&mut State::default(), text, 0, |t| out.push(t));
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(text: &str) -> Vec<(&str, Kind)> {
        let runs = tokens(text).into_iter();
        runs.map(|t| (text.get(t.start..t.end).unwrap(), t.kind)).filter(|(_, k)| *k != Kind::Space).collect()
    }

    #[test]
    fn tells_keys_from_strings_and_escapes_from_text() {
        use Kind::{Escape, Key, Literal, Number, Punct, String};
        assert_eq!(
            kinds(r#"{"a\n": ["x", -1.5e3, true], "b": {"c" : null}}"#),
            vec![
                ("{", Punct),
                ("\"a", Key),
                ("\\n", Escape),
                ("\"", Key),
                (":", Punct),
                ("[", Punct),
                ("\"x\"", String),
                (",", Punct),
                ("-1.5e3", Number),
                (",", Punct),
                ("true", Literal),
                ("],", Punct),
                ("\"b\"", Key),
                (":", Punct),
                ("{", Punct),
                ("\"c\"", Key),
                (":", Punct),
                ("null", Literal),
                ("}}", Punct),
            ]
        );
    }

    #[test]
    fn prose_and_fences_stay_plain() {
        use Kind::{Key, Punct, Text};
        assert_eq!(
            kinds("the true ```json\n{\"a\""),
            vec![("the", Text), ("true", Text), ("```json", Text), ("{", Punct), ("\"a\"", Key)]
        );
    }

    #[test]
    fn a_missing_quote_ends_with_its_line() {
        assert_eq!(
            kinds("[\"a\n1]"),
            vec![("[", Kind::Punct), ("\"a", Kind::String), ("1", Kind::Number), ("]", Kind::Punct)]
        );
    }

    #[test]
    fn a_word_that_begins_like_a_literal_is_text() {
        assert_eq!(kinds("[nothing]").get(2), Some(&("othing", Kind::Text)));
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_kinds(text in r#"[\{\}\[\]:,"\\u0-9a-fntrue \n語e-]{0,60}"#, cut in 0usize..60) {
            let cut = text.floor_char_boundary(cut.min(text.len()));
            let mut per_byte = vec![];
            let mut state = State::default();
            let (a, b) = text.split_at(cut);
            lex(&mut state, a, 0, |t| per_byte.extend((t.start..t.end).map(|i| (i, t.kind))));
            lex(&mut state, b, cut, |t| per_byte.extend((t.start..t.end).map(|i| (i, t.kind))));
            let whole: Vec<_> = tokens(&text).iter().flat_map(|t| (t.start..t.end).map(|i| (i, t.kind))).collect();
            prop_assert_eq!(&per_byte, &whole);
            prop_assert_eq!(whole.len(), text.len());
            for t in tokens(&text) {
                prop_assert!(text.is_char_boundary(t.start) && text.is_char_boundary(t.end));
            }
        }
    }
}
