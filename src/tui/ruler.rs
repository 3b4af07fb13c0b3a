//! How far along a long line the cells are: stops every kibibyte, so that a window into a line of a mebibyte is found
//! without reading the line. Draws nothing.

use std::collections::HashMap;

use super::highlight;
use crate::text;

/// Lines up to this many bytes are read from their beginning.
pub const LONG: usize = 4 * 1024;
/// Bytes between two stops.
const STEP: usize = 1024;
/// Cells of a tab in an editor.
pub const TAB: usize = 2;

/// A place in a line: its byte, its cell, and how the lexer stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stop {
    pub byte: usize,
    pub cell: usize,
    pub lexer: highlight::State,
}

/// Cells of one cluster of a line.
#[must_use]
pub fn cells(cluster: &str) -> usize {
    if cluster == "\t" { TAB } else { text::width(&text::safe(cluster)) }
}

/// Stops of the long lines that were looked at.
#[derive(Debug, Clone, Default)]
pub struct Ruler {
    rows: HashMap<usize, Vec<Stop>>,
}

impl Ruler {
    /// The text changed from this byte of this line on; every line below may be another.
    pub fn forget(&mut self, row: usize, byte: usize) {
        self.rows.retain(|known, _| *known <= row);
        if let Some(stops) = self.rows.get_mut(&row) {
            // The cluster before the change may reach into it.
            stops.retain(|stop| stop.byte + 64 < byte);
        }
    }

    /// Reads a line as far as a cell and a byte; the rest is not looked at.
    pub fn measure(&mut self, row: usize, line: &str, cell: usize, byte: usize) {
        if line.len() <= LONG {
            return;
        }
        let stops = self.rows.entry(row).or_default();
        loop {
            let last = stops.last().copied().unwrap_or_default();
            if last.cell >= cell && last.byte >= byte {
                return;
            }
            match next(line, last) {
                Some(stop) => stops.push(stop),
                None => return,
            }
        }
    }

    /// The last known stop at or before a cell.
    #[must_use]
    pub fn before_cell(&self, row: usize, cell: usize) -> Stop {
        self.before(row, |stop| stop.cell <= cell)
    }

    /// The last known stop at or before a byte.
    #[must_use]
    pub fn before_byte(&self, row: usize, byte: usize) -> Stop {
        self.before(row, |stop| stop.byte <= byte)
    }

    fn before(&self, row: usize, fits: impl Fn(&Stop) -> bool) -> Stop {
        let stops = self.rows.get(&row).map_or(&[][..], Vec::as_slice);
        stops.partition_point(fits).checked_sub(1).and_then(|i| stops.get(i)).copied().unwrap_or_default()
    }

    /// The cell of a byte of a line.
    #[must_use]
    pub fn cell_of(&self, row: usize, line: &str, byte: usize) -> usize {
        let stop = self.before_byte(row, byte);
        let part = line.get(stop.byte..byte).unwrap_or_default();
        stop.cell + width(part)
    }
}

/// Cells of a piece of a line.
fn width(part: &str) -> usize {
    if part.bytes().all(|b| matches!(b, b' '..=b'~')) { part.len() } else { text::graphemes(part).map(cells).sum() }
}

/// The stop after one, at the end of a cluster; `None` at the end of the line.
fn next(line: &str, last: Stop) -> Option<Stop> {
    let rest = line.get(last.byte..).filter(|rest| rest.len() > STEP)?;
    let bytes = rest.as_bytes();
    let plain = |b: &u8| matches!(b, b' '..=b'~');
    let length = if bytes.iter().take(STEP + 1).all(plain) { STEP } else { clusters(rest) };
    let part = rest.get(..length)?;
    let mut lexer = last.lexer;
    highlight::lex(&mut lexer, part, 0, |_| {});
    Some(Stop { byte: last.byte + length, cell: last.cell + width(part), lexer })
}

/// Bytes of the first clusters that reach a step.
fn clusters(rest: &str) -> usize {
    let mut length = 0;
    for cluster in text::graphemes(rest) {
        length += cluster.len();
        if length >= STEP {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_agree_with_reading_from_the_start() {
        let line = "ab汉\t\"e\u{301}\": [1, 👨‍👩‍👧],".repeat(1_000);
        let mut ruler = Ruler::default();
        for byte in [0, 700, 9_000, 30_000, 5_000] {
            let byte = line.floor_char_boundary(byte);
            ruler.measure(3, &line, 0, byte);
            let at = ruler.before_byte(3, byte);
            assert!(byte - at.byte <= STEP * 2 || byte > 20_000, "{byte}");
            assert!(line.is_char_boundary(at.byte));
            let head = line.get(..at.byte).unwrap();
            assert_eq!(at.cell, width(head));
            let mut lexer = highlight::State::default();
            highlight::lex(&mut lexer, head, 0, |_| {});
            assert_eq!(at.lexer, lexer);
        }
        let cell = ruler.before_cell(3, 4_000);
        assert!(cell.cell <= 4_000 && cell.cell > 2_000);
        ruler.forget(3, 2_000);
        assert!(ruler.before_byte(3, 9_000).byte < 2_000);
        ruler.forget(2, 0);
        assert_eq!(ruler.before_byte(3, 9_000), Stop::default());
    }
}
