//! What a place of a schema document is for: a schema, a map of schemas, the value of a keyword. Reads the path only, so
//! it works on text that is still being typed.

use super::Dialect;
use super::foreign::schema_below;
use super::keywords::{self, Shape};
use crate::json::walk::{Member, members};

/// Bytes of one object that are looked at around a place.
pub(super) const NEAR: usize = 256 * 1024;

/// What stands at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Schema,
    /// A map from names to schemas: the keyword whose value it is.
    Map(&'static str),
    /// A list of schemas.
    List(&'static str),
    /// The value of a keyword.
    Value(&'static str),
    /// Something inside the value of a keyword.
    Inside(&'static str),
    /// Below a keyword no draft has, or in an envelope's own fields.
    Unknown,
}

/// What a path leads to. In an envelope, a request or a tool definition the schema begins where they hold it.
#[must_use]
pub fn kind(path: &[String], dialect: Dialect) -> Kind {
    schema_below(path).unwrap_or(path).iter().fold(Kind::Schema, |kind, step| enter(kind, step, dialect))
}

fn enter(kind: Kind, step: &str, dialect: Dialect) -> Kind {
    match kind {
        Kind::Schema => match keywords::find(step) {
            None => Kind::Unknown,
            Some(keyword) => match keyword.shape {
                Shape::Plain => Kind::Value(keyword.name),
                Shape::One => Kind::Schema,
                Shape::OneOrList if dialect == Dialect::Draft202012 => Kind::Schema,
                Shape::List | Shape::OneOrList => Kind::List(keyword.name),
                Shape::Map | Shape::MapOrNames => Kind::Map(keyword.name),
            },
        },
        Kind::Map(_) => Kind::Schema,
        // `items` of older drafts may be one schema, whose keywords are no indexes.
        Kind::List(_) if step.bytes().all(|b| b.is_ascii_digit()) => Kind::Schema,
        Kind::List(_) => enter(Kind::Schema, step, dialect),
        Kind::Value(keyword) | Kind::Inside(keyword) => Kind::Inside(keyword),
        Kind::Unknown => Kind::Unknown,
    }
}

/// The draft a text says it is written in, also while it is broken; 2020-12 when it does not say.
#[must_use]
pub fn dialect_of(text: &str) -> Dialect {
    let root = root_members(text);
    let named = root.iter().find(|m| m.name == "$schema").and_then(|m| scalar(text, m));
    named.and_then(|uri| Dialect::from_uri(&uri)).unwrap_or(Dialect::Draft202012)
}

/// The members of the document's root object, or of its envelope's schema.
pub(super) fn root_members(text: &str) -> Vec<Member> {
    let Some(start) = text.find('{') else { return Vec::new() };
    let outer = members(text, start, NEAR);
    let inner = outer.iter().find(|m| m.name == "schema").and_then(|m| m.value);
    inner.filter(|at| text.as_bytes().get(*at) == Some(&b'{')).map_or(outer, |at| members(text, at, NEAR))
}

/// The text that is a member's value.
pub(super) fn scalar(text: &str, member: &Member) -> Option<String> {
    use crate::json::walk::{Token, Walk, decoded};
    let (token, span) = Walk::from(member.value?).peek(text)?;
    (token == Token::Text).then(|| decoded(text, span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_their_kinds() {
        for (path, wanted) in [
            ("", Kind::Schema),
            ("properties", Kind::Map("properties")),
            ("properties/type", Kind::Schema),
            ("properties/a/type", Kind::Value("type")),
            ("properties/a/type/0", Kind::Inside("type")),
            ("schema/items/anyOf", Kind::List("anyOf")),
            ("response_format/json_schema/schema/type", Kind::Value("type")),
            ("tools/3/input_schema/properties", Kind::Map("properties")),
            ("tools/3/name", Kind::Unknown),
            ("format", Kind::Value("format")),
            ("items/anyOf/1", Kind::Schema),
            ("enum/0/properties", Kind::Inside("enum")),
            ("x-mine/type", Kind::Unknown),
        ] {
            let path: Vec<String> = path.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect();
            assert_eq!(kind(&path, Dialect::Draft202012), wanted, "{path:?}");
        }
        let items = ["items".to_owned(), "type".to_owned()];
        assert_eq!(kind(&items, Dialect::Draft7), Kind::Value("type"));
    }

    #[test]
    fn the_draft_is_read_from_broken_text() {
        let text = r#"{"type": {, "$schema": "http://json-schema.org/draft-07/schema#", "a"#;
        assert_eq!(dialect_of(&text.replace("{,", "1,")), Dialect::Draft7);
        assert_eq!(dialect_of("{\"$schema\": \"x\""), Dialect::Draft202012);
        assert_eq!(dialect_of(""), Dialect::Draft202012);
    }
}
