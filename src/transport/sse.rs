//! Server-sent events: bytes in any cut → frames. No I/O.
//!
//! Why not the crate `sse-stream`: it is a `Stream` over a body (no use without I/O), has no bound on a line, and makes
//! an owned event with id and retry for each block, which the hot path would pay for. The rules are the HTML standard's: lines
//! end in LF, CR or CRLF; one byte order mark may lead; comments and unknown fields are ignored; a block ends with an
//! empty line. Beyond the standard: text that is no UTF-8 is a fault (never silently replaced inside an answer), and
//! at the end a block whose lines are all complete counts even without its empty line, as the vendors' clients have it.

use crate::dialect::Frame;

/// Bound of one line, and of one frame's data.
pub const MAX_LINE: usize = 16 * 1024 * 1024;
/// Capacity that is kept for the next frame; a larger one was an exception.
const KEEP: usize = 64 * 1024;

/// Why the bytes are no event stream we take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a line of the stream is longer than 16 MiB")]
    TooLong,
    #[error("the stream is not UTF-8 text")]
    NotUtf8,
    #[error("what the server sent is no stream of binary frames: check base_url")]
    Foreign,
    #[error("a frame of the stream is larger than 24 MiB, or its headers than 128 KiB")]
    FrameTooLarge,
    #[error("a frame of the stream does not match its checksum: it was damaged on its way")]
    Checksum,
    #[error("a frame of the stream has headers that cannot be read")]
    Headers,
    #[error("the connection broke in the middle of a frame")]
    Torn,
}

/// Splits a stream into frames.
#[derive(Debug, Default)]
pub struct Framer {
    /// The line that has begun and not ended.
    partial: Vec<u8>,
    /// The block that has begun: reused, so that a frame costs no allocation.
    frame: Frame,
    has_data: bool,
    /// The last line ended in CR: an LF right after it belongs to it.
    after_cr: bool,
    /// Past the first line: no byte order mark any more.
    begun: bool,
}

impl Framer {
    /// Takes bytes, appends the frames they complete.
    ///
    /// # Errors
    /// [`FrameError`]; the stream is of no use after that.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), FrameError> {
        self.feed(bytes, &mut |frame| out.push(frame.clone()))
    }

    /// Takes bytes, shows each frame they complete. The frame is reused: what is wanted of it must be copied.
    ///
    /// # Errors
    /// As [`Framer::push`].
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|b| matches!(b, b'\n' | b'\r')) {
            let Some((line, tail)) = rest.split_at_checked(at) else { break };
            self.take_line(line, sink)?;
            rest = match tail {
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
                [] => &[],
            };
        }
        if self.partial.len().saturating_add(rest.len()) > MAX_LINE {
            return Err(FrameError::TooLong);
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// The stream has ended: shows the block whose lines are complete. A line that is not complete is dropped.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&Frame)) {
        self.partial.clear();
        self.dispatch(sink);
    }

    fn take_line(&mut self, line: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        if self.partial.is_empty() {
            return self.line(line, sink);
        }
        if self.partial.len().saturating_add(line.len()) > MAX_LINE {
            return Err(FrameError::TooLong);
        }
        let mut whole = std::mem::take(&mut self.partial);
        whole.extend_from_slice(line);
        let result = self.line(&whole, sink);
        whole.clear();
        whole.shrink_to(KEEP);
        self.partial = whole;
        result
    }

    fn line(&mut self, line: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        let line = if std::mem::replace(&mut self.begun, true) {
            line
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        };
        if line.is_empty() {
            self.dispatch(sink);
            return Ok(());
        }
        let (name, value) = match line.iter().position(|b| *b == b':').and_then(|at| line.split_at_checked(at)) {
            Some((name, value)) => (name, value.get(1..).unwrap_or_default()),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.data(value),
            b"event" => {
                let text = std::str::from_utf8(value).map_err(|_| FrameError::NotUtf8)?;
                self.frame.event = Some(text.to_owned());
                Ok(())
            }
            // A comment (no name), `id`, `retry`, or a field of the future.
            _ => Ok(()),
        }
    }

    fn data(&mut self, value: &[u8]) -> Result<(), FrameError> {
        let text = std::str::from_utf8(value).map_err(|_| FrameError::NotUtf8)?;
        if self.frame.data.len().saturating_add(text.len()) >= MAX_LINE {
            return Err(FrameError::TooLong);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.frame.data.push('\n');
        }
        self.frame.data.push_str(text);
        Ok(())
    }

    /// A block without data is none.
    fn dispatch(&mut self, sink: &mut dyn FnMut(&Frame)) {
        if std::mem::replace(&mut self.has_data, false) {
            sink(&self.frame);
        }
        self.frame.event = None;
        self.frame.data.clear();
        self.frame.data.shrink_to(KEEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames(reads: &[&[u8]]) -> Vec<(Option<String>, String)> {
        let mut framer = Framer::default();
        let mut out = Vec::new();
        for read in reads {
            framer.push(read, &mut out).unwrap();
        }
        framer.finish(&mut |frame| out.push(frame.clone()));
        out.into_iter().map(|f| (f.event, f.data)).collect()
    }

    fn data(reads: &[&[u8]]) -> Vec<String> {
        frames(reads).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn the_rules_of_the_standard() {
        for (name, reads, want) in [
            ("lf", &[&b"data: a\n\ndata: b\n\n"[..]][..], &["a", "b"][..]),
            ("crlf", &[b"data: a\r\n\r\ndata: b\r\n\r\n"], &["a", "b"]),
            ("cr", &[b"data: a\r\rdata: b\r\r"], &["a", "b"]),
            ("crlf cut", &[b"data: a\r", b"\n\r", b"\ndata: b\r", b"\n\r\n"], &["a", "b"]),
            ("cr, then a line", &[b"data: a\r", b"data: b\r", b"\r"], &["a\nb"]),
            ("byte order mark", &[b"\xef\xbb", b"\xbfdata: a\n\n"], &["a"]),
            ("a mark later is data", &[b"data: a\n\n\xef\xbb\xbfdata: b\n\n"], &["a"]),
            ("comment", &[b": ping\n\n:\ndata: a\n: x\n\n"], &["a"]),
            ("no space", &[b"data:a\ndata:  b\n\n"], &["a\n b"]),
            ("empty data", &[b"data\n\ndata:\n\ndata\ndata\n\n"], &["", "", "\n"]),
            ("unknown field", &[b"{\"error\":1}\nid: 4\nretry: 1\ndata: a\nwhat\n\n"], &["a"]),
            ("cut character", &[b"data: \xe9", b"\x82", b"\xa3\n\n"], &["那"]),
            ("no empty line at the end", &[b"data: a\n\ndata: b\n"], &["a", "b"]),
            ("no line end at the end", &[b"data: a\n\ndata: b"], &["a"]),
            ("nothing", &[b""], &[]),
        ] {
            assert_eq!(data(reads), want, "{name}");
        }
    }

    #[test]
    fn event_names_belong_to_their_block() {
        let got = frames(&[b"event: error\ndata: a\n\ndata: b\n\nevent: lost\n\n"]);
        assert_eq!(got, [(Some("error".to_owned()), "a".to_owned()), (None, "b".to_owned())]);
    }

    #[test]
    fn bounds_and_broken_text() {
        let mut framer = Framer::default();
        let half = vec![b'x'; MAX_LINE / 2 + 1];
        assert_eq!(framer.push(&half, &mut Vec::new()), Ok(()));
        assert_eq!(framer.push(&half, &mut Vec::new()), Err(FrameError::TooLong));
        let mut framer = Framer::default();
        let line = [b"data: ", half.as_slice(), b"\n"].concat();
        assert_eq!(framer.push(&line, &mut Vec::new()), Ok(()));
        assert_eq!(framer.push(&line, &mut Vec::new()), Err(FrameError::TooLong));
        assert_eq!(Framer::default().push(b"data: \xff\n", &mut Vec::new()), Err(FrameError::NotUtf8));
        assert_eq!(Framer::default().push(b": \xff\n", &mut Vec::new()), Ok(()));
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same(text in "(data: ?[a-zé那🔥:]{0,4}|event: x|: c|[a-z]{0,2}|\r|\n|\r\n){0,20}", cuts in prop::collection::vec(1..6usize, 0..40)) {
            let whole = frames(&[text.as_bytes()]);
            let mut reads = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (read, tail) = rest.split_at(cut.min(rest.len()));
                reads.push(read);
                rest = tail;
            }
            reads.push(rest);
            prop_assert_eq!(frames(&reads), whole);
        }

        #[test]
        fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = Framer::default().push(&bytes, &mut Vec::new());
        }
    }
}
