//! Which keywords hold schemas, and since which draft a keyword means anything.

use crate::json::Value;
use crate::schema::Dialect;

/// Prefix of keywords that have no effect in the schema's draft.
pub(crate) const INERT: &str = "\u{0}inert:";

/// What a keyword's value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Data,
    /// Known elsewhere, without effect in this draft.
    Inert,
    One,
    /// A list of schemas, kept under this name.
    List(&'static str),
    Named,
    Definitions,
    Dependencies,
    /// A reference, kept under this name.
    Reference(&'static str),
}

/// In drafts up to 7 everything beside `$ref` is ignored.
pub(crate) const fn reference_stands_alone(dialect: Dialect) -> bool {
    match dialect {
        Dialect::Draft4 | Dialect::Draft6 | Dialect::Draft7 => true,
        Dialect::Draft201909 | Dialect::Draft202012 => false,
    }
}

const fn age(dialect: Dialect) -> u8 {
    match dialect {
        Dialect::Draft4 => 4,
        Dialect::Draft6 => 6,
        Dialect::Draft7 => 7,
        Dialect::Draft201909 => 8,
        Dialect::Draft202012 => 9,
    }
}

/// First and last draft in which a keyword has an effect (ages as in [`age`]).
const LIVES: [(&str, u8, u8); 20] = [
    ("const", 6, 9),
    ("contains", 6, 9),
    ("propertyNames", 6, 9),
    ("examples", 6, 9),
    ("if", 7, 9),
    ("then", 7, 9),
    ("else", 7, 9),
    ("dependentRequired", 8, 9),
    ("dependentSchemas", 8, 9),
    ("unevaluatedProperties", 8, 9),
    ("unevaluatedItems", 8, 9),
    ("minContains", 8, 9),
    ("maxContains", 8, 9),
    ("contentSchema", 8, 9),
    ("prefixItems", 9, 9),
    ("$dynamicRef", 9, 9),
    ("$dynamicAnchor", 9, 9),
    ("$recursiveRef", 8, 8),
    ("$recursiveAnchor", 8, 8),
    ("additionalItems", 4, 8),
];

fn lives(dialect: Dialect, name: &str) -> bool {
    let row = LIVES.iter().find(|(word, _, _)| *word == name);
    row.is_none_or(|(_, first, last)| (*first..=*last).contains(&age(dialect)))
}

/// What stands in a keyword of this draft.
pub(crate) fn shape(dialect: Dialect, name: &str, value: &Value) -> Shape {
    if !lives(dialect, name) {
        return Shape::Inert;
    }
    match name {
        "$ref" if value.is_string() => Shape::Reference("$ref"),
        "$dynamicRef" | "$recursiveRef" if value.is_string() => Shape::Reference("$dynamicRef"),
        "$defs" | "definitions" => Shape::Definitions,
        "dependencies" => Shape::Dependencies,
        "items" if value.is_array() => Shape::List("prefixItems"),
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else" => Shape::One,
        "prefixItems" => Shape::List("prefixItems"),
        "allOf" => Shape::List("allOf"),
        "anyOf" => Shape::List("anyOf"),
        "oneOf" => Shape::List("oneOf"),
        "properties" | "patternProperties" | "dependentSchemas" => Shape::Named,
        _ => Shape::Data,
    }
}

/// Keywords that never change a verdict. Everything unknown is one too.
pub(crate) fn is_annotation(name: &str) -> bool {
    !matches!(
        name,
        "type"
            | "enum"
            | "const"
            | "$ref"
            | "$dynamicRef"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "not"
            | "if"
            | "then"
            | "else"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas"
            | "items"
            | "prefixItems"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
            | "minContains"
            | "maxContains"
            | "minItems"
            | "maxItems"
            | "uniqueItems"
            | "minLength"
            | "maxLength"
            | "pattern"
            | "format"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "multipleOf"
    )
}
