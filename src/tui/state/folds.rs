//! Folds of the schema's text: which objects and arrays are shut, and which lines that hides.
//!
//! Never changes the text. While nothing is folded no key and no frame costs anything; with folds, a change of the text
//! costs one pass over it. What it can make no sense of (a bracket without its partner) cannot be folded.

use super::editor::{Editor, Motion, Select, Touched, motion_of};
use super::schema::SchemaPane;
use crate::command::Chord;

/// A shut object or array: the byte offsets of its brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fold {
    open: usize,
    close: usize,
}

/// Lines that are hidden together; the line above them stands for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    pub first: usize,
    pub last: usize,
    /// The closing bracket, when its line is hidden too.
    pub closer: Option<usize>,
    /// Lines hidden above these.
    above: usize,
}

impl Hidden {
    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.last + 1 - self.first
    }
}

/// The folds of one text, in order, and what they hide.
#[derive(Debug, Clone, Default)]
pub struct Folds {
    shut: Vec<Fold>,
    /// In order; no two touch the same line.
    hidden: Vec<Hidden>,
}

/// What folding at a place did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    Shut,
    Opened,
    /// Nothing of several lines stands there.
    Nothing,
}

impl Folds {
    /// Is nothing folded?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shut.is_empty()
    }

    /// How many folds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shut.len()
    }

    /// Opens all.
    pub fn clear(&mut self) {
        (self.shut, self.hidden) = (Vec::new(), Vec::new());
    }

    /// The hidden lines that begin at or above a line, as their place in the list plus one.
    fn upto(&self, row: usize) -> usize {
        self.hidden.partition_point(|hidden| hidden.first <= row)
    }

    /// The hidden lines a line belongs to.
    #[must_use]
    pub fn hides(&self, row: usize) -> Option<&Hidden> {
        let at = self.upto(row).checked_sub(1)?;
        self.hidden.get(at).filter(|hidden| row <= hidden.last)
    }

    /// What is hidden right below a line.
    #[must_use]
    pub fn below(&self, row: usize) -> Option<&Hidden> {
        self.hidden.get(self.upto(row)).filter(|hidden| hidden.first == row + 1)
    }

    /// The next line that shows; the text may end before it.
    #[must_use]
    pub fn next(&self, row: usize) -> usize {
        self.below(row).map_or(row + 1, |hidden| hidden.last + 1)
    }

    /// The place of a line among those that show; of a hidden one, that of the line that stands for it.
    #[must_use]
    pub fn index(&self, row: usize) -> usize {
        let Some(last) = self.upto(row).checked_sub(1).and_then(|at| self.hidden.get(at)) else { return row };
        if row <= last.last { last.first - 1 - last.above } else { row - last.above - last.count() }
    }

    /// The line at a place among those that show.
    #[must_use]
    pub fn row_at(&self, index: usize) -> usize {
        let at = self.hidden.partition_point(|hidden| hidden.first - hidden.above <= index);
        let last = at.checked_sub(1).and_then(|at| self.hidden.get(at));
        last.map_or(index, |last| index + last.above + last.count())
    }

    /// Takes an edit over: folds behind it move along, those it touches are opened.
    pub fn follow(&mut self, touched: Touched, before: usize, editor: &Editor) {
        let length = editor.as_str().len();
        let behind = before.saturating_sub(touched.tail);
        let moved = |at: usize| (at + length).saturating_sub(before);
        self.shut.retain_mut(|fold| {
            if fold.close < touched.first {
                return true;
            }
            let stays = fold.open >= behind;
            (fold.open, fold.close) = (moved(fold.open), moved(fold.close));
            stays
        });
        if !self.shut.is_empty() {
            let pairs = pairs(editor.as_str());
            self.shut.retain_mut(|fold| {
                let found = pairs.binary_search_by_key(&fold.open, |pair| pair.open).ok().and_then(|i| pairs.get(i));
                let close = found.and_then(|pair| pair.close);
                fold.close = close.unwrap_or(fold.close);
                close.is_some() && covered(editor, *fold).is_some()
            });
        }
        self.map(editor);
    }

    /// Works out what is hidden.
    fn map(&mut self, editor: &Editor) {
        self.hidden.clear();
        for fold in &self.shut {
            let Some(rows) = covered(editor, *fold) else { continue };
            match self.hidden.last_mut() {
                Some(last) if rows.first <= last.last => {
                    if rows.last > last.last {
                        (last.last, last.closer) = (rows.last, rows.closer);
                    }
                }
                last => {
                    let above = last.map_or(0, |last| last.above + last.count());
                    self.hidden.push(Hidden { above, ..rows });
                }
            }
        }
    }

    /// Opens what hides a line.
    fn open_at(&mut self, row: usize, editor: &Editor) {
        if self.hides(row).is_none() {
            return;
        }
        self.shut.retain(|fold| covered(editor, *fold).is_none_or(|rows| row < rows.first || rows.last < row));
        self.map(editor);
    }

    /// Opens what a line stands for; else shuts what begins on it, else the innermost around it.
    fn toggle(&mut self, row: usize, editor: &Editor) -> Folded {
        if self.below(row).is_some() {
            self.shut.retain(|fold| editor.row_of(fold.open) != row);
            self.map(editor);
            return Folded::Opened;
        }
        let found = pairs(editor.as_str());
        let folds = || found.iter().filter_map(Pair::fold).filter(|fold| covered(editor, *fold).is_some());
        let begins = folds().find(|fold| editor.row_of(fold.open) == row);
        let around = || {
            let before = folds().take_while(|fold| editor.row_of(fold.open) <= row);
            before.filter(|fold| row <= editor.row_of(fold.close)).last()
        };
        let Some(fold) = begins.or_else(around) else { return Folded::Nothing };
        let at = self.shut.partition_point(|one| one.open < fold.open);
        self.shut.insert(at, fold);
        self.map(editor);
        Folded::Shut
    }

    /// Shuts what stands deeper than so many levels; opens the rest.
    fn shut_below(&mut self, level: usize, editor: &Editor) {
        let found = pairs(editor.as_str());
        let deep = found.iter().filter(|pair| pair.level >= level).filter_map(Pair::fold);
        self.shut = deep.filter(|fold| covered(editor, *fold).is_some()).collect();
        self.map(editor);
    }
}

/// The lines a fold hides. That of the closing bracket too, unless something else stands behind the bracket.
fn covered(editor: &Editor, fold: Fold) -> Option<Hidden> {
    let (head, last) = (editor.row_of(fold.open), editor.row_of(fold.close));
    let rest = editor.as_str().get(fold.close + 1..).unwrap_or_default();
    let ends = rest.bytes().take_while(|b| *b != b'\n').all(|b| matches!(b, b' ' | b'\t' | b',' | b']' | b'}'));
    let (last, closer) = if ends { (last, Some(fold.close)) } else { (last.saturating_sub(1), None) };
    (last > head).then_some(Hidden { first: head + 1, last, closer, above: 0 })
}

/// A bracket, its partner, and how many others are open around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    open: usize,
    close: Option<usize>,
    level: usize,
}

impl Pair {
    fn fold(&self) -> Option<Fold> {
        self.close.map(|close| Fold { open: self.open, close })
    }
}

/// All brackets of a text outside its strings and comments, in order. A closing one without partner is passed over, an
/// opening one may stay without. Strings end with their line.
fn pairs(text: &str) -> Vec<Pair> {
    let bytes = text.as_bytes();
    let mut pairs: Vec<Pair> = Vec::new();
    // The open ones: their place in the list and their kind; and how many of each kind.
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut counts = [0_usize; 2];
    let kind = |byte: u8| usize::from(matches!(byte, b'[' | b']'));
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'{' | b'[' => {
                open.push((pairs.len(), byte));
                counts[kind(byte)] += 1;
                pairs.push(Pair { open: at, close: None, level: open.len() - 1 });
            }
            b'}' | b']' if counts[kind(byte)] > 0 => {
                while let Some((place, opener)) = open.pop() {
                    counts[kind(opener)] -= 1;
                    if kind(opener) == kind(byte) {
                        pairs[place].close = Some(at);
                        break;
                    }
                }
            }
            _ => {}
        }
        at = after(bytes, at, byte);
    }
    pairs
}

/// Where reading goes on behind a byte: behind the string or comment that begins there.
fn after(bytes: &[u8], at: usize, byte: u8) -> usize {
    let rest = bytes.get(at + 1..).unwrap_or_default();
    let line = || rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    let length = match (byte, rest.first()) {
        (b'"', _) => {
            let mut escaped = false;
            let end = rest.iter().position(|b| {
                let ends = *b == b'\n' || (*b == b'"' && !escaped);
                escaped = *b == b'\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 1)
        }
        (b'/', Some(b'/')) => line(),
        (b'/', Some(b'*')) => {
            let inside = rest.get(1..).unwrap_or_default();
            inside.windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 3)
        }
        _ => 0,
    };
    at + 1 + length
}

impl SchemaPane {
    /// Keeps folds and caret in step: the folds follow the text, and what hides the caret is opened.
    pub fn settle(&mut self) {
        if self.folds.is_empty() {
            return;
        }
        self.follow();
        if self.reads_as_json() {
            self.folds.open_at(self.editor.row(), &self.editor);
        } else {
            self.folds.clear();
        }
    }

    /// Folds at the caret, or opens what is folded there. The caret goes to the line that stays.
    pub fn fold(&mut self) -> Folded {
        self.follow();
        let folded = self.folds.toggle(self.editor.row(), &self.editor);
        self.come_out();
        folded
    }

    /// Folds what stands deeper than so many levels, nothing for 0; gives how many.
    pub fn fold_below(&mut self, level: usize) -> usize {
        self.follow();
        self.folds.clear();
        if level > 0 {
            self.folds.shut_below(level, &self.editor);
            self.come_out();
        }
        self.folds.len()
    }

    /// Puts a caret that was just hidden on the line that stands for its own.
    fn come_out(&mut self) {
        let Some(hidden) = self.folds.hides(self.editor.row()) else { return };
        let head = hidden.first - 1;
        let fold = self.folds.shut.iter().find(|fold| self.editor.row_of(fold.open) == head).copied();
        self.editor.jump_offset(fold.map_or(self.editor.line_start(head), |fold| fold.open));
    }

    /// Handles a key that no command took: up and down pass over hidden lines.
    pub fn key(&mut self, chord: Chord) {
        match motion_of(chord) {
            Some(Motion::Lines(by)) => self.step(by, if chord.shift { Select::Extend } else { Select::Drop }),
            Some(_) | None => self.editor.key(chord),
        }
    }

    /// Moves the caret by lines that show.
    pub fn step(&mut self, by: isize, select: Select) {
        let row = self.editor.row();
        let last = self.folds.index(self.editor.lines().len() - 1);
        let target = self.folds.row_at(self.folds.index(row).saturating_add_signed(by).min(last));
        let by = isize::try_from(target).unwrap_or(0) - isize::try_from(row).unwrap_or(0);
        self.editor.move_by(Motion::Lines(by), select);
    }

    /// Moves the window of so many lines so that the caret's is in it.
    pub fn scroll(&mut self, height: usize) {
        let here = self.folds.index(self.editor.row());
        let first = here.saturating_sub(height.saturating_sub(1));
        self.top = self.folds.row_at(self.folds.index(self.top).clamp(first, here));
    }

    /// The lines from the top of the window on that show.
    pub fn shown(&self) -> impl Iterator<Item = usize> {
        let rows = std::iter::successors(Some(self.top), |row| Some(self.folds.next(*row)));
        rows.take_while(|row| *row < self.editor.lines().len())
    }
}

#[cfg(test)]
mod tests;
