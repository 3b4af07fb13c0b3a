//! `formwork validate`: one instance against one schema, judged exactly as a run judges its candidate.

use std::borrow::Cow;

use serde::Serialize;

use super::args::{ReadArgs, ValidateFormat};
use super::failure::{self, Exit, Failure, Outcome};
use super::input::Source;
use super::output;
use super::schema_file::{self, Loaded};
use crate::event::ErrorCode;
use crate::issue::Issue;
use crate::json::{Hint, ParseLimits, Position, parse_bytes};
use crate::schema::Judge;
use crate::schema::SchemaError;
use crate::schema::validate::{JudgeOptions, Judgement, judge};

/// `--format json`.
#[derive(Debug, Default, Serialize)]
struct Report<'a> {
    ok: bool,
    code: Option<&'static str>,
    issues: Vec<Found<'a>>,
    omitted: usize,
    position: Option<Position>,
    hint: Option<Hint>,
}

/// An issue of the instance, or of the schema itself.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Found<'a> {
    Instance(&'a Issue),
    Schema(&'a SchemaError),
}

/// Judges one file.
pub(super) fn run(schema: &Source, read: &ReadArgs, instance: &Source, format: ValidateFormat) -> Outcome {
    if (schema, instance) == (&Source::Stdin, &Source::Stdin) {
        return Err(Failure::config("schema and instance cannot both be read from standard input (stdin)").into());
    }
    let loaded = schema_file::load(schema, read)?;
    let limits = ParseLimits::default();
    let checked = match loaded.verdict() {
        Ok(checked) => checked,
        Err(errors) => return illegal(&loaded, &errors, format),
    };
    let options = JudgeOptions { limits, assert_format: false };
    let judge = match judge(&checked.format, options) {
        Ok(judge) => judge,
        Err(error) => return illegal(&loaded, &[error], format),
    };
    // More than the judge takes, so that it is the judge who refuses, with its own code.
    let bytes = instance.start(limits.max_bytes as u64 * 2, ErrorCode::Config)?;
    tell(&instance.name(), &verdict(&judge, &bytes, limits), format)
}

/// Bytes that are no text are no JSON; the strict parser says where.
fn verdict(judge: &Judge, bytes: &[u8], limits: ParseLimits) -> Judgement {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => judge.judge(text),
        Cow::Owned(lossy) => parse_bytes(bytes, limits).map_or_else(Judgement::NotJson, |_| judge.judge(&lossy)),
    }
}

fn tell(name: &str, judgement: &Judgement, format: ValidateFormat) -> Outcome {
    let report = report(judgement);
    match format {
        ValidateFormat::Json => {
            let text = serde_json::to_string_pretty(&report)
                .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))?;
            output::line(&text)?;
        }
        ValidateFormat::Human => match failure(name, judgement) {
            Some(failure) => return Err(failure.into()),
            None => output::line("valid")?,
        },
    }
    Ok(if report.ok { Exit::Done } else { Exit::Rejected })
}

fn report(judgement: &Judgement) -> Report<'_> {
    match judgement {
        Judgement::Valid { .. } => Report { ok: true, ..Report::default() },
        Judgement::NotJson(error) => Report {
            code: Some(ErrorCode::InvalidJson.code()),
            position: Some(error.position),
            hint: Some(error.hint),
            ..Report::default()
        },
        Judgement::Invalid(issues) => Report {
            code: Some(ErrorCode::ValidationFailed.code()),
            issues: issues.list.iter().map(Found::Instance).collect(),
            omitted: issues.omitted,
            ..Report::default()
        },
    }
}

fn failure(name: &str, judgement: &Judgement) -> Option<Failure> {
    match judgement {
        Judgement::Valid { .. } => None,
        Judgement::NotJson(error) => {
            let at = format!("{name}:{}:{}", error.position.line, error.position.column);
            let failure = Failure::new(ErrorCode::InvalidJson, &error.message).fact("instance", at);
            Some(failure.fact("hint", error.hint.code()))
        }
        Judgement::Invalid(issues) => {
            let count = issues.list.len() + issues.omitted;
            let message = format!("{count} {}", if count == 1 { "issue" } else { "issues" });
            let failure = Failure::new(ErrorCode::ValidationFailed, message).fact("instance", name);
            Some(failure::with_issues(failure, &issues.list, issues.omitted))
        }
    }
}

fn illegal(loaded: &Loaded, errors: &[SchemaError], format: ValidateFormat) -> Outcome {
    if format == ValidateFormat::Human {
        return Err(loaded.refused(errors).into());
    }
    let report = Report {
        code: Some(ErrorCode::InvalidSchema.code()),
        issues: errors.iter().map(Found::Schema).collect(),
        position: errors.first().and_then(|error| error.position),
        ..Report::default()
    };
    let text = serde_json::to_string_pretty(&report)
        .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))?;
    output::line(&text)?;
    Ok(Exit::Usage)
}
