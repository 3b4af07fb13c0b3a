//! The report as one HTML file: no script, nothing fetched, light and dark by the reader's own setting.
//!
//! A policy in the head forbids scripts and every address, so that a letter which slipped through the escapes could still
//! do nothing. State is told by word and sign; every issue leads to its place in the candidate and back.

use std::fmt::Write as _;

use super::marks::{self, Mark};
use super::{Attempt, End, Report, left_out, safe_lines, shown};
use crate::json::pretty;
use crate::text::safe;

const STYLE: &str = include_str!("report.css");

pub(super) fn render(report: &Report) -> String {
    let title = format!("Run of {}", report.asked.model);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n</header>\n<main>\n",
        line(&title)
    );
    facts(report, &mut out);
    end(report, &mut out);
    asked(report, &mut out);
    changes(report, &mut out);
    out.push_str("<section aria-labelledby=\"attempts\">\n<h2 id=\"attempts\">Attempts</h2>\n");
    if report.attempts.is_empty() {
        out.push_str("<p>None ended.</p>\n");
    }
    for (at, one) in report.attempts.iter().enumerate() {
        attempt(at + 1, one, &mut out);
    }
    out.push_str("</section>\n</main>\n</body>\n</html>\n");
    out
}

fn facts(report: &Report, out: &mut String) {
    out.push_str("<section aria-labelledby=\"facts\">\n<h2 id=\"facts\">Overview</h2>\n<dl>\n");
    for (label, text) in report.facts() {
        let text = line(&text);
        let _ = if label == "Outcome" {
            let class = class(!matches!(report.end, End::Failed { .. } | End::Open));
            let sign = report.end.sign();
            writeln!(out, "<dt>{label}</dt><dd class=\"{class}\"><span aria-hidden=\"true\">{sign}</span> {text}</dd>")
        } else {
            writeln!(out, "<dt>{label}</dt><dd>{text}</dd>")
        };
    }
    out.push_str("</dl>\n</section>\n");
}

const fn class(good: bool) -> &'static str {
    if good { "good" } else { "bad" }
}

fn end(report: &Report, out: &mut String) {
    out.push_str("<section aria-labelledby=\"result\">\n<h2 id=\"result\">Result</h2>\n");
    match &report.end {
        End::Value { value } => block("The validated value", &pretty(value), &[], 0, out),
        End::Text { text } => block("The text", text, &[], 0, out),
        End::Failed { code, message, facts } => {
            let _ = writeln!(out, "<p class=\"bad\">{}: {}</p>", line(code), line(message));
            if !facts.is_empty() {
                out.push_str("<dl>\n");
                for (label, text) in facts {
                    let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", line(label), line(text));
                }
                out.push_str("</dl>\n");
            }
        }
        End::Open => out.push_str("<p>The run was not over.</p>\n"),
    }
    out.push_str("</section>\n");
}

fn asked(report: &Report, out: &mut String) {
    let asked = &report.asked;
    out.push_str("<section aria-labelledby=\"prompt\">\n<h2 id=\"prompt\">Prompt</h2>\n");
    block("The prompt", &asked.prompt, &[], 0, out);
    if let Some(system) = &asked.system {
        out.push_str("<h3>System prompt</h3>\n");
        block("The system prompt", system, &[], 0, out);
    }
    if !asked.attachments.is_empty() {
        out.push_str("<h3>Attached</h3>\n<ul>\n");
        for file in &asked.attachments {
            let (name, kind) = (line(&file.name), line(&file.media_type));
            let _ = writeln!(out, "<li><bdi>{name}</bdi> ({kind}, {} bytes)</li>", file.bytes);
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
    if let Some(schema) = &asked.schema {
        out.push_str("<section aria-labelledby=\"schema\">\n<h2 id=\"schema\">Schema</h2>\n");
        block("The schema", &schema.text, &[], 0, out);
        out.push_str("</section>\n");
    }
}

fn changes(report: &Report, out: &mut String) {
    if report.changes.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">What the provider's copy of the schema became</h2>\n<ul>\n");
    for change in &report.changes {
        let _ = writeln!(out, "<li>{} <bdi>{}</bdi></li>", pointer(&change.path), line(&change.what));
    }
    out.push_str("</ul>\n</section>\n");
}

fn attempt(number: usize, attempt: &Attempt, out: &mut String) {
    let (good, sign) = (class(attempt.is_good()), attempt.sign());
    let _ = writeln!(
        out,
        "<article aria-labelledby=\"a{number}\">\n<h3 id=\"a{number}\" class=\"{good}\"><span aria-hidden=\"true\">{sign}</span> Attempt {}</h3>",
        line(&attempt.title())
    );
    let told = attempt.slip().unwrap_or_else(|| attempt.why.clone());
    if !told.is_empty() {
        let _ = writeln!(out, "<p class=\"{good}\"><bdi>{}</bdi></p>", line(&told));
    }
    let (text, _) = shown(&attempt.candidate);
    let marks = marks::of(attempt, text);
    issues(number, attempt, &marks, out);
    if !attempt.candidate.is_empty() {
        block("The answer", &attempt.candidate, &marks, number, out);
    }
    folded("Reasoning", &attempt.thinking, out);
    for asked in &attempt.repair {
        folded("What was asked next", asked, out);
    }
    out.push_str("</article>\n");
}

fn issues(number: usize, attempt: &Attempt, marks: &[Mark], out: &mut String) {
    if attempt.issues.is_empty() {
        return;
    }
    out.push_str("<table>\n<caption>Issues</caption>\n<thead><tr><th scope=\"col\">In the answer</th><th scope=\"col\">What is wrong</th><th scope=\"col\">In the schema</th></tr></thead>\n<tbody>\n");
    for (at, issue) in attempt.issues.iter().enumerate() {
        let place = pointer(&issue.path);
        let place = if marks.iter().any(|mark| mark.issue == Some(at)) {
            format!("<a href=\"#a{number}m{at}\">{place}</a>")
        } else {
            place
        };
        let (message, rule) = (line(&issue.message), pointer(&issue.schema_path));
        let _ = writeln!(
            out,
            "<tr id=\"a{number}i{at}\"><td>{place}</td><td><bdi>{message}</bdi></td><td>{rule}</td></tr>"
        );
    }
    out.push_str("</tbody>\n</table>\n");
    if attempt.omitted > 0 {
        let _ = writeln!(out, "<p>and {} more issues</p>", attempt.omitted);
    }
}

fn folded(title: &str, text: &str, out: &mut String) {
    if !text.is_empty() {
        let _ = writeln!(out, "<details>\n<summary>{title}</summary>");
        block(title, text, &[], 0, out);
        out.push_str("</details>\n");
    }
}

fn pointer(pointer: &str) -> String {
    if pointer.is_empty() { "the root".to_owned() } else { format!("<code>{}</code>", line(pointer)) }
}

/// A whole text, which scrolls by keyboard too.
fn block(name: &str, text: &str, marks: &[Mark], number: usize, out: &mut String) {
    let (text, left) = shown(text);
    // A parser drops the first line end of a block; ours is that one.
    let _ = writeln!(out, "<pre tabindex=\"0\" role=\"region\" aria-label=\"{name}\" dir=\"ltr\">");
    let mut at = 0;
    for mark in marks {
        escaped(&safe_lines(text.get(at..mark.range.start).unwrap_or_default()), out);
        let id = mark.issue.map_or(String::new(), |issue| format!(" id=\"a{number}m{issue}\""));
        let _ = write!(out, "<mark{id}>");
        escaped(&safe_lines(text.get(mark.range.clone()).unwrap_or_default()), out);
        out.push_str("</mark>");
        at = mark.range.end;
    }
    escaped(&safe_lines(text.get(at..).unwrap_or_default()), out);
    out.push_str("</pre>\n");
    if left > 0 {
        let _ = writeln!(out, "<p>{}</p>", line(&left_out(left)));
    }
}

/// A text inside a line, or inside a quoted attribute.
fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escaped(&safe(text), &mut out);
    out
}

fn escaped(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}
