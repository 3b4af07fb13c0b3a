//! Which elements of two arrays belong together: by a member that names them, else by what is equal; what is left over
//! between them by what is alike.

use std::collections::HashSet;

use super::align::{align, best};
use super::arena::{Arena, Node};
use crate::json::Value;

/// Members that name an object, best first.
const NAMES: [&str; 12] =
    ["id", "_id", "uuid", "guid", "key", "code", "sku", "slug", "number", "name", "title", "label"];
/// Endings of such members.
const ENDINGS: [&str; 3] = ["_id", "Id", "_key"];
/// Members of an element that are compared to tell how alike two are.
const LOOK: usize = 64;
/// Pairs of a gap that are compared.
const GAP: usize = 1024;
/// How alike two elements must be to be one that changed, of 100; where a name says that they are not the same, more so.
const ALIKE: u32 = 15;
const ALIKE_NAMED: u32 = 60;

/// Members that may still be compared in this comparison.
pub(super) struct Work(u64);

impl Default for Work {
    /// About a second.
    fn default() -> Self {
        Self(20_000_000)
    }
}

/// One side: its nodes and the elements of its array.
type Side<'a, 'v> = (&'a Arena<'v>, &'a [Node]);

/// The pairs of elements, rising on both sides.
pub(super) fn of(old: Side<'_, '_>, new: Side<'_, '_>, work: &mut Work) -> Vec<(usize, usize)> {
    let name = name(old, new);
    let least = if name.is_some() { ALIKE_NAMED } else { ALIKE };
    let (a, b) = (tokens(old, name), tokens(new, name));
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (to_i, to_j) in align(&a, &b).into_iter().chain([(a.len(), b.len())]) {
        let left = (old.1.get(i..to_i).unwrap_or_default(), new.1.get(j..to_j).unwrap_or_default());
        let found = alike((old.0, left.0), (new.0, left.1), least, work);
        pairs.extend(found.into_iter().map(|(x, y)| (i + x, j + y)));
        if to_i < a.len() {
            pairs.push((to_i, to_j));
        }
        (i, j) = (to_i + 1, to_j + 1);
    }
    pairs
}

fn tokens((arena, nodes): Side<'_, '_>, name: Option<&str>) -> Vec<u128> {
    let token = |node: &Node| match name {
        Some(name) => named(arena, *node, name).map_or(0, |child| arena.hash(child)),
        None => arena.hash(*node),
    };
    nodes.iter().map(token).collect()
}

/// The member of an object with a scalar in it.
fn named(arena: &Arena<'_>, node: Node, name: &str) -> Option<Node> {
    let child = arena.children(node).take(LOOK).find(|child| arena.key(*child) == Some(name))?;
    matches!(arena.value(child), Some(Value::String(_) | Value::Number(_))).then_some(child)
}

/// A member that every element of both has, with another value in each, and that both sides share values of.
fn name<'v>(old: Side<'_, 'v>, new: Side<'_, 'v>) -> Option<&'v str> {
    let first = *old.1.first()?;
    let keys: Vec<&'v str> = old.0.children(first).take(LOOK).filter_map(|child| old.0.key(child)).collect();
    let known = NAMES.iter().filter_map(|name| keys.iter().find(|key| key.eq_ignore_ascii_case(name)));
    let ending = keys.iter().filter(|key| ENDINGS.iter().any(|end| key.ends_with(end)));
    known.chain(ending).copied().find(|name| names(old, new, name))
}

fn names(old: Side<'_, '_>, new: Side<'_, '_>, name: &str) -> bool {
    let values = |(arena, nodes): Side<'_, '_>| {
        let mut values = HashSet::with_capacity(nodes.len());
        nodes
            .iter()
            .all(|node| named(arena, *node, name).is_some_and(|child| values.insert(arena.hash(child))))
            .then_some(values)
    };
    let (Some(a), Some(b)) = (values(old), values(new)) else { return false };
    a.intersection(&b).count() * 2 >= a.len().min(b.len()).max(1)
}

/// What an element looks like: its members (or elements) and their fingerprints.
enum Look<'v> {
    /// Sorted by name.
    Members(Vec<(&'v str, u128)>),
    Items(Vec<u128>),
    Scalar(std::mem::Discriminant<Value>),
}

/// The pairs of a gap that are alike; where it is too large, those at the same place.
fn alike(old: Side<'_, '_>, new: Side<'_, '_>, least: u32, work: &mut Work) -> Vec<(usize, usize)> {
    let (n, m) = (old.1.len(), new.1.len());
    if n == 0 || m == 0 {
        return Vec::new();
    }
    if n.saturating_mul(m) > GAP || work.0 == 0 {
        let both = |i: &usize| {
            let kind = |(arena, nodes): Side<'_, '_>| Some(std::mem::discriminant(arena.value(*nodes.get(*i)?)?));
            kind(old) == kind(new)
        };
        return (0..n.min(m)).filter(both).map(|i| (i, i)).collect();
    }
    let (a, b) = (looks(old), looks(new));
    work.0 = work.0.saturating_sub((n * m * 8) as u64);
    let score = |i: usize, j: usize| {
        let points = a.get(i).zip(b.get(j)).map_or(0, |(a, b)| likeness(a, b));
        if points >= least { points } else { 0 }
    };
    best(n, m, score)
}

fn looks<'v>((arena, nodes): Side<'_, 'v>) -> Vec<Look<'v>> {
    let look = |node: &Node| match arena.value(*node) {
        Some(Value::Object(_)) => {
            let members = arena.children(*node).take(LOOK).filter_map(|c| Some((arena.key(c)?, arena.hash(c))));
            let mut members: Vec<_> = members.collect();
            members.sort_unstable();
            Look::Members(members)
        }
        Some(Value::Array(_)) => Look::Items(arena.children(*node).take(LOOK).map(|c| arena.hash(c)).collect()),
        Some(scalar @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_))) => {
            Look::Scalar(std::mem::discriminant(scalar))
        }
        None => Look::Scalar(std::mem::discriminant(&Value::Null)),
    };
    nodes.iter().map(look).collect()
}

/// How alike two elements are, 0 to 100.
fn likeness(a: &Look<'_>, b: &Look<'_>) -> u32 {
    match (a, b) {
        (Look::Members(a), Look::Members(b)) => {
            let (keys, equal) = shared(a, b);
            share(40, keys, a.len().max(b.len())) + share(60, equal, a.len().max(b.len()))
        }
        (Look::Items(a), Look::Items(b)) => {
            let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
            30 + share(70, equal, a.len().max(b.len()))
        }
        (Look::Scalar(a), Look::Scalar(b)) => {
            if a == b {
                40
            } else {
                20
            }
        }
        (Look::Members(_) | Look::Items(_) | Look::Scalar(_), _) => 0,
    }
}

fn share(of: u32, part: usize, whole: usize) -> u32 {
    u32::try_from(of as usize * part / whole.max(1)).unwrap_or(0)
}

/// How many names both have, and how many of them with equal values.
fn shared(a: &[(&str, u128)], b: &[(&str, u128)]) -> (usize, usize) {
    let (mut i, mut j, mut keys, mut equal) = (0, 0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.0.cmp(y.0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                keys += 1;
                equal += usize::from(x.1 == y.1);
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    (keys, equal)
}
