//! Formwork: prototype JSON Schemas for LLM structured output.
//!
//! The map of the house, in reading order. A module imports only from its own layer or a lower one;
//! `tests/tidy.rs` reads the imports and holds that.
//!
//! * **Layer 0, values** (pure: no clock, files, sockets, terminal): [`json`], [`issue`], [`schema`], [`text`]
//! * **Layer 1, decisions** (pure): [`capability`], [`event`], [`plan`], [`machine`], [`dialect`], [`command`],
//!   [`report`]
//! * **Layer 2, doing**: [`config`], [`catalog`], [`transport`], [`sim`], [`local`], [`tool`], [`feed`], [`files`],
//!   [`function`], [`log`], [`store`], [`runtime`], [`probe`]
//! * **Layer 3, surfaces**: [`cli`], [`serve`], [`tui`]

// -- layer 0
pub mod issue;
pub mod json;
pub mod schema;
pub mod text;
// -- layer 1
pub mod capability;
pub mod command;
pub mod dialect;
pub mod event;
pub mod machine;
pub mod plan;
pub mod report;
// -- layer 2
pub mod catalog;
pub mod config;
pub mod feed;
pub mod files;
pub mod function;
#[cfg(feature = "local")]
pub mod local;
pub mod log;
pub mod probe;
pub mod runtime;
pub mod sim;
pub mod store;
pub mod tool;
pub mod transport;
// -- layer 3
pub mod cli;
pub mod serve;
pub mod tui;
