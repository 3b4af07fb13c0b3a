//! The panic hook: gives the terminal back, then says where it happened. Never what was said: a panic's text may hold
//! pieces of a candidate, a schema or a key.

use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{self, ThreadId};

static INSTALLED: Once = Once::new();
/// The thread that owns the screen.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);
/// Where the last panic of another thread was.
static BACKGROUND: Mutex<Option<String>> = Mutex::new(None);

/// Makes the calling thread the owner of the screen; installs the hook once.
pub(super) fn install() {
    set(&OWNER, Some(thread::current().id()));
    INSTALLED.call_once(|| std::panic::set_hook(Box::new(on_panic)));
}

/// Where another thread panicked, once (file:line:column only). The screen stays up then; its task ends with an error
/// the loop sees.
pub fn take_background_panic() -> Option<String> {
    BACKGROUND.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn on_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or("an unknown place".to_owned(), ToString::to_string);
    let owner = *OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let screen_is_up = super::held().is_some();
    if screen_is_up && owner.is_some_and(|id| id != thread::current().id()) {
        set(&BACKGROUND, Some(place));
        return;
    }
    super::restore();
    // Nobody is left to tell if this fails.
    let _ = writeln!(std::io::stderr(), "{}", message(&place));
}

fn message(place: &str) -> String {
    format!(
        "formwork panicked at {place}; the terminal is restored. This is a fault of the program: please report the place."
    )
}

fn set<T>(slot: &Mutex<Option<T>>, value: Option<T>) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tu_017_the_message_tells_the_place_and_nothing_else() {
        let message = message("src/x.rs:1:2");
        assert!(message.contains("panicked at src/x.rs:1:2") && !message.contains('\n'));
    }
}
