//! llama.cpp's server: the schema becomes a grammar, and keywords the converter does not know are skipped in silence.
//!
//! An allow-list of what the grammar really holds, so that nothing is promised that is not enforced (PROVIDERS §7.1,
//! SCHEMAS "llama.cpp server", measured with build 11549).

use super::{ALLOW_LIST, CONVERTER, Profile, ProfileId, Rule, RuleName, StrictTools, rule, suspected};

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::LlamaCpp,
    name: "llama_cpp",
    date: "2026-11-30",
    source: "llama.cpp server build 11549, measured; its schema-to-grammar converter",
    keeps_annotations: true,
    strict_tools: StrictTools::Held,
    keywords: CONVERTER,
    formats: &["date", "time", "date-time", "uuid"],
    rules: RULES,
    ..ALLOW_LIST
};

const RULES: &[Rule] = &[
    rule(RuleName::KeywordNotSupported, "the grammar does not hold this keyword; the server skips it in silence"),
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
