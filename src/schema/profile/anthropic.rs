//! Anthropic's Messages API: `output_config.format`, and strict tools with a few rules more.
//!
//! PROVIDERS §4.1: the structured-outputs page (copy of 2026), recorded refusals, and the SDK's own `transform_schema`
//! where it is stricter than the page. A request's limits count over its strict tools and its format together.

use super::{
    ALLOW_LIST, ANTHROPIC, Limit, Measure, Profile, ProfileId, Rule, RuleName, StrictTools, limit, rule, suspected,
};
use crate::schema::tree::types::Types;

/// As `output_config.format`.
pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Anthropic,
    name: "anthropic",
    date: "2026-11-30",
    source: "Anthropic structured-outputs page; recorded 400 answers; SDK 2.14.0 transform_schema",
    strict_tools: StrictTools::Held,
    keywords: ANTHROPIC,
    values: Types::SCALAR,
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    rules: RULES,
    limits: LIMITS,
    ..ALLOW_LIST
};

/// As `input_schema` of a strict tool.
pub(super) const TOOL: Profile = Profile { rules: TOOL_RULES, ..PROFILE };

macro_rules! rules {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            rule(RuleName::KeywordNotSupported, "only the listed keywords are accepted; others are answered with 400"),
            rule(RuleName::ClosedObject, "every object must have additionalProperties false"),
            rule(RuleName::FreeMap, "objects with free keys are not accepted; list the properties, or use a list of pairs"),
            suspected(RuleName::TypeNeeded, "a schema must have a type, anyOf, enum, const or $ref"),
            rule(RuleName::BooleanSchema, "true and false are not accepted as schemas"),
            suspected(RuleName::TypeList, "the vendor's own SDK refuses a list of types; write it as anyOf"),
            suspected(RuleName::RefSiblings, "beside $ref only title and description may stand"),
            suspected(RuleName::AnyOfSiblings, "beside anyOf only title and description may stand"),
            rule(RuleName::AllOfReference, "allOf must not be combined with $ref"),
            rule(RuleName::Recursion, "a schema that leads back to itself is refused"),
            rule(RuleName::ValueNotSupported, "enum and const hold only texts, numbers, booleans and null"),
            rule(RuleName::MinItemsOne, "minItems may only be 0 or 1"),
            rule(RuleName::FormatNotSupported, "only the listed formats are accepted"),
            rule(RuleName::PatternLookAround, "patterns must not use look-around"),
            rule(RuleName::PatternPlain, "patterns must not use back-references, \\b or large repeats"),
            suspected(RuleName::UnknownRequired, "required may only list properties that exist"),
            suspected(RuleName::DeepUnions, "a grammar of five levels with unions was answered as too large, in a report"),
        ]
    };
}

const RULES: &[Rule] =
    rules![suspected(RuleName::RootObject, "only an object is documented as root of the output format")];

const TOOL_RULES: &[Rule] = rules![
    rule(RuleName::RootObject, "a tool's input_schema must have type object"),
    rule(RuleName::PropertyName, "a tool's property names must match ^[a-zA-Z0-9_.-]{1,64}$"),
];

/// Documented 24, 16 and 20 a request. A recorded request with 24 optional parameters, and one with 16 unions, in one
/// schema was answered "too complex"; failures from 11 optional ones are reported.
const LIMITS: &[Limit] = &[
    Limit { what: Measure::OptionalProperties, most: 24, safe: 23, warn: 10 },
    Limit { what: Measure::Unions, most: 16, safe: 15, warn: 15 },
    limit(Measure::StrictTools, 20),
];
