//! Shows that every instance of one schema is one of another. Says yes only with a proof; no means "not shown".
//!
//! Recursion is answered by assumption: a question that comes again below a smaller instance counts as shown while it is
//! open, and everything that rested on it is forgotten when it fails. Work is bounded; past the bound nothing is shown.

use std::collections::{HashMap, HashSet};

use super::arena::{Arena, End};
use crate::json::Value;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id};

/// Questions and comparisons one diff may take.
const FUEL: u64 = 2_000_000;
/// Open questions at once.
const MAX_DEPTH: usize = 240;
/// Alternatives that are looked at one by one.
const MAX_BRANCHES: usize = 64;
/// How deep emptiness is looked for.
const MAX_EMPTY: usize = 3;

type Question = (Vec<Id>, Id);

pub(super) struct Prover {
    pub(super) arena: Arena,
    shown: HashSet<Question>,
    failed: HashSet<Question>,
    /// What was shown, in order, to be forgotten again.
    trail: Vec<Question>,
    /// Open questions and the level of the instance they were asked at.
    open: HashMap<Question, usize>,
    level: usize,
    same: HashMap<(Id, Id), bool>,
    fuel: u64,
}

impl Prover {
    pub(super) fn new(arena: Arena) -> Self {
        Self {
            arena,
            shown: HashSet::new(),
            failed: HashSet::new(),
            trail: Vec::new(),
            open: HashMap::new(),
            level: 0,
            same: HashMap::new(),
            fuel: FUEL,
        }
    }

    /// Takes work from the budget; false when there is none left.
    pub(super) fn pay(&mut self, units: u64) -> bool {
        let left = self.fuel.checked_sub(units);
        self.fuel = left.unwrap_or(0);
        left.is_some()
    }

    /// Is every instance of the one an instance of the other? Both are conjunctions.
    pub(super) fn implies(&mut self, all: &[Id], wanted: &[Id]) -> bool {
        wanted.iter().all(|id| self.entails(all, *id))
    }

    /// The same one step deeper: about parts of the instance.
    pub(super) fn implies_part(&mut self, all: &[Id], wanted: Id) -> bool {
        self.level += 1;
        let wanted = self.arena.flat(&[wanted]);
        let shown = self.implies(all, &wanted);
        self.level -= 1;
        shown
    }

    fn entails(&mut self, all: &[Id], wanted: Id) -> bool {
        if all.binary_search(&wanted).is_ok() || self.arena.node(wanted).body == Body::Any {
            return true;
        }
        let question = (all.to_vec(), wanted);
        if self.shown.contains(&question) {
            return true;
        }
        if let Some(level) = self.open.get(&question) {
            return self.level > *level;
        }
        if !self.pay(1 + all.len() as u64) || self.open.len() >= MAX_DEPTH || self.failed.contains(&question) {
            return false;
        }
        let mark = self.trail.len();
        self.open.insert(question.clone(), self.level);
        let shown = self.shows(all, wanted);
        self.open.remove(&question);
        if shown {
            self.shown.insert(question.clone());
            self.trail.push(question);
        } else {
            for resting in self.trail.drain(mark..) {
                self.shown.remove(&resting);
            }
            self.failed.insert(question);
        }
        shown
    }

    fn shows(&mut self, all: &[Id], wanted: Id) -> bool {
        if all.iter().any(|id| self.is_same(*id, wanted)) || self.is_empty(all, 0) || self.by_values(all, wanted) {
            return true;
        }
        let words = self.arena.words(wanted);
        if self.arena.node(wanted).body == Body::Never {
            return false;
        }
        words.iter().all(|word| self.entails_word(all, wanted, word)) || self.by_cases(all, wanted)
    }

    /// Every value the first one lists meets the second.
    fn by_values(&mut self, all: &[Id], wanted: Id) -> bool {
        let Some(values) = self.arena.values(all) else { return false };
        values.iter().all(|value| {
            self.meets(value, wanted, 0) == Some(true) || all.iter().any(|id| self.meets(value, *id, 0) == Some(false))
        })
    }

    /// Each case on its own: the branches of a choice, or the types one by one.
    fn by_cases(&mut self, all: &[Id], wanted: Id) -> bool {
        let chooses = |id: Id| ["anyOf", "oneOf"].iter().any(|name| self.arena.node(id).word(name).is_some());
        let types = self.arena.types(all).cases();
        if chooses(wanted) && types.len() > 1 {
            return types.into_iter().all(|types| {
                let only = self.arena.typed(types);
                let case = self.arena.flat(&[all, &[only]].concat());
                self.entails(&case, wanted)
            });
        }
        self.choices(all).into_iter().any(|branches| {
            branches.into_iter().all(|branch| {
                let case = self.arena.flat(&[all, &branch].concat());
                self.entails(&case, wanted)
            })
        })
    }

    /// The choices of a conjunction that are not made yet; every instance takes one of the branches.
    fn choices(&mut self, all: &[Id]) -> Vec<Vec<Vec<Id>>> {
        let mut choices = Vec::new();
        for id in all {
            let node = self.arena.node(*id).clone();
            for name in ["anyOf", "oneOf"] {
                let Some(branches) = node.list(name) else { continue };
                if branches.len() <= MAX_BRANCHES {
                    choices.push(branches.iter().map(|branch| vec![*branch]).collect::<Vec<_>>());
                }
            }
            if let (Some(condition), Some(then)) = (node.one("if"), node.one("then")) {
                choices.push(vec![vec![condition, then], node.one("else").into_iter().collect()]);
            }
        }
        let mut open = Vec::new();
        for branches in choices {
            let made = branches.iter().any(|branch| {
                let flat = self.arena.flat(branch);
                flat.iter().all(|id| all.binary_search(id).is_ok())
            });
            if !made {
                open.push(branches);
            }
        }
        open
    }

    /// Has the conjunction no instance, as far as can be seen?
    pub(super) fn is_empty(&mut self, all: &[Id], depth: usize) -> bool {
        if !self.pay(all.len() as u64) || depth > MAX_EMPTY {
            return false;
        }
        let types = self.arena.types(all);
        if types.is_empty() || all.iter().any(|id| self.arena.node(*id).body == Body::Never) {
            return true;
        }
        if let Some(values) = self.arena.values(all)
            && values.iter().all(|value| all.iter().any(|id| self.meets(value, *id, 0) == Some(false)))
        {
            return true;
        }
        (types.within(Types::NUMBER) && self.no_number(all))
            || (types.within(Types::STRING) && self.crossed(all, "minLength", "maxLength"))
            || (types.within(Types::ARRAY) && self.crossed(all, "minItems", "maxItems"))
            || (types.within(Types::OBJECT) && self.no_object(all, depth))
    }

    fn no_number(&self, all: &[Id]) -> bool {
        let (least, most) = (self.arena.bound(all, End::Least), self.arena.bound(all, End::Most));
        let Some(((least, a), (most, b))) = least.zip(most) else { return false };
        least > most || least == most && (a || b)
    }

    fn crossed(&self, all: &[Id], least: &str, most: &str) -> bool {
        let (least, most) = (self.arena.count(all, least, End::Least), self.arena.count(all, most, End::Most));
        least.zip(most).is_some_and(|(least, most)| least > most)
    }

    fn no_object(&mut self, all: &[Id], depth: usize) -> bool {
        self.arena.required(all).iter().any(|name| {
            let part = self.arena.effective(all, name);
            self.is_empty(&part, depth + 1)
        })
    }

    /// Have the two nothing in common, as far as can be seen?
    pub(super) fn disjoint(&mut self, all: &[Id], other: Id) -> bool {
        let both = self.arena.flat(&[all, &[other]].concat());
        if self.is_empty(&both, 0) {
            return true;
        }
        let cases = self.arena.node(other).clone();
        if let Some(branches) = cases.list("anyOf").filter(|list| list.len() <= MAX_BRANCHES) {
            return branches.iter().copied().all(|branch| {
                let deeper = self.arena.flat(&[&both[..], &[branch]].concat());
                self.is_empty(&deeper, 0)
            });
        }
        // An object that must have what the other side may not have, seen from each type alone.
        let types = self.arena.types(&both).cases();
        types.len() > 1
            && types.into_iter().all(|types| {
                let only = self.arena.typed(types);
                let case = self.arena.flat(&[&both[..], &[only]].concat());
                self.is_empty(&case, 0)
            })
    }

    /// Do two nodes say the same, word for word (annotations aside)?
    pub(super) fn is_same(&mut self, a: Id, b: Id) -> bool {
        if let Some(known) = self.same.get(&(a, b)) {
            return *known;
        }
        let (mut assumed, mut stack) = (HashSet::new(), vec![(a, b)]);
        while let Some((x, y)) = stack.pop() {
            let (x, y) = (self.arena.tree.follow(x), self.arena.tree.follow(y));
            if x == y || self.same.get(&(x, y)) == Some(&true) || !assumed.insert((x, y)) {
                continue;
            }
            if !self.pay(2) || !self.pairs(x, y, &mut stack) {
                self.same.insert((a, b), false);
                return false;
            }
        }
        self.same.extend(assumed.into_iter().map(|pair| (pair, true)));
        self.same.insert((a, b), true);
        true
    }

    /// Compares the words of two nodes; what they hold is left to be compared.
    fn pairs(&self, a: Id, b: Id, stack: &mut Vec<(Id, Id)>) -> bool {
        let (a, b) = (self.arena.node(a), self.arena.node(b));
        let judging = |body: &Body| body.words().iter().filter(|word| !is_annotation(&word.name)).count();
        if std::mem::discriminant(&a.body) != std::mem::discriminant(&b.body) {
            return judging(&a.body) + judging(&b.body) == 0 && a.body != Body::Never && b.body != Body::Never;
        }
        if judging(&a.body) != judging(&b.body) {
            return false;
        }
        a.body.words().iter().filter(|word| !is_annotation(&word.name)).all(|word| {
            let Some(other) = b.word(&word.name) else { return false };
            match (&word.held, &other.held) {
                // The two drafts mean different numbers by it.
                (Held::Data(_), Held::Data(_)) if word.name == "type" && self.arena.mixed_integer => false,
                (Held::Data(x), Held::Data(y)) => same_data(&word.name, x, y),
                (Held::Ref(_), Held::Ref(_)) if !self.arena.is_looked_through(word) => false,
                (Held::One(x) | Held::Ref(x), Held::One(y) | Held::Ref(y)) => {
                    stack.push((*x, *y));
                    true
                }
                (Held::List(x), Held::List(y)) if x.len() == y.len() => {
                    stack.extend(x.iter().copied().zip(y.iter().copied()));
                    true
                }
                (Held::Named(x), Held::Named(y)) if x.len() == y.len() => pair_names(x, y, stack),
                _ => false,
            }
        })
    }
}

fn pair_names(a: &[(String, Id)], b: &[(String, Id)], stack: &mut Vec<(Id, Id)>) -> bool {
    let table: HashMap<&str, Id> = b.iter().map(|(name, id)| (name.as_str(), *id)).collect();
    a.iter().all(|(name, id)| {
        table.get(name.as_str()).is_some_and(|other| {
            stack.push((*id, *other));
            true
        })
    })
}

/// Equal keyword values; lists that are sets are compared as sets.
pub(super) fn same_data(name: &str, a: &Value, b: &Value) -> bool {
    if a == b {
        return true;
    }
    match (name, a, b) {
        ("required" | "type" | "enum", Value::Array(x), Value::Array(y)) => {
            let set = |list: &[Value]| list.iter().map(crate::json::canonical).collect::<HashSet<_>>();
            set(x) == set(y)
        }
        (_, Value::Number(_), Value::Number(_)) => crate::schema::tree::merge::same(a, b) == Some(true),
        _ => false,
    }
}
