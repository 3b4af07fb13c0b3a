//! Spoilt values: for each value of a good answer those that would likely be a mistake, and what would stop them.

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

/// A spoilt value.
pub(super) struct Mutant {
    pub(super) kind: Kind,
    pub(super) value: Value,
    pub(super) what: String,
    pub(super) likely: u8,
    pub(super) offers: Vec<Wish>,
    /// About how many bytes it adds.
    pub(super) size: usize,
}

impl Mutant {
    fn new(kind: Kind, value: Value, what: impl Into<String>, likely: u8) -> Self {
        Self { kind, value, what: what.into(), likely, offers: Vec::new(), size: 16 }
    }

    fn stopped_by(mut self, place: &Place, keyword: &'static str, value: impl Into<Value>) -> Self {
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
pub(super) fn of(place: &Place, rules: Rules) -> Vec<Mutant> {
    let mut out = Vec::new();
    if place.homes.is_empty() {
        // Nothing describes it: what is missing is told of the value above.
        return out;
    }
    match &place.value {
        Value::Object(members) => objects(place, members, &mut out),
        Value::Array(items) => lists(place, items, &mut out),
        Value::String(text) => texts(place, text, rules, &mut out),
        Value::Number(number) => numbers(place, number, rules, &mut out),
        Value::Bool(_) | Value::Null => {}
    }
    types(place, &mut out);
    out
}

fn label(place: &Place) -> String {
    if place.name.is_empty() { "the answer".to_owned() } else { words::cut(&place.name) }
}

/// Does any part of the schema say one of these words?
fn says(place: &Place, names: &[&str]) -> bool {
    place.homes.iter().any(|home| names.iter().any(|name| home.word(name).is_some()))
}

fn objects(place: &Place, members: &Map<String, Value>, out: &mut Vec<Mutant>) {
    let strict = says(place, &["required"]);
    let whole = label(place);
    if !members.is_empty() && !strict {
        let named = place.homes.iter().filter(|home| home.word("properties").is_some());
        let mut mutant = Mutant::new(Kind::EmptyObject, Value::Object(Map::new()), format!("{whole} = {{}}"), 92);
        for home in named {
            let listed = home.named("properties").unwrap_or_default();
            let present = listed.iter().map(|(name, _)| name).filter(|name| members.contains_key(*name));
            mutant.offers.push(Wish::new(home, "required", present.cloned().collect::<Vec<_>>().into()));
        }
        out.push(mutant.stopped_by(place, "minProperties", 1));
    }
    for name in members.keys().take(MAX_DROPPED) {
        let mut less = members.clone();
        less.remove(name);
        let text = format!("{whole} without {}", words::cut(name));
        let mut mutant = Mutant::new(Kind::MissingField, Value::Object(less), text, if strict { 50 } else { 84 });
        for home in place.homes.iter().filter(|home| lists_name(home, name)) {
            let mut all: Vec<Value> = home.required().into_iter().map(Value::from).collect();
            all.push(Value::from(name.as_str()));
            mutant.offers.push(Wish::new(home, "required", Value::Array(all)));
        }
        if !mutant.offers.is_empty() {
            out.push(mutant);
        }
    }
    extra(place, members, &whole, out);
}

fn lists_name(home: &Node, name: &str) -> bool {
    home.named("properties").unwrap_or_default().iter().any(|(there, _)| there == name)
}

fn extra(place: &Place, members: &Map<String, Value>, whole: &str, out: &mut Vec<Mutant>) {
    // A map with free keys is meant to take any.
    let free = place.homes.iter().any(|home| home.one("additionalProperties").is_some())
        || says(place, &["patternProperties", "propertyNames", "unevaluatedProperties"])
        || !says(place, &["properties"]);
    if free || members.contains_key(EXTRA) {
        return;
    }
    let mut more = members.clone();
    more.insert(EXTRA.to_owned(), Value::from("x"));
    let mut mutant = Mutant::new(Kind::ExtraField, Value::Object(more), format!("{whole} with an unknown field"), 72);
    let named = || place.homes.iter().filter(|home| home.word("properties").is_some());
    mutant.offers.extend(named().map(|home| Wish::new(home, "additionalProperties", Value::Bool(false))));
    mutant.offers.extend(place.homes.iter().map(|home| Wish::new(home, "unevaluatedProperties", Value::Bool(false))));
    out.push(mutant);
}

fn lists(place: &Place, items: &[Value], out: &mut Vec<Mutant>) {
    let whole = label(place);
    if says(place, &["enum", "const"]) {
        return;
    }
    if !items.is_empty() && !says(place, &["minItems"]) {
        let mutant = Mutant::new(Kind::EmptyList, Value::Array(Vec::new()), format!("{whole} = []"), 58);
        out.push(mutant.stopped_by(place, "minItems", 1));
    }
    let Some(first) = items.first() else { return };
    let size = crate::json::canonical(first).len();
    if !says(place, &["maxItems"]) && size < 4_096 && !says(place, &["uniqueItems", "prefixItems"]) {
        let value = Value::Array(vec![first.clone(); LONG_LIST]);
        let most = round_up(items.len() as u64 * 10, 20);
        let mutant = Mutant::new(Kind::LongList, value, format!("{whole} with 1,000 items"), 22);
        out.push(mutant.sized(size * LONG_LIST).stopped_by(place, "maxItems", most));
    }
    let differ = items.iter().enumerate().all(|(at, item)| !items[..at].contains(item));
    if !says(place, &["uniqueItems", "prefixItems"]) && !first.is_number() && differ {
        let twice = Value::Array(items.iter().cloned().chain([first.clone()]).collect());
        let likely = if first.is_string() { 34 } else { 18 };
        let mutant = Mutant::new(Kind::RepeatedItem, twice, format!("{whole} with the same item twice"), likely);
        out.push(mutant.stopped_by(place, "uniqueItems", true));
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

fn texts(place: &Place, text: &str, rules: Rules, out: &mut Vec<Mutant>) {
    if says(place, &["enum", "const"]) {
        return;
    }
    let whole = label(place);
    let shaped = says(place, &["pattern", "format", "contentEncoding"]);
    let stated = says(place, &["minLength", "pattern"]) || shaped && rules.asserted;
    if !text.is_empty() && !stated {
        let mutant = Mutant::new(Kind::EmptyText, Value::from(""), format!("{whole} = \"\""), 76);
        out.push(mutant.stopped_by(place, "minLength", 1));
    }
    if !text.trim().is_empty() && !shaped {
        let mutant = Mutant::new(Kind::BlankText, Value::from("   "), format!("{whole} = \"   \""), 46);
        out.push(mutant.stopped_by(place, "pattern", r"\S"));
    }
    if !says(place, &["maxLength"]) && !shaped {
        let most = round_up(text.chars().count() as u64 * 4, 100);
        let what = format!("{whole} of 10,000 characters");
        let mutant = Mutant::new(Kind::LongText, Value::from("x".repeat(LONG_TEXT)), what, 26).sized(LONG_TEXT);
        out.push(mutant.stopped_by(place, "maxLength", most));
    }
    if !says(place, &["pattern"]) {
        promises(place, rules, &whole, out);
    }
    let described = place.homes.iter().filter_map(|home| home.data("description").and_then(Value::as_str));
    let words = described.map(words::listed).find(|words| words.iter().any(|word| word == text));
    if let Some(words) = words {
        let mutant =
            Mutant::new(Kind::OtherWord, Value::from("something else"), format!("{whole} = a word not listed"), 88);
        out.push(mutant.stopped_by(place, "enum", words));
    }
}

/// A name promises a format the schema does not hold.
fn promises(place: &Place, rules: Rules, whole: &str, out: &mut Vec<Mutant>) {
    let formatted = says(place, &["format"]);
    if formatted && rules.asserted {
        return;
    }
    for promise in words::promised(&place.name) {
        let mutant =
            Mutant::new(Kind::WrongFormat, Value::from(promise.wrong), format!("{whole} = \"{}\"", promise.wrong), 66);
        let mutant = if rules.asserted {
            mutant.stopped_by(place, "format", promise.format)
        } else {
            mutant.stopped_by(place, "pattern", promise.pattern)
        };
        // An identifier need not be a UUID: told only when it is one.
        if promise.format != "uuid" || place.value.as_str().is_some_and(|text| text.len() == 36) {
            out.push(mutant);
            return;
        }
    }
}

fn numbers(place: &Place, number: &Number, rules: Rules, out: &mut Vec<Mutant>) {
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
        let mutant = Mutant::new(Kind::Negative, Value::from(-1), format!("{whole} = -1"), likely);
        out.push(mutant.stopped_by(place, "minimum", 0));
    }
    if exact > zero && !least && measure != Measure::Signed {
        let likely = if measure == Measure::Unknown { 16 } else { 36 };
        let mutant = Mutant::new(Kind::Zero, Value::from(0), format!("{whole} = 0"), likely);
        let one = Decimal::from_text("1").is_ok_and(|one| exact >= one);
        let counted = place.homes.iter().all(|home| home.types().and(Types::NUMBER).within(Types::INTEGER));
        let mutant = if counted && one { mutant.stopped_by(place, "minimum", 1) } else { mutant };
        out.push(if rules.open_bounds { mutant.stopped_by(place, "exclusiveMinimum", 0) } else { mutant });
    }
    if exact < large && !says(place, &["maximum", "exclusiveMaximum", "multipleOf"]) {
        let mutant = Mutant::new(
            Kind::LargeNumber,
            Value::from(999_999_999_999_u64),
            format!("{whole} = 999999999999"),
            if measure == Measure::Count { 24 } else { 14 },
        );
        let most = exact.to_u64().map_or(1_000_000, |own| round_up(own.saturating_mul(100), 1_000));
        out.push(mutant.stopped_by(place, "maximum", most.min(999_999_999_998)));
    }
    if exact.is_integer() && measure == Measure::Count && !says(place, &["multipleOf"]) {
        let value = crate::json::parse("2.5", crate::json::ParseLimits::default()).unwrap_or(Value::Null);
        let mutant = Mutant::new(Kind::Fraction, value, format!("{whole} = 2.5"), 62);
        out.push(mutant.stopped_by(place, "type", "integer"));
    }
}

/// Null and another type, where the schema says nothing of types.
fn types(place: &Place, out: &mut Vec<Mutant>) {
    if place.value.is_null() || says(place, &["type", "enum", "const", "not"]) {
        return;
    }
    let Some(word) = Types::of_value(&place.value).words().first().copied().or(wide(&place.value)) else { return };
    let word = if place.value.is_number() { "number" } else { word };
    let whole = label(place);
    let mutant = Mutant::new(Kind::Null, Value::Null, format!("{whole} = null"), 56);
    out.push(mutant.stopped_by(place, "type", word));
    let (other, shown) = match &place.value {
        Value::String(_) => (Value::from(7), "a number"),
        _ => (Value::from("text"), "a text"),
    };
    let mutant = Mutant::new(Kind::WrongType, other, format!("{whole} = {shown}"), 64);
    out.push(mutant.stopped_by(place, "type", word));
}

/// A whole number alone has no word of its own set; it is a number.
fn wide(value: &Value) -> Option<&'static str> {
    value.is_number().then_some("number")
}
