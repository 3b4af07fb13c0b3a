//! Signals, closed pipes and endless providers.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::PAIR;
use crate::place::{Ended, Place};
use crate::server::{Answer, Server, choice, pieces};

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Signals a run whose provider hangs after its first words; gives the end and how long it took.
fn cut(signal: Signal, more: &[&str]) -> (Ended, Duration) {
    let server = Server::start(vec![Answer::Hang(pieces("{\"b\""))]);
    let place = Place::with_lab(&server);
    place.write("pair.json", PAIR);
    let child = place.spawn(&[&["-p", "x", "--json-schema", "pair.json", "-m", "lab/m"], more].concat());
    server.request();
    let begun = Instant::now();
    send(&child, signal);
    let ended = Ended::from(child.wait_with_output().unwrap());
    (ended, begun.elapsed())
}

#[test]
fn an_interrupt_ends_a_hanging_run_with_130_at_once() {
    let (ended, took) = cut(Signal::INT, &[]);
    ended.fails(130, "cancelled");
    // 100 ms is the promise; a loaded test machine gets some more.
    assert!(took < Duration::from_millis(600), "took {took:?}");
}

#[test]
fn a_terminate_ends_with_143_and_the_events_are_closed() {
    let (ended, _) = cut(Signal::TERM, &["--events"]);
    assert_eq!(ended.code, Some(143), "{}", ended.stderr);
    let last = ended.stdout.lines().last().unwrap_or_default();
    assert!(last.contains("\"type\":\"error\"") && last.contains("\"code\":\"cancelled\""), "{last}");
}

#[test]
fn an_interrupt_ends_the_wait_for_standard_input() {
    let place = Place::new();
    let mut child = place.command(&["--print", "-m", "sim/sample"]).stdin(Stdio::piped()).spawn().unwrap();
    // More than a pipe holds: once it is written, the program is reading, and its handlers stand.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&vec![b'x'; 1 << 20]).unwrap();
    send(&child, Signal::INT);
    let status = child.wait().unwrap();
    drop(stdin);
    assert_eq!(status.code(), Some(130));
}

/// A pipe that nobody empties holds a write for ever: neither the signal nor the program may wait for it.
#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_does_not_read_holds_no_signal_up() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let server = Server::start(vec![Answer::Endless(choice(&json!({ "content": "line\n".repeat(200) }), None))]);
        let place = Place::with_lab(&server);
        let mut child = place.spawn(&["-p", "x", "-m", "lab/m"]);
        let stdout = child.stdout.take().unwrap();
        let mut full = 0;
        // The pipe is full when what lies in it stays above all but one page.
        while full < 60_000 {
            full = rustix::io::ioctl_fionread(&stdout).unwrap();
            std::thread::yield_now();
        }
        let begun = Instant::now();
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(begun.elapsed() < Duration::from_millis(600), "took {:?}", begun.elapsed());
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let frame = choice(&json!({ "content": "line\n".repeat(200) }), None);
    let server = Server::start(vec![Answer::Endless(frame)]);
    let place = Place::with_lab(&server);
    let mut child = place.spawn(&["-p", "x", "-m", "lab/m"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "line\n");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(stderr, "");
}

#[test]
fn help_to_a_closed_pipe_is_quiet() {
    let place = Place::new();
    for args in [&["--help"][..], &["--version"], &["man"], &["completions", "bash"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(args).stdout(Stdio::from(writer)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn an_endless_text_is_bounded_by_the_deadline() {
    let frame = choice(&json!({ "content": "x" }), None);
    let server = Server::start(vec![Answer::Endless(frame)]);
    let place = Place::with_lab(&server);
    place.write("pair.json", PAIR);
    let ended = place.run(&["-p", "x", "--json-schema", "pair.json", "-m", "lab/m", "--timeout", "1"]);
    assert!(matches!(ended.code, Some(124 | 4)), "{:?} {}", ended.code, ended.stderr);
    assert_eq!(ended.stdout, "");
}
