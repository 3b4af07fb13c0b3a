//! The help page: keys and commands from the table, the focused part first, laid out for the width of the screen.

use std::fmt::Write;

use super::super::state::{State, Tone};
use super::inspect::page;
use crate::command::{Command, Context, nearest, table};
use crate::config::keys::KEYS as KEYS_OF_CONFIG;
use crate::schema::meanings::{self, meaning};
use crate::schema::position::dialect_of;
use crate::text;
use crate::tui::rows::Syntax;
use crate::tui::words;

/// Cells of the key column; a doc with less room beside it goes below.
const KEYS: usize = 24;
const SLASHES: usize = 34;
/// A narrower doc column reads badly.
const DOC: usize = 36;
/// What a run is, for who expects a conversation.
const RUNS: &str = "Every run is a fresh turn: the system text, the schema and this one prompt. Earlier prompts and answers \
                    are not sent along, so that a schema is judged by what it does alone.";

/// Opens the help.
pub(super) fn open(state: &mut State) {
    let mine = state.focus.context();
    let width = usize::from(state.sizes.page_width);
    let order = std::iter::once(mine).chain(Context::ALL.into_iter().filter(|c| *c != mine));
    let mut text = String::new();
    for context in order {
        section(state, context, width, &mut text);
    }
    text.push_str("SLASH COMMANDS (in the prompt)\n");
    for row in table().iter().filter(|c| !c.slash.is_empty()) {
        let form = format!("{} {}", row.slash, row.args.usage());
        entry(&mut text, form.trim_end(), row.doc, SLASHES, width);
    }
    text.push_str("\nRUNS\n");
    entry(&mut text, "", RUNS, 0, width);
    page(state, &format!("Help: {}", mine.title()), text.trim_end(), Syntax::Plain, "Esc closes");
}

/// Says what is known of a word: keywords of JSON Schema, commands, settings.
pub(super) fn topic(state: &mut State, word: &str) {
    let width = usize::from(state.sizes.page_width);
    let mut text = String::new();
    let draft = dialect_of(&state.schema.editor.text());
    let bare = word.trim_matches(['"', '\'', '`']);
    if let Some(meaning) = meaning(bare, draft) {
        let _ = writeln!(text, "KEYWORD OF JSON SCHEMA");
        entry(&mut text, bare, &format!("{meaning}."), KEYS, width);
        text.push('\n');
    }
    commands_about(state, bare, width, &mut text);
    settings_about(bare, width, &mut text);
    if text.is_empty() {
        let known = table().iter().map(|c| c.name).chain(meanings::names());
        let meant = nearest(bare, known).map_or(String::new(), |near| format!("; did you mean {near}?"));
        state.say(Tone::Warn, format!("nothing is known of {}{meant}", words::on_screen(bare)));
        return;
    }
    page(state, &format!("Help: {}", words::on_screen(bare)), text.trim_end(), Syntax::Plain, "Esc closes");
}

fn commands_about(state: &State, word: &str, width: usize, text: &mut String) {
    let wanted = word.to_lowercase();
    let about = |row: &&Command| {
        let keys = state.keymap.keys(row.id).iter().map(ToString::to_string);
        [row.name, row.title, row.doc, row.slash].iter().any(|part| part.to_lowercase().contains(&wanted))
            || keys.into_iter().any(|key| key.to_lowercase() == wanted)
    };
    let mut lines = String::new();
    for row in table().iter().filter(about) {
        let mut ways: Vec<String> = state.keymap.keys(row.id).iter().map(ToString::to_string).collect();
        if !row.slash.is_empty() {
            ways.push(format!("{} {}", row.slash, row.args.usage()).trim_end().to_owned());
        }
        let places: Vec<&str> = row.contexts.iter().map(|c| c.title()).collect();
        let doc = format!("{} ({}; {})", row.doc, places.join(", "), row.name);
        entry(&mut lines, &ways.join("  "), &doc, SLASHES, width);
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "COMMANDS\n{lines}");
    }
}

fn settings_about(word: &str, width: usize, text: &mut String) {
    let wanted = word.to_lowercase();
    let mut lines = String::new();
    for key in KEYS_OF_CONFIG.iter().filter(|k| k.path.contains(&wanted) || k.about.to_lowercase().contains(&wanted)) {
        entry(&mut lines, key.path, &format!("{}.", key.about), SLASHES, width);
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "SETTINGS (config.toml)\n{lines}");
    }
}

fn section(state: &State, context: Context, width: usize, text: &mut String) {
    let mut lines = String::new();
    for row in table().iter().filter(|c| c.contexts.contains(&context)) {
        let keys: Vec<String> = state.keymap.keys(row.id).iter().map(ToString::to_string).collect();
        if !keys.is_empty() {
            entry(&mut lines, &keys.join("  "), row.doc, KEYS, width);
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "{}\n{lines}", context.title().to_uppercase());
    }
}

/// `  Ctrl-R  what it does`, the doc wrapped in its own column, or below its key where there is no room beside it.
fn entry(out: &mut String, head: &str, doc: &str, column: usize, width: usize) {
    let beside = text::width(head) + 2 <= column && width >= 2 + column + DOC;
    let indent = if beside { 2 + column } else { 4 };
    let mut lines = words::wrap(doc, width.saturating_sub(indent).max(1)).into_iter();
    if beside {
        let pad = column - text::width(head);
        let _ = writeln!(out, "  {head}{:pad$}{}", "", lines.next().unwrap_or_default());
    } else if !head.is_empty() {
        let _ = writeln!(out, "  {head}");
    }
    for line in lines {
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(head: &str, width: usize) -> Vec<String> {
        let mut out = String::new();
        entry(&mut out, head, "Sends the prompt with the schema and shows every attempt.", KEYS, width);
        out.lines().map(str::to_owned).collect()
    }

    #[test]
    fn docs_wrap_in_their_column_or_below_their_key() {
        let wide = laid("Ctrl-R", 66);
        assert!(wide.len() == 2 && wide[0].starts_with("  Ctrl-R") && wide[1].starts_with(&" ".repeat(26)), "{wide:?}");
        let narrow = laid("Ctrl-R", 40);
        assert!(narrow[0] == "  Ctrl-R" && narrow[1].starts_with("    Sends"), "{narrow:?}");
        assert!(laid(&"x".repeat(30), 66)[0].ends_with('x'));
        for width in 6..90 {
            assert!(laid("Ctrl-R", width).iter().all(|l| text::width(l) <= width.max(8)), "{width}");
        }
    }
}
