//! A JSON value as foldable rows: one flat table built once, windows of it drawn.
//!
//! Shows only what it is given; whether a value is valid is decided before. Does not copy to the clipboard: it makes the
//! texts to copy.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::scroll::Motion;
use super::theme::Theme;
use crate::json::Value;

/// Index of a node in document order; 0 is the root.
pub type Node = u32;

/// The order of members in the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Author,
    Sorted,
}

/// What to copy of the selected row.
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
    /// `$.a[0]["b c"]`
    JsonPath,
    Key,
}

/// The value has more than `u32::MAX` bytes of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the value is larger than a tree can show (4 GiB)")]
pub struct TooLarge;

/// The flat table of one value; immutable, can be built off the loop and shared.
#[derive(Debug, Clone)]
pub struct TreeRows {
    _todo: (),
}

/// The reader's side of a tree: selection, folds, window, search.
#[derive(Debug, Clone, Default)]
pub struct TreeState {
    _todo: (),
}

impl TreeRows {
    /// Builds the table; iterative.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn build(value: &Value, order: Order) -> Result<Self, TooLarge> {
        let _ = (value, order);
        todo!()
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Never: a value has at least its root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// RFC 6901 pointer of a node.
    #[must_use]
    pub fn pointer(&self, node: Node) -> String {
        let _ = node;
        todo!()
    }

    /// RFC 9535 path of a node.
    #[must_use]
    pub fn json_path(&self, node: Node) -> String {
        let _ = node;
        todo!()
    }

    /// The node a pointer names.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<Node> {
        let _ = pointer;
        todo!()
    }

    /// The text to copy. May be as large as the value.
    #[must_use]
    pub fn copy(&self, node: Node, what: CopyWhat) -> String {
        let _ = (node, what);
        todo!()
    }

    /// All nodes whose key or scalar holds `needle` (ASCII case folded), in document order.
    #[must_use]
    pub fn search(&self, needle: &str) -> Vec<Node> {
        let _ = needle;
        todo!()
    }

    /// Draws the window; returns how many rows were drawn. Call [`TreeState::show`] with the same height before.
    pub fn render(&self, area: Rect, buf: &mut Buffer, state: &TreeState, theme: &Theme) -> usize {
        let _ = (area, buf, state, theme);
        todo!()
    }
}

impl TreeState {
    /// Everything open, root selected.
    #[must_use]
    pub fn new(rows: &TreeRows) -> Self {
        let _ = rows;
        todo!()
    }

    /// The selected node.
    #[must_use]
    pub fn selected(&self) -> Node {
        todo!()
    }

    /// Selects a node: opens what hides it and scrolls it into view.
    pub fn select(&mut self, rows: &TreeRows, height: usize, node: Node) {
        let _ = (rows, height, node);
        todo!()
    }

    /// Moves the selection.
    pub fn go(&mut self, rows: &TreeRows, height: usize, motion: Motion) {
        let _ = (rows, height, motion);
        todo!()
    }

    /// Selects the parent.
    pub fn to_parent(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }

    /// Next sibling, else stays.
    pub fn to_next_sibling(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }

    /// Previous sibling, else stays.
    pub fn to_previous_sibling(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }

    /// Folds or unfolds the selected container.
    pub fn toggle(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }

    /// Left key: folds an open container, else goes to the parent.
    pub fn fold_or_parent(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }

    /// Right key: unfolds a folded container, else goes to the first child.
    pub fn unfold_or_child(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }

    /// Folds every container at `level` and deeper (root is level 0): 0 folds all, `usize::MAX` unfolds all.
    pub fn fold_level(&mut self, rows: &TreeRows, height: usize, level: usize) {
        let _ = (rows, height, level);
        todo!()
    }

    /// Sets the search and its hits; selects the first hit at or after the selection. Returns the number of hits.
    pub fn search(&mut self, rows: &TreeRows, height: usize, needle: &str) -> usize {
        let _ = (rows, height, needle);
        todo!()
    }

    /// Selects the next hit, around the end. False when there is none.
    pub fn next_hit(&mut self, rows: &TreeRows, height: usize) -> bool {
        let _ = (rows, height);
        todo!()
    }

    /// Selects the previous hit, around the start. False when there is none.
    pub fn previous_hit(&mut self, rows: &TreeRows, height: usize) -> bool {
        let _ = (rows, height);
        todo!()
    }

    /// After a resize: keeps the selection in a window of `height` rows.
    pub fn show(&mut self, rows: &TreeRows, height: usize) {
        let _ = (rows, height);
        todo!()
    }
}
