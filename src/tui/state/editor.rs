//! A text with a caret: the schema editor and the prompt share it.
//!
//! Wraps the text area so that its traps stay here: pasted line ends, undo by word, graphemes, the caret. Draws nothing.

use tui_textarea::{CursorMove, Input, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

/// Edits that can be taken back; the widget's default of 50 single characters is a sentence.
const HISTORY: usize = 10_000;

/// A text with caret, history and search.
#[derive(Debug, Clone)]
pub struct Editor {
    area: TextArea<'static>,
    /// Rises with every change of the text.
    revision: u64,
    needle: String,
}

impl Default for Editor {
    fn default() -> Self {
        Self::new("")
    }
}

/// Terminals paste `\r`; files may hold `\r\n`: the editor knows `\n` only.
#[must_use]
pub fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

impl Editor {
    /// An editor that holds `text`, the caret at its start.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut area = TextArea::new(unix_lines(text).split('\n').map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::None);
        area.set_max_histories(HISTORY);
        area.set_tab_length(2);
        Self { area, revision: 0, needle: String::new() }
    }

    /// The lines, without their ends.
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

    /// Byte offset of the caret in [`Editor::text`].
    #[must_use]
    pub fn caret_offset(&self) -> usize {
        let (row, column) = self.caret();
        let above: usize = self.lines().iter().take(row).map(|l| l.len() + 1).sum();
        above + self.lines().get(row).map_or(0, |l| l.chars().take(column).map(char::len_utf8).sum())
    }

    /// The selected range as (line, character) pairs.
    #[must_use]
    pub fn selection(&self) -> Option<((usize, usize), (usize, usize))> {
        self.area.selection_range().filter(|(a, b)| a != b)
    }

    /// Replaces everything; can be undone.
    pub fn replace(&mut self, text: &str) {
        self.area.select_all();
        self.area.insert_str(unix_lines(text));
        self.jump(0, 0);
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
    pub fn key(&mut self, input: Input) {
        let changed = match input {
            Input { key: tui_textarea::Key::Backspace, ctrl: false, alt: false, .. } => self.backspace(),
            Input { key: tui_textarea::Key::Enter, .. } => self.newline(),
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

    /// Breaks the line and keeps its indent.
    fn newline(&mut self) -> bool {
        let (row, column) = self.caret();
        let line = self.lines().get(row).map_or("", String::as_str);
        let mut indent: String = line.chars().take(column).take_while(|c| *c == ' ').collect();
        let before = line.chars().take(column).last();
        if matches!(before, Some('{' | '[')) {
            indent.push_str("  ");
        }
        self.area.insert_newline();
        if !indent.is_empty() {
            self.area.insert_str(&indent);
        }
        true
    }

    /// Begins a new line without indent.
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

    /// Moves the caret to a line and character, both from 0; what lies outside is clamped.
    pub fn jump(&mut self, row: usize, column: usize) {
        let clamp = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.cancel_selection();
        self.area.move_cursor(CursorMove::Jump(clamp(row), clamp(column)));
    }

    /// Moves the caret to a byte offset of [`Editor::text`].
    pub fn jump_offset(&mut self, offset: usize) {
        let (row, column) = self.place(offset);
        self.jump(row, column);
    }

    /// Line and character of a byte offset.
    #[must_use]
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let mut start = 0;
        for (row, line) in self.lines().iter().enumerate() {
            if offset <= start + line.len() {
                let column = line.char_indices().take_while(|(i, _)| start + i < offset).count();
                return (row, column);
            }
            start += line.len() + 1;
        }
        (self.lines().len().saturating_sub(1), usize::MAX)
    }

    /// Moves the caret by whole lines.
    pub fn move_lines(&mut self, down: isize) {
        let (row, column) = self.caret();
        self.jump(row.saturating_add_signed(down).min(self.lines().len().saturating_sub(1)), column);
    }

    /// Caret to the end of the text.
    pub fn to_end(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// What is searched for; empty when nothing is.
    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Sets the search and goes to the first match at or after the caret. False when there is none.
    pub fn search(&mut self, needle: &str) -> bool {
        needle.clone_into(&mut self.needle);
        let pattern = if needle.is_empty() { String::new() } else { format!("(?i){}", regex_syntax::escape(needle)) };
        self.area.set_search_pattern(pattern).is_ok() && self.area.search_forward(true)
    }

    /// Goes to the next match, around the end.
    pub fn next_match(&mut self) -> bool {
        self.area.search_forward(false)
    }

    /// Jumps to the bracket that belongs to the one at (or just before) the caret.
    pub fn to_bracket(&mut self) -> bool {
        let Some(offset) = self.bracket() else { return false };
        self.jump_offset(offset);
        true
    }

    /// Byte offset of the bracket that belongs to the one at the caret.
    #[must_use]
    pub fn bracket(&self) -> Option<usize> {
        let at = self.caret_offset();
        let (row, column) = self.caret();
        let line = self.lines().get(row)?;
        let under = line.chars().nth(column).filter(|c| is_bracket(*c)).map(|_| at);
        let before = column.checked_sub(1).and_then(|c| line.chars().nth(c)).filter(|c| is_bracket(*c)).map(|_| at - 1);
        partner(&self.text(), under.or(before)?)
    }
}

fn is_bracket(c: char) -> bool {
    matches!(c, '{' | '}' | '[' | ']')
}

/// The partner of the bracket at `at`; brackets inside strings are text.
fn partner(text: &str, at: usize) -> Option<usize> {
    let mut open = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    for (i, byte) in text.bytes().enumerate() {
        if quoted {
            quoted = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            // A raw line end inside a string is broken JSON: do not lose every bracket after it.
            quoted &= byte != b'\n';
            continue;
        }
        match byte {
            b'"' => (quoted, escaped) = (true, false),
            b'{' | b'[' => open.push(i),
            b'}' | b']' => {
                let start = open.pop()?;
                if start == at {
                    return Some(i);
                }
                if i == at {
                    return Some(start);
                }
            }
            _ => {}
        }
    }
    None
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
    use tui_textarea::Key;

    fn typed(editor: &mut Editor, text: &str) {
        for c in text.chars() {
            let key = if c == '\n' { Key::Enter } else { Key::Char(c) };
            editor.key(Input { key, ctrl: false, alt: false, shift: false });
        }
    }

    #[test]
    fn a_paste_has_unix_lines_and_is_one_undo() {
        let mut e = Editor::new("");
        e.insert("a b\r\nc\rd");
        assert_eq!(e.lines(), ["a b", "c", "d"]);
        e.undo();
        assert_eq!(e.text(), "");
        e.redo();
        assert_eq!(e.text(), "a b\nc\nd");
    }

    #[test]
    fn ctrl_u_clears_to_the_start_of_the_line_and_ctrl_w_takes_a_word() {
        let ctrl = |c| Input { key: tui_textarea::Key::Char(c), ctrl: true, ..Input::default() };
        let mut editor = Editor::new("one two three");
        editor.to_end();
        editor.key(ctrl('w'));
        assert_eq!(editor.text(), "one two ");
        editor.key(ctrl('u'));
        assert_eq!(editor.text(), "");
    }

    #[test]
    fn undo_takes_words_and_redo_gives_them_back() {
        let mut e = Editor::new("");
        typed(&mut e, "hello big world");
        e.undo();
        assert_eq!(e.text(), "hello big ");
        while e.undo() {}
        assert_eq!(e.text(), "");
        while e.redo() {}
        assert_eq!(e.text(), "hello big world");
    }

    #[test]
    fn replace_can_be_undone_at_once() {
        let mut e = Editor::new("one\ntwo");
        e.replace("three");
        assert_eq!((e.text().as_str(), e.caret()), ("three", (0, 0)));
        e.undo();
        assert_eq!(e.text(), "one\ntwo");
    }

    #[test]
    fn backspace_takes_what_reads_as_one_character() {
        let mut e = Editor::new("");
        e.insert("a👨‍👩‍👧e\u{301}");
        let back = Input { key: Key::Backspace, ctrl: false, alt: false, shift: false };
        e.key(back.clone());
        assert_eq!(e.text(), "a👨‍👩‍👧");
        e.key(back);
        assert_eq!(e.text(), "a");
    }

    #[test]
    fn a_new_line_keeps_and_deepens_the_indent() {
        let mut e = Editor::new("");
        typed(&mut e, "  {\n");
        assert_eq!(e.lines(), ["  {", "    "]);
    }

    #[test]
    fn offsets_and_places_agree() {
        let mut e = Editor::new("{\n  \"ä\": 1\n}");
        for (offset, place) in
            [(0, (0, 0)), (2, (1, 0)), (5, (1, 3)), (7, (1, 4)), (12, (2, 0)), (999, (2, usize::MAX))]
        {
            assert_eq!(e.place(offset), place, "{offset}");
        }
        e.jump_offset(7);
        assert_eq!(e.caret_offset(), 7);
    }

    #[test]
    fn brackets_match_outside_strings() {
        let mut e = Editor::new("{\"a}\": [1, \"\\\"]\"]}");
        assert_eq!(e.bracket(), Some(17));
        assert!(e.to_bracket());
        assert_eq!(e.bracket(), Some(0));
        assert_eq!(partner("]", 0), None);
    }

    #[test]
    fn search_is_literal_and_goes_around() {
        let mut e = Editor::new("a.b\naxb\nA.B");
        assert!(e.search("a.b"));
        assert!(e.next_match());
        assert_eq!(e.caret(), (2, 0));
        assert!(e.next_match());
        assert_eq!(e.caret(), (0, 0));
        assert!(!e.search("zzz"));
    }
}
