//! A function as a file: what stands on the screen, written so that it reads back as it was.

use std::fmt::Write as _;

use super::sections::{FENCE, PROMPT, SCHEMA, SYSTEM, is_head};
use super::{Settings, fill};
use crate::schema::Fallback;
use crate::schema::project::Level;
use crate::schema::source::Form;

/// What is to be saved.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    pub about: Option<String>,
    pub model: Option<String>,
    pub settings: Settings,
    pub system: Option<String>,
    /// The prompt; what stands in `{{ … }}` becomes variables.
    pub prompt: String,
    /// The schema as it is written.
    pub schema: Option<(String, Form)>,
}

impl Draft {
    /// The file's text, and the variables that it declares.
    #[must_use]
    pub fn text(&self) -> (String, Vec<String>) {
        let (system, mut vars) = self.system.as_deref().map(template).unzip();
        let (prompt, more) = template(&self.prompt);
        let vars = vars.get_or_insert_default();
        vars.extend(more);
        vars.sort();
        vars.dedup();
        let mut text = format!("{FENCE}\n");
        self.settings(&mut text);
        for name in &*vars {
            let _ = write!(text, "\n[vars.{name}]\ndescription = {}\n", quoted(format!("what stands for {name}")));
        }
        let _ = writeln!(text, "{FENCE}");
        for (head, body) in [(SYSTEM, system.as_deref()), (PROMPT, Some(prompt.as_str()))] {
            if let Some(body) = body.filter(|body| !body.trim().is_empty()) {
                let _ = write!(text, "\n{head}\n\n{}\n", body.trim_end());
            }
        }
        if let Some((schema, form)) = &self.schema {
            let fence = "`".repeat(longest_run(schema).max(2) + 1);
            let body = schema.trim_end_matches('\n');
            let _ = write!(text, "\n{SCHEMA}\n\n{fence}{}\n{body}\n{fence}\n", form.name());
        }
        (text, std::mem::take(vars))
    }

    fn settings(&self, text: &mut String) {
        let set = &self.settings;
        let mut line = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {value}");
            }
        };
        line("description", self.about.as_deref().map(quoted));
        line("model", self.model.as_deref().map(quoted));
        let fallback = set.fallback.map(|fallback| match fallback {
            Fallback::Auto => "auto",
            Fallback::None => "none",
            Fallback::Prompt => "prompt",
        });
        line("fallback", fallback.map(quoted));
        let level = set.level.map(|level| match level {
            Level::Exact => "exact",
            Level::Narrow => "narrow",
            Level::Relax => "relax",
        });
        line("project", level.map(quoted));
        line("max_retries", set.max_retries.map(|n| n.to_string()));
        line("max_validation_retries", set.max_validation_retries.map(|n| n.to_string()));
        line("max_iterations", set.max_iterations.map(|n| n.to_string()));
        line("timeout_seconds", set.timeout_seconds.map(|n| n.to_string()));
    }
}

/// A text as a template that gives it back, and the variables it has. What is no template is written so that nothing in it
/// counts as one.
fn template(text: &str) -> (String, Vec<String>) {
    let (text, vars) = match fill::needed(text) {
        Some(vars) => (text.to_owned(), vars),
        None => (literal(text), Vec::new()),
    };
    let guarded =
        |line: &str| if is_head(line.trim_start_matches('\\')) { format!("\\{line}") } else { line.to_owned() };
    (text.lines().map(guarded).collect::<Vec<_>>().join("\n"), vars)
}

/// Every mark of the template language as a text in it.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let mark = ["{{", "{%", "{#"].into_iter().find(|mark| from.starts_with(mark));
        if let Some(mark) = mark {
            let _ = write!(out, "{{{{ \"{mark}\" }}}}");
        } else {
            out.push('{');
        }
        rest = from.strip_prefix(mark.unwrap_or("{")).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// A text as TOML writes it, on one line.
fn quoted(text: impl AsRef<str>) -> String {
    let line: String = text.as_ref().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", line.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The longest run of back quotes.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
