//! The session's turns: a tree of prompts that can be read, shown again, edited and run again as a branch.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::command::Id;
use formwork::tui::state::Region;
use screen::Screen;

async fn two_turns(width: u16, height: u16, dir: &std::path::Path) -> Screen {
    let mut s = Screen::new(width, height, dir);
    s.settle().await;
    s.steps(&["ctrl-n"]).await;
    s.steps(&["type:Rate the book Dune", "enter"]).await;
    s.steps(&["type:/model sim/sample", "enter", "type:And Solaris?", "enter"]).await;
    s
}

#[tokio::test(start_paused = true)]
async fn every_prompt_is_a_turn_that_can_be_shown_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = two_turns(120, 40, dir.path()).await;
    let newest = s.app.state.result.built().unwrap().canonical.text().to_owned();
    s.keys(&["alt-q"]);
    s.has("Turns of the session");
    s.has("2 turns");
    s.has("1 ✓ valid, 2 attempts  Rate the book Dune  sim/repair");
    s.has("2 ✓ valid, 1 attempt  And Solaris?  sim/sample");
    s.has("answer  {");
    s.keys(&["space"]);
    s.lacks("answer  {");
    s.keys(&["z"]);
    s.has("prompt  Rate the book Dune");
    s.has("prompt  And Solaris?");
    s.keys(&["up", "enter"]);
    s.has("turn 1 is shown again");
    let run = s.app.state.run.as_ref().unwrap();
    assert_eq!((run.sequence, run.attempts.len(), run.model.as_str()), (1, 2, "sim/repair"));
    assert!(s.app.state.result.built().is_some());
    s.keys(&["alt-5", "["]);
    s.has("issue 1 of 2");
    // And back.
    s.keys(&["alt-q", "down", "enter"]);
    assert_eq!(s.app.state.run.as_ref().unwrap().sequence, 2);
    assert_eq!(s.app.state.result.built().unwrap().canonical.text(), newest);
}

#[tokio::test(start_paused = true)]
async fn an_edited_prompt_is_a_branch() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = two_turns(120, 40, dir.path()).await;
    s.keys(&["alt-2", "type:a draft", "alt-q", "g", "e"]);
    assert_eq!(s.app.state.prompt.last(), Some("a draft"), "the arrow keys bring it back");
    assert_eq!(s.app.state.focus, Region::Prompt);
    assert_eq!(s.app.state.prompt.text(), "Rate the book Dune");
    s.steps(&["type: Messiah", "enter"]).await;
    s.keys(&["alt-q"]);
    s.has("branch 1 of 2  1 ✓");
    s.has("branch 2 of 2  3 ✓");
    s.has("Rate the book Dune Messiah");
    let turns = &s.app.state.turns;
    let parents: Vec<Option<u64>> = turns.list.iter().map(|turn| turn.record.parent).collect();
    assert_eq!(parents, [None, Some(1), None]);
    // What is sent after an old turn was shown follows it.
    s.steps(&["g", "down", "enter", "alt-2", "type:Go on", "enter"]).await;
    assert_eq!(s.app.state.turns.list[3].record.parent, Some(2));
    // Once more, as it was: a branch beside it.
    s.steps(&["alt-q", "r"]).await;
    let last = &s.app.state.turns.list[4].record;
    assert_eq!((last.parent, last.prompt.as_str()), (Some(2), "Go on"));
    s.steps(&["alt-q", "Y"]).await;
    let copied = String::from_utf8_lossy(&s.app.stage.written).into_owned();
    assert!(copied.contains("\u{1b}]52;"), "{copied:?}");
}

#[tokio::test(start_paused = true)]
async fn a_running_turn_is_not_left_and_a_failed_one_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = two_turns(120, 40, dir.path()).await;
    s.steps(&["type:/model sim/slow", "enter"]).await;
    s.keys(&["type:slowly", "enter"]);
    s.until("\"t").await;
    s.keys(&["alt-q"]);
    s.has("3 · running");
    s.keys(&["g", "enter"]);
    s.has("a run is going");
    s.keys(&["r"]);
    s.has("a run is going");
    s.keys(&["esc"]);
    s.app.apply(formwork::tui::update::Msg::Command(Id::RunCancel, String::new()));
    s.settle().await;
    s.keys(&["alt-q"]);
    s.has("3 ✗ cancelled, 1 attempt");
    s.has("error   the run was cancelled");
    assert_eq!(s.app.state.turns.list.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn turns_are_whole_at_every_size_and_safe() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(200, 50, dir.path());
    s.settle().await;
    s.steps(&["type:/model sim/sample", "enter", "ctrl-n"]).await;
    let evil = "汉字 👩‍👩‍👧‍👦 \u{5d0}\u{5d1} e\u{301}\u{200b} \u{1b}[31m\u{202e}x";
    for _ in 0..12 {
        s.app.state.prompt.set(&format!("{evil} {}", evil.repeat(40)));
        s.app.state.turns.beside = s.app.state.turns.head;
        s.command(Id::PromptSend, "");
        s.settle().await;
    }
    assert_eq!(s.app.state.turns.list.len(), 12);
    for size in [(200, 50), (100, 30), (60, 20), (40, 10), (400, 100)] {
        s.resize(size.0, size.1);
        s.keys(&["alt-q"]);
        for key in ["z", "g", "down", "pagedown", "G", "up", "space", "z"] {
            s.keys(&[key]);
            s.has("Turns of the session");
            let text = s.text();
            let bad = text.chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c));
            assert_eq!(bad, None, "{size:?} {key}");
            assert!(text.lines().all(|line| formwork::text::width(line) <= usize::from(size.0)), "{text}");
        }
        s.keys(&["esc"]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_on_the_screen_becomes_a_function() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(120, 40, dir.path());
    s.settle().await;
    s.steps(&["ctrl-n", "type:/function save rate", "enter"]).await;
    s.has("write a prompt first");
    s.steps(&["type:Rate the book {{ title }}", "enter", "type:/function save rate", "enter"]).await;
    s.has("run it with: formwork call rate --var title=…");
    let file = dir.path().join("formwork/functions/rate.md");
    let text = fs_err::read_to_string(&file).unwrap();
    let function = formwork::function::read("rate", &file, &text).unwrap();
    assert_eq!(function.model.as_deref(), Some("sim/repair"));
    assert_eq!(function.schema.as_ref().unwrap().text.trim(), s.app.state.schema.editor.text().trim());
    let given = [("title".to_owned(), "Dune".into())].into_iter().collect();
    assert_eq!(function.fill(&given).unwrap().prompt, "Rate the book Dune");
    // The draft goes before the last prompt; what this session wrote it replaces, what was there before it asks for.
    fs_err::write(dir.path().join("formwork/functions/other.md"), "mine").unwrap();
    s.steps(&["type:Rate the film"]).await;
    s.command(Id::FunctionSave, "");
    s.has("Save as a function named");
    s.steps(&["type:other", "enter"]).await;
    s.has("is there and stays as it is");
    assert_eq!(fs_err::read_to_string(dir.path().join("formwork/functions/other.md")).unwrap(), "mine");
    s.command(Id::FunctionSave, "rate");
    s.settle().await;
    assert!(fs_err::read_to_string(&file).unwrap().contains("Rate the film"));
    s.command(Id::FunctionSave, "../x");
    s.has("no digit first");
}
