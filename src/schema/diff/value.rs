//! Whether one value meets a schema, as far as can be told without the validator: `None` is "cannot be told".

use super::arena::End;
use super::prove::Prover;
use crate::json::Value;
use crate::schema::decimal::Decimal;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::merge::same;
use crate::schema::tree::{Body, Held, Id, Word};

/// Nesting that is looked into.
const MAX_DEPTH: usize = 24;

/// All must be true; a false one decides, an unknown one spoils a true answer.
fn all(verdicts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(true);
    for verdict in verdicts {
        match verdict {
            Some(true) => {}
            Some(false) => return Some(false),
            None => answer = None,
        }
    }
    answer
}

/// Equal as JSON values.
fn equal(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => all(x.iter().zip(y).map(|(x, y)| equal(x, y))),
        (Value::Object(x), Value::Object(y)) if x.len() == y.len() => {
            all(x.iter().map(|(name, x)| y.get(name).map_or(Some(false), |y| equal(x, y))))
        }
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => Some(false),
        _ => same(a, b),
    }
}

/// Whether a value stands in a list.
pub(super) fn among(value: &Value, list: &[Value]) -> Option<bool> {
    let verdicts = list.iter().map(|other| equal(value, other).map(|yes| !yes));
    all(verdicts).map(|none| !none)
}

impl Prover {
    /// Whether the value meets the node.
    pub(super) fn meets(&mut self, value: &Value, id: Id, depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH || !self.pay(1) {
            return None;
        }
        match self.arena.node(id).body {
            Body::Any => return Some(true),
            Body::Never => return Some(false),
            Body::Words(_) => {}
        }
        let mut answer = Some(true);
        for word in self.arena.words(id) {
            match self.meets_word(value, id, &word, depth) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => answer = None,
            }
        }
        answer
    }

    fn meets_word(&mut self, value: &Value, id: Id, word: &Word, depth: usize) -> Option<bool> {
        let name = word.name.as_str();
        match (name, &word.held) {
            _ if is_annotation(name) => Some(true),
            ("type", Held::Data(_)) => {
                let (own, stated) = (self.arena.type_of(value), self.arena.node(id).types());
                if own.within(stated) {
                    Some(true)
                } else if own.meets(stated) {
                    None
                } else {
                    Some(false)
                }
            }
            ("enum", Held::Data(Value::Array(list))) => among(value, list),
            ("const", Held::Data(only)) => equal(value, only),
            ("$ref", Held::Ref(target)) => self.meets(value, *target, depth + 1),
            ("allOf" | "anyOf" | "oneOf", Held::List(parts)) => self.meets_parts(value, name, parts, depth),
            ("not", Held::One(part)) => self.meets(value, *part, depth + 1).map(|yes| !yes),
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf", _) => {
                self.meets_number(value, id, word)
            }
            ("minLength" | "maxLength" | "pattern" | "format", _) => self.meets_text(value, id, word),
            ("properties" | "required" | "minProperties" | "maxProperties" | "additionalProperties", _) => {
                self.meets_object(value, id, word, depth)
            }
            ("items" | "prefixItems" | "minItems" | "maxItems", _) => self.meets_array(value, id, word, depth),
            _ => None,
        }
    }

    fn meets_parts(&mut self, value: &Value, name: &str, parts: &[Id], depth: usize) -> Option<bool> {
        let verdicts: Vec<Option<bool>> = parts.iter().map(|part| self.meets(value, *part, depth + 1)).collect();
        match name {
            "allOf" => all(verdicts),
            "anyOf" => all(verdicts.into_iter().map(|v| v.map(|yes| !yes))).map(|none| !none),
            _ => {
                let good = verdicts.iter().filter(|v| **v == Some(true)).count();
                if good > 1 {
                    Some(false)
                } else if verdicts.contains(&None) {
                    None
                } else {
                    Some(good == 1)
                }
            }
        }
    }

    fn meets_number(&self, value: &Value, id: Id, word: &Word) -> Option<bool> {
        let Value::Number(number) = value else { return Some(true) };
        let number = Decimal::parse(number).ok()?;
        let Held::Data(stated) = &word.held else { return None };
        if word.name == "multipleOf" {
            return number.is_multiple_of(&Decimal::parse(stated.as_number()?).ok()?).ok();
        }
        let end = if word.name.to_ascii_lowercase().ends_with("minimum") { End::Least } else { End::Most };
        if !stated.is_boolean() {
            Decimal::parse(stated.as_number()?).ok()?;
        }
        let within = |(bound, open): &(Decimal, bool)| {
            let order = match end {
                End::Least => number.cmp(bound),
                End::Most => bound.cmp(&number),
            };
            order.is_gt() || order.is_eq() && !open
        };
        Some(self.arena.own_bounds(id, end).iter().all(within))
    }

    fn meets_text(&mut self, value: &Value, id: Id, word: &Word) -> Option<bool> {
        let Value::String(text) = value else { return Some(true) };
        if !self.pay(1 + text.len() as u64 / 64) {
            return None;
        }
        match (word.name.as_str(), &word.held) {
            ("pattern", Held::Data(Value::String(pattern))) => self.arena.matches(pattern, text),
            ("minLength", _) => Some(text.chars().count() as u64 >= self.arena.own_count(id, "minLength")?),
            ("maxLength", _) => Some(text.chars().count() as u64 <= self.arena.own_count(id, "maxLength")?),
            _ => None,
        }
    }

    fn meets_object(&mut self, value: &Value, id: Id, word: &Word, depth: usize) -> Option<bool> {
        let Value::Object(members) = value else { return Some(true) };
        let size = members.len() as u64;
        match (word.name.as_str(), &word.held) {
            ("required", _) => Some(self.arena.node(id).required().iter().all(|name| members.contains_key(*name))),
            ("minProperties", _) => Some(size >= self.arena.own_count(id, "minProperties")?),
            ("maxProperties", _) => Some(size <= self.arena.own_count(id, "maxProperties")?),
            ("properties", Held::Named(entries)) => {
                let listed = entries.iter().filter_map(|(name, child)| Some((members.get(name)?, *child)));
                all(listed.map(|(member, child)| self.meets(member, child, depth + 1)).collect::<Vec<_>>())
            }
            ("additionalProperties", Held::One(others)) if self.arena.node(id).word("patternProperties").is_none() => {
                let left: Vec<&Value> = {
                    let listed = self.arena.node(id).listed();
                    members.iter().filter(|(name, _)| !listed.has(name)).map(|(_, member)| member).collect()
                };
                all(left.into_iter().map(|member| self.meets(member, *others, depth + 1)).collect::<Vec<_>>())
            }
            _ => None,
        }
    }

    fn meets_array(&mut self, value: &Value, id: Id, word: &Word, depth: usize) -> Option<bool> {
        let Value::Array(items) = value else { return Some(true) };
        let size = items.len() as u64;
        let tuple = self.arena.node(id).list("prefixItems").map_or(0, <[Id]>::len);
        match (word.name.as_str(), &word.held) {
            ("minItems", _) => Some(size >= self.arena.own_count(id, "minItems")?),
            ("maxItems", _) => Some(size <= self.arena.own_count(id, "maxItems")?),
            ("items", Held::One(child)) => {
                all(items.iter().skip(tuple).map(|item| self.meets(item, *child, depth + 1)).collect::<Vec<_>>())
            }
            ("prefixItems", Held::List(places)) => {
                let places = places.clone();
                all(items
                    .iter()
                    .zip(places)
                    .map(|(item, child)| self.meets(item, child, depth + 1))
                    .collect::<Vec<_>>())
            }
            _ => None,
        }
    }
}
