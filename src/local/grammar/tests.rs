#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::sync::Arc;

use serde_json::json;

use super::vocabulary::{Bytes, Vocabulary};
use super::{CALL_END, CALL_START, Compiler, Form, GrammarError, verdict};
use crate::dialect::{ToolChoice, ToolSpec};
use crate::json::{ParseLimits, Value, parse};
use crate::local::constraint::{Constraint, ConstraintError, TokenSet};
use crate::plan::GrammarVerdict;

fn compiler() -> Compiler {
    Compiler::new(&Arc::new(Bytes::new())).unwrap()
}

fn schema(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap()
}

/// Feeds a text byte by byte; may the answer end there?
fn feeds(constraint: &mut dyn Constraint, text: &str) -> bool {
    let mut allowed = TokenSet::new(257);
    for byte in text.bytes() {
        if constraint.allowed(&mut allowed).is_err() || !allowed.contains(byte.into()) {
            return false;
        }
        constraint.take(byte.into()).unwrap();
    }
    constraint.may_stop()
}

fn takes(compiler: &Compiler, source: &str, text: &str) -> bool {
    feeds(compiler.schema(&schema(source)).unwrap().as_mut(), text)
}

/// The keywords left out, or the rule of a refusal.
fn left_out(source: &str) -> Vec<String> {
    match verdict(&schema(source)) {
        GrammarVerdict::Strict => Vec::new(),
        GrammarVerdict::Lenient { dropped, .. } => {
            dropped.into_iter().map(|place| format!("{} {}", place.path, place.rule)).collect()
        }
        GrammarVerdict::Refused(refusal) => vec![format!("refused {}", refusal.rule)],
    }
}

#[test]
fn numbers_are_right_or_left_out() {
    let compiler = compiler();
    for (source, text, taken) in [
        (r#"{"const":1.50}"#, "1.5", true),
        (r#"{"const":1e2}"#, "100", true),
        (r#"{"const":1E+2}"#, "100", true),
        (r#"{"const":-0.0}"#, "-0", true),
        (r#"{"enum":[0.1,2,-7]}"#, "0.1", true),
        (r#"{"enum":[0.1,2,-7]}"#, "-7", true),
        (r#"{"enum":[0.1,2,-7]}"#, "7", false),
        (r#"{"type":"integer","minimum":1.5,"maximum":3}"#, "2", true),
        (r#"{"type":"integer","minimum":1.5,"maximum":3}"#, "1", false),
        (r#"{"type":"integer","minimum":1.5,"maximum":3}"#, "3", true),
        (r#"{"type":"integer","exclusiveMaximum":3.0}"#, "3", false),
        (r#"{"type":"number","minimum":0.30,"maximum":1e0}"#, "0.3", true),
        (r#"{"type":"number","minimum":0.30,"maximum":1e0}"#, "0.29", false),
        (r#"{"type":"number","multipleOf":0.5}"#, "1.5", true),
        (r#"{"type":"number","multipleOf":0.5}"#, "-1.5", true),
        (r#"{"type":"number","multipleOf":0.5}"#, "1.4", false),
        (r#"{"type":"integer","multipleOf":5.0,"minimum":1,"maximum":20}"#, "15", true),
        (r#"{"type":"integer","multipleOf":5.0,"minimum":1,"maximum":20}"#, "16", false),
        (r#"{"minLength":2.0,"type":"string"}"#, r#""a""#, false),
        (r#"{"minLength":2.0,"type":"string"}"#, r#""ab""#, true),
    ] {
        assert_eq!(left_out(source), Vec::<String>::new(), "{source}");
        assert_eq!(takes(&compiler, source, text), taken, "{source} {text}");
    }
}

#[test]
fn numbers_that_a_double_would_change_are_left_out() {
    for (source, path) in [
        (r#"{"const":9007199254740993}"#, "/const"),
        (r#"{"const":1000000000000000000000000000000}"#, "/const"),
        (r#"{"const":1e400}"#, "/const"),
        (r#"{"enum":[1,0.10000000000000000001]}"#, "/enum"),
        (r#"{"enum":[{"a":[123456789012345678901]}]}"#, "/enum"),
        (r#"{"type":"integer","minimum":-9223372036854775808}"#, "/minimum"),
        (r#"{"type":"number","exclusiveMaximum":1e-400}"#, "/exclusiveMaximum"),
        (r#"{"type":"number","multipleOf":0.0000001}"#, "/multipleOf"),
        (r#"{"type":"number","multipleOf":0.07000000000000001}"#, "/multipleOf"),
        (r#"{"type":"number","multipleOf":1e-310}"#, "/multipleOf"),
        (r#"{"type":"integer","multipleOf":4294967296}"#, "/multipleOf"),
        (r#"{"type":"string","maxLength":18446744073709551616}"#, "/maxLength"),
    ] {
        assert_eq!(left_out(source), [format!("{path} number-not-exact")], "{source}");
    }
    // two steps that meet are multiplied in 32 bits
    let both = r#"{"allOf":[{"type":"integer","multipleOf":99991},{"type":"integer","multipleOf":99989}]}"#;
    assert_eq!(left_out(both).len(), 2);
    let small = r#"{"allOf":[{"type":"integer","multipleOf":4},{"type":"integer","multipleOf":6}]}"#;
    assert_eq!(left_out(small), Vec::<String>::new());
    assert!(takes(&compiler(), small, "12") && !takes(&compiler(), small, "6"));
}

#[test]
fn what_the_grammar_does_not_hold_is_listed_with_its_place() {
    for (source, places) in [
        (
            r#"{"type":"array","items":{"type":"string"},"uniqueItems":true}"#,
            vec!["/uniqueItems keyword-not-supported"],
        ),
        (r#"{"type":"array","uniqueItems":true,"maxItems":1}"#, vec![]),
        (r#"{"uniqueItems":false,"title":"x","x-own":1,"default":3}"#, vec![]),
        (r#"{"type":"object","propertyNames":{"type":"string"}}"#, vec![]),
        (r#"{"type":"object","propertyNames":{"maxLength":3}}"#, vec!["/propertyNames keyword-not-supported"]),
        (r#"{"properties":{"a/b":{"not":{"type":"null"}}}}"#, vec!["/properties/a~1b/not keyword-not-supported"]),
        (r#"{"if":{"type":"string"}}"#, vec![]),
        (r#"{"type":"string","pattern":"^(?=a)b"}"#, vec!["/pattern pattern-syntax"]),
        (r#"{"type":"string","pattern":"^\u0003$"}"#, vec!["/pattern pattern-syntax"]),
        (r#"{"const":"a\u0001"}"#, vec!["/const keyword-not-supported"]),
        (r#"{"oneOf":[{"minimum":1},{"maximum":5}]}"#, vec!["/oneOf one-of-overlaps"]),
        (
            r##"{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{
                "a":{"type":"object","required":["k"],"properties":{"k":{"const":"a"},"next":{"$ref":"#"}}},
                "b":{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}}}"##,
            vec![],
        ),
        (
            r#"{"patternProperties":{"^a":{"type":"string"},"b$":{"type":"string"}}}"#,
            vec!["/patternProperties pattern-overlap"],
        ),
        (
            r#"{"type":"object","properties":{"a":{},"b":{},"c":{}},"minProperties":2}"#,
            vec!["/minProperties keyword-not-supported"],
        ),
        (r#"{"type":"object","unevaluatedProperties":false}"#, vec![]),
        (r#"{"format":"date","type":"string"}"#, vec![]),
        (r#"{"format":"iri-reference","type":"string"}"#, vec![]),
        ("false", vec!["refused unsatisfiable"]),
        (r#"{"type":"integer","minimum":2,"maximum":1}"#, vec!["refused unsatisfiable"]),
        (r#"{"type":"object","required":["a"],"properties":{"a":false}}"#, vec!["refused unsatisfiable"]),
        (r##"{"$ref":"#/$defs/none"}"##, vec!["refused dangling-reference"]),
    ] {
        assert_eq!(left_out(source), places, "{source}");
    }
}

#[test]
fn a_relaxed_document_is_strict_and_keeps_the_rest() {
    let source = schema(
        r#"{"title":"t","type":"object","properties":{"tags":{"type":"array","uniqueItems":true,"maxItems":3},
            "pick":{"oneOf":[{"minimum":1},{"maximum":5,"not":{"const":7}}]}},"required":["tags"]}"#,
    );
    let GrammarVerdict::Lenient { schema, dropped } = verdict(&source) else { panic!("lenient") };
    assert_eq!(dropped.len(), 3);
    assert_eq!(
        schema,
        json!({"title":"t","type":"object","properties":{"tags":{"type":"array","maxItems":3},
            "pick":{"anyOf":[{"minimum":1},{"maximum":5}]}},"required":["tags"]})
    );
    assert_eq!(verdict(&schema), GrammarVerdict::Strict);
    assert_eq!(compiler().schema(&source).err(), Some(GrammarError::NotHeld));
}

#[test]
fn text_is_compact_and_names_come_once() {
    let compiler = compiler();
    let map = r#"{"type":"object","additionalProperties":{"type":"integer"}}"#;
    assert!(takes(&compiler, map, r#"{"a":1,"b":2}"#));
    assert!(!takes(&compiler, map, r#"{"a":1,"a":2}"#));
    assert!(!takes(&compiler, map, r#"{"a": 1}"#));
    let named = r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}"#;
    assert!(takes(&compiler, named, r#"{"a":"x","b":2}"#));
    assert!(!takes(&compiler, named, r#"{"a":1}"#));
    // the name in disguise
    assert!(!takes(&compiler, named, r#"{"\u0061":1}"#));
    let inner = r#"{"type":"array","items":{"type":"object","patternProperties":{"^k":{"type":"object"}},"additionalProperties":false}}"#;
    assert!(takes(&compiler, inner, r#"[{"k":{"k":1},"kk":{}},{"k":{}}]"#));
    assert!(!takes(&compiler, inner, r#"[{"k":{},"k":{}}]"#));
}

#[test]
fn forced_text_is_found_and_an_answer_that_is_whole_is_complete() {
    let mut constraint = compiler().schema(&schema(r#"{"const":{"answer":[1,"two"]}}"#)).unwrap();
    let mut text = Vec::new();
    while !constraint.is_complete() {
        let forced = constraint.forced();
        assert!(!forced.is_empty(), "everything is forced here");
        for token in forced {
            constraint.take(token).unwrap();
            text.push(u8::try_from(token).unwrap());
        }
    }
    assert_eq!(String::from_utf8(text).unwrap(), r#"{"answer":[1,"two"]}"#);
    let mut allowed = TokenSet::new(257);
    constraint.allowed(&mut allowed).unwrap();
    assert_eq!(allowed.count(), 0);
    assert!(constraint.may_stop());
}

#[test]
fn a_token_that_is_not_allowed_is_refused_and_the_answer_goes_on() {
    let mut constraint = compiler().schema(&schema(r#"{"type":"boolean"}"#)).unwrap();
    assert_eq!(constraint.take(b'x'.into()), Err(ConstraintError::NotAllowed));
    assert_eq!(constraint.take(256), Err(ConstraintError::NotAllowed));
    assert_eq!(constraint.take(9_999), Err(ConstraintError::NotAllowed));
    assert!(feeds(constraint.as_mut(), "true"));
}

fn tool(name: &str, parameters: &str, strict: bool) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters: schema(parameters), strict }
}

fn answers(choice: &ToolChoice, schema: Option<&Value>, parallel: bool, text: &str) -> bool {
    let tools = [
        tool("add", r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#, true),
        tool("say", r#"{"type":"object","properties":{"t":{"$ref":"\#/$defs/t"}},"required":["t"],"uniqueItems":true,"not":{},"additionalProperties":false,"$defs":{"t":{"type":"string"}}}"#.replace("\\#", "#").as_str(), false),
    ];
    let form = Form { schema, tools: &tools, choice, parallel };
    let mut constraint = compiler().answer(&form).unwrap().unwrap();
    feeds(constraint.as_mut(), text)
}

fn call(name: &str, arguments: &str) -> String {
    format!("{CALL_START}\n{{\"name\":\"{name}\",\"arguments\":{arguments}}}\n{CALL_END}")
}

#[test]
fn tool_calls_are_held_to_their_parameters() {
    let (auto, required) = (ToolChoice::Auto, ToolChoice::Required);
    let say = ToolChoice::Named("say".to_owned());
    let (add_one, say_hi) = (call("add", r#"{"n":1}"#), call("say", r#"{"t":"hi"}"#));
    for (choice, parallel, text, fits) in [
        (&auto, false, "Hello <b>there</b>, 1 < 2", true),
        (&auto, false, "", true),
        (&auto, false, add_one.as_str(), true),
        (&auto, false, &format!("Let me see. {say_hi}"), true),
        (&auto, false, &format!("{add_one}{add_one}"), false),
        (&auto, false, &call("add", r#"{"n":"1"}"#), false),
        (&auto, false, &call("sub", r#"{"n":1}"#), false),
        (&required, false, &say_hi, true),
        (&required, false, "Hello", false),
        (&required, false, "", false),
        (&required, true, &format!("{add_one}\n{say_hi}"), true),
        (&required, false, &format!("{add_one}\n{say_hi}"), false),
        (&say, false, &say_hi, true),
        (&say, false, &add_one, false),
    ] {
        assert_eq!(answers(choice, None, parallel, text), fits, "{choice:?} {text}");
    }
    let number = schema(r#"{"type":"integer"}"#);
    for (text, fits) in [("12", true), (add_one.as_str(), true), ("Hello", false), ("", false)] {
        assert_eq!(answers(&auto, Some(&number), false, text), fits, "{text}");
    }
}

#[test]
fn a_form_without_tools_holds_only_its_schema() {
    let compiler = compiler();
    let none = ToolChoice::None;
    let form = Form { schema: None, tools: &[], choice: &none, parallel: false };
    assert!(compiler.answer(&form).unwrap().is_none());
    let named = ToolChoice::Named("gone".to_owned());
    let form = Form { choice: &named, ..form };
    assert_eq!(compiler.answer(&form).err(), Some(GrammarError::NoTool));
    // a strict tool is held strictly or not at all
    let tools = [tool("odd", r#"{"type":"object","not":{"required":["a"]}}"#, true)];
    let auto = ToolChoice::Auto;
    let form = Form { schema: None, tools: &tools, choice: &auto, parallel: false };
    assert_eq!(compiler.answer(&form).err(), Some(GrammarError::NotHeld));
}

/// Few names are spelled out, so that the grammar knows when all are used; what cannot be reached is told beforehand.
#[test]
fn few_names_cannot_run_out() {
    let compiler = compiler();
    let two = r#"{"type":"object","patternProperties":{"^[ab]$":{"type":"integer"}},"additionalProperties":false}"#;
    let own = r#"{"type":"object","properties":{"id":{"type":"null"}},"required":["id"],
        "patternProperties":{"^(de|en)$":{"type":"object","properties":{"t":{"type":"string"}}}},"additionalProperties":false}"#;
    for (source, text, taken) in [
        (two, r#"{"a":1,"b":2}"#, true),
        (two, r#"{"b":2}"#, true),
        (two, "{}", true),
        (two, r#"{"a":1,"b":2,"#, false),
        (two, r#"{"a":1,"a"#, false),
        (two, r#"{"c":1}"#, false),
        (own, r#"{"id":null,"de":{"t":"x"},"en":{}}"#, true),
        (own, r#"{"id":null,"de":1}"#, false),
        (own, r#"{"de":{}}"#, false),
    ] {
        assert_eq!(left_out(source), Vec::<String>::new(), "{source}");
        assert_eq!(takes(&compiler, source, text), taken, "{source} {text}");
    }
    let three = two.replace("\"additional", "\"minProperties\":3,\"additional");
    assert_ne!(left_out(&three), Vec::<String>::new(), "there are only two names");
}

/// Of many names one may still be begun that is there already: that ends in an error of its own, and it ends.
#[test]
fn a_name_that_can_only_be_repeated_is_a_typed_end() {
    let compiler = compiler();
    let source =
        r#"{"type":"object","patternProperties":{"^[a-d][0-9]$":{"type":"integer"}},"additionalProperties":false}"#;
    let mut constraint = compiler.schema(&schema(source)).unwrap();
    assert!(!feeds(constraint.as_mut(), r#"{"a0":1,"a0"#), "no end is here");
    let mut allowed = TokenSet::new(257);
    assert_eq!(constraint.allowed(&mut allowed), Err(ConstraintError::NoName));
    assert!(constraint.forced().is_empty());
}

/// Every byte but the digits.
struct NoDigits(Bytes);

impl Vocabulary for NoDigits {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn bytes(&self, token: u32) -> &[u8] {
        let bytes = self.0.bytes(token);
        if bytes.iter().any(u8::is_ascii_digit) { &[] } else { bytes }
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        self.0.encode(text)
    }

    fn stops(&self) -> &[u32] {
        self.0.stops()
    }
}

#[test]
fn a_vocabulary_without_the_letters_of_an_answer_is_stuck() {
    let compiler = Compiler::new(&Arc::new(NoDigits(Bytes::new()))).unwrap();
    let mut held = compiler.schema(&schema(r#"{"type":"integer","minimum":7,"maximum":8}"#)).unwrap();
    let mut allowed = TokenSet::new(257);
    assert_eq!(held.allowed(&mut allowed), Err(ConstraintError::Stuck), "{allowed:?}");
}
