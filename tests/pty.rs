//! The real binary in a real pseudo terminal: what a person sees, and what the terminal is left with.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "pty/plain.rs"]
mod plain;
#[path = "support/term.rs"]
mod term;

use rustix::process::Signal;
use term::{LEAVE, Term};

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
    assert_ne!(t.code(), 0);
}
