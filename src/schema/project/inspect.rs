//! Holds a mended schema against the profile: every place that is still refused, and how much of each limit is used.

use std::collections::HashSet;

use super::Verdict as Answer;
use super::combine::combines;
use super::cycles::{self, Steps};
use super::finite::finite;
use super::measure::{heavy, measure};
use super::scalar::{LONGEST, has_look_around, is_anchored, is_plain_pattern, without_escapes};
use super::{Count, Place, Refusal};
use crate::json::Value;
use crate::schema::profile::{Evidence, Profile, RuleName};
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
    place: Place,
    /// Nodes that stand elsewhere than in `additionalProperties`.
    elsewhere: HashSet<Id>,
    verdict: Verdict,
}

/// Looks at every node that can be reached through accepted keywords.
pub(super) fn inspect(tree: &Tree, profile: &'static Profile, place: Place) -> Verdict {
    let words = tree.nodes.iter().flat_map(|node| node.body.words());
    let elsewhere = words.filter(|w| w.name != "additionalProperties").flat_map(|w| w.held.children()).collect();
    let mut inspector = Inspector { tree, profile, place, elsewhere, verdict: Verdict::default() };
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
    inspector.recursion();
    inspector.limits();
    inspector.deep_unions();
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
        self.passes(rule, path.to_owned(), format!("{what}: {says}"));
    }

    fn passes(&mut self, rule: RuleName, path: String, message: String) {
        let verdict = Answer::Accepted;
        self.verdict.warnings.push(Refusal { verdict, ..super::refusal(rule, path, message) });
    }

    fn node(&mut self, id: Id) {
        let node = self.tree.node(id);
        match &node.body {
            Body::Never => self.never(id, node),
            Body::Any if !self.profile.has(RuleName::ClosedObject) && self.only_for_other_keys(id) => {}
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

    fn never(&mut self, id: Id, node: &Node) {
        if self.only_for_other_keys(id) {
            return;
        }
        if self.profile.has(RuleName::BooleanSchema) {
            self.refuse(RuleName::BooleanSchema, &node.origin, "nothing fits here");
        } else {
            self.refuse(RuleName::Unsatisfiable, &node.origin, "nothing fits here");
        }
    }

    /// Does the node only stand as `additionalProperties`?
    fn only_for_other_keys(&self, id: Id) -> bool {
        id != self.tree.root && !self.elsewhere.contains(&id)
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
            Some(row) => {
                if row.evidence == Evidence::Uncertain {
                    let message = format!("{} passes, but sources disagree on it", word.name);
                    self.passes(RuleName::KeywordUncertain, word.origin.clone(), message);
                }
                self.value(node, word);
            }
        }
    }

    fn unknown_keyword(&mut self, node: &Node, word: &Word) {
        let free = word.name == "patternProperties" && node.named("properties").is_none_or(<[_]>::is_empty);
        let ignored = self.profile.verdict(&word.name) == Answer::Ignored;
        let rule = if free && self.profile.has(RuleName::FreeMap) {
            RuleName::FreeMap
        } else if ignored {
            RuleName::KeywordIgnored
        } else {
            RuleName::KeywordNotSupported
        };
        let what = format!("{} is not {}", word.name, if ignored { "held" } else { "accepted" });
        let length = matches!(word.name.as_str(), "minLength" | "maxLength");
        if length && let Some(doubt) = self.profile.rule(RuleName::LengthTooLarge) {
            let message = format!("{what}: {}", doubt.says);
            self.verdict.refusals.push(super::refusal(rule, word.origin.clone(), message));
        } else {
            self.refuse(rule, &word.origin, &what);
        }
    }

    /// Accepted keywords whose values are not all accepted.
    fn value(&mut self, node: &Node, word: &Word) {
        let Held::Data(value) = &word.held else { return };
        match (word.name.as_str(), value) {
            ("format", Value::String(format)) if !self.profile.formats.contains(&format.as_str()) => {
                let ignored = self.profile.ignored.contains(&"format");
                let rule = if ignored { RuleName::KeywordIgnored } else { RuleName::FormatNotSupported };
                self.refuse(rule, &word.origin, "this format is not accepted");
            }
            ("format", _) => self.length_beside(node, &word.name),
            ("pattern", Value::String(pattern)) => {
                self.pattern(word, pattern);
                self.length_beside(node, &word.name);
            }
            ("minLength" | "maxLength", Value::Number(_))
                if self.profile.has(RuleName::LengthTooLarge) && value.as_u64().is_none_or(|n| n > LONGEST) =>
            {
                self.refuse(RuleName::LengthTooLarge, &word.origin, "the length is too large");
            }
            ("minItems", Value::Number(_))
                if self.profile.has(RuleName::MinItemsOne) && value.as_u64().is_none_or(|n| n > 1) =>
            {
                self.refuse(RuleName::MinItemsOne, &word.origin, "more than one item is demanded");
            }
            ("enum", Value::Array(values)) if !values.iter().all(|value| self.takes(value)) => {
                self.refuse(RuleName::ValueNotSupported, &word.origin, "a value of this list is not accepted");
            }
            ("const", value) if !self.takes(value) => {
                self.refuse(RuleName::ValueNotSupported, &word.origin, "this value is not accepted");
            }
            _ => {}
        }
    }

    fn takes(&self, value: &Value) -> bool {
        Types::of_value(value).within(self.profile.values)
    }

    fn length_beside(&mut self, node: &Node, beside: &str) {
        if !self.profile.has(RuleName::LengthBesidePattern) {
            return;
        }
        for word in ["minLength", "maxLength"].into_iter().filter_map(|name| node.word(name)) {
            self.refuse(RuleName::LengthBesidePattern, &word.origin, &format!("{} stands beside {beside}", word.name));
        }
    }

    fn pattern(&mut self, word: &Word, pattern: &str) {
        if self.profile.has(RuleName::PatternLookAround) && has_look_around(pattern) {
            self.refuse(RuleName::PatternLookAround, &word.origin, "the pattern looks around");
            return;
        }
        if self.profile.has(RuleName::PatternPlain) && !is_plain_pattern(pattern) {
            self.refuse(RuleName::PatternPlain, &word.origin, "the pattern is not a simple one");
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
        self.type_list(node);
        self.all_of(node);
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

    fn type_list(&mut self, node: &Node) {
        let Some(word) = node.word("type") else { return };
        let words = node.types().words();
        let nullable = words.len() == 2 && words.contains(&"null");
        for (rule, broken) in
            [(RuleName::TypeUnion, words.len() > 1 && !nullable), (RuleName::TypeList, words.len() > 1)]
        {
            if broken && self.profile.has(rule) {
                self.refuse(rule, &word.origin, "several types are listed");
            }
        }
    }

    fn all_of(&mut self, node: &Node) {
        let Some(word) = node.word("allOf") else { return };
        if self.profile.has(RuleName::AllOfReference) && combines(self.tree, node) {
            self.refuse(RuleName::AllOfReference, &word.origin, "allOf combines references or objects");
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
        let required = node.demanded();
        if self.profile.has(RuleName::ClosedObject) {
            self.closed(node, listed.is_empty());
        } else {
            self.other_keys(node);
        }
        if self.profile.has(RuleName::PropertyName) {
            for (_, child) in listed.iter().filter(|(name, _)| !is_tool_key(name)) {
                let path = self.tree.node(*child).origin.clone();
                self.refuse(RuleName::PropertyName, &path, "the property's name is not accepted");
            }
        }
        if self.profile.has(RuleName::EmptyObject) && listed.is_empty() && !self.is_free(node) {
            self.refuse(RuleName::EmptyObject, &node.origin, "the object lists no properties");
        }
        if self.profile.has(RuleName::AllRequired) {
            for (_, child) in listed.iter().filter(|(name, _)| !required.has(name)) {
                // Merged objects list properties of several places: the property itself knows its own.
                let path = self.tree.node(*child).origin.clone();
                self.refuse(RuleName::AllRequired, &path, "the property is not required");
            }
        }
        if self.profile.has(RuleName::UnknownRequired) {
            let path = node.word("required").map(|word| word.origin.clone()).unwrap_or_default();
            let there = node.listed();
            if required.iter().any(|name| !there.has(name)) {
                self.refuse(RuleName::UnknownRequired, &path, "a required name is no property");
            }
        }
    }

    fn is_free(&self, node: &Node) -> bool {
        let others = node.one("additionalProperties").map(|id| &self.tree.node(id).body);
        node.word("patternProperties").is_some() || matches!(others, Some(Body::Words(_)))
    }

    /// Where objects may be open: what they must say about other keys.
    fn other_keys(&mut self, node: &Node) {
        let body = node.one("additionalProperties").map(|id| &self.tree.node(id).body);
        match (node.word("additionalProperties"), body) {
            (None, _) if self.profile.has(RuleName::OpenSaid) => {
                self.refuse(RuleName::OpenSaid, &node.origin, "the object does not say what other keys it allows");
            }
            (Some(word), Some(Body::Words(_))) if self.profile.has(RuleName::FreeMap) => {
                let path = word.origin.clone();
                self.refuse(RuleName::FreeMap, &path, "the object's other keys have a schema");
            }
            _ => {}
        }
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

    /// Schemas that lead back to themselves.
    fn recursion(&mut self) {
        for (rule, steps) in [(RuleName::Recursion, Steps::All), (RuleName::RequiredRecursion, Steps::Required)] {
            if self.profile.has(rule) {
                for (_, path) in cycles::back(self.tree, steps) {
                    self.refuse(rule, &path, "this leads back to a schema it stands in");
                }
            }
        }
    }

    /// Only warned about: no number is published, and whether such a schema passes depends on the rest of it.
    fn deep_unions(&mut self) {
        if self.profile.has(RuleName::DeepUnions) {
            for part in heavy(self.tree) {
                let what = format!(
                    "{} levels of objects with {} unions and {} optional properties below here",
                    part.levels, part.unions, part.optional
                );
                self.warn(RuleName::DeepUnions, &part.path, &what);
            }
        }
    }

    fn limits(&mut self) {
        for limit in self.profile.limits {
            let (used, path) = measure(self.tree, self.place, limit.what);
            self.verdict.counts.push(Count { what: limit.what, used, most: limit.most });
            let what = format!("{used} of at most {} {}", limit.safe, limit.what.noun());
            if used > limit.safe {
                let met =
                    if used > limit.most { "" } else { " (more is documented, but requests with as many failed)" };
                let message = format!("{what}{met}");
                self.verdict.refusals.push(super::refusal(limit.what.rule(), path, message));
            } else if used > limit.warn {
                let message = format!("{what}; requests with more than {} failed in reports", limit.warn);
                self.passes(limit.what.rule(), path, message);
            }
        }
    }
}

/// `^[a-zA-Z0-9_.-]{1,64}$`
pub(super) fn is_tool_key(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}
