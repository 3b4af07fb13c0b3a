//! What a person reads when no route is open, whole: reasons, places, the level that opens a route, what to do next.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test stops")]

use std::fmt::Write as _;

use formwork::capability::{Capability, Declaration, Dialect, ModelFlag, Native, ProfileId};
use formwork::dialect::ToolChoice;
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
