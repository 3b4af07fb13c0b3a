//! The report of `check` for a person: the table, then what each provider refuses, how much of its limits is used, and
//! the edits it offers. Decides nothing.

use std::fmt::Write;

use super::super::schema_file::Loaded;
use super::{Objection, Report, Row};
use crate::plan::portability::Support;
use crate::schema::project::{Change, Effect, Level, Refusal, Verdict};
use crate::schema::{Checked, SchemaError};
use crate::text::safe;

pub(super) fn report(loaded: &Loaded, verdict: &Result<Checked, Vec<SchemaError>>, report: &Report) -> String {
    let mut text = String::new();
    if let Ok(checked) = verdict {
        let counts = checked.counts;
        let _ = writeln!(text, "{}: legal", safe(&loaded.name));
        let _ = writeln!(
            text,
            "  {} bytes canonical, {} containers, depth {}, hash {}",
            counts.canonical_bytes, counts.containers, counts.depth, checked.format.schema_hash
        );
    }
    for warning in &report.preflight.warnings {
        let _ = writeln!(text, "  warning: {:?} {}", warning.path, warning.message);
    }
    let _ = writeln!(text, "\n{:<12}{:<10}{:<10}prompt", "provider", "native", "tool");
    for row in &report.providers {
        let (native, tool, prompt) = (row.native.name(), row.tool.name(), row.prompt.name());
        let _ = writeln!(text, "{:<12}{native:<10}{tool:<10}{prompt}", row.provider);
    }
    for row in &report.providers {
        objections(&mut text, row, &shown_name(&loaded.name));
    }
    limits(&mut text, &report.providers);
    text
}

fn objections(text: &mut String, row: &Row, file: &str) {
    if row.refusals.is_empty() && row.warnings.is_empty() {
        return;
    }
    let head = if row.refusals.is_empty() { "takes it, but reports warn" } else { "does not take it as it is" };
    let _ = writeln!(text, "\n{} {head}:", row.provider);
    let lines = row.refusals.iter().map(objection_line).chain(row.warnings.iter().map(warning_line));
    for line in lines {
        let _ = writeln!(text, "  {}", safe(&line));
    }
    if matches!(row.native, Support::Narrow | Support::Relax) {
        let offered = summary(&row.changes);
        let _ = writeln!(text, "  offered: {offered}: formwork check {file} --fix {}", row.provider);
    }
}

/// `3 edits (1 keeps the meaning, 2 narrow it)`.
pub(super) fn summary(changes: &[Change]) -> String {
    let count = |effect| changes.iter().filter(|change| change.effect() == effect).count();
    let parts: Vec<String> =
        [(Effect::Keeps, "keep the meaning"), (Effect::Narrows, "narrow it"), (Effect::Widens, "widen it")]
            .into_iter()
            .filter(|(effect, _)| count(*effect) > 0)
            .map(|(effect, words)| format!("{} {words}", count(effect)))
            .collect();
    let noun = if changes.len() == 1 { "edit" } else { "edits" };
    format!("{} {noun} ({})", changes.len(), parts.join(", "))
}

fn objection_line(objection: &Objection) -> String {
    let route = match objection.routes {
        ["native"] => " (native only)",
        ["tool"] => " (tool only)",
        _ => "",
    };
    format!("{}{route}", refusal_line(&objection.refusal))
}

pub(super) fn refusal_line(refusal: &Refusal) -> String {
    let mend = match refusal.mends_at {
        Some(Level::Exact) | None => "",
        Some(Level::Narrow) => " (mends with --project narrow)",
        Some(Level::Relax) => " (mends with --project relax)",
    };
    let ignored = if refusal.verdict == Verdict::Ignored { " [ignored]" } else { "" };
    format!("{:?} {}{ignored}: {}{mend}", refusal.path, refusal.rule, refusal.message)
}

fn warning_line(warning: &Refusal) -> String {
    format!("{:?} {}: {} [warning]", warning.path, warning.rule, warning.message)
}

/// Each limit with its use, for the providers that have numbers.
fn limits(text: &mut String, rows: &[Row]) {
    let rows = rows.iter().filter(|row| !row.uses.is_empty());
    for (index, row) in rows.enumerate() {
        if index == 0 {
            let _ = writeln!(text, "\ncounts against limits:");
        }
        let parts = row.uses.iter().map(|row| {
            let used = row.used.map_or_else(|| "?".to_owned(), |used| used.to_string());
            let over = if row.used.is_some_and(|used| used > row.limit) { " (over)" } else { "" };
            format!("{} {used}/{}{over}", row.what.short(), row.limit)
        });
        let _ = writeln!(text, "  {:<10}{}", row.provider, parts.collect::<Vec<_>>().join(", "));
    }
}

/// The file's name as a shell takes it.
fn shown_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if name == "standard input" {
        "-".to_owned()
    } else if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        "SCHEMA".to_owned()
    }
}
