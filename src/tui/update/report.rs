//! The run on the screen as a document: where it goes, in which form, what stands in it. Renders and writes nothing.

use std::path::PathBuf;

use super::super::effect::Effect;
use super::super::state::popup::Purpose;
use super::super::state::{State, Tone};
use super::popup;
use crate::report::Format;

/// Writes the run to a file; without a path asks for one.
pub(super) fn export(state: &mut State, path: &str) -> Vec<Effect> {
    if path.is_empty() {
        popup::line(state, Purpose::ExportRun, "Write the run to (.md, .json, .html)", "run.html");
        return Vec::new();
    }
    let path = PathBuf::from(path);
    let format = match Format::of(&path) {
        Ok(format) => format,
        Err(error) => {
            state.say(Tone::Warn, error.to_string());
            return Vec::new();
        }
    };
    // A sample on the screen is a sample: the run's own result lies behind it.
    let pane = if state.result.sample.is_some() { state.bench.kept.as_deref() } else { Some(&state.result) };
    let value = pane.and_then(|pane| pane.built()).map(|built| &built.value);
    // The shell, which has a clock of days, says when it was made.
    let report = state.run.as_ref().and_then(|run| run.report(value, String::new(), state.now));
    let Some(report) = report else {
        state.say(Tone::Info, "there is no run to be written");
        return Vec::new();
    };
    let over = state.outputs.over(&path);
    vec![Effect::WriteReport { path, format, report: Box::new(report), over }]
}
