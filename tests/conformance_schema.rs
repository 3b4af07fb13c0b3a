//! Every case of `cases/reference.jsonl` in the areas `normalize`, `schema_preflight` and `candidate`, and the cases of
//! `cases/faults.jsonl` that concern the schema engine. A case matches, or stands in a table here with the reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/generate.rs"]
mod generate;

use formwork::issue::Issues;
use formwork::json::{Hint, ParseLimits, Value};
use formwork::schema::validate::{JudgeOptions, Judgement, judge};
use formwork::schema::{Fallback, Reason, SchemaError, preflight};

/// Where the design decides otherwise than the reference system: area, name, why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "schema_preflight",
        "remote reference wins over a bad keyword value",
        "ENGINE §2: the meta-schema comes before references",
    ),
    (
        "schema_preflight",
        "remote-looking value inside an unknown keyword is data",
        "ENGINE §1: an object without any known keyword is refused",
    ),
    ("schema_preflight", "unknown keyword", "ENGINE §1: an object without any known keyword is refused"),
    ("schema_preflight", "draft-03 required boolean", "ENGINE §2: draft-03 is not among the dialects"),
    ("candidate", "parse: minus zero integer", "ENGINE §3: numbers stay as written, canonical text keeps -0"),
    ("candidate", "parse: overflow to infinity", "ENGINE §3: numbers keep their exact text, 1e999 is a number"),
    ("candidate", "parse: 990 nested lists", "ENGINE §5: depth 512"),
    ("candidate", "validate: 1e2 is an integer", "ENGINE §3: numbers stay as written"),
    ("candidate", "validate: canonical text keeps float form", "ENGINE §3: numbers stay as written"),
];

/// Reasons are finer here than in the reference system: what it calls a thing, and what we may call it.
fn same_reason(theirs: &str, ours: Reason) -> bool {
    match theirs {
        "envelope" => matches!(ours, Reason::Envelope | Reason::WrongShape),
        "meta_schema" => matches!(ours, Reason::MetaSchema | Reason::Pattern),
        "limit_depth" => ours == Reason::LimitDepth,
        "limit_bytes" => ours == Reason::LimitBytes,
        "limit_nodes" => ours == Reason::LimitNodes,
        "limit_edges" => ours == Reason::LimitEdges,
        "remote_reference" => ours == Reason::RemoteReference,
        "reference_cycle" => ours == Reason::ReferenceCycle,
        other => panic!("unknown reason {other}"),
    }
}

fn options() -> JudgeOptions {
    JudgeOptions { limits: ParseLimits::default(), assert_format: false }
}

fn different(case: &Value) -> bool {
    let (area, name) = (case["area"].as_str(), case["name"].as_str());
    DIFFERENCES.iter().any(|(a, n, _)| Some(*a) == area && Some(*n) == name)
}

/// What ours should be.
fn wanted(case: &Value) -> &Value {
    if case["verdict"] == "fix" { &case["want"] } else { &case["expected"] }
}

fn check_schema_case(case: &Value) -> Result<(), String> {
    let input = generate::expand(&case["input"]);
    let want = wanted(case);
    let got = preflight::check(&input);
    if want.get("error").is_some() {
        let errors: Vec<SchemaError> = got.err().ok_or("accepted")?;
        let first = errors.first().ok_or("no error")?;
        let reason = want["reason"].as_str();
        return if reason.is_none_or(|r| same_reason(r, first.reason)) { Ok(()) } else { Err(format!("{errors:?}")) };
    }
    let checked = got.map_err(|e| format!("refused: {e:?}"))?;
    let Some(ok) = want.get("ok") else {
        return if want["accepted"] == true { Ok(()) } else { Err(format!("odd case {want}")) };
    };
    let format = checked.format;
    assert_eq!(Some(format.name.as_str()), ok["name"].as_str());
    assert_eq!(format.description.as_deref(), ok["description"].as_str());
    assert_eq!(Some(format.strict), ok["strict"].as_bool());
    assert_eq!(format.fallback, Fallback::Auto);
    assert_eq!(u64::from(format.max_validation_retries), ok["max_validation_retries"].as_u64().unwrap());
    Ok(())
}

/// `{path, schema_path, keyword}` of each wanted issue, in order.
fn same_issues(want: &[Value], got: &Issues, by_text: bool) -> Result<(), String> {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for issue in want {
        rows.push(["path", "schema_path", "keyword"].map(|k| issue[k].as_str().unwrap_or("*").to_owned()));
    }
    let mut have: Vec<[String; 3]> =
        got.list.iter().map(|i| [i.path.clone(), i.schema_path.clone(), i.keyword.clone()]).collect();
    if by_text {
        rows.sort();
        have.sort();
    }
    let fits = rows.len() == have.len()
        && rows.iter().zip(&have).all(|(w, h)| w.iter().zip(h).all(|(w, h)| w == "*" || w == h));
    if fits { Ok(()) } else { Err(format!("wanted {rows:?}, got {have:?}")) }
}

fn check_candidate_case(case: &Value) -> Result<(), String> {
    let schema = generate::expand(&case["input"]["schema"]);
    let text = generate::expand(&case["input"]["text"]);
    let want = wanted(case);
    let error = want["error"].as_str();
    let checked = match preflight::check(&schema) {
        Ok(checked) => checked,
        Err(errors) => {
            return if error.is_some_and(|e| e.starts_with("invalid_schema")) {
                Ok(())
            } else {
                Err(format!("{errors:?}"))
            };
        }
    };
    let judge = judge(&checked.format, options()).map_err(|e| e.to_string())?;
    match (judge.judge(text.as_str().unwrap()), error) {
        (Judgement::NotJson(_), Some("invalid_json")) => Ok(()),
        (Judgement::Valid { canonical, .. }, None) if want["accepted"] == true => {
            let length = want["canonical_length"].as_u64().map(|n| usize::try_from(n).unwrap());
            let same = want["canonical"].as_str().is_none_or(|w| w == canonical)
                && length.is_none_or(|n| n == canonical.len());
            if same { Ok(()) } else { Err(format!("canonical {canonical}")) }
        }
        (Judgement::Invalid(issues), Some("validation_failed")) => match want["issues"].as_array() {
            Some(list) => same_issues(list, &issues, false),
            None => Ok(()),
        },
        (Judgement::Invalid(issues), None) if want.get("error").is_none() => special(case, &issues),
        (other, _) => Err(format!("{other:?}")),
    }
}

/// The `fix` cases whose wanted outcome is told in words.
fn special(case: &Value, issues: &Issues) -> Result<(), String> {
    let told = |ok: bool| if ok { Ok(()) } else { Err(format!("{issues:?}")) };
    let first = issues.list.first().ok_or("no issue")?;
    match case["name"].as_str().unwrap() {
        "validate: two missing names give two identical issues" => {
            told(issues.list.len() == 2 && first.message.contains("\"a\"") && issues.list[1].message.contains("\"b\""))
        }
        // in the schema document the path leads through the reference's target
        "validate: reference dropped from the schema path" => told(first.schema_path == "/$defs/b/type"),
        "validate: false property schema" => told(first.path == "/a" && first.schema_path == "/properties/a"),
        "validate: list indexes sort as text" => {
            let paths: Vec<String> = issues.list.iter().map(|i| i.path.clone()).collect();
            told(paths == (0..12).map(|i| format!("/{i}")).collect::<Vec<_>>())
        }
        "validate: 25 failures keep 20" => {
            told(issues.list.len() == 20 && issues.omitted == 5 && issues.list[19].path == "/19")
        }
        "validate: long pointer becomes empty" => told(first.path.len() > 512 && first.schema_path.ends_with("/type")),
        other => Err(format!("nobody decided about {other}: {issues:?}")),
    }
}

#[test]
fn reference_cases() {
    let rows = cases::rows("cases/reference.jsonl");
    if rows.is_empty() {
        return;
    }
    let (mut run, mut wrong, mut unexpected) = ([0; 3], Vec::new(), Vec::new());
    for case in &rows {
        let area = case["area"].as_str().unwrap();
        let Some(at) = ["normalize", "schema_preflight", "candidate"].iter().position(|a| *a == area) else { continue };
        run[at] += 1;
        let result = if area == "candidate" { check_candidate_case(case) } else { check_schema_case(case) };
        match result {
            Err(why) if !different(case) => wrong.push(format!("{area} / {}: {why}", case["name"])),
            Ok(()) if different(case) => unexpected.push(format!("{}", case["name"])),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(unexpected.is_empty(), "these match after all, take them out of the table: {unexpected:?}");
    assert_eq!(run, [32, 70, 68], "every case of the three areas ran");
}

/// Areas of the faults that are judged by the schema engine alone.
const KINDS: [&str; 3] = ["candidate", "schema", "load"];

fn check_fault(case: &Value) -> Result<(), String> {
    let (input, want) = (&case["input"], &case["expected"]);
    let outcome = want["outcome"].as_str().unwrap();
    let checked = match input["text"].as_str().filter(|_| input["kind"] == "load") {
        Some(text) => preflight::check_text(text),
        None => preflight::check(&input["schema"]),
    };
    match outcome {
        "invalid_schema" => {
            let errors = checked.err().ok_or("accepted")?;
            return if errors[0].reason == Reason::ReferenceCycle { Ok(()) } else { Err(format!("{errors:?}")) };
        }
        "accepted" => return checked.map(|_| ()).map_err(|e| format!("{e:?}")),
        "load_warning" => {
            let checked = checked.map_err(|e| format!("{e:?}"))?;
            let code = want["code"].as_str().unwrap();
            let told = checked.warnings.iter().any(|w| w.message.contains(code) && w.position.is_some());
            return if told { Ok(()) } else { Err(format!("{:?}", checked.warnings)) };
        }
        "loaded_unchanged" => {
            let checked = checked.map_err(|e| format!("{e:?}"))?;
            let kept = want["must_keep"].as_str().unwrap().trim_start_matches('#');
            return checked.format.schema.pointer(kept).map(|_| ()).ok_or("lost".to_owned());
        }
        _ => {}
    }
    let format = checked.map_err(|e| format!("{e:?}"))?.format;
    let judge = judge(&format, options()).map_err(|e| e.to_string())?;
    let texts = [input["text"].as_str().unwrap()].into_iter();
    for text in texts.chain(want["also"].as_array().into_iter().flatten().filter_map(Value::as_str)) {
        check_outcome(outcome, want, judge.judge(text))?;
    }
    Ok(())
}

fn check_outcome(outcome: &str, want: &Value, got: Judgement) -> Result<(), String> {
    match (outcome, got) {
        ("invalid_json" | "invalid_json_or_flagged", Judgement::NotJson(error)) => {
            let hint = match want["hint"].as_str() {
                Some("trailing_content") => Some(Hint::SecondDocument),
                Some("bad_escape") => Some(Hint::BadEscape),
                Some("duplicate_key") => Some(Hint::RepeatedKey),
                Some("lone_surrogate") => Some(Hint::LoneSurrogate),
                _ => None,
            };
            let path = want["path"].as_str().map(str::to_owned);
            let fits = hint.is_none_or(|h| h == error.hint) && (path.is_none() || path == error.path);
            if fits { Ok(()) } else { Err(format!("{error:?}")) }
        }
        ("valid", Judgement::Valid { value, .. }) => {
            if want.get("value").is_none_or(|w| *w == value) {
                Ok(())
            } else {
                Err(format!("{value}"))
            }
        }
        ("validation_failed", Judgement::Invalid(issues)) => {
            let contains = want["message_contains"].as_str().unwrap_or("");
            if !issues.list.iter().any(|i| i.message.contains(contains)) {
                return Err(format!("{issues:?}"));
            }
            want["issues"].as_array().map_or(Ok(()), |list| same_issues(list, &issues, true))
        }
        (_, other) => Err(format!("{other:?}")),
    }
}

/// Faults where the design decides otherwise: id, why.
const FAULT_DIFFERENCES: &[(&str, &str)] = &[("va-010", "ENGINE §1: true and false as root are refused")];

#[test]
fn fault_cases() {
    let rows = cases::rows("cases/faults.jsonl");
    if rows.is_empty() {
        return;
    }
    let (mut run, mut wrong) = (0, Vec::new());
    for case in rows.iter().filter(|c| KINDS.contains(&c["input"]["kind"].as_str().unwrap_or(""))) {
        run += 1;
        let listed = FAULT_DIFFERENCES.iter().any(|(id, _)| case["id"] == *id);
        match check_fault(case) {
            Err(why) if !listed => wrong.push(format!("{}: {why}", case["id"])),
            Ok(()) if listed => wrong.push(format!("{} matches after all", case["id"])),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(run, 24);
}
