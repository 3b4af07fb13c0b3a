//! The terminal's modes: entered once, restored in every ending.
//!
//! Owns raw mode, alternate screen, paste, mouse, key and cursor modes, the panic hook, suspend and resume, the child
//! that gets the terminal alone, and the signals that end the program. Knows no state of the application.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use ratatui::Frame;

/// Whether the program takes the mouse (off leaves the terminal's own selection working).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    Off,
    On,
}

/// Holds the modes; dropping it restores the terminal.
#[derive(Debug)]
pub struct Guard {
    _todo: (),
}

/// The screen: diffed frames through one buffered writer.
pub struct Screen {
    _todo: (),
}

/// What came from outside. Resizes come as terminal events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: end now, exit 143.
    Terminate,
    /// SIGINT from outside (the key Ctrl-C is an event): exit 130.
    Interrupt,
    /// SIGHUP, or the terminal is gone: end now, writing nothing to it.
    Hangup,
    /// SIGCONT: enter again and repaint.
    Continue,
}

/// The signals as a stream that never ends.
pub struct Signals {
    _todo: (),
}

impl Guard {
    /// Takes the terminal; installs the panic hook.
    ///
    /// # Errors
    /// The terminal refuses; everything is restored then.
    pub fn enter(mouse: Mouse) -> io::Result<Self> {
        let _ = mouse;
        todo!()
    }

    /// Turns the mouse on or off.
    ///
    /// # Errors
    /// Writing to the terminal fails.
    pub fn set_mouse(&mut self, mouse: Mouse) -> io::Result<()> {
        let _ = mouse;
        todo!()
    }

    /// Gives the terminal back; safe to call twice.
    pub fn restore(&mut self) {
        todo!()
    }

    /// Takes the terminal again (after [`Guard::restore`], after SIGCONT). The caller repaints in full:
    /// [`Screen::repaint`].
    ///
    /// # Errors
    /// As [`Guard::enter`].
    pub fn reenter(&mut self) -> io::Result<()> {
        todo!()
    }

    /// Ctrl-Z: restores, stops the own process group, and enters again when continued. Drop the event stream before.
    ///
    /// # Errors
    /// As [`Guard::enter`].
    pub fn suspend(&mut self) -> io::Result<()> {
        todo!()
    }

    /// Runs a child that gets the terminal alone (`$EDITOR`), and enters again. Drop the event stream before; blocking.
    ///
    /// # Errors
    /// The child cannot be started, or as [`Guard::enter`].
    pub fn run_child(&mut self, command: &mut Command) -> io::Result<ExitStatus> {
        let _ = command;
        todo!()
    }
}

impl Screen {
    /// The screen on standard output.
    ///
    /// # Errors
    /// The size cannot be read.
    pub fn new() -> io::Result<Self> {
        todo!()
    }

    /// Draws one frame as a synchronized update; returns what it cost.
    ///
    /// # Errors
    /// Writing to the terminal fails.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<Duration> {
        let _ = view;
        todo!()
    }

    /// Makes the next frame a full one.
    ///
    /// # Errors
    /// Writing to the terminal fails.
    pub fn repaint(&mut self) -> io::Result<()> {
        todo!()
    }

    /// The writer, for clipboard escapes.
    pub fn writer(&mut self) -> &mut dyn io::Write {
        todo!()
    }
}

impl Signals {
    /// Starts listening; needs a running tokio runtime. Also watches standard input for hang-up.
    ///
    /// # Errors
    /// A handler cannot be installed.
    pub fn listen() -> io::Result<Self> {
        todo!()
    }

    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> Signal {
        todo!()
    }
}

/// Whether standard input and output are both terminals.
#[must_use]
pub fn is_terminal() -> bool {
    use std::io::IsTerminal;
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Where another thread panicked, once (file:line:column only); the screen stays up then.
pub fn take_background_panic() -> Option<String> {
    todo!()
}
