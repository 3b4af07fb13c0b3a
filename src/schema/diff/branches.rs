//! Objects, arrays, choices and single parts: what is paired with what, and how a difference in a part reaches the whole.

use super::Class;
use super::walk::{At, Pair, Stance, Walk};
use crate::schema::tree::Id;
use crate::schema::tree::types::Types;

/// More pairs of branches are not tried.
const MAX_TRIES: usize = 2_500;
/// Longer tuples are compared as wholes.
const MAX_PLACES: usize = 200;

/// A property that only one side lists.
struct Lone {
    name: String,
    ids: Vec<Id>,
    required: bool,
}

impl Walk {
    pub(super) fn objects(&mut self, pair: &Pair, at: &At) {
        let sealed = |walk: &Self, ids: &[Id]| !walk.prover.parts(ids, "unevaluatedProperties").is_empty();
        let stance =
            if sealed(self, &pair.old) || sealed(self, &pair.new) { Stance::Fixed(pair.class) } else { Stance::Same };
        let (old, new) = (self.prover.arena.names(&pair.old), self.prover.arena.names(&pair.new));
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for name in &new {
            let both = self.prover.arena.lists(&pair.old, name);
            if both {
                let a = self.prover.arena.effective(&pair.old, name);
                let b = self.prover.arena.effective(&pair.new, name);
                self.demand(pair, at, name);
                self.pair_raw(pair, (&a, &b), name, &at.part(name));
            } else {
                added.push(self.lone(&pair.new, name));
            }
        }
        for name in &old {
            if !self.prover.arena.lists(&pair.new, name) {
                removed.push(self.lone(&pair.old, name));
            }
        }
        if at.stance != Stance::Quiet {
            self.renames(pair, at, &mut added, &mut removed);
            let at = at.clone().with(stance);
            for lone in &added {
                self.lone_change(pair, &at, lone, "added");
            }
            for lone in &removed {
                self.lone_change(pair, &at, lone, "removed");
            }
            self.unlisted_demands(pair, &at, (&old, &new));
        }
        self.others(pair, at);
        self.patterns(pair, at);
    }

    /// A property of both: the author's own nodes carry the annotations.
    fn pair_raw(&mut self, pair: &Pair, effective: (&[Id], &[Id]), name: &str, at: &At) {
        let raw = |walk: &Self, ids: &[Id], flat: &[Id]| {
            let own = ids.iter().filter_map(|id| {
                let entries = walk.prover.arena.node(*id).named("properties")?;
                entries.iter().find(|(there, _)| there == name).map(|(_, child)| *child)
            });
            own.chain(flat.iter().copied()).collect::<Vec<Id>>()
        };
        let (a, b) = (raw(self, &pair.old, effective.0), raw(self, &pair.new, effective.1));
        self.pair(&a, &b, at);
    }

    fn lone(&mut self, ids: &[Id], name: &str) -> Lone {
        let required = self.prover.arena.requires(ids, name);
        let own = self.prover.arena.effective(ids, name);
        Lone { name: name.to_owned(), ids: own, required }
    }

    /// `now required` and its contrary.
    fn demand(&mut self, pair: &Pair, at: &At, name: &str) {
        let (before, after) =
            (self.prover.arena.requires(&pair.old, name), self.prover.arena.requires(&pair.new, name));
        let (class, text) = match (before, after) {
            (false, true) => (Class::Stricter, "now required"),
            (true, false) => (Class::Looser, "no longer required"),
            (true, true) | (false, false) => return,
        };
        let places = (self.keyword_place(&pair.old, "required"), self.keyword_place(&pair.new, "required"));
        self.note(&free(pair), &at.part(name), class, text, places);
    }

    fn unlisted_demands(&mut self, pair: &Pair, at: &At, (old, new): (&[String], &[String])) {
        let mut names = self.prover.arena.required(&pair.old);
        names.extend(self.prover.arena.required(&pair.new));
        names.sort();
        names.dedup();
        for name in names.iter().filter(|name| !old.contains(name) && !new.contains(name)) {
            self.demand(pair, at, name);
        }
    }

    /// A property that one side does not list: what held for that name there is asked.
    fn lone_change(&mut self, pair: &Pair, at: &At, lone: &Lone, what: &str) {
        let a = self.prover.arena.effective(&pair.old, &lone.name);
        let b = self.prover.arena.effective(&pair.new, &lone.name);
        let (before, after) =
            (self.prover.arena.requires(&pair.old, &lone.name), self.prover.arena.requires(&pair.new, &lone.name));
        let shown = self.shown(&a, &b);
        let stricter = matches!(shown, Class::Stricter | Class::Unrelated) && (after || !before);
        let looser = matches!(shown, Class::Looser | Class::Unrelated) && (before || !after);
        let required = if lone.required { " (required)" } else { "" };
        let text = format!("property {what}{required}");
        let places = if what == "added" {
            (self.keyword_place(&pair.old, "properties"), self.place(&lone.ids))
        } else {
            (self.place(&lone.ids), self.keyword_place(&pair.new, "properties"))
        };
        self.note(&free(pair), &at.part(&lone.name), Class::shown(stricter, looser), &text, places);
    }

    /// A removed and an added property of the same shape are told as one.
    fn renames(&mut self, pair: &Pair, at: &At, added: &mut Vec<Lone>, removed: &mut Vec<Lone>) {
        if added.len() * removed.len() > MAX_TRIES {
            return;
        }
        let mut gone = 0;
        while gone < removed.len() {
            let mut same = Vec::new();
            for (index, lone) in added.iter().enumerate() {
                let shape = self.shown(&removed[gone].ids, &lone.ids) == Class::Unrelated;
                let says = lone.ids.iter().any(|id| !self.prover.is_any(*id));
                if shape && says && removed[gone].required == lone.required {
                    same.push(index);
                }
            }
            let near = |index: &usize| alike(&removed[gone].name, &added[*index].name);
            let Some(best) = same.into_iter().max_by_key(near) else {
                gone += 1;
                continue;
            };
            let (old, new) = (removed.remove(gone), added.remove(best));
            let text = format!("property removed, /{} of the same shape added: renamed?", new.name);
            let places = (self.place(&old.ids), self.place(&new.ids));
            self.note(&free(pair), &at.part(&old.name), Class::Changed, &text, places);
        }
    }

    /// Members that are not listed.
    fn others(&mut self, pair: &Pair, at: &At) {
        let (a, b) = (
            self.prover.parts(&pair.old, "additionalProperties"),
            self.prover.parts(&pair.new, "additionalProperties"),
        );
        if a.is_empty() && b.is_empty() {
            return;
        }
        let (old, new) = (self.prover.arena.flat(&a), self.prover.arena.flat(&b));
        let class = self.shown(&old, &new);
        let never = |walk: &mut Self, ids: &[Id]| walk.prover.is_empty(ids, 0);
        let (shut_old, shut_new) = (never(self, &old), never(self, &new));
        if class == Class::Unrelated || !shut_old && !shut_new {
            self.pair(&a, &b, &at.part("*"));
            return;
        }
        let text = if shut_new { "other properties no longer allowed" } else { "other properties now allowed" };
        let name = "additionalProperties";
        let places = (self.keyword_place(&pair.old, name), self.keyword_place(&pair.new, name));
        let class = self.keyword_class(pair, &[name]);
        let class = if class == Class::Unrelated { Class::Changed } else { class };
        self.note(&free(pair), at, class, text, places);
    }

    fn patterns(&mut self, pair: &Pair, at: &At) {
        let read = |walk: &Self, ids: &[Id]| {
            let all =
                ids.iter().flat_map(|id| walk.prover.arena.node(*id).named("patternProperties").unwrap_or_default());
            all.cloned().collect::<Vec<(String, Id)>>()
        };
        let (old, new) = (read(self, &pair.old), read(self, &pair.new));
        let mut lone = false;
        for (pattern, b) in &new {
            match old.iter().find(|(there, _)| there == pattern) {
                Some((_, a)) => {
                    self.pair(&[*a], &[*b], &at.part(&format!("{{{pattern}}}")));
                }
                None => lone = true,
            }
        }
        lone |= old.iter().any(|(pattern, _)| !new.iter().any(|(there, _)| there == pattern));
        if lone {
            self.keyword_note(pair, at, "patternProperties", "patterns of property names changed");
        }
    }

    /// One keyword as a whole.
    fn keyword_note(&mut self, pair: &Pair, at: &At, name: &str, text: &str) {
        let class = self.keyword_class(pair, &[name]);
        let places = (self.keyword_place(&pair.old, name), self.keyword_place(&pair.new, name));
        self.note(pair, at, class, text, places);
    }

    pub(super) fn arrays(&mut self, pair: &Pair, at: &At) {
        let tuple = self.prover.arena.tuple(&pair.old).max(self.prover.arena.tuple(&pair.new));
        if tuple > MAX_PLACES {
            self.keyword_note(pair, at, "prefixItems", "places of the tuple changed");
        } else {
            for place in 0..tuple {
                let a = self.prover.arena.effective_item(&pair.old, place);
                let b = self.prover.arena.effective_item(&pair.new, place);
                self.pair(&a, &b, &at.part(&place.to_string()));
            }
        }
        let (a, b) = (self.prover.parts(&pair.old, "items"), self.prover.parts(&pair.new, "items"));
        if !a.is_empty() || !b.is_empty() {
            self.pair(&a, &b, &at.part("*"));
        }
    }

    /// `anyOf` and `oneOf`: branches that say the same are put together, the rest in order.
    pub(super) fn choices(&mut self, pair: &Pair, at: &At) {
        for name in ["anyOf", "oneOf"] {
            let read = |walk: &Self, ids: &[Id]| {
                let lists = ids.iter().filter_map(|id| walk.prover.arena.node(*id).list(name));
                lists.map(<[Id]>::to_vec).collect::<Vec<_>>()
            };
            let (old, new) = (read(self, &pair.old), read(self, &pair.new));
            match (old.as_slice(), new.as_slice()) {
                ([], []) => {}
                ([a], [b]) => self.branches(pair, at, name, (a, b)),
                (a, b) => {
                    let what = if a.is_empty() {
                        "added"
                    } else if b.is_empty() {
                        "removed"
                    } else {
                        "changed"
                    };
                    self.keyword_note(pair, at, name, &format!("{name} {what}"));
                }
            }
        }
    }

    fn branches(&mut self, pair: &Pair, at: &At, name: &str, (old, new): (&[Id], &[Id])) {
        let whole = self.keyword_class(pair, &[name]);
        let stance = if name == "oneOf" { Stance::Fixed(whole) } else { Stance::Same };
        let at = at.clone().with(stance);
        let (mut old, mut new): (Vec<Id>, Vec<Id>) = (old.to_vec(), new.to_vec());
        let tries = old.len() * new.len() <= MAX_TRIES;
        let mut left = Vec::new();
        for a in std::mem::take(&mut old) {
            let found = if tries { new.iter().position(|b| self.equal(a, *b)) } else { None };
            match found {
                Some(index) => {
                    let b = new.remove(index);
                    self.pair(&[a], &[b], &at.inside(name));
                }
                None => left.push(a),
            }
        }
        for a in left {
            let kind = self.kind(a);
            let found = new.iter().position(|b| self.kind(*b) == kind).or(if new.is_empty() { None } else { Some(0) });
            match found {
                Some(index) if self.kind(new[index]) == kind => {
                    let b = new.remove(index);
                    self.pair(&[a], &[b], &at.inside(name));
                }
                _ => {
                    let text = format!("{name}: a branch removed ({})", self.kind(a).words().join(" or "));
                    let class = if name == "anyOf" { Class::Stricter } else { whole };
                    self.note(pair, &at, class, &text, (self.place(&[a]), self.keyword_place(&pair.new, name)));
                }
            }
        }
        for b in new {
            let text = format!("{name}: a branch added ({})", self.kind(b).words().join(" or "));
            let class = if name == "anyOf" { Class::Looser } else { whole };
            self.note(pair, &at, class, &text, (self.keyword_place(&pair.old, name), self.place(&[b])));
        }
    }

    fn equal(&mut self, a: Id, b: Id) -> bool {
        let (a, b) = (self.prover.arena.flat(&[a]), self.prover.arena.flat(&[b]));
        self.shown(&a, &b) == Class::Unrelated
    }

    fn kind(&mut self, id: Id) -> Types {
        let flat = self.prover.arena.flat(&[id]);
        self.prover.arena.types(&flat)
    }

    /// Keywords that hold one schema.
    pub(super) fn singles(&mut self, pair: &Pair, at: &At) {
        for name in
            ["propertyNames", "contains", "not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems"]
        {
            let (a, b) = (self.prover.parts(&pair.old, name), self.prover.parts(&pair.new, name));
            let group: &[&str] = if matches!(name, "if" | "then" | "else") { &["if", "then", "else"] } else { &[name] };
            match (a.as_slice(), b.as_slice()) {
                ([], []) => {}
                ([x], [y]) => {
                    let stance = match name {
                        "not" => Stance::Flipped,
                        "propertyNames" | "then" | "else" => Stance::Same,
                        _ => Stance::Fixed(self.keyword_class(pair, group)),
                    };
                    self.pair(&[*x], &[*y], &at.inside(name).with(stance));
                }
                (x, y) => {
                    let what = if x.is_empty() {
                        "added"
                    } else if y.is_empty() {
                        "removed"
                    } else {
                        "changed"
                    };
                    let class = self.keyword_class(pair, group);
                    let places = (self.keyword_place(&pair.old, name), self.keyword_place(&pair.new, name));
                    self.note(pair, at, class, &format!("{name} {what}"), places);
                }
            }
        }
        let name = "dependentSchemas";
        if self.keyword_class(pair, &[name]) != Class::Unrelated {
            self.keyword_note(pair, at, name, "dependentSchemas changed");
        }
    }
}

/// The pair without its verdict: differences in parts are told as what they are.
fn free(pair: &Pair) -> Pair {
    Pair { old: pair.old.clone(), new: pair.new.clone(), class: Class::Changed }
}

/// How much two names have in common: letters at the start and at the end.
fn alike(a: &str, b: &str) -> usize {
    let start = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let end = a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y).count();
    start + end
}
