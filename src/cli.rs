//! The command line.

/// Runs the program: parses arguments, picks the surface, returns the exit code.
#[must_use]
pub fn main() -> std::process::ExitCode {
    todo!()
}
