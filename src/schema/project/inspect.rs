//! Holds a mended schema against the profile: every place that is still refused, and how much of each limit is used.

use std::collections::HashMap;

use super::finite::finite;
use super::scalar::{LONGEST, has_look_around, is_anchored, without_escapes};
use super::{Count, Refusal};
use crate::json::Value;
use crate::schema::profile::{Measure, Profile, RuleName};
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Node, Tree, Word};

/// What the inspection found.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) refusals: Vec<Refusal>,
    pub(super) warnings: Vec<Refusal>,
    pub(super) counts: Vec<Count>,
}

struct Inspector<'a> {
    tree: &'a Tree,
    profile: &'static Profile,
    verdict: Verdict,
}

/// Looks at every node that can be reached through accepted keywords.
pub(super) fn inspect(tree: &Tree, profile: &'static Profile) -> Verdict {
    let mut inspector = Inspector { tree, profile, verdict: Verdict::default() };
    let mut seen = vec![false; tree.nodes.len()];
    let mut stack = vec![tree.root];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        inspector.node(id);
        let words = tree.node(id).body.words().iter().filter(|word| profile.keyword(&word.name).is_some());
        let children: Vec<Id> = words.flat_map(|word| word.held.children()).collect();
        stack.extend(children.into_iter().rev());
    }
    inspector.root();
    inspector.limits();
    let mut verdict = inspector.verdict;
    verdict.refusals.sort_by(|a, b| a.path.cmp(&b.path).then(a.rule.cmp(&b.rule)));
    verdict.refusals.dedup_by(|a, b| a.path == b.path && a.rule == b.rule);
    verdict
}

impl Inspector<'_> {
    /// Refuses, in the rule's own words.
    fn refuse(&mut self, rule: RuleName, path: &str, what: &str) {
        let says = self.profile.rule(rule).map_or("", |rule| rule.says);
        let message = if says.is_empty() { what.to_owned() } else { format!("{what}: {says}") };
        self.verdict.refusals.push(super::refusal(rule, path.to_owned(), message));
    }

    fn warn(&mut self, rule: RuleName, path: &str, what: &str) {
        let says = self.profile.rule(rule).map_or("", |rule| rule.says);
        self.verdict.warnings.push(super::refusal(rule, path.to_owned(), format!("{what}: {says}")));
    }

    fn node(&mut self, id: Id) {
        let node = self.tree.node(id);
        match &node.body {
            Body::Never => self.never(node),
            Body::Any if self.profile.has(RuleName::BooleanSchema) => {
                self.refuse(RuleName::BooleanSchema, &node.origin, "true stands as a schema");
            }
            Body::Any => {}
            Body::Words(words) => {
                for word in words {
                    self.keyword(id, node, word);
                }
                self.shape(node);
            }
        }
    }

    fn never(&mut self, node: &Node) {
        if self.closes_only(node) {
            return;
        }
        if self.profile.has(RuleName::BooleanSchema) {
            self.refuse(RuleName::BooleanSchema, &node.origin, "nothing fits here");
        } else {
            self.refuse(RuleName::Unsatisfiable, &node.origin, "nothing fits here");
        }
    }

    /// Does the node only stand as `additionalProperties: false` or `items: false`?
    fn closes_only(&self, never: &Node) -> bool {
        self.tree.nodes.iter().all(|node| {
            node.body.words().iter().all(|word| {
                let here = word.held.children().iter().any(|id| std::ptr::eq(self.tree.node(*id), never));
                !here || word.name == "additionalProperties"
            })
        })
    }

    fn keyword(&mut self, id: Id, node: &Node, word: &Word) {
        let root = id == self.tree.root;
        if root && self.profile.root_keywords.contains(&word.name.as_str()) {
            return;
        }
        let types = node.types();
        let spoken = Types::spoken_of_by(&word.name).and(types);
        match self.profile.keyword(&word.name) {
            None if is_annotation(&word.name) && self.profile.keeps_annotations => {}
            None => self.unknown_keyword(node, word),
            Some(row) if !spoken.within(row.types) => {
                let rule = if row.types == Types::INTEGER {
                    RuleName::BoundsIntegerOnly
                } else {
                    RuleName::KeywordNotSupported
                };
                self.refuse(rule, &word.origin, &format!("{} does not hold here", word.name));
            }
            Some(_) => self.value(word),
        }
    }

    fn unknown_keyword(&mut self, node: &Node, word: &Word) {
        let free = word.name == "patternProperties" && node.named("properties").is_none_or(<[_]>::is_empty);
        let rule =
            if free && self.profile.has(RuleName::FreeMap) { RuleName::FreeMap } else { RuleName::KeywordNotSupported };
        let what = format!("{} is not accepted", word.name);
        let length = matches!(word.name.as_str(), "minLength" | "maxLength");
        if length && let Some(doubt) = self.profile.rule(RuleName::LengthTooLarge) {
            let message = format!("{what}: {}", doubt.says);
            self.verdict.refusals.push(super::refusal(rule, word.origin.clone(), message));
        } else {
            self.refuse(rule, &word.origin, &what);
        }
    }

    /// Accepted keywords whose values are not all accepted.
    fn value(&mut self, word: &Word) {
        let Held::Data(value) = &word.held else { return };
        match (word.name.as_str(), value) {
            ("format", Value::String(format)) if !self.profile.formats.contains(&format.as_str()) => {
                self.refuse(RuleName::FormatNotSupported, &word.origin, "this format is not accepted");
            }
            ("pattern", Value::String(pattern)) => self.pattern(word, pattern),
            ("minLength" | "maxLength", Value::Number(_)) if value.as_u64().is_none_or(|n| n > LONGEST) => {
                self.refuse(RuleName::LengthTooLarge, &word.origin, "the length is too large");
            }
            _ => {}
        }
    }

    fn pattern(&mut self, word: &Word, pattern: &str) {
        if self.profile.has(RuleName::PatternLookAround) && has_look_around(pattern) {
            self.refuse(RuleName::PatternLookAround, &word.origin, "the pattern looks around");
            return;
        }
        if self.profile.has(RuleName::PatternAnchors) && !is_anchored(pattern) {
            self.refuse(RuleName::PatternAnchors, &word.origin, "the pattern is not anchored at both ends");
        }
        let classes = pattern.contains('\\') && without_escapes(pattern) != pattern;
        let nested = word.origin.matches("/properties/").count() > 1;
        if self.profile.has(RuleName::PatternSyntax) && (classes || nested) {
            self.warn(RuleName::PatternSyntax, &word.origin, "this pattern may fail");
        }
    }

    /// Rules about a schema as a whole.
    fn shape(&mut self, node: &Node) {
        let has = |name: &str| node.word(name).is_some();
        let origin = node.origin.clone();
        let named = ["type", "anyOf", "enum", "const", "$ref"].iter().any(|name| has(name));
        let replaced = ["oneOf", "allOf"].iter().any(|name| has(name));
        if self.profile.has(RuleName::TypeNeeded) && !named && !replaced {
            self.refuse(RuleName::TypeNeeded, &origin, "no type is named");
        }
        self.siblings(node, "$ref", RuleName::RefSiblings);
        self.siblings(node, "anyOf", RuleName::AnyOfSiblings);
        if self.profile.has(RuleName::SameFirstKey) {
            self.first_keys(node);
        }
        let words = node.types().words();
        let nullable = words.len() == 2 && words.contains(&"null");
        if self.profile.has(RuleName::TypeUnion) && has("type") && words.len() > 1 && !nullable {
            let path = node.word("type").map(|word| word.origin.clone()).unwrap_or_default();
            self.refuse(RuleName::TypeUnion, &path, "several types are listed");
        }
        if has("type") && node.types().meets(Types::OBJECT) && !has("enum") && !has("const") {
            self.object(node);
        }
        if self.profile.has(RuleName::ItemsNeeded)
            && has("type")
            && node.types().meets(Types::ARRAY)
            && !has("items")
            && !has("prefixItems")
            && !has("enum")
            && !has("const")
        {
            self.refuse(RuleName::ItemsNeeded, &origin, "the array has no items");
        }
    }

    /// Only reports know this rule, so it warns.
    fn first_keys(&mut self, node: &Node) {
        let tree = self.tree;
        let Some(branches) = node.list("anyOf") else { return };
        let first = |id: &Id| Some(&tree.node(tree.follow(*id)).named("properties")?.first()?.0);
        let mut seen = std::collections::HashSet::new();
        if !branches.iter().filter_map(first).all(|name| seen.insert(name)) {
            let path = node.word("anyOf").map(|word| word.origin.clone()).unwrap_or_default();
            self.warn(RuleName::SameFirstKey, &path, "two branches begin alike");
        }
    }

    fn siblings(&mut self, node: &Node, beside: &str, rule: RuleName) {
        let siblings = if beside == "$ref" { self.profile.reference_siblings } else { self.profile.union_siblings };
        if node.word(beside).is_none() || !self.profile.has(rule) {
            return;
        }
        let odd: Vec<&Word> = node
            .body
            .words()
            .iter()
            .filter(|word| word.name != beside && !siblings.contains(&word.name.as_str()))
            .filter(|word| {
                !(is_annotation(&word.name)
                    && (self.profile.keeps_annotations || self.profile.root_keywords.contains(&word.name.as_str())))
            })
            .filter(|word| self.profile.keyword(&word.name).is_some())
            .collect();
        for word in odd {
            self.refuse(rule, &word.origin, &format!("{} stands beside {beside}", word.name));
        }
    }

    fn object(&mut self, node: &Node) {
        let listed = node.named("properties").unwrap_or_default();
        let required = node.required();
        if self.profile.has(RuleName::ClosedObject) {
            self.closed(node, listed.is_empty());
        }
        if self.profile.has(RuleName::EmptyObject) && listed.is_empty() && !self.is_free(node) {
            self.refuse(RuleName::EmptyObject, &node.origin, "the object lists no properties");
        }
        if self.profile.has(RuleName::AllRequired) {
            for (_, child) in listed.iter().filter(|(name, _)| !required.contains(&name.as_str())) {
                // Merged objects list properties of several places: the property itself knows its own.
                let path = self.tree.node(*child).origin.clone();
                self.refuse(RuleName::AllRequired, &path, "the property is not required");
            }
        }
        if self.profile.has(RuleName::UnknownRequired) {
            let path = node.word("required").map(|word| word.origin.clone()).unwrap_or_default();
            if required.iter().any(|name| !listed.iter().any(|(there, _)| there == name)) {
                self.refuse(RuleName::UnknownRequired, &path, "a required name is no property");
            }
        }
    }

    fn is_free(&self, node: &Node) -> bool {
        let others = node.one("additionalProperties").map(|id| &self.tree.node(id).body);
        node.word("patternProperties").is_some() || matches!(others, Some(Body::Words(_)))
    }

    fn closed(&mut self, node: &Node, empty: bool) {
        let others = node.word("additionalProperties");
        let body = node.one("additionalProperties").map(|id| &self.tree.node(id).body);
        match (others, body) {
            (_, Some(Body::Never)) => {}
            (Some(word), Some(Body::Words(_))) if empty => {
                let path = word.origin.clone();
                self.refuse(RuleName::FreeMap, &path, "the object is a map with free keys");
            }
            (Some(word), _) => {
                let path = word.origin.clone();
                self.refuse(RuleName::ClosedObject, &path, "the object allows other keys");
            }
            (None, _) => {
                self.refuse(RuleName::ClosedObject, &node.origin, "the object does not say additionalProperties false");
            }
        }
    }

    fn root(&mut self) {
        let root = self.tree.node(self.tree.root);
        let object = root.types() == Types::OBJECT && root.word("anyOf").is_none();
        if self.profile.has(RuleName::RootObject) && !object {
            self.refuse(RuleName::RootObject, "", "the root is not an object");
        }
        if !finite(self.tree).contains(&self.tree.root) && self.verdict.refusals.is_empty() {
            self.refuse(
                RuleName::EndlessRecursion,
                "",
                "no answer of finite length fits: required properties lead in a circle",
            );
        }
    }

    fn limits(&mut self) {
        for limit in self.profile.limits {
            let (used, path) = measure(self.tree, limit.what);
            self.verdict.counts.push(Count { what: limit.what, used, most: limit.most });
            if used > limit.most {
                let what = format!("{used} of at most {} {}", limit.most, noun(limit.what));
                self.refuse(limit.what.rule(), &path, &what);
            }
        }
    }
}

const fn noun(what: Measure) -> &'static str {
    match what {
        Measure::Depth => "levels of nesting",
        Measure::Properties => "properties in total",
        Measure::EnumValues => "enum values in total",
        Measure::EnumCharacters => "characters in one long enum",
        Measure::Characters => "characters in names and values",
    }
}

/// How much is used, and where most of it is.
fn measure(tree: &Tree, what: Measure) -> (usize, String) {
    if what == Measure::Depth {
        return depth(tree);
    }
    let mut total = 0_usize;
    let mut largest = (0, String::new());
    for id in tree.reachable(tree.root) {
        let node = tree.node(id);
        let (own, path) = uses(node, what);
        total = if what == Measure::EnumCharacters { total.max(own) } else { total.saturating_add(own) };
        if own > largest.0 {
            largest = (own, path);
        }
    }
    if what == Measure::Characters {
        let used: usize = tree.definitions.iter().map(|(name, _)| name.chars().count()).sum();
        total = total.saturating_add(used);
    }
    (total, largest.1)
}

fn uses(node: &Node, what: Measure) -> (usize, String) {
    let listed = node.named("properties").unwrap_or_default();
    let values: &[Value] = node.data("enum").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let place = |name: &str| node.word(name).map_or_else(|| node.origin.clone(), |word| word.origin.clone());
    match what {
        Measure::Depth => (0, String::new()),
        Measure::Properties => (listed.len(), place("properties")),
        Measure::EnumValues => (values.len(), place("enum")),
        Measure::EnumCharacters if values.len() <= 250 => (0, place("enum")),
        Measure::EnumCharacters => (values.iter().map(characters).sum(), place("enum")),
        Measure::Characters => {
            let names: usize = listed.iter().map(|(name, _)| name.chars().count()).sum();
            let values: usize = values.iter().map(characters).sum();
            let only = node.data("const").map_or(0, characters);
            (names + values + only, node.origin.clone())
        }
    }
}

fn characters(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().chars().count(), |text| text.chars().count())
}

/// Subschema steps from the root; a reference starts again one below the root, where its definition stands.
fn depth(tree: &Tree) -> (usize, String) {
    let mut at: HashMap<Id, usize> = HashMap::new();
    let mut deepest = (0, String::new());
    let mut stack = vec![(tree.root, 0)];
    while let Some((id, level)) = stack.pop() {
        if at.get(&id).is_some_and(|there| *there >= level) {
            continue;
        }
        at.insert(id, level);
        if level > deepest.0 {
            deepest = (level, tree.node(id).origin.clone());
        }
        for word in tree.node(id).body.words().iter().filter(|word| word.name != "additionalProperties") {
            let step = if matches!(word.held, Held::Ref(_)) { 1 } else { level + 1 };
            stack.extend(word.held.children().into_iter().map(|child| (child, step)));
        }
    }
    deepest
}
