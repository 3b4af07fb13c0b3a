use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::json::{Map, canonical, push_token};

fn limits() -> ParseLimits {
    ParseLimits { max_bytes: 1 << 20, max_depth: 512 }
}

fn value(text: &str, form: Form) -> String {
    read(text, form, limits()).map_or_else(|error| panic!("{error}: {text}"), |document| canonical(&document.value))
}

fn refused(text: &str, form: Form) -> (Hint, usize, usize) {
    let error = read(text, form, limits()).expect_err(text);
    (error.hint, error.position.line, error.position.column)
}

/// Every pointer of a value.
fn pointers(value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let mut left = vec![(String::new(), value)];
    while let Some((pointer, value)) = left.pop() {
        let below = |token: &str| {
            let mut pointer = pointer.clone();
            push_token(&mut pointer, token);
            pointer
        };
        match value {
            Value::Array(items) => left.extend(items.iter().enumerate().map(|(i, v)| (below(&i.to_string()), v))),
            Value::Object(members) => left.extend(members.iter().map(|(k, v)| (below(k), v))),
            _ => {}
        }
        out.push(pointer);
    }
    out
}

/// The piece of text a pointer names, read again in the same form.
fn again(document: &Document, text: &str, pointer: &str) -> Option<Value> {
    let span = document.locate(text, pointer, Part::Value)?;
    let piece = text.get(span.start..span.end)?;
    match document.form {
        Form::Json | Form::Jsonc => read(piece, document.form, limits()).ok().map(|d| d.value),
        Form::Yaml => {
            let line = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
            let column = text.get(line..span.start)?.chars().count();
            let piece = format!("{}{piece}", " ".repeat(column));
            read(&piece, Form::Yaml, limits()).ok().map(|d| d.value)
        }
        Form::Toml => {
            let piece = format!("it = {piece}");
            read(&piece, Form::Toml, limits()).ok().and_then(|d| d.value.get("it").cloned())
        }
    }
}

/// Every value's range reads back to the same value, every member's key to the same key.
fn ranges_hold(text: &str, form: Form) {
    let document = read(text, form, limits()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for pointer in pointers(&document.value) {
        let value = json::resolve(&document.value, &pointer).unwrap();
        let span = document.locate(text, &pointer, Part::Value).unwrap();
        // `key:` with nothing after it, and TOML's tables, whose members stand all over the text.
        let nowhere = span.start == span.end && value.is_null();
        if !nowhere && !(form == Form::Toml && (value.is_object() || value.is_array())) {
            assert_eq!(again(&document, text, &pointer).as_ref(), Some(value), "{pointer} of\n{text}");
        }
        if let Some(key) = document.locate(text, &pointer, Part::Key) {
            let piece = text.get(key.start..key.end).unwrap();
            let name = json::tokens(&pointer).unwrap().pop().unwrap().into_owned();
            let read = match form {
                Form::Toml => read(&format!("{piece} = 1"), form, limits()).unwrap().value,
                Form::Json | Form::Jsonc => Value::Object(Map::from_iter([(
                    json::parse(piece, limits()).unwrap().as_str().unwrap().to_owned(),
                    Value::Null,
                )])),
                Form::Yaml => read(&format!("{piece}: 1"), form, limits()).unwrap().value,
            };
            assert!(read.get(&name).is_some(), "{pointer} of\n{text}");
        }
    }
}

const YAML: &str = "\
# a schema
$schema: https://json-schema.org/draft/2020-12/schema
type: object
properties:
  name: &text
    type: string   # remark
    description: >-
      folded over
      lines
  note: *text
  \"größe\":
    enum: [small, 'mid', \"la\\u0072ge\", 1.50, null, ~]
  empty:
  list:
  - a
  - - b
    - {c: 1, d: [2]}
  - key: |
      literal

      text
required: [name]
additionalProperties: false
";

const TOML: &str = "\
# a schema
type = \"object\"
required = ['name', \"größe\"]
[properties.name]
type = \"string\"
minLength = +1_0
[properties.\"größe\"]
enum = [1.50, 0x1F, true, { a = 1, b = [2] }]
[[allOf]]
title = '''
raw
text'''
[[allOf]]
title = \"two\"
";

const JSONC: &str = "{
  // \"quoted\" grüße
  \"type\": \"object\", /* more, */
  \"properties\": { \"a//b\": {\"enum\": [1.50, \"/* no */\", 3,],}, },
}";

#[test]
fn each_form_gives_the_value_it_stands_for() {
    let yaml = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false,"properties":{"empty":null,"größe":{"enum":["small","mid","large",1.50,null,null]},"list":["a",["b",{"c":1,"d":[2]}],{"key":"literal\n\ntext\n"}],"name":{"description":"folded over lines","type":"string"},"note":{"description":"folded over lines","type":"string"}},"required":["name"],"type":"object"}"#;
    assert_eq!(value(YAML, Form::Yaml), yaml);
    let toml = r#"{"allOf":[{"title":"raw\ntext"},{"title":"two"}],"properties":{"größe":{"enum":[1.50,31,true,{"a":1,"b":[2]}]},"name":{"minLength":10,"type":"string"}},"required":["name","größe"],"type":"object"}"#;
    assert_eq!(value(TOML, Form::Toml), toml);
    let jsonc = r#"{"properties":{"a//b":{"enum":[1.50,"/* no */",3]}},"type":"object"}"#;
    assert_eq!(value(JSONC, Form::Jsonc), jsonc);
    let keys: Vec<_> = read(TOML, Form::Toml, limits()).unwrap().value.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["type", "required", "properties", "allOf"]);
}

#[test]
fn every_pointer_leads_to_text_that_reads_the_same() {
    ranges_hold(JSONC, Form::Jsonc);
    ranges_hold(YAML.replace("  note: *text\n", "").as_str(), Form::Yaml);
    ranges_hold(TOML, Form::Toml);
}

#[test]
fn what_an_alias_copies_stands_where_it_was_written() {
    let document = read(YAML, Form::Yaml, limits()).unwrap();
    let place = |pointer: &str, part| {
        let span = document.locate(YAML, pointer, part).unwrap();
        YAML.get(span.start..span.end).unwrap()
    };
    assert_eq!(place("/properties/note", Part::Key), "note");
    assert_eq!(place("/properties/note", Part::Value), "*text");
    assert_eq!(place("/properties/note/type", Part::Value), "string");
    assert_eq!(place("/properties/größe", Part::Key), "\"größe\"");
    assert_eq!(place("/required/0", Part::Value), "name");
}

#[test]
fn what_json_does_not_have_is_refused_with_its_place() {
    for (text, hint, line, column) in [
        ("a: 1\na: 2", Hint::RepeatedKey, 2, 1),
        ("ä: {x: 1, x: 2}", Hint::RepeatedKey, 1, 11),
        ("1: a", Hint::UnquotedKey, 1, 1),
        ("a:\n  true: b", Hint::UnquotedKey, 2, 3),
        ("? [a]\n: b", Hint::UnquotedKey, 1, 3),
        ("a: !!int 3", Hint::Syntax, 1, 10),
        ("a: .nan", Hint::NonFinite, 1, 4),
        ("a: 007", Hint::BadNumber, 1, 4),
        ("<<: {a: 1}", Hint::Syntax, 1, 1),
        ("a: 1\n---\nb: 1", Hint::SecondDocument, 2, 1),
        ("a: &x [*x]", Hint::Syntax, 1, 8),
        ("a: [1", Hint::Syntax, 2, 1),
        ("# only a remark\n", Hint::Empty, 1, 1),
        ("\u{feff}a: 1", Hint::ByteOrderMark, 1, 1),
    ] {
        let found = refused(text, Form::Yaml);
        assert_eq!(found.0, hint, "{text:?}");
        if hint != Hint::Syntax {
            assert_eq!(found, (hint, line, column), "{text:?}");
        }
    }
    for (text, hint, line, column) in [
        ("a = 1\na = 2", Hint::RepeatedKey, 2, 1),
        ("a = 1979-05-27", Hint::BadLiteral, 1, 5),
        ("a = inf", Hint::NonFinite, 1, 5),
        ("a = [1, -nan]", Hint::NonFinite, 1, 9),
        ("a = 0xfffffffffffffffffffffffffffffffff", Hint::BadNumber, 1, 5),
        ("a = ", Hint::Syntax, 1, 5),
    ] {
        assert_eq!(refused(text, Form::Toml), (hint, line, column), "{text:?}");
    }
    for (text, hint, line, column) in [
        ("{/* ü */ \"a\": 1,, }", Hint::Syntax, 1, 17),
        ("[,]", Hint::Syntax, 1, 2),
        ("{\"a\": 1 /* open", Hint::Comment, 1, 9),
        ("{\"a\": 1 // é\n \"b\": 2}", Hint::Syntax, 2, 2),
        ("{'a': 1}", Hint::SingleQuotes, 1, 2),
    ] {
        let found = refused(text, Form::Jsonc);
        assert_eq!((found.1, found.2), (line, column), "{text:?}");
        if hint != Hint::Syntax {
            assert_eq!(found.0, hint, "{text:?}");
        }
    }
    assert_eq!(refused("{\"a\": 1} // no", Form::Json).0, Hint::Comment);
}

#[test]
fn a_repeated_key_is_named_by_its_pointer() {
    let error = read("a:\n  - b: {c: 1, c: 2}", Form::Yaml, limits()).unwrap_err();
    assert_eq!(error.path.as_deref(), Some("/a/0/b/c"));
}

#[test]
fn keys_as_written_are_numbers_only() {
    let read = |text| read_with(text, Form::Yaml, limits(), Keys::AsWritten).map(|d| canonical(&d.value));
    assert_eq!(read("200: {a: 1}").unwrap(), r#"{"200":{"a":1}}"#);
    assert!(read("true: 1").is_err());
}

#[test]
fn a_bomb_of_aliases_is_refused_in_time() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..20 {
        let aliases = vec![format!("*a{}", i - 1); 9].join(", ");
        let _ = writeln!(text, "a{i}: &a{i} [{aliases}]");
    }
    assert_eq!(refused(&text, Form::Yaml).0, Hint::TooLarge);
    let deep = (1..600).fold(String::from("a0: &a0 [x]\n"), |mut text, i| {
        let _ = writeln!(text, "a{i}: &a{i} [*a{}]", i - 1);
        text
    });
    assert!(matches!(refused(&deep, Form::Yaml).0, Hint::TooDeep | Hint::TooLarge));
}

#[test]
fn forms_are_told_by_name_and_by_text() {
    assert_eq!(Form::of_name("a/b.JSON"), Named::Form(Form::Json));
    assert_eq!(Form::of_name("b.yml"), Named::Form(Form::Yaml));
    assert_eq!(Form::of_name("b.json5"), Named::Unread(Unread::Json5));
    assert_eq!(Form::of_name("json"), Named::Unknown);
    for (text, form) in [
        ("", Form::Json),
        ("{\"a\": 1}", Form::Json),
        ("[1, 2]", Form::Json),
        ("[]", Form::Json),
        ("Here is your schema: {}", Form::Json),
        ("Sure: {}", Form::Yaml),
        ("```json\n{}", Form::Json),
        ("// a\n{}", Form::Jsonc),
        ("/* a */ {}", Form::Jsonc),
        ("type: object", Form::Yaml),
        ("\n# remark\n\"type\": object", Form::Yaml),
        ("---\n{}", Form::Yaml),
        ("- a", Form::Yaml),
        ("title = \"x\"", Form::Toml),
        ("# remark\n[properties.a]\n", Form::Toml),
        ("[[allOf]]", Form::Toml),
        ("a == b", Form::Json),
        ("name => 1", Form::Json),
        ("http://example.com", Form::Json),
    ] {
        assert_eq!(Form::sniff(text), form, "{text:?}");
    }
    assert_eq!(Form::of(Some("x.json"), "a: 1"), Form::Json);
    assert_eq!(Form::of(Some("x.txt"), "a: 1"), Form::Yaml);
    assert_eq!(Form::of(None, "a = 1"), Form::Toml);
}

/// JSON values as schemas hold them, hostile texts included.
fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z]{0,6}",
        "\\PC{0,8}",
        Just("true".to_owned()),
        Just("- a: b".to_owned()),
        Just("# no".to_owned()),
        Just("1e3".to_owned()),
        Just("line\nline\n".to_owned()),
        Just("<<".to_owned()),
        Just("2001-12-14".to_owned()),
    ];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![Just("0"), Just("-1.50"), Just("1e+6"), Just("123456789012345678901234567890")]
            .prop_map(|n| json::parse(n, ParseLimits::default()).unwrap()),
        text.clone().prop_map(Value::String),
    ];
    scalar.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((text.clone(), inner), 0..5).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// Block YAML of a value, texts in double quotes: what a careful writer makes.
fn as_yaml(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(members) if !members.is_empty() => members.iter().fold(String::new(), |out, (key, member)| {
            out + &format!("\n{pad}{}: {}", canonical(&Value::String(key.clone())), as_yaml(member, indent + 2))
        }),
        Value::Array(items) if !items.is_empty() => {
            items.iter().fold(String::new(), |out, item| out + &format!("\n{pad}- {}", as_yaml(item, indent + 2)))
        }
        scalar => canonical(scalar),
    }
}

proptest! {
    #[test]
    fn json_is_yaml_and_jsonc(value in any_value()) {
        let text = json::pretty(&value);
        let jsonc = text.replace('\n', " // remark, \"x\"\n");
        let read_as = |text: &str, form| read(text, form, limits()).map(|d| canonical(&d.value)).map_err(|e| e.to_string());
        // A comment after the opening quote of a text would be text: pretty breaks lines only between tokens.
        prop_assert_eq!(read_as(&jsonc, Form::Jsonc), Ok(canonical(&value)));
        ranges_hold(&jsonc, Form::Jsonc);
        let yaml = as_yaml(&value, 0);
        prop_assert_eq!(read_as(&yaml, Form::Yaml), Ok(canonical(&value)), "{}", yaml);
        ranges_hold(&yaml, Form::Yaml);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for form in Form::ALL {
            let _ = read(&text, form, limits());
        }
        let _ = Form::sniff(&text);
    }

    #[test]
    fn no_text_of_their_signs_makes_a_reader_panic(text in "[-a?:,{}\\[\\]&*!|>'\"%@`#=./\\\\ \t\r\n0-9éx_+~<]{0,60}") {
        for form in Form::ALL {
            if let Ok(document) = read(&text, form, limits()) {
                for pointer in pointers(&document.value) {
                    let span = document.locate(&text, &pointer, Part::Value).unwrap();
                    prop_assert!(text.get(span.start..span.end).is_some(), "{:?} {}", form, pointer);
                }
            }
        }
    }
}
