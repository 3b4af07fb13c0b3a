//! Objects: required and most optional properties, free keys, and what one property demands of others.

use std::collections::HashSet;

use rand::seq::SliceRandom;

use super::super::words;
use super::{Maker, Plain, SOFT_DEPTH};
use crate::json::{Map, Value};
use crate::schema::tree::merge::all_of;
use crate::schema::tree::{Body, Id, Node};

/// Larger objects are not made.
const MAX_MEMBERS: usize = 3_000;

/// What is known about the keys of one object.
struct Keys {
    names: Vec<String>,
    absent: HashSet<String>,
    /// Schemas that must hold besides, because a property is there.
    besides: Vec<Id>,
}

impl Maker {
    pub(super) fn object(&mut self, plain: &Plain, depth: usize) -> Option<Value> {
        let keys = self.keys(plain, depth)?;
        let mut node = plain.node.clone();
        for besides in &keys.besides {
            let whole = self.plain(*besides, depth)?;
            let words = self.both(node.body.words().to_vec(), whole.node.body.words().to_vec())?;
            node.body = Body::Words(words);
        }
        let mut names = keys.names;
        for name in node.required() {
            if !names.iter().any(|there| there == name) {
                names.push(name.to_owned());
            }
        }
        let listed: Vec<String> =
            node.named("properties").unwrap_or_default().iter().map(|(name, _)| name.clone()).collect();
        names.sort_by_key(|name| listed.iter().position(|there| there == name).unwrap_or(usize::MAX));
        let required: HashSet<String> = node.required().iter().map(|name| (*name).to_owned()).collect();
        let mut members = Map::new();
        for name in names {
            let value = match self.schema_of(&node, &name) {
                Some(id) => self.value(id, &name, depth + 1),
                None => Some(Value::String(words::text(&mut self.rng, &name))),
            };
            match value {
                Some(value) => {
                    members.insert(name, value);
                }
                None if required.contains(&name) => return None,
                None => {}
            }
        }
        Some(Value::Object(members))
    }

    /// Which keys the object gets.
    fn keys(&mut self, plain: &Plain, depth: usize) -> Option<Keys> {
        let node = &plain.node;
        let mut keys = Keys { names: Vec::new(), absent: HashSet::new(), besides: Vec::new() };
        keys.names.extend(node.required().iter().map(|name| (*name).to_owned()));
        self.forbid(plain, &mut keys);
        let bound = |name: &str| node.data(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let most = bound("maxProperties").unwrap_or(MAX_MEMBERS).min(MAX_MEMBERS);
        let least = bound("minProperties").unwrap_or(0);
        self.add_optional(node, &mut keys, most, depth);
        Self::demand(node, &mut keys);
        self.fill(node, &mut keys, least, most, depth)?;
        Self::demand(node, &mut keys);
        Some(keys)
    }

    /// Keys that `not` forbids: `not: {required: [name]}`.
    fn forbid(&mut self, plain: &Plain, keys: &mut Keys) {
        for not in &plain.not {
            let node = self.tree.node(self.tree.follow(*not));
            let only =
                node.body.words().iter().all(|word| matches!(word.name.as_str(), "required" | "properties" | "type"));
            if let (true, [name, ..]) = (only, node.required().as_slice())
                && !keys.names.iter().any(|there| there == name)
            {
                keys.absent.insert((*name).to_owned());
            }
        }
    }

    fn add_optional(&mut self, node: &Node, keys: &mut Keys, most: usize, depth: usize) {
        if depth > SOFT_DEPTH {
            return;
        }
        for (name, id) in node.named("properties").unwrap_or_default() {
            let known = keys.names.iter().any(|there| there == name) || keys.absent.contains(name);
            let possible = self.height(*id) < usize::MAX && self.tree.node(self.tree.follow(*id)).body != Body::Never;
            if !known && possible && keys.names.len() < most && self.chance(self.style.optional) {
                keys.names.push(name.clone());
            }
        }
    }

    /// What the properties that are there demand.
    fn demand(node: &Node, keys: &mut Keys) {
        let lists = node.data("dependentRequired").and_then(Value::as_object);
        let mut index = 0;
        while let Some(name) = keys.names.get(index).cloned() {
            index += 1;
            let demanded = lists.and_then(|lists| lists.get(&name)).and_then(Value::as_array);
            for other in demanded.into_iter().flatten().filter_map(Value::as_str) {
                if !keys.names.iter().any(|there| there == other) {
                    keys.names.push(other.to_owned());
                }
            }
            let schemas = node.named("dependentSchemas").unwrap_or_default();
            if let Some((_, id)) = schemas.iter().find(|(there, _)| *there == name)
                && !keys.besides.contains(id)
            {
                keys.besides.push(*id);
            }
        }
    }

    /// Free keys: as many as are demanded, and a few for a map that would be empty otherwise.
    fn fill(&mut self, node: &Node, keys: &mut Keys, least: usize, most: usize, depth: usize) -> Option<()> {
        let listed = node.named("properties").unwrap_or_default();
        let map = listed.is_empty()
            && (node.word("additionalProperties").is_some() || node.word("patternProperties").is_some());
        let wanted = if map && depth <= SOFT_DEPTH && !self.style.short { least.max(2) } else { least }.min(most);
        if least > MAX_MEMBERS {
            return None;
        }
        let mut optional: Vec<String> = listed.iter().map(|(name, _)| name.clone()).collect();
        optional.shuffle(&mut self.rng);
        optional.retain(|name| !keys.names.contains(name) && !keys.absent.contains(name));
        let mut number = 0;
        let mut misses = 0;
        while keys.names.len() < wanted && misses < 60 {
            self.step()?;
            let name = match optional.pop() {
                Some(name) if keys.names.len() < least => Some(name),
                _ => self.free_key(node, number),
            };
            number += 1;
            match name.filter(|name| !keys.names.contains(name) && !keys.absent.contains(name)) {
                Some(name) => keys.names.push(name),
                None => misses += 1,
            }
        }
        Some(())
    }

    /// A key that is not listed.
    fn free_key(&mut self, node: &Node, number: usize) -> Option<String> {
        let patterns = node.named("patternProperties").unwrap_or_default();
        let others = node.one("additionalProperties").or_else(|| node.one("unevaluatedProperties"));
        let shut = others.is_some_and(|id| self.tree.node(self.tree.follow(id)).body == Body::Never);
        if !patterns.is_empty() && (shut || self.chance(60)) {
            let index = rand::RngExt::random_range(&mut self.rng, 0..patterns.len());
            let pattern = patterns.get(index)?.0.clone();
            return self.matching(&pattern, 0, 200);
        }
        if shut {
            return None;
        }
        if let Some(id) = node.one("propertyNames") {
            return match self.value(id, "", 1)? {
                Value::String(name) => Some(name),
                _ => Some(words::key(&mut self.rng, number)),
            };
        }
        Some(words::key(&mut self.rng, number))
    }

    /// Everything that must hold for the value of one key.
    fn schema_of(&mut self, node: &Node, name: &str) -> Option<Id> {
        let listed = node.named("properties").unwrap_or_default();
        let mut schema = listed.iter().find(|(there, _)| there == name).map(|(_, id)| *id);
        for (pattern, id) in node.named("patternProperties").unwrap_or_default().to_vec() {
            if self.matches(&pattern, name) {
                schema = Some(schema.map_or(id, |schema| all_of(&mut self.tree, schema, id)));
            }
        }
        schema.or_else(|| node.one("additionalProperties")).or_else(|| node.one("unevaluatedProperties"))
    }
}
