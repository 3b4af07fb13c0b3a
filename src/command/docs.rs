//! The README's tables, written from the command table.

use std::fmt::Write;

use super::{Chord, Command, Context, table};

/// Keys by context, as Markdown tables.
#[must_use]
pub fn keys_markdown() -> String {
    let mut out = String::new();
    for context in Context::ALL {
        let rows: Vec<&Command> =
            table().iter().filter(|c| c.contexts.contains(&context) && !c.keys.is_empty()).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(out, "\n**{}**\n\n| keys | does | name |\n| --- | --- | --- |\n", context.title());
        for row in rows {
            let _ = writeln!(out, "| {} | {} | `{}` |", keys(row), row.doc, row.name);
        }
    }
    out.trim_start().to_owned()
}

fn keys(row: &Command) -> String {
    let shown: Vec<String> =
        row.keys.iter().filter_map(|k| k.parse::<Chord>().ok()).map(|c| code(&c.to_string())).collect();
    shown.join(" ")
}

/// A code span in a Markdown table cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Slash commands as a Markdown table.
#[must_use]
pub fn slash_markdown() -> String {
    let mut out = "| command | does |\n| --- | --- |\n".to_owned();
    for row in table().iter().filter(|c| !c.slash.is_empty()) {
        let usage = row.args.usage();
        let form = if usage.is_empty() { row.slash.to_owned() } else { format!("{} [{usage}]", row.slash) };
        let _ = writeln!(out, "| {} | {} |", code(&form), row.doc);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_every_row() {
        let keys = keys_markdown();
        let slash = slash_markdown();
        for row in table() {
            assert_eq!(keys.contains(&format!("`{}`", row.name)), !row.keys.is_empty(), "{}", row.name);
            assert!(slash.contains(&format!("`{}", row.slash)), "{}", row.name);
        }
    }

    #[test]
    fn a_bar_does_not_break_the_table() {
        assert!(slash_markdown().contains("`/fallback [auto\\|none\\|prompt]`"));
    }
}
