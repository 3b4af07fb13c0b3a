//! Completion: tables and laws.

use proptest::prelude::*;

use super::super::position::dialect_of;
use super::*;

fn offer(marked: &str) -> Option<Offer> {
    let offset = marked.find('|').unwrap();
    let text = marked.replacen('|', "", 1);
    let mut walk = Walk::default();
    walk.to(&text, offset);
    complete(&text, offset, &walk, dialect_of(&text))
}

fn labels(marked: &str) -> Vec<String> {
    offer(marked).map_or(Vec::new(), |o| o.candidates.into_iter().map(|c| c.label).collect())
}

/// The text after taking the first candidate.
fn taken(marked: &str) -> String {
    let offer = offer(marked).unwrap();
    let mut text = marked.replacen('|', "", 1);
    text.replace_range(offer.range, &offer.candidates[0].insert);
    text
}

#[test]
fn keywords_by_position_draft_and_type() {
    assert_eq!(labels("{|")[0], "type");
    assert_eq!(labels("{\"type\": \"string\", |}")[..3], ["minLength", "maxLength", "pattern"]);
    assert_eq!(labels("{\"minl|"), ["minLength"]);
    assert!(!labels("{\"type\": \"array\", |}").contains(&"type".to_owned()), "what is there is not offered again");
    assert!(labels("{\"properties\": {|}}").is_empty(), "a member's name is the author's");
    assert_eq!(labels("{\"properties\": {\"a\": {\"pref|"), ["prefixItems"]);
    let old = "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"properties\": {\"a\": {\"pref|";
    assert!(labels(old).is_empty(), "draft-07 has no prefixItems");
    assert!(labels("{\"enum\": [{\"|").is_empty(), "a value is no schema");
    assert_eq!(labels("{\"schema\": {\"uniq|"), ["uniqueItems"], "inside an envelope");
}

#[test]
fn an_envelope_offers_its_own_fields_outside_of_the_schema() {
    let own = ["schema", "name", "description", "strict", "fallback", "max_validation_retries"];
    assert_eq!(labels("{\"type\": \"json_schema\", |}"), own);
    assert_eq!(labels("{\"type\": \"json_schema\", \"schema\": {\"minl|"), ["minLength"]);
    assert_eq!(labels("{\"type\": \"json_schema\", \"fallback\": |}"), ["auto", "none", "prompt"]);
    assert_eq!(
        taken("{\"type\": \"json_schema\", \"max|}"),
        "{\"type\": \"json_schema\", \"max_validation_retries\": }"
    );
    assert_eq!(labels("{\"type\": \"json_schema\", \"max_validation_retries\": |}"), ["0", "1"]);
    assert_eq!(labels("{\"type\": \"json_schema\", \"strict\": |}"), ["true", "false"]);
    assert_eq!(labels("{\"type\": \"json_s|\"}"), ["json_schema"]);
    assert!(labels("{\"type\": \"json_schema\", \"name\": |}").is_empty(), "the author's");
    assert!(!labels("{\"properties\": {\"a\": {\"type\": |").contains(&"json_schema".to_owned()));
}

#[test]
fn what_other_tools_wrap_a_schema_in_is_known() {
    let format = "{\"model\": \"m\", \"response_format\": {\"type\": \"json_schema\", \"json_schema\": {";
    assert_eq!(labels(&format!("{format}|")), ["name", "description", "schema", "strict"]);
    assert_eq!(labels(&format!("{format}\"schema\": {{\"minl|")), ["minLength"]);
    let tool = "{\"tools\": [{\"name\": \"t\", \"input_schema\": {\"type\": \"object\"}, |";
    assert_eq!(labels(tool), ["description"]);
    assert_eq!(labels("{\"tools\": [{\"name\": \"t\", \"input_schema\": {\"minp|"), ["minProperties"]);
    let function = "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"par|";
    assert_eq!(labels(function), ["parameters"]);
    // A property of such a name is a property.
    assert_eq!(labels("{\"properties\": {\"tools\": {\"minl|"), ["minLength"]);
}

#[test]
fn values_of_keywords() {
    assert_eq!(labels("{\"type\": |")[..2], ["string", "number"]);
    assert_eq!(labels("{\"type\": \"in|\"}"), ["integer", "string"]);
    assert_eq!(labels("{\"type\": [\"null\", \"bo|"), ["boolean"]);
    assert!(labels("{\"format\": \"da|\"}").contains(&"date-time".to_owned()));
    assert!(
        !labels("{\"$schema\": \"http://json-schema.org/draft-06/schema#\", \"format\": |}")
            .contains(&"date".to_owned())
    );
    assert_eq!(labels("{\"additionalProperties\": |}"), ["true", "false"]);
    assert_eq!(labels("{\"uniqueItems\": t|}"), ["true"]);
    assert!(labels("{\"default\": |}").is_empty());
    assert!(labels("{\"minLength\": |}").is_empty());
}

#[test]
fn reference_targets_and_names() {
    let text = "{\"$ref\": \"|\", \"$defs\": {\"a/b\": {\"title\": \"T\"}, \"c\": {\"$anchor\": \"here\"}}}";
    assert_eq!(labels(text), ["#/$defs/a~1b", "#/$defs/c", "#here", "#"]);
    let text = "{\"properties\": {\"a\": {\"type\": \"string\"}, \"b\": {}}, \"required\": [\"b\", |]}";
    assert_eq!(labels(text), ["a"]);
    let text = "{\"required\": [\"a\", \"b\"], \"properties\": {\"a\": {}, \"|\"}}";
    assert_eq!(labels(text), ["b"]);
    assert_eq!(taken(text), "{\"required\": [\"a\", \"b\"], \"properties\": {\"a\": {}, \"b\": {}}}");
}

#[test]
fn taking_one_writes_what_is_missing_and_nothing_twice() {
    assert_eq!(taken("{\"minl|"), "{\"minLength\": ");
    assert_eq!(taken("{\"minl|\": 5}"), "{\"minLength\": 5}");
    assert_eq!(taken("{\"minl|}"), "{\"minLength\": }", "an open quote does not swallow the rest of the line");
    assert_eq!(taken("{\"minl|, \"a\": 1}"), "{\"minLength\": , \"a\": 1}");
    assert_eq!(taken("{minl|}"), "{\"minLength\": }");
    assert_eq!(taken("{\"type\": int|}"), "{\"type\": \"integer\"}");
    assert_eq!(taken("{\"type\": \"int|\n}"), "{\"type\": \"integer\"\n}");
}

proptest! {
    #[test]
    fn no_text_breaks_it_and_the_range_lies_in_the_text(
        text in r#"([\{\}\[\]:,"\\ \n語]|"type"|"properties"|"required"|"\$ref"|"\$defs"|"a"|true|1){0,40}"#,
        at in 0usize..120,
    ) {
        let offset = text.floor_char_boundary(at.min(text.len()));
        let mut walk = Walk::default();
        walk.to(&text, offset);
        if let Some(offer) = complete(&text, offset, &walk, Dialect::Draft202012) {
            prop_assert!(text.get(offer.range.clone()).is_some(), "{:?}", offer.range);
            prop_assert!(offer.range.start <= offset && offset <= offer.range.end);
            prop_assert!(!offer.candidates.is_empty());
        }
    }
}
