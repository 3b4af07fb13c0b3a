//! Spoilt values: for each value of a good answer those that would likely be a mistake, and what would stop them.
//!
//! One after another, and each says how the value is to be spoilt where it stands: an answer of any size is copied for
//! none of them.

use super::Kind;
use super::homes::Place;
use super::offer::{Rules, Wish};
use super::words::{self, Measure};
use crate::json::{Map, Number, Value};
use crate::schema::decimal::Decimal;
use crate::schema::tree::Node;
use crate::schema::tree::types::Types;

/// Members of one object that are dropped one by one.
const MAX_DROPPED: usize = 60;
/// Characters of a text that is too long, and items of a list.
const LONG_TEXT: usize = 10_000;
const LONG_LIST: usize = 1_000;
/// A name nobody gives a field.
const EXTRA: &str = "unexpected_field";

/// Items of a list that are held against one another.
const MAX_COMPARED: usize = 100;

/// Takes the mutants as they come.
type Out<'a> = &'a mut dyn FnMut(Mutant);

/// What is done to a value.
pub(super) enum Spoil {
    /// Another stands in its place.
    Put(Value),
    /// An object loses a member.
    Without(String),
    /// An object gets a member nobody asked for.
    With(&'static str),
    /// A list of so many times its first item.
    Repeat(usize),
    /// A list gets its first item once more.
    Again,
}

/// What was there.
pub(super) enum Undo {
    Put(Value),
    Insert { at: usize, name: String, value: Value },
    Remove(&'static str),
    Pop,
    Nothing,
}

impl Spoil {
    /// Spoils the value where it stands.
    pub(super) fn apply(self, slot: &mut Value) -> Undo {
        match (self, slot) {
            (Self::Put(value), slot) => Undo::Put(std::mem::replace(slot, value)),
            (Self::Without(name), Value::Object(members)) => {
                let at = members.keys().position(|key| *key == name);
                match (at, members.shift_remove(&name)) {
                    (Some(at), Some(value)) => Undo::Insert { at, name, value },
                    (None | Some(_), _) => Undo::Nothing,
                }
            }
            (Self::With(name), Value::Object(members)) => {
                members.insert(name.to_owned(), Value::from("x"));
                Undo::Remove(name)
            }
            (Self::Repeat(times), Value::Array(items)) => {
                let many = items.first().map_or_else(Vec::new, |first| vec![first.clone(); times]);
                Undo::Put(Value::Array(std::mem::replace(items, many)))
            }
            (Self::Again, Value::Array(items)) => match items.first().cloned() {
                Some(first) => {
                    items.push(first);
                    Undo::Pop
                }
                None => Undo::Nothing,
            },
            (Self::Without(_) | Self::With(_) | Self::Repeat(_) | Self::Again, _) => Undo::Nothing,
        }
    }
}

impl Undo {
    /// The value is as it was.
    pub(super) fn apply(self, slot: &mut Value) {
        match (self, slot) {
            (Self::Put(value), slot) => *slot = value,
            (Self::Insert { at, name, value }, Value::Object(members)) => {
                members.shift_insert(at, name, value);
            }
            (Self::Remove(name), Value::Object(members)) => {
                members.shift_remove(name);
            }
            (Self::Pop, Value::Array(items)) => {
                items.pop();
            }
            (Self::Insert { .. } | Self::Remove(_) | Self::Pop | Self::Nothing, _) => {}
        }
    }
}

/// A spoilt value.
pub(super) struct Mutant {
    pub(super) kind: Kind,
    pub(super) spoil: Spoil,
    pub(super) what: String,
    pub(super) likely: u8,
    pub(super) offers: Vec<Wish>,
    /// About how many bytes it adds.
    pub(super) size: usize,
}

impl Mutant {
    fn new(kind: Kind, spoil: Spoil, what: impl Into<String>, likely: u8) -> Self {
        Self { kind, spoil, what: what.into(), likely, offers: Vec::new(), size: 16 }
    }

    fn put(kind: Kind, value: impl Into<Value>, what: impl Into<String>, likely: u8) -> Self {
        Self::new(kind, Spoil::Put(value.into()), what, likely)
    }

    fn stopped_by(mut self, place: &Place<'_>, keyword: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let targets = place.homes.iter().filter(|home| fits_keyword(home, keyword));
        self.offers.extend(targets.map(|home| Wish::new(home, keyword, value.clone())));
        self
    }

    const fn sized(mut self, size: usize) -> Self {
        self.size = size;
        self
    }
}

/// A keyword goes to a part that speaks of its type already, or of none.
fn fits_keyword(home: &Node, keyword: &str) -> bool {
    home.types().meets(Types::spoken_of_by(keyword)) || home.word("type").is_none()
}

/// The mutants of one value.
pub(super) fn of(place: &Place<'_>, rules: Rules, out: Out<'_>) {
    if place.homes.is_empty() {
        // Nothing describes it: what is missing is told of the value above.
        return;
    }
    match place.value {
        Value::Object(members) => objects(place, members, out),
        Value::Array(items) => lists(place, items, out),
        Value::String(text) => texts(place, text, rules, out),
        Value::Number(number) => numbers(place, number, rules, out),
        Value::Bool(_) | Value::Null => {}
    }
    types(place, out);
}

fn label(place: &Place<'_>) -> String {
    if place.name.is_empty() { "the answer".to_owned() } else { words::cut(&place.name) }
}

/// Does any part of the schema say one of these words?
fn says(place: &Place<'_>, names: &[&str]) -> bool {
    place.homes.iter().any(|home| names.iter().any(|name| home.word(name).is_some()))
}

fn objects(place: &Place<'_>, members: &Map<String, Value>, out: Out<'_>) {
    let strict = says(place, &["required"]);
    let whole = label(place);
    if !members.is_empty() && !strict {
        let named = place.homes.iter().filter(|home| home.word("properties").is_some());
        let mut mutant = Mutant::put(Kind::EmptyObject, Map::new(), format!("{whole} = {{}}"), 92);
        for home in named {
            let listed = home.named("properties").unwrap_or_default();
            let present = listed.iter().map(|(name, _)| name).filter(|name| members.contains_key(*name));
            mutant.offers.push(Wish::new(home, "required", present.cloned().collect::<Vec<_>>().into()));
        }
        out(mutant.stopped_by(place, "minProperties", 1));
    }
    for name in members.keys().take(MAX_DROPPED) {
        let text = format!("{whole} without {}", words::cut(name));
        let likely = if strict { 50 } else { 84 };
        let mut mutant = Mutant::new(Kind::MissingField, Spoil::Without(name.clone()), text, likely);
        for home in place.homes.iter().filter(|home| lists_name(home, name)) {
            let mut all: Vec<Value> = home.required().into_iter().map(Value::from).collect();
            all.push(Value::from(name.as_str()));
            mutant.offers.push(Wish::new(home, "required", Value::Array(all)));
        }
        if !mutant.offers.is_empty() {
            out(mutant);
        }
    }
    extra(place, members, &whole, out);
}

fn lists_name(home: &Node, name: &str) -> bool {
    home.named("properties").unwrap_or_default().iter().any(|(there, _)| there == name)
}

fn extra(place: &Place<'_>, members: &Map<String, Value>, whole: &str, out: Out<'_>) {
    // A map with free keys is meant to take any.
    let free = place.homes.iter().any(|home| home.one("additionalProperties").is_some())
        || says(place, &["patternProperties", "propertyNames", "unevaluatedProperties"])
        || !says(place, &["properties"]);
    if free || members.contains_key(EXTRA) {
        return;
    }
    let what = format!("{whole} with an unknown field");
    let mut mutant = Mutant::new(Kind::ExtraField, Spoil::With(EXTRA), what, 72);
    let named = || place.homes.iter().filter(|home| home.word("properties").is_some());
    mutant.offers.extend(named().map(|home| Wish::new(home, "additionalProperties", Value::Bool(false))));
    mutant.offers.extend(place.homes.iter().map(|home| Wish::new(home, "unevaluatedProperties", Value::Bool(false))));
    out(mutant);
}

fn lists(place: &Place<'_>, items: &[Value], out: Out<'_>) {
    let whole = label(place);
    if says(place, &["enum", "const"]) {
        return;
    }
    if !items.is_empty() && !says(place, &["minItems"]) {
        let mutant = Mutant::put(Kind::EmptyList, Vec::<Value>::new(), format!("{whole} = []"), 58);
        out(mutant.stopped_by(place, "minItems", 1));
    }
    let Some(first) = items.first() else { return };
    let size = crate::json::canonical(first).len();
    if !says(place, &["maxItems"]) && size < 4_096 && !says(place, &["uniqueItems", "prefixItems"]) {
        let most = round_up(items.len() as u64 * 10, 20);
        let mutant = Mutant::new(Kind::LongList, Spoil::Repeat(LONG_LIST), format!("{whole} with 1,000 items"), 22);
        out(mutant.sized(size * LONG_LIST).stopped_by(place, "maxItems", most));
    }
    let differ = || items.iter().enumerate().all(|(at, item)| !items[..at].contains(item));
    if !says(place, &["uniqueItems", "prefixItems"]) && !first.is_number() && items.len() <= MAX_COMPARED && differ() {
        let likely = if first.is_string() { 34 } else { 18 };
        let mutant = Mutant::new(Kind::RepeatedItem, Spoil::Again, format!("{whole} with the same item twice"), likely);
        out(mutant.stopped_by(place, "uniqueItems", true));
    }
}

/// Up to a round number.
fn round_up(wanted: u64, least: u64) -> u64 {
    let mut round = least.max(1);
    while round < wanted {
        round = round.saturating_mul(if round.to_string().starts_with('2') { 5 } else { 2 });
        if round == u64::MAX {
            break;
        }
    }
    round
}

fn texts(place: &Place<'_>, text: &str, rules: Rules, out: Out<'_>) {
    if says(place, &["enum", "const"]) {
        return;
    }
    let whole = label(place);
    let shaped = says(place, &["pattern", "format", "contentEncoding"]);
    let stated = says(place, &["minLength", "pattern"]) || shaped && rules.asserted;
    if !text.is_empty() && !stated {
        let mutant = Mutant::put(Kind::EmptyText, "", format!("{whole} = \"\""), 76);
        out(mutant.stopped_by(place, "minLength", 1));
    }
    if !text.trim().is_empty() && !shaped {
        let mutant = Mutant::put(Kind::BlankText, "   ", format!("{whole} = \"   \""), 46);
        out(mutant.stopped_by(place, "pattern", r"\S"));
    }
    if !says(place, &["maxLength"]) && !shaped {
        let most = round_up(text.chars().count() as u64 * 4, 100);
        let what = format!("{whole} of 10,000 characters");
        let mutant = Mutant::put(Kind::LongText, "x".repeat(LONG_TEXT), what, 26).sized(LONG_TEXT);
        out(mutant.stopped_by(place, "maxLength", most));
    }
    if !says(place, &["pattern"]) {
        promises(place, rules, &whole, out);
    }
    let described = place.homes.iter().filter_map(|home| home.data("description").and_then(Value::as_str));
    let words = described.map(words::listed).find(|words| words.iter().any(|word| word == text));
    if let Some(words) = words {
        let mutant = Mutant::put(Kind::OtherWord, "something else", format!("{whole} = a word not listed"), 88);
        out(mutant.stopped_by(place, "enum", words));
    }
}

/// A name promises a format the schema does not hold.
fn promises(place: &Place<'_>, rules: Rules, whole: &str, out: Out<'_>) {
    let formatted = says(place, &["format"]);
    if formatted && rules.asserted {
        return;
    }
    for promise in words::promised(&place.name) {
        let mutant = Mutant::put(Kind::WrongFormat, promise.wrong, format!("{whole} = \"{}\"", promise.wrong), 66);
        let mutant = if rules.asserted {
            mutant.stopped_by(place, "format", promise.format)
        } else {
            mutant.stopped_by(place, "pattern", promise.pattern)
        };
        // An identifier need not be a UUID: told only when it is one.
        if promise.format != "uuid" || place.value.as_str().is_some_and(|text| text.len() == 36) {
            out(mutant);
            return;
        }
    }
}

fn numbers(place: &Place<'_>, number: &Number, rules: Rules, out: Out<'_>) {
    if says(place, &["enum", "const"]) {
        return;
    }
    let Ok(exact) = Decimal::parse(number) else { return };
    let (Ok(zero), Ok(large)) = (Decimal::from_text("0"), Decimal::from_text("999999999999")) else { return };
    let whole = label(place);
    let measure = words::measure(&place.name);
    let least = says(place, &["minimum", "exclusiveMinimum"]);
    if exact >= zero && !least {
        let likely = match measure {
            Measure::Count | Measure::Amount => 90,
            Measure::Unknown => 52,
            Measure::Signed => 8,
        };
        let mutant = Mutant::put(Kind::Negative, -1, format!("{whole} = -1"), likely);
        out(mutant.stopped_by(place, "minimum", 0));
    }
    if exact > zero && !least && measure != Measure::Signed {
        let likely = if measure == Measure::Unknown { 16 } else { 36 };
        let mutant = Mutant::put(Kind::Zero, 0, format!("{whole} = 0"), likely);
        let one = Decimal::from_text("1").is_ok_and(|one| exact >= one);
        let counted = place.homes.iter().all(|home| home.types().and(Types::NUMBER).within(Types::INTEGER));
        let mutant = if counted && one { mutant.stopped_by(place, "minimum", 1) } else { mutant };
        out(if rules.open_bounds { mutant.stopped_by(place, "exclusiveMinimum", 0) } else { mutant });
    }
    if exact < large && !says(place, &["maximum", "exclusiveMaximum", "multipleOf"]) {
        let mutant = Mutant::put(
            Kind::LargeNumber,
            999_999_999_999_u64,
            format!("{whole} = 999999999999"),
            if measure == Measure::Count { 24 } else { 14 },
        );
        let most = exact.to_u64().map_or(1_000_000, |own| round_up(own.saturating_mul(100), 1_000));
        out(mutant.stopped_by(place, "maximum", most.min(999_999_999_998)));
    }
    if exact.is_integer() && measure == Measure::Count && !says(place, &["multipleOf"]) {
        let value = crate::json::parse("2.5", crate::json::ParseLimits::default()).unwrap_or(Value::Null);
        let mutant = Mutant::put(Kind::Fraction, value, format!("{whole} = 2.5"), 62);
        out(mutant.stopped_by(place, "type", "integer"));
    }
}

/// Null and another type, where the schema says nothing of types.
fn types(place: &Place<'_>, out: Out<'_>) {
    if place.value.is_null() || says(place, &["type", "enum", "const", "not"]) {
        return;
    }
    let Some(word) = Types::of_value(place.value).words().first().copied().or(wide(place.value)) else { return };
    let word = if place.value.is_number() { "number" } else { word };
    let whole = label(place);
    let mutant = Mutant::put(Kind::Null, Value::Null, format!("{whole} = null"), 56);
    out(mutant.stopped_by(place, "type", word));
    let (other, shown) = match place.value {
        Value::String(_) => (Value::from(7), "a number"),
        _ => (Value::from("text"), "a text"),
    };
    let mutant = Mutant::put(Kind::WrongType, other, format!("{whole} = {shown}"), 64);
    out(mutant.stopped_by(place, "type", word));
}

/// A whole number alone has no word of its own set; it is a number.
fn wide(value: &Value) -> Option<&'static str> {
    value.is_number().then_some("number")
}

#[cfg(test)]
mod tests {
    use super::super::homes;
    use super::super::offer::Offers;
    use super::*;
    use crate::json::{ParseLimits, canonical, parse};
    use crate::schema::preflight::check_text;
    use crate::schema::tree::Tree;
    use crate::schema::validate::JudgeOptions;

    #[test]
    fn what_is_undone_is_as_it_was_down_to_the_order() {
        let schema = r#"{"properties":{"z":{"type":"number"},"a":{"items":{"type":"string"}},"due_date":{},"s":{"type":"string"}}}"#;
        let good = parse(r#"{"z":3,"a":["x","y"],"due_date":"2026-01-01","s":"t"}"#, ParseLimits::default()).unwrap();
        let format = check_text(schema).unwrap().format;
        let tree = Tree::read(&format.schema).unwrap_or_else(|_| panic!("a reference dangles"));
        let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
        let rules = Offers::new(&format, &tree, &good, options).rules();
        let (places, _) = homes::places(&tree, &good, 100);
        let text = |value: &Value| serde_json::to_string(value).unwrap();
        let (mut value, mut kinds) = (good.clone(), Vec::new());
        for place in &places {
            of(place, rules, &mut |mutant| {
                let slot = value.pointer_mut(&place.path).unwrap();
                let undo = mutant.spoil.apply(slot);
                assert_ne!(canonical(&value), canonical(&good), "{}", mutant.what);
                undo.apply(value.pointer_mut(&place.path).unwrap());
                assert_eq!(text(&value), text(&good), "{}", mutant.what);
                kinds.push(mutant.kind);
            });
        }
        for kind in [Kind::MissingField, Kind::ExtraField, Kind::EmptyObject, Kind::LongList, Kind::RepeatedItem] {
            assert!(kinds.contains(&kind), "{kinds:?}");
        }
    }
}
