//! The real binary in a terminal of its own, typed at by a test.

use std::io::{Read as _, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::place::Place;

/// Long enough for a loaded machine; reached only when the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// The program in a terminal of its own.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    pub(crate) raw: String,
    secrets: Vec<String>,
}

impl Terminal {
    /// With these variables; the values of those that name a key or a token must never be shown.
    pub(crate) fn start(place: &Place, env: &[(&str, &str)], args: &[&str]) -> Self {
        if !place.path("config.toml").exists() {
            place.write("config.toml", "");
        }
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_formwork"));
        command.env_clear();
        command.args(args);
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(name, value);
        }
        command.env("HOME", place.path(""));
        command.env("FORMWORK_CONFIG", place.path("config.toml"));
        command.env("FORMWORK_DATA_DIR", place.path("data"));
        command.cwd(place.path(""));
        let pair =
            native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let screen = vt100::Parser::new(cells(24), cells(80), 0);
        let secret = |name: &str| name.ends_with("_KEY") || name.ends_with("_TOKEN");
        let secrets = env.iter().filter(|(name, _)| secret(name)).map(|(_, value)| (*value).to_owned()).collect();
        Self { child, _master: pair.master, keys, output, screen, raw: String::new(), secrets }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.raw.push_str(&String::from_utf8_lossy(bytes));
    }

    /// Waits until it was written, whether it still stands there or not.
    pub(crate) fn until(&mut self, text: &str) {
        while !self.raw.contains(text) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take(&bytes),
                Err(error) => panic!("no {text:?} ({error}) in {:?}", self.raw),
            }
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// The exit code, and the rows that are left on the screen.
    pub(crate) fn end(mut self) -> (u32, Vec<String>) {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {:?}", self.raw),
            }
        }
        assert!(self.secrets.iter().all(|secret| !self.raw.contains(secret)), "a secret was shown");
        let code = self.child.wait().unwrap().exit_code();
        (code, self.screen.screen().rows(0, 80).filter(|row| !row.is_empty()).collect())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
