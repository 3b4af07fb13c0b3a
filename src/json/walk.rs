//! A walk over the tokens of a JSON text that may be broken or half typed: where one is, and what stands around it.
//!
//! Judges nothing, recurses nowhere, reads every byte once. A string ends with its line, so that one missing quote does
//! not swallow the rest; comments count as space. Depth is bounded: what lies deeper is counted, not kept.

use super::Span;

/// Open containers that are kept; nobody's caret stands deeper.
const MAX_OPEN: usize = 512;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    Open,
    Close,
    Comma,
    Colon,
    /// A text with its quotes; the closing one may be missing.
    Text,
    /// A number, a literal, or what should be one.
    Word,
}

/// What a place in a container is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    Key,
    Value,
}

/// An open container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Byte offset of its bracket.
    pub at: usize,
    pub object: bool,
    /// Items or members before the one at hand.
    pub index: usize,
    /// The key of the member at hand, with its quotes.
    pub key: Option<Span>,
    colon: bool,
    /// The member or item at hand has its value.
    filled: bool,
}

impl Open {
    fn slot(&self) -> Slot {
        if self.object && !self.colon { Slot::Key } else { Slot::Value }
    }
}

/// A walk that can be stopped, kept, and gone on with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// How far it came: just behind a token.
    pub at: usize,
    pub open: Vec<Open>,
    /// Containers beyond [`MAX_OPEN`].
    deeper: usize,
}

/// What stands at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub slot: Slot,
    /// The text or word the place touches.
    pub token: Option<Span>,
    /// The keys and indexes that lead there, decoded; that of a key that is being typed included.
    pub path: Vec<String>,
    /// Where the container begins that holds it.
    pub container: Option<usize>,
    /// A colon follows the token.
    pub colon_follows: bool,
}

impl Walk {
    /// A walk that begins at a value.
    #[must_use]
    pub fn from(at: usize) -> Self {
        Self { at, ..Self::default() }
    }

    /// Where it stands goes on here: at the end of white space and comments.
    fn skip_space(text: &[u8], mut at: usize) -> usize {
        loop {
            match text.get(at..).unwrap_or_default() {
                [b' ' | b'\t' | b'\n' | b'\r', ..] => at += 1,
                [0xEF, 0xBB, 0xBF, ..] => at += 3,
                [b'/', b'/', rest @ ..] => at += 2 + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', rest @ ..] => {
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    at += 2 + end.map_or(rest.len(), |end| end + 2);
                }
                _ => return at,
            }
        }
    }

    /// The token that begins at or after a place.
    fn token(text: &str, from: usize) -> Option<(Token, Span)> {
        let bytes = text.as_bytes();
        let start = Self::skip_space(bytes, from);
        let (token, end) = match bytes.get(start)? {
            b'{' | b'[' => (Token::Open, start + 1),
            b'}' | b']' => (Token::Close, start + 1),
            b',' => (Token::Comma, start + 1),
            b':' => (Token::Colon, start + 1),
            b'"' => (Token::Text, text_end(bytes, start + 1)),
            _ => (Token::Word, word_end(bytes, start)),
        };
        Some((token, Span { start, end }))
    }

    /// The next token, without taking it.
    #[must_use]
    pub fn peek(&self, text: &str) -> Option<(Token, Span)> {
        Self::token(text, self.at)
    }

    /// Takes the next token.
    pub fn step(&mut self, text: &str) -> Option<(Token, Span)> {
        let (token, span) = self.peek(text)?;
        self.take(text, token, span);
        Some((token, span))
    }

    fn take(&mut self, text: &str, token: Token, span: Span) {
        self.at = span.end;
        match token {
            Token::Open => self.enter(text, span.start),
            Token::Close if self.deeper > 0 => self.deeper -= 1,
            Token::Close => {
                self.open.pop();
                self.fill();
            }
            Token::Comma => {
                if let Some(top) = self.top() {
                    (top.index, top.key, top.colon, top.filled) = (top.index + 1, None, false, false);
                }
            }
            Token::Colon => {
                if let Some(top) = self.top() {
                    top.colon = true;
                }
            }
            Token::Text | Token::Word => self.scalar(token, span),
        }
    }

    /// The innermost container, unless it is too deep to be kept.
    fn top(&mut self) -> Option<&mut Open> {
        if self.deeper > 0 { None } else { self.open.last_mut() }
    }

    fn enter(&mut self, text: &str, at: usize) {
        if self.open.len() >= MAX_OPEN {
            self.deeper += 1;
            return;
        }
        let object = text.as_bytes().get(at) == Some(&b'{');
        self.open.push(Open { at, object, index: 0, key: None, colon: false, filled: false });
    }

    fn fill(&mut self) {
        if let Some(top) = self.top() {
            top.filled = true;
        }
    }

    fn scalar(&mut self, token: Token, span: Span) {
        let Some(top) = self.top() else { return };
        // A text behind a whole member: the comma between is missing.
        if top.object && top.filled && token == Token::Text {
            (top.index, top.key, top.colon, top.filled) = (top.index + 1, None, false, false);
        }
        match top.slot() {
            Slot::Key => top.key = Some(span),
            Slot::Value => top.filled = true,
        }
    }

    /// Goes on to a place: takes what ends before it.
    pub fn to(&mut self, text: &str, offset: usize) {
        while let Some((token, span)) = self.peek(text) {
            let touches = matches!(token, Token::Text | Token::Word) && span.end >= offset;
            if span.end > offset || touches {
                return;
            }
            self.take(text, token, span);
        }
    }

    /// What stands at a place the walk was taken [`to`](Self::to).
    #[must_use]
    pub fn place(&self, text: &str, offset: usize) -> Place {
        let next = self.peek(text).filter(|(token, span)| {
            matches!(token, Token::Text | Token::Word) && span.start <= offset && offset <= span.end
        });
        let mut here = self.clone();
        if let Some((token, span)) = next {
            here.take(text, token, span);
        }
        let colon_follows = next.is_some() && here.peek(text).is_some_and(|(token, _)| token == Token::Colon);
        // A text that a colon follows is a key, whatever came before it.
        let top = here.open.last();
        let slot = match top {
            Some(top) if next.is_some() && top.object && !top.colon => Slot::Key,
            Some(_) if next.is_some() => Slot::Value,
            Some(top) => top.slot(),
            None => Slot::Value,
        };
        Place {
            slot,
            token: next.map(|(_, span)| span),
            path: here.open.iter().filter_map(|open| open.step(text)).collect(),
            container: here.open.last().map(|open| open.at),
            colon_follows,
        }
    }
}

impl Open {
    /// The step of a path that leads into the member or item at hand.
    fn step(&self, text: &str) -> Option<String> {
        if self.object { self.key.map(|key| decoded(text, key)) } else { Some(self.index.to_string()) }
    }
}

/// What a text says; one that is broken says what stands between its quotes.
#[must_use]
pub fn decoded(text: &str, span: Span) -> String {
    let written = text.get(span.start..span.end).unwrap_or_default();
    let plain = || written.trim_start_matches('"').trim_end_matches('"').to_owned();
    super::parse::text(written).unwrap_or_else(plain)
}

fn text_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' if bytes.get(at + 1).is_some_and(|b| *b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let ends = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b']' | b'}' | b'{' | b'[' | b'"');
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(ends).unwrap_or(rest.len()).max(1)
}

/// One member of an object: key and, where it has come to that, the first byte of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    pub key: Span,
    pub value: Option<usize>,
}

/// The members of the object that begins at a place, as far as `most` bytes behind it.
#[must_use]
pub fn members(text: &str, at: usize, most: usize) -> Vec<Member> {
    let mut out: Vec<Member> = Vec::new();
    let mut walk = Walk::from(at);
    if walk.step(text).is_none_or(|(token, _)| token != Token::Open) || !walk.open.iter().all(|open| open.object) {
        return out;
    }
    while let Some((token, span)) = walk.step(text).filter(|(_, span)| span.start < at.saturating_add(most)) {
        let depth = walk.open.len();
        if depth == 0 {
            break;
        }
        let top = walk.open.first().filter(|_| walk.deeper == 0);
        match token {
            Token::Text if depth == 1 && top.is_some_and(|top| top.key == Some(span)) => {
                out.push(Member { name: decoded(text, span), key: span, value: None });
            }
            Token::Text | Token::Word if depth == 1 => set_value(&mut out, span.start),
            Token::Open if depth == 2 => set_value(&mut out, span.start),
            _ => {}
        }
    }
    out
}

fn set_value(members: &mut [Member], at: usize) {
    if let Some(member) = members.last_mut().filter(|member| member.value.is_none()) {
        member.value = Some(at);
    }
}

/// The texts of the list that begins at a place, decoded, as far as `most` bytes behind it.
#[must_use]
pub fn texts(text: &str, at: usize, most: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut walk = Walk::from(at);
    if walk.step(text).is_none_or(|(token, _)| token != Token::Open) {
        return out;
    }
    while let Some((token, span)) = walk.step(text).filter(|(_, span)| span.start < at.saturating_add(most)) {
        if walk.open.is_empty() {
            break;
        }
        if token == Token::Text && walk.open.len() == 1 {
            out.push(decoded(text, span));
        }
    }
    out
}

/// Stops of walks over one text, so that a place far along it is come to from near by.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    stops: Vec<Walk>,
}

/// Bytes between two stops.
const STRIDE: usize = 16 * 1024;

impl Trail {
    /// The text changed from this byte on.
    pub fn forget(&mut self, at: usize) {
        self.stops.retain(|stop| stop.at < at);
    }

    /// The walk to a place.
    #[must_use]
    pub fn walk(&mut self, text: &str, offset: usize) -> Walk {
        loop {
            let last = self.stops.iter().rev().find(|stop| stop.at < offset).cloned().unwrap_or_default();
            let next = last.at + STRIDE;
            let mut walk = last;
            if next >= offset {
                walk.to(text, offset);
                return walk;
            }
            let from = walk.at;
            walk.to(text, next);
            if walk.at <= from || self.stops.last().is_some_and(|stop| stop.at >= walk.at) {
                // One token reaches over the whole stride.
                walk.to(text, offset);
                return walk;
            }
            self.stops.push(walk);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Part, locate, push_token};

    /// The place at `|`.
    fn at(marked: &str) -> (Slot, String, Option<String>) {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let mut walk = Walk::default();
        walk.to(&text, offset);
        let place = walk.place(&text, offset);
        let token = place.token.map(|span| text.get(span.start..span.end).unwrap().to_owned());
        (place.slot, place.path.join("/"), token)
    }

    #[test]
    fn places_of_whole_and_half_typed_texts() {
        use Slot::{Key, Value};
        for (marked, slot, path, token) in [
            ("|", Value, "", None),
            ("{|", Key, "", None),
            ("{\"ty|", Key, "ty", Some("\"ty")),
            ("{\"type\"|", Key, "type", Some("\"type\"")),
            ("{\"type\": |", Value, "type", None),
            ("{\"type\": \"str|", Value, "type", Some("\"str")),
            ("{\"type\": \"str|\n}", Value, "type", Some("\"str")),
            ("{\"a\": 1, |}", Key, "", None),
            ("{\"a\": 1, \"b|\": 2}", Key, "b", Some("\"b\"")),
            ("{\"a\": 1 \"b\": |", Value, "b", None),
            ("{\"a\": [1, {\"b\": t|rue}]}", Value, "a/1/b", Some("true")),
            ("{\"a\": [\"x\", |]}", Value, "a/1", None),
            ("{\"a\": {} |}", Value, "a", None),
            ("{\"a\\u0041\": 1|}", Value, "aA", Some("1")),
            ("[{\"a\": \"x\\\"{\", \"b\": |}]", Value, "0/b", None),
            ("{ // \"c\": {\n \"a\": |", Value, "a", None),
            ("{\"a\": /* { */ 1, \"|", Key, "", Some("\"")),
        ] {
            let token = token.map(str::to_owned);
            assert_eq!(at(marked), (slot, path.to_owned(), token), "{marked}");
        }
    }

    #[test]
    fn members_and_texts_are_read_shallowly() {
        let text = r#"x {"a": {"z": 1}, "b": [1, "q"], "c": , "d"} {"e": 1}"#;
        let names: Vec<_> = members(text, 2, 999).into_iter().map(|m| (m.name, m.value.is_some())).collect();
        let wanted = [("a", true), ("b", true), ("c", false), ("d", false)];
        assert_eq!(names, wanted.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(texts(r#"["a", ["x"], "b", 1"#, 0, 999), ["a", "b"]);
        assert!(members("[1]", 0, 99).is_empty() && members("", 0, 99).is_empty());
    }

    #[test]
    fn depth_is_bounded() {
        let text = "[".repeat(100_000);
        let mut walk = Walk::default();
        walk.to(&text, text.len());
        assert_eq!((walk.open.len(), walk.at), (MAX_OPEN, text.len()));
        let closed = text.clone() + &"]".repeat(100_000) + "1";
        let mut walk = Walk::default();
        walk.to(&closed, closed.len() - 1);
        assert!(walk.open.is_empty());
    }

    proptest! {
        #[test]
        fn a_trail_comes_to_the_same_place_and_no_text_breaks_it(
            text in r#"[\{\}\[\]:,"\\/*0-9a-c \n語]{0,200}"#,
            cut in 0usize..220,
        ) {
            let cut = text.floor_char_boundary(cut.min(text.len()));
            let mut walk = Walk::default();
            walk.to(&text, cut);
            let place = walk.place(&text, cut);
            if let Some(span) = place.token {
                prop_assert!(text.get(span.start..span.end).is_some() && span.start <= cut && cut <= span.end);
            }
            let long = format!("{}{text}", "[1,\"a\"], ".repeat(5_000));
            let offset = long.len() - text.len() + cut;
            let mut straight = Walk::default();
            straight.to(&long, offset);
            let mut trail = Trail::default();
            prop_assert_eq!(&trail.walk(&long, offset), &straight);
            prop_assert_eq!(&trail.walk(&long, offset), &straight);
            trail.forget(20_000);
            prop_assert_eq!(&trail.walk(&long, offset), &straight);
        }

        #[test]
        fn the_path_of_a_value_is_the_pointer_that_locates_it(seed in 0usize..8) {
            let text = r#"{"a": [1, {"b~/": "x", "c": [[], {"d": null}]}], "e": {"f": {"g": [3, 4]}}}"#;
            let offsets: Vec<usize> = ["1, {", "\"x\"", "null", "3, 4", "4]", "1", "x\"", "ull"]
                .iter().map(|t| text.find(t).unwrap()).collect();
            let offset = offsets[seed];
            let mut walk = Walk::default();
            walk.to(text, offset);
            let place = walk.place(text, offset);
            let mut pointer = String::new();
            place.path.iter().for_each(|step| push_token(&mut pointer, step));
            prop_assert_eq!(locate(text, &pointer, Part::Value), place.token, "{}", pointer);
        }
    }
}
