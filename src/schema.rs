//! The schema engine: response format, preflight, validation, profiles and projection, samples. Pure.

mod accepted;
pub mod complete;
pub mod cost;
pub(crate) mod decimal;
pub mod diff;
pub mod error;
pub mod expect;
pub mod foreign;
pub mod format;
pub mod infer;
mod keywords;
mod limit;
pub mod links;
pub mod loose;
pub mod meanings;
pub mod outline;
pub(crate) mod pattern;
pub mod position;
pub mod preflight;
pub mod profile;
pub mod project;
pub mod references;
pub mod retro;
mod rule;
pub mod sample;
pub mod short;
pub mod source;
pub(crate) mod stack;
pub(crate) mod tree;
pub mod validate;
pub mod weight;

pub use error::{Dialect, Reason, SchemaError};
pub use format::{Fallback, ResponseFormat};
pub use preflight::Checked;
pub use validate::{Judge, judge};
