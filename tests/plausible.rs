//! Large answers a model may really give are judged, not refused for their cost.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test stops")]

use formwork::json::{Hint, ParseLimits};
use formwork::schema::validate::{JudgeOptions, Judgement};
use formwork::schema::{judge, preflight};

fn judged(schema: &str, text: &str) -> Judgement {
    let checked = preflight::check_text(schema).unwrap();
    judge(&checked.format, JudgeOptions { limits: ParseLimits::default(), assert_format: false }).unwrap().judge(text)
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(item).collect::<Vec<_>>().join(","))
}

fn texts(pattern: &str) -> String {
    format!(r#"{{"type":"array","items":{{"type":"string","pattern":"{pattern}"}}}}"#)
}

#[test]
fn large_answers_are_valid() {
    let record = r#"{"type":"array","items":{"type":"object","properties":{
        "id":{"type":"string","pattern":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}$"},
        "email":{"type":"string","pattern":"^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$"},
        "n":{"type":"integer","minimum":0},"tags":{"type":"array","items":{"type":"string","maxLength":20}}},
        "required":["id","email"],"additionalProperties":false}}"#;
    let branch = |k: char| format!(r#"{{"properties":{{"kind":{{"const":"{k}"}}}},"required":["kind"]}}"#);
    let union =
        format!(r#"{{"items":{{"anyOf":[{}]}}}}"#, "abcdefghij".chars().map(branch).collect::<Vec<_>>().join(","));
    let base64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";
    let url =
        r"^https?://(www\\.)?[-a-zA-Z0-9@:%._\\+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b([-a-zA-Z0-9()@:%_\\+.~#?&/=]*)$";
    let password = r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$";
    let long = "AbC1".repeat(1_700_000);
    let prose = "one word after another, ".repeat(8);
    let table = [
        (
            "records",
            record.to_owned(),
            list(70_000, |i| {
                format!(
                    r#"{{"id":"{i:08x}-00ff-a0b1","email":"person{i}@example.org","n":{i},"tags":["red","green"]}}"#
                )
            }),
        ),
        (
            "union",
            union,
            list(100_000, |i| format!(r#"{{"kind":"{}"}}"#, char::from(b'a' + u8::try_from(i % 10).unwrap()))),
        ),
        ("base64", format!(r#"{{"pattern":"{base64}"}}"#), format!("\"{long}\"")),
        ("base64 class", r#"{"pattern":"^[A-Za-z0-9+/=]*$"}"#.to_owned(), format!("\"{long}\"")),
        ("addresses", texts(url), list(50_000, |i| format!("\"https://www.site{i}.com/path/{i}?x={i}\""))),
        ("passwords", texts(password), list(5_000, |i| format!("\"abcDEF{i:06}xyz\""))),
        ("trimmed", texts(r"^(?!\\s)(?!.*\\s$).+$"), list(5_000, |i| format!("\"{prose}{i}\""))),
        ("letters", texts(r"^[\\p{L}\\p{N}\\s.,'-]+$"), list(30_000, |i| format!("\"{prose}é{i}\""))),
        (
            "dates",
            texts(r"^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$"),
            list(50_000, |i| format!("\"2026-11-{:02}\"", i % 28 + 1)),
        ),
        ("numbers", r#"{"items":{"type":"number","minimum":-10}}"#.to_owned(), list(400_000, |i| format!("{i}.25"))),
        ("unique", r#"{"uniqueItems":true}"#.to_owned(), list(200_000, |i| format!("\"w{i}\""))),
    ];
    for (name, schema, text) in table {
        let judgement = judged(&schema, &text);
        assert!(
            matches!(judgement, Judgement::Valid { .. }),
            "{name}: {:?}",
            match judgement {
                Judgement::Invalid(issues) => issues.list,
                _ => Vec::new(),
            }
        );
    }
}

#[test]
fn a_broken_text_too_large_to_hold_is_still_told_as_broken() {
    let tiny = "1,".repeat(4_000_000);
    for (text, hint) in [
        (format!("[{tiny}]"), Hint::TrailingComma),
        (format!("[{tiny}"), Hint::Truncated),
        (format!("```json\n[{tiny}1]\n```"), Hint::Fence),
        (format!("[{tiny}1] done"), Hint::ProseAfter),
    ] {
        let Judgement::NotJson(error) = judged(r#"{"type":"array"}"#, &text) else { panic!("{hint}") };
        assert_eq!(error.hint, hint);
    }
    let Judgement::Invalid(issues) = judged(r#"{"type":"array"}"#, &format!("[{tiny}1]")) else { panic!() };
    assert_eq!(issues.list[0].code, "too_expensive");
}
