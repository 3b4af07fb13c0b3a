//! What lies above the regions: lists with a search line, single input lines, pages of text.

use crate::command::Id;
use crate::tui::rows::{Gutter, Rows, Syntax};
use crate::tui::scroll::Scroll;
use crate::tui::words;

use super::board::BoardView;
use super::editor::Editor;
use super::fields::FormRow;
use super::raw::RawView;
use super::schema::Sides;
use super::turns::TurnsView;
use crate::probe::Spec;

/// What taking a row of a list does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Take {
    /// Runs a command with an argument.
    Command(Id, String),
    /// Jumps to a line and column of the schema, both from 1.
    SchemaPlace { line: usize, column: usize },
    /// Jumps to a keyword of the schema, by its pointer.
    SchemaPointer(String),
    /// Selects an issue of the shown attempt.
    Issue(usize),
    /// Opens the form of the field at this place.
    Field(String),
    /// Does what a row of the open form says.
    Form(FormRow),
    /// Shows an offered edit of the schema; all of them without a number.
    Offer(Option<usize>),
    /// Jumps to the place in the schema of something it lets through.
    Finding(usize),
    /// Shows an earlier answer.
    Answer(i64),
    /// Puts the version with this hash into the editor.
    Version(String),
    /// The text, its file, or what they have differently.
    Disk(Sides),
}

/// One row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    /// Right of the label, quieter.
    pub detail: String,
    /// At the right edge: keys, badges.
    pub aside: String,
    /// The key of a command.
    pub key: String,
    pub take: Take,
    /// Why it cannot be taken; such a row is shown and says so.
    pub barred: Option<String>,
}

/// Which list it is; decides preview and refill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Palette,
    Models,
    /// Models to pull.
    Offers,
    Themes,
    Files,
    Recent,
    Problems,
    /// What one provider refuses, and the edits offered.
    Objections,
    /// The outline of the schema.
    Fields,
    /// The form of one field.
    Form,
    Issues,
    /// What the schema lets through.
    Loose,
    /// Earlier answers that changed.
    Retro,
    /// Schemas that were run.
    Versions,
    Choices,
    /// The loaded file changed on disk.
    Disk,
    /// Parts of a document that is no schema.
    Parts,
}

/// A list with a search line.
#[derive(Debug, Clone)]
pub struct List {
    pub kind: Kind,
    pub title: String,
    pub query: Editor,
    pub rows: Vec<Row>,
    /// Indexes of the rows that match, best first, with the matched characters of the label.
    pub matches: Vec<(usize, Vec<u32>)>,
    pub selected: usize,
    /// Said when there are no rows.
    pub empty: String,
    /// More is coming.
    pub loading: bool,
}

/// What an input line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    SearchSchema,
    ReplaceSchema,
    SearchResult,
    SaveSchema,
    ExportResult,
    ExportRun,
    /// A keyword of the field whose form is open.
    FieldKeyword(&'static str),
    FieldName,
    FieldNew,
    NameVersion,
    NameFunction,
}

/// A single input line.
#[derive(Debug, Clone)]
pub struct Line {
    pub purpose: Purpose,
    pub title: String,
    pub editor: Editor,
    /// The text was put there by the program: the first typed character replaces it.
    pub offered: bool,
}

/// A page of text.
#[derive(Debug, Clone)]
pub struct Page {
    pub title: String,
    /// The program's own prose, wrapped for the width it is shown in.
    prose: Option<(String, u16)>,
    pub rows: Rows,
    pub scroll: Scroll,
    /// Said in its footer: `simulated`, `secrets are left out`.
    pub note: String,
}

/// A question: a page, and what a yes does.
#[derive(Debug, Clone)]
pub struct Ask {
    pub page: Page,
    pub then: Then,
}

/// What follows a yes.
#[derive(Debug, Clone)]
pub enum Then {
    /// A model's server is probed.
    Probe(Box<Spec>),
    /// The schema's text is replaced, if it still is the one the question was about.
    Mend { before: String, after: String, said: String },
}

/// Something above the regions.
#[derive(Debug, Clone)]
pub enum Popup {
    List(Box<List>),
    Line(Box<Line>),
    Page(Box<Page>),
    /// A question before something grave.
    Ask(Box<Ask>),
    /// The portability board.
    Board(Box<BoardView>),
    /// The raw events of the run.
    Raw(Box<RawView>),
    /// The turns of the session.
    Turns(Box<TurnsView>),
}

impl List {
    /// A list with all its rows shown.
    #[must_use]
    pub fn new(kind: Kind, title: &str, rows: Vec<Row>, empty: &str) -> Self {
        let matches = (0..rows.len()).map(|i| (i, Vec::new())).collect();
        Self {
            kind,
            title: title.to_owned(),
            query: Editor::new(""),
            rows,
            matches,
            selected: 0,
            empty: empty.to_owned(),
            loading: false,
        }
    }

    /// The selected row.
    #[must_use]
    pub fn row(&self) -> Option<&Row> {
        self.matches.get(self.selected).and_then(|(i, _)| self.rows.get(*i))
    }

    /// Moves the selection, around the ends.
    pub fn go(&mut self, by: isize) {
        let n = self.matches.len();
        if n > 0 {
            let n = isize::try_from(n).unwrap_or(isize::MAX);
            let at = isize::try_from(self.selected).unwrap_or(0);
            self.selected = usize::try_from((at + by).rem_euclid(n)).unwrap_or(0);
        }
    }
}

impl Page {
    /// A page at its first row.
    #[must_use]
    pub fn new(title: &str, text: &str, syntax: Syntax, note: &str) -> Self {
        let rows = Rows::of(text, syntax, Gutter::None);
        let prose = (syntax == Syntax::Plain).then(|| (text.to_owned(), 0));
        Self { title: title.to_owned(), prose, rows, scroll: Scroll::at_start(), note: note.to_owned() }
    }

    /// Lays the page out for a width; free when it did not change.
    pub fn fit(&mut self, width: u16) {
        if let Some((text, last)) = self.prose.as_mut().filter(|(_, last)| *last != width && width > 0) {
            self.rows = Rows::of(&words::wrap_page(text, usize::from(width)), Syntax::Plain, Gutter::None);
            *last = width;
        }
        self.rows.fit(width);
    }

    /// The text as it was written, for copying.
    #[must_use]
    pub fn text(&self) -> &str {
        self.prose.as_ref().map_or_else(|| self.rows.text(), |(text, _)| text.as_str())
    }
}
