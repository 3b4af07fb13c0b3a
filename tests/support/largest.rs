//! Schemas as large as preflight lets through (ENGINE §2: 4,096 containers, 8,192 edges), in shapes that cost projection most.

use std::fmt::Write;

/// `(what it is, the schema)`.
pub(crate) fn largest() -> Vec<(&'static str, String)> {
    vec![
        ("wide, all required", wide(2_700, true)),
        ("wide, all optional", wide(4_000, false)),
        ("nullable fields", fields(1_000, |_| r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#.to_owned())),
        ("typed lists of types", fields(1_300, |_| r#"{"type":["string","integer","null"],"maxLength":9}"#.to_owned())),
        ("oneOf of constants", format!(r#"{{"oneOf":[{}]}}"#, joined(4_000, |n| format!(r#"{{"const":{n}}}"#)))),
        ("oneOf of told objects", one_of()),
        ("one enum", format!(r#"{{"enum":[{}]}}"#, joined(8_000, |n| format!(r#""v{n}""#)))),
        ("many enums", fields(1_600, |n| format!(r#"{{"enum":["a{n}",{n}]}}"#))),
        ("references", references()),
        ("a circle", circle()),
        ("circles everywhere", circles()),
        ("allOf of objects", all_of()),
        ("nested lists", nested()),
        (
            "bounds and patterns",
            fields(1_000, |_| r#"{"type":"string","minLength":1,"maxLength":9,"pattern":"^a"}"#.to_owned()),
        ),
    ]
}

fn joined(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(",")
}

fn wide(count: usize, required: bool) -> String {
    let fields = joined(count, |n| format!(r#""p{n}":{{"type":"string"}}"#));
    let names = joined(count, |n| format!(r#""p{n}""#));
    let tail = if required { format!(r#","required":[{names}]"#) } else { String::new() };
    format!(r#"{{"type":"object","properties":{{{fields}}}{tail}}}"#)
}

fn fields(count: usize, field: impl Fn(usize) -> String) -> String {
    let fields = joined(count, |n| format!(r#""p{n}":{}"#, field(n)));
    format!(r#"{{"type":"object","properties":{{{fields}}}}}"#)
}

fn one_of() -> String {
    let branch = |n| format!(r#"{{"type":"object","properties":{{"k":{{"const":"k{n}"}}}},"required":["k"]}}"#);
    format!(r#"{{"type":"object","properties":{{"x":{{"oneOf":[{}]}}}}}}"#, joined(800, branch))
}

fn references() -> String {
    let fields = joined(1_300, |n| format!(r##""p{n}":{{"$ref":"#/$defs/d{n}"}}"##));
    let definitions = joined(1_300, |n| format!(r#""d{n}":{{"type":"string","title":"T"}}"#));
    format!(r#"{{"type":"object","properties":{{{fields}}},"$defs":{{{definitions}}}}}"#)
}

/// Each definition demands the next one, the last one the first.
fn circle() -> String {
    let count = 700;
    let next = |n: usize| (n + 1) % count;
    let one = |n: usize| {
        format!(
            r##""d{n}":{{"type":"object","properties":{{"n":{{"$ref":"#/$defs/d{}"}}}},"required":["n"]}}"##,
            next(n)
        )
    };
    format!(r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##, joined(count, one))
}

/// A tree whose every node may hold the root again.
fn circles() -> String {
    let one = |n: usize| format!(r##""p{n}":{{"type":"array","items":{{"$ref":"#"}}}}"##);
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, joined(1_300, one))
}

fn all_of() -> String {
    let part =
        |n: usize| format!(r#"{{"type":"object","properties":{{"p{n}":{{"type":"string"}}}},"required":["p{n}"]}}"#);
    let field = |n: usize| format!(r#""x{n}":{{"allOf":[{},{}]}}"#, part(n), part(n + 1));
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, joined(340, field))
}

fn nested() -> String {
    let mut text = String::new();
    for branch in 0..80 {
        let _ = write!(text, r#"{}"p{branch}":"#, if branch == 0 { "" } else { "," });
        text.push_str(&r#"{"type":"array","items":"#.repeat(45));
        text.push_str(r#"{"type":"string"}"#);
        text.push_str(&"}".repeat(45));
    }
    format!(r#"{{"type":"object","properties":{{{text}}}}}"#)
}
