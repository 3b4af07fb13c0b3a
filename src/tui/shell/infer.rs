//! Reads sample files and makes a schema from the values in them; away from the loop.

use std::path::{Path, PathBuf};

use super::super::effect::Reply;
use super::files::{full, read_text_up_to};
use crate::json::pretty;
use crate::schema::infer::{Inference, TextError};
use crate::schema::source::{Form, Named};

/// Longest file of samples.
const MAX_SAMPLES: u64 = 64 * 1024 * 1024;

/// `whole` is the line as one name, which counts when there is such a file.
pub(super) fn run(folder: &Path, whole: PathBuf, several: Vec<PathBuf>) -> Reply {
    let files = if full(folder, &whole).is_file() { vec![whole] } else { several };
    Reply::Inferred(made(folder, &files))
}

fn made(folder: &Path, files: &[PathBuf]) -> Result<(u64, String), String> {
    let mut inference = Inference::new();
    for file in files {
        let told = |why: String| format!("{}: {why}", file.display());
        let text = read_text_up_to(&full(folder, file), MAX_SAMPLES)
            .map_err(|why| format!("{}; next: /schema infer and the path of a file with values", told(why)))?;
        let form = match Form::of_name(&file.to_string_lossy()) {
            Named::Form(form) => form,
            Named::Unknown => Form::sniff(&text),
            Named::Unread(form) => return Err(told(form.message().to_owned())),
        };
        inference.add_text(&text, form).map_err(|error| match error {
            TextError::Unreadable(error) => told(error.to_string()),
            TextError::Infer(error) => told(error.to_string()),
        })?;
    }
    let schema = inference.schema().map_err(|error| error.to_string())?;
    Ok((inference.samples(), pretty(&schema)))
}
