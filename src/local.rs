//! The model that runs inside the program: weights from a GGUF file, its tokenizer, decoding held to a grammar made
//! from the schema. An adapter like any other: it gives raw events, the machine and the local validation stay the judge.
//!
//! Does no network access itself; weights come through `transport`.

pub mod constraint;
pub mod gguf;
pub mod grammar;
pub mod tokenizer;
pub mod weights;

/// The provider's name: `local/MODEL`.
pub const PROVIDER: &str = "local";
