//! The JSON types as a set, and which types each keyword speaks about.

use crate::json::Value;
use crate::schema::decimal::Decimal;

/// A set of JSON types; whole numbers and other numbers are kept apart, `number` is both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const NUMBER: Self = Self(4 | 8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    /// Values that hold no others.
    pub(crate) const SCALAR: Self = Self(1 | 2 | 4 | 8 | 16);
    pub(crate) const ALL: Self = Self(127);
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Is every type of this set in the other?
    pub(crate) const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set a type word names; an unknown word names nothing.
    pub(crate) fn named(word: &str) -> Self {
        match word {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            "any" => Self::ALL,
            _ => Self::NONE,
        }
    }

    /// The set a `type` keyword's value names.
    pub(crate) fn of_keyword(value: &Value) -> Self {
        match value {
            Value::String(word) => Self::named(word),
            Value::Array(words) => {
                words.iter().filter_map(Value::as_str).fold(Self::NONE, |all, word| all.or(Self::named(word)))
            }
            _ => Self::ALL,
        }
    }

    /// The type of one value.
    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) => {
                let whole = Decimal::parse(number).map_or(true, |exact| exact.is_integer());
                if whole { Self::INTEGER } else { Self::FRACTION }
            }
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The words of the set, in a fixed order.
    pub(crate) fn words(self) -> Vec<&'static str> {
        const WORDS: [(Types, &str); 7] = [
            (Types::OBJECT, "object"),
            (Types::ARRAY, "array"),
            (Types::STRING, "string"),
            (Types::NUMBER, "number"),
            (Types::INTEGER, "integer"),
            (Types::BOOLEAN, "boolean"),
            (Types::NULL, "null"),
        ];
        let mut left = self;
        let mut words = Vec::new();
        for (set, word) in WORDS {
            if !set.is_empty() && left.and(set) == set {
                words.push(word);
                left = Self(left.0 & !set.0);
            }
        }
        words
    }

    /// The sets of a case split: together they hold every type of this one, each with a word of its own.
    pub(crate) fn cases(self) -> Vec<Self> {
        let mut cases: Vec<Self> = self.words().into_iter().map(Self::named).collect();
        let told = cases.iter().fold(Self::NONE, |all, case| all.or(*case));
        if self.without(told).meets(Self::FRACTION) {
            // No word means fractions alone; all numbers hold them.
            cases.retain(|case| *case != Self::INTEGER);
            cases.push(Self::NUMBER);
        }
        cases
    }

    /// The types a keyword constrains; `ALL` for keywords that speak about every type.
    pub(crate) fn spoken_of_by(keyword: &str) -> Self {
        match keyword {
            // Of use for one type, but their words are of others too: formats of numbers, lists of names.
            "format" | "dependencies" => Self::ALL,
            _ => of_use(keyword).map_or(Self::ALL, |row| row.types),
        }
    }
}

/// Where a keyword of one type is shown, besides the list of completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// In the form of a field, and behind the field in the outline.
    Bound,
    /// In the form of a field.
    Form,
    /// Nowhere else: it holds schemas, or few people know it.
    Listed,
}

/// A keyword of one type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfUse {
    pub(crate) name: &'static str,
    pub(crate) types: Types,
    pub(crate) shown: Shown,
}

const fn row(name: &'static str, types: Types, shown: Shown) -> OfUse {
    OfUse { name, types, shown }
}

use Shown::{Bound, Form, Listed};

/// Every keyword that is of use for one type, those that are written most first. The one table of these: completion,
/// forms, the outline and whatever asks which types a keyword speaks of read it.
pub(crate) const OF_USE: &[OfUse] = &[
    row("minLength", Types::STRING, Bound),
    row("maxLength", Types::STRING, Bound),
    row("pattern", Types::STRING, Bound),
    row("format", Types::STRING, Form),
    row("contentEncoding", Types::STRING, Listed),
    row("contentMediaType", Types::STRING, Listed),
    row("contentSchema", Types::STRING, Listed),
    row("minimum", Types::NUMBER, Bound),
    row("maximum", Types::NUMBER, Bound),
    row("exclusiveMinimum", Types::NUMBER, Bound),
    row("exclusiveMaximum", Types::NUMBER, Bound),
    row("multipleOf", Types::NUMBER, Bound),
    row("items", Types::ARRAY, Listed),
    row("prefixItems", Types::ARRAY, Listed),
    row("minItems", Types::ARRAY, Bound),
    row("maxItems", Types::ARRAY, Bound),
    row("uniqueItems", Types::ARRAY, Bound),
    row("contains", Types::ARRAY, Listed),
    row("minContains", Types::ARRAY, Listed),
    row("maxContains", Types::ARRAY, Listed),
    row("additionalItems", Types::ARRAY, Listed),
    row("unevaluatedItems", Types::ARRAY, Listed),
    row("properties", Types::OBJECT, Listed),
    row("required", Types::OBJECT, Listed),
    row("additionalProperties", Types::OBJECT, Form),
    row("patternProperties", Types::OBJECT, Listed),
    row("propertyNames", Types::OBJECT, Listed),
    row("minProperties", Types::OBJECT, Bound),
    row("maxProperties", Types::OBJECT, Bound),
    row("dependentRequired", Types::OBJECT, Listed),
    row("dependentSchemas", Types::OBJECT, Listed),
    row("dependencies", Types::OBJECT, Listed),
    row("unevaluatedProperties", Types::OBJECT, Listed),
];

/// The row of a keyword of one type.
pub(crate) fn of_use(keyword: &str) -> Option<&'static OfUse> {
    OF_USE.iter().find(|row| row.name == keyword)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::keywords;

    #[test]
    fn every_row_is_a_keyword_and_stands_once() {
        for (at, row) in OF_USE.iter().enumerate() {
            assert!(keywords::find(row.name).is_some(), "{}", row.name);
            assert!(OF_USE.iter().skip(at + 1).all(|other| other.name != row.name), "{}", row.name);
        }
    }

    #[test]
    fn what_a_keyword_speaks_of() {
        for (keyword, types) in [
            ("minLength", Types::STRING),
            ("multipleOf", Types::NUMBER),
            ("uniqueItems", Types::ARRAY),
            ("required", Types::OBJECT),
            ("format", Types::ALL),
            ("dependencies", Types::ALL),
            ("enum", Types::ALL),
            ("no keyword", Types::ALL),
        ] {
            assert_eq!(Types::spoken_of_by(keyword), types, "{keyword}");
        }
    }
}
