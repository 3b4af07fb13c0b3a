//! Numbers a schema must not exceed, and what each counts.

use serde::Serialize;

use super::rule::RuleName;

/// A number a schema must not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limit {
    pub what: Measure,
    /// The documented number.
    pub most: usize,
    /// More than this is refused: the documented number, or a stricter one that was met.
    pub safe: usize,
    /// More than this passes with a warning.
    pub warn: usize,
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
    /// Properties that are not required, in total.
    OptionalProperties,
    /// Schemas with `anyOf` or a list of types.
    Unions,
    /// Strict tools of one request; a schema is one of them.
    StrictTools,
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
            Self::OptionalProperties => RuleName::MaxOptional,
            Self::Unions => RuleName::MaxUnions,
            Self::StrictTools => RuleName::MaxStrictTools,
        }
    }

    /// What is counted, in words.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Depth => "levels of nesting",
            Self::Properties => "properties in total",
            Self::EnumValues => "enum values in total",
            Self::EnumCharacters => "characters in one long enum",
            Self::Characters => "characters in names and values",
            Self::OptionalProperties => "optional properties",
            Self::Unions => "unions",
            Self::StrictTools => "strict tools",
        }
    }

    /// The same in one word, for narrow places.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Properties => "properties",
            Self::EnumValues => "enum values",
            Self::EnumCharacters => "enum text",
            Self::Characters => "text",
            Self::OptionalProperties => "optional",
            Self::Unions => "unions",
            Self::StrictTools => "strict tools",
        }
    }
}

pub(super) const fn limit(what: Measure, most: usize) -> Limit {
    Limit { what, most, safe: most, warn: most }
}

/// A documented number, and a smaller one that another source names: the smaller one counts.
pub(super) const fn stricter(what: Measure, most: usize, safe: usize) -> Limit {
    Limit { what, most, safe, warn: safe }
}
