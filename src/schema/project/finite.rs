//! Recursion must be able to end: a property that was made required must not make every answer endless.

use std::collections::HashSet;

use super::Level;
use super::mend::Mender;
use crate::json::Value;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Tree};

impl Mender {
    /// Optional properties that cannot end are left out of the closed object instead of being required; one at a time,
    /// those that lead back to their own object first.
    pub(super) fn break_cycles(&mut self) {
        while !self.made_required.is_empty() {
            let ends = finite(&self.tree);
            if ends.contains(&self.tree.root) {
                return;
            }
            let endless: Vec<usize> = (0..self.made_required.len()).filter(|at| self.is_endless(*at, &ends)).collect();
            let back = endless.iter().rev().find(|at| self.leads_back(**at)).or(endless.first()).copied();
            let Some(at) = back else { return };
            let Some((_, child)) = self.made(at) else { return };
            let path = self.tree.node(child).origin.clone();
            let (id, name) = self.made_required.remove(at);
            self.note(Level::Narrow, &path, "left out: required, it would never end");
            self.forget(id, &name);
        }
    }

    fn made(&self, at: usize) -> Option<(Id, Id)> {
        let (id, name) = self.made_required.get(at)?;
        let listed = self.tree.node(*id).named("properties")?;
        listed.iter().find(|(there, _)| there == name).map(|(_, child)| (*id, *child))
    }

    fn is_endless(&self, at: usize, ends: &HashSet<Id>) -> bool {
        let free = |id: Id| !self.leaning.contains(&id);
        self.made(at).is_some_and(|(id, child)| free(id) && !ends.contains(&child))
    }

    fn leads_back(&self, at: usize) -> bool {
        self.made(at).is_some_and(|(id, child)| self.tree.reachable(child).contains(&id))
    }
}

/// The nodes that have an instance of finite size, as far as structure tells.
pub(super) fn finite(tree: &Tree) -> HashSet<Id> {
    let nodes = tree.reachable(tree.root);
    let mut known = HashSet::new();
    loop {
        let before = known.len();
        for id in nodes.iter().rev() {
            if !known.contains(id) && ends(tree, *id, &known) {
                known.insert(*id);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

fn ends(tree: &Tree, id: Id, known: &HashSet<Id>) -> bool {
    let node = tree.node(id);
    let words = match &node.body {
        Body::Any => return true,
        Body::Never => return false,
        Body::Words(words) => words,
    };
    if node.word("enum").is_some() || node.word("const").is_some() {
        return true;
    }
    let all = words.iter().all(|word| match (&*word.name, &word.held) {
        ("$ref" | "$dynamicRef", Held::Ref(target)) => known.contains(target),
        ("allOf", Held::List(members)) => members.iter().all(|member| known.contains(member)),
        ("anyOf" | "oneOf", Held::List(branches)) => branches.iter().any(|branch| known.contains(branch)),
        _ => true,
    });
    let plain = Types::NULL.or(Types::BOOLEAN).or(Types::NUMBER).or(Types::STRING);
    let types = node.types();
    all && (types.meets(plain)
        || types.meets(Types::ARRAY) && array_ends(tree, id, known)
        || types.meets(Types::OBJECT) && object_ends(tree, id, known))
}

fn array_ends(tree: &Tree, id: Id, known: &HashSet<Id>) -> bool {
    let node = tree.node(id);
    let least = node.data("minItems").and_then(Value::as_u64).unwrap_or(0);
    let places = node.list("prefixItems").unwrap_or_default();
    let rest = node.one("items").is_none_or(|items| known.contains(&items));
    least == 0 || places.iter().all(|place| known.contains(place)) && (rest || places.len() as u64 >= least)
}

fn object_ends(tree: &Tree, id: Id, known: &HashSet<Id>) -> bool {
    let node = tree.node(id);
    let listed = node.named("properties").unwrap_or_default();
    let others = node.one("additionalProperties").is_none_or(|others| known.contains(&others));
    let (required, there) = (node.demanded(), node.listed());
    listed.iter().all(|(name, child)| known.contains(child) || !required.has(name))
        && (others || required.iter().all(|name| there.has(name)))
}
