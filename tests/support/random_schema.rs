//! Random schemas and values from a seed, for laws about schemas. The same seed gives the same ones everywhere.

#![allow(dead_code, reason = "each test uses what it needs")]

use formwork::json::{Map, ParseLimits, Value, parse};
use formwork::schema::Dialect;

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(sides).unwrap()).unwrap()
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }

    fn text(&mut self, list: &[&str]) -> Value {
        Value::String(self.pick(list).to_owned())
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "ab"];
const NUMBERS: [&str; 12] =
    ["0", "1", "1.0", "2", "3", "-1", "0.5", "1e2", "100", "9007199254740993", "9007199254740992.0", "-0.0"];
const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
const PATTERNS: [&str; 6] = ["^a", "b$", "[0-9]+", "^(?!a)", "^.{1,2}$", "c|ab"];
const KEYWORDS: [&str; 37] = [
    "type",
    "type",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
    "required",
    "properties",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$ref",
];

pub(crate) fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => Value::Bool(dice.roll(2) == 0),
        2 | 3 => parse(dice.pick(&NUMBERS), ParseLimits::default()).unwrap(),
        4 => dice.text(&["", "a", "b", "ab", "aé", "😀", "0"]),
        5 | 6 => {
            let mut map = Map::new();
            for _ in 0..dice.roll(4) {
                map.insert(dice.pick(&NAMES).to_owned(), value(dice, depth - 1));
            }
            Value::Object(map)
        }
        _ => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect(),
    }
}

fn schemas(dice: &mut Dice, depth: usize, draft: Dialect) -> Value {
    (0..=dice.roll(2)).map(|_| schema_of(dice, depth, draft)).collect()
}

fn schema_map(dice: &mut Dice, depth: usize, draft: Dialect, names: &[&str]) -> Value {
    let mut map = Map::new();
    for _ in 0..=dice.roll(2) {
        map.insert(dice.pick(names).to_owned(), schema_of(dice, depth, draft));
    }
    Value::Object(map)
}

/// A schema of draft 2020-12.
pub(crate) fn schema(dice: &mut Dice, depth: usize) -> Value {
    schema_of(dice, depth, Dialect::Draft202012)
}

/// A schema of a draft.
pub(crate) fn schema_of(dice: &mut Dice, depth: usize, draft: Dialect) -> Value {
    if draft != Dialect::Draft4 && dice.roll(8) == 0 {
        return Value::Bool(dice.roll(3) > 0);
    }
    let mut map = Map::new();
    for _ in 0..=dice.roll(3) {
        add_keyword(dice, &mut map, depth, draft);
    }
    Value::Object(map)
}

/// Where definitions stand in a draft.
pub(crate) fn definitions(draft: Dialect) -> &'static str {
    if draft >= Dialect::Draft201909 { "$defs" } else { "definitions" }
}

fn add_keyword(dice: &mut Dice, map: &mut Map<String, Value>, depth: usize, draft: Dialect) {
    let keyword = dice.pick(&KEYWORDS);
    if let Some(content) = content(dice, keyword, depth, draft) {
        map.insert(keyword.to_owned(), content);
    }
    if keyword == "if" && draft != Dialect::Draft4 {
        map.insert("then".to_owned(), schema_of(dice, depth.saturating_sub(1), draft));
        map.insert("else".to_owned(), schema_of(dice, depth.saturating_sub(1), draft));
    }
    if keyword == "contains" && dice.roll(2) == 0 {
        map.insert("minContains".to_owned(), Value::from(dice.roll(4)));
        map.insert("maxContains".to_owned(), Value::from(dice.roll(4)));
    }
}

fn content(dice: &mut Dice, keyword: &str, depth: usize, draft: Dialect) -> Option<Value> {
    let new = draft >= Dialect::Draft201909;
    Some(match keyword {
        "type" if dice.roll(3) == 0 => Value::Array(vec![dice.text(&TYPES[..3]), dice.text(&TYPES[3..])]),
        "type" => dice.text(&TYPES),
        "enum" => (0..=dice.roll(3)).map(|i| [value(dice, 1), Value::from(i + 40)][dice.roll(2)].clone()).collect(),
        "const" => value(dice, 2),
        "exclusiveMinimum" | "exclusiveMaximum" if draft == Dialect::Draft4 => return None,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            parse(dice.pick(&NUMBERS), ParseLimits::default()).unwrap()
        }
        "multipleOf" => parse(dice.pick(&["0.01", "2", "0.5", "3"]), ParseLimits::default()).unwrap(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            Value::from(dice.roll(4))
        }
        "pattern" => dice.text(&PATTERNS),
        "uniqueItems" => Value::Bool(true),
        "required" => Value::Array(vec![dice.text(&NAMES)]),
        "dependentRequired" if new => {
            let names = Value::Array(vec![dice.text(&NAMES)]);
            Value::Object(std::iter::once((dice.pick(&NAMES).to_owned(), names)).collect())
        }
        "$ref" => Value::String(format!("#/{}/{}", definitions(draft), dice.pick(&["x", "y"]))),
        _ if depth == 0 => return None,
        "properties" => schema_map(dice, depth - 1, draft, &NAMES),
        "dependentSchemas" if new => schema_map(dice, depth - 1, draft, &NAMES),
        "patternProperties" => schema_map(dice, depth - 1, draft, &PATTERNS),
        "items" if !new && dice.roll(2) == 0 => schemas(dice, depth - 1, draft),
        "items" | "additionalProperties" | "not" | "contains" | "propertyNames" | "if" => {
            schema_of(dice, depth - 1, draft)
        }
        "unevaluatedProperties" | "unevaluatedItems" if new => schema_of(dice, depth - 1, draft),
        "prefixItems" if draft == Dialect::Draft202012 => schemas(dice, depth - 1, draft),
        "allOf" | "anyOf" | "oneOf" => schemas(dice, depth - 1, draft),
        _ => return None,
    })
}

/// A schema with two definitions that may be referred to.
pub(crate) fn schema_with_definitions(dice: &mut Dice) -> Value {
    with_definitions(dice, Dialect::Draft202012)
}

/// The same in any draft.
pub(crate) fn with_definitions(dice: &mut Dice, draft: Dialect) -> Value {
    let mut root = loop {
        if let Value::Object(root) = schema_of(dice, 3, draft) {
            break root;
        }
    };
    let mut both = Map::new();
    for name in ["x", "y"] {
        both.insert(name.to_owned(), schema_of(dice, 2, draft));
    }
    root.insert(definitions(draft).to_owned(), Value::Object(both));
    Value::Object(root)
}

/// The schema with one random place changed: a keyword added, replaced or taken away.
pub(crate) fn edited(dice: &mut Dice, schema: &Value) -> Value {
    let mut out = schema.clone();
    let mut places = Vec::new();
    collect(schema, "", &mut places);
    let place = places[dice.roll(places.len())].clone();
    let Some(Value::Object(map)) = out.pointer_mut(&place) else { return out };
    match dice.roll(3) {
        0 if !map.is_empty() => {
            let names: Vec<String> = map.keys().filter(|name| *name != "$defs").cloned().collect();
            if !names.is_empty() {
                map.remove(&names[dice.roll(names.len())]);
            }
        }
        1 => {
            map.insert("description".to_owned(), Value::from(dice.roll(9)).to_string().into());
        }
        _ => add_keyword(dice, map, 2, Dialect::Draft202012),
    }
    out
}

/// Pointers of the objects that are schemas, as far as a test needs to know.
fn collect(schema: &Value, pointer: &str, out: &mut Vec<String>) {
    let Value::Object(map) = schema else { return };
    out.push(pointer.to_owned());
    for (name, held) in map {
        let below = format!("{pointer}/{name}");
        match (name.as_str(), held) {
            ("properties" | "patternProperties" | "dependentSchemas" | "$defs", Value::Object(entries)) => {
                for (key, child) in entries {
                    collect(child, &format!("{below}/{}", key.replace('~', "~0").replace('/', "~1")), out);
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                for (at, child) in list.iter().enumerate() {
                    collect(child, &format!("{below}/{at}"), out);
                }
            }
            (
                "items" | "additionalProperties" | "not" | "contains" | "propertyNames" | "if" | "then" | "else",
                child,
            ) => {
                collect(child, &below, out);
            }
            _ => {}
        }
    }
}
