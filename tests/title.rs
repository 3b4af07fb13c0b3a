//! The session title's schema (ENGINE §9: `title`, 1 to 80 characters, fallback `prompt`) reaches a model at every
//! endpoint: the provider gets a copy it accepts, the bounds are judged here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test stops")]

use formwork::capability::{Capability, Dialect, ModelFlag, Native, ProfileId, Vendor};
use formwork::event::Mode;
use formwork::json::{ParseLimits, Value};
use formwork::plan::{CallerTools, Plan, Question, negotiate};
use formwork::schema::preflight::check_text;
use formwork::schema::project::{Level, Place, project};
use formwork::schema::validate::JudgeOptions;
use formwork::schema::{ResponseFormat, judge};

const TITLE: &str = r#"{"type":"json_schema","name":"title","fallback":"prompt","max_validation_retries":1,"schema":
    {"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":80}},"required":["title"],
    "additionalProperties":false}}"#;

fn title() -> ResponseFormat {
    check_text(TITLE).unwrap().format
}

/// Every record an endpoint can have.
fn records() -> Vec<(String, Capability)> {
    let models =
        ["gpt-5", "claude-sonnet-4-6", "claude-3-5-sonnet-20241022", "gemini-2.5-pro", "openai/gpt-oss-20b", "x"];
    let mut all: Vec<(String, Capability)> = Vec::new();
    for vendor in Vendor::ALL {
        for model in models {
            all.push((format!("{vendor:?} {model}"), Capability::official(vendor, Dialect::OpenaiChat, model)));
        }
    }
    all.push(("nobody".to_owned(), Capability::undeclared(Dialect::Ollama)));
    all.push(("sim".to_owned(), Capability::sim()));
    for schema_profile in ProfileId::ALL {
        let native = Native::Supported;
        let record = Capability { native, schema_profile, ..Capability::undeclared(Dialect::OpenaiChat) };
        all.push((format!("declared {schema_profile:?}"), record));
    }
    all
}

fn plan(capability: &Capability, flag: ModelFlag, level: Level) -> Plan {
    let (format, tools) = (title(), CallerTools::default());
    let (provider, model) = ("p", "m");
    let question = Question { provider, model, capability, flag, format: &format, level, tools: &tools, grammar: None };
    negotiate(&question).unwrap_or_else(|closed| panic!("{closed:?}"))
}

#[test]
fn every_endpoint_can_be_asked_for_a_title() {
    for (name, record) in records() {
        for flag in [ModelFlag::Yes, ModelFlag::No, ModelFlag::Absent] {
            for level in Level::ALL {
                let plan = plan(&record, flag, level);
                assert!(matches!(plan.mode, Mode::Native | Mode::Prompt), "{name}: fallback prompt takes no tool");
                if plan.mode == Mode::Prompt {
                    assert_eq!(plan.provider_schema, title().schema, "{name}: the prompt names the bounds");
                }
                assert_eq!(plan.format, title(), "{name}: the original judges");
            }
        }
    }
}

/// At `relax` the bounds are left to the local judge, so an endpoint that holds schemas at all is asked natively.
#[test]
fn where_schemas_hold_the_title_is_native_at_relax() {
    let mut native = 0;
    for (name, record) in records().into_iter().filter(|(_, record)| record.native == Native::Supported) {
        let plan = plan(&record, ModelFlag::Absent, Level::Relax);
        assert_eq!(plan.mode, Mode::Native, "{name}");
        let sent = ResponseFormat { schema: plan.provider_schema.clone(), ..title() };
        let again = project(record.schema_profile, Place::Native, &sent, Level::Exact).unwrap();
        assert_eq!(again.schema, plan.provider_schema, "{name} takes what it is sent");
        native += 1;
    }
    assert!(native > ProfileId::ALL.len(), "{native}");
}

/// The reference's cases: 81 characters and none at all are refused, whatever the provider was sent.
#[test]
fn the_bounds_are_judged_here() {
    let judge = judge(&title(), JudgeOptions { limits: ParseLimits::default(), assert_format: false }).unwrap();
    for (length, fits) in [(0, false), (1, true), (80, true), (81, false)] {
        // Characters count, not bytes.
        let value = serde_json::json!({ "title": "ü".repeat(length) });
        assert_eq!(judge.validate(&value).list.is_empty(), fits, "{length}");
    }
    assert!(!judge.validate(&Value::Object(formwork::json::Map::new())).list.is_empty());
}
