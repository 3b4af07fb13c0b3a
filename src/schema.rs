//! The schema engine: response format, preflight, validation, profiles and projection, samples. Pure.

pub mod cost;
mod decimal;
pub mod format;
mod keywords;
mod pattern;
pub mod preflight;
pub mod profile;
pub mod project;
pub mod references;
pub mod sample;
mod stack;
pub(crate) mod tree;
pub mod validate;

pub use format::{Fallback, ResponseFormat};
pub use preflight::{Checked, Dialect, Reason, SchemaError};
pub use validate::{Judge, judge};
