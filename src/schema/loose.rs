//! What a schema lets through: a good answer is spoilt in typed ways, and each spoilt one that is still accepted is told,
//! with the constraint that would stop it.
//!
//! The original validator judges every mutant, and every constraint that is offered was tried: it stops its mutant and the
//! good answer stays valid. What the author plainly wanted (a bound that is there, a null that is listed) is not told. Work
//! is bounded for any schema and answer; what was left out for that is counted.

mod homes;
mod mutants;
mod offer;
mod words;

use serde::Serialize;

use super::tree::{Dangling, Tree};
use super::validate::{JudgeOptions, judge};
use super::{Judge, ResponseFormat, SchemaError};
use crate::issue::Issues;
use crate::json::{Value, canonical};

use homes::Place;
use mutants::Mutant;
use offer::Offers;

/// Findings that are told.
pub const MAX_FINDINGS: usize = 200;
/// Values of the good answer that are spoilt.
const MAX_PLACES: usize = 400;
/// Bytes of answers that are judged.
const MAX_JUDGED: usize = 24 * 1024 * 1024;

/// How an answer was spoilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An object without one of its fields.
    MissingField,
    /// An object without any field.
    EmptyObject,
    /// A field nobody asked for.
    ExtraField,
    EmptyText,
    /// White space only.
    BlankText,
    LongText,
    /// Something that is no date, address or other format the name promises.
    WrongFormat,
    /// A word outside those the description lists.
    OtherWord,
    Negative,
    Zero,
    LargeNumber,
    /// A fraction where things are counted.
    Fraction,
    EmptyList,
    LongList,
    RepeatedItem,
    /// A value of another type.
    WrongType,
    Null,
}

/// A constraint that stops a mutant, as an edit of the schema.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Offer {
    /// The subschema that gets the keyword: a pointer into the schema, through `$ref` to where it is written.
    pub at: String,
    pub keyword: &'static str,
    pub value: Value,
    /// What to write, at which pointer: `at` and the keyword, or `at` itself where `true` stands.
    pub pointer: String,
    pub replacement: Value,
    /// Other references that lead to the same definition, and will feel it.
    pub shared: usize,
}

/// How far a constraint was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Looked {
    /// Until one was found, or there was none left.
    Through,
    /// Schema or answer are so large that some were not tried.
    CutShort,
}

/// One thing the schema accepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Pointer into the answer.
    pub path: String,
    pub kind: Kind,
    /// `total = -1`, `the object without name`. Holds no value of the answer.
    pub what: String,
    /// 0 to 100: how likely this is a mistake.
    pub likely: u8,
    /// Absent when no single constraint was found that stops it and keeps the good answer.
    pub offer: Option<Offer>,
    /// Whether every constraint that came into question was tried until one was found.
    pub looked: Looked,
    /// Other places of the answer where the same offer stops the same.
    pub also: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Looseness {
    /// Most likely mistakes first.
    pub findings: Vec<Finding>,
    /// Mutants that were judged.
    pub tried: usize,
    /// Those the schema refused.
    pub caught: usize,
    /// Findings and mutants left out because there are too many.
    pub omitted: usize,
}

/// Why nothing could be tried.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LooseError {
    #[error("the answer is not valid under the schema: only a good answer can be spoilt")]
    Invalid(Issues),
    #[error("{0}")]
    Schema(SchemaError),
    #[error("a reference leads nowhere at {0:?}")]
    Dangling(String),
}

impl Kind {
    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::MissingField => "missing_field",
            Self::EmptyObject => "empty_object",
            Self::ExtraField => "extra_field",
            Self::EmptyText => "empty_text",
            Self::BlankText => "blank_text",
            Self::LongText => "long_text",
            Self::WrongFormat => "wrong_format",
            Self::OtherWord => "other_word",
            Self::Negative => "negative",
            Self::Zero => "zero",
            Self::LargeNumber => "large_number",
            Self::Fraction => "fraction",
            Self::EmptyList => "empty_list",
            Self::LongList => "long_list",
            Self::RepeatedItem => "repeated_item",
            Self::WrongType => "wrong_type",
            Self::Null => "null",
        }
    }
}

impl Finding {
    /// Why there is no offer.
    #[must_use]
    pub const fn why_no_offer(&self) -> &'static str {
        match self.looked {
            Looked::Through => "no constraint was found that stops it and keeps the answer",
            Looked::CutShort => "too large to try every constraint that might stop it",
        }
    }
}

impl Offer {
    /// The schema with the constraint in it.
    #[must_use]
    pub fn applied(&self, schema: &Value) -> Option<Value> {
        let mut out = schema.clone();
        match out.pointer_mut(&self.at)? {
            Value::Object(map) => {
                map.insert(self.keyword.to_owned(), self.value.clone());
            }
            other => *other = self.replacement.clone(),
        }
        Some(out)
    }

    /// `minimum: 0`.
    #[must_use]
    pub fn brief(&self) -> String {
        format!("{}: {}", self.keyword, words::cut(&canonical(&self.value)))
    }

    /// `minimum: 0 at /properties/total`, in one line.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {}", self.brief(), self.place())
    }

    /// `at /properties/total (shared with 1 other place)`.
    #[must_use]
    pub fn place(&self) -> String {
        let at = if self.at.is_empty() { "the root" } else { &self.at };
        let shared = match self.shared {
            0 => String::new(),
            1 => " (shared with 1 other place)".to_owned(),
            many => format!(" (shared with {many} other places)"),
        };
        format!("at {at}{shared}")
    }
}

/// Spoils a good answer and tells what the schema still accepts. Runs up to seconds on large ones: call it off the loop.
///
/// # Errors
/// [`LooseError`] when the answer is not valid, or the schema is none.
pub fn loose(format: &ResponseFormat, good: &Value, options: JudgeOptions) -> Result<Looseness, LooseError> {
    let judge = judge(format, options).map_err(LooseError::Schema)?;
    let issues = judge.validate(good);
    if !issues.list.is_empty() {
        return Err(LooseError::Invalid(issues));
    }
    let tree = Tree::read(&format.schema).map_err(|Dangling(path)| LooseError::Dangling(path))?;
    let small = shortened(good);
    let good = if judge.validate(&small).list.is_empty() { &small } else { good };
    Ok(Search::new(format, &tree, &judge, good, options).run())
}

/// The same value with at most three items in each list, to be quick.
fn shortened(value: &Value) -> Value {
    const ITEMS: usize = 3;
    let mut out = value.clone();
    let mut stack = vec![&mut out];
    while let Some(next) = stack.pop() {
        match next {
            Value::Array(items) => {
                items.truncate(ITEMS);
                stack.extend(items.iter_mut());
            }
            Value::Object(members) => stack.extend(members.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    out
}

struct Search<'a> {
    judge: &'a Judge,
    good: Value,
    places: Vec<Place<'a>>,
    offers: Offers<'a>,
    left: usize,
    out: Looseness,
}

impl<'a> Search<'a> {
    fn new(
        format: &'a ResponseFormat,
        tree: &'a Tree,
        judge: &'a Judge,
        good: &'a Value,
        options: JudgeOptions,
    ) -> Self {
        let (places, more) = homes::places(tree, good, MAX_PLACES);
        let out = Looseness { findings: Vec::new(), tried: 0, caught: 0, omitted: more };
        let offers = Offers::new(format, tree, good, options);
        Self { judge, good: good.clone(), places, offers, left: MAX_JUDGED, out }
    }

    fn run(mut self) -> Looseness {
        for place in std::mem::take(&mut self.places) {
            let rules = self.offers.rules();
            mutants::of(&place, rules, &mut |mutant| self.attempt(&place, mutant));
        }
        self.out.findings.sort_by_key(|finding| (std::cmp::Reverse(finding.likely), finding.offer.is_none()));
        let more = self.out.findings.len().saturating_sub(MAX_FINDINGS);
        self.out.findings.truncate(MAX_FINDINGS);
        self.out.omitted += more;
        self.out
    }

    /// Puts the mutant in its place, judges the whole, and puts the good value back.
    fn attempt(&mut self, place: &Place<'_>, mutant: Mutant) {
        let size = self.offers.size + mutant.size;
        let Some(left) = self.left.checked_sub(size) else {
            self.out.omitted += 1;
            return;
        };
        self.left = left;
        let Some(slot) = self.good.pointer_mut(&place.path) else { return };
        let undo = mutant.spoil.apply(slot);
        self.out.tried += 1;
        let accepted = self.judge.validate(&self.good).list.is_empty();
        if accepted {
            let (offer, looked) = self.offers.find(&mutant.offers, &self.good);
            let (path, kind) = (place.path.clone(), mutant.kind);
            self.tell(Finding { path, kind, what: mutant.what, likely: mutant.likely, offer, looked, also: 0 });
        } else {
            self.out.caught += 1;
        }
        if let Some(slot) = self.good.pointer_mut(&place.path) {
            undo.apply(slot);
        }
    }

    /// One finding for each constraint: what the same one stops elsewhere, or in another way, joins it.
    fn tell(&mut self, new: Finding) {
        let same = |there: &&mut Finding| match (&there.offer, &new.offer) {
            (Some(a), Some(b)) => {
                let fields = (there.kind == Kind::MissingField) == (new.kind == Kind::MissingField);
                let equal = a.value == b.value || there.kind == new.kind && new.kind != Kind::MissingField;
                a.pointer == b.pointer && a.keyword == b.keyword && fields && equal
            }
            (None | Some(_), None) | (None, Some(_)) => false,
        };
        match self.out.findings.iter_mut().find(same) {
            Some(there) if there.path == new.path => {
                there.what.push_str(" and ");
                there.what.push_str(&new.what);
                there.likely = there.likely.max(new.likely);
            }
            Some(there) => there.also += 1,
            None => self.out.findings.push(new),
        }
    }
}
