//! The result region: the validated value as a tree, or a sample of the schema, marked as such. Nothing unvalidated ever
//! comes here.

use std::sync::Arc;

use crate::json::Value;
use crate::tui::rows::Rows;
use crate::tui::scroll::Scroll;
use crate::tui::tree::{TreeRows, TreeState};

/// A validated value, ready to look at.
#[derive(Debug, Clone)]
pub struct Built {
    pub value: Arc<Value>,
    pub tree: Arc<TreeRows>,
    pub canonical: Rows,
}

/// What the region shows.
#[derive(Debug, Clone, Default)]
pub enum Shown {
    #[default]
    Nothing,
    /// The rows are being built off the loop.
    Building,
    Value(Box<Built>),
    /// The answer of a run without a schema.
    Text(Box<Rows>),
}

/// The result region.
#[derive(Debug, Clone, Default)]
pub struct ResultPane {
    pub shown: Shown,
    pub tree: TreeState,
    pub scroll: Scroll,
    pub raw: bool,
    pub simulated: bool,
    /// How the value came: `native, narrowed`.
    pub mode: String,
    pub attempt: u32,
    /// Hash of the schema the value is valid for.
    pub schema_hash: Option<String>,
    pub needle: String,
    /// The seed of a sample: what is shown is no answer.
    pub sample: Option<u64>,
}

impl ResultPane {
    /// The validated value, if there is one.
    #[must_use]
    pub fn built(&self) -> Option<&Built> {
        match &self.shown {
            Shown::Value(built) => Some(built),
            Shown::Nothing | Shown::Building | Shown::Text(_) => None,
        }
    }
}
