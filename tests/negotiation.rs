//! What a person reads when no route is open, whole: reasons, places, the level that opens a route, what to do next.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test stops")]

use std::fmt::Write as _;

use formwork::capability::{Capability, Declaration, Dialect, Evidence, ModelFlag, Native, ProfileId};
use formwork::catalog::Catalog;
use formwork::config::{Config, Declared, Provider};
use formwork::dialect::ToolChoice;
use formwork::event::Mode;
use formwork::plan::{CallerTools, Question, negotiate};
use formwork::schema::preflight::check_text;
use formwork::schema::project::{Level, Place, project};

fn told(schema: &str, capability: &Capability, flag: ModelFlag, tools: &CallerTools) -> String {
    let format = check_text(schema).unwrap().format;
    let (provider, model, level) = ("lab", "m", Level::Exact);
    let question = Question { provider, model, capability, flag, format: &format, level, tools, grammar: None };
    let closed = negotiate(&question).unwrap_err();
    let mut out = format!("{closed}\n");
    for route in &closed.routes {
        let _ = writeln!(out, "{:?} opens at {:?}", route.mode, route.opens_at);
        for reason in &route.reasons {
            let _ = writeln!(out, "  {reason}");
        }
        for refusal in &route.refusals {
            let _ = writeln!(out, "  {:?} {} ({:?})", refusal.path, refusal.rule, refusal.mends_at);
        }
    }
    for advice in &closed.advice {
        let _ = writeln!(out, "- {advice}");
    }
    out
}

const OPEN: &str = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
const CLOSED: &str =
    r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;

#[test]
fn closed_routes_explain_themselves() {
    let official = Capability::official_openai();
    let nobody = Capability::undeclared(Dialect::OpenaiChat);
    let declared = Capability::declared(
        Dialect::OpenaiChat,
        Declaration {
            native: Some(Native::Unsupported),
            strict_tool: Some(true),
            schema_profile: Some(ProfileId::None),
            ..Declaration::default()
        },
    );
    let none = CallerTools::default();
    let named = CallerTools { names: vec!["x".into()], choice: ToolChoice::Named("x".into()), parallel: Some(true) };
    let cases = [
        ("an open object", told(OPEN, &official, ModelFlag::Yes, &none)),
        (
            "a constraint no level keeps native",
            told(r#"{"type":"string","minLength":2}"#, &official, ModelFlag::Yes, &none),
        ),
        ("nobody vouches", told(CLOSED, &nobody, ModelFlag::Absent, &none)),
        ("flagged no, fallback none", told(&envelope(CLOSED, "none"), &official, ModelFlag::No, &none)),
        ("a forced tool beside", told(CLOSED, &official, ModelFlag::Yes, &named)),
        (
            "only strict tools, parallel wanted",
            told(CLOSED, &declared, ModelFlag::Absent, &CallerTools { parallel: Some(true), ..none.clone() }),
        ),
    ];
    let all: Vec<String> = cases.iter().map(|(name, text)| format!("== {name}\n{text}\n")).collect();
    insta::assert_snapshot!(all.concat());
}

fn envelope(schema: &str, fallback: &str) -> String {
    format!(r#"{{"type":"json_schema","fallback":"{fallback}","schema":{schema}}}"#)
}

#[test]
fn branches_that_begin_alike_are_warned_of() {
    let branch = |first: &str, kind: &str| {
        format!(
            r#"{{"type":"object","properties":{{"{first}":{{"const":"{kind}"}},"n":{{"type":"integer"}}}},"required":["{first}","n"],"additionalProperties":false}}"#
        )
    };
    for (a, b, warned) in [("kind", "kind", true), ("cat", "dog", false)] {
        let schema = format!(
            r#"{{"type":"object","properties":{{"pet":{{"anyOf":[{},{}]}}}},"required":["pet"],"additionalProperties":false}}"#,
            branch(a, "x"),
            branch(b, "y")
        );
        let format = check_text(&schema).unwrap().format;
        let projected = project(ProfileId::OpenaiStrict, Place::Native, &format, Level::Exact).unwrap();
        let rules: Vec<(&str, &str)> = projected.warnings.iter().map(|w| (w.rule.as_str(), w.path.as_str())).collect();
        let want: &[(&str, &str)] = if warned { &[("same-first-key", "/properties/pet/anyOf")] } else { &[] };
        assert_eq!(rules, want);
    }
}

/// What a request to a server cannot carry is no route, though the user declares all of it.
#[test]
fn no_declaration_opens_a_route_the_server_does_not_have() {
    let beside = CallerTools { names: vec!["x".into()], ..CallerTools::default() };
    let none = CallerTools::default();
    // Name, address, tools, mode, what is told as overruled.
    for (name, base_url, tools, mode, overruled) in [
        ("lab", "http://127.0.0.1:8080/v1", &none, Some(Mode::Native), ""),
        ("lab", "http://127.0.0.1:8080/v1", &beside, Some(Mode::Native), ""),
        ("groq", "https://api.groq.com/openai/v1", &none, Some(Mode::Native), "with_tools"),
        ("groq", "https://api.groq.com/openai/v1", &beside, Some(Mode::Tool), "with_tools"),
        ("mine", "https://api.groq.com/openai/v1", &beside, Some(Mode::Tool), "with_tools"),
        ("deepseek", "https://api.deepseek.com/v1", &none, None, "native and strict_tool and with_tools"),
        ("deepseek", "https://api.deepseek.com/beta", &none, Some(Mode::Tool), "native and with_tools"),
        ("mine", "https://api.deepseek.com/beta", &beside, Some(Mode::Tool), "native and with_tools"),
    ] {
        let everything = Declared {
            native: Some(Native::Supported),
            strict_tool: true,
            with_tools: true,
            schema_profile: Some(ProfileId::OpenaiStrict),
        };
        let own = Provider {
            base_url: Some(base_url.to_owned()),
            dialect: Some("openai_chat".to_owned()),
            structured_output: Some(everything),
            ..Provider::default()
        };
        let mut config = Config::default();
        config.providers.insert(name.to_owned(), own);
        let catalog = Catalog::new(&config);
        let (endpoint, model) = catalog.find(&format!("{name}/m")).unwrap();
        let (capability, format) = (endpoint.record(&model), check_text(CLOSED).unwrap().format);
        let question = Question {
            provider: name,
            model: &model,
            capability: &capability,
            flag: endpoint.flag(&model),
            format: &format,
            level: Level::Exact,
            tools,
            grammar: None,
        };
        assert_eq!(negotiate(&question).ok().map(|plan| plan.mode), mode, "{base_url}");
        let evidence = if overruled.is_empty() { Evidence::Declared } else { Evidence::Official };
        assert_eq!(capability.evidence, evidence, "{base_url}");
        let told: Vec<&String> = catalog.notes.iter().filter(|note| note.contains("structured_output")).collect();
        assert_eq!(told.len(), usize::from(!overruled.is_empty()), "{told:?}");
        assert!(told.iter().all(|note| note.contains(&format!("declares as {overruled} ("))), "{told:?}");
    }
}
