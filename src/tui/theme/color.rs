//! Colour arithmetic: names, hex, and the nearest of the 256 indexed colours.

use ratatui::style::Color;

/// The sixteen terminal colours by name.
const ANSI: [(&str, Color); 17] = [
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("gray", Color::Gray),
    ("dark-gray", Color::DarkGray),
    ("light-red", Color::LightRed),
    ("light-green", Color::LightGreen),
    ("light-yellow", Color::LightYellow),
    ("light-blue", Color::LightBlue),
    ("light-magenta", Color::LightMagenta),
    ("light-cyan", Color::LightCyan),
    ("white", Color::White),
];

/// Levels of the 6×6×6 cube of the 256 colours.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// A terminal colour by name.
pub(super) fn ansi(name: &str) -> Option<Color> {
    ANSI.iter().find(|(n, _)| *n == name).map(|(_, color)| *color)
}

/// `#rrggbb`.
pub(super) fn hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some(Color::Rgb(r, g, b))
}

/// The nearest of the colours 16-255; others stay.
pub(super) fn to_256(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let candidates = (16..=255u8).map(|index| (distance(indexed(index), [r, g, b]), index));
    candidates.min().map_or(color, |(_, index)| Color::Indexed(index))
}

/// What an index of 16-255 shows.
fn indexed(index: u8) -> [u8; 3] {
    if index >= 232 {
        return [8 + (index - 232) * 10; 3];
    }
    let at = index.saturating_sub(16);
    [at / 36, at / 6 % 6, at % 6].map(|level| LEVELS.get(usize::from(level)).copied().unwrap_or(255))
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_the_nearest_index() {
        assert_eq!(hex("#1e1e2e"), Some(Color::Rgb(30, 30, 46)));
        for bad in ["1e1e2e", "#1e1e2", "#1e1e2g", "#+e1e2e"] {
            assert_eq!(hex(bad), None);
        }
        assert_eq!(to_256(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(to_256(Color::Rgb(8, 8, 8)), Color::Indexed(232));
        assert_eq!(to_256(Color::Red), Color::Red);
    }
}
