//! Keys that no command took: letters, line breaks with their indent, rubbing out, moves. Decides nothing about commands.

use super::buffer::Buffer;
use super::history::Join;
use super::motion::{self, Motion};
use super::{Editor, INDENT, Select};
use crate::command::{Chord, Key};

impl Editor {
    /// Handles a key that no command took.
    pub fn key(&mut self, chord: Chord) {
        if let Some(motion) = motion_of(chord) {
            return self.move_by(motion, if chord.shift { Select::Extend } else { Select::Drop });
        }
        let Chord { ctrl, alt, key, .. } = chord;
        match (key, ctrl, alt) {
            (Key::Char(c), false, false) => self.type_char(c),
            (Key::Tab, false, false) => self.put(INDENT, Join::Alone),
            (Key::Enter, ..) | (Key::Char('m' | 'j'), true, false) => self.newline(),
            (Key::Backspace, false, false) | (Key::Char('h'), true, false) => self.rub(motion::left, Join::Rubbing),
            (Key::Backspace, ..) | (Key::Char('w'), true, false) => self.rub(motion::word_left, Join::Alone),
            (Key::Delete, false, false) | (Key::Char('d'), true, false) => self.rub(motion::right, Join::Rubbing),
            (Key::Delete, ..) | (Key::Char('d'), false, true) => self.rub(motion::word_right, Join::Alone),
            // As in a shell.
            (Key::Char('u'), true, false) => self.rub(|buffer, at| buffer.start(buffer.row_of(at)), Join::Alone),
            (Key::Char('k'), true, false) => self.rub(line_end, Join::Alone),
            _ => {}
        }
    }

    fn type_char(&mut self, c: char) {
        if matches!(c, '}' | ']') && self.selected().is_none() && self.closes_deeper() {
            let text = c.to_string();
            return self.change(self.at - INDENT.len()..self.at, &text, Join::Alone);
        }
        let join = if c.is_alphanumeric() { Join::Word } else { Join::Alone };
        self.put(c.encode_utf8(&mut [0; 4]), join);
    }

    /// Stands the caret behind nothing but an indent that a closing bracket would stand too deep in?
    fn closes_deeper(&self) -> bool {
        let head = self.buffer.slice(self.buffer.start(self.row())..self.at);
        head.len() >= INDENT.len() && head.bytes().all(|b| b == b' ') && self.row() > 0
    }

    /// Deletes the selection, or from the caret to where `to` says.
    fn rub(&mut self, to: impl Fn(&Buffer, usize) -> usize, join: Join) {
        let other = to(&self.buffer, self.at);
        let range = self.selected().unwrap_or(other.min(self.at)..other.max(self.at));
        let join = if self.selected().is_some() { Join::Alone } else { join };
        if !range.is_empty() {
            self.change(range, "", join);
        }
    }

    /// Breaks the line, keeps its indent, deepens it behind an opening bracket; a closing one gets a line of its own.
    fn newline(&mut self) {
        let range = self.selected().unwrap_or(self.at..self.at);
        let row = self.buffer.row_of(range.start);
        let head = self.buffer.slice(self.buffer.start(row)..range.start);
        let indent: String = head.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
        let next = self.as_str().get(range.end..).and_then(|rest| rest.chars().next());
        let opener = head.chars().next_back().filter(|c| matches!(c, '{' | '['));
        let mut text = format!("\n{indent}");
        if opener.is_some() {
            text.push_str(INDENT);
        }
        let caret = range.start + text.len();
        if matches!((opener, next), (Some('{'), Some('}')) | (Some('['), Some(']'))) {
            text.push('\n');
            text.push_str(&indent);
        }
        self.change_many(&[(range, &text)], |_| caret, Join::Alone);
    }

    /// Begins a new line without indent.
    pub fn plain_newline(&mut self) {
        self.put("\n", Join::Alone);
    }
}

fn line_end(buffer: &Buffer, at: usize) -> usize {
    let end = buffer.end(buffer.row_of(at));
    if at < end { end } else { (at + 1).min(buffer.len()) }
}

/// The move a chord stands for.
#[must_use]
pub fn motion_of(chord: Chord) -> Option<Motion> {
    let Chord { ctrl, alt, key, .. } = chord;
    Some(match (key, ctrl, alt) {
        (Key::Left, false, false) | (Key::Char('b'), true, false) => Motion::Left,
        (Key::Right, false, false) | (Key::Char('f'), true, false) => Motion::Right,
        (Key::Left, ..) | (Key::Char('b'), false, true) => Motion::WordLeft,
        (Key::Right, ..) | (Key::Char('f'), false, true) => Motion::WordRight,
        (Key::Home, true, _) | (Key::Char('<'), false, true) => Motion::Top,
        (Key::End, true, _) | (Key::Char('>'), false, true) => Motion::Bottom,
        (Key::Home, ..) | (Key::Char('a'), true, false) => Motion::Home,
        (Key::End, ..) | (Key::Char('e'), true, false) => Motion::End,
        (Key::Up, ..) | (Key::Char('p'), true, false) => Motion::Lines(-1),
        (Key::Down, ..) | (Key::Char('n'), true, false) => Motion::Lines(1),
        _ => return None,
    })
}
