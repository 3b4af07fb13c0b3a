//! For people who look elsewhere, and for those whom movement troubles.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::config::{Config, Notify};
use formwork::tui::state::Watched;
use formwork::tui::theme::ColorDepth;
use formwork::tui::update::Msg;
use screen::Screen;

fn screen(config: &Config) -> (Screen, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    (Screen::with(100, 30, dir.path(), config, ColorDepth::TrueColor), dir)
}

/// One run from begin to end.
fn ran(s: &mut Screen) {
    s.feed_run(false);
    s.delta(1, "\u{1b}]9;of the model\u{7}");
    s.app.apply(Msg::FeedEnd(s.app.state.runs));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_run_is_told_to_who_looks_elsewhere_and_only_when_asked_for() {
    for (notify, wanted) in [
        (Notify::Off, ""),
        (Notify::Bell, "\u{7}"),
        (Notify::Osc9, "\u{1b}]9;formwork: the run failed\u{7}"),
        (Notify::Osc777, "\u{1b}]777;notify;formwork;the run failed\u{7}"),
    ] {
        let (mut s, _dir) = screen(&Config { notify, ..Config::default() });
        ran(&mut s);
        assert_eq!(s.app.stage.written, b"", "who looks at it sees it");
        s.app.apply(Msg::Watched(Watched::No));
        ran(&mut s);
        assert_eq!(String::from_utf8_lossy(&s.app.stage.written), wanted);
        s.app.apply(Msg::FeedEnd(s.app.state.runs - 1));
        assert_eq!(s.app.stage.written.len(), wanted.len(), "a run of before is nobody's");
        s.app.apply(Msg::Watched(Watched::Yes));
        ran(&mut s);
        assert_eq!(s.app.stage.written.len(), wanted.len());
    }
}

#[tokio::test(start_paused = true)]
async fn without_animation_nothing_turns_and_the_time_moves_on_by_the_second() {
    let turning = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
    for (still, step) in [(false, 100), (true, 1_000)] {
        let (mut s, _dir) = screen(&Config { still, ..Config::default() });
        s.settle().await;
        s.feed_run(false);
        s.delta(1, "text");
        s.app.state.notice = None;
        assert_eq!(s.app.state.next_change().unwrap() % step, 0);
        assert!(s.app.state.next_change().unwrap() - s.app.state.now <= step);
        s.app.draw().unwrap();
        s.has("running");
        assert_eq!(s.text().contains(turning), !still, "{}", s.text());
    }
}
