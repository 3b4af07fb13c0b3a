//! Amazon Bedrock's `POST {base}/model/{id}/converse-stream` (PROVIDERS §6): one request form for the models of many
//! vendors, answers in binary frames.
//!
//! Builds bodies and reads the payloads of frames. Frames, their checksums and the signature are the transport's. The
//! schema goes as text; there is no strict flag for it and no word that forbids tools.

mod decode;
mod failure;
mod request;

pub use decode::{ConverseDecoder, decode_whole};
pub use failure::failure;
pub use request::build;
