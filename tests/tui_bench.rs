//! The workbench of the terminal program: samples in the result's place, what the schema lets through, what it weighs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::json::canonical;
use formwork::tui::state::Region;
use formwork::tui::state::popup::Popup;
use screen::Screen;

const PLAIN: &str = r#"{"type":"object","properties":{"total":{"type":"number","maximum":9},"paid":{"type":"boolean"}},"required":["total","paid"],"additionalProperties":false}"#;
const ENVELOPE: &str = r#"{"type":"json_schema","name":"order","schema":{"type":"object","properties":{"total":{"type":"number","maximum":9}},"required":["total"],"additionalProperties":false}}"#;

async fn with(schema: &str, dir: &std::path::Path) -> Screen {
    fs_err::write(dir.join("order.json"), schema).unwrap();
    let mut s = Screen::new(120, 36, dir);
    s.settle().await;
    s.steps(&["type:/schema load order.json", "enter"]).await;
    s
}

fn shown(s: &Screen) -> String {
    canonical(&s.app.state.result.built().unwrap().value)
}

#[tokio::test(start_paused = true)]
async fn samples_fill_the_result_and_the_result_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = with(PLAIN, dir.path()).await;
    s.steps(&["type:/model sim/sample", "enter", "type:an order", "enter"]).await;
    s.has("✓ valid");
    let answer = shown(&s);
    s.steps(&["alt-2", "type:/schema sample 3", "enter"]).await;
    assert_eq!(s.app.state.focus, Region::Result);
    s.has("SAMPLE · seed 3 · no answer");
    s.lacks("✓ valid");
    let third = shown(&s);
    s.steps(&["]"]).await;
    s.has("SAMPLE · seed 4");
    s.steps(&["["]).await;
    assert_eq!(shown(&s), third, "the same seed makes the same sample");
    s.steps(&["c"]).await;
    s.has("(a sample, seed 3: no answer)");
    s.steps(&["x", "enter"]).await;
    s.has("sample.json (a sample, seed 3: no answer)");
    assert_eq!(fs_err::read_to_string(dir.path().join("sample.json")).unwrap().trim_end(), third);
    s.steps(&["b"]).await;
    s.has("✓ valid");
    s.lacks("SAMPLE");
    assert_eq!(shown(&s), answer);
    s.steps(&["alt-2", "type:/schema sample x", "enter"]).await;
    s.has("\"x\" is no seed");
}

#[tokio::test(start_paused = true)]
async fn a_run_takes_the_place_of_a_sample() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = with(PLAIN, dir.path()).await;
    s.steps(&["type:/schema sample", "enter"]).await;
    s.has("SAMPLE · seed 0");
    s.steps(&["alt-2", "type:/model sim/sample", "enter", "type:an order", "enter"]).await;
    s.has("✓ valid");
    s.lacks("SAMPLE");
    assert!(s.app.state.bench.kept.is_none() && s.app.state.result.sample.is_none());
    s.steps(&["alt-4", "b"]).await;
    s.has("no sample is shown");
}

#[tokio::test(start_paused = true)]
async fn a_constraint_is_added_by_one_key_and_taken_back_by_one_undo() {
    for (schema, pointer) in [(PLAIN, "/properties/total/minimum"), (ENVELOPE, "/schema/properties/total/minimum")] {
        let dir = tempfile::tempdir().unwrap();
        let mut s = with(schema, dir.path()).await;
        let before = s.app.state.schema.editor.text();
        s.steps(&["type:/schema loose", "enter"]).await;
        s.has("from sample 0");
        s.has("total = -1");
        s.has("at /properties/total");
        s.steps(&["enter"]).await;
        assert_eq!(s.app.state.focus, Region::Schema);
        s.has("minimum: 0 at /properties/total");
        s.steps(&["alt-j", "alt-a"]).await;
        s.lacks("total = -1");
        s.has("nothing gets through that was tried");
        let text = s.app.state.schema.editor.text();
        let read = formwork::json::parse(&text, formwork::json::ParseLimits::default()).unwrap();
        assert_eq!(read.pointer(pointer), Some(&0.into()), "{text}");
        s.steps(&["esc", "alt-u"]).await;
        assert_eq!(s.app.state.schema.editor.text(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_result_or_a_named_file_is_spoilt() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = with(PLAIN, dir.path()).await;
    s.steps(&["type:/model sim/sample", "enter", "type:an order", "enter", "alt-s", "alt-j"]).await;
    s.has("from the last result");
    fs_err::write(dir.path().join("good.json"), r#"{"total":3,"paid":true}"#).unwrap();
    s.steps(&["esc", "alt-2", "type:/schema loose good.json", "enter"]).await;
    s.has("from good.json");
    s.steps(&["esc", "alt-2", "type:/schema loose none.json", "enter"]).await;
    s.has("none.json");
    assert!(s.app.state.popups.is_empty());
}

#[tokio::test(start_paused = true)]
async fn weights_are_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = with(PLAIN, dir.path()).await;
    s.steps(&["type:/schema weight", "enter"]).await;
    s.has("What the schema weighs");
    s.has("no tokenizer was asked");
    s.has("/total");
    s.has("━");
    assert!(matches!(s.app.state.popups.last(), Some(Popup::Page(_))));
}
