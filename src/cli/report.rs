//! `--report FILE`: follows a one-shot run and writes it down at its end, however it ends.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::failure::Failure;
use super::output;
use crate::event::ErrorCode;
use crate::feed::{Inspect, Item};
use crate::files::replace;
use crate::plan::Plan;
use crate::report::{Asked, Format, Report};
use crate::runtime::RunSpec;
use crate::store::{moment, now};
use crate::text::safe;

/// The report of one run.
pub(super) struct Reporting {
    path: PathBuf,
    format: Format,
    report: Report,
    plan: Option<Plan>,
    began: Instant,
}

/// Where a report shall lie, and in which form: known before anything is sent.
///
/// # Errors
/// The name has no form's end, or its folder is not there.
pub(super) fn target(path: &Path) -> Result<Format, Failure> {
    let format = Format::of(path)
        .map_err(|error| Failure::config(error.to_string()).fact("report", safe(&path.to_string_lossy())))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        let failure = Failure::config("the folder of the report is not there");
        return Err(failure.fact("report", safe(&path.to_string_lossy())));
    }
    Ok(format)
}

impl Reporting {
    /// Begins to follow a run.
    pub(super) fn start(path: &Path, spec: &RunSpec) -> Result<Self, Failure> {
        let format = target(path)?;
        let model = format!("{}/{}", spec.endpoint.provider, spec.model_id);
        let asked = Asked::new(model, spec.system.as_deref(), &spec.prompt, &spec.attachments);
        let asked = match (&spec.format, &spec.written) {
            (Some(format), Some(written)) => asked.with_schema(&format.schema_hash, written.text.clone()),
            (None, _) | (_, None) => asked,
        };
        let report = Report::new(asked, moment(now()));
        Ok(Self { path: path.to_owned(), format, report, plan: None, began: Instant::now() })
    }

    /// Takes what the run tells.
    pub(super) fn take(&mut self, item: &Item) {
        match item {
            Item::Event(event) => self.report.event(event),
            Item::Inspect(inspect) => match inspect.as_ref() {
                Inspect::Planned(plan) => {
                    self.report.planned(plan);
                    self.plan = Some(plan.clone());
                }
                Inspect::Attempt { record, duration_ms } => {
                    self.report.attempt(record, Some(*duration_ms), self.plan.as_ref());
                }
                Inspect::Priced { .. }
                | Inspect::Called { .. }
                | Inspect::Request { .. }
                | Inspect::Response { .. }
                | Inspect::FirstRead { .. }
                | Inspect::Read(_)
                | Inspect::ReadsCut(_)
                | Inspect::Failed { .. }
                | Inspect::Progress(_) => {}
            },
        }
    }

    /// Writes the file, whole or not at all.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.report.duration_ms = u64::try_from(self.began.elapsed().as_millis()).ok();
        replace(&self.path, self.report.render(self.format).as_bytes()).map_err(|error| {
            Failure::new(ErrorCode::Transport, format!("the report was not written: {}", error.kind()))
                .fact("report", safe(&self.path.to_string_lossy()))
        })
    }

    /// The same after a run that failed: its own error is what counts.
    pub(super) fn finish_beside(self) {
        if let Err(failure) = self.finish() {
            output::say(&format!("note: {}\n", failure.message));
        }
    }
}
