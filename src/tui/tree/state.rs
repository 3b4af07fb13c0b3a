//! The reader's side of a tree: selection, folds, window, hits. Every step costs the rows it passes times their depth,
//! never the size of the value; folding by level and searching pass over it once.

use super::{Node, TreeRows};
use crate::tui::scroll::Motion;

/// Selection, folds, window and hits over one [`TreeRows`].
#[derive(Debug, Clone, Default)]
pub struct TreeState {
    selected: Node,
    /// The topmost row.
    top: Node,
    /// One bit a node.
    folds: Vec<u64>,
    /// Starts of the hits in the table's text.
    hits: Vec<u32>,
    needle: String,
}

impl TreeState {
    /// Everything open, root selected.
    #[must_use]
    pub fn new(rows: &TreeRows) -> Self {
        Self { folds: vec![0; rows.len().div_ceil(64)], ..Self::default() }
    }

    /// The selected node.
    #[must_use]
    pub fn selected(&self) -> Node {
        self.selected
    }

    /// The topmost row's node.
    #[must_use]
    pub fn top(&self) -> Node {
        self.top
    }

    /// Whether a node is folded.
    #[must_use]
    pub fn is_folded(&self, node: Node) -> bool {
        self.folds.get(node as usize / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Starts of the hits in the table's compact text, rising.
    #[must_use]
    pub fn hits(&self) -> &[u32] {
        &self.hits
    }

    /// The words looked for.
    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// The visible row below a node.
    #[must_use]
    pub fn below(&self, rows: &TreeRows, node: Node) -> Option<Node> {
        let next = if self.is_folded(node) { rows.end(node) } else { node + 1 };
        ((next as usize) < rows.len()).then_some(next)
    }

    /// The visible row above a node.
    #[must_use]
    pub fn above(&self, rows: &TreeRows, node: Node) -> Option<Node> {
        node.checked_sub(1).map(|before| self.visible(rows, before))
    }

    /// Selects a node: opens what hides it and scrolls it into view.
    pub fn select(&mut self, rows: &TreeRows, height: usize, node: Node) {
        let node = node.min(rows.count().saturating_sub(1));
        let hiding: Vec<Node> = rows.ancestors(node).collect();
        hiding.into_iter().for_each(|node| self.set_fold(node, Fold::Open));
        self.selected = node;
        self.show(rows, height);
    }

    /// Moves the selection.
    pub fn go(&mut self, rows: &TreeRows, height: usize, motion: Motion) {
        let half = (height / 2).max(1);
        let page = height.saturating_sub(1).max(1);
        match motion {
            Motion::Up(n) => self.selected = self.steps_up(rows, self.selected, n),
            Motion::Down(n) => self.selected = self.steps_down(rows, self.selected, n),
            Motion::HalfUp => self.turn_up(rows, half),
            Motion::HalfDown => self.turn_down(rows, half),
            Motion::PageUp => self.turn_up(rows, page),
            Motion::PageDown => self.turn_down(rows, page),
            Motion::Home => self.selected = 0,
            Motion::End => self.selected = self.visible(rows, rows.count().saturating_sub(1)),
        }
        self.show(rows, height);
    }

    /// Scrolls so that the node is the topmost row, as far as the end allows (mouse wheel, scrollbar).
    pub fn scroll(&mut self, rows: &TreeRows, height: usize, motion: Motion) {
        let selected = self.selected;
        self.selected = self.top;
        match motion {
            Motion::Up(n) => self.top = self.steps_up(rows, self.top, n),
            Motion::Down(n) => self.top = self.steps_down(rows, self.top, n),
            Motion::HalfUp | Motion::HalfDown | Motion::PageUp | Motion::PageDown | Motion::Home | Motion::End => {
                self.go(rows, height, motion);
            }
        }
        self.selected = selected;
        self.pull_up(rows, height);
    }

    /// Selects the parent.
    pub fn to_parent(&mut self, rows: &TreeRows, height: usize) {
        self.select(rows, height, rows.parent(self.selected));
    }

    /// Next sibling, else stays.
    pub fn to_next_sibling(&mut self, rows: &TreeRows, height: usize) {
        self.select(rows, height, rows.next_sibling(self.selected).unwrap_or(self.selected));
    }

    /// Previous sibling, else stays.
    pub fn to_previous_sibling(&mut self, rows: &TreeRows, height: usize) {
        self.select(rows, height, rows.previous_sibling(self.selected).unwrap_or(self.selected));
    }

    /// Folds or unfolds the selected container.
    pub fn toggle(&mut self, rows: &TreeRows, height: usize) {
        let fold = if self.is_folded(self.selected) { Fold::Open } else { Fold::Closed };
        self.fold(rows, height, fold);
    }

    /// Left key: folds an open container, else goes to the parent.
    pub fn fold_or_parent(&mut self, rows: &TreeRows, height: usize) {
        if rows.is_container(self.selected) && !self.is_folded(self.selected) {
            self.fold(rows, height, Fold::Closed);
        } else {
            self.to_parent(rows, height);
        }
    }

    /// Right key: unfolds a folded container, else goes to the first child.
    pub fn unfold_or_child(&mut self, rows: &TreeRows, height: usize) {
        if self.is_folded(self.selected) {
            self.fold(rows, height, Fold::Open);
        } else if rows.is_container(self.selected) {
            self.select(rows, height, self.selected + 1);
        }
    }

    /// Folds every container at `level` and deeper, opens the others (root is level 0): 0 folds all, `usize::MAX`
    /// unfolds all.
    pub fn fold_level(&mut self, rows: &TreeRows, height: usize, level: usize) {
        let mut around: Vec<Node> = Vec::new();
        for node in 0..rows.count() {
            while around.pop_if(|end| *end <= node).is_some() {}
            if rows.is_container(node) {
                self.set_fold(node, if around.len() >= level { Fold::Closed } else { Fold::Open });
                around.push(rows.end(node));
            }
        }
        self.selected = self.visible(rows, self.selected);
        self.show(rows, height);
    }

    /// Sets the search; selects the first hit at or after the selection. Returns the number of hits.
    pub fn search(&mut self, rows: &TreeRows, height: usize, needle: &str) -> usize {
        needle.clone_into(&mut self.needle);
        self.hits = if needle.is_empty() { Vec::new() } else { rows.search(needle) };
        let start = u32::try_from(rows.start(self.selected)).unwrap_or(u32::MAX);
        let at = self.hits.partition_point(|hit| *hit < start);
        self.to_hit(rows, height, self.hits.get(at).or(self.hits.first()).copied());
        self.hits.len()
    }

    /// Selects the next row with a hit, around the end. False when there is none.
    pub fn next_hit(&mut self, rows: &TreeRows, height: usize) -> bool {
        let end = rows.starts.get(self.selected as usize + 1).copied().unwrap_or(u32::MAX);
        let at = self.hits.partition_point(|hit| *hit < end);
        self.to_hit(rows, height, self.hits.get(at).or(self.hits.first()).copied())
    }

    /// Selects the previous row with a hit, around the start. False when there is none.
    pub fn previous_hit(&mut self, rows: &TreeRows, height: usize) -> bool {
        let start = u32::try_from(rows.start(self.selected)).unwrap_or(u32::MAX);
        let at = self.hits.partition_point(|hit| *hit < start);
        let hit = at.checked_sub(1).and_then(|at| self.hits.get(at)).or(self.hits.last());
        self.to_hit(rows, height, hit.copied())
    }

    /// Keeps the selection inside a window of `height` rows (after a resize, before a frame).
    pub fn show(&mut self, rows: &TreeRows, height: usize) {
        self.top = self.visible(rows, self.top);
        if self.selected < self.top {
            self.top = self.selected;
        }
        let lowest = self.steps_up(rows, self.selected, height.saturating_sub(1));
        self.top = self.top.max(lowest);
        self.pull_up(rows, height);
    }

    /// No empty rows below the last one while there are rows above.
    fn pull_up(&mut self, rows: &TreeRows, height: usize) {
        let last = self.visible(rows, rows.count().saturating_sub(1));
        let lowest = self.steps_up(rows, last, height.saturating_sub(1));
        self.top = self.top.min(lowest);
    }

    fn to_hit(&mut self, rows: &TreeRows, height: usize, hit: Option<u32>) -> bool {
        if let Some(hit) = hit {
            self.select(rows, height, rows.node_at(hit));
        }
        hit.is_some()
    }

    fn fold(&mut self, rows: &TreeRows, height: usize, fold: Fold) {
        if rows.is_container(self.selected) {
            self.set_fold(self.selected, fold);
            self.show(rows, height);
        }
    }

    fn set_fold(&mut self, node: Node, fold: Fold) {
        if let Some(word) = self.folds.get_mut(node as usize / 64) {
            match fold {
                Fold::Open => *word &= !(1 << (node % 64)),
                Fold::Closed => *word |= 1 << (node % 64),
            }
        }
    }

    /// The node itself, or the outermost folded container around it.
    fn visible(&self, rows: &TreeRows, node: Node) -> Node {
        rows.ancestors(node).filter(|node| self.is_folded(*node)).last().unwrap_or(node)
    }

    fn steps_up(&self, rows: &TreeRows, from: Node, steps: usize) -> Node {
        let mut node = from;
        for _ in 0..steps {
            let Some(above) = self.above(rows, node) else { break };
            node = above;
        }
        node
    }

    fn steps_down(&self, rows: &TreeRows, from: Node, steps: usize) -> Node {
        let mut node = from;
        for _ in 0..steps {
            let Some(below) = self.below(rows, node) else { break };
            node = below;
        }
        node
    }

    fn turn_up(&mut self, rows: &TreeRows, steps: usize) {
        self.selected = self.steps_up(rows, self.selected, steps);
        self.top = self.steps_up(rows, self.top, steps);
    }

    fn turn_down(&mut self, rows: &TreeRows, steps: usize) {
        self.selected = self.steps_down(rows, self.selected, steps);
        self.top = self.steps_down(rows, self.top, steps);
    }
}

#[derive(Clone, Copy)]
enum Fold {
    Open,
    Closed,
}
