//! Text from outside as screen cells: what a piece of text shows as, and how wide.
//!
//! The last gate before the buffer: no control, bidi or invisible character passes, each is shown as a visible escape.
//! Measures with ratatui's own width, so that what is laid out is what is drawn. Knows nothing of rows or colours.

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

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
    /// A character that must not reach the terminal, spelled out; one cell a character.
    Escape(Cow<'static, str>),
    Tab,
    Newline,
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
pub fn unit(text: &str, at: usize, end: End) -> Option<Unit<'_>> {
    let limit = text.floor_char_boundary(at.saturating_add(MAX_CLUSTER).min(text.len()));
    let window = text.get(at..limit).filter(|w| !w.is_empty())?;
    let cluster = window.graphemes(true).next()?;
    let may_grow = cluster.len() == window.len() && limit == text.len() && end == End::Open;
    // At one byte below the bound nothing that extends a cluster fits any more.
    if may_grow && cluster != "\n" && cluster.len() < MAX_CLUSTER - 1 {
        return None;
    }
    Some(show(cluster))
}

fn show(cluster: &str) -> Unit<'_> {
    let first = cluster.chars().next().unwrap_or(' ');
    match cluster {
        "\n" | "\r\n" => return Unit { len: cluster.len(), shown: Shown::Newline },
        "\t" => return Unit { len: 1, shown: Shown::Tab },
        _ => {}
    }
    if !cluster.chars().any(|c| is_hidden(c, first)) {
        let width = cluster.cell_width();
        if width > 0 {
            return Unit { len: cluster.len(), shown: Shown::Cluster(cluster, width) };
        }
    }
    // The cluster cannot be shown as it is: spell out its first character, the rest follows on its own.
    let len = first.len_utf8();
    let head = cluster.get(..len).unwrap_or(cluster);
    if is_hidden(first, first) || head.cell_width() == 0 {
        Unit { len, shown: Shown::Escape(escape(first)) }
    } else {
        Unit { len, shown: Shown::Cluster(head, head.cell_width()) }
    }
}

/// Controls, bidi controls and invisible characters that can carry hidden text; tags only count outside flags.
fn is_hidden(c: char, first: char) -> bool {
    const BLACK_FLAG: char = '\u{1F3F4}';
    match c {
        '\u{E0000}'..='\u{E007F}' => first != BLACK_FLAG,
        '\u{61C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}' => true,
        _ => c.is_control(),
    }
}

/// How a hidden character is spelled: `␛` for ASCII controls, `<U+202E>` for the rest.
fn escape(c: char) -> Cow<'static, str> {
    let code = u32::from(c);
    let picture = match code {
        0..=0x1F => char::from_u32(0x2400 + code),
        0x7F => Some('\u{2421}'),
        _ => None,
    };
    picture.map_or_else(|| Cow::Owned(format!("<U+{code:04X}>")), |p| Cow::Owned(p.to_string()))
}

impl Unit<'_> {
    /// Cells it takes when it starts in `column`; a newline takes none.
    #[must_use]
    pub fn width(&self, column: u16) -> u16 {
        match &self.shown {
            Shown::Cluster(_, width) => *width,
            Shown::Escape(text) => u16::try_from(text.chars().count()).unwrap_or(u16::MAX),
            Shown::Tab => TAB - column % TAB,
            Shown::Newline => 0,
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
            Shown::Newline => x,
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

/// A one-line text as it would be shown: for titles, lists and messages that hold text from outside.
#[must_use]
pub fn safe_line(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| (0x20..0x7F).contains(&b)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut pos = 0;
    while let Some(unit) = unit(text, pos, End::Closed) {
        match &unit.shown {
            Shown::Cluster(cluster, _) => out.push_str(cluster),
            Shown::Escape(escape) => out.push_str(escape),
            Shown::Tab => out.push(' '),
            Shown::Newline => out.push('\u{240A}'),
        }
        pos += unit.len;
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_spelled_out() {
        for (text, shown) in [
            ("a\u{1b}]52;c;aGk=\u{7}b", "a\u{241B}]52;c;aGk=\u{2407}b"),
            ("\u{9b}31m", "<U+009B>31m"),
            ("x\u{202E}y", "x<U+202E>y"),
            ("\u{7f}", "\u{2421}"),
            ("a\rb", "a\u{240D}b"),
            ("a\r\nb", "a\u{240A}b"),
            ("\u{200B}", "<U+200B>"),
            ("a\u{E0041}", "a<U+E0041>"),
            ("\u{301}", "<U+0301>"),
        ] {
            assert_eq!(safe_line(text), shown);
        }
    }

    #[test]
    fn emoji_combining_marks_and_flags_stay_whole() {
        let scotland = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        for text in ["e\u{301}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", scotland, "\u{2764}\u{FE0F}", "語"] {
            assert_eq!(safe_line(text), text);
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
