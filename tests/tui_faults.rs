//! The faults of other terminal programs, as data: every `tui` and `pty` case of `cases/faults.jsonl` is run here or
//! names the test that covers its kind.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/screen.rs"]
mod screen;

use formwork::event::{Mode, RunEvent};
use formwork::feed::Item;
use formwork::json::{Value, resolve};
use formwork::tui::clipboard::{Route, escape};
use formwork::tui::rows::{Gutter, Rows, Syntax};
use formwork::tui::update::Msg;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use screen::Screen;

/// Cases that need the real terminal, or more than a screen: the test of this repository that has their kind.
const ELSEWHERE: &[(&str, &str)] = &[
    ("tu-009", "pty::a_paste_of_lines_is_not_sent_even_without_brackets"),
    ("tu-016", "tui::terminal::tests::tu_016_the_cursor_is_shown_last, terminal_pty::assert_restored"),
    ("tu-017", "pty::a_panic_restores_and_is_told_on_the_main_screen"),
];

fn text(case: &Value, path: &str) -> String {
    resolve(case, path).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn texts(case: &Value, path: &str) -> Vec<String> {
    match resolve(case, path) {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test(start_paused = true)]
async fn every_fault_of_a_terminal_program_is_run_or_named() {
    let mut seen = 0;
    for case in cases::rows("cases/faults.jsonl") {
        let kind = text(&case, "/input/kind");
        if !matches!(kind.as_str(), "tui" | "pty" | "prefix_scan") {
            continue;
        }
        seen += 1;
        let id = text(&case, "/id");
        if ELSEWHERE.iter().any(|(named, _)| *named == id) {
            continue;
        }
        match kind.as_str() {
            "prefix_scan" => prefix_scan(&id, &case).await,
            _ if resolve(&case, "/input/json").is_some() => value(&id, &case).await,
            _ if resolve(&case, "/input/deltas").is_some() => deltas(&id, &case).await,
            _ => typed(&id, &case).await,
        }
    }
    assert!(seen == 0 || seen >= 13, "{seen}");
}

async fn fresh() -> (Screen, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(100, 30, dir.path());
    s.settle().await;
    s.keys(&["alt-3"]);
    (s, dir)
}

/// What a pane of exactly the case's size shows of a streamed text.
fn pane(case: &Value, deltas: &[String]) -> Vec<String> {
    let side = |at: &str| text_number(case, at);
    let (width, height) = (side("/input/size/0"), side("/input/size/1"));
    let mut rows = Rows::new(Syntax::Json, Gutter::None);
    rows.fit(width);
    for delta in deltas {
        rows.push(delta);
    }
    rows.finish();
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let theme = formwork::tui::theme::Theme::mono();
    rows.render(area, &mut buffer, &formwork::tui::scroll::Scroll::default(), &theme);
    let line = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(line).collect()
}

fn text_number(case: &Value, at: &str) -> u16 {
    resolve(case, at).map(Value::to_string).and_then(|n| n.parse().ok()).unwrap()
}

async fn deltas(id: &str, case: &Value) {
    let deltas = texts(case, "/input/deltas");
    let lines = pane(case, &deltas);
    for wanted in texts(case, "/expected/screen_contains") {
        let flat = lines.join("\n");
        assert!(flat.contains(&wanted) || flat.replace('\n', "").contains(&wanted), "{id}: no {wanted:?} in\n{flat}");
    }
    for (line, wanted) in lines.iter().zip(texts(case, "/expected/lines")) {
        assert_eq!(*line, wanted, "{id}");
    }
    let controls = lines.iter().flat_map(|l| l.chars()).filter(|c| c.is_control()).count();
    assert_eq!(controls, 0, "{id}: {lines:?}");
    let (mut s, _dir) = fresh().await;
    s.feed_run(false);
    for delta in &deltas {
        s.delta(1, delta);
    }
    if let Some(change) = resolve(case, "/expected/offset_change").map(Value::to_string) {
        let top = |s: &Screen| {
            let attempt = s.app.state.run.as_ref().unwrap().shown().unwrap();
            i64::try_from(attempt.scroll.top(&attempt.rows, s.app.state.sizes.candidate)).unwrap()
        };
        let before = top(&s);
        assert!(before > 1, "{id}: there is something to scroll");
        s.keys(&["up"]);
        assert_eq!((top(&s) - before).to_string(), change, "{id}");
    }
}

/// A streaming pane shows the bytes that came, all of them, and never fewer than a moment ago.
async fn prefix_scan(id: &str, case: &Value) {
    let (mut s, _dir) = fresh().await;
    s.feed_run(true);
    let whole = text(case, "/input/text");
    let mut sent = String::new();
    for c in whole.chars() {
        sent.push(c);
        s.delta(1, &c.to_string());
        let attempt = s.app.state.run.as_ref().unwrap().shown().unwrap();
        assert_eq!(attempt.rows.text(), sent, "{id}");
    }
    // The last cluster waits for the end: it could still grow.
    s.feed(vec![Item::Event(RunEvent::Done { reason: "stop", message: whole.clone() })]);
    s.keys(&["alt-3"]);
    s.has(&whole);
}

async fn value(id: &str, case: &Value) {
    let (mut s, _dir) = fresh().await;
    s.feed_run(true);
    let value = resolve(case, "/input/json").unwrap().clone();
    s.feed(vec![Item::Event(RunEvent::StructuredOutputEnd { attempt: 1, mode: Mode::Native, value })]);
    s.settle().await;
    let pointer = if id == "tu-018" { "/a/0/b c" } else { "/a/b/c/d/e/f_long_property_name" };
    s.keys(&["alt-4", "E", "end"]);
    s.steps(&["p"]).await;
    let written = String::from_utf8(s.app.stage.written.clone()).unwrap();
    assert!(written.contains(&escape(pointer, Route::Osc52)), "{id}: {written:?}");
    s.has(pointer);
}

async fn typed(id: &str, case: &Value) {
    let (mut s, _dir) = fresh().await;
    s.keys(&["alt-2"]);
    if resolve(case, "/input/size").is_some() {
        // The smallest screen is wider than the case's pane: twice the text wraps there as once does in the case.
        s.resize(40, 12);
        for key in texts(case, "/input/keys").iter().cycle().take(2) {
            s.keys(&[key]);
        }
        let caret = s.app.stage.caret.unwrap();
        let pane = s.text().lines().position(|l| l.contains("2 Prompt")).unwrap();
        let row = text_number(case, "/expected/cursor_row");
        assert_eq!(usize::from(caret.y), pane + 1 + usize::from(row), "{id}\n{}", s.text());
        return;
    }
    for key in texts(case, "/input/keys") {
        s.keys(&[&key]);
    }
    s.app.apply(Msg::Paste(text(case, "/input/paste")));
    s.keys(&["enter"]);
    let sent = s.app.state.prompt.last().unwrap_or_default().to_owned();
    assert!(sent.contains(&text(case, "/expected/submitted_text_contains")), "{id}: {sent:?}");
    assert!(!sent.contains(&text(case, "/expected/must_not_contain")), "{id}: {sent:?}");
}
