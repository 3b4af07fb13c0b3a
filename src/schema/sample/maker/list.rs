//! Lists: places of a tuple, items, `contains`, unique items.

use rand::RngExt;

use super::{Maker, SOFT_DEPTH};
use crate::json::Value;
use crate::schema::tree::merge::all_of;
use crate::schema::tree::{Body, Id, Node};

/// Longer lists are not made.
const MAX_ITEMS: u64 = 5_000;
/// Tries for one more item that is not there yet.
const UNIQUE_TRIES: u32 = 24;

impl Maker {
    pub(super) fn array(&mut self, node: &Node, name: &str, depth: usize) -> Option<Value> {
        let bound = |key: &str| node.data(key).and_then(Value::as_f64);
        let least = whole(bound("minItems").unwrap_or(0.0))?;
        let most = whole(bound("maxItems").unwrap_or(1e9).min(1e9))?;
        if least > most || least > MAX_ITEMS {
            return None;
        }
        let places = node.list("prefixItems").unwrap_or_default().to_vec();
        let rest = node.one("items").or_else(|| node.one("unevaluatedItems"));
        let shut = rest.is_some_and(|id| self.tree.node(self.tree.follow(id)).body == Body::Never);
        let wanted = node.one("contains").map(|id| (id, whole(bound("minContains").unwrap_or(1.0)).unwrap_or(1)));
        let length = self.length(least, most, places.len() as u64, shut, wanted.map_or(0, |(_, count)| count), depth);
        let unique = node.data("uniqueItems") == Some(&Value::Bool(true));
        let item_name = singular(name);
        let mut items: Vec<Value> = Vec::new();
        let mut index = 0_u64;
        while index < length {
            let place = usize::try_from(index).ok().and_then(|at| places.get(at)).copied();
            let schema = self.item_schema(place.or(rest), wanted, (index, length, places.len() as u64));
            let Some(item) = self.item(schema, &item_name, depth, unique.then_some(items.as_slice())) else { break };
            items.push(item);
            index += 1;
        }
        (items.len() as u64 >= least).then_some(Value::Array(items))
    }

    fn length(&mut self, least: u64, most: u64, places: u64, shut: bool, wanted: u64, depth: usize) -> u64 {
        let least = least.max(wanted);
        let most = if shut { most.min(places) } else { most };
        if depth > SOFT_DEPTH || self.style.short {
            return least.max(if shut { 0 } else { places.min(least) }).min(most);
        }
        let extra = self.rng.random_range(1..4);
        least.max(places).max(extra).min(most).max(least.min(most))
    }

    /// The schema of one place; the last places (or the first after the tuple) carry `contains`.
    fn item_schema(
        &mut self,
        place: Option<Id>,
        wanted: Option<(Id, u64)>,
        (index, length, places): (u64, u64, u64),
    ) -> Option<Id> {
        let Some((contains, count)) = wanted else { return place };
        let from = if length >= places + count { length - count } else { length.saturating_sub(count) };
        if index < from {
            return place;
        }
        Some(place.map_or(contains, |place| all_of(&mut self.tree, place, contains)))
    }

    fn item(&mut self, schema: Option<Id>, name: &str, depth: usize, others: Option<&[Value]>) -> Option<Value> {
        for _ in 0..UNIQUE_TRIES {
            let item = match schema {
                Some(id) => self.value(id, name, depth + 1)?,
                None => Value::String(super::super::words::text(&mut self.rng, name)),
            };
            if others.is_none_or(|others| !others.contains(&item)) {
                return Some(item);
            }
        }
        None
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn whole(value: f64) -> Option<u64> {
    (0.0..=1e9).contains(&value).then_some(value.ceil() as u64)
}

/// `tags` → `tag`, `cities` → `city`: the name of one item.
fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies") {
        return format!("{stem}y");
    }
    name.strip_suffix('s').unwrap_or(name).to_owned()
}
