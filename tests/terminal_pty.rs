//! The terminal guard in a real pseudo terminal: every ending gives the terminal back. The children are the ignored
//! tests of this file, run by name inside the terminal.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

use std::io::{Read, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use formwork::tui::terminal::{Focus, Guard, Mouse, Screen, Signal, Signals};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal as Number, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

/// Long enough for a loaded machine; reached only when the test fails.
const PATIENCE: Duration = Duration::from_secs(20);
const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l\u{1b}[?25h";

/// A child in a terminal of its own.
struct Session {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    /// Keeps the terminal open after the child, to look at its modes.
    tty: Option<fs_err::File>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Session {
    fn start(role: &str) -> Self {
        Self::start_with(CommandBuilder::new(std::env::current_exe().unwrap()), role)
    }

    /// Below a shell with job control, which asks for a line before it continues what was stopped.
    fn start_in_shell(role: &str) -> Self {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", "set -m; \"$0\" \"$@\"; echo STOPPED; read line; fg"]);
        command.arg(std::env::current_exe().unwrap());
        Self::start_with(command, role)
    }

    fn start_with(mut command: CommandBuilder, role: &str) -> Self {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        command.args(["--exact", role, "--ignored", "--nocapture", "--test-threads=1"]);
        let tty = fs_err::File::open(pair.master.tty_name().unwrap()).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer.get(..n).unwrap().to_vec()).is_err() {
                    break;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self { child, master: Some(pair.master), tty: Some(tty), writer, output, seen: String::new() }
    }

    fn until(&mut self, text: &str) {
        self.until_last(text, "");
    }

    /// Waits for `text` after the last `before`.
    fn until_last(&mut self, text: &str, before: &str) {
        while self.seen.rfind(text).is_none_or(|at| !before.is_empty() && self.seen.rfind(before) > Some(at)) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("no {text:?} ({error}) in {:?}", self.seen),
            }
        }
    }

    fn is_raw(&self) -> bool {
        let modes = tcgetattr(self.tty.as_ref().unwrap()).unwrap().local_modes;
        !modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    fn type_in(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).unwrap();
    }

    fn kill(&self, signal: Number) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    fn exit_code(&mut self) -> u32 {
        self.child.wait().unwrap().exit_code()
    }
}

/// Restored: the alternate screen left, the cursor shown last of all modes, cooked mode.
fn assert_restored(session: &mut Session) {
    session.until_last(LEAVE, ENTER);
    session.exit_code();
    assert!(!session.is_raw());
    let after = session.seen.rsplit(LEAVE).next().unwrap();
    assert!(!after.contains("\u{1b}[?"), "{after:?}");
}

#[test]
fn a_normal_end_restores() {
    let mut session = Session::start("child_waits_for_a_key");
    session.until("READY");
    assert!(session.is_raw());
    assert!(session.seen.contains("\u{1b}[?1049h") && session.seen.contains("\u{1b}[?2026h"));
    session.type_in("q");
    assert_restored(&mut session);
}

#[test]
fn a_panic_restores_then_tells_the_place_only() {
    let mut session = Session::start("child_panics");
    session.until("READY");
    session.type_in("q");
    session.until("panicked at ");
    let (screen, told) = session.seen.rsplit_once(LEAVE).unwrap();
    assert!(told.contains("terminal_pty.rs") && !screen.contains("panicked"), "{told:?}");
    assert_restored(&mut session);
    assert!(!session.seen.contains("PAYLOAD"), "{:?}", session.seen);
}

#[test]
fn signals_end_it_restored() {
    for signal in [Number::TERM, Number::INT, Number::HUP] {
        let mut session = Session::start("child_waits_for_a_signal");
        session.until("READY");
        session.kill(signal);
        assert_restored(&mut session);
    }
}

#[test]
fn a_child_gets_the_terminal_alone_and_the_screen_comes_back() {
    let mut session = Session::start("child_runs_a_child");
    session.until("READY");
    session.until("CHILD");
    let before = session.seen.split("CHILD").next().unwrap();
    assert!(before.ends_with(LEAVE), "{before:?}");
    session.until("AGAIN");
    assert!(!session.seen.contains("\u{1b}[6n"), "no question to the terminal");
    assert!(session.is_raw());
    session.type_in("q");
    assert_restored(&mut session);
}

#[test]
fn suspend_gives_the_terminal_to_the_shell_and_takes_it_back() {
    let mut session = Session::start_in_shell("child_suspends_itself");
    session.until("READY");
    session.type_in("z");
    session.until("STOPPED");
    assert!(session.seen.rfind(LEAVE) > session.seen.rfind(ENTER), "{:?}", session.seen);
    assert!(!session.is_raw());
    session.type_in("\r");
    session.until("AGAIN");
    assert!(session.is_raw());
    session.type_in("q");
    assert_restored(&mut session);
}

#[test]
fn a_closed_terminal_ends_it() {
    let mut session = Session::start("child_waits_for_a_signal");
    session.until("READY");
    session.tty = None;
    session.master = None;
    session.writer = Box::new(std::io::sink());
    // The reader's copy of the terminal goes when it has something to give and nobody takes it.
    session.output = channel().1;
    session.kill(Number::CONT);
    let (done, ended) = channel();
    let mut child = session.child;
    std::thread::spawn(move || done.send(child.wait().unwrap().exit_code()));
    assert!(ended.recv_timeout(PATIENCE).is_ok(), "it stayed");
}

fn enter() -> (Guard, Screen) {
    let guard = Guard::enter(Mouse::Off, Focus::Untold).unwrap();
    let mut screen = Screen::new().unwrap();
    screen.draw(|frame| frame.render_widget("READY", frame.area())).unwrap();
    (guard, screen)
}

fn wait_for_a_key() {
    let mut byte = [0];
    std::io::stdin().read_exact(&mut byte).unwrap();
}

#[test]
#[ignore = "a child of the tests above"]
fn child_waits_for_a_key() {
    let _held = enter();
    wait_for_a_key();
}

#[test]
#[ignore = "a child of the tests above"]
fn child_panics() {
    let _held = enter();
    wait_for_a_key();
    panic!("PAYLOAD");
}

#[test]
#[ignore = "a child of the tests above"]
fn child_suspends_itself() {
    let (mut guard, mut screen) = enter();
    wait_for_a_key();
    guard.suspend().unwrap();
    screen.repaint().unwrap();
    screen.draw(|frame| frame.render_widget("AGAIN", frame.area())).unwrap();
    wait_for_a_key();
}

#[test]
#[ignore = "a child of the tests above"]
fn child_runs_a_child() {
    let (mut guard, mut screen) = enter();
    let status = guard.run_child(Command::new("sh").args(["-c", "echo CHILD"])).unwrap();
    assert!(status.success());
    screen.repaint().unwrap();
    screen.draw(|frame| frame.render_widget("AGAIN", frame.area())).unwrap();
    wait_for_a_key();
}

#[test]
#[ignore = "a child of the tests above"]
fn child_waits_for_a_signal() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut signals = Signals::listen().unwrap();
        let (_guard, mut screen) = enter();
        loop {
            match signals.next().await {
                Signal::Terminate | Signal::Interrupt | Signal::Hangup => break,
                Signal::Continue => {
                    screen.repaint().unwrap();
                    screen.draw(|frame| frame.render_widget("CONTINUED", frame.area())).unwrap();
                }
            }
        }
    });
}
