//! Unsaved work outlives the program: killed, hung up, or ended by a signal; a quit gives it up.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/term.rs"]
mod term;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use term::Term;

fn drafts(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(dir.join("data/drafts")) else { return Vec::new() };
    let names = entries.filter_map(|e| Some(e.ok()?.path()));
    names.filter(|path| path.extension().is_some_and(|e| e == "txt")).collect()
}

fn kept(dir: &Path, text: &str) -> bool {
    drafts(dir).iter().any(|file| fs_err::read_to_string(file).is_ok_and(|kept| kept.contains(text)))
}

#[test]
fn kill_9_loses_at_most_a_second_and_the_next_start_offers_the_rest() {
    let mut t = Term::start();
    t.keys("/schema load schemas/invoice.json\r");
    t.until("loaded invoice.json");
    t.keys("\u{1b}1 ");
    t.keys("\u{1b}[200~precious\u{1b}[201~");
    t.until("precious");
    t.until_true("the draft is kept", |dir| kept(dir, "precious"));
    let file = drafts(t.folder()).remove(0);
    assert_eq!(fs_err::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    t.kill(Signal::KILL);
    t.code();

    let mut again = t.again("Unsaved work");
    again.keys("diff\r");
    again.until("+++ unsaved");
    again.keys("\u{1b}");
    again.until_gone("+++ unsaved");
    again.keys("/schema draft restore\r");
    again.until("the unsaved work is back");
    again.until("invoice.json (changed)");
    again.until("precious");
    // Saved or given up, nothing is left.
    again.keys("\u{11}");
    again.until("quit again");
    again.keys("\u{11}");
    assert_eq!(again.end(), 0);
    assert_eq!(drafts(t.folder()), Vec::<PathBuf>::new());
    let mut last = t.again("Welcome");
    last.keys("\u{11}");
    assert_eq!(last.end(), 0);
}

#[test]
fn a_signal_keeps_unsaved_work_at_once_and_saving_drops_it() {
    let mut t = Term::start();
    t.keys("\u{1b}1{\"a\": 1}");
    t.until("\"a\": 1");
    t.kill(Signal::TERM);
    assert_eq!(t.end(), 143);
    assert!(kept(t.folder(), "{\"a\": 1}"));
    let mut again = t.again("Unsaved work");
    again.keys("discard\r");
    again.until("given up");
    again.until_true("the draft is gone", |dir| drafts(dir).is_empty());
}
