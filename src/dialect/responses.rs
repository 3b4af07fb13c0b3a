//! What the two Responses dialects share: the request body, the events of the stream, the words of endings and errors
//! (PROVIDERS §2, §3). No dialect by itself: it knows no address and no key.

mod decode;
mod failure;
mod items;
mod request;
mod shape;

pub use decode::{ResponsesDecoder, decode_whole};
pub use failure::failure;
pub(super) use request::{Manner, request};
