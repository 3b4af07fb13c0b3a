//! `--report`: the three forms of a run on disk, without a key, and read by a real browser where there is one.

use std::process::Command;

use formwork::json::{ParseLimits, Value, parse};

use crate::PAIR;
use crate::place::{KEY, Place};
use crate::server::{Answer, Server, text};

const FORMS: [&str; 3] = ["run.md", "run.json", "run.html"];

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["-p", "the prompt", "--json-schema", "pair.json", "-m", "lab/m", "--report"], more].concat()
}

fn read(place: &Place, name: &str) -> String {
    fs_err::read_to_string(place.path(name)).unwrap()
}

#[test]
fn a_run_is_written_down_in_each_form() {
    for name in FORMS {
        let server =
            Server::start(vec![text("{\"b\":\"wrong\",\"a\":2}"), text("{\"b\":1,\"a\":9007199254740993.10}")]);
        let place = Place::with_lab(&server);
        place.write("pair.json", PAIR);
        let ended = place.run(&arguments(&[name]));
        ended.is(0, "{\"a\":9007199254740993.10,\"b\":1}\n");
        let report = read(&place, name);
        for wanted in ["the prompt", "lab/m", "validation_failed", "wrong", "9007199254740993.10", "/b"] {
            assert!(report.contains(wanted), "{wanted:?} is not in {report}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs_err::metadata(place.path(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "a report holds prompts");
        }
    }
}

#[test]
fn no_form_holds_a_key_or_a_header_or_what_the_provider_said() {
    for name in FORMS {
        let echo = format!("{{\"error\":{{\"message\":\"planted-body: bad key {KEY}\",\"code\":\"bad_key\"}}}}");
        let server = Server::start(vec![Answer::Status(500, echo.clone()), Answer::Status(401, echo)]);
        let place = Place::with_lab(&server);
        place.write("pair.json", PAIR);
        let ended = place.run(&arguments(&[name]));
        ended.fails(1, "auth");
        let report = read(&place, name);
        assert!(server.request().head.contains(KEY), "the key went to the server");
        for secret in [KEY, "Bearer", "authorization", "planted-body", &server.base_url] {
            assert!(!report.to_lowercase().contains(&secret.to_lowercase()), "{secret:?} is in {report}");
        }
        assert!(report.contains("auth") && report.contains("the prompt"), "{report}");
    }
}

#[test]
fn a_report_that_cannot_be_is_refused_before_anything_is_sent() {
    let server = Server::start(Vec::new());
    let place = Place::with_lab(&server);
    place.write("pair.json", PAIR);
    for name in ["run.txt", "run", "none/run.html"] {
        place.run(&arguments(&[name])).fails(2, "config");
    }
    assert_eq!(server.rest(), 0);
    fs_err::create_dir(place.path("folder.html")).unwrap();
    let ended = place.run(&["-p", "x", "--json-schema", "pair.json", "-m", "sim/sample", "--report", "folder.html"]);
    // The answer came all the same.
    assert!(ended.code == Some(1) && ended.stdout.starts_with("{\"a\":"), "{} {}", ended.stdout, ended.stderr);
    ended.says("error[transport]: the report was not written");
}

#[test]
fn a_run_without_a_schema_has_a_report_too() {
    let place = Place::new();
    let ended = place.run(&["-p", "hello", "-m", "sim/sample", "--report", "run.json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let report = parse(&read(&place, "run.json"), ParseLimits::default()).unwrap();
    assert_eq!((&report["end"]["outcome"], &report["simulated"]), (&Value::from("text"), &Value::Bool(true)));
    assert_eq!(report["asked"]["schema"], Value::Null);
}

/// Opt-in: `FORMWORK_BROWSER=chromium cargo test --test cli report`.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test itself is switched on by a variable")]
fn a_real_browser_shows_it_and_runs_nothing() {
    let Some(browser) = std::env::var_os("FORMWORK_BROWSER") else {
        println!("skipped: FORMWORK_BROWSER names no browser");
        return;
    };
    let hostile = "</pre></style><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
    let place = Place::new();
    place.write("pair.json", PAIR);
    let ended = place.run(&["-p", hostile, "--json-schema", "pair.json", "-m", "sim/repair", "--report", "run.html"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let profile = format!("--user-data-dir={}", place.path("profile").display());
    let shown = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", &profile, "--dump-dom"])
        .arg(format!("file://{}", place.path("run.html").display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(shown.stdout).unwrap();
    assert!(dom.contains("<title>Run of sim/repair</title>"), "{dom}\n{}", String::from_utf8_lossy(&shown.stderr));
    assert!(!dom.contains("<script") && !dom.contains("<img"), "{dom}");
    assert!(dom.contains("&lt;script&gt;") && dom.contains("<mark"), "{dom}");
}
