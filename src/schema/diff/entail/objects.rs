//! Keywords about objects.

use crate::json::Value;
use crate::schema::diff::arena::End;
use crate::schema::diff::prove::Prover;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Word};

impl Prover {
    pub(super) fn entails_object(&mut self, all: &[Id], node: Id, word: &Word) -> bool {
        match (word.name.as_str(), &word.held) {
            ("required", _) => {
                let names: Vec<String> = self.arena.node(node).required().into_iter().map(str::to_owned).collect();
                names.iter().all(|name| self.arena.requires(all, name))
            }
            ("minProperties", Held::Data(value)) => {
                self.counted(all, node, word, value, End::Least)
                    || self.arena.own_count(node, "minProperties").is_some_and(|least| self.has_many(all, least))
            }
            ("maxProperties", Held::Data(value)) => {
                self.counted(all, node, word, value, End::Most)
                    || self.arena.own_count(node, "maxProperties").is_some_and(|most| self.has_few(all, most))
            }
            ("properties", Held::Named(entries)) => entries.iter().all(|(name, child)| {
                let own = self.arena.effective(all, name);
                self.implies_part(&own, *child)
            }),
            ("patternProperties", Held::Named(entries)) => {
                entries.iter().all(|(pattern, child)| self.patterned(all, pattern, *child))
            }
            ("additionalProperties", Held::One(others)) => self.closed(all, node, *others),
            ("propertyNames", Held::One(names)) => self.named(all, *names),
            ("dependentRequired", Held::Data(Value::Object(table))) => {
                table.iter().all(|(name, wanted)| self.depends(all, name, wanted))
            }
            ("dependentSchemas", Held::Named(entries)) => entries.iter().all(|(name, wanted)| {
                let mut parts = all.to_vec();
                for id in all {
                    let own = self.arena.node(*id).named("dependentSchemas").unwrap_or_default();
                    parts.extend(own.iter().filter(|(there, _)| there == name).map(|(_, child)| *child));
                }
                let (parts, wanted) = (self.arena.flat(&parts), self.arena.flat(&[*wanted]));
                self.implies(&parts, &wanted) || self.is_forbidden(all, name)
            }),
            ("unevaluatedProperties", Held::One(others)) => self.is_any(*others),
            _ => false,
        }
    }

    /// Objects of the conjunction have at least so many members.
    fn has_many(&self, all: &[Id], least: u64) -> bool {
        self.arena.required(all).len() as u64 >= least
    }

    /// Objects of the conjunction have at most so many members.
    fn has_few(&self, all: &[Id], most: u64) -> bool {
        all.iter().any(|id| {
            let node = self.arena.node(*id);
            let shut = node.one("additionalProperties").is_some_and(|o| self.arena.node(o).body == Body::Never);
            let listed = node.named("properties").map_or(0, <[_]>::len) as u64;
            shut && node.word("patternProperties").is_none() && listed <= most
        })
    }

    /// No object of the conjunction has this member.
    fn is_forbidden(&mut self, all: &[Id], name: &str) -> bool {
        let own = self.arena.effective(all, name);
        self.is_empty(&own, 0)
    }

    /// Members whose name matches the pattern meet the part.
    fn patterned(&mut self, all: &[Id], pattern: &str, child: Id) -> bool {
        if self.is_any(child) {
            return true;
        }
        for name in self.arena.names(all) {
            if !self.pay(1) {
                return false;
            }
            if self.arena.matches(pattern, &name) != Some(false) {
                let own = self.arena.effective(all, &name);
                if !self.implies_part(&own, child) {
                    return false;
                }
            }
        }
        all.iter().any(|id| {
            let own = self.arena.node(*id).named("patternProperties").unwrap_or_default();
            let same = own.iter().find(|(there, _)| there == pattern).map(|(_, child)| *child);
            match same {
                Some(same) => {
                    let same = self.arena.flat(&[same]);
                    self.implies_part(&same, child)
                }
                None => self.others_meet(*id, &[], child),
            }
        })
    }

    /// Members the wanted node neither lists nor matches meet the part.
    fn closed(&mut self, all: &[Id], node: Id, others: Id) -> bool {
        if self.is_any(others) {
            return true;
        }
        let wanted = self.arena.node(node).clone();
        let patterns: Vec<String> =
            wanted.named("patternProperties").unwrap_or_default().iter().map(|(pattern, _)| pattern.clone()).collect();
        for name in self.arena.names(all) {
            if !self.pay(1) {
                return false;
            }
            let covered = self.arena.lists(&[node], &name) || self.arena.matches_any(&patterns, &name);
            if !covered {
                let own = self.arena.effective(all, &name);
                if !self.implies_part(&own, others) {
                    return false;
                }
            }
        }
        all.iter().any(|id| self.others_meet(*id, &patterns, others))
    }

    /// Members this node does not list, and that match none of these patterns, meet the part.
    fn others_meet(&mut self, id: Id, besides: &[String], child: Id) -> bool {
        let node = self.arena.node(id).clone();
        let own = node.named("patternProperties").unwrap_or_default();
        let patterned = own.iter().filter(|(pattern, _)| !besides.contains(pattern));
        let rest = node.one("additionalProperties");
        let Some(rest) = rest else { return false };
        patterned.map(|(_, part)| *part).chain([rest]).all(|part| {
            let part = self.arena.flat(&[part]);
            self.implies_part(&part, child)
        })
    }

    fn named(&mut self, all: &[Id], names: Id) -> bool {
        let string = self.arena.typed(Types::STRING);
        let own: Vec<Id> = self.parts(all, "propertyNames").into_iter().chain([string]).collect();
        let own = self.arena.flat(&own);
        if self.implies_part(&own, names) {
            return true;
        }
        all.iter().any(|id| {
            let node = self.arena.node(*id).clone();
            let shut = node.one("additionalProperties").is_some_and(|o| self.arena.node(o).body == Body::Never);
            let listed = node.named("properties").unwrap_or_default();
            shut && node.word("patternProperties").is_none()
                && listed.iter().all(|(name, _)| self.meets(&Value::String(name.clone()), names, 0) == Some(true))
        })
    }

    fn depends(&mut self, all: &[Id], name: &str, wanted: &Value) -> bool {
        let wanted: Vec<&str> = wanted.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let said = |asked: &str| {
            self.arena.requires(all, asked)
                || asked == name
                || all.iter().any(|id| {
                    let own = self.arena.node(*id).data("dependentRequired").and_then(|table| table.get(name));
                    own.and_then(Value::as_array).is_some_and(|list| list.iter().any(|n| n.as_str() == Some(asked)))
                })
        };
        wanted.into_iter().all(said) || self.is_forbidden(all, name)
    }
}
