//! The portability board away from the loop: every provider's answer, the edits offered, what an edit would do.

use std::fmt::Write;
use std::sync::Arc;

use super::super::effect::{BoardJob, OffersJob, PreviewJob, Previewed, Reply};
use super::super::state::board::Offered;
use crate::json::edit::apply;
use crate::plan::board::{Board, Moved, offers};
use crate::runtime::grammar::verdict;
use crate::schema::diff::{Verdict, diff};
use crate::schema::preflight::check_source;
use crate::text::diff::unified;

/// Asks every provider.
pub(super) fn answered(job: &BoardJob) -> Reply {
    Reply::Board { generation: job.generation, board: Arc::new(Board::of(&job.format, verdict)) }
}

/// The edits for one of them.
pub(super) fn offered(job: &OffersJob) -> Reply {
    let grammar = verdict(job.profile, &job.format.schema);
    let offers = offers(job.profile, grammar.as_ref(), &job.format).map(Arc::new);
    Reply::Offered(Offered { generation: job.generation, provider: job.provider, offers })
}

/// Makes the edit aside, and says what would be different.
pub(super) fn previewed(job: PreviewJob) -> Reply {
    Reply::Previewed(preview(job).map(Box::new))
}

fn preview(job: PreviewJob) -> Result<Previewed, String> {
    let after = apply(&job.text, &job.edits).map_err(|error| error.to_string())?;
    let checked = check_source(&after, job.form)
        .map_err(|_| "the edited schema would not be legal: mend it by hand".to_owned())?;
    let meaning = job.schema.as_ref().map_or("", |before| meaning(diff(before, &checked.format.schema).verdict));
    let moved = job.board.moved(&Board::of(&checked.format, verdict));
    let mut page = String::new();
    for claim in
        job.claims.iter().map(String::as_str).chain([meaning]).chain(effects(&moved).iter().map(String::as_str))
    {
        let _ = writeln!(page, "{claim}");
    }
    // A last line without its end would be told as a difference.
    let lines = |text: &str| format!("{}\n", text.trim_end_matches('\n'));
    let _ = write!(page, "\n{}", unified(&lines(&job.text), &lines(&after), ("now", "edited")));
    Ok(Previewed { before: job.text, after, title: job.title, page })
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same | Verdict::Annotations => "It keeps the meaning: the same answers are allowed.",
        Verdict::Stricter => "It narrows the meaning: what is still allowed was allowed before.",
        Verdict::Looser => "It widens the meaning: more answers are allowed than before.",
        Verdict::Incomparable => {
            "It could not be shown what it does to the meaning: some answers may come in, others go."
        }
    }
}

fn effects(moved: &[Moved]) -> Vec<String> {
    if moved.is_empty() {
        return vec!["No provider's answer changes.".to_owned()];
    }
    let one = |moved: &Moved| format!("{}: {} → {}", moved.provider, moved.from.name(), moved.to.name());
    std::iter::once("What the providers say then:".to_owned())
        .chain(moved.iter().map(|moved| format!("  {}", one(moved))))
        .collect()
}
