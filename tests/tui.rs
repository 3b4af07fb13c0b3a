//! The terminal program end to end, in the process: every key through the real loop, the real runtime, `sim`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use std::time::Duration;

use formwork::command::Id;
use formwork::config::Config;
use formwork::event::RunEvent;
use formwork::feed::Item;
use formwork::tui::state::run::Run;
use formwork::tui::state::{Region, Tone};
use formwork::tui::theme::ColorDepth;
use formwork::tui::update::Msg;
use screen::Screen;

const BROKEN: &str = "{\n  \"type\": \"object\",\n  \"properties\": { \"a\": { \"type\": \"text\" } }\n}\n";
const INVOICE: &str =
    r#"{"type":"object","properties":{"total":{"type":"number"}},"required":["total"],"additionalProperties":false}"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs_err::create_dir(dir.path().join("schemas")).unwrap();
    fs_err::write(dir.path().join("schemas/invoice.json"), INVOICE).unwrap();
    fs_err::write(dir.path().join("broken.json"), BROKEN).unwrap();
    dir
}

async fn repaired(width: u16, height: u16, dir: &std::path::Path) -> Screen {
    let mut s = Screen::new(width, height, dir);
    s.settle().await;
    s.steps(&["ctrl-n"]).await;
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.settle().await;
    // The paused clock jumps while a worker thread works: times on the screen are made the same in every run.
    let run = s.app.state.run.as_mut().unwrap();
    run.ended = Some(run.started + 700);
    for attempt in &mut run.attempts {
        attempt.ended = Some(attempt.started + 400);
    }
    s.app.state.notice = None;
    s.app.draw().unwrap();
    s
}

#[tokio::test(start_paused = true)]
async fn the_first_attempt_vanishes_and_the_value_appears() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.has("Welcome");
    s.steps(&["ctrl-n"]).await;
    s.has("✓ legal · draft 2020-12");
    s.has("sim/repair: native");
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.until("1/1").await;
    s.has("SIMULATED");
    s.until("\"title\": -1").await;
    s.until("2/2").await;
    s.lacks("\"title\": -1");
    s.has("rejected: validation_failed · 2 issues");
    s.lacks("✓ valid");
    s.settle().await;
    s.has("✓ valid SIMULATED");
    s.has("done · attempt 2");
    s.has("rating: ");
    assert!(s.app.state.result.built().is_some());
}

#[tokio::test(start_paused = true)]
async fn attempts_and_issues_are_walked_by_keys() {
    let dir = folder();
    let mut s = repaired(120, 40, dir.path()).await;
    s.keys(&["alt-5", "["]);
    s.has("issue 1 of 2 · required");
    s.has("schema    /required");
    s.keys(&["n"]);
    s.has("issue 2 of 2 · type");
    s.has("at        /title");
    s.keys(&["n"]);
    s.has("issue 1 of 2");
    s.keys(&["p", "enter"]);
    assert_eq!(s.app.state.focus, Region::Candidate);
    let attempt = s.app.state.run.as_ref().and_then(Run::shown).unwrap();
    let place = attempt.place().unwrap();
    assert_eq!(attempt.rows.text().get(place), Some("-1"));
    s.keys(&["s"]);
    assert_eq!(s.app.state.focus, Region::Schema);
    let (row, _) = s.app.state.schema.editor.caret();
    assert_eq!(s.app.state.schema.editor.lines()[row].trim(), "\"type\": \"string\",");
    s.keys(&["alt-5", "r"]);
    s.has("Repair request");
    s.has("validation_failed");
    s.keys(&["esc", "]"]);
    s.has("❯ 2  ✓ accepted");
    s.has("no issues");
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_loaded_by_slash_command_with_completion() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.keys(&["type:/sch"]);
    s.has("/schema load [PATH]");
    s.keys(&["tab"]);
    s.steps(&["type:sc", "tab", "type:inv"]).await;
    s.has("invoice.json");
    s.steps(&["tab", "enter"]).await;
    s.has("loaded invoice.json");
    s.has("✓ legal");
    assert_eq!(s.app.state.schema.editor.text(), INVOICE);
    s.steps(&["type:/schema recent", "enter"]).await;
    s.has("schemas/invoice.json");
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_loaded_by_the_palette() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["ctrl-p", "type:load sch", "enter"]).await;
    s.has("Load a schema");
    s.has("schemas/invoice.json");
    s.steps(&["type:invo", "enter"]).await;
    s.has("loaded invoice.json");
}

#[tokio::test(start_paused = true)]
async fn a_missing_file_says_so() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["type:/schema load nowhere.json", "enter"]).await;
    s.has("nowhere.json: ");
    s.has("Welcome");
}

#[tokio::test(start_paused = true)]
async fn problems_are_marked_at_their_line_and_can_be_jumped_to() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["type:/schema load broken.json", "enter"]).await;
    s.has("✗  3 ");
    s.has("problem");
    s.keys(&["f8"]);
    assert_eq!(s.app.state.focus, Region::Schema);
    assert_eq!(s.app.state.schema.editor.caret().0, 2);
    s.keys(&["ctrl-r"]);
    s.has("write a prompt first");
    s.keys(&["alt-2", "type:x", "enter"]);
    s.has("the schema has problems");
    assert!(s.app.state.run.is_none());
}

#[tokio::test(start_paused = true)]
async fn checks_follow_the_typing_and_only_the_newest_counts() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.keys(&["alt-1", "type:{\"type\": \"obj"]);
    s.settle().await;
    s.has("✗ 1 problem");
    s.keys(&["type:ect\"}"]);
    s.settle().await;
    s.has("✓ legal");
    assert!(!s.app.state.schema.checking());
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_for_the_check_of_the_newest_text() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.keys(&["ctrl-n", "type:x", "enter"]);
    s.settle().await;
    s.has("✓ valid");
}

#[tokio::test(start_paused = true)]
async fn a_run_is_cancelled_and_the_candidate_stays() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["type:/model sim/slow", "enter", "ctrl-n"]).await;
    s.keys(&["type:x", "enter"]);
    s.until("\"t").await;
    s.keys(&["esc"]);
    s.settle().await;
    s.has("cancelled");
    s.has("\"t");
    s.lacks("✓ valid");
}

#[tokio::test(start_paused = true)]
async fn late_items_of_an_older_run_fall_away() {
    let dir = folder();
    let mut s = repaired(120, 36, dir.path()).await;
    s.keys(&["ctrl-r"]);
    let old = Item::Event(RunEvent::TextDelta { output_attempt: 1, delta: "GHOST".to_owned() });
    s.app.apply(Msg::Feed(1, vec![old]));
    s.settle().await;
    s.keys(&["alt-3"]);
    s.lacks("GHOST");
    assert_eq!(s.app.state.runs, 2);
}

#[tokio::test(start_paused = true)]
async fn the_idle_program_draws_nothing_and_never_wakes() {
    let dir = folder();
    let mut s = repaired(120, 36, dir.path()).await;
    while s.app.state.next_change().is_some() {
        s.step().await;
    }
    let frames = s.app.frames;
    let waked = tokio::time::timeout(Duration::from_hours(24), s.app.wait()).await;
    assert!(waked.is_err(), "{waked:?}");
    assert_eq!(s.app.frames, frames);
}

#[tokio::test(start_paused = true)]
async fn the_ladder_of_ctrl_c() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.keys(&["type:draft", "ctrl-p", "ctrl-c"]);
    assert!(s.app.state.popups.is_empty());
    s.keys(&["ctrl-c"]);
    s.has("draft cleared");
    s.keys(&["ctrl-c"]);
    s.has("press Ctrl-C again to quit");
    tokio::time::advance(Duration::from_secs(3)).await;
    s.keys(&["ctrl-c"]);
    assert_eq!(s.app.state.quit, None);
    s.keys(&["ctrl-c"]);
    assert_eq!(s.app.state.quit, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_paste_of_several_lines_is_inserted_not_sent() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.app.apply(Msg::Paste("请搜索：\r第二行\r\n".to_owned()));
    s.settle().await;
    assert!(s.app.state.run.is_none());
    assert_eq!(s.app.state.prompt.editor.text(), "请搜索：\n第二行\n");
    s.has("请搜索：");
}

#[tokio::test(start_paused = true)]
async fn text_of_the_model_never_drives_the_terminal() {
    let dir = folder();
    let mut s = Screen::new(100, 30, dir.path());
    s.settle().await;
    s.app.state.runs = 1;
    s.app.state.run = Some(Run::new(1, "a/\u{1b}[2J".to_owned(), false, false, 0));
    let deltas = ["a\u{1b}]52;c;aGk=\u{7}b", "\u{1b}[2", "J\u{202e}link", "\u{9b}31m", "\u{1b}]unterminated"];
    for delta in deltas {
        let event = RunEvent::TextDelta { output_attempt: 1, delta: delta.to_owned() };
        s.app.apply(Msg::Feed(1, vec![Item::Event(event)]));
    }
    s.app.apply(Msg::Say(Tone::Bad, "x\u{1b}[2Jy\u{2066}".to_owned()));
    s.app.apply(Msg::Paste("p\u{1b}[2Jq\u{202e}".to_owned()));
    s.app.draw().unwrap();
    s.has("link");
    for cell in &s.app.stage.buffer.content {
        let bad = |c: char| {
            c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        assert!(!cell.symbol().chars().any(bad), "{:?}", cell.symbol());
    }
}

#[tokio::test(start_paused = true)]
async fn the_reader_stays_where_it_scrolled() {
    let dir = folder();
    let mut s = Screen::new(100, 30, dir.path());
    s.settle().await;
    s.app.state.runs = 1;
    s.app.state.run = Some(Run::new(1, "a/b".to_owned(), false, false, 0));
    s.keys(&["alt-3"]);
    for i in 0..60 {
        let event = RunEvent::TextDelta { output_attempt: 1, delta: format!("line{i}\n") };
        s.app.apply(Msg::Feed(1, vec![Item::Event(event)]));
        if i == 40 {
            s.app.draw().unwrap();
            s.has("line40");
            s.keys(&["up", "up"]);
        }
    }
    s.app.draw().unwrap();
    s.lacks("line59");
    s.has("line38");
    s.keys(&["end"]);
    s.has("line59");
}

#[tokio::test(start_paused = true)]
async fn every_command_can_be_given_at_any_time() {
    let dir = folder();
    for run in [false, true] {
        for row in formwork::command::table() {
            if matches!(row.id, Id::Suspend | Id::SchemaEdit | Id::PromptEdit) {
                continue;
            }
            let mut s = Screen::new(100, 30, dir.path());
            if run {
                s = repaired(100, 30, dir.path()).await;
            }
            s.command(row.id, "");
            s.command(row.id, "1");
            s.settle().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_result_is_searched_copied_and_exported() {
    let dir = folder();
    let mut s = repaired(120, 40, dir.path()).await;
    s.keys(&["alt-4", "/", "type:rating", "enter"]);
    s.has("1 match");
    s.has("─ /rating ─");
    s.steps(&["p"]).await;
    let written = String::from_utf8(s.app.stage.written.clone()).unwrap();
    assert!(written.contains("L3JhdGluZw=="), "{written:?}");
    s.keys(&["r"]);
    s.has("raw");
    s.steps(&["x", "ctrl-e", "enter"]).await;
    let text = fs_err::read_to_string(dir.path().join("result.json")).unwrap();
    let built = s.app.state.result.built().unwrap();
    assert_eq!(text, format!("{}\n", formwork::json::canonical(&built.value)));
    // What this session wrote it replaces; what was there before it asks for.
    s.steps(&["x", "ctrl-e", "enter"]).await;
    s.has("to result.json");
    fs_err::write(dir.path().join("mine.md"), "mine").unwrap();
    s.steps(&["alt-2", "type:/export mine.md", "enter"]).await;
    s.has("mine.md is there and stays as it is");
    assert_eq!(fs_err::read_to_string(dir.path().join("mine.md")).unwrap(), "mine");
    s.steps(&["type:/export run mine.md", "enter"]).await;
    s.has("to mine.md");
    assert!(fs_err::read_to_string(dir.path().join("mine.md")).unwrap().starts_with("# Run of"));
}

#[tokio::test(start_paused = true)]
async fn a_run_is_written_down_with_its_attempts() {
    let dir = folder();
    let mut s = repaired(120, 40, dir.path()).await;
    s.steps(&["alt-5", "x"]).await;
    s.has("Write the run to");
    s.steps(&["enter"]).await;
    s.has("run.html");
    let html = fs_err::read_to_string(dir.path().join("run.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.matches("<article").count() == 2, "{html}");
    assert!(html.contains("validation_failed") && html.contains("simulated: no model was asked"), "{html}");
    s.steps(&["alt-2", "type:/export run deep.json", "enter"]).await;
    let text = fs_err::read_to_string(dir.path().join("deep.json")).unwrap();
    let report = formwork::json::parse(&text, formwork::json::ParseLimits::default()).unwrap();
    let built = s.app.state.result.built().unwrap();
    assert_eq!(report["end"]["value"], *built.value);
    assert_eq!(report["attempts"].as_array().unwrap().len(), 2);
    assert!(report["asked"]["schema"]["text"].is_string() && report["made"].as_str().unwrap().contains(':'));
    s.steps(&["alt-2", "type:/export run deep.txt", "enter"]).await;
    s.has("a report ends in .md, .json or .html");
    assert!(!dir.path().join("deep.txt").exists());
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_saved_and_overwriting_asks() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["ctrl-n", "alt-1", "type: ", "ctrl-n"]).await;
    s.has("not saved");
    s.steps(&["alt-2", "type:/schema save mine.json", "enter"]).await;
    s.has("saved mine.json");
    assert!(fs_err::read_to_string(dir.path().join("mine.json")).unwrap().starts_with(" {"));
}

#[tokio::test(start_paused = true)]
async fn a_theme_is_previewed_and_put_back() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    let before = s.app.state.theme.name().to_owned();
    s.steps(&["alt-t", "down"]).await;
    assert_ne!(s.app.state.theme.name(), before);
    s.steps(&["esc"]).await;
    assert_eq!(s.app.state.theme.name(), before);
    s.steps(&["alt-t", "down", "enter"]).await;
    assert_ne!(s.app.state.theme.name(), before);
}

#[tokio::test(start_paused = true)]
async fn rebound_keys_work_and_conflicts_are_told() {
    let dir = folder();
    let keys = [("app.palette".to_owned(), vec!["ctrl-r".to_owned()])];
    let config = Config { keys: keys.into_iter().collect(), ..Config::default() };
    let mut s = Screen::with(120, 36, dir.path(), &config, ColorDepth::TrueColor);
    s.settle().await;
    s.has("both claim it");
    s.keys(&["ctrl-r"]);
    s.has("Commands");
}

#[tokio::test(start_paused = true)]
async fn other_ends_are_told_in_words() {
    let dir = folder();
    let ends = [
        ("sim/twice-bad", "validation_failed"),
        ("sim/fence", "fence"),
        ("sim/refusal", "refusal"),
        ("sim/truncated", "incomplete"),
        ("sim/eof", "incomplete"),
    ];
    for (model, word) in ends {
        let mut s = Screen::new(140, 40, dir.path());
        s.settle().await;
        s.steps(&["ctrl-n"]).await;
        s.command(Id::ModelPick, model);
        s.settle().await;
        s.keys(&["type:x", "enter"]);
        s.settle().await;
        s.keys(&["alt-left"]);
        assert!(s.text().contains(word), "{model}: no {word:?}\n{}", s.text());
    }
}

#[tokio::test(start_paused = true)]
async fn mono_shows_the_same_text_without_any_colour() {
    use ratatui::style::Color;
    let dir = folder();
    let config = Config { theme: Some("mono".to_owned()), ..Config::default() };
    let mut mono = Screen::with(100, 30, dir.path(), &config, ColorDepth::None);
    let mut dark = Screen::new(100, 30, dir.path());
    for s in [&mut mono, &mut dark] {
        s.settle().await;
        s.steps(&["ctrl-n", "type:x"]).await;
        s.keys(&["alt-1"]);
    }
    assert_eq!(mono.text(), dark.text());
    assert!(mono.app.stage.buffer.content.iter().all(|c| c.fg == Color::Reset && c.bg == Color::Reset));
    assert!(dark.app.stage.buffer.content.iter().any(|c| c.fg != Color::Reset));
}
