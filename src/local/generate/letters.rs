//! Bytes of tokens to text: a character that is not whole yet waits for the rest of its bytes.

/// Bytes that are held back.
#[derive(Debug, Default)]
pub(super) struct Letters {
    held: Vec<u8>,
}

impl Letters {
    /// Adds a token's bytes; whole characters are appended to `out`. What can never become one is shown as U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut String) {
        self.held.extend_from_slice(bytes);
        let mut done = 0;
        let mut chunks = self.held.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            out.push_str(chunk.valid());
            done += chunk.valid().len();
            let broken = chunk.invalid();
            let is_last = chunks.peek().is_none();
            if broken.is_empty() || (is_last && is_begun(broken)) {
                break;
            }
            out.push(char::REPLACEMENT_CHARACTER);
            done += broken.len();
        }
        self.held.drain(..done);
    }

    /// The answer is over: what is still held can become nothing.
    pub(super) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.held)).into_owned()
    }
}

/// May these bytes be the beginning of a character?
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
