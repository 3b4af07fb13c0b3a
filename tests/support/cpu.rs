//! CPU time, which does not grow while other work has the processor.

use std::time::Duration;

/// CPU time of this thread so far.
#[cfg(target_os = "linux")]
pub(crate) fn cpu() -> Duration {
    let text = fs_err::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

/// Elsewhere the time by the clock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn cpu() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// CPU time of this thread since then.
pub(crate) fn since(start: Duration) -> Duration {
    cpu().saturating_sub(start)
}
