//! Binary event stream frames: bytes in any cut → frames, both checksums held. No I/O.
//!
//! The vendor's crate reads a frame; here stand the bounds, and the check of the first twelve bytes before the rest is
//! waited for: a length that was damaged must not keep anybody waiting for 4 GiB.

use aws_smithy_eventstream::frame::read_message_from;
use aws_smithy_types::event_stream::Message;
use aws_smithy_types::str_bytes::StrBytes;

use super::sse::FrameError;
use crate::dialect::Frame;
use crate::json::Value;

/// Lengths and their checksum.
const PRELUDE: usize = 12;
/// The frame's own checksum.
const TRAILER: usize = 4;
/// Bounds of the vendor's own clients.
const MAX_PAYLOAD: usize = 24 * 1024 * 1024;
const MAX_HEADERS: usize = 128 * 1024;
/// Capacity that is kept for the next frame; a larger one was an exception.
const KEEP: usize = 64 * 1024;

/// Splits a stream into frames.
#[derive(Debug, Default)]
pub struct Framer {
    /// The frame that has begun and not ended.
    partial: Vec<u8>,
    /// Reused, so that a frame costs few allocations.
    frame: Frame,
    /// A frame was read: what follows is no foreign body.
    begun: bool,
}

impl Framer {
    /// Takes bytes, shows each frame they complete.
    ///
    /// # Errors
    /// [`FrameError`]; the stream is of no use after that.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        let mut rest = bytes;
        while !self.partial.is_empty() && !rest.is_empty() {
            // The lengths first, then what they promise.
            let wanted = self.length(&self.partial)?.unwrap_or(PRELUDE);
            let missing = wanted.saturating_sub(self.partial.len());
            let (taken, tail) = rest.split_at_checked(missing).unwrap_or((rest, &[]));
            self.partial.extend_from_slice(taken);
            rest = tail;
            if self.length(&self.partial)?.is_some_and(|length| length == self.partial.len()) {
                let whole = std::mem::take(&mut self.partial);
                self.frame(&whole, sink)?;
                self.partial = whole;
                self.partial.clear();
                self.partial.shrink_to(KEEP);
            }
        }
        while let Some(length) = self.length(rest)? {
            let Some((whole, tail)) = rest.split_at_checked(length) else { break };
            self.frame(whole, sink)?;
            rest = tail;
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// The stream has ended.
    ///
    /// # Errors
    /// [`FrameError::Torn`] in the middle of a frame.
    pub fn finish(&mut self) -> Result<(), FrameError> {
        if std::mem::take(&mut self.partial).is_empty() { Ok(()) } else { Err(FrameError::Torn) }
    }

    /// Length of the frame that these bytes begin, once they hold it; checked.
    fn length(&self, bytes: &[u8]) -> Result<Option<usize>, FrameError> {
        let word = |at: usize| -> Option<u32> {
            let bytes: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
            Some(u32::from_be_bytes(bytes))
        };
        let (Some(total), Some(headers), Some(checksum)) = (word(0), word(4), word(8)) else { return Ok(None) };
        let damaged = if self.begun { FrameError::Checksum } else { FrameError::Foreign };
        if crc32fast::hash(bytes.get(..8).unwrap_or_default()) != checksum {
            return Err(damaged);
        }
        let size = |n: u32| usize::try_from(n).map_err(|_| FrameError::FrameTooLarge);
        let (total, headers) = (size(total)?, size(headers)?);
        let payload = total.checked_sub(headers).and_then(|n| n.checked_sub(PRELUDE + TRAILER));
        match payload {
            None => Err(FrameError::Headers),
            Some(payload) if payload > MAX_PAYLOAD || headers > MAX_HEADERS => Err(FrameError::FrameTooLarge),
            Some(_) => Ok(Some(total)),
        }
    }

    /// Reads one whole frame.
    fn frame(&mut self, whole: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        let (body, trailer) = whole.split_at_checked(whole.len().saturating_sub(TRAILER)).ok_or(FrameError::Headers)?;
        let checksum: [u8; TRAILER] = trailer.try_into().map_err(|_| FrameError::Headers)?;
        // Before the headers are looked at: their lengths are data until this holds.
        if crc32fast::hash(body) != u32::from_be_bytes(checksum) {
            return Err(FrameError::Checksum);
        }
        let message = read_message_from(whole).map_err(|_| FrameError::Headers)?;
        self.begun = true;
        self.name(&message)?;
        sink(&self.frame);
        self.frame.data.clear();
        self.frame.data.shrink_to(KEEP);
        Ok(())
    }

    /// Event name and payload as a frame. A fault of the framing layer itself has its words in headers.
    fn name(&mut self, message: &Message) -> Result<(), FrameError> {
        let header = |name: &str| {
            let found = message.headers().iter().find(|header| header.name().as_str() == name);
            found.and_then(|header| header.value().as_string().ok()).map(StrBytes::as_str)
        };
        let event = match header(":message-type") {
            Some("exception") => header(":exception-type"),
            Some("error") => Some("error"),
            Some(_) | None => header(":event-type"),
        };
        match (&mut self.frame.event, event) {
            (Some(known), Some(event)) if known.as_str() == event => {}
            (slot, event) => *slot = event.map(str::to_owned),
        }
        if event == Some("error") {
            let words = [("code", ":error-code"), ("message", ":error-message")];
            let told = words.into_iter().filter_map(|(key, name)| Some((key.to_owned(), Value::from(header(name)?))));
            self.frame.data.push_str(&Value::Object(told.collect()).to_string());
            return Ok(());
        }
        self.frame.data.push_str(std::str::from_utf8(message.payload()).map_err(|_| FrameError::NotUtf8)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
