//! Where references lead and who refers to a place: for going there and back in an editor. Works on a document that
//! parses; a plain `#/…` pointer also in one that does not.

use super::Dialect;
use super::references::{self, Index};
use crate::json::{Value, push_token, resolve, tokens};

/// The schema of a document: inside its envelope when it has one. With the pointer that leads there.
fn inner(document: &Value) -> (&Value, &'static str) {
    match document.get("schema") {
        Some(schema) if super::format::is_envelope(document) => (schema, "/schema"),
        _ => (document, ""),
    }
}

fn indexed(schema: &Value) -> Option<Index<'_>> {
    let named = schema.get("$schema").and_then(Value::as_str).and_then(Dialect::from_uri);
    references::index(schema, named.unwrap_or(Dialect::Draft202012)).ok()
}

/// The pointer into the document that the reference of the schema at `pointer` leads to.
#[must_use]
pub fn target(document: &Value, pointer: &str) -> Option<String> {
    let (schema, prefix) = inner(document);
    let below = pointer.strip_prefix(prefix)?;
    let holder = resolve(schema, below)?;
    if let Some(index) = indexed(schema) {
        let place = index.places.get(index.place_of(holder)?)?;
        let found = index.pointer(place.references.first()?.target);
        return Some(format!("{prefix}{found}"));
    }
    // Another reference is broken; a plain pointer can be followed all the same.
    plain(holder.get("$ref")?.as_str()?, prefix).filter(|found| resolve(document, found).is_some())
}

/// The pointer a reference of the form `#/…` names.
#[must_use]
pub fn plain(reference: &str, prefix: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    if !(fragment.is_empty() || fragment.starts_with('/')) {
        return None;
    }
    let decoded = references::uri::percent_decode(fragment)?;
    tokens(&decoded)?;
    Some(format!("{prefix}{decoded}"))
}

/// Pointers to every reference that leads to the schema at `pointer`, in order of the document; each ends in its
/// keyword.
#[must_use]
pub fn referrers(document: &Value, pointer: &str) -> Vec<String> {
    let (schema, prefix) = inner(document);
    let find = || {
        let place = resolve(schema, pointer.strip_prefix(prefix)?)?;
        let index = indexed(schema)?;
        let wanted = index.place_of(place)?;
        let places = (0..index.places.len()).filter_map(|id| Some((id, index.places.get(id)?)));
        let found = places.flat_map(|(id, place)| {
            let hits = place.references.iter().filter(|reference| reference.target == wanted);
            hits.map(move |reference| (id, reference.keyword))
        });
        let pointers = found.map(|(id, keyword)| {
            let mut pointer = format!("{prefix}{}", index.pointer(id));
            push_token(&mut pointer, keyword);
            pointer
        });
        Some(pointers.collect())
    };
    find().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{ParseLimits, parse};

    fn value(text: &str) -> Value {
        parse(text, ParseLimits { max_bytes: 1 << 20, max_depth: 99 }).unwrap()
    }

    #[test]
    fn pointers_anchors_and_ids_lead_to_their_targets() {
        let document = value(
            r##"{"$id": "https://x.org/root", "properties": {"a": {"$ref": "#/$defs/x~1y"}, "b": {"$ref": "#here"},
              "c": {"$ref": "other"}, "d": {"$ref": "#"}},
              "$defs": {"x/y": {"type": "string"}, "h": {"$anchor": "here"}, "o": {"$id": "other", "type": "null"}}}"##,
        );
        for (from, to) in [("a", "/$defs/x~1y"), ("b", "/$defs/h"), ("c", "/$defs/o"), ("d", "")] {
            assert_eq!(target(&document, &format!("/properties/{from}")).as_deref(), Some(to), "{from}");
        }
        assert_eq!(target(&document, "/$defs/h"), None);
        assert_eq!(referrers(&document, "/$defs/h"), ["/properties/b/$ref"]);
        assert_eq!(referrers(&document, "/nowhere"), Vec::<String>::new());
    }

    #[test]
    fn envelopes_and_documents_with_another_broken_reference_are_followed() {
        let envelope =
            value(r##"{"type": "json_schema", "schema": {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}}}"##);
        assert_eq!(target(&envelope, "/schema/items").as_deref(), Some("/schema/$defs/a"));
        assert_eq!(referrers(&envelope, "/schema/$defs/a"), ["/schema/items/$ref"]);
        let broken = value(r##"{"items": {"$ref": "#/$defs/a"}, "not": {"$ref": "#/none"}, "$defs": {"a": {}}}"##);
        assert_eq!(target(&broken, "/items").as_deref(), Some("/$defs/a"));
        assert_eq!(target(&broken, "/not"), None);
    }
}
