//! The README's generated parts are what the program says. `FORMWORK_BLESS=1 cargo test --test docs` rewrites them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgAction, CommandFactory};
use formwork::cli::args::Args;
use formwork::command::{keys_markdown, slash_markdown};

/// Name of a generated part, and what belongs there.
type Part = (&'static str, fn() -> String);

const PARTS: [Part; 4] = [("flags", flags), ("commands", commands), ("keys", keys_markdown), ("slash", slash_markdown)];

/// Width of the help text in the README.
const WIDTH: usize = 100;

/// The program's own help, as text.
fn flags() -> String {
    let help = Args::command().term_width(WIDTH).render_help().to_string();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n").trim_end())
}

/// One line a command: usage and purpose.
fn commands() -> String {
    let mut root = Args::command().term_width(WIDTH);
    root.build();
    let mut table = "| command | does |\n| --- | --- |\n".to_owned();
    for command in root.get_subcommands_mut() {
        rows(command, "formwork", &mut table);
    }
    table
}

fn rows(command: &mut clap::Command, parent: &str, table: &mut String) {
    let name = format!("{parent} {}", command.get_name());
    if command.has_subcommands() {
        for inner in command.get_subcommands_mut() {
            rows(inner, &name, table);
        }
        return;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let options: Vec<String> = command.get_arguments().filter(|arg| shown(arg)).map(usage).collect();
    let usage = [vec![name], options].concat().join(" ").replace('|', "\\|");
    let _ = writeln!(table, "| `{usage}` | {about} |");
}

/// Options every command takes are told once, with the flags.
fn shown(arg: &clap::Arg) -> bool {
    let told =
        matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version);
    !arg.is_global_set() && !told
}

fn usage(arg: &clap::Arg) -> String {
    let value = match arg.get_possible_values().as_slice() {
        [] => arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string).unwrap_or_default(),
        values => values.iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join("|"),
    };
    match arg.get_long() {
        None => value,
        Some(long) if arg.get_action().takes_values() => format!("[--{long} {value}]"),
        Some(long) => format!("[--{long}]"),
    }
}

/// The text with every generated part made anew.
fn regenerated(text: &str, parts: &[Part]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (name, make) in parts {
        let (open, close) = (format!("<!-- generated:{name} -->\n"), format!("<!-- /generated:{name} -->"));
        let start = text.find(&open).ok_or(format!("the mark {open:?} is missing"))? + open.len();
        let length = text[start..].find(&close).ok_or(format!("the mark {close:?} is missing"))?;
        text.replace_range(start..start + length, &format!("\n{}\n", make()));
    }
    Ok(text)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

#[test]
fn the_readme_says_what_the_program_says() {
    let path = root().join("README.md");
    let written = fs_err::read_to_string(&path).unwrap();
    let wanted = regenerated(&written, &PARTS).unwrap();
    if std::env::vars_os().any(|(name, value)| name == "FORMWORK_BLESS" && value == "1") {
        fs_err::write(&path, &wanted).unwrap();
        return;
    }
    for (number, (written, wanted)) in written.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(written, wanted, "README.md line {}: run FORMWORK_BLESS=1 cargo test --test docs", number + 1);
    }
    assert_eq!(written, wanted, "run FORMWORK_BLESS=1 cargo test --test docs");
}

#[test]
fn a_stale_part_is_seen() {
    let parts: [Part; 1] = [("x", || "new".to_owned())];
    let stale = "a\n<!-- generated:x -->\nold\n<!-- /generated:x -->\nb";
    assert_eq!(regenerated(stale, &parts).unwrap(), "a\n<!-- generated:x -->\n\nnew\n<!-- /generated:x -->\nb");
    assert!(regenerated("nothing", &parts).is_err());
}

#[test]
fn files_the_documents_name_are_there() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs_err::read_to_string(root().join(document)).unwrap();
        for word in text.split(|c: char| c.is_whitespace() || "()`'\",;".contains(c)) {
            let inside =
                ["examples/", "tests/", "src/", "themes/", ".ci/"].iter().any(|folder| word.starts_with(folder));
            let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if inside && plain {
                let path = word.trim_end_matches(['.', '/']);
                assert!(root().join(path).exists(), "{document} names {path}, which is not there");
            }
        }
    }
}

#[test]
fn the_crate_map_names_every_module() {
    let map = fs_err::read_to_string(root().join("src/lib.rs")).unwrap();
    let (head, _) = map.split_once("\n\n// --").unwrap_or((&map, ""));
    for line in map.lines().filter_map(|line| line.strip_prefix("pub mod ")) {
        let module = line.trim_end_matches(';');
        assert!(head.contains(&format!("[`{module}`]")), "the crate doc does not name {module}");
    }
}
