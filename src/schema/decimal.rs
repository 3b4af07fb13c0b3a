//! Exact comparison of JSON numbers from their text: no `f64`, no allocation that grows with an exponent.

pub(crate) mod short;

use std::cmp::Ordering;

use crate::json::Number;

/// A number as sign, digits and exponent: `0.d1d2d3… × 10^point`. Digits have no leading or trailing zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

/// An exponent beyond what can be compared exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Imprecise;

impl Decimal {
    /// Reads a JSON number. Cost and memory are linear in the text.
    pub(crate) fn parse(number: &Number) -> Result<Self, Imprecise> {
        Self::from_text(number.as_str())
    }

    pub(crate) fn from_text(text: &str) -> Result<Self, Imprecise> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |r| (true, r));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b.wrapping_sub(b'0')).collect();
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let zeros = digits.iter().take_while(|d| **d == 0).count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Ok(Self { negative: false, digits, point: 0 });
        }
        let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().map_err(|_| Imprecise)?;
        let shift = i64::try_from(whole.len()).map_err(|_| Imprecise)? - i64::try_from(zeros).map_err(|_| Imprecise)?;
        let point = exponent.checked_add(shift).ok_or(Imprecise)?;
        Ok(Self { negative, digits, point })
    }

    fn len(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX)
    }

    /// Whether it has no fraction: `1.0` and `1e2` are integers.
    pub(crate) fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.point >= self.len()
    }

    /// A text that is equal exactly for equal numbers.
    pub(crate) fn normal(&self, out: &mut String) {
        if self.negative {
            out.push('-');
        }
        out.extend(self.digits.iter().map(|d| char::from(b'0' + d)));
        if !self.digits.is_empty() {
            out.push('e');
            out.push_str(&self.point.to_string());
        }
    }

    /// A non-negative integer that fits, else `None`.
    pub(crate) fn to_u64(&self) -> Option<u64> {
        if self.negative || !self.is_integer() || self.point > 20 {
            return None;
        }
        let mut value: u64 = 0;
        for at in 0..usize::try_from(self.point).ok()? {
            let digit = self.digits.get(at).copied().unwrap_or(0);
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        Some(value)
    }

    /// Whether `self` is an integer multiple of `divisor`; exact, or [`Imprecise`] for divisors of over 19 digits.
    pub(crate) fn is_multiple_of(&self, divisor: &Self) -> Result<bool, Imprecise> {
        if self.digits.is_empty() {
            return Ok(true);
        }
        // as integers: mantissa × 10^(point - len)
        let own = self.point.checked_sub(self.len()).ok_or(Imprecise)?;
        let other = divisor.point.checked_sub(divisor.len()).ok_or(Imprecise)?;
        let shift = own.checked_sub(other).ok_or(Imprecise)?;
        if shift < 0 {
            // the mantissa has no factor ten, so the division leaves a fraction
            return Ok(false);
        }
        if self.digits.len() < divisor.digits.len() && shift == 0 {
            return Ok(false);
        }
        let modulus = mantissa(&divisor.digits).ok_or(Imprecise)?;
        if modulus == 0 {
            return Err(Imprecise);
        }
        let modulus = u128::from(modulus);
        let rest = self.digits.iter().fold(0_u128, |r, d| (r * 10 + u128::from(*d)) % modulus);
        Ok((rest * power(shift, modulus)).is_multiple_of(modulus))
    }
}

fn mantissa(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |n, d| n.checked_mul(10)?.checked_add(u64::from(*d)))
}

/// `10^exponent mod modulus` by squaring; the modulus fits 64 bits, so products fit 128.
fn power(exponent: i64, modulus: u128) -> u128 {
    let (mut base, mut left, mut out) = (10 % modulus, exponent, 1 % modulus);
    while left > 0 {
        if left % 2 == 1 {
            out = out * base % modulus;
        }
        base = base * base % modulus;
        left /= 2;
    }
    out
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |d: &Self| {
            if d.digits.is_empty() {
                0
            } else if d.negative {
                -1
            } else {
                1
            }
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal || self.digits.is_empty() {
            return by_sign;
        }
        let size = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { size.reverse() } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::from_text(text).unwrap()
    }

    #[test]
    fn compares_exactly() {
        let ordered = [
            "-1e3",
            "-2",
            "-0.1",
            "0",
            "1e-400",
            "0.1",
            "0.11",
            "1",
            "1.5",
            "9007199254740992",
            "9007199254740993.0",
            "1e400",
            "1e999999999",
        ];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(d(a).cmp(&d(b)), i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("-0.0", "0"), ("0.10", "1E-1"), ("12e-1", "1.2")] {
            assert_eq!(d(a), d(b));
        }
        assert_eq!(Decimal::from_text("1e99999999999999999999"), Err(Imprecise));
        assert_eq!(d("0e99999999999999999999"), d("0"));
    }

    #[test]
    fn integers() {
        for (text, integer) in
            [("1.0", true), ("1e2", true), ("1.5", false), ("1e-1", false), ("0", true), ("120e-1", true)]
        {
            assert_eq!(d(text).is_integer(), integer, "{text}");
        }
        assert_eq!(d("1.2e1").to_u64(), Some(12));
        assert_eq!(d("18446744073709551616").to_u64(), None);
    }

    #[test]
    fn multiples() {
        for (n, of, want) in [
            ("4.02", "0.01", true),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("1e999999999", "3", false),
            ("1e999999999", "7e2", false),
            ("3e999999999", "3", true),
            ("10", "4", false),
            ("12", "4", true),
            ("-12", "4", true),
            ("0", "5", true),
            ("7", "1e400", false),
            ("1e308", "0.123456789", false),
        ] {
            assert_eq!(d(n).is_multiple_of(&d(of)), Ok(want), "{n} {of}");
        }
    }
}
