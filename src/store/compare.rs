//! Two schemas side by side: what the change means, place by place, then the change of the text. Pure.

use std::fmt::Write as _;
use std::time::Duration;

use similar::TextDiff;

use crate::schema::diff::{Diff, diff};
use crate::schema::preflight::check_source;
use crate::schema::source::Form;
use crate::text::width;

/// One side.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// How it is called.
    pub name: &'a str,
    pub written: &'a str,
}

/// Longer, and the text is compared in larger pieces than the smallest.
const PATIENCE: Duration = Duration::from_secs(1);
/// Lines of unchanged text around a changed one.
const AROUND: usize = 3;
/// Lines of a text past which only the meaning is told: a line diff of more costs too much.
const MAX_LINES: usize = 50_000;
/// Widest column of paths.
const MAX_PATH: usize = 40;

/// Compares two schema texts; `Err` names the side that is no legal schema.
///
/// # Errors
/// One of them is no legal schema.
pub fn compare(old: Side<'_>, new: Side<'_>) -> Result<Diff, String> {
    let schema = |side: Side<'_>| {
        check_source(side.written, Form::sniff(side.written))
            .map(|checked| checked.format.schema)
            .map_err(|_| format!("{} is no legal schema", side.name))
    };
    Ok(diff(&schema(old)?, &schema(new)?))
}

/// The comparison for a person: verdict, one line a change, then the text.
#[must_use]
pub fn told(old: Side<'_>, new: Side<'_>, diff: &Diff) -> String {
    let mut out = format!("{}: {} → {}\n", diff.verdict.word(), old.name, new.name);
    let path = |path: &str| if path.is_empty() { "(root)".to_owned() } else { path.to_owned() };
    let widest = diff.changes.iter().map(|change| width(&path(&change.path))).max().unwrap_or(0).min(MAX_PATH);
    for change in &diff.changes {
        let place = path(&change.path);
        let gap = " ".repeat(widest.saturating_sub(width(&place)));
        let _ = writeln!(out, "  {place}{gap}  {:<9}  {}", change.class.word(), change.words);
    }
    if diff.omitted > 0 {
        let _ = writeln!(out, "  and {} more", diff.omitted);
    }
    if old.written.lines().count().max(new.written.lines().count()) > MAX_LINES {
        return out + "\nthe texts are too long to be compared line by line\n";
    }
    let texts = TextDiff::configure().timeout(PATIENCE).newline_terminated(true).diff_lines(old.written, new.written);
    let lines = texts.unified_diff().context_radius(AROUND).missing_newline_hint(false).to_string();
    if !lines.is_empty() {
        let _ = write!(out, "\n{lines}");
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}
