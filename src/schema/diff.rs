//! What changed between two schemas, in meaning: for each path whether the new one is stricter, looser or neither, in words.
//!
//! Claims only what it can show. *Stricter* means every instance of the new schema is one of the old (*looser* the other way
//! round); what cannot be shown either way is *changed*. References are looked through, so moving a part into `$defs` is no
//! change. `format` counts as a constraint. Work is bounded for any two schemas: past the bound everything is *changed*.

mod arena;
mod branches;
mod entail;
mod prove;
mod value;
mod walk;
mod words;

use serde::Serialize;

use super::stack;
use super::tree::Dangling;
use crate::json::Value;
use walk::Walk;

/// At most this many changes are listed.
pub const MAX_CHANGES: usize = 300;

/// What one change does to the set of accepted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// What the new one accepts here, the old one accepted.
    Stricter,
    /// What the old one accepted here, the new one accepts.
    Looser,
    /// Neither could be shown.
    Changed,
    /// Accepts the same: a description, a title, an example, or a keyword that had no effect.
    Unrelated,
}

/// The two schemas as wholes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing changed that means anything.
    Same,
    /// Both accept the same; only what people and models read changed.
    Annotations,
    Stricter,
    Looser,
    Incomparable,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Where in an instance, as a pointer: `/items/*/price`; `*` is any item or any other member, `{pattern}` a member whose
    /// name matches. The root is `""`.
    pub path: String,
    pub class: Class,
    /// `minimum 0 → 1`, `now required`, `property removed`. Holds pieces of the schema: for the screen, not for logs.
    pub words: String,
    /// Pointer into the old schema, when there is a place.
    pub old: Option<String>,
    /// Pointer into the new schema, when there is a place.
    pub new: Option<String>,
}

/// All differences of two schemas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diff {
    pub verdict: Verdict,
    pub changes: Vec<Change>,
    /// Changes past [`MAX_CHANGES`].
    pub omitted: usize,
}

impl Verdict {
    /// The stable word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Annotations => "annotations",
            Self::Stricter => "stricter",
            Self::Looser => "looser",
            Self::Incomparable => "incomparable",
        }
    }
}

impl Class {
    /// The stable word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stricter => "stricter",
            Self::Looser => "looser",
            Self::Changed => "changed",
            Self::Unrelated => "unrelated",
        }
    }

    /// From what was shown: new within old, old within new.
    const fn shown(stricter: bool, looser: bool) -> Self {
        match (stricter, looser) {
            (true, true) => Self::Unrelated,
            (true, false) => Self::Stricter,
            (false, true) => Self::Looser,
            (false, false) => Self::Changed,
        }
    }
}

/// Compares two schemas that preflight accepts. Runs up to seconds on the largest ones: call it off the loop.
///
/// A schema whose references lead nowhere gives [`Verdict::Incomparable`] with one change at the root.
#[must_use]
pub fn diff(old: &Value, new: &Value) -> Diff {
    if old == new {
        return Diff { verdict: Verdict::Same, changes: Vec::new(), omitted: 0 };
    }
    let done = stack::with_known_stack(|| compare(old, new));
    done.unwrap_or_else(|| unknown("the two could not be compared: no memory for another thread", None))
}

fn compare(old: &Value, new: &Value) -> Diff {
    match arena::join(old, new) {
        Ok((arena, a, b)) => Walk::new(arena).run(a, b),
        Err(Dangling(path)) => unknown("a reference leads nowhere, the two cannot be compared", Some(path)),
    }
}

fn unknown(words: &str, place: Option<String>) -> Diff {
    let change = Change { path: String::new(), class: Class::Changed, words: words.to_owned(), old: None, new: place };
    Diff { verdict: Verdict::Incomparable, changes: vec![change], omitted: 0 }
}
