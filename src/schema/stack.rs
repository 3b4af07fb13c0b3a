//! Runs recursive work on a thread whose stack is known, so that callers may have a small one.

use std::thread;

/// Mapped lazily: only what is touched costs memory. See `validate::evaluate::MAX_LEVELS` for what must fit.
const STACK_BYTES: usize = 96 * 1024 * 1024;

/// Runs `work` on such a thread and waits; `None` when the system gives no thread or `work` panicked.
pub(crate) fn with_known_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let started = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        started.ok()?.join().ok()
    })
}
