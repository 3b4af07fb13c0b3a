//! Unions: `oneOf` as `anyOf` where no value fits two branches, keywords beside a union moved into its branches, type
//! lists, and schemas that name no type.

use std::collections::HashMap;

use super::Level;
use super::mend::Mender;
use crate::json::Value;
use crate::schema::decimal::Decimal;
use crate::schema::profile::RuleName;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::merge::{same, type_value};
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Word};

/// What "anything" is narrowed to.
const SCALARS: [&str; 4] = ["string", "number", "boolean", "null"];

/// How it is known that no value fits two branches.
enum Apart {
    /// Whatever the objects look like.
    Always,
    /// Once these properties are required: each of its object.
    WhenRequired(Vec<(Id, String)>),
}

/// More branches than this are not compared each with each; they must be told apart by one property or by their values.
const MAX_BRANCHES: usize = 64;

/// Two branches are told apart: always, or once this property is required in both.
struct Told {
    teller: Option<String>,
}

impl Mender {
    /// Every `oneOf` whose branches the author's own words tell apart, before anything is narrowed: a narrowed branch must
    /// not meet what another branch allowed at first, or a value that fitted two branches would be taken.
    pub(super) fn split_unions(&mut self) {
        if self.profile.keyword("oneOf").is_some() {
            return;
        }
        let all = self.tree.reachable(self.tree.root);
        let known: Vec<(Id, Option<Apart>)> = all
            .into_iter()
            .filter_map(|id| self.one_of_branches(id).map(|branches| (id, self.apart(&branches))))
            .collect();
        for (id, apart) in known {
            self.as_any_of(id, apart);
        }
    }

    /// `oneOf` → `anyOf`, for one that came up later.
    pub(super) fn one_of(&mut self, id: Id) {
        if self.profile.keyword("oneOf").is_some() {
            return;
        }
        let Some(branches) = self.one_of_branches(id) else { return };
        let apart = self.as_written(&branches).then(|| self.apart(&branches)).flatten();
        self.as_any_of(id, apart);
        if self.may(Level::Relax) {
            self.rename_one_of(id, Level::Relax, "wrote oneOf as anyOf, checked locally only");
        }
    }

    fn one_of_branches(&self, id: Id) -> Option<Vec<Id>> {
        let node = self.tree.node(id);
        node.list("oneOf").filter(|_| node.word("anyOf").is_none()).map(<[Id]>::to_vec)
    }

    /// Are the branches, and the properties they list, what the author wrote?
    fn as_written(&self, branches: &[Id]) -> bool {
        branches.iter().map(|id| self.tree.follow(*id)).all(|id| {
            let listed = self.tree.node(id).named("properties").unwrap_or_default();
            let mut children = listed.iter().map(|(_, child)| self.tree.follow(*child));
            !self.narrowed.contains(&id) && children.all(|child| !self.narrowed.contains(&child))
        })
    }

    fn as_any_of(&mut self, id: Id, apart: Option<Apart>) {
        let (level, what) = match apart {
            Some(Apart::Always) => (Level::Exact, "wrote oneOf as anyOf: no value fits two branches"),
            Some(Apart::WhenRequired(tellers)) if self.may(Level::Narrow) => {
                for (id, name) in &tellers {
                    self.require(*id, name);
                }
                let what = "wrote oneOf as anyOf: with the properties that tell its branches apart required, no value fits two";
                (Level::Narrow, what)
            }
            _ => return,
        };
        self.rename_one_of(id, level, what);
    }

    fn rename_one_of(&mut self, id: Id, level: Level, what: &str) {
        let Some(word) = self.tree.node_mut(id).take("oneOf") else { return };
        self.note(level, &word.origin, what);
        self.tree.node_mut(id).set("anyOf", &word.origin, word.held);
    }

    fn require(&mut self, id: Id, name: &str) {
        let node = self.tree.node(id);
        let listed = node.named("properties").unwrap_or_default();
        if let Some(entry) = listed.iter().find(|(there, _)| there == name && !node.required().contains(&name)) {
            let entry = [entry.clone()];
            self.require_too(id, &entry);
            self.narrowed.insert(id);
        }
    }

    fn apart(&self, branches: &[Id]) -> Option<Apart> {
        let branches: Vec<Id> = branches.iter().map(|id| self.tree.follow(*id)).collect();
        let nodes: Vec<&Node> = branches.iter().map(|id| self.tree.node(*id)).collect();
        if all_differ(&nodes) {
            return Some(Apart::Always);
        }
        let by_name = self.teller(&nodes);
        match by_name {
            Some(name) if nodes.iter().all(|node| node.required().contains(&name)) => return Some(Apart::Always),
            Some(name) if branches.len() > MAX_BRANCHES => {
                return Some(Apart::WhenRequired(branches.iter().map(|id| (*id, name.to_owned())).collect()));
            }
            None if branches.len() > MAX_BRANCHES => return None,
            Some(_) | None => {}
        }
        let mut tellers = Vec::new();
        for (index, (id, a)) in branches.iter().zip(&nodes).enumerate() {
            for (other, b) in branches.iter().zip(&nodes).skip(index + 1) {
                if let Some(name) = self.pair_told(a, b)?.teller {
                    tellers.extend([(*id, name.clone()), (*other, name)]);
                }
            }
        }
        Some(if tellers.is_empty() { Apart::Always } else { Apart::WhenRequired(tellers) })
    }

    /// A property that every branch lists, with values that no other branch has.
    fn teller<'n>(&self, nodes: &[&'n Node]) -> Option<&'n str> {
        let [first, others @ ..] = nodes else { return None };
        let only_objects = nodes.iter().all(|node| node.types() == Types::OBJECT);
        let names = first.named("properties").filter(|_| only_objects)?.iter();
        names.map(|(name, child)| (name.as_str(), *child)).take(MAX_BRANCHES).find_map(|(name, child)| {
            let held = |node: &&Node| Some(node.named("properties")?.iter().find(|(there, _)| there == name)?.1);
            let others: Option<Vec<Id>> = others.iter().map(held).collect();
            let all = std::iter::once(child).chain(others?).map(|id| self.tree.node(self.tree.follow(id)));
            all_differ(&all.collect::<Vec<_>>()).then_some(name)
        })
    }

    /// How two branches are told apart, if they are.
    fn pair_told(&self, a: &Node, b: &Node) -> Option<Told> {
        if !possible_types(a).meets(possible_types(b)) || values_apart(a, b) {
            return Some(Told { teller: None });
        }
        if !a.types().and(b.types()).within(Types::OBJECT) {
            return None;
        }
        let (a_names, b_names) = (a.named("properties").unwrap_or_default(), b.named("properties").unwrap_or_default());
        let mut found = None;
        for (name, in_a) in a_names {
            let Some((_, in_b)) = b_names.iter().find(|(other, _)| other == name) else { continue };
            let (x, y) = (self.tree.node(self.tree.follow(*in_a)), self.tree.node(self.tree.follow(*in_b)));
            if possible_types(x).meets(possible_types(y)) && !values_apart(x, y) {
                continue;
            }
            if a.required().contains(&name.as_str()) && b.required().contains(&name.as_str()) {
                return Some(Told { teller: None });
            }
            if x.body != Body::Never && y.body != Body::Never {
                found = found.or(Some(Told { teller: Some(name.clone()) }));
            }
        }
        if self.shuts_out(a, b) || self.shuts_out(b, a) {
            return Some(Told { teller: None });
        }
        found
    }

    /// Does `strict` forbid a property that `other` requires?
    fn shuts_out(&self, strict: &Node, other: &Node) -> bool {
        let closed = strict.one("additionalProperties").is_some_and(|id| self.tree.node(id).body == Body::Never)
            && strict.word("patternProperties").is_none();
        let listed = strict.named("properties").unwrap_or_default();
        other.required().iter().any(|name| match listed.iter().find(|(there, _)| there == name) {
            Some((_, child)) => self.tree.node(self.tree.follow(*child)).body == Body::Never,
            None => closed,
        })
    }

    /// Cleans a union up and moves what stands beside it into the branches.
    pub(super) fn any_of(&mut self, id: Id) {
        self.drop_dead_branches(id);
        let Some(branches) = self.tree.node(id).list("anyOf").map(<[Id]>::to_vec) else { return };
        let origin = self.tree.node(id).word("anyOf").map(|word| word.origin.clone()).unwrap_or_default();
        if branches.iter().any(|branch| self.accepts_all(self.tree.follow(*branch))) {
            self.leave_out(id, "anyOf", Level::Exact, " (one branch accepts everything)");
        } else if let [only] = branches.as_slice() {
            self.tree.node_mut(id).take("anyOf");
            self.demand(id, &origin, *only);
            self.flatten(id);
        } else if self.has_union_siblings(id) {
            if let Some(names) = self.implied_by_required(id, &branches) {
                for name in &names {
                    self.require(id, name);
                }
                self.leave_out(id, "anyOf", Level::Narrow, ": it holds once every property is required");
            } else if !(id == self.tree.root && self.profile.has(RuleName::RootObject)) {
                self.distribute(id, &branches, &origin);
            }
        }
    }

    fn drop_dead_branches(&mut self, id: Id) {
        let Some(branches) = self.tree.node(id).list("anyOf").map(<[Id]>::to_vec) else { return };
        let (alive, dead): (Vec<Id>, Vec<Id>) =
            branches.into_iter().partition(|branch| self.tree.node(self.tree.follow(*branch)).body != Body::Never);
        if dead.is_empty() {
            self.drop_map_branches(id);
            return;
        }
        for branch in &dead {
            let path = self.tree.node(*branch).origin.clone();
            self.note(Level::Exact, &path, "left out a branch that accepts nothing");
        }
        let node = self.tree.node_mut(id);
        if alive.is_empty() {
            node.body = Body::Never;
        } else {
            node.set("anyOf", "", Held::List(alive));
        }
    }

    /// Where maps with free keys are not taken, such a branch is given up if another is left.
    fn drop_map_branches(&mut self, id: Id) {
        let usable = self.profile.has(RuleName::FreeMap) && self.profile.has(RuleName::ClosedObject);
        let Some(branches) = self.tree.node(id).list("anyOf").filter(|_| usable && self.may(Level::Narrow)) else {
            return;
        };
        let (maps, kept): (Vec<Id>, Vec<Id>) = branches.iter().partition(|branch| self.is_free_map(**branch));
        if maps.is_empty() || kept.is_empty() {
            return;
        }
        for branch in maps {
            let path = self.tree.node(branch).origin.clone();
            self.note(Level::Narrow, &path, "left out: the provider takes no objects with free keys");
        }
        self.tree.node_mut(id).set("anyOf", "", Held::List(kept));
    }

    fn has_union_siblings(&self, id: Id) -> bool {
        let siblings = self.profile.union_siblings;
        let words = self.tree.node(id).body.words();
        words.iter().any(|word| word.name != "anyOf" && !self.is_harmless(&word.name, siblings))
    }

    /// The names a branch demands, if it demands nothing else and they will be required anyway.
    fn implied_by_required(&self, id: Id, branches: &[Id]) -> Option<Vec<String>> {
        let node = self.tree.node(id);
        let listed = node.named("properties").unwrap_or_default();
        let usable =
            self.may(Level::Narrow) && self.profile.has(RuleName::AllRequired) && node.types() == Types::OBJECT;
        let possible = |name: &str| {
            let child = listed.iter().find(|(there, _)| there == name).map(|(_, child)| self.tree.follow(*child));
            child.is_some_and(|child| self.tree.node(child).body != Body::Never)
        };
        let branches = branches.iter().map(|branch| self.tree.node(*branch));
        let found = branches.filter(|_| usable).find(|branch| {
            let mut words = branch.body.words().iter();
            let only = words.all(|word| matches!(&*word.name, "required" | "type") || is_annotation(&word.name));
            only && branch.types().meets(Types::OBJECT) && branch.required().into_iter().all(possible)
        })?;
        Some(found.required().into_iter().map(str::to_owned).collect())
    }

    /// Each branch gets the keywords that stood beside the union.
    fn distribute(&mut self, id: Id, branches: &[Id], origin: &str) {
        let siblings = self.profile.union_siblings;
        let words = self.tree.node(id).body.words().to_vec();
        let (kept, moved): (Vec<Word>, Vec<Word>) =
            words.into_iter().partition(|word| word.name == "anyOf" || self.is_harmless(&word.name, siblings));
        let mut parts = Vec::new();
        for branch in branches {
            let Some(merged) = self.merge_parts(moved.clone(), &[*branch]) else { continue };
            if !self.accept(&merged) {
                return;
            }
            let place = self.tree.node(*branch).origin.clone();
            parts.push(self.tree.add(&place, Body::Words(merged.words)));
        }
        self.note(Level::Exact, origin, "moved the keywords beside anyOf into its branches");
        let node = self.tree.node_mut(id);
        node.body = Body::Words(kept);
        if parts.is_empty() {
            node.body = Body::Never;
        } else {
            node.set("anyOf", origin, Held::List(parts));
        }
        self.any_of_again(id);
    }

    /// One branch may be left.
    fn any_of_again(&mut self, id: Id) {
        let Some([only]) = self.tree.node(id).list("anyOf") else { return };
        let only = *only;
        if let Some(word) = self.tree.node_mut(id).take("anyOf") {
            self.demand(id, &word.origin, only);
            self.flatten(id);
        }
    }

    /// A schema that names no type gets the one its keywords speak about; "anything" becomes a union of plain values.
    pub(super) fn give_type(&mut self, id: Id) {
        let node = self.tree.node(id);
        let named = ["type", "anyOf", "enum", "const", "$ref", "allOf", "oneOf"];
        if !self.profile.has(RuleName::TypeNeeded)
            || !self.may(Level::Narrow)
            || node.body == Body::Never
            || named.iter().any(|name| node.word(name).is_some())
        {
            return;
        }
        let spoken = node
            .body
            .words()
            .iter()
            .filter(|word| !is_annotation(&word.name))
            .map(|word| speaks_about(&word.name))
            .filter(|types| *types != Types::ALL)
            .fold(Types::NONE, Types::or);
        let origin = node.origin.clone();
        if !spoken.is_empty() {
            self.note(Level::Narrow, &origin, "only the types its keywords speak about");
            self.tree.node_mut(id).set("type", &origin, Held::Data(type_value(spoken)));
        } else if id != self.tree.root {
            self.note(Level::Narrow, &origin, "anything became text, number, boolean or null");
            let branches = SCALARS.iter().map(|name| self.typed(name, &origin)).collect();
            self.tree.node_mut(id).set("anyOf", &origin, Held::List(branches));
        }
    }

    pub(super) fn typed(&mut self, name: &str, origin: &str) -> Id {
        let word = Word { name: "type".to_owned(), origin: origin.to_owned(), held: Held::Data(name.into()) };
        self.tree.add(origin, Body::Words(vec![word]))
    }

    /// `type: [a, b]` → a union of single types, except one type and null.
    pub(super) fn split_types(&mut self, id: Id) {
        let node = self.tree.node(id);
        let every = self.profile.has(RuleName::TypeList);
        let Some(word) = node.word("type").filter(|_| every || self.profile.has(RuleName::TypeUnion)) else { return };
        let Held::Data(Value::Array(listed)) = &word.held else { return };
        let origin = word.origin.clone();
        let words = node.types().words();
        if words.len() <= 1 || !every && listed.len() > 2 && words.len() == 2 && words.contains(&"null") {
            let value = if words.len() == 1 { words[0].into() } else { Value::from(words) };
            self.note(Level::Exact, &origin, "wrote the list of types shorter");
            self.tree.node_mut(id).set("type", &origin, Held::Data(value));
            return;
        }
        let root = id == self.tree.root && self.profile.has(RuleName::RootObject);
        if !every && words.len() == 2 && words.contains(&"null") || root {
            return;
        }
        let all = node.body.words().to_vec();
        self.note(Level::Exact, &origin, "wrote the list of types as anyOf");
        let branches: Vec<Id> = words.iter().filter_map(|name| self.branch(name, &all, &origin)).collect();
        let node = self.tree.node_mut(id);
        node.body = Body::Words(all.into_iter().filter(|word| is_annotation(&word.name)).collect());
        match branches.as_slice() {
            [] => node.body = Body::Never,
            [only] => {
                node.set("allOf", &origin, Held::List(vec![*only]));
                self.flatten(id);
            }
            _ => node.set("anyOf", &origin, Held::List(branches)),
        }
    }

    /// The part of a schema that speaks about one type; nothing when no listed value has it.
    fn branch(&mut self, name: &str, all: &[Word], origin: &str) -> Option<Id> {
        let types = Types::named(name);
        let mut words = Vec::new();
        for word in all.iter().filter(|word| !is_annotation(&word.name) && speaks_about(&word.name).meets(types)) {
            let held = match (word.name.as_str(), &word.held) {
                ("type", _) => Held::Data(name.into()),
                ("enum", Held::Data(Value::Array(values))) => {
                    let fitting: Vec<Value> =
                        values.iter().filter(|value| Types::of_value(value).meets(types)).cloned().collect();
                    if fitting.is_empty() {
                        return None;
                    }
                    Held::Data(Value::Array(fitting))
                }
                ("const", Held::Data(value)) if !Types::of_value(value).meets(types) => return None,
                (_, held) => held.clone(),
            };
            words.push(Word { held, ..word.clone() });
        }
        Some(self.tree.add(origin, Body::Words(words)))
    }
}

/// As [`Types::spoken_of_by`], with formats counted as speaking about text.
pub(super) fn speaks_about(name: &str) -> Types {
    if name == "format" { Types::STRING } else { Types::spoken_of_by(name) }
}

/// The types a node can have, from `type`, `enum` and `const`.
fn possible_types(node: &Node) -> Types {
    let listed = values(node);
    if listed.is_empty() {
        return node.types();
    }
    let of_values = listed.iter().map(|value| Types::of_value(value)).fold(Types::NONE, Types::or);
    of_values.and(node.types())
}

fn values(node: &Node) -> Vec<&Value> {
    match (node.data("const"), node.data("enum")) {
        (Some(only), _) => vec![only],
        (None, Some(Value::Array(values))) => values.iter().collect(),
        _ => Vec::new(),
    }
}

/// A listed value, such that equal values are the same; containers have none.
#[derive(PartialEq, Eq, Hash)]
enum Key<'v> {
    Null,
    Truth(bool),
    Text(&'v str),
    Number(String),
}

impl<'v> Key<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(truth) => Some(Self::Truth(*truth)),
            Value::String(text) => Some(Self::Text(text)),
            Value::Number(number) => {
                let mut normal = String::new();
                Decimal::parse(number).ok()?.normal(&mut normal);
                Some(Self::Number(normal))
            }
            Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// Does each list plain values, none of which another lists?
fn all_differ(nodes: &[&Node]) -> bool {
    let mut owner: HashMap<Key<'_>, usize> = HashMap::new();
    nodes.iter().enumerate().all(|(at, node)| {
        let values = values(node);
        !values.is_empty()
            && values.into_iter().all(|value| Key::of(value).is_some_and(|key| *owner.entry(key).or_insert(at) == at))
    })
}

/// Do both list values, none in common?
fn values_apart(a: &Node, b: &Node) -> bool {
    let (a, b) = (values(a), values(b));
    !a.is_empty() && !b.is_empty() && a.iter().all(|x| b.iter().all(|y| same(x, y) == Some(false)))
}
