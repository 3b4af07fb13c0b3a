//! The terminal's modes: entered once, restored in every ending.
//!
//! Owns raw mode, alternate screen, paste, mouse, key and cursor modes, the panic hook, suspend and resume, the child
//! that gets the terminal alone, and the signals that end the program. Knows no state of the application and reads no
//! input.

mod panic;
mod signals;

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};
use ratatui::{Frame, Terminal};

pub use panic::take_background_panic;
pub use signals::{Signal, Signals};

/// A frame at 200×50 is some 20 KiB: one write a frame.
const WRITE_BUFFER: usize = 64 * 1024;

/// The signal that ended an own suspension is handed on within this time.
const OWN_CONTINUE: Duration = Duration::from_secs(1);

/// Whether the program takes the mouse (off leaves the terminal's own selection working).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    Off,
    On,
}

/// Does the terminal tell when it gets and loses the focus?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Untold,
    Told,
}

/// Which modes are set right now. One for the process, because the panic hook must see it too.
static HELD: Mutex<Option<Mouse>> = Mutex::new(None);

/// Holds the modes; dropping it restores the terminal.
#[derive(Debug)]
pub struct Guard {
    mouse: Mouse,
    focus: Focus,
    /// When [`Guard::suspend`] last took the terminal again.
    resumed: Option<Instant>,
}

/// The screen: diffed frames through one buffered writer.
pub struct Screen {
    /// Never dropped: ratatui's drop writes to the terminal once more and, when that is gone, panics while it complains.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    next: Next,
}

/// How much of the next frame is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// What differs from the last one.
    Difference,
    Everything,
}

/// Whether standard input and output are both terminals.
#[must_use]
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Guard {
    /// Takes the terminal; installs the panic hook. The calling thread is the one whose panic gives the terminal back.
    ///
    /// # Errors
    /// The terminal refuses; everything is restored then.
    pub fn enter(mouse: Mouse, focus: Focus) -> io::Result<Self> {
        panic::install();
        let mut guard = Self { mouse, focus, resumed: None };
        guard.reenter()?;
        Ok(guard)
    }

    /// Turns the mouse on or off.
    ///
    /// # Errors
    /// Writing to the terminal fails.
    pub fn set_mouse(&mut self, mouse: Mouse) -> io::Result<()> {
        self.mouse = mouse;
        *held() = Some(mouse);
        let mut out = io::stdout();
        match mouse {
            Mouse::Off => queue!(out, DisableMouseCapture)?,
            Mouse::On => queue!(out, EnableMouseCapture)?,
        }
        out.flush()
    }

    /// Gives the terminal back; safe to call twice.
    pub fn restore(&mut self) {
        restore();
    }

    /// The terminal is gone (hang-up): forgets the modes, so that nothing more is written to it.
    pub fn abandon(self) {
        *held() = None;
    }

    /// Takes the terminal again (after [`Guard::restore`], after SIGCONT). The caller repaints in full:
    /// [`Screen::repaint`].
    ///
    /// # Errors
    /// As [`Guard::enter`].
    pub fn reenter(&mut self) -> io::Result<()> {
        // After a stop from outside the modes are not what they were: begin anew, and never push key modes twice.
        restore();
        // Before the first step, so that whatever succeeds below is undone.
        *held() = Some(self.mouse);
        let entered = enable_raw_mode().and_then(|()| write_enter(&mut io::stdout(), self.mouse, self.focus));
        entered.inspect_err(|_| restore())
    }

    /// Ctrl-Z: restores, stops the own process group, and enters again when continued. Drop the event stream before,
    /// repaint after.
    ///
    /// # Errors
    /// As [`Guard::enter`].
    pub fn suspend(&mut self) -> io::Result<()> {
        self.restore();
        signals::stop_self();
        self.resumed = Some(Instant::now());
        self.reenter()
    }

    /// For SIGCONT: enters again, unless the signal is the one that ended an own [`Guard::suspend`]: doing it twice would
    /// show the main screen for a moment and may lose what is typed meanwhile. The caller repaints either way.
    ///
    /// # Errors
    /// As [`Guard::enter`].
    pub fn continued(&mut self) -> io::Result<()> {
        let own = self.resumed.take().is_some_and(|at| at.elapsed() < OWN_CONTINUE);
        if own { Ok(()) } else { self.reenter() }
    }

    /// Runs a child that gets the terminal alone (`$EDITOR`), and enters again even when it fails. Drop the event stream
    /// before, repaint after; blocking.
    ///
    /// # Errors
    /// The child cannot be started, or as [`Guard::enter`].
    pub fn run_child(&mut self, command: &mut Command) -> io::Result<ExitStatus> {
        self.restore();
        let status = command.status();
        self.reenter()?;
        status
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

impl Screen {
    /// The screen on standard output.
    ///
    /// # Errors
    /// The size cannot be read.
    pub fn new() -> io::Result<Self> {
        let out = BufWriter::with_capacity(WRITE_BUFFER, io::stdout());
        let terminal = ManuallyDrop::new(Terminal::new(CrosstermBackend::new(out))?);
        Ok(Self { terminal, next: Next::Difference })
    }

    /// Draws one frame as a synchronized update; returns what it cost.
    ///
    /// # Errors
    /// Writing to the terminal fails.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<Duration> {
        let start = Instant::now();
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        // The end mark is written even if drawing failed: a terminal left in an update shows nothing.
        let drawn = self.wipe_if_due().and_then(|()| self.terminal.draw(view).map(|_| ()));
        let ended = queue!(self.terminal.backend_mut(), EndSynchronizedUpdate);
        let flushed = Write::flush(self.terminal.backend_mut());
        drawn.and(ended).and(flushed).map(|()| start.elapsed())
    }

    /// Makes the next frame a full one; writes nothing itself.
    ///
    /// # Errors
    /// None today; a result because wiping is terminal output.
    pub fn repaint(&mut self) -> io::Result<()> {
        self.next = Next::Everything;
        Ok(())
    }

    /// Inside the synchronized update, so that the empty screen is not seen. A resize to the same size clears without
    /// asking the terminal for its cursor, which `Terminal::clear` does: the answer would mix with typed keys.
    fn wipe_if_due(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.next, Next::Difference) {
            Next::Difference => Ok(()),
            Next::Everything => {
                let size = self.terminal.size()?;
                self.terminal.resize(Rect::from((Position::ORIGIN, size)))
            }
        }
    }

    /// The writer, for clipboard escapes.
    pub fn writer(&mut self) -> &mut dyn Write {
        self.terminal.backend_mut()
    }
}

/// The modes that are set; a lock poisoned by a panic still tells the truth.
fn held() -> std::sync::MutexGuard<'static, Option<Mouse>> {
    HELD.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Undoes what is set, once. Errors are of no use: every step is tried.
fn restore() {
    if held().take().is_some() {
        let _ = write_leave(&mut io::stdout());
        let _ = disable_raw_mode();
    }
}

fn write_enter(out: &mut impl Write, mouse: Mouse, focus: Focus) -> io::Result<()> {
    // Disambiguated escapes only: without asking the terminal (a query would mix with typed keys) it is ignored where
    // unknown.
    let keys = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    if cfg!(unix) {
        queue!(out, PushKeyboardEnhancementFlags(keys))?;
    }
    match mouse {
        Mouse::Off => {}
        Mouse::On => queue!(out, EnableMouseCapture)?,
    }
    match focus {
        Focus::Untold => {}
        Focus::Told => queue!(out, EnableFocusChange)?,
    }
    out.flush()
}

/// Ends with the cursor shown after the alternate screen is left: tmux keeps it hidden otherwise. An open synchronized
/// update (a panic while drawing) is ended first.
fn write_leave<W: Write>(out: &mut W) -> io::Result<()> {
    queue!(out, EndSynchronizedUpdate, DisableMouseCapture, DisableFocusChange)?;
    if cfg!(unix) {
        queue!(out, PopKeyboardEnhancementFlags)?;
    }
    queue!(out, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_mode_that_is_entered_is_left() {
        let entered = text(|out| write_enter(out, Mouse::On, Focus::Told));
        let left = text(write_leave);
        let mut modes = 0;
        for mode in entered.split("\u{1b}[?").skip(1).filter_map(|part| part.split_once('h').map(|(mode, _)| mode)) {
            if mode.bytes().all(|b| b.is_ascii_digit()) {
                modes += 1;
                assert!(left.contains(&format!("\u{1b}[?{mode}l")), "{mode} stays on");
            }
        }
        assert!(modes >= 7, "{modes}");
        assert!(entered.contains("\u{1b}[?25l") && entered.contains("\u{1b}[>1u") && left.contains("\u{1b}[<1u"));
    }

    #[test]
    fn mouse_and_focus_are_left_alone_unless_wanted() {
        let entered = text(|out| write_enter(out, Mouse::Off, Focus::Untold));
        assert!(!entered.contains("\u{1b}[?1000h") && !entered.contains("\u{1b}[?1004h"));
    }

    #[test]
    fn tu_016_the_cursor_is_shown_last() {
        assert!(text(write_leave).ends_with("\u{1b}[?1049l\u{1b}[?25h"));
    }
}
