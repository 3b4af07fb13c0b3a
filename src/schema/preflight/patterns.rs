//! Every pattern of a schema must compile, and all of them together must stay small.

use std::collections::HashMap;

use super::{MAX_ERRORS, Reason, SchemaError};
use crate::json::{Value, push_token};
use crate::schema::pattern::{BadPattern, Pattern};
use crate::schema::references::Index;

/// Distinct patterns of a schema; compiling them is the dearest part of preflight.
const MAX_TOTAL: u64 = 200_000;

/// Compiles every pattern.
///
/// # Errors
/// Each pattern that is refused, at its keyword.
pub(super) fn check(index: &Index<'_>) -> Result<(), Vec<SchemaError>> {
    let mut seen: HashMap<&str, Result<u64, BadPattern>> = HashMap::new();
    let mut total = 0_u64;
    let mut errors = Vec::new();
    for (id, place) in index.places.iter().enumerate() {
        let Some(object) = place.value.as_object() else { continue };
        let own = object.get("pattern").and_then(Value::as_str).map(|p| (p, None));
        let keys = object.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(|m| m.keys());
        for (pattern, key) in own.into_iter().chain(keys.map(|k| (k.as_str(), Some(k)))) {
            if errors.len() >= MAX_ERRORS {
                break;
            }
            let refused = if total > MAX_TOTAL {
                Some((
                    Reason::TooExpensive,
                    "all patterns of this schema together are too large: make repeats and classes smaller",
                ))
            } else {
                let known = seen.entry(pattern).or_insert_with(|| {
                    let compiled = Pattern::compile(pattern).map(|p| p.size());
                    total = total.saturating_add(*compiled.as_ref().unwrap_or(&1_000));
                    compiled
                });
                known.err().map(describe)
            };
            let Some((reason, message)) = refused else { continue };
            let mut path = index.pointer(id);
            push_token(&mut path, if key.is_some() { "patternProperties" } else { "pattern" });
            if let Some(key) = key {
                push_token(&mut path, key);
            }
            errors.push(SchemaError { reason, path, position: None, message: message.to_owned() });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn describe(bad: BadPattern) -> (Reason, &'static str) {
    match bad {
        BadPattern::Syntax => (
            Reason::Pattern,
            "this pattern does not compile: a regular expression as in JavaScript (ECMA-262, Unicode) is expected",
        ),
        BadPattern::TooLarge => (
            Reason::Pattern,
            "this pattern is too large to compile: make its counted repeats {n,m} smaller or use maxLength",
        ),
    }
}
