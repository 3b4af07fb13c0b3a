//! What the workbench keeps beside the schema: the sample that is shown, the run's result put aside for it, and what the
//! schema lets through.

use std::path::PathBuf;

use super::result::ResultPane;
use crate::schema::loose::Finding;

/// The workbench.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    /// The sample that is shown, or was shown last.
    pub seed: u64,
    /// The sample that was asked for and has not come.
    pub asked: Option<u64>,
    /// The run's result while a sample is shown in its place.
    pub kept: Option<Box<ResultPane>>,
    /// What the schema lets through, as it was found last.
    pub loose: Option<Loosened>,
    /// The newest search for what gets through.
    pub loosening: u64,
    /// The schema was changed from the list: it is searched again once it is checked.
    pub stale: bool,
}

/// Which answer was spoilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Result,
    Sample(u64),
    File(PathBuf),
}

/// What a schema lets through.
#[derive(Debug, Clone, PartialEq)]
pub struct Loosened {
    pub answer: Answer,
    /// The schema that was searched: an offer is for no other.
    pub schema_hash: String,
    pub findings: Vec<Finding>,
    /// For each finding what providers make of its offer; empty when they do not mind.
    pub felt: Vec<String>,
    pub tried: usize,
    pub caught: usize,
    pub omitted: usize,
}
