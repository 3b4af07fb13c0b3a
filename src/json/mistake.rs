//! What a slip in a text means: looks at the text around the place where the parser stopped and names the habit behind
//! it (a fence, a comment, a trailing comma, …).
//!
//! Mends nothing and guesses no value. Its sentences are fixed: no piece of the text gets into them.

use super::parse::Slip;
use super::{Hint, SPACE};

pub(super) const REPEATED_KEY: &str = "An object holds the same key twice; every key may stand only once.";
pub(super) const CONTROL_CHARACTER: &str =
    "A text holds a raw control character (a line end or tab, for instance); it must be written as an escape.";
pub(super) const TRUNCATED_TEXT: &str = "The document ends inside a text; the rest of it is missing.";
pub(super) const BAD_ESCAPE: &str = "A backslash in a text starts no JSON escape; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits.";
pub(super) const BAD_UNICODE_ESCAPE: &str = "A \\u escape needs exactly four hexadecimal digits.";
pub(super) const LONE_SURROGATE: &str =
    "A \\u escape is half of a surrogate pair and its other half is missing; it stands for no character.";

/// What the parser was ready to read where it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// The first character of the document.
    Document,
    /// A value inside an array or object.
    Value,
    /// A member's key.
    Key,
    /// The colon after a key.
    Colon,
    /// A comma or the closing bracket.
    Delimiter,
    /// Nothing more.
    End,
}

type Found = (Hint, &'static str);

/// Marks that say the same wherever they stand outside a text.
const MARKS: [(&str, Found); 9] = [
    ("\u{FEFF}", (Hint::ByteOrderMark, "A byte order mark (U+FEFF) stands outside a text; JSON has none.")),
    ("```", FENCE),
    ("~~~", FENCE),
    ("//", COMMENT),
    ("/*", COMMENT),
    ("\\\"", (Hint::DoubleEncoded, "A quote outside a text is escaped: the document was encoded twice.")),
    ("\u{201C}", CURLY_QUOTES),
    ("\u{201D}", CURLY_QUOTES),
    ("\u{201E}", CURLY_QUOTES),
];
const FENCE: Found =
    (Hint::Fence, "A Markdown code fence stands around or in the document; only the JSON itself may be there.");
const COMMENT: Found = (Hint::Comment, "JSON has no comments.");
const CURLY_QUOTES: Found = (Hint::Syntax, "Typographic quotes stand where JSON needs straight double quotes.");
const SINGLE_QUOTES: Found = (Hint::SingleQuotes, "Single quotes stand where JSON needs double quotes.");
const STRANGE_SPACE: Found =
    (Hint::Syntax, "White space that JSON does not know; only space, tab, CR and LF may stand between its parts.");
const TRAILING_COMMA: Found = (Hint::TrailingComma, "A comma stands after the last element or member.");
const BAD_NUMBER: Found = (
    Hint::BadNumber,
    "This is no JSON number: no leading zero or plus, digits on both sides of the point and after the exponent.",
);
const NON_FINITE: Found = (Hint::NonFinite, "JSON has no number that is infinite or not a number.");
const BAD_LITERAL: Found =
    (Hint::BadLiteral, "A bare word is no value; JSON knows true, false and null, and texts stand in double quotes.");
const TRUNCATED: Found = (Hint::Truncated, "The text ends inside the document; the rest of it is missing.");
const PROSE_BEFORE: Found =
    (Hint::ProseBefore, "Other text stands before the JSON document; only the document may be there.");
const ONLY_PROSE: Found =
    (Hint::ProseBefore, "Other text stands where a JSON document is expected, and no document follows.");
const PROSE_AFTER: Found =
    (Hint::ProseAfter, "Other text stands after the JSON document; only the document may be there.");
const SECOND: Found = (Hint::SecondDocument, "A second JSON document follows the first; exactly one is expected.");

/// Words that other languages use for numbers that are not finite, in lower case and without their sign.
const NON_FINITE_WORDS: [&str; 3] = ["nan", "infinity", "inf"];
const LITERALS: [&str; 3] = ["true", "false", "null"];

/// Names the slip at `at`.
pub(super) fn slip(text: &str, at: usize, expected: Expected) -> Slip {
    let before = text.get(..at).unwrap_or_default();
    let rest = text.get(at..).unwrap_or_default();
    let (hint, message) =
        end_of_text(rest, expected).or_else(|| mark(rest, expected)).unwrap_or_else(|| match expected {
            Expected::Document => at_document(rest),
            Expected::Value => at_value(before, rest),
            Expected::Key => at_key(before, rest),
            Expected::Colon => (Hint::Syntax, "A colon is expected after a key."),
            Expected::Delimiter => at_delimiter(before, rest),
            Expected::End => at_end(rest),
        });
    Slip::new(hint, place(before, text, hint), message)
}

/// Where a reader should look: mostly where the parser stopped.
fn place(before: &str, text: &str, hint: Hint) -> usize {
    if hint == Hint::Truncated {
        // The last word may have begun earlier, but what is missing is missing at the end.
        text.len()
    } else if hint == Hint::TrailingComma {
        before.trim_end_matches(SPACE).strip_suffix(',').unwrap_or(before).len()
    } else {
        before.len()
    }
}

/// Names the slip in the number that starts at `at`.
pub(super) fn number(text: &str, at: usize, expected: Expected) -> Slip {
    let rest = text.get(at..).unwrap_or_default();
    let written = rest.bytes().take_while(|&b| continues_number(b)).count();
    let digits = rest.strip_prefix('-').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit());
    let (hint, message) = match expected {
        Expected::Value if written == rest.len() && cut_number(rest) => {
            return Slip::new(TRUNCATED.0, text.len(), TRUNCATED.1);
        }
        // `1. First, …` begins a sentence or a list, no number.
        Expected::Document if follows_prose(rest, written) => prose(rest),
        _ if digits => BAD_NUMBER,
        _ => return slip(text, at, expected),
    };
    Slip::new(hint, at, message)
}

/// Why bytes are no UTF-8.
pub(super) fn not_utf8(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "The text is UTF-16 by its byte order mark; JSON is read as UTF-8.",
        _ => "The text is not valid UTF-8 here.",
    }
}

/// Bytes that belong to a bare word.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Bytes that, right after a number, say that the number itself is wrong.
pub(super) const fn continues_number(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'+' | b'-')
}

/// True when more characters could make this beginning a number: `-`, `1.`, `2e`, `2e+`.
fn cut_number(written: &str) -> bool {
    let longer = [written, "0"].concat();
    super::parse::is_number(&longer)
}

fn end_of_text(rest: &str, expected: Expected) -> Option<Found> {
    if !rest.is_empty() {
        return None;
    }
    Some(match expected {
        Expected::Document => (Hint::Empty, "The text is empty; a JSON document is expected."),
        Expected::Value | Expected::Key | Expected::Colon | Expected::Delimiter | Expected::End => TRUNCATED,
    })
}

fn mark(rest: &str, expected: Expected) -> Option<Found> {
    if let Some((_, found)) = MARKS.iter().find(|(mark, _)| rest.starts_with(mark)) {
        return Some(*found);
    }
    match rest.chars().next()? {
        // One mark is a comment of other languages, more are a Markdown heading.
        '#' if !rest.starts_with("##") => Some(COMMENT),
        '\'' | '`' | '\u{2018}' | '\u{2019}' if expected != Expected::End => Some(SINGLE_QUOTES),
        first if first.is_whitespace() || ('\u{200B}'..='\u{200F}').contains(&first) || first == '\u{2060}' => {
            Some(STRANGE_SPACE)
        }
        _ => None,
    }
}

fn at_document(rest: &str) -> Found {
    match rest.as_bytes().first() {
        Some(b'}' | b']') => return (Hint::Syntax, "A closing bracket stands where a JSON document is expected."),
        Some(b',' | b':') => return (Hint::Syntax, "A comma or colon stands where a JSON document is expected."),
        _ => {}
    }
    let (word, after) = split_word(rest);
    let alone = after.trim_matches(SPACE).is_empty();
    if signed_number(rest) || matches!(rest.trim_end_matches(SPACE), "+" | "-" | ".") {
        return BAD_NUMBER;
    }
    match bare_word(word, after) {
        Some(found) if alone => found,
        _ => prose(rest),
    }
}

fn prose(rest: &str) -> Found {
    if rest.contains(['{', '[']) { PROSE_BEFORE } else { ONLY_PROSE }
}

fn follows_prose(rest: &str, from: usize) -> bool {
    rest.get(from..).is_some_and(|after| after.contains(|c: char| c.is_alphabetic() || matches!(c, '{' | '[')))
}

fn at_value(before: &str, rest: &str) -> Found {
    match rest.as_bytes().first() {
        Some(b'}' | b']') if follows_comma(before) => return TRAILING_COMMA,
        Some(b'}' | b']') => return (Hint::Syntax, "A value is missing before the closing bracket."),
        Some(b',') => return (Hint::Syntax, "A value is missing before the comma."),
        Some(b':') => return (Hint::Syntax, "A colon stands where a value is expected."),
        _ => {}
    }
    if rest.starts_with("...") || rest.starts_with('\u{2026}') {
        return (Hint::Syntax, "An ellipsis stands where a value is expected; every element must be written out.");
    }
    let (word, after) = split_word(rest);
    match bare_word(word, after) {
        Some(found) => found,
        None if rest.starts_with(['+', '-', '.']) => BAD_NUMBER,
        None => (Hint::Syntax, "A value is expected."),
    }
}

fn at_key(before: &str, rest: &str) -> Found {
    let unquoted = |first: char| first.is_alphanumeric() || matches!(first, '_' | '$' | '-');
    if rest.starts_with('}') && follows_comma(before) {
        TRAILING_COMMA
    } else if rest.starts_with(unquoted) {
        (Hint::UnquotedKey, "A key must stand in double quotes.")
    } else if rest.starts_with(',') {
        (Hint::Syntax, "A member is missing before the comma.")
    } else if rest.starts_with("...") || rest.starts_with('\u{2026}') {
        (Hint::Syntax, "An ellipsis stands where a member is expected; every member must be written out.")
    } else {
        (Hint::Syntax, "A key in double quotes is expected.")
    }
}

fn at_delimiter(before: &str, rest: &str) -> Found {
    match rest.as_bytes().first() {
        Some(b'}' | b']') => (Hint::Syntax, "The closing bracket does not match the opening one."),
        Some(b':') => (Hint::Syntax, "A colon stands where a comma or the closing bracket is expected."),
        // `"a"b"`: what follows a text directly is most likely its own rest.
        Some(&b) if before.ends_with('"') && is_word(b) => {
            (Hint::Syntax, "A text is followed by a word: a quote inside a text must be escaped.")
        }
        Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b'a'..=b'z') => {
            (Hint::Syntax, "A comma is missing between two values.")
        }
        _ => (Hint::Syntax, "A comma or the closing bracket is expected."),
    }
}

fn at_end(rest: &str) -> Found {
    match rest.as_bytes().first() {
        Some(b'}' | b']') => (Hint::Syntax, "There is one closing bracket too many."),
        Some(b':') => (Hint::Syntax, "A member stands outside an object: the braces around it are missing."),
        Some(b',') => after_comma(rest),
        Some(b'{' | b'[' | b'"') => SECOND,
        _ if scalar_line(rest) => SECOND,
        _ => PROSE_AFTER,
    }
}

/// What a comma after the document means: `{},{}` is a list without brackets, `{},` a comma too many.
fn after_comma(rest: &str) -> Found {
    let next = rest.get(1..).unwrap_or_default().trim_start_matches(SPACE);
    if next.is_empty() {
        TRAILING_COMMA
    } else if next.starts_with(['{', '[', '"']) || scalar_line(next) {
        SECOND
    } else {
        PROSE_AFTER
    }
}

/// True when the next line is nothing but a scalar.
fn scalar_line(rest: &str) -> bool {
    let line = rest.split(['\n', '\r']).next().unwrap_or_default().trim_matches(SPACE);
    LITERALS.contains(&line) || super::parse::is_number(line)
}

fn follows_comma(before: &str) -> bool {
    before.trim_end_matches(SPACE).ends_with(',')
}

fn signed_number(rest: &str) -> bool {
    let digits = rest.trim_start_matches(['+', '-', '.']);
    digits.len() < rest.len() && rest.len() - digits.len() <= 2 && digits.starts_with(|c: char| c.is_ascii_digit())
}

/// The bare word (with its sign) at the start of a text, and what follows it.
fn split_word(rest: &str) -> (&str, &str) {
    let sign = usize::from(rest.starts_with(['+', '-']));
    let letters = rest.bytes().skip(sign).take_while(|&b| is_word(b)).count();
    rest.split_at_checked(sign + letters).unwrap_or((rest, ""))
}

/// What a bare word in place of a value means.
fn bare_word(word: &str, after: &str) -> Option<Found> {
    let name = word.trim_start_matches(['+', '-']);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$')) {
        return None;
    }
    if after.is_empty() && LITERALS.iter().any(|literal| literal.starts_with(word)) {
        return Some(TRUNCATED);
    }
    let finite = !NON_FINITE_WORDS.contains(&name.to_ascii_lowercase().as_str());
    Some(if finite { BAD_LITERAL } else { NON_FINITE })
}
