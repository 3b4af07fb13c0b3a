//! The probe over real sockets: a server that enforces, ignores or refuses by script, and what is kept of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]
#![allow(dead_code, reason = "the shared server can do more than this test asks of it")]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use formwork::capability::verdict::{Feature, Verdict};
use formwork::capability::{Day, Evidence, Native};
use formwork::catalog::{Catalog, probes};
use formwork::config::{Config, Env, Paths, Provider};
use formwork::event::ErrorCode;
use formwork::json::Value;
use formwork::probe::{Report, Spec, cost, run};

use server::{Fake, Part, finish, response, stream, text};

const TODAY: Day = Day::of(2026, 12, 1);
const KEY: &str = "sk-SECRET-0123456789";
const PINNED: &str = r#"{"word":"kestrel-4417"}"#;
const FULL: &str = r#"{"months":["none"]}"#;

fn config(base_url: &str, data_dir: &Path) -> Config {
    let paths = Paths { data_dir: data_dir.to_owned(), ..Paths::default() };
    let mut config = Config { env: Env::from_pairs([("LAB_KEY", KEY)]), paths, ..Config::default() };
    let provider = Provider {
        base_url: Some(base_url.to_owned()),
        api_key_env: Some("LAB_KEY".to_owned()),
        ..Provider::default()
    };
    config.providers.insert("lab".to_owned(), provider);
    config
}

fn spec(config: &Config) -> Spec {
    let (endpoint, model) = Catalog::on(config, TODAY).find("lab/m").unwrap();
    Spec { endpoint, model, today: TODAY, patience: Duration::from_secs(20) }
}

/// Probes a server that gives these answers.
async fn probed(replies: Vec<Vec<Part>>, data_dir: &Path) -> (Report, Fake, Config) {
    let fake = Fake::start(replies).await;
    let config = config(&fake.base_url, data_dir);
    let report = run(&spec(&config), &mut |_, _| {}).await;
    if report.learned() {
        probes::keep(data_dir, report.probe.clone()).unwrap();
    }
    (report, fake, config)
}

fn verdicts(report: &Report) -> BTreeMap<Feature, Verdict> {
    report.probe.findings.iter().map(|(feature, found)| (*feature, found.verdict)).collect()
}

fn says(answer: &str) -> Vec<Part> {
    stream(&[&text(answer), &finish("stop")])
}

fn calls(arguments: &str) -> Vec<Part> {
    let arguments = Value::from(arguments);
    let chunk = format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c\",\"function\":{{\"name\":\"report_word\",\"arguments\":{arguments}}}}}]}},\"finish_reason\":null}}]}}\n\n"
    );
    stream(&[chunk.as_bytes(), &finish("tool_calls")])
}

fn plain() -> Vec<Part> {
    says("A door opens and closes a room.")
}

#[tokio::test]
async fn a_server_that_enforces_everything() {
    let folder = tempfile::tempdir().unwrap();
    let replies = vec![plain(), says(PINNED), says(FULL), calls(PINNED), says(PINNED)];
    let (report, fake, config) = probed(replies, folder.path()).await;
    assert!(verdicts(&report).values().all(|verdict| *verdict == Verdict::Enforced), "{report:?}");
    assert_eq!((report.requests, fake.count()), (5, 5));
    assert_eq!(cost(&spec(&config)).requests, 5);
    let body = |at: usize| -> Value {
        formwork::json::parse(&fake.request(at).body, formwork::json::ParseLimits { max_bytes: 1 << 20, max_depth: 64 })
            .unwrap()
    };
    assert!(body(0).get("response_format").is_none() && body(0).get("tools").is_none());
    for at in 1..5 {
        let messages = body(at)["messages"].to_string();
        assert!(!messages.contains("kestrel"), "{messages}");
    }
    assert!(body(1).get("response_format").is_some() && body(1).get("tools").is_none());
    assert!(body(3).get("response_format").is_none() && body(3).get("tools").is_some());
    assert!(body(4).get("response_format").is_some() && body(4).get("tools").is_some());
    let record = Catalog::on(&config, TODAY).endpoints["lab"].record("m");
    assert_eq!((record.native, record.strict_tool, record.with_tools), (Native::Supported, true, true));
    assert_eq!((record.evidence, record.since), (Evidence::Probed, Some(TODAY)));
    let kept = fs_err::read_to_string(probes::file(folder.path())).unwrap();
    assert!(!kept.contains("SECRET") && !kept.contains("door") && kept.contains("2026-12-01"), "{kept}");
}

#[tokio::test]
async fn each_way_of_not_enforcing_has_its_name_and_follows_nothing_up() {
    for (answer, want) in [
        ("Blue", Verdict::Ignored),
        ("```json\n{\"word\":\"kestrel-4417\"}\n```", Verdict::Ignored),
        (r#"{"colour":"blue"}"#, Verdict::JsonOnly),
        (r#"{"word":"blue"}"#, Verdict::ShapeOnly),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (report, fake, config) = probed(vec![plain(), says(answer), says("Blue.")], folder.path()).await;
        let found = verdicts(&report);
        for feature in [Feature::Schema, Feature::ArrayBound, Feature::WithTools] {
            assert_eq!(found[&feature], want, "{answer} {feature:?}");
        }
        assert_eq!((found[&Feature::StrictTool], fake.count()), (Verdict::Ignored, 3), "{answer}");
        let (route, reason) = Catalog::on(&config, TODAY).endpoints["lab"].route("m");
        assert_eq!(route, "prompt", "{reason}");
        assert!(reason.ends_with("probed 2026-12-01"), "{reason}");
    }
}

#[tokio::test]
async fn a_refusal_in_any_words_is_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let bodies: Vec<String> = cases::rows("cases/faults.jsonl")
        .iter()
        .filter(|row| ["cp-002", "lm-003"].iter().any(|id| row["id"] == **id))
        .map(|row| row["input"]["body"].to_string())
        .chain([r#"{"error":"no"}"#.to_owned(), String::new()])
        .collect();
    for body in bodies {
        let refused = || response(400, "content-type: application/json\r\n", &body);
        let (report, fake, _) = probed(vec![plain(), refused(), refused()], folder.path()).await;
        let found = verdicts(&report);
        assert_eq!(
            (found[&Feature::Schema], found[&Feature::StrictTool]),
            (Verdict::Refused, Verdict::Refused),
            "{body}"
        );
        assert_eq!((found[&Feature::Streaming], fake.count()), (Verdict::Enforced, 3), "nothing is sent again");
    }
}

/// cp-003 and its kin: a bad key, a limit, a fault and a lost connection say nothing of schemas.
#[tokio::test]
async fn what_says_nothing_of_schemas_leaves_an_earlier_verdict_unchanged() {
    let json = "content-type: application/json\r\n";
    let failures: Vec<(Vec<Part>, ErrorCode)> = vec![
        (response(401, json, r#"{"error":{"message":"invalid key"}}"#), ErrorCode::Auth),
        (response(403, json, "{}"), ErrorCode::Auth),
        (response(429, json, "{}"), ErrorCode::RateLimited),
        (response(500, json, "{}"), ErrorCode::Provider),
        (response(503, json, ""), ErrorCode::Provider),
        (vec![Part::Close], ErrorCode::Transport),
    ];
    for (failure, code) in failures {
        let folder = tempfile::tempdir().unwrap();
        let fake = Fake::start(vec![
            plain(),
            says(PINNED),
            says(FULL),
            calls(PINNED),
            says(PINNED),
            failure.clone(),
            plain(),
            failure,
        ])
        .await;
        let config = config(&fake.base_url, folder.path());
        let first = run(&spec(&config), &mut |_, _| {}).await;
        probes::keep(folder.path(), first.probe).unwrap();
        let before = probes::load(folder.path()).unwrap();
        // At the plain request: nothing is learned at all.
        let second = run(&spec(&config), &mut |_, _| {}).await;
        assert!(!second.learned(), "{second:?}");
        assert_eq!((second.stopped.as_ref().unwrap().code, second.requests), (code, 1));
        probes::keep(folder.path(), second.probe).unwrap();
        assert_eq!(probes::load(folder.path()).unwrap(), before);
        // At the schema: what follows is not asked, what was found before stays.
        let third = run(&spec(&config), &mut |_, _| {}).await;
        assert_eq!(verdicts(&third)[&Feature::Schema], Verdict::Unreachable, "{third:?}");
        assert_eq!(third.requests, 2);
        probes::keep(folder.path(), third.probe).unwrap();
        assert_eq!(probes::load(folder.path()).unwrap(), before);
        assert_eq!(Catalog::on(&config, TODAY).endpoints["lab"].record("m").native, Native::Supported);
    }
}

#[tokio::test]
async fn an_unknown_model_is_no_verdict_of_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let missing = response(404, "content-type: application/json\r\n", r#"{"error":{"code":"model_not_found"}}"#);
    let (report, _, _) = probed(vec![missing], folder.path()).await;
    assert!(!report.learned() && report.requests == 1, "{report:?}");
    assert!(!probes::file(folder.path()).exists());
}

#[tokio::test]
async fn a_cut_answer_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let cut = stream(&[&text("{\"word\":\"kes"), &finish("length")]);
    let (report, _, _) = probed(vec![plain(), cut, calls(PINNED)], folder.path()).await;
    let found = verdicts(&report);
    assert_eq!((found[&Feature::Schema], found[&Feature::StrictTool]), (Verdict::Unreachable, Verdict::Enforced));
}

/// ol-002, lm-002, ge-011: the verdict belongs to one model at one address in one dialect.
#[tokio::test]
async fn a_verdict_belongs_to_one_model_at_one_address() {
    let folder = tempfile::tempdir().unwrap();
    let replies = vec![plain(), says(PINNED), says(FULL), calls(PINNED), says(PINNED)];
    let (_, _, mut config) = probed(replies, folder.path()).await;
    let native = |config: &Config, model: &str| Catalog::on(config, TODAY).endpoints["lab"].record(model).native;
    assert_eq!((native(&config, "m"), native(&config, "m:q4")), (Native::Supported, Native::Unknown));
    let own = config.providers.get_mut("lab").unwrap();
    own.dialect = Some("openai_responses".to_owned());
    assert_eq!(native(&config, "m"), Native::Unknown);
    let own = config.providers.get_mut("lab").unwrap();
    (own.dialect, own.base_url) = (None, Some("http://127.0.0.1:9/v1".to_owned()));
    assert_eq!(native(&config, "m"), Native::Unknown);
}
