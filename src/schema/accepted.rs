//! Keywords that are accepted, and the lists that two providers take from one source.

use super::rule::Evidence;
use super::tree::types::Types;

/// A keyword that is accepted.
#[derive(Debug, Clone, Copy)]
pub struct Keyword {
    pub name: &'static str,
    /// Types beside which it is enforced.
    pub(crate) types: Types,
    pub evidence: Evidence,
}

pub(super) const fn keyword(name: &'static str, types: Types) -> Keyword {
    Keyword { name, types, evidence: Evidence::Firm }
}

pub(super) const fn doubtful(name: &'static str, types: Types) -> Keyword {
    Keyword { name, types, evidence: Evidence::Uncertain }
}

/// What llama.cpp's schema-to-grammar converter holds; Ollama has it built in.
pub(super) const CONVERTER: &[Keyword] = &[
    keyword("type", Types::ALL),
    keyword("enum", Types::ALL),
    keyword("const", Types::ALL),
    keyword("$ref", Types::ALL),
    keyword("anyOf", Types::ALL),
    keyword("properties", Types::OBJECT),
    keyword("required", Types::OBJECT),
    keyword("additionalProperties", Types::OBJECT),
    keyword("items", Types::ARRAY),
    keyword("minItems", Types::ARRAY),
    keyword("maxItems", Types::ARRAY),
    keyword("minLength", Types::STRING),
    keyword("maxLength", Types::STRING),
    doubtful("pattern", Types::STRING),
    keyword("format", Types::STRING),
    keyword("minimum", Types::INTEGER),
    keyword("maximum", Types::INTEGER),
    keyword("exclusiveMinimum", Types::INTEGER),
    keyword("exclusiveMaximum", Types::INTEGER),
];

/// Anthropic's subset; Amazon's guide names the same one.
/// `default` is missing on purpose: the page lists it, the SDK takes it out; without it nothing changes.
pub(super) const ANTHROPIC: &[Keyword] = &[
    keyword("type", Types::ALL),
    keyword("enum", Types::ALL),
    keyword("const", Types::ALL),
    keyword("title", Types::ALL),
    keyword("description", Types::ALL),
    keyword("$ref", Types::ALL),
    keyword("anyOf", Types::ALL),
    keyword("allOf", Types::ALL),
    keyword("properties", Types::OBJECT),
    keyword("required", Types::OBJECT),
    keyword("additionalProperties", Types::OBJECT),
    keyword("items", Types::ARRAY),
    keyword("minItems", Types::ARRAY),
    // The page accepts simple ones, the SDK moves all of them into the description.
    doubtful("pattern", Types::STRING),
    keyword("format", Types::STRING),
];
