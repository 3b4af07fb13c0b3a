//! Where the references of a document lead: embedded `$id`s, anchors and pointers. Nothing is fetched.

use std::collections::HashMap;

use url::Url;

use crate::json::{Value, below};
use crate::schema::Dialect;

/// The base of a document that names none.
const NOWHERE: &str = "formwork:///schema";

/// The resources of one document.
pub(crate) struct Resources {
    /// Base address and pointer of each resource; the first is the document.
    list: Vec<(Url, String)>,
    by_pointer: HashMap<String, usize>,
    by_address: HashMap<String, usize>,
    /// (resource, anchor) → pointer.
    anchors: HashMap<(usize, String), String>,
}

impl Resources {
    /// Finds every embedded identifier. Values of `enum`, `const`, `default` and `examples` are data.
    pub(crate) fn collect(schema: &Value, dialect: Dialect) -> Self {
        let mut found =
            Self { list: Vec::new(), by_pointer: HashMap::new(), by_address: HashMap::new(), anchors: HashMap::new() };
        let Some(nowhere) = Url::parse(NOWHERE).ok() else { return found };
        found.open(nowhere, String::new());
        let mut stack = vec![(schema, String::new(), 0)];
        while let Some((value, pointer, resource)) = stack.pop() {
            match value {
                Value::Object(members) => {
                    let resource = found.identify(members, &pointer, resource, dialect);
                    for (name, member) in members {
                        if !matches!(name.as_str(), "enum" | "const" | "default" | "examples") {
                            stack.push((member, below(&pointer, name), resource));
                        }
                    }
                }
                Value::Array(items) => {
                    let each = items.iter().enumerate();
                    stack.extend(each.map(|(index, item)| (item, below(&pointer, &index.to_string()), resource)));
                }
                _ => {}
            }
        }
        found
    }

    fn open(&mut self, address: Url, pointer: String) -> usize {
        let index = self.list.len();
        self.by_address.entry(address.as_str().trim_end_matches('#').to_owned()).or_insert(index);
        self.by_pointer.insert(pointer.clone(), index);
        self.list.push((address, pointer));
        index
    }

    fn identify(
        &mut self,
        members: &crate::json::Map<String, Value>,
        pointer: &str,
        resource: usize,
        dialect: Dialect,
    ) -> usize {
        let key = if dialect == Dialect::Draft4 { "id" } else { "$id" };
        let mut resource = resource;
        // In old drafts everything beside `$ref` is ignored, identifiers too.
        if members.contains_key("$ref") && super::keywords::reference_stands_alone(dialect) {
            return resource;
        }
        if let Some(id) = members.get(key).and_then(Value::as_str) {
            match id.strip_prefix('#') {
                Some(anchor) => {
                    self.anchors.entry((resource, anchor.to_owned())).or_insert_with(|| pointer.to_owned());
                }
                None => resource = self.nest(id, pointer, resource),
            }
        }
        for name in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = members.get(name).and_then(Value::as_str) {
                self.anchors.entry((resource, anchor.to_owned())).or_insert_with(|| pointer.to_owned());
            }
        }
        resource
    }

    fn nest(&mut self, id: &str, pointer: &str, outer: usize) -> usize {
        let Some((base, _)) = self.list.get(outer) else { return outer };
        let Ok(address) = base.join(id) else { return outer };
        if pointer.is_empty()
            && let Some(first) = self.list.first_mut()
        {
            first.0 = address.clone();
            self.by_address.insert(address.as_str().trim_end_matches('#').to_owned(), 0);
            return 0;
        }
        self.open(address, pointer.to_owned())
    }

    /// The resource that begins at a pointer.
    pub(crate) fn at(&self, pointer: &str) -> Option<usize> {
        self.by_pointer.get(pointer).copied()
    }

    /// The pointer a reference's text leads to, seen from a resource.
    pub(crate) fn target(&self, resource: usize, text: &str) -> Option<String> {
        let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
        let resource = if address.is_empty() { resource } else { self.find(resource, address)? };
        let fragment = percent_decoded(fragment)?;
        let (_, root) = self.list.get(resource)?;
        if fragment.is_empty() {
            return Some(root.clone());
        }
        if fragment.starts_with('/') {
            return Some(format!("{root}{fragment}"));
        }
        self.anchors.get(&(resource, fragment)).cloned()
    }

    fn find(&self, from: usize, address: &str) -> Option<usize> {
        let (base, _) = self.list.get(from)?;
        let joined = base.join(address).ok()?;
        self.by_address.get(joined.as_str().trim_end_matches('#')).copied()
    }
}

/// `%41` → `A`; `None` when the bytes are no text.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}
