//! Which numbers the grammar compiler reads right. It computes in doubles and with 32-bit coefficients, so a number
//! counts only where that loses nothing.

use crate::json::{Number, Value};
use crate::schema::decimal::Decimal;

/// Doubles above are not dense enough for whole numbers, and below it writes hundreds of zeros.
const LARGEST: f64 = 9_000_000_000_000_000.0;
const SMALLEST: f64 = 1e-15;

/// Is this number the same after the compiler has read it?
pub(super) fn is_exact(number: &Number) -> bool {
    let Some(double) = number.as_f64() else { return false };
    if double == 0.0 {
        return equals(number, "0");
    }
    (SMALLEST..=LARGEST).contains(&double.abs()) && equals(number, &format!("{double:e}"))
}

/// Are all numbers in this value exact?
pub(super) fn all_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_exact(number),
        Value::Array(items) => items.iter().all(all_exact),
        Value::Object(members) => members.values().all(all_exact),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// `multipleOf` as coefficient and decimal places, if the compiler's own conversion reaches the same.
pub(super) fn step(number: &Number) -> Option<(u32, u32)> {
    if !is_exact(number) {
        return None;
    }
    let mut double = number.as_f64()?.abs();
    let mut places: u32 = 0;
    while double.fract() != 0.0 {
        double *= 10.0;
        places += 1;
        if places > MAX_PLACES {
            return None;
        }
    }
    if !(1.0..=MAX_COEFFICIENT).contains(&double) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
    let coefficient = double as u32;
    equals(number, &format!("{coefficient}e-{places}")).then_some((coefficient, places))
}

/// The automaton for a step has about this many states.
const MAX_COEFFICIENT: f64 = 100_000.0;
const MAX_PLACES: u32 = 6;

/// Where two steps meet, the compiler multiplies them in 32 bits: do all of a schema's steps fit?
pub(super) fn steps_fit(steps: &[(u32, u32)]) -> bool {
    let places = steps.iter().map(|(_, places)| *places).max().unwrap_or(0);
    let mut common: u64 = 1;
    for (coefficient, own) in steps {
        let Some(scaled) = 10_u64.checked_pow(places - own).and_then(|power| power.checked_mul((*coefficient).into()))
        else {
            return false;
        };
        match common.checked_mul(scaled) {
            Some(product) if u32::try_from(product).is_ok() => common = product / gcd(common, scaled),
            Some(_) | None => return false,
        }
    }
    true
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A count (`minLength`, …) as the compiler wants it: `2.0` is 2.
pub(super) fn count(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    if let Some(count) = number.as_u64() {
        return Some(count);
    }
    let double = number.as_f64().filter(|double| (0.0..=LARGEST).contains(double) && double.fract() == 0.0)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
    let count = double as u64;
    equals(number, &count.to_string()).then_some(count)
}

fn equals(number: &Number, text: &str) -> bool {
    let Ok(own) = Decimal::parse(number) else { return false };
    Decimal::from_text(text).is_ok_and(|other| other == own)
}
