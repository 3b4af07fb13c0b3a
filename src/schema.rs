//! The schema engine: response format, preflight, validation, profiles and projection, samples. Pure.

mod accepted;
pub mod cost;
pub(crate) mod decimal;
pub mod diff;
pub mod error;
pub mod format;
mod keywords;
mod limit;
pub mod outline;
pub(crate) mod pattern;
pub mod preflight;
pub mod profile;
pub mod project;
pub mod references;
pub mod retro;
mod rule;
pub mod sample;
pub(crate) mod stack;
pub(crate) mod tree;
pub mod validate;

pub use error::{Dialect, Reason, SchemaError};
pub use format::{Fallback, ResponseFormat};
pub use preflight::Checked;
pub use validate::{Judge, judge};
