//! A schema as a list of fields, the way a person thinks of it: what the answer holds, of which type, whether it must be
//! there, what it means. References are looked through; each field knows where the author wrote it.
//!
//! Shows, decides nothing: what cannot be told in a few words is told as such. [`edit`] turns the wishes of a form into
//! edits of the author's text. Bounded on any schema.

pub mod edit;
mod kind;

use super::tree::keywords::is_annotation;
use super::tree::types::{Shown, Types, of_use};
use super::tree::{Held, Id, Node, Tree, Word};
use crate::json::Value;

/// Fields that are listed; one more says that there are others.
pub const MAX_FIELDS: usize = 2_000;
/// Levels that are gone down.
const MAX_DEPTH: usize = 40;

/// What a row of the outline stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The answer itself.
    Root,
    /// A listed property.
    Property,
    /// Properties whose names match a pattern.
    Pattern,
    /// Every other property.
    Other,
    /// Every (other) item of an array.
    Items,
    /// An item at a place of its own.
    Item,
    /// One alternative of a union.
    Branch,
}

/// One row of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub depth: usize,
    pub part: Part,
    /// The property's name; for what has none, what it stands for: `each item`, `other properties`, `alternative 2`.
    pub name: String,
    /// Pointer to the schema as the parent holds it; a `$ref` may stand there.
    pub place: String,
    /// Pointer to the schema that is meant, after references: where its keywords are.
    pub target: String,
    /// Must it be there? Only of properties.
    pub required: Option<bool>,
    /// Pointer to the object schema that lists it. Only of properties.
    pub owner: Option<String>,
    /// `string`, `array of Address`, `integer or null`, `one of 3 values`.
    pub kind: String,
    pub description: String,
    /// `minLength 1`, `pattern ^a`, each keyword with its value.
    pub bounds: Vec<String>,
    /// References to the schema that is meant: more than one, and an edit is felt elsewhere too.
    pub shared: usize,
    /// The schema stands above itself: its parts are listed there.
    pub recursive: bool,
    /// Can properties be added?
    pub object: bool,
}

/// The fields of a schema in the author's order, parents first. Empty when a reference leads nowhere, which preflight
/// refuses.
#[must_use]
pub fn outline(schema: &Value) -> Vec<Field> {
    let Ok(tree) = Tree::read(schema) else { return Vec::new() };
    Walk::new(&tree).run()
}

/// What is still to be listed.
struct Visit {
    id: Id,
    depth: usize,
    part: Part,
    name: String,
    required: Option<bool>,
    owner: Option<Id>,
    /// The schemas this one stands in, so that recursion ends.
    above: Option<usize>,
}

/// A schema and what it stands in: links to the root, shared by all children.
struct Link {
    id: Id,
    above: Option<usize>,
}

struct Walk<'t> {
    tree: &'t Tree,
    fields: Vec<Field>,
    links: Vec<Link>,
    /// How many references lead to a node.
    uses: Vec<usize>,
}

impl<'t> Walk<'t> {
    fn new(tree: &'t Tree) -> Self {
        let mut uses = vec![0; tree.nodes.len()];
        for word in tree.nodes.iter().flat_map(|node| node.body.words()) {
            if let Held::Ref(id) = word.held
                && let Some(count) = uses.get_mut(id)
            {
                *count += 1;
            }
        }
        Self { tree, fields: Vec::new(), links: Vec::new(), uses }
    }

    fn run(mut self) -> Vec<Field> {
        let root = Visit {
            id: self.tree.root,
            depth: 0,
            part: Part::Root,
            name: "the answer".to_owned(),
            required: None,
            owner: None,
            above: None,
        };
        let mut left = vec![root];
        while let Some(visit) = left.pop() {
            if self.fields.len() >= MAX_FIELDS {
                break;
            }
            let children = self.list(visit);
            left.extend(children.into_iter().rev());
        }
        self.fields
    }

    /// Lists one field; gives what stands below it.
    fn list(&mut self, visit: Visit) -> Vec<Visit> {
        let meant = self.meant(visit.id);
        let node = self.tree.node(meant);
        let recursive = self.is_above(visit.above, meant);
        self.fields.push(Field {
            depth: visit.depth,
            part: visit.part,
            place: self.tree.node(visit.id).origin.clone(),
            target: node.origin.clone(),
            required: visit.required,
            owner: visit.owner.map(|id| self.tree.node(id).origin.clone()),
            kind: kind::words(self.tree, visit.id),
            description: self.described(visit.id, meant),
            bounds: bounds(node),
            shared: self.uses.get(meant).copied().unwrap_or(0),
            recursive,
            object: node.types().meets(Types::OBJECT)
                && (node.types() == Types::OBJECT || node.word("properties").is_some()),
            name: visit.name,
        });
        if recursive || visit.depth >= MAX_DEPTH {
            return Vec::new();
        }
        self.links.push(Link { id: meant, above: visit.above });
        let above = Some(self.links.len() - 1);
        self.below(meant, visit.depth + 1, above)
    }

    /// The schema that is meant: references followed, the `null` beside one schema left out.
    fn meant(&self, id: Id) -> Id {
        let mut id = self.tree.follow(id);
        // A title beside the reference changes nothing.
        for _ in 0..MAX_DEPTH {
            let node = self.tree.node(id);
            let plain = |word: &Word| word.name == "$ref" || is_annotation(&word.name);
            match node.one("$ref").filter(|_| node.body.words().iter().all(plain)) {
                Some(target) => id = self.tree.follow(target),
                None => break,
            }
        }
        kind::beside_null(self.tree, id).map_or(id, |only| self.tree.follow(only))
    }

    fn is_above(&self, mut above: Option<usize>, id: Id) -> bool {
        while let Some(link) = above.and_then(|at| self.links.get(at)) {
            if link.id == id {
                return true;
            }
            above = link.above;
        }
        false
    }

    /// What is said where it is used counts before what its definition says.
    fn described(&self, id: Id, meant: Id) -> String {
        let said = |id: Id| {
            let node = self.tree.node(id);
            let text = |name| node.data(name).and_then(Value::as_str);
            text("description").or_else(|| text("title")).map(str::to_owned)
        };
        said(id).or_else(|| said(self.tree.follow(id))).or_else(|| said(meant)).unwrap_or_default()
    }

    fn below(&self, id: Id, depth: usize, above: Option<usize>) -> Vec<Visit> {
        let node = self.tree.node(id);
        let demanded = node.demanded();
        let visit = |id, part, name: String, required, owner| Visit { id, depth, part, name, required, owner, above };
        let mut out = Vec::new();
        for word in node.body.words() {
            match (word.name.as_str(), &word.held) {
                ("properties", Held::Named(entries)) => {
                    let of = |(name, child): &(String, Id)| {
                        visit(*child, Part::Property, name.clone(), Some(demanded.has(name)), Some(id))
                    };
                    out.extend(entries.iter().map(of));
                }
                ("patternProperties", Held::Named(entries)) => {
                    let of = |(name, child): &(String, Id)| {
                        visit(*child, Part::Pattern, format!("properties like {name}"), None, None)
                    };
                    out.extend(entries.iter().map(of));
                }
                ("additionalProperties", Held::One(child)) if self.says_something(*child) => {
                    out.push(visit(*child, Part::Other, "other properties".to_owned(), None, None));
                }
                ("items", Held::One(child)) if self.says_something(*child) => {
                    out.push(visit(*child, Part::Items, "each item".to_owned(), None, None));
                }
                ("prefixItems" | "items", Held::List(children)) => {
                    let of =
                        |(at, child): (usize, &Id)| visit(*child, Part::Item, format!("item {}", at + 1), None, None);
                    out.extend(children.iter().enumerate().map(of));
                }
                ("anyOf" | "oneOf" | "allOf", Held::List(children)) => {
                    let word = if word.name == "allOf" { "part" } else { "alternative" };
                    let of = |(at, child): (usize, &Id)| {
                        visit(*child, Part::Branch, format!("{word} {}", at + 1), None, None)
                    };
                    out.extend(children.iter().enumerate().map(of));
                }
                _ => {}
            }
        }
        out
    }

    fn says_something(&self, id: Id) -> bool {
        !self.tree.node(id).body.words().is_empty()
    }
}

/// The keywords that bound a value, each with what it says.
fn bounds(node: &Node) -> Vec<String> {
    let told = |word: &Word| match &word.held {
        Held::Data(value) if of_use(&word.name).is_some_and(|row| row.shown == Shown::Bound) => {
            let value = match value {
                Value::String(text) => text.clone(),
                other => crate::json::canonical(other),
            };
            Some(format!("{} {}", word.name, crate::text::truncate(&crate::text::safe(&value), 24)))
        }
        Held::Data(_) | Held::One(_) | Held::List(_) | Held::Named(_) | Held::Ref(_) => None,
    };
    node.body.words().iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests;
