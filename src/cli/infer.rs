//! `formwork infer`: a schema from sample values, or from a short form. The schema is the result; samples go nowhere.

use std::path::PathBuf;

use super::failure::{self, Exit, Failure, Outcome};
use super::input::Source;
use super::output;
use crate::event::ErrorCode;
use crate::json::{Value, pretty};
use crate::schema::infer::{InferError, Inference, TextError};
use crate::schema::source::{Form, Named};
use crate::schema::{preflight, short};

/// Longest file of samples; each value in it may have 8 MiB.
const MAX_SAMPLES: u64 = 64 * 1024 * 1024;

/// Prints one schema.
pub(super) fn run(files: &[PathBuf], short: Option<&str>, form: Option<Form>) -> Outcome {
    let schema = match short {
        Some(fields) => from_short(fields)?,
        None => from_samples(files, form)?,
    };
    if let Err(errors) = preflight::check(&schema) {
        let failure = failure::of_schema("the schema made from the samples", &errors);
        return Err(failure.fact("next", "give fewer or smaller samples").into());
    }
    output::line(&pretty(&schema))?;
    Ok(Exit::Done)
}

fn from_short(fields: &str) -> Result<Value, Failure> {
    short::schema(fields).map_err(|error| {
        let at = format!("--short:{}:{}", error.position.line, error.position.column);
        Failure::config(error.message).fact("at", at).fact("example", "name, age int: in years, tags [str], note? str")
    })
}

fn from_samples(files: &[PathBuf], form: Option<Form>) -> Result<Value, Failure> {
    let mut inference = Inference::new();
    for file in files {
        let source = Source::new(file);
        let form = match (form, &source) {
            (None, Source::File(path)) => match Form::of_name(&path.to_string_lossy()) {
                Named::Form(form) => Some(form),
                Named::Unknown => None,
                Named::Unread(form) => {
                    return Err(Failure::config(format!("{}: {}", source.name(), form.message())));
                }
            },
            (form, _) => form,
        };
        let text = source.text(MAX_SAMPLES, ErrorCode::Config)?;
        let form = form.unwrap_or_else(|| Form::sniff(&text));
        inference.add_text(&text, form).map_err(|error| unreadable(&source.name(), form, &error))?;
    }
    inference.schema().map_err(|error| Failure::config(error.to_string()))
}

fn unreadable(name: &str, form: Form, error: &TextError) -> Failure {
    match error {
        TextError::Unreadable(error) => {
            let at = format!("{name}:{}:{}", error.position.line, error.position.column);
            let failure = Failure::new(ErrorCode::InvalidJson, &error.message).exits(Exit::Usage);
            failure.fact("sample", at).fact("hint", error.hint.code()).fact("read as", form.title())
        }
        TextError::Infer(InferError::TooDeep | InferError::NoSample) => {
            Failure::config(error.to_string()).fact("sample", name)
        }
    }
}
