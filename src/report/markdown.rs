//! The report as Markdown. Whatever stands in a line of ours is escaped; whole texts stand in fences longer than any run
//! of backticks in them.

use std::fmt::Write as _;

use super::{Attempt, End, Report, left_out, safe_lines, shown};
use crate::json::pretty;
use crate::text::safe;

pub(super) fn render(report: &Report) -> String {
    let mut out = format!("# Run of {}\n\n", line(&report.asked.model));
    out.push_str("| | |\n| --- | --- |\n");
    for (label, text) in report.facts() {
        let sign = if label == "Outcome" { format!("{} ", report.end.sign()) } else { String::new() };
        let _ = writeln!(out, "| {label} | {sign}{} |", line(&text));
    }
    end(report, &mut out);
    asked(report, &mut out);
    if !report.changes.is_empty() {
        out.push_str("\n## What the provider's copy of the schema became\n\n");
        for change in &report.changes {
            let _ = writeln!(out, "- {} {}", place(&change.path), line(&change.what));
        }
    }
    out.push_str("\n## Attempts\n");
    if report.attempts.is_empty() {
        out.push_str("\nNone ended.\n");
    }
    for one in &report.attempts {
        attempt(one, &mut out);
    }
    out
}

fn end(report: &Report, out: &mut String) {
    out.push_str("\n## Result\n\n");
    match &report.end {
        End::Value { value } => fenced(&pretty(value), "json", out),
        End::Text { text } => fenced(text, "", out),
        End::Failed { code, message, facts } => {
            let _ = writeln!(out, "✗ {}: {}", line(code), line(message));
            out.push_str(if facts.is_empty() { "" } else { "\n" });
            for (label, text) in facts {
                let _ = writeln!(out, "- {}: {}", line(label), line(text));
            }
        }
        End::Open => out.push_str("The run was not over.\n"),
    }
}

fn asked(report: &Report, out: &mut String) {
    let asked = &report.asked;
    out.push_str("\n## Prompt\n\n");
    fenced(&asked.prompt, "", out);
    if let Some(system) = &asked.system {
        out.push_str("\n### System prompt\n\n");
        fenced(system, "", out);
    }
    if !asked.attachments.is_empty() {
        out.push_str("\n### Attached\n\n");
        for file in &asked.attachments {
            let _ = writeln!(out, "- {} ({}, {} bytes)", line(&file.name), line(&file.media_type), file.bytes);
        }
    }
    if let Some(schema) = &asked.schema {
        out.push_str("\n## Schema\n\n");
        fenced(&schema.text, "", out);
    }
}

fn attempt(attempt: &Attempt, out: &mut String) {
    let _ = writeln!(out, "\n### {} Attempt {}\n", attempt.sign(), line(&attempt.title()));
    match attempt.slip() {
        Some(slip) => {
            let _ = writeln!(out, "- {}", line(&slip));
        }
        None if !attempt.why.is_empty() => {
            let _ = writeln!(out, "- {}", line(&attempt.why));
        }
        None => {}
    }
    for issue in &attempt.issues {
        let (at, by) = (place(&issue.path), place(&issue.schema_path));
        let _ = writeln!(out, "- {at}: {} (schema {by})", line(&issue.message));
    }
    if attempt.omitted > 0 {
        let _ = writeln!(out, "- and {} more", attempt.omitted);
    }
    part("The answer", &attempt.candidate, out);
    part("Reasoning", &attempt.thinking, out);
    for asked in &attempt.repair {
        part("What was asked next", asked, out);
    }
}

fn part(title: &str, text: &str, out: &mut String) {
    if !text.is_empty() {
        let _ = writeln!(out, "\n{title}:\n");
        fenced(text, "", out);
    }
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { "the root".to_owned() } else { line(pointer) }
}

/// A text inside a line: no letter of it is markup, and no address in it becomes a link by itself.
fn line(text: &str) -> String {
    let text = safe(text);
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        // References for what begins HTML: not every reader takes a backslash before it.
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            ':' if letters.peek() == Some(&'/') => out.push_str("&#58;"),
            '.' if out.ends_with("www") || out.ends_with("WWW") => out.push_str("&#46;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '!' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}

/// A whole text.
fn fenced(text: &str, language: &str, out: &mut String) {
    let (text, left) = shown(text);
    let text = safe_lines(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(out, "{fence}{language}\n{text}{end}{fence}");
    if left > 0 {
        let _ = writeln!(out, "\n{}", line(&left_out(left)));
    }
}
