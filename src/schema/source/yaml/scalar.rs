//! Plain scalars by YAML 1.2's core schema: null, booleans, numbers, and texts for all the rest.

use crate::json::{self, Hint, ParseLimits, Value};

/// Why a plain scalar has no JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    NonFinite,
    LeadingZero,
    TooLarge,
}

impl Refused {
    pub(super) fn hint(self) -> Hint {
        match self {
            Self::NonFinite => Hint::NonFinite,
            Self::LeadingZero | Self::TooLarge => Hint::BadNumber,
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::NonFinite => "JSON has no infinity and no NaN: write a number, or put the text in quotes.",
            Self::LeadingZero => {
                "A number with a leading zero is octal to some readers and decimal to others: write it without, or put \
                 it in quotes."
            }
            Self::TooLarge => "This number is too large.",
        }
    }
}

/// What a plain scalar means.
pub(super) fn value(text: &str) -> Result<Value, Refused> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return Err(Refused::NonFinite),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Err(Refused::NonFinite);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(text, digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return based(text, digits, 16);
    }
    match decimal(text)? {
        Some(written) => Ok(number(&written).unwrap_or_else(|| Value::String(text.to_owned()))),
        None => Ok(Value::String(text.to_owned())),
    }
}

fn number(written: &str) -> Option<Value> {
    json::parse(written, ParseLimits::default()).ok().filter(Value::is_number)
}

fn based(text: &str, digits: &str, base: u32) -> Result<Value, Refused> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Ok(Value::String(text.to_owned()));
    }
    let value = u128::from_str_radix(digits, base).map_err(|_| Refused::TooLarge)?;
    Ok(number(&value.to_string()).unwrap_or(Value::Null))
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, written as JSON writes it; as it stands when that
/// is JSON already.
fn decimal(text: &str) -> Result<Option<String>, Refused> {
    if number(text).is_some() {
        return Ok(Some(text.to_owned()));
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let power = exponent.strip_prefix(['e', 'E']).map(|power| power.strip_prefix(['+', '-']).unwrap_or(power));
    let exponent_fits = power.is_none_or(|power| !power.is_empty() && digits(power));
    if !exponent_fits || !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return Ok(None);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(Refused::LeadingZero);
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    Ok(Some(format!("{sign}{whole}{point}{fraction}{exponent}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_mean_what_the_core_schema_says() {
        for (text, json) in [
            ("", "null"),
            ("~", "null"),
            ("Null", "null"),
            ("nULL", "\"nULL\""),
            ("True", "true"),
            ("yes", "\"yes\""),
            ("on", "\"on\""),
            ("1", "1"),
            ("-0", "-0"),
            ("+12", "12"),
            ("1e6", "1e6"),
            ("1.50", "1.50"),
            (".5", "0.5"),
            ("-.5e-3", "-0.5e-3"),
            ("5.", "5"),
            ("5.e3", "5e3"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("0x", "\"0x\""),
            ("-0x1", "\"-0x1\""),
            ("1_000", "\"1_000\""),
            ("1e", "\"1e\""),
            (".", "\".\""),
            ("+", "\"+\""),
            ("12:30", "\"12:30\""),
            ("2001-12-14", "\"2001-12-14\""),
            ("1.2.3", "\"1.2.3\""),
            ("123456789012345678901234567890.25", "123456789012345678901234567890.25"),
        ] {
            assert_eq!(value(text).map(|v| json::canonical(&v)), Ok(json.to_owned()), "{text:?}");
        }
        for (text, refused) in [
            (".inf", Refused::NonFinite),
            ("-.INF", Refused::NonFinite),
            (".NaN", Refused::NonFinite),
            ("010", Refused::LeadingZero),
            ("-00.5", Refused::LeadingZero),
            ("0xfffffffffffffffffffffffffffffffff", Refused::TooLarge),
        ] {
            assert_eq!(value(text), Err(refused), "{text:?}");
        }
    }
}
