//! What each provider accepts, keyword by keyword and limit by limit; allow-lists with date and source.
//!
//! Data only: `project` holds a schema against it. What no row names is refused, never guessed. Rules that rest on thin
//! evidence are marked uncertain.

mod llama_cpp;
mod grammar;
mod none;
mod openai_strict;

use super::tree::types::Types;
use serde::{Deserialize, Serialize};

/// Which allow-list of schema keywords applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ProfileId {
    OpenaiStrict,
    LlamaCpp,
    /// The grammar compiler of the built-in model: it is asked, no list stands for it.
    Llguidance,
    /// Accepts every schema as it is.
    #[default]
    None,
}

impl ProfileId {
    /// The name used in the config and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiStrict => "openai_strict",
            Self::LlamaCpp => "llama_cpp",
            Self::Llguidance => "llguidance",
            Self::None => "none",
        }
    }
}

/// One provider's allow-list.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    pub id: ProfileId,
    /// Name in reports: `openai_strict`.
    pub name: &'static str,
    /// The day the facts were collected.
    pub date: &'static str,
    /// Where they come from.
    pub source: &'static str,
    /// Schemas pass as they are; nothing below counts.
    pub accepts_everything: bool,
    /// Unknown keywords and annotations may stand in the schema (the server skips them).
    pub keeps_annotations: bool,
    /// Keywords that are accepted and enforced.
    pub keywords: &'static [Keyword],
    /// Keywords accepted at the root besides.
    pub root_keywords: &'static [&'static str],
    /// Values of `format` that are enforced.
    pub formats: &'static [&'static str],
    /// May stand beside `$ref`.
    pub reference_siblings: &'static [&'static str],
    /// May stand beside `anyOf`.
    pub union_siblings: &'static [&'static str],
    /// Rules beyond single keywords.
    pub rules: &'static [Rule],
    pub limits: &'static [Limit],
}

/// A keyword that is accepted.
#[derive(Debug, Clone, Copy)]
pub struct Keyword {
    pub name: &'static str,
    /// Types beside which it is enforced.
    pub(crate) types: Types,
    pub evidence: Evidence,
}

/// How well a rule is established.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Documented by the vendor or measured.
    Firm,
    /// Sources disagree, or only reports exist.
    Uncertain,
}

/// A rule about the shape of a schema, beyond single keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub name: RuleName,
    pub says: &'static str,
    pub evidence: Evidence,
}

/// The rules; their names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleName {
    KeywordNotSupported,
    RootObject,
    AllRequired,
    ClosedObject,
    FreeMap,
    EmptyObject,
    TypeNeeded,
    BooleanSchema,
    TypeUnion,
    ItemsNeeded,
    RefSiblings,
    AnyOfSiblings,
    SameFirstKey,
    FormatNotSupported,
    PatternLookAround,
    PatternAnchors,
    PatternSyntax,
    BoundsIntegerOnly,
    LengthTooLarge,
    UnknownRequired,
    EndlessRecursion,
    Unsatisfiable,
    DanglingReference,
    NumberNotExact,
    OneOfOverlaps,
    PatternOverlap,
    GrammarNotBuilt,
    TooLarge,
    MaxDepth,
    MaxProperties,
    MaxEnumValues,
    MaxEnumCharacters,
    MaxCharacters,
}

impl RuleName {
    /// The stable name, e.g. `all-required`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::KeywordNotSupported => "keyword-not-supported",
            Self::RootObject => "root-object",
            Self::AllRequired => "all-required",
            Self::ClosedObject => "closed-object",
            Self::FreeMap => "free-map",
            Self::EmptyObject => "empty-object",
            Self::TypeNeeded => "type-needed",
            Self::BooleanSchema => "boolean-schema",
            Self::TypeUnion => "type-union",
            Self::ItemsNeeded => "items-needed",
            Self::RefSiblings => "ref-siblings",
            Self::AnyOfSiblings => "any-of-siblings",
            Self::SameFirstKey => "same-first-key",
            Self::FormatNotSupported => "format-not-supported",
            Self::PatternLookAround => "pattern-look-around",
            Self::PatternAnchors => "pattern-anchors",
            Self::PatternSyntax => "pattern-syntax",
            Self::BoundsIntegerOnly => "bounds-integer-only",
            Self::LengthTooLarge => "length-too-large",
            Self::UnknownRequired => "unknown-required",
            Self::EndlessRecursion => "endless-recursion",
            Self::Unsatisfiable => "unsatisfiable",
            Self::DanglingReference => "dangling-reference",
            Self::NumberNotExact => "number-not-exact",
            Self::OneOfOverlaps => "one-of-overlaps",
            Self::PatternOverlap => "pattern-overlap",
            Self::GrammarNotBuilt => "grammar-not-built",
            Self::TooLarge => "too-large",
            Self::MaxDepth => "max-depth",
            Self::MaxProperties => "max-properties",
            Self::MaxEnumValues => "max-enum-values",
            Self::MaxEnumCharacters => "max-enum-characters",
            Self::MaxCharacters => "max-characters",
        }
    }
}

/// A number a schema must not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limit {
    pub what: Measure,
    pub most: usize,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Subschema steps from the root; a `$ref` is not followed.
    Depth,
    /// Object properties in total.
    Properties,
    /// Enum values in total.
    EnumValues,
    /// Characters of one string enum with more than 250 values.
    EnumCharacters,
    /// Characters of property names, definition names, enum values and const values.
    Characters,
}

impl Measure {
    /// The rule a breach breaks.
    #[must_use]
    pub const fn rule(self) -> RuleName {
        match self {
            Self::Depth => RuleName::MaxDepth,
            Self::Properties => RuleName::MaxProperties,
            Self::EnumValues => RuleName::MaxEnumValues,
            Self::EnumCharacters => RuleName::MaxEnumCharacters,
            Self::Characters => RuleName::MaxCharacters,
        }
    }
}

impl Profile {
    /// The rule of this name, when the profile has it.
    #[must_use]
    pub fn rule(&self, name: RuleName) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    /// Does the profile have this rule?
    #[must_use]
    pub fn has(&self, name: RuleName) -> bool {
        self.rule(name).is_some()
    }

    /// The row of an accepted keyword.
    #[must_use]
    pub fn keyword(&self, name: &str) -> Option<&'static Keyword> {
        self.keywords.iter().find(|row| row.name == name)
    }
}

/// The profile of an id.
#[must_use]
pub const fn profile(id: ProfileId) -> &'static Profile {
    match id {
        ProfileId::OpenaiStrict => &openai_strict::PROFILE,
        ProfileId::LlamaCpp => &llama_cpp::PROFILE,
        ProfileId::Llguidance => &grammar::PROFILE,
        ProfileId::None => &none::PROFILE,
    }
}

const fn keyword(name: &'static str, types: Types) -> Keyword {
    Keyword { name, types, evidence: Evidence::Firm }
}

const fn doubtful(name: &'static str, types: Types) -> Keyword {
    Keyword { name, types, evidence: Evidence::Uncertain }
}

const fn rule(name: RuleName, says: &'static str) -> Rule {
    Rule { name, says, evidence: Evidence::Firm }
}

const fn suspected(name: RuleName, says: &'static str) -> Rule {
    Rule { name, says, evidence: Evidence::Uncertain }
}

const fn limit(what: Measure, most: usize) -> Limit {
    Limit { what, most }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_dated_and_sourced() {
        for id in [ProfileId::OpenaiStrict, ProfileId::LlamaCpp, ProfileId::Llguidance, ProfileId::None] {
            let profile = profile(id);
            assert_eq!(profile.id, id);
            assert_eq!(profile.name, id.name());
            assert_eq!(profile.date.len(), 10, "{}", profile.name);
            assert!(!profile.source.is_empty());
        }
    }

    #[test]
    fn tables_name_nothing_twice() {
        for id in [ProfileId::OpenaiStrict, ProfileId::LlamaCpp] {
            let profile = profile(id);
            for (index, row) in profile.keywords.iter().enumerate() {
                assert!(profile.keywords.iter().skip(index + 1).all(|other| other.name != row.name), "{}", row.name);
            }
            for (index, row) in profile.rules.iter().enumerate() {
                assert!(profile.rules.iter().skip(index + 1).all(|other| other.name != row.name), "{:?}", row.name);
            }
        }
    }
}
