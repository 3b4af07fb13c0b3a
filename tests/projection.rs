//! Laws of projection: `exact` keeps every verdict, `narrow` only shrinks, `relax` alone only grows, and what was projected
//! passes its own profile.
//! Judged by the `jsonschema` crate directly.

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

use formwork::capability::ProfileId;
use formwork::json::{Map, ParseLimits, Value, canonical, parse, resolve};
use formwork::schema::preflight::check;
use formwork::schema::project::{Effect, Level, Place, Projected, project, unwrap};
use formwork::schema::sample::sample;
use formwork::schema::{Fallback, ResponseFormat};
use proptest::prelude::*;

const PROFILES: [ProfileId; 13] = ProfileId::ALL;

fn format(schema: &Value) -> ResponseFormat {
    ResponseFormat {
        schema: schema.clone(),
        name: "response".into(),
        description: None,
        strict: true,
        fallback: Fallback::Auto,
        max_validation_retries: 1,
        schema_hash: String::new(),
    }
}

fn compiled(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .should_validate_formats(false)
        .without_content_media_type_support("application/json")
        .without_content_encoding_support("base64")
        .offline()
        .build(schema)
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// Small damages to a value, so that both verdicts are met.
fn mutants(value: &Value) -> Vec<Value> {
    let mut all =
        vec![Value::Null, Value::from(7), Value::from("x"), Value::Array(vec![]), Value::Object(Map::default())];
    match value {
        Value::Object(members) => {
            for name in members.keys() {
                let mut without = members.clone();
                without.remove(name);
                all.push(Value::Object(without));
                for other in [Value::Null, Value::from(-3), Value::from("y"), Value::from(true)] {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), other);
                    all.push(Value::Object(changed));
                }
                for inner in mutants(&members[name]).into_iter().skip(5).take(6) {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), inner);
                    all.push(Value::Object(changed));
                }
            }
            let mut more = members.clone();
            more.insert("zz".into(), Value::from(1));
            all.push(Value::Object(more));
        }
        Value::Array(items) => {
            let mut twice = items.clone();
            twice.extend(items.iter().cloned());
            all.push(Value::Array(twice));
            all.push(Value::Array(items.iter().skip(1).cloned().collect()));
            for (index, item) in items.iter().enumerate().take(2) {
                for inner in mutants(item).into_iter().take(8) {
                    let mut changed = items.clone();
                    changed[index] = inner;
                    all.push(Value::Array(changed));
                }
            }
        }
        Value::String(text) => {
            all.push(Value::from(format!("{text}{text}z")));
            all.push(Value::from(""));
            all.push(Value::from("a"));
        }
        Value::Number(_) => all.extend([Value::from(0), Value::from(1_000_000), Value::from(-1), Value::from(1.5)]),
        Value::Null | Value::Bool(_) => {}
    }
    all
}

/// Values worth judging: samples of both schemas, and damaged ones.
fn values(schemas: &[&Value], seeds: u64) -> Vec<Value> {
    let mut all = Vec::new();
    for schema in schemas {
        for seed in 0..seeds {
            if let Ok(value) = sample(&format(schema), seed) {
                all.extend(mutants(&value));
                all.push(value);
            }
        }
    }
    all
}

fn inner(projected: &Projected, value: &Value) -> Option<Value> {
    if projected.wrapped { unwrap(value.clone()).ok() } else { Some(value.clone()) }
}

/// Checks all laws for one schema.
fn laws(schema: &Value, seeds: u64) {
    let original = compiled(schema);
    for profile in PROFILES {
        for place in [Place::Native, Place::Tool] {
            for level in [Level::Exact, Level::Narrow, Level::Relax] {
                match project(profile, place, &format(schema), level) {
                    Ok(projected) => accepted((profile, place, level), schema, &original, &projected, seeds),
                    Err(refusals) => {
                        assert!(!refusals.is_empty());
                        for refusal in refusals {
                            assert!(resolve(schema, &refusal.path).is_some(), "{refusal:?} in {schema}");
                            assert!(!refusal.message.is_empty());
                            assert!(refusal.mends_at.is_none_or(|mends| mends > level), "{refusal:?}");
                        }
                    }
                }
            }
        }
    }
}

fn accepted(
    (profile, place, level): (ProfileId, Place, Level),
    schema: &Value,
    original: &jsonschema::Validator,
    projected: &Projected,
    seeds: u64,
) {
    let what = || {
        format!(
            "{profile:?} {place:?} {level:?}\nof {}\nto {}\n{:?}",
            canonical(schema),
            canonical(&projected.schema),
            projected.changes
        )
    };
    assert!(projected.level <= level, "{}", what());
    for change in &projected.changes {
        assert!(resolve(schema, &change.path).is_some(), "{change:?} {}", what());
    }
    let again = project(profile, place, &format(&projected.schema), Level::Exact)
        .unwrap_or_else(|r| panic!("{r:?} {}", what()));
    // A second pass may still write things shorter (a branch that accepts everything only after its own mending).
    assert_eq!(again.level, Level::Exact, "again {:?} {}", again.changes, what());
    let ours = compiled(&projected.schema);
    // Where something was dropped the answers may be too many; where something was narrowed, too few.
    let dropped = projected.changes.iter().any(|change| change.effect() == Effect::Widens);
    let narrowed = projected.changes.iter().any(|change| change.effect() == Effect::Narrows);
    if dropped && narrowed {
        return;
    }
    for value in values(&[schema, &projected.schema], seeds) {
        let wrapped = projected.wrapped.then(|| {
            let mut members = formwork::json::Map::new();
            members.insert("value".into(), value.clone());
            Value::Object(members)
        });
        for given in [Some(value), wrapped].into_iter().flatten() {
            let sent = ours.is_valid(&given);
            let kept = inner(projected, &given).is_some_and(|value| original.is_valid(&value));
            assert!(dropped || !sent || kept, "accepts {given}\n{}", what());
            if !narrowed && inner(projected, &given).is_some() {
                assert!(!kept || sent, "refuses {given}\n{}", what());
            }
        }
    }
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#"{"type":"string"}"#.to_owned()),
        Just(r#"{"type":"string","minLength":2}"#.to_owned()),
        Just(r#"{"type":"string","pattern":"^[a-c]+$"}"#.to_owned()),
        Just(r#"{"type":"string","pattern":"b"}"#.to_owned()),
        Just(r#"{"type":"string","default":"d","title":"T"}"#.to_owned()),
        Just(r#"{"type":"integer","minimum":1}"#.to_owned()),
        Just(r#"{"type":"integer","maximum":9,"multipleOf":3}"#.to_owned()),
        Just(r#"{"type":"number","exclusiveMaximum":4}"#.to_owned()),
        Just(r#"{"type":["string","null"]}"#.to_owned()),
        Just(r#"{"type":["integer","string","null"],"minimum":2,"maxLength":3}"#.to_owned()),
        Just(r#"{"enum":["a",1,null],"minLength":1}"#.to_owned()),
        Just(r#"{"const":"k"}"#.to_owned()),
        Just(r#"{"minimum":3}"#.to_owned()),
        Just("{}".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just(r##"{"$ref":"#/$defs/d"}"##.to_owned()),
        Just(r##"{"$ref":"#/$defs/d","title":"t","minimum":2}"##.to_owned()),
        Just(r##"{"$ref":"#/$defs/n"}"##.to_owned()),
        Just(r##"{"$ref":"#/$defs/n","required":["v"]}"##.to_owned()),
        Just(r#"{"type":"boolean"}"#.to_owned()),
    ]
}

fn schema() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        let pair = (inner.clone(), inner.clone());
        let closed = prop_oneof![Just(""), Just(r#","additionalProperties":false"#), Just(r#","additionalProperties":true"#), Just(r#","additionalProperties":{"type":"integer"}"#), Just(r#","unevaluatedProperties":false"#), Just(r#","patternProperties":{"^a":{"type":"string"}}"#)];
        let required = prop_oneof![Just(""), Just(r#","required":["a"]"#), Just(r#","required":["a","b"]"#), Just(r#","required":["b"],"minProperties":1"#), Just(r#","dependentRequired":{"a":["b"]}"#), Just(r#","required":["c"]"#)];
        let typed = prop_oneof![Just(r#""type":"object","#), Just(""), Just(r#""type":["object","null"],"#)];
        prop_oneof![
            3 => (pair.clone(), closed, required, typed).prop_map(|((a, b), closed, required, typed)| {
                format!(r#"{{{typed}"properties":{{"a":{a},"b":{b}}}{closed}{required}}}"#)
            }),
            1 => (inner.clone(), prop_oneof![Just(""), Just(r#","minItems":1"#), Just(r#","uniqueItems":true"#), Just(r#","maxItems":1,"uniqueItems":true"#), Just(r#","contains":{"type":"string"}"#)]).prop_map(|(a, more)| format!(r#"{{"type":"array","items":{a}{more}}}"#)),
            1 => pair.clone().prop_map(|(a, b)| format!(r#"{{"anyOf":[{a},{b}]}}"#)),
            1 => pair.clone().prop_map(|(a, b)| format!(r#"{{"oneOf":[{a},{b}]}}"#)),
            1 => pair.clone().prop_map(|(a, b)| format!(r#"{{"allOf":[{a},{b}]}}"#)),
            1 => pair.clone().prop_map(|(a, b)| format!(r#"{{"type":"object","properties":{{"a":{a}}},"anyOf":[{b},{{"required":["a"]}}]}}"#)),
            1 => pair.clone().prop_map(|(a, b)| format!(r#"{{"type":"array","prefixItems":[{a},{b}],"items":false,"minItems":2}}"#)),
            1 => inner.clone().prop_map(|a| format!(r#"{{"type":"array","prefixItems":[{a},{a}],"maxItems":2}}"#)),
            1 => inner.clone().prop_map(|a| format!(r#"{{"not":{a}}}"#)),
            1 => (pair, inner).prop_map(|((a, b), c)| format!(r#"{{"if":{a},"then":{b},"else":{c}}}"#)),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    (schema(), schema()).prop_map(|(root, definition)| {
        let definition =
            if definition.contains("/d\"") { r#"{"type":"integer","title":"D"}"#.to_owned() } else { definition };
        let node =
            r##"{"type":"object","properties":{"v":{"type":"integer"},"n":{"$ref":"#/$defs/n"}},"required":["v"]}"##;
        let text = format!(r#"{{"allOf":[{root}],"$defs":{{"d":{definition},"n":{node}}}}}"#);
        let mut whole = parse(&text, ParseLimits::default()).unwrap();
        let root = parse(&root, ParseLimits::default()).unwrap();
        if let (Value::Object(members), Value::Object(root)) = (&mut whole, root) {
            members.remove("allOf");
            members.extend(root);
        }
        whole
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_for_random_schemas(schema in document()) {
        if check(&schema).is_ok() {
            laws(&schema, 3);
        }
    }
}

#[test]
fn laws_hold_for_real_schemas() {
    for file in ["baml", "instructor", "openai-python", "outlines"] {
        for row in cases::rows(&format!("corpora/pydantic-models/{file}.jsonl")) {
            laws(&row["schema"], 1);
        }
    }
    for row in cases::rows("corpora/bfcl/cases.jsonl") {
        laws(&row["schema"], 1);
    }
}

/// The public suite: its own instances are the judges.
#[test]
fn laws_hold_for_the_public_suite() {
    let Some(root) = cases::shared() else { return };
    let folder = root.join("corpora/json-schema-test-suite/tests/draft2020-12");
    let mut judged = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let groups =
            parse(&fs_err::read_to_string(&path).unwrap(), ParseLimits { max_bytes: usize::MAX, max_depth: 2_000 })
                .unwrap();
        for group in groups.as_array().unwrap() {
            let schema = &group["schema"];
            if check(schema).is_err() {
                continue;
            }
            for profile in PROFILES {
                for level in [Level::Exact, Level::Narrow] {
                    let Ok(projected) = project(profile, Place::Native, &format(schema), level) else { continue };
                    let ours = compiled(&projected.schema);
                    for test in group["tests"].as_array().unwrap() {
                        let (valid, sent) = (test["valid"] == Value::Bool(true), ours.is_valid(&test["data"]));
                        judged += 1;
                        assert!(
                            !sent || valid,
                            "{profile:?} {level:?} {} {schema}\n{}",
                            test["data"],
                            projected.schema
                        );
                        if projected.level == Level::Exact {
                            assert_eq!(
                                sent, valid,
                                "{profile:?} {level:?} {} {schema}\n{}",
                                test["data"], projected.schema
                            );
                        }
                    }
                }
            }
        }
    }
    println!("{judged} verdicts compared");
}

#[test]
fn a_const_outside_its_enum_allows_nothing() {
    for text in [
        r#"{"allOf":[{"const":"k"},{"enum":["a",1,null],"minLength":1}]}"#,
        r#"{"allOf":[{"const":1},{"enum":[1.0,"a"],"minimum":1}]}"#,
    ] {
        laws(&parse(text, ParseLimits::default()).unwrap(), 3);
    }
}

/// The target of a reference with keywords beside it is written in its place: in a recursion it then stood in itself, and
/// counting its depth never ended.
#[test]
fn recursion_with_keywords_beside_the_reference_ends() {
    let text = r##"{"type":"object","properties":{"root":{"$ref":"#/$defs/N"}},"required":["root"],"additionalProperties":false,
        "$defs":{"N":{"type":"object","additionalProperties":false,"required":["c"],"properties":
        {"c":{"type":"array","items":{"$ref":"#/$defs/N","minProperties":1}}}}}}"##;
    let schema = parse(text, ParseLimits::default()).unwrap();
    laws(&schema, 3);
    let openai = project(ProfileId::OpenaiStrict, Place::Native, &format(&schema), Level::Exact).unwrap();
    assert!(openai.schema["$defs"].as_object().is_some_and(|all| !all.is_empty()), "{}", openai.schema);
    project(ProfileId::Anthropic, Place::Native, &format(&schema), Level::Exact).unwrap_err();
}

#[test]
fn a_tuple_and_a_list_are_not_merged() {
    laws(
        &parse(r#"{"allOf":[{"prefixItems":[{"minimum":3}]}],"items":{"minimum":5}}"#, ParseLimits::default()).unwrap(),
        3,
    );
}

/// What tells two branches apart must stay in them, and no branch may count on what was narrowed elsewhere.
#[test]
fn branches_are_told_apart_by_what_the_author_wrote() {
    for text in [
        // The teller accepts nothing in one branch: it was left out there.
        r#"{"oneOf":[{"type":"object","properties":{"a":false,"b":{"type":"string"}}},
            {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}]}"#,
        // The shared branch is met first where it stands alone, and closed there.
        r##"{"type":"object","required":["x","y"],"properties":{"x":{"$ref":"#/$defs/n"},
            "y":{"oneOf":[{"$ref":"#/$defs/n"},{"type":"object","properties":{"w":{"type":"string"}},"required":["w"]}]}},
            "$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"}},"required":["v"]}}}"##,
        // The same, cut where the recursion ends.
        r##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"o":{"oneOf":[
            {"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}},
            {"type":"object","properties":{"n":{"type":"null"},"m":{"type":"string"}}}]}}}}}"##,
        // A property that accepts nothing is demanded by the only branch that was left.
        r#"{"type":"object","properties":{"a":false},"anyOf":[{"required":["a"]},{"required":["zz"]}]}"#,
    ] {
        laws(&parse(text, ParseLimits::default()).unwrap(), 8);
    }
}
