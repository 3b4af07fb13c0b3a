//! Limits that count optional properties and unions: at `narrow` a schema is brought within them.

use super::Level;
use super::measure::is_union;
use super::mend::Mender;
use crate::json::Value;
use crate::schema::profile::{Limit, Measure};
use crate::schema::tree::Id;

impl Mender {
    /// Brings unions, then optional properties, within what the provider takes.
    pub(super) fn fit_counts(&mut self) {
        if !self.may(Level::Narrow) {
            return;
        }
        if let Some(limit) = self.limit(Measure::Unions) {
            self.fewer_unions(limit);
        }
        if let Some(limit) = self.limit(Measure::OptionalProperties) {
            self.fewer_optional(limit);
        }
    }

    fn limit(&self, what: Measure) -> Option<&'static Limit> {
        self.profile.limits.iter().find(|limit| limit.what == what)
    }

    /// An optional property that may also be null is left out instead of being null.
    fn fewer_unions(&mut self, limit: &Limit) {
        let nodes = self.tree.reachable(self.tree.root);
        let mut used = nodes.iter().filter(|id| is_union(self.tree.node(**id))).count();
        if used <= limit.safe {
            return;
        }
        for id in nodes {
            for child in self.optional(id).into_iter().map(|(_, child)| child) {
                if used <= limit.warn {
                    return;
                }
                if self.without_null(child) {
                    used -= 1;
                }
            }
        }
    }

    fn optional(&self, id: Id) -> Vec<(String, Id)> {
        let node = self.tree.node(id);
        let required = node.demanded();
        let listed = node.named("properties").unwrap_or_default();
        listed.iter().filter(|(name, _)| !required.has(name)).cloned().collect()
    }

    /// `anyOf: [T, null]` → `T`.
    fn without_null(&mut self, id: Id) -> bool {
        let Some([a, b]) = self.tree.node(id).list("anyOf") else { return false };
        let null = |id: Id| self.tree.node(id).data("type") == Some(&Value::from("null"));
        let kept = match (null(*a), null(*b)) {
            (false, true) => *a,
            (true, false) => *b,
            _ => return false,
        };
        let Some(word) = self.tree.node_mut(id).take("anyOf") else { return false };
        self.note(Level::Narrow, &word.origin, "left null out: the property is optional");
        if self.tree.node(id).body.words().is_empty() {
            self.tree.node_mut(id).body = self.tree.node(kept).body.clone();
        } else {
            self.demand(id, &word.origin, kept);
            self.flatten(id);
        }
        true
    }

    /// The first optional properties become required until few enough are left.
    fn fewer_optional(&mut self, limit: &Limit) {
        let nodes = self.tree.reachable(self.tree.root);
        let mut used: usize = nodes.iter().map(|id| self.optional(*id).len()).sum();
        if used <= limit.safe {
            return;
        }
        for id in nodes {
            let mut made = self.optional(id);
            made.truncate(used.saturating_sub(limit.warn));
            used -= made.len();
            self.require_too(id, &made);
        }
    }
}
