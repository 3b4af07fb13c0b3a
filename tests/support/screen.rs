//! The whole terminal program in the process: keys in, screens out, no sleeps.

#![allow(unreachable_pub, reason = "a module of test binaries")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

use std::io;
use std::path::Path;

use formwork::command::{Chord, Id};
use formwork::config::{Config, Env, Paths};
use formwork::event::RunEvent;
use formwork::feed::Item;
use formwork::tui::app::{App, Stage, Wake};
use formwork::tui::clipboard::Route;
use formwork::tui::frame::Link;
use formwork::tui::shell::{Places, Watching};
use formwork::tui::state::run::Run;
use formwork::tui::theme::ColorDepth;
use formwork::tui::update::Msg;
use formwork::tui::{Options, begin, first_state};
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::{Frame, Terminal};

/// A terminal in memory; keeps the last frame and what was written past it.
pub struct Memory {
    terminal: Terminal<TestBackend>,
    pub buffer: Buffer,
    pub caret: Option<Position>,
    pub written: Vec<u8>,
}

impl Memory {
    fn new(width: u16, height: u16) -> Self {
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        Self { terminal, buffer: Buffer::default(), caret: None, written: Vec::new() }
    }

    #[allow(dead_code, reason = "not every test needs it")]
    pub fn resize(&mut self, width: u16, height: u16) {
        *self = Self { written: std::mem::take(&mut self.written), ..Self::new(width, height) };
    }
}

impl Stage for Memory {
    fn draw(&mut self, view: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        let done = self.terminal.draw(|frame| view(frame)).unwrap();
        self.buffer = done.buffer.clone();
        self.caret = self.terminal.backend().cursor_visible().then(|| self.terminal.get_cursor_position().unwrap());
        Ok(())
    }

    fn repaint(&mut self) -> io::Result<()> {
        self.terminal.clear().unwrap();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written.extend_from_slice(bytes);
        Ok(())
    }
}

/// The program and its hands.
pub struct Screen {
    pub app: App<Memory>,
}

impl Screen {
    #[allow(dead_code, reason = "not every test needs it")]
    pub fn new(width: u16, height: u16, folder: &Path) -> Self {
        Self::with(width, height, folder, &Config::default(), ColorDepth::TrueColor)
    }

    pub fn with(width: u16, height: u16, folder: &Path, config: &Config, depth: ColorDepth) -> Self {
        let config = Config {
            paths: Paths {
                data_dir: folder.join(".data"),
                themes_dir: folder.join(".themes"),
                functions: folder.join("formwork/functions"),
                ..Paths::default()
            },
            env: Env::default(),
            ..config.clone()
        };
        let places = Places {
            data_dir: config.paths.data_dir.clone(),
            themes_dir: config.paths.themes_dir.clone(),
            folder: folder.to_owned(),
            depth,
            ascii: config.ascii,
            clipboard: vec![Route::Osc52],
            config: std::sync::Arc::new(config.clone()),
            watching: Watching::Off,
        };
        let options = Options::default();
        let state = first_state(&options, &config, &places);
        let mut app = App::new(state, Memory::new(width, height), places, Link::Local);
        begin(&mut app, options);
        Self { app }
    }

    /// Presses keys: `ctrl-n`, `enter`, `type:some text`.
    pub fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            if let Some(text) = key.strip_prefix("type:") {
                for c in text.chars() {
                    self.app.apply(Msg::Key(Chord::plain(formwork::command::Key::Char(c))));
                }
            } else {
                self.app.apply(Msg::Key(key.parse().unwrap()));
            }
            self.app.draw().unwrap();
        }
    }

    /// Presses keys, waiting after each until nothing is under way.
    #[allow(dead_code, reason = "not every test needs it")]
    pub async fn steps(&mut self, keys: &[&str]) {
        for key in keys {
            self.keys(&[key]);
            self.settle().await;
        }
    }

    pub async fn settle(&mut self) {
        self.app.settle().await;
        self.app.draw().unwrap();
    }

    /// Handles one thing that comes, and draws.
    #[allow(dead_code, reason = "not every test steps")]
    pub async fn step(&mut self) {
        let wake = self.app.wait().await;
        let timer = matches!(wake, Wake::Timer);
        self.app.wake(wake);
        if timer {
            self.app.draw_if_due().unwrap();
        } else {
            self.app.draw().unwrap();
        }
    }

    /// Goes on until the screen holds `text`.
    #[allow(dead_code, reason = "not every test waits for a text")]
    pub async fn until(&mut self, text: &str) {
        for _ in 0..10_000 {
            if self.text().contains(text) {
                return;
            }
            assert!(
                !self.app.idle() || self.app.state.next_change().is_some(),
                "{text:?} never came:\n{}",
                self.text()
            );
            self.step().await;
        }
        panic!("{text:?} never came:\n{}", self.text());
    }

    /// A run of nobody's that the test feeds by hand.
    #[allow(dead_code, reason = "not every test feeds a run")]
    pub fn feed_run(&mut self, structured: bool) {
        self.app.state.runs += 1;
        let state = &mut self.app.state;
        state.run = Some(Run::new(state.runs, "lab/model".to_owned(), structured, false, state.now));
        self.app.draw().unwrap();
    }

    /// Items of that run.
    #[allow(dead_code, reason = "not every test feeds a run")]
    pub fn feed(&mut self, items: Vec<Item>) {
        self.app.apply(Msg::Feed(self.app.state.runs, items));
        self.app.draw().unwrap();
    }

    /// One delta of that run.
    #[allow(dead_code, reason = "not every test feeds a run")]
    pub fn delta(&mut self, attempt: u32, delta: &str) {
        self.feed(vec![Item::Event(RunEvent::TextDelta { output_attempt: attempt, delta: delta.to_owned() })]);
    }

    #[allow(dead_code, reason = "not every test gives commands")]
    pub fn command(&mut self, id: Id, argument: &str) {
        self.app.apply(Msg::Command(id, argument.to_owned()));
        self.app.draw().unwrap();
    }

    #[allow(dead_code, reason = "not every test needs it")]
    pub fn resize(&mut self, width: u16, height: u16) {
        self.app.stage.resize(width, height);
        self.app.apply(Msg::Resize(width, height));
        self.app.draw().unwrap();
    }

    /// The last frame as text, without trailing spaces.
    pub fn text(&self) -> String {
        let buffer = &self.app.stage.buffer;
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let mut line = String::new();
            let mut skip = 0;
            for x in 0..buffer.area.width {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                let symbol = buffer[(x, y)].symbol();
                skip = formwork::text::width(symbol).saturating_sub(1);
                line.push_str(symbol);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// The screen holds this.
    #[allow(dead_code, reason = "not every test needs it")]
    #[track_caller]
    pub fn has(&self, text: &str) {
        assert!(self.text().contains(text), "no {text:?} on the screen:\n{}", self.text());
    }

    /// The screen holds no such thing.
    #[allow(dead_code, reason = "not every test needs it")]
    #[track_caller]
    pub fn lacks(&self, text: &str) {
        assert!(!self.text().contains(text), "{text:?} is on the screen:\n{}", self.text());
    }
}
