//! JSON with comments: blanked out, it is read as strict JSON. Nothing else of JSON is loosened.

use super::slip;
use crate::json::comments::blank;
use crate::json::{self, Hint, ParseError, ParseLimits, Value};

/// The value, and the text with its comments blanked.
pub(super) fn read(text: &str, limits: ParseLimits) -> Result<(Value, String), ParseError> {
    if text.len() > limits.max_bytes {
        // The strict parser has the sentence.
        return json::parse(text, limits).map(|value| (value, text.to_owned()));
    }
    let blanked = blank(text)
        .map_err(|at| slip(text, Hint::Comment, at, "A comment begins here and does not end: close it with `*/`."))?;
    match json::parse(&blanked, limits) {
        Ok(value) => Ok((value, blanked)),
        // A blanked letter of several bytes is several spaces: the column is counted in the user's text.
        Err(error) => Err(ParseError { position: json::position(text, error.position.offset), ..error }),
    }
}
