//! vLLM with its default back end: keywords the grammar compiler holds, and those it names as unsupported.
//!
//! PROVIDERS §7.2 and vLLM's own check before it hands a schema to xgrammar (read 2026-11). Other back ends decide
//! differently: what only some of them hold is marked uncertain.

use super::{ALLOW_LIST, Keyword, Profile, ProfileId, Rule, RuleName, StrictTools, doubtful, keyword, rule, suspected};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Vllm,
    name: "vllm",
    date: "2026-11-30",
    source: "vLLM's check for its xgrammar back end; reports for other back ends",
    keeps_annotations: true,
    // A named tool is held by the grammar; `auto` is only parsed.
    strict_tools: StrictTools::Unproven,
    keywords: KEYWORDS,
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"],
    rules: RULES,
    ..ALLOW_LIST
};

const KEYWORDS: &[Keyword] = &[
    keyword("type", Types::ALL),
    keyword("enum", Types::ALL),
    keyword("const", Types::ALL),
    keyword("$ref", Types::ALL),
    keyword("anyOf", Types::ALL),
    keyword("properties", Types::OBJECT),
    keyword("required", Types::OBJECT),
    keyword("additionalProperties", Types::OBJECT),
    keyword("items", Types::ARRAY),
    keyword("prefixItems", Types::ARRAY),
    keyword("minItems", Types::ARRAY),
    keyword("maxItems", Types::ARRAY),
    keyword("minLength", Types::STRING),
    keyword("maxLength", Types::STRING),
    doubtful("pattern", Types::STRING),
    keyword("format", Types::STRING),
    doubtful("minimum", Types::NUMBER),
    doubtful("maximum", Types::NUMBER),
    doubtful("exclusiveMinimum", Types::NUMBER),
    doubtful("exclusiveMaximum", Types::NUMBER),
];

const RULES: &[Rule] = &[
    rule(RuleName::KeywordNotSupported, "the grammar does not hold this keyword: refused, or left to another back end"),
    suspected(RuleName::RefSiblings, "what stands beside $ref may be skipped"),
    suspected(RuleName::AnyOfSiblings, "what stands beside anyOf may be skipped"),
    rule(RuleName::FormatNotSupported, "only the listed formats become grammar"),
    rule(RuleName::PatternLookAround, "patterns with look-around do not become grammar"),
    rule(RuleName::LengthBesidePattern, "beside pattern or format a length is dropped in silence"),
    suspected(RuleName::UnknownRequired, "required names without a property are not held"),
];
