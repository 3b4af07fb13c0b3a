//! What comes from outside the keyboard: signals, and the hang-up of the terminal.
//!
//! Ctrl-Z is a key, not a signal here: SIGTSTP keeps its default, so that a process group without a shell is not stopped
//! for ever. Resizes come as terminal events.

use std::io;

use tokio::sync::mpsc;

/// What came from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: end now, exit 143.
    Terminate,
    /// SIGINT from outside (the key Ctrl-C is an event): exit 130.
    Interrupt,
    /// SIGHUP, or the terminal is gone: end now, writing nothing to it ([`super::Guard::abandon`]).
    Hangup,
    /// SIGCONT: enter again and repaint.
    Continue,
}

/// The signals as a stream that never ends.
#[derive(Debug)]
pub struct Signals {
    received: mpsc::UnboundedReceiver<Signal>,
    /// Keeps the stream open.
    _sender: mpsc::UnboundedSender<Signal>,
}

impl Signals {
    /// Starts listening; needs a running tokio runtime. Also watches standard input for hang-up, because with a closed
    /// terminal the event stream neither ends nor errs, and SIGHUP reaches only the terminal's own session.
    ///
    /// # Errors
    /// A handler cannot be installed.
    pub fn listen() -> io::Result<Self> {
        let (sender, received) = mpsc::unbounded_channel();
        imp::listen(&sender)?;
        Ok(Self { received, _sender: sender })
    }

    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> Signal {
        match self.received.recv().await {
            Some(signal) => signal,
            // The own sender keeps it open.
            None => std::future::pending().await,
        }
    }
}

/// Stops the own process group as Ctrl-Z does; returns when it is continued.
pub(super) fn stop_self() {
    imp::stop_self();
}

#[cfg(unix)]
mod imp {
    use std::io;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Signal as Number, kill_current_process_group};
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::mpsc::UnboundedSender;

    use super::Signal;

    pub(super) fn listen(sender: &UnboundedSender<Signal>) -> io::Result<()> {
        for (kind, meaning) in [
            (SignalKind::terminate(), Signal::Terminate),
            (SignalKind::interrupt(), Signal::Interrupt),
            (SignalKind::hangup(), Signal::Hangup),
            (SignalKind::from_raw(Number::CONT.as_raw()), Signal::Continue),
        ] {
            let mut stream = signal(kind)?;
            let sender = sender.clone();
            tokio::spawn(async move { while stream.recv().await.is_some() && sender.send(meaning).is_ok() {} });
        }
        let sender = sender.clone();
        std::thread::Builder::new().name("hang-up".to_owned()).spawn(move || {
            if wait_for_hangup(&io::stdin()) {
                // The receiver may be gone: the program is ending anyway.
                let _ = sender.send(Signal::Hangup);
            }
        })?;
        Ok(())
    }

    /// Blocks without a single wake-up until the other side of a terminal or pipe is gone; false when it cannot watch.
    pub(super) fn wait_for_hangup(input: &impl std::os::fd::AsFd) -> bool {
        loop {
            // No event is asked for: hang-up and error are reported always.
            let mut fds = [PollFd::new(input, PollFlags::empty())];
            match poll(&mut fds, None) {
                Ok(_) => {
                    let seen = fds.iter().fold(PollFlags::empty(), |all, fd| all | fd.revents());
                    if seen.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
                        return !seen.contains(PollFlags::NVAL);
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    pub(super) fn stop_self() {
        // Nothing to do when the kernel refuses: the caller enters again at once.
        let _ = kill_current_process_group(Number::TSTP);
    }
}

#[cfg(not(unix))]
mod imp {
    use std::io;

    use tokio::sync::mpsc::UnboundedSender;

    use super::Signal;

    pub(super) fn listen(sender: &UnboundedSender<Signal>) -> io::Result<()> {
        let mut close = tokio::signal::windows::ctrl_close()?;
        let sender = sender.clone();
        tokio::spawn(async move { while close.recv().await.is_some() && sender.send(Signal::Hangup).is_ok() {} });
        Ok(())
    }

    /// There is no job control.
    pub(super) fn stop_self() {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_closed_terminal_is_noticed() {
        let pty = portable_pty::native_pty_system();
        let pair = pty.openpty(portable_pty::PtySize::default()).unwrap();
        let name = pair.master.tty_name().unwrap();
        let slave = fs_err::File::open(name).unwrap();
        let watcher = std::thread::spawn(move || imp::wait_for_hangup(slave.file()));
        drop(pair);
        assert!(watcher.join().unwrap());
    }

    #[test]
    fn a_pipe_with_a_writer_is_no_hangup_until_it_closes() {
        let (reader, writer) = io::pipe().unwrap();
        let watcher = std::thread::spawn(move || imp::wait_for_hangup(&reader));
        drop(writer);
        assert!(watcher.join().unwrap());
    }
}
