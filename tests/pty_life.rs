//! The real binary through everything that happens to a terminal: stopped, resized, hung up, pasted into, flooded.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/term.rs"]
mod term;

use rustix::process::Signal;
use term::{LEAVE, Term};

const ENTER: &str = "\u{1b}[?1049h";
const CTRL_N: &str = "\u{e}";
const CTRL_Q: &str = "\u{11}";
const CTRL_Z: &str = "\u{1a}";

#[test]
fn ctrl_z_gives_the_shell_its_terminal_and_fg_brings_the_screen_back() {
    let mut t = Term::start_in_shell("set -m; \"$0\"; echo STOP''PED; read line; fg >/dev/null; exit $?");
    t.keys("half a thought");
    t.until("half a thought");
    t.keys(CTRL_Z);
    t.until_raw("STOPPED");
    let raw = String::from_utf8_lossy(&t.raw).into_owned();
    assert!(raw.rfind(LEAVE) > raw.rfind(ENTER), "the shell has the main screen");
    t.keys("\r");
    t.until("half a thought");
    t.keys(" goes on");
    t.until("half a thought goes on");
    t.keys(CTRL_Q);
    assert_eq!(t.end(), 0);
    t.assert_restored();
    let raw = String::from_utf8_lossy(&t.raw).into_owned();
    assert_eq!(raw.matches(ENTER).count(), 2, "at the start and after fg, no flash of the main screen");
}

#[test]
fn the_editor_gets_the_terminal_alone_and_its_text_is_taken() {
    let mut t =
        Term::start_with_editor("echo EDIT''ING; read key; printf '{\"type\":\"string\",\"maxLength\":7}' > \"$1\"");
    t.keys(CTRL_N);
    t.until("legal");
    t.keys("\u{1b}1\u{1b}o");
    t.until_raw("EDITING");
    // What is typed now is the editor's.
    t.keys("q\r");
    t.until("\"maxLength\":7");
    t.until("legal");
    t.until("❯ 1 Schema");
    t.keys("\u{1b}2after");
    t.until("after");
    t.keys(&format!("{CTRL_Q}{CTRL_Q}"));
    assert_eq!(t.end(), 0);
    t.assert_restored();
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let mut t = Term::start_with_editor("echo ruined > \"$1\"; exit 3");
    t.keys(CTRL_N);
    t.until("legal");
    t.keys("\u{1b}1\u{1b}o");
    t.until("the text is as it was");
    t.until("\"A short title\"");
}

/// The shell leads the session and takes the kernel's SIGHUP, so that the program is told by nothing but its input. A
/// program that polls a dead terminal burns a whole core: the shell's `times` would tell.
#[test]
fn a_hang_up_without_a_signal_ends_it_and_it_does_not_spin() {
    let mut t = Term::start_in_shell("trap '' HUP; \"$0\"; echo $? > code; times >> code");
    t.close();
    t.code();
    let told = fs_err::read_to_string(t.folder().join("code")).unwrap();
    let mut lines = told.lines();
    assert_eq!(lines.next(), Some("129"));
    let spent = lines.nth(1).unwrap();
    let seconds: f64 = spent
        .split_whitespace()
        .map(|t| t.trim_end_matches('s').split_once('m').unwrap())
        .map(|(m, s)| m.parse::<f64>().unwrap() * 60.0 + s.parse::<f64>().unwrap())
        .sum();
    assert!(seconds < 1.0, "{told}");
}

#[test]
fn a_hang_up_during_a_run_ends_it() {
    let mut t = Term::start();
    t.keys("/model sim/slow\r");
    t.until("answers from now on");
    t.keys("x\r");
    t.until("running");
    t.close();
    assert_ne!(t.code(), 0);
}

#[test]
fn sigint_restores_and_says_130() {
    let mut t = Term::start();
    t.kill(Signal::INT);
    assert_eq!(t.end(), 130);
    t.assert_restored();
}

#[test]
fn sighup_ends_it_with_129() {
    let mut t = Term::start();
    t.kill(Signal::HUP);
    assert_eq!(t.end(), 129);
}

#[test]
fn a_storm_of_sizes_during_a_run_ends_in_the_right_picture() {
    let mut t = Term::start();
    t.keys(CTRL_N);
    t.until("legal");
    t.keys("/model sim/slow\r");
    t.until("answers from now on");
    t.keys("x\r");
    t.until("running");
    for i in 0..300_u16 {
        t.resize(1 + i * 37 % 220, 1 + i * 13 % 60);
    }
    t.resize(120, 36);
    t.until("legal");
    t.until("╭ 1 Schema");
    t.keys("\u{1b}");
    t.until("cancelled");
    t.keys(&format!("{CTRL_Q}{CTRL_Q}"));
    assert_eq!(t.end(), 0);
    t.assert_restored();
}

#[test]
fn a_paste_with_returns_and_escape_codes_is_text() {
    let mut t = Term::start();
    t.keys("\u{1b}[200~one\r\u{1b}]0;evil\u{7}\u{1b}[31mtwo\r\n/quit\r\u{202e}end\u{1b}[201~");
    t.until("end");
    t.until("/quit");
    t.until("Welcome");
    let raw = String::from_utf8_lossy(&t.raw).into_owned();
    assert!(!raw.contains("\u{1b}]0;evil") && !raw.contains('\u{7}') && !raw.contains('\u{202e}'), "{raw:?}");
    t.keys(CTRL_Q);
    assert_eq!(t.end(), 0);
}

#[test]
fn typing_goes_on_while_thousands_of_deltas_arrive_and_esc_stops_them() {
    let mut t = Term::start();
    let delta = r#"{"text":"word "},{"wait_ms":1}"#;
    let script = format!("[[{},{{\"wait_ms\":600000}}]]", vec![delta; 20_000].join(","));
    fs_err::write(t.folder().join("flood.json"), script).unwrap();
    t.keys("/model sim/script:flood.json\r");
    t.until("answers from now on");
    t.keys("x\r");
    t.until("running");
    let mut typed = String::new();
    for word in ["while", " it", " floods", " one", " types"] {
        typed.push_str(word);
        t.keys(word);
        t.until(&typed);
    }
    t.keys("\u{1b}");
    t.until("cancelled");
    t.until(&typed);
    t.keys(CTRL_Q);
    assert_eq!(t.end(), 0);
    t.assert_restored();
}

#[test]
fn quitting_during_a_run_leaves_at_once() {
    let mut t = Term::start();
    t.keys("/model sim/slow\r");
    t.until("answers from now on");
    t.keys("x\r");
    t.until("running");
    t.keys(CTRL_Q);
    assert_eq!(t.end(), 0);
    t.assert_restored();
}
