//! Text from outside, made safe for a terminal, and its width in cells.
//!
//! [`safe`] and [`safe_keep_lines`] leave nothing in a text that a terminal would obey or that would show it in another
//! order than it has: such characters become visible stand-ins. Widths are counted as the drawing library counts them.
//! [`bytes()`] and [`length`] say amounts the way people read them.
//! Does not wrap, colour or draw, and does not judge what the text says.

pub mod diff;
pub mod ends;

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What stands for the part of a text that was left out.
pub const ELLIPSIS: &str = "…";

/// A tab in text that keeps its lines; fixed, so that a stream gives the same however it is cut.
const TAB: &str = "    ";

/// A cluster longer than this many bytes (no script has one) is let go in pieces, so that a stream of combining marks
/// costs linear time.
const MAX_HELD: usize = 1024;

/// The only sequences in which tag characters are honest: the flags of England, Scotland and Wales.
const TAG_FLAGS: [&str; 3] = [
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// What becomes of line ends and tabs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// One line: line ends get a stand-in, a tab becomes one space.
    Single,
    /// LF stays, CR LF becomes LF, a tab becomes four spaces.
    Keep,
}

/// What is shown in place of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StandIn {
    Fixed(&'static str),
    /// A character of the block of control pictures.
    Picture(char),
    /// Its code point in angle brackets: `⟨U+202E⟩`.
    CodePoint,
}

/// A text for one line of a terminal: no control, escape, bidirectional, tag, line-separating or hidden character is
/// left; each has a visible stand-in (`␛`, `⟨U+202E⟩`), a tab becomes a space. Borrowed when nothing had to change.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    make_safe(text, Lines::Single)
}

/// As [`safe`] for text of several lines: LF stays (CR LF becomes LF), a tab becomes four spaces.
#[must_use]
pub fn safe_keep_lines(text: &str) -> Cow<'_, str> {
    make_safe(text, Lines::Keep)
}

fn make_safe(text: &str, lines: Lines) -> Cow<'_, str> {
    let plain = |b: u8| matches!(b, b' '..=b'~') || (b == b'\n' && lines == Lines::Keep);
    let Some(first) = text.bytes().position(|b| !plain(b)) else { return Cow::Borrowed(text) };
    let mut out = String::new();
    // The characters up to `copied` are in `out` (or were replaced there); those up to `at` are looked at.
    let mut copied = 0;
    let mut before = text.get(..first).and_then(|head| head.chars().next_back());
    let mut at = first;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let end = at + letter.len_utf8();
        if let Some(flag) = TAG_FLAGS.iter().find(|flag| letter == '\u{1F3F4}' && rest.starts_with(**flag)) {
            at += flag.len();
            before = flag.chars().next_back();
            continue;
        }
        if let Some(stand_in) = stand_in(before, letter, rest, lines) {
            out.push_str(text.get(copied..at).unwrap_or_default());
            push_stand_in(&mut out, letter, stand_in);
            copied = end;
        }
        before = Some(letter);
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

fn push_stand_in(out: &mut String, letter: char, stand_in: StandIn) {
    match stand_in {
        StandIn::Fixed(text) => out.push_str(text),
        StandIn::Picture(picture) => out.push(picture),
        StandIn::CodePoint => {
            // Writing to a String cannot fail.
            let _ = write!(out, "⟨U+{:04X}⟩", u32::from(letter));
        }
    }
}

/// What the first character of `rest` becomes after `before`, if it may not stay.
fn stand_in(before: Option<char>, letter: char, rest: &str, lines: Lines) -> Option<StandIn> {
    match letter {
        ' '..='~' => None,
        '\t' => Some(StandIn::Fixed(if lines == Lines::Keep { TAB } else { " " })),
        '\n' if lines == Lines::Keep => None,
        '\r' if lines == Lines::Keep && rest.starts_with("\r\n") => Some(StandIn::Fixed("")),
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(letter)).map(StandIn::Picture),
        '\u{7F}' => Some(StandIn::Picture('\u{2421}')),
        _ if hidden(letter) => Some(StandIn::CodePoint),
        // Joiners have work between letters of many scripts and inside emoji, none after ASCII.
        '\u{200C}' | '\u{200D}' => before.is_none_or(|b| b.is_ascii() || hidden(b)).then_some(StandIn::CodePoint),
        // One selector picks a form; a row of them is a way to hide data.
        _ if selector(letter) => before.is_none_or(|b| b.is_control() || selector(b)).then_some(StandIn::CodePoint),
        _ => None,
    }
}

const fn selector(letter: char) -> bool {
    matches!(letter, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Characters that act on their neighbours or on the line and are not seen themselves.
const fn hidden(letter: char) -> bool {
    matches!(letter,
        '\u{80}'..='\u{9F}'                        // C1 controls
        | '\u{AD}' | '\u{180E}' | '\u{200B}'       // soft hyphen, vowel separator, zero-width space
        | '\u{61C}' | '\u{200E}' | '\u{200F}'      // directional marks
        | '\u{2028}' | '\u{2029}'                  // line and paragraph separator
        | '\u{202A}'..='\u{202E}'                  // directional embeddings and overrides
        | '\u{2060}'..='\u{206F}'                  // word joiner, invisible operators, isolates, deprecated controls
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'     // byte order mark, interlinear annotation
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' // shorthand and musical controls
        | '\u{E0000}'..='\u{E007F}'                // tags
    )
}

/// The clusters a reader takes for one character.
#[must_use]
pub fn graphemes(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.graphemes(true)
}

/// Cells a text takes, counted as the drawing library does: cluster by cluster, those with control characters (which
/// it does not draw) as nothing.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return text.len();
    }
    graphemes(text).map(cluster_width).sum()
}

/// Cells of one cluster.
#[must_use]
pub fn cluster_width(cluster: &str) -> usize {
    if cluster.contains(char::is_control) {
        return 0;
    }
    // The drawing library adds a cell for each halfwidth sound mark, since older width tables gave it none. Those of
    // 0.2.3 give it one, so it reserves two: one too many, but a layout must agree with the buffer it is drawn into.
    let sound_marks = cluster.chars().filter(|c| matches!(c, '\u{FF9E}' | '\u{FF9F}')).count();
    cluster.width() + sound_marks
}

/// The beginning of a text in at most `cells` cells, ending with `…` when something was left out.
#[must_use]
pub fn truncate(text: &str, cells: usize) -> Cow<'_, str> {
    let Some(kept) = kept_bytes(graphemes(text), text.len(), cells) else { return Cow::Borrowed(text) };
    match cells {
        0 => Cow::Borrowed(""),
        _ => Cow::Owned([text.get(..kept).unwrap_or_default(), ELLIPSIS].concat()),
    }
}

/// A text as a cell of a table: cut as [`truncate`] does, filled up with spaces.
#[must_use]
pub fn column(text: &str, cells: usize) -> String {
    let mut out = truncate(text, cells).into_owned();
    let gap = cells.saturating_sub(width(&out));
    out.extend(std::iter::repeat_n(' ', gap));
    out
}

/// The end of a text in at most `cells` cells, beginning with `…` when something was left out: for paths, whose last
/// part says most.
#[must_use]
pub fn fit_left(text: &str, cells: usize) -> Cow<'_, str> {
    let Some(kept) = kept_bytes(graphemes(text).rev(), text.len(), cells) else { return Cow::Borrowed(text) };
    match cells {
        0 => Cow::Borrowed(""),
        _ => Cow::Owned([ELLIPSIS, text.get(text.len() - kept..).unwrap_or_default()].concat()),
    }
}

/// How many bytes fit when one cell is spent on the ellipsis; `None` when all of them fit without it. Looks at no more
/// clusters than fit.
fn kept_bytes<'t>(clusters: impl Iterator<Item = &'t str>, bytes: usize, cells: usize) -> Option<usize> {
    let (mut used, mut read, mut kept) = (0, 0, 0);
    for cluster in clusters {
        used += cluster_width(cluster);
        if used > cells {
            return Some(kept);
        }
        read += cluster.len();
        if used < cells {
            kept = read;
        }
    }
    debug_assert_eq!(read, bytes, "clusters cover the text");
    None
}

/// Gives a stream's text onward in whole clusters, so that what was wrapped once never changes: the last cluster waits
/// for the next delta (`e` for its accent, CR for its LF, one half of a flag for the other).
#[derive(Debug, Clone, Default)]
pub struct Holdback {
    held: String,
}

impl Holdback {
    /// Takes a delta; gives the text that is final now.
    #[must_use]
    pub fn push(&mut self, delta: &str) -> String {
        self.held.push_str(delta);
        let last = graphemes(&self.held).next_back().unwrap_or_default();
        // Nothing joins a line feed from behind: a finished line need not wait.
        let whole = last.ends_with('\n') || last.len() > MAX_HELD;
        let ready = if whole { self.held.len() } else { self.held.len() - last.len() };
        let rest = self.held.split_off(ready);
        std::mem::replace(&mut self.held, rest)
    }

    /// The stream has ended: gives what was held back.
    #[must_use]
    pub fn flush(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// What is held back now.
    #[must_use]
    pub fn held(&self) -> &str {
        &self.held
    }
}

/// Bytes in powers of ten, as the places models come from write them: `214 B`, `3.2 kB`, `98 MB`, `1.1 GB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    let of = |unit: u64, name: &str| match n / unit {
        whole @ 0..10 => format!("{whole}.{} {name}", n % unit * 10 / unit),
        whole => format!("{whole} {name}"),
    };
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => of(1_000, "kB"),
        1_000_000..1_000_000_000 => of(1_000_000, "MB"),
        _ => of(1_000_000_000, "GB"),
    }
}

/// The length of something in memory, as [`bytes()`] says it.
#[must_use]
pub fn length(n: usize) -> String {
    bytes(u64::try_from(n).unwrap_or(u64::MAX))
}
