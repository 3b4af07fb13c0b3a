//! The signals that end a one-shot run: interrupt and terminate.

use super::failure::Exit;

/// Listens from its making on; before that the platform's default action ends the program.
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Must be made inside a runtime.
    pub(super) fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The next signal, as the exit status it asks for. Cancel-safe.
    pub(super) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Must be made inside a runtime.
    #[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix, where it can fail")]
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// The next interrupt. Cancel-safe.
    pub(super) async fn next(&mut self) -> Exit {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Exit::Interrupted
    }
}
