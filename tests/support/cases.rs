//! Conformance data beside the project; every test that needs it says so and passes when it is absent.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a broken data file stops the test; a skip is told")]

use std::path::PathBuf;

use formwork::json::{ParseLimits, Value, parse};

/// The folder of the handed data, if it is there.
pub(crate) fn shared() -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().skip(1).take(3).map(|a| a.join("shared")).find(|p| p.join("cases").is_dir());
    if found.is_none() {
        println!("skipped: the folder ../shared is not here");
    }
    found
}

/// All rows of a JSON Lines file below the data folder.
#[allow(dead_code, reason = "not every test binary reads rows")]
pub(crate) fn rows(file: &str) -> Vec<Value> {
    let Some(root) = shared() else { return Vec::new() };
    let text = fs_err::read_to_string(root.join(file)).unwrap();
    let limits = ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 };
    text.lines().filter(|l| !l.is_empty()).map(|l| parse(l, limits).unwrap()).collect()
}
