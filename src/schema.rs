//! The schema engine: response format, preflight, validation, profiles and projection, samples. Pure.

mod accepted;
pub mod complete;
pub mod cost;
pub(crate) mod decimal;
pub mod error;
pub mod format;
mod keywords;
mod limit;
pub mod links;
pub mod meanings;
pub(crate) mod pattern;
pub mod position;
pub mod preflight;
pub mod profile;
pub mod project;
pub mod references;
mod rule;
pub mod sample;
pub(crate) mod stack;
pub(crate) mod tree;
pub mod validate;

pub use error::{Dialect, Reason, SchemaError};
pub use format::{Fallback, ResponseFormat};
pub use preflight::Checked;
pub use validate::{Judge, judge};
