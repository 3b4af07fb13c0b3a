//! The model that runs inside the program: weights from a GGUF file, its tokenizer, decoding held to a grammar made
//! from the schema. An adapter like any other: it gives raw events, the machine and the local validation stay the judge.
//!
//! Does no network access itself; weights come through `transport`.

pub mod answer;
pub mod constraint;
pub mod engine;
pub mod generate;
pub mod gguf;
pub mod grammar;
pub mod model;
pub mod template;
pub mod tokenizer;
pub mod weights;

/// The provider's name: `local/MODEL`.
pub const PROVIDER: &str = "local";
