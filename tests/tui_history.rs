//! What was run before, in the terminal program: the retro-check behind the live one, and the versions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use std::path::Path;

use formwork::command::Id;
use formwork::config::Config;
use formwork::json::ParseLimits;
use formwork::schema::judge;
use formwork::schema::preflight::check_text;
use formwork::schema::validate::{JudgeOptions, Judgement};
use formwork::store::lineage::Identity;
use formwork::store::{self, Candidate, NewUse, real_name};
use formwork::tui::theme::ColorDepth;
use formwork::tui::update::Msg;
use screen::Screen;

const PRICES: &str = r#"{"title":"Prices","type":"object","properties":{"price":{"type":"number"},"lines":{"type":"array"}},"required":["price"]}"#;

/// An edit script: each a step from the one before, some of them half typed.
const EDITS: [&str; 7] = [
    PRICES,
    r#"{"title":"Prices","type":"object","properties":{"price":{"type":"number","minimum":50}},"required":["price"]}"#,
    r#"{"title":"Prices","type":"object","properties":{"price":{"type":"number","minimum":5"#,
    r#"{"title":"Prices","type":"object","properties":{"price":{"type":["number","string"]}},"required":["price"]}"#,
    r#"{"title":"Prices","type":"object","properties":{"lines":{"type":"array","maxItems":2}}}"#,
    r#"{"title":"Prices","type":"object","required":["absent"]}"#,
    r#"{"title":"Prices","type":"object"}"#,
];

fn candidate(i: u32) -> String {
    match i % 5 {
        0..3 => format!(r#"{{"price":{i},"lines":[{}]}}"#, vec!["0"; i as usize % 4].join(",")),
        3 => format!(r#"{{"price":"{i}"}}"#),
        _ => format!(r#"{{"price":{i}"#),
    }
}

fn verdict(schema: &str, text: &str) -> bool {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let judge = judge(&check_text(schema).unwrap().format, options).unwrap();
    matches!(judge.judge(text), Judgement::Valid { .. })
}

/// A store with 200 candidates of one schema, and some of a stranger.
fn recorded(folder: &Path) {
    let (mut store, _) = store::open(&folder.join(".data"), 1).unwrap();
    let project = real_name(folder);
    let stranger = r#"{"title":"Other","type":"array"}"#;
    for (schema, count) in [(PRICES, 200), (stranger, 30)] {
        let format = check_text(schema).unwrap().format;
        for i in 0..count {
            let run = format!("{}-{i}", format.name.len() + schema.len());
            let new = NewUse {
                hash: format.schema_hash.clone(),
                canonical: formwork::json::canonical(&format.schema),
                written: schema.to_owned(),
                identity: Identity::of(&format, None),
                run: run.clone(),
                model: "lab/m".to_owned(),
                at: i64::from(i),
            };
            store.keep_use(&project, &new).unwrap();
            let text = candidate(i);
            let word = if verdict(schema, &text) { "accepted" } else { "validation_failed" };
            let candidate = Candidate {
                run,
                attempt: 1,
                schema: format.schema_hash.clone(),
                wrapped: false,
                verdict: word.to_owned(),
                text,
                at: i64::from(i),
            };
            store.keep_candidate(&project, &candidate).unwrap();
        }
    }
}

async fn write(s: &mut Screen, schema: &str) {
    s.app.state.schema.editor.replace(schema);
    s.app.apply(Msg::Tick);
    s.settle().await;
}

#[tokio::test(start_paused = true)]
async fn every_step_of_an_edit_script_agrees_with_a_straight_validation() {
    let dir = tempfile::tempdir().unwrap();
    recorded(dir.path());
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    for schema in EDITS {
        write(&mut s, schema).await;
        let retro = s.app.state.history.retro.clone();
        if check_text(schema).is_err() {
            assert_eq!(retro, None, "{schema}");
            s.lacks("earlier answers");
            continue;
        }
        let mut straight = (0, 0, 0, 0);
        for i in 0..200 {
            let text = candidate(i);
            match (verdict(PRICES, &text), verdict(schema, &text)) {
                (true, true) => straight.0 += 1,
                (true, false) => straight.1 += 1,
                (false, true) => straight.2 += 1,
                (false, false) => straight.3 += 1,
            }
        }
        let retro = retro.unwrap();
        assert_eq!((retro.pass, retro.now_fail, retro.newly_pass, retro.fail), straight, "{schema}");
        assert_eq!(retro.changed.len(), straight.1 + straight.2, "{schema}");
        s.has("earlier");
    }
    // Typed quickly: only the last one counts.
    for schema in [EDITS[0], EDITS[3], EDITS[1]] {
        s.app.state.schema.editor.replace(schema);
        s.app.apply(Msg::Tick);
    }
    s.settle().await;
    s.has("earlier: 90 pass, 30 now fail at /price · Alt-H");
    write(&mut s, "").await;
    s.lacks("earlier answers");
}

/// A run of the starter schema, then an edit that its answer does not bear.
async fn edited(dir: &Path) -> Screen {
    let mut s = Screen::new(120, 36, dir);
    s.settle().await;
    s.steps(&["ctrl-n"]).await;
    s.lacks("earlier answers");
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.settle().await;
    let text = s.app.state.schema.editor.text().replacen("\"string\"", "\"integer\"", 1);
    write(&mut s, &text).await;
    s
}

#[tokio::test(start_paused = true)]
async fn an_edit_says_what_earlier_answers_would_have_said() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = edited(dir.path()).await;
    s.has("earlier answers: 1 now fails at /title · Alt-H");
    s.steps(&["alt-h"]).await;
    s.has("Earlier answers that changed");
    s.has("now fails");
    s.has("1 of 1");
    s.steps(&["enter"]).await;
    s.has("fails now");
    s.has("/title: ");
    s.steps(&["esc", "esc"]).await;
    s.lacks("fails now");
    // Taking the edit back makes all as it was.
    s.app.state.schema.editor.undo();
    s.app.apply(Msg::Tick);
    s.settle().await;
    s.has("earlier answers: 1 passes, 1 fails as before");
    s.command(Id::Retro, "");
    s.has("no earlier answer changed");
}

#[tokio::test(start_paused = true)]
async fn versions_are_listed_compared_named_and_brought_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = edited(dir.path()).await;
    let second = s.app.state.schema.editor.text();
    s.command(Id::RunStart, "");
    s.settle().await;
    s.steps(&["alt-v"]).await;
    s.has("Schemas that were run here");
    s.has("1 run, 1 accepted · incomparable");
    s.has("in the editor");
    s.steps(&["alt-d"]).await;
    s.has("incomparable: ");
    s.has("/title");
    s.steps(&["esc", "alt-n", "type:whole numbers", "enter"]).await;
    s.has("a name is made of");
    s.steps(&["alt-n", "type:whole", "enter"]).await;
    s.has("  whole");
    // The first version has none before it.
    s.steps(&["down", "alt-d"]).await;
    s.has("this is the first version");
    s.keys(&["enter"]);
    s.has("Enter again");
    assert_eq!(s.app.state.schema.editor.text(), second);
    s.steps(&["enter"]).await;
    s.has("brings the other text back");
    assert!(s.app.state.schema.editor.text().contains("\"string\""));
    s.has("✓ legal");
    s.steps(&["alt-u"]).await;
    assert_eq!(s.app.state.schema.editor.text(), second);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_when_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config { keep_nothing: true, ..Config::default() };
    let mut s = Screen::with(120, 36, dir.path(), &config, ColorDepth::TrueColor);
    s.settle().await;
    s.steps(&["ctrl-n"]).await;
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.settle().await;
    s.steps(&["alt-v"]).await;
    s.has("no schema was run in this folder");
    assert!(!store::exists(&dir.path().join(".data")));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_cannot_be_used_is_told_and_the_run_completes() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(160, 36, dir.path());
    s.settle().await;
    let _ = fs_err::remove_dir_all(dir.path().join(".data"));
    fs_err::write(dir.path().join(".data"), "a file where the folder should be").unwrap();
    s.steps(&["ctrl-n"]).await;
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.until("nothing of this run is kept").await;
    s.settle().await;
    assert!(s.app.state.result.built().is_some());
}
