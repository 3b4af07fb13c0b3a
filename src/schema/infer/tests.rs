use proptest::prelude::*;

use super::*;
use crate::json::{canonical, parse};
use crate::schema::preflight;
use crate::schema::validate::{JudgeOptions, judge};

fn values(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| parse(text, ParseLimits::default()).unwrap()).collect()
}

fn inferred(texts: &[&str]) -> String {
    json::pretty(&infer(&values(texts)).unwrap()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The law: every sample validates, formats asserted.
fn takes_all(samples: &[Value]) {
    let schema = infer(samples).unwrap();
    let checked = preflight::check(&schema).unwrap_or_else(|errors| panic!("{errors:?}\n{}", canonical(&schema)));
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: true };
    let judge = judge(&checked.format, options).unwrap();
    for sample in samples {
        let issues = judge.validate(sample).list;
        assert!(issues.is_empty(), "{issues:?}\n{}\n{}", canonical(sample), canonical(&schema));
    }
}

#[test]
fn rules_of_the_header() {
    for (samples, want) in [
        (&["1", "2"][..], r#"{ "type": "integer" }"#),
        (&["1", "2.5"], r#"{ "type": "number" }"#),
        (&["1", "null"], r#"{ "type": [ "integer", "null" ] }"#),
        (&["true", "\"a\"", "null"], r#"{ "type": [ "boolean", "string", "null" ] }"#),
        (&["[]"], r#"{ "type": "array" }"#),
        (
            &["[1, [2]]"],
            r#"{ "type": "array", "items": { "anyOf": [ { "type": "integer" }, { "type": "array", "items": { "type": "integer" } } ] } }"#,
        ),
        (
            &[r#"{"b": 1, "a": "x"}"#, r#"{"b": 2}"#],
            r#"{ "type": "object", "properties": { "b": { "type": "integer" }, "a": { "type": "string" } }, "required": [ "b" ], "additionalProperties": false }"#,
        ),
        (&["{}"], r#"{ "type": "object", "properties": {}, "additionalProperties": false }"#),
        (&["\"2026-01-02\"", "\"2026-01-03\""], r#"{ "type": "string", "format": "date" }"#),
        (&["\"2026-01-02T03:04:05Z\""], r#"{ "type": "string", "format": "date-time" }"#),
        (&["\"a@example.org\""], r#"{ "type": "string", "format": "email" }"#),
        (&["\"https://example.org/a\""], r#"{ "type": "string", "format": "uri" }"#),
        (&["\"note:today\""], r#"{ "type": "string" }"#),
        (&["\"127.0.0.1\""], r#"{ "type": "string", "format": "ipv4" }"#),
        (&["\"01890a5d-ac96-774b-bcce-b302099a8057\""], r#"{ "type": "string", "format": "uuid" }"#),
        (&[r#"["a", "b", "a", "b"]"#], r#"{ "type": "array", "items": { "type": "string", "enum": [ "a", "b" ] } }"#),
        (
            &[r#"["a", "b", "a", null, "b"]"#],
            r#"{ "type": "array", "items": { "type": [ "string", "null" ], "enum": [ "a", "b", null ] } }"#,
        ),
        (&[r#"["a", "b", "c", "b"]"#], r#"{ "type": "array", "items": { "type": "string" } }"#),
        (&[r#"["a", "a", "a", "a"]"#], r#"{ "type": "array", "items": { "type": "string" } }"#),
    ] {
        assert_eq!(inferred(samples), want, "{samples:?}");
        takes_all(&values(samples));
    }
}

#[test]
fn too_many_keys_are_a_map() {
    let object =
        |from: usize, to: usize| Value::Object((from..to).map(|i| (format!("k{i}"), Value::from(i))).collect());
    let samples = [object(0, 90), object(80, 120)];
    let schema = canonical(&infer(&samples).unwrap());
    assert_eq!(schema, r#"{"additionalProperties":{"type":"integer"},"type":"object"}"#);
    takes_all(&samples);
}

#[test]
fn no_sample_and_a_deep_one_are_refused() {
    assert_eq!(infer(&[]), Err(InferError::NoSample));
    let nested = |n: usize| parse(&("[".repeat(n) + &"]".repeat(n)), ParseLimits::default()).unwrap();
    assert_eq!(infer(&[nested(MAX_DEPTH + 1)]), Err(InferError::TooDeep));
    takes_all(&[nested(MAX_DEPTH)]);
    let objects = |n: usize| parse(&("{\"a\":".repeat(n) + "1" + &"}".repeat(n)), ParseLimits::default()).unwrap();
    takes_all(&[objects(MAX_DEPTH)]);
}

#[test]
fn one_value_or_one_a_line() {
    let count = |text: &str, form| {
        let mut inference = Inference::new();
        inference.add_text(text, form).map(|()| inference.samples())
    };
    assert_eq!(count("{\n}\n", Form::Json), Ok(1));
    assert_eq!(count("{}\n\n{\"a\": 1}\r\n", Form::Json), Ok(2));
    assert_eq!(count("a: 1", Form::Yaml), Ok(1));
    assert_eq!(count("a = 1", Form::Toml), Ok(1));
    for (text, line, column) in [("{}\n  {\"a\": 1,}\n", 2, 10), ("{\n\"a\": x\n}", 2, 6), ("", 1, 1), ("{} x", 1, 4)] {
        let Err(TextError::Unreadable(error)) = count(text, Form::Json) else { panic!("{text}") };
        assert_eq!((error.position.line, error.position.column), (line, column), "{text:?} {error}");
    }
    assert!(count(&"[".repeat(60), Form::Json).is_err());
}

fn any_sample() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-c]{0,2}",
        "\\PC{0,50}",
        Just("2026-02-28".to_owned()),
        Just("2026-02-28T10:00:00+01:00".to_owned()),
        Just("12:00:00Z".to_owned()),
        Just("P3D".to_owned()),
        Just("::1".to_owned()),
        Just("a@b.example".to_owned()),
        Just("https://é.example/ä".to_owned()),
        Just("http://a b".to_owned()),
    ];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![Just("0"), Just("-1.50"), Just("1e+6"), Just("123456789012345678901234567890"), Just("1.0")]
            .prop_map(|n| parse(n, ParseLimits::default()).unwrap()),
        text.prop_map(Value::String),
    ];
    scalar.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec(("[a-e$]{1,2}", inner), 0..6).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_sample_is_valid_and_order_of_work_does_not_matter(samples in prop::collection::vec(any_sample(), 1..8)) {
        takes_all(&samples);
        prop_assert_eq!(infer(&samples), infer(&samples));
    }
}
