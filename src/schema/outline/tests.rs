use serde_json::json;

use super::edit::{Denied, Texts, Wish, edits, keywords, typed};
use super::*;
use crate::json::edit::apply;
use crate::json::{ParseLimits, parse};

const INVOICE: &str = r##"{
  "type": "object",
  "properties": {
    "number": { "type": "string", "pattern": "^R[0-9]+$", "description": "As printed" },
    "due": { "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }] },
    "lines": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/Line" } },
    "parent": { "$ref": "#" }
  },
  "required": ["number", "lines"],
  "additionalProperties": false,
  "$defs": {
    "Line": {
      "type": "object",
      "properties": { "text": { "type": "string" }, "kind": { "enum": ["a", "b"] } },
      "required": ["text"]
    }
  }
}"##;

fn schema() -> Value {
    parse(INVOICE, ParseLimits::default()).unwrap()
}

fn field(name: &str) -> Field {
    outline(&schema()).into_iter().find(|field| field.name == name).unwrap()
}

#[test]
fn fields_stand_in_the_authors_order_below_what_holds_them() {
    let told: Vec<_> = outline(&schema()).into_iter().map(|f| (f.depth, f.name, f.kind, f.required)).collect();
    let row = |depth, name: &str, kind: &str, required| (depth, name.to_owned(), kind.to_owned(), required);
    let wanted = [
        row(0, "the answer", "object", None),
        row(1, "number", "string", Some(true)),
        row(1, "due", "string (date) or null", Some(false)),
        row(1, "lines", "array of Line", Some(true)),
        row(2, "each item", "Line", None),
        row(3, "text", "string", Some(true)),
        row(3, "kind", "one of 2 values", Some(false)),
        row(1, "parent", "object", Some(false)),
    ];
    assert_eq!(told, wanted);
}

#[test]
fn a_field_knows_where_it_was_written_and_what_bounds_it() {
    let number = field("number");
    assert_eq!((number.description.as_str(), number.bounds), ("As printed", vec!["pattern ^R[0-9]+$".to_owned()]));
    let item = field("each item");
    assert_eq!((item.place.as_str(), item.target.as_str()), ("/properties/lines/items", "/$defs/Line"));
    assert_eq!(field("due").target, "/properties/due/anyOf/0", "the null beside it is no place for keywords");
    assert!(field("parent").recursive);
}

#[test]
fn every_schema_ends() {
    let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}});
    assert_eq!(outline(&endless).len(), 2);
    let mut wide = json!({"type": "object"});
    for level in 0..40 {
        let inner = wide;
        wide = json!({"type": "object", "properties": {"a": inner.clone(), "b": inner}});
        if level > 12 {
            break;
        }
    }
    assert_eq!(outline(&wide).len(), MAX_FIELDS);
    // Preflight refuses these two; the outline of what is being typed has to end all the same.
    assert!(!outline(&json!({"anyOf": [{"$ref": "#"}, {"type": "null"}]})).is_empty());
    assert!(
        !outline(&json!({"properties": {"x": {"oneOf": [{"$ref": "#/properties/x"}, {"type": "null"}]}}})).is_empty()
    );
    let tree = json!({
        "title": "A tree", "$ref": "#/$defs/node",
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    });
    assert_eq!(outline(&tree).iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["the answer", "next"]);
    assert_eq!(outline(&json!({"$ref": "#/nowhere"})), []);
    assert_eq!(outline(&json!(true)).len(), 1);
}

fn after(field: &Field, wish: &Wish) -> Value {
    let edited = apply(INVOICE, &edits(&schema(), field, wish).unwrap()).unwrap();
    parse(&edited, ParseLimits::default()).unwrap()
}

#[test]
fn wishes_become_small_edits() {
    let set = |name: &str, text: &str| Wish::Keyword {
        name: name.to_owned(),
        value: typed(name, text, Texts::Only).unwrap(),
    };
    let edited = after(&field("each item"), &set("description", "One line"));
    assert_eq!(edited["$defs"]["Line"]["description"], "One line", "the definition is what is meant");
    assert_eq!(after(&field("number"), &set("pattern", ""))["properties"]["number"].get("pattern"), None);
    assert_eq!(after(&field("due"), &Wish::Required(true))["required"], json!(["number", "lines", "due"]));
    assert_eq!(after(&field("text"), &Wish::Required(false))["$defs"]["Line"].get("required"), None);
    let renamed = after(&field("number"), &Wish::Rename("id".to_owned()));
    assert_eq!(renamed["required"], json!(["id", "lines"]));
    assert_eq!(renamed["properties"].as_object().unwrap().keys().next().unwrap(), "id", "its place stays");
    let gone = after(&field("number"), &Wish::Remove);
    assert_eq!((gone["required"].clone(), gone["properties"].get("number")), (json!(["lines"]), None));
    let added = after(&field("each item"), &Wish::Add("price".to_owned()));
    assert_eq!(added["$defs"]["Line"]["properties"]["price"], json!({"type": "string"}));
    assert_eq!(added["$defs"]["Line"]["required"], json!(["text", "price"]));
}

#[test]
fn a_wish_that_cannot_be_granted_says_why() {
    let denied = |field: &Field, wish| edits(&schema(), field, &wish).unwrap_err();
    assert_eq!(denied(&field("each item"), Wish::Remove), Denied::NoProperty);
    assert_eq!(denied(&field("number"), Wish::Add("a".to_owned())), Denied::NoObject);
    assert_eq!(denied(&field("number"), Wish::Rename("due".to_owned())), Denied::Taken);
    assert_eq!(denied(&field("number"), Wish::Rename(String::new())), Denied::NoName);
    for (name, text) in [
        ("minLength", "-1"),
        ("minLength", "x"),
        ("minimum", "a"),
        ("multipleOf", "0"),
        ("type", "text"),
        ("uniqueItems", "1"),
    ] {
        assert!(typed(name, text, Texts::Only).is_err(), "{name} took {text}");
    }
}

#[test]
fn what_is_typed_becomes_what_the_keyword_takes() {
    let of = |name: &str, text: &str| typed(name, text, Texts::Only).unwrap().unwrap();
    assert_eq!(of("type", "string or null"), json!(["string", "null"]));
    assert_eq!(of("enum", "red, green"), json!(["red", "green"]));
    assert_eq!(of("enum", "[1, null]"), json!([1, null]));
    assert_eq!(of("pattern", "^[0-9]+$"), json!("^[0-9]+$"));
    assert_eq!(of("multipleOf", "0.01").to_string(), "0.01");
    assert_eq!(typed("title", "  ", Texts::Only).unwrap(), None);
    assert_eq!(of("enum", "1, 2"), json!(["1", "2"]));
    assert_eq!(typed("enum", "1, two", Texts::AndOthers).unwrap(), Some(json!([1, "two"])));
}

#[test]
fn a_form_offers_what_the_type_can_have() {
    let names = |name: &str| keywords(&schema(), &field(name)).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let number = names("number");
    assert_eq!(
        number.iter().take(3).collect::<Vec<_>>(),
        [&"type", &"description", &"pattern"],
        "what is set stands first"
    );
    assert!(number.contains(&"minLength") && !number.contains(&"minItems"));
    assert!(names("lines").contains(&"uniqueItems"));
}
