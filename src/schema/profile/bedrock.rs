//! Amazon Bedrock's Converse: the subset is Anthropic's, with fewer things proved.
//!
//! PROVIDERS §6: the AWS guide names the same Draft 2020-12 subset; a live test reported in May 2026 agrees but for
//! `minLength` and `maxLength`, which it saw accepted although the guide says no: they stay refused until a probe.

use super::{
    ALLOW_LIST, ANTHROPIC, Limit, Measure, Profile, ProfileId, Rule, RuleName, StrictTools, limit, rule, suspected,
};
use crate::schema::tree::types::Types;

/// As `outputConfig.textFormat`.
pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Bedrock,
    name: "bedrock",
    date: "2026-11-30",
    source: "AWS structured-output guide; live test reported 2026-05-19; Anthropic's subset",
    strict_tools: StrictTools::Held,
    keywords: ANTHROPIC,
    values: Types::SCALAR,
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    rules: RULES,
    limits: LIMITS,
    ..ALLOW_LIST
};

/// As `inputSchema` of a strict tool.
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
            suspected(RuleName::TypeList, "a list of types is written as anyOf"),
            suspected(RuleName::RefSiblings, "beside $ref only title and description may stand"),
            suspected(RuleName::AnyOfSiblings, "beside anyOf only title and description may stand"),
            rule(RuleName::AllOfReference, "allOf must not be combined with $ref"),
            rule(RuleName::Recursion, "a schema that leads back to itself is refused"),
            rule(RuleName::ValueNotSupported, "enum and const hold only texts, numbers, booleans and null"),
            rule(RuleName::MinItemsOne, "minItems may only be 0 or 1"),
            rule(RuleName::FormatNotSupported, "only the listed formats are accepted"),
            rule(RuleName::PatternLookAround, "patterns must not use look-around"),
            rule(RuleName::PatternPlain, "patterns must not use back-references, \\b or large repeats"),
            suspected(RuleName::LengthTooLarge, "minLength and maxLength: the guide says no, one live test saw them accepted"),
            suspected(RuleName::UnknownRequired, "required may only list properties that exist"),
        ]
    };
}

const RULES: &[Rule] =
    rules![suspected(RuleName::RootObject, "only an object is documented as root of the output format")];

const TOOL_RULES: &[Rule] = rules![
    rule(RuleName::RootObject, "a tool's inputSchema must have type object"),
    suspected(RuleName::PropertyName, "a tool's property names must match ^[a-zA-Z0-9_.-]{1,64}$"),
];

/// The numbers of the models' vendor, as recorded there.
const LIMITS: &[Limit] = &[
    Limit { what: Measure::OptionalProperties, most: 24, safe: 23, warn: 10 },
    Limit { what: Measure::Unions, most: 16, safe: 15, warn: 15 },
    limit(Measure::StrictTools, 20),
];
