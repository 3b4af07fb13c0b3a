//! Schemas that people wrote, for benches: `../shared/corpora/pydantic-models`, or the same below `FORMWORK_CORPORA`.

use std::path::PathBuf;

use formwork::json::{ParseLimits, Value, parse};

const FILES: [&str; 4] = ["baml", "instructor", "openai-python", "outlines"];

/// Their texts; none where the folder is not there.
pub(crate) fn schemas() -> Vec<String> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let beside =
        here.ancestors().skip(1).take(3).map(|folder| folder.join("shared/corpora")).find(|path| path.is_dir());
    let Some(folder) = std::env::var_os("FORMWORK_CORPORA").map(PathBuf::from).or(beside) else { return Vec::new() };
    let limits = ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 };
    let schema = |line: &str| -> Value { parse(line, limits).unwrap()["schema"].clone() };
    FILES
        .iter()
        .filter_map(|file| std::fs::read_to_string(folder.join(format!("pydantic-models/{file}.jsonl"))).ok())
        .flat_map(|text| text.lines().map(|line| schema(line).to_string()).collect::<Vec<_>>())
        .collect()
}
