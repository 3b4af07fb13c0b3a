//! `POST {base}/chat/completions`: Chat Completions of the vendor and of the servers that copy it (PROVIDERS §1, §7).
//!
//! Builds requests, decodes streams and whole bodies, classifies refusals of service. Sends nothing, holds no key, and
//! judges no candidate: what it cannot read it reports as a fault of the provider, never as an answer.

mod chunk;
mod decode;
mod failure;
mod manner;
mod reasoning;
mod request;

pub use decode::{ChatDecoder, decode_whole};
pub use failure::failure;
pub(super) use manner::bounds;
pub use request::build;
pub(super) use request::{accepts, accepts_at};
