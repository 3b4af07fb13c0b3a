//! Every real schema says the same in every form; hostile texts end every reader in bounded time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

#[path = "support/cases.rs"]
mod cases;

use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, Value, canonical, parse, pretty, resolve};
use formwork::schema::foreign;
use formwork::schema::infer::infer;
use formwork::schema::preflight::{check_source, check_text};
use formwork::schema::source::{Form, read};
use formwork::schema::{Reason, SchemaError};

fn limits() -> ParseLimits {
    ParseLimits { max_bytes: 8 * 1024 * 1024, max_depth: 512 }
}

/// Every schema of the corpora: name and text.
fn schemas() -> Vec<(String, String)> {
    let Some(root) = cases::shared().map(|root| root.join("corpora")) else { return Vec::new() };
    let mut out = Vec::new();
    for row in cases::rows("corpora/MANIFEST.jsonl") {
        let path = row["path"].as_str().unwrap().to_owned();
        if let Ok(text) = fs_err::read_to_string(root.join(&path)) {
            out.push((path, text));
        }
    }
    for source in ["baml", "instructor", "openai-python", "outlines"] {
        for (at, row) in cases::rows(&format!("corpora/pydantic-models/{source}.jsonl")).iter().enumerate() {
            out.push((format!("{source} {at}"), row["schema"].to_string()));
        }
    }
    out
}

/// Block YAML, texts in double quotes.
fn yaml(value: &Value, indent: usize, out: &mut String) {
    let line = |out: &mut String| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent));
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, member) in members {
                line(out);
                out.push_str(&canonical(&Value::String(key.clone())));
                out.push_str(": ");
                yaml(member, indent + 1, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                line(out);
                out.push_str("- ");
                yaml(item, indent + 1, out);
            }
        }
        scalar => out.push_str(&canonical(scalar)),
    }
}

/// A key that YAML does not take without `?`.
fn long_key(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, member)| key.len() > 900 || long_key(member)),
        Value::Array(items) => items.iter().any(long_key),
        _ => false,
    }
}

fn verdict(checked: Result<formwork::schema::Checked, Vec<SchemaError>>) -> Result<String, Vec<(Reason, String)>> {
    match checked {
        Ok(checked) => Ok(checked.format.schema_hash),
        Err(errors) => Err(errors.into_iter().map(|error| (error.reason, error.path)).collect()),
    }
}

#[test]
fn every_real_schema_says_the_same_in_every_form() {
    let (mut read_ones, mut slowest) = (0, (Duration::ZERO, String::new()));
    for (name, text) in schemas() {
        let Ok(value) = parse(&text, limits()) else { continue };
        let want = verdict(check_text(&text));
        let jsonc = pretty(&value).replace('\n', " // \"remark\n") + "\n/* end */";
        assert_eq!(verdict(check_source(&jsonc, Form::Jsonc)), want, "{name} as JSONC");
        let mut block = String::new();
        yaml(&value, 0, &mut block);
        if long_key(&value) {
            println!("{name} has a key that is too long for YAML");
            continue;
        }
        let start = Instant::now();
        let got = check_source(&block, Form::Yaml);
        slowest = slowest.max((start.elapsed(), name.clone()));
        for error in got.as_ref().err().into_iter().flatten() {
            assert!(error.position.is_some(), "{name}: {error:?}");
        }
        assert_eq!(verdict(got), want, "{name} as YAML");
        assert_eq!(verdict(check_source(&pretty(&value), Form::Yaml)), want, "{name}: JSON read as YAML");
        read_ones += 1;
    }
    println!("{read_ones} schemas in four forms; slowest check as YAML {:?} {}", slowest.0, slowest.1);
    assert!(read_ones > 700 || cases::shared().is_none(), "{read_ones}");
}

#[test]
fn what_is_offered_of_a_real_document_is_there() {
    for (name, text) in schemas() {
        let Ok(value) = parse(&text, limits()) else { continue };
        if let Some(found) = foreign::recognise(&value) {
            for offer in found.offers.iter().take(20) {
                assert!(resolve(&value, &offer.pointer).is_some(), "{name}: {offer:?}");
                let _ = found.schema(offer);
            }
        }
        // A schema is a value too: the schema made from it is legal, or the value is past a limit.
        let Ok(made) = infer(std::slice::from_ref(&value)) else { continue };
        for error in formwork::schema::preflight::check(&made).err().into_iter().flatten() {
            let limit = matches!(
                error.reason,
                Reason::LimitNodes
                    | Reason::LimitEdges
                    | Reason::LimitBytes
                    | Reason::LimitDepth
                    | Reason::TooExpensive
            );
            assert!(limit, "{name}: {error:?}");
        }
    }
}

#[test]
fn hostile_texts_end_in_time() {
    const SIZE: usize = 1 << 20;
    let pieces = [
        "a: ",
        "? ",
        "- ",
        "[",
        "{",
        "!a ",
        "&a ",
        "*a ",
        "|\n",
        "'",
        "\"",
        "#",
        " \n",
        "\t",
        "%",
        "a\n",
        "a: b\n",
        "{a: ",
        "[a, ",
        "- |\n x\n",
        "a:\n",
        "? a\n",
        ": a\n",
        "\"\\\n",
        "&a\n",
        "--- ",
        "---\n",
        "...\n",
        "é",
        "a b ",
        "a,",
        "\n- ",
        "- \n",
        "a: [",
        "{? ",
        "[? a: ",
        "x: \"a\n",
        "a.",
        "[a]\n",
        "[[a]]\n",
        "a=1\n",
        "a=[",
        "a={b=",
        "'''",
        "\"\"\"",
        "1_",
        "[a.b]\n",
        "=",
        "]",
        "}",
        "/*",
        "//",
        "/",
        ",",
        "[,",
        "{\"a\":",
        "\\",
        "*/",
        "class A(BaseModel):\n x: int\n",
        "interface A {\n x: string\n}\n",
        "{'a': ",
        "- &a [*a",
        "a: &a 1\nb: *a\n",
        "a [",
        "a {",
        "a|",
        "a?:,",
    ];
    for piece in pieces {
        let text = piece.repeat(SIZE / piece.len());
        let start = Instant::now();
        for form in Form::ALL {
            let _ = read(&text, form, limits());
        }
        let _ = (Form::sniff(&text), foreign::recognise_text(&text), formwork::schema::short::schema(&text));
        assert!(start.elapsed() < Duration::from_secs(20), "{piece:?} took {:?}", start.elapsed());
    }
}
