//! Mistral's `json_schema` with `strict`: the page gives no list of keywords.
//!
//! PROVIDERS §7.7. What the SDK's own helper makes of a model counts: closed objects, plain keywords. Anything else is
//! not promised by anybody.

use super::{ALLOW_LIST, Keyword, Profile, ProfileId, Rule, RuleName, StrictTools, doubtful, keyword, suspected};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Mistral,
    name: "mistral",
    date: "2026-11-30",
    source: "Mistral structured-output page (no list of keywords); mistralai 3.7.0",
    strict_tools: StrictTools::Unproven,
    keywords: KEYWORDS,
    rules: RULES,
    ..ALLOW_LIST
};

const KEYWORDS: &[Keyword] = &[
    keyword("type", Types::ALL),
    keyword("enum", Types::ALL),
    doubtful("const", Types::ALL),
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
    suspected(RuleName::KeywordNotSupported, "nothing says that this keyword is held"),
    suspected(RuleName::RootObject, "only objects are documented as root"),
    suspected(RuleName::ClosedObject, "the vendor's SDK closes every object"),
    suspected(RuleName::FreeMap, "objects with free keys are not documented"),
    suspected(RuleName::TypeNeeded, "a schema must have a type, anyOf, enum, const or $ref"),
    suspected(RuleName::BooleanSchema, "true and false are not accepted as schemas"),
    suspected(RuleName::TypeUnion, "a list of types must be one type and null; write other unions as anyOf"),
    suspected(RuleName::ItemsNeeded, "an array must have items"),
    suspected(RuleName::RefSiblings, "beside $ref only title and description may stand"),
    suspected(RuleName::AnyOfSiblings, "beside anyOf only title and description may stand"),
    suspected(RuleName::FormatNotSupported, "formats are not documented"),
    suspected(RuleName::UnknownRequired, "required may only list properties that exist"),
];
