//! Keywords about arrays.

use crate::json::Value;
use crate::schema::diff::arena::End;
use crate::schema::diff::prove::Prover;
use crate::schema::tree::{Held, Id, Word};

/// Longer tuples are not compared place by place.
const MAX_PLACES: usize = 2_000;

impl Prover {
    pub(super) fn entails_array(&mut self, all: &[Id], node: Id, word: &Word) -> bool {
        let most = self.arena.count(all, "maxItems", End::Most).unwrap_or(u64::MAX);
        match (word.name.as_str(), &word.held) {
            ("items", Held::One(child)) => self.items(all, node, *child, most),
            ("prefixItems", Held::List(places)) => places.iter().enumerate().all(|(at, child)| {
                let own = self.arena.effective_item(all, at);
                at as u64 >= most || self.implies_part(&own, *child)
            }),
            ("uniqueItems", Held::Data(value)) => {
                value == &Value::Bool(false) || most <= 1 || self.stated(all, "uniqueItems", value)
            }
            ("contains", Held::One(child)) => self.contains(all, node, *child),
            // Beside `contains` they are judged with it; alone they say nothing.
            ("minContains" | "maxContains", _) => true,
            ("unevaluatedItems", Held::One(child)) => self.is_any(*child),
            _ => false,
        }
    }

    fn items(&mut self, all: &[Id], node: Id, child: Id, most: u64) -> bool {
        let from = self.arena.tuple(&[node]);
        let until = self.arena.tuple(all);
        if until > MAX_PLACES {
            return false;
        }
        for at in from..until {
            let own = self.arena.effective_item(all, at);
            if (at as u64) < most && !self.implies_part(&own, child) {
                return false;
            }
        }
        let rest = self.arena.rest_item(all);
        most <= from.max(until) as u64 || self.implies_part(&rest, child)
    }

    fn contains(&mut self, all: &[Id], node: Id, child: Id) -> bool {
        let least = |id: Id, prover: &Self| match prover.arena.node(id).word("minContains") {
            Some(_) => prover.arena.own_count(id, "minContains"),
            None => Some(1),
        };
        let Some(wanted_least) = least(node, self) else { return false };
        let limited = self.arena.node(node).word("maxContains").is_some();
        let wanted_most = self.arena.own_count(node, "maxContains");
        let (mut enough, mut few) = (wanted_least == 0, !limited);
        for id in all {
            let Some(own) = self.arena.node(*id).one("contains") else { continue };
            let (own_flat, child_flat) = (self.arena.flat(&[own]), self.arena.flat(&[child]));
            enough |= least(*id, self).is_some_and(|own| own >= wanted_least) && self.implies_part(&own_flat, child);
            let own_most = self.arena.own_count(*id, "maxContains");
            few |= own_most.zip(wanted_most).is_some_and(|(own, wanted)| own <= wanted)
                && self.implies_part(&child_flat, own);
        }
        enough && few
    }
}
