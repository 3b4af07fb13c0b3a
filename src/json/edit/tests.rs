use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::json::{Hint, pretty};

fn set(pointer: &str, value: Value) -> Edit {
    Edit::Set { pointer: pointer.to_owned(), value }
}

fn remove(pointer: &str) -> Edit {
    Edit::Remove { pointer: pointer.to_owned() }
}

const SCHEMA: &str = r#"{
  // what a person is
  "type": "object",
  "properties": {
    "name": { "type": "string" }, // as in the passport
    "age":  { "type": "integer",
              "minimum": 0 }
  },
  "required": ["name"]
}"#;

#[test]
fn what_is_not_touched_stays_as_it_was_written() {
    let edits = [set("/properties/age/maximum", json!(150)), set("/required/-", json!("age"))];
    let edited = apply(SCHEMA, &edits).unwrap();
    assert!(edited.contains("// what a person is") && edited.contains("// as in the passport"), "{edited}");
    assert!(edited.contains(r#"["name", "age"]"#) && edited.contains(r#""maximum": 150"#), "{edited}");
    assert!(edited.contains(r#""age":  { "type": "integer","#), "{edited}");
}

#[test]
fn members_and_items_come_and_go() {
    let edits = [
        remove("/properties/age"),
        set("/additionalProperties", json!(false)),
        set("/type", json!(["object", "null"])),
        Edit::Rename { pointer: "/properties/name".to_owned(), to: "full \"name\"".to_owned() },
        Edit::Insert { pointer: "/title".to_owned(), at: 0, value: json!("Person") },
        set("/required/0", json!("full \"name\"")),
    ];
    let plain = SCHEMA.replace("// what a person is", "").replace("// as in the passport", "");
    let edited = parse(&apply(&plain, &edits).unwrap(), ParseLimits::default()).unwrap();
    let wanted = json!({
        "title": "Person",
        "type": ["object", "null"],
        "properties": {"full \"name\"": {"type": "string"}},
        "required": ["full \"name\""],
        "additionalProperties": false,
    });
    assert_eq!(pretty(&edited), pretty(&wanted), "the order too");
}

#[test]
fn numbers_keep_their_digits() {
    let edited = apply(r#"{"a":1e400,"b":0.10}"#, &[set("/c", Value::Number("1.00".parse().unwrap()))]).unwrap();
    assert!(edited.contains("1e400") && edited.contains("0.10") && edited.contains("1.00"), "{edited}");
}

#[test]
fn an_edit_without_a_place_changes_nothing_and_says_which() {
    let no = |pointer: &str| Err(EditError::NoPlace(pointer.to_owned()));
    assert_eq!(apply("{}", &[remove("/a")]), no("/a"));
    assert_eq!(apply("{}", &[set("/a/b", json!(1))]), no("/a/b"));
    assert_eq!(apply("[1]", &[set("/2", json!(1))]), no("/2"));
    assert_eq!(apply("[1]", &[set("/01", json!(1))]), no("/01"));
    assert_eq!(apply("7", &[remove("")]), no(""));
    assert_eq!(apply("{", &[set("", json!(1))]), Err(EditError::Unreadable));
    let rename = Edit::Rename { pointer: "/a".to_owned(), to: "b".to_owned() };
    assert_eq!(apply(r#"{"a":1,"b":2}"#, &[rename]), Err(EditError::Taken("b".to_owned())));
}

#[test]
fn an_edited_text_that_does_not_hold_the_value_is_laid_out_anew_or_refused() {
    let wanted = json!({"a": 1});
    assert_eq!(settled("{\"a\":1}".to_owned(), &wanted, Kind::Strict), Ok("{\"a\":1}".to_owned()));
    assert_eq!(settled("{\"a\":2}".to_owned(), &wanted, Kind::Strict), Ok(pretty(&wanted)));
    assert_eq!(settled("{\"a\":1,} // c".to_owned(), &wanted, Kind::Commented), Ok("{\"a\":1,} // c".to_owned()));
    assert_eq!(settled("{\"a\":2} // c".to_owned(), &wanted, Kind::Commented), Err(EditError::Unsure));
    assert_eq!(settled("{\"a\":1 // c".to_owned(), &wanted, Kind::Commented), Err(EditError::Unsure));
    // What two readers read differently is not edited.
    assert_eq!(apply(r#"{"a":1,"a":2}"#, &[set("/b", json!(1))]), Err(EditError::Unreadable));
}

#[test]
fn line_ends_stay_those_of_the_text() {
    let edited = apply(&SCHEMA.replace('\n', "\r\n"), &[set("/properties/age/maximum", json!(150))]).unwrap();
    assert!(edited.contains("150"));
    assert_eq!(edited.matches('\n').count(), edited.matches("\r\n").count(), "{edited:?}");
}

#[test]
fn deep_documents_are_no_danger() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(apply(&deep, &[set("", json!(1))]), Err(EditError::Unreadable));
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|n| json!(n)),
        "[a-z\"\\\\/~\n\u{1F600}ä]{0,4}".prop_map(Value::String),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-c\"~/ ]{0,2}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn edits_lead_from_one_value_to_the_other(old in values(), new in values(), one_line: bool) {
        let text = if one_line { crate::json::canonical(&old) } else { pretty(&old) };
        let edited = apply(&text, &between(&old, &new)).unwrap();
        prop_assert_eq!(parse(&edited, ParseLimits::default()).unwrap(), new);
    }

    /// Comments on lines of their own, behind values and inside brackets, and a comma before a closing bracket.
    #[test]
    fn edits_of_a_commented_text_lead_to_the_value_too(old in values(), new in values(), at: u8) {
        let mut lines: Vec<String> = pretty(&old).lines().map(str::to_owned).collect();
        let at = usize::from(at) % lines.len();
        lines[at].push_str(" // behind, { \"a\": 1 }");
        lines.insert(0, "/* above */ // it".to_owned());
        let text = lines.join("\n").replace("\n}", ", // last\n}").replace("{, ", "{ ");
        prop_assume!(blank(&text).is_ok_and(|b| parse(&b, ParseLimits::default()).is_ok_and(|v| v == old)));
        match apply(&text, &between(&old, &new)) {
            Ok(edited) => {
                let blanked = blank(&edited).unwrap();
                prop_assert_eq!(parse(&blanked, ParseLimits::default()).unwrap(), new);
            }
            Err(why) => prop_assert_eq!(why, EditError::Unsure),
        }
    }

    #[test]
    fn each_edit_stands_for_itself(old in values(), new in values()) {
        let text = pretty(&old);
        for edit in between(&old, &new) {
            prop_assert!(apply(&text, &[edit]).is_ok());
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"/* \n\\\\a0-9.eu-]{0,40}", pointer in "(/[a0~-]{0,2}){0,3}") {
        for edit in [set(&pointer, json!({"a": [1]})), remove(&pointer)] {
            if let Ok(edited) = apply(&text, &[edit]) {
                let read = parse(&edited, ParseLimits::default());
                prop_assert!(
                    !matches!(read, Err(ref e) if e.hint != Hint::Comment && e.hint != Hint::TrailingComma)
                        || parse(&text, ParseLimits::default()).is_err(),
                    "{edited}"
                );
            }
        }
    }
}
