//! The schema editor as a person uses it: every key through the real loop.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::tui::state::Region;
use formwork::tui::update::Msg;
use screen::Screen;

const LINKED: &str = "{\n  \"type\": \"object\",\n  \"properties\": {\n    \"a\": { \"$ref\": \"#/$defs/name\" }\n  },\n  \"$defs\": {\n    \"name\": { \"type\": \"string\" }\n  }\n}";

async fn editing(text: &str) -> (Screen, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.keys(&["alt-1"]);
    s.app.apply(Msg::Paste(text.to_owned()));
    s.settle().await;
    (s, dir)
}

fn text(s: &Screen) -> String {
    s.app.state.schema.editor.text()
}

fn caret_at(s: &mut Screen, needle: &str) {
    let at = text(s).find(needle).unwrap();
    s.app.state.schema.editor.jump_offset(at);
    s.app.draw().unwrap();
}

#[tokio::test(start_paused = true)]
async fn search_counts_while_it_is_typed_and_replace_goes_through() {
    let (mut s, _dir) = editing("{\"title\": \"cat\", \"description\": \"a Cat and a cat\"}").await;
    s.keys(&["ctrl-home", "ctrl-f", "type:cat"]);
    s.has("Search the schema · 1 of 3");
    s.keys(&["alt-c"]);
    s.has("1 of 2 · Aa");
    s.keys(&["alt-c", "enter", "ctrl-g"]);
    s.has("2 of 3");
    s.keys(&["shift-f10"]);
    s.has("\"cat\": 1 of 3");
    s.keys(&["alt-r", "type:dog"]);
    s.has("Replace \"cat\" with · 1 of 3");
    s.keys(&["enter"]);
    assert!(text(&s).starts_with("{\"title\": \"dog\""));
    s.has("1 of 2");
    s.keys(&["alt-enter"]);
    s.has("replaced 2 places");
    assert_eq!(text(&s), "{\"title\": \"dog\", \"description\": \"a dog and a dog\"}");
    s.keys(&["alt-u"]);
    assert!(text(&s).contains("a Cat and a cat"), "all at once is one edit");
}

#[tokio::test(start_paused = true)]
async fn an_expression_is_searched_and_its_groups_stand_in_the_replacement() {
    let (mut s, _dir) = editing("{\"title\": \"cat\", \"description\": \"a Cat and a cat\"}").await;
    s.keys(&["ctrl-home", "ctrl-f", "alt-r", "type:([cC])at("]);
    s.has("bad regex: unclosed group");
    s.keys(&["backspace"]);
    s.has("Search the schema · 1 of 3 · .*");
    s.keys(&["enter", "alt-r", "type:${1}ow", "alt-enter"]);
    s.has("replaced 3 places");
    assert_eq!(text(&s), "{\"title\": \"cow\", \"description\": \"a Cow and a cow\"}");
    s.keys(&["alt-u"]);
    s.lacks("replaced 3 places");
    s.keys(&["ctrl-f", "alt-r"]);
    s.has("Search the schema · not in the schema");
}

/// What comes back late must not undo what was typed meanwhile.
#[tokio::test(start_paused = true)]
async fn work_on_the_text_counts_only_for_the_text_it_was_made_from() {
    let (mut s, _dir) = editing("{\"minimum\":1.50,\"type\":\"number\"}").await;
    s.keys(&["ctrl-home", "alt-F", "type: "]);
    s.settle().await;
    s.has("the text changed meanwhile: nothing was done");
    assert_eq!(text(&s), " {\"minimum\":1.50,\"type\":\"number\"}");
    // Of those that wait only the newest is done.
    s.keys(&["alt-F", "alt-M", "alt-F"]);
    s.settle().await;
    assert_eq!(text(&s), "{\n  \"minimum\": 1.50,\n  \"type\": \"number\"\n}");
}

#[tokio::test(start_paused = true)]
async fn lines_are_copied_cut_moved_and_indented() {
    let (mut s, _dir) = editing("{\n\"a\": 1,\n\"b\": 2\n}").await;
    s.keys(&["ctrl-home", "down", "ctrl-x", "ctrl-v"]);
    assert_eq!(text(&s), "{\n\"a\": 1,\n\"b\": 2\n}");
    s.settle().await;
    s.has("1 line:");
    assert!(!s.app.stage.written.is_empty(), "the terminal was asked to take the copy");
    s.keys(&["alt-shift-up"]);
    assert_eq!(text(&s), "{\n\"b\": 2\n\"a\": 1,\n}");
    s.keys(&["ctrl-d"]);
    assert_eq!(text(&s), "{\n\"b\": 2\n\"b\": 2\n\"a\": 1,\n}");
    s.keys(&["alt-k", "alt-shift-up", "alt-.", "alt-,"]);
    s.keys(&["alt-a", "alt-."]);
    assert_eq!(text(&s), "  {\n  \"a\": 1,\n  \"b\": 2\n  }");
}

#[tokio::test(start_paused = true)]
async fn a_document_is_laid_out_and_broken_text_shows_its_error() {
    let (mut s, _dir) = editing("{\"minimum\":1.50,\"type\":\"number\"}").await;
    caret_at(&mut s, "umber");
    s.steps(&["alt-F"]).await;
    assert_eq!(text(&s), "{\n  \"minimum\": 1.50,\n  \"type\": \"number\"\n}");
    assert_eq!(s.app.state.schema.editor.caret(), (2, 12), "the caret stays in its token");
    s.steps(&["alt-M"]).await;
    assert_eq!(text(&s), "{\"minimum\":1.50,\"type\":\"number\"}");
    s.steps(&["ctrl-home", "right", "type:,", "alt-F"]).await;
    s.has("not laid out, 1:2");
    assert_eq!(text(&s), "{,\"minimum\":1.50,\"type\":\"number\"}");
}

#[tokio::test(start_paused = true)]
async fn a_reference_leads_to_its_target_and_back_and_lists_its_users() {
    let (mut s, _dir) = editing(LINKED).await;
    caret_at(&mut s, "#/$defs");
    let from = s.app.state.schema.editor.caret();
    s.steps(&["f12"]).await;
    assert_eq!(s.app.state.schema.editor.caret(), (6, 4));
    s.has("/$defs/name · Alt-← goes back");
    s.steps(&["shift-f12"]).await;
    s.has("References to /$defs/name");
    s.has("/properties/a/$ref");
    s.keys(&["enter"]);
    assert_eq!(s.app.state.schema.editor.caret().0, 3);
    s.keys(&["alt-left"]);
    assert_eq!(s.app.state.schema.editor.caret(), from);
    s.keys(&["alt-left"]);
    s.has("no jump to go back from");
}

#[tokio::test(start_paused = true)]
async fn keywords_and_values_are_offered_behind_a_quote_and_taken_by_tab() {
    let (mut s, _dir) = editing("{}").await;
    s.keys(&["ctrl-home", "right", "type:\"ty"]);
    s.has("the JSON type, or a list of those allowed");
    s.keys(&["tab"]);
    assert_eq!(text(&s), "{\"type\": }");
    s.has("a number without a fraction");
    s.keys(&["down", "down", "enter"]);
    assert_eq!(text(&s), "{\"type\": \"integer\"}");
    s.lacks("a number without a fraction");
    s.keys(&["type:, \"min"]);
    s.has("smallest number, itself allowed");
    s.keys(&["esc", "tab"]);
    assert_eq!(s.app.state.focus, Region::Prompt, "closed, Tab is the next part's again");
    s.keys(&["alt-1", "ctrl-space"]);
    s.has("smallest number, itself allowed");
    s.keys(&["left", "enter"]);
    assert!(text(&s).contains('\n'), "moved away, Enter breaks the line");
}

#[tokio::test(start_paused = true)]
async fn the_border_says_where_the_caret_is_and_what_the_keyword_means() {
    let (mut s, _dir) = editing(LINKED).await;
    caret_at(&mut s, "object");
    s.has(" /type ");
    s.has("the JSON type, or a list");
    caret_at(&mut s, "\"name\": {");
    s.has(" /$defs/name ");
    s.keys(&["alt-2"]);
    s.lacks(" /$defs/name ");
}

#[tokio::test(start_paused = true)]
async fn a_mebibyte_on_one_line_can_be_edited_anywhere() {
    let member = "\"汉字\u{1F469}\": {\"description\": \"text\t\"},";
    let long = format!("{{\"properties\": {{{}\"z\": {{}}}}}}", member.repeat((1 << 20) / member.len()));
    let (mut s, _dir) = editing(&long).await;
    s.keys(&["ctrl-end", "left", "left", "type:x", "backspace", "ctrl-home", "type: "]);
    s.has("{\"properties\": {\"汉字");
    caret_at(&mut s, "\"z\"");
    s.keys(&["type:q"]);
    s.has("},q\"z\":");
    s.keys(&["alt-u", "ctrl-b", "up", "down", "f8"]);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_another_program_changed_is_not_written_over_unasked() {
    let (mut s, dir) = editing("").await;
    let file = dir.path().join("a.json");
    fs_err::write(&file, "{}\r\n").unwrap();
    s.command(formwork::command::Id::SchemaLoad, "a.json");
    s.settle().await;
    s.steps(&["alt-1", "type: ", "ctrl-s"]).await;
    s.has("saved a.json");
    fs_err::write(&file, "{\"type\": \"null\"}").unwrap();
    s.steps(&["type: ", "ctrl-s"]).await;
    s.has("a.json changed on disk");
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "{\"type\": \"null\"}");
    s.steps(&["ctrl-s"]).await;
    s.has("saved a.json");
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "  {}\r\n");
    s.steps(&["type: ", "ctrl-s"]).await;
    s.has("saved a.json");
    // The same under the name of another file.
    fs_err::write(dir.path().join("b.json"), "mine").unwrap();
    s.steps(&["alt-2", "type:/schema save b.json", "enter"]).await;
    s.has("b.json is there and stays as it is");
    assert_eq!(fs_err::read_to_string(dir.path().join("b.json")).unwrap(), "mine");
    s.steps(&["type:/schema save b.json", "enter"]).await;
    s.has("saved b.json");
}

#[tokio::test(start_paused = true)]
async fn folds_hide_lines_and_whatever_leads_into_them_opens_them() {
    let (mut s, _dir) = editing(LINKED).await;
    let row = |s: &Screen| s.app.state.schema.editor.caret().0;
    caret_at(&mut s, "\"a\"");
    s.keys(&["ctrl-t"]);
    s.has("\"properties\": { … 2 lines },");
    s.has(" 3▸");
    s.lacks("\"a\"");
    assert_eq!(row(&s), 2, "the caret stands on the line that stays");
    s.keys(&["down"]);
    assert_eq!(row(&s), 5, "hidden lines are passed over");
    s.keys(&["ctrl-t", "up"]);
    s.has("\"$defs\": { … 2 lines }");
    assert_eq!(row(&s), 2);
    s.keys(&["home", "type:x", "backspace"]);
    s.has("\"properties\": { … 2 lines },");
    caret_at(&mut s, "#/$defs");
    s.lacks("\"properties\": { …");
    s.steps(&["f12"]).await;
    assert_eq!(row(&s), 6, "a reference leads into a fold");
    s.lacks("… 2 lines");
    s.command(formwork::command::Id::SchemaFold, "1");
    s.has("folded 2 parts · Alt-Shift-T opens all");
    assert_eq!(row(&s), 5);
    s.keys(&["ctrl-f", "type:#/$", "enter"]);
    assert_eq!(row(&s), 3, "a search too");
    s.keys(&["alt-T"]);
    s.lacks("lines }");
    s.keys(&["alt-T"]);
    s.has("nothing is folded");
    assert_eq!(text(&s), LINKED, "folding never changes the text");
    s.command(formwork::command::Id::SchemaFold, "two");
    s.has("write /schema fold N");
    let (mut s, _dir) = editing("type: object\nproperties:\n  a: {}\n").await;
    s.keys(&["ctrl-t"]);
    s.has("only JSON can be folded");
}
