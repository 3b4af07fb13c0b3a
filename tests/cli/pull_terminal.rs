//! `formwork model pull` in front of a person: the bar, the question before a large download, Ctrl-C and going on.

use std::io::{Read as _, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::model::{FILE, Hub, TOKEN, gguf, send, stored};
use crate::place::Place;

/// Long enough for a loaded machine; reached only when the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// The program in a terminal of its own.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    raw: String,
}

impl Terminal {
    fn start(hub: &Hub, place: &Place, args: &[&str]) -> Self {
        place.write("config.toml", "");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_formwork"));
        command.env_clear();
        command.args(args);
        for (name, value) in [("TERM", "xterm-256color"), ("HF_ENDPOINT", hub.address.as_str()), ("HF_TOKEN", TOKEN)] {
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
        Self { child, _master: pair.master, keys, output, screen, raw: String::new() }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.raw.push_str(&String::from_utf8_lossy(bytes));
    }

    /// Waits until it was written, whether it still stands there or not.
    fn until(&mut self, text: &str) {
        while !self.raw.contains(text) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take(&bytes),
                Err(error) => panic!("no {text:?} ({error}) in {:?}", self.raw),
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// The exit code, and the rows that are left on the screen.
    fn end(mut self) -> (u32, Vec<String>) {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {:?}", self.raw),
            }
        }
        assert!(!self.raw.contains(TOKEN), "the token was shown");
        let code = self.child.wait().unwrap().exit_code();
        (code, self.screen.screen().rows(0, 80).filter(|row| !row.is_empty()).collect())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_pull_shows_its_bar_ends_by_ctrl_c_and_goes_on() {
    let file = gguf("tiny");
    let (whole, total) = (file.clone(), file.len());
    // Gives a part, then nothing until the program is gone; the rest to who asks for it.
    let hub = Hub::start(move |number, head, stream| {
        if number == 0 {
            send(stream, 200, "etag: \"v1\"\r\n", total, &whole[..30]);
            let _ = std::io::Read::read(stream, &mut [0]);
            return;
        }
        assert!(head.contains("range: bytes=30-"), "{head}");
        let range = format!("content-range: bytes 30-{}/{total}\r\n", total - 1);
        send(stream, 206, &range, total - 30, &whole[30..]);
    });
    let place = Place::new();
    let mut terminal = Terminal::start(&hub, &place, &["model", "pull", FILE, "--yes"]);
    terminal.until("pulling from hub lab/tiny-GGUF@main/Tiny.Q8_0.gguf");
    terminal.until(&format!("30 B/{total} B"));
    terminal.press("\u{3}");
    let (code, rows) = terminal.end();
    assert_eq!(code, 130, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("the next pull goes on where this one ended")), "{rows:?}");
    // The terminal's own `^C` has moved the cursor below the bar, which stays and tells where the pull ended.
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf.part", "Tiny.Q8_0.gguf.part.json"]);

    let (code, rows) = Terminal::start(&hub, &place, &["model", "pull", FILE, "--yes"]).end();
    assert_eq!(code, 0, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("local/Tiny.Q8_0 is here")), "{rows:?}");
    assert!(rows.iter().all(|row| !row.contains("B/s")), "the bar is gone: {rows:?}");
    assert_eq!(fs_err::read(place.path("data/models/Tiny.Q8_0.gguf")).unwrap(), file);
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf", "Tiny.Q8_0.json"]);
}

#[test]
fn a_large_download_waits_for_a_yes() {
    let large = "qwen2.5-1.5b-instruct";
    let hub = Hub::start(|_, _, stream| send(stream, 404, "", 0, b""));
    let asked = |hub: &Hub| hub.heads.lock().unwrap().len();
    let place = Place::new();
    for answer in ["n\r", "\r", "\u{4}"] {
        let mut terminal = Terminal::start(&hub, &place, &["model", "pull", large]);
        terminal.until("download it? [y/N]");
        assert!(terminal.raw.contains("1.1 GB, Apache-2.0"), "{:?}", terminal.raw);
        terminal.press(answer);
        let (code, rows) = terminal.end();
        assert_eq!(code, 2, "{rows:?}");
        assert!(rows.iter().any(|row| row.contains("nothing was downloaded")), "{rows:?}");
        assert_eq!(asked(&hub), 0, "{answer:?}: the hub was asked");
    }
    let mut terminal = Terminal::start(&hub, &place, &["model", "pull", large]);
    terminal.until("download it? [y/N]");
    terminal.press("y\r");
    assert_eq!((terminal.end().0, asked(&hub)), (1, 1), "there is none there");
    let yes = Terminal::start(&hub, &place, &["model", "pull", large, "--yes"]);
    assert_eq!((yes.end().0, asked(&hub)), (1, 2), "no question");
    assert!(stored(&place).is_empty(), "{:?}", stored(&place));
}
