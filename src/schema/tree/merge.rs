//! Two schemas that must both hold, written as one. What cannot be said in one schema is handed back, not guessed.

use std::cmp::Ordering;

use super::keywords::is_annotation;
use super::types::Types;
use super::{Body, Held, Id, Tree, Word};
use crate::json::{Map, Value};
use crate::schema::decimal::Decimal;
use crate::schema::decimal::short::Short;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Merged {
    pub(crate) words: Vec<Word>,
    /// Keywords of the added schema that have no place beside those of the base.
    pub(crate) clashes: Vec<Word>,
    /// Nothing can satisfy both.
    pub(crate) empty: bool,
}

/// How two values of one keyword go together.
enum Both {
    Held(Held),
    Clash,
    Empty,
}

/// Keywords that mean something only together: when both sides use one of a group, they are not merged.
const GROUPS: [&[&str]; 3] = [
    &["if", "then", "else"],
    &["contains", "minContains", "maxContains"],
    &["prefixItems", "additionalItems", "unevaluatedItems"],
];

/// Merges `added` into `base`.
pub(crate) fn merge(tree: &mut Tree, base: Vec<Word>, added: Vec<Word>) -> Merged {
    let mut merged = Merged { words: base, clashes: Vec::new(), empty: false };
    let (mut object, rest): (Vec<Word>, Vec<Word>) = added.into_iter().partition(|word| is_object_word(&word.name));
    if merged.words.iter().any(|word| is_object_word(&word.name)) && !object.is_empty() {
        object = merge_objects(tree, &mut merged, object);
    }
    merged.words.append(&mut object);
    let taken: Vec<bool> = GROUPS.iter().map(|group| uses(&merged.words, group)).collect();
    // Beside a tuple `items` speaks about the rest, elsewhere about every item: the two do not mix.
    let (tuple, items) = (uses(&merged.words, GROUPS[2]), uses(&merged.words, &["items"]));
    for word in rest {
        let grouped = GROUPS.iter().zip(&taken).any(|(group, taken)| *taken && group.contains(&word.name.as_str()));
        let shaped = tuple && word.name == "items" || items && GROUPS[2].contains(&word.name.as_str());
        let foreign = word.name == "unevaluatedProperties" || word.name == "unevaluatedItems";
        if grouped || shaped || foreign {
            merged.clashes.push(word);
        } else {
            place(tree, &mut merged, word);
        }
    }
    merged
}

fn uses(words: &[Word], group: &[&str]) -> bool {
    words.iter().any(|word| group.contains(&word.name.as_str()))
}

fn is_object_word(name: &str) -> bool {
    matches!(name, "properties" | "patternProperties" | "additionalProperties")
}

/// Puts one keyword beside those that are there.
fn place(tree: &mut Tree, merged: &mut Merged, word: Word) {
    let Some(at) = merged.words.iter().position(|there| there.name == word.name) else {
        merged.words.push(word);
        return;
    };
    let there = merged.words[at].clone();
    match combine(tree, &there, &word) {
        Both::Held(held) => merged.words[at].held = held,
        Both::Clash if word.name == "$ref" => also(tree, merged, &word),
        Both::Clash => merged.clashes.push(word),
        Both::Empty => merged.empty = true,
    }
}

/// A second reference becomes a member of `allOf`.
fn also(tree: &mut Tree, merged: &mut Merged, word: &Word) {
    let member = tree.add(&word.origin, Body::Words(vec![word.clone()]));
    let there = merged.words.iter_mut().find(|there| there.name == "allOf");
    if let Some(Word { held: Held::List(members), .. }) = there {
        members.push(member);
    } else {
        let held = Held::List(vec![member]);
        merged.words.push(Word { name: "allOf".to_owned(), origin: word.origin.clone(), held });
    }
}

fn combine(tree: &mut Tree, there: &Word, added: &Word) -> Both {
    if there.held == added.held {
        return Both::Held(there.held.clone());
    }
    match (added.name.as_str(), &there.held, &added.held) {
        (_, Held::Data(a), Held::Data(b)) => combine_data(&added.name, a, b),
        ("items" | "propertyNames", Held::One(a), Held::One(b)) => Both::Held(Held::One(all_of(tree, *a, *b))),
        ("not", Held::One(a), Held::One(b)) => {
            let any = Word { name: "anyOf".into(), origin: added.origin.clone(), held: Held::List(vec![*a, *b]) };
            Both::Held(Held::One(tree.add(&added.origin, Body::Words(vec![any]))))
        }
        ("allOf", Held::List(a), Held::List(b)) => Both::Held(Held::List(a.iter().chain(b).copied().collect())),
        ("dependentSchemas", Held::Named(a), Held::Named(b)) => {
            let mut entries = a.clone();
            for (name, id) in b {
                match entries.iter_mut().find(|(there, _)| there == name) {
                    Some(entry) => entry.1 = all_of(tree, entry.1, *id),
                    None => entries.push((name.clone(), *id)),
                }
            }
            Both::Held(Held::Named(entries))
        }
        _ => Both::Clash,
    }
}

fn combine_data(name: &str, a: &Value, b: &Value) -> Both {
    let keep = |value: &Value| Both::Held(Held::Data(value.clone()));
    match name {
        "type" => {
            let both = Types::of_keyword(a).and(Types::of_keyword(b));
            if both.is_empty() { Both::Empty } else { Both::Held(Held::Data(type_value(both))) }
        }
        "enum" => common(a, b),
        "const" => match same(a, b) {
            Some(true) => keep(a),
            Some(false) => Both::Empty,
            None => Both::Clash,
        },
        "required" => Both::Held(Held::Data(union(a, b))),
        "uniqueItems" => keep(if a == &Value::Bool(true) { a } else { b }),
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => tighter(a, b, Ordering::Greater),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => tighter(a, b, Ordering::Less),
        "multipleOf" => match short(a).zip(short(b)).and_then(|(a, b)| a.lcm(b)) {
            Some(step) => number(step).map_or(Both::Clash, |value| Both::Held(Held::Data(value))),
            None => Both::Clash,
        },
        "dependentRequired" => match (a, b) {
            (Value::Object(a), Value::Object(b)) => Both::Held(Held::Data(Value::Object(union_members(a, b)))),
            _ => Both::Clash,
        },
        _ if is_annotation(name) => keep(a),
        _ => Both::Clash,
    }
}

/// The `type` keyword's value for a set.
pub(crate) fn type_value(types: Types) -> Value {
    let mut words: Vec<Value> = types.words().into_iter().map(Value::from).collect();
    match words.pop() {
        Some(only) if words.is_empty() => only,
        Some(last) => {
            words.push(last);
            Value::Array(words)
        }
        None => Value::Array(words),
    }
}

/// A JSON number with exactly this value.
pub(crate) fn number(short: Short) -> Option<Value> {
    let parsed = crate::json::parse(&short.text(), crate::json::ParseLimits::default());
    parsed.ok().filter(Value::is_number)
}

pub(crate) fn short(value: &Value) -> Option<Short> {
    match value {
        Value::Number(number) => Short::parse(number.as_str()),
        _ => None,
    }
}

/// How two numbers stand to each other; `None` when one is no number or its exponent is beyond comparison.
pub(crate) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let exact = |value: &Value| value.as_number().and_then(|number| Decimal::parse(number).ok());
    Some(exact(a)?.cmp(&exact(b)?))
}

fn tighter(a: &Value, b: &Value, wanted: Ordering) -> Both {
    order(a, b).map_or(Both::Clash, |order| Both::Held(Held::Data(if order == wanted { a.clone() } else { b.clone() })))
}

/// Equal as JSON values; `None` when numbers are too large to tell or sit inside containers in two spellings.
pub(crate) fn same(a: &Value, b: &Value) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => order(a, b).map(|order| order == Ordering::Equal),
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => None,
        _ => Some(false),
    }
}

fn common(a: &Value, b: &Value) -> Both {
    let (Value::Array(a), Value::Array(b)) = (a, b) else { return Both::Clash };
    let mut kept = Vec::new();
    for value in a {
        let verdicts: Vec<Option<bool>> = b.iter().map(|other| same(value, other)).collect();
        if verdicts.contains(&Some(true)) {
            kept.push(value.clone());
        } else if verdicts.contains(&None) {
            return Both::Clash;
        }
    }
    if kept.is_empty() { Both::Empty } else { Both::Held(Held::Data(Value::Array(kept))) }
}

fn union(a: &Value, b: &Value) -> Value {
    let mut all: Vec<Value> = a.as_array().cloned().unwrap_or_default();
    for value in b.as_array().into_iter().flatten() {
        if !all.contains(value) {
            all.push(value.clone());
        }
    }
    Value::Array(all)
}

fn union_members(a: &Map<String, Value>, b: &Map<String, Value>) -> Map<String, Value> {
    let mut all = a.clone();
    for (name, value) in b {
        let joined = all.get(name).map_or_else(|| value.clone(), |there| union(there, value));
        all.insert(name.clone(), joined);
    }
    all
}

/// A node that demands both.
pub(crate) fn all_of(tree: &mut Tree, a: Id, b: Id) -> Id {
    match (&tree.node(a).body, &tree.node(b).body) {
        (Body::Any, _) | (_, Body::Never) => return b,
        (_, Body::Any) | (Body::Never, _) => return a,
        (Body::Words(_), Body::Words(_)) if a == b => return a,
        (Body::Words(_), Body::Words(_)) => {}
    }
    let origin = tree.node(a).origin.clone();
    let both = Word { name: "allOf".to_owned(), origin: origin.clone(), held: Held::List(vec![a, b]) };
    tree.add(&origin, Body::Words(vec![both]))
}

/// The object side of one schema: listed properties and what holds for the others.
struct Side {
    properties: Vec<(String, Id)>,
    others: Option<Id>,
    patterned: bool,
}

fn side(words: &[Word]) -> Side {
    let mut side = Side { properties: Vec::new(), others: None, patterned: false };
    for word in words {
        match (word.name.as_str(), &word.held) {
            ("properties", Held::Named(entries)) => side.properties.clone_from(entries),
            ("additionalProperties", Held::One(id)) => side.others = Some(*id),
            ("patternProperties", _) => side.patterned = true,
            _ => {}
        }
    }
    side
}

/// Merges the object keywords into the base; gives back those that could not be (then none was).
fn merge_objects(tree: &mut Tree, merged: &mut Merged, added: Vec<Word>) -> Vec<Word> {
    let (base, other) = (side(&merged.words), side(&added));
    if base.patterned || other.patterned {
        merged.clashes.extend(added);
        return Vec::new();
    }
    let mut properties = Vec::new();
    for (name, id) in &base.properties {
        let beside = other.properties.iter().find(|(there, _)| there == name).map(|(_, id)| *id).or(other.others);
        properties.push((name.clone(), beside.map_or(*id, |beside| all_of(tree, *id, beside))));
    }
    for (name, id) in &other.properties {
        if !base.properties.iter().any(|(there, _)| there == name) {
            properties.push((name.clone(), base.others.map_or(*id, |others| all_of(tree, *id, others))));
        }
    }
    let others = match (base.others, other.others) {
        (Some(a), Some(b)) => Some(all_of(tree, a, b)),
        (a, b) => a.or(b),
    };
    let origin = |name: &str| {
        let all = merged.words.iter().chain(&added);
        all.into_iter().find(|word| word.name == name).map(|word| word.origin.clone())
    };
    let (named, rest) = (origin("properties"), origin("additionalProperties"));
    put(&mut merged.words, "properties", named, Held::Named(properties));
    if let Some(others) = others {
        put(&mut merged.words, "additionalProperties", rest, Held::One(others));
    }
    Vec::new()
}

fn put(words: &mut Vec<Word>, name: &str, origin: Option<String>, held: Held) {
    match words.iter_mut().find(|word| word.name == name) {
        Some(word) => word.held = held,
        None => {
            if let Some(origin) = origin {
                words.push(Word { name: name.to_owned(), origin, held });
            }
        }
    }
}
