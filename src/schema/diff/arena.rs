//! Both schemas in one arena, and what several nodes that must hold together say: types, bounds, the schema of a property.
//!
//! A conjunction (`&[Id]`) is a list of nodes without `$ref` and `allOf`: [`Arena::flat`] has put their targets beside them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::json::Value;
use crate::schema::Dialect;
use crate::schema::decimal::Decimal;
use crate::schema::pattern::Pattern;
use crate::schema::tree::merge::type_value;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Dangling, Held, Id, Node, Tree, Word};

/// Work that matching one name against one pattern may take.
const MATCH_FUEL: u64 = 20_000;
/// The same of all names and patterns of one diff together. Past it nothing is told of what a pattern matches.
const ALL_MATCH_FUEL: u64 = 20_000_000;
/// What asking costs, whatever the pattern and the name are.
const ASKING: u64 = 20;
/// A bound, and whether it is itself excluded.
pub(super) type Bound = (Decimal, bool);

/// Which end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Least,
    Most,
}

pub(super) struct Arena {
    pub(super) tree: Tree,
    /// A dynamic reference may lead to more than one place: it is not looked through.
    opaque: bool,
    /// In draft 4 `1.0` is no integer.
    pub(super) strict_integer: bool,
    /// The two drafts disagree about what an integer is.
    pub(super) mixed_integer: bool,
    flat: HashMap<Id, Rc<Vec<Id>>>,
    listed: HashMap<Id, Rc<HashMap<String, Id>>>,
    typed: HashMap<Types, Id>,
    patterns: HashMap<String, Option<Rc<Pattern>>>,
    match_fuel: u64,
}

/// Reads both; the roots of the old and of the new one.
pub(super) fn join(old: &Value, new: &Value) -> Result<(Arena, Id, Id), Dangling> {
    let mut tree = Tree::read(old)?;
    let other = Tree::read(new)?;
    let shift = tree.nodes.len();
    let (first, second) = (tree.dialect, other.dialect);
    let (a, b) = (tree.root, other.root + shift);
    tree.nodes.extend(other.nodes.into_iter().map(|node| shifted(node, shift)));
    let anchors = |name: &str| {
        let own = |nodes: &[Node]| nodes.iter().filter(|node| node.word(name).is_some()).count();
        own(&tree.nodes[..shift]).max(own(&tree.nodes[shift..]))
    };
    let opaque = anchors("$dynamicAnchor") > 1 || anchors("$recursiveAnchor") > 1;
    let four = |dialect| dialect == Dialect::Draft4;
    let arena = Arena {
        tree,
        opaque,
        strict_integer: four(first) || four(second),
        mixed_integer: four(first) != four(second),
        flat: HashMap::new(),
        listed: HashMap::new(),
        typed: HashMap::new(),
        patterns: HashMap::new(),
        match_fuel: ALL_MATCH_FUEL,
    };
    Ok((arena, a, b))
}

fn shifted(mut node: Node, shift: usize) -> Node {
    let Body::Words(words) = &mut node.body else { return node };
    for word in words {
        match &mut word.held {
            Held::Data(_) => {}
            Held::One(id) | Held::Ref(id) => *id += shift,
            Held::List(ids) => ids.iter_mut().for_each(|id| *id += shift),
            Held::Named(entries) => entries.iter_mut().for_each(|(_, id)| *id += shift),
        }
    }
    node
}

impl Arena {
    pub(super) fn node(&self, id: Id) -> &Node {
        self.tree.node(id)
    }

    pub(super) fn words(&self, id: Id) -> Vec<Word> {
        self.node(id).body.words().to_vec()
    }

    /// Where a reference of this word leads, when it is one that is looked through.
    fn target(&self, word: &Word) -> Option<Id> {
        match (word.name.as_str(), &word.held) {
            ("$ref", Held::Ref(id)) => Some(*id),
            ("$dynamicRef", Held::Ref(id)) if !self.opaque => Some(*id),
            _ => None,
        }
    }

    /// Is this word said by the other nodes of the conjunction already?
    pub(super) fn is_looked_through(&self, word: &Word) -> bool {
        word.name == "allOf" || self.target(word).is_some()
    }

    /// The nodes that must hold where this one must.
    fn flat_one(&mut self, id: Id) -> Rc<Vec<Id>> {
        if let Some(done) = self.flat.get(&id) {
            return Rc::clone(done);
        }
        let (mut seen, mut stack, mut out) = (HashSet::new(), vec![id], Vec::new());
        while let Some(next) = stack.pop() {
            if !seen.insert(next) {
                continue;
            }
            let node = self.node(next);
            let mut own = node.body == Body::Never;
            for word in node.body.words() {
                match (self.target(word), word.name.as_str(), &word.held) {
                    (Some(target), ..) => stack.push(target),
                    (None, "allOf", Held::List(members)) => stack.extend(members),
                    (None, ..) => own = true,
                }
            }
            if own {
                out.push(next);
            }
        }
        out.sort_unstable();
        let out = Rc::new(out);
        self.flat.insert(id, Rc::clone(&out));
        out
    }

    /// The conjunction of some nodes.
    pub(super) fn flat(&mut self, ids: &[Id]) -> Vec<Id> {
        let mut all: Vec<Id> = Vec::new();
        for id in ids {
            all.extend(self.flat_one(*id).iter());
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A node that says only this type.
    pub(super) fn typed(&mut self, types: Types) -> Id {
        if let Some(id) = self.typed.get(&types) {
            return *id;
        }
        let word = Word { name: "type".to_owned(), origin: String::new(), held: Held::Data(type_value(types)) };
        let id = self.tree.add("", Body::Words(vec![word]));
        self.typed.insert(types, id);
        id
    }

    /// The type of a value as `type` sees it.
    pub(super) fn type_of(&self, value: &Value) -> Types {
        match value {
            Value::Number(number) if self.strict_integer && number.as_str().contains(['.', 'e', 'E']) => Types::NUMBER,
            _ => Types::of_value(value),
        }
    }

    /// All values an enumeration in the conjunction leaves; `None` when nothing enumerates.
    pub(super) fn values(&self, all: &[Id]) -> Option<Vec<Value>> {
        let lists = all.iter().flat_map(|id| {
            let node = self.node(*id);
            let only = node.data("const").map(|value| vec![value.clone()]);
            let list = node.data("enum").and_then(Value::as_array).cloned();
            only.into_iter().chain(list)
        });
        lists.min_by_key(Vec::len)
    }

    pub(super) fn types(&self, all: &[Id]) -> Types {
        let stated = all.iter().fold(Types::ALL, |types, id| types.and(self.node(*id).types()));
        match self.values(all) {
            Some(values) => values.iter().fold(Types::NONE, |types, value| types.or(self.type_of(value))).and(stated),
            None => stated,
        }
    }

    /// The numeric bounds one node states at an end.
    pub(super) fn own_bounds(&self, id: Id, end: End) -> Vec<Bound> {
        let (plain, open) = match end {
            End::Least => ("minimum", "exclusiveMinimum"),
            End::Most => ("maximum", "exclusiveMaximum"),
        };
        let node = self.node(id);
        let number = |name: &str| node.data(name).and_then(Value::as_number).and_then(|n| Decimal::parse(n).ok());
        let flag = node.data(open) == Some(&Value::Bool(true));
        number(plain).map(|bound| (bound, flag)).into_iter().chain(number(open).map(|bound| (bound, true))).collect()
    }

    /// The tightest numeric bound of the conjunction.
    pub(super) fn bound(&self, all: &[Id], end: End) -> Option<Bound> {
        let bounds = all.iter().flat_map(|id| self.own_bounds(*id, end));
        match end {
            End::Least => bounds.max_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1))),
            End::Most => bounds.min_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))),
        }
    }

    /// A count keyword's number at one node.
    pub(super) fn own_count(&self, id: Id, name: &str) -> Option<u64> {
        let number = self.node(id).data(name)?.as_number()?;
        Decimal::parse(number).ok()?.to_u64()
    }

    /// The tightest count of the conjunction.
    pub(super) fn count(&self, all: &[Id], name: &str, end: End) -> Option<u64> {
        let counts = all.iter().filter_map(|id| self.own_count(*id, name));
        match end {
            End::Least => counts.max(),
            End::Most => counts.min(),
        }
    }

    pub(super) fn requires(&self, all: &[Id], name: &str) -> bool {
        all.iter().any(|id| self.node(*id).required().contains(&name))
    }

    /// The names the conjunction demands, once each.
    pub(super) fn required(&self, all: &[Id]) -> Vec<String> {
        let mut seen = HashSet::new();
        let names = all.iter().flat_map(|id| self.node(*id).required());
        names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
    }

    /// One node's listed properties, to be asked for.
    fn listed(&mut self, id: Id) -> Rc<HashMap<String, Id>> {
        if let Some(done) = self.listed.get(&id) {
            return Rc::clone(done);
        }
        let entries = self.node(id).named("properties").unwrap_or_default();
        let table: Rc<HashMap<String, Id>> = Rc::new(entries.iter().cloned().collect());
        self.listed.insert(id, Rc::clone(&table));
        table
    }

    pub(super) fn lists(&mut self, all: &[Id], name: &str) -> bool {
        all.iter().any(|id| self.listed(*id).contains_key(name))
    }

    /// The names the conjunction lists, once each, in the author's order.
    pub(super) fn names(&self, all: &[Id]) -> Vec<String> {
        let mut seen = HashSet::new();
        let entries = all.iter().flat_map(|id| self.node(*id).named("properties").unwrap_or_default());
        entries.filter(|(name, _)| seen.insert(name.as_str())).map(|(name, _)| name.clone()).collect()
    }

    /// Does a name match a pattern? `None` when that cannot be told, and when all the work is spent.
    pub(super) fn matches(&mut self, pattern: &str, name: &str) -> Option<bool> {
        self.spend(ASKING);
        if self.match_fuel == 0 {
            return None;
        }
        if !self.patterns.contains_key(pattern) {
            let compiled = Pattern::compile(pattern).ok().map(Rc::new);
            self.spend(compiled.as_ref().map_or(pattern.len() as u64, |compiled| compiled.size()));
            self.patterns.insert(pattern.to_owned(), compiled);
        }
        let compiled = self.patterns.get(pattern)?.clone()?;
        let given = MATCH_FUEL.min(self.match_fuel);
        let mut left = given;
        let answer = compiled.is_match(name, &mut left).ok();
        self.spend(given.saturating_sub(left));
        answer
    }

    fn spend(&mut self, units: u64) {
        self.match_fuel = self.match_fuel.saturating_sub(units);
    }

    /// Is it certain that a name matches one of these patterns?
    pub(super) fn matches_any(&mut self, patterns: &[String], name: &str) -> bool {
        for pattern in patterns {
            if self.match_fuel == 0 {
                return false;
            }
            if self.matches(pattern, name) == Some(true) {
                return true;
            }
        }
        false
    }

    /// What must hold for the value of a property; never more than is certain.
    pub(super) fn effective(&mut self, all: &[Id], name: &str) -> Vec<Id> {
        let mut parts = Vec::new();
        for id in all {
            let listed = self.listed(*id).get(name).copied();
            parts.extend(listed);
            let others = self.patterned(*id, name, &mut parts) && listed.is_none();
            if others {
                parts.extend(self.node(*id).one("additionalProperties"));
            }
        }
        self.flat(&parts)
    }

    /// Adds the parts of the patterns that a name matches; true when it is certain that it matches none.
    fn patterned(&mut self, id: Id, name: &str, parts: &mut Vec<Id>) -> bool {
        let entries = self.node(id).named("patternProperties").unwrap_or_default();
        if self.match_fuel == 0 {
            return entries.is_empty();
        }
        let mut none = true;
        let entries = entries.to_vec();
        for (pattern, child) in entries {
            match self.matches(&pattern, name) {
                Some(true) => parts.push(child),
                Some(false) => continue,
                None => {}
            }
            none = false;
            if self.match_fuel == 0 {
                break;
            }
        }
        none
    }

    /// What must hold for the item at a place.
    pub(super) fn effective_item(&mut self, all: &[Id], at: usize) -> Vec<Id> {
        let place = |id: &Id| {
            let node = self.node(*id);
            let tuple = node.list("prefixItems").unwrap_or_default();
            tuple.get(at).copied().or_else(|| node.one("items"))
        };
        let parts: Vec<Id> = all.iter().filter_map(place).collect();
        self.flat(&parts)
    }

    /// What must hold for every item past all tuples.
    pub(super) fn rest_item(&mut self, all: &[Id]) -> Vec<Id> {
        let parts: Vec<Id> = all.iter().filter_map(|id| self.node(*id).one("items")).collect();
        self.flat(&parts)
    }

    /// Length of the longest tuple.
    pub(super) fn tuple(&self, all: &[Id]) -> usize {
        all.iter().map(|id| self.node(*id).list("prefixItems").map_or(0, <[Id]>::len)).max().unwrap_or(0)
    }
}
