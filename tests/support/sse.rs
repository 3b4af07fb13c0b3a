//! A plain reading of the server-sent events specification, written for the tests: the oracle the transport's framing
//! is held against, and what cuts recorded bodies into frames here.

use formwork::dialect::Frame;

/// Splits a body that comes in reads.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    line: Vec<u8>,
    after_cr: bool,
    event: Option<String>,
    data: Option<String>,
    begun: bool,
}

impl Splitter {
    /// Takes one read; gives the frames that are complete.
    pub(crate) fn push(&mut self, read: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for &byte in read {
            match (byte, std::mem::replace(&mut self.after_cr, byte == b'\r')) {
                (b'\n', true) => {}
                (b'\r' | b'\n', _) => frames.extend(self.line()),
                (other, _) => self.line.push(other),
            }
        }
        frames
    }

    fn line(&mut self) -> Option<Frame> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let line = if std::mem::replace(&mut self.begun, true) { &text } else { text.trim_start_matches('\u{feff}') };
        if line.is_empty() {
            let event = self.event.take();
            return self.data.take().map(|data| Frame { event, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event = Some(value.to_owned()),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            _ => {}
        }
        None
    }
}

/// All frames of a body that comes in these reads.
#[allow(dead_code, reason = "not every test binary cuts whole bodies")]
pub(crate) fn frames<'a>(reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut splitter = Splitter::default();
    reads.into_iter().flat_map(|read| splitter.push(read)).collect()
}
