//! A JSON value as foldable rows: one flat table built once, windows of it drawn.
//!
//! Shows only what it is given; whether a value is valid is decided before. Does not copy to the clipboard: it makes the
//! texts to copy. Keeps the value's compact text and 16 bytes a node, not the value.

mod build;
mod draw;
mod state;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use crate::json::{self, ParseLimits, Value};

pub use state::TreeState;

/// Index of a node in document order; 0 is the root.
pub type Node = u32;

/// The order of members in the view; texts to copy keep it too (canonical text is always sorted).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Author,
    Sorted,
}

/// What to copy of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyWhat {
    /// Indented JSON of the value; a string without its quotes and escapes.
    Value,
    /// Indented JSON, strings included.
    Json,
    /// Canonical JSON.
    Canonical,
    /// RFC 6901.
    Pointer,
    /// `$['a'][0]['b c']` (RFC 9535).
    JsonPath,
    /// The member's name; an element's index.
    Key,
}

/// The value has more than `u32::MAX` bytes of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the value is larger than a tree can show (4 GiB)")]
pub struct TooLarge;

/// Marks a member of an object in `TreeRows::ordinals`; a text below 4 GiB has fewer than 2^31 nodes.
const MEMBER: u32 = 1 << 31;

/// Text that was parsed once: no limit applies again.
const NO_LIMITS: ParseLimits = ParseLimits { max_bytes: usize::MAX, max_depth: usize::MAX };

/// The flat table of one value; immutable, can be built off the loop and shared.
#[derive(Debug, Clone)]
pub struct TreeRows {
    /// Compact JSON in the order of the view.
    text: String,
    /// Where a node's key, or else its value, starts in the text.
    starts: Vec<u32>,
    /// The node after the last one inside.
    ends: Vec<Node>,
    parents: Vec<Node>,
    /// Position among the siblings, and [`MEMBER`].
    ordinals: Vec<u32>,
}

impl TreeRows {
    /// Builds the table; iterative.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn build(value: &Value, order: Order) -> Result<Self, TooLarge> {
        build::build(value, order)
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Never: a value has at least its root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Bytes of memory the table takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.capacity()
            + 4 * (self.starts.capacity() + self.ends.capacity() + self.parents.capacity() + self.ordinals.capacity())
    }

    /// Whether a node is an array or object with something in it.
    #[must_use]
    pub fn is_container(&self, node: Node) -> bool {
        self.end(node) > node + 1
    }

    /// The parent; the root's is the root.
    #[must_use]
    pub fn parent(&self, node: Node) -> Node {
        self.parents.get(node as usize).copied().unwrap_or(0)
    }

    /// Nesting; the root is 0.
    #[must_use]
    pub fn depth(&self, node: Node) -> usize {
        self.ancestors(node).count()
    }

    /// How many members or elements a node has.
    #[must_use]
    pub fn children(&self, node: Node) -> usize {
        if !self.is_container(node) {
            return 0;
        }
        let mut last = self.end(node) - 1;
        while self.parent(last) != node {
            last = self.parent(last);
        }
        self.ordinal(last) + 1
    }

    /// The node at the same level after this one.
    #[must_use]
    pub fn next_sibling(&self, node: Node) -> Option<Node> {
        let next = self.end(node);
        (node != 0 && (next as usize) < self.len() && self.parent(next) == self.parent(node)).then_some(next)
    }

    /// The node at the same level before this one.
    #[must_use]
    pub fn previous_sibling(&self, node: Node) -> Option<Node> {
        if node == 0 || self.ordinal(node) == 0 {
            return None;
        }
        let mut before = node - 1;
        while self.parent(before) != self.parent(node) {
            before = self.parent(before);
        }
        Some(before)
    }

    /// RFC 6901 pointer of a node.
    #[must_use]
    pub fn pointer(&self, node: Node) -> String {
        self.lineage(node).into_iter().fold(String::new(), |mut pointer, node| {
            json::push_token(&mut pointer, &self.key(node));
            pointer
        })
    }

    /// Normalized path of a node (RFC 9535 §2.7): one spelling for each place.
    #[must_use]
    pub fn json_path(&self, node: Node) -> String {
        let step = |node| match self.key_text(node) {
            None => format!("[{}]", self.ordinal(node)),
            Some(text) => path_step(&unquoted(text)),
        };
        std::iter::once("$".to_owned()).chain(self.lineage(node).into_iter().map(step)).collect()
    }

    /// The node a pointer names. Looks at every sibling on the way.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<Node> {
        let mut node = 0;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let mut child = self.is_container(node).then_some(node + 1)?;
            while self.key(child) != token {
                child = self.next_sibling(child)?;
            }
            node = child;
        }
        Some(node)
    }

    /// The member's name, or the element's index.
    #[must_use]
    pub fn key(&self, node: Node) -> String {
        self.key_text(node).map_or_else(|| self.ordinal(node).to_string(), unquoted)
    }

    /// The text to copy. May be as large as the value.
    #[must_use]
    pub fn copy(&self, node: Node, what: CopyWhat) -> String {
        match what {
            CopyWhat::Pointer => self.pointer(node),
            CopyWhat::JsonPath => self.json_path(node),
            CopyWhat::Key => self.key(node),
            CopyWhat::Value if self.byte(self.value_start(node)) == b'"' => unquoted(self.value_text(node)),
            CopyWhat::Value | CopyWhat::Json => self.rewritten(node, json::pretty),
            CopyWhat::Canonical => self.rewritten(node, json::canonical),
        }
    }

    /// Compact text of a node's value, numbers as written.
    #[must_use]
    pub fn value_text(&self, node: Node) -> &str {
        let last = self.end(node).saturating_sub(1).max(node);
        // Behind the last node inside stand only the brackets that close around it.
        let brackets = self.depth(last) - self.depth(node);
        self.slice(self.value_start(node), self.leaf_end(last) + brackets)
    }

    /// Starts of all places in keys and scalars that hold `needle` (ASCII case folded), rising.
    #[must_use]
    pub fn search(&self, needle: &str) -> Vec<u32> {
        let needle = escaped(needle);
        let mut hits = Vec::new();
        for node in 0..self.count() {
            if let Some(key) = self.key_text(node) {
                find_all(&mut hits, self.start(node), key, &needle);
            }
            if !self.is_container(node) {
                let start = self.value_start(node);
                find_all(&mut hits, start, self.slice(start, self.leaf_end(node)), &needle);
            }
        }
        hits
    }

    /// The node whose key or value holds a byte of the compact text.
    #[must_use]
    pub fn node_at(&self, offset: u32) -> Node {
        let after = self.starts.partition_point(|start| *start <= offset);
        Node::try_from(after.saturating_sub(1)).unwrap_or(0)
    }

    fn count(&self) -> Node {
        Node::try_from(self.len()).unwrap_or(Node::MAX)
    }

    fn end(&self, node: Node) -> Node {
        self.ends.get(node as usize).copied().unwrap_or(node + 1)
    }

    fn start(&self, node: Node) -> usize {
        self.starts.get(node as usize).map_or(0, |start| *start as usize)
    }

    fn ordinal(&self, node: Node) -> usize {
        self.ordinals.get(node as usize).map_or(0, |ordinal| (ordinal & !MEMBER) as usize)
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The ancestors, nearest first, without the node itself.
    fn ancestors(&self, node: Node) -> impl Iterator<Item = Node> {
        std::iter::successors(Some(node), |node| (*node != 0).then(|| self.parent(*node))).skip(1)
    }

    /// The nodes from below the root down to this one.
    fn lineage(&self, node: Node) -> Vec<Node> {
        let mut nodes: Vec<Node> = std::iter::once(node).chain(self.ancestors(node)).filter(|n| *n != 0).collect();
        nodes.reverse();
        nodes
    }

    /// The key in quotes, for members.
    fn key_text(&self, node: Node) -> Option<&str> {
        let member = self.ordinals.get(node as usize).is_some_and(|ordinal| ordinal & MEMBER != 0);
        member.then(|| self.slice(self.start(node), self.string_end(self.start(node))))
    }

    fn value_start(&self, node: Node) -> usize {
        self.start(node) + self.key_text(node).map_or(0, |key| key.len() + 1)
    }

    /// Where the string that opens at `at` has ended.
    fn string_end(&self, at: usize) -> usize {
        let mut end = at + 1;
        while let Some(byte) = self.text.as_bytes().get(end) {
            match byte {
                b'"' => return end + 1,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        self.text.len()
    }

    /// Where a scalar or empty container has ended.
    fn leaf_end(&self, node: Node) -> usize {
        let start = self.value_start(node);
        match self.byte(start) {
            b'"' => self.string_end(start),
            b'{' | b'[' => start + 2,
            _ => {
                let rest = self.text.as_bytes().get(start..).unwrap_or_default();
                start + rest.iter().position(|b| matches!(b, b',' | b']' | b'}')).unwrap_or(rest.len())
            }
        }
    }

    fn rewritten(&self, node: Node, write: fn(&Value) -> String) -> String {
        match json::parse(self.value_text(node), NO_LIMITS) {
            Ok(value) => {
                let text = write(&value);
                json::discard(value);
                text
            }
            // Cannot happen to text we wrote; the compact text is right then too.
            Err(_) => self.value_text(node).to_owned(),
        }
    }
}

/// The content of a JSON string.
fn unquoted(text: &str) -> String {
    match json::parse(text, NO_LIMITS) {
        Ok(Value::String(content)) => content,
        Ok(_) | Err(_) => text.to_owned(),
    }
}

/// A name as a normalized path has it: in single quotes.
fn path_step(name: &str) -> String {
    let mut step = "['".to_owned();
    for letter in name.chars() {
        match letter {
            '\'' => step.push_str("\\'"),
            '\\' => step.push_str("\\\\"),
            '\u{8}' => step.push_str("\\b"),
            '\t' => step.push_str("\\t"),
            '\n' => step.push_str("\\n"),
            '\u{c}' => step.push_str("\\f"),
            '\r' => step.push_str("\\r"),
            control if control < ' ' => {
                let _ = write!(step, "\\u{:04x}", u32::from(control));
            }
            other => step.push(other),
        }
    }
    step.push_str("']");
    step
}

/// Whether a key is shown without quotes.
fn is_name(key: &str) -> bool {
    key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && key.starts_with(|c: char| !c.is_ascii_digit())
}

/// The words looked for as they stand in JSON text, in ASCII lower case.
fn escaped(needle: &str) -> Vec<u8> {
    let quoted = json::canonical(&Value::String(needle.to_owned()));
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    inner.to_ascii_lowercase().into_bytes()
}

/// Adds the places of `needle` in `text`; the quotes around a string are not part of it.
fn find_all(hits: &mut Vec<u32>, start: usize, text: &str, needle: &[u8]) {
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    let (start, hay) = inner.map_or((start, text), |inner| (start + 1, inner));
    let mut at = 0;
    while let Some(window) = hay.as_bytes().get(at..at + needle.len()).filter(|window| !window.is_empty()) {
        if window.eq_ignore_ascii_case(needle) {
            hits.extend(u32::try_from(start + at));
            at += needle.len();
        } else {
            at += 1;
        }
    }
}
