//! A key with its modifiers, as text and back. Knows no terminal library.

use std::fmt;
use std::str::FromStr;

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers. Letters carry their case, so `shift` is never set beside a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chord {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
    pub key: Key,
}

/// Why a text names no chord.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no key: write for example ctrl-r, alt-enter, shift-tab, f8 or ?")]
pub struct ChordError {
    pub text: String,
}

/// Names of keys as the config writes them, and as the screen shows them.
const NAMES: &[(&str, Key, &str)] = &[
    ("enter", Key::Enter, "Enter"),
    ("esc", Key::Esc, "Esc"),
    ("tab", Key::Tab, "Tab"),
    ("backspace", Key::Backspace, "Backspace"),
    ("delete", Key::Delete, "Delete"),
    ("insert", Key::Insert, "Insert"),
    ("up", Key::Up, "↑"),
    ("down", Key::Down, "↓"),
    ("left", Key::Left, "←"),
    ("right", Key::Right, "→"),
    ("home", Key::Home, "Home"),
    ("end", Key::End, "End"),
    ("pageup", Key::PageUp, "PgUp"),
    ("pagedown", Key::PageDown, "PgDn"),
    ("space", Key::Char(' '), "Space"),
];

impl Chord {
    /// A chord in its normal form: Ctrl has no case, Shift with a letter is the capital.
    #[must_use]
    pub fn new(ctrl: bool, alt: bool, shift: bool, key: Key) -> Self {
        match key {
            Key::Char(c) if ctrl => Self { ctrl, alt, shift: false, key: Key::Char(c.to_ascii_lowercase()) },
            Key::Char(c) if shift => Self { ctrl, alt, shift: false, key: Key::Char(c.to_ascii_uppercase()) },
            Key::Char(_)
            | Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Insert
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::F(_) => Self { ctrl, alt, shift: shift && !matches!(key, Key::Char(_)), key },
        }
    }

    /// A key without modifiers.
    #[must_use]
    pub fn plain(key: Key) -> Self {
        Self::new(false, false, false, key)
    }

    /// The character this chord would type into a text field.
    #[must_use]
    pub fn printable(self) -> Option<char> {
        match self.key {
            Key::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl FromStr for Chord {
    type Err = ChordError;

    fn from_str(text: &str) -> Result<Self, ChordError> {
        let bad = || ChordError { text: text.chars().take(40).collect() };
        let mut rest = text.trim();
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        while let Some((head, tail)) = rest.split_once('-').filter(|(_, tail)| !tail.is_empty()) {
            match head.to_ascii_lowercase().as_str() {
                "ctrl" => ctrl = true,
                "alt" => alt = true,
                "shift" => shift = true,
                _ => return Err(bad()),
            }
            rest = tail;
        }
        Ok(Self::new(ctrl, alt, shift, key(rest).ok_or_else(bad)?))
    }
}

fn key(text: &str) -> Option<Key> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(Key::Char(c));
    }
    let lower = text.to_ascii_lowercase();
    if let Some((_, key, _)) = NAMES.iter().find(|(name, ..)| *name == lower) {
        return Some(*key);
    }
    let n: u8 = lower.strip_prefix('f')?.parse().ok()?;
    (1..=12).contains(&n).then_some(Key::F(n))
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (on, name) in [(self.ctrl, "Ctrl-"), (self.alt, "Alt-"), (self.shift, "Shift-")] {
            if on {
                f.write_str(name)?;
            }
        }
        // Beside another modifier letters are shown as capitals: Shift has to be said.
        if self.alt && !self.ctrl && matches!(self.key, Key::Char(c) if c.is_uppercase()) {
            f.write_str("Shift-")?;
        }
        if let Some((_, _, shown)) = NAMES.iter().find(|(_, key, _)| *key == self.key) {
            return f.write_str(shown);
        }
        match self.key {
            Key::Char(c) if self.ctrl || self.alt => write!(f, "{}", c.to_ascii_uppercase()),
            Key::Char(c) => write!(f, "{c}"),
            Key::F(n) => write!(f, "F{n}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_to_chord_and_screen() {
        for (text, shown) in [
            ("ctrl-r", "Ctrl-R"),
            ("Ctrl-R", "Ctrl-R"),
            ("alt-enter", "Alt-Enter"),
            ("shift-tab", "Shift-Tab"),
            ("f8", "F8"),
            ("shift-f8", "Shift-F8"),
            ("?", "?"),
            ("N", "N"),
            ("alt-f", "Alt-F"),
            ("alt-F", "Alt-Shift-F"),
            ("ctrl--", "Ctrl--"),
            ("-", "-"),
            ("space", "Space"),
            ("pagedown", "PgDn"),
        ] {
            assert_eq!(text.parse::<Chord>().unwrap().to_string(), shown, "{text}");
        }
        for text in ["", "ctrl-", "f13", "f0", "hyper-x", "foo", "\u{1b}"] {
            assert!(text.parse::<Chord>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn shift_with_a_letter_is_the_capital() {
        assert_eq!("shift-n".parse::<Chord>().unwrap(), "N".parse().unwrap());
    }
}
