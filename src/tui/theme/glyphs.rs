//! The signs that tell state without colour, in Unicode and in ASCII. Each is one cell wide unless said otherwise.

use ratatui::symbols::border;

/// A set of signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    pub success: &'static str,
    pub error: &'static str,
    pub warning: &'static str,
    pub info: &'static str,
    pub pending: &'static str,
    pub unknown: &'static str,
    pub folded: &'static str,
    pub unfolded: &'static str,
    /// Before everything the built-in scripted provider made.
    pub simulated: &'static str,
    pub selected: &'static str,
    pub ellipsis: &'static str,
    pub retry: &'static str,
    pub arrow: &'static str,
    /// The full and the empty part of a progress bar.
    pub bar: &'static str,
    pub bar_rest: &'static str,
    pub spinner: &'static [&'static str],
    pub border: border::Set<'static>,
}

impl Glyphs {
    pub const UNICODE: Self = Self {
        success: "✓",
        error: "✗",
        warning: "!",
        info: "i",
        pending: "·",
        unknown: "?",
        folded: "▸",
        unfolded: "▾",
        simulated: "≈",
        selected: "❯",
        ellipsis: "…",
        retry: "↻",
        arrow: "→",
        bar: "━",
        bar_rest: "─",
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
        border: border::ROUNDED,
    };
    /// For `--ascii`: nothing beyond the printable ASCII characters.
    pub const ASCII: Self = Self {
        success: "+",
        error: "x",
        warning: "!",
        info: "i",
        pending: ".",
        unknown: "?",
        folded: ">",
        unfolded: "v",
        simulated: "~",
        selected: ">",
        ellipsis: "~",
        retry: "@",
        arrow: ">",
        bar: "=",
        bar_rest: "-",
        spinner: &["|", "/", "-", "\\"],
        border: border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        },
    };

    /// Whether this is the set for terminals without Unicode.
    #[must_use]
    pub fn is_ascii(&self) -> bool {
        self.ellipsis.is_ascii()
    }

    /// The program's own text with its signs as this set has them, cell for cell. Not for data: what a model or a file
    /// says is shown as it is.
    #[must_use]
    pub fn fold(&self, text: &str) -> String {
        if !self.is_ascii() {
            return text.to_owned();
        }
        let sign = |c: char| match c {
            '·' | '—' | '─' => '-',
            '…' => '~',
            '×' => 'x',
            '│' => '|',
            '→' => '>',
            '←' => '<',
            '↑' => '^',
            '↓' => 'v',
            other => other,
        };
        text.chars().map(sign).collect()
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::CellWidth;

    use super::*;

    fn all(g: &Glyphs) -> Vec<&'static str> {
        let mut all = vec![
            g.success,
            g.error,
            g.warning,
            g.info,
            g.pending,
            g.unknown,
            g.folded,
            g.unfolded,
            g.simulated,
            g.selected,
            g.ellipsis,
            g.retry,
            g.arrow,
            g.border.top_left,
            g.border.horizontal_top,
            g.border.vertical_left,
        ];
        all.extend(g.spinner);
        all
    }

    #[test]
    fn every_sign_is_one_cell_and_ascii_is_ascii() {
        for sign in all(&Glyphs::UNICODE).into_iter().chain(all(&Glyphs::ASCII)) {
            assert_eq!(sign.cell_width(), 1, "{sign}");
        }
        assert!(all(&Glyphs::ASCII).iter().all(|sign| sign.is_ascii()));
    }

    #[test]
    fn states_differ_without_colour() {
        for g in [Glyphs::UNICODE, Glyphs::ASCII] {
            let mut states = vec![g.success, g.error, g.warning, g.info, g.pending, g.unknown, g.simulated, g.retry];
            states.sort_unstable();
            states.dedup();
            assert_eq!(states.len(), 8);
        }
    }
}
