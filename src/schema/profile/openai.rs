//! `OpenAI` strict mode, for Chat and Responses, as response format and as strict tool.
//!
//! Sources: the structured-outputs guide (limits raised in July 2025), `OpenAI`'s own Java validator (the only
//! machine-readable statement of the subset, read 2026-11) and refusals reported in public trackers.

use super::{
    ALLOW_LIST, Keyword, Limit, Measure, Profile, ProfileId, Rule, RuleName, StrictTools, doubtful, keyword, limit,
    rule, suspected,
};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::OpenaiStrict,
    name: "openai_strict",
    date: "2026-11-30",
    source: "OpenAI structured-outputs guide; openai-java JsonSchemaValidator",
    strict_tools: StrictTools::Held,
    keywords: KEYWORDS,
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    rules: RULES,
    limits: LIMITS,
    ..ALLOW_LIST
};

/// `minLength` and `maxLength` are missing on purpose: the balance of evidence is that they are refused (rule below).
const KEYWORDS: &[Keyword] = &[
    keyword("type", Types::ALL),
    keyword("enum", Types::ALL),
    keyword("const", Types::ALL),
    keyword("title", Types::ALL),
    keyword("description", Types::ALL),
    keyword("$ref", Types::ALL),
    keyword("anyOf", Types::ALL),
    keyword("properties", Types::OBJECT),
    keyword("required", Types::OBJECT),
    keyword("additionalProperties", Types::OBJECT),
    keyword("items", Types::ARRAY),
    keyword("minItems", Types::ARRAY),
    keyword("maxItems", Types::ARRAY),
    keyword("pattern", Types::STRING),
    keyword("format", Types::STRING),
    keyword("minimum", Types::NUMBER),
    keyword("maximum", Types::NUMBER),
    doubtful("exclusiveMinimum", Types::NUMBER),
    doubtful("exclusiveMaximum", Types::NUMBER),
    keyword("multipleOf", Types::NUMBER),
];

const RULES: &[Rule] = &[
    rule(RuleName::KeywordNotSupported, "only the listed keywords are accepted; any other is answered with 400"),
    rule(RuleName::RootObject, "the root must have type object and must not be an anyOf"),
    rule(RuleName::AllRequired, "every property must be listed in required; write an optional one as nullable"),
    rule(RuleName::ClosedObject, "every object must have additionalProperties false"),
    rule(RuleName::FreeMap, "objects with free keys are not accepted; list the properties, or use a list of pairs"),
    rule(RuleName::EmptyObject, "an object needs at least one property"),
    rule(RuleName::TypeNeeded, "a schema must have a type, anyOf, enum, const or $ref"),
    rule(RuleName::BooleanSchema, "true and false are not accepted as schemas"),
    rule(RuleName::TypeUnion, "a list of types must be one type and null; write other unions as anyOf"),
    rule(RuleName::ItemsNeeded, "an array must have items"),
    rule(RuleName::RefSiblings, "beside $ref only title and description may stand"),
    rule(RuleName::AnyOfSiblings, "beside anyOf only title and description may stand"),
    suspected(RuleName::SameFirstKey, "objects in one anyOf must not begin with the same property, say reports"),
    rule(RuleName::FormatNotSupported, "only the listed formats are accepted"),
    rule(RuleName::PatternLookAround, "patterns must not use look-around"),
    suspected(RuleName::LengthTooLarge, "minLength and maxLength: not in the documented list, refused in reports"),
    rule(RuleName::UnknownRequired, "required may only list properties that exist"),
];

const LIMITS: &[Limit] = &[
    limit(Measure::Depth, 10),
    limit(Measure::Properties, 5_000),
    limit(Measure::EnumValues, 1_000),
    limit(Measure::EnumCharacters, 15_000),
    limit(Measure::Characters, 120_000),
];
