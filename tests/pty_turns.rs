//! Turns and raw events in a real terminal: the program as a process, keys as bytes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/term.rs"]
mod term;

use term::Term;

#[test]
fn a_prompt_is_run_read_event_by_event_and_run_again_as_a_branch() {
    let mut t = Term::start();
    t.keys("\u{e}");
    t.until("legal");
    t.keys("\u{1b}2Rate the book Dune\r");
    t.until("valid SIMULATED");
    t.keys("\u{1b}5");
    t.until("accepted");
    t.keys("v");
    t.until("Raw events");
    t.keys("g");
    t.until("event 1 of");
    t.keys("\u{1b}[C");
    t.until("read 2 of");
    t.keys("q\u{1b}q");
    t.until("Turns of the session");
    t.keys("e");
    t.until("sending it makes a branch");
    t.keys(" Messiah\r");
    t.until_gone("sending it makes a branch");
    t.until("valid SIMULATED");
    t.keys("\u{1b}q");
    t.until("branch 2 of 2");
    t.until("Dune Messiah");
    t.keys("q\u{11}");
    assert_eq!(t.end(), 0);
    t.assert_restored();
}
