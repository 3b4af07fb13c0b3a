//! Makes one value from a schema: follows references, merges what must hold together, chooses branches, stays within a
//! budget of steps. What it makes is only likely to be valid; the caller checks it.

mod list;
mod object;
mod scalar;

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::heights::heights;
use super::pattern::Texts;
use crate::json::Value;
use crate::schema::pattern::Pattern;
use crate::schema::tree::merge::merge;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Tree, Word};

/// Deeper than this only what must be there is made, by the shortest way.
const SOFT_DEPTH: usize = 6;
/// Deeper than this nothing is made; the recursion ends here.
const HARD_DEPTH: usize = 120;
/// Steps of one value.
const STEPS: u32 = 60_000;
/// Steps of putting one schema together.
const PARTS: u32 = 400;

/// How a try differs from the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Chance that an optional property is there, in percent.
    pub(super) optional: u32,
    /// Take values from `examples` and `default`.
    pub(super) hints: bool,
    /// Take the shortest branch everywhere.
    pub(super) short: bool,
}

pub(super) struct Maker {
    tree: Tree,
    /// Nodes of the schema itself; the rest is scratch.
    own: usize,
    heights: Vec<usize>,
    rng: StdRng,
    style: Style,
    steps: u32,
    texts: HashMap<(String, u32), Option<Texts>>,
    matches: HashMap<String, Option<Pattern>>,
}

/// A schema put together: no references, no unions, no `allOf`.
struct Plain {
    node: Node,
    /// What the value must not be.
    not: Vec<Id>,
}

impl Maker {
    pub(super) fn new(tree: Tree) -> Self {
        let heights = heights(&tree);
        let style = Style { optional: 90, hints: true, short: false };
        let rng = StdRng::seed_from_u64(0);
        let (texts, matches) = (HashMap::new(), HashMap::new());
        Self { own: tree.nodes.len(), tree, heights, rng, style, steps: STEPS, texts, matches }
    }

    /// One try.
    pub(super) fn make(&mut self, seed: u64, style: Style) -> Option<Value> {
        self.tree.nodes.truncate(self.own);
        self.rng = StdRng::seed_from_u64(seed);
        self.style = style;
        self.steps = STEPS;
        self.value(self.tree.root, "", 0)
    }

    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        (!self.tree.is_full()).then_some(())
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    /// One value for a node; `None` when nothing was found. Recursion is capped at [`HARD_DEPTH`].
    fn value(&mut self, id: Id, name: &str, depth: usize) -> Option<Value> {
        self.step()?;
        if depth > HARD_DEPTH {
            return None;
        }
        let plain = self.plain(id, depth)?;
        if let Some(value) = self.hinted(&plain.node) {
            return Some(value);
        }
        if let Some(only) = plain.node.data("const") {
            return Some(only.clone());
        }
        if let Some(Value::Array(values)) = plain.node.data("enum") {
            return self.listed(&plain, values);
        }
        let types = self.types(&plain);
        let kind = self.choose_type(&plain.node, types, depth)?;
        let name = if name.is_empty() { plain.node.data("title").and_then(Value::as_str).unwrap_or("") } else { name }
            .to_owned();
        match kind {
            Types::NULL => Some(Value::Null),
            Types::BOOLEAN => Some(Value::Bool(self.rng.random())),
            Types::STRING => self.string(&plain.node, &name),
            Types::ARRAY => self.array(&plain.node, &name, depth),
            Types::OBJECT => self.object(&plain, depth),
            _ => self.number(&plain.node, kind, &name),
        }
    }

    /// A value the author gave as an example.
    fn hinted(&mut self, node: &Node) -> Option<Value> {
        if !self.style.hints {
            return None;
        }
        let types = node.types();
        let fits = |value: &&Value| types.meets(Types::of_value(value)) && !value.is_null();
        let examples: Vec<&Value> =
            node.data("examples").and_then(Value::as_array).into_iter().flatten().filter(fits).collect();
        if !examples.is_empty() && self.rng.random_range(0..10) < 8 {
            let index = self.rng.random_range(0..examples.len());
            return examples.get(index).map(|value| (*value).clone());
        }
        let plain = |value: &&Value| !matches!(value, Value::Array(_) | Value::Object(_)) && value.as_str() != Some("");
        let default = node.data("default").filter(fits).filter(plain)?.clone();
        (self.rng.random_range(0..10) < 4).then_some(default)
    }

    fn listed(&mut self, plain: &Plain, values: &[Value]) -> Option<Value> {
        let types = self.types(plain);
        let mut fitting: Vec<&Value> = values.iter().filter(|value| types.meets(Types::of_value(value))).collect();
        fitting.retain(|value| !plain.not.iter().any(|not| self.names(*not, value)));
        if fitting.is_empty() {
            return None;
        }
        let index = self.rng.random_range(0..fitting.len());
        fitting.get(index).map(|value| (*value).clone())
    }

    /// Does a `not` schema list this value?
    fn names(&self, not: Id, value: &Value) -> bool {
        let node = self.tree.node(self.tree.follow(not));
        let constant = node.data("const").is_some_and(|only| only == value);
        constant || node.data("enum").and_then(Value::as_array).is_some_and(|values| values.contains(value))
    }

    /// The types that are left after simple `not`s.
    fn types(&self, plain: &Plain) -> Types {
        let mut types = plain.node.types();
        for not in &plain.not {
            let node = self.tree.node(self.tree.follow(*not));
            if node.body.words().iter().all(|word| word.name == "type") && node.word("type").is_some() {
                types = types.without(node.types());
            }
        }
        types
    }

    fn choose_type(&mut self, node: &Node, types: Types, depth: usize) -> Option<Types> {
        const KINDS: [Types; 7] =
            [Types::OBJECT, Types::ARRAY, Types::STRING, Types::NUMBER, Types::INTEGER, Types::BOOLEAN, Types::NULL];
        let spoken = node.body.words().iter().map(|word| Types::spoken_of_by(&word.name));
        let spoken = spoken.filter(|spoken| *spoken != Types::ALL).fold(Types::NONE, Types::or).and(types);
        let pool = if spoken.is_empty() || self.style.short && self.chance(50) { types } else { spoken };
        let free = pool == Types::ALL;
        let mut kinds: Vec<Types> = KINDS.into_iter().filter(|kind| kind.within(pool)).collect();
        if kinds.contains(&Types::NUMBER) {
            kinds.retain(|kind| *kind != Types::INTEGER);
        }
        if types == Types::FRACTION {
            return Some(Types::FRACTION);
        }
        if free {
            kinds.retain(|kind| !matches!(*kind, Types::OBJECT | Types::ARRAY));
        }
        if kinds.len() > 1 && depth <= SOFT_DEPTH && !self.chance(10) {
            kinds.retain(|kind| *kind != Types::NULL);
        }
        if depth > SOFT_DEPTH && kinds.len() > 1 {
            kinds.reverse();
            return kinds.first().copied();
        }
        if kinds.is_empty() {
            return None;
        }
        let index = self.rng.random_range(0..kinds.len());
        kinds.get(index).copied()
    }

    /// Puts together everything that must hold at a node.
    fn plain(&mut self, id: Id, depth: usize) -> Option<Plain> {
        let origin = self.tree.node(id).origin.clone();
        let mut words: Vec<Word> = Vec::new();
        let mut not = Vec::new();
        let mut queue = vec![id];
        let mut parts = 0;
        while let Some(next) = queue.pop() {
            parts += 1;
            self.step()?;
            if parts > PARTS {
                return None;
            }
            let added = match &self.tree.node(next).body {
                Body::Any => continue,
                Body::Never => return None,
                Body::Words(added) => added.clone(),
            };
            words = self.both(words, added)?;
            self.unfold(&mut words, &mut not, &mut queue, depth)?;
        }
        Some(Plain { node: Node { origin, body: Body::Words(words) }, not })
    }

    /// Clashes are forgotten: the value is checked in the end anyway.
    fn both(&mut self, base: Vec<Word>, added: Vec<Word>) -> Option<Vec<Word>> {
        let merged = merge(&mut self.tree, base, added);
        (!merged.empty).then_some(merged.words)
    }

    /// Takes out of the words what leads to further schemas.
    fn unfold(&mut self, words: &mut Vec<Word>, not: &mut Vec<Id>, queue: &mut Vec<Id>, depth: usize) -> Option<()> {
        let found = |words: &mut Vec<Word>, name: &str| {
            let at = words.iter().position(|word| word.name == name)?;
            Some(words.remove(at).held)
        };
        while let Some(held) =
            found(words, "$ref").or_else(|| found(words, "$dynamicRef")).or_else(|| found(words, "allOf"))
        {
            queue.extend(held.children());
        }
        if let Some(Held::One(id)) = found(words, "not") {
            not.push(id);
            // `not: {anyOf: […]}` forbids each branch.
            not.extend(self.tree.node(id).list("anyOf").unwrap_or_default());
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(Held::List(branches)) = found(words, name) {
                queue.push(self.branch(words, &branches, depth)?);
            }
        }
        if let Some(Held::One(condition)) = found(words, "if") {
            let (then, other) = (found(words, "then"), found(words, "else"));
            self.condition(words, condition, (then, other), not, queue);
        }
        Some(())
    }

    /// A branch that does not contradict what is known already.
    fn branch(&mut self, words: &[Word], branches: &[Id], depth: usize) -> Option<Id> {
        let mut order = branches.to_vec();
        order.shuffle(&mut self.rng);
        if depth > SOFT_DEPTH || self.style.short {
            order.sort_by_key(|id| self.height(*id));
        } else if order.len() > 1 && self.chance(90) {
            // `null` is the rarer half of an optional value.
            order.sort_by_key(|id| self.tree.node(*id).types() == Types::NULL);
        }
        for id in order {
            self.step()?;
            let target = self.tree.follow(id);
            let added = match &self.tree.node(target).body {
                Body::Any => return Some(id),
                Body::Never => continue,
                Body::Words(added) => added.clone(),
            };
            if self.height(target) < usize::MAX && self.both(words.to_vec(), added).is_some() {
                return Some(id);
            }
        }
        None
    }

    fn height(&self, id: Id) -> usize {
        self.heights.get(id).copied().unwrap_or(0)
    }

    fn condition(
        &mut self,
        words: &[Word],
        condition: Id,
        (then, other): (Option<Held>, Option<Held>),
        not: &mut Vec<Id>,
        queue: &mut Vec<Id>,
    ) {
        let holds = match &self.tree.node(condition).body {
            Body::Any => true,
            Body::Never => false,
            Body::Words(added) => {
                let added = added.clone();
                let possible = self.both(words.to_vec(), added).is_some();
                possible && self.chance(60)
            }
        };
        let chosen = if holds { then } else { other };
        if holds {
            queue.push(condition);
        } else {
            not.push(condition);
        }
        queue.extend(chosen.into_iter().flat_map(|held| held.children()));
    }
}
