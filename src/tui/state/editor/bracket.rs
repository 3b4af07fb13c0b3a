//! The bracket that belongs to another; brackets inside strings are text. Reads outward from the bracket, by lines: a
//! JSON string never goes on past its line, so each line can be read alone.

use super::Editor;
use super::buffer::Buffer;

/// Bytes looked at for the mark drawn with every frame; the jump looks at all.
const NEAR: usize = 64 * 1024;

impl Editor {
    /// Jumps to the bracket that belongs to the one at (or just before) the caret.
    pub fn to_bracket(&mut self) -> bool {
        let Some(offset) = self.partner_within(usize::MAX) else { return false };
        self.jump_offset(offset);
        true
    }

    /// Byte offset of the bracket that belongs to the one at the caret, when it is near.
    #[must_use]
    pub fn bracket(&self) -> Option<usize> {
        self.partner_within(NEAR)
    }

    fn partner_within(&self, most: usize) -> Option<usize> {
        let at = self.caret_offset();
        let bytes = self.as_str().as_bytes();
        let is = |i: usize| bytes.get(i).is_some_and(|b| matches!(b, b'{' | b'}' | b'[' | b']'));
        let on = if is(at) { at } else { at.checked_sub(1).filter(|before| is(*before))? };
        partner(&self.buffer, on, most)
    }
}

/// The brackets of a line outside its strings, as (offset in the line, opens).
fn brackets(line: &str) -> Vec<(usize, bool)> {
    let mut out = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    for (i, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => out.push((i, true)),
            b'}' | b']' if !quoted => out.push((i, false)),
            _ => {}
        }
    }
    out
}

fn partner(buffer: &Buffer, at: usize, most: usize) -> Option<usize> {
    let row = buffer.row_of(at);
    let start = buffer.start(row);
    if buffer.line(row)?.len() > most {
        return None;
    }
    let here = brackets(buffer.line(row)?);
    let place = here.iter().position(|(i, _)| start + i == at)?;
    let opens = here.get(place)?.1;
    let mut depth = 0_usize;
    // `Some` when this bracket is the partner.
    let mut meet = |bracket: &(usize, bool)| {
        if bracket.1 == opens {
            depth += 1;
            return false;
        }
        depth -= 1;
        depth == 0
    };
    let mut read = 0;
    if opens {
        let mut found = here.iter().skip(place).find(|b| meet(b)).map(|b| start + b.0);
        let mut next = row + 1;
        while found.is_none() && next < buffer.rows() && read <= most {
            let line = buffer.line(next)?;
            read += line.len() + 1;
            found = brackets(line).iter().find(|b| meet(b)).map(|b| buffer.start(next) + b.0);
            next += 1;
        }
        found
    } else {
        let mut found = here.iter().take(place + 1).rev().find(|b| meet(b)).map(|b| start + b.0);
        let mut next = row;
        while found.is_none() && next > 0 && read <= most {
            next -= 1;
            let line = buffer.line(next)?;
            read += line.len() + 1;
            found = brackets(line).iter().rev().find(|b| meet(b)).map(|b| buffer.start(next) + b.0);
        }
        found
    }
}
