//! Writing a value as text, canonical or for people. Walks with an explicit stack: depth is the caller's affair.
//!
//! Does not change a number's digits and escapes nothing that JSON lets stand.

use super::{Map, Value};

/// Canonical JSON (ENGINE §3): keys sorted by code point, no spaces, shortest escapes, numbers as written.
#[must_use]
pub fn canonical(value: &Value) -> String {
    Writer::new(Layout::Canonical).write(value)
}

/// Indented for people: two spaces, keys in the author's order, numbers as written.
#[must_use]
pub fn pretty(value: &Value) -> String {
    Writer::new(Layout::Pretty).write(value)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Canonical,
    Pretty,
}

/// An open container: what of it is still to be written, and whether anything was.
struct Open<'v> {
    rest: Rest<'v>,
    begun: bool,
}

enum Rest<'v> {
    Items(std::slice::Iter<'v, Value>),
    Members(std::vec::IntoIter<(&'v String, &'v Value)>),
}

struct Writer<'v> {
    out: String,
    layout: Layout,
    open: Vec<Open<'v>>,
}

impl<'v> Writer<'v> {
    fn new(layout: Layout) -> Self {
        Self { out: String::new(), layout, open: Vec::new() }
    }

    fn write(mut self, value: &'v Value) -> String {
        self.value(value);
        while let Some(next) = self.next() {
            self.value(next);
        }
        self.out
    }

    /// Writes a scalar or an empty container whole; opens any other container.
    fn value(&mut self, value: &'v Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) => self.out.push_str(number.as_str()),
            Value::String(text) => quote(&mut self.out, text),
            Value::Array(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Array(items) => self.begin('[', Rest::Items(items.iter())),
            Value::Object(members) if members.is_empty() => self.out.push_str("{}"),
            Value::Object(members) => self.begin('{', Rest::Members(in_order(members, self.layout))),
        }
    }

    fn begin(&mut self, bracket: char, rest: Rest<'v>) {
        self.out.push(bracket);
        self.open.push(Open { rest, begun: false });
    }

    /// The next value to write; the comma and the key before it are written. `None` at the end of the document.
    fn next(&mut self) -> Option<&'v Value> {
        loop {
            let top = self.open.last_mut()?;
            let (found, close) = match &mut top.rest {
                Rest::Items(items) => (items.next().map(|item| (None, item)), ']'),
                Rest::Members(members) => (members.next().map(|(key, member)| (Some(key), member)), '}'),
            };
            let Some((key, value)) = found else {
                self.open.pop();
                self.line();
                self.out.push(close);
                continue;
            };
            if std::mem::replace(&mut top.begun, true) {
                self.out.push(',');
            }
            self.line();
            if let Some(key) = key {
                quote(&mut self.out, key);
                self.out.push_str(if self.layout == Layout::Pretty { ": " } else { ":" });
            }
            return Some(value);
        }
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.open.len()));
        }
    }
}

/// The members in the order they are written. UTF-8 sorts like code points do.
fn in_order(members: &Map<String, Value>, layout: Layout) -> std::vec::IntoIter<(&String, &Value)> {
    let mut list: Vec<_> = members.iter().collect();
    if layout == Layout::Canonical {
        list.sort_unstable_by_key(|(key, _)| *key);
    }
    list.into_iter()
}

/// Appends a text in quotes; plain runs are copied whole.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some((at, byte)) =
        rest.bytes().enumerate().find(|&(_, byte)| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        escape(out, byte);
        rest = tail.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out.push('"');
}

fn escape(out: &mut String, byte: u8) {
    const DIGITS: &str = "0123456789abcdef";
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        0x08 => out.push_str("\\b"),
        0x0C => out.push_str("\\f"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        _ => {
            out.push_str(if byte < 0x10 { "\\u000" } else { "\\u001" });
            out.extend(DIGITS.chars().nth(usize::from(byte & 15)));
        }
    }
}
