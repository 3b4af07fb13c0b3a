//! `POST {base}/chat/completions`: OpenAI's Chat Completions and the servers that copy it (PROVIDERS §1, §7).

use super::{Call, Decoder, Frame, Target, WireRequest};
use crate::event::{CallFailure, RawEvent};

/// Builds the request.
#[must_use]
pub fn build(target: &Target, call: &Call) -> WireRequest {
    let _ = (target, call);
    todo!()
}

/// Classifies a non-2xx response.
#[must_use]
pub fn failure(status: u16, body: &[u8]) -> CallFailure {
    let _ = (status, body);
    todo!()
}

/// Decodes a chat stream.
#[derive(Debug, Default)]
pub struct ChatDecoder {
    _p: (),
}

impl Decoder for ChatDecoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>) {
        let _ = (frame, out);
        todo!()
    }

    fn finish(&mut self, out: &mut Vec<RawEvent>) {
        let _ = out;
        todo!()
    }

    fn is_done(&self) -> bool {
        todo!()
    }
}
