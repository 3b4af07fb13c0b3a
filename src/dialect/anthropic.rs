//! `POST {base}/v1/messages`: the Messages API of Anthropic and of the servers that copy it (PROVIDERS §4).
//!
//! Builds requests, decodes streams and whole bodies, classifies refusals of service. Sends nothing, holds no key, and
//! judges no candidate.

mod chunk;
mod decode;
mod failure;
mod model;
mod request;

pub use decode::{MessagesDecoder, decode_whole};
pub use failure::failure;
pub(super) use request::{accepts, build};
