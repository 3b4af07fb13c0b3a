//! The prompt's text with its caret: a text area of the library, with its traps kept here: pasted line ends, undo by
//! word, graphemes. Draws nothing.
//!
//! A prompt is short. The schema has an editor of its own (`editor`), whose cost does not grow with the document.

use tui_textarea::{CursorMove, Input, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use super::editor::unix_lines;
use crate::command::{Chord, Key};

/// Edits that can be taken back; the widget's default of 50 single characters is a sentence.
const HISTORY: usize = 10_000;

/// A text with caret and history.
#[derive(Debug, Clone)]
pub struct Composer {
    area: TextArea<'static>,
    /// Rises with every change of the text.
    revision: u64,
}

impl Default for Composer {
    fn default() -> Self {
        let mut area = TextArea::default();
        area.set_wrap_mode(WrapMode::None);
        area.set_max_histories(HISTORY);
        area.set_tab_length(2);
        Self { area, revision: 0 }
    }
}

impl Composer {
    /// The lines, without their ends; at least one.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Nothing but white space?
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|l| l.trim().is_empty())
    }

    /// Rises with every change of the text.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Caret: line and character, from 0.
    #[must_use]
    pub fn caret(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// The selected range as (line, character) pairs.
    #[must_use]
    pub fn selection(&self) -> Option<((usize, usize), (usize, usize))> {
        self.area.selection_range().filter(|(a, b)| a != b)
    }

    /// Replaces everything, the caret at the end; can be undone.
    pub fn replace(&mut self, text: &str) {
        self.area.select_all();
        self.area.insert_str(unix_lines(text));
        self.to_end();
        self.revision += 1;
    }

    /// Inserts text at the caret as one edit.
    pub fn insert(&mut self, text: &str) {
        if self.area.insert_str(unix_lines(text)) {
            self.revision += 1;
        }
    }

    /// Empties the text; can be undone.
    pub fn clear(&mut self) {
        self.replace("");
    }

    /// Handles a key that no command took.
    pub fn key(&mut self, chord: Chord) {
        let changed = match input(chord) {
            Input { key: tui_textarea::Key::Backspace, ctrl: false, alt: false, .. } => self.backspace(),
            // As in a shell; the widget would undo.
            Input { key: tui_textarea::Key::Char('u'), ctrl: true, alt: false, .. } => self.area.delete_line_by_head(),
            other => self.area.input(other),
        };
        self.revision += u64::from(changed);
    }

    /// Removes what a reader takes for one character, which may be several code points.
    fn backspace(&mut self) -> bool {
        let (row, column) = self.caret();
        let head: String = self.lines().get(row).map_or(String::new(), |l| l.chars().take(column).collect());
        let points = head.graphemes(true).next_back().map_or(1, |g| g.chars().count());
        if self.selection().is_some() || points == 1 {
            return self.area.delete_char();
        }
        (0..points).fold(false, |changed, _| self.area.delete_char() || changed)
    }

    /// Begins a new line.
    pub fn plain_newline(&mut self) {
        self.area.insert_newline();
        self.revision += 1;
    }

    /// Takes back the last edit: a run of typed letters is one.
    pub fn undo(&mut self) -> bool {
        self.history(TextArea::undo)
    }

    /// Makes an undone edit again.
    pub fn redo(&mut self) -> bool {
        self.history(TextArea::redo)
    }

    fn history(&mut self, step: impl Fn(&mut TextArea<'static>) -> bool) -> bool {
        let mut any = false;
        loop {
            let before = self.area.lines().to_vec();
            if !step(&mut self.area) {
                break;
            }
            any = true;
            if !goes_on(&before, self.area.lines(), self.caret()) {
                break;
            }
        }
        self.revision += u64::from(any);
        any
    }

    /// Moves the caret by whole lines.
    pub fn move_lines(&mut self, down: isize) {
        let (row, column) = self.caret();
        let row = row.saturating_add_signed(down).min(self.lines().len().saturating_sub(1));
        let clamp = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.cancel_selection();
        self.area.move_cursor(CursorMove::Jump(clamp(row), clamp(column)));
    }

    /// Caret to the end of the text.
    pub fn to_end(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }
}

/// A chord as the text area takes it.
fn input(chord: Chord) -> Input {
    use tui_textarea::Key as Area;
    let key = match chord.key {
        Key::Char(c) => Area::Char(c),
        Key::Enter => Area::Enter,
        Key::Esc => Area::Esc,
        Key::Tab => Area::Tab,
        Key::Backspace => Area::Backspace,
        Key::Delete => Area::Delete,
        Key::Insert => Area::Null,
        Key::Up => Area::Up,
        Key::Down => Area::Down,
        Key::Left => Area::Left,
        Key::Right => Area::Right,
        Key::Home => Area::Home,
        Key::End => Area::End,
        Key::PageUp => Area::PageUp,
        Key::PageDown => Area::PageDown,
        Key::F(n) => Area::F(n),
    };
    Input { key, ctrl: chord.ctrl, alt: chord.alt, shift: chord.shift }
}

/// Does an undo go on after this step? Within a word typed letter by letter, and through the empty text between the two
/// steps of a replacement.
fn goes_on(before: &[String], after: &[String], caret: (usize, usize)) -> bool {
    if after.iter().all(String::is_empty) && before.iter().map(|l| l.len() + 1).sum::<usize>() > 2 {
        return true;
    }
    let length = |lines: &[String]| lines.get(caret.0).map_or(0, |l| l.chars().count());
    if before.len() != after.len() || length(before).abs_diff(length(after)) != 1 {
        return false;
    }
    let line = after.get(caret.0).map_or("", String::as_str);
    caret.1.checked_sub(1).and_then(|c| line.chars().nth(c)).is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(composer: &mut Composer, key: &str) {
        composer.key(key.parse().unwrap());
    }

    fn typed(composer: &mut Composer, text: &str) {
        for c in text.chars() {
            composer.key(Chord::plain(Key::Char(c)));
        }
    }

    #[test]
    fn a_paste_has_unix_lines_and_is_one_undo() {
        let mut c = Composer::default();
        c.insert("a b\r\nc\rd");
        assert_eq!(c.lines(), ["a b", "c", "d"]);
        c.undo();
        assert_eq!(c.text(), "");
        c.redo();
        assert_eq!(c.text(), "a b\nc\nd");
    }

    #[test]
    fn ctrl_u_clears_to_the_start_of_the_line_and_ctrl_w_takes_a_word() {
        let mut c = Composer::default();
        c.replace("one two three");
        press(&mut c, "ctrl-w");
        assert_eq!(c.text(), "one two ");
        press(&mut c, "ctrl-u");
        assert_eq!(c.text(), "");
    }

    #[test]
    fn undo_takes_words_and_redo_gives_them_back() {
        let mut c = Composer::default();
        typed(&mut c, "hello big world");
        c.undo();
        assert_eq!(c.text(), "hello big ");
        while c.undo() {}
        assert_eq!(c.text(), "");
        while c.redo() {}
        assert_eq!(c.text(), "hello big world");
    }

    #[test]
    fn backspace_takes_what_reads_as_one_character() {
        let mut c = Composer::default();
        c.insert("a👨‍👩‍👧e\u{301}");
        press(&mut c, "backspace");
        assert_eq!(c.text(), "a👨‍👩‍👧");
        press(&mut c, "backspace");
        assert_eq!(c.text(), "a");
    }
}
