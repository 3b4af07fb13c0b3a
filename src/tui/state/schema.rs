//! The schema region: text, file, what preflight says, which route the selected model would take.

use std::path::PathBuf;
use std::sync::Arc;

use super::board::Offered;
use super::editor::Editor;
use super::fields::{FormOf, Outlined};
use crate::json::{Part, locate};
use crate::plan::board::Board;
use crate::plan::{Plan, Unsupported};
use crate::schema::{Checked, SchemaError};

/// What preflight and negotiation said of one text.
#[derive(Debug, Clone)]
pub struct Report {
    /// The text they read.
    pub text: String,
    pub checked: Result<Checked, Vec<SchemaError>>,
    /// Absent when the schema is refused or no model is selected.
    pub route: Option<Result<Plan, Unsupported>>,
}

/// The schema region.
#[derive(Debug, Clone, Default)]
pub struct SchemaPane {
    pub editor: Editor,
    pub path: Option<PathBuf>,
    /// The text as the file holds it.
    pub saved: String,
    /// The newest check asked for.
    pub generation: u64,
    /// The newest check that came back, and its generation.
    pub report: Option<(u64, Report)>,
    /// What every provider makes of the newest legal text that was asked about, and its generation.
    pub board: Option<(u64, Arc<Board>)>,
    /// The edits one provider was offered.
    pub offered: Option<Offered>,
    /// The fields, once somebody looked at them.
    pub outlined: Option<Outlined>,
    /// The field whose form is open.
    pub form: Option<FormOf>,
    /// Topmost line and leftmost cell on screen.
    pub top: usize,
    pub left: usize,
    /// The editor revision the newest check was asked for.
    pub asked: Option<u64>,
    /// A byte range of the text to point at: the keyword an issue broke.
    pub mark: Option<(usize, usize)>,
}

/// One line of the problem list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub path: String,
    /// A refusal, or only a warning.
    pub fatal: bool,
}

impl SchemaPane {
    /// The newest report, also when a newer check is under way.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref().map(|(_, r)| r)
    }

    /// Is a check of newer text under way?
    #[must_use]
    pub fn checking(&self) -> bool {
        self.report.as_ref().is_none_or(|(g, _)| *g != self.generation) && self.generation > 0
    }

    /// The checked schema, if the newest text is legal.
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

    /// Hash of the newest legal text.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        self.legal().map(|c| c.format.schema_hash.as_str())
    }

    /// Unsaved work?
    #[must_use]
    pub fn dirty(&self) -> bool {
        !self.editor.is_blank() && self.editor.text() != self.saved
    }

    /// Problems and warnings in order of place.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let Some(report) = self.report() else { return Vec::new() };
        let (errors, fatal) = match &report.checked {
            Ok(checked) => (&checked.warnings, false),
            Err(errors) => (errors, true),
        };
        let mut out: Vec<Problem> = errors.iter().map(|e| self.problem(&report.text, e, fatal)).collect();
        out.sort_by_key(|p| (p.line, p.column));
        out
    }

    fn problem(&self, text: &str, error: &SchemaError, fatal: bool) -> Problem {
        let place = error.position.map(|p| (p.line, p.column));
        let located = || locate(text, &error.path, Part::Key).or_else(|| locate(text, &error.path, Part::Value));
        let place = place.or_else(|| located().map(|s| self.editor.place(s.start)).map(|(l, c)| (l + 1, c + 1)));
        let (line, column) = place.unwrap_or((1, 1));
        Problem { line, column, message: error.message.clone(), path: error.path.clone(), fatal }
    }

    /// The byte range of the keyword a schema pointer names, in the text as it is now.
    #[must_use]
    pub fn keyword(&self, pointer: &str) -> Option<(usize, usize)> {
        let text = self.editor.text();
        let envelope = self.legal().is_some_and(|c| c.envelope);
        let full = if envelope { format!("/schema{pointer}") } else { pointer.to_owned() };
        let span = locate(&text, &full, Part::Key).or_else(|| locate(&text, &full, Part::Value))?;
        Some((span.start, span.end))
    }

    /// How the file is called on screen.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.as_ref().and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "unsaved".to_owned())
    }
}
