//! A Python dict as `print` shows it, read as JSON: quotes of both kinds, `True`, `False`, `None`, commas before a closing
//! bracket. Only literals: anything that would have to be run is no dict.

use crate::json::{self, ParseLimits, Value};
use crate::schema::source::{Form, read};

/// The value of a text that is one dict, and no JSON.
pub(super) fn dict(text: &str) -> Option<Value> {
    let text = text.trim();
    let body = assigned(text).unwrap_or(text);
    if !body.starts_with('{') || !body.ends_with('}') {
        return None;
    }
    if json::parse(body, ParseLimits::default()).is_ok() {
        return None;
    }
    let jsonc = translated(body)?;
    read(&jsonc, Form::Jsonc, ParseLimits::default()).ok().map(|document| document.value).filter(Value::is_object)
}

/// `schema = {…}`.
fn assigned(text: &str) -> Option<&str> {
    let (name, body) = text.split_once('=')?;
    let name = name.trim();
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    word.then(|| body.trim_start())
}

/// The same literal as JSON with trailing commas; `None` when something in it is no literal.
fn translated(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\'' | '"' => {
                let (value, after) = quoted(tail, letter)?;
                out.push_str(&json::canonical(&Value::String(value)));
                rest = after;
            }
            '#' => rest = tail.find('\n').map_or("", |at| tail.get(at..).unwrap_or_default()),
            c if c.is_alphabetic() => {
                let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                out.push_str(match rest.get(..end)? {
                    "True" | "true" => "true",
                    "False" | "false" => "false",
                    "None" | "null" => "null",
                    _ => return None,
                });
                rest = rest.get(end..)?;
            }
            c if c.is_ascii_digit() => {
                let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
                let end = rest.find(|c| !number(c)).unwrap_or(rest.len());
                out.push_str(rest.get(..end)?);
                rest = rest.get(end..)?;
            }
            c => {
                out.push(c);
                rest = tail;
            }
        }
    }
    Some(out)
}

/// A text up to its closing quote, Python's escapes undone, and what follows it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            c if c == quote => return Some((value, text.get(at + 1..)?)),
            '\n' => return None,
            '\\' => match letters.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                'x' => value.push(hex(&mut letters, 2)?),
                'u' => value.push(hex(&mut letters, 4)?),
                'U' => value.push(hex(&mut letters, 8)?),
                c @ ('\\' | '\'' | '"') => value.push(c),
                c => value.extend(['\\', c]),
            },
            c => value.push(c),
        }
    }
    None
}

fn hex(letters: &mut std::str::CharIndices<'_>, digits: usize) -> Option<char> {
    let code: String = letters.by_ref().take(digits).map(|(_, c)| c).collect();
    (code.len() == digits).then(|| u32::from_str_radix(&code, 16).ok().and_then(char::from_u32))?
}
