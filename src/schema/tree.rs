//! A schema as an arena of nodes: every schema position is a node, references point at nodes, and each keyword remembers
//! where the author wrote it. Projection and samples work on it.
//!
//! Judges nothing and keeps no formatting. Walks use explicit stacks; the number of nodes is bounded.

pub(crate) mod keywords;
pub(crate) mod merge;
pub(crate) mod names;
pub(crate) mod references;
pub(crate) mod types;

use std::collections::HashMap;

use crate::json::{Value, below};
use crate::schema::Dialect;

use keywords::Shape;
use names::Names;
use references::Resources;
use types::Types;

/// Index of a node.
pub(crate) type Id = usize;

/// More nodes than this are not made: inlining may multiply.
pub(crate) const MAX_NODES: usize = 60_000;

/// One schema position.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Pointer into the original schema.
    pub(crate) origin: String,
    pub(crate) body: Body,
}

/// What stands at a schema position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    /// `true`.
    Any,
    /// `false`.
    Never,
    Words(Vec<Word>),
}

/// One keyword of a schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    pub(crate) name: String,
    /// Pointer to the keyword in the original schema.
    pub(crate) origin: String,
    pub(crate) held: Held,
}

/// A keyword's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Held {
    Data(Value),
    One(Id),
    List(Vec<Id>),
    Named(Vec<(String, Id)>),
    Ref(Id),
}

/// A whole schema.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Id,
    pub(crate) dialect: Dialect,
    /// Entries of the root's `$defs` and `definitions`, in the author's order; they are no keyword of the root here.
    pub(crate) definitions: Vec<(String, Id)>,
}

/// A reference that leads nowhere in the document; its keyword's pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dangling(pub(crate) String);

impl Body {
    pub(crate) fn words(&self) -> &[Word] {
        match self {
            Self::Words(words) => words,
            Self::Any | Self::Never => &[],
        }
    }
}

impl Node {
    pub(crate) fn word(&self, name: &str) -> Option<&Word> {
        self.body.words().iter().find(|word| word.name == name)
    }

    pub(crate) fn data(&self, name: &str) -> Option<&Value> {
        match &self.word(name)?.held {
            Held::Data(value) => Some(value),
            Held::One(_) | Held::List(_) | Held::Named(_) | Held::Ref(_) => None,
        }
    }

    pub(crate) fn one(&self, name: &str) -> Option<Id> {
        match self.word(name)?.held {
            Held::One(id) | Held::Ref(id) => Some(id),
            Held::Data(_) | Held::List(_) | Held::Named(_) => None,
        }
    }

    pub(crate) fn list(&self, name: &str) -> Option<&[Id]> {
        match &self.word(name)?.held {
            Held::List(ids) => Some(ids),
            Held::Data(_) | Held::One(_) | Held::Named(_) | Held::Ref(_) => None,
        }
    }

    pub(crate) fn named(&self, name: &str) -> Option<&[(String, Id)]> {
        match &self.word(name)?.held {
            Held::Named(entries) => Some(entries),
            Held::Data(_) | Held::One(_) | Held::List(_) | Held::Ref(_) => None,
        }
    }

    /// The types the `type` keyword allows; everything when there is none.
    pub(crate) fn types(&self) -> Types {
        match &self.body {
            Body::Never => Types::NONE,
            Body::Any | Body::Words(_) => self.data("type").map_or(Types::ALL, Types::of_keyword),
        }
    }

    /// The names `required` lists.
    pub(crate) fn required(&self) -> Vec<&str> {
        self.data("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The names `required` lists, to be asked for.
    pub(crate) fn demanded(&self) -> Names<'_> {
        Names::new(self.required())
    }

    /// The names of the listed properties, to be asked for.
    pub(crate) fn listed(&self) -> Names<'_> {
        let entries = self.named("properties").unwrap_or_default();
        Names::new(entries.iter().map(|(name, _)| name.as_str()).collect())
    }

    /// Replaces a keyword's value in place, or appends the keyword.
    pub(crate) fn set(&mut self, name: &str, origin: &str, held: Held) {
        if !matches!(self.body, Body::Words(_)) {
            self.body = Body::Words(Vec::new());
        }
        let Body::Words(words) = &mut self.body else { return };
        match words.iter_mut().find(|word| word.name == name) {
            Some(word) => word.held = held,
            None => words.push(Word { name: name.to_owned(), origin: origin.to_owned(), held }),
        }
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Word> {
        let Body::Words(words) = &mut self.body else { return None };
        let at = words.iter().position(|word| word.name == name)?;
        Some(words.remove(at))
    }
}

impl Held {
    /// The nodes directly held; a reference's target counts.
    pub(crate) fn children(&self) -> Vec<Id> {
        match self {
            Self::Data(_) => Vec::new(),
            Self::One(id) | Self::Ref(id) => vec![*id],
            Self::List(ids) => ids.clone(),
            Self::Named(entries) => entries.iter().map(|(_, id)| *id).collect(),
        }
    }
}

impl Tree {
    /// Reads a schema.
    ///
    /// # Errors
    /// The first reference that leads nowhere (preflight refuses those before).
    pub(crate) fn read(schema: &Value) -> Result<Self, Dangling> {
        Reader::new(schema).read()
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        // Ids are only made by `add`, and nodes are never removed.
        &self.nodes[id]
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id]
    }

    pub(crate) fn add(&mut self, origin: &str, body: Body) -> Id {
        self.nodes.push(Node { origin: origin.to_owned(), body });
        self.nodes.len() - 1
    }

    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= MAX_NODES
    }

    /// Follows references from a node to the first that is none (or has more beside the reference).
    pub(crate) fn follow(&self, mut id: Id) -> Id {
        for _ in 0..self.nodes.len() {
            let node = self.node(id);
            match node.one("$ref") {
                Some(target) if node.body.words().len() == 1 => id = target,
                _ => return id,
            }
        }
        id
    }

    /// Every node that can be reached from `from`, parents before children.
    pub(crate) fn reachable(&self, from: Id) -> Vec<Id> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut stack = vec![from];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            order.push(id);
            let words = self.node(id).body.words();
            stack.extend(words.iter().rev().flat_map(|word| word.held.children().into_iter().rev()));
        }
        order
    }
}

/// What `$schema` at the root says; nothing, or something unknown, means 2020-12.
pub(crate) fn dialect_of(schema: &Value) -> Dialect {
    let named = schema.get("$schema").and_then(Value::as_str).and_then(Dialect::from_uri);
    named.unwrap_or(Dialect::Draft202012)
}

/// A place that is still to be read.
struct Task<'a> {
    id: Id,
    value: &'a Value,
    pointer: String,
    resource: usize,
}

/// A reference that is still to be resolved.
struct Pending {
    id: Id,
    text: String,
    resource: usize,
    keyword: &'static str,
}

struct Reader<'a> {
    schema: &'a Value,
    tree: Tree,
    resources: Resources,
    by_pointer: HashMap<String, Id>,
    tasks: Vec<Task<'a>>,
    pending: Vec<Pending>,
}

impl<'a> Reader<'a> {
    fn new(schema: &'a Value) -> Self {
        let dialect = dialect_of(schema);
        let tree = Tree { nodes: Vec::new(), root: 0, dialect, definitions: Vec::new() };
        let resources = Resources::collect(schema, dialect);
        Self { schema, tree, resources, by_pointer: HashMap::new(), tasks: Vec::new(), pending: Vec::new() }
    }

    fn read(mut self) -> Result<Tree, Dangling> {
        self.tree.root = self.enter(self.schema, String::new(), 0);
        loop {
            while let Some(task) = self.tasks.pop() {
                self.grow(&task);
            }
            let Some(pending) = self.pending.pop() else { break };
            self.resolve(&pending)?;
        }
        Ok(self.tree)
    }

    /// The node of a place, made when it is met for the first time.
    fn enter(&mut self, value: &'a Value, pointer: String, resource: usize) -> Id {
        if let Some(id) = self.by_pointer.get(&pointer) {
            return *id;
        }
        let body = match value {
            Value::Bool(false) => Body::Never,
            Value::Object(_) => Body::Words(Vec::new()),
            _ => Body::Any,
        };
        let id = self.tree.add(&pointer, body);
        self.by_pointer.insert(pointer.clone(), id);
        let resource = self.resources.at(&pointer).unwrap_or(resource);
        self.tasks.push(Task { id, value, pointer, resource });
        id
    }

    /// Reads the keywords of one object.
    fn grow(&mut self, task: &Task<'a>) {
        let Value::Object(members) = task.value else { return };
        let alone = members.contains_key("$ref") && keywords::reference_stands_alone(self.tree.dialect);
        let mut words = Vec::with_capacity(members.len());
        for (name, value) in members {
            let origin = below(&task.pointer, name);
            let definitions = matches!(name.as_str(), "$defs" | "definitions");
            if alone && name != "$ref" && !definitions {
                continue;
            }
            match keywords::shape(self.tree.dialect, name, value) {
                Shape::Definitions => self.define(value, &origin, task.resource),
                Shape::Reference(keyword) => words.extend(self.refer(task, name, value, keyword, origin)),
                Shape::Dependencies => words.extend(self.depend(value, &origin, task.resource)),
                Shape::Inert => words.push(Word {
                    name: format!("{}{name}", keywords::INERT),
                    origin,
                    held: Held::Data(value.clone()),
                }),
                Shape::Data => words.push(Word { name: name.clone(), origin, held: Held::Data(value.clone()) }),
                Shape::One => {
                    let held = Held::One(self.enter(value, origin.clone(), task.resource));
                    words.push(Word { name: name.clone(), origin, held });
                }
                Shape::List(kept) => {
                    let held = Held::List(self.enter_all(value, &origin, task.resource));
                    words.push(Word { name: kept.to_owned(), origin, held });
                }
                Shape::Named => {
                    let held = Held::Named(self.enter_named(value, &origin, task.resource));
                    words.push(Word { name: name.clone(), origin, held });
                }
            }
        }
        // Tuples of older drafts are kept under the newer names: `items: […]` is `prefixItems`, `additionalItems` is `items`.
        if words.iter().any(|word| word.name == "prefixItems") {
            for word in words.iter_mut().filter(|word| word.name == "additionalItems") {
                "items".clone_into(&mut word.name);
            }
        }
        self.tree.node_mut(task.id).body = Body::Words(words);
    }

    fn define(&mut self, value: &'a Value, origin: &str, resource: usize) {
        let entries = self.enter_named(value, origin, resource);
        if matches!(origin, "/$defs" | "/definitions") {
            self.tree.definitions.extend(entries);
        }
    }

    fn refer(
        &mut self,
        task: &Task<'a>,
        name: &str,
        value: &Value,
        keyword: &'static str,
        origin: String,
    ) -> Option<Word> {
        let text = value.as_str()?.to_owned();
        self.pending.push(Pending { id: task.id, text, resource: task.resource, keyword });
        // The target is filled in by `resolve`; until then the reference points at its own node.
        let _ = name;
        Some(Word { name: keyword.to_owned(), origin, held: Held::Ref(task.id) })
    }

    /// `dependencies` of older drafts is kept as the two keywords that follow it.
    fn depend(&mut self, value: &'a Value, origin: &str, resource: usize) -> Vec<Word> {
        let mut lists = crate::json::Map::new();
        let mut schemas = Vec::new();
        for (name, entry) in value.as_object().into_iter().flatten() {
            if entry.is_array() {
                lists.insert(name.clone(), entry.clone());
            } else {
                schemas.push((name.clone(), self.enter(entry, below(origin, name), resource)));
            }
        }
        let word = |name: &str, held| Word { name: name.to_owned(), origin: origin.to_owned(), held };
        let lists = (!lists.is_empty()).then(|| word("dependentRequired", Held::Data(Value::Object(lists))));
        let schemas = (!schemas.is_empty()).then(|| word("dependentSchemas", Held::Named(schemas)));
        lists.into_iter().chain(schemas).collect()
    }

    fn enter_all(&mut self, value: &'a Value, origin: &str, resource: usize) -> Vec<Id> {
        let items = value.as_array().into_iter().flatten().enumerate();
        items.map(|(index, item)| self.enter(item, below(origin, &index.to_string()), resource)).collect()
    }

    fn enter_named(&mut self, value: &'a Value, origin: &str, resource: usize) -> Vec<(String, Id)> {
        let members = value.as_object().into_iter().flatten();
        members.map(|(name, member)| (name.clone(), self.enter(member, below(origin, name), resource))).collect()
    }

    fn resolve(&mut self, pending: &Pending) -> Result<(), Dangling> {
        let dangling = || Dangling(below(&self.tree.node(pending.id).origin, pending.keyword));
        let pointer = self.resources.target(pending.resource, &pending.text).ok_or_else(dangling)?;
        let value = self.schema.pointer(&pointer).ok_or_else(dangling)?;
        let target = self.enter(value, pointer, pending.resource);
        if let Body::Words(words) = &mut self.tree.nodes[pending.id].body
            && let Some(word) = words.iter_mut().find(|word| word.name == pending.keyword)
        {
            word.held = Held::Ref(target);
        }
        Ok(())
    }
}
