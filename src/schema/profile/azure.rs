//! `OpenAI` models on Azure: the page still lists the older, smaller subset.
//!
//! PROVIDERS §3 (page copy 2026-11): 100 properties, 5 levels, no bounds, lengths, patterns or formats. `OpenAI`'s own page
//! says more; the deployment's name does not tell which holds, so the smaller set counts until a probe says otherwise.

use super::{
    ALLOW_LIST, Keyword, Limit, Measure, Profile, ProfileId, Rule, RuleName, StrictTools, keyword, limit, rule,
    stricter, suspected,
};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Azure,
    name: "azure",
    date: "2026-11-30",
    source: "Azure structured-outputs page (the older numbers); OpenAI's guide disagrees",
    strict_tools: StrictTools::Held,
    keywords: KEYWORDS,
    rules: RULES,
    limits: LIMITS,
    ..ALLOW_LIST
};

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
];

const RULES: &[Rule] = &[
    suspected(RuleName::KeywordNotSupported, "Azure's page lists it as unsupported; OpenAI's own page may say more"),
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
    rule(RuleName::FormatNotSupported, "formats are not accepted"),
    rule(RuleName::UnknownRequired, "required may only list properties that exist"),
];

/// The numbers `OpenAI` had before July 2025; only properties and depth stand on Azure's own page.
const LIMITS: &[Limit] = &[
    limit(Measure::Depth, 5),
    limit(Measure::Properties, 100),
    stricter(Measure::EnumValues, 1_000, 500),
    stricter(Measure::EnumCharacters, 15_000, 7_500),
    stricter(Measure::Characters, 120_000, 15_000),
];
