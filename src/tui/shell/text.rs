//! Errands on the whole text of the schema, away from the loop: a megabyte takes longer than a key may.

use super::super::effect::{Converted, Errand, Laid, Named, Reply, TextJob, Worked};
use crate::json::layout::{Layout, lay_out};
use crate::json::{self, Part, Span, Value, locate, pretty, push_token, resolve};
use crate::schema::foreign::{self, Foreign};
use crate::schema::links;
use crate::schema::preflight::TEXT_LIMITS;
use crate::schema::source::{self, Form};

/// References that are listed: each is looked for in the text.
const MOST_LISTED: usize = 500;

/// Does one errand.
pub(super) fn done(job: TextJob) -> Reply {
    let TextJob { revision, text, form, errand } = job;
    let worked = match errand {
        Errand::Lay { layout, caret } => Worked::Laid(laid(&text, layout, caret)),
        Errand::Target { path, token } => Worked::Target(target(&text, &path, token)),
        Errand::References { path } => Worked::References(references(&text, &path)),
        Errand::Json => Worked::Json(converted(&text, form)),
        Errand::Pick { wanted, found } => {
            let schema = picked(&text, form, &wanted, found.as_deref());
            Worked::Picked { wanted, schema: schema.map(|schema| pretty(&schema)) }
        }
    };
    Reply::Worked { revision, worked }
}

fn laid(text: &str, layout: Layout, caret: usize) -> Laid {
    if let Err(error) = json::check(text, TEXT_LIMITS) {
        return Laid::Broken(error);
    }
    let (laid, caret) = lay_out(text, layout, caret);
    if laid == text { Laid::Already } else { Laid::Anew { text: laid, caret } }
}

fn pointer(path: &[String]) -> String {
    let mut out = String::new();
    for step in path {
        push_token(&mut out, step);
    }
    out
}

/// The places around one, innermost first.
fn around(path: &[String]) -> impl Iterator<Item = String> {
    (0..=path.len()).rev().filter_map(|n| path.get(..n)).map(pointer)
}

/// In a text that is no document yet the reference itself has to do.
fn target(text: &str, path: &[String], token: Option<Span>) -> Option<Named> {
    let to = match json::parse(text, TEXT_LIMITS) {
        Ok(document) => {
            let holder = around(path).find(|path| resolve(&document, path).is_some_and(Value::is_object))?;
            links::target(&document, &holder)?
        }
        Err(_) => links::plain(&json::walk::decoded(text, token?), "")?,
    };
    let span = locate(text, &to, Part::Key).or_else(|| locate(text, &to, Part::Value))?;
    Some(Named { pointer: to, start: span.start })
}

fn references(text: &str, path: &[String]) -> Result<(String, Vec<Named>, usize), &'static str> {
    let document =
        json::parse(text, TEXT_LIMITS).map_err(|_| "the text is no JSON yet: its references cannot be followed")?;
    let found = around(path).find_map(|at| {
        let all = links::referrers(&document, &at);
        (!all.is_empty()).then_some((at, all))
    });
    let (at, mut all) = found.ok_or("nothing refers to what is at the caret")?;
    let more = all.len().saturating_sub(MOST_LISTED);
    all.truncate(MOST_LISTED);
    let place = |from: String| locate(text, &from, Part::Key).map(|span| Named { pointer: from, start: span.start });
    Ok((at, all.into_iter().filter_map(place).collect(), more))
}

fn converted(text: &str, form: Form) -> Converted {
    match (form, source::read(text, form, TEXT_LIMITS)) {
        (Form::Json, Ok(_)) => Converted::Already,
        (Form::Json, Err(error)) => match source::read(text, Form::Jsonc, TEXT_LIMITS) {
            // Comments in a file that is called .json are what one wants to be rid of.
            Ok(document) => Converted::Cleaned(pretty(&document.value)),
            Err(_) => Converted::Broken(error.to_string()),
        },
        (Form::Jsonc | Form::Yaml | Form::Toml, Ok(document)) => Converted::From(form, pretty(&document.value)),
        (Form::Jsonc | Form::Yaml | Form::Toml, Err(error)) => Converted::Broken(error.to_string()),
    }
}

/// What is offered by that name, else what stands at that pointer.
fn picked(text: &str, form: Form, wanted: &str, found: Option<&Foreign>) -> Option<Value> {
    let offered = found.and_then(|found| found.find(wanted).map(|offer| found.schema(offer)));
    offered.or_else(|| {
        let document = source::read(text, form, TEXT_LIMITS).ok()?;
        foreign::take(&document.value, wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        r##"{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/a"}}}"##;

    fn path(steps: &[&str]) -> Vec<String> {
        steps.iter().map(|step| (*step).to_owned()).collect()
    }

    #[test]
    fn references_lead_to_and_fro() {
        let to = target(TEXT, &path(&["properties", "x", "$ref"]), None).unwrap();
        assert_eq!((to.pointer.as_str(), to.start), ("/$defs/a", 10));
        let (at, from, more) = references(TEXT, &path(&["$defs", "a", "type"])).unwrap();
        let from: Vec<&str> = from.iter().map(|named| named.pointer.as_str()).collect();
        assert_eq!((at.as_str(), from, more), ("/$defs/a", vec!["/properties/x/$ref", "/properties/y/$ref"], 0));
        assert!(references(TEXT, &path(&["properties", "x"])).is_err());
        assert!(references("{", &[]).is_err());
    }

    #[test]
    fn many_references_are_cut_and_counted() {
        let uses: Vec<String> = (0..600).map(|n| format!(r##""p{n}":{{"$ref":"#/$defs/a"}}"##)).collect();
        let text = format!(r#"{{"$defs":{{"a":{{}}}},"properties":{{{}}}}}"#, uses.join(","));
        let (_, from, more) = references(&text, &path(&["$defs", "a"])).unwrap();
        assert_eq!((from.len(), more), (MOST_LISTED, 100));
    }

    #[test]
    fn texts_are_converted_or_say_why_not() {
        assert_eq!(converted("{}", Form::Json), Converted::Already);
        assert_eq!(converted("{} // c", Form::Json), Converted::Cleaned("{}".to_owned()));
        assert_eq!(converted("a: 1", Form::Yaml), Converted::From(Form::Yaml, "{\n  \"a\": 1\n}".to_owned()));
        assert!(matches!(converted("{", Form::Json), Converted::Broken(_)));
    }
}
