//! References with siblings, `allOf`, and constraints beside an `enum`: written as one plain schema where that is exact.

use super::Level;
use super::mend::Mender;
use super::render::fragment;
use crate::json::Value;
use crate::schema::profile::RuleName;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::merge::{Merged, merge, same};
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Tree, Word};
use crate::schema::validate::fitting;

/// So many merges at one place are tried.
const MAX_MERGES: usize = 64;
/// Longer value lists are not tried one by one.
const MAX_VALUES: usize = 4_000;

impl Mender {
    /// Until neither a reference with siblings nor an `allOf` stands here, or no further step is exact.
    pub(super) fn flatten(&mut self, id: Id) {
        for _ in 0..MAX_MERGES {
            self.plain_reference(id);
            self.leave_out_beside_reference(id);
            let went_on = if self.has_reference_siblings(id) {
                self.inline(id, "replaced the reference by its target, because keywords stand beside it")
            } else if self.must_merge(id) {
                self.merge_all_of(id)
            } else {
                false
            };
            if !went_on || self.tree.is_full() {
                return;
            }
            self.leave_out_annotations(id);
        }
    }

    /// Is there an `allOf` that the provider does not take as it is?
    fn must_merge(&self, id: Id) -> bool {
        let node = self.tree.node(id);
        node.word("allOf").is_some()
            && (self.profile.keyword("allOf").is_none()
                || self.profile.has(RuleName::AllOfReference) && combines(&self.tree, node))
    }

    /// A dynamic reference with one possible target is a plain one.
    fn plain_reference(&mut self, id: Id) {
        if self.dynamic || self.profile.keyword("$dynamicRef").is_some() {
            return;
        }
        if let Some(word) = self.tree.node_mut(id).take("$dynamicRef") {
            self.note(Level::Exact, &word.origin, "wrote the dynamic reference as $ref");
            self.tree.node_mut(id).set("$ref", &word.origin, word.held);
        }
    }

    /// May this keyword stand beside `$ref` (or `anyOf`)?
    pub(super) fn is_harmless(&self, name: &str, siblings: &[&str]) -> bool {
        let skipped = self.profile.keeps_annotations && is_annotation(name);
        skipped || siblings.contains(&name) || self.profile.root_keywords.contains(&name)
    }

    fn has_reference_siblings(&self, id: Id) -> bool {
        let node = self.tree.node(id);
        let siblings = self.profile.reference_siblings;
        node.word("$ref").is_some()
            && node.body.words().iter().any(|word| word.name != "$ref" && !self.is_harmless(&word.name, siblings))
    }

    /// Titles and descriptions beside a reference into a recursion are left out: written in its place, the target would
    /// have to hold itself.
    fn leave_out_beside_reference(&mut self, id: Id) {
        let node = self.tree.node(id);
        let Some(target) = node.one("$ref").filter(|_| self.has_reference_siblings(id)) else { return };
        let only = node.body.words().iter().all(|word| word.name == "$ref" || is_annotation(&word.name));
        if !only || !self.tree.reachable(target).contains(&id) {
            return;
        }
        let names: Vec<String> = node.body.words().iter().map(|word| word.name.clone()).collect();
        for name in
            names.into_iter().filter(|name| name != "$ref" && !self.profile.root_keywords.contains(&name.as_str()))
        {
            self.leave_out(id, &name, Level::Exact, " (annotation beside $ref)");
        }
    }

    /// Puts the target's keywords in the place of the reference.
    pub(super) fn inline(&mut self, id: Id, what: &str) -> bool {
        let Some(target) = self.tree.node(id).one("$ref") else { return false };
        let mut words = self.tree.node(id).body.words().to_vec();
        let Some(at) = words.iter().position(|word| word.name == "$ref") else { return false };
        let origin = words.remove(at).origin;
        self.settle(id, words, &[target], (&origin, what))
    }

    /// Demands one more schema at a node, beside those an `allOf` there may hold already.
    pub(super) fn demand(&mut self, id: Id, origin: &str, part: Id) {
        let mut parts = self.tree.node(id).list("allOf").map(<[Id]>::to_vec).unwrap_or_default();
        parts.push(part);
        self.tree.node_mut(id).set("allOf", origin, Held::List(parts));
    }

    fn merge_all_of(&mut self, id: Id) -> bool {
        let Some(members) = self.tree.node(id).list("allOf").map(<[Id]>::to_vec) else { return false };
        let mut words = self.tree.node(id).body.words().to_vec();
        let Some(at) = words.iter().position(|word| word.name == "allOf") else { return false };
        let origin = words.remove(at).origin;
        self.settle(id, words, &members, (&origin, "merged allOf into one schema"))
    }

    /// Merges the parts into the words and makes that the node, if the level allows what it costs.
    fn settle(&mut self, id: Id, words: Vec<Word>, parts: &[Id], (origin, what): (&str, &str)) -> bool {
        let Some(merged) = self.merge_parts(words, parts) else {
            self.note(Level::Exact, origin, "nothing satisfies these schemas together");
            self.tree.node_mut(id).body = Body::Never;
            return true;
        };
        if !self.accept(&merged) {
            return false;
        }
        self.note(Level::Exact, origin, what);
        self.tree.node_mut(id).body = Body::Words(merged.words);
        true
    }

    /// Every part merged into the words; `None` when nothing can satisfy them all.
    pub(super) fn merge_parts(&mut self, words: Vec<Word>, parts: &[Id]) -> Option<Merged> {
        let mut all = Merged { words, clashes: Vec::new(), empty: false };
        for part in parts {
            let part = self.tree.follow(*part);
            self.old_bounds(part);
            let added = match &self.tree.node(part).body {
                Body::Any => Vec::new(),
                Body::Never => return None,
                Body::Words(words) => words.iter().filter(|word| is_carried(&word.name)).cloned().collect(),
            };
            let step = merge(&mut self.tree, all.words, added);
            if step.empty {
                return None;
            }
            all.words = step.words;
            all.clashes.extend(step.clashes);
        }
        Some(all)
    }

    /// Clashes may only be dropped at `relax`; each is listed.
    pub(super) fn accept(&mut self, merged: &Merged) -> bool {
        if merged.clashes.is_empty() {
            return true;
        }
        if !self.may(Level::Relax) {
            return false;
        }
        for word in &merged.clashes {
            self.note(
                Level::Relax,
                &word.origin,
                format!("left out {} of a combined schema, checked locally only", word.name),
            );
        }
        true
    }

    /// Beside `enum` or `const`, other constraints only choose among the values: they can be applied now.
    pub(super) fn prune_enum(&mut self, id: Id) {
        let node = self.tree.node(id);
        let Some(values) = listed_values(node) else { return };
        let types = node.types();
        let others: Vec<Word> = node.body.words().iter().filter(|word| is_choosing(&word.name)).cloned().collect();
        let spoken = |name: &str| Types::spoken_of_by(name).and(types);
        let odd = |value: &Value| !Types::of_value(value).within(self.profile.values);
        let needed = others.iter().any(|word| word.name == "anyOf" || !self.holds(&word.name, spoken(&word.name)))
            || !others.is_empty() && values.iter().any(odd);
        if !needed || values.len() > MAX_VALUES {
            return;
        }
        let origin = node.origin.clone();
        let Some(kept) = self.choose(&values, &others) else { return };
        self.note(Level::Exact, &origin, "applied the constraints beside the value list to the list");
        let node = self.tree.node_mut(id);
        for word in &others {
            node.take(&word.name);
        }
        if kept.is_empty() {
            node.body = Body::Never;
        } else if node.word("enum").is_some() {
            node.take("const");
            node.set("enum", &origin, Held::Data(Value::Array(kept)));
        }
    }

    /// The values that satisfy the words.
    fn choose(&mut self, values: &[Value], words: &[Word]) -> Option<Vec<Value>> {
        let test = self.tree.add("", Body::Words(words.to_vec()));
        let schema = fragment(&self.tree, test)?;
        let verdicts = fitting(&schema, self.tree.dialect, values)?;
        Some(values.iter().zip(verdicts).filter(|(_, fits)| *fits).map(|(value, _)| value.clone()).collect())
    }
}

/// Does an `allOf` combine references, or objects (each of which must be closed and so shuts out the others)?
pub(super) fn combines(tree: &Tree, node: &Node) -> bool {
    let refers = |node: &Node| node.word("$ref").is_some();
    let joined = |member: &Id| refers(tree.node(*member)) || tree.node(*member).types().meets(Types::OBJECT);
    node.list("allOf").is_some_and(|members| refers(node) || members.iter().any(joined))
}

/// Words that move with a schema when it is merged into another.
fn is_carried(name: &str) -> bool {
    !is_annotation(name) || matches!(name, "title" | "description")
}

fn is_choosing(name: &str) -> bool {
    !is_annotation(name) && !matches!(name, "enum" | "const" | "type")
}

/// The values a node allows: with both `const` and `enum`, what stands in both.
pub(super) fn listed_values(node: &Node) -> Option<Vec<Value>> {
    let list = node.data("enum").and_then(Value::as_array);
    let Some(only) = node.data("const") else { return list.cloned() };
    let Some(list) = list else { return Some(vec![only.clone()]) };
    let equal: Option<Vec<bool>> = list.iter().map(|value| same(value, only)).collect();
    Some(if equal?.contains(&true) { vec![only.clone()] } else { Vec::new() })
}
