//! The default local model for tests that need its weights. `tests/real/weights.sh` puts it in place.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a missing file that is required stops the test; a skip is told; the variables are the tests' own"
)]

use std::path::PathBuf;

/// The model file: `FORMWORK_TEST_MODEL`, else `target/models/…` in the project. `None`, and a line that says so, when
/// it is not there; with `FORMWORK_REQUIRE_MODEL=1` that fails the test.
pub(crate) fn weights() -> Option<PathBuf> {
    let named = std::env::var_os("FORMWORK_TEST_MODEL").filter(|path| !path.is_empty()).map(PathBuf::from);
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/models/smollm2-135m-instruct.gguf");
    let path = named.unwrap_or(usual);
    if path.is_file() {
        return Some(path);
    }
    let missing = format!("{} is not here; tests/real/weights.sh gets it", path.display());
    assert!(std::env::var_os("FORMWORK_REQUIRE_MODEL").is_none_or(|value| value != "1"), "{missing}");
    println!("skipped: {missing}");
    None
}
