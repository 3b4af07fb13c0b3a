//! References of a schema: resolved inside the document or refused. Fetches nothing, ever.
//!
//! The result is an `Index`: every schema position of the document (a *place*), what stands below it and where its
//! references lead. Preflight looks for cycles in it and the validator is compiled from it. Contents of `const`, `enum`,
//! `default`, `examples` and unknown keywords are no places, unless a reference leads there.

pub(crate) mod uri;

use std::collections::HashMap;

use super::error::MAX_ERRORS;
use super::keywords::{self, Keyword};
use super::{Dialect, Reason, SchemaError};
use crate::json::{Map, Value, push_token};

/// Number of a place in [`Index::places`]; 0 is the root.
pub(crate) type PlaceId = usize;

/// One schema position.
pub(crate) struct Place<'a> {
    pub(crate) value: &'a Value,
    pub(crate) dialect: Dialect,
    /// Number of the resource (document part with a base URI of its own) it belongs to.
    pub(crate) resource: usize,
    pub(crate) children: Vec<(PlaceId, &'static Keyword)>,
    pub(crate) references: Vec<Reference>,
    /// Where it hangs; the pointer is made on demand: stored pointers could be quadratic.
    parent: PlaceId,
    suffix: String,
}

impl Place<'_> {
    /// The place it hangs on; the root hangs on itself.
    pub(crate) fn parent(&self) -> PlaceId {
        self.parent
    }

    /// Its pointer below the parent's.
    pub(crate) fn suffix(&self) -> &str {
        &self.suffix
    }
}

/// A reference keyword that resolved.
pub(crate) struct Reference {
    pub(crate) keyword: &'static str,
    pub(crate) target: PlaceId,
    /// Set when the dynamic scope may lead elsewhere: the anchor's name (`""` for `$recursiveRef`).
    pub(crate) dynamic: Option<String>,
}

struct Resource {
    uri: String,
    root: PlaceId,
}

/// The map of a document.
pub(crate) struct Index<'a> {
    pub(crate) places: Vec<Place<'a>>,
    resources: Vec<Resource>,
    by_uri: HashMap<String, usize>,
    anchors: HashMap<(usize, String), PlaceId>,
    /// Anchors that take part in dynamic scope: `(resource, name)`; name `""` stands for `$recursiveAnchor: true`.
    pub(crate) dynamic_anchors: HashMap<(usize, String), PlaceId>,
    by_address: HashMap<usize, PlaceId>,
    errors: Vec<SchemaError>,
}

/// What is to be visited: parent, pointer below it, value, dialect, resource, keyword it hangs on.
struct Visit<'a> {
    parent: PlaceId,
    suffix: String,
    value: &'a Value,
    dialect: Dialect,
    resource: usize,
    keyword: Option<&'static Keyword>,
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

/// Builds the index of a schema.
///
/// # Errors
/// Every reference that is remote, dangling or no URI, and every identifier that stands twice (at most 20).
pub(crate) fn index(schema: &Value, dialect: Dialect) -> Result<Index<'_>, Vec<SchemaError>> {
    let mut index = Index {
        places: Vec::new(),
        resources: vec![Resource { uri: String::new(), root: 0 }],
        by_uri: HashMap::from([(String::new(), 0)]),
        anchors: HashMap::new(),
        dynamic_anchors: HashMap::new(),
        by_address: HashMap::new(),
        errors: Vec::new(),
    };
    index.add(Visit { parent: 0, suffix: String::new(), value: schema, dialect, resource: 0, keyword: None });
    let mut next = 0;
    while next < index.places.len() && index.errors.len() < MAX_ERRORS {
        index.resolve_place(schema, next);
        next += 1;
    }
    if index.errors.is_empty() { Ok(index) } else { Err(index.errors) }
}

impl<'a> Index<'a> {
    /// The RFC 6901 pointer of a place.
    pub(crate) fn pointer(&self, id: PlaceId) -> String {
        let mut parts = Vec::new();
        let mut at = id;
        while let Some(place) = self.places.get(at) {
            parts.push(place.suffix.as_str());
            if at == 0 {
                break;
            }
            at = place.parent;
        }
        parts.reverse();
        parts.concat()
    }

    /// The place of a value of the document.
    pub(crate) fn place_of(&self, value: &Value) -> Option<PlaceId> {
        self.by_address.get(&address(value)).copied()
    }

    /// Adds a value and everything below it; gives the place of the value itself.
    fn add(&mut self, first: Visit<'a>) -> PlaceId {
        let id = self.places.len();
        let mut queue = vec![first];
        while let Some(visit) = queue.pop() {
            if let Some(keyword) = visit.keyword
                && self.by_address.contains_key(&address(visit.value))
            {
                // reached by a reference before; hang it in here as well
                if let (Some(old), Some(parent)) = (self.place_of(visit.value), self.places.get_mut(visit.parent)) {
                    parent.children.push((old, keyword));
                }
                continue;
            }
            self.add_one(visit, &mut queue);
        }
        id
    }

    fn add_one(&mut self, visit: Visit<'a>, queue: &mut Vec<Visit<'a>>) {
        let id = self.places.len();
        let mut place = Place {
            value: visit.value,
            dialect: visit.dialect,
            resource: visit.resource,
            children: Vec::new(),
            references: Vec::new(),
            parent: visit.parent,
            suffix: visit.suffix,
        };
        self.by_address.insert(address(visit.value), id);
        if let Some(keyword) = visit.keyword
            && let Some(parent) = self.places.get_mut(visit.parent)
        {
            parent.children.push((id, keyword));
        }
        let Value::Object(object) = visit.value else {
            self.places.push(place);
            return;
        };
        let mut unknown = false;
        if object.get(id_keyword(place.dialect)).is_some_and(Value::is_string)
            && let Some(named) = object.get("$schema").and_then(Value::as_str)
        {
            match Dialect::from_uri(named) {
                Some(own) => place.dialect = own,
                None => unknown = true,
            }
        }
        let dialect = place.dialect;
        self.places.push(place);
        if unknown {
            let path = format!("{}/$schema", self.pointer(id));
            self.errors.push(super::error::unknown_dialect(path));
        }
        let resource = self.identify(id, object, dialect);
        for child in keywords::children(object, dialect).into_iter().rev() {
            queue.push(Visit {
                parent: id,
                suffix: child.suffix,
                value: child.value,
                dialect,
                resource,
                keyword: Some(child.keyword),
            });
        }
    }

    /// Reads `$id`, `id` and anchors; gives the resource the place belongs to.
    fn identify(&mut self, id: PlaceId, object: &Map<String, Value>, dialect: Dialect) -> usize {
        let mut resource = self.places.get(id).map_or(0, |p| p.resource);
        let hidden = keywords::ref_hides_siblings(dialect) && object.contains_key("$ref");
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let own_id = text(id_keyword(dialect)).filter(|_| !hidden);
        if let Some(own) = own_id {
            let (uri, fragment) = uri::split_fragment(own);
            let names_resource = id == 0 || !uri.is_empty();
            if names_resource && !own.starts_with('#') {
                resource = self.new_resource(id, uri, resource, id_keyword(dialect));
            }
            if !fragment.is_empty() && dialect <= Dialect::Draft7 {
                self.anchor(id, resource, fragment, id_keyword(dialect));
            }
        }
        if let Some(place) = self.places.get_mut(id) {
            place.resource = resource;
        }
        if dialect >= Dialect::Draft201909
            && let Some(name) = text("$anchor")
        {
            self.anchor(id, resource, name, "$anchor");
        }
        if dialect == Dialect::Draft202012
            && let Some(name) = text("$dynamicAnchor")
        {
            self.anchor(id, resource, name, "$dynamicAnchor");
            self.dynamic_anchors.insert((resource, name.to_owned()), id);
        }
        if dialect == Dialect::Draft201909 && object.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.dynamic_anchors.insert((resource, String::new()), id);
        }
        resource
    }

    fn new_resource(&mut self, id: PlaceId, reference: &str, base: usize, keyword: &str) -> usize {
        let base_uri = self.resources.get(base).map_or("", |r| r.uri.as_str());
        let uri = uri::join(base_uri, reference);
        if id == 0 {
            if let Some(root) = self.resources.first_mut() {
                root.uri.clone_from(&uri);
            }
            self.by_uri.insert(uri, 0);
            return 0;
        }
        let number = self.resources.len();
        if self.by_uri.contains_key(&uri) {
            let message = format!(
                "the same `{keyword}` is given to two schemas: a reference to it would be ambiguous; rename or remove one"
            );
            self.fail(Reason::DuplicateAnchor, id, keyword, message);
        } else {
            self.by_uri.insert(uri.clone(), number);
        }
        self.resources.push(Resource { uri, root: id });
        number
    }

    fn anchor(&mut self, id: PlaceId, resource: usize, name: &str, keyword: &str) {
        match self.anchors.get(&(resource, name.to_owned())) {
            Some(&other) if other != id => {
                let message = format!(
                    "two schemas have the same anchor (`{keyword}`): a reference to it would be ambiguous; rename one"
                );
                self.fail(Reason::DuplicateAnchor, id, keyword, message);
            }
            _ => {
                self.anchors.insert((resource, name.to_owned()), id);
            }
        }
    }

    fn fail(&mut self, reason: Reason, id: PlaceId, keyword: &str, message: String) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let mut path = self.pointer(id);
        push_token(&mut path, keyword);
        self.errors.push(SchemaError { reason, path, position: None, message });
    }

    fn resolve_place(&mut self, schema: &'a Value, id: PlaceId) {
        let Some(place) = self.places.get(id) else { return };
        let Value::Object(object) = place.value else { return };
        let dialect = place.dialect;
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            // looked at in every draft: a reference that a later draft would follow must not hide a remote address
            let Some(value) = object.get(keyword) else { continue };
            let Some(text) = value.as_str() else {
                if keyword == "$ref" {
                    self.fail(Reason::MetaSchema, id, keyword, "`$ref` must be a text".to_owned());
                }
                continue;
            };
            match self.resolve(schema, id, text) {
                Ok((target, anchor)) => {
                    let known = keywords::find_in(keyword, dialect).is_some();
                    if !known || (keyword == "$recursiveRef" && dialect != Dialect::Draft201909) {
                        continue;
                    }
                    let dynamic = self.dynamic(keyword, target, anchor);
                    if let Some(place) = self.places.get_mut(id) {
                        place.references.push(Reference { keyword, target, dynamic });
                    }
                }
                Err((reason, message)) => self.fail(reason, id, keyword, message),
            }
        }
    }

    /// The name under which the dynamic scope is searched, when the static target invites it.
    fn dynamic(&self, keyword: &str, target: PlaceId, anchor: Option<String>) -> Option<String> {
        let resource = self.places.get(target)?.resource;
        let name = match keyword {
            "$dynamicRef" => anchor?,
            "$recursiveRef" => String::new(),
            _ => return None,
        };
        self.dynamic_anchors.get(&(resource, name.clone())).filter(|&&at| at == target)?;
        Some(name)
    }

    /// Resolves one reference: its target, and the anchor's name when it was one.
    fn resolve(
        &mut self,
        schema: &'a Value,
        from: PlaceId,
        text: &str,
    ) -> Result<(PlaceId, Option<String>), (Reason, String)> {
        if let Some(bad) = uri::bad_char(text) {
            return Err((Reason::DanglingReference, not_a_uri(bad)));
        }
        let (reference, fragment) = uri::split_fragment(text);
        let base = self.places.get(from).and_then(|p| self.resources.get(p.resource)).map_or("", |r| r.uri.as_str());
        let target = uri::join(base, reference);
        let found = self.by_uri.get(&target).or_else(|| {
            // a base that ends in an empty query or fragment is still the same document
            self.by_uri.get(target.trim_end_matches('#'))
        });
        let Some(&resource) = found else { return Err((Reason::RemoteReference, REMOTE.to_owned())) };
        let root = self.resources.get(resource).map_or(0, |r| r.root);
        let Some(fragment) = uri::percent_decode(fragment) else {
            return Err((Reason::DanglingReference, "the reference holds a broken percent escape".to_owned()));
        };
        if fragment.is_empty() {
            return Ok((root, None));
        }
        if fragment.starts_with('/') {
            let target = self.follow(schema, root, &fragment)?;
            return Ok((target, None));
        }
        let anchor = self.anchors.get(&(resource, fragment.clone())).copied();
        anchor.map(|at| (at, Some(fragment))).ok_or_else(|| (Reason::DanglingReference, NO_ANCHOR.to_owned()))
    }

    /// Follows a pointer from a resource's root; what it names becomes a place if it was none.
    fn follow(&mut self, schema: &'a Value, root: PlaceId, fragment: &str) -> Result<PlaceId, (Reason, String)> {
        let start = self.places.get(root).map_or(schema, |p| p.value);
        let (mut at, mut near, mut suffix) = (start, root, String::new());
        for token in fragment.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let next = match at {
                Value::Object(map) => map.get(&token),
                Value::Array(list) => array_index(&token).and_then(|i| list.get(i)),
                _ => None,
            };
            at = next.ok_or_else(|| (Reason::DanglingReference, NO_TARGET.to_owned()))?;
            push_token(&mut suffix, &token);
            if let Some(place) = self.place_of(at) {
                (near, suffix) = (place, String::new());
            }
        }
        if let Some(place) = self.place_of(at) {
            return Ok(place);
        }
        if !(at.is_object() || at.is_boolean()) {
            return Err((Reason::DanglingReference, NO_SCHEMA.to_owned()));
        }
        let (dialect, resource) = self.places.get(near).map_or((Dialect::Draft202012, 0), |p| (p.dialect, p.resource));
        Ok(self.add(Visit { parent: near, suffix, value: at, dialect, resource, keyword: None }))
    }
}

fn id_keyword(dialect: Dialect) -> &'static str {
    if dialect == Dialect::Draft4 { "id" } else { "$id" }
}

fn array_index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| token.parse().ok()).flatten()
}

const REMOTE: &str = "this reference leaves the document and nothing is ever fetched: copy the schema it names into \
     `$defs` and refer to `#/$defs/NAME`";
const NO_ANCHOR: &str = "this reference names an anchor that the document does not have";
const NO_TARGET: &str = "this reference points to nothing: no such place in the document";
const NO_SCHEMA: &str = "this reference points to a value that is no schema (an object or true/false is needed)";

fn not_a_uri(bad: char) -> String {
    let mut buffer = [0; 4];
    let escaped: Vec<String> = bad.encode_utf8(&mut buffer).bytes().map(|b| format!("%{b:02X}")).collect();
    let escaped = escaped.concat();
    let shown = if bad == ' ' { "a space".to_owned() } else { format!("`{}`", bad.escape_default()) };
    format!("this reference is no valid URI reference: {shown} must be written as `{escaped}`")
}
