//! The real binary in a pseudo terminal of its own.
#![allow(dead_code, reason = "not every test binary uses everything")]
#![allow(unreachable_pub, reason = "a module of test binaries")]

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

const PROGRAM: &str = env!("CARGO_BIN_EXE_formwork");
/// Long enough for a loaded machine; reached only when the test fails.
const PATIENCE: Duration = Duration::from_secs(30);
pub const LEAVE: &str = "\u{1b}[?1049l\u{1b}[?25h";
const INVOICE: &str =
    r#"{"type":"object","properties":{"total":{"type":"number"}},"required":["total"],"additionalProperties":false}"#;

/// The program in a terminal of its own.
pub struct Term {
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Option<Box<dyn MasterPty + Send>>,
    pub writer: Option<Box<dyn Write + Send>>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    pub raw: Vec<u8>,
    dir: Arc<tempfile::TempDir>,
}

impl Term {
    pub fn start() -> Self {
        Self::spawn(|_| CommandBuilder::new(PROGRAM))
    }

    /// The program below a shell script that runs it as `"$0"`.
    pub fn start_in_shell(script: &str) -> Self {
        Self::spawn(|_| {
            let mut command = CommandBuilder::new("sh");
            command.args(["-c", script, PROGRAM]);
            command
        })
    }

    /// With an editor that is this shell script.
    pub fn start_with_editor(script: &str) -> Self {
        Self::spawn(|dir| {
            let file = dir.join("editor.sh");
            fs_err::write(&file, script).unwrap();
            let mut command = CommandBuilder::new(PROGRAM);
            command.env("EDITOR", format!("sh {}", file.display()));
            command
        })
    }

    /// With these arguments; `first` is what its screen holds then.
    pub fn start_with(args: &[&str], first: &str) -> Self {
        Self::spawn_until(first, |_| {
            let mut command = CommandBuilder::new(PROGRAM);
            command.args(args);
            command
        })
    }

    fn spawn(command: impl FnOnce(&Path) -> CommandBuilder) -> Self {
        Self::spawn_until("Welcome", command)
    }

    fn spawn_until(first: &str, command: impl FnOnce(&Path) -> CommandBuilder) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir(dir.path().join("schemas")).unwrap();
        fs_err::write(dir.path().join("schemas/invoice.json"), INVOICE).unwrap();
        fs_err::write(dir.path().join("config.toml"), "").unwrap();
        let command = command(dir.path());
        Self::run(Arc::new(dir), command, first)
    }

    /// The program once more in the same folder; `first` is what its screen holds then.
    pub fn again(&self, first: &str) -> Self {
        Self::run(Arc::clone(&self.dir), CommandBuilder::new(PROGRAM), first)
    }

    /// Waits until a condition outside the screen holds.
    #[track_caller]
    pub fn until_true(&self, what: &str, mut holds: impl FnMut(&Path) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self.dir.path()) {
            assert!(Instant::now() < deadline, "{what}");
            std::thread::yield_now();
        }
    }

    fn run(dir: Arc<tempfile::TempDir>, mut command: CommandBuilder, first: &str) -> Self {
        let editor = command.get_env("EDITOR").map(ToOwned::to_owned);
        command.env_clear();
        if let Some(editor) = editor {
            command.env("EDITOR", editor);
        }
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
        let screen = vt100::Parser::new(cells(36), cells(120), 0);
        let mut term = Self { child, master: Some(pair.master), writer, output, screen, raw: Vec::new(), dir };
        term.until(first);
        term
    }

    /// Waits until the screen fits; a deadline, no sleeps.
    #[track_caller]
    pub fn wait(&mut self, what: &str, fits: impl Fn(&str) -> bool) {
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

    /// Reads what comes until the bytes hold `text`, on the screen or not.
    #[track_caller]
    pub fn until_raw(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !String::from_utf8_lossy(&self.raw).contains(text) {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend_from_slice(&bytes);
                }
                Err(error) => panic!("{text:?} never came ({error})"),
            }
        }
    }

    /// The folder it runs in.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// The exit code, within the patience; nothing more is read.
    #[track_caller]
    pub fn code(&mut self) -> u32 {
        let (done, ended) = channel();
        let mut killer = self.child.clone_killer();
        let mut child =
            std::mem::replace(&mut self.child, Box::new(std::process::Command::new("true").spawn().unwrap()));
        std::thread::spawn(move || done.send(child.wait().unwrap().exit_code()));
        ended.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let _ = killer.kill();
            panic!("the program does not end")
        })
    }

    /// Closes the terminal for good, as a terminal window does: the reader's copy too, which goes with its next bytes.
    pub fn close(&mut self) {
        self.writer = None;
        self.output = channel().1;
        self.master = None;
    }

    #[track_caller]
    pub fn until(&mut self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    #[track_caller]
    pub fn until_gone(&mut self, text: &str) {
        self.wait(&format!("{text} did not go"), |screen| !screen.contains(text));
    }

    pub fn keys(&mut self, bytes: &str) {
        self.writer.as_mut().unwrap().write_all(bytes.as_bytes()).unwrap();
    }

    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.master.as_ref().unwrap().resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(cols));
    }

    pub fn kill(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Reads what is left, then gives the exit code.
    #[track_caller]
    pub fn end(&mut self) -> u32 {
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
    pub fn assert_restored(&self) {
        let raw = String::from_utf8_lossy(&self.raw);
        let after = raw.rsplit_once(LEAVE).unwrap_or_else(|| panic!("the screen was not left")).1;
        assert!(!after.contains("\u{1b}[?"), "{after:?}");
    }
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

impl Drop for Term {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
