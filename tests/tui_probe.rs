//! `/probe` end to end: the question, the way out at every step, what is kept, and a server on a real socket.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/screen.rs"]
mod screen;
#[path = "support/server.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;

use formwork::capability::verdict::{Feature, Verdict};
use formwork::capability::{Day, Native};
use formwork::catalog::{Catalog, probes};
use formwork::config::{Config, Paths, Provider};
use formwork::json::Value;
use lab::says;
use screen::Screen;
use server::{Fake, Part, finish, response, stream};

const PINNED: &str = r#"{"word":"kestrel-4417"}"#;
const FULL: &str = r#"{"months":["none"]}"#;

/// A server with these answers, after the one to the question at the start which models it has.
async fn serving(replies: Vec<Vec<Part>>) -> Fake {
    let none = response(404, "content-type: application/json\r\n", "{}");
    Fake::start(std::iter::once(none).chain(replies).collect()).await
}

/// Requests of probes and runs.
fn asked(fake: &Fake) -> usize {
    fake.count() - 1
}

/// A screen with the server, of which nothing is declared.
async fn at(fake: &Fake, dir: &Path, size: (u16, u16)) -> Screen {
    lab::at(fake, dir, size, None).await
}

fn calls(arguments: &str) -> Vec<Part> {
    let arguments = Value::from(arguments);
    let chunk = format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c\",\"function\":{{\"name\":\"report_word\",\"arguments\":{arguments}}}}}]}},\"finish_reason\":null}}]}}\n\n"
    );
    stream(&[chunk.as_bytes(), &finish("tool_calls")])
}

fn enforcing() -> Vec<Vec<Part>> {
    vec![says("A door opens."), says(PINNED), says(FULL), calls(PINNED), says(PINNED)]
}

fn kept(dir: &Path) -> Vec<(Feature, Verdict)> {
    let all = probes::load(&dir.join(".data")).unwrap();
    all.iter().flat_map(|probe| probe.findings.iter().map(|(feature, found)| (*feature, found.verdict))).collect()
}

fn native(s: &Screen) -> Native {
    s.app.state.models.catalog.endpoints["lab"].record("m").native
}

#[tokio::test]
async fn nothing_is_sent_before_a_yes() {
    for size in [(120, 36), (60, 20), (40, 10)] {
        for no in ["esc", "n", "ctrl-c"] {
            let dir = tempfile::tempdir().unwrap();
            let fake = serving(enforcing()).await;
            let mut s = at(&fake, dir.path(), size).await;
            s.steps(&["type:/probe", "enter"]).await;
            s.has("Probe lab/m?");
            s.has("At most 5 small requests");
            if size.1 > 10 {
                s.has(fake.base_url.trim_start_matches("http://").trim_end_matches("/v1"));
                s.has("tokens in all");
            }
            s.has("Enter yes  Esc no");
            s.steps(&[no]).await;
            s.lacks("Probe lab/m?");
            assert!(s.app.state.popups.is_empty() && s.app.state.probe.is_none());
            assert_eq!(asked(&fake), 0, "{no}");
            assert!(!probes::file(&dir.path().join(".data")).exists());
        }
    }
}

#[tokio::test]
async fn a_probe_is_shown_kept_and_used_by_the_next_run() {
    for yes in ["enter", "y"] {
        let dir = tempfile::tempdir().unwrap();
        let mut replies = enforcing();
        replies.push(says(r#"{"title":"Dune"}"#));
        let fake = serving(replies).await;
        let mut s = at(&fake, dir.path(), (120, 36)).await;
        s.steps(&["alt-1", r#"type:{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}"#]).await;
        assert_eq!(native(&s), Native::Unknown);
        s.has("lab/m: refused");
        s.steps(&["alt-2", "type:/probe lab/m", "enter", yes]).await;
        s.has("lab/m: schema enforced: the server holds it");
        assert_eq!((native(&s), asked(&fake)), (Native::Supported, 5));
        assert!(kept(dir.path()).iter().all(|(_, verdict)| *verdict == Verdict::Enforced));
        assert_eq!(kept(dir.path()).len(), 5);
        // The badge: in the strip, in the picker, on the route page with its evidence.
        let day = formwork::catalog::today().to_string();
        s.has(&format!("lab/m: native · enforced {day}"));
        s.keys(&["alt-m"]);
        s.has("native · enforced");
        s.has(&format!("probed {day}"));
        s.keys(&["esc", "alt-w"]);
        s.has("What probes found:");
        s.has(&format!("with_tools   enforced     {day}"));
        s.has("what only the schema demands came back");
        // What was refused before goes out now, by the schema parameter.
        s.steps(&["esc", "alt-2", "type:A book", "enter"]).await;
        s.has("✓ valid");
        assert!(fake.request(6).body.contains("json_schema"), "{}", fake.request(6).body);
        // Asked again, the question tells what was found.
        s.steps(&["alt-2", "type:/probe", "enter"]).await;
        s.has("Found before:");
    }
}

#[tokio::test]
async fn a_running_probe_is_followed_and_stopped() {
    for stop in ["esc", "ctrl-c"] {
        let dir = tempfile::tempdir().unwrap();
        let fake = serving(vec![says("A door opens."), vec![Part::Hang]]).await;
        let mut s = at(&fake, dir.path(), (100, 30)).await;
        s.keys(&["type:/probe", "enter", "enter"]);
        s.until("1 of 5 · streaming enforced").await;
        s.has("probing lab/m");
        s.has("Esc stops");
        fake.arrived.acquire_many(3).await.unwrap().forget();
        // The screen lives meanwhile, and a second probe waits for its turn.
        s.keys(&["type:/probe", "enter"]);
        s.has("lab/m is being probed: one at a time");
        s.keys(&["type:draft"]);
        s.has("draft");
        s.keys(&[stop]);
        s.settle().await;
        s.has("the probe of lab/m was stopped; nothing was kept");
        s.has("draft");
        // The connection is gone, not only forgotten.
        fake.dropped.acquire().await.unwrap().forget();
        assert!(s.app.state.probe.is_none() && kept(dir.path()).is_empty());
        assert_eq!(native(&s), Native::Unknown);
    }
}

/// A bad key, a limit, a fault and a lost connection say nothing of schemas.
#[tokio::test]
async fn what_says_nothing_leaves_the_verdict_and_is_told() {
    let json = "content-type: application/json\r\n";
    for (failure, words) in [
        (response(401, json, r#"{"error":{"message":"SECRET"}}"#), "auth"),
        (response(429, json, r#"{"error":{"message":"SECRET"}}"#), "rate_limited"),
        (response(500, json, "{}"), "status 500"),
        (vec![Part::Close], "transport"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut replies = enforcing();
        replies.extend([failure.clone(), says("A door opens."), failure]);
        let fake = serving(replies).await;
        let mut s = at(&fake, dir.path(), (160, 36)).await;
        s.steps(&["type:/probe", "enter", "enter"]).await;
        let before = kept(dir.path());
        s.steps(&["type:/probe", "enter", "enter"]).await;
        s.has("nothing was learned of lab/m: ");
        s.has(words);
        s.has("stays: enforced");
        s.lacks("SECRET");
        assert_eq!((kept(dir.path()), native(&s)), (before.clone(), Native::Supported));
        // It ends in the middle: what was found before stays found.
        s.steps(&["type:/probe", "enter", "enter"]).await;
        s.has("lab/m: stopped: ");
        s.has(words);
        assert_eq!((kept(dir.path()), native(&s)), (before, Native::Supported));
    }
}

#[tokio::test]
async fn what_is_no_server_is_not_asked_about() {
    let dir = tempfile::tempdir().unwrap();
    let fake = serving(Vec::new()).await;
    let mut s = at(&fake, dir.path(), (120, 36)).await;
    for (line, words) in [
        ("/probe sim/repair", "sim is built in: there is no server to probe"),
        ("/probe openai/gpt-5", "OPENAI_API_KEY is not set"),
        ("/probe nobody/x", "there is no provider"),
        ("/probe x", "is no model name"),
    ] {
        s.steps(&[&format!("type:{line}"), "enter"]).await;
        assert!(s.app.state.popups.is_empty(), "{line}");
        s.has(words);
    }
    assert_eq!(asked(&fake), 0);
}

/// A verdict the route does not go by is shown as such.
#[tokio::test]
async fn a_verdict_that_counts_no_more_is_told_from_one_that_does() {
    let dir = tempfile::tempdir().unwrap();
    let fake = serving(enforcing()).await;
    let mut s = at(&fake, dir.path(), (160, 36)).await;
    s.steps(&["ctrl-n", "type:/probe", "enter", "enter"]).await;
    let today = formwork::catalog::today();
    s.has(&format!("· enforced {today}"));
    // The same a hundred days later.
    let later = Day::of_unix(today.days_since(Day::of(1970, 1, 1)).unsigned_abs() * 86_400 + 100 * 86_400);
    let provider = Provider { base_url: Some(fake.base_url.clone()), ..Provider::default() };
    let paths = Paths { data_dir: dir.path().join(".data"), ..Paths::default() };
    let config = Config { providers: [("lab".to_owned(), provider)].into(), paths, ..Config::default() };
    let catalog = Catalog::on(&config, later);
    s.app.state.models.rows = catalog.rows();
    s.app.state.models.catalog = Arc::new(catalog);
    s.steps(&["alt-e"]).await;
    s.lacks(&format!("· enforced {today}"));
    s.keys(&["alt-m"]);
    s.has("unknown · enforced");
    s.has(&format!("the probe of {today} (enforced)"));
    s.keys(&["esc", "alt-w"]);
    s.has("What probes found (the route does not go by it");
    s.has("/probe lab/m");
}

#[tokio::test]
async fn a_file_that_cannot_be_used_costs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let fake = serving(enforcing()).await;
    let mut s = at(&fake, dir.path(), (120, 36)).await;
    fs_err::create_dir_all(dir.path().join(".data")).unwrap();
    fs_err::write(probes::file(&dir.path().join(".data")), "[]").unwrap();
    s.steps(&["type:/probe", "enter", "enter"]).await;
    s.has("nothing was sent: ");
    assert_eq!(asked(&fake), 0);
}
