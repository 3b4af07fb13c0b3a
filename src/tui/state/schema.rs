//! The schema region: text, file, what preflight says, which route the selected model would take.

use std::path::PathBuf;
use std::sync::Arc;

use super::board::Offered as Mends;
use super::editor::Editor;
use super::fields::{FormOf, Outlined};
use super::folds::Folds;
use crate::json::walk::{Place, Trail, Walk};
use crate::json::{Part, locate, push_token};
use crate::plan::board::Board;
use crate::plan::{Plan, Unsupported};
use crate::schema::complete::{Offer, complete};
use crate::schema::foreign::Foreign;
use crate::schema::meanings::{known, meaning};
use crate::schema::position::{Kind, dialect_of, kind};
use crate::schema::source::{self, Form, Named};
use crate::schema::{Checked, Dialect, SchemaError, preflight};
use crate::text::ends::Ends;
use crate::tui::ruler::Ruler;

/// What preflight and negotiation said of one text.
#[derive(Debug, Clone)]
pub struct Report {
    /// The text they read.
    pub text: String,
    pub checked: Result<Checked, Vec<SchemaError>>,
    /// Absent when the schema is refused or no model is selected.
    pub route: Option<Result<Plan, Unsupported>>,
    /// What a text that is no schema is, and which parts of it are.
    pub foreign: Option<Arc<Foreign>>,
}

/// The schema region.
#[derive(Debug, Clone, Default)]
pub struct SchemaPane {
    pub editor: Editor,
    pub path: Option<PathBuf>,
    /// The text as the file holds it, with `\n`.
    pub saved: String,
    /// What ends the file's lines and leads it: saving writes them so again.
    pub ends: Ends,
    /// This file changed on disk, which was said: saving again writes over it.
    pub overwrite: Option<PathBuf>,
    /// What is known of the file beside what it held when it was read or written.
    pub disk: Disk,
    /// The newest check asked for.
    pub generation: u64,
    /// The newest check that came back, and its generation.
    pub report: Option<(u64, Report)>,
    /// What every provider makes of the newest legal text that was asked about, and its generation.
    pub board: Option<(u64, Arc<Board>)>,
    /// The edits one provider was offered.
    pub mends: Option<Mends>,
    /// The fields, once somebody looked at them.
    pub outlined: Option<Outlined>,
    /// The field whose form is open.
    pub editing: Option<FormOf>,
    /// What that check found, in order of place; moved along with edits until the next one comes.
    problems: Vec<Problem>,
    /// What is folded in the text.
    pub folds: Folds,
    /// Topmost line and leftmost cell on screen.
    pub top: usize,
    pub left: usize,
    /// Cells along the long lines.
    pub ruler: Ruler,
    /// The editor revision the newest check was asked for.
    pub asked: Option<u64>,
    /// A byte range of the text to point at: the keyword an issue broke.
    pub mark: Option<(usize, usize)>,
    /// The text came from a file and has not been checked since.
    pub just_loaded: bool,
    /// Bytes of the text when edits were last followed.
    length: usize,
    trail: Trail,
    /// The completion list, while it is open.
    pub offered: Option<Offered>,
    /// What stands at the caret, for the border: worked out for a revision and a place.
    pub hover: Option<Hover>,
    /// Where jumps began, newest last.
    jumps: Vec<usize>,
}

/// What happened to the loaded file outside of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disk {
    /// The file's text that was asked about, as it stands there.
    pub theirs: Option<String>,
    /// The file is gone; what it held.
    pub gone: Option<String>,
    /// This text is being written: finding it there is no news.
    pub writing: Option<String>,
    /// The text here does not come from the file: what is found there first is no news either.
    pub unread: bool,
}

/// What to do where the text and its file both changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    Difference,
    Mine,
    Theirs,
}

/// Jumps one can go back from.
const JUMPS: usize = 100;

/// The completion list at the caret.
#[derive(Debug, Clone)]
pub struct Offered {
    pub offer: Offer,
    pub selected: usize,
    /// The text it was made for.
    revision: u64,
}

/// Why a completion list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// By key.
    Asked,
    /// A quote was typed, or a key was taken: only what has just begun.
    Opened,
    /// It is open and typing goes on.
    GoesOn,
}

/// What stands at the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    key: (u64, usize),
    /// The pointer that leads there.
    pub pointer: String,
    /// The keyword, its meaning, the draft.
    pub told: Option<(String, &'static str, Dialect)>,
}

/// One line of the problem list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub column: usize,
    /// Byte range in the text: the token it is about.
    pub start: usize,
    pub end: usize,
    pub message: String,
    pub path: String,
    /// A refusal, or only a warning.
    pub fatal: bool,
}

impl SchemaPane {
    /// How the text is written: by the file's name, else by the text.
    #[must_use]
    pub fn form(&self) -> Form {
        let name = self.path.as_ref().map(|path| path.to_string_lossy());
        match name.as_deref().map(Form::of_name) {
            Some(Named::Form(form)) => form,
            Some(Named::Unread(_)) => Form::Json,
            Some(Named::Unknown) | None => self.sniffed(),
        }
    }

    /// The first lines are enough to tell.
    fn sniffed(&self) -> Form {
        let lines = self.editor.lines().iter();
        let mut blank = lines.skip_while(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        blank.next().map_or(Form::Json, Form::sniff)
    }

    /// The newest report, also when a newer check is under way.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref().map(|(_, r)| r)
    }

    /// Takes the report of the newest check.
    pub fn take_report(&mut self, generation: u64, report: Report) {
        self.follow();
        self.problems = problems(&report);
        self.report = Some((generation, report));
    }

    /// Forgets what was checked: the text is blank.
    pub fn forget_report(&mut self) {
        // The number stays: answers about an older text must not be taken for one about the next.
        (self.report, self.problems) = (None, Vec::new());
        (self.board, self.mends, self.outlined) = (None, None, None);
        self.just_loaded = false;
    }

    /// Is a check of newer text under way?
    #[must_use]
    pub fn checking(&self) -> bool {
        self.report.as_ref().is_none_or(|(g, _)| *g != self.generation)
            && self.generation > 0
            && !self.editor.is_blank()
    }

    /// The schema of the newest report, if that is legal: the text may be newer.
    #[must_use]
    pub fn legal(&self) -> Option<&Checked> {
        self.report().and_then(|r| r.checked.as_ref().ok())
    }

    /// The board, if it speaks about the newest text.
    #[must_use]
    pub fn board(&self) -> Option<&Arc<Board>> {
        self.board.as_ref().filter(|(generation, _)| *generation == self.generation).map(|(_, board)| board)
    }

    /// Where the schema stands in the document: below `/schema` in an envelope.
    #[must_use]
    pub fn below(&self) -> &'static str {
        if self.legal().is_some_and(|checked| checked.envelope) { "/schema" } else { "" }
    }

    /// Hash of the schema of the newest report, if that is legal: the text may be newer.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        self.legal().map(|c| c.format.schema_hash.as_str())
    }

    /// Unsaved work?
    #[must_use]
    pub fn dirty(&self) -> bool {
        self.editor.as_str() != self.saved && !self.editor.is_blank()
    }

    /// Another number whenever what is unsaved may be another: with each edit, and when it was saved.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.editor.revision() * 2 + u64::from(self.dirty())
    }

    /// Problems and warnings in order of place.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Follows the edits made since the last call: marks move along, what was measured behind them is forgotten.
    pub fn follow(&mut self) {
        let Some(touched) = self.editor.take_touched() else { return };
        let at = touched.first;
        if !self.folds.is_empty() {
            self.folds.follow(touched, self.length, &self.editor);
        }
        let length = self.editor.as_str().len();
        let grown = length.wrapping_sub(self.length);
        self.length = length;
        let row = self.editor.row_of(at);
        self.trail.forget(at);
        self.jumps.retain(|jump| *jump <= length);
        self.ruler.forget(row, at.saturating_sub(self.editor.line_start(row)));
        for problem in self.problems.iter_mut().filter(|problem| problem.start >= at) {
            problem.start = problem.start.wrapping_add(grown).clamp(at, length);
            problem.end = problem.end.wrapping_add(grown).clamp(problem.start, length);
            let (line, column) = self.editor.place(problem.start);
            (problem.line, problem.column) = (line + 1, column + 1);
        }
    }

    /// Is the text read as JSON? What is written in another language is left alone.
    #[must_use]
    pub fn reads_as_json(&self) -> bool {
        matches!(self.form(), Form::Json | Form::Jsonc)
    }

    fn walk(&mut self) -> Walk {
        self.follow();
        self.trail.walk(self.editor.as_str(), self.editor.caret_offset())
    }

    /// Where the caret stands in the document.
    pub fn place(&mut self) -> Place {
        let walk = self.walk();
        walk.place(self.editor.as_str(), self.editor.caret_offset())
    }

    /// The draft the text is written in, as far as it says.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.legal().map_or_else(|| dialect_of(self.editor.as_str()), |checked| checked.dialect)
    }

    /// The completion list, if it is open and for the text as it is.
    #[must_use]
    pub fn offered(&self) -> Option<&Offered> {
        let at = self.editor.caret_offset();
        let here = |offered: &&Offered| offered.offer.range.start <= at && at <= offered.offer.range.end;
        self.offered.as_ref().filter(|offered| offered.revision == self.editor.revision()).filter(here)
    }

    /// Opens or renews the completion list, or closes it when there is nothing to offer.
    pub fn offer(&mut self, want: Want) {
        self.offered = None;
        if !self.reads_as_json() && !self.editor.is_blank() {
            return;
        }
        let walk = self.walk();
        let (at, dialect) = (self.editor.caret_offset(), self.dialect());
        let Some(offer) = complete(self.editor.as_str(), at, &walk, dialect) else { return };
        // Whole already: nothing is left to take.
        let whole = matches!(offer.candidates.as_slice(), [one] if one.label == offer.typed);
        let begun = match want {
            Want::Asked => true,
            Want::Opened => offer.typed.is_empty(),
            Want::GoesOn => !whole,
        };
        let closed = want != Want::Asked && offer.range.end == at && at > offer.range.start + 1 && {
            self.editor.as_str().get(offer.range.clone()).is_some_and(|t| t.ends_with('"'))
        };
        if begun && !closed {
            self.offered = Some(Offered { offer, selected: 0, revision: self.editor.revision() });
        }
    }

    /// Works out what stands at the caret, when text or caret are others than the last time.
    pub fn look(&mut self) {
        let key = (self.editor.revision(), self.editor.caret_offset());
        if self.hover.as_ref().is_some_and(|hover| hover.key == key) {
            return;
        }
        if !self.reads_as_json() {
            self.hover = None;
            return;
        }
        let (place, dialect) = (self.place(), self.dialect());
        let mut pointer = String::new();
        for step in &place.path {
            push_token(&mut pointer, step);
        }
        let parent = place.path.split_last().map_or(&[][..], |(_, rest)| rest);
        let keyword = match kind(&place.path, dialect) {
            Kind::Value(keyword) | Kind::Inside(keyword) => Some(keyword.to_owned()),
            Kind::Schema | Kind::Map(_) | Kind::List(_) | Kind::Unknown => {
                place.path.last().filter(|_| matches!(kind(parent, dialect), Kind::Schema)).cloned()
            }
        };
        let told = keyword.and_then(|keyword| {
            let meaning = meaning(&keyword, dialect).filter(|_| known(&keyword, dialect))?;
            Some((keyword, meaning, dialect))
        });
        self.hover = Some(Hover { key, pointer, told });
    }

    /// Jumps, and remembers where from.
    pub fn leap(&mut self, to: usize) {
        self.jumps.push(self.editor.caret_offset());
        let surplus = self.jumps.len().saturating_sub(JUMPS);
        self.jumps.drain(..surplus);
        self.editor.jump_offset(to);
    }

    /// Goes back to where the last jump began. False when there was none.
    pub fn leap_back(&mut self) -> bool {
        let Some(from) = self.jumps.pop() else { return false };
        self.editor.jump_offset(from);
        true
    }

    /// The byte range of the keyword a schema pointer names, in the text as it is now.
    #[must_use]
    pub fn keyword(&self, pointer: &str) -> Option<(usize, usize)> {
        let text = self.editor.as_str();
        let envelope = self.legal().is_some_and(|c| c.envelope);
        let full = if envelope { format!("/schema{pointer}") } else { pointer.to_owned() };
        let span = match self.form() {
            Form::Json => locate(text, &full, Part::Key).or_else(|| locate(text, &full, Part::Value))?,
            form @ (Form::Jsonc | Form::Yaml | Form::Toml) => {
                let document = source::read(text, form, preflight::TEXT_LIMITS).ok()?;
                let key = document.locate(text, &full, Part::Key);
                key.or_else(|| document.locate(text, &full, Part::Value))?
            }
        };
        Some((span.start, span.end))
    }

    /// The text has no file any more: what is saved next is written plainly.
    pub fn let_go(&mut self) {
        (self.path, self.ends) = (None, Ends::default());
        self.saved.clear();
    }

    /// How the file is called on screen.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.as_ref().and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "unsaved".to_owned())
    }
}

/// Everything a check found, in order of place.
fn problems(report: &Report) -> Vec<Problem> {
    let (errors, fatal) = match &report.checked {
        Ok(checked) => (&checked.warnings, false),
        Err(errors) => (errors, true),
    };
    let mut out: Vec<Problem> = errors.iter().map(|e| problem(&report.text, e, fatal)).collect();
    out.sort_by_key(|p| (p.line, p.column));
    out
}

fn problem(text: &str, error: &SchemaError, fatal: bool) -> Problem {
    let located = || locate(text, &error.path, Part::Key).or_else(|| locate(text, &error.path, Part::Value));
    let place = error.position.or_else(|| located().map(|span| crate::json::position(text, span.start)));
    let (start, line, column) = place.map_or((0, 1, 1), |p| (p.offset, p.line, p.column));
    let end = start + token_length(text.get(start..).unwrap_or_default());
    Problem { line, column, start, end, message: error.message.clone(), path: error.path.clone(), fatal }
}

/// Bytes of the token a text begins with: a problem underlines what it is about. At least the first character.
fn token_length(rest: &str) -> usize {
    let line = rest.lines().next().unwrap_or_default();
    let end = match line.strip_prefix('"') {
        Some(inner) => inner.find('"').map_or(line.len(), |i| i + 2),
        None => line.find(|c: char| !c.is_alphanumeric() && !"-+.".contains(c)).unwrap_or(line.len()),
    };
    end.max(line.chars().next().map_or(1, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_marks_its_token() {
        for (rest, length) in [("\"type\": 5", 6), ("-12.5,", 5), ("{", 1), ("", 1), ("\"open\n", 5), ("语}", 3)] {
            assert_eq!(token_length(rest), length, "{rest}");
        }
    }

    #[test]
    fn marks_move_along_with_edits_before_them() {
        let mut pane = SchemaPane { editor: Editor::new("{\n  \"type\": 5\n}"), ..SchemaPane::default() };
        pane.follow();
        let problem =
            Problem { line: 2, column: 3, start: 4, end: 10, message: String::new(), path: String::new(), fatal: true };
        pane.problems = vec![problem];
        pane.editor.jump(0, 1);
        pane.editor.insert("\n\n");
        pane.follow();
        assert_eq!((pane.problems[0].line, pane.problems[0].start, pane.problems[0].end), (4, 6, 12));
        pane.editor.undo();
        pane.follow();
        assert_eq!((pane.problems[0].line, pane.problems[0].start), (2, 4));
        pane.editor.clear();
        pane.follow();
        assert_eq!((pane.problems[0].start, pane.problems[0].end), (0, 0));
    }
}
