//! Reading what a run did: the timeline, the marked issues, the raw events and their scrubber, two attempts compared.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use std::path::Path;

use formwork::event::{CallFailure, ErrorCode, RunEvent, Usage};
use formwork::feed::raw::{RawRead, ReadsCut};
use formwork::feed::{Inspect, Item};
use formwork::machine::Stand;
use formwork::tui::state::Region;
use formwork::tui::state::popup::Popup;
use formwork::tui::theme::Role;
use screen::Screen;

const SCHEMA: &str = r##"{
  "type": "object",
  "properties": { "title": { "type": "string" }, "n": { "$ref": "#/$defs/n" }, "tags": { "type": "array", "maxItems": 1 } },
  "required": ["title", "n"],
  "additionalProperties": false,
  "$defs": { "n": { "type": "integer", "minimum": 1 } }
}"##;
/// First an answer the schema rejects, then one that is valid.
const WRONG: &str = r#"[
  [{"answer": "{\"title\": \"Dune\", "}, {"answer": "\"n\": \"many\", "}, {"wait_ms": 5}, {"answer": "\"tags\": [1, 2]}"},
   {"usage": {"input_tokens": 31, "output_tokens": 12}}, {"terminal": "stop"}],
  [{"answer": "{\"title\": \"Dune\", \"n\": 2}"}, {"usage": {"input_tokens": 60, "output_tokens": 9}}, {"terminal": "stop"}]
]"#;
/// First an answer that is no JSON.
const BROKEN: &str = r#"[
  [{"answer": "{\"title\": \"Du"}, {"wait_ms": 5}, {"answer": "ne\","}, {"wait_ms": 5}, {"answer": "}  "}, {"terminal": "stop"}],
  [{"answer": "{\"title\": \"Dune\", \"n\": 2}"}, {"terminal": "stop"}]
]"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs_err::write(dir.path().join("book.json"), SCHEMA).unwrap();
    fs_err::write(dir.path().join("wrong.json"), WRONG).unwrap();
    fs_err::write(dir.path().join("broken.json"), BROKEN).unwrap();
    dir
}

async fn ran(script: &str, size: (u16, u16), dir: &Path) -> Screen {
    let mut s = Screen::new(size.0, size.1, dir);
    s.settle().await;
    s.steps(&["type:/schema load book.json", "enter"]).await;
    let model = format!("type:/model sim/script:{}", dir.join(script).display());
    s.steps(&[&model, "enter"]).await;
    s.keys(&["type:Rate the book", "enter"]);
    s.settle().await;
    s
}

fn inspect(inspect: Inspect) -> Item {
    Item::Inspect(Box::new(inspect))
}

#[tokio::test(start_paused = true)]
async fn every_issue_is_marked_and_says_what_was_expected() {
    let dir = folder();
    let mut s = ran("wrong.json", (200, 50), dir.path()).await;
    s.has("✓ valid");
    s.keys(&["alt-5", "["]);
    s.has("rejected: validation_failed · 2 issues");
    s.has("expected an integer ≥ 1, found text \"many\"");
    let attempt = s.app.state.run.as_ref().unwrap().shown().unwrap();
    let places: Vec<&str> =
        attempt.findings.iter().map(|f| attempt.rows.text().get(f.place.clone().unwrap()).unwrap()).collect();
    assert_eq!(places, ["\"many\"", "[1, 2]"]);
    let marked = |s: &Screen, role: Role| {
        let style = s.app.state.theme.style(role);
        let buffer = &s.app.stage.buffer;
        let cells = buffer.content.iter().filter(|c| style.bg.is_none_or(|bg| c.bg == bg) && style.bg.is_some());
        cells.map(ratatui::buffer::Cell::symbol).collect::<String>()
    };
    assert!(marked(&s, Role::MarkError).contains("\"many\""), "{}", marked(&s, Role::MarkError));
    assert!(marked(&s, Role::MarkWarning).contains("[1, 2]"), "{}", marked(&s, Role::MarkWarning));
    // To the keyword, through the reference; then the next issue in both panes.
    s.keys(&["s"]);
    let (row, _) = s.app.state.schema.editor.caret();
    assert!(s.app.state.schema.editor.lines()[row].contains("\"$defs\""));
    s.keys(&["alt-5", "n"]);
    s.has("expected an array of at most 1 item, found an array of 2 items");
    s.keys(&["enter"]);
    assert_eq!(s.app.state.focus, Region::Candidate);
}

#[tokio::test(start_paused = true)]
async fn two_attempts_are_compared_by_path_and_in_text() {
    let dir = folder();
    let mut s = ran("wrong.json", (120, 40), dir.path()).await;
    s.steps(&["alt-5", "d"]).await;
    s.has("attempt 1 and attempt 2");
    s.has("1 changed, 0 added, 1 removed");
    s.has("/n  \"many\" → 2");
    s.has("- /tags  [2 items]");
    s.has("--- attempt 1");
    s.keys(&["esc", "alt-2", "type:/attempt diff 9", "enter"]);
    s.has("name another attempt");
    s.steps(&["type:/attempt 1", "enter", "type:/attempt diff 2", "enter"]).await;
    s.has("attempt 1 and attempt 2");
}

#[tokio::test(start_paused = true)]
async fn raw_events_are_stepped_and_the_byte_that_spoilt_it_is_found() {
    let dir = folder();
    let mut s = ran("broken.json", (120, 40), dir.path()).await;
    s.has("✓ valid");
    s.keys(&["alt-5", "[", "v"]);
    s.has("Raw events");
    s.has("event 4 of 6 · read 3 of 4 · attempt 1, call 1");
    s.has("no bytes: nothing came over a wire");
    s.keys(&["b"]);
    s.has("event 3 of 6 · read 3 of 4");
    s.has("no JSON from byte 18, line 1, column 18 on: a key in double quotes is expected");
    s.has("{\"title\": \"Dune\",}");
    s.keys(&["left"]);
    s.has("event 2 of 6 · read 2 of 4");
    s.has("buffer so far: 17 B");
    s.has("calling, text open");
    s.keys(&["g"]);
    s.has("event 1 of 6");
    s.keys(&["]"]);
    s.has("event 5 of 6 · read 4 of 4 · attempt 2, call 2");
    s.keys(&["b"]);
    s.has("any byte so far can be part of a valid document");
    s.keys(&["[", "down", "down", "down"]);
    s.has("event 4 of 6");
    s.has("· judging");
    s.keys(&["y"]);
    s.settle().await;
    s.has("the buffer after event 4");
    s.keys(&["x", "G", "esc"]);
    assert!(s.app.state.popups.is_empty());
}

#[tokio::test(start_paused = true)]
async fn where_json_is_whole_the_first_value_the_schema_rejects_is_found() {
    let dir = folder();
    let mut s = ran("wrong.json", (120, 40), dir.path()).await;
    s.keys(&["alt-5", "[", "v", "b"]);
    s.has("JSON all the way; the schema's first complaint is whole at byte 29: expected an integer ≥ 1");
    s.has("event 2 of");
}

#[tokio::test(start_paused = true)]
async fn rounds_with_tools_stand_below_their_attempt() {
    let dir = folder();
    let mut s = Screen::new(120, 40, dir.path());
    s.settle().await;
    s.steps(&["type:/model sim/tools", "enter", "ctrl-n", "type:look it up", "enter", "alt-5"]).await;
    s.has("✓ valid");
    s.has("call 1 lookup");
    s.has("call 2");
    let rounds = &s.app.state.run.as_ref().unwrap().rounds.list;
    assert_eq!(rounds.iter().map(|r| (r.call, r.attempt)).collect::<Vec<_>>(), [(0, 1), (1, 1)]);
    assert!(rounds.iter().all(|r| r.first_ms.is_some() && r.ended.is_some()));
}

/// A run of two rounds: one that was refused and sent again, one that answered.
fn rounds() -> Vec<Item> {
    let failure = CallFailure {
        code: ErrorCode::RateLimited,
        status: Some(429),
        provider_code: None,
        request_id: None,
        retryable: true,
        retry_after_ms: Some(2_000),
        message: "too many requests".to_owned(),
        detail: None,
    };
    let head = |id: &str| {
        vec![("x-request-id".to_owned(), id.to_owned()), ("x-ratelimit-remaining-tokens".to_owned(), "7".to_owned())]
    };
    let response = |call, status, id| Inspect::Response { call, status, headers: head(id), first_byte_ms: 120 };
    let request = |call| Inspect::Request {
        call,
        url: "https://lab.invalid/v1/chat/completions".to_owned(),
        headers: Vec::new(),
        body: format!("{{\"call\": {call}}}"),
        curl: "curl https://lab.invalid".to_owned(),
    };
    let usage = Usage { input_tokens: Some(1_000), output_tokens: Some(200), ..Usage::default() };
    vec![
        inspect(Inspect::Called { call: 0, attempt: 1 }),
        inspect(request(0)),
        inspect(response(0, 429, "req_one")),
        inspect(Inspect::Failed { call: 0, failure, duration_ms: 130 }),
        Item::Event(RunEvent::TransportRetry {
            call: 0,
            code: ErrorCode::RateLimited,
            status: Some(429),
            delay_ms: 2_000,
        }),
        inspect(Inspect::Called { call: 1, attempt: 1 }),
        inspect(request(1)),
        inspect(response(1, 200, "req_\u{1b}[31mtwo")),
        inspect(Inspect::FirstRead { call: 1, after_ms: 340 }),
        Item::Event(RunEvent::TextStart { output_attempt: 1 }),
        Item::Event(RunEvent::TextDelta { output_attempt: 1, delta: "hello".to_owned() }),
        Item::Event(RunEvent::Usage { call: 1, output_attempt: 1, usage }),
    ]
}

#[tokio::test(start_paused = true)]
async fn the_timeline_shows_every_round_with_its_times_and_its_price() {
    let dir = folder();
    let mut s = Screen::new(200, 50, dir.path());
    s.settle().await;
    s.feed_run(false);
    s.feed(vec![inspect(Inspect::Priced { input: 1.25, output: 10.0 })]);
    s.feed(rounds());
    s.keys(&["alt-5"]);
    s.has("#  outcome");
    s.has("call 1  ! rate_limited 429 · then waits 2.0 s");
    s.has("call 2");
    s.has("1000>200");
    s.has("$0.0033");
    s.has("0.3 s");
    s.has("200 · request req_");
    s.lacks("\u{1b}");
    s.keys(&["h"]);
    s.has("call 1 · attempt 1 · status 429");
    s.has("x-ratelimit-remaining-tokens: 7");
    s.has("waited 2.0 s before the next call");
    s.keys(&["esc", "w"]);
    s.has("call 1, answered 429 after 0.1 s");
    s.has("call 2, answered 200 after 0.1 s");
    s.has("\"call\": 1");
    s.keys(&["esc", "h"]);
    for (width, height) in [(100, 30), (60, 20), (40, 10)] {
        s.resize(width, height);
        s.keys(&["esc"]);
        s.has("1  ");
        s.keys(&["h"]);
    }
}

#[tokio::test(start_paused = true)]
async fn hostile_reads_are_shown_safely_at_every_size() {
    let dir = folder();
    let mut s = Screen::new(200, 50, dir.path());
    s.settle().await;
    s.feed_run(true);
    let evil = "\u{1b}[2J\u{202e}汉字👩‍👩‍👧‍👦e\u{301}\u{200b}\u{7}\u{9b}31m\u{5d0}\u{5d1}";
    let text = |delta: &str| formwork::event::RawEvent::Text { delta: delta.to_owned() };
    for call in 0..3 {
        s.feed(vec![inspect(Inspect::Called { call, attempt: call + 1 })]);
        for _ in 0..20 {
            let (packed, events) = RawRead::pack(&[text(evil), text("\""), text(&evil.repeat(50))]);
            let mut bytes = evil.as_bytes().to_vec();
            bytes.extend([0xFF, 0x1B, 0x00]);
            let read = RawRead { call, attempt: call + 1, at_ms: 1, bytes, text: packed, events, stand: Stand::Text };
            s.feed(vec![inspect(Inspect::Read(read))]);
        }
    }
    s.feed(vec![inspect(Inspect::ReadsCut(ReadsCut { reads: 9, bytes: 5_000_000 }))]);
    for size in [(200, 50), (100, 30), (60, 20), (40, 10), (41, 11), (400, 100)] {
        s.resize(size.0, size.1);
        s.command(formwork::command::Id::RawShow, "");
        for key in ["g", "down", "right", "x", "b", "]", "pagedown", "G", "x", "["] {
            s.keys(&[key]);
            s.has("Raw events");
            let bad = s.text().chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c));
            assert_eq!(bad, None, "{size:?} {key}");
        }
        s.has("9 more reads");
        s.keys(&["esc"]);
    }
    // Following: what comes is looked at while one stands at the end.
    s.command(formwork::command::Id::RawShow, "");
    s.has("following");
    let before = s.app.state.run.as_ref().unwrap().raw.len();
    let (packed, events) = RawRead::pack(&[text("more")]);
    let read = RawRead { call: 3, attempt: 4, at_ms: 9, bytes: Vec::new(), text: packed, events, stand: Stand::Text };
    s.feed(vec![inspect(Inspect::Read(read))]);
    s.has(&format!("event {} of {}", before + 1, before + 1));
    assert!(matches!(s.app.state.popups.last(), Some(Popup::Raw(_))));
}
