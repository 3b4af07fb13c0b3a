//! One JSON value a line (NDJSON): bytes in any cut → frames. No I/O.
//!
//! A line ends in LF or CRLF; blank ones are passed over. A line without its end counts at the end of the stream when
//! it is a complete value: some servers leave the last line end out.

use super::sse::{FrameError, MAX_LINE};
use crate::dialect::Frame;
use crate::json::{self, ParseLimits};

/// Capacity that is kept for the next line; a larger one was an exception.
const KEEP: usize = 64 * 1024;
/// How the last line is looked at.
const LAST: ParseLimits = ParseLimits { max_bytes: MAX_LINE, max_depth: 1_024 };

/// Splits a stream into lines.
#[derive(Debug, Default)]
pub struct Framer {
    /// The line that has begun and not ended.
    partial: Vec<u8>,
    /// Reused, so that a line costs no allocation.
    frame: Frame,
    begun: bool,
}

impl Framer {
    /// Takes bytes, shows each line they complete.
    ///
    /// # Errors
    /// [`FrameError`]; the stream is of no use after that.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        let mut rest = bytes;
        while let Some((line, tail)) = rest.iter().position(|b| *b == b'\n').and_then(|at| rest.split_at_checked(at)) {
            rest = tail.get(1..).unwrap_or_default();
            if self.partial.is_empty() {
                self.line(line, sink)?;
                continue;
            }
            self.grow(line)?;
            let mut whole = std::mem::take(&mut self.partial);
            let result = self.line(&whole, sink);
            whole.clear();
            whole.shrink_to(KEEP);
            self.partial = whole;
            result?;
        }
        self.grow(rest)
    }

    /// The stream has ended: shows the last line if it is complete.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&Frame)) {
        let last = std::mem::take(&mut self.partial);
        if json::parse_bytes(&last, LAST).is_ok() {
            // It is UTF-8, since it was parsed, and short enough.
            let _ = self.line(&last, sink);
        }
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), FrameError> {
        if self.partial.len().saturating_add(bytes.len()) > MAX_LINE {
            return Err(FrameError::TooLong);
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    fn line(&mut self, line: &[u8], sink: &mut dyn FnMut(&Frame)) -> Result<(), FrameError> {
        if line.len() > MAX_LINE {
            return Err(FrameError::TooLong);
        }
        let text = std::str::from_utf8(line).map_err(|_| FrameError::NotUtf8)?;
        let text = if std::mem::replace(&mut self.begun, true) { text } else { text.trim_start_matches('\u{feff}') };
        let text = text.trim_matches([' ', '\t', '\r']);
        if text.is_empty() {
            return Ok(());
        }
        self.frame.data.push_str(text);
        sink(&self.frame);
        self.frame.data.clear();
        self.frame.data.shrink_to(KEEP);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(reads: &[&[u8]]) -> Result<Vec<String>, FrameError> {
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        for read in reads {
            framer.feed(read, &mut |frame| out.push(frame.data.clone()))?;
        }
        framer.finish(&mut |frame| out.push(frame.data.clone()));
        Ok(out)
    }

    #[test]
    fn the_rules() {
        for (name, reads, want) in [
            ("lf", &[&b"{}\n[1]\n"[..]][..], &["{}", "[1]"][..]),
            ("crlf, cut", &[b"{}\r", b"\n[1]\r\n"], &["{}", "[1]"]),
            ("blank lines", &[b"\n \n{}\n\r\n"], &["{}"]),
            ("byte order mark", &[b"\xef\xbb", b"\xbf{}\n"], &["{}"]),
            ("no line end at the end", &[b"{}\n{\"a\":1}"], &["{}", "{\"a\":1}"]),
            ("a cut line at the end", &[b"{}\n{\"a\":"], &["{}"]),
            ("cut character", &[b"\"\xe9", b"\x82", b"\xa3\"\n"], &["\"那\""]),
            ("nothing", &[b""], &[]),
        ] {
            assert_eq!(lines(reads).unwrap(), want, "{name}");
        }
        assert_eq!(lines(&[b"\"\xff\"\n"]), Err(FrameError::NotUtf8));
        let half = vec![b'x'; MAX_LINE / 2 + 1];
        assert_eq!(lines(&[&half, &half]), Err(FrameError::TooLong));
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same(text in "(\"[a-zé那🔥]{0,4}\"|[a-z]{0,2}|\n|\r\n){0,20}", cuts in prop::collection::vec(1..6usize, 0..40)) {
            let whole = lines(&[text.as_bytes()]);
            let (mut reads, mut rest) = (Vec::new(), text.as_bytes());
            for cut in cuts {
                let (read, tail) = rest.split_at(cut.min(rest.len()));
                reads.push(read);
                rest = tail;
            }
            reads.push(rest);
            prop_assert_eq!(lines(&reads), whole);
        }
    }
}
