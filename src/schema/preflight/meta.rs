//! A schema against the meta-schema of its draft. Messages are made from keywords, never from values.

use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, JsonType, ValidationError, Validator};
use serde_json::json;

use super::limits;
use super::{Dialect, MAX_ERRORS, Reason, SchemaError};
use crate::json::Value;
use crate::schema::stack;

/// With more bytes of pointers than this only the first error is looked for.
const MAX_POINTERS: usize = 8 * 1024 * 1024;

/// The meta-schema validator of a draft, without assertion of `format` (a pattern is compiled by ourselves).
fn validator(dialect: Dialect) -> Option<&'static Validator> {
    static BUILT: [OnceLock<Option<Validator>>; 5] = [const { OnceLock::new() }; 5];
    let (slot, draft) = match dialect {
        Dialect::Draft4 => (0, Draft::Draft4),
        Dialect::Draft6 => (1, Draft::Draft6),
        Dialect::Draft7 => (2, Draft::Draft7),
        Dialect::Draft201909 => (3, Draft::Draft201909),
        Dialect::Draft202012 => (4, Draft::Draft202012),
    };
    let build = || {
        let hash = if dialect <= Dialect::Draft7 { "#" } else { "" };
        let schema = json!({ "$ref": format!("{}{hash}", dialect.uri()) });
        jsonschema::options().with_draft(draft).should_validate_formats(false).build(&schema).ok()
    };
    BUILT.get(slot)?.get_or_init(build).as_ref()
}

/// Checks a schema against its meta-schema.
///
/// # Errors
/// At most 20 errors, each at the keyword whose value is wrong.
pub(super) fn check(schema: &Value, dialect: Dialect) -> Result<(), Vec<SchemaError>> {
    let broken = |message: &str| vec![error(String::new(), message.to_owned())];
    let found = stack::with_known_stack(|| {
        let Some(validator) = validator(dialect) else {
            return broken("the meta-schema of this draft is not available");
        };
        if validator.is_valid(schema) {
            return Vec::new();
        }
        // the library collects every error with its whole path before it gives the first
        let all = if limits::pointer_bytes(schema) <= MAX_POINTERS { MAX_ERRORS } else { 0 };
        let first = validator.validate(schema).err().filter(|_| all == 0);
        let more = (all > 0).then(|| validator.iter_errors(schema).take(all)).into_iter().flatten();
        let mut errors: Vec<SchemaError> = first.into_iter().chain(more).map(|e| describe(&e)).collect();
        errors.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.message.cmp(&b.message)));
        errors.dedup();
        if errors.is_empty() { broken("this is no valid schema of its draft") } else { errors }
    });
    match found {
        Some(errors) if errors.is_empty() => Ok(()),
        Some(errors) => Err(errors),
        None => Err(broken("the schema could not be checked: no memory for another thread")),
    }
}

fn error(path: String, message: String) -> SchemaError {
    SchemaError { reason: Reason::MetaSchema, path, position: None, message }
}

fn describe(first: &ValidationError<'_>) -> SchemaError {
    let cause = deepest(first);
    error(cause.instance_path().as_str().to_owned(), sentence(cause))
}

/// Draft 7 and older hide the cause in branches of `anyOf`: the branch that fits the value's kind fails deepest.
fn deepest<'a>(first: &'a ValidationError<'a>) -> &'a ValidationError<'a> {
    let mut at: &ValidationError<'_> = first;
    loop {
        let depth = at.instance_path().as_str().len();
        let (ValidationErrorKind::AnyOf { context: branches }
        | ValidationErrorKind::OneOfNotValid { context: branches }
        | ValidationErrorKind::OneOfMultipleValid { context: branches }) = at.kind()
        else {
            return at;
        };
        let deeper = branches.iter().flatten().filter(|e| e.instance_path().as_str().len() > depth);
        match deeper.max_by_key(|e| e.instance_path().as_str().len()) {
            Some(next) => at = next,
            None => return at,
        }
    }
}

fn kind_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a text",
    }
}

/// What the meta-schema expects at this place.
fn sentence(error: &ValidationError<'_>) -> String {
    let keyword = error.instance_path().as_str().rsplit('/').find(|t| t.parse::<usize>().is_err()).unwrap_or("");
    let shown = crate::schema::keywords::find(keyword).map_or("this", |k| k.name);
    let named = if shown == "this" { "this".to_owned() } else { format!("`{shown}`") };
    match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => format!("{named} must be {}", kind_name(*kind)),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => {
            let expected: Vec<&str> = kinds.iter().map(kind_name).collect();
            let schema = expected.contains(&"an object") && expected.contains(&"true or false");
            if schema {
                format!("{named} must be a schema (an object, or true/false)")
            } else {
                format!("{named} must be {}", expected.join(" or "))
            }
        }
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::AnyOf { .. } if shown == "type" => TYPES.to_owned(),
        ValidationErrorKind::AnyOf { .. } if shown == "items" => {
            "`items` must be a schema or a list of schemas".to_owned()
        }
        ValidationErrorKind::AnyOf { .. } if shown == "additionalProperties" || shown == "additionalItems" => {
            format!("{named} must be a schema or true/false")
        }
        ValidationErrorKind::AnyOf { .. } => format!("{named} has none of the forms its draft allows"),
        ValidationErrorKind::MinItems { limit } => format!("{named} must have at least {limit} element(s)"),
        ValidationErrorKind::UniqueItems => format!("{named} must not hold an element twice"),
        ValidationErrorKind::Minimum { .. } => format!("{named} must not be negative"),
        ValidationErrorKind::ExclusiveMinimum { .. } => format!("{named} must be greater than 0"),
        ValidationErrorKind::Pattern { .. } => {
            format!("{named} does not have the form its draft requires (see the name rules of `$id` and `$anchor`)")
        }
        ValidationErrorKind::Required { property } => {
            format!("{} is missing here", property.as_str().unwrap_or("a keyword"))
        }
        other => format!("{named} breaks the rule `{}` of its meta-schema", other.keyword()),
    }
}

const TYPES: &str = "`type` must be one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\", \
     or a list of different ones";
