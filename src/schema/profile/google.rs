//! Google's `generateContent`: `responseJsonSchema`, and `parametersJsonSchema` of declared functions.
//!
//! PROVIDERS §5.1 (SDK 3.6.1 docstring, page of 2026-09). Keywords outside the list are as a rule *ignored*, not refused:
//! the answer may break them, so they are no part of an exact projection. No numeric limits are published.

use super::{ALLOW_LIST, Keyword, Profile, ProfileId, Rule, RuleName, StrictTools, keyword, rule, suspected};
use crate::schema::tree::types::Types;

/// As `responseJsonSchema`.
pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Google,
    name: "google",
    date: "2026-11-30",
    source: "Google structured-output page 2026-09; google-genai 3.6.1 docstring; recorded answers",
    strict_tools: StrictTools::Held,
    keywords: KEYWORDS,
    ignored: IGNORED,
    values: Types::NUMBER.or(Types::STRING),
    root_keywords: &["$id"],
    formats: &["date-time", "date", "time"],
    reference_siblings: &[],
    rules: RULES,
    ..ALLOW_LIST
};

/// As `parametersJsonSchema`: reports name a root that must be an object.
pub(super) const TOOL: Profile = Profile { rules: TOOL_RULES, ..PROFILE };

/// `oneOf` is missing on purpose: it is read as `anyOf`, which is weaker; the projection writes `anyOf` where both mean
/// the same.
const KEYWORDS: &[Keyword] = &[
    keyword("type", Types::ALL),
    keyword("enum", Types::ALL),
    keyword("title", Types::ALL),
    keyword("description", Types::ALL),
    keyword("$ref", Types::ALL),
    keyword("anyOf", Types::ALL),
    keyword("properties", Types::OBJECT),
    keyword("propertyOrdering", Types::ALL),
    keyword("required", Types::OBJECT),
    keyword("additionalProperties", Types::OBJECT),
    keyword("items", Types::ARRAY),
    keyword("prefixItems", Types::ARRAY),
    keyword("minItems", Types::ARRAY),
    keyword("maxItems", Types::ARRAY),
    keyword("format", Types::STRING),
    keyword("minimum", Types::NUMBER),
    keyword("maximum", Types::NUMBER),
];

/// Accepted and not held: documented for the first line, the general behaviour for the others.
const IGNORED: &[&str] = &[
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "pattern",
    "format",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
];

macro_rules! rules {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            rule(RuleName::KeywordIgnored, "the provider accepts this and ignores it: answers may break it"),
            rule(RuleName::KeywordNotSupported, "not in the documented list"),
            suspected(RuleName::BooleanSchema, "true and false are not documented as schemas"),
            suspected(RuleName::TypeUnion, "a list of types must be one type and null; write other unions as anyOf"),
            rule(RuleName::RefSiblings, "beside $ref only keys that begin with $ may stand"),
            suspected(RuleName::AnyOfSiblings, "reports name a 400 for type beside anyOf"),
            rule(RuleName::ValueNotSupported, "enum holds only texts and numbers"),
            suspected(RuleName::RequiredRecursion, "recursion is unrolled a limited number of times, and only in properties that are not required"),
        ]
    };
}

const RULES: &[Rule] = rules![];

const TOOL_RULES: &[Rule] = rules![suspected(RuleName::RootObject, "parameters of a function must be an object")];
