//! The terminal program: entry and loop.
//!
//! Owns the order of things: draw if due, then signals, terminal input, run feed, workers, frame timer. Decides nothing
//! about the screen (`update` does) and executes nothing but what needs the terminal itself.

pub mod app;
pub mod cells;
pub mod clipboard;
pub mod effect;
pub mod frame;
pub mod highlight;
pub mod keys;
pub mod layout;
pub mod notify;
pub mod palette;
pub mod plain;
pub mod rows;
pub mod ruler;
pub mod scroll;
pub mod shell;
pub mod slash;
pub mod state;
pub mod terminal;
pub mod theme;
pub mod tree;
pub mod update;
pub mod view;
pub mod words;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyCode, KeyModifiers};
use futures_util::StreamExt;
use ratatui::Frame;

use crate::catalog::Catalog;
use crate::config::{Config, Env, Notify};
use app::{App, Outer, Stage};
use effect::{Edited, Given, Reply};
use frame::Link;
use shell::{Places, Watching};
use state::{Region, State, Tone};
use terminal::{Focus, Guard, Mouse, Screen, Signal, Signals};
use theme::{ColorDepth, Glyphs, Theme};
use update::Msg;

/// What the command line says about the terminal program.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--json-schema PATH`
    pub schema_path: Option<PathBuf>,
    /// `--json-schema-inline JSON`, or standard input
    pub schema_text: Option<String>,
    /// `-m PROVIDER/MODEL`
    pub model: Option<String>,
    /// The file of `--model-path`, ready to be loaded.
    pub weights: Option<PathBuf>,
    /// `--system TEXT`
    pub system: Option<String>,
}

/// The model that answers when nothing is configured: it shows the whole loop, offline.
const FIRST_MODEL: &str = "sim/repair";
const FIRST_THEME: &str = "dark";

/// Runs the terminal program until it ends. The caller has made sure that there is a terminal.
///
/// Exit codes: 0 quit, 1 the terminal cannot be used, 129 hang-up, 130 SIGINT, 143 SIGTERM.
#[must_use]
pub fn run(options: Options, config: &Config) -> ExitCode {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let Ok(runtime) = built else { return ExitCode::FAILURE };
    let code = runtime.block_on(inside(options, config)).unwrap_or(1);
    // A worker deep in a large schema must not hold the shell's prompt back.
    runtime.shutdown_background();
    ExitCode::from(code)
}

async fn inside(options: Options, config: &Config) -> io::Result<u8> {
    let mouse = if config.mouse { Mouse::On } else { Mouse::Off };
    let focus = if config.notify == Notify::Off { Focus::Untold } else { Focus::Told };
    let mut signals = Signals::listen()?;
    let mut guard = Guard::enter(mouse, focus)?;
    let screen = Screen::new()?;
    let folder = std::env::current_dir().unwrap_or_default();
    let places = places(config, folder);
    let state = first_state(&options, config, &places);
    let link = Link::detect(config.env.get("SSH_TTY"));
    let mut app = App::new(state, screen, places, link);
    begin(&mut app, options);
    let ended = drive(&mut app, &mut guard, &mut signals, &config.env).await;
    app.ending(*ended.as_ref().unwrap_or(&HANGUP));
    match ended {
        Ok(HANGUP) | Err(_) => guard.abandon(),
        Ok(_) => guard.restore(),
    }
    app.finish();
    Ok(ended.unwrap_or(HANGUP))
}

/// The exit code of a hang-up: 128 + SIGHUP.
const HANGUP: u8 = 129;

/// Where things lie, from the configuration.
#[must_use]
pub fn places(config: &Config, folder: PathBuf) -> Places {
    let env = &config.env;
    Places {
        data_dir: config.paths.data_dir.clone(),
        themes_dir: config.paths.themes_dir.clone(),
        folder,
        depth: ColorDepth::detect(env.get("NO_COLOR"), env.get("COLORTERM"), env.get("TERM")),
        ascii: config.ascii,
        clipboard: clipboard::plan(env),
        config: Arc::new(config.clone()),
        watching: Watching::On,
    }
}

/// The first screen: model, theme and facts from the configuration; what is wrong with it is said.
#[must_use]
pub fn first_state(options: &Options, config: &Config, places: &Places) -> State {
    let wanted = config.theme.as_deref().unwrap_or(FIRST_THEME);
    let (theme, refused) = match shell::load_theme(wanted, places) {
        Ok(theme) => (theme, None),
        Err(why) => (shell::load_theme(FIRST_THEME, places).unwrap_or_else(|_| plain_theme(places)), Some(why)),
    };
    let mut catalog = Catalog::new(config);
    let weights = options.weights.clone().map(|path| catalog.add_weights(path));
    let first = catalog.local_default().unwrap_or_else(|| FIRST_MODEL.to_owned());
    let (mut state, mut problems) = State::new(config, catalog, theme, places.depth);
    problems.extend(refused);
    let model = weights.as_ref().or(options.model.as_ref()).or(config.model.as_ref()).unwrap_or(&first);
    match state.models.catalog.find(model) {
        Ok(_) => model.clone_into(&mut state.models.name),
        Err(error) => {
            first.clone_into(&mut state.models.name);
            problems.push(error.to_string());
        }
    }
    #[cfg(feature = "local")]
    {
        state.models.offers = shell::pull::offers(&places.data_dir);
    }
    state.settings.system.clone_from(&options.system);
    state.given = match (&options.schema_path, &options.schema_text) {
        (Some(path), _) => Given::File(path.clone()),
        (None, Some(_)) => Given::Text,
        (None, None) => Given::Nothing,
    };
    state.config_facts = facts(config);
    let endpoints = state.models.catalog.endpoints.values().filter(|e| e.api_key.is_some());
    state.keys_found = endpoints.filter_map(|e| e.api_key_env.clone()).collect();
    state.keys_found.sort();
    state.keys_found.dedup();
    if let [first, rest @ ..] = problems.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        state.say(Tone::Warn, format!("{first}{more}"));
    }
    state
}

fn plain_theme(places: &Places) -> Theme {
    if places.ascii { Theme::mono().with_glyphs(&Glyphs::ASCII) } else { Theme::mono() }
}

/// Which configuration is in force, for `/config`. Names of variables only, never their values.
fn facts(config: &Config) -> Vec<(String, String)> {
    let there = |path: &PathBuf| if path.exists() { "" } else { " (not there)" };
    let paths = &config.paths;
    let mut facts = vec![
        ("config".to_owned(), format!("{}{}", paths.config.display(), there(&paths.config))),
        ("data folder".to_owned(), format!("{}{}", paths.data_dir.display(), there(&paths.data_dir))),
        ("themes".to_owned(), format!("{}{}", paths.themes_dir.display(), there(&paths.themes_dir))),
    ];
    if let Some(project) = &paths.project {
        facts.push(("project".to_owned(), project.display().to_string()));
    }
    facts.push(("model".to_owned(), config.model.clone().unwrap_or_else(|| format!("{FIRST_MODEL} (default)"))));
    facts.push(("theme".to_owned(), config.theme.clone().unwrap_or_else(|| format!("{FIRST_THEME} (default)"))));
    let providers: Vec<&str> = config.providers.keys().map(String::as_str).collect();
    facts.push((
        "providers".to_owned(),
        if providers.is_empty() { "built in only".to_owned() } else { providers.join(", ") },
    ));
    facts
}

/// What the command line asked to be loaded.
pub fn begin<S: Stage>(app: &mut App<S>, options: Options) {
    if let Some(path) = options.schema_path {
        app.load(path);
    }
    if let Some(text) = options.schema_text {
        app.state.schema.editor.replace(&text);
        app.apply(Msg::Tick);
    }
}

impl Stage for Screen {
    fn draw(&mut self, view: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        Self::draw(self, |frame| view(frame)).map(|_| ())
    }

    fn repaint(&mut self) -> io::Result<()> {
        Self::repaint(self)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let out = self.writer();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// The loop.
async fn drive(app: &mut App<Screen>, guard: &mut Guard, signals: &mut Signals, env: &Env) -> io::Result<u8> {
    let mut input = EventStream::new();
    let mut held = VecDeque::new();
    loop {
        app.draw_if_due()?;
        if let Some(code) = app.state.quit {
            return Ok(code);
        }
        if let Some(outer) = app.outer.pop_front() {
            // The stream's reader would take the child's keys.
            drop(input);
            outside(app, guard, outer, env)?;
            input = EventStream::new();
            continue;
        }
        if let Some(event) = held.pop_front() {
            terminal_event(app, &event);
            continue;
        }
        tokio::select! {
            biased;
            signal = signals.next() => {
                if let Some(code) = signalled(app, guard, signal)? {
                    return Ok(code);
                }
            }
            event = input.next() => match event {
                Some(Ok(event)) => {
                    let next = next_of_burst(&event, &mut input).await;
                    let pasted = next.as_ref().is_some_and(is_text) && app.state.popups.is_empty() && app.state.focus == Region::Prompt;
                    held.extend(next);
                    if pasted { app.apply(Msg::Paste("\n".to_owned())) } else { terminal_event(app, &event) }
                }
                Some(Err(_)) | None => return Ok(HANGUP),
            },
            wake = app.wait() => app.wake(wake),
        }
        if let Some(place) = terminal::take_background_panic() {
            app.apply(Msg::Say(Tone::Bad, format!("a background task failed at {place}: this is a fault of formwork")));
        }
    }
}

/// Text behind an Enter belongs to the same paste when it comes within this time: no person types that fast, none feels
/// the wait.
const BURST: Duration = Duration::from_millis(5);

/// A key that types something.
fn is_text(event: &Event) -> bool {
    event.as_key_press_event().is_some_and(|key| {
        let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
        plain && matches!(key.code, KeyCode::Char(_) | KeyCode::Enter)
    })
}

/// An Enter with text right behind it is a paste of a terminal without bracketed paste: it must not send. Polled with
/// the task's own waker: the stream remembers the first one it is given, and another would leave the loop asleep.
async fn next_of_burst(event: &Event, input: &mut EventStream) -> Option<Event> {
    let enter = event.as_key_press_event().is_some_and(|key| key.code == KeyCode::Enter && key.modifiers.is_empty());
    if !enter {
        return None;
    }
    tokio::time::timeout(BURST, input.next()).await.ok()??.ok()
}

fn terminal_event(app: &mut App<Screen>, event: &Event) {
    if let Some(msg) = keys::message(event) {
        app.apply(msg);
    }
}

fn signalled(app: &mut App<Screen>, guard: &mut Guard, signal: Signal) -> io::Result<Option<u8>> {
    match signal {
        Signal::Terminate => return Ok(Some(143)),
        Signal::Interrupt => return Ok(Some(130)),
        Signal::Hangup => return Ok(Some(HANGUP)),
        Signal::Continue => {
            guard.continued()?;
            app.stage.repaint()?;
            app.apply(Msg::Tick);
        }
    }
    Ok(None)
}

/// What needs the terminal itself.
fn outside(app: &mut App<Screen>, guard: &mut Guard, outer: Outer, env: &Env) -> io::Result<()> {
    match outer {
        Outer::Suspend => guard.suspend()?,
        // The screen is as it was.
        Outer::Mouse(on) => return guard.set_mouse(if on { Mouse::On } else { Mouse::Off }),
        Outer::Edit { what, text } => {
            let text = edit(guard, what, &text, env);
            app.apply(Msg::Reply(Box::new(Reply::Edit { what, text })));
        }
    }
    app.stage.repaint()?;
    app.apply(Msg::Tick);
    Ok(())
}

/// The user's editor on a copy of the text, with the terminal to itself.
fn edit(guard: &mut Guard, what: Edited, text: &str, env: &Env) -> Result<String, String> {
    edit_with(what, text, env, |command| guard.run_child(command))
}

/// The user's editor on a copy of the text; `run` runs it.
fn edit_with(
    what: Edited,
    text: &str,
    env: &Env,
    run: impl FnOnce(&mut Command) -> io::Result<ExitStatus>,
) -> Result<String, String> {
    let editor = env.get("VISUAL").or_else(|| env.get("EDITOR")).ok_or("set EDITOR or VISUAL to use an editor")?;
    let suffix = match what {
        Edited::Schema(form) => format!(".{}", form.name()),
        Edited::Prompt => ".md".to_owned(),
    };
    let name = |e: io::Error| format!("the editor could not be started: {e}");
    let mut file = tempfile::Builder::new().prefix("formwork-").suffix(&suffix).tempfile().map_err(name)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(name)?;
    // The variable may hold arguments (`code --wait`), so the shell splits it, as for every other program.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file.path());
    let status = run(&mut command).map_err(name)?;
    if !status.success() {
        return Err("the editor ended with an error: the text is as it was".to_owned());
    }
    fs_err::read_to_string(file.path()).map_err(|e| e.to_string())
}
