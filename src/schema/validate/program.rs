//! A schema compiled for judging: nodes that refer to each other by number, checks as data.

use std::collections::{HashMap, HashSet};

use super::number::Bound;
use crate::schema::pattern::Pattern;

/// Number of a node; 0 is the root. The same numbers as in `references::Index`.
pub(super) type NodeId = usize;

/// A compiled schema document.
#[derive(Default)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    /// Targets of dynamic references: `(resource, anchor)`.
    pub(super) dynamic: HashMap<(usize, String), NodeId>,
}

/// One schema position.
pub(super) struct Node {
    pub(super) parent: NodeId,
    pub(super) suffix: String,
    pub(super) resource: usize,
    /// `true` and `false` schemas.
    pub(super) fixed: Option<bool>,
    pub(super) checks: Vec<Check>,
    /// Has `unevaluatedProperties` or `unevaluatedItems`.
    pub(super) needs_marks: bool,
    /// Reached by references: verdicts are remembered per instance.
    pub(super) shared: bool,
}

/// Which end of a range a count may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Least,
    Most,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Characters,
    Items,
    Properties,
}

/// What one keyword, or a few that belong together, asks for.
pub(super) enum Check {
    Type { types: Types, shown: String },
    Enum { keyword: &'static str, keys: HashSet<String>, longest: usize, shown: String },
    Bound { keyword: &'static str, end: End, open: bool, bound: Bound },
    MultipleOf(Bound),
    Count { keyword: &'static str, counted: Counted, end: End, limit: u64 },
    Pattern { pattern: Box<Pattern>, shown: String },
    Format { validator: Box<jsonschema::Validator>, shown: String },
    UniqueItems,
    Required(Vec<String>),
    DependentRequired { keyword: &'static str, table: Vec<(String, Vec<String>)> },
    DependentSchemas(Vec<(String, NodeId)>),
    Reference { to: NodeId, dynamic: Option<String> },
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If { test: NodeId, then: Option<NodeId>, otherwise: Option<NodeId> },
    Object { properties: HashMap<String, NodeId>, patterns: Vec<(Pattern, NodeId)>, rest: Option<NodeId> },
    PropertyNames(NodeId),
    Array { prefix: Vec<NodeId>, rest: Option<NodeId>, rest_keyword: &'static str },
    Contains { node: NodeId, least: u64, most: Option<u64>, least_given: bool, marks: bool },
    UnevaluatedItems(NodeId),
    UnevaluatedProperties(NodeId),
}

/// A set of JSON types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Types {
    bits: u8,
    /// Draft-04: `1.0` is no integer.
    pub(super) strict_integer: bool,
}

pub(super) const TYPE_NAMES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

impl Types {
    pub(super) fn add(&mut self, name: &str) {
        if let Some(at) = TYPE_NAMES.iter().position(|n| *n == name) {
            self.bits |= 1 << at;
        }
    }

    pub(super) fn has(self, name: &str) -> bool {
        TYPE_NAMES.iter().position(|n| *n == name).is_some_and(|at| self.bits & (1 << at) != 0)
    }
}

impl Program {
    /// RFC 6901 pointer of a node, in the schema as the user wrote it.
    pub(super) fn pointer(&self, id: NodeId) -> String {
        let mut parts = Vec::new();
        let mut at = id;
        while let Some(node) = self.nodes.get(at) {
            parts.push(node.suffix.as_str());
            if at == 0 {
                break;
            }
            at = node.parent;
        }
        parts.reverse();
        parts.concat()
    }
}
