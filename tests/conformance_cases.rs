//! No case of the handed data is passed over in silence: each belongs to a group that a test runs whole, is named by its
//! id in a test, or is listed here with the reason. A case that is none of these stops this test.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use formwork::json::Value;

/// Areas of the reference about providers: how many cases, and the test that runs each or lists it with its reason.
const AREAS: &[(&str, usize, &str)] = &[
    ("capability", 6, "tests/conformance_plan.rs"),
    ("negotiate", 189, "tests/conformance_plan.rs"),
    ("payload", 8, "tests/conformance_wire.rs"),
    ("profile", 54, "tests/conformance_profiles.rs"),
    ("terminal", 29, "tests/conformance_wire.rs"),
];

/// Kinds of reported faults that tests run whole: how many, and where.
const KINDS: &[(&str, usize, &[&str])] = &[
    ("candidate", 20, &["tests/conformance_schema.rs"]),
    ("events", 1, &["tests/conformance_http.rs"]),
    ("history", 1, &["tests/conformance_wire.rs"]),
    ("http_error", 4, &["tests/conformance_wire.rs", "tests/conformance_http.rs"]),
    ("load", 2, &["tests/conformance_schema.rs"]),
    ("parity", 1, &["tests/conformance_wire.rs"]),
    ("payload", 3, &["tests/conformance_wire.rs", "tests/conformance_http.rs"]),
    ("prefix_scan", 2, &["tests/tui_faults.rs"]),
    ("probe", 0, &[]),
    ("projection", 0, &[]),
    ("pty", 2, &["tests/tui_faults.rs"]),
    ("response", 1, &["tests/conformance_wire.rs"]),
    ("schema", 2, &["tests/conformance_schema.rs"]),
    ("schema_provider", 29, &["tests/conformance_profiles.rs"]),
    ("session", 8, &["tests/conformance_run.rs"]),
    ("tui", 10, &["tests/tui_faults.rs"]),
    ("wire", 17, &["tests/conformance_wire.rs", "tests/conformance_http.rs"]),
];

/// Cases of the other kinds that no test names, and why.
const LISTED: &[(&str, &str)] = &[
    ("cl-002", COMMAND_LINE),
    ("cl-003", COMMAND_LINE),
    ("cl-004", COMMAND_LINE),
    ("mc-002", "ENGINE §10: the MCP server is not there yet"),
    ("mc-003", "ENGINE §10: the MCP server is not there yet"),
    ("ta-010", "no run starts another here; each request is built from one call, which holds at most one schema"),
];

const COMMAND_LINE: &str = "tests/cli/cases.rs runs every cl- case, or lists it there";

/// All test sources, path from the root and text. This file names groups, not cases: it proves nothing.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut todo, mut found) = (vec![root.join("tests"), root.join("src")], BTreeMap::new());
    while let Some(folder) = todo.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("conformance_cases.rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(name, fs_err::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn word<'a>(row: &'a Value, pointer: &str) -> &'a str {
    row.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn every_case_about_providers_is_run_or_listed() {
    let rows = cases::rows("cases/reference.jsonl");
    if rows.is_empty() {
        return;
    }
    let sources = sources();
    for (area, count, holder) in AREAS {
        let names: Vec<&str> =
            rows.iter().filter(|row| word(row, "/area") == *area).map(|row| word(row, "/name")).collect();
        let unique: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!((names.len(), unique.len()), (*count, *count), "{area}: a new case wants a verdict");
        assert!(sources[*holder].contains(&format!("\"{area}\"")), "{holder} runs {area}");
    }
    // Every other area is named by the test that runs it.
    let others: BTreeSet<&str> = rows.iter().skip(1).map(|row| word(row, "/area")).collect();
    let lost: Vec<&&str> = others
        .iter()
        .filter(|area| !OPEN_AREAS.iter().any(|(listed, _)| listed == *area))
        .filter(|area| !sources.values().any(|source| source.contains(&format!("\"{area}\""))))
        .collect();
    assert!(lost.is_empty(), "areas that no test names: {lost:?}");
}

/// Areas of parts that are not there yet.
const OPEN_AREAS: &[(&str, &str)] = &[
    ("failover", "no provider stands in for another in this version"),
    ("pi_daily", MCP),
    ("pi_gate", MCP),
    ("pi_hook", MCP),
    ("pi_text", MCP),
    ("pi_variant", MCP),
    ("pi_workflow", MCP),
    ("recorder", RECORDINGS),
    ("recording_cli", RECORDINGS),
    ("recording_file", RECORDINGS),
    ("recording_id", RECORDINGS),
    ("recording_permissions", RECORDINGS),
    ("redaction", RECORDINGS),
    ("ws", "the server is not there yet"),
];

const MCP: &str = "ENGINE §10: the MCP server is not there yet";
const RECORDINGS: &str = "ENGINE §8: recordings are not there yet";

#[test]
fn every_reported_fault_is_run_or_listed() {
    let rows = cases::rows("cases/faults.jsonl");
    if rows.is_empty() {
        return;
    }
    let sources = sources();
    let of = |kind: &str| rows.iter().filter(|row| word(row, "/input/kind") == kind).count();
    for (kind, count, holders) in KINDS {
        assert_eq!(of(kind), *count, "{kind}: a new case wants a verdict");
        for holder in *holders {
            assert!(sources[*holder].contains(&format!("\"{kind}\"")), "{holder} runs {kind}");
        }
    }
    let mut ids = BTreeSet::new();
    let mut lost = Vec::new();
    for row in &rows {
        let (id, kind) = (word(row, "/id"), word(row, "/input/kind"));
        assert!(ids.insert(id), "{id} twice");
        let whole = KINDS.iter().any(|(held, ..)| *held == kind);
        let named = sources.values().any(|source| names(source, id));
        let listed = LISTED.iter().any(|(listed, _)| *listed == id);
        assert!(!listed || !(whole || named), "{id} is listed and run");
        if !whole && !named && !listed {
            lost.push(format!("{id} ({kind})"));
        }
    }
    println!("{} faults, {} listed", rows.len(), LISTED.len());
    assert!(lost.is_empty(), "neither run nor listed:\n{}", lost.join("\n"));
    assert!(LISTED.iter().all(|(id, _)| ids.contains(id)), "a listed case is not there");
}

/// Is the case named, in a literal or in a comment that tells what a test is for?
fn names(source: &str, id: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '-');
    source.match_indices(id).any(|(at, _)| {
        let (before, after) = (source.get(..at).unwrap_or_default(), source.get(at + id.len()..).unwrap_or_default());
        edge(before.chars().next_back()) && edge(after.chars().next())
    })
}
