//! The portability board as the screen keeps it: which provider is looked at, and the edits it was offered.

use std::sync::Arc;

use crate::plan::board::{Board, Offers, Row};

/// The board on the screen. Its rows are those of the schema region: it changes as the schema does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BoardView {
    /// Row of the provider looked at.
    pub selected: usize,
}

impl BoardView {
    /// The row looked at.
    #[must_use]
    pub fn row<'a>(&self, board: &'a Board) -> Option<&'a Row> {
        board.rows.get(self.selected)
    }
}

/// The edits that would bring the schema to one provider.
#[derive(Debug, Clone)]
pub struct Offered {
    /// The check whose text they are for.
    pub generation: u64,
    pub provider: &'static str,
    /// Nothing where no edit helps or none is needed.
    pub offers: Option<Arc<Offers>>,
}
