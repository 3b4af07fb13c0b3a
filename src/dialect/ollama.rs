//! Ollama's own `POST {base}/api/chat`: one JSON value a line, the schema in `format` (PROVIDERS §7.3).
//!
//! The same server also speaks the chat dialect under `/v1`; this one is its native tongue. It knows neither a choice
//! of tools nor a switch for parallel calls: nothing is sent for them.

mod decode;
mod failure;
mod request;

pub use decode::{OllamaDecoder, decode_whole};
pub use failure::failure;
pub use request::build;
