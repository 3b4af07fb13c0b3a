//! The schema engine: response format, preflight, validation, profiles and projection, samples. Pure.

pub mod cost;
pub mod format;
pub mod preflight;
pub mod profile;
pub mod project;
pub mod references;
pub mod sample;
pub(crate) mod tree;
pub mod validate;

pub use format::{Fallback, ResponseFormat};
pub use preflight::{Checked, Dialect, Reason, SchemaError};
pub use validate::{Judge, judge};
