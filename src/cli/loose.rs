//! `formwork loose`: what a schema lets through, with the constraint that would stop it. No call, no network.

use std::fmt::Write;

use serde::Serialize;

use super::args::{ReadArgs, ValidateFormat};
use super::failure::{self, Exit, Failure, Outcome};
use super::input::Source;
use super::{output, schema_file};
use crate::event::ErrorCode;
use crate::json::{ParseLimits, Value, parse_bytes};
use crate::plan::board::{Moved, felt_by};
use crate::runtime::grammar::verdict;
use crate::schema::Checked;
use crate::schema::loose::{Finding, LooseError, Looseness, loose};
use crate::schema::sample::sample;
use crate::schema::validate::JudgeOptions;
use crate::text::safe;

/// What the command line asks.
pub(super) struct Asked<'a> {
    pub(super) instance: Option<&'a Source>,
    pub(super) seed: u64,
    pub(super) assert_format: bool,
    pub(super) format: ValidateFormat,
    pub(super) ends: Ends,
}

/// What the exit status answers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Whether the schema could be tried.
    Tried,
    /// Whether it lets nothing through.
    Tight,
}

/// `--format json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    schema_hash: &'a str,
    /// `sample` or `file`.
    answer: &'static str,
    /// Of a sample.
    seed: Option<u64>,
    tried: usize,
    caught: usize,
    omitted: usize,
    findings: Vec<Told<'a>>,
}

#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// What the providers would say of the schema with the offer in it.
    providers: Vec<Moved>,
}

/// Tries one schema and reports.
pub(super) fn run(schema: &Source, read: &ReadArgs, asked: &Asked<'_>) -> Outcome {
    if asked.instance == Some(&Source::Stdin) && schema == &Source::Stdin {
        return Err(Failure::config("schema and answer cannot both be read from standard input (stdin)").into());
    }
    let loaded = schema_file::load(schema, read)?;
    let checked = loaded.check()?;
    let good = good(&checked, asked, &loaded.name)?;
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: asked.assert_format };
    let found = loose(&checked.format, &good, options).map_err(|error| refused(error, &loaded.name, asked))?;
    let felt = felt_by(&checked.format, &found.findings, verdict);
    let told = found.findings.iter().zip(felt).map(|(finding, providers)| Told { finding, providers });
    let told: Vec<Told<'_>> = told.collect();
    match asked.format {
        ValidateFormat::Human => output::result(human(&loaded.name, asked, &found, &told).as_bytes())?,
        ValidateFormat::Json => output::line(&json(&checked, asked, &found, told)?)?,
    }
    let tight = found.findings.is_empty() && found.omitted == 0;
    Ok(if asked.ends == Ends::Tight && !tight { Exit::Unsupported } else { Exit::Done })
}

/// The answer that is spoilt: a file's, else a sample.
fn good(checked: &Checked, asked: &Asked<'_>, name: &str) -> Result<Value, Failure> {
    let limits = ParseLimits::default();
    let Some(source) = asked.instance else {
        return sample(&checked.format, asked.seed)
            .map_err(|error| Failure::new(ErrorCode::ValidationFailed, error.to_string()).fact("schema", name));
    };
    let bytes = source.bytes(limits.max_bytes as u64, ErrorCode::Config)?;
    parse_bytes(&bytes, limits).map_err(|error| {
        let at = format!("{}:{}:{}", source.name(), error.position.line, error.position.column);
        Failure::new(ErrorCode::InvalidJson, &error.message).fact("answer", at)
    })
}

fn refused(error: LooseError, name: &str, asked: &Asked<'_>) -> Failure {
    match error {
        LooseError::Invalid(issues) => {
            let answer = asked.instance.map_or_else(|| "a sample".to_owned(), Source::name);
            let message = "the answer is not valid: only a good answer can be spoilt";
            let failure = Failure::new(ErrorCode::ValidationFailed, message).fact("answer", answer);
            failure::with_issues(failure, &issues.list, issues.omitted)
        }
        LooseError::Schema(error) => failure::of_schema(name, &[error]),
        LooseError::Dangling(path) => {
            Failure::new(ErrorCode::InvalidSchema, "a reference leads nowhere").fact("schema", name).fact("path", path)
        }
    }
}

fn json(checked: &Checked, asked: &Asked<'_>, found: &Looseness, findings: Vec<Told<'_>>) -> Result<String, Failure> {
    let report = Report {
        schema_hash: &checked.format.schema_hash,
        answer: if asked.instance.is_some() { "file" } else { "sample" },
        seed: asked.instance.is_none().then_some(asked.seed),
        tried: found.tried,
        caught: found.caught,
        omitted: found.omitted,
        findings,
    };
    serde_json::to_string_pretty(&report)
        .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))
}

fn human(name: &str, asked: &Asked<'_>, found: &Looseness, told: &[Told<'_>]) -> String {
    let answer = asked.instance.map_or_else(|| format!("a sample, seed {}", asked.seed), Source::name);
    let mut text = format!(
        "{}: {} of {} spoilt answers get through ({} caught); from {}\n",
        safe(name),
        found.tried - found.caught,
        found.tried,
        found.caught,
        safe(&answer)
    );
    for Told { finding, providers } in told {
        let at = if finding.path.is_empty() { "(root)" } else { &finding.path };
        let also = if finding.also > 0 { format!(" (and {} more)", finding.also) } else { String::new() };
        let _ = writeln!(text, "\n{}  accepts {}{also}", safe(at), safe(&finding.what));
        match &finding.offer {
            Some(offer) => {
                let _ = writeln!(text, "  stopped by {}", safe(&offer.words()));
            }
            None => {
                let _ = writeln!(text, "  {}", finding.why_no_offer());
            }
        }
        for felt in providers {
            let _ = writeln!(text, "  with it: {}", felt.words());
        }
    }
    if found.omitted > 0 {
        let _ = writeln!(text, "\n{} more were left out", found.omitted);
    }
    text
}
