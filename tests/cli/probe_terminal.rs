//! `formwork probe` in front of a person: the question, and Ctrl-C while it asks.

use crate::place::{KEY, Place};
use crate::server::{Answer, Server, text};
use crate::typed::Terminal;

fn start(place: &Place) -> Terminal {
    Terminal::start(place, &[("LAB_KEY", KEY)], &["probe", "lab/m"])
}

#[test]
fn anything_but_a_yes_sends_nothing() {
    let server = Server::start(Vec::new());
    let place = Place::with_declared(&server, "");
    for answer in ["n\r", "\r", "no\r", "maybe\r", "\u{4}"] {
        let mut terminal = start(&place);
        terminal.until("Go on? [y/N]");
        assert!(terminal.raw.contains("at most 5 requests"), "{:?}", terminal.raw);
        terminal.press(answer);
        let (code, rows) = terminal.end();
        assert_eq!(code, 0, "{rows:?}");
        assert!(rows.iter().any(|row| row.contains("nothing was sent")), "{answer:?}: {rows:?}");
        assert_eq!(server.rest(), 0, "{answer:?}: the server was asked");
    }
    assert!(!place.path("data/probes.json").exists());
}

#[test]
fn ctrl_c_at_the_question_sends_nothing() {
    let server = Server::start(Vec::new());
    let place = Place::with_declared(&server, "");
    let mut terminal = start(&place);
    terminal.until("Go on? [y/N]");
    terminal.press("\u{3}");
    let (code, rows) = terminal.end();
    assert_ne!(code, 0, "{rows:?}");
    assert_eq!(server.rest(), 0);
}

#[test]
fn ctrl_c_ends_a_probe_under_way_and_nothing_is_kept() {
    let server = Server::start(vec![text("A door opens."), Answer::Hang(Vec::new())]);
    let place = Place::with_declared(&server, "");
    let mut terminal = start(&place);
    terminal.until("Go on? [y/N]");
    terminal.press("y\r");
    terminal.until("streaming: enforced");
    server.request();
    server.request();
    terminal.press("\u{3}");
    let (code, rows) = terminal.end();
    assert_eq!(code, 130, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("nothing was kept")), "{rows:?}");
    assert!(!place.path("data/probes.json").exists());
    assert_eq!(server.rest(), 0);
}
