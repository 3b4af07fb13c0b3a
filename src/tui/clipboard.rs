//! Copying: which ways reach the clipboard from here, and trying them in order.
//!
//! [`plan`] is pure; [`copy`] does the work and is blocking (run it off the loop, and give it a buffer when the terminal's
//! writer is elsewhere). Claims no more than it knows: the terminal never answers whether it took an escape.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

use crate::config::Env;
use crate::tui::notify::through_tmux;
use crate::tui::words;

/// Terminals drop longer OSC 52 sequences: xterm and others at 100,000 bytes of base64, some sooner. 74,994 bytes of text
/// make 99,992.
pub const OSC52_LIMIT: usize = 74_994;

/// Programs that put standard input on the clipboard, by the variable that tells their system is there (none = always
/// worth a try).
const PROGRAMS: [(Option<&str>, &[&str]); 4] = [
    (Some("WAYLAND_DISPLAY"), &["wl-copy", "--type", "text/plain"]),
    (Some("DISPLAY"), &["xclip", "-selection", "clipboard"]),
    (Some("DISPLAY"), &["xsel", "--clipboard", "--input"]),
    (None, &[NATIVE]),
];

#[cfg(windows)]
const NATIVE: &str = "clip.exe";
#[cfg(not(windows))]
const NATIVE: &str = "pbcopy";

/// One way to the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// A program that reads standard input, with its arguments.
    Program(&'static [&'static str]),
    /// `tmux load-buffer -w -`: the buffer of tmux, and with `-w` the terminal's clipboard.
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
        match self {
            Self::Taken { by: "tmux", bytes } => format!("Copied {} to the tmux buffer", words::length(*bytes)),
            Self::Taken { by, bytes } => format!("Copied {} with {by}", words::length(*bytes)),
            Self::Asked { bytes } => {
                format!(
                    "Sent {} to the terminal's clipboard (OSC 52; the terminal does not confirm)",
                    words::length(*bytes)
                )
            }
            Self::TooLarge { bytes, limit } => format!(
                "Not copied: {} is more than a terminal takes ({}) and no clipboard program was found; save it to a file",
                words::length(*bytes),
                words::length(*limit)
            ),
            Self::Failed => "Not copied: no clipboard can be reached from here; save it to a file".to_owned(),
        }
    }
}

/// The ways to try, best first. Over SSH the programs would fill the clipboard of the wrong machine.
#[must_use]
pub fn plan(env: &Env) -> Vec<Route> {
    let mut routes = Vec::new();
    if env.get("SSH_TTY").is_none() {
        let here = PROGRAMS.iter().filter(|(variable, _)| variable.is_none_or(|name| env.get(name).is_some()));
        routes.extend(here.map(|(_, program)| Route::Program(program)));
    }
    if env.get("TMUX").is_some() {
        routes.extend([Route::Tmux, Route::Osc52Tmux]);
    } else {
        routes.push(Route::Osc52);
    }
    routes
}

/// Copies `text`: tries the routes in order until one takes it; escapes go to `out` (the terminal's writer).
pub fn copy(text: &str, routes: &[Route], out: &mut dyn Write) -> Outcome {
    let bytes = text.len();
    let mut outcome = Outcome::Failed;
    for route in routes {
        match route {
            Route::Program(command) => {
                if let (Some(by), Ok(())) = (command.first(), feed(command, text)) {
                    return Outcome::Taken { by, bytes };
                }
            }
            Route::Tmux => {
                // `-w` came with tmux 3.2.
                let buffers: [&[&str]; 2] = [&["tmux", "load-buffer", "-w", "-"], &["tmux", "load-buffer", "-"]];
                if buffers.iter().any(|command| feed(command, text).is_ok()) {
                    return Outcome::Taken { by: "tmux", bytes };
                }
            }
            Route::Osc52 | Route::Osc52Tmux if bytes > OSC52_LIMIT => {
                outcome = Outcome::TooLarge { bytes, limit: OSC52_LIMIT };
            }
            Route::Osc52 | Route::Osc52Tmux => {
                if out.write_all(escape(text, *route).as_bytes()).and_then(|()| out.flush()).is_ok() {
                    return Outcome::Asked { bytes };
                }
            }
        }
    }
    outcome
}

/// The escape that asks a terminal to take the text. The text travels as base64, so nothing in it can act.
#[must_use]
pub fn escape(text: &str, route: Route) -> String {
    let mut plain = String::new();
    // Writing to a string cannot fail.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut plain);
    match route {
        Route::Osc52Tmux => through_tmux(&plain),
        Route::Osc52 | Route::Tmux | Route::Program(_) => plain,
    }
}

/// Runs a program with the text on its standard input. What it prints is dropped: the screen is ours.
fn feed(command: &[&str], text: &str) -> io::Result<()> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text.as_bytes()));
    let status = child.wait()?;
    written?;
    if status.success() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: Route = Route::Program(&["formwork-no-such-program"]);

    #[test]
    fn programs_first_when_local_the_terminal_when_remote() {
        let wl = Route::Program(PROGRAMS[0].1);
        let native = Route::Program(PROGRAMS[3].1);
        for (env, want) in [
            (Env::from_pairs([("WAYLAND_DISPLAY", "w"), ("", "")]), vec![wl, native, Route::Osc52]),
            (Env::from_pairs([("WAYLAND_DISPLAY", "w"), ("SSH_TTY", "/dev/pts/0")]), vec![Route::Osc52]),
            (Env::from_pairs([("TMUX", "t"), ("SSH_TTY", "/dev/pts/0")]), vec![Route::Tmux, Route::Osc52Tmux]),
            (Env::from_pairs([("TMUX", "t"), ("", "")]), vec![native, Route::Tmux, Route::Osc52Tmux]),
        ] {
            assert_eq!(plan(&env), want, "{env:?}");
        }
    }

    #[test]
    fn the_escape_is_base64_and_passes_tmux_doubled() {
        assert_eq!(escape("hi", Route::Osc52), "\u{1b}]52;c;aGk=\u{1b}\\");
        assert_eq!(escape("hi", Route::Osc52Tmux), "\u{1b}Ptmux;\u{1b}\u{1b}]52;c;aGk=\u{1b}\u{1b}\\\u{1b}\\");
        assert!(!escape("\u{1b}c\u{7}", Route::Osc52).contains("\u{1b}c"));
    }

    #[test]
    fn a_missing_program_falls_through_to_the_terminal() {
        let mut out = Vec::new();
        let outcome = copy("hi", &[NO, Route::Osc52], &mut out);
        assert_eq!(outcome, Outcome::Asked { bytes: 2 });
        assert!(outcome.message().contains("does not confirm"));
        assert_eq!(out, escape("hi", Route::Osc52).as_bytes());
    }

    #[test]
    fn too_much_for_the_terminal_is_said_and_nothing_is_written() {
        let (text, mut out) = ("x".repeat(OSC52_LIMIT + 1), Vec::new());
        let outcome = copy(&text, &[NO, Route::Osc52], &mut out);
        assert_eq!(outcome, Outcome::TooLarge { bytes: OSC52_LIMIT + 1, limit: OSC52_LIMIT });
        assert!(out.is_empty() && outcome.message().contains("save it to a file"));
        assert!(escape(&"x".repeat(OSC52_LIMIT), Route::Osc52).len() <= 100_000 + 16);
        assert_eq!(copy("x", &[NO], &mut out), Outcome::Failed);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_gets_the_text_and_its_failure_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        assert!(feed(&["sh", "-c", "exit 3"], "").is_err());
        let file = dir.path().join("copied");
        feed(&["sh", "-c", "cat > \"$0\"", file.to_str().unwrap()], "a\nb").unwrap();
        assert_eq!(fs_err::read(file).unwrap(), b"a\nb");
        assert_eq!(copy("x", &[Route::Program(&["cat"])], &mut io::sink()), Outcome::Taken { by: "cat", bytes: 1 });
    }
}
