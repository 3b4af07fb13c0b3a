//! The program's standard output and standard error. Nothing else in the program writes to them.
//!
//! Standard output carries results, byte for byte when it is no terminal. Standard error carries everything said to a
//! person; text from outside is made display-safe on the way.

use std::io::{self, IsTerminal, Write};

use crate::text;

/// Writes a result and flushes it.
pub(super) fn result(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a result as one line.
pub(super) fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Says something on standard error; a closed one is no reason to stop. Line feeds are kept, all else is made safe.
pub(super) fn say(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text::safe_keep_lines(text).as_bytes());
    let _ = err.flush();
}

/// Writes control sequences of our own to standard error. Only for a terminal.
pub(super) fn draw(sequence: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(sequence.as_bytes());
    let _ = err.flush();
}

/// Is a person looking at standard output?
pub(super) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Is a person looking at standard error?
pub(super) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Is a person typing into standard input?
pub(super) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}
