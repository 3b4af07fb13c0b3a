//! `formwork weight`: about how many tokens a schema costs, field by field and as each provider would get it.

use std::fmt::Write;

use serde::Serialize;

use super::args::{ReadArgs, ValidateFormat};
use super::failure::{Exit, Failure, Outcome};
use super::input::Source;
use super::{output, schema_file};
use crate::plan::board::{Sent, sent};
use crate::runtime::grammar::verdict;
use crate::schema::weight::{Field, Weight, weigh};
use crate::text::{column, safe, width};

/// Fields a person is shown.
const SHOWN: usize = 25;
/// Cells of the widest path.
const PATH: usize = 48;
/// Cells of the longest bar.
const BAR: usize = 20;

/// `--format json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    schema_hash: &'a str,
    /// Always true: no tokenizer was asked.
    estimate: bool,
    #[serde(flatten)]
    weight: &'a Weight,
    providers: &'a [Sent],
}

/// Weighs one schema and reports.
pub(super) fn run(schema: &Source, read: &ReadArgs, format: ValidateFormat) -> Outcome {
    let loaded = schema_file::load(schema, read)?;
    let checked = loaded.check()?;
    let weight = weigh(&checked.format.schema);
    let providers = sent(&checked.format, verdict);
    match format {
        ValidateFormat::Human => output::result(human(&loaded.name, &weight, &providers).as_bytes())?,
        ValidateFormat::Json => {
            let hash = &checked.format.schema_hash;
            let report = Report { schema_hash: hash, estimate: true, weight: &weight, providers: &providers };
            let text = serde_json::to_string_pretty(&report)
                .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))?;
            output::line(&text)?;
        }
    }
    Ok(Exit::Done)
}

fn human(name: &str, weight: &Weight, providers: &[Sent]) -> String {
    let mut text = format!("{}: about {} tokens ({} bytes), an estimate\n", safe(name), weight.tokens, weight.bytes);
    let widest = weight.fields.iter().take(SHOWN).map(|field| width(&safe(&field.path))).max().unwrap_or(0).min(PATH);
    if !weight.fields.is_empty() {
        text.push_str("\ntokens  share  of it prose\n");
    }
    for field in weight.fields.iter().take(SHOWN) {
        let _ = writeln!(text, "{}", line(field, weight.tokens, widest));
    }
    let more = weight.fields.len().saturating_sub(SHOWN) + weight.omitted;
    if more > 0 {
        let _ = writeln!(text, "… and {more} lighter fields");
    }
    let other: Vec<&Sent> = providers.iter().filter(|sent| sent.differs(weight)).collect();
    if !other.is_empty() {
        text.push_str("\nas sent, where it differs:\n");
    }
    for sent in other {
        let _ = writeln!(text, "  {:<14}about {} tokens ({})", sent.provider, sent.tokens, sent.level);
    }
    text
}

fn line(field: &Field, total: usize, widest: usize) -> String {
    let share = (field.tokens * 100).checked_div(total).unwrap_or(0);
    let bar = "#".repeat((field.tokens * BAR).checked_div(total).unwrap_or(0).min(BAR));
    let path = column(&safe(&field.path), widest);
    let text = format!("{:>6}  {share:>4}%  {:>11}  {path}  {bar}", field.tokens, field.prose);
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::preflight::check_text;

    #[test]
    fn bars_stand_below_one_another_whatever_the_names_are() {
        let wide = "価格".repeat(20);
        let text = format!(
            r#"{{"properties":{{"a":{{"type":"string"}},"{wide}":{{"type":"string"}},"e\u0301\u202e":{{"type":"string"}}}}}}"#
        );
        let weight = weigh(&check_text(&text).unwrap().format.schema);
        let told = human("x", &weight, &[]);
        let bars: Vec<usize> = told.lines().filter_map(|line| Some(width(line.split_once('#')?.0))).collect();
        assert!(bars.len() >= 3 && bars.iter().all(|at| *at == bars[0]), "{told}");
        assert!(told.contains('…') && !told.contains('\u{202e}'), "{told}");
    }
}
