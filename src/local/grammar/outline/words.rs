//! Keyword by keyword: what the grammar holds, what it needs not hold, and what it does not hold.

use crate::json::Value;
use crate::schema::pattern::translate;
use crate::schema::profile::RuleName;
use crate::schema::tree::{Body, Held, Id, Node, Tree, Word};

use super::Reason;
use crate::local::grammar::numbers;

/// What becomes of a keyword.
pub(super) enum Treatment {
    /// Without effect on the verdict: annotations, `uniqueItems: false`.
    Skip,
    Drop(Reason),
    /// This value.
    Write(Value),
    /// Under this name, with its subschemas.
    Below(&'static str),
}

/// The formats the compiler has. Others are annotations, as everywhere in this program.
const FORMATS: &[&str] = &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];

const NOT_HELD: Reason = reason(RuleName::KeywordNotSupported, "the grammar does not hold this keyword");
const NOT_EXACT: Reason =
    reason(RuleName::NumberNotExact, "the grammar computes in doubles and would read this number as another");
const PATTERN: Reason = reason(RuleName::PatternSyntax, "the grammar does not hold this pattern as it is written");
const CONTROL: Reason = reason(RuleName::KeywordNotSupported, "the grammar writes no control characters in a string");

const fn reason(rule: RuleName, why: &'static str) -> Reason {
    Reason { rule, why }
}

pub(super) fn treat(tree: &Tree, node: &Node, word: &Word, steps_fit: bool) -> Treatment {
    match (word.name.as_str(), &word.held) {
        ("type" | "required", Held::Data(value)) => Treatment::Write(value.clone()),
        ("const" | "enum", Held::Data(value)) => literal(value),
        ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Held::Data(value)) => bound(value),
        ("multipleOf", Held::Data(value)) => multiple(value, steps_fit),
        (
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties",
            Held::Data(value),
        ) => numbers::count(value).map_or(Treatment::Drop(NOT_EXACT), |count| Treatment::Write(count.into())),
        ("pattern", Held::Data(value)) => pattern(value),
        ("format", Held::Data(value)) => format(node, value),
        ("uniqueItems", Held::Data(value)) => unique(node, value),
        ("$ref", Held::Ref(_)) => Treatment::Below("$ref"),
        ("allOf", _) => Treatment::Below("allOf"),
        ("anyOf", _) => Treatment::Below("anyOf"),
        ("oneOf", _) => Treatment::Below("oneOf"),
        ("properties", _) => Treatment::Below("properties"),
        ("patternProperties", _) => Treatment::Below("patternProperties"),
        ("additionalProperties", _) => Treatment::Below("additionalProperties"),
        ("items", _) => Treatment::Below("items"),
        ("prefixItems", _) => Treatment::Below("prefixItems"),
        ("unevaluatedProperties", Held::One(id)) => unevaluated(tree, node, *id, "additionalProperties"),
        ("unevaluatedItems", Held::One(id)) => unevaluated(tree, node, *id, "items"),
        ("propertyNames" | "not" | "if", Held::One(id)) => condition(tree, node, word, *id),
        ("then" | "else", _) => {
            if node.word("if").is_some() {
                Treatment::Drop(NOT_HELD)
            } else {
                Treatment::Skip
            }
        }
        ("dependentRequired", Held::Data(value)) if value.as_object().is_some_and(crate::json::Map::is_empty) => {
            Treatment::Skip
        }
        ("contains" | "dependentRequired" | "dependentSchemas" | "$dynamicRef", _) => Treatment::Drop(NOT_HELD),
        _ => Treatment::Skip,
    }
}

fn literal(value: &Value) -> Treatment {
    if !numbers::all_exact(value) {
        Treatment::Drop(NOT_EXACT)
    } else if has_control(value) {
        Treatment::Drop(CONTROL)
    } else {
        Treatment::Write(value.clone())
    }
}

/// Characters that JSON text holds only as `\u00XX`: the grammar is not given that escape, so that one string has one
/// spelling and a property's name cannot be written in disguise.
fn has_control(value: &Value) -> bool {
    let control = |text: &str| text.chars().any(|c| (c < ' ' && !"\u{8}\t\n\u{c}\r".contains(c)) || c == '\u{7f}');
    match value {
        Value::String(text) => control(text),
        Value::Array(items) => items.iter().any(has_control),
        Value::Object(members) => members.iter().any(|(name, value)| control(name) || has_control(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn bound(value: &Value) -> Treatment {
    match value {
        Value::Number(number) if numbers::is_exact(number) => Treatment::Write(value.clone()),
        // Draft 4: the flag beside `minimum`.
        Value::Bool(_) => Treatment::Write(value.clone()),
        _ => Treatment::Drop(NOT_EXACT),
    }
}

/// In the words of the validator's own engine: `\d`, `\s` and `.` mean the same to both then.
fn pattern(value: &Value) -> Treatment {
    let translated = value.as_str().and_then(translate);
    translated.map_or(Treatment::Drop(PATTERN), |pattern| Treatment::Write(pattern.into()))
}

fn multiple(value: &Value, steps_fit: bool) -> Treatment {
    match value.as_number().and_then(numbers::step) {
        Some(_) if steps_fit => Treatment::Write(value.clone()),
        Some(_) | None => Treatment::Drop(NOT_EXACT),
    }
}

/// Formats narrow an answer and never decide: beside a pattern they might leave nothing, so they give way.
fn format(node: &Node, value: &Value) -> Treatment {
    let known = value.as_str().is_some_and(|name| FORMATS.contains(&name));
    let alone = ["pattern", "minLength", "maxLength", "enum", "const"].iter().all(|word| node.word(word).is_none());
    if known && alone { Treatment::Write(value.clone()) } else { Treatment::Skip }
}

fn unique(node: &Node, value: &Value) -> Treatment {
    let single = node.data("maxItems").and_then(numbers::count).is_some_and(|most| most <= 1);
    if value == &Value::Bool(true) && !single { Treatment::Drop(NOT_HELD) } else { Treatment::Skip }
}

/// Without applicators beside it, it is the plain keyword.
fn unevaluated(tree: &Tree, node: &Node, id: Id, plain: &'static str) -> Treatment {
    const APPLICATORS: [&str; 9] =
        ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "contains"];
    if node.word(plain).is_some() || accepts_all(tree, id) {
        Treatment::Skip
    } else if APPLICATORS.iter().all(|word| node.word(word).is_none()) {
        Treatment::Below(plain)
    } else {
        Treatment::Drop(NOT_HELD)
    }
}

fn condition(tree: &Tree, node: &Node, word: &Word, id: Id) -> Treatment {
    let idle = match word.name.as_str() {
        "if" => node.word("then").is_none() && node.word("else").is_none(),
        "not" => tree.node(id).body == Body::Never,
        _ => accepts_all(tree, id) || only_says_string(tree, id),
    };
    if idle { Treatment::Skip } else { Treatment::Drop(NOT_HELD) }
}

fn accepts_all(tree: &Tree, id: Id) -> bool {
    match &tree.node(id).body {
        Body::Any => true,
        Body::Never => false,
        Body::Words(words) => words.is_empty(),
    }
}

/// Names are strings anyhow.
fn only_says_string(tree: &Tree, id: Id) -> bool {
    let node = tree.node(id);
    node.body.words().len() == 1 && node.data("type").and_then(Value::as_str) == Some("string")
}
