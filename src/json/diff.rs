//! What differs between two values: a bounded list of changes by pointer, and the same as a JSON Patch (RFC 6902).
//!
//! Elements of arrays are aligned by a member that names them (`id`, `key`, `name` …), else by what is equal and then by
//! what is alike. Numbers are compared as written: `1` and `1.0` differ. The order of members is no difference. Judges
//! nothing and knows no schema: that is `schema::diff`.

mod align;
mod arena;
mod pairs;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::{Map, Value, push_token};
use arena::{Arena, Node};
use pairs::Work;

/// What a comparison may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLimits {
    /// Changes that are listed; what comes after them is left out.
    pub max_changes: usize,
    /// Values (scalars and containers) in each of the two; beyond them the whole is one change.
    pub max_nodes: usize,
    /// Bytes of all pointers together.
    pub max_pointer_bytes: usize,
}

/// One change. Pointers are RFC 6901.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Edit<'v> {
    Added(&'v Value),
    Removed(&'v Value),
    Changed { old: &'v Value, new: &'v Value },
}

/// One change and its places. An element of an array may stand at another place in the new value.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<'v> {
    pub edit: Edit<'v>,
    /// Where it stands in the old value; `None` when it was added.
    pub old_pointer: Option<String>,
    /// Where it stands in the new value; `None` when it was removed.
    pub new_pointer: Option<String>,
}

/// All that differs, in the order of the old value; what was added comes where it stands now, members last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff<'v> {
    pub changes: Vec<Change<'v>>,
    /// There are more changes than the limit lets be listed.
    pub cut: bool,
    /// The values are too large to look into: one change stands for all.
    pub rough: bool,
}

/// How many of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub added: usize,
    pub removed: usize,
    pub changed: usize,
}

impl Default for DiffLimits {
    /// 10,000 changes, two million values, 8 MiB of pointers.
    fn default() -> Self {
        Self { max_changes: 10_000, max_nodes: 2_000_000, max_pointer_bytes: 8 << 20 }
    }
}

impl Change<'_> {
    /// `added`, `removed` or `changed`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.edit {
            Edit::Added(_) => "added",
            Edit::Removed(_) => "removed",
            Edit::Changed { .. } => "changed",
        }
    }

    /// Where it stands in the new value, or stood in the old one.
    #[must_use]
    pub fn pointer(&self) -> &str {
        self.new_pointer.as_deref().or(self.old_pointer.as_deref()).unwrap_or_default()
    }
}

impl Diff<'_> {
    /// Nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// How many of each kind are listed.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for change in &self.changes {
            match change.edit {
                Edit::Added(_) => counts.added += 1,
                Edit::Removed(_) => counts.removed += 1,
                Edit::Changed { .. } => counts.changed += 1,
            }
        }
        counts
    }

    /// The changes as a JSON Patch (RFC 6902): applied to the old value it gives the new one, unless the list is cut.
    /// Holds copies of the new parts.
    #[must_use]
    pub fn patch(&self) -> Value {
        // First what stays in its place, then the removals from the back, then what was added from the front: so that
        // every index means what it meant when the pointer was made.
        let changed = self.changes.iter().filter_map(|change| match change.edit {
            Edit::Changed { new, .. } => Some(step("replace", change.old_pointer.as_deref(), Some(new))),
            Edit::Added(_) | Edit::Removed(_) => None,
        });
        let removed = self.changes.iter().rev().filter_map(|change| match change.edit {
            Edit::Removed(_) => Some(step("remove", change.old_pointer.as_deref(), None)),
            Edit::Added(_) | Edit::Changed { .. } => None,
        });
        let added = self.changes.iter().filter_map(|change| match change.edit {
            Edit::Added(value) => Some(step("add", change.new_pointer.as_deref(), Some(value))),
            Edit::Removed(_) | Edit::Changed { .. } => None,
        });
        Value::Array(changed.chain(removed).chain(added).collect())
    }
}

/// One operation of a JSON Patch.
fn step(op: &str, pointer: Option<&str>, value: Option<&Value>) -> Value {
    let mut members = Map::new();
    members.insert("op".to_owned(), Value::String(op.to_owned()));
    members.insert("path".to_owned(), Value::String(pointer.unwrap_or_default().to_owned()));
    if let Some(value) = value {
        members.insert("value".to_owned(), value.clone());
    }
    Value::Object(members)
}

/// What turns `old` into `new`. Iterative; about linear in the values' size.
#[must_use]
pub fn diff<'v>(old: &'v Value, new: &'v Value, limits: DiffLimits) -> Diff<'v> {
    let (Some(a), Some(b)) = (Arena::of(old, limits.max_nodes), Arena::of(new, limits.max_nodes)) else {
        let whole = Change {
            edit: Edit::Changed { old, new },
            old_pointer: Some(String::new()),
            new_pointer: Some(String::new()),
        };
        return Diff { changes: vec![whole], cut: false, rough: true };
    };
    let mut walk = Walk {
        a: &a,
        b: &b,
        limits,
        steps: Vec::new(),
        tasks: Vec::new(),
        pointer_bytes: 0,
        work: Work::default(),
        out: Diff::default(),
    };
    if a.hash(0) != b.hash(0) {
        walk.tasks.push(Task { old: Some(At { node: 0, place: None }), new: Some(At { node: 0, place: None }) });
    }
    walk.run();
    walk.out
}

/// A node and the last step of the way to it.
#[derive(Clone, Copy)]
struct At {
    node: Node,
    /// `None` is the root.
    place: Option<usize>,
}

/// Two values that differ, or one that has no partner.
#[derive(Clone, Copy)]
struct Task {
    old: Option<At>,
    new: Option<At>,
}

/// One step of a way, from the step before.
#[derive(Clone, Copy)]
struct Step<'v> {
    before: Option<usize>,
    token: Token<'v>,
}

#[derive(Clone, Copy)]
enum Token<'v> {
    Key(&'v str),
    Index(usize),
}

struct Walk<'a, 'v> {
    a: &'a Arena<'v>,
    b: &'a Arena<'v>,
    limits: DiffLimits,
    steps: Vec<Step<'v>>,
    /// The next one last.
    tasks: Vec<Task>,
    pointer_bytes: usize,
    work: Work,
    out: Diff<'v>,
}

impl<'v> Walk<'_, 'v> {
    fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            if self.out.changes.len() >= self.limits.max_changes {
                self.out.cut = true;
                return;
            }
            let goes_on = match (task.old, task.new) {
                (Some(old), Some(new)) => self.pair(old, new),
                (old, new) => self.list(old, new),
            };
            if !goes_on {
                self.out.cut = true;
                return;
            }
        }
    }

    /// Two values that differ: looked into when they are containers of one kind. False when the limits are reached.
    fn pair(&mut self, old: At, new: At) -> bool {
        match (self.a.value(old.node), self.b.value(new.node)) {
            (Some(Value::Object(_)), Some(Value::Object(_))) => self.objects(old, new),
            (Some(Value::Array(_)), Some(Value::Array(_))) => self.arrays(old, new),
            _ => return self.list(Some(old), Some(new)),
        }
        true
    }

    fn objects(&mut self, old: At, new: At) {
        let theirs: HashMap<&str, Node> =
            self.b.children(new.node).filter_map(|node| Some((self.b.key(node)?, node))).collect();
        let mut found = Vec::new();
        let (a, b) = (self.a, self.b);
        for node in a.children(old.node) {
            let Some(key) = a.key(node) else { continue };
            match theirs.get(key) {
                Some(other) if a.hash(node) == b.hash(*other) => {}
                Some(other) => {
                    let task = Task {
                        old: Some(self.enter(old, node, Token::Key(key))),
                        new: Some(self.enter(new, *other, Token::Key(key))),
                    };
                    found.push(task);
                }
                None => found.push(Task { old: Some(self.enter(old, node, Token::Key(key))), new: None }),
            }
            if self.enough(&found) {
                break;
            }
        }
        let Some(Value::Object(ours)) = a.value(old.node) else { return };
        for node in b.children(new.node) {
            if self.enough(&found) {
                break;
            }
            if let Some(key) = b.key(node).filter(|key| !ours.contains_key(*key)) {
                found.push(Task { old: None, new: Some(self.enter(new, node, Token::Key(key))) });
            }
        }
        self.tasks.extend(found.into_iter().rev());
    }

    fn arrays(&mut self, old: At, new: At) {
        let ours: Vec<Node> = self.a.children(old.node).collect();
        let theirs: Vec<Node> = self.b.children(new.node).collect();
        let pairs = pairs::of((self.a, &ours), (self.b, &theirs), &mut self.work);
        let mut found = Vec::new();
        let (mut i, mut j) = (0, 0);
        let ends = std::iter::once((ours.len(), theirs.len()));
        for (to_i, to_j) in pairs.into_iter().chain(ends) {
            while i < to_i && !self.enough(&found) {
                let at = ours.get(i).map(|node| self.enter(old, *node, Token::Index(i)));
                found.push(Task { old: at, new: None });
                i += 1;
            }
            while j < to_j && !self.enough(&found) {
                let at = theirs.get(j).map(|node| self.enter(new, *node, Token::Index(j)));
                found.push(Task { old: None, new: at });
                j += 1;
            }
            if self.enough(&found) {
                break;
            }
            if let (Some(one), Some(other)) = (ours.get(to_i), theirs.get(to_j))
                && self.a.hash(*one) != self.b.hash(*other)
            {
                let (from, to) =
                    (self.enter(old, *one, Token::Index(to_i)), self.enter(new, *other, Token::Index(to_j)));
                found.push(Task { old: Some(from), new: Some(to) });
            }
            (i, j) = (to_i + 1, to_j + 1);
        }
        self.tasks.extend(found.into_iter().rev());
    }

    /// Every task brings a change: more of them than changes may be listed are of no use.
    fn enough(&self, found: &[Task]) -> bool {
        found.len() > self.limits.max_changes
    }

    fn enter(&mut self, from: At, node: Node, token: Token<'v>) -> At {
        self.steps.push(Step { before: from.place, token });
        At { node, place: Some(self.steps.len() - 1) }
    }

    /// Lists a change. False when its pointer has no room left.
    fn list(&mut self, old: Option<At>, new: Option<At>) -> bool {
        let value = |arena: &Arena<'v>, at: Option<At>| at.and_then(|at| arena.value(at.node));
        let edit = match (value(self.a, old), value(self.b, new)) {
            (Some(old), Some(new)) => Edit::Changed { old, new },
            (Some(old), None) => Edit::Removed(old),
            (None, Some(new)) => Edit::Added(new),
            (None, None) => return true,
        };
        let length: usize = [old, new].into_iter().flatten().map(|at| self.length(at)).sum();
        self.pointer_bytes += length;
        if self.pointer_bytes > self.limits.max_pointer_bytes {
            return false;
        }
        let old_pointer = old.map(|at| self.pointer(at));
        let new_pointer = new.map(|at| self.pointer(at));
        self.out.changes.push(Change { edit, old_pointer, new_pointer });
        true
    }

    fn way(&self, at: At) -> impl Iterator<Item = &Step<'v>> {
        let step = |place: Option<usize>| self.steps.get(place?);
        std::iter::successors(step(at.place), move |last| step(last.before))
    }

    /// About how long the pointer will be.
    fn length(&self, at: At) -> usize {
        let tokens = self.way(at).map(|step| match step.token {
            Token::Key(key) => key.len() + 1,
            Token::Index(_) => 8,
        });
        tokens.sum()
    }

    fn pointer(&self, at: At) -> String {
        let mut steps: Vec<&Step<'v>> = self.way(at).collect();
        steps.reverse();
        steps.into_iter().fold(String::new(), |mut pointer, step| {
            match step.token {
                Token::Key(key) => push_token(&mut pointer, key),
                Token::Index(index) => push_token(&mut pointer, &index.to_string()),
            }
            pointer
        })
    }
}
