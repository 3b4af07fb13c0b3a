//! What the built-in provider answers: an instance of the schema, a broken one, or plain text. Off the loop: making an
//! instance can take long.

use crate::json::{Map, Value, pretty};
use crate::schema::sample::sample;
use crate::schema::validate::{JudgeOptions, judge};
use crate::schema::{Judge, ResponseFormat};

/// What an answer is made from.
#[derive(Debug, Clone)]
pub struct Material {
    /// `None` = a run without a schema.
    pub format: Option<ResponseFormat>,
    /// The value is expected as `{"value": …}`.
    pub wrapped: bool,
    pub seed: u64,
}

/// Which answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Valid,
    /// Breaks the schema; the number picks among the ways to break it.
    Broken(usize),
}

/// No instance was found. The reason may hold schema text and is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoInstance;

const PLAIN: &str = "This is the built-in scripted provider: nothing was asked of a model. Give a JSON Schema to see \
                     a structured answer, or pick another model with -m PROVIDER/MODEL.";

/// The text of the answer.
///
/// # Errors
/// [`NoInstance`] when no instance of the schema was found.
pub fn text(material: &Material, want: Want) -> Result<String, NoInstance> {
    let Some(format) = &material.format else { return Ok(PLAIN.to_owned()) };
    let value = sample(format, material.seed).map_err(|_| NoInstance)?;
    let broken = match want {
        Want::Valid => None,
        Want::Broken(way) => Some(break_it(format, &value, way)),
    };
    Ok(match broken {
        None => pretty(&wrap(value, material.wrapped)),
        Some(Some(value)) => pretty(&wrap(value, material.wrapped)),
        // Everything is valid under this schema: only JSON itself is left to break.
        Some(None) => format!("{},", pretty(&wrap(value, material.wrapped))),
    })
}

fn wrap(value: Value, wrapped: bool) -> Value {
    if wrapped { Value::Object(Map::from_iter([("value".to_owned(), value)])) } else { value }
}

/// A neighbour of `value` that the schema refuses: near ones first, so that the issues look like a model's slip.
fn break_it(format: &ResponseFormat, value: &Value, way: usize) -> Option<Value> {
    let options = JudgeOptions { limits: crate::json::ParseLimits::default(), assert_format: false };
    let judge = judge(format, options).ok()?;
    let mut refused = mutants(value).filter(|mutant| is_refused(&judge, mutant));
    let first = refused.next()?;
    // The second broken answer should differ from the first where it can.
    Some(refused.take(way).last().unwrap_or(first))
}

fn is_refused(judge: &Judge, value: &Value) -> bool {
    !judge.validate(value).list.is_empty()
}

/// Bounded: at most this many members of the root are tried.
const MAX_MEMBERS: usize = 64;

fn mutants(value: &Value) -> impl Iterator<Item = Value> + use<> {
    let object = value.as_object().cloned().unwrap_or_default();
    let names: Vec<String> = object.keys().take(MAX_MEMBERS).cloned().collect();
    let (for_types, for_missing) = (object.clone(), object);
    let two_slips = two_slips(&for_types).into_iter();
    let wrong_types = names.clone().into_iter().flat_map(move |name| {
        let object = for_types.clone();
        other_kinds(object.get(&name)).map(move |other| {
            let mut object = object.clone();
            object.insert(name.clone(), other);
            Value::Object(object)
        })
    });
    let missing = names.into_iter().rev().map(move |name| {
        let mut object = for_missing.clone();
        object.shift_remove(&name);
        Value::Object(object)
    });
    two_slips.chain(missing).chain(wrong_types).chain(other_kinds(Some(value)))
}

/// The last member left out and the first of another type: what a model does that skims the schema.
fn two_slips(object: &Map<String, Value>) -> Option<Value> {
    let (first, last) = (object.keys().next()?.clone(), object.keys().next_back()?.clone());
    let other = other_kinds(object.get(&first)).next()?;
    let mut object = object.clone();
    object.shift_remove(&last);
    if first != last {
        object.insert(first, other);
    }
    Some(Value::Object(object))
}

/// Values of every type but the given one's.
fn other_kinds(value: Option<&Value>) -> impl Iterator<Item = Value> + use<> {
    let kinds = [
        Value::String("not this".to_owned()),
        Value::Number((-1).into()),
        Value::Null,
        Value::Bool(true),
        Value::Array(Vec::new()),
        Value::Object(Map::new()),
    ];
    let own = value.map(std::mem::discriminant);
    kinds.into_iter().filter(move |kind| Some(std::mem::discriminant(kind)) != own)
}

/// A number from texts: the same texts give the same number (FNV-1a).
#[must_use]
pub fn seed_of(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|t| t.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
