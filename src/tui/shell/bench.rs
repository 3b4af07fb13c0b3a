//! Jobs of the workbench: samples as trees, what a schema lets through, what it weighs.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use super::super::effect::{LooseJob, Reply};
use super::super::state::bench::{Answer, Loosened};
use super::{build, files};
use crate::json::{ParseLimits, Value, parse};
use crate::plan::board::{Moved, felt_by, sent};
use crate::runtime::grammar::verdict;
use crate::schema::ResponseFormat;
use crate::schema::loose::{LooseError, Looseness, loose};
use crate::schema::sample::sample;
use crate::schema::validate::JudgeOptions;
use crate::schema::weight::weigh;
use crate::text::{column, safe};

/// Fields the page of weights shows.
const SHOWN: usize = 200;
/// Cells of the longest bar.
const BAR: usize = 24;
/// Cells of a path on that page.
const PATH: usize = 40;

/// One sample, laid out.
pub(super) fn sampled(format: &ResponseFormat, seed: u64) -> Reply {
    let built = sample(format, seed).map_err(|error| error.to_string()).and_then(build).map(Box::new);
    Reply::Sampled { seed, schema_hash: format.schema_hash.clone(), built }
}

/// What gets through, from the best answer there is.
pub(super) fn loosened(folder: &Path, job: &LooseJob) -> Reply {
    Reply::Loosened { generation: job.generation, outcome: search(folder, job).map(Box::new) }
}

fn search(folder: &Path, job: &LooseJob) -> Result<Loosened, String> {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: job.assert_format };
    if let Some(path) = &job.file {
        let text = files::text(folder, path).map_err(|why| format!("{}: {why}", path.display()))?;
        let value = parse(&text, ParseLimits::default()).map_err(|error| format!("{}: {error}", path.display()))?;
        let found = loose(&job.format, &value, options).map_err(|error| words(&error))?;
        return Ok(told(job, Answer::File(path.clone()), found));
    }
    if let Some(good) = &job.good {
        match loose(&job.format, good, options) {
            Ok(found) => return Ok(told(job, Answer::Result, found)),
            // The result is of another schema: a sample is not.
            Err(LooseError::Invalid(_)) => {}
            Err(error) => return Err(words(&error)),
        }
    }
    let value: Arc<Value> = Arc::new(sample(&job.format, job.seed).map_err(|error| error.to_string())?);
    let found = loose(&job.format, &value, options).map_err(|error| words(&error))?;
    Ok(told(job, Answer::Sample(job.seed), found))
}

fn words(error: &LooseError) -> String {
    match error {
        LooseError::Invalid(issues) => {
            let first =
                issues.list.first().map_or(String::new(), |issue| format!(": {} {}", issue.path, issue.message));
            format!("{error}{first}")
        }
        LooseError::Schema(_) | LooseError::Dangling(_) => error.to_string(),
    }
}

fn told(job: &LooseJob, answer: Answer, found: Looseness) -> Loosened {
    let felt = felt_by(&job.format, &found.findings, verdict);
    let felt = felt.iter().map(|list| list.iter().map(Moved::short).collect::<Vec<_>>().join(", ")).collect();
    let Looseness { findings, tried, caught, omitted } = found;
    let schema_hash = job.format.schema_hash.clone();
    Loosened { answer, schema_hash, findings, felt, tried, caught, omitted }
}

/// The page of weights.
pub(super) fn weighed(format: &ResponseFormat, bar: &str) -> Reply {
    let weight = weigh(&format.schema);
    let mut text = format!("About {} tokens ({} bytes); no tokenizer was asked.\n", weight.tokens, weight.bytes);
    let other: Vec<_> = sent(format, verdict).into_iter().filter(|sent| sent.differs(&weight)).collect();
    if !other.is_empty() {
        text.push_str("\nAs sent, where it differs:\n");
    }
    for sent in other {
        let _ = writeln!(text, "  {:<14} about {} ({})", sent.provider, sent.tokens, sent.level);
    }
    text.push_str("\nFields with all below them, heaviest first (tokens, and how many of them are prose):\n");
    for field in weight.fields.iter().take(SHOWN) {
        let cells = (field.tokens * BAR).checked_div(weight.tokens).unwrap_or(0).min(BAR);
        let path = column(&safe(&field.path), PATH);
        let line = format!("  {:>6} {:>6}  {path} {}", field.tokens, field.prose, bar.repeat(cells));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let more = weight.fields.len().saturating_sub(SHOWN) + weight.omitted;
    if more > 0 {
        let _ = writeln!(text, "  … and {more} lighter ones");
    }
    Reply::Weighed(text)
}
