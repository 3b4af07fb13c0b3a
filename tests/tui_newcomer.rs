//! What somebody new to the program took for something else: a value of another schema, a mute refusal, a prompt that
//! appends.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::event::{ErrorCode, RunError, RunEvent};
use formwork::feed::Item;
use formwork::tui::state::popup::Popup;
use screen::Screen;

async fn done(width: u16, height: u16, dir: &std::path::Path) -> Screen {
    fs_err::write(dir.join("other.json"), "{\"type\": \"integer\"}").unwrap();
    let mut s = Screen::new(width, height, dir);
    s.settle().await;
    s.steps(&["ctrl-n"]).await;
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.settle().await;
    s
}

#[tokio::test(start_paused = true)]
async fn a_value_of_another_schema_is_never_shown_as_valid() {
    let dir = tempfile::tempdir().unwrap();
    for (width, height) in [(200, 50), (120, 36), (60, 20)] {
        let mut s = done(width, height, dir.path()).await;
        s.keys(&["alt-4"]);
        s.has("✓ valid");
        s.lacks("schema changed");
        let name = s.app.state.result.schema_hash.clone().unwrap();
        s.steps(&["alt-2", "type:/schema load other.json", "enter"]).await;
        s.keys(&["alt-4"]);
        s.has("schema changed");
        s.lacks("✓ valid");
        s.has("rating");
        if width == 200 {
            s.has(&format!("valid for {} · schema changed since", name.get(..8).unwrap()));
        }
        // A text that is no schema at all is another one, too.
        s.steps(&["alt-1", "type:{", "alt-4"]).await;
        s.has("schema changed");
    }
}

#[tokio::test(start_paused = true)]
async fn an_offered_name_is_replaced_by_the_first_character_and_ctrl_u_clears() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = done(120, 36, dir.path()).await;
    let line = |s: &Screen| match s.app.state.popups.last() {
        Some(Popup::Line(line)) => line.editor.text(),
        _ => panic!("no input line"),
    };
    s.keys(&["alt-4", "x"]);
    assert_eq!(line(&s), "result.json");
    s.keys(&["type:out.json"]);
    assert_eq!(line(&s), "out.json");
    s.keys(&["esc", "x", "end", "type:5"]);
    assert_eq!(line(&s), "result.json5");
    s.keys(&["ctrl-u"]);
    assert_eq!(line(&s), "");
    s.steps(&["type:gone/out.json", "enter"]).await;
    let told = &s.app.state.notice.as_ref().unwrap().text;
    assert_eq!(told.matches("gone/out.json").count(), 1, "{told}");
}

#[tokio::test(start_paused = true)]
async fn ctrl_u_clears_the_prompt_and_alt_u_takes_it_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.keys(&["type:two words", "ctrl-u"]);
    assert_eq!(s.app.state.prompt.editor.text(), "");
    s.keys(&["alt-u"]);
    assert_eq!(s.app.state.prompt.editor.text(), "two words");
}

#[tokio::test(start_paused = true)]
async fn an_error_before_the_first_attempt_stands_where_the_answer_would() {
    let dir = tempfile::tempdir().unwrap();
    for (width, height) in [(120, 36), (60, 20)] {
        for (code, key) in [
            (ErrorCode::Unsupported, "Alt-W why"),
            (ErrorCode::InvalidSchema, "F8 next problem"),
            (ErrorCode::Auth, "Ctrl-R run again"),
        ] {
            let mut s = Screen::new(width, height, dir.path());
            s.settle().await;
            s.feed_run(true);
            let error = RunError {
                code,
                message: "this cannot be carried by the model that was chosen for the run".to_owned(),
                provider: "a".to_owned(),
                model: "b".to_owned(),
                attempts: 0,
                issues: Vec::new(),
                omitted: 0,
                retryable: false,
                schema_hash: None,
                position: None,
                hint: None,
                facts: vec![("next".to_owned(), "Add --project relax (drops 1 constraint).".to_owned())],
            };
            s.feed(vec![Item::Event(RunEvent::Error(Box::new(error)))]);
            s.keys(&["alt-3"]);
            s.has(key);
            s.has("next: Type /project relax");
            s.lacks("runs the prompt; the answer");
        }
    }
}
