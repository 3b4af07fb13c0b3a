//! The command line.
// Placeholder of branch `tui` until branch `cli` is merged: starts the terminal program only.

/// Runs the program.
#[must_use]
pub fn main() -> std::process::ExitCode {
    if !crate::tui::terminal::is_terminal() {
        return std::process::ExitCode::from(2);
    }
    match crate::config::load(&crate::config::Overrides::default()) {
        Ok(config) => crate::tui::run(crate::tui::Options::default(), &config),
        Err(_) => std::process::ExitCode::from(2),
    }
}
