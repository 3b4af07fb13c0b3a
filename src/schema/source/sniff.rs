//! Which form a text without a telling name is in, by its first lines. Guesses only where one line is proof enough.

use super::Form;

/// Lines looked at: comments may come first.
const LINES: usize = 200;

pub(super) fn form(text: &str) -> Form {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    if text.starts_with("//") || text.starts_with("/*") {
        return Form::Jsonc;
    }
    if text.starts_with(['{', '"']) {
        return Form::Json;
    }
    let mut lines = text.lines().take(LINES).map(str::trim_end).filter(|line| !is_remark(line));
    let Some(first) = lines.next() else { return Form::Json };
    if is_header(first) || is_assignment(first) {
        return Form::Toml;
    }
    if first.starts_with("%YAML") || first == "---" || first.starts_with("--- ") || first.starts_with("- ") {
        return Form::Yaml;
    }
    if is_entry(first) { Form::Yaml } else { Form::Json }
}

fn is_remark(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// A key as YAML and TOML write it, bare or in quotes, and what follows it.
fn key(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        return line.strip_prefix(quote)?.split_once(quote).map(|(_, rest)| rest);
    }
    let bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '.' | '/');
    let rest = line.trim_start_matches(bare);
    (rest.len() < line.len()).then_some(rest)
}

/// `key: value` or `key:`.
fn is_entry(line: &str) -> bool {
    key(line).and_then(|rest| rest.trim_start().strip_prefix(':')).is_some_and(|r| r.is_empty() || r.starts_with(' '))
}

/// `key = value`.
fn is_assignment(line: &str) -> bool {
    let rest = key(line).and_then(|rest| rest.trim_start().strip_prefix('='));
    rest.is_some_and(|rest| !rest.starts_with('=') && !rest.starts_with('>'))
}

/// `[table]` or `[[list.of.tables]]`; a JSON list holds no bare word.
fn is_header(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim();
    let Some(inner) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return false };
    let inner = inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner).trim();
    let word = inner.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    word && key(inner) == Some("") && !matches!(inner, "true" | "false" | "null")
}
