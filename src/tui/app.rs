//! The program without its terminal: messages in, frames out. The real loop (`tui::run`) and the tests drive the same one.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::effect::{Edited, Effect, Preview, Reply};
use super::frame::{Link, Scheduler, Urgency};
use super::notify::Notifier;
use super::shell::{Places, Shell};
use super::state::State;
use super::update::{Msg, update};
use super::view;
use crate::feed::Item;
use crate::runtime::{self, RunHandle};

/// Unsaved text is on disk at the latest this long after an edit.
const KEEP_AFTER: Duration = Duration::from_secs(1);

/// Where frames go.
pub trait Stage {
    /// Draws one frame.
    ///
    /// # Errors
    /// The terminal is gone.
    fn draw(&mut self, view: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()>;
    /// Makes the next frame a full one.
    ///
    /// # Errors
    /// The terminal is gone.
    fn repaint(&mut self) -> io::Result<()>;
    /// Writes bytes past the frames (clipboard escapes).
    ///
    /// # Errors
    /// The terminal is gone.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// What only the owner of the terminal can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outer {
    Suspend,
    Mouse(bool),
    Edit { what: Edited, text: String },
}

/// Why [`App::wait`] came back.
#[derive(Debug)]
pub enum Wake {
    Feed(Option<Vec<Item>>),
    Reply(Box<Reply>),
    Timer,
}

struct Running {
    sequence: u64,
    handle: RunHandle,
}

/// The running program.
pub struct App<S: Stage> {
    pub state: State,
    pub stage: S,
    /// Things for the owner of the terminal, in order.
    pub outer: VecDeque<Outer>,
    shell: Shell,
    replies: UnboundedReceiver<Reply>,
    running: Option<Running>,
    scheduler: Scheduler,
    notifier: Notifier,
    /// The editor revision that is kept against a crash, and when the next is due.
    kept: u64,
    keep_at: Option<Instant>,
    started: Instant,
    /// Frames drawn: an idle program draws none.
    pub frames: u64,
}

impl<S: Stage> App<S> {
    /// A program that has drawn nothing yet; needs a tokio runtime.
    #[must_use]
    pub fn new(first: State, stage: S, places: Places, link: Link) -> Self {
        let (sender, replies) = unbounded_channel();
        let notifier = Notifier::new(places.config.notify, &places.config.env);
        let mut app = Self {
            state: first,
            stage,
            outer: VecDeque::new(),
            shell: Shell::new(sender, places),
            replies,
            running: None,
            scheduler: Scheduler::new(link),
            notifier,
            kept: 0,
            keep_at: None,
            started: Instant::now(),
            frames: 0,
        };
        app.execute(Effect::LoadRecent);
        app.execute(Effect::LoadHabits);
        let given = app.state.given.clone();
        app.execute(Effect::FindDraft(given));
        app.execute(Effect::ThemeNames);
        app.execute(Effect::DetectServers);
        app.request(Urgency::Feed);
        app
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn request(&mut self, urgency: Urgency) {
        self.scheduler.request(Instant::now().into_std(), urgency);
    }

    /// Handles a message and everything it asks for.
    pub fn apply(&mut self, msg: Msg) {
        self.state.now = self.now();
        let urgency = msg.urgency();
        let effects = update(&mut self.state, msg);
        for effect in effects {
            self.execute(effect);
        }
        self.shell.watch(self.state.schema.path.as_deref());
        if self.state.schema.work() != self.kept && self.keep_at.is_none() {
            self.keep_at = Some(Instant::now() + KEEP_AFTER);
        }
        self.request(urgency);
    }

    /// Keeps unsaved text when it is time to.
    fn keep_if_due(&mut self) {
        if self.keep_at.is_some_and(|at| at <= Instant::now()) {
            self.keep_at = None;
            self.kept = self.state.schema.work();
            let work = self.unsaved();
            self.shell.keep_draft(work);
        }
    }

    fn unsaved(&self) -> Option<(Option<std::path::PathBuf>, String)> {
        let schema = &self.state.schema;
        schema.dirty().then(|| (schema.path.clone(), schema.editor.text()))
    }

    /// The program ends: a quit gives unsaved text up, anything else keeps it for the next start.
    pub fn ending(&mut self, code: u8) {
        let work = if code == 0 { None } else { self.unsaved() };
        self.shell.keep_draft_now(work);
    }

    fn execute(&mut self, effect: Effect) {
        let Some(effect) = self.shell.execute(effect) else { return };
        match effect {
            Effect::StartRun { sequence, mut spec } => {
                self.shell.keep(&mut spec);
                // The handle of an older run goes, which cancels it.
                self.running = Some(Running { sequence, handle: runtime::start(*spec) });
            }
            Effect::CancelRun => {
                if let Some(running) = &self.running {
                    running.handle.cancel.cancel();
                }
            }
            Effect::DetectServers => self.shell.detect(Arc::clone(&self.state.models.catalog)),
            Effect::EditText { what, text } => self.outer.push_back(Outer::Edit { what, text }),
            Effect::Mouse(on) => self.outer.push_back(Outer::Mouse(on)),
            Effect::Notify(news) => {
                let _ = self.stage.write(self.notifier.escape(news).as_bytes());
            }
            Effect::Suspend => self.outer.push_back(Outer::Suspend),
            Effect::Repaint => {
                let _ = self.stage.repaint();
            }
            #[cfg(debug_assertions)]
            Effect::Panic => debug_panic(),
            _ => {}
        }
    }

    /// Draws when a frame is due.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw_if_due(&mut self) -> io::Result<()> {
        if self.scheduler.due(Instant::now().into_std()) { self.draw() } else { Ok(()) }
    }

    /// Draws now.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw(&mut self) -> io::Result<()> {
        let start = Instant::now().into_std();
        self.state.now = self.now();
        self.state.expire();
        let state = &mut self.state;
        self.stage.draw(&mut |frame| {
            let area = frame.area();
            view::prepare(state, (area.width, area.height));
            view::draw(frame, state);
        })?;
        self.frames += 1;
        self.scheduler.drawn(start, Instant::now().into_std());
        if let Some(at) = self.state.next_change() {
            self.scheduler.request_at((self.started + Duration::from_millis(at)).into_std());
        }
        Ok(())
    }

    /// Waits for the run, a worker or the next frame. Cancel-safe; without any of them it waits for ever.
    pub async fn wait(&mut self) -> Wake {
        let frame = self.scheduler.deadline().map(Instant::from_std);
        let deadline = [frame, self.keep_at].into_iter().flatten().min();
        let timer = async {
            match deadline {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let feed = async {
            match &mut self.running {
                Some(running) => running.handle.feed.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            items = feed => Wake::Feed(items),
            Some(reply) = self.replies.recv() => Wake::Reply(Box::new(reply)),
            () = timer => Wake::Timer,
        }
    }

    /// Handles what [`App::wait`] brought; then whatever workers sent meanwhile, so that a flood of deltas starves
    /// nobody.
    pub fn wake(&mut self, wake: Wake) {
        match wake {
            Wake::Feed(items) => self.feed(items),
            Wake::Reply(reply) => self.reply(*reply),
            Wake::Timer => return self.keep_if_due(),
        }
        while let Ok(reply) = self.replies.try_recv() {
            self.reply(reply);
        }
    }

    fn feed(&mut self, items: Option<Vec<Item>>) {
        let Some(sequence) = self.running.as_ref().map(|r| r.sequence) else { return };
        if let Some(items) = items {
            self.apply(Msg::Feed(sequence, items));
        } else {
            self.running = None;
            self.apply(Msg::FeedEnd(sequence));
        }
    }

    fn reply(&mut self, reply: Reply) {
        self.shell.taken(&reply);
        if let Reply::Copied { escapes, .. } = &reply {
            let _ = self.stage.write(escapes);
        }
        self.apply(Msg::Reply(Box::new(reply)));
    }

    /// Nothing is under way: no run, no worker. The signal tests wait for.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.running.is_none() && self.shell.idle() && self.replies.is_empty()
    }

    /// Handles everything that comes until nothing is under way.
    pub async fn settle(&mut self) {
        while !self.idle() {
            let wake = self.wait().await;
            self.wake(wake);
            let _ = self.draw_if_due();
        }
    }

    /// The program ends: what is being kept is written, within a time nobody notices.
    pub fn finish(&self) {
        self.shell.finish();
    }

    /// Loads a theme by its name.
    pub fn theme(&mut self, name: &str) {
        self.execute(Effect::LoadTheme { name: name.to_owned(), preview: Preview::Keep });
    }

    /// Loads a schema file, as given on the command line.
    pub fn load(&mut self, path: std::path::PathBuf) {
        self.execute(Effect::ReadSchema(path));
    }
}

/// Only for drills: the terminal must be whole again after it.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "a drill of the panic path; not in release builds")]
fn debug_panic() {
    panic!("asked for by /debug panic");
}
