//! The real binary in a real pseudo terminal: what a person sees, and what the terminal is left with.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// Long enough for a loaded machine; reached only when the test fails.
const PATIENCE: Duration = Duration::from_secs(30);
const LEAVE: &str = "\u{1b}[?1049l\u{1b}[?25h";
const INVOICE: &str =
    r#"{"type":"object","properties":{"total":{"type":"number"}},"required":["total"],"additionalProperties":false}"#;

/// The program in a terminal of its own.
struct Term {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    raw: Vec<u8>,
    _dir: tempfile::TempDir,
}

impl Term {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir(dir.path().join("schemas")).unwrap();
        fs_err::write(dir.path().join("schemas/invoice.json"), INVOICE).unwrap();
        fs_err::write(dir.path().join("config.toml"), "").unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_formwork"));
        command.env_clear();
        for (name, value) in [("TERM", "xterm-256color"), ("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        command.env("HOME", dir.path());
        command.env("FORMWORK_CONFIG", dir.path().join("config.toml"));
        command.env("FORMWORK_DATA_DIR", dir.path().join("data"));
        command.cwd(dir.path());
        let size = PtySize { rows: 36, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer.get(..n).unwrap().to_vec()).is_err() {
                    break;
                }
            }
        });
        let writer = Some(pair.master.take_writer().unwrap());
        let screen = vt100::Parser::new(NonZero::new(36).unwrap(), NonZero::new(120).unwrap(), 0);
        let mut term = Self { child, master: Some(pair.master), writer, output, screen, raw: Vec::new(), _dir: dir };
        term.until("Welcome");
        term
    }

    /// Waits until the screen fits; a deadline, no sleeps.
    #[track_caller]
    fn wait(&mut self, what: &str, fits: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = self.screen.screen().contents();
            if fits(&text) {
                return;
            }
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend_from_slice(&bytes);
                }
                Err(error) => panic!("{what} ({error}):\n{text}"),
            }
        }
    }

    #[track_caller]
    fn until(&mut self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    #[track_caller]
    fn until_gone(&mut self, text: &str) {
        self.wait(&format!("{text} did not go"), |screen| !screen.contains(text));
    }

    fn keys(&mut self, bytes: &str) {
        self.writer.as_mut().unwrap().write_all(bytes.as_bytes()).unwrap();
    }

    fn resize(&mut self, cols: u16, rows: u16) {
        self.master.as_ref().unwrap().resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.screen.screen_mut().set_size(NonZero::new(rows).unwrap(), NonZero::new(cols).unwrap());
    }

    fn kill(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Reads what is left, then gives the exit code.
    #[track_caller]
    fn end(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.raw.extend_from_slice(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end"),
            }
        }
        self.child.wait().unwrap().exit_code()
    }

    #[track_caller]
    fn assert_restored(&self) {
        let raw = String::from_utf8_lossy(&self.raw);
        let after = raw.rsplit_once(LEAVE).unwrap_or_else(|| panic!("the screen was not left")).1;
        assert!(!after.contains("\u{1b}[?"), "{after:?}");
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn load_by_slash_run_watch_and_walk() {
    let mut t = Term::start();
    t.keys("/schema load schemas/inv");
    t.until("invoice.json");
    t.keys("\t");
    t.until("load schemas/invoice.json");
    t.keys("\r");
    t.until("loaded invoice.json");
    t.until("legal");
    t.keys("An invoice please\r");
    t.until("1/1");
    t.until("2/2");
    t.until("valid");
    t.until("total:");
    t.keys("\u{1b}5[");
    t.until("issue 1 of");
    t.until("rejected");
    t.keys("\r");
    t.until("❯ 3 Candidate");
    t.keys("s");
    t.until("❯ 1 Schema");
    t.keys("\u{11}");
    assert_eq!(t.end(), 0);
    t.assert_restored();
}

#[test]
fn load_by_palette_and_resize() {
    let mut t = Term::start();
    t.keys("\u{10}");
    t.until("Commands");
    t.keys("load a schema\r");
    t.until("schemas/invoice.json");
    t.keys("invoice\r");
    t.until("loaded invoice.json");
    t.resize(70, 24);
    t.until("3 Candidate │ 4 Result │ 5 Attempts");
    t.resize(30, 8);
    t.until("too small");
    t.resize(120, 36);
    t.until("legal");
    t.keys("\u{3}");
    t.until("press Ctrl-C again to quit");
    t.keys("\u{3}");
    assert_eq!(t.end(), 0);
    t.assert_restored();
}

#[test]
fn cancel_stops_a_slow_run() {
    let mut t = Term::start();
    t.keys("/model sim/slow\r");
    t.until("answers from now on");
    t.keys("\u{e}");
    t.until("legal");
    t.keys("x\r");
    t.until("running");
    t.keys("\u{1b}");
    t.until("cancelled");
    t.until_gone("running");
    t.keys("\u{11}");
    assert_eq!(t.end(), 0);
}

#[test]
fn a_paste_of_lines_is_not_sent_even_without_brackets() {
    let mut t = Term::start();
    t.keys("\u{1b}[200~one\rtwo\u{1b}[201~");
    t.until("two");
    t.keys("\u{3}");
    t.until("draft cleared");
    t.keys("请搜索：\r第二行");
    t.until("第二行");
    t.until("请搜索：");
    t.until("2 Prompt");
    t.until("Welcome");
}

#[test]
fn sigterm_restores_and_says_143() {
    let mut t = Term::start();
    t.kill(Signal::TERM);
    assert_eq!(t.end(), 143);
    t.assert_restored();
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_restores_and_is_told_on_the_main_screen() {
    let mut t = Term::start();
    t.keys("/debug panic\r");
    assert_eq!(t.end(), 101);
    t.assert_restored();
    let raw = String::from_utf8_lossy(&t.raw).into_owned();
    let after = raw.rsplit_once(LEAVE).unwrap().1;
    assert!(after.contains("panicked") && !after.contains("asked for by"), "{after:?}");
}

#[test]
fn a_closed_terminal_ends_it() {
    let mut t = Term::start();
    t.writer = None;
    t.master = None;
    // The terminal is gone for good once the reader's copy is closed too; the program is told by SIGHUP or by its input.
    t.kill(Signal::HUP);
    let code = t.child.wait().unwrap().exit_code();
    assert_ne!(code, 0);
}
