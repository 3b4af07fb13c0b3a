//! Line mode (`--plain`): the same program without a screen, for screen readers and pipes.
//!
//! Lines in, lines out. Commands of the table are given by slash form or by name, anything else is a prompt; what the
//! screen would show is told once, when it came. Writes no escape sequence, moves nothing, waits for what is under way
//! before it takes the next line. Decides nothing that `update` decides.

mod give;
mod popup;
mod tell;

use std::io::{self, BufRead, IsTerminal, Read};
use std::process::{Command, ExitCode};

use ratatui::Frame;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::app::{App, Outer, Stage};
use super::clipboard::Route;
use super::effect::Reply;
use super::frame::Link;
use super::state::{Sizes, State};
use super::update::Msg;
use super::{Options, begin, edit_with, first_state, places};
use crate::command::Id;
use crate::config::{Config, Env, Notify};
use tell::Teller;

/// Cells of a line of the program's own prose: what a braille display and a narrow window both take.
const WIDTH: u16 = 78;
/// Bytes of one line of input.
const MOST_INPUT: u64 = 4 * 1024 * 1024;
/// A command that wants to be given twice has this long: nobody reads out a warning in the screen's two seconds.
const ARMED: u64 = 10 * 60 * 1_000;

/// A stage nobody looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Stage for Silent {
    fn draw(&mut self, _: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        Ok(())
    }

    fn repaint(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Only escapes come here: none is wanted.
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the line mode until its input ends or `/quit`.
///
/// Exit codes: 0 end of input, quit or closed output, 1 output cannot be written, 130 SIGINT, 143 SIGTERM.
#[must_use]
pub fn run(options: Options, config: &Config) -> ExitCode {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let Ok(runtime) = built else { return ExitCode::FAILURE };
    let code = match runtime.block_on(inside(options, config)) {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(_) => 1,
    };
    runtime.shutdown_background();
    ExitCode::from(code)
}

async fn inside(options: Options, config: &Config) -> io::Result<u8> {
    let mut config = config.clone();
    (config.still, config.ascii, config.mouse, config.notify) = (true, true, false, Notify::Off);
    let mut places = places(&config, std::env::current_dir().unwrap_or_default());
    // Escapes have no way out of here.
    places.clipboard.retain(|route| matches!(route, Route::Program(_) | Route::Tmux));
    let mut state = first_state(&options, &config, &places);
    state.sizes =
        Sizes { page_width: WIDTH, screen: (WIDTH, 24), candidate: 24, result: 24, page: 24, ..Sizes::default() };
    let mut ends = Ends::listen()?;
    let mut app = App::new(state, Silent, places, Link::Local);
    begin(&mut app, options);
    let mut teller = Teller::new(io::stdout());
    teller.line(&give::greeting(&app.state))?;
    let code = drive(&mut app, &mut teller, &mut ends, &config.env).await;
    // The end of the input is no decision to give unsaved text up; `/quit` is.
    app.ending(u8::from(app.state.quit.is_none()));
    app.finish();
    code
}

async fn drive(app: &mut App<Silent>, teller: &mut Teller<io::Stdout>, ends: &mut Ends, env: &Env) -> io::Result<u8> {
    let mut lines = Lines::start();
    let mut held = None;
    loop {
        patient(&mut app.state);
        teller.tell(&mut app.state)?;
        if let Some(code) = app.state.quit {
            return Ok(code);
        }
        if let Some(outer) = app.outer.pop_front() {
            outside(app, outer, env);
            continue;
        }
        app.draw_if_due()?;
        if app.idle()
            && let Some(input) = held.take()
        {
            match input {
                Input::Line(text) => give::line(app, teller, &text)?,
                Input::TooLong => teller.line("the line is longer than 4 MiB: it was not taken")?,
                Input::End => return left(app, teller),
            }
            continue;
        }
        tokio::select! {
            biased;
            end = ends.next() => match end {
                End::Interrupt if app.state.running() => app.apply(Msg::Command(Id::RunCancel, String::new())),
                End::Interrupt => return Ok(130),
                End::Terminate => return Ok(143),
            },
            input = lines.next(), if held.is_none() => match input {
                Input::Line(text) if lines.typed && give::at_once(app, &text) => {}
                input => held = Some(input),
            },
            wake = app.wait() => app.wake(wake),
        }
    }
}

/// The input ended.
fn left(app: &App<Silent>, teller: &mut Teller<io::Stdout>) -> io::Result<u8> {
    if app.state.schema.dirty() {
        teller.line("the schema is not saved; its text is kept and the next start offers it")?;
    }
    Ok(0)
}

/// What is armed stays so for longer than a glance.
fn patient(state: &mut State) {
    let now = state.now;
    if let Some(armed) = state.armed.as_mut().filter(|armed| armed.until < now + ARMED / 2) {
        armed.until = now + ARMED;
    }
}

/// What the screen gives to the owner of the terminal: here only the editor has a meaning.
fn outside(app: &mut App<Silent>, outer: Outer, env: &Env) {
    match outer {
        Outer::Suspend | Outer::Mouse(_) => {}
        Outer::Edit { what, text } => {
            let there = io::stdin().is_terminal() && io::stdout().is_terminal();
            let text = if there {
                edit_with(what, &text, env, Command::status)
            } else {
                Err("an editor needs a terminal on standard input and output".to_owned())
            };
            app.apply(Msg::Reply(Box::new(Reply::Edit { what, text })));
        }
    }
}

/// What standard input brought.
enum Input {
    Line(String),
    TooLong,
    End,
}

/// Standard input, a line at a time and only when one is wanted: an editor in between has it alone.
struct Lines {
    wanted: std::sync::mpsc::Sender<()>,
    came: UnboundedReceiver<Input>,
    asked: bool,
    /// A person types: cancelling needs no waiting.
    typed: bool,
    /// Lines that go on.
    begun: String,
}

impl Lines {
    fn start() -> Self {
        let (wanted, wants) = std::sync::mpsc::channel();
        let (send, came) = unbounded_channel();
        // Blocked in a read it outlives the loop, and ends with the process.
        std::thread::spawn(move || {
            while wants.recv().is_ok() {
                if send.send(read(&mut io::stdin().lock())).is_err() {
                    return;
                }
            }
        });
        Self { wanted, came, asked: false, typed: io::stdin().is_terminal(), begun: String::new() }
    }

    /// The next line; one that ends in a backslash goes on in the next. Cancel-safe.
    async fn next(&mut self) -> Input {
        loop {
            if !self.asked {
                self.asked = self.wanted.send(()).is_ok();
            }
            let input = self.came.recv().await.unwrap_or(Input::End);
            self.asked = false;
            match input {
                Input::Line(text) => match text.strip_suffix('\\') {
                    Some(begun) if self.begun.len() as u64 <= MOST_INPUT => {
                        self.begun.push_str(begun);
                        self.begun.push('\n');
                    }
                    Some(_) => {
                        self.begun.clear();
                        return Input::TooLong;
                    }
                    None => return Input::Line(std::mem::take(&mut self.begun) + &text),
                },
                Input::End if !self.begun.is_empty() => return Input::Line(std::mem::take(&mut self.begun)),
                Input::TooLong | Input::End => return input,
            }
        }
    }
}

/// One line without its end. What is no UTF-8 gets stand-ins; a line that is too long is read to its end and dropped.
fn read(input: &mut impl BufRead) -> Input {
    let mut bytes = Vec::new();
    match input.by_ref().take(MOST_INPUT + 1).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => return Input::End,
        Ok(_) => {}
    }
    if bytes.len() as u64 > MOST_INPUT && !bytes.ends_with(b"\n") {
        while !bytes.ends_with(b"\n") {
            bytes.clear();
            if !matches!(input.by_ref().take(MOST_INPUT).read_until(b'\n', &mut bytes), Ok(1..)) {
                break;
            }
        }
        return Input::TooLong;
    }
    let text = String::from_utf8_lossy(&bytes);
    Input::Line(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// A signal that ends something.
enum End {
    Interrupt,
    Terminate,
}

#[cfg(unix)]
struct Ends(tokio::signal::unix::Signal, tokio::signal::unix::Signal);

#[cfg(unix)]
impl Ends {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self(signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
    }

    async fn next(&mut self) -> End {
        tokio::select! {
            Some(()) = self.0.recv() => End::Interrupt,
            Some(()) = self.1.recv() => End::Terminate,
            else => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
struct Ends;

#[cfg(not(unix))]
impl Ends {
    #[expect(clippy::unnecessary_wraps, reason = "the other systems' twin can fail")]
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> End {
        match tokio::signal::ctrl_c().await {
            Ok(()) => End::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_bounded_and_need_not_be_text() {
        let mut input: &[u8] = b"one\r\ntw\xffo\n";
        assert!(matches!(read(&mut input), Input::Line(line) if line == "one"));
        assert!(matches!(read(&mut input), Input::Line(line) if line == "tw\u{fffd}o"));
        assert!(matches!(read(&mut input), Input::End));
        let long = [vec![b'x'; 2 * 4 * 1024 * 1024 + 9], b"\nnext".to_vec()].concat();
        let mut input = long.as_slice();
        assert!(matches!(read(&mut input), Input::TooLong));
        assert!(matches!(read(&mut input), Input::Line(line) if line == "next"));
    }
}
