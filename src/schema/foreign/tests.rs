use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::json::canonical;
use crate::schema::preflight;
use crate::schema::validate::JudgeOptions;

fn value(text: &str) -> Value {
    crate::json::parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What it is, and each offer's label with the canonical schema.
fn offers(found: &Foreign) -> Vec<(String, String)> {
    found.offers.iter().map(|offer| (offer.label.clone(), canonical(&found.schema(offer)))).collect()
}

fn only(text: &str, what: What) -> String {
    let document = value(text);
    let found = recognise(&document).unwrap_or_else(|| panic!("not recognised: {text}"));
    assert_eq!(found.what, what, "{text}");
    assert_eq!(found.offers.len(), 1, "{:?}", offers(&found));
    let schema = found.schema(&found.offers[0]);
    preflight::check(&schema).unwrap_or_else(|errors| panic!("{errors:?}\n{schema}"));
    // It was refused as it stands, unless it takes everything.
    assert!(what == What::Definitions || preflight::check(&document).is_err(), "{text}");
    canonical(&schema)
}

const INNER: &str = r#"{"properties":{"a":{"type":"string"}},"type":"object"}"#;

#[test]
fn payloads_of_providers_give_the_schema_inside() {
    for (text, what) in [
        (r#"{"type":"json_schema","json_schema":{"name":"n","schema":S,"strict":true}}"#, What::Payload),
        (r#"{"name":"n","strict":true,"schema":S}"#, What::Payload),
        (r#"{"model":"m","response_format":{"type":"json_schema","json_schema":{"schema":S}}}"#, What::Payload),
        (r#"{"model":"m","text":{"format":{"type":"json_schema","name":"n","schema":S}}}"#, What::Payload),
        (r#"{"model":"m","output_config":{"format":{"type":"json_schema","schema":S}}}"#, What::Payload),
        (r#"{"model":"m","format":S}"#, What::Payload),
        (r#"{"custom_id":"1","body":{"response_format":{"json_schema":{"schema":S}}}}"#, What::Payload),
        (r#"{"contents":[],"generationConfig":{"responseSchema":S}}"#, What::Payload),
        (r#"{"name":"n","description":"d","input_schema":S}"#, What::Tools),
        (r#"{"type":"function","function":{"name":"n","parameters":S}}"#, What::Tools),
        (r#"{"type":"function","name":"n","parameters":S}"#, What::Tools),
        (r#"{"name":"n","inputSchema":S}"#, What::Tools),
        (r#"{"toolSpec":{"name":"n","inputSchema":{"json":S}}}"#, What::Tools),
        (r#"[{"name":"n","parameters":S}]"#, What::Tools),
        (r#"{"jsonrpc":"2.0","result":{"tools":[{"name":"n","inputSchema":S}]}}"#, What::Tools),
        (r#"{"functions":[{"name":"n","parameters":S}]}"#, What::Tools),
        (r#"{"functionDeclarations":[{"name":"n","parameters":S}]}"#, What::Tools),
    ] {
        assert_eq!(only(&text.replace(":S", &format!(":{INNER}")), what), INNER, "{text}");
    }
}

#[test]
fn tools_are_named_by_their_names() {
    let text = r#"{"tools":[{"name":"find","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}},
        {"function":{"name":"call","parameters":{"type":"object"}}}]}"#;
    let found = recognise(&value(text)).unwrap();
    let labels: Vec<_> = found.offers.iter().map(|offer| (offer.label.as_str(), offer.pointer.as_str())).collect();
    assert_eq!(
        labels,
        [
            ("find", "/tools/0/inputSchema"),
            ("find output", "/tools/0/outputSchema"),
            ("call", "/tools/1/function/parameters")
        ]
    );
    assert_eq!(found.find("call").unwrap().pointer, "/tools/1/function/parameters");
    assert_eq!(found.find("CALL").unwrap().pointer, "/tools/1/function/parameters");
    assert_eq!(found.find("/tools/0/inputSchema").unwrap().label, "find");
    assert_eq!(found.find("outputSchema").unwrap().label, "find output");
    assert_eq!(found.find("nothing"), None);
}

#[test]
fn other_dialects_are_written_as_json_schema() {
    assert_eq!(
        only(
            r#"{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true},"b":{"type":"ARRAY","items":{"type":"INTEGER"}}}}"#,
            What::Gemini
        ),
        r#"{"properties":{"a":{"type":["string","null"]},"b":{"items":{"type":"integer"},"type":"array"}},"type":"object"}"#
    );
    assert_eq!(
        only(r#"{"a":{"type":"string"},"b":{"type":"integer"}}"#, What::PropertyMap),
        r#"{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a","b"],"type":"object"}"#
    );
    assert_eq!(only(r#""{\"type\":\"object\"}""#, What::Encoded), r#"{"type":"object"}"#);
    assert_eq!(only(r#"{"title":"t","$defs":{"A":{"type":"string"}}}"#, What::Definitions), r#"{"type":"string"}"#);
    assert_eq!(
        only(r#"{"name":"Ada","age":36}"#, What::Instance),
        r#"{"additionalProperties":false,"properties":{"age":{"type":"integer"},"name":{"type":"string"}},"required":["name","age"],"type":"object"}"#
    );
    assert_eq!(
        only(r#"[{"a":1}]"#, What::Instance),
        r#"{"items":{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"},"type":"array"}"#
    );
}

const PETS: &str = r##"{"openapi":"3.0.3","paths":{"/pets":{"post":{
    "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}},
    "responses":{"200":{"content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Pet"}}}}}}}}},
  "components":{"schemas":{
    "Pet":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"tag":{"type":"string","nullable":true,"enum":["a"]},
       "owner":{"$ref":"#/components/schemas/Owner"},"parent":{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Pet"}]},
       "weight":{"type":"number","minimum":0,"exclusiveMinimum":true}}},
    "Owner":{"type":"object","properties":{"pets":{"type":"array","items":{"$ref":"#/components/schemas/Pet"}}}}}}}"##;

#[test]
fn exclusive_bounds_are_what_the_draft_of_the_part_has() {
    let bounded = r#""type":"number","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false"#;
    let document = value(&format!(
        r##"{{"$schema":"http://json-schema.org/draft-04/schema#","swagger":"2.0","definitions":{{
            "Plain":{{{bounded}}},
            "Four":{{"$schema":"http://json-schema.org/draft-04/schema#","properties":{{"a":{{{bounded}}},"b":{{"$ref":"#/definitions/Plain"}}}}}}}}}}"##
    ));
    let plain = take(&document, "/definitions/Plain").unwrap();
    assert_eq!(canonical(&plain), r#"{"exclusiveMinimum":0,"maximum":9,"type":"number"}"#);
    let four = take(&document, "/definitions/Four").unwrap();
    assert_eq!(four["properties"]["a"]["exclusiveMinimum"], Value::Bool(true), "{four}");
    for part in [&plain, &four] {
        preflight::check(part).unwrap_or_else(|errors| panic!("{part} {errors:?}"));
    }
    // The same numbers are allowed, whichever way they are written.
    let judged = |schema: &Value, number: &str| {
        let format = preflight::check(schema).unwrap().format;
        crate::schema::judge(&format, JudgeOptions { limits: ParseLimits::default(), assert_format: false })
            .unwrap()
            .validate(&value(number))
            .list
            .is_empty()
    };
    for (number, good) in [("0", false), ("0.5", true), ("9", true), ("9.5", false)] {
        assert_eq!(judged(&plain, number), good, "{number}");
        assert_eq!(judged(&four, &format!(r#"{{"a":{number},"b":{number}}}"#)), good, "{number}");
    }
}

#[test]
fn openapi_parts_bring_what_they_refer_to() {
    let document = value(PETS);
    let found = recognise(&document).unwrap();
    let labels: Vec<_> = found.offers.iter().map(|offer| offer.label.as_str()).collect();
    assert_eq!((found.what, labels), (What::OpenApi, vec!["Pet", "Owner", "POST /pets request", "POST /pets 200"]));
    for offer in &found.offers {
        preflight::check(&found.schema(offer)).unwrap_or_else(|errors| panic!("{offer:?} {errors:?}"));
    }
    let pet = found.schema(found.find("Pet").unwrap());
    assert_eq!(
        canonical(&pet),
        r##"{"$defs":{"Owner":{"properties":{"pets":{"items":{"$ref":"#"},"type":"array"}},"type":"object"}},"properties":{"name":{"type":"string"},"owner":{"$ref":"#/$defs/Owner"},"parent":{"anyOf":[{"allOf":[{"$ref":"#"}]},{"type":"null"}]},"tag":{"enum":["a",null],"type":["string","null"]},"weight":{"exclusiveMinimum":0,"type":"number"}},"required":["name"],"type":"object"}"##
    );
    assert_eq!(take(&document, "/components/schemas/Pet"), Some(pet));
    assert_eq!(take(&document, "/openapi"), None);
    assert_eq!(take(&document, "/nowhere"), None);
}

#[test]
fn a_python_dict_is_read_as_it_was_meant() {
    let text = "schema = {'type': 'object', 'properties': {'it\\'s': {'type': \"string\", 'default': None, 'minLength': 1}},\n 'additionalProperties': False, # no\n}";
    let found = recognise_text(text).unwrap();
    assert_eq!(found.what, What::PythonDict);
    assert_eq!(
        canonical(&found.schema(&found.offers[0])),
        r#"{"additionalProperties":false,"properties":{"it's":{"default":null,"minLength":1,"type":"string"}},"type":"object"}"#
    );
    for text in ["{'a': f(x)}", "{'a': 'b'", "{'a' 1}", "x", "{'a': 1, 'a': 2}"] {
        assert_eq!(recognise_text(text), None, "{text}");
    }
}

#[test]
fn simple_models_of_other_languages_become_schemas() {
    let text = "/** a pet */\nexport interface Pet {\n  name: string;\n  /** in years */\n  age?: number; // remark\n  kind: 'cat' | 'dog' | null\n  tags: string[];\n}\nexport interface Odd extends Pet { x: Map<string, number> }\ninterface Other {\n  pet: Pet;\n}\n";
    let found = recognise_text(text).unwrap();
    assert_eq!(found.what, What::TypeScript);
    assert_eq!(
        offers(&found),
        [("Pet".to_owned(), r#"{"additionalProperties":false,"properties":{"age":{"type":"number"},"kind":{"enum":["cat","dog",null],"type":["string","null"]},"name":{"type":"string"},"tags":{"items":{"type":"string"},"type":"array"}},"required":["name","kind","tags"],"title":"Pet","type":"object"}"#.to_owned())]
    );
    let text = "from pydantic import BaseModel, Field\n\nclass Pet(BaseModel):\n    \"\"\"A pet.\"\"\"\n    name: str\n    age: Optional[int] = None\n    kind: Literal['cat', \"dog\"]\n    tags: list[str] = []\n\nclass Odd(BaseModel):\n    x: int = Field(gt=0)\n";
    let found = recognise_text(text).unwrap();
    assert_eq!(found.what, What::Pydantic);
    assert_eq!(
        offers(&found),
        [("Pet".to_owned(), r#"{"additionalProperties":false,"properties":{"age":{"type":["integer","null"]},"kind":{"enum":["cat","dog"],"type":"string"},"name":{"type":"string"},"tags":{"items":{"type":"string"},"type":"array"}},"required":["name","kind"],"title":"Pet","type":"object"}"#.to_owned())]
    );
    let zod = recognise_text("import { z } from 'zod';\nconst A = z.object({ a: z.string() });").unwrap();
    assert_eq!((zod.what, zod.offers.len()), (What::Zod, 0));
    assert!(zod.what.advice().is_some());
    for text in ["hello", "the type of thing", "type: object", "{}", "class A: pass"] {
        assert_eq!(recognise_text(text), None, "{text}");
    }
}

#[test]
fn a_mistake_within_a_schema_is_no_other_thing() {
    let what = |text: &str, form| {
        let errors = preflight::check_source(text, form).unwrap_err();
        refused(text, form, &errors).map(|(found, _)| found.what)
    };
    assert_eq!(what(r#"{"type":"objekt"}"#, Form::Json), None);
    assert_eq!(what(r#"{"type":"object","properties":{"a":{"type":"x"}}}"#, Form::Json), None);
    assert_eq!(what(r#"{"type":"object","#, Form::Json), None);
    assert_eq!(what(r#"{"type":"STRING"}"#, Form::Json), Some(What::Gemini));
    assert_eq!(what("{'type': 'object', 'x': None}", Form::Json), Some(What::PythonDict));
    assert_eq!(what("name: Ada\n", Form::Yaml), Some(What::Instance));
    let pets = PETS.replace("\"200\":", "200: ");
    assert!(preflight::check_source(&pets, Form::Yaml).is_err());
    assert_eq!(what(&pets, Form::Yaml), Some(What::OpenApi));
}

fn any_document() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("type"),
        Just("schema"),
        Just("tools"),
        Just("name"),
        Just("$ref"),
        Just("$defs"),
        Just("properties"),
        Just("nullable"),
        Just("parameters"),
        Just("openapi"),
        Just("components"),
        Just("schemas"),
        Just("items"),
        Just("anyOf"),
        Just("enum"),
        Just("exclusiveMinimum"),
        Just("paths"),
        Just("get"),
        Just("responses"),
        Just("a~/b"),
    ];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![
            Just("object"),
            Just("STRING"),
            Just("#/components/schemas/type"),
            Just("#"),
            Just("#/$defs/name"),
            Just("x")
        ]
        .prop_map(Value::from),
    ];
    scalar.prop_recursive(6, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|m| Value::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_document_is_recognised_or_not(document in any_document()) {
        if let Some(found) = recognise(&document) {
            for offer in &found.offers {
                let _ = found.schema(offer);
                prop_assert!(found.find(&offer.pointer).is_some());
            }
        }
        let _ = take(&document, "");
    }

    #[test]
    fn any_text_is_recognised_or_not(text in "(class |interface |type |[AB]|[(]BaseModel[)]:|[{]|[}]|'|\"|: |str|list\\[|\\]|=|[|]|\n|  |True|\\\\|é|,|1e5){0,30}") {
        if let Some(found) = recognise_text(&text) {
            for offer in &found.offers {
                let _ = found.schema(offer);
            }
        }
    }
}

/// Two thousand definitions of one name took minutes: each name was looked for among all of them, from 2 on.
#[test]
fn many_definitions_of_one_name_are_named_at_once() {
    let mut document = json!({"part": {"type": "object", "properties": {}, "$defs": {"x_2": true}}});
    for n in 0..6_000 {
        document["all"][format!("k{n}")] = json!({"x": {"type": "string"}});
        document["part"]["properties"][format!("p{n}")] = json!({"$ref": format!("#/all/k{n}/x")});
    }
    let schema = take(&document, "/part").unwrap();
    let names: Vec<&String> = schema["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 2_001);
    assert_eq!(schema["properties"]["p0"]["$ref"], json!("#/$defs/x"));
    assert_eq!(schema["properties"]["p1"]["$ref"], json!("#/$defs/x_3"), "the part's own name is not given again");
    assert_eq!(schema["properties"]["p2000"]["$ref"], json!("#/all/k2000/x"), "what no longer comes along stays");
}

/// Definitions inside one another come along once for each of them: their sum is bounded.
#[test]
fn what_comes_along_is_bounded_by_its_weight() {
    let long = "a".repeat(300_000);
    let mut inner = json!({"type": "string", "description": long});
    for _ in 0..100 {
        inner = json!({"type": "object", "properties": {"n": inner}});
    }
    let mut document = json!({"part": {"type": "object", "properties": {}}, "deep": inner});
    for n in 0..100 {
        let target = format!("#/deep{}", "/properties/n".repeat(n));
        document["part"]["properties"][format!("p{n}")] = json!({"$ref": target});
    }
    let schema = take(&document, "/part").unwrap();
    let taken = schema["$defs"].as_object().unwrap().len();
    assert!((40..60).contains(&taken), "{taken}");
}
