//! Where a schema leads back to itself: found, told, unrolled, or tied into a reference.

use std::collections::{HashMap, HashSet};

use super::Level;
use super::mend::Mender;
use crate::json::Value;
use crate::schema::profile::RuleName;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Tree, Word};

/// So many times a schema may stand in itself after unrolling.
const LEVELS: usize = 3;

/// Which steps count as leading on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    All,
    /// Not through properties that may be left out.
    Required,
    /// Not through references.
    Contained,
}

/// One step back to a schema that is still open: the node that makes it, and the position of the child.
type Step = (Id, usize);

/// The steps that lead back, each with the keyword's place.
pub(super) fn back(tree: &Tree, steps: Steps) -> Vec<(Step, String)> {
    let mut state: HashMap<Id, bool> = HashMap::new();
    let mut found = Vec::new();
    for start in starts(tree, steps) {
        if state.contains_key(&start) {
            continue;
        }
        state.insert(start, true);
        let mut stack: Vec<(Id, Vec<(usize, Id)>)> = vec![(start, children(tree, start, steps))];
        while let Some((id, left)) = stack.last_mut() {
            let id = *id;
            let Some((at, child)) = left.pop() else {
                state.insert(id, false);
                stack.pop();
                continue;
            };
            match state.get(&child) {
                Some(true) => found.push(((id, at), place(tree, id, at))),
                Some(false) => {}
                None => {
                    state.insert(child, true);
                    stack.push((child, children(tree, child, steps)));
                }
            }
        }
    }
    found.sort();
    found
}

/// Where to look from: the root, and what references lead to where no step goes through them.
fn starts(tree: &Tree, steps: Steps) -> Vec<Id> {
    let mut starts = vec![tree.root];
    if steps == Steps::Contained {
        for id in tree.reachable(tree.root) {
            starts.extend(tree.node(id).body.words().iter().filter_map(|word| match word.held {
                Held::Ref(target) => Some(target),
                _ => None,
            }));
        }
    }
    starts
}

/// The children of a node in a fixed order, each with its position among all of them; last first.
fn children(tree: &Tree, id: Id, steps: Steps) -> Vec<(usize, Id)> {
    let node = tree.node(id);
    let required = node.demanded();
    let mut all = Vec::new();
    let mut at = 0;
    for word in node.body.words() {
        for (index, child) in word.held.children().into_iter().enumerate() {
            let counts = match (steps, &word.held) {
                (Steps::Contained, Held::Ref(_)) => false,
                (Steps::Required, Held::Named(entries)) if word.name == "properties" => {
                    entries.get(index).is_some_and(|(name, _)| required.has(name))
                }
                (Steps::Required, _) => word.name != "additionalProperties",
                _ => true,
            };
            if counts {
                all.push((at, child));
            }
            at += 1;
        }
    }
    all.reverse();
    all
}

/// The keyword that holds a node's child.
fn place(tree: &Tree, id: Id, at: usize) -> String {
    let mut left = at;
    for word in tree.node(id).body.words() {
        let held = word.held.children().len();
        if left < held {
            return word.origin.clone();
        }
        left -= held;
    }
    tree.node(id).origin.clone()
}

/// Puts other nodes in the place of a held value's children.
fn replace(held: &Held, mut with: impl FnMut(Id) -> Id) -> Held {
    match held {
        Held::Data(value) => Held::Data(value.clone()),
        Held::One(id) => Held::One(with(*id)),
        Held::Ref(id) => Held::Ref(with(*id)),
        Held::List(ids) => Held::List(ids.iter().map(|id| with(*id)).collect()),
        Held::Named(entries) => Held::Named(entries.iter().map(|(name, id)| (name.clone(), with(*id))).collect()),
    }
}

impl Mender {
    /// A node that stands in itself without a reference (its target was written in its place) gets one.
    pub(super) fn tie(&mut self) {
        for ((id, at), origin) in back(&self.tree, Steps::Contained) {
            let words = self.tree.node(id).body.words().to_vec();
            let mut position = 0;
            let mut tied = Vec::with_capacity(words.len());
            for word in words {
                let held = replace(&word.held, |child| {
                    let here = position == at;
                    position += 1;
                    if !here {
                        return child;
                    }
                    let reference = Word { name: "$ref".to_owned(), origin: origin.clone(), held: Held::Ref(child) };
                    self.tree.add(&origin, Body::Words(vec![reference]))
                });
                tied.push(Word { held, ..word });
            }
            self.tree.node_mut(id).body = Body::Words(tied);
        }
    }

    /// Writes recursion out a few times where the provider takes none; deeper values are given up.
    pub(super) fn unroll(&mut self) {
        if !self.profile.has(RuleName::Recursion) || !self.may(Level::Narrow) || self.dynamic {
            return;
        }
        let steps = back(&self.tree, Steps::All);
        if steps.is_empty() {
            return;
        }
        let before = self.tree.clone();
        for levels in (1..=LEVELS).rev() {
            let room = self.tree.nodes.len() + before.nodes.len() * levels < crate::schema::tree::MAX_NODES;
            if room && self.unrolled(&steps, levels) {
                for (_, path) in &steps {
                    self.note(Level::Narrow, path, format!("wrote the recursion out {levels} deep"));
                }
                return;
            }
            self.tree = before.clone();
        }
    }

    /// Copies the nodes that lead to a step back, one set for each level; false when nothing finite is left.
    fn unrolled(&mut self, steps: &[(Step, String)], levels: usize) -> bool {
        let back: HashSet<Step> = steps.iter().map(|(step, _)| *step).collect();
        let leads = leading(&self.tree, &back);
        let mut copies: HashMap<(Id, usize), Id> = HashMap::new();
        let mut made: Vec<Id> = Vec::new();
        let mut tasks: Vec<(Id, usize, Id)> = Vec::new();
        let root = self.tree.root;
        let first = self.tree.add("", Body::Any);
        copies.insert((root, levels), first);
        tasks.push((root, levels, first));
        while let Some((from, level, to)) = tasks.pop() {
            made.push(to);
            if self.tree.is_full() {
                return false;
            }
            let source = self.tree.node(from).clone();
            let mut position = 0;
            let mut words = Vec::with_capacity(source.body.words().len());
            for word in source.body.words() {
                let held = replace(&word.held, |child| {
                    let step = (from, position);
                    position += 1;
                    let goes_back = back.contains(&step);
                    if !goes_back && !leads.contains(&child) {
                        return child;
                    }
                    if goes_back && level == 0 {
                        let origin = self.tree.node(child).origin.clone();
                        return self.tree.add(&origin, Body::Never);
                    }
                    let next = if goes_back { level - 1 } else { level };
                    *copies.entry((child, next)).or_insert_with(|| {
                        let origin = self.tree.node(child).origin.clone();
                        let id = self.tree.add(&origin, Body::Any);
                        tasks.push((child, next, id));
                        id
                    })
                });
                words.push(Word { held, ..word.clone() });
            }
            let node = self.tree.node_mut(to);
            node.origin = source.origin;
            node.body = if matches!(source.body, Body::Words(_)) { Body::Words(words) } else { source.body };
        }
        self.tree.root = first;
        self.bury(&made);
        self.tree.node(first).body != Body::Never
    }

    /// What needs a cut schema cannot be: it becomes `false`, until nothing changes. What was made last lies deepest, so
    /// it is looked at first: most of it is settled in one pass.
    fn bury(&mut self, made: &[Id]) {
        loop {
            let mut changed = false;
            for id in made.iter().rev() {
                if self.tree.node(*id).body == Body::Never {
                    continue;
                }
                if self.is_dead(*id) {
                    self.tree.node_mut(*id).body = Body::Never;
                    changed = true;
                } else {
                    self.empty_list(*id);
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn cut(&self, id: Id) -> bool {
        self.tree.node(id).body == Body::Never
    }

    fn is_dead(&self, id: Id) -> bool {
        let node = self.tree.node(id);
        let types = node.types();
        let listed = node.named("properties").unwrap_or_default();
        let required = node.demanded();
        let object =
            types == Types::OBJECT && listed.iter().any(|(name, child)| self.cut(*child) && required.has(name));
        let least = node.data("minItems").and_then(Value::as_u64).unwrap_or(0);
        let list = types == Types::ARRAY
            && node.one("items").is_some_and(|items| self.cut(items))
            && (least > 0 || !(self.profile.keyword("maxItems").is_some() || self.may(Level::Relax)));
        let words = node.body.words().iter().any(|word| match (word.name.as_str(), &word.held) {
            ("$ref" | "$dynamicRef", Held::Ref(target)) => self.cut(*target),
            ("allOf", Held::List(members)) => members.iter().any(|member| self.cut(*member)),
            ("anyOf" | "oneOf", Held::List(branches)) => branches.iter().all(|branch| self.cut(*branch)),
            _ => false,
        });
        object || list || words
    }

    /// A list whose items were cut can only be empty.
    fn empty_list(&mut self, id: Id) {
        let node = self.tree.node(id);
        let cut = node.types() == Types::ARRAY && node.one("items").is_some_and(|items| self.cut(items));
        if !cut {
            return;
        }
        let origin = node.origin.clone();
        if self.profile.keyword("maxItems").is_some() {
            let node = self.tree.node_mut(id);
            node.take("items");
            node.set("maxItems", &origin, Held::Data(Value::from(0)));
        } else if self.may(Level::Relax) {
            self.note(Level::Relax, &origin, "the innermost list must be empty, checked locally only");
            let null = self.typed("null", &origin);
            let node = self.tree.node_mut(id);
            node.set("items", &origin, Held::One(null));
            node.set("description", &origin, Held::Data("leave this list empty".into()));
        }
    }

    /// Recursion through required properties only: at `relax` those are demanded locally only.
    pub(super) fn loosen_recursion(&mut self) {
        if !self.profile.has(RuleName::RequiredRecursion) || !self.may(Level::Relax) {
            return;
        }
        loop {
            let steps = back(&self.tree, Steps::Required);
            let Some(((from, at), _)) = steps.first() else { return };
            let Some((id, name)) = self.required_above(*from, *at) else { return };
            let path = self.tree.node(id).word("required").map(|word| word.origin.clone()).unwrap_or_default();
            self.note(Level::Relax, &path, "left out a required name in a recursion, checked locally only");
            let node = self.tree.node_mut(id);
            let kept = node.required().iter().filter(|there| **there != name).map(|n| Value::from(*n)).collect();
            node.set("required", "", Held::Data(Value::Array(kept)));
        }
    }

    /// The first object on the circle that this step closes, and the required property through which it goes on.
    fn required_above(&self, from: Id, at: usize) -> Option<(Id, String)> {
        let (_, target) = children(&self.tree, from, Steps::Required).into_iter().find(|(there, _)| *there == at)?;
        let nodes = self.tree.reachable(self.tree.root);
        let mut above: HashMap<Id, Vec<Id>> = HashMap::new();
        let mut below: HashMap<Id, Vec<Id>> = HashMap::new();
        for id in &nodes {
            for (_, child) in children(&self.tree, *id, Steps::Required) {
                above.entry(child).or_default().push(*id);
                below.entry(*id).or_default().push(child);
            }
        }
        let (before, after) = (spread(&above, vec![from]), spread(&below, vec![target]));
        let circle = |id: Id| before.contains(&id) && after.contains(&id);
        nodes.iter().copied().filter(|id| circle(*id)).find_map(|id| {
            let node = self.tree.node(id);
            let required = node.demanded();
            let listed = node.named("properties").unwrap_or_default();
            let on = listed.iter().find(|(name, child)| circle(*child) && required.has(name));
            on.map(|(name, _)| (id, name.clone()))
        })
    }
}

/// Everything the steps lead to, the beginnings included.
fn spread(steps: &HashMap<Id, Vec<Id>>, mut from: Vec<Id>) -> HashSet<Id> {
    let mut seen = HashSet::new();
    while let Some(id) = from.pop() {
        if seen.insert(id) {
            from.extend(steps.get(&id).into_iter().flatten().copied());
        }
    }
    seen
}

/// The nodes from which a step back can be reached.
fn leading(tree: &Tree, back: &HashSet<Step>) -> HashSet<Id> {
    let nodes = tree.reachable(tree.root);
    let mut above: HashMap<Id, Vec<Id>> = HashMap::new();
    for id in &nodes {
        for (_, child) in children(tree, *id, Steps::All) {
            above.entry(child).or_default().push(*id);
        }
    }
    spread(&above, back.iter().map(|(id, _)| *id).collect())
}
