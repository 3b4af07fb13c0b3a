//! What is said when the program was built without the local model.

use std::path::{Path, PathBuf};

use crate::cli::args::{ModelAction, PlaceArgs};
use crate::cli::failure::{Failure, Outcome};
use crate::config::Config;

/// Refuses.
pub(in crate::cli) fn run(_: &ModelAction, _: &PlaceArgs) -> Outcome {
    Err(not_built().into())
}

/// Refuses.
pub(in crate::cli) fn file(_: &Path, _: &Config) -> Result<PathBuf, Failure> {
    Err(not_built())
}

fn not_built() -> Failure {
    Failure::config("this program was built without the local model")
        .fact("next", "build it with the cargo feature `local`, which is on by default")
}
