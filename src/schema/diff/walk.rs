//! Walks both schemas side by side and puts each difference in words; what a difference does is asked of the prover.

use std::collections::HashSet;

use super::arena::Arena;
use super::prove::{Prover, same_data};
use super::words;
use super::{Change, Class, Diff, MAX_CHANGES, Verdict};
use crate::json::{Value, below};
use crate::schema::tree::keywords::{INERT, is_annotation};
use crate::schema::tree::{Body, Held, Id, Word};

/// Pairs of places that are visited.
const MAX_PAIRS: usize = 20_000;
/// Nesting that is walked.
const MAX_DEPTH: usize = 160;

/// What a difference at a place does to the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    Same,
    /// Under `not`.
    Flipped,
    /// Where parts and whole do not move together; the class of the whole.
    Fixed(Class),
    /// Both accept the same; only annotations are told.
    Quiet,
}

/// Where the walk is.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) path: String,
    /// `in not: `, before the words.
    pub(super) prefix: String,
    pub(super) stance: Stance,
    pub(super) depth: usize,
}

impl At {
    pub(super) fn part(&self, token: &str) -> Self {
        Self { path: below(&self.path, token), depth: self.depth + 1, ..self.clone() }
    }

    pub(super) fn inside(&self, what: &str) -> Self {
        Self { prefix: format!("{}in {what}: ", self.prefix), depth: self.depth + 1, ..self.clone() }
    }

    pub(super) fn with(self, stance: Stance) -> Self {
        let stance = match (self.stance, stance) {
            (Stance::Quiet, _) | (_, Stance::Quiet) => Stance::Quiet,
            (Stance::Fixed(class), _) => Stance::Fixed(class),
            (Stance::Flipped, Stance::Flipped) => Stance::Same,
            (Stance::Flipped, Stance::Same) => Stance::Flipped,
            (Stance::Flipped, Stance::Fixed(class)) => Stance::Fixed(flip(class)),
            (Stance::Same, other) => other,
        };
        Self { stance, ..self }
    }
}

const fn flip(class: Class) -> Class {
    match class {
        Class::Stricter => Class::Looser,
        Class::Looser => Class::Stricter,
        Class::Changed => Class::Changed,
        Class::Unrelated => Class::Unrelated,
    }
}

/// Two conjunctions at one place, and what was shown of them as wholes.
pub(super) struct Pair {
    pub(super) old: Vec<Id>,
    pub(super) new: Vec<Id>,
    pub(super) class: Class,
}

pub(super) struct Walk {
    pub(super) prover: Prover,
    changes: Vec<Change>,
    omitted: usize,
    visited: HashSet<(Vec<Id>, Vec<Id>, bool)>,
}

impl Walk {
    pub(super) fn new(arena: Arena) -> Self {
        Self { prover: Prover::new(arena), changes: Vec::new(), omitted: 0, visited: HashSet::new() }
    }

    pub(super) fn run(mut self, old: Id, new: Id) -> Diff {
        let at = At { path: String::new(), prefix: String::new(), stance: Stance::Same, depth: 0 };
        let class = self.pair(&[old], &[new], &at);
        let verdict = match class {
            Class::Unrelated if self.changes.is_empty() => Verdict::Same,
            Class::Unrelated => Verdict::Annotations,
            Class::Stricter => Verdict::Stricter,
            Class::Looser => Verdict::Looser,
            Class::Changed => Verdict::Incomparable,
        };
        Diff { verdict, changes: self.changes, omitted: self.omitted }
    }

    /// Tells how two schemas at one place differ; what the whole difference does.
    pub(super) fn pair(&mut self, old: &[Id], new: &[Id], at: &At) -> Class {
        let (a, b) = (self.prover.arena.flat(old), self.prover.arena.flat(new));
        let class = self.shown(&a, &b);
        let at = if class == Class::Unrelated { at.clone().with(Stance::Quiet) } else { at.clone() };
        let key = (a.clone(), b.clone(), at.stance == Stance::Quiet);
        if self.visited.len() >= MAX_PAIRS || !self.visited.insert(key) {
            return class;
        }
        let before = (self.changes.len(), self.omitted);
        let pair = Pair { old: a, new: b, class };
        self.annotations(old, new, &pair, &at);
        let told = (self.changes.len(), self.omitted);
        if at.depth < MAX_DEPTH {
            self.constraints(&pair, &at);
        }
        if class != Class::Unrelated && told == (self.changes.len(), self.omitted) && before.0 <= told.0 {
            self.note(&pair, &at, class, "written differently", (self.place(&pair.old), self.place(&pair.new)));
        }
        class
    }

    /// What two conjunctions are to one another.
    pub(super) fn shown(&mut self, old: &[Id], new: &[Id]) -> Class {
        Class::shown(self.prover.implies(new, old), self.prover.implies(old, new))
    }

    fn constraints(&mut self, pair: &Pair, at: &At) {
        let plain = |prover: &mut Prover, ids: &[Id]| ids.iter().all(|id| prover.is_any(*id));
        let never = |prover: &Prover, ids: &[Id]| ids.iter().any(|id| prover.arena.node(*id).body == Body::Never);
        let (any_old, any_new) = (plain(&mut self.prover, &pair.old), plain(&mut self.prover, &pair.new));
        let (no_old, no_new) = (never(&self.prover, &pair.old), never(&self.prover, &pair.new));
        if at.stance != Stance::Quiet && (any_old || any_new || no_old || no_new) {
            let say = |walk: &Self, any: bool, no: bool, ids: &[Id]| match (any, no) {
                (_, true) => "nothing".to_owned(),
                (true, false) => "anything".to_owned(),
                (false, false) => words::shape(&walk.prover.arena, ids),
            };
            let text = format!("{} → {}", say(self, any_old, no_old, &pair.old), say(self, any_new, no_new, &pair.new));
            self.note(pair, at, pair.class, &text, (self.place(&pair.old), self.place(&pair.new)));
            return;
        }
        self.keywords(pair, at);
        self.objects(pair, at);
        self.arrays(pair, at);
        self.choices(pair, at);
        self.singles(pair, at);
    }

    /// Keywords whose value is plain data.
    fn keywords(&mut self, pair: &Pair, at: &At) {
        const NAMES: [&str; 21] = [
            "type",
            "enum",
            "const",
            "minimum",
            "exclusiveMinimum",
            "maximum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minContains",
            "maxContains",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "$dynamicRef",
        ];
        if at.stance == Stance::Quiet {
            return;
        }
        for name in NAMES {
            let (old, new) = (self.data(&pair.old, name), self.data(&pair.new, name));
            let equal = old.len() == new.len() && old.iter().zip(&new).all(|(a, b)| same_data(name, a, b));
            if equal {
                continue;
            }
            let class = self.keyword_class(pair, &[name]);
            let text = words::keyword(name, &old, &new);
            let places = (self.keyword_place(&pair.old, name), self.keyword_place(&pair.new, name));
            self.note(pair, at, class, &text, places);
        }
    }

    fn data(&self, ids: &[Id], name: &str) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        for value in ids.iter().filter_map(|id| self.prover.arena.node(*id).data(name)) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        values
    }

    /// What the difference in some keywords does: are the old ones still said, were the new ones said before?
    pub(super) fn keyword_class(&mut self, pair: &Pair, names: &[&str]) -> Class {
        let stricter = self.says(&pair.new, &pair.old, names);
        let looser = self.says(&pair.old, &pair.new, names);
        Class::shown(stricter, looser)
    }

    fn says(&mut self, all: &[Id], wanted: &[Id], names: &[&str]) -> bool {
        let words: Vec<(Id, Word)> = wanted
            .iter()
            .flat_map(|id| self.prover.arena.words(*id).into_iter().map(|word| (*id, word)))
            .filter(|(_, word)| names.contains(&word.name.as_str()))
            .collect();
        words.iter().all(|(id, word)| {
            all.binary_search(id).is_ok() || self.prover.entails_word(all, *id, word) || {
                // The node as a whole may be said where the word alone cannot be shown.
                self.prover.implies(all, &[*id])
            }
        })
    }

    /// Descriptions, titles, examples and everything else that judges nothing.
    fn annotations(&mut self, old: &[Id], new: &[Id], pair: &Pair, at: &At) {
        let (before, after) = (self.read(old, &pair.old), self.read(new, &pair.new));
        let mut names: Vec<&String> = before.iter().chain(&after).map(|(name, ..)| name).collect();
        names.sort();
        names.dedup();
        let mut told = Vec::new();
        for name in names {
            let find = |list: &[(String, Value, String)]| list.iter().find(|(there, ..)| there == name).cloned();
            let (a, b) = (find(&before), find(&after));
            if a.as_ref().map(|(_, value, _)| value) != b.as_ref().map(|(_, value, _)| value) {
                let text = words::annotation(name, a.is_some(), b.is_some());
                told.push((text, a.map(|(_, _, place)| place), b.map(|(_, _, place)| place)));
            }
        }
        for (text, a, b) in told {
            self.push(at, Class::Unrelated, &text, (a, b));
        }
    }

    /// The annotations of a place, the outermost first.
    fn read(&self, roots: &[Id], flat: &[Id]) -> Vec<(String, Value, String)> {
        let mut found: Vec<(String, Value, String)> = Vec::new();
        for id in roots.iter().chain(flat) {
            for word in self.prover.arena.node(*id).body.words() {
                let name = word.name.as_str();
                let silent =
                    name.starts_with(INERT) || matches!(name, "$schema" | "$id" | "id" | "$anchor" | "$comment");
                let Held::Data(value) = &word.held else { continue };
                if is_annotation(name)
                    && !silent
                    && !name.starts_with('$')
                    && !found.iter().any(|(there, ..)| there == name)
                {
                    found.push((name.to_owned(), value.clone(), word.origin.clone()));
                }
            }
        }
        found
    }

    pub(super) fn place(&self, ids: &[Id]) -> Option<String> {
        ids.first().map(|id| self.prover.arena.node(*id).origin.clone())
    }

    pub(super) fn keyword_place(&self, ids: &[Id], name: &str) -> Option<String> {
        let found = ids.iter().find_map(|id| self.prover.arena.node(*id).word(name).map(|word| word.origin.clone()));
        found.or_else(|| self.place(ids))
    }

    /// Records a difference that judges. Where the whole place was shown to be stricter or looser, a part that looks like the
    /// contrary is not one.
    pub(super) fn note(
        &mut self,
        pair: &Pair,
        at: &At,
        class: Class,
        text: &str,
        places: (Option<String>, Option<String>),
    ) {
        let class = match (pair.class, class) {
            (whole @ (Class::Stricter | Class::Looser), Class::Stricter | Class::Looser | Class::Changed) => whole,
            (_, class) => class,
        };
        let class = match at.stance {
            Stance::Quiet => return,
            Stance::Same => class,
            Stance::Flipped => flip(class),
            Stance::Fixed(_) if class == Class::Unrelated => class,
            Stance::Fixed(whole) => whole,
        };
        let text = if class == Class::Unrelated { format!("{text} (no effect)") } else { text.to_owned() };
        self.push(at, class, &text, places);
    }

    fn push(&mut self, at: &At, class: Class, text: &str, (old, new): (Option<String>, Option<String>)) {
        if self.changes.len() >= MAX_CHANGES {
            self.omitted += 1;
            return;
        }
        let words = format!("{}{text}", at.prefix);
        self.changes.push(Change { path: at.path.clone(), class, words, old, new });
    }
}
