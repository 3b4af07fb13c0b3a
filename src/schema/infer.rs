//! A schema from sample values: the narrowest ordinary one that a person would write and that takes every sample.
//!
//! The rules: a member is required when every object had it; a whole number is an integer until a sample has a fraction
//! or an exponent; null joins the type; texts get a `format` when all of them fit it, else an `enum` when they are few
//! and repeat ([`MAX_CHOICES`], [`MIN_TEXTS`]); items of a list are one schema; objects take no other member. An object
//! with more than [`MAX_MEMBERS`] different keys is a map of its values. The order is that of first appearance; the same
//! samples give the same schema. Guesses no lengths, no ranges and no patterns.

mod formats;

use std::collections::HashMap;

use self::formats::Formats;
use super::source::{self, Form};
use crate::json::{self, Map, ParseError, ParseLimits, Value};

/// Nesting of a sample: each level of objects takes two in the schema, which may have a hundred.
pub const MAX_DEPTH: usize = 48;
/// Different texts that still make an `enum`.
pub const MAX_CHOICES: usize = 8;
/// Texts seen before they can make an `enum`; each must be seen twice on average.
pub const MIN_TEXTS: u64 = 4;
/// Characters of a text in an `enum`: longer ones are prose.
pub const MAX_CHOICE: usize = 40;
/// Different keys at one place; more of them are data, not names.
pub const MAX_MEMBERS: usize = 100;

/// Why no schema can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InferError {
    #[error("there is no sample to infer from")]
    NoSample,
    #[error("a sample is nested deeper than {MAX_DEPTH} levels: a schema for it would be past every limit")]
    TooDeep,
}

/// Why a text gives no samples.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error(transparent)]
    Unreadable(#[from] ParseError),
    #[error(transparent)]
    Infer(#[from] InferError),
}

/// Makes a schema for one or more samples.
///
/// # Errors
/// [`InferError`].
pub fn infer(samples: &[Value]) -> Result<Value, InferError> {
    let mut inference = Inference::new();
    for sample in samples {
        inference.add(sample)?;
    }
    inference.schema()
}

/// Samples, one after the other; keeps what was learned and no sample.
#[derive(Debug)]
pub struct Inference {
    formats: Formats,
    seen: Seen,
}

impl Default for Inference {
    fn default() -> Self {
        Self::new()
    }
}

impl Inference {
    #[must_use]
    pub fn new() -> Self {
        Self { formats: Formats::new(), seen: Seen::default() }
    }

    /// Learns from one sample.
    ///
    /// # Errors
    /// [`InferError::TooDeep`]; nothing was learned then.
    pub fn add(&mut self, sample: &Value) -> Result<(), InferError> {
        if deeper(sample, MAX_DEPTH) {
            return Err(InferError::TooDeep);
        }
        self.seen.add(sample, &self.formats);
        Ok(())
    }

    /// Learns from every sample in a text: one value in the given form, or as JSON one on each line.
    ///
    /// # Errors
    /// [`TextError`]; what came before it was learned.
    pub fn add_text(&mut self, text: &str, form: Form) -> Result<(), TextError> {
        match source::read(text, form, ParseLimits::default()) {
            Ok(document) => Ok(self.add(&document.value)?),
            Err(error) if form == Form::Json => self.add_lines(text, error),
            Err(error) => Err(error.into()),
        }
    }

    /// `error` says why the text is not one value.
    fn add_lines(&mut self, text: &str, error: ParseError) -> Result<(), TextError> {
        let mut first = Some(error);
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let piece = line.trim();
            if !piece.is_empty() {
                match json::parse(piece, ParseLimits::default()) {
                    Ok(value) => self.add(&value)?,
                    Err(inner) => {
                        // One value over several lines is no list of values: what is wrong with the whole counts.
                        let at = offset + (line.len() - line.trim_start().len()) + inner.position.offset;
                        let inner = || ParseError { position: json::position(text, at), ..inner };
                        return Err(first.unwrap_or_else(inner).into());
                    }
                }
                first = None;
            }
            offset += line.len();
        }
        first.map_or(Ok(()), |error| Err(error.into()))
    }

    /// How many samples there were.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.seen.count
    }

    /// The schema for all samples so far.
    ///
    /// # Errors
    /// [`InferError::NoSample`].
    pub fn schema(&self) -> Result<Value, InferError> {
        if self.seen.count == 0 {
            return Err(InferError::NoSample);
        }
        Ok(self.seen.schema(&self.formats))
    }
}

/// Is a value nested deeper than so many containers?
fn deeper(value: &Value, most: usize) -> bool {
    let mut left = vec![(value, 0)];
    while let Some((value, depth)) = left.pop() {
        let inner = depth + 1;
        match value {
            Value::Array(_) | Value::Object(_) if inner > most => return true,
            Value::Array(items) => left.extend(items.iter().map(|item| (item, inner))),
            Value::Object(members) => left.extend(members.values().map(|member| (member, inner))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// What was seen at one place.
#[derive(Debug, Clone, Default)]
struct Seen {
    count: u64,
    null: bool,
    boolean: bool,
    number: Option<Numbers>,
    texts: Option<Texts>,
    items: Option<Box<Seen>>,
    members: Option<Members>,
}

/// The widest kind of number so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Whole,
    Any,
}

#[derive(Debug, Clone, Default)]
struct Texts {
    count: u64,
    /// Bit set of the formats that all texts fit.
    formats: u16,
    /// The different texts; `None` when they are too many or too long.
    choices: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default)]
struct Members {
    /// Objects seen.
    count: u64,
    named: Vec<(String, Seen)>,
    /// Where a name stands in the list.
    index: HashMap<String, usize>,
    /// Instead of names once they are too many.
    any: Option<Box<Seen>>,
}

impl Seen {
    /// The depth was checked: at most [`MAX_DEPTH`] calls deep.
    fn add(&mut self, value: &Value, formats: &Formats) {
        self.count += 1;
        match value {
            Value::Null => self.null = true,
            Value::Bool(_) => self.boolean = true,
            Value::Number(number) => {
                let whole = number.as_str().bytes().all(|b| b.is_ascii_digit() || b == b'-');
                let seen = if whole { Numbers::Whole } else { Numbers::Any };
                self.number = if self.number == Some(Numbers::Any) { self.number } else { Some(seen) };
            }
            Value::String(text) => self.texts.get_or_insert_with(Texts::none).add(text, formats),
            Value::Array(items) => {
                let seen = self.items.get_or_insert_default();
                for item in items {
                    seen.add(item, formats);
                }
            }
            Value::Object(members) => self.members.get_or_insert_default().add(members, formats),
        }
    }

    /// Takes over what was seen at another place; as deep as the samples.
    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.null |= other.null;
        self.boolean |= other.boolean;
        self.number = match (self.number, other.number) {
            (Some(Numbers::Any), _) | (_, Some(Numbers::Any)) => Some(Numbers::Any),
            (mine, theirs) => mine.or(theirs),
        };
        if let Some(texts) = other.texts {
            self.texts.get_or_insert_with(Texts::none).join(texts);
        }
        if let Some(items) = other.items {
            self.items.get_or_insert_default().join(*items);
        }
        if let Some(members) = other.members {
            self.members.get_or_insert_default().join(members);
        }
    }

    fn schema(&self, formats: &Formats) -> Value {
        let mut kinds: Vec<Map<String, Value>> = Vec::new();
        kinds.extend(self.boolean.then(|| typed("boolean")));
        kinds.extend(self.number.map(|number| typed(if number == Numbers::Whole { "integer" } else { "number" })));
        kinds.extend(self.texts.as_ref().map(|texts| texts.schema(formats)));
        kinds.extend(self.items.as_ref().map(|items| list(items, formats)));
        kinds.extend(self.members.as_ref().map(|members| members.schema(formats)));
        match (kinds.as_slice(), self.null) {
            ([], true) => Value::Object(typed("null")),
            // Items of lists that were all empty.
            ([], false) => Value::Object(Map::new()),
            ([_], false) => kinds.pop().map_or(Value::Null, Value::Object),
            ([_], true) => kinds.pop().map_or(Value::Null, |kind| Value::Object(nullable(kind))),
            _ => Value::Object(union(kinds, self.null)),
        }
    }
}

fn typed(name: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), Value::from(name))])
}

/// The same, or null.
fn nullable(mut kind: Map<String, Value>) -> Map<String, Value> {
    if let Some(name) = kind.get_mut("type") {
        *name = Value::Array(vec![name.take(), Value::from("null")]);
    }
    if let Some(Value::Array(choices)) = kind.get_mut("enum") {
        choices.push(Value::Null);
    }
    kind
}

/// Several kinds: their names when there is nothing more to say, else one branch each.
fn union(mut kinds: Vec<Map<String, Value>>, null: bool) -> Map<String, Value> {
    if null {
        kinds.push(typed("null"));
    }
    if kinds.iter().all(|kind| kind.len() == 1) {
        let names = kinds.into_iter().filter_map(|mut kind| kind.remove("type"));
        return Map::from_iter([("type".to_owned(), Value::Array(names.collect()))]);
    }
    let branches = kinds.into_iter().map(Value::Object).collect();
    Map::from_iter([("anyOf".to_owned(), Value::Array(branches))])
}

fn list(items: &Seen, formats: &Formats) -> Map<String, Value> {
    let mut schema = typed("array");
    if items.count > 0 {
        schema.insert("items".to_owned(), items.schema(formats));
    }
    schema
}

impl Texts {
    fn none() -> Self {
        Self { count: 0, formats: u16::MAX, choices: Some(Vec::new()) }
    }

    fn add(&mut self, text: &str, formats: &Formats) {
        self.count += 1;
        self.formats = formats.kept(self.formats, text);
        self.choose(text);
    }

    fn choose(&mut self, text: &str) {
        let Some(choices) = &mut self.choices else { return };
        if choices.iter().any(|choice| choice == text) {
            return;
        }
        if choices.len() == MAX_CHOICES || text.chars().nth(MAX_CHOICE).is_some() {
            self.choices = None;
        } else {
            choices.push(text.to_owned());
        }
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.formats &= other.formats;
        match other.choices {
            Some(choices) => choices.iter().for_each(|text| self.choose(text)),
            None => self.choices = None,
        }
    }

    fn schema(&self, formats: &Formats) -> Map<String, Value> {
        let mut schema = typed("string");
        if let Some(format) = formats.first(self.formats) {
            schema.insert("format".to_owned(), Value::from(format));
            return schema;
        }
        let repeated = |choices: &&Vec<String>| {
            let different = choices.len() as u64;
            different >= 2 && self.count >= MIN_TEXTS && self.count >= different * 2
        };
        if let Some(choices) = self.choices.as_ref().filter(repeated) {
            let choices = choices.iter().map(|choice| Value::from(choice.as_str())).collect();
            schema.insert("enum".to_owned(), Value::Array(choices));
        }
        schema
    }
}

impl Members {
    fn add(&mut self, members: &Map<String, Value>, formats: &Formats) {
        self.count += 1;
        for (key, value) in members {
            self.shape(key).add(value, formats);
        }
    }

    /// What was seen under a key.
    fn shape(&mut self, key: &str) -> &mut Seen {
        let known = self.index.get(key).copied();
        if known.is_none() && self.named.len() == MAX_MEMBERS {
            self.forget_names();
        }
        if self.any.is_none() && known.is_none() {
            self.index.insert(key.to_owned(), self.named.len());
            self.named.push((key.to_owned(), Seen::default()));
        }
        let index = known.unwrap_or_else(|| self.named.len().saturating_sub(1));
        match self.named.get_mut(index) {
            Some((_, shape)) => shape,
            None => self.any.get_or_insert_default(),
        }
    }

    fn forget_names(&mut self) {
        let mut any = Seen::default();
        for (_, shape) in self.named.drain(..) {
            any.join(shape);
        }
        self.index.clear();
        self.any = Some(Box::new(any));
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        if let Some(any) = other.any {
            if self.any.is_none() {
                self.forget_names();
            }
            self.any.get_or_insert_default().join(*any);
        }
        for (key, shape) in other.named {
            self.shape(&key).join(shape);
        }
    }

    fn schema(&self, formats: &Formats) -> Map<String, Value> {
        let mut schema = typed("object");
        if let Some(any) = &self.any {
            schema.insert("additionalProperties".to_owned(), any.schema(formats));
            return schema;
        }
        let properties = self.named.iter().map(|(key, shape)| (key.clone(), shape.schema(formats))).collect();
        schema.insert("properties".to_owned(), Value::Object(properties));
        let always = self.named.iter().filter(|(_, shape)| shape.count == self.count);
        let required: Vec<Value> = always.map(|(key, _)| Value::from(key.as_str())).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        schema
    }
}

#[cfg(test)]
mod tests;
