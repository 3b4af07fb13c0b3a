//! One framer for a response, by the way its dialect frames streams.

#[cfg(feature = "bedrock")]
use super::frames;
use super::lines;
use super::sse::{self, FrameError};
use crate::dialect::{Frame, Framing};

/// Splits a stream into frames, whatever they are.
#[derive(Debug)]
pub enum Framer {
    Sse(sse::Framer),
    Lines(lines::Framer),
    #[cfg(feature = "bedrock")]
    Frames(frames::Framer),
}

impl Framer {
    /// `None` = this build does not know the framing.
    #[must_use]
    pub fn new(framing: Framing) -> Option<Self> {
        match framing {
            Framing::Sse => Some(Self::Sse(sse::Framer::default())),
            Framing::Lines => Some(Self::Lines(lines::Framer::default())),
            #[cfg(feature = "bedrock")]
            Framing::EventStream => Some(Self::Frames(frames::Framer::default())),
            #[cfg(not(feature = "bedrock"))]
            Framing::EventStream => None,
        }
    }

    /// Takes bytes, shows each frame they complete. The frame is reused: what is wanted of it must be copied.
    ///
    /// # Errors
    /// [`FrameError`]; the stream is of no use after that.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        match self {
            Self::Sse(framer) => framer.feed(bytes, sink),
            Self::Lines(framer) => framer.feed(bytes, sink),
            #[cfg(feature = "bedrock")]
            Self::Frames(framer) => framer.feed(bytes, sink),
        }
    }

    /// The stream has ended: shows what is complete.
    ///
    /// # Errors
    /// [`FrameError::Torn`] when a binary frame is not.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        match self {
            Self::Sse(framer) => {
                framer.finish(sink);
                Ok(())
            }
            Self::Lines(framer) => {
                framer.finish(sink);
                Ok(())
            }
            #[cfg(feature = "bedrock")]
            Self::Frames(framer) => framer.finish(),
        }
    }

    /// Text: a page of HTML would be seen at its first character.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Sse(_) | Self::Lines(_))
    }
}
