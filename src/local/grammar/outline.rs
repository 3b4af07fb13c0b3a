//! The schema as the grammar compiler gets it: one document with only the keywords it holds, references by number, and
//! the list of what had to be left out.
//!
//! The compiler's own reading of drafts, anchors and annotations is not relied upon: the tree has resolved them.

mod bounds;
mod names;
mod words;

use std::collections::{HashMap, HashSet};

use crate::json::{Map, Value};
use crate::plan::Dropped;
use crate::schema::pattern::translate;
use crate::schema::profile::RuleName;
use crate::schema::tree::{Body, Held, Id, Node, Tree, Word};

use super::numbers;

/// More places than this are not written: references inlined into `oneOf` may multiply.
const MAX_PLACES: usize = 30_000;
/// So deep may references inlined into `oneOf` lie in one another.
const MAX_INLINED: usize = 8;

/// A keyword that is left out, and why.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reason {
    pub(super) rule: RuleName,
    pub(super) why: &'static str,
}

/// What was written.
pub(super) struct Outline {
    root: Value,
    /// What references point at, to stand under `$defs` of the document's root.
    definitions: Map<String, Value>,
    pub(super) dropped: Vec<Dropped>,
}

impl Outline {
    /// One document.
    pub(super) fn document(self) -> Value {
        with_definitions(self.root, self.definitions)
    }

    /// The root, and the definitions it wants: to be put into a larger document.
    pub(super) fn parts(self) -> (Value, Map<String, Value>) {
        (self.root, self.definitions)
    }
}

/// A schema with definitions below it.
pub(super) fn with_definitions(root: Value, definitions: Map<String, Value>) -> Value {
    match root {
        root if definitions.is_empty() => root,
        Value::Object(mut members) => {
            members.insert("$defs".to_owned(), Value::Object(definitions));
            Value::Object(members)
        }
        other => other,
    }
}

/// The schema would be too large for the compiler.
#[derive(Debug)]
pub(super) struct TooLarge;

/// Writes the whole schema, without the keywords in `without` (by their pointers).
pub(super) fn outline(tree: &Tree, without: &HashMap<String, Reason>) -> Result<Outline, TooLarge> {
    prefixed(tree, without, "")
}

/// The same; the names of definitions begin with `prefix`.
pub(super) fn prefixed(tree: &Tree, without: &HashMap<String, Reason>, prefix: &str) -> Result<Outline, TooLarge> {
    let mut writer = Writer::new(tree, without, prefix);
    let root = writer.node(tree.root)?;
    writer.finish(root)
}

/// Writes one keyword of one node as a schema of its own: to try it alone.
pub(super) fn alone(tree: &Tree, id: Id, keyword: &str, without: &HashMap<String, Reason>) -> Option<Value> {
    let mut writer = Writer::new(tree, without, "");
    let word = tree.node(id).word(keyword)?;
    let mut members = Map::new();
    writer.word(tree.node(id), word, &mut members).ok()?;
    Some(writer.finish(Value::Object(members)).ok()?.document())
}

/// A pattern of names in the validator's reading; as written when that would replace another.
pub(super) fn name_pattern(source: &str, others: &Map<String, Value>) -> String {
    translate(source).filter(|pattern| !others.contains_key(pattern)).unwrap_or_else(|| source.to_owned())
}

/// Properties may come from two keywords; everything else stands once.
fn put(into: &mut Map<String, Value>, name: &str, value: Value) {
    match (into.get_mut(name), value) {
        (Some(Value::Object(known)), Value::Object(more)) if name == "properties" => known.extend(more),
        (_, value) => {
            into.insert(name.to_owned(), value);
        }
    }
}

/// The names of all patterns, each with what its value must be; `None` where they are many, or one has two masters.
fn listed(node: &Node, word: &Word) -> Option<Vec<(String, Id)>> {
    let Held::Named(entries) = &word.held else { return None };
    let own = node.named("properties").unwrap_or_default();
    let mut known: HashSet<String> = own.iter().map(|(name, _)| name.clone()).collect();
    let mut all = Vec::new();
    for (pattern, id) in entries {
        for name in names::names(&translate(pattern)?)? {
            if all.len() >= names::MOST || !known.insert(name.clone()) {
                return None;
            }
            all.push((name, *id));
        }
    }
    Some(all)
}

#[allow(clippy::struct_excessive_bools, reason = "each is one choice of the caller or one finding, free of the others")]
struct Writer<'a> {
    tree: &'a Tree,
    prefix: &'a str,
    without: &'a HashMap<String, Reason>,
    dropped: Vec<Dropped>,
    /// Pointers already listed: inlined parts are written twice.
    listed: HashSet<String>,
    /// Nodes that references point at, in order of discovery.
    targets: Vec<Id>,
    known: HashSet<Id>,
    places: usize,
    /// References being written out in place.
    inlining: Vec<Id>,
    steps_fit: bool,
    names_fit: bool,
    counts_fit: bool,
    meetings_fit: bool,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree, without: &'a HashMap<String, Reason>, prefix: &'a str) -> Self {
        let steps: Vec<_> =
            tree.nodes.iter().filter_map(|node| numbers::step(node.data("multipleOf")?.as_number()?)).collect();
        Self {
            tree,
            prefix,
            without,
            dropped: Vec::new(),
            listed: HashSet::new(),
            targets: Vec::new(),
            known: HashSet::new(),
            places: 0,
            inlining: Vec::new(),
            steps_fit: steps.len() < 2 || numbers::steps_fit(&steps),
            names_fit: bounds::names_fit(tree),
            counts_fit: bounds::counts_fit(tree),
            meetings_fit: bounds::meetings_fit(tree),
        }
    }

    /// Adds the definitions that were referred to.
    fn finish(mut self, root: Value) -> Result<Outline, TooLarge> {
        let mut definitions = Map::new();
        let mut next = 0;
        while let Some(id) = self.targets.get(next).copied() {
            next += 1;
            let value = self.node(id)?;
            definitions.insert(self.definition(id), value);
        }
        Ok(Outline { root, definitions, dropped: self.dropped })
    }

    fn node(&mut self, id: Id) -> Result<Value, TooLarge> {
        self.places += 1;
        if self.places > MAX_PLACES {
            return Err(TooLarge);
        }
        let tree = self.tree;
        let node = tree.node(id);
        match &node.body {
            Body::Any => Ok(Value::Bool(true)),
            Body::Never => Ok(Value::Bool(false)),
            Body::Words(words) => {
                let mut members = Map::new();
                for word in words {
                    self.word(node, word, &mut members)?;
                }
                Ok(Value::Object(members))
            }
        }
    }

    fn word(&mut self, node: &Node, word: &Word, into: &mut Map<String, Value>) -> Result<(), TooLarge> {
        if let Some(reason) = self.without.get(&word.origin).copied() {
            self.drop(word, reason);
            if word.name == "oneOf" && node.word("anyOf").is_none() {
                let members = self.list(&word.held)?;
                into.insert("anyOf".to_owned(), Value::Array(members));
            }
            return Ok(());
        }
        match word.name.as_str() {
            "patternProperties" if !self.names_fit => {
                self.drop(word, bounds::TOO_MANY_NAMES);
                return Ok(());
            }
            "minProperties" | "maxProperties" if !self.counts_fit => {
                self.drop(word, bounds::TOO_MANY_COUNTED);
                return Ok(());
            }
            "pattern" if !self.meetings_fit => {
                self.drop(word, bounds::TOO_MANY_MEET);
                return Ok(());
            }
            "patternProperties" => {
                if let Some(members) = self.spelled(node, word)? {
                    put(into, "properties", Value::Object(members));
                    return Ok(());
                }
            }
            _ => {}
        }
        match words::treat(self.tree, node, word, self.steps_fit) {
            words::Treatment::Skip => {}
            words::Treatment::Drop(reason) => self.drop(word, reason),
            words::Treatment::Write(value) => {
                into.insert(word.name.clone(), value);
            }
            words::Treatment::Below(name) => {
                let value = self.below(word)?;
                put(into, name, value);
            }
        }
        Ok(())
    }

    /// Patterns of names as the names themselves, where no others are allowed and they are few.
    fn spelled(&mut self, node: &Node, word: &Word) -> Result<Option<Map<String, Value>>, TooLarge> {
        let tree = self.tree;
        let closed = node.one("additionalProperties").is_some_and(|id| tree.node(id).body == Body::Never);
        let Some(listed) = closed.then(|| listed(node, word)).flatten() else { return Ok(None) };
        let mut members = Map::new();
        for (name, id) in listed {
            // Written once for each name: what has parts is referred to.
            let has_parts = tree.node(id).body.words().iter().any(|word| !word.held.children().is_empty());
            let value = if has_parts { self.reference(id) } else { self.node(id)? };
            members.insert(name, value);
        }
        Ok(Some(members))
    }

    fn below(&mut self, word: &Word) -> Result<Value, TooLarge> {
        match &word.held {
            Held::Data(value) => Ok(value.clone()),
            Held::Ref(id) => Ok(Value::String(self.pointer(*id))),
            Held::One(id) => self.node(*id),
            Held::List(ids) if word.name == "oneOf" => {
                Ok(Value::Array(ids.iter().map(|id| self.branch(*id)).collect::<Result<_, _>>()?))
            }
            Held::List(_) => Ok(Value::Array(self.list(&word.held)?)),
            Held::Named(entries) => {
                let mut members = Map::new();
                for (name, id) in entries {
                    let value = self.member(*id)?;
                    let name =
                        if word.name == "patternProperties" { name_pattern(name, &members) } else { name.clone() };
                    members.insert(name, value);
                }
                Ok(Value::Object(members))
            }
        }
    }

    fn list(&mut self, held: &Held) -> Result<Vec<Value>, TooLarge> {
        held.children().into_iter().map(|id| self.node(id)).collect()
    }

    /// A branch of `oneOf`. The compiler never sees through a reference when it proves branches disjoint, so the
    /// reference is written out.
    fn branch(&mut self, id: Id) -> Result<Value, TooLarge> {
        let target = self.tree.follow(id);
        if target == id || self.inlining.len() >= MAX_INLINED || self.inlining.contains(&target) {
            return self.node(id);
        }
        self.inlining.push(target);
        let value = self.node(target);
        self.inlining.pop();
        value
    }

    /// A property. Inside a written-out reference, larger properties are referred to: only the small ones discriminate.
    fn member(&mut self, id: Id) -> Result<Value, TooLarge> {
        let has_parts = self.tree.node(id).body.words().iter().any(|word| !word.held.children().is_empty());
        if self.inlining.is_empty() || !has_parts {
            return self.node(id);
        }
        Ok(self.reference(id))
    }

    fn reference(&mut self, id: Id) -> Value {
        let reference = Value::String(self.pointer(id));
        Value::Object(Map::from_iter([("$ref".to_owned(), reference)]))
    }

    fn pointer(&mut self, id: Id) -> String {
        if self.known.insert(id) {
            self.targets.push(id);
        }
        format!("#/$defs/{}", self.definition(id))
    }

    fn definition(&self, id: Id) -> String {
        format!("{}n{id}", self.prefix)
    }

    fn drop(&mut self, word: &Word, reason: Reason) {
        if self.listed.insert(word.origin.clone()) {
            // The tree keeps some keywords under their newer names; the author's word stands in the pointer.
            let keyword = word.origin.rsplit('/').next().unwrap_or(&word.name).to_owned();
            let (path, rule) = (word.origin.clone(), reason.rule.name().to_owned());
            self.dropped.push(Dropped { path, keyword, rule, why: reason.why.to_owned() });
        }
    }
}
