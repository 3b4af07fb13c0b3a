//! Ollama's `format`: the schema becomes a grammar by llama.cpp's converter; tools are parsed, not held.
//!
//! PROVIDERS §7.3; its cloud does not honour schemas at all. Arrays as root came back as `{}` in reports (2025-05).

use super::{ALLOW_LIST, CONVERTER, Profile, ProfileId, Rule, RuleName, StrictTools, rule, suspected};

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Ollama,
    name: "ollama",
    date: "2026-11-30",
    source: "Ollama's API description; llama.cpp's schema-to-grammar converter; reports",
    keeps_annotations: true,
    strict_tools: StrictTools::Missing,
    keywords: CONVERTER,
    formats: &["date", "time", "date-time", "uuid"],
    rules: RULES,
    ..ALLOW_LIST
};

const RULES: &[Rule] = &[
    rule(RuleName::KeywordNotSupported, "the grammar does not hold this keyword; the server skips it in silence"),
    suspected(RuleName::RootObject, "a root that is no object came back as an empty object in reports"),
    rule(RuleName::RefSiblings, "what stands beside $ref is skipped in silence"),
    rule(RuleName::AnyOfSiblings, "what stands beside anyOf is skipped in silence"),
    rule(RuleName::FormatNotSupported, "only date, time, date-time and uuid become grammar"),
    rule(RuleName::PatternLookAround, "patterns with look-around do not become grammar"),
    rule(RuleName::PatternAnchors, "a pattern must begin with ^ and end with $"),
    suspected(
        RuleName::PatternSyntax,
        "classes such as \\d and \\w, \\b and back-references may fail to become grammar",
    ),
    rule(RuleName::BoundsIntegerOnly, "bounds hold for integers only"),
    suspected(RuleName::LengthTooLarge, "lengths of 2000 and more make the grammar unparsable in nested strings"),
    suspected(RuleName::UnknownRequired, "required names without a property are not held"),
];
