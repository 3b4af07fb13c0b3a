//! The loaded file changes on disk: every decision, told by replies. The watch itself is off here: the events of the
//! system know nothing of the paused clock (`pty_reload` has them).
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use std::path::{Path, PathBuf};

use formwork::command::Id;
use formwork::schema::source::Form;
use formwork::tui::app::Outer;
use formwork::tui::effect::{Edited, OnDisk, Reply};
use formwork::tui::update::Msg;
use screen::Screen;

const FIRST: &str = "{\n  \"type\": \"object\",\n  \"title\": \"first\"\n}\n";
const OTHER: &str = "{\n  \"type\": \"object\",\n  \"title\": \"other\"\n}\n";
const THIRD: &str = "{\n  \"type\": \"object\",\n  \"title\": \"third\"\n}\n";

async fn loaded() -> (Screen, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    fs_err::write(dir.path().join("a.json"), FIRST).unwrap();
    let mut s = Screen::new(110, 32, dir.path());
    s.settle().await;
    s.command(Id::SchemaLoad, "a.json");
    s.settle().await;
    s.has("loaded a.json");
    (s, dir)
}

/// With an edit on line 3 that is not saved.
async fn edited() -> (Screen, tempfile::TempDir) {
    let (mut s, dir) = loaded().await;
    s.steps(&["alt-1", "down", "down", "type:x"]).await;
    assert!(s.app.state.schema.dirty());
    (s, dir)
}

/// The watch looked at a file.
async fn disk(s: &mut Screen, path: &str, found: OnDisk) {
    s.app.state.notice = None;
    s.app.apply(Msg::Reply(Box::new(Reply::SchemaOnDisk { path: PathBuf::from(path), found })));
    s.settle().await;
}

async fn holds(s: &mut Screen, text: &str) {
    disk(s, "a.json", OnDisk::Text(text.to_owned())).await;
}

fn text(s: &Screen) -> String {
    s.app.state.schema.editor.text()
}

#[track_caller]
fn quiet(s: &Screen) {
    assert_eq!(s.app.state.notice, None);
    assert!(s.app.state.popups.is_empty());
}

fn on_disk(dir: &Path) -> String {
    fs_err::read_to_string(dir.join("a.json")).unwrap()
}

#[tokio::test(start_paused = true)]
async fn what_nobody_edited_is_reloaded_with_the_caret_on_its_line() {
    let (mut s, _dir) = loaded().await;
    s.steps(&["alt-1", "down", "down", "right"]).await;
    holds(&mut s, &OTHER.replace('\n', "\r\n")).await;
    s.has("reloaded a.json: it changed on disk");
    assert_eq!(text(&s), OTHER);
    assert_eq!(s.app.state.schema.editor.caret(), (2, 1));
    assert!(!s.app.state.schema.dirty());
    assert!(s.app.state.schema.legal().is_some());
    s.command(Id::Undo, "");
    assert_eq!(text(&s), FIRST);
    assert!(s.app.state.schema.dirty());
}

#[tokio::test(start_paused = true)]
async fn what_is_the_same_says_nothing() {
    let (mut s, _dir) = loaded().await;
    holds(&mut s, FIRST).await;
    quiet(&s);
    disk(&mut s, "b.json", OnDisk::Text(OTHER.to_owned())).await;
    disk(&mut s, "b.json", OnDisk::Gone).await;
    quiet(&s);
    assert_eq!(text(&s), FIRST);
    // Edited here, touched there; then both made the same edit.
    s.steps(&["alt-1", "type: "]).await;
    holds(&mut s, FIRST).await;
    quiet(&s);
    assert!(s.app.state.schema.dirty());
    holds(&mut s, &format!(" {FIRST}")).await;
    quiet(&s);
    assert!(!s.app.state.schema.dirty());
}

#[tokio::test(start_paused = true)]
async fn an_own_save_is_no_news_even_before_it_is_confirmed() {
    let (mut s, dir) = edited().await;
    let mine = text(&s);
    s.keys(&["ctrl-s", "type:y"]);
    s.app.state.notice = None;
    s.app.apply(Msg::Reply(Box::new(Reply::SchemaOnDisk {
        path: PathBuf::from("a.json"),
        found: OnDisk::Text(mine.clone()),
    })));
    quiet(&s);
    s.settle().await;
    s.has("saved a.json");
    assert_eq!(on_disk(dir.path()), mine);
    holds(&mut s, &mine).await;
    quiet(&s);
    assert!(s.app.state.schema.dirty());
}

#[tokio::test(start_paused = true)]
async fn mine_is_kept_and_the_next_save_writes_over_theirs() {
    let (mut s, dir) = edited().await;
    let mine = text(&s);
    fs_err::write(dir.path().join("a.json"), OTHER).unwrap();
    holds(&mut s, OTHER).await;
    s.has("a.json changed on disk, and your edits are not saved");
    s.has("Show the difference");
    s.steps(&["down", "enter"]).await;
    s.has("yours is kept");
    assert_eq!(text(&s), mine);
    // The same text is not asked about again; another is, and then the answer counts no more.
    holds(&mut s, OTHER).await;
    quiet(&s);
    s.steps(&["ctrl-s"]).await;
    s.has("saved a.json");
    assert_eq!(on_disk(dir.path()), mine);

    s.steps(&["type:z"]).await;
    holds(&mut s, OTHER).await;
    s.steps(&["down", "enter"]).await;
    fs_err::write(dir.path().join("a.json"), THIRD).unwrap();
    holds(&mut s, THIRD).await;
    s.has("Show the difference");
    s.steps(&["esc", "ctrl-s"]).await;
    s.has("save again to keep yours");
    assert_eq!(on_disk(dir.path()), THIRD);
}

#[tokio::test(start_paused = true)]
async fn theirs_is_taken_as_one_edit() {
    let (mut s, _dir) = edited().await;
    let mine = text(&s);
    holds(&mut s, OTHER).await;
    // While the question stands the file changes once more: the newest is what is taken, and it is asked once.
    holds(&mut s, THIRD).await;
    assert_eq!(s.app.state.popups.len(), 1);
    s.steps(&["down", "down", "enter"]).await;
    assert_eq!(text(&s), THIRD);
    assert_eq!(s.app.state.schema.editor.row(), 2);
    assert!(!s.app.state.schema.dirty());
    s.command(Id::Undo, "");
    assert_eq!(text(&s), mine);
}

#[tokio::test(start_paused = true)]
async fn the_difference_is_shown_above_the_question() {
    let (mut s, _dir) = edited().await;
    holds(&mut s, OTHER).await;
    s.steps(&["enter"]).await;
    s.has("--- a.json (yours)");
    s.has("+++ a.json (on disk)");
    s.has("+  \"title\": \"other\"");
    s.steps(&["esc"]).await;
    s.has("Take theirs");
    // The file is as it was: there is nothing to answer any more.
    holds(&mut s, FIRST).await;
    quiet(&s);
    assert!(s.app.state.schema.dirty());
}

#[tokio::test(start_paused = true)]
async fn the_question_waits_below_what_is_open() {
    let (mut s, _dir) = edited().await;
    s.steps(&["ctrl-p"]).await;
    holds(&mut s, OTHER).await;
    s.has("a.json changed on disk, and your edits are not saved");
    s.steps(&["type:the", "esc"]).await;
    s.has("Take theirs");
    s.steps(&["esc"]).await;
    assert!(s.app.state.popups.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_gone_leaves_its_text_unsaved() {
    let (mut s, dir) = loaded().await;
    fs_err::remove_file(dir.path().join("a.json")).unwrap();
    disk(&mut s, "a.json", OnDisk::Gone).await;
    s.has("a.json is gone from disk");
    assert!(s.app.state.popups.is_empty());
    assert_eq!(text(&s), FIRST);
    assert!(s.app.state.schema.dirty());
    disk(&mut s, "a.json", OnDisk::Gone).await;
    quiet(&s);
    // It comes back: as it was, or as another that nobody edited here.
    holds(&mut s, FIRST).await;
    quiet(&s);
    assert!(!s.app.state.schema.dirty());
    disk(&mut s, "a.json", OnDisk::Gone).await;
    holds(&mut s, OTHER).await;
    s.has("reloaded a.json");
    // With edits it is asked about as ever; saving writes it again.
    disk(&mut s, "a.json", OnDisk::Gone).await;
    s.steps(&["alt-1", "type: "]).await;
    holds(&mut s, THIRD).await;
    s.has("Take theirs");
    s.steps(&["esc", "ctrl-s"]).await;
    s.has("saved a.json");
    assert_eq!(on_disk(dir.path()), text(&s));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_said_and_the_text_stays() {
    let (mut s, _dir) = loaded().await;
    disk(&mut s, "a.json", OnDisk::Unread("is no UTF-8 text (byte 3)".to_owned())).await;
    s.has("a.json changed on disk and cannot be taken: is no UTF-8 text (byte 3)");
    assert_eq!(text(&s), FIRST);
    assert!(!s.app.state.schema.dirty());
}

#[tokio::test(start_paused = true)]
async fn without_a_file_nothing_is_news() {
    let (mut s, _dir) = edited().await;
    holds(&mut s, OTHER).await;
    assert_eq!(s.app.state.popups.len(), 1);
    s.steps(&["esc"]).await;
    for _ in 0..2 {
        s.command(Id::SchemaShort, "name, age int");
        s.settle().await;
    }
    let mine = text(&s);
    assert!(mine.contains("age"));
    assert_eq!(s.app.state.schema.path, None);
    holds(&mut s, THIRD).await;
    quiet(&s);
    assert_eq!(text(&s), mine);
}

#[tokio::test(start_paused = true)]
async fn a_file_keeps_its_line_ends_and_its_mark() {
    let (mut s, dir) = loaded().await;
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    fs_err::write(dir.path().join("a.json"), windows(FIRST)).unwrap();
    s.command(Id::SchemaLoad, "a.json");
    s.settle().await;
    assert!(s.app.state.schema.legal().is_some(), "the mark is no part of the text");
    s.steps(&["alt-1", "down", "type: ", "ctrl-s"]).await;
    s.has("saved a.json");
    assert_eq!(on_disk(dir.path()), windows(&text(&s)));
    assert!(text(&s).contains("\n   \"type\""));

    // The user's own editor gets the file as it is, and may write it as it likes.
    s.command(Id::SchemaEdit, "");
    let Some(Outer::Edit { what, text: given }) = s.app.outer.pop_front() else { panic!("no editor was asked for") };
    assert_eq!((what, given), (Edited::Schema(Form::Json), windows(&text(&s))));
    s.app.apply(Msg::Reply(Box::new(Reply::Edit { what, text: Ok(OTHER.to_owned()) })));
    s.settle().await;
    assert_eq!(text(&s), OTHER, "with the end of its last line");
    s.steps(&["ctrl-s"]).await;
    assert_eq!(on_disk(dir.path()), windows(OTHER));

    // What another program made of the file holds from then on.
    holds(&mut s, &THIRD.replace('\n', "\r")).await;
    s.has("reloaded a.json");
    assert_eq!(text(&s), THIRD);
    s.steps(&["alt-1", "type: ", "ctrl-s", "ctrl-s"]).await;
    assert_eq!(on_disk(dir.path()), text(&s).replace('\n', "\r"));
}

#[tokio::test(start_paused = true)]
async fn mixed_line_ends_are_told_and_become_those_of_most_lines() {
    let (mut s, dir) = loaded().await;
    fs_err::write(dir.path().join("a.json"), "{\r\n  \"type\": \"object\",\r\n  \"title\": \"a\"\n}").unwrap();
    s.command(Id::SchemaLoad, "a.json");
    s.settle().await;
    s.has("loaded a.json; its line ends are mixed, saving makes all CRLF");
    s.steps(&["ctrl-s"]).await;
    assert_eq!(on_disk(dir.path()), "{\r\n  \"type\": \"object\",\r\n  \"title\": \"a\"\r\n}");
    // A text without a file is written plainly.
    s.command(Id::SchemaShort, "name");
    s.settle().await;
    s.command(Id::SchemaSave, "b.json");
    s.settle().await;
    assert_eq!(fs_err::read_to_string(dir.path().join("b.json")).unwrap(), text(&s));
}
