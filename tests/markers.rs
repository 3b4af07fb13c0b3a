//! No value travels in a message: neither the schema's in what preflight says, nor the candidate's in what issues say.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test stops")]

use formwork::json::{ParseLimits, Value, parse, resolve};
use formwork::schema::preflight::check_text;
use formwork::schema::validate::{JudgeOptions, Judgement, judge};

const MARK: &str = "ZQXJ";

#[test]
fn preflight_tells_no_value_of_the_schema() {
    // every place a value can stand, each with something beside it that is refused
    let values = [
        r#""const":"ZQXJ""#,
        r#""enum":["ZQXJ",1]"#,
        r#""default":"ZQXJ""#,
        r#""description":"ZQXJ""#,
        r#""examples":["ZQXJ"]"#,
        r#""pattern":"ZQXJ(""#,
        r#""$comment":"ZQXJ""#,
        r#""format":"ZQXJ""#,
        r#""type":"ZQXJ""#,
        r#""$ref":"ZQXJ""#,
        r##""$ref":"#ZQXJ""##,
        r#""$id":"ZQXJ#x""#,
        r#""$anchor":"-ZQXJ""#,
        r#""$schema":"ZQXJ""#,
        r#""required":["ZQXJ","ZQXJ"]"#,
        r#""minimum":"ZQXJ""#,
        r#""contentMediaType":"ZQXJ""#,
        r#""title":"ZQXJ""#,
    ];
    let broken = [
        r#""minLength":-1"#,
        r#""items":3"#,
        r##""$ref":"#/nothing""##,
        r#""allOf":[{"type":"x"}]"#,
        r##""not":{"$ref":"#"}"##,
    ];
    let mut refused = 0;
    for value in values {
        for broken in broken {
            let inner = format!("{{{value},{broken}}}");
            for text in [
                inner.clone(),
                format!(r#"{{"type":"object","properties":{{"a":{inner}}}}}"#),
                format!(r#"{{"type":"json_schema","schema":{{"type":"object","items":{inner}}}}}"#),
                format!(r#"{{"type":"json_schema","name":"ZQXJ ","description":7,"schema":{inner}}}"#),
                format!("{inner} ZQXJ"),
            ] {
                let Err(errors) = check_text(&text) else { continue };
                refused += 1;
                for error in errors {
                    assert!(!error.message.contains(MARK) && !error.path.contains(MARK), "{text}: {error:?}");
                }
            }
        }
    }
    assert!(refused > 400, "{refused}");
}

/// Keywords that refuse the marked value, per draft where it matters; the candidate is put in place of `_`.
const JUDGED: &[(&str, &str)] = &[
    (r#"{"type":"integer"}"#, r#""ZQXJ""#),
    (r#"{"type":["null","integer"]}"#, r#"["ZQXJ"]"#),
    (r#"{"enum":[1,"a"]}"#, r#""ZQXJ""#),
    (r#"{"const":{"a":1}}"#, r#"{"a":"ZQXJ"}"#),
    (r#"{"pattern":"^a"}"#, r#""ZQXJ""#),
    (r#"{"maxLength":2}"#, r#""ZQXJ""#),
    (r#"{"minLength":20}"#, r#""ZQXJ""#),
    (r#"{"maximum":1}"#, "90210777"),
    (r#"{"exclusiveMinimum":1e400}"#, "90210777"),
    (r#"{"multipleOf":0.7}"#, "90210777"),
    (r#"{"anyOf":[{"type":"integer"},{"maxLength":1}]}"#, r#""ZQXJ""#),
    (r#"{"oneOf":[{},{"type":"string"}]}"#, r#""ZQXJ""#),
    (r#"{"oneOf":[{"const":"a"},{"const":"b"}]}"#, r#""ZQXJ""#),
    (r#"{"allOf":[{"type":"integer"}]}"#, r#""ZQXJ""#),
    (r#"{"not":{"type":"string"}}"#, r#""ZQXJ""#),
    (r#"{"if":{"type":"string"},"then":{"maxLength":1},"else":false}"#, r#""ZQXJ""#),
    (r#"{"uniqueItems":true}"#, r#"["ZQXJ","ZQXJ"]"#),
    (r#"{"contains":{"const":1}}"#, r#"["ZQXJ"]"#),
    (r#"{"maxItems":0}"#, r#"["ZQXJ"]"#),
    (r#"{"items":false}"#, r#"["ZQXJ"]"#),
    (r#"{"prefixItems":[{"type":"integer"}],"unevaluatedItems":false}"#, r#"["ZQXJ","ZQXJ"]"#),
    (r#"{"additionalProperties":{"type":"integer"}}"#, r#"{"k":"ZQXJ"}"#),
    (r#"{"minProperties":2}"#, r#"{"k":"ZQXJ"}"#),
    (r##"{"$defs":{"a":{"type":"integer"}},"items":{"$ref":"#/$defs/a","maxLength":2}}"##, r#"["ZQXJ"]"#),
    (
        r#"{"$id":"http://x/r","$defs":{"a":{"$id":"sub","$anchor":"t","type":"integer"}},"items":{"$ref":"sub#t"}}"#,
        r#"["ZQXJ"]"#,
    ),
    (r##"{"$defs":{"n":{"$dynamicAnchor":"n","type":"integer"}},"items":{"$dynamicRef":"#n"}}"##, r#"["ZQXJ"]"#),
    (
        r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"type":["array","integer"],"items":{"$recursiveRef":"#"}}"##,
        r#"[["ZQXJ"]]"#,
    ),
    (
        r##"{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/r","definitions":{"a":{"id":"#t","maximum":1,"exclusiveMaximum":true}},"items":{"$ref":"#t"}}"##,
        "[90210777]",
    ),
    (
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"integer"}},"items":[{"$ref":"#/definitions/a","type":"null"}],"additionalItems":{"type":"null"}}"##,
        r#"["ZQXJ","ZQXJ"]"#,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}}"#,
        r#"{"a":"ZQXJ","c":"ZQXJ"}"#,
    ),
];

#[test]
fn issues_tell_no_value_of_the_candidate_and_their_paths_resolve() {
    for (schema, candidate) in JUDGED {
        let format = check_text(schema).unwrap().format;
        let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
        let Judgement::Invalid(issues) = judge(&format, options).unwrap().judge(candidate) else {
            panic!("{schema} takes {candidate}")
        };
        let instance: Value = parse(candidate, ParseLimits::default()).unwrap();
        for issue in issues.list {
            let context = format!("{schema} {issue:?}");
            assert!(!issue.message.contains(MARK) && !issue.message.contains("90210777"), "{context}");
            assert!(issue.message.contains(&issue.keyword) && !issue.keyword.is_empty(), "{context}");
            assert!(resolve(&format.schema, &issue.schema_path).is_some(), "{context}");
            assert!(resolve(&instance, &issue.path).is_some(), "{context}");
        }
    }
}

#[test]
fn numbers_are_judged_exactly() {
    for (schema, candidate, valid) in [
        (r#"{"multipleOf":0.1}"#, "0.3", true),
        (r#"{"multipleOf":0.01}"#, "19.99", true),
        (r#"{"multipleOf":1e-400}"#, "1", true),
        (r#"{"maximum":1e400}"#, "1e401", false),
        (r#"{"minimum":1e-400}"#, "0", false),
        (r#"{"exclusiveMinimum":0}"#, "1e-400", true),
        (r#"{"exclusiveMinimum":0}"#, "-0", false),
        (r#"{"const":0}"#, "-0.0", true),
        (r#"{"type":"integer"}"#, "1.0", true),
        (r#"{"type":"integer"}"#, "1e2", true),
        (r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#, "1.0", false),
        (r#"{"enum":[1]}"#, "1.00", true),
        (r#"{"enum":[[1,{"a":2}]]}"#, r#"[1.0,{"a":20e-1}]"#, true),
        (r#"{"uniqueItems":true}"#, "[1,1.0]", false),
        (r#"{"uniqueItems":true}"#, r#"[{"a":1,"b":2},{"b":2.0,"a":1}]"#, false),
        (r#"{"uniqueItems":true}"#, "[1,true,\"1\",[1],{\"1\":1}]", true),
        (
            r#"{"const":123456789012345678901234567890123456789012345678901234567890}"#,
            "123456789012345678901234567890123456789012345678901234567891",
            false,
        ),
        (
            r#"{"const":123456789012345678901234567890123456789012345678901234567890}"#,
            "12345678901234567890123456789012345678901234567890123456789e1",
            true,
        ),
        (r#"{"maximum":9007199254740992}"#, "9007199254740993.0", false),
    ] {
        let format = check_text(schema).unwrap().format;
        let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
        let judgement = judge(&format, options).unwrap().judge(candidate);
        assert_eq!(matches!(judgement, Judgement::Valid { .. }), valid, "{schema} {candidate} {judgement:?}");
    }
}
