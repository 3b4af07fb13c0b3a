//! xAI's `json_schema`: close to the drafts, but objects that do not say otherwise are closed.
//!
//! PROVIDERS §7.9: the present page and an older copy disagree about lengths and item counts; the older, stricter one
//! counts. Tools are always held.

use super::{ALLOW_LIST, Keyword, Profile, ProfileId, Rule, RuleName, StrictTools, keyword, rule, suspected};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Xai,
    name: "xai",
    date: "2026-11-30",
    source: "xAI structured-outputs page, present and older copy",
    strict_tools: StrictTools::Held,
    keywords: KEYWORDS,
    values: Types::SCALAR,
    formats: &["date", "time", "date-time", "email", "uuid", "ipv4"],
    rules: RULES,
    ..ALLOW_LIST
};

/// `oneOf` is read as `anyOf`, `allOf` taken with one member only: the projection writes both plainly where that means the
/// same. Bounds, lengths and item counts are best effort at most.
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
    keyword("format", Types::STRING),
];

const RULES: &[Rule] = &[
    suspected(RuleName::KeywordNotSupported, "best effort at most; an older page lists it as unsupported"),
    suspected(RuleName::RootObject, "only objects are documented as root"),
    rule(RuleName::OpenSaid, "an object that does not say additionalProperties is closed"),
    suspected(RuleName::FreeMap, "objects whose free keys have a schema are not documented"),
    suspected(RuleName::TypeNeeded, "a schema must have a type, anyOf, enum, const or $ref"),
    suspected(RuleName::BooleanSchema, "true and false are not documented as schemas"),
    suspected(RuleName::TypeUnion, "a list of types must be one type and null; write other unions as anyOf"),
    suspected(RuleName::RefSiblings, "beside $ref only title and description may stand"),
    suspected(RuleName::AnyOfSiblings, "beside anyOf only title and description may stand"),
    rule(RuleName::Recursion, "references must not lead back to themselves"),
    suspected(RuleName::ValueNotSupported, "enum and const hold only texts, numbers, booleans and null"),
    rule(RuleName::FormatNotSupported, "only the listed formats are held"),
    suspected(RuleName::UnknownRequired, "required may only list properties that exist"),
];
