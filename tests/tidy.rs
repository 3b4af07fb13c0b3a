//! The house rules of ARCHITECTURE.md, held by reading the sources: layers, who may touch terminal, network, environment
//! and clock, and the size of files. Each rule has a bad example beside it: a test that cannot fail is no test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "tidy/lexer.rs"]
mod lexer;

use std::path::{Path, PathBuf};

use lexer::Source;

/// Module → layer (HOUSE §1). A file imports from its own layer or a lower one.
const LAYERS: [(&str, u8); 27] = [
    ("json", 0),
    ("issue", 0),
    ("schema", 0),
    ("text", 0),
    ("capability", 1),
    ("event", 1),
    ("plan", 1),
    ("report", 1),
    ("machine", 1),
    ("dialect", 1),
    ("command", 1),
    ("config", 2),
    ("catalog", 2),
    ("transport", 2),
    ("sim", 2),
    ("local", 2),
    ("feed", 2),
    ("files", 2),
    ("function", 2),
    ("log", 2),
    ("runtime", 2),
    ("store", 2),
    ("tool", 2),
    ("probe", 2),
    ("cli", 3),
    ("serve", 3),
    ("tui", 3),
];

/// What one surface may take from another: the program's start, nothing else.
const SURFACE_ENTRIES: [(&str, &str); 7] = [
    ("cli.rs", "crate::tui::run"),
    ("cli.rs", "crate::tui::plain::run"),
    ("cli.rs", "crate::tui::Options"),
    ("cli/serve.rs", "crate::serve::open"),
    ("cli/serve.rs", "crate::serve::Options"),
    ("cli/serve.rs", "crate::serve::Limits"),
    ("cli/serve.rs", "crate::serve::ServeError"),
];

/// `(what, where it may stand)`: a path prefix, and the files (or folders, ending in `/`) that own it.
const OWNED: [(&str, &[&str]); 24] = [
    ("ratatui", &["tui.rs", "tui/"]),
    ("crossterm", &["tui.rs", "tui/"]),
    ("ratatui_textarea", &[]),
    ("unicode_segmentation", &["text.rs", "tui/"]),
    ("reqwest", &["transport.rs", "transport/"]),
    ("axum", &["serve.rs", "serve/"]),
    ("rusqlite", &["store.rs", "store/"]),
    ("minijinja", &["function.rs", "function/"]),
    ("tracing", &["log.rs"]),
    ("tracing_subscriber", &["log.rs"]),
    ("tracing_appender", &["log.rs"]),
    ("rustls", &["transport.rs", "transport/"]),
    ("tokio_rustls", &["serve.rs", "serve/tls.rs"]),
    ("std::io::stdout", &["cli.rs", "cli/", "tui/terminal.rs", "tui/terminal/", "tui/plain.rs"]),
    ("std::io::Stdout", &["cli.rs", "cli/", "tui/terminal.rs", "tui/terminal/", "tui/plain.rs"]),
    ("tokio::io::stdout", &["cli.rs", "cli/"]),
    ("std::env", &["config.rs", "config/"]),
    ("clap", &["cli.rs", "cli/"]),
    ("clap_complete", &["cli.rs", "cli/"]),
    ("jsonschema", &["schema.rs", "schema/"]),
    ("notify", &["tui/shell/watch.rs"]),
    ("candle_core", &["local.rs", "local/"]),
    ("llguidance", &["local.rs", "local/"]),
    ("tokenizers", &["local.rs", "local/"]),
];

/// In `std::env`, but no environment: arguments where they are parsed, the folder the user stands in for a surface, what
/// the program was built for.
const NO_ENVIRONMENT: [(&str, &[&str]); 4] = [
    ("std::env::args_os", &["cli.rs"]),
    ("std::env::current_dir", &["cli.rs", "cli/", "tui.rs", "tui/"]),
    ("std::env::consts::OS", &["cli/doctor.rs"]),
    ("std::env::consts::ARCH", &["cli/doctor.rs"]),
];

/// Macros and the files that may hold them; an empty list is nowhere.
const MACROS: [(&str, &[&str]); 7] = [
    ("print", &["cli.rs", "cli/"]),
    ("println", &["cli.rs", "cli/"]),
    ("eprint", &["cli.rs", "cli/"]),
    ("eprintln", &["cli.rs", "cli/"]),
    ("todo", &[]),
    ("unimplemented", &[]),
    ("dbg", &[]),
];

/// What the pure layers (0 and 1) never see.
const IMPURE: [&str; 17] = [
    "std::time::Instant",
    "std::time::SystemTime",
    "std::time::UNIX_EPOCH",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "fs_err",
    "tempfile",
    "tokio",
    "rand",
    "rand_regex",
    "uuid",
    "rustix",
];

/// `(file, path prefix, why)`: pure files that may hold one of them.
const PURE_EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("schema/sample", "rand", "samples are drawn from an explicit seed"),
    ("schema/sample", "rand_regex", "strings for `pattern`, from the same seed"),
];

/// Sources of randomness that no seed governs.
const UNSEEDED: [&str; 5] = ["thread_rng", "from_os_rng", "from_entropy", "OsRng", "SysRng"];

/// `(files, forbidden path prefix)`: parts that stay blind on purpose.
const BLIND: [(&str, &[&str]); 3] = [
    ("tui/view", &["crate::runtime", "crate::feed", "crate::transport", "tokio", "std::fs", "fs_err"]),
    (
        "tui/update",
        &["std::fs", "fs_err", "std::io", "std::net", "std::process", "tokio", "reqwest", "crossterm::execute"],
    ),
    ("machine", &["crate::capability", "crate::schema::profile"]),
];

/// Names of providers, which the machine must not know.
const PROVIDER_WORDS: [&str; 9] =
    ["openai", "anthropic", "claude", "gemini", "bedrock", "ollama", "llama", "mistral", "\"sim\""];

/// Folders whose files must not import one another.
const STRANGERS: [&str; 2] = ["dialect", "schema/profile"];

const MAX_LINES: usize = 500;
const MAX_MAIN: usize = 30;

/// Files that are tables in the main and may be longer.
const TABLES: [&str; 1] = ["command/table.rs"];

/// All violations of one file; `file` is relative to `src`, with forward slashes.
fn violations(file: &str, text: &str) -> Vec<String> {
    let source = Source::new(file, text);
    let rules = [layers, owned, macros, pure, blind, machine_words, strangers, names, length];
    rules.iter().flat_map(|rule| rule(file, &source)).map(|what| format!("src/{file}: {what}")).collect()
}

fn layer_of(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

/// First module of a file: `tui/view/help.rs` → `tui`.
fn top(file: &str) -> &str {
    let end = file.find(['/', '.']).unwrap_or(file.len());
    &file[..end]
}

fn is_root(file: &str) -> bool {
    file == "lib.rs" || file == "main.rs"
}

/// Does a path begin with these segments?
fn under(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn stands_in(file: &str, places: &[&str]) -> bool {
    places.iter().any(|place| if place.ends_with('/') { file.starts_with(place) } else { file == *place })
}

fn layers(file: &str, source: &Source) -> Vec<String> {
    if is_root(file) {
        return Vec::new();
    }
    let own = top(file);
    let Some(layer) = layer_of(own) else { return vec![format!("module {own} stands in no layer")] };
    let mut found = Vec::new();
    for path in source.paths() {
        let Some(other) = path.strip_prefix("crate::").map(|rest| rest.split("::").next().unwrap_or(rest)) else {
            continue;
        };
        let entry = SURFACE_ENTRIES.iter().any(|(place, entry)| *place == file && under(path, entry));
        match layer_of(other) {
            None => found.push(format!("{path} leads to no module of the table")),
            Some(theirs) if theirs > layer => found.push(format!("{path} is in a higher layer")),
            Some(3) if other != own && !entry => found.push(format!("{path} belongs to another surface")),
            Some(_) => {}
        }
    }
    found
}

fn owned(file: &str, source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for path in source.paths() {
        for (what, places) in OWNED {
            let excused = NO_ENVIRONMENT.iter().any(|(what, places)| path == what && stands_in(file, places));
            if under(path, what) && !stands_in(file, places) && !excused {
                found.push(format!("{path} may stand in {places:?} only"));
            }
        }
    }
    found
}

fn macros(file: &str, source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for name in source.macros() {
        for (what, places) in MACROS {
            if name == what && !stands_in(file, places) {
                found.push(format!("{name}! may stand in {places:?} only"));
            }
        }
    }
    found
}

fn pure(file: &str, source: &Source) -> Vec<String> {
    if is_root(file) || layer_of(top(file)).is_none_or(|layer| layer > 1) {
        return Vec::new();
    }
    let excused = |what: &str| PURE_EXCEPTIONS.iter().any(|(place, path, _)| file.starts_with(place) && *path == what);
    let mut found = Vec::new();
    for path in source.paths() {
        if let Some(what) = IMPURE.iter().find(|what| under(path, what) && !excused(what)) {
            found.push(format!("{path}: layers 0 and 1 are pure, {what} has no place there"));
        }
    }
    for word in source.words() {
        if UNSEEDED.contains(&word.as_str()) {
            found.push(format!("{word}: randomness enters as a seed"));
        }
    }
    found
}

fn blind(file: &str, source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (part, forbidden) in BLIND {
        let inside = file == format!("{part}.rs") || file.starts_with(&format!("{part}/"));
        for path in source.paths().iter().filter(|_| inside) {
            if forbidden.iter().any(|what| under(path, what)) {
                found.push(format!("{path}: {part} must not see it"));
            }
        }
    }
    found
}

fn machine_words(file: &str, source: &Source) -> Vec<String> {
    if top(file) != "machine" {
        return Vec::new();
    }
    let text = source.with_strings().to_lowercase();
    let known = PROVIDER_WORDS.iter().filter(|word| text.contains(**word));
    known.map(|word| format!("{word}: the machine knows no provider")).collect()
}

fn strangers(file: &str, source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for folder in STRANGERS {
        let Some(own) = file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else { continue };
        let own = top(own);
        let parent = format!("crate::{}::", folder.replace('/', "::"));
        for path in source.paths() {
            let Some(first) = path.strip_prefix(&parent).and_then(|rest| rest.split("::").next()) else { continue };
            let is_module = first.starts_with(|c: char| c.is_ascii_lowercase()) && first != own;
            if is_module && siblings(folder).iter().any(|sibling| sibling == first) {
                found.push(format!("{path}: the files of {folder} do not know one another"));
            }
        }
    }
    found
}

/// Modules that stand in a folder; the example's names are there in any case, so that the self-test can fail.
fn siblings(folder: &str) -> Vec<String> {
    let mut names = vec!["example_sibling".to_owned()];
    if let Ok(entries) = std::fs::read_dir(src().join(folder)) {
        let stems = entries.flatten().filter_map(|e| e.path().file_stem().map(|s| s.to_string_lossy().into_owned()));
        names.extend(stems.filter(|name| !SHARED_FILES.contains(&name.as_str())));
    }
    names
}

/// Files in such folders that hold what the others share.
const SHARED_FILES: [&str; 7] = ["rules", "walk", "attach", "fault", "held", "loose", "responses"];

fn names(file: &str, _source: &Source) -> Vec<String> {
    let is_mod = file == "mod.rs" || file.ends_with("/mod.rs");
    if is_mod { vec!["write foo.rs beside foo/, no mod.rs".to_owned()] } else { Vec::new() }
}

fn length(file: &str, source: &Source) -> Vec<String> {
    let lines = source.code_lines();
    let limit = if file == "main.rs" { MAX_MAIN } else { MAX_LINES };
    if lines <= limit || TABLES.contains(&file) {
        return Vec::new();
    }
    vec![format!("{lines} lines of code, at most {limit}: split it")]
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn the_house_is_tidy() {
    let mut files = Vec::new();
    sources(&src(), &mut files);
    files.sort();
    assert!(files.len() > 20, "the sources were not found");
    let mut found = Vec::new();
    for path in files {
        let file = path.strip_prefix(src()).unwrap().to_string_lossy().replace('\\', "/");
        found.extend(violations(&file, &fs_err::read_to_string(&path).unwrap()));
    }
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}

#[test]
fn exceptions_are_still_needed() {
    let mut files = Vec::new();
    sources(&src(), &mut files);
    for (place, path, why) in PURE_EXCEPTIONS {
        let used = files.iter().any(|file| {
            let name = file.strip_prefix(src()).unwrap().to_string_lossy().replace('\\', "/");
            let text = fs_err::read_to_string(file).unwrap();
            name.starts_with(place) && Source::new(&name, &text).paths().iter().any(|p| under(p, path))
        });
        assert!(used, "the exception {path} in {place} ({why}) is not used any more");
    }
}

/// `(file, source, a word of the violation)`: every rule, seen failing.
const BAD: [(&str, &str, &str); 28] = [
    ("json/parse.rs", "use crate::event::RunEvent;", "higher layer"),
    ("machine.rs", "fn f() { crate::runtime::start(x) }", "higher layer"),
    ("plan.rs", "use super::{json::Value, runtime::{self, RunSpec}};", "higher layer"),
    ("cli/print.rs", "use crate::tui::run;", "another surface"),
    ("tui/app.rs", "use crate::cli::args::Args;", "another surface"),
    ("cli.rs", "use crate::tui::theme::Theme;", "another surface"),
    ("nowhere.rs", "fn f() {}", "no layer"),
    ("cli.rs", "use ratatui::Frame;", "ratatui"),
    ("feed.rs", "fn f(k: ::crossterm::event::KeyEvent) {}", "crossterm"),
    ("sim.rs", "use ratatui_textarea as t;", "ratatui_textarea"),
    ("runtime.rs", "use reqwest::{Client, self};", "reqwest"),
    ("runtime/keep.rs", "use rusqlite::Connection;", "rusqlite"),
    ("tui/update.rs", "use std::io; fn f() { let _ = io::stdout(); }", "std::io::stdout"),
    ("runtime.rs", "fn f() { println!(\"x\"); }", "println!"),
    ("catalog.rs", "use std::{env, fs}; fn f() { env::var(\"X\"); }", "std::env"),
    ("schema/cost.rs", "use std::time::{Duration, Instant};", "are pure"),
    ("schema/sample.rs", "fn f() { let r = rand::thread_rng(); }", "as a seed"),
    ("command.rs", "fn f() { rand::rng(); }", "are pure"),
    ("dialect/openai_chat.rs", "use super::example_sibling::Thing;", "do not know one another"),
    ("schema/profile/openai.rs", "use crate::schema::profile::example_sibling;", "do not know one another"),
    ("machine/repair.rs", "const P: &str = \"OpenAI\";", "knows no provider"),
    ("machine.rs", "use crate::capability::Dialect;", "must not see"),
    ("tui/view/help.rs", "use crate::feed::Feed;", "must not see"),
    ("tui/update/run.rs", "fn f() { std::fs::read(\"x\"); }", "must not see"),
    ("tui/mod.rs", "", "no mod.rs"),
    ("text.rs", "fn f() { todo!() }", "todo!"),
    ("text.rs", "/* a */ fn f() { r#\"x\"#; dbg!(1) }", "dbg!"),
    ("sim.rs", "fn f() { unimplemented!() }", "unimplemented!"),
];

#[test]
fn every_rule_can_fail() {
    for (file, text, word) in BAD {
        let found = violations(file, text);
        assert!(found.iter().any(|what| what.contains(word)), "{file}: {text}\nfound {found:?}, wanted {word:?}");
    }
    let long = "fn f() {}\n".repeat(MAX_LINES + 1);
    assert!(violations("text.rs", &long).iter().any(|what| what.contains("split it")));
    let main = "fn f() {}\n".repeat(MAX_MAIN + 1);
    assert!(violations("main.rs", &main).iter().any(|what| what.contains("split it")));
}

/// What looks like a violation and is none.
const GOOD: [(&str, &str); 10] = [
    ("json.rs", "// use crate::tui::run;\n/* nested /* println!() */ todo!() */ fn f() {}"),
    ("json.rs", "const A: &str = \"use crate::tui;\"; const B: &str = r#\"\" dbg!() \"#; const C: char = '\"';"),
    ("json.rs", "fn f<'a>(x: &'a str) -> &'a str { x } // 'use crate::cli::x;"),
    ("cli.rs", "use crate::tui::Options; fn f() { crate::tui::run(Options {}) }"),
    ("cli.rs", "fn f() { std::env::args_os(); env!(\"CARGO_PKG_VERSION\"); }"),
    ("tui/terminal.rs", "fn f() { std::io::stdout(); }"),
    ("schema/sample.rs", "use rand::{SeedableRng, rngs::StdRng};"),
    (
        "json.rs",
        "fn f() {}\n#[cfg(test)]\nmod tests { use crate::tui::run; fn f() { println!(\"{}\", '}'); std::fs::read(1); } }",
    ),
    ("dialect/openai_chat.rs", "use super::{Call, Decoder}; use crate::dialect::Frame;"),
    ("config.rs", "use std::env; fn f() { env::vars_os(); }"),
];

#[test]
fn no_rule_cries_wolf() {
    for (file, text) in GOOD {
        assert_eq!(violations(file, text), Vec::<String>::new(), "{file}: {text}");
    }
}
