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

#[tokio::test(start_paused = true)]
async fn a_refusal_leaves_with_the_question_it_answered() {
    let dir = tempfile::tempdir().unwrap();
    for change in ["alt-n", "alt-x", "edit"] {
        let mut s = Screen::new(120, 36, dir.path());
        s.settle().await;
        s.steps(&["ctrl-n", "alt-3"]).await;
        s.feed_run(true);
        s.feed(vec![Item::Event(RunEvent::Error(Box::new(refusal("no route carries this schema"))))]);
        s.has("no route carries this schema");
        // The same question: the refusal stays.
        s.keys(&["alt-1", "alt-3"]);
        s.has("no route carries this schema");
        let keys: &[&str] = if change == "edit" { &["alt-1", "type: ", "alt-3"] } else { &[change] };
        s.steps(keys).await;
        s.lacks("no route carries this schema");
        s.lacks("unsupported");
    }
}

fn refusal(message: &str) -> RunError {
    RunError {
        code: ErrorCode::Unsupported,
        message: message.to_owned(),
        provider: "a".to_owned(),
        model: "b".to_owned(),
        attempts: 0,
        issues: Vec::new(),
        omitted: 0,
        retryable: false,
        schema_hash: None,
        position: None,
        hint: None,
        facts: Vec::new(),
    }
}

#[cfg(feature = "local")]
mod local {
    use super::*;
    use formwork::config::{Config, Env, Paths};
    use formwork::local::weights::known::KNOWN;
    use formwork::tui::{Options, first_state, places};

    /// Puts a file of that length where models lie; nothing of it is read before a run.
    fn place(dir: &std::path::Path, name: &str, bytes: u64) {
        let models = dir.join(".data/models");
        fs_err::create_dir_all(&models).unwrap();
        fs_err::File::create(models.join(format!("{name}.gguf"))).unwrap().set_len(bytes).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_is_here_is_welcomed_and_none_is_offered() {
        for (name, bytes, demo) in
            [(KNOWN[0].name, KNOWN[0].bytes, true), ("by-hand", KNOWN[0].bytes, true), ("other", 4_096, false)]
        {
            for size in [(200, 50), (100, 30), (60, 20)] {
                let dir = tempfile::tempdir().unwrap();
                place(dir.path(), name, bytes);
                let mut s = Screen::new(size.0, size.1, dir.path());
                s.settle().await;
                s.has(&format!("✓ local/{name}"));
                s.has("answers now");
                s.lacks("pulls a small model");
                let marked = s.text().lines().next().unwrap().contains("unreliable answers");
                // There is no room for the whole mark beside a long name.
                assert!(marked == demo || (demo && size.0 == 60 && s.text().contains("DEMO")), "{}", s.text());
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_empty_candidate_says_where_a_model_comes_from_while_only_scripts_answer() {
        for (width, height) in [(200, 50), (100, 30), (60, 20)] {
            let dir = tempfile::tempdir().unwrap();
            let mut s = Screen::new(width, height, dir.path());
            s.settle().await;
            s.steps(&["ctrl-n", "alt-3"]).await;
            s.has("Ctrl-R runs the prompt");
            s.has("Alt-D pulls");
            s.has("(98 MB, no key, no server)");
            // A run is under way: it waits for that.
            s.feed_run(true);
            s.has("waiting for the first attempt");
            s.lacks("Alt-D pulls");
            // One is here.
            place(dir.path(), KNOWN[0].name, KNOWN[0].bytes);
            let mut s = Screen::new(width, height, dir.path());
            s.settle().await;
            s.steps(&["ctrl-n", "alt-3"]).await;
            s.has("Ctrl-R runs the prompt");
            s.lacks("Alt-D pulls");
        }
        // A server that takes calls is as good.
        let dir = tempfile::tempdir().unwrap();
        let provider = formwork::config::Provider {
            base_url: Some("http://127.0.0.1:9/v1".to_owned()),
            models: vec!["m".to_owned()],
            ..formwork::config::Provider::default()
        };
        let config = Config { providers: [("lab".to_owned(), provider)].into(), ..Config::default() };
        let mut s = Screen::with(100, 30, dir.path(), &config, formwork::tui::theme::ColorDepth::None);
        s.settle().await;
        s.steps(&["ctrl-n", "alt-3"]).await;
        s.has("Ctrl-R runs the prompt");
        s.lacks("Alt-D pulls");
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_model_one_is_offered_and_what_to_expect_stays_in_sight() {
        for (width, height) in [(200, 50), (100, 30), (60, 20)] {
            let dir = tempfile::tempdir().unwrap();
            let mut s = Screen::new(width, height, dir.path());
            s.settle().await;
            s.has("Alt-D pulls a small model");
            s.has("sim/repair answers now");
            s.keys(&["alt-d"]);
            for words in ["unreliable answers", "98 MB", "1.1 GB", "Apache-2.0", "Enter downloads"] {
                s.has(words);
            }
            s.lacks("Enter take");
            s.keys(&["esc", "alt-m"]);
            s.has("Enter take");
        }
    }

    #[test]
    fn a_demo_file_named_at_the_start_is_marked_too() {
        let dir = tempfile::tempdir().unwrap();
        for (bytes, demo) in [(KNOWN[0].bytes, true), (KNOWN[0].bytes - 1, false)] {
            let path = dir.path().join("mine.gguf");
            fs_err::File::create(&path).unwrap().set_len(bytes).unwrap();
            let options = Options { weights: Some(path), ..Options::default() };
            let config = Config {
                paths: Paths { data_dir: dir.path().join("data"), ..Paths::default() },
                env: Env::default(),
                ..Config::default()
            };
            let state = first_state(&options, &config, &places(&config, dir.path().to_owned()));
            assert_eq!((state.models.name.as_str(), state.models.is_demo()), ("local/mine", demo));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_list_of_models_begins_with_what_answers_and_ends_with_scripts() {
        let dir = tempfile::tempdir().unwrap();
        let names = |s: &Screen| match s.app.state.popups.last() {
            Some(Popup::List(list)) => list.rows.iter().map(|row| row.label.clone()).collect::<Vec<_>>(),
            _ => panic!("no list"),
        };
        let mut s = Screen::new(120, 36, dir.path());
        s.settle().await;
        s.keys(&["alt-m"]);
        assert_eq!(names(&s)[0], format!("local/{}", KNOWN[0].name));
        assert!(names(&s).last().unwrap().starts_with("sim/"));
        s.has("Alt-D pulls it");
        s.lacks("formwork model pull");
        // What is not here yet is offered.
        s.keys(&["enter"]);
        s.has("Enter downloads");

        place(dir.path(), "other", 4_096);
        let mut s = Screen::new(120, 36, dir.path());
        s.settle().await;
        s.keys(&["alt-m"]);
        assert_eq!(names(&s)[0], "local/other");
    }

    #[tokio::test(start_paused = true)]
    async fn the_route_page_says_why_and_is_no_larger_than_its_text() {
        let dir = tempfile::tempdir().unwrap();
        place(dir.path(), "other", 4_096);
        let mut s = Screen::new(120, 36, dir.path());
        s.settle().await;
        s.keys(&["alt-w"]);
        s.has("No schema yet");
        s.has("held to the schema token by token");
        let rows = s.text().lines().filter(|line| line.contains("Route to") || line.contains("Alt-E exact")).count();
        assert_eq!(rows, 2);
        let at = |words: &str| s.text().lines().position(|line| line.contains(words)).unwrap();
        assert!(at("Alt-E exact") - at("Route to") < 9, "{}", s.text());
        s.steps(&["esc", "ctrl-n"]).await;
        s.keys(&["alt-w"]);
        s.has("held to the schema token by token");
    }
}

#[tokio::test(start_paused = true)]
async fn the_tour_leads_through_one_run_by_the_users_own_hand() {
    for (width, height) in [(200, 50), (100, 30), (60, 20), (40, 12)] {
        let dir = tempfile::tempdir().unwrap();
        let mut s = Screen::new(width, height, dir.path());
        s.settle().await;
        if width >= 60 {
            s.has("/tour");
        }
        s.app.state.models.name = "sim/sample".to_owned();
        s.steps(&["type:/tour", "enter"]).await;
        s.has("Tour 1 of 5");
        s.steps(&["ctrl-n"]).await;
        s.has("Tour 2 of 5");
        s.keys(&["alt-2", "type:An invoice", "enter"]);
        s.settle().await;
        s.has("Tour 3 of 5");
        s.steps(&["alt-5", "left"]).await;
        s.has("Tour 4 of 5");
        s.steps(&["s"]).await;
        s.has("Tour 5 of 5");
        s.steps(&["alt-4"]).await;
        s.lacks("Tour");
        assert_eq!(s.app.state.models.name, "sim/sample", "who answered before answers again");
        // It is not praised twice.
        let mut again = Screen::new(width, height, dir.path());
        again.settle().await;
        again.lacks("/tour");
    }
}

#[tokio::test(start_paused = true)]
async fn every_step_of_the_tour_can_be_skipped_and_the_whole_left() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(100, 30, dir.path());
    s.settle().await;
    s.keys(&["alt-9"]);
    s.has("no tour goes on");
    s.steps(&["type:/tour", "enter"]).await;
    for step in 1..=5 {
        s.has(&format!("Tour {step} of 5"));
        s.steps(&["alt-9"]).await;
    }
    s.lacks(" of 5");
    s.has("that was the tour");
    s.steps(&["type:/tour", "enter", "alt-0"]).await;
    s.lacks(" of 5");
    assert_eq!(s.app.state.models.name, "sim/repair");
}
