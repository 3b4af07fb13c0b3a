//! Every view at three sizes: its text once, and its colours in two themes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    reason = "helpers of tests stop at the first surprise, like tests"
)]

#[path = "support/screen.rs"]
mod screen;

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use formwork::capability::verdict::{Feature, Found, Verdict};
use formwork::capability::{Day, Dialect};
use formwork::catalog::Catalog;
use formwork::catalog::probes::{self, Probe};
use formwork::command::Id;
use formwork::config::{Config, Paths, Provider};
use formwork::event::{CallFailure, ErrorCode, RunError, RunEvent};
use formwork::feed::{Inspect, Item};
use formwork::tui::state::probe::Probing;
use formwork::tui::theme::ColorDepth;
use ratatui::style::{Color, Modifier, Style};
use screen::Screen;

const BROKEN: &str = "{\n  \"type\": \"object\",\n  \"properties\": { \"a\": { \"type\": \"text\" } }\n}\n";
const PERSON: &str = r#"{
  "type": "object",
  "properties": {
    "name": { "type": "string", "minLength": 1, "description": "As in the passport" },
    "age": { "type": "integer", "minimum": 0 },
    "tags": { "type": "array", "items": { "enum": ["friend", "colleague"] } }
  },
  "required": ["name"]
}
"#;
const SIZES: [(u16, u16); 3] = [(200, 50), (100, 30), (60, 20)];
const THEMES: [&str; 2] = ["dark", "light"];

/// A view: its name, and how the screen comes to it.
type View = (&'static str, &'static [&'static str]);

/// From a fresh program.
const FIRST: &[View] = &[
    ("welcome", &[]),
    ("slash", &["type:/sch"]),
    ("files", &["ctrl-o"]),
    ("themes", &["alt-t"]),
    ("problem", &["type:/schema load broken.json", "enter", "f8"]),
    ("folded", &["type:/schema load person.json", "enter", "alt-1", "ctrl-home", "down", "down", "ctrl-t"]),
    ("quit", &["ctrl-n", "alt-1", "type: ", "ctrl-q"]),
    ("tour", &["type:/tour", "enter", "ctrl-n"]),
];
/// With a schema that most providers refuse as it is.
const WORKBENCH: &[View] = &[
    ("board", &["type:/schema load person.json", "enter", "alt-b"]),
    ("objections", &["enter"]),
    ("mend", &["enter"]),
    ("fields", &["esc", "esc", "esc", "alt-f"]),
    ("form", &["type:age", "enter"]),
];
/// After a run of `sim/repair`.
const REPAIRED: &[View] = &[
    ("result", &[]),
    ("attempts", &["alt-5", "["]),
    ("repair", &["r"]),
    ("events", &["esc", "v"]),
    ("spoilt", &["b"]),
    ("compared", &["esc", "d"]),
    ("responses", &["esc", "h"]),
    ("turns", &["esc", "alt-q"]),
    ("candidate", &["esc", "alt-3"]),
    ("palette", &["ctrl-p", "type:schema"]),
    ("models", &["esc", "alt-m"]),
    ("route", &["esc", "alt-w"]),
    ("help", &["esc", "f1"]),
    ("loose", &["esc", "alt-j"]),
    ("weight", &["esc", "alt-y"]),
    ("sample", &["esc", "alt-s"]),
];

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs_err::create_dir(dir.path().join("schemas")).unwrap();
    fs_err::write(dir.path().join("schemas/invoice.json"), "{}").unwrap();
    fs_err::write(dir.path().join("broken.json"), BROKEN).unwrap();
    fs_err::write(dir.path().join("person.json"), PERSON).unwrap();
    // Who has seen the tour is not told of it any more.
    fs_err::create_dir(dir.path().join(".data")).unwrap();
    fs_err::write(dir.path().join(".data/habits.toml"), "toured = true\n").unwrap();
    dir
}

fn screen((width, height): (u16, u16), theme: &str, dir: &Path) -> Box<Screen> {
    let config = Config { theme: Some(theme.to_owned()), ..Config::default() };
    Box::new(Screen::with(width, height, dir, &config, ColorDepth::TrueColor))
}

/// Shows every view; gives its name and the screen to `see`.
async fn tour(size: (u16, u16), theme: &str, mut see: impl FnMut(&str, &Screen)) {
    let dir = folder();
    for (name, keys) in FIRST {
        let mut s = screen(size, theme, dir.path());
        s.settle().await;
        s.steps(keys).await;
        see(name, &s);
    }
    let mut s = screen(size, theme, dir.path());
    s.settle().await;
    for (name, keys) in WORKBENCH {
        s.steps(keys).await;
        s.app.state.notice = None;
        s.app.draw().unwrap();
        see(name, &s);
    }
    let mut s = screen(size, theme, dir.path());
    repaired(&mut s).await;
    for (name, keys) in REPAIRED {
        s.steps(keys).await;
        see(name, &s);
    }
    let mut s = screen(size, theme, dir.path());
    s.settle().await;
    by_hand(&mut s, &mut see);
    let mut s = screen(size, theme, dir.path());
    s.settle().await;
    probed(&mut s, dir.path(), see).await;
}

/// A model at an address where nobody listens, with what was found of it; the day is fixed.
fn probed_catalog(dir: &Path) -> Catalog {
    let today = Day::of(2026, 12, 1);
    let paths = Paths { data_dir: dir.join(".data"), ..Paths::default() };
    let mut config = Config { paths, ..Config::default() };
    let base_url = Some("http://127.0.0.1:9/v1".to_owned());
    config.providers.insert("lab".to_owned(), Provider { base_url, ..Provider::default() });
    let found = |verdict, evidence: &str| Found { verdict, evidence: evidence.to_owned(), date: today };
    let enforced = || found(Verdict::Enforced, "what only the schema demands came back");
    let probe = |model: &str, schema: Found| Probe {
        provider: "lab".to_owned(),
        endpoint: probes::shown("http://127.0.0.1:9/v1"),
        dialect: Dialect::OpenaiChat,
        model: model.to_owned(),
        max_output_tokens: 1_024,
        findings: [
            (Feature::Streaming, found(Verdict::Enforced, "the answer came as a stream")),
            (Feature::Schema, schema),
            (Feature::StrictTool, found(Verdict::Ignored, "text instead of a call of the tool")),
        ]
        .into(),
    };
    probes::keep(&config.paths.data_dir, probe("m", enforced())).unwrap();
    let shape = found(Verdict::ShapeOnly, "the schema's shape with a value it does not allow");
    probes::keep(&config.paths.data_dir, probe("qwen3:4b-instruct", shape)).unwrap();
    Catalog::on(&config, today)
}

/// The question before a probe, a probe under way, and what is shown of its verdict.
async fn probed(s: &mut Screen, dir: &Path, mut see: impl FnMut(&str, &Screen)) {
    let catalog = probed_catalog(dir);
    s.app.state.models.rows = catalog.rows();
    s.app.state.models.catalog = Arc::new(catalog);
    s.steps(&["ctrl-n"]).await;
    s.command(Id::ModelPick, "lab/m");
    s.settle().await;
    s.app.state.notice = None;
    s.command(Id::Probe, "");
    see("ask", s);
    s.keys(&["esc"]);
    let mut probing = Probing::new("lab/m".to_owned(), s.app.state.now);
    probing.told = vec![(Feature::Streaming, Verdict::Enforced), (Feature::Schema, Verdict::Enforced)];
    s.app.state.probe = Some(probing);
    s.app.draw().unwrap();
    // The clock goes on while it is drawn.
    s.app.state.probe.as_mut().unwrap().started = s.app.state.now;
    s.app.draw().unwrap();
    see("probing", s);
    s.app.state.probe = None;
    s.keys(&["alt-m"]);
    see("badges", s);
    s.keys(&["esc", "alt-w"]);
    see("evidence", s);
}

async fn repaired(s: &mut Screen) {
    s.settle().await;
    s.steps(&["ctrl-n"]).await;
    s.keys(&["type:Rate the book Dune", "enter"]);
    s.settle().await;
    // The paused clock jumps while a worker thread works: times on the screen are made the same in every run.
    let run = s.app.state.run.as_mut().unwrap();
    (run.started, run.ended) = (0, Some(700));
    for (attempt, begun) in run.attempts.iter_mut().zip([0, 350]) {
        (attempt.started, attempt.ended) = (begun + 100, Some(begun + 300));
    }
    for (round, begun) in run.rounds.list.iter_mut().zip([0, 350]) {
        (round.sent, round.first_ms, round.ended) = (begun, Some(100), Some(begun + 300));
    }
    s.app.state.notice = None;
    s.app.draw().unwrap();
}

/// What only a real provider shows.
fn by_hand(s: &mut Screen, see: &mut impl FnMut(&str, &Screen)) {
    s.app.state.now = 0;
    s.feed_run(true);
    s.app.state.run.as_mut().unwrap().started = s.app.state.now;
    s.feed(vec![Item::Inspect(Box::new(Inspect::Request {
        call: 0,
        url: "https://lab.invalid/v1/chat/completions".to_owned(),
        headers: vec![("authorization".to_owned(), "(left out)".to_owned())],
        body: r#"{"model":"model","stream":true}"#.to_owned(),
        curl: "curl https://lab.invalid".to_owned(),
    }))]);
    s.delta(1, "{\n  \"title\": \"The mor");
    still(s);
    see("running", s);
    let code = ErrorCode::RateLimited;
    s.feed(vec![Item::Event(RunEvent::TransportRetry { call: 0, code, status: Some(429), delay_ms: 0 })]);
    still(s);
    see("waiting", s);
    s.keys(&["alt-5", "w"]);
    see("request", s);
    s.keys(&["esc"]);
    let failure = CallFailure {
        code,
        status: Some(429),
        provider_code: Some("quota".to_owned()),
        request_id: Some("req-1".to_owned()),
        retryable: true,
        retry_after_ms: Some(1_500),
        message: "too many requests".to_owned(),
        detail: Some("{\"error\":{\"message\":\"slow down\"}}".to_owned()),
    };
    s.feed(vec![Item::Inspect(Box::new(Inspect::Failed { call: 0, failure, duration_ms: 5 }))]);
    let error = RunError {
        code,
        message: "the provider takes no more requests now".to_owned(),
        provider: "lab".to_owned(),
        model: "model".to_owned(),
        attempts: 1,
        issues: Vec::new(),
        omitted: 0,
        retryable: true,
        schema_hash: None,
        position: None,
        hint: None,
        facts: vec![("status".to_owned(), "429".to_owned()), ("next".to_owned(), "wait a minute".to_owned())],
    };
    s.feed(vec![Item::Event(RunEvent::Error(Box::new(error)))]);
    still(s);
    see("failed", s);
    s.keys(&["e"]);
    see("failure", s);
}

/// The clock goes on by itself: what it shows is made the same in every run.
fn still(s: &mut Screen) {
    let now = s.app.state.now;
    let run = s.app.state.run.as_mut().unwrap();
    run.started = now;
    run.ended = run.ended.map(|_| now);
    for attempt in &mut run.attempts {
        attempt.started = now;
        attempt.ended = attempt.ended.map(|_| now);
    }
    s.app.draw().unwrap();
}

/// When a read came, by a clock that jumps: the same in every run.
fn timeless(text: &str) -> String {
    let mut parts = text.split('+');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let time = digits > 2 && part[digits..].starts_with(" s");
        out.push('+');
        out.push_str(if time { "0.1" } else { &part[..digits] });
        out.push_str(&part[digits..]);
    }
    out
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[tokio::test(start_paused = true)]
async fn every_view_reads_well_at_every_size() {
    for (width, height) in SIZES {
        tour((width, height), "dark", |view, s| {
            snapshot(&format!("{view}_{width}x{height}"), &text_without_spinner(s));
        })
        .await;
    }
}

fn text_without_spinner(s: &Screen) -> String {
    let spin = s.app.state.theme.glyphs().spinner;
    timeless(&spin.iter().fold(s.text(), |text, sign| text.replace(sign, spin[0])))
}

/// For every view the styles on the screen, each with the texts it is on: a wrong colour shows as a text in the wrong
/// list, a new one as a new line.
#[tokio::test(start_paused = true)]
async fn every_view_has_its_colours_in_two_themes() {
    for theme in THEMES {
        for (width, height) in SIZES {
            let mut all = String::new();
            tour((width, height), theme, |view, s| {
                let _ = write!(all, "{view}\n{}\n", styles(s));
            })
            .await;
            snapshot(&format!("styles_{theme}_{width}x{height}"), &all);
        }
    }
}

/// The texts are the same in both themes: a theme colours, it does not speak.
#[tokio::test(start_paused = true)]
async fn themes_say_the_same() {
    let mut texts: Vec<Vec<String>> = Vec::new();
    for theme in THEMES {
        let mut seen = Vec::new();
        tour((100, 30), theme, |view, s| {
            if view != "themes" {
                seen.push(text_without_spinner(s));
            }
        })
        .await;
        texts.push(seen);
    }
    assert_eq!(texts[0], texts[1]);
}

/// Texts a style is shown with at most.
const MOST: usize = 10;

fn styles(s: &Screen) -> String {
    let spin = s.app.state.theme.glyphs().spinner;
    let mut found: Vec<(Style, Vec<String>)> = Vec::new();
    let buffer = &s.app.stage.buffer;
    for y in 0..buffer.area.height {
        let cells: Vec<_> = (0..buffer.area.width).map(|x| &buffer[(x, y)]).collect();
        for run in cells.chunk_by(|a, b| a.style() == b.style()) {
            let text: String = run.iter().map(|c| c.symbol()).collect();
            let text = timeless(&spin.iter().fold(text, |text, sign| text.replace(sign, spin[0])));
            let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let text = text.trim_matches(['─', '│', ' ', '╭', '╮', '╰', '╯']).chars().take(24).collect::<String>();
            let style = run[0].style();
            let at = found.iter().position(|(known, _)| *known == style).unwrap_or_else(|| {
                found.push((style, Vec::new()));
                found.len() - 1
            });
            if !text.is_empty() && !found[at].1.contains(&text) {
                found[at].1.push(text);
            }
        }
    }
    let lines = found.iter().map(|(style, texts)| {
        let more = if texts.len() > MOST { format!(" +{}", texts.len() - MOST) } else { String::new() };
        let texts = texts.iter().take(MOST).cloned().collect::<Vec<_>>().join(" ¦ ");
        format!("  {:<34} {texts}{more}", named(*style)).trim_end().to_owned() + "\n"
    });
    lines.collect()
}

fn named(style: Style) -> String {
    let colour = |c: Option<Color>| c.map_or("-".to_owned(), |c| c.to_string());
    let modifiers: Vec<String> = style.add_modifier.iter_names().map(|(n, _)| n.to_lowercase()).collect();
    let modifiers = if style.add_modifier == Modifier::empty() { String::new() } else { modifiers.join(",") };
    format!("{} on {} {modifiers}", colour(style.fg), colour(style.bg))
}

#[tokio::test(start_paused = true)]
async fn the_views_can_be_given_without_keys() {
    let dir = folder();
    let mut s = screen((100, 30), "dark", dir.path());
    s.settle().await;
    s.command(Id::ThemePick, "light");
    s.settle().await;
    assert_eq!(s.app.state.theme.name(), "light");
}
