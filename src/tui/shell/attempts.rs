//! What two attempts have differently, as a page: by path where both are JSON, then in text. Bounded work.

use std::fmt::Write;

use super::super::effect::AttemptsJob;
use super::super::words;
use crate::json::diff::{Change, DiffLimits, Edit, diff};
use crate::json::{ParseLimits, Value, discard, parse, pretty};
use crate::text::diff::unified;

/// Changes that are listed by path.
const LISTED: usize = 200;
const LIMITS: DiffLimits = DiffLimits { max_changes: LISTED, max_nodes: 500_000, max_pointer_bytes: 1 << 20 };

/// The page.
pub(super) fn page(job: &AttemptsJob) -> String {
    let (old, new) = (&job.old, &job.new);
    let read = |text: &str| parse(text, ParseLimits::default());
    let (mine, theirs) = (read(&old.1), read(&new.1));
    let mut page = match (&mine, &theirs) {
        (Ok(mine), Ok(theirs)) => by_path(mine, theirs),
        (Err(_), Err(_)) => "Neither is JSON: compared as texts only.\n".to_owned(),
        (Err(_), Ok(_)) => format!("{} is no JSON: compared as texts only.\n", old.0),
        (Ok(_), Err(_)) => format!("{} is no JSON: compared as texts only.\n", new.0),
    };
    // Laid out alike, so that only what they say differs; what is no JSON is shown as it came.
    let laid = |text: &str, value: Option<&Value>| value.map_or_else(|| text.to_owned(), pretty) + "\n";
    let both = mine.as_ref().ok().zip(theirs.as_ref().ok());
    let (a, b) = (laid(&old.1, both.map(|b| b.0)), laid(&new.1, both.map(|b| b.1)));
    let told = unified(&a, &b, (&old.0, &new.0));
    page.push('\n');
    page.push_str(if told.is_empty() { "Their texts are the same." } else { &told });
    [mine, theirs].into_iter().flatten().for_each(discard);
    page
}

fn by_path(old: &Value, new: &Value) -> String {
    let found = diff(old, new, LIMITS);
    if found.is_empty() {
        return "The values are the same.\n".to_owned();
    }
    let counts = found.counts();
    let mut page = format!("{} changed, {} added, {} removed\n", counts.changed, counts.added, counts.removed);
    for change in &found.changes {
        let _ = writeln!(page, "{}", line(change));
    }
    if found.cut {
        page.push_str("  and more: only the first are listed\n");
    }
    if found.rough {
        page.push_str("  (too large to look into)\n");
    }
    page
}

fn line(change: &Change<'_>) -> String {
    let place = if change.pointer().is_empty() { "(root)" } else { change.pointer() };
    match change.edit {
        Edit::Added(value) => format!("+ {place}  {}", said(value)),
        Edit::Removed(value) => format!("- {place}  {}", said(value)),
        Edit::Changed { old, new } => format!("  {place}  {} → {}", said(old), said(new)),
    }
}

/// A value in a line: itself when it is short, its size when it is not.
fn said(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", words::count(items.len(), "item")),
        Value::Object(members) => format!("{{{}}}", words::count(members.len(), "member")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => words::short(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(old: &str, new: &str) -> String {
        page(&AttemptsJob {
            old: ("attempt 1".to_owned(), old.to_owned()),
            new: ("attempt 2".to_owned(), new.to_owned()),
        })
    }

    #[test]
    fn attempts_are_compared_by_path_and_in_text() {
        let page = told(r#"{"a": 1, "b": [1, 2]}"#, r#"{"a":"x","c":null,"b":[1,2]}"#);
        assert!(page.starts_with("1 changed, 1 added, 0 removed\n  /a  1 → \"x\"\n+ /c  null\n"), "{page}");
        assert!(page.contains("--- attempt 1\n+++ attempt 2"), "{page}");
        assert!(page.contains("-  \"a\": 1,\n+  \"a\": \"x\""), "{page}");
        assert!(told("{}", "{ }").contains("The values are the same."));
        assert!(told("{}", "{ }").contains("Their texts are the same."));
        let broken = told("{\"a\": ", "{}");
        assert!(broken.starts_with("attempt 1 is no JSON"), "{broken}");
        assert!(broken.contains("-{\"a\": "), "{broken}");
    }
}
