//! Constraints as edits of the author's schema. Only what was tried is offered.

use crate::json::{Map, Value, below, canonical};
use crate::schema::tree::{Body, Held, Node, Tree};
use crate::schema::validate::{JudgeOptions, judge};
use crate::schema::{Dialect, ResponseFormat};

use super::{Looked, Offer};

/// Bytes of schemas that are compiled to try offers.
const MAX_COMPILED: usize = 12 * 1024 * 1024;
/// Offers tried for one mutant.
const MAX_TRIES: usize = 6;

/// What the schema's draft and the judge allow to be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rules {
    /// `format` is asserted.
    pub(super) asserted: bool,
    /// Exclusive bounds are numbers.
    pub(super) open_bounds: bool,
    dialect: Dialect,
}

/// A keyword somebody would like at a place.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    at: String,
    keyword: &'static str,
    value: Value,
    /// `true` stands there: it becomes an object.
    whole: bool,
}

impl Wish {
    pub(super) fn new(node: &Node, keyword: &'static str, value: Value) -> Self {
        Self { at: node.origin.clone(), keyword, value, whole: node.body == Body::Any }
    }

    fn edit(&self) -> (String, Value) {
        if self.whole {
            let mut map = Map::new();
            map.insert(self.keyword.to_owned(), self.value.clone());
            return (self.at.clone(), Value::Object(map));
        }
        (below(&self.at, self.keyword), self.value.clone())
    }
}

/// Does the draft know the keyword?
fn known(wish: &Wish, dialect: Dialect) -> bool {
    wish.keyword != "unevaluatedProperties" || dialect >= Dialect::Draft201909
}

pub(super) struct Offers<'a> {
    format: ResponseFormat,
    tree: &'a Tree,
    good: &'a Value,
    options: JudgeOptions,
    /// Bytes of the good answer.
    pub(super) size: usize,
    schema_bytes: usize,
    left: usize,
}

impl<'a> Offers<'a> {
    pub(super) fn new(format: &ResponseFormat, tree: &'a Tree, good: &'a Value, options: JudgeOptions) -> Self {
        Self {
            format: format.clone(),
            tree,
            good,
            options,
            size: canonical(good).len(),
            schema_bytes: canonical(&format.schema).len(),
            left: MAX_COMPILED,
        }
    }

    pub(super) const fn rules(&self) -> Rules {
        let dialect = self.tree.dialect;
        Rules { asserted: self.options.assert_format, open_bounds: !matches!(dialect, Dialect::Draft4), dialect }
    }

    /// The first wish that stops the mutant and keeps the good answer; and whether all were tried until then.
    pub(super) fn find(&mut self, wishes: &[Wish], mutant: &Value) -> (Option<Offer>, Looked) {
        let dialect = self.rules().dialect;
        let mut fit = wishes.iter().filter(|wish| known(wish, dialect));
        for wish in fit.by_ref().take(MAX_TRIES) {
            let Some(left) = self.left.checked_sub(self.schema_bytes + 256) else { return (None, Looked::CutShort) };
            self.left = left;
            if self.works(wish, mutant) {
                let (at, keyword, value) = (wish.at.clone(), wish.keyword, wish.value.clone());
                let ((pointer, replacement), shared) = (wish.edit(), self.shared(&at));
                return (Some(Offer { at, keyword, value, pointer, replacement, shared }), Looked::Through);
            }
        }
        (None, if fit.next().is_some() { Looked::CutShort } else { Looked::Through })
    }

    fn works(&mut self, wish: &Wish, mutant: &Value) -> bool {
        let Some(slot) = self.format.schema.pointer_mut(&wish.at) else { return false };
        let before = slot.clone();
        match slot {
            Value::Object(map) => {
                map.insert(wish.keyword.to_owned(), wish.value.clone());
            }
            other => *other = wish.edit().1,
        }
        let works = judge(&self.format, self.options)
            .is_ok_and(|judge| judge.validate(self.good).list.is_empty() && !judge.validate(mutant).list.is_empty());
        if let Some(slot) = self.format.schema.pointer_mut(&wish.at) {
            *slot = before;
        }
        works
    }

    /// References that lead to the definition a place stands in, one of them left out.
    fn shared(&self, at: &str) -> usize {
        fn inside(place: &str, pointer: &str) -> bool {
            place.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
        let words = self.tree.nodes.iter().flat_map(|node| node.body.words());
        // A definition that refers to itself is no other place.
        let leads = words.filter(|word| match word.held {
            Held::Ref(target) => {
                let target = &self.tree.node(target).origin;
                inside(at, target) && !inside(&word.origin, target)
            }
            Held::Data(_) | Held::One(_) | Held::List(_) | Held::Named(_) => false,
        });
        leads.count().saturating_sub(1)
    }
}
