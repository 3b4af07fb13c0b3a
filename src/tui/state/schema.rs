//! The schema region: text, file, what preflight says, which route the selected model would take.

use std::path::PathBuf;
use std::sync::Arc;

use super::editor::Editor;
use crate::json::{Part, locate};
use crate::plan::{Plan, Unsupported};
use crate::schema::foreign::Foreign;
use crate::schema::source::{self, Form, Named};
use crate::schema::{Checked, SchemaError, preflight};

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
    /// The text as the file holds it.
    pub saved: String,
    /// The newest check asked for.
    pub generation: u64,
    /// The newest check that came back, and its generation.
    pub report: Option<(u64, Report)>,
    /// Topmost line and leftmost cell on screen.
    pub top: usize,
    pub left: usize,
    /// The editor revision the newest check was asked for.
    pub asked: Option<u64>,
    /// A byte range of the text to point at: the keyword an issue broke.
    pub mark: Option<(usize, usize)>,
    /// The text came from a file and has not been checked since.
    pub just_loaded: bool,
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
        blank.next().map_or(Form::Json, |line| Form::sniff(line))
    }

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
        let span = match self.form() {
            Form::Json => locate(&text, &full, Part::Key).or_else(|| locate(&text, &full, Part::Value))?,
            form => {
                let document = source::read(&text, form, preflight::TEXT_LIMITS).ok()?;
                let key = document.locate(&text, &full, Part::Key);
                key.or_else(|| document.locate(&text, &full, Part::Value))?
            }
        };
        Some((span.start, span.end))
    }

    /// How the file is called on screen.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.as_ref().and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "unsaved".to_owned())
    }
}
