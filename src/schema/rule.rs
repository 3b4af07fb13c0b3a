//! The rules a profile may have: their names, what they say, and how well each is established.

use serde::Serialize;

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
    KeywordIgnored,
    KeywordUncertain,
    ValueNotSupported,
    TypeList,
    MinItemsOne,
    AllOfReference,
    Recursion,
    RequiredRecursion,
    PropertyName,
    PatternPlain,
    LengthBesidePattern,
    OpenSaid,
    NoStrictTools,
    NoNativeSchema,
    MaxOptional,
    MaxUnions,
    MaxStrictTools,
    DeepUnions,
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
            Self::KeywordIgnored => "keyword-ignored",
            Self::KeywordUncertain => "keyword-uncertain",
            Self::ValueNotSupported => "value-not-supported",
            Self::TypeList => "type-list",
            Self::MinItemsOne => "min-items-one",
            Self::AllOfReference => "all-of-reference",
            Self::Recursion => "recursion",
            Self::RequiredRecursion => "required-recursion",
            Self::PropertyName => "property-name",
            Self::PatternPlain => "pattern-plain",
            Self::LengthBesidePattern => "length-beside-pattern",
            Self::OpenSaid => "open-said",
            Self::NoStrictTools => "no-strict-tools",
            Self::NoNativeSchema => "no-native-schema",
            Self::MaxOptional => "max-optional-properties",
            Self::MaxUnions => "max-unions",
            Self::MaxStrictTools => "max-strict-tools",
            Self::DeepUnions => "deep-unions",
        }
    }
}

pub(super) const fn rule(name: RuleName, says: &'static str) -> Rule {
    Rule { name, says, evidence: Evidence::Firm }
}

pub(super) const fn suspected(name: RuleName, says: &'static str) -> Rule {
    Rule { name, says, evidence: Evidence::Uncertain }
}
