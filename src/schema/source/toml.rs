//! TOML as JSON: its parser's tables, walked with an explicit stack. Dates, infinities and NaN are refused; JSON has
//! none. Members keep the order in which the text first names them.

use ::toml::Spanned;
use ::toml::de::{DeFloat, DeInteger, DeString, DeTable, DeValue};

use super::places::Places;
use super::{slip, too_deep};
use crate::json::{self, Hint, ParseError, ParseLimits, Span, Value, discard};

type Member<'t> = (Spanned<DeString<'t>>, Spanned<DeValue<'t>>);

/// An open table or list.
struct Open<'t> {
    rest: Rest<'t>,
    made: Value,
    /// The key whose value is being read.
    key: String,
    place: usize,
    span: Span,
}

enum Rest<'t> {
    Members(std::vec::IntoIter<Member<'t>>),
    Items(std::vec::IntoIter<Spanned<DeValue<'t>>>),
}

pub(super) fn read(text: &str, limits: ParseLimits) -> Result<(Value, Places), ParseError> {
    let table = DeTable::parse(text).map_err(|error| unreadable(text, &error))?;
    let mut walk = Walk { text, limits, places: Places::default(), open: Vec::new() };
    let made = walk.document(table.into_inner());
    walk.dismantle();
    made.map(|value| (value, walk.places))
}

fn unreadable(text: &str, error: &::toml::de::Error) -> ParseError {
    // The parser's words are fixed ones; only a quoted key could come from the text.
    let (hint, what) = match error.message() {
        words if words.contains("duplicate key") => (Hint::RepeatedKey, "the same key stands twice"),
        words if words.contains("recurs") => (Hint::TooDeep, "tables and lists are nested too deep"),
        words if words.contains('`') && words.contains("key `") => (Hint::Syntax, "a key cannot stand here"),
        words => (Hint::Syntax, words),
    };
    let at = error.span().map_or(text.len(), |span| span.start);
    slip(text, hint, at, format!("The TOML cannot be read: {what}."))
}

struct Walk<'t> {
    text: &'t str,
    limits: ParseLimits,
    places: Places,
    open: Vec<Open<'t>>,
}

impl<'t> Walk<'t> {
    fn document(&mut self, table: DeTable<'t>) -> Result<Value, ParseError> {
        self.begin_table(None, Span { start: 0, end: self.text.len() }, table);
        loop {
            let Some(top) = self.open.last_mut() else { return Ok(Value::Null) };
            let next = match &mut top.rest {
                Rest::Members(members) => members.next().map(|(key, value)| {
                    let span = key.span();
                    top.key = key.into_inner().into_owned();
                    (Some(Span { start: span.start, end: span.end }), value)
                }),
                Rest::Items(items) => items.next().map(|value| (None, value)),
            };
            match next {
                Some((key, value)) => self.value(key, value)?,
                None => {
                    if let Some(document) = self.close() {
                        return Ok(document);
                    }
                }
            }
        }
    }

    fn value(&mut self, key: Option<Span>, value: Spanned<DeValue<'t>>) -> Result<(), ParseError> {
        let span = Span { start: value.span().start, end: value.span().end };
        let at = if span.start == span.end { key.map_or(span.start, |key| key.start) } else { span.start };
        match value.into_inner() {
            DeValue::Table(table) => {
                self.begin_table(key, span, table);
                return self.deep(at);
            }
            DeValue::Array(items) => {
                let items: Vec<_> = items.into_iter().collect();
                self.begin(key, span, Rest::Items(items.into_iter()), Value::Array(Vec::new()));
                return self.deep(at);
            }
            scalar => {
                let scalar = self.scalar(&scalar, at)?;
                self.places.add(key, span);
                self.put(scalar);
            }
        }
        Ok(())
    }

    fn deep(&self, at: usize) -> Result<(), ParseError> {
        if self.open.len() > self.limits.max_depth { Err(too_deep(self.text, at, self.limits)) } else { Ok(()) }
    }

    fn begin_table(&mut self, key: Option<Span>, span: Span, table: DeTable<'t>) {
        let mut members: Vec<Member<'t>> = table.into_iter().collect();
        members.sort_by_key(|(key, _)| key.span().start);
        self.begin(key, span, Rest::Members(members.into_iter()), Value::Object(json::Map::new()));
    }

    fn begin(&mut self, key: Option<Span>, span: Span, rest: Rest<'t>, made: Value) {
        let place = self.places.add(key, span);
        self.open.push(Open { rest, made, key: String::new(), place, span });
    }

    /// Ends the innermost container; gives the document when it was the outermost.
    fn close(&mut self) -> Option<Value> {
        let open = self.open.pop()?;
        self.places.close(open.place, open.span.start, open.span.end);
        if self.open.is_empty() {
            return Some(open.made);
        }
        self.put(open.made);
        None
    }

    fn put(&mut self, value: Value) {
        let Some(top) = self.open.last_mut() else { return };
        match &mut top.made {
            Value::Object(members) => {
                members.insert(std::mem::take(&mut top.key), value);
            }
            Value::Array(items) => items.push(value),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn scalar(&self, value: &DeValue<'_>, at: usize) -> Result<Value, ParseError> {
        match value {
            DeValue::String(text) => Ok(Value::String(text.to_string())),
            DeValue::Boolean(value) => Ok(Value::Bool(*value)),
            DeValue::Integer(number) => self.integer(number, at),
            DeValue::Float(number) => self.float(number, at),
            DeValue::Datetime(_) => {
                let message = "JSON has no dates: put this one in quotes.";
                Err(slip(self.text, Hint::BadLiteral, at, message))
            }
            DeValue::Array(_) | DeValue::Table(_) => Ok(Value::Null),
        }
    }

    fn integer(&self, number: &DeInteger<'_>, at: usize) -> Result<Value, ParseError> {
        let written = number.as_str();
        let text = if number.radix() == 10 {
            written.strip_prefix('+').unwrap_or(written).to_owned()
        } else {
            let value = u128::from_str_radix(written, number.radix());
            value.map_err(|_| slip(self.text, Hint::BadNumber, at, "This number is too large."))?.to_string()
        };
        self.number(&text, at)
    }

    fn float(&self, number: &DeFloat<'_>, at: usize) -> Result<Value, ParseError> {
        let written = number.as_str();
        if written.contains("inf") || written.contains("nan") {
            let message = "JSON has no infinity and no NaN: write a number, or leave the member out.";
            return Err(slip(self.text, Hint::NonFinite, at, message));
        }
        self.number(written.strip_prefix('+').unwrap_or(written), at)
    }

    fn number(&self, text: &str, at: usize) -> Result<Value, ParseError> {
        json::parse(text, ParseLimits::default())
            .map_err(|_| slip(self.text, Hint::BadNumber, at, "This number has no JSON form."))
    }

    /// What an error left open may be nested deeper than the program's stack.
    fn dismantle(&mut self) {
        let mut left: Vec<DeValue<'t>> = Vec::new();
        for open in self.open.drain(..) {
            discard(open.made);
            match open.rest {
                Rest::Members(members) => left.extend(members.map(|(_, value)| value.into_inner())),
                Rest::Items(items) => left.extend(items.map(Spanned::into_inner)),
            }
        }
        while let Some(next) = left.pop() {
            match next {
                DeValue::Table(table) => left.extend(table.into_iter().map(|(_, value)| value.into_inner())),
                DeValue::Array(items) => left.extend(items.into_iter().map(Spanned::into_inner)),
                DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_) => {}
            }
        }
    }
}
