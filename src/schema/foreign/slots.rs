//! Where other tools keep schemas: paths into their documents, as data. Looks at keys and kinds, changes nothing.

use super::part::is_schema_like;
use super::{Foreign, How, MAX_OFFERS, Offer, What};
use crate::json::{Value, push_token, resolve};

/// Where a tool definition or a request can begin; `*` is every item.
const BEGINNINGS: [(&str, What); 13] = [
    ("", What::Payload),
    ("/body", What::Payload),
    ("/tools/*", What::Tools),
    ("/functions/*", What::Tools),
    ("/result/tools/*", What::Tools),
    ("/tools/*/functionDeclarations/*", What::Tools),
    ("/tools/*/function_declarations/*", What::Tools),
    ("/functionDeclarations/*", What::Tools),
    ("/function_declarations/*", What::Tools),
    ("/toolConfig/tools/*", What::Tools),
    ("/body/tools/*", What::Tools),
    ("/*", What::Tools),
    ("/*/functionDeclarations/*", What::Tools),
];

/// Where the schema stands in it.
const SLOTS: [(&str, What); 23] = [
    ("/json_schema/schema", What::Payload),
    ("/response_format/json_schema/schema", What::Payload),
    ("/response_format/schema", What::Payload),
    ("/text/format/schema", What::Payload),
    ("/output_config/format/schema", What::Payload),
    ("/output_format/schema", What::Payload),
    ("/generationConfig/responseSchema", What::Payload),
    ("/generationConfig/responseJsonSchema", What::Payload),
    ("/generation_config/response_schema", What::Payload),
    ("/config/responseSchema", What::Payload),
    ("/config/response_schema", What::Payload),
    ("/responseSchema", What::Payload),
    ("/responseJsonSchema", What::Payload),
    ("/response_schema", What::Payload),
    ("/format", What::Payload),
    ("/schema", What::Payload),
    ("/input_schema", What::Tools),
    ("/inputSchema/json", What::Tools),
    ("/inputSchema", What::Tools),
    ("/outputSchema", What::Tools),
    ("/toolSpec/inputSchema/json", What::Tools),
    ("/parameters", What::Tools),
    ("/function/parameters", What::Tools),
];

/// The parts of a request or of tool definitions.
pub(super) fn found(document: &Value) -> Option<Foreign> {
    let mut offers: Vec<Offer> = Vec::new();
    let mut what = None;
    for (pattern, begins) in BEGINNINGS {
        for beginning in places(document, pattern) {
            for (slot, kind) in SLOTS {
                let pointer = format!("{beginning}{slot}");
                if offers.len() > MAX_OFFERS || !resolve(document, &pointer).is_some_and(is_schema_like) {
                    continue;
                }
                what.get_or_insert(if begins == What::Tools { begins } else { kind });
                offers.push(Offer { label: label(document, &beginning, slot), pointer, how: How::Part });
            }
        }
    }
    what.map(|what| Foreign::of(what, document.clone(), offers))
}

/// The part of a path below the schema that another tool's document holds there; `None` when it holds none.
pub(in crate::schema) fn schema_below(path: &[String]) -> Option<&[String]> {
    BEGINNINGS.iter().find_map(|(beginning, _)| {
        let inner = below_pattern(path, beginning)?;
        // `format` is a keyword too, and a schema's own at the root.
        SLOTS.iter().filter(|(slot, _)| *slot != "/format").find_map(|(slot, _)| below_pattern(inner, slot))
    })
}

/// What is left of a path behind a pattern.
fn below_pattern<'p>(path: &'p [String], pattern: &str) -> Option<&'p [String]> {
    let fits = |token: &str, step: &str| match step {
        "*" => token.bytes().all(|byte| byte.is_ascii_digit()),
        step => token == step,
    };
    pattern.split('/').skip(1).try_fold(path, |path, step| match path.split_first() {
        Some((token, rest)) if fits(token, step) => Some(rest),
        Some(_) | None => None,
    })
}

/// Every place a pattern names.
fn places(document: &Value, pattern: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for step in pattern.split('/').skip(1) {
        let mut next = Vec::new();
        for pointer in found {
            if step != "*" {
                next.push(format!("{pointer}/{step}"));
                continue;
            }
            let items = resolve(document, &pointer).and_then(Value::as_array).map_or(0, Vec::len);
            next.extend((0..items.min(MAX_OFFERS + 1)).map(|i| format!("{pointer}/{i}")));
        }
        next.truncate(MAX_OFFERS + 1);
        found = next;
    }
    found
}

/// The name the tool has, else the last part of the pointer.
fn label(document: &Value, beginning: &str, slot: &str) -> String {
    let text = |pointer: String| resolve(document, &pointer).and_then(Value::as_str).map(str::to_owned);
    let inner = slot.rsplit_once('/').map_or("", |(before, _)| before);
    let named = text(format!("{beginning}{inner}/name"))
        .or_else(|| text(format!("{beginning}/name")))
        .or_else(|| text(format!("{beginning}/toolSpec/name")));
    let last = slot.rsplit('/').find(|token| *token != "json").unwrap_or("schema");
    match (named, last) {
        (Some(name), "outputSchema") => format!("{name} output"),
        (Some(name), _) => name,
        (None, last) => last.to_owned(),
    }
}

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Named schemas first, then what operations take and give.
pub(super) fn openapi(document: &Value) -> Vec<Offer> {
    let mut offers = Vec::new();
    for root in ["/components/schemas", "/definitions"] {
        for (name, _) in members(document, root) {
            offers.push(Offer { label: name.to_owned(), pointer: below(root, &[name]), how: How::Part });
        }
    }
    for (path, _) in members(document, "/paths") {
        for method in METHODS {
            let at = below("/paths", &[path, method]);
            if resolve(document, &at).is_some() && offers.len() <= MAX_OFFERS {
                operation(document, &at, &format!("{} {path}", method.to_ascii_uppercase()), &mut offers);
            }
        }
    }
    offers
}

fn operation(document: &Value, at: &str, label: &str, offers: &mut Vec<Offer>) {
    let mut add = |pointer: String, what: &str| {
        if resolve(document, &pointer).is_some_and(Value::is_object) && offers.len() <= MAX_OFFERS {
            offers.push(Offer { label: format!("{label} {what}"), pointer, how: How::Part });
        }
    };
    for (kind, _) in members(document, &format!("{at}/requestBody/content")) {
        add(below(&format!("{at}/requestBody/content"), &[kind, "schema"]), "request");
    }
    let parameters = resolve(document, &format!("{at}/parameters")).and_then(Value::as_array);
    for (i, parameter) in parameters.into_iter().flatten().enumerate() {
        if parameter.get("in").and_then(Value::as_str) == Some("body") {
            add(format!("{at}/parameters/{i}/schema"), "request");
        }
    }
    for (code, _) in members(document, &format!("{at}/responses")) {
        let response = below(&format!("{at}/responses"), &[code]);
        add(format!("{response}/schema"), code);
        for (kind, _) in members(document, &format!("{response}/content")) {
            add(below(&format!("{response}/content"), &[kind, "schema"]), code);
        }
    }
}

fn members<'a>(document: &'a Value, pointer: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
    let found = resolve(document, pointer).and_then(Value::as_object);
    found.into_iter().flatten().map(|(key, value)| (key.as_str(), value)).take(MAX_OFFERS * 4)
}

fn below(pointer: &str, tokens: &[&str]) -> String {
    let mut pointer = pointer.to_owned();
    for token in tokens {
        push_token(&mut pointer, token);
    }
    pointer
}
