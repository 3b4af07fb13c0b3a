//! A root that is no object, for places that need one: `{value: …}` and back.

use super::Level;
use super::mend::Mender;
use crate::json::{ParseLimits, Part, Value, locate, parse};
use crate::schema::tree::keywords::INERT;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Tree, Word};

/// The one property of the wrapper.
pub const WRAPPER: &str = "value";

/// Is the root literally an object (through references)?
pub(super) fn is_object(tree: &Tree) -> bool {
    let root = tree.node(tree.root);
    root.types() == Types::OBJECT
        && root.word("$ref").is_none()
        && root.word("anyOf").is_none()
        && root.word("oneOf").is_none()
}

impl Mender {
    /// Wraps the root if it is no object; says whether it did.
    pub(super) fn wrap(&mut self) -> bool {
        let followed = self.tree.node(self.tree.follow(self.tree.root));
        let reference = self.tree.node(self.tree.root).word("$ref").is_some();
        let mendable = self.profile.has(crate::schema::profile::RuleName::RootObject) && reference;
        if is_object(&self.tree) || mendable && followed.types() == Types::OBJECT {
            return false;
        }
        let inner = self.tree.root;
        let mut words = Vec::new();
        if let Some(schema) = self.tree.node_mut(inner).take("$schema") {
            words.push(schema);
        }
        let place = self.held_root(inner);
        let never = self.tree.add("", Body::Never);
        let word = |name: &str, held| Word { name: name.to_owned(), origin: String::new(), held };
        words.push(word("type", Held::Data("object".into())));
        words.push(word("properties", Held::Named(vec![(WRAPPER.to_owned(), place)])));
        words.push(word("required", Held::Data(Value::Array(vec![WRAPPER.into()]))));
        words.push(word("additionalProperties", Held::One(never)));
        self.tree.root = self.tree.add("", Body::Words(words));
        self.note(Level::Exact, "", "wrapped the root as {value: …}");
        true
    }

    /// When references lead to the root it becomes a definition, so that it is written once.
    fn held_root(&mut self, inner: Id) -> Id {
        let node = self.tree.node_mut(inner);
        if let Body::Words(words) = &mut node.body {
            let gone = |name: &str| matches!(name.strip_prefix(INERT).unwrap_or(name), "$id" | "id" | "$schema");
            words.retain(|word| !gone(&word.name));
        }
        let referred =
            self.tree.nodes.iter().any(|node| node.body.words().iter().any(|word| word.held == Held::Ref(inner)));
        if !referred {
            return inner;
        }
        let reference = Word { name: "$ref".to_owned(), origin: String::new(), held: Held::Ref(inner) };
        self.tree.add("", Body::Words(vec![reference]))
    }
}

/// Takes the value out of its wrapper: exactly `{"value": …}`, else the value comes back as it was.
///
/// # Errors
/// The given value, when it is no wrapper.
pub fn unwrap(value: Value) -> Result<Value, Value> {
    match value {
        Value::Object(mut members) if members.len() == 1 => match members.remove(WRAPPER) {
            Some(inner) => Ok(inner),
            None => Err(Value::Object(members)),
        },
        other => Err(other),
    }
}

/// The text of the value inside a wrapper's text, and where it begins (in bytes). `None` when the text is no wrapper.
#[must_use]
pub fn unwrap_text(text: &str, limits: ParseLimits) -> Option<(&str, usize)> {
    let members = parse(text, limits).ok()?;
    if members.as_object().is_none_or(|members| members.len() != 1 || !members.contains_key(WRAPPER)) {
        return None;
    }
    let span = locate(text, "/value", Part::Value)?;
    Some((text.get(span.start..span.end)?, span.start))
}
