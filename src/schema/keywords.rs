//! The table of JSON Schema keywords: where subschemas sit, which see the same instance, and in which drafts.
//!
//! Data only. Contents of `const`, `enum`, `default`, `examples` and unknown keywords are not schemas and not listed.

use super::Dialect::{self, Draft4, Draft6, Draft7, Draft201909, Draft202012};
use crate::json::{Value, push_token};

/// Where the subschemas of a keyword's value sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// No subschema.
    Plain,
    /// The value is one schema.
    One,
    /// The value is a list of schemas.
    List,
    /// One schema or a list of them (`items` before 2020-12).
    OneOrList,
    /// An object whose members are schemas.
    Map,
    /// An object whose members are schemas or lists of names (`dependencies`).
    MapOrNames,
}

/// Whether a subschema is applied to the instance itself or to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applies {
    Same,
    Part,
    /// To nothing: a definition.
    Never,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) applies: Applies,
    first: Dialect,
    last: Dialect,
}

const fn row(name: &'static str, shape: Shape, applies: Applies, first: Dialect, last: Dialect) -> Keyword {
    Keyword { name, shape, applies, first, last }
}

use Applies::{Never, Part, Same};
use Shape::{List, Map, MapOrNames, One, OneOrList, Plain};

/// Every keyword of the supported drafts. `definitions`, `$defs`, `dependencies` and their later forms count in every
/// draft: people mix them, and a reference into either must be checked.
pub(crate) const KEYWORDS: &[Keyword] = &[
    row("$schema", Plain, Never, Draft4, Draft202012),
    row("id", Plain, Never, Draft4, Draft4),
    row("$id", Plain, Never, Draft6, Draft202012),
    row("$anchor", Plain, Never, Draft201909, Draft202012),
    row("$dynamicAnchor", Plain, Never, Draft202012, Draft202012),
    row("$recursiveAnchor", Plain, Never, Draft201909, Draft201909),
    row("$ref", Plain, Never, Draft4, Draft202012),
    row("$dynamicRef", Plain, Never, Draft202012, Draft202012),
    row("$recursiveRef", Plain, Never, Draft201909, Draft202012),
    row("$vocabulary", Plain, Never, Draft201909, Draft202012),
    row("$comment", Plain, Never, Draft6, Draft202012),
    row("$defs", Map, Never, Draft4, Draft202012),
    row("definitions", Map, Never, Draft4, Draft202012),
    row("allOf", List, Same, Draft4, Draft202012),
    row("anyOf", List, Same, Draft4, Draft202012),
    row("oneOf", List, Same, Draft4, Draft202012),
    row("not", One, Same, Draft4, Draft202012),
    row("if", One, Same, Draft7, Draft202012),
    row("then", One, Same, Draft7, Draft202012),
    row("else", One, Same, Draft7, Draft202012),
    row("dependentSchemas", Map, Same, Draft201909, Draft202012),
    row("dependencies", MapOrNames, Same, Draft4, Draft202012),
    // draft-03; judged by no supported draft, but its references are checked like the others
    row("extends", OneOrList, Same, Draft4, Draft202012),
    row("properties", Map, Part, Draft4, Draft202012),
    row("patternProperties", Map, Part, Draft4, Draft202012),
    row("additionalProperties", One, Part, Draft4, Draft202012),
    row("propertyNames", One, Part, Draft6, Draft202012),
    row("items", OneOrList, Part, Draft4, Draft202012),
    row("additionalItems", One, Part, Draft4, Draft201909),
    row("prefixItems", List, Part, Draft202012, Draft202012),
    row("contains", One, Part, Draft6, Draft202012),
    row("unevaluatedProperties", One, Part, Draft201909, Draft202012),
    row("unevaluatedItems", One, Part, Draft201909, Draft202012),
    row("contentSchema", One, Never, Draft201909, Draft202012),
    row("dependentRequired", Plain, Never, Draft201909, Draft202012),
    row("type", Plain, Never, Draft4, Draft202012),
    row("enum", Plain, Never, Draft4, Draft202012),
    row("const", Plain, Never, Draft6, Draft202012),
    row("multipleOf", Plain, Never, Draft4, Draft202012),
    row("maximum", Plain, Never, Draft4, Draft202012),
    row("minimum", Plain, Never, Draft4, Draft202012),
    row("exclusiveMaximum", Plain, Never, Draft4, Draft202012),
    row("exclusiveMinimum", Plain, Never, Draft4, Draft202012),
    row("maxLength", Plain, Never, Draft4, Draft202012),
    row("minLength", Plain, Never, Draft4, Draft202012),
    row("pattern", Plain, Never, Draft4, Draft202012),
    row("maxItems", Plain, Never, Draft4, Draft202012),
    row("minItems", Plain, Never, Draft4, Draft202012),
    row("uniqueItems", Plain, Never, Draft4, Draft202012),
    row("maxContains", Plain, Never, Draft201909, Draft202012),
    row("minContains", Plain, Never, Draft201909, Draft202012),
    row("maxProperties", Plain, Never, Draft4, Draft202012),
    row("minProperties", Plain, Never, Draft4, Draft202012),
    row("required", Plain, Never, Draft4, Draft202012),
    row("format", Plain, Never, Draft4, Draft202012),
    row("contentEncoding", Plain, Never, Draft4, Draft202012),
    row("contentMediaType", Plain, Never, Draft4, Draft202012),
    row("title", Plain, Never, Draft4, Draft202012),
    row("description", Plain, Never, Draft4, Draft202012),
    row("default", Plain, Never, Draft4, Draft202012),
    row("examples", Plain, Never, Draft4, Draft202012),
    row("deprecated", Plain, Never, Draft4, Draft202012),
    row("readOnly", Plain, Never, Draft4, Draft202012),
    row("writeOnly", Plain, Never, Draft4, Draft202012),
];

/// The row of a keyword, whatever the draft.
pub(crate) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|k| k.name == name)
}

/// The row of a keyword when the draft knows it.
pub(crate) fn find_in(name: &str, dialect: Dialect) -> Option<&'static Keyword> {
    find(name).filter(|k| k.first <= dialect && dialect <= k.last)
}

/// Before 2019-09 a `$ref` hides everything beside it.
pub(crate) fn ref_hides_siblings(dialect: Dialect) -> bool {
    dialect <= Draft7
}

/// One subschema of a schema.
pub(crate) struct Child<'a> {
    pub(crate) keyword: &'static Keyword,
    /// Pointer below the parent's, e.g. `/properties/a`.
    pub(crate) suffix: String,
    pub(crate) value: &'a Value,
}

/// All subschemas of an object schema, in document order.
pub(crate) fn children<'a>(object: &'a crate::json::Map<String, Value>, dialect: Dialect) -> Vec<Child<'a>> {
    let mut out = Vec::new();
    for (name, value) in object {
        let Some(keyword) = find_in(name, dialect) else { continue };
        let mut put = |tokens: &[&str], value: &'a Value| {
            let mut suffix = String::new();
            for token in tokens {
                push_token(&mut suffix, token);
            }
            out.push(Child { keyword, suffix, value });
        };
        match (keyword.shape, value) {
            (One | OneOrList, Value::Object(_) | Value::Bool(_)) => put(&[name], value),
            (List | OneOrList, Value::Array(list)) => {
                list.iter().enumerate().for_each(|(i, v)| put(&[name, &i.to_string()], v));
            }
            (Map, Value::Object(map)) => map.iter().for_each(|(k, v)| put(&[name, k], v)),
            (MapOrNames, Value::Object(map)) => {
                map.iter().filter(|(_, v)| !v.is_array()).for_each(|(k, v)| put(&[name, k], v));
            }
            _ => {}
        }
    }
    out
}
