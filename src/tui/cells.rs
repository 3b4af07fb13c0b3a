//! Text from outside as screen cells: what a piece of text shows as, and how wide.
//!
//! The last gate before the buffer: no control, bidi or invisible character passes, each is shown as a visible escape.
//! Measures with ratatui's own width, so that what is laid out is what is drawn. Knows nothing of rows or colours.

mod sequence;

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::text;

/// A cluster longer than this many bytes is cut: the longest emoji in use has 35, and without a bound one letter with
/// endless marks would make every delta cost the whole text.
pub const MAX_CLUSTER: usize = 64;
/// Cells between tab stops.
pub const TAB: u16 = 4;

/// The smallest piece of text that is laid out as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Bytes of source.
    pub len: usize,
    pub shown: Shown<'a>,
}

/// What a unit puts on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown<'a> {
    /// One cluster of this many cells (at least one).
    Cluster(&'a str, u16),
    /// A character that must not reach the terminal, shown by its stand-in; one cell a character.
    Escape(Cow<'static, str>),
    Tab,
    Newline,
    /// A whole escape sequence, left out.
    Nothing,
}

/// What becomes of complete terminal escape sequences; stray control characters are always shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sequences {
    /// Each control character by its stand-in: the raw view.
    Shown,
    /// Left out: reads as the text was meant to look.
    LeftOut,
}

/// Whether more text may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The last cluster may still grow and is not given out.
    Open,
    Closed,
}

/// The unit that starts at byte `at` (a unit boundary); `None` at the end, or when it may still grow.
#[must_use]
pub fn unit(source: &str, at: usize, end: End) -> Option<Unit<'_>> {
    // Most of all text: printable ASCII that nothing can join.
    if let Some([0x20..=0x7E, 0x20..=0x7E]) = source.as_bytes().get(at..at + 2) {
        return Some(Unit { len: 1, shown: Shown::Cluster(source.get(at..=at)?, 1) });
    }
    let limit = source.floor_char_boundary(at.saturating_add(MAX_CLUSTER).min(source.len()));
    let window = source.get(at..limit).filter(|w| !w.is_empty())?;
    let cluster = window.graphemes(true).next()?;
    let may_grow = cluster.len() == window.len() && limit == source.len() && end == End::Open;
    // At one byte below the bound nothing that extends a cluster fits any more.
    if may_grow && cluster != "\n" && cluster.len() < MAX_CLUSTER - 1 {
        return None;
    }
    Some(show(cluster))
}

/// As [`unit()`], but a complete escape sequence is one unit that shows nothing.
#[must_use]
pub fn unit_without_sequences(source: &str, at: usize, end: End) -> Option<Unit<'_>> {
    match sequence::at(source, at) {
        sequence::Found::Whole(len) => Some(Unit { len, shown: Shown::Nothing }),
        sequence::Found::Begun if end == End::Open => None,
        sequence::Found::Begun | sequence::Found::None => unit(source, at, end),
    }
}

fn show(cluster: &str) -> Unit<'_> {
    match cluster {
        "\n" | "\r\n" => return Unit { len: cluster.len(), shown: Shown::Newline },
        "\t" => return Unit { len: 1, shown: Shown::Tab },
        _ => {}
    }
    if let Some(shown) = as_it_is(cluster) {
        return Unit { len: cluster.len(), shown };
    }
    // The cluster cannot be shown as it is: its first character goes alone, the rest follows on its own.
    let first = cluster.chars().next().unwrap_or(' ');
    let head = cluster.get(..first.len_utf8()).unwrap_or(cluster);
    Unit { len: head.len(), shown: as_it_is(head).unwrap_or_else(|| stand_in(head, first)) }
}

/// The cluster itself, when nothing in it is hidden and it takes a cell.
fn as_it_is(cluster: &str) -> Option<Shown<'_>> {
    let honest = matches!(text::safe(cluster), Cow::Borrowed(_));
    let width = if honest { cluster.cell_width() } else { 0 };
    (width > 0).then_some(Shown::Cluster(cluster, width))
}

fn stand_in(head: &str, first: char) -> Shown<'static> {
    match text::safe(head) {
        Cow::Owned(shown) => Shown::Escape(Cow::Owned(shown)),
        // Harmless but without a cell of its own, like an accent on nothing.
        Cow::Borrowed(_) => Shown::Escape(Cow::Owned(format!("⟨U+{:04X}⟩", u32::from(first)))),
    }
}

impl Unit<'_> {
    /// Cells it takes when it starts in `column`; a newline takes none.
    #[must_use]
    pub fn width(&self, column: u16) -> u16 {
        match &self.shown {
            Shown::Cluster(_, width) => *width,
            Shown::Escape(text) => u16::try_from(text.chars().count()).unwrap_or(u16::MAX),
            Shown::Tab => TAB - column % TAB,
            Shown::Newline | Shown::Nothing => 0,
        }
    }

    /// Draws it at `x` up to `right`; what does not fit is left out, never cut through a wide character. Returns the
    /// cell after it.
    pub fn draw(&self, buf: &mut Buffer, (x, y): (u16, u16), left: u16, right: u16, style: Style) -> u16 {
        let width = self.width(x.saturating_sub(left));
        match &self.shown {
            Shown::Cluster(text, _) => put(buf, (x, y), right, text, width, style),
            Shown::Escape(text) => {
                let mut x = x;
                for c in text.chars() {
                    x = put(buf, (x, y), right, c.encode_utf8(&mut [0; 4]), 1, style);
                }
                x
            }
            Shown::Tab => (0..width).fold(x, |x, _| put(buf, (x, y), right, " ", 1, style)),
            Shown::Newline | Shown::Nothing => x,
        }
    }
}

/// Puts one cluster into the buffer; the cells it covers are blanked. Returns the next cell.
fn put(buf: &mut Buffer, (x, y): (u16, u16), right: u16, symbol: &str, width: u16, style: Style) -> u16 {
    let next = x.saturating_add(width);
    if next > right {
        // Half a wide character must not be drawn.
        (x..right).for_each(|x| set(buf, (x, y), " ", style));
        return right;
    }
    set(buf, (x, y), symbol, style);
    (x + 1..next).for_each(|x| blank(buf, (x, y), style));
    next
}

fn set(buf: &mut Buffer, at: (u16, u16), symbol: &str, style: Style) {
    if let Some(cell) = buf.cell_mut(at) {
        cell.set_symbol(symbol).set_style(style);
    }
}

fn blank(buf: &mut Buffer, at: (u16, u16), style: Style) {
    if let Some(cell) = buf.cell_mut(at) {
        cell.reset();
        cell.set_style(style);
    }
}

/// Draws a one-line text from `at` up to `right`, made safe; newlines show as `␊`. Returns the next cell and whether the
/// whole text fitted.
pub fn draw_text(buf: &mut Buffer, at: (u16, u16), right: u16, text: &str, style: Style) -> (u16, Fit) {
    let (mut x, mut pos) = (at.0, 0);
    while let Some(mut unit) = unit(text, pos, End::Closed) {
        if unit.shown == Shown::Newline {
            unit.shown = Shown::Escape(Cow::Borrowed("\u{240A}"));
        }
        if x.saturating_add(unit.width(x - at.0)) > right {
            return (x, Fit::Cut);
        }
        x = unit.draw(buf, (x, at.1), at.0, right, style);
        pos += unit.len;
    }
    (x, Fit::Whole)
}

/// Whether a text was drawn whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    Whole,
    Cut,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 60, 1));
        let (end, fit) = draw_text(&mut buf, (0, 0), 60, text, Style::new());
        assert_eq!(fit, Fit::Whole);
        let mut x = 0;
        let mut out = String::new();
        while x < end {
            out.push_str(buf[(x, 0)].symbol());
            x += buf[(x, 0)].symbol().cell_width();
        }
        out
    }

    #[test]
    fn hidden_characters_are_spelled_out() {
        for (text, want) in [
            ("a\u{1b}]52;c;aGk=\u{7}b", "a\u{241B}]52;c;aGk=\u{2407}b"),
            ("\u{9b}31m", "⟨U+009B⟩31m"),
            ("x\u{202E}y", "x⟨U+202E⟩y"),
            ("\u{7f}", "\u{2421}"),
            ("a\rb", "a\u{240D}b"),
            ("a\r\nb", "a\u{240A}b"),
            ("\u{200B}", "⟨U+200B⟩"),
            ("a\u{E0041}", "a⟨U+E0041⟩"),
            ("\u{301}", "⟨U+0301⟩"),
        ] {
            assert_eq!(shown(text), want);
        }
    }

    #[test]
    fn emoji_combining_marks_and_flags_stay_whole() {
        let scotland = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        for text in ["e\u{301}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", scotland, "\u{2764}\u{FE0F}", "語"] {
            assert_eq!(shown(text), text);
            assert_eq!(unit(text, 0, End::Closed).map(|u| u.len), Some(text.len()));
            assert_eq!(unit(text, 0, End::Open), None, "may still grow");
        }
    }

    #[test]
    fn an_endless_cluster_is_cut() {
        let text = format!("a{}", "\u{301}".repeat(10_000));
        let unit = unit(&text, 0, End::Open).unwrap();
        assert!(unit.len <= MAX_CLUSTER);
    }

    #[test]
    fn half_a_wide_character_is_never_drawn() {
        let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 3, 1));
        let (x, fit) = draw_text(&mut buf, (0, 0), 3, "語語", Style::new());
        assert_eq!((x, fit), (2, Fit::Cut));
        assert_eq!(buf[(0, 0)].symbol(), "語");
        assert_eq!(buf[(2, 0)].symbol(), " ");
    }
}
