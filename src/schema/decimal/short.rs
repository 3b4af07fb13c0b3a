//! Numbers of at most 38 digits to reckon with (grids of `multipleOf`, samples); what does not fit is told, never
//! rounded.

use std::cmp::Ordering;

use super::Decimal;

/// `digits` × 10^`exponent`, without trailing zeros in `digits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Short {
    digits: i128,
    exponent: i32,
}

impl Short {
    pub(crate) const fn whole(value: i64) -> Self {
        Self { digits: value as i128, exponent: 0 }
    }

    pub(crate) const fn new(digits: i128, exponent: i32) -> Self {
        Self { digits, exponent }
    }

    /// Reads a JSON number's text; `None` when it does not fit.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let exact = Decimal::from_text(text).ok()?;
        let digits = exact.digits.iter().try_fold(0_i128, |n, d| n.checked_mul(10)?.checked_add(i128::from(*d)))?;
        let exponent = i32::try_from(exact.point.checked_sub(exact.len())?).ok()?;
        Some(Self { digits: if exact.negative { -digits } else { digits }, exponent }.trimmed())
    }

    fn trimmed(mut self) -> Self {
        if self.digits == 0 {
            return Self { digits: 0, exponent: 0 };
        }
        while self.digits % 10 == 0 {
            self.digits /= 10;
            self.exponent = self.exponent.saturating_add(1);
        }
        self
    }

    pub(crate) fn is_integer(self) -> bool {
        self.trimmed().exponent >= 0
    }

    /// Both numbers as multiples of the same power of ten.
    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        Some((self.digits_at(exponent)?, other.digits_at(exponent)?, exponent))
    }

    /// The number as a multiple of 10^`exponent`, when it is one and fits.
    fn digits_at(self, exponent: i32) -> Option<i128> {
        let shift = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        if self.digits == 0 {
            return Some(0);
        }
        self.digits.checked_mul(10_i128.checked_pow(shift)?)
    }

    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        let (a, b, _) = self.aligned(other)?;
        Some(a.cmp(&b))
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let (a, b, exponent) = self.aligned(other)?;
        Some(Self { digits: a.checked_add(b)?, exponent }.trimmed())
    }

    pub(crate) fn negated(self) -> Self {
        Self { digits: self.digits.saturating_neg(), exponent: self.exponent }
    }

    pub(crate) fn times(self, factor: i128) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(factor)?, exponent: self.exponent }.trimmed())
    }

    /// How often `step` (positive) goes into this number, rounded down.
    pub(crate) fn div_floor(self, step: Self) -> Option<i128> {
        let (a, b, _) = self.aligned(step)?;
        if b <= 0 {
            return None;
        }
        Some(a.div_euclid(b))
    }

    pub(crate) fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// Least common multiple of two positive numbers.
    pub(crate) fn lcm(self, other: Self) -> Option<Self> {
        let (a, b, exponent) = self.aligned(other)?;
        if a <= 0 || b <= 0 {
            return None;
        }
        let (mut x, mut y) = (a, b);
        while y != 0 {
            (x, y) = (y, x % y);
        }
        Some(Self { digits: (a / x).checked_mul(b)?, exponent }.trimmed())
    }

    /// JSON text: plain digits while that is short, exponent form otherwise.
    pub(crate) fn text(self) -> String {
        let number = self.trimmed();
        if number.exponent >= 0 {
            if number.exponent <= 20 {
                return format!("{}{}", number.digits, "0".repeat(usize::try_from(number.exponent).unwrap_or(0)));
            }
            return format!("{}e{}", number.digits, number.exponent);
        }
        let places = usize::try_from(number.exponent.unsigned_abs()).unwrap_or(0);
        if places > 30 {
            return format!("{}e{}", number.digits, number.exponent);
        }
        let digits = format!("{:0>width$}", number.digits.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if number.digits < 0 { "-" } else { "" };
        format!("{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::Short;

    #[test]
    fn text_round_trips() {
        for (given, wanted) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("1.50", "1.5"),
            ("-0.05", "-0.05"),
            ("1e3", "1000"),
            ("12E-1", "1.2"),
            ("9007199254740993.0", "9007199254740993"),
            ("1e40", "1e40"),
        ] {
            assert_eq!(Short::parse(given).unwrap().text(), wanted, "{given}");
        }
        assert_eq!(Short::parse(&"9".repeat(60)), None);
    }

    #[test]
    fn arithmetic_is_exact() {
        let parse = |text| Short::parse(text).unwrap();
        assert_eq!(parse("0.1").add(parse("0.2")), Some(parse("0.3")));
        assert_eq!(parse("-7").div_floor(parse("2")), Some(-4));
        assert_eq!(parse("0.4").lcm(parse("0.6")), Some(parse("1.2")));
        assert_eq!(parse("1e300").compare(parse("1")), None);
    }
}
