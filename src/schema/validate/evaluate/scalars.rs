//! Keywords about a value itself: type, enum, bounds, counts, pattern, format.

use super::{Run, Subject, Verdict};
use crate::json::Value;
use crate::schema::validate::number::{self, normal, normal_text};
use crate::schema::validate::program::{Check, Counted, End, NodeId, Types};

fn type_name(subject: Subject<'_>) -> &'static str {
    match subject {
        Subject::Key(_) | Subject::Value(Value::String(_)) => "string",
        Subject::Value(Value::Null) => "null",
        Subject::Value(Value::Bool(_)) => "boolean",
        Subject::Value(Value::Number(_)) => "number",
        Subject::Value(Value::Array(_)) => "array",
        Subject::Value(Value::Object(_)) => "object",
    }
}

impl<'a> Run<'a> {
    pub(super) fn scalar_check(&mut self, id: NodeId, check: &'a Check, subject: Subject<'a>) -> Verdict {
        match check {
            Check::Type { types, shown } => {
                let valid = self.has_type(id, *types, subject)?;
                self.verdict(valid, id, "type", || format!("must be of type {shown} (type)"))
            }
            Check::Enum { keyword, keys, longest, shown } => {
                let valid = self.is_one_of(id, keyword, keys, *longest, subject)?;
                self.verdict(valid, id, keyword, || match *keyword {
                    "const" => format!("must be {shown} (const)"),
                    _ => format!("must be one of {shown} (enum)"),
                })
            }
            Check::Bound { keyword, end, open, bound } => {
                let Some(Value::Number(n)) = subject.value() else { return Ok(true) };
                self.pay_for(n.as_str().len())?;
                let order = bound.compare(n).map_err(|e| self.imprecise(id, keyword)(e))?;
                let valid = match end {
                    End::Least => order.is_gt() || (!open && order.is_eq()),
                    End::Most => order.is_lt() || (!open && order.is_eq()),
                };
                let words = match (end, open) {
                    (End::Least, false) => "at least",
                    (End::Least, true) => "more than",
                    (End::Most, false) => "at most",
                    (End::Most, true) => "less than",
                };
                self.verdict(valid, id, keyword, || format!("must be {words} {} ({keyword})", bound.shown))
            }
            Check::MultipleOf(bound) => {
                let Some(Value::Number(n)) = subject.value() else { return Ok(true) };
                self.pay_for(n.as_str().len())?;
                let valid = bound.divides(n).map_err(|e| self.imprecise(id, "multipleOf")(e))?;
                self.verdict(valid, id, "multipleOf", || format!("must be a multiple of {} (multipleOf)", bound.shown))
            }
            Check::Count { keyword, counted, end, limit } => {
                let Some((count, unit)) = self.count(*counted, subject)? else { return Ok(true) };
                let valid = if *end == End::Least { count >= *limit } else { count <= *limit };
                let words = if *end == End::Least { "at least" } else { "at most" };
                self.verdict(valid, id, keyword, || {
                    format!("must {} {words} {limit} {unit} ({keyword})", verb(*counted))
                })
            }
            Check::Pattern { pattern, shown } => {
                let Some(text) = subject.text() else { return Ok(true) };
                let valid = pattern.is_match(text, &mut self.fuel)?;
                self.verdict(valid, id, "pattern", || format!("must match the pattern {shown} (pattern)"))
            }
            Check::Format { validator, shown } => {
                let Some(text) = subject.text() else { return Ok(true) };
                self.pay(20 + text.len() as u64)?;
                let valid = validator.is_valid(&Value::String(text.to_owned()));
                self.verdict(valid, id, "format", || format!("must have the format {shown} (format)"))
            }
            _ => Ok(true),
        }
    }

    pub(super) fn verdict(
        &mut self,
        valid: bool,
        id: NodeId,
        keyword: &'static str,
        text: impl FnOnce() -> String,
    ) -> Verdict {
        if !valid {
            self.report(id, &format!("/{keyword}"), keyword, text)?;
        }
        Ok(valid)
    }

    fn has_type(&mut self, id: NodeId, types: Types, subject: Subject<'a>) -> Verdict {
        let name = type_name(subject);
        if types.has(name) {
            return Ok(true);
        }
        let Some(Value::Number(n)) = subject.value() else { return Ok(false) };
        if !types.has("integer") {
            return Ok(false);
        }
        self.pay_for(n.as_str().len())?;
        if types.strict_integer {
            return Ok(number::is_plain_integer(n));
        }
        number::is_integer(n).map_err(|e| self.imprecise(id, "type")(e))
    }

    fn is_one_of(
        &mut self,
        id: NodeId,
        keyword: &'static str,
        keys: &std::collections::HashSet<String>,
        longest: usize,
        subject: Subject<'a>,
    ) -> Verdict {
        let mut key = String::new();
        match (subject.text(), subject) {
            (Some(text), _) if text.len() > longest => return Ok(false),
            (Some(text), _) => normal_text(text, &mut key),
            (None, Subject::Value(value)) => {
                self.pay(2 + reach(value, longest) / 4)?;
                normal(value, &mut key, longest).map_err(|e| self.imprecise(id, keyword)(e))?;
            }
            (None, Subject::Key(_)) => {}
        }
        self.pay_for(key.len())?;
        Ok(keys.contains(&key))
    }

    fn count(&mut self, counted: Counted, subject: Subject<'a>) -> Result<Option<(u64, &'static str)>, super::Stop> {
        Ok(match counted {
            Counted::Characters => match subject.text() {
                Some(text) => {
                    self.pay_for(text.len())?;
                    Some((text.chars().count() as u64, "characters"))
                }
                None => None,
            },
            Counted::Items => subject.value().and_then(Value::as_array).map(|l| (l.len() as u64, "items")),
            Counted::Properties => subject.value().and_then(Value::as_object).map(|m| (m.len() as u64, "properties")),
        })
    }
}

fn verb(counted: Counted) -> &'static str {
    match counted {
        Counted::Characters => "be",
        Counted::Items | Counted::Properties => "have",
    }
}

/// How much [`normal`] may look at before it gives up: long numbers count whole, objects are sorted.
fn reach(value: &Value, longest: usize) -> u64 {
    let size = match value {
        Value::Number(n) => n.as_str().len(),
        Value::Object(map) => map.len() * 8 + longest * 2,
        Value::Array(_) | Value::String(_) => longest * 2,
        Value::Null | Value::Bool(_) => 1,
    };
    size as u64
}
