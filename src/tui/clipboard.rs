//! Copying: which ways reach the clipboard from here, and trying them in order.
//!
//! [`plan`] is pure; [`copy`] does the work and is blocking (run it off the loop). Claims no more than it knows: the
//! terminal never answers whether it took an escape.

use std::io::Write;

use crate::config::Env;

/// One way to the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// A program that reads standard input.
    Program(&'static [&'static str]),
    /// `tmux load-buffer`: the buffer of tmux, and with `-w` the terminal's clipboard.
    Tmux,
    /// The terminal's own escape.
    Osc52,
    /// The escape wrapped to pass through tmux.
    Osc52Tmux,
}

/// What happened, as far as it can be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A program took the text.
    Taken {
        by: &'static str,
        bytes: usize,
    },
    /// The terminal was asked; whether it obeyed cannot be known.
    Asked {
        bytes: usize,
    },
    /// Too large for the terminal's escape and no program at hand: save it to a file instead.
    TooLarge {
        bytes: usize,
        limit: usize,
    },
    Failed,
}

impl Outcome {
    /// One sentence for the status line.
    #[must_use]
    pub fn message(&self) -> String {
        todo!()
    }
}

/// The ways to try, best first.
#[must_use]
pub fn plan(env: &Env) -> Vec<Route> {
    let _ = env;
    todo!()
}

/// Copies `text`: tries the routes in order until one takes it; escapes go to `out` (the terminal's writer).
pub fn copy(text: &str, routes: &[Route], out: &mut dyn Write) -> Outcome {
    let _ = (text, routes, out);
    todo!()
}
