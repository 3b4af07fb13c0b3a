//! Streamed text as screen rows: grows with the new bytes only, draws the visible rows only.
//!
//! Not an editor and not a parser. It holds back the last grapheme cluster until the next delta or [`Rows::finish`],
//! because that cluster may still grow; so any cutting of a text into deltas gives the same rows.

mod draw;
mod find;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::cells::{self, End, Sequences, Shown, Unit};
use super::highlight;
use super::theme::Role;
use find::Search;

/// How the text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Plain,
    Json,
    /// A unified diff.
    Diff,
}

/// What stands left of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gutter {
    None,
    LineNumbers,
}

/// A marked byte range, e.g. the place of an issue. An empty range marks the unit at its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub range: Range<usize>,
    pub role: Role,
}

/// Bytes between two checkpoints: a frame lexes at most this much before its first row.
const CHECK: usize = 4096;
/// Fewest digits of line numbers, so that a growing text re-wraps only at 10,000 lines, 100,000, …
const MIN_DIGITS: u32 = 4;
/// Beyond this many bytes in a row escape sequences are shown after all: they take no cell, and a row of nothing else
/// would make a frame cost the whole text.
const MAX_LEFT_OUT: usize = 8192;
/// Row starts are kept as `u32`.
const MAX_TEXT: usize = u32::MAX as usize;

/// What is known at a byte offset, whatever the width.
#[derive(Debug, Clone, Copy, Default)]
struct Check {
    offset: usize,
    /// Newlines before it.
    lines: usize,
    state: highlight::State,
}

/// The rows of one text. Memory: the text, four bytes a row, 48 bytes per 4 KiB, four bytes a search hit.
#[derive(Debug, Clone)]
pub struct Rows {
    syntax: Syntax,
    gutter: Gutter,
    sequences: Sequences,
    text: String,
    /// Bytes laid out; what follows is held back.
    laid: usize,
    starts: Vec<u32>,
    /// Cells used in the last row.
    column: u16,
    /// Width of the area.
    width: u16,
    /// Cells for text the rows were laid out for.
    cells: u16,
    checks: Vec<Check>,
    tip: Check,
    finished: bool,
    marks: Vec<Mark>,
    search: Search,
    /// Bytes laid out in all, for the tests of cost.
    work: u64,
}

impl Rows {
    /// An empty text; 80 cells wide until [`Rows::fit`].
    #[must_use]
    pub fn new(syntax: Syntax, gutter: Gutter) -> Self {
        let mut rows = Self {
            syntax,
            gutter,
            sequences: Sequences::LeftOut,
            text: String::new(),
            laid: 0,
            starts: vec![0],
            column: 0,
            width: 80,
            cells: 0,
            checks: vec![Check::default()],
            tip: Check::default(),
            finished: false,
            marks: Vec::new(),
            search: Search::default(),
            work: 0,
        };
        rows.cells = rows.text_cells();
        rows
    }

    /// A complete text.
    #[must_use]
    pub fn of(text: &str, syntax: Syntax, gutter: Gutter) -> Self {
        let mut rows = Self::new(syntax, gutter);
        rows.push(text);
        rows.finish();
        rows
    }

    /// Appends a delta: O(delta). Text beyond 4 GiB is left out.
    pub fn push(&mut self, delta: &str) {
        if self.text.len() + delta.len() > MAX_TEXT {
            return;
        }
        self.text.push_str(delta);
        self.finished = false;
        self.grow();
    }

    /// No more deltas come: the held-back cluster is laid out.
    pub fn finish(&mut self) {
        self.finished = true;
        self.grow();
    }

    /// Drops text, marks and hits (a new attempt begins); keeps width, syntax and search words.
    pub fn clear(&mut self) {
        self.text.clear();
        self.checks.truncate(1);
        self.tip = Check::default();
        self.finished = false;
        self.marks.clear();
        self.search.restart();
        self.restart();
        self.cells = self.text_cells();
    }

    /// The whole text as received, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets the width of the drawing area (gutter included). Call before each frame: free when nothing changed, one
    /// pass over the text when the width did. A width of 0 (nothing is drawn) changes nothing.
    pub fn fit(&mut self, width: u16) {
        if width > 0 {
            self.width = width;
            self.settle();
        }
    }

    /// Shows or leaves out complete escape sequences in the text (left out at first; shown is the raw view).
    pub fn set_sequences(&mut self, sequences: Sequences) {
        if self.sequences != sequences {
            self.sequences = sequences;
            self.restart();
            self.lay_out();
        }
    }

    /// Number of rows (an empty text has one).
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The row that shows the byte at `offset` (clamped).
    #[must_use]
    pub fn row_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// Byte offset at which a row starts (clamped).
    #[must_use]
    pub fn start_of(&self, row: usize) -> usize {
        self.starts.get(row.min(self.len() - 1)).map_or(0, |start| *start as usize)
    }

    /// The bytes of a row, its newline included.
    #[must_use]
    pub fn range_of(&self, row: usize) -> Range<usize> {
        let end = self.starts.get(row + 1).map_or(self.laid, |start| *start as usize);
        self.start_of(row)..end
    }

    /// Line (from 1) a row belongs to.
    #[must_use]
    pub fn line_of(&self, row: usize) -> usize {
        let start = self.start_of(row);
        let check = self.check_before(start);
        check.lines + newlines(self.slice(check.offset..start)) + 1
    }

    /// Number of lines.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.tip.lines + 1
    }

    /// Byte offset at which a line (from 1) starts (clamped).
    #[must_use]
    pub fn offset_of_line(&self, line: usize) -> usize {
        let wanted = line.saturating_sub(1);
        let at = self.checks.partition_point(|check| check.lines <= wanted && check.offset <= self.laid);
        // The wanted newline may stand right before this checkpoint, so begin one earlier when the counts are equal.
        let mut at = at.saturating_sub(1);
        while at > 0 && self.checks.get(at).is_some_and(|check| check.lines == wanted) {
            at -= 1;
        }
        let check = self.checks.get(at).copied().unwrap_or_default();
        let mut missing = wanted.saturating_sub(check.lines);
        if missing == 0 {
            return check.offset;
        }
        let tail = self.slice(check.offset..self.laid);
        for (i, _) in tail.bytes().enumerate().filter(|(_, b)| *b == b'\n') {
            missing -= 1;
            if missing == 0 {
                return check.offset + i + 1;
            }
        }
        self.start_of(usize::MAX)
    }

    /// Replaces the marks.
    pub fn set_marks(&mut self, marks: Vec<Mark>) {
        self.marks = marks;
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    fn check_before(&self, offset: usize) -> Check {
        let after = self.checks.partition_point(|check| check.offset <= offset);
        self.checks.get(after.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// Cells the gutter takes; none when the area is too narrow to lose them.
    fn gutter_cells(&self) -> u16 {
        let digits = u16::try_from(self.lines().ilog10().saturating_add(1).max(MIN_DIGITS)).unwrap_or(0);
        match self.gutter {
            Gutter::LineNumbers if self.width >= digits + 12 => digits + 1,
            Gutter::LineNumbers | Gutter::None => 0,
        }
    }

    fn text_cells(&self) -> u16 {
        self.width.saturating_sub(self.gutter_cells()).max(1)
    }

    fn restart(&mut self) {
        self.laid = 0;
        self.column = 0;
        self.starts.clear();
        self.starts.push(0);
    }

    /// Takes in what was appended.
    fn grow(&mut self) {
        self.lay_out();
        self.read_on();
        self.settle();
        self.search.read_on(&self.text);
    }

    /// Lays everything out again if the cells for text are no longer those of the rows.
    fn settle(&mut self) {
        let cells = self.text_cells();
        if cells != self.cells {
            self.cells = cells;
            self.restart();
            self.lay_out();
        }
    }

    fn lay_out(&mut self) {
        let end = if self.finished { End::Closed } else { End::Open };
        loop {
            let plain = self.plain_run();
            if plain > 0 {
                self.place_plain(plain);
                continue;
            }
            let start = self.starts.last().map_or(0, |start| *start as usize);
            let Some(unit) = self.unit(self.laid, start, end) else { break };
            let (len, newline) = (unit.len, unit.shown == Shown::Newline);
            let width = unit.width(self.column).min(self.cells);
            let first = unit.width(0).min(self.cells);
            self.work += len as u64;
            self.place(len, width, first, newline);
        }
    }

    /// The unit at `at` in the row that starts at `start`.
    fn unit(&self, at: usize, start: usize, end: End) -> Option<Unit<'_>> {
        match self.sequences {
            Sequences::LeftOut if at - start <= MAX_LEFT_OUT => cells::unit_without_sequences(&self.text, at, end),
            Sequences::LeftOut | Sequences::Shown => cells::unit(&self.text, at, end),
        }
    }

    /// How many of the next bytes are printable ASCII that nothing can join: one cell each.
    fn plain_run(&self) -> usize {
        let rest = self.text.as_bytes().get(self.laid..).unwrap_or_default();
        let run = rest.iter().take_while(|b| (0x20..0x7F).contains(*b)).count();
        match rest.get(run) {
            Some(next) if next.is_ascii() => run,
            None if self.finished => run,
            // A mark may follow the last one.
            Some(_) | None => run.saturating_sub(1),
        }
    }

    fn place_plain(&mut self, mut bytes: usize) {
        self.work += bytes as u64;
        while bytes > 0 {
            if self.column >= self.cells {
                self.break_row();
            }
            let now = bytes.min(usize::from(self.cells - self.column));
            self.column += u16::try_from(now).unwrap_or(self.cells);
            self.laid += now;
            bytes -= now;
        }
    }

    /// Places one unit of `width` cells here, or of `first` cells in a new row.
    fn place(&mut self, len: usize, width: u16, first: u16, newline: bool) {
        if newline {
            self.laid += len;
            self.break_row();
        } else if self.column > 0 && self.column.saturating_add(width) > self.cells {
            self.break_row();
            self.laid += len;
            self.column = first;
        } else {
            self.laid += len;
            self.column = self.column.saturating_add(width);
        }
    }

    fn break_row(&mut self) {
        self.column = 0;
        // Offsets stay below MAX_TEXT, see `push`.
        self.starts.push(u32::try_from(self.laid).unwrap_or(u32::MAX));
    }

    /// Counts lines and lexes up to what is laid out, leaving checkpoints.
    fn read_on(&mut self) {
        while self.tip.offset < self.laid {
            let goal = self.laid.min(self.checks.last().map_or(0, |check| check.offset) + CHECK);
            let end = self.text.ceil_char_boundary(goal).min(self.laid);
            let piece = self.text.get(self.tip.offset..end).unwrap_or_default();
            match self.syntax {
                Syntax::Json => highlight::lex(&mut self.tip.state, piece, 0, |_| {}),
                Syntax::Plain | Syntax::Diff => {}
            }
            self.tip.lines += newlines(piece);
            self.tip.offset = end;
            if end >= goal && goal < self.laid {
                self.checks.push(self.tip);
            }
        }
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|b| *b == b'\n').count()
}
