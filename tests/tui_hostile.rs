//! The terminal program against what models, files and terminals do at their worst.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use std::path::Path;
use std::time::Duration;

use formwork::command::Id;
use formwork::config::Config;
use formwork::event::{ErrorCode, Mode, RunEvent};
use formwork::feed::Item;
use formwork::issue::Issue;
use formwork::json::{ParseLimits, parse};
use formwork::tui::state::Region;
use formwork::tui::state::Tone;
use formwork::tui::state::popup::Popup;
use formwork::tui::state::probe::Probing;
use formwork::tui::theme::ColorDepth;
use formwork::tui::update::{Msg, Pointer};
use screen::Screen;

/// Text that writes, hides, reverses, joins and overflows.
const EVIL: &str = "a\u{1b}]52;c;aGk=\u{7}b\u{1b}[2J\u{9b}31m\u{202e}gnp\u{2066}x\u{200b}\u{feff}\u{ad}\u{e0041}\r\u{8}\u{7f}語語\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}e\u{301}\u{1f3f4}\u{fffd}";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

async fn fresh(width: u16, height: u16, dir: &Path) -> Screen {
    let mut s = Screen::new(width, height, dir);
    s.settle().await;
    s
}

/// No cell holds what a terminal would obey or what reorders or hides text; a joiner only inside a picture.
#[track_caller]
fn assert_safe(s: &Screen, what: &str) {
    for cell in &s.app.stage.buffer.content {
        let bad = |c: char| {
            c.is_control()
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c)
                || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' | '\u{ad}' | '\u{e0041}')
        };
        assert!(!cell.symbol().chars().any(bad), "{what}: {:?}\n{}", cell.symbol(), s.text());
        assert!(!cell.symbol().starts_with('\u{200d}'), "{what}");
    }
}

fn issue(n: usize) -> Issue {
    Issue {
        code: "schema_violation",
        path: format!("/{EVIL}/{n}"),
        schema_path: format!("/properties/{EVIL}"),
        message: format!("{n} {EVIL}"),
        keyword: EVIL.to_owned(),
    }
}

fn retry(attempt: u32) -> Item {
    Item::Event(RunEvent::StructuredOutputRetry {
        attempt,
        next_attempt: attempt + 1,
        code: ErrorCode::ValidationFailed,
        issues: (0..3).map(issue).collect(),
        omitted: 7,
        position: None,
        hint: None,
    })
}

fn value(text: &str) -> Item {
    let value = parse(text, ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 }).unwrap();
    Item::Event(RunEvent::StructuredOutputEnd { attempt: 1, mode: Mode::Native, value })
}

#[tokio::test(start_paused = true)]
async fn evil_text_is_tame_in_every_pane_and_popup() {
    let dir = folder();
    for (width, height) in [(200, 50), (100, 30), (60, 20), (41, 11)] {
        let mut s = fresh(width, height, dir.path()).await;
        s.app.apply(Msg::Paste(format!("{EVIL}\n{EVIL}")));
        s.keys(&["alt-1"]);
        s.app.apply(Msg::Paste(format!("{{\"{EVIL}\": \"{EVIL}\"}}")));
        s.settle().await;
        assert_safe(&s, "schema");
        s.keys(&["alt-p"]);
        assert_safe(&s, "problems");
        s.keys(&["esc"]);
        s.app.state.models.name = format!("lab/{EVIL}");
        s.feed_run(true);
        s.feed(vec![
            Item::Event(RunEvent::ThinkingDelta { output_attempt: 1, delta: EVIL.repeat(20) }),
            Item::Event(RunEvent::TextDelta { output_attempt: 1, delta: EVIL.repeat(20) }),
            retry(1),
        ]);
        let quoted = format!("{{\"k\\u001b\\u202e語\": [\"{}\"]}}", "\\u001b[2J\\u202e語".repeat(30));
        s.feed(vec![value(&quoted)]);
        s.settle().await;
        for keys in [
            &["alt-3", "left", "t"][..],
            &["alt-4"],
            &["E"],
            &["down", "down"],
            &["r"],
            &["alt-5", "["],
            &["alt-i"],
            &["esc", "alt-m"],
            &["esc", "ctrl-p", "type:e"],
            &["esc", "f1"],
            &["esc", "alt-w"],
            &["esc", "f9"],
        ] {
            s.keys(keys);
            assert_safe(&s, keys[0]);
        }
        s.app.apply(Msg::Say(Tone::Bad, EVIL.to_owned()));
        s.app.draw().unwrap();
        assert_safe(&s, "notice");
        s.command(Id::Probe, &format!("llama_cpp/{EVIL}"));
        assert!(matches!(s.app.state.popups.last(), Some(Popup::Ask(_))));
        assert_safe(&s, "question");
        s.keys(&["esc"]);
        s.app.state.notice = None;
        s.app.state.probe = Some(Probing::new(format!("llama_cpp/{EVIL}"), 0));
        s.app.draw().unwrap();
        assert_safe(&s, "probe");
    }
}

#[tokio::test(start_paused = true)]
#[cfg(unix)]
async fn file_names_with_control_characters_are_shown_tame_and_can_be_loaded() {
    let dir = folder();
    let name = "x\u{1b}[2J\u{202e}\n.json";
    fs_err::write(dir.path().join(name), "{}").unwrap();
    let mut s = fresh(100, 30, dir.path()).await;
    s.steps(&["type:/schema load x"]).await;
    assert_safe(&s, "completion");
    s.has("/schema load x");
    s.keys(&["ctrl-c"]);
    s.steps(&["ctrl-o"]).await;
    assert_safe(&s, "picker");
    s.steps(&["enter"]).await;
    assert_safe(&s, "loaded");
    s.has("loaded");
    assert_eq!(s.app.state.schema.editor.text(), "{}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_goes_between_the_list_and_the_choice_is_told() {
    let dir = folder();
    fs_err::write(dir.path().join("gone.json"), "{}").unwrap();
    let mut s = fresh(100, 30, dir.path()).await;
    s.steps(&["ctrl-o"]).await;
    s.has("gone.json");
    fs_err::remove_file(dir.path().join("gone.json")).unwrap();
    s.steps(&["enter"]).await;
    s.has("✗ gone.json");
    s.steps(&["type:/schema load nowhere/at/all/x"]).await;
    s.has("/schema load nowhere/at/all/x");
    s.lacks("❯ nowhere");
}

#[tokio::test(start_paused = true)]
#[cfg(unix)]
async fn a_folder_that_cannot_be_read_completes_to_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder();
    let closed = dir.path().join("closed");
    fs_err::create_dir(&closed).unwrap();
    fs_err::write(dir.path().join("plain.json"), "{}").unwrap();
    fs_err::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let mut s = fresh(100, 30, dir.path()).await;
    s.steps(&["type:/schema load closed/"]).await;
    s.steps(&["ctrl-c", "ctrl-o"]).await;
    s.has("plain.json");
    // A file where a folder is meant.
    s.steps(&["esc", "type:/schema load plain.json/x", "enter"]).await;
    s.has("plain.json/x");
    fs_err::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_schema_of_one_line_and_a_mebibyte_is_edited() {
    let dir = folder();
    let mut s = fresh(100, 30, dir.path()).await;
    let long = format!("{{\"description\":\"{}\"}}", "語x".repeat((1 << 18) - 100));
    s.keys(&["alt-1"]);
    s.app.apply(Msg::Paste(long));
    s.settle().await;
    s.has("legal");
    s.keys(&["home"]);
    s.has("{\"description\":\"語x語x");
    s.keys(&["end", "backspace", "type:}"]);
    s.settle().await;
    s.has("legal");
}

#[tokio::test(start_paused = true)]
async fn a_candidate_of_five_mebibytes_and_a_result_of_ten_stay_walkable() {
    let dir = folder();
    let mut s = fresh(100, 30, dir.path()).await;
    s.feed_run(true);
    let line = format!("{}\n", "text ".repeat(20));
    for _ in 0..50 {
        s.delta(1, &line.repeat((5 << 20) / 50 / line.len()));
    }
    s.keys(&["alt-3", "home", "end", "pageup"]);
    let rows = &s.app.state.run.as_ref().unwrap().attempts[0].rows;
    let area = ratatui::layout::Rect::new(0, 0, 60, 20);
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    let scroll = &s.app.state.run.as_ref().unwrap().attempts[0].scroll;
    assert!(rows.render(area, &mut buffer, scroll, &s.app.state.theme) <= 20);
    let item = format!("{{\"k\": \"{}\"}}", "v".repeat(90));
    let all = format!("[{}]", vec![item.as_str(); (10 << 20) / item.len()].join(","));
    s.feed(vec![value(&all)]);
    s.settle().await;
    s.keys(&["alt-4", "end", "home", "C", "E", "end", "r", "end"]);
    s.has("raw");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_attempts_and_a_value_a_thousand_deep_are_walked() {
    let dir = folder();
    for (width, height) in [(200, 50), (60, 20), (41, 11)] {
        let mut s = fresh(width, height, dir.path()).await;
        s.feed_run(true);
        for n in 1..100 {
            s.feed(vec![retry(n)]);
        }
        s.keys(&["alt-5", "alt-left", "alt-left", "home", "n", "n", "n", "enter", "s", "alt-5", "end"]);
        s.command(Id::AttemptShow, "57");
        assert_eq!(s.app.state.run.as_ref().unwrap().shown().unwrap().number, 57);
        let deep = format!("{}1{}", "[".repeat(1_000), "]".repeat(1_000));
        s.feed(vec![value(&deep)]);
        s.settle().await;
        s.keys(&["alt-4", "E", "end", "left", "left", "right", "r", "end"]);
        assert_safe(&s, "deep");
    }
}

/// Every size that meets an edge of the layout, in every state that lays out differently.
#[tokio::test(start_paused = true)]
async fn no_size_breaks_the_screen() {
    let dir = folder();
    fs_err::write(dir.path().join("a.json"), "{}").unwrap();
    let edges = |edges: &[u16], step: usize, most: u16| {
        let near = edges.iter().flat_map(|e| [e - 1, *e, e + 1]);
        (0..=most).step_by(step).chain(near).chain(0..6).collect::<Vec<u16>>()
    };
    let widths = edges(&[30, 40, 44, 50, 60, 70, 80, 100, 110, 120], 13, 220);
    let heights = edges(&[10, 14, 20, 24, 27, 40, 43], 7, 60);
    let mut s = fresh(120, 36, dir.path()).await;
    let scenes: [&[&str]; 12] = [
        &[],
        &["ctrl-n", "alt-1"],
        &["alt-2", "type:x", "enter"],
        &["alt-5", "["],
        &["alt-3", "t"],
        &["alt-4", "E"],
        &["f9"],
        &["f9", "f1"],
        // The popups above one another.
        &["esc", "ctrl-p", "type:e"],
        &["esc", "alt-m"],
        &["esc", "alt-4", "/"],
        &["esc", "alt-2", "type:/sch"],
    ];
    for keys in scenes {
        s.steps(keys).await;
        for width in &widths {
            for height in &heights {
                s.resize(*width, *height);
                let small = *width < 40 || *height < 10;
                let told = s.text().contains("too small");
                assert!(told == small || *width < 22 || *height < 1, "{width}x{height} {keys:?}\n{}", s.text());
            }
        }
    }
}

/// `config.ascii`: not one sign of ours beyond ASCII, in any view.
#[tokio::test(start_paused = true)]
async fn ascii_means_ascii_everywhere() {
    let dir = folder();
    fs_err::write(dir.path().join("a.json"), "{ \"type\": 5 }").unwrap();
    let config = Config { ascii: true, ..Config::default() };
    for (width, height) in [(200, 50), (100, 30), (60, 20), (45, 12), (30, 8)] {
        let mut s = Screen::with(width, height, dir.path(), &config, ColorDepth::TrueColor);
        s.settle().await;
        let scenes: [&[&str]; 17] = [
            &[],
            &["type:/schema load a.json", "enter"],
            &["alt-p"],
            &["esc", "ctrl-o"],
            &["esc", "ctrl-n", "ctrl-n"],
            &["alt-2", "type:Rate Dune", "enter"],
            &["alt-5", "["],
            &["r"],
            &["esc", "alt-i"],
            &["esc", "alt-3"],
            &["alt-4"],
            &["ctrl-p"],
            &["esc", "alt-m"],
            &["esc", "alt-t"],
            &["esc", "f1"],
            &["esc", "alt-w"],
            &["esc", "alt-2", "type:/probe llama_cpp/m", "enter"],
        ];
        for keys in scenes {
            s.steps(keys).await;
            let text = s.text();
            let odd: String = text.chars().filter(|c| !c.is_ascii()).collect();
            assert!(odd.is_empty(), "{width}x{height} {keys:?}: {odd:?}\n{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_mouse_is_off_until_asked_for_and_does_what_it_says() {
    let dir = folder();
    let mut s = fresh(120, 36, dir.path()).await;
    assert!(!s.app.state.mouse);
    s.steps(&["ctrl-n", "type:/mouse", "enter"]).await;
    s.has("the mouse is on");
    s.app.draw().unwrap();
    s.app.apply(Msg::Mouse(Pointer::Press(5, 5)));
    assert_eq!(s.app.state.focus, Region::Schema);
    s.feed_run(false);
    s.delta(1, &(0..200).map(|n| format!("line{n}")).collect::<Vec<_>>().join("\n"));
    // the last cluster waits for the next delta
    s.has("line198");
    s.app.apply(Msg::Mouse(Pointer::WheelUp(90, 10)));
    s.app.draw().unwrap();
    s.lacks("line198");
    assert_eq!(s.app.state.focus, Region::Schema, "the wheel does not take the focus");
    s.keys(&["f1"]);
    s.app.apply(Msg::Mouse(Pointer::Press(90, 10)));
    assert_eq!(s.app.state.focus, Region::Schema, "what is below a popup is not there");
    s.app.apply(Msg::Mouse(Pointer::WheelDown(90, 10)));
    s.app.draw().unwrap();
    s.keys(&["esc"]);
    s.command(Id::Mouse, "");
    s.has("the mouse is off");
}

/// A flood is drawn at the pace, a key at once.
#[tokio::test(start_paused = true)]
async fn a_key_is_drawn_before_the_frame_of_the_feed() {
    let dir = folder();
    let mut s = fresh(100, 30, dir.path()).await;
    s.feed_run(false);
    s.delta(1, "x");
    s.app.draw().unwrap();
    let frames = s.app.frames;
    tokio::time::advance(Duration::from_millis(5)).await;
    let event = RunEvent::TextDelta { output_attempt: 1, delta: "y".to_owned() };
    s.app.apply(Msg::Feed(s.app.state.runs, vec![Item::Event(event)]));
    s.app.draw_if_due().unwrap();
    assert_eq!(s.app.frames, frames, "a delta waits for the pace");
    s.app.apply(Msg::Key("z".parse().unwrap()));
    s.app.draw_if_due().unwrap();
    assert_eq!(s.app.frames, frames + 1, "a key does not");
}
