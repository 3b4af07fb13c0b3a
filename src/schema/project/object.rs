//! Objects: closed, every property required, and what follows from that for the rarer keywords.

use super::Level;
use super::inspect::is_tool_key;
use super::mend::Mender;
use super::render::fragment;
use crate::json::Value;
use crate::schema::pattern::Pattern;
use crate::schema::profile::RuleName;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::merge::all_of;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id};
use crate::schema::validate::fitting;

/// Work one match of a property name may take.
const MATCH_FUEL: u64 = 1_000_000;

impl Mender {
    pub(super) fn object(&mut self, id: Id) {
        let node = self.tree.node(id);
        let typed = node.data("type").is_some() && node.types().meets(Types::OBJECT);
        if !typed || node.word("anyOf").is_some() {
            return;
        }
        self.settle_unevaluated(id);
        self.list_named_keys(id);
        self.name_required(id);
        self.drop_maps(id);
        self.drop_impossible(id);
        self.close(id);
        self.say_open(id);
        self.require_all(id);
        self.drop_implied(id);
    }

    /// `unevaluatedProperties` without anything that evaluates elsewhere is `additionalProperties`.
    fn settle_unevaluated(&mut self, id: Id) {
        let node = self.tree.node(id);
        let elsewhere = ["allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef", "dependentSchemas", "not"];
        if self.profile.keyword("unevaluatedProperties").is_some()
            || node.word("unevaluatedProperties").is_none()
            || elsewhere.iter().any(|name| node.word(name).is_some())
        {
            return;
        }
        if node.word("additionalProperties").is_some() {
            self.leave_out(id, "unevaluatedProperties", Level::Exact, " (additionalProperties covers everything)");
        } else if let Some(word) = self.tree.node_mut(id).take("unevaluatedProperties") {
            self.note(Level::Exact, &word.origin, "wrote unevaluatedProperties as additionalProperties");
            self.tree.node_mut(id).set("additionalProperties", &word.origin, word.held);
        }
    }

    /// A map whose keys are listed by name is an object with these properties.
    fn list_named_keys(&mut self, id: Id) {
        let node = self.tree.node(id);
        let free = self.profile.has(RuleName::FreeMap) && self.profile.keyword("propertyNames").is_none();
        let plain = node.named("properties").is_none_or(<[_]>::is_empty) && node.word("patternProperties").is_none();
        let Some(word) = node.word("propertyNames").filter(|_| free && plain) else { return };
        let Held::One(names) = word.held else { return };
        let (names, origin) = (self.tree.node(self.tree.follow(names)), word.origin.clone());
        let only = names.body.words().iter().all(|w| is_annotation(&w.name) || matches!(&*w.name, "enum" | "type"));
        let string = names.types().meets(Types::STRING);
        let Some(values) = names.data("enum").and_then(Value::as_array).filter(|_| only && string) else { return };
        let names: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let others = node.one("additionalProperties");
        let holds = others.unwrap_or_else(|| self.tree.add(&origin, Body::Any));
        let never = self.tree.add(&origin, Body::Never);
        self.note(Level::Exact, &origin, "listed the keys the object may have as properties");
        let node = self.tree.node_mut(id);
        node.take("propertyNames");
        node.set("properties", &origin, Held::Named(names.into_iter().map(|name| (name, holds)).collect()));
        node.set("additionalProperties", &origin, Held::One(never));
    }

    /// An optional property that holds a map with free keys is given up: only an empty map could be asked for.
    fn drop_maps(&mut self, id: Id) {
        let usable = self.profile.has(RuleName::FreeMap) && self.profile.has(RuleName::ClosedObject);
        if !usable || !self.may(Level::Narrow) {
            return;
        }
        let node = self.tree.node(id);
        let required = node.demanded();
        let Some(entries) = node.named("properties") else { return };
        let odd = |name: &str| self.profile.has(RuleName::PropertyName) && !is_tool_key(name);
        let gone = |name: &str, child: Id| {
            !required.has(name) && (odd(name) || self.is_free_map(child) || self.is_only_maps(child))
        };
        let (dropped, kept): (Vec<_>, Vec<_>) = entries.iter().cloned().partition(|(name, child)| gone(name, *child));
        if dropped.is_empty() {
            return;
        }
        for (_, child) in dropped {
            let path = self.tree.node(child).origin.clone();
            self.note(Level::Narrow, &path, "left out: the provider takes no objects with free keys");
        }
        let origin = self.tree.node(id).origin.clone();
        self.tree.node_mut(id).set("properties", &origin, Held::Named(kept));
    }

    /// An object that lists nothing and allows keys of any name.
    pub(super) fn is_free_map(&self, id: Id) -> bool {
        let node = self.tree.node(self.tree.follow(id));
        let combined = ["anyOf", "oneOf", "allOf", "$ref", "enum", "const", "propertyNames"];
        node.data("type").is_some()
            && node.types() == Types::OBJECT
            && node.named("properties").is_none_or(<[_]>::is_empty)
            && !combined.iter().any(|name| node.word(name).is_some())
            && node.one("additionalProperties").is_none_or(|others| self.tree.node(others).body != Body::Never)
    }

    fn is_only_maps(&self, id: Id) -> bool {
        let branches = self.tree.node(self.tree.follow(id)).list("anyOf").unwrap_or_default();
        !branches.is_empty() && branches.iter().all(|branch| self.is_free_map(*branch))
    }

    /// Where objects are closed unless they say otherwise, an open one says so.
    fn say_open(&mut self, id: Id) {
        if self.profile.has(RuleName::ClosedObject) {
            return;
        }
        let node = self.tree.node(id);
        let origin = node.origin.clone();
        let patterned = node.word("patternProperties").is_some();
        let others = node.one("additionalProperties");
        if others.is_none() && !patterned && self.profile.has(RuleName::OpenSaid) {
            self.note(Level::Exact, &origin, "said that other keys are allowed");
            let any = self.tree.add(&origin, Body::Any);
            self.tree.node_mut(id).set("additionalProperties", &origin, Held::One(any));
            return;
        }
        let Some(others) = others.filter(|_| self.profile.has(RuleName::FreeMap)) else { return };
        if !matches!(self.tree.node(others).body, Body::Words(_)) {
            return;
        }
        let place = self.tree.node(id).word("additionalProperties").map_or(origin, |word| word.origin.clone());
        let listed = self.tree.node(id).named("properties").is_some_and(|entries| !entries.is_empty());
        let (level, what, body) = if self.accepts_all(others) {
            (Level::Exact, "wrote the schema of other keys as true", Body::Any)
        } else if listed {
            (Level::Narrow, "closed the object", Body::Never)
        } else {
            (Level::Relax, "left out the schema of other keys, checked locally only", Body::Any)
        };
        if self.may(level) {
            self.note(level, &place, what);
            let held = self.tree.add(&place, body);
            self.tree.node_mut(id).set("additionalProperties", &place, Held::One(held));
        }
    }

    /// Names that are required but not listed become properties that hold what other keys may.
    fn name_required(&mut self, id: Id) {
        if !self.profile.has(RuleName::UnknownRequired) {
            return;
        }
        let node = self.tree.node(id);
        let mut listed = node.named("properties").unwrap_or_default().to_vec();
        let others = node.one("additionalProperties");
        let closed = others.is_some_and(|other| self.tree.node(other).body == Body::Never);
        let there = node.listed();
        let missing: Vec<String> =
            node.required().into_iter().filter(|name| !there.has(name)).map(str::to_owned).collect();
        if missing.is_empty() || closed || node.word("patternProperties").is_some() {
            return;
        }
        let origin = node.word("required").map(|word| word.origin.clone()).unwrap_or_default();
        for name in missing {
            let child = others.unwrap_or_else(|| self.tree.add(&origin, Body::Any));
            listed.push((name, child));
        }
        self.note(Level::Exact, &origin, "listed the required names as properties");
        self.tree.node_mut(id).set("properties", &origin, Held::Named(listed));
    }

    /// In a closed object, an optional property that accepts nothing need not be listed.
    fn drop_impossible(&mut self, id: Id) {
        let node = self.tree.node(id);
        let Some(word) = node.word("properties") else { return };
        let (origin, Held::Named(entries)) = (word.origin.clone(), &word.held) else { return };
        let closed = node.one("additionalProperties").is_some_and(|other| self.tree.node(other).body == Body::Never);
        let will_close = closed || self.may(Level::Narrow) && self.profile.has(RuleName::ClosedObject);
        let required = node.demanded();
        let dead = |name: &str, child: Id| self.tree.node(child).body == Body::Never && !required.has(name);
        let kept: Vec<(String, Id)> = entries.iter().filter(|(name, child)| !dead(name, *child)).cloned().collect();
        if !will_close || kept.len() == entries.len() {
            return;
        }
        let level = if closed { Level::Exact } else { Level::Narrow };
        self.note(level, &origin, "left out properties that accept nothing");
        self.tree.node_mut(id).set("properties", &origin, Held::Named(kept));
    }

    fn close(&mut self, id: Id) {
        if !self.profile.has(RuleName::ClosedObject) || !self.may(Level::Narrow) {
            return;
        }
        let node = self.tree.node(id);
        let origin = node.origin.clone();
        let others = node.one("additionalProperties");
        let closed = others.is_some_and(|other| self.tree.node(other).body == Body::Never);
        let patterned = node.word("patternProperties").is_some();
        let free = patterned || others.is_some_and(|other| !self.accepts_all(other) && !closed);
        let listed = node.named("properties").is_some_and(|entries| !entries.is_empty());
        if closed && !patterned || free && !listed {
            return;
        }
        if patterned && !self.fold_patterns(id) {
            return;
        }
        let place = self.tree.node(id).word("additionalProperties").map_or(origin, |word| word.origin.clone());
        if !closed {
            self.note(Level::Narrow, &place, "closed the object");
            let never = self.tree.add(&place, Body::Never);
            self.tree.node_mut(id).set("additionalProperties", &place, Held::One(never));
        }
    }

    /// `patternProperties` hold for listed names too: put them there, then leave the keyword out.
    fn fold_patterns(&mut self, id: Id) -> bool {
        let node = self.tree.node(id);
        let Some(patterns) = node.named("patternProperties").map(<[(String, Id)]>::to_vec) else { return true };
        let mut listed = node.named("properties").unwrap_or_default().to_vec();
        for (pattern, child) in patterns {
            let Ok(pattern) = Pattern::compile(&pattern) else { return false };
            for (name, there) in &mut listed {
                let mut fuel = MATCH_FUEL;
                let Ok(fits) = pattern.is_match(name, &mut fuel) else { return false };
                if fits {
                    *there = all_of(&mut self.tree, *there, child);
                }
            }
        }
        self.tree.node_mut(id).set("properties", "", Held::Named(listed));
        self.leave_out(id, "patternProperties", Level::Narrow, ": only the listed properties");
        true
    }

    fn require_all(&mut self, id: Id) {
        if !self.profile.has(RuleName::AllRequired) || !self.may(Level::Narrow) {
            return;
        }
        let node = self.tree.node(id);
        let required = node.demanded();
        let listed = node.named("properties").unwrap_or_default();
        let missing: Vec<(String, Id)> = listed.iter().filter(|(name, _)| !required.has(name)).cloned().collect();
        self.made_required.extend(missing.iter().map(|(name, _)| (id, name.clone())));
        self.require_too(id, &missing);
    }

    /// These properties become required beside those that are.
    pub(super) fn require_too(&mut self, id: Id, properties: &[(String, Id)]) {
        if properties.is_empty() {
            return;
        }
        for (_, child) in properties {
            let path = self.tree.node(*child).origin.clone();
            self.note(Level::Narrow, &path, "made required");
        }
        let node = self.tree.node_mut(id);
        let mut all: Vec<Value> = node.required().into_iter().map(Value::from).collect();
        all.extend(properties.iter().map(|(name, _)| Value::from(name.as_str())));
        let origin = node.origin.clone();
        node.set("required", &origin, Held::Data(Value::Array(all)));
    }

    /// Keywords that follow from a closed object with these required properties.
    fn drop_implied(&mut self, id: Id) {
        let node = self.tree.node(id);
        let closed = node.one("additionalProperties").is_some_and(|other| self.tree.node(other).body == Body::Never)
            && node.word("patternProperties").is_none();
        let names: Vec<String> =
            node.named("properties").unwrap_or_default().iter().map(|(name, _)| name.clone()).collect();
        let required: Vec<String> = node.required().iter().map(|name| (*name).to_owned()).collect();
        let count = |name: &str| node.data(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let mut implied = Vec::new();
        if count("minProperties").is_some_and(|least| least <= required.len()) {
            implied.push("minProperties");
        }
        if closed && count("maxProperties").is_some_and(|most| most >= names.len()) {
            implied.push("maxProperties");
        }
        let demanded = node.data("dependentRequired").and_then(Value::as_object);
        if demanded.is_some_and(|rows| {
            rows.values()
                .flat_map(|row| row.as_array().into_iter().flatten())
                .all(|name| name.as_str().is_some_and(|name| required.iter().any(|there| there == name)))
        }) {
            implied.push("dependentRequired");
        }
        if closed && node.one("propertyNames").is_some_and(|child| self.all_fit(child, &names)) {
            implied.push("propertyNames");
        }
        for name in implied {
            if self.profile.keyword(name).is_none() {
                self.leaning.insert(id);
                self.leave_out(id, name, Level::Exact, " (it always holds)");
            }
        }
    }

    fn all_fit(&self, id: Id, names: &[String]) -> bool {
        let names: Vec<Value> = names.iter().cloned().map(Value::String).collect();
        let fits = fragment(&self.tree, id).and_then(|schema| fitting(&schema, self.tree.dialect, &names));
        fits.is_some_and(|fits| fits.into_iter().all(|fits| fits))
    }

    /// Leaves a property out of its object.
    pub(super) fn forget(&mut self, id: Id, name: &str) {
        let node = self.tree.node_mut(id);
        if let Some(Held::Named(entries)) = node.word("properties").map(|word| word.held.clone()) {
            let entries = entries.into_iter().filter(|(there, _)| there != name).collect();
            node.set("properties", "", Held::Named(entries));
        }
        let required =
            node.required().iter().filter(|there| **there != name).map(|there| Value::from(*there)).collect();
        node.set("required", "", Held::Data(Value::Array(required)));
    }
}
