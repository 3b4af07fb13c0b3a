//! Bounds of numbers, exact, with a short way for small integers; and the normal text equal values share.

use std::cmp::Ordering;

use crate::json::{Number, Value};
use crate::schema::decimal::{Decimal, Imprecise};

/// A number of the schema, ready to compare.
pub(super) struct Bound {
    small: Option<i64>,
    exact: Decimal,
    pub(super) shown: String,
}

/// A number text that is a plain integer of at most 18 digits.
fn small(text: &str) -> Option<i64> {
    (text.len() <= 18).then(|| text.parse().ok()).flatten()
}

impl Bound {
    pub(super) fn new(number: &Number) -> Result<Self, Imprecise> {
        let shown = number.as_str().chars().take(60).collect();
        Ok(Self { small: small(number.as_str()), exact: Decimal::parse(number)?, shown })
    }

    /// How `number` stands to the bound.
    pub(super) fn compare(&self, number: &Number) -> Result<Ordering, Imprecise> {
        match (small(number.as_str()), self.small) {
            (Some(a), Some(b)) => Ok(a.cmp(&b)),
            _ => Ok(Decimal::parse(number)?.cmp(&self.exact)),
        }
    }

    pub(super) fn divides(&self, number: &Number) -> Result<bool, Imprecise> {
        match (small(number.as_str()), self.small) {
            (Some(a), Some(b)) if b != 0 => Ok(a % b == 0),
            _ => Decimal::parse(number)?.is_multiple_of(&self.exact),
        }
    }
}

pub(super) fn is_integer(number: &Number) -> Result<bool, Imprecise> {
    if number.as_str().bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return Ok(true);
    }
    Decimal::parse(number).map(|d| d.is_integer())
}

pub(super) fn is_plain_integer(number: &Number) -> bool {
    number.as_str().bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// Writes a text that is the same exactly for equal values: numbers by value, key order aside. Stops once `out` is
/// longer than `most` bytes.
pub(super) fn normal(value: &Value, out: &mut String, most: usize) -> Result<(), Imprecise> {
    if out.len() > most {
        return Ok(());
    }
    match value {
        Value::Null => out.push('~'),
        Value::Bool(true) => out.push('t'),
        Value::Bool(false) => out.push('f'),
        Value::Number(number) => {
            out.push('n');
            Decimal::parse(number)?.normal(out);
            out.push(';');
        }
        Value::String(text) => normal_text(text, out),
        Value::Array(list) => {
            out.push('[');
            for item in list {
                normal(item, out, most)?;
                if out.len() > most {
                    return Ok(());
                }
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            let mut keys: Vec<(&String, &Value)> = map.iter().collect();
            keys.sort_by_key(|(k, _)| *k);
            for (key, item) in keys {
                normal_text(key, out);
                normal(item, out, most)?;
                if out.len() > most {
                    return Ok(());
                }
            }
            out.push('}');
        }
    }
    Ok(())
}

pub(super) fn normal_text(text: &str, out: &mut String) {
    out.push('"');
    out.push_str(&text.len().to_string());
    out.push(':');
    out.push_str(text);
}
