//! Comments in JSON, and commas before a closing bracket: they become spaces, so that every byte of what is left keeps
//! its place. Judges nothing: what is left is read by the strict parser.

/// Where the scan is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Text,
    Escape,
    Line,
    Block,
}

/// Blanks comments and trailing commas; the text keeps its length in bytes.
///
/// # Errors
/// The offset of a block comment without an end.
pub fn blank(text: &str) -> Result<String, usize> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut inside = Inside::Nothing;
    let mut opened = 0;
    let mut commas = Commas::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair = (byte, bytes.get(at + 1).copied());
        let mut wide = false;
        let kept = match (inside, pair) {
            (Inside::Nothing, (b'/', Some(b'/'))) => {
                inside = Inside::Line;
                b' '
            }
            (Inside::Nothing, (b'/', Some(b'*'))) => {
                (inside, opened, wide) = (Inside::Block, at, true);
                b' '
            }
            (Inside::Nothing, _) => {
                if byte == b'"' {
                    inside = Inside::Text;
                }
                if let Some(trailing) = commas.see(byte, at) {
                    set(&mut out, trailing, b' ');
                }
                byte
            }
            (Inside::Line, (b'\n' | b'\r', _)) | (Inside::Text, (b'"', _)) => {
                inside = Inside::Nothing;
                byte
            }
            (Inside::Block, (b'*', Some(b'/'))) => {
                (inside, wide) = (Inside::Nothing, true);
                b' '
            }
            (Inside::Line | Inside::Block, _) => {
                if matches!(byte, b'\n' | b'\r' | b'\t') {
                    byte
                } else {
                    b' '
                }
            }
            (Inside::Text, (b'\\', _)) => {
                inside = Inside::Escape;
                byte
            }
            (Inside::Escape, _) => {
                inside = Inside::Text;
                byte
            }
            (Inside::Text, _) => byte,
        };
        out.push(kept);
        at += 1;
        if wide {
            out.push(b' ');
            at += 1;
        }
    }
    if inside == Inside::Block {
        return Err(opened);
    }
    // Only whole characters were blanked; should that ever fail, the text as it is gives the parser's own error.
    Ok(String::from_utf8(out).unwrap_or_else(|_| text.to_owned()))
}

fn set(out: &mut [u8], at: usize, byte: u8) {
    if let Some(place) = out.get_mut(at) {
        *place = byte;
    }
}

/// The last comma, if nothing but space and comments came after it and a value before it.
#[derive(Default)]
struct Commas {
    comma: Option<usize>,
    before: u8,
}

impl Commas {
    /// Takes a byte outside of texts and comments; gives the comma that a closing bracket makes a trailing one.
    fn see(&mut self, byte: u8, at: usize) -> Option<usize> {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => None,
            b',' => {
                self.comma = (!matches!(self.before, 0 | b',' | b'[' | b'{' | b':')).then_some(at);
                self.before = byte;
                None
            }
            b'}' | b']' => {
                self.before = byte;
                self.comma.take()
            }
            _ => {
                (self.before, self.comma) = (byte, None);
                None
            }
        }
    }
}
