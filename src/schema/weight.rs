//! About how many tokens a schema costs when it is sent, in all and field by field. An estimate: no tokenizer is asked.
//!
//! The rule counts what tokenizers of the byte-pair kind make of JSON: words and what is long in them, digits, signs, and
//! the marks around members and items. Its numbers were fitted to the built-in model's tokenizer on real schemas;
//! `tests/weight.rs` holds the error and prints it. Other vendors' tokenizers differ, mostly by the same factor for all of a
//! schema, so shares of fields are surer than totals.

use serde::Serialize;

use crate::json::{Value, below};

/// Fields that are told.
pub const MAX_FIELDS: usize = 1_000;
/// Letters of a word that are no token more.
const SHORT_WORD: usize = 5;

/// Thousandths of a token, in the order of [`Parts`].
const PRICES: [u64; PARTS] = [945, 65, 1_000, 1_155, 365, 370, 1_420, 880, 1_020, 1_135];
const PARTS: usize = 10;

/// What a schema weighs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Weight {
    /// Estimated tokens of the canonical text.
    pub tokens: usize,
    /// Bytes of the canonical text: exact.
    pub bytes: usize,
    /// The heaviest first.
    pub fields: Vec<Field>,
    /// Fields past [`MAX_FIELDS`].
    pub omitted: usize,
}

/// One property or definition with everything below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Where in an answer: `/lines/*/price`; below a definition `Line: /price`.
    pub path: String,
    /// Pointer into the schema.
    pub pointer: String,
    pub tokens: usize,
    /// Of these, tokens of descriptions, titles, examples and comments.
    pub prose: usize,
}

/// The countable parts of a text: words, letters beyond a short word, digits, signs, bytes beyond ASCII, texts, members,
/// items, containers, and numbers and literals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts(pub [u64; PARTS]);

impl Parts {
    fn add(&mut self, part: usize, count: usize) {
        if let Some(slot) = self.0.get_mut(part) {
            *slot = slot.saturating_add(count as u64);
        }
    }

    /// Estimated tokens.
    #[must_use]
    pub fn tokens(&self) -> usize {
        let total: u64 = self.0.iter().zip(PRICES).map(|(count, price)| count.saturating_mul(price)).sum();
        usize::try_from(total.div_ceil(1_000)).unwrap_or(usize::MAX)
    }

    fn text(&mut self, text: &str) {
        self.add(5, 1);
        let (mut word, mut lower) = (0, false);
        for letter in text.chars() {
            if letter.is_ascii_alphabetic() {
                let hump = letter.is_ascii_uppercase() && lower;
                if word == 0 || hump {
                    self.add(0, 1);
                    word = 0;
                }
                word += 1;
                if word > SHORT_WORD {
                    self.add(1, 1);
                }
                lower = letter.is_ascii_lowercase();
                continue;
            }
            (word, lower) = (0, false);
            if letter.is_ascii_digit() {
                self.add(2, 1);
            } else if !letter.is_ascii() {
                self.add(4, letter.len_utf8());
            } else if letter != ' ' {
                self.add(3, 1);
            }
        }
    }

    /// Counts a value and everything in it.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let mut parts = Self::default();
        let mut stack = vec![value];
        while let Some(next) = stack.pop() {
            match next {
                Value::Null | Value::Bool(_) => parts.add(9, 1),
                Value::Number(number) => {
                    parts.add(9, 1);
                    parts.add(2, number.as_str().len());
                }
                Value::String(text) => parts.text(text),
                Value::Array(items) => {
                    parts.add(8, 1);
                    parts.add(7, items.len());
                    stack.extend(items);
                }
                Value::Object(members) => {
                    parts.add(8, 1);
                    for (name, member) in members {
                        parts.member(name);
                        stack.push(member);
                    }
                }
            }
        }
        parts
    }

    fn member(&mut self, name: &str) {
        self.add(6, 1);
        self.text(name);
    }
}

/// Weighs a schema as it stands.
#[must_use]
pub fn weigh(schema: &Value) -> Weight {
    let mut fields = Vec::new();
    let mut stack = vec![(schema, String::new(), String::new())];
    while let Some((value, pointer, path)) = stack.pop() {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let under = below(&pointer, name);
                    if is_data(name) {
                        continue;
                    }
                    match (name.as_str(), member) {
                        ("properties" | "patternProperties", Value::Object(entries)) => {
                            for (key, child) in entries {
                                let place = below(&path, key);
                                fields.push(field(key, child, below(&under, key), place.clone()));
                                stack.push((child, below(&under, key), place));
                            }
                        }
                        ("$defs" | "definitions", Value::Object(entries)) => {
                            for (key, child) in entries {
                                let place = format!("{key}: ");
                                fields.push(field(key, child, below(&under, key), key.clone()));
                                stack.push((child, below(&under, key), place));
                            }
                        }
                        ("items" | "prefixItems" | "additionalProperties", _) => {
                            stack.push((member, under, below(&path, "*")));
                        }
                        _ => stack.push((member, under, path.clone())),
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    stack.push((item, below(&pointer, &at.to_string()), path.clone()));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    fields.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.pointer.cmp(&b.pointer)));
    let omitted = fields.len().saturating_sub(MAX_FIELDS);
    fields.truncate(MAX_FIELDS);
    Weight { tokens: Parts::of(schema).tokens(), bytes: crate::json::canonical(schema).len(), fields, omitted }
}

fn field(name: &str, child: &Value, pointer: String, path: String) -> Field {
    let mut parts = Parts::of(child);
    parts.member(name);
    Field { path, pointer, tokens: parts.tokens(), prose: prose(child).tokens() }
}

/// What only people and models read.
fn prose(value: &Value) -> Parts {
    let mut all = Parts::default();
    let mut stack = vec![value];
    while let Some(next) = stack.pop() {
        match next {
            Value::Object(members) => {
                for (name, member) in members {
                    if matches!(name.as_str(), "description" | "title" | "examples" | "$comment") && !member.is_object()
                    {
                        let mut own = Parts::of(member);
                        own.member(name);
                        all.0.iter_mut().zip(own.0).for_each(|(sum, count)| *sum = sum.saturating_add(count));
                    } else {
                        stack.push(member);
                    }
                }
            }
            Value::Array(items) => stack.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    all
}

/// Keywords that hold values, not schemas.
fn is_data(name: &str) -> bool {
    matches!(name, "enum" | "const" | "default" | "examples")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{ParseLimits, parse};

    #[test]
    fn fields_are_weighed_where_they_stand() {
        let schema = parse(
            r##"{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":{"price":{"type":"number","description":"What one of them costs, in the currency of the invoice, without tax"}}}},"id":{"$ref":"#/$defs/Id"}},"$defs":{"Id":{"type":"string"}}}"##,
            ParseLimits::default(),
        )
        .unwrap();
        let weight = weigh(&schema);
        let paths: Vec<&str> = weight.fields.iter().map(|field| field.path.as_str()).collect();
        assert_eq!(paths, ["/lines", "/lines/*/price", "/id", "Id"]);
        let price = &weight.fields[1];
        assert_eq!(price.pointer, "/properties/lines/items/properties/price");
        assert!(price.prose * 2 > price.tokens && price.prose < price.tokens);
        assert!(weight.fields[0].tokens > price.tokens && weight.tokens > weight.fields[0].tokens);
        assert_eq!(weight.bytes, crate::json::canonical(&schema).len());
    }

    #[test]
    fn a_deep_schema_is_no_trouble() {
        let deep = format!("{}{{}}{}", r#"{"properties":{"a":"#.repeat(200), "}}".repeat(200));
        assert_eq!(weigh(&parse(&deep, ParseLimits::default()).unwrap()).fields.len(), 200);
    }
}
