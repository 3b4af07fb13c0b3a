//! A law: on random schemas and values our verdict is the one of the `jsonschema` crate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

use formwork::json::{Map, ParseLimits, Value, canonical, parse};
use formwork::schema::preflight;
use formwork::schema::validate::{JudgeOptions, judge};
use jsonschema::Draft;

/// A small generator of its own: the same seed gives the same schema everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
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

fn value(dice: &mut Dice, depth: usize) -> Value {
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

fn schemas(dice: &mut Dice, depth: usize, draft: Draft) -> Value {
    (0..=dice.roll(2)).map(|_| schema(dice, depth, draft)).collect()
}

fn schema_map(dice: &mut Dice, depth: usize, draft: Draft, names: &[&str]) -> Value {
    let mut map = Map::new();
    for _ in 0..=dice.roll(2) {
        map.insert(dice.pick(names).to_owned(), schema(dice, depth, draft));
    }
    Value::Object(map)
}

fn count(dice: &mut Dice) -> Value {
    Value::from(dice.roll(4))
}

const KEYWORDS: [&str; 36] = [
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

fn schema(dice: &mut Dice, depth: usize, draft: Draft) -> Value {
    let old = draft == Draft::Draft4;
    if !old && dice.roll(8) == 0 {
        return Value::Bool(dice.roll(3) > 0);
    }
    let mut map = Map::new();
    for _ in 0..=dice.roll(3) {
        let keyword = dice.pick(&KEYWORDS);
        if let Some(content) = content(dice, keyword, depth, draft) {
            map.insert(keyword.to_owned(), content);
        }
        if keyword == "if" && !old {
            map.insert("then".to_owned(), schema(dice, depth.saturating_sub(1), draft));
            map.insert("else".to_owned(), schema(dice, depth.saturating_sub(1), draft));
        }
        if keyword == "contains" && dice.roll(2) == 0 {
            map.insert("minContains".to_owned(), count(dice));
            map.insert("maxContains".to_owned(), count(dice));
        }
    }
    Value::Object(map)
}

fn content(dice: &mut Dice, keyword: &str, depth: usize, draft: Draft) -> Option<Value> {
    let new = matches!(draft, Draft::Draft201909 | Draft::Draft202012);
    Some(match keyword {
        "type" if dice.roll(3) == 0 => Value::Array(vec![dice.text(&TYPES[..3]), dice.text(&TYPES[3..])]),
        "type" => dice.text(&TYPES),
        "enum" => (0..=dice.roll(3)).map(|i| [value(dice, 1), Value::from(i + 40)][dice.roll(2)].clone()).collect(),
        "const" => value(dice, 2),
        "exclusiveMinimum" | "exclusiveMaximum" if draft == Draft::Draft4 => return None,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            parse(dice.pick(&NUMBERS), ParseLimits::default()).unwrap()
        }
        "multipleOf" => parse(dice.pick(&["0.01", "2", "0.5", "3"]), ParseLimits::default()).unwrap(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => count(dice),
        "pattern" => dice.text(&PATTERNS),
        "uniqueItems" => Value::Bool(true),
        "required" => Value::Array(vec![dice.text(&NAMES)]),
        "dependentRequired" if new => {
            let names = Value::Array(vec![dice.text(&NAMES)]);
            Value::Object(std::iter::once((dice.pick(&NAMES).to_owned(), names)).collect())
        }
        "$ref" => {
            let root = if new { "$defs" } else { "definitions" };
            Value::String(format!("#/{root}/{}", dice.pick(&["x", "y"])))
        }
        _ if depth == 0 => return None,
        "properties" => schema_map(dice, depth - 1, draft, &NAMES),
        "dependentSchemas" if new => schema_map(dice, depth - 1, draft, &NAMES),
        "patternProperties" => schema_map(dice, depth - 1, draft, &PATTERNS),
        "items" if !new && dice.roll(2) == 0 => schemas(dice, depth - 1, draft),
        "items" | "additionalProperties" | "not" | "contains" | "propertyNames" | "if" => {
            schema(dice, depth - 1, draft)
        }
        "unevaluatedProperties" | "unevaluatedItems" if new => schema(dice, depth - 1, draft),
        "prefixItems" if draft == Draft::Draft202012 => schemas(dice, depth - 1, draft),
        "allOf" | "anyOf" | "oneOf" => schemas(dice, depth - 1, draft),
        _ => return None,
    })
}

#[test]
fn verdicts_are_those_of_the_reference_validator() {
    let drafts = [
        (Draft::Draft4, "http://json-schema.org/draft-04/schema#"),
        (Draft::Draft6, "http://json-schema.org/draft-06/schema#"),
        (Draft::Draft7, "http://json-schema.org/draft-07/schema#"),
        (Draft::Draft201909, "https://json-schema.org/draft/2019-09/schema"),
        (Draft::Draft202012, "https://json-schema.org/draft/2020-12/schema"),
    ];
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let (mut judged, mut valid, mut wrong) = (0, 0, Vec::new());
    for seed in 1..2_500_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (draft, uri) = drafts[dice.roll(drafts.len())];
        let Value::Object(mut root) = schema(&mut dice, 3, draft) else { continue };
        root.insert("$schema".to_owned(), uri.into());
        let defs = if matches!(draft, Draft::Draft201909 | Draft::Draft202012) { "$defs" } else { "definitions" };
        let mut both = Map::new();
        for name in ["x", "y"] {
            both.insert(name.to_owned(), schema(&mut dice, 2, draft));
        }
        root.insert(defs.to_owned(), Value::Object(both));
        let root = Value::Object(root);
        let Ok(checked) = preflight::check(&root) else { continue };
        let ours = judge(&checked.format, options).unwrap();
        let theirs = jsonschema::options().with_draft(draft).should_validate_formats(false).build(&root).unwrap();
        for _ in 0..12 {
            let candidate = value(&mut dice, 3);
            let issues = ours.validate(&candidate);
            judged += 1;
            valid += usize::from(issues.list.is_empty());
            if issues.list.is_empty() != theirs.is_valid(&candidate) {
                wrong.push(format!("seed {seed}: {} on {}: {issues:?}", canonical(&root), canonical(&candidate)));
            }
            for issue in &issues.list {
                assert!(
                    root.pointer(&issue.schema_path).is_some() && candidate.pointer(&issue.path).is_some(),
                    "{issue:?}"
                );
            }
        }
    }
    println!("{judged} judged, {valid} valid");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(judged > 8_000 && valid > judged / 20 && valid < judged * 19 / 20, "{judged} {valid}");
}
