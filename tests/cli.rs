//! The real binary, run as people and scripts run it: standard output, standard error and exit status (SURFACES §1).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "cli/cases.rs"]
mod cases;
#[path = "cli/commands.rs"]
mod commands;
#[path = "cli/fix.rs"]
mod fix;
#[path = "cli/forms.rs"]
mod forms;
#[path = "cli/functions.rs"]
mod functions;
#[path = "cli/log.rs"]
mod log;
#[path = "cli/loose.rs"]
mod loose;
#[cfg(feature = "local")]
#[path = "cli/model.rs"]
mod model;
#[path = "cli/place.rs"]
mod place;
#[path = "cli/print.rs"]
mod print;
#[cfg(unix)]
#[path = "cli/probe_terminal.rs"]
mod probe_terminal;
#[cfg(all(unix, feature = "local"))]
#[path = "cli/pull_terminal.rs"]
mod pull_terminal;
#[path = "cli/report.rs"]
mod report;
#[path = "cli/schemas.rs"]
mod schemas;
#[path = "cli/server.rs"]
mod server;
#[cfg(unix)]
#[path = "cli/signals.rs"]
mod signals;
#[path = "support/cases.rs"]
mod support;
#[cfg(unix)]
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/tools.rs"]
mod tools;
#[cfg(unix)]
#[path = "cli/typed.rs"]
mod typed;

/// Two numbers, in an order that canonical form turns around.
const PAIR: &str = r#"{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"number"}},"required":["b","a"],"additionalProperties":false}"#;
