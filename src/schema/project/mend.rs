//! Walks the nodes of a schema and mends each as far as the level allows; the steps lie in the files beside this one.

use std::collections::HashSet;

use super::{Change, Level, Made, Outcome, Place, Refusal, inspect, render};
use crate::json::Value;
use crate::schema::profile::{Profile, RuleName};
use crate::schema::tree::keywords::{INERT, is_annotation};
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Tree, Word};

/// A projection at work.
pub(super) struct Mender {
    pub(super) tree: Tree,
    pub(super) profile: &'static Profile,
    pub(super) level: Level,
    place: Place,
    changes: Vec<Change>,
    /// Properties that were made required: node, name.
    pub(super) made_required: Vec<(Id, String)>,
    /// Objects where a change counted on every property being required: none may be left out there.
    pub(super) leaning: HashSet<Id>,
    /// Nodes that allow less than the author wrote.
    pub(super) narrowed: HashSet<Id>,
    /// A reference whose target depends on the caller stands in the document.
    pub(super) dynamic: bool,
}

impl Mender {
    pub(super) fn new(tree: Tree, profile: &'static Profile, place: Place, level: Level) -> Self {
        let anchors = |name: &str| tree.nodes.iter().filter(|node| node.word(name).is_some()).count();
        let dynamic = anchors("$dynamicAnchor") > 1 || anchors("$recursiveAnchor") > 1;
        Self {
            tree,
            profile,
            level,
            place,
            changes: Vec::new(),
            made_required: Vec::new(),
            leaning: HashSet::new(),
            narrowed: HashSet::new(),
            dynamic,
        }
    }

    /// Mends every node that can be reached.
    pub(super) fn run(&mut self) {
        self.split_unions();
        self.unroll();
        self.mend_root();
        let mut seen = HashSet::new();
        let mut stack = vec![self.tree.root];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) || self.tree.is_full() {
                continue;
            }
            let before = self.changes.len();
            self.mend(id);
            if self.changes.iter().skip(before).any(|change| change.level == Level::Narrow) {
                self.narrowed.insert(id);
            }
            stack.extend(self.kept_children(id).into_iter().rev());
        }
        self.break_cycles();
        self.loosen_recursion();
        self.fit_counts();
        self.drop_unused();
    }

    /// Children below keywords that stay.
    fn kept_children(&self, id: Id) -> Vec<Id> {
        let node = self.tree.node(id);
        let words = node.body.words().iter().filter(|word| self.profile.keyword(&word.name).is_some());
        words.flat_map(|word| word.held.children()).collect()
    }

    fn mend(&mut self, id: Id) {
        self.leave_out_annotations(id);
        self.old_bounds(id);
        self.leave_out_ineffective(id);
        self.flatten(id);
        self.prune_enum(id);
        self.const_as_enum(id);
        self.plain_values(id);
        self.inclusive_bounds(id);
        self.one_of(id);
        self.any_of(id);
        self.relax_general(id);
        self.give_type(id);
        self.split_types(id);
        self.object(id);
        self.array(id);
        self.string(id);
        self.leave_out_ineffective(id);
        self.relax_rest(id);
    }

    /// The root of some providers must be an object: references there are replaced, `null` beside an object left out.
    fn mend_root(&mut self) {
        if !self.profile.has(RuleName::RootObject) {
            return;
        }
        let root = self.tree.root;
        self.leave_out_annotations(root);
        if self.tree.node(root).one("$ref").is_some() {
            self.inline(root, "replaced the reference at the root by its target");
        }
        self.flatten(root);
        self.one_object_at_root(root);
    }

    fn one_object_at_root(&mut self, root: Id) {
        let node = self.tree.node(root);
        let types = node.types();
        if types != Types::OBJECT
            && types.meets(Types::OBJECT)
            && node.data("type").is_some()
            && self.may(Level::Narrow)
        {
            let origin = node.origin.clone();
            self.note(Level::Narrow, &origin, "only objects at the root");
            self.tree.node_mut(root).set("type", &origin, Held::Data("object".into()));
        }
        let node = self.tree.node(root);
        let Some(branches) = node.list("anyOf").or_else(|| node.list("oneOf")).map(<[Id]>::to_vec) else { return };
        let objects: Vec<Id> = branches
            .iter()
            .copied()
            .filter(|id| self.tree.node(self.tree.follow(*id)).types() == Types::OBJECT)
            .collect();
        // The other branches must not hold objects: `oneOf` would judge those differently.
        let others = |id: &&Id| self.tree.node(self.tree.follow(**id)).types().meets(Types::OBJECT);
        let alone = branches.iter().filter(others).count() == 1;
        let ([only], true, true) = (objects.as_slice(), alone, self.may(Level::Narrow)) else { return };
        let name = if node.word("anyOf").is_some() { "anyOf" } else { "oneOf" };
        let origin = node.origin.clone();
        self.note(Level::Narrow, &origin, "kept only the object of the union at the root");
        self.tree.node_mut(root).take(name);
        self.demand(root, &origin, *only);
        self.flatten(root);
    }

    /// May changes of this level be made?
    pub(super) fn may(&self, level: Level) -> bool {
        self.level >= level
    }

    /// Lists a change.
    pub(super) fn note(&mut self, level: Level, path: &str, what: impl Into<String>) {
        self.changes.push(Change { path: path.to_owned(), level, what: what.into() });
    }

    /// Does the profile hold this keyword beside these types?
    pub(super) fn holds(&self, name: &str, types: Types) -> bool {
        self.profile.keyword(name).is_some_and(|row| types.within(row.types))
    }

    /// Removes a keyword and lists that.
    pub(super) fn leave_out(&mut self, id: Id, name: &str, level: Level, why: &str) {
        if let Some(word) = self.tree.node_mut(id).take(name) {
            let shown = name.strip_prefix(INERT).unwrap_or(name);
            self.note(level, &word.origin, format!("left out {shown}{why}"));
            if level == Level::Relax {
                self.tell(id, &word);
            }
        }
    }

    /// Annotations the provider refuses, and keywords without effect in the schema's draft.
    pub(super) fn leave_out_annotations(&mut self, id: Id) {
        let root = id == self.tree.root;
        let names: Vec<String> = self.tree.node(id).body.words().iter().map(|word| word.name.clone()).collect();
        for name in names {
            let at_root = root && self.profile.root_keywords.contains(&name.as_str());
            if name.starts_with(INERT) {
                self.leave_out(id, &name, Level::Exact, " (without effect in this draft)");
            } else if self.profile.keyword(&name).is_none()
                && is_annotation(&name)
                && !at_root
                && !self.profile.keeps_annotations
            {
                self.leave_out(id, &name, Level::Exact, " (annotation)");
            }
        }
    }

    /// Draft 4 writes exclusive bounds as `exclusiveMinimum: true` beside `minimum`.
    pub(super) fn old_bounds(&mut self, id: Id) {
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            let node = self.tree.node(id);
            let Some(Value::Bool(strict)) = node.data(exclusive) else { continue };
            let strict = *strict;
            let Some(word) = self.tree.node_mut(id).take(exclusive) else { continue };
            if strict && let Some(limit) = self.tree.node_mut(id).take(bound) {
                self.tree.node_mut(id).set(exclusive, &limit.origin, limit.held);
            }
            self.note(Level::Exact, &word.origin, format!("wrote {exclusive} as a number"));
        }
    }

    /// Unsupported keywords that say nothing here.
    fn leave_out_ineffective(&mut self, id: Id) {
        let types = self.tree.node(id).types();
        let node = self.tree.node(id);
        let silent: Vec<String> = node
            .body
            .words()
            .iter()
            .filter(|word| {
                let spoken = Types::spoken_of_by(&word.name);
                let elsewhere = !spoken.meets(types);
                elsewhere || (!self.holds(&word.name, spoken.and(types)) && self.says_nothing(id, word))
            })
            .map(|word| word.name.clone())
            .collect();
        for name in silent {
            self.leave_out(id, &name, Level::Exact, " (without effect here)");
        }
    }

    fn says_nothing(&self, id: Id, word: &Word) -> bool {
        let node = self.tree.node(id);
        let zero = |value: &Value| value.as_u64() == Some(0);
        match (word.name.as_str(), &word.held) {
            ("minLength" | "minItems" | "minProperties", Held::Data(value)) => zero(value),
            ("uniqueItems", Held::Data(value)) => value == &Value::Bool(false),
            ("then" | "else", _) => node.word("if").is_none(),
            ("if", _) => node.word("then").is_none() && node.word("else").is_none(),
            ("minContains" | "maxContains", _) => node.word("contains").is_none(),
            ("contains", _) => node.data("minContains").is_some_and(zero) && node.word("maxContains").is_none(),
            ("additionalItems", _) => true,
            ("not", Held::One(child)) => self.tree.node(*child).body == Body::Never,
            (
                "propertyNames" | "unevaluatedProperties" | "unevaluatedItems" | "additionalProperties" | "items",
                Held::One(child),
            ) => self.accepts_all(*child),
            ("dependentRequired", Held::Data(Value::Object(entries))) => entries.is_empty(),
            ("dependentSchemas" | "patternProperties" | "properties", Held::Named(entries)) => entries.is_empty(),
            ("allOf", Held::List(members)) => members.is_empty(),
            _ => false,
        }
    }

    pub(super) fn accepts_all(&self, id: Id) -> bool {
        match &self.tree.node(id).body {
            Body::Any => true,
            Body::Never => false,
            Body::Words(words) => words.iter().all(|word| is_annotation(&word.name)),
        }
    }

    /// At `relax`, keywords that speak about every type (`not`, `if`, …) go first: they hide what the others say.
    fn relax_general(&mut self, id: Id) {
        self.relax(id, |spoken| spoken == Types::ALL);
    }

    /// At `relax`, whatever the profile still does not hold is dropped; it is checked locally only.
    fn relax_rest(&mut self, id: Id) {
        self.relax(id, |_| true);
    }

    fn relax(&mut self, id: Id, which: fn(Types) -> bool) {
        if !self.may(Level::Relax) {
            return;
        }
        let types = self.tree.node(id).types();
        let names: Vec<String> = self.tree.node(id).body.words().iter().map(|word| word.name.clone()).collect();
        for name in names {
            let spoken = Types::spoken_of_by(&name);
            let held = self.holds(&name, spoken.and(types));
            if which(spoken) && !is_annotation(&name) && !held {
                self.leave_out(id, &name, Level::Relax, ", checked locally only");
            }
        }
    }

    /// Definitions nobody refers to any more.
    fn drop_unused(&mut self) {
        let used: HashSet<Id> = self.tree.reachable(self.tree.root).into_iter().collect();
        let (kept, unused) =
            std::mem::take(&mut self.tree.definitions).into_iter().partition(|(_, id)| used.contains(id));
        self.tree.definitions = kept;
        let unused: Vec<(String, Id)> = unused;
        for (_, id) in unused {
            let origin = self.tree.node(id).origin.clone();
            self.note(Level::Exact, &origin, "left out an unused definition");
        }
    }

    /// Holds the result against the profile.
    pub(super) fn finish(mut self, wrapped: bool) -> Outcome {
        self.tie();
        self.changes.sort_by(|a, b| a.path.cmp(&b.path).then(a.level.cmp(&b.level)));
        self.changes.dedup();
        let mut verdict = inspect::Verdict::default();
        if !self.profile.accepts_everything {
            verdict = inspect::inspect(&self.tree, self.profile, self.place);
        }
        if !render::document_fits(&self.tree) {
            verdict.refusals.push(too_large());
        }
        let (changes, warnings, counts) = (self.changes, verdict.warnings, verdict.counts);
        let made = Made { tree: Some(self.tree), changes, wrapped, warnings, counts };
        Outcome { level: self.level, made, refusals: verdict.refusals }
    }
}

fn too_large() -> Refusal {
    super::refusal(RuleName::TooLarge, String::new(), "writing out this schema for the provider makes it too large")
}
