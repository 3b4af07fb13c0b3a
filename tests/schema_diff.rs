//! The semantic diff: a table of words and classes, and the law that its verdicts agree with sampling.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/random_schema.rs"]
mod random_schema;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use formwork::json::{Map, ParseLimits, Value, canonical, parse};
use formwork::schema::diff::{Class, Diff, Verdict, diff};
use formwork::schema::preflight;
use formwork::schema::sample::sample;
use formwork::schema::validate::{Judge, JudgeOptions, judge};
use random_schema::{Dice, edited, schema_with_definitions, value};

fn json(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap()
}

fn of(old: &str, new: &str) -> Diff {
    diff(&json(old), &json(new))
}

/// `class path words`, one a line.
fn lines(diff: &Diff) -> Vec<String> {
    diff.changes.iter().map(|c| format!("{} {} {}", c.class.word(), c.path, c.words)).collect()
}

/// A split by type words must not lose the numbers that no word names alone.
#[test]
fn fractions_count_in_a_case_split() {
    let to = r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#;
    assert_eq!(of(r#"{"enum":[1.5,"a",null]}"#, to).verdict, Verdict::Incomparable);
    assert_eq!(of(r#"{"enum":["a",null]}"#, to).verdict, Verdict::Looser);
}

#[test]
fn differences_in_words() {
    const OBJECT: &str = r#"{"type":"object","properties":{"price":{"type":"number","minimum":0},"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},"required":["price"],"additionalProperties":false}"#;
    let replaced = |from: &str, to: &str| OBJECT.replace(from, to);
    let table: Vec<(String, Verdict, &[&str])> = vec![
        (replaced(r#""minimum":0"#, r#""minimum":1"#), Verdict::Stricter, &["stricter /price minimum 0 → 1"]),
        (
            replaced(r#""minimum":0"#, r#""exclusiveMinimum":0"#),
            Verdict::Stricter,
            &["unrelated /price minimum 0 removed (no effect)", "stricter /price exclusiveMinimum 0 added"],
        ),
        (replaced(r#"["price"]"#, r#"["price","name"]"#), Verdict::Stricter, &["stricter /name now required"]),
        (replaced(r#","required":["price"]"#, ""), Verdict::Looser, &["looser /price no longer required"]),
        (replaced(r#","additionalProperties":false"#, ""), Verdict::Looser, &["looser  other properties now allowed"]),
        (replaced(r#""number""#, r#""integer""#), Verdict::Stricter, &["stricter /price number → integer"]),
        (
            replaced(r#""name":{"type":"string"}"#, r#""name":{"type":["string","null"]}"#),
            Verdict::Looser,
            &["looser /name string → string or null"],
        ),
        (
            replaced(r#"["price"]"#, r#"["name"]"#),
            Verdict::Incomparable,
            &["looser /price no longer required", "stricter /name now required"],
        ),
        (replaced(r#""name":{"type":"string"},"#, ""), Verdict::Stricter, &["stricter /name property removed"]),
        (
            replaced(r#""name":{"#, r#""title":{"#),
            Verdict::Incomparable,
            &["changed /name property removed, /title of the same shape added: renamed?"],
        ),
        (
            replaced(r#""items":{"type":"string"}"#, r#""items":{"type":"string","minLength":1}"#),
            Verdict::Stricter,
            &["stricter /tags/* minLength 1 added"],
        ),
        (
            replaced(r#""name":{"#, r#""name":{"description":"the name","#),
            Verdict::Annotations,
            &["unrelated /name description added"],
        ),
        (
            replaced(r#""name":{"type":"string"}"#, r##""name":{"$ref":"#/$defs/n"}"##).replacen(
                '{',
                r#"{"$defs":{"n":{"type":"string"}},"#,
                1,
            ),
            Verdict::Same,
            &[],
        ),
        (replaced(r#""name":{"type":"string"}"#, r#""name":{"allOf":[{"type":"string"},{}]}"#), Verdict::Same, &[]),
        (
            replaced(r#""name":{"type":"string"}"#, r#""name":{"enum":["a","b"]}"#),
            Verdict::Stricter,
            &["unrelated /name string → any type (no effect)", "stricter /name enum [\"a\",\"b\"] added"],
        ),
    ];
    for (new, verdict, wanted) in table {
        let found = of(OBJECT, &new);
        assert_eq!(
            (found.verdict, lines(&found)),
            (verdict, wanted.iter().map(ToString::to_string).collect()),
            "{new}"
        );
    }
}

/// Old, new, and what the new one is.
const KINDS: &[(&str, &str, Verdict)] = &[
    (r#"{"enum":["a","b"]}"#, r#"{"enum":["a"]}"#, Verdict::Stricter),
    (r#"{"enum":["a","b"]}"#, r#"{"const":"b"}"#, Verdict::Stricter),
    (r#"{"type":"string"}"#, r#"{"const":"b"}"#, Verdict::Stricter),
    (r#"{"type":"boolean"}"#, r#"{"enum":[true,false]}"#, Verdict::Same),
    (r#"{"type":"integer","exclusiveMinimum":0}"#, r#"{"type":"integer","minimum":1}"#, Verdict::Same),
    (r#"{"type":"number","exclusiveMinimum":0}"#, r#"{"type":"number","minimum":1}"#, Verdict::Stricter),
    (
        r#"{"type":"number","minimum":9007199254740992}"#,
        r#"{"type":"number","minimum":9007199254740993}"#,
        Verdict::Stricter,
    ),
    (r#"{"type":"integer","multipleOf":2}"#, r#"{"type":"integer","multipleOf":4}"#, Verdict::Stricter),
    (r#"{"type":"integer","multipleOf":2}"#, r#"{"type":"integer","multipleOf":3}"#, Verdict::Incomparable),
    (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, r#"{"type":["null","string"]}"#, Verdict::Same),
    (
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#,
        Verdict::Same,
    ),
    (
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"},{"type":"integer"}]}"#,
        Verdict::Looser,
    ),
    (r#"{"not":{"type":"string"}}"#, r#"{"not":{"type":["string","null"]}}"#, Verdict::Stricter),
    (r#"{"not":{"type":"number"}}"#, r#"{"not":{"type":"integer"}}"#, Verdict::Looser),
    (
        r#"{"type":"array","contains":{"type":"integer"}}"#,
        r#"{"type":"array","contains":{"const":1}}"#,
        Verdict::Stricter,
    ),
    (
        r#"{"type":"array","contains":{"type":"integer"},"maxContains":1}"#,
        r#"{"type":"array","contains":{"const":1},"maxContains":1}"#,
        Verdict::Incomparable,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"string"}]}"#,
        r#"{"type":"array","prefixItems":[{"type":"string"}],"items":false}"#,
        Verdict::Stricter,
    ),
    (
        r#"{"type":"object","patternProperties":{"^x":{"type":"string"}}}"#,
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        Verdict::Stricter,
    ),
    (
        r#"{"type":"object","properties":{"a":true},"additionalProperties":false}"#,
        r#"{"type":"object","maxProperties":0}"#,
        Verdict::Incomparable,
    ),
    (
        r#"{"type":"object","maxProperties":1}"#,
        r#"{"type":"object","properties":{"a":true},"additionalProperties":false}"#,
        Verdict::Stricter,
    ),
    (
        r#"{"if":{"type":"string"},"then":{"minLength":1}}"#,
        r#"{"if":{"type":"string"},"then":{"minLength":2}}"#,
        Verdict::Stricter,
    ),
    (
        r#"{"type":"object","dependentRequired":{"a":["b"]}}"#,
        r#"{"type":"object","required":["b"]}"#,
        Verdict::Stricter,
    ),
    (r#"{"type":"string","pattern":"^a"}"#, r#"{"type":"string","pattern":"^ab"}"#, Verdict::Incomparable),
    (r#"{"type":"string"}"#, r#"{"type":"string","format":"date"}"#, Verdict::Stricter),
    (
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":0,"exclusiveMinimum":true}"#,
        r#"{"type":"number","exclusiveMinimum":0}"#,
        Verdict::Same,
    ),
    (
        r##"{"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}"##,
        r##"{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#"}}}"##,
        Verdict::Same,
    ),
    (
        r##"{"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}"##,
        r##"{"type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"#"}}}"##,
        Verdict::Looser,
    ),
    ("{}", r#"{"type":"string"}"#, Verdict::Stricter),
    (r#"{"type":"string"}"#, r#"{"type":"integer"}"#, Verdict::Incomparable),
    (
        r#"{"unevaluatedProperties":false,"properties":{"a":true}}"#,
        r#"{"unevaluatedProperties":false,"properties":{"a":true,"b":true}}"#,
        Verdict::Incomparable,
    ),
];

#[test]
fn keywords_of_every_kind() {
    let back = |verdict| match verdict {
        Verdict::Stricter => Verdict::Looser,
        Verdict::Looser => Verdict::Stricter,
        other => other,
    };
    for (old, new, verdict) in KINDS {
        let found = of(old, new);
        assert_eq!(found.verdict, *verdict, "{old} → {new}: {:?}", lines(&found));
        assert_eq!(of(new, old).verdict, back(*verdict), "{new} → {old}");
        assert_eq!(found.changes.is_empty(), *verdict == Verdict::Same, "{old} → {new}: {:?}", lines(&found));
    }
}

fn judge_of(schema: &Value) -> Option<Judge> {
    let checked = preflight::check(schema).ok()?;
    judge(&checked.format, JudgeOptions { limits: ParseLimits::default(), assert_format: false }).ok()
}

/// Which of the values are valid, for a value to be on the right side.
fn agree(found: &Diff, old: &Judge, new: &Judge, candidate: &Value) -> bool {
    let valid = |judge: &Judge| judge.validate(candidate).list.is_empty();
    match found.verdict {
        Verdict::Same | Verdict::Annotations => valid(old) == valid(new),
        Verdict::Stricter => !valid(new) || valid(old),
        Verdict::Looser => !valid(old) || valid(new),
        Verdict::Incomparable => true,
    }
}

#[test]
fn verdicts_agree_with_sampling() {
    let mut tally = std::collections::BTreeMap::new();
    for seed in 1..1_500_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let old = schema_with_definitions(&mut dice);
        let new = if dice.roll(4) == 0 { schema_with_definitions(&mut dice) } else { edited(&mut dice, &old) };
        let (Some(old_judge), Some(new_judge)) = (judge_of(&old), judge_of(&new)) else { continue };
        let found = diff(&old, &new);
        *tally.entry(found.verdict.word()).or_insert(0) += 1;
        let mut candidates: Vec<Value> = (0..10).map(|_| value(&mut dice, 3)).collect();
        for schema in [&old, &new] {
            let format = preflight::check(schema).unwrap().format;
            candidates.extend((0..3).filter_map(|n| sample(&format, n).ok()));
        }
        for candidate in &candidates {
            assert!(
                agree(&found, &old_judge, &new_judge, candidate),
                "seed {seed}: {:?} but {} disagrees\nold {}\nnew {}\n{:#?}",
                found.verdict,
                canonical(candidate),
                canonical(&old),
                canonical(&new),
                lines(&found)
            );
        }
    }
    println!("{tally:?}");
    assert!(tally.len() == 5 && tally.values().all(|n| *n > 10), "{tally:?}");
}

/// A step that is known to make a schema of plain objects stricter.
fn tightened(dice: &mut Dice) -> (Value, Value) {
    let field = |dice: &mut Dice| {
        let words = [
            (r#"{"type":"number"}"#, r#"{"type":"number","minimum":1}"#),
            (r#"{"type":"number","minimum":1}"#, r#"{"type":"number","minimum":1.5}"#),
            (r#"{"type":"number","maximum":9}"#, r#"{"type":"integer","maximum":9}"#),
            (r#"{"type":"string"}"#, r#"{"type":"string","minLength":2}"#),
            (r#"{"type":"string","maxLength":9}"#, r#"{"type":"string","maxLength":8}"#),
            (r#"{"type":"string"}"#, r#"{"enum":["a","b"]}"#),
            (r#"{"enum":["a","b",1]}"#, r#"{"enum":[1,"a"]}"#),
            (r#"{"type":["string","null"]}"#, r#"{"type":"string"}"#),
            (r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, r#"{"type":"string"}"#),
            (
                r#"{"type":"array","items":{"type":"string"}}"#,
                r#"{"type":"array","items":{"type":"string","pattern":"a"}}"#,
            ),
            (r#"{"type":"array"}"#, r#"{"type":"array","uniqueItems":true,"minItems":1}"#),
            (r#"{"type":"object"}"#, r#"{"type":"object","additionalProperties":false}"#),
            (
                r#"{"type":"object","properties":{"a":{}}}"#,
                r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#,
            ),
        ];
        words[dice.roll(words.len())]
    };
    let (mut old, mut new) = (Map::new(), Map::new());
    let changed = dice.roll(3);
    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
        let (loose, tight) = field(dice);
        old.insert(name.to_owned(), json(loose));
        new.insert(name.to_owned(), json(if at == changed { tight } else { loose }));
    }
    let whole = |fields: Map<String, Value>| {
        let mut whole = Map::new();
        whole.insert("type".to_owned(), "object".into());
        whole.insert("properties".to_owned(), Value::Object(fields));
        Value::Object(whole)
    };
    (whole(old), whole(new))
}

#[test]
fn known_directions_are_found_at_their_place() {
    for seed in 1..300_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (old, new) = tightened(&mut dice);
        let (there, back) = (diff(&old, &new), diff(&new, &old));
        assert_eq!((there.verdict, back.verdict), (Verdict::Stricter, Verdict::Looser), "{:?}", lines(&there));
        let good = |found: &Diff, class| {
            found.changes.iter().all(|c| c.class == class || c.class == Class::Unrelated)
                && found.changes.iter().any(|c| c.class == class)
        };
        assert!(good(&there, Class::Stricter) && good(&back, Class::Looser), "{:?}", lines(&there));
    }
}

#[test]
fn real_schemas_against_themselves_and_their_neighbours() {
    let mut slowest = (Duration::ZERO, String::new());
    let (mut all, mut last): (usize, Option<Value>) = (0, None);
    for source in ["instructor", "outlines", "baml", "openai-python"] {
        for (at, row) in cases::rows(&format!("corpora/pydantic-models/{source}.jsonl")).iter().enumerate() {
            let schema = row["schema"].clone();
            let mut described = schema.clone();
            described.as_object_mut().unwrap().insert("description".to_owned(), "another one".into());
            let started = Instant::now();
            let same = diff(&schema, &described);
            let wanted = [Verdict::Annotations, Verdict::Same];
            assert!(wanted.contains(&same.verdict), "{source} {at}: {:?}", lines(&same));
            if let Some(last) = &last {
                let _ = diff(last, &schema);
            }
            let spent = started.elapsed();
            if spent > slowest.0 {
                slowest = (spent, format!("{source} {at}"));
            }
            last = Some(schema);
            all += 1;
        }
    }
    println!("{all} schemas, slowest {slowest:?}");
    assert!(slowest.0 < Duration::from_secs(20), "{slowest:?}");
}

#[test]
fn hostile_pairs_end() {
    let mut branches = String::from(r#"{"anyOf":["#);
    for n in 0..60 {
        write!(
            branches,
            r#"{{"anyOf":[{{"minimum":{n}}},{{"minLength":{n}}},{{"anyOf":[{{"maximum":{n}}},{{"maxItems":{n}}}]}}]}},"#
        )
        .unwrap();
    }
    branches.push_str("true]}");
    let other = branches.replace("minimum", "maximum").replace("true]", "{\"not\":{\"anyOf\":[{\"minItems\":1}]}}]");
    let mut wide = Map::new();
    for n in 0..5_000 {
        wide.insert(format!("n{n}"), json(r##"{"$ref":"#"}"##));
    }
    let whole = |extra: &str| {
        let mut whole = Map::new();
        whole.insert("properties".to_owned(), Value::Object(wide.clone()));
        whole.insert("additionalProperties".to_owned(), json(extra));
        Value::Object(whole)
    };
    let deep = |end: &str| json(&format!("{}{end}{}", r#"{"properties":{"a":"#.repeat(200), "}}".repeat(200)));
    // Every name is held against every pattern, in both, for each question.
    let patterned = |end: &str| {
        let name = |n: usize| format!(r#""{}{n}":{{"minLength":1}},"#, "ab".repeat(20));
        let names = (0..6_000).map(name).collect::<Vec<_>>().concat();
        let pattern = |n: usize| format!(r#""(a|b)*[a-b]{{3,9}}c{n}":{{"maxLength":{n}}},"#);
        let patterns = (0..6_000).map(pattern).collect::<Vec<_>>().concat();
        json(&format!(
            r#"{{"properties":{{{names}"x":{{}}}},"patternProperties":{{{patterns}"^y{end}":{{}}}},"additionalProperties":{{"minLength":2{end}}}}}"#
        ))
    };
    let pairs = [
        (json(&branches), json(&other)),
        (whole("false"), whole("true")),
        (deep(r#"{"type":"string"}"#), deep("{}")),
        (patterned("1"), patterned("2")),
    ];
    for (old, new) in &pairs {
        let started = Instant::now();
        let found = diff(old, new);
        println!("{:?} {} changes in {:?}", found.verdict, found.changes.len(), started.elapsed());
        assert!(started.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(of(r##"{"$ref":"#/$defs/x"}"##, "{}").verdict, Verdict::Incomparable);
}
