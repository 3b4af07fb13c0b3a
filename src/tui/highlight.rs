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
        }
    }
}

/// A piece of text of one kind; byte offsets into the lexed text plus the given base. A token cut by the end of the text
/// goes on as a second piece of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// Where the lexer stands between two pieces of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    _todo: (),
}

/// Lexes the next piece of text; `base` is its offset in the whole. Calls `emit` for every token in order, without gaps.
pub fn lex(state: &mut State, text: &str, base: usize, emit: impl FnMut(Token)) {
    let _ = (state, text, base, emit);
    todo!()
}

/// All tokens of a text (for editors and short texts).
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    lex(&mut State::default(), text, 0, |t| out.push(t));
    out
}
