//! Instances made from a schema; every one is checked by the validator before it is given out.

use super::ResponseFormat;
use crate::json::Value;

/// Why no sample could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// The schema demands what cannot be, at this pointer.
    #[error("nothing satisfies this schema: {why} at {path:?}")]
    Unsatisfiable { path: String, why: String },
    /// Tried and failed.
    #[error("no valid instance was found in {tries} tries (the schema may still have some)")]
    NotFound { tries: u32, path: String },
}

/// Makes one instance; the same seed gives the same instance.
///
/// # Errors
/// [`SampleError`] when none was found; never an invalid instance.
pub fn sample(format: &ResponseFormat, seed: u64) -> Result<Value, SampleError> {
    let _ = (format, seed);
    todo!()
}
