//! What preflight refuses, warns of and lets through, with reason, place and words; and what issues say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use formwork::json::{ParseLimits, parse};
use formwork::schema::preflight::{Checked, check, check_text};
use formwork::schema::validate::{JudgeOptions, Judgement, judge};
use formwork::schema::{Dialect, Reason, SchemaError};

fn refused(text: &str) -> Vec<SchemaError> {
    match check_text(text) {
        Ok(checked) => panic!("accepted: {text} {:?}", checked.warnings),
        Err(errors) => errors,
    }
}

fn accepted(text: &str) -> Checked {
    check_text(text).unwrap_or_else(|e| panic!("refused: {text} {e:?}"))
}

#[test]
fn refusals_have_reason_place_and_words() {
    use Reason::*;
    let table: &[(&str, Reason, &str, &str)] = &[
        // something else than a schema
        ("true", WrongShape, "", "accepts everything"),
        ("[]", WrongShape, "", "list"),
        (r#"{"verdict":{"type":"string"},"score":{"type":"number"}}"#, WrongShape, "", "map of properties"),
        (r#"{"type":{"type":"string"},"name":{"type":"string"}}"#, WrongShape, "/type", "map of properties"),
        (r#"{"name":"string","age":"integer"}"#, WrongShape, "", "map of properties"),
        (r#"{"name":"Ada","age":36}"#, WrongShape, "", "value"),
        (r#"{"title":"Report","score":3}"#, WrongShape, "", "value"),
        (r#"{"type":"json_object"}"#, WrongShape, "/type", "mode switch"),
        (
            r#"{"type":"json_schema","json_schema":{"name":"x","schema":{}}}"#,
            WrongShape,
            "/json_schema",
            "response_format",
        ),
        (r#"{"schema":{"type":"object"},"name":"x"}"#, WrongShape, "", "marker"),
        (
            r#"{"name":"f","description":"d","parameters":{"type":"object"}}"#,
            WrongShape,
            "/parameters",
            "tool definition",
        ),
        (r#"{"type":"function","function":{"name":"f","parameters":{}}}"#, WrongShape, "", "tool definition"),
        (r#"{"name":"f","input_schema":{"type":"object"}}"#, WrongShape, "/input_schema", "input_schema"),
        (r#"{"openapi":"3.1.0","info":{},"paths":{}}"#, WrongShape, "/openapi", "OpenAPI"),
        (r#"{"swagger":"2.0","definitions":{"A":{"type":"object"}}}"#, WrongShape, "/swagger", "OpenAPI"),
        // envelope
        (r#"{"type":"json_schema","schema":{},"name":"a b"}"#, Envelope, "/name", "letters"),
        (r#"{"type":"json_schema","schema":{"a":1}}"#, WrongShape, "/schema", "value"),
        (r#"{"type":"json_schema","schema":{"type":"x"}}"#, MetaSchema, "/schema/type", "`type` must be one of"),
        (r#"{"type":"json_schema","schema":{},"strict":null}"#, Envelope, "/strict", "true or false"),
        (
            r#"{"type":"json_schema","schema":{},"max_validation_retries":1.0}"#,
            Envelope,
            "/max_validation_retries",
            "integer",
        ),
        // dialect and meta-schema
        (r#"{"$schema":3}"#, UnknownDialect, "/$schema", "2020-12"),
        (r#"{"$schema":""}"#, UnknownDialect, "/$schema", "2020-12"),
        (r#"{"properties":{"a":{"minLength":-1}}}"#, MetaSchema, "/properties/a/minLength", "negative"),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"items":{"type":"strin"}}}"#,
            MetaSchema,
            "/items/items/type",
            "`type` must",
        ),
        (r#"{"required":["secret-word","secret-word"]}"#, MetaSchema, "/required", "twice"),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","items":{"$ref":3}}"#,
            MetaSchema,
            "/items/$ref",
            "text",
        ),
        (r#"{"properties":[]}"#, MetaSchema, "/properties", "`properties` must be an object"),
        // references
        (r##"{"$ref":"#/$defs/a b","$defs":{"a b":{}}}"##, DanglingReference, "/$ref", "%20"),
        (r##"{"$ref":"#/$defs/List[int]","$defs":{"List[int]":{}}}"##, DanglingReference, "/$ref", "%5B"),
        (r##"{"items":{"$ref":"#/$defs/x"}}"##, DanglingReference, "/items/$ref", "points to nothing"),
        (r##"{"items":{"$ref":"#x"}}"##, DanglingReference, "/items/$ref", "anchor"),
        (r##"{"enum":["a"],"items":{"$ref":"#/enum/0"}}"##, DanglingReference, "/items/$ref", "no schema"),
        (r#"{"allOf":[{"$ref":"other.json"}]}"#, RemoteReference, "/allOf/0/$ref", "$defs"),
        (r#"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"#, DuplicateAnchor, "/$defs/b/$anchor", "same anchor"),
        (r#"{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}"#, DuplicateAnchor, "/$defs/b/$id", "two schemas"),
        (r##"{"$recursiveRef":"#"}"##, ReferenceCycle, "", ""),
        (
            r##"{"$dynamicAnchor":"x","anyOf":[{"$dynamicRef":"#x"}]}"##,
            ReferenceCycle,
            "/anyOf/0/$dynamicRef",
            "lead back",
        ),
        (r##"{"type":"object","extends":{"$ref":"#"}}"##, ReferenceCycle, "/extends/$ref", "lead back"),
        // patterns
        (r#"{"patternProperties":{"a/b(":{}}}"#, Pattern, "/patternProperties/a~1b(", "ECMA-262"),
        (r#"{"type":"json_schema","schema":{"pattern":"["}}"#, Pattern, "/schema/pattern", "ECMA-262"),
        // text
        (r#"{"type":"string",}"#, NotJson, "", "trailing_comma"),
        (r#"{"type":"string","type":"null"}"#, NotJson, "/type", "repeated_key"),
    ];
    for (text, reason, path, words) in table {
        if text.contains("recursiveRef") {
            continue; // no keyword of 2020-12; see the next test
        }
        let errors = refused(text);
        let first = &errors[0];
        assert_eq!((first.reason, first.path.as_str()), (*reason, *path), "{text}: {errors:?}");
        assert!(first.message.contains(words), "{text}: {}", first.message);
        assert!(errors.iter().all(|e| e.position.is_some()), "{text}: {errors:?}");
        assert!(!errors.iter().any(|e| e.message.contains("secret-word")));
    }
}

#[test]
fn recursive_references_of_2019_09() {
    let cyclic = r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","anyOf":[{"$recursiveRef":"#"}]}"##;
    assert_eq!(refused(cyclic)[0].reason, Reason::ReferenceCycle);
    let fine = r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":"#"}}"##;
    assert_eq!(accepted(fine).dialect, Dialect::Draft201909);
}

#[test]
fn several_errors_at_once_each_with_its_place() {
    let text = "{\n  \"properties\": {\n    \"a\": {\"type\": \"strin\"},\n    \"b\": {\"minLength\": \"3\"},\n    \"c\": {\"$ref\": 3}\n  }\n}";
    let errors = refused(text);
    let places: Vec<(&str, usize)> = errors.iter().map(|e| (e.path.as_str(), e.position.unwrap().line)).collect();
    assert_eq!(places, [("/properties/a/type", 3), ("/properties/b/minLength", 4), ("/properties/c/$ref", 5)]);
    let many = format!("{{\"allOf\":[{}]}}", vec!["{\"$ref\":\"x\"}"; 100].join(","));
    assert_eq!(refused(&many).len(), 20);
}

#[test]
fn warnings() {
    let table: &[(&str, &str, &str)] = &[
        ("{}", "", "accepts every"),
        (r#"{"type":"object","requried":["a"]}"#, "/requried", "`required`"),
        (r#"{"type":"object","Properties":{"a":{}}}"#, "/Properties", "`properties`"),
        (r#"{"type":"array","itmes":{}}"#, "/itmes", "`items`"),
        (r#"{"type":"string","max_length":3}"#, "/max_length", "`maxLength`"),
        (r#"{"properties":{"a":{}},"required":["b"]}"#, "/required/0", "does not describe"),
        (r#"{"properties":{"a":{}},"required":["b"],"additionalProperties":false}"#, "/required/0", "nothing can pass"),
        (r#"{"type":"object","schema":{"properties":{}}}"#, "/schema", "looks_like_envelope"),
        (
            r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}},"$ref":"#/definitions/a","required":["x"]}"##,
            "/required",
            "ignored",
        ),
    ];
    for (text, path, words) in table {
        let checked = accepted(text);
        let found = checked.warnings.iter().find(|w| w.path == *path && w.message.contains(words));
        assert!(found.is_some_and(|w| w.position.is_some()), "{text}: {:?}", checked.warnings);
    }
    for quiet in [
        r#"{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}"#,
        r#"{"title":"T","type":"object","properties":{"requried":{}},"x-order":["a"]}"#,
        r##"{"$defs":{"n":{"type":"null"}},"anyOf":[{"$ref":"#/$defs/n"},{"type":"string","title":"S","default":"x"}]}"##,
    ] {
        assert_eq!(accepted(quiet).warnings, [], "{quiet}");
    }
}

#[test]
fn an_envelope_and_the_schema_inside_are_one_format() {
    let bare = accepted(r#"{"b":{},"type":"object"}"#.replace("\"b\":{},", "").as_str());
    let text = r#"{"type":"json_schema","schema":{"type":"object"},"name":"n","description":"d","strict":false,"fallback":"prompt","max_validation_retries":0}"#;
    let wrapped = accepted(text);
    assert_eq!(wrapped.format.schema_hash, bare.format.schema_hash);
    assert_eq!(wrapped.format.schema_hash, formwork::json::sha256_hex("{\"type\":\"object\"}"));
    assert!(wrapped.envelope && !bare.envelope);
    assert_eq!(
        (wrapped.format.name.as_str(), wrapped.format.strict, wrapped.format.max_validation_retries),
        ("n", false, 0)
    );
}

#[test]
fn limits_hold_at_the_boundary_from_a_small_stack() {
    let nest = |n: usize| format!("{}{{}}{}", "{\"items\":".repeat(n), "}".repeat(n));
    let bytes = |n: usize| format!("{{\"description\":\"{}\"}}", "x".repeat(n - 18));
    let work = move || {
        assert_eq!(accepted(&nest(100)).counts.depth, 100);
        let deep = &refused(&nest(101))[0];
        assert_eq!((deep.reason, deep.path.len()), (Reason::LimitDepth, 101 * "/items".len()));
        assert_eq!(refused(&nest(5_000))[0].reason, Reason::LimitDepth);
        assert_eq!(accepted(&bytes(1_048_576)).counts.canonical_bytes, 1_048_576);
        assert_eq!(refused(&bytes(1_048_577))[0].reason, Reason::LimitBytes);
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
}

/// Schema, candidate, then `path schema_path message` of each issue.
type Row = (&'static str, &'static str, &'static [&'static str]);

#[test]
fn issues_say_where_what_and_never_the_value() {
    let table: &[Row] = &[
        (
            r##"{"$ref":"#/$defs/s","$defs":{"s":{"required":["a","b"]}}}"##,
            r#"{"b":1}"#,
            &[" /$defs/s/required must have the property \"a\" (required)"],
        ),
        (
            r#"{"additionalProperties":false,"properties":{"a":{}}}"#,
            r#"{"z":"secret","y":2}"#,
            &[
                " /additionalProperties must not have the property \"y\" (additionalProperties)",
                " /additionalProperties must not have the property \"z\" (additionalProperties)",
            ],
        ),
        (r#"{"minLength":3}"#, "\"ab\"", &[" /minLength must be at least 3 characters (minLength)"]),
        (r#"{"items":{"maximum":10.50}}"#, "[11,1]", &["/0 /items/maximum must be at most 10.50 (maximum)"]),
        (
            r#"{"properties":{"a":{"exclusiveMinimum":0}}}"#,
            r#"{"a":0}"#,
            &["/a /properties/a/exclusiveMinimum must be more than 0 (exclusiveMinimum)"],
        ),
        (r#"{"enum":["a","b",3]}"#, "\"secret\"", &[" /enum must be one of \"a\", \"b\", 3 (enum)"]),
        (r#"{"const":9007199254740992}"#, "9007199254740993.0", &[" /const must be 9007199254740992 (const)"]),
        (
            r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
            "\"secret\"",
            &[" /anyOf must match at least one of 2 schemas, matches none (anyOf); expected integer or null"],
        ),
        (
            r##"{"$defs":{"m":{"type":"object","required":["a"]}},"anyOf":[{"$ref":"#/$defs/m"},{"type":"null"}]}"##,
            "{}",
            &[
                " /$defs/m/required must have the property \"a\" (required)",
                " /anyOf must match at least one of 2 schemas, matches none (anyOf); expected object or null",
            ],
        ),
        (
            r#"{"oneOf":[{"properties":{"k":{"const":"cat"}},"required":["k"]},{"properties":{"k":{"const":"dog"}},"required":["k"]}]}"#,
            r#"{"k":"cow"}"#,
            &[
                " /oneOf must match exactly one of 2 schemas, matches none (oneOf); the property \"k\" tells them apart: \"cat\", \"dog\"",
            ],
        ),
        (
            r#"{"oneOf":[{"type":"integer"},{"minimum":0},{"type":"null"}]}"#,
            "5",
            &[" /oneOf must match exactly one of 3 schemas, matches 2 of them: 0, 1 (oneOf)"],
        ),
        (
            r#"{"propertyNames":{"maxLength":2}}"#,
            r#"{"abc":1}"#,
            &[" /propertyNames/maxLength the property name \"abc\" must be at most 2 characters (maxLength)"],
        ),
        (
            r#"{"dependentRequired":{"a":["b"]}}"#,
            r#"{"a":1}"#,
            &[" /dependentRequired must have the property \"b\" because \"a\" is there (dependentRequired)"],
        ),
        (r#"{"prefixItems":[{}],"items":false}"#, "[1,2]", &["/1 /items no item is allowed at position 1 (items)"]),
        (
            r#"{"if":{"type":"string"},"then":{"maxLength":1}}"#,
            "\"secret\"",
            &[" /then/maxLength must be at most 1 characters (maxLength)"],
        ),
        (
            r#"{"allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}"#,
            r#"{"a":1,"b":2}"#,
            &[
                " /unevaluatedProperties must not have the property \"b\" (unevaluatedProperties)",
                "/a /allOf/0/properties/a/type must be of type string (type)",
            ],
        ),
        (
            r#"{"type":"integer"}"#,
            "1e99999999999999999999",
            &[" /type the number cannot be compared exactly: too large an exponent or divisor (type)"],
        ),
        (
            r#"{"properties":{"a~/b":{"type":"null"}}}"#,
            r#"{"a~/b":1}"#,
            &["/a~0~1b /properties/a~0~1b/type must be of type null (type)"],
        ),
    ];
    for (schema, text, want) in table {
        let checked = accepted(schema);
        let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
        let Judgement::Invalid(issues) = judge(&checked.format, options).unwrap().judge(text) else {
            panic!("not invalid: {schema} {text}");
        };
        let got: Vec<String> =
            issues.list.iter().map(|i| format!("{} {} {}", i.path, i.schema_path, i.message)).collect();
        assert_eq!(got, *want, "{schema}");
        assert!(got.iter().all(|m| !m.contains("secret")));
    }
}

#[test]
fn values_with_keyword_names_are_told_apart_from_schemas() {
    for (text, word) in [
        (r#"{"type":"dog","name":"Rex","age":3}"#, "value"),
        (r#"{"items":[{"sku":"a"}],"total":3}"#, "value"),
        (r#"{"type":1,"name":"Rex"}"#, "value"),
        (r#"{"name":"string","age":"number","tags":"string[]","nick":"string | null"}"#, "map of properties"),
    ] {
        let errors = check_text(text).unwrap_err();
        assert_eq!(errors[0].reason, Reason::WrongShape, "{text}");
        assert!(errors[0].message.contains(word), "{text}: {}", errors[0].message);
    }
    for text in [r#"{"type":"strin"}"#, r#"{"type":"OBJECT","fields":1}"#, r#"{"type":"dog","properties":{},"name":1}"#]
    {
        assert_eq!(check_text(text).unwrap_err()[0].reason, Reason::MetaSchema, "{text}");
    }
}

#[test]
fn an_embedded_resource_of_an_unknown_dialect_is_refused() {
    let errors = check_text(r#"{"$defs":{"a":{"$id":"http://x/a","$schema":"http://foo/"}}}"#).unwrap_err();
    assert_eq!((errors[0].reason, errors[0].path.as_str()), (Reason::UnknownDialect, "/$defs/a/$schema"));
}

#[test]
fn check_and_check_text_agree() {
    for text in [r#"{"type":"strin"}"#, r##"{"$ref":"#/x"}"##, "{}", "null"] {
        let value = parse(text, ParseLimits::default()).unwrap();
        let reasons =
            |r: Result<Checked, Vec<SchemaError>>| r.err().map(|e| e.iter().map(|e| e.reason).collect::<Vec<_>>());
        assert_eq!(reasons(check(&value)), reasons(check_text(text)));
    }
}
