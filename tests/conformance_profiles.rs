//! What the profiles say against the handed cases: the reference's own verdicts, and refusals that people reported.
//! Where ENGINE or PROVIDERS decides otherwise, the case is listed with our verdict and the reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;

use std::collections::BTreeSet;

use formwork::capability::{Capability, Dialect, ModelFlag, ProfileId, Vendor};
use formwork::dialect::ToolChoice;
use formwork::event::Mode;
use formwork::json::{Value, resolve};
use formwork::plan::portability::{Support, portability};
use formwork::plan::{CallerTools, Question, negotiate};
use formwork::schema::preflight::check;
use formwork::schema::profile::Measure;
use formwork::schema::project::{Level, Place, Projected, Refusal, Source, project};
use formwork::schema::{Fallback, ResponseFormat};

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn format(schema: &Value) -> ResponseFormat {
    check(schema).unwrap_or_else(|errors| panic!("{errors:?}: {schema}")).format
}

type Got = Result<Projected, Vec<Refusal>>;

/// The reference's profiles and ours.
const PROFILES: [(&str, ProfileId); 3] =
    [("openai_strict", ProfileId::OpenaiStrict), ("google_json_schema", ProfileId::Google), ("none", ProfileId::None)];

const MEANINGLESS: &str =
    "the keyword says nothing about a text: left out without change of meaning (ENGINE §4, exact)";
const ANNOTATION: &str = "ENGINE §4: a pure annotation is left out and listed";
const UNCHECKED: &str = "ENGINE §4: an allow-list; the reference lets unknown keywords pass unchecked";

/// Reference cases that are decided otherwise: profile, case, our verdict, why.
const OTHERWISE: &[(&str, &str, bool, &str)] = &[
    (
        "openai_strict",
        "closed object, required not sorted",
        true,
        "PROVIDERS §1.1 and ENGINE §4: the order of required means nothing",
    ),
    (
        "openai_strict",
        "closed object without properties",
        false,
        "PROVIDERS §1.1: an object without properties is refused",
    ),
    (
        "openai_strict",
        "closed object with empty lists",
        false,
        "PROVIDERS §1.1: an object without properties is refused",
    ),
    (
        "openai_strict",
        "reference root",
        true,
        "PROVIDERS §1.1: $defs and $ref are accepted; a root must be an object, so the target takes its place",
    ),
    ("openai_strict", "reference in a property", true, "PROVIDERS §1.1: $defs and $ref are accepted"),
    ("openai_strict", "open object in prefixItems", false, UNCHECKED),
    ("openai_strict", "bounds hidden in a nullable object", false, UNCHECKED),
    ("openai_strict", "boolean property", false, "PROVIDERS §1.1, fault oa-007: boolean schemas are refused"),
    ("openai_strict", "keyword maximum on a property", true, MEANINGLESS),
    ("openai_strict", "keyword exclusiveMinimum on a property", true, MEANINGLESS),
    ("openai_strict", "keyword exclusiveMaximum on a property", true, MEANINGLESS),
    ("openai_strict", "keyword multipleOf on a property", true, MEANINGLESS),
    ("openai_strict", "keyword minItems on a property", true, MEANINGLESS),
    ("openai_strict", "keyword maxItems on a property", true, MEANINGLESS),
    ("openai_strict", "keyword default on a property", true, ANNOTATION),
    ("openai_strict", "keyword examples on a property", true, ANNOTATION),
    ("openai_strict", "keyword contentEncoding on a property", true, ANNOTATION),
    ("openai_strict", "keyword not on a property", false, UNCHECKED),
    (
        "google_json_schema",
        "default inside oneOf",
        true,
        "ENGINE §4: no value fits two branches, so anyOf means the same; default is an annotation",
    ),
    ("google_json_schema", "default inside $defs", true, "nothing refers to the definition: left out without loss"),
    (
        "google_json_schema",
        "sibling of a reference",
        true,
        "the target is written in the reference's place: the same meaning",
    ),
    ("google_json_schema", "keyword const on a property", true, "ENGINE §4: const is an enum of one value"),
    ("google_json_schema", "keyword exclusiveMinimum on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword exclusiveMaximum on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword multipleOf on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword contains on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword minProperties on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword dependentRequired on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword dependentSchemas on a property", true, MEANINGLESS),
    ("google_json_schema", "keyword default on a property", true, ANNOTATION),
    ("google_json_schema", "keyword examples on a property", true, ANNOTATION),
    ("google_json_schema", "keyword contentEncoding on a property", true, ANNOTATION),
    ("google_json_schema", "keyword $comment on a property", true, ANNOTATION),
    ("google_json_schema", "keyword x-foo on a property", true, ANNOTATION),
    (
        "google_json_schema",
        "keyword nullable on a property",
        true,
        "no keyword of JSON Schema: says nothing, so an annotation",
    ),
];

/// Every verdict of the reference, per profile; every refusal with a path that is in the schema.
#[test]
fn verdicts_of_the_reference() {
    let rows = cases::rows("cases/reference.jsonl");
    let (mut ran, mut listed, mut differ) = (0, BTreeSet::new(), Vec::new());
    for row in rows.iter().filter(|row| text(row, "area") == "profile") {
        let (name, schema) = (text(row, "name"), &row["input"]["schema"]);
        for (theirs, id) in PROFILES {
            let expected = row["expected"][theirs]["lossless"].as_bool().unwrap();
            let got = project(id, Place::Native, &format(schema), Level::Exact);
            ran += 1;
            if let Err(refusals) = &got {
                assert!(
                    refusals.iter().all(|refusal| resolve(schema, &refusal.path).is_some()),
                    "{name}: {refusals:?}"
                );
            }
            match OTHERWISE.iter().find(|(of, case, _, _)| (*of, *case) == (theirs, name)) {
                Some((of, case, ours, reason)) => {
                    assert_eq!(got.is_ok(), *ours, "{name}: {reason}");
                    assert_ne!(got.is_ok(), expected, "{name} is listed and not decided otherwise");
                    listed.insert((*of, *case));
                }
                None if got.is_ok() != expected => differ.push(told(theirs, name, &got)),
                None => {}
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    println!("{ran} verdicts, {} decided otherwise", listed.len());
    assert!(rows.is_empty() || (ran == 54 * 3 && listed.len() == OTHERWISE.len()));
}

fn told(profile: &str, name: &str, got: &Got) -> String {
    let why = match got {
        Ok(projected) => format!("{:?}", projected.changes),
        Err(refusals) => format!("{:?}", refusals.iter().map(|r| (&r.path, &r.rule)).collect::<Vec<_>>()),
    };
    format!("    ({profile:?}, {name:?}, {}, {why:?}),", got.is_ok())
}

/// The profile and the place a reported schema was sent to.
fn sent_to(input: &Value) -> (ProfileId, Place) {
    let place = if text(input, "where").starts_with("tools") { Place::Tool } else { Place::Native };
    match text(input, "provider") {
        "openai-chat" | "openai-responses" => (ProfileId::OpenaiStrict, place),
        "anthropic" => (ProfileId::Anthropic, place),
        "bedrock-converse" => (ProfileId::Bedrock, place),
        "google-responseJsonSchema" | "google-responseSchema" | "google-generateContent" => (ProfileId::Google, place),
        "google-tools" => (ProfileId::Google, Place::Tool),
        "llama.cpp" => (ProfileId::LlamaCpp, place),
        "ollama" => (ProfileId::Ollama, place),
        "vllm-xgrammar" => (ProfileId::Vllm, place),
        "deepseek" => (Vendor::DeepseekBeta.profile(), Place::Tool),
        other => panic!("{other}"),
    }
}

/// Reports that are decided otherwise: id, our verdict at `exact`, why.
const REPORTS_OTHERWISE: &[(&str, bool, &str)] = &[
    ("an-103", true, "required demands both names already: dependentRequired is left out without change of meaning"),
    ("ge-003", true, "the target takes the reference's place and requires a property: minProperties 1 always holds"),
    (
        "ge-004",
        true,
        "PROVIDERS §5: we send responseJsonSchema, which takes additionalProperties; never responseSchema",
    ),
    ("ge-008", true, "PROVIDERS §5.1: parametersJsonSchema takes numbers in enum; nothing is turned into text"),
    ("ge-009", true, "type is written into the branches of anyOf: the same meaning without the refused pair"),
    (
        "ge-010",
        true,
        "PROVIDERS §5.1, §11.4: no number is published; the report is about responseSchema, which we never send",
    ),
];

/// Reports whose ends no profile alone decides; each has a test of its own below.
const ELSEWHERE: [&str; 4] = ["an-008", "ds-001", "ge-014", "oa-011"];

#[test]
fn reported_refusals() {
    let rows = cases::rows("cases/faults.jsonl");
    let mut listed = Vec::new();
    for row in rows.iter().filter(|row| text(&row["input"], "kind") == "schema_provider") {
        let (id, input, expected) = (text(row, "id"), &row["input"], &row["expected"]);
        if ELSEWHERE.contains(&id) {
            continue;
        }
        let (profile, place) = sent_to(input);
        let got = project(profile, place, &format(&input["schema"]), Level::Exact);
        if let Some((id, ours, reason)) = REPORTS_OTHERWISE.iter().find(|(listed, _, _)| *listed == id) {
            assert_eq!(got.is_ok(), *ours, "{id}: {reason}: {got:?}");
            listed.push(*id);
            continue;
        }
        let paths = expected.get("paths").and_then(Value::as_array).cloned().unwrap_or_default();
        let named = |told: &[Refusal]| {
            for path in paths.iter().map(|path| path.as_str().unwrap().trim_start_matches('#')) {
                assert!(told.iter().any(|place| place.path == path), "{id}: {path} in {told:?}");
            }
        };
        match text(expected, "outcome") {
            "supported" => assert!(got.is_ok(), "{id}: {got:?}"),
            "preflight_reject_native" | "depends_on_model_profile" => named(&got.expect_err(id)),
            "preflight_warn" | "backend_dependent" => {
                named(&got.map_or_else(|refusals| refusals, |made| made.warnings));
            }
            other => panic!("{id}: {other}"),
        }
    }
    listed.sort_unstable();
    let all: Vec<&str> = REPORTS_OTHERWISE.iter().map(|(id, _, _)| *id).collect();
    assert!(rows.is_empty() || listed == all, "{listed:?}");
}

fn reported(id: &str) -> Option<Value> {
    cases::rows("cases/faults.jsonl").into_iter().find(|row| text(row, "id") == id)
}

/// an-004: `minItems` 1 passes, 2 is refused.
#[test]
fn min_items_of_one_passes_and_two_are_refused() {
    let Some(row) = reported("an-004") else { return };
    let of = |key: &str| project(ProfileId::Anthropic, Place::Native, &format(&row["input"][key]), Level::Exact);
    assert_eq!(of("accept").unwrap().schema, row["input"]["accept"]);
    let refusals = of("reject").unwrap_err();
    assert_eq!(refusals.iter().map(|refusal| refusal.path.as_str()).collect::<Vec<_>>(), ["/properties/t/minItems"]);
}

/// an-007, an-008: what counts against limits is told, also where nothing is refused for it. No level takes null from a
/// required property: it is the only way to say that there is no value.
#[test]
fn unions_and_optional_properties_are_counted() {
    for (id, unions, optional, native) in [("an-007", 17, 0, Support::Refused), ("an-008", 2, 0, Support::Accepted)] {
        let Some(row) = reported(id) else { return };
        let format = format(&row["input"]["schema"]);
        let found = portability(ProfileId::Anthropic, None, &Source::read(&format.schema), &format);
        let used = |what| found.uses.iter().find(|row| row.what == what).and_then(|row| row.used);
        assert_eq!((used(Measure::Unions), used(Measure::OptionalProperties)), (Some(unions), Some(optional)), "{id}");
        assert_eq!(found.native, native, "{id}: {:?}", found.objections);
    }
}

/// an-008: within every published number, so it is sent; but five levels of objects with unions in them are warned about,
/// with what stands in which part.
#[test]
fn deep_unions_are_warned_about_and_never_refused() {
    let Some(row) = reported("an-008") else { return };
    let made = |schema: &Value, place| project(ProfileId::Anthropic, place, &format(schema), Level::Exact).unwrap();
    for place in [Place::Native, Place::Tool] {
        let warnings = made(&row["input"]["schema"], place).warnings;
        let told: Vec<_> = warnings.iter().map(|w| (w.path.as_str(), w.rule.as_str(), w.message.as_str())).collect();
        let [(path, rule, message)] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((*path, *rule), ("/properties/a", "deep-unions"));
        assert!(message.starts_with("5 levels of objects with 2 unions and 0 optional properties below"), "{message}");
    }
    // Neither depth without unions nor unions without depth.
    let mut plain = row["input"]["schema"].clone();
    let deepest = "/properties/a/items/properties/b/items/properties/c/properties/d";
    for name in ["e", "f"] {
        let place = plain.pointer_mut(&format!("{deepest}/properties/{name}")).unwrap();
        *place = serde_json::json!({"type": "string"});
    }
    assert!(made(&plain, Place::Native).warnings.is_empty());
    let shallow = &row["input"]["schema"]["properties"]["a"]["items"];
    assert!(made(shallow, Place::Native).warnings.is_empty());
}

/// oa-011: a root that is no object is not sent to Ollama as it is, and `{}` is no value of it.
#[test]
fn a_list_as_root_is_refused_where_it_comes_back_empty() {
    let Some(row) = reported("oa-011") else { return };
    let format = format(&row["input"]["schema"]);
    let refusals = project(ProfileId::Ollama, Place::Native, &format, Level::Exact).unwrap_err();
    assert_eq!(refusals.iter().map(|refusal| refusal.rule.as_str()).collect::<Vec<_>>(), ["root-object"]);
    let options = formwork::schema::validate::JudgeOptions {
        limits: formwork::json::ParseLimits::default(),
        assert_format: false,
    };
    let judge = formwork::schema::judge(&format, options).unwrap();
    let empty = Value::Object(formwork::json::Map::new());
    assert!(!judge.validate(&empty).list.is_empty(), "an empty object is no list");
    let wrapped = project(ProfileId::OpenaiStrict, Place::Tool, &format, Level::Exact).unwrap();
    assert!(wrapped.wrapped && wrapped.schema.pointer("/properties/value/items").is_some(), "{}", wrapped.schema);
}

fn plan(vendor: Vendor, model: &str, input: &Value, tools: &CallerTools) -> Option<Mode> {
    let format = ResponseFormat { fallback: Fallback::Auto, ..format(&input["schema"]) };
    let capability = Capability::official(vendor, Dialect::OpenaiChat, model);
    let question = Question {
        provider: "p",
        model,
        capability: &capability,
        flag: ModelFlag::Absent,
        format: &format,
        level: Level::Exact,
        tools,
        grammar: None,
    };
    negotiate(&question).ok().map(|plan| plan.mode)
}

/// ds-001: a demanded call is refused while the model thinks; ge-014: schema and tools together never end in a prompt.
#[test]
fn what_the_model_refuses_is_decided_before_the_call() {
    let (Some(demanded), Some(beside)) = (reported("ds-001"), reported("ge-014")) else { return };
    let required = CallerTools { choice: ToolChoice::Required, ..CallerTools::default() };
    assert_eq!(plan(Vendor::DeepseekBeta, "deepseek-reasoner", &demanded["input"], &required), None);
    let names = vec!["lookup".to_owned()];
    let lookup = CallerTools { names, ..CallerTools::default() };
    for (model, mode) in
        [("gemini-2.0-flash", None), ("gemini-2.5-pro", Some(Mode::Tool)), ("gemini-3-pro-preview", Some(Mode::Native))]
    {
        assert_eq!(plan(Vendor::Google, model, &beside["input"], &lookup), mode, "{model}");
    }
}

/// Every `schema_provider` report is run here: by the table or by a test of its own.
#[test]
fn every_report_is_run() {
    let rows = cases::rows("cases/faults.jsonl");
    let ids: BTreeSet<&str> =
        rows.iter().filter(|row| text(&row["input"], "kind") == "schema_provider").map(|row| text(row, "id")).collect();
    assert!(rows.is_empty() || ELSEWHERE.iter().all(|id| ids.contains(id)));
    assert!(rows.is_empty() || ids.len() == 29, "{}: a new report wants a verdict here", ids.len());
    let kinds: BTreeSet<&str> = rows.iter().map(|row| text(&row["input"], "kind")).collect();
    assert!(!kinds.contains("projection"), "a new kind of report wants a test here");
}

/// ge-013: properties reach the provider in the author's order.
#[test]
fn the_order_of_properties_survives() {
    let Some(row) = reported("ge-013") else { return };
    let schema =
        formwork::json::parse(text(&row["input"], "schema_text"), formwork::json::ParseLimits::default()).unwrap();
    for id in ProfileId::ALL {
        for level in Level::ALL {
            let Ok(made) = project(id, Place::Native, &format(&schema), level) else { continue };
            let names: Vec<&String> = made.schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(names, ["rationale", "choice"], "{id:?} {level:?}");
        }
    }
}
