//! Groq's strict mode: constrained decoding on selected models only; the page names two rules and few keywords.
//!
//! PROVIDERS §7.6 and the structured-outputs page: every property required, every object closed. What the page does not
//! name is not promised. Tools are not held to their schema, and no schema goes together with tools.

use super::{ALLOW_LIST, Keyword, Profile, ProfileId, Rule, RuleName, StrictTools, keyword, rule, suspected};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Groq,
    name: "groq",
    date: "2026-11-30",
    source: "Groq structured-outputs page; reports",
    strict_tools: StrictTools::Missing,
    keywords: KEYWORDS,
    rules: RULES,
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
    suspected(RuleName::KeywordNotSupported, "the page does not name this keyword"),
    suspected(RuleName::RootObject, "the root must have type object"),
    rule(RuleName::AllRequired, "every property must be listed in required; write an optional one as nullable"),
    rule(RuleName::ClosedObject, "every object must have additionalProperties false"),
    rule(RuleName::FreeMap, "objects with free keys are not accepted; list the properties, or use a list of pairs"),
    suspected(RuleName::EmptyObject, "an object needs at least one property"),
    suspected(RuleName::TypeNeeded, "a schema must have a type, anyOf, enum, const or $ref"),
    suspected(RuleName::BooleanSchema, "true and false are not accepted as schemas"),
    suspected(RuleName::TypeUnion, "a list of types must be one type and null; write other unions as anyOf"),
    suspected(RuleName::ItemsNeeded, "an array must have items"),
    suspected(RuleName::RefSiblings, "beside $ref only title and description may stand"),
    suspected(RuleName::AnyOfSiblings, "beside anyOf only title and description may stand"),
    suspected(RuleName::FormatNotSupported, "formats are not named on the page"),
    suspected(RuleName::UnknownRequired, "required may only list properties that exist"),
];
