//! `POST {base}/models/{model}:streamGenerateContent?alt=sse`: Gemini's generateContent (PROVIDERS §5).
//!
//! Builds requests, decodes streams and whole bodies, classifies refusals of service. Sends nothing, holds no key, and
//! judges no candidate.

mod chunk;
mod decode;
mod failure;
mod model;
mod partial;
mod request;

pub use decode::{GenerateDecoder, decode_whole};
pub use failure::failure;
pub(super) use request::{accepts, build};
