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
            "minLength" | "maxLength" | "pattern" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
                Self::STRING
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Self::NUMBER,
            "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" | "contains" | "minContains"
            | "maxContains" | "minItems" | "maxItems" | "uniqueItems" => Self::ARRAY,
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas" => Self::OBJECT,
            _ => Self::ALL,
        }
    }
}
