//! What could stand at a place of a schema that is being typed: keywords, their values, reference targets, names.
//!
//! Pure: text and place in, candidates with the range they replace out. The text may be broken; what it means is read
//! from the tokens around the place. Offers, never insists: an empty answer is a good answer.

mod envelope;

use std::ops::Range;

use self::envelope::Values;
use super::Dialect;
use super::foreign::schema_below;
use super::keywords::{self, KEYWORDS};
use super::meanings::meaning;
use super::position::{Kind, NEAR, kind, root_members, scalar};
use super::tree::types::{OF_USE, Types, of_use};
use crate::json::walk::{Member, Place, Slot, Token, Walk, decoded, members, texts};

/// Candidates that are offered at once.
const MOST: usize = 200;
/// Texts up to this length are searched for anchors.
const ANCHORS: usize = 512 * 1024;

/// One thing that could stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// As the list shows it.
    pub label: String,
    /// What replaces the range.
    pub insert: String,
    /// What it means, in a line; may be empty.
    pub doc: String,
}

/// What could stand at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The bytes a candidate replaces.
    pub range: Range<usize>,
    /// What is typed so far, without quotes.
    pub typed: String,
    pub candidates: Vec<Candidate>,
}

const TYPES: &[(&str, &str)] = &[
    ("string", "a text"),
    ("number", "any number"),
    ("integer", "a number without a fraction"),
    ("boolean", "true or false"),
    ("object", "members by name"),
    ("array", "a list of items"),
    ("null", "null and nothing else"),
];

/// Formats and the first draft that names each.
const FORMATS: &[(&str, Dialect, &str)] = &[
    ("date-time", Dialect::Draft4, "2026-12-01T09:30:00Z"),
    ("date", Dialect::Draft7, "2026-12-01"),
    ("time", Dialect::Draft7, "09:30:00Z"),
    ("duration", Dialect::Draft201909, "P3DT4H"),
    ("email", Dialect::Draft4, "ada@example.org"),
    ("idn-email", Dialect::Draft7, "an e-mail address with any letters"),
    ("hostname", Dialect::Draft4, "example.org"),
    ("idn-hostname", Dialect::Draft7, "a host name with any letters"),
    ("ipv4", Dialect::Draft4, "192.0.2.1"),
    ("ipv6", Dialect::Draft4, "2001:db8::1"),
    ("uri", Dialect::Draft4, "https://example.org/a"),
    ("uri-reference", Dialect::Draft6, "/a/b, relative or not"),
    ("uri-template", Dialect::Draft6, "/users/{id}"),
    ("iri", Dialect::Draft7, "a URI with any letters"),
    ("iri-reference", Dialect::Draft7, "the same, relative or not"),
    ("uuid", Dialect::Draft201909, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
    ("json-pointer", Dialect::Draft6, "/a/0"),
    ("relative-json-pointer", Dialect::Draft7, "1/a"),
    ("regex", Dialect::Draft7, "^[a-z]+$"),
];

/// What people write most, whatever the type.
const COMMON: &[&str] = &["type", "description", "enum", "const", "title", "$ref", "anyOf", "default", "examples"];
/// Keywords whose value is true or false, among other things or alone.
const SWITCHES: &[&str] = &[
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "uniqueItems",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$recursiveAnchor",
];

/// What could stand at `offset`; `None` where nothing can be said.
#[must_use]
pub fn complete(text: &str, offset: usize, walk: &Walk, dialect: Dialect) -> Option<Offer> {
    let place = walk.place(text, offset);
    let range = place.token.map_or(offset..offset, |span| span.start..token_end(text, span, offset));
    let typed = place.token.map_or(String::new(), |span| {
        let cut = crate::json::Span { start: span.start, end: offset.max(span.start) };
        decoded(text, cut)
    });
    let mut candidates = match place.slot {
        Slot::Key => keys(text, &place, dialect),
        Slot::Value => values(text, &place, dialect),
    };
    rank(&mut candidates, &typed);
    candidates.truncate(MOST);
    (!candidates.is_empty()).then_some(Offer { range, typed, candidates })
}

/// Where the token that is being typed ends. One without its closing quote seems to reach to the end of the line, or to
/// the next quote: what no name holds is not part of it.
fn token_end(text: &str, span: crate::json::Span, offset: usize) -> usize {
    let written = text.get(span.start..span.end).unwrap_or_default();
    let rest = text.get(offset..span.end).unwrap_or_default();
    let inner = rest.strip_suffix('"').unwrap_or(rest);
    let open = written.starts_with('"') && (written.len() < 2 || !written.ends_with('"'));
    let foreign = inner.contains(|c: char| c.is_whitespace() || ",:{}[]\"".contains(c));
    if open || foreign { offset } else { span.end }
}

/// Those that fit what is typed: a beginning before a piece; the order is kept otherwise.
fn rank(candidates: &mut Vec<Candidate>, typed: &str) {
    let wanted = typed.to_lowercase();
    let place = |c: &Candidate| c.label.to_lowercase().find(&wanted);
    candidates.retain(|c| place(c).is_some());
    candidates.sort_by_key(|c| place(c).map_or(2, |at| usize::from(at > 0)));
}

/// The container's path: that of the member without its key.
fn parent(place: &Place) -> &[String] {
    let drop = usize::from(place.token.is_some() && place.slot == Slot::Key);
    place.path.get(..place.path.len().saturating_sub(drop)).unwrap_or_default()
}

/// The container's path, where it lies outside of every schema.
fn outside(place: &Place) -> Option<&[String]> {
    let path = parent(place);
    schema_below(path).is_none().then_some(path)
}

fn keys(text: &str, place: &Place, dialect: Dialect) -> Vec<Candidate> {
    let Some(container) = place.container else { return Vec::new() };
    let there = members(text, container, NEAR);
    let taken = |name: &str| there.iter().any(|m| m.name == name && Some(m.key) != place.token);
    if let Some(wrapper) = outside(place).and_then(|path| envelope::wrapper(text, path, &there)) {
        let fields = wrapper.fields.iter().filter(|(name, _)| !taken(name));
        return fields.map(|(name, doc)| key(name, doc, "", place)).collect();
    }
    match kind(parent(place), dialect) {
        Kind::Schema | Kind::List(_) => {
            let known = KEYWORDS.iter().filter(|k| keywords::find_in(k.name, dialect).is_some() && k.name != "extends");
            let mut names: Vec<&str> = known.map(|k| k.name).filter(|name| !taken(name)).collect();
            let own = there.iter().find(|m| m.name == "type").and_then(|m| scalar(text, m));
            names.sort_by_key(|name| usefulness(name, own.as_deref()));
            names.iter().map(|name| keyword(name, place, dialect)).collect()
        }
        Kind::Map("properties") => {
            let holder = enclosing(text, container);
            let required = holder.iter().find(|m| m.name == "required").and_then(|m| m.value);
            let names = required.map_or(Vec::new(), |at| texts(text, at, NEAR));
            let open = names.into_iter().filter(|name| !taken(name));
            open.map(|name| key(&name, "required, but not described yet", "{}", place)).collect()
        }
        Kind::Map(_) | Kind::Value(_) | Kind::Inside(_) | Kind::Unknown => Vec::new(),
    }
}

/// The order in which keywords are offered, the lower the sooner.
fn usefulness(name: &str, own_type: Option<&str>) -> (usize, usize) {
    let of = |list: &[&str]| list.iter().position(|n| *n == name);
    let own = OF_USE.iter().position(|row| row.name == name);
    let fits = |wanted: &str| of_use(name).is_some_and(|row| row.types.meets(Types::named(wanted)));
    if let (Some(at), Some(true)) = (own, own_type.map(fits)) {
        return (0, at);
    }
    if let Some(at) = of(COMMON) {
        return (1, at);
    }
    match (own.is_some(), own_type) {
        (true, Some(_)) => (4, 0),
        (true, None) => (2, 0),
        (false, _) => (3, KEYWORDS.iter().position(|k| k.name == name).unwrap_or(0)),
    }
}

fn keyword(name: &str, place: &Place, dialect: Dialect) -> Candidate {
    key(name, meaning(name, dialect).unwrap_or_default(), "", place)
}

fn key(name: &str, doc: &str, value: &str, place: &Place) -> Candidate {
    let quoted = crate::json::canonical(&crate::json::Value::String(name.to_owned()));
    let insert = if place.colon_follows { quoted } else { format!("{quoted}: {value}") };
    Candidate { label: name.to_owned(), insert, doc: doc.to_owned() }
}

/// The members of the object that holds the one beginning at `at`.
fn enclosing(text: &str, at: usize) -> Vec<Member> {
    let mut walk = Walk::default();
    walk.to(text, at);
    walk.open.last().map_or(Vec::new(), |open| members(text, open.at, NEAR))
}

fn texts_of(values: impl Iterator<Item = (String, String)>) -> Vec<Candidate> {
    let one = |(label, doc): (String, String)| {
        let insert = crate::json::canonical(&crate::json::Value::String(label.clone()));
        Candidate { label, insert, doc }
    };
    values.map(one).collect()
}

fn values(text: &str, place: &Place, dialect: Dialect) -> Vec<Candidate> {
    let own = |list: &[(&str, &str)]| texts_of(list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())));
    let last = place.path.last().map_or("", String::as_str);
    let switch = || literals(&[("true", "yes"), ("false", "no")]);
    let wrapped = schema_below(&place.path).is_none().then(|| envelope::holding(text, &place.path, place.container));
    if let Some((wrapper, field)) = wrapped.flatten() {
        return match wrapper.values(&field) {
            Some(Values::Texts(pairs)) => own(&pairs),
            Some(Values::Literals(pairs)) => literals(pairs),
            None => Vec::new(),
        };
    }
    match kind(&place.path, dialect) {
        Kind::Value("type") if place.path.len() == 1 => {
            let wrapped = ("json_schema", "an envelope around a schema");
            own(&TYPES.iter().copied().chain([wrapped]).collect::<Vec<_>>())
        }
        Kind::Value("type") | Kind::Inside("type") => own(TYPES),
        Kind::Value("format") => {
            let named = FORMATS.iter().filter(|(_, first, _)| *first <= dialect);
            texts_of(named.map(|(name, _, doc)| ((*name).to_owned(), (*doc).to_owned())))
        }
        Kind::Value("$ref" | "$dynamicRef" | "$recursiveRef") => {
            let given = place.token.map(|span| span.start);
            texts_of(targets(text, given).into_iter())
        }
        Kind::Value("$schema") => {
            let drafts =
                [Dialect::Draft202012, Dialect::Draft201909, Dialect::Draft7, Dialect::Draft6, Dialect::Draft4];
            texts_of(drafts.iter().map(|d| (d.uri().to_owned(), String::new())))
        }
        Kind::Value("contentEncoding") => own(&[("base64", "bytes as base64")]),
        Kind::Inside("required" | "dependentRequired") => names_left(text, place),
        Kind::Value(keyword) if SWITCHES.contains(&keyword) => switch(),
        Kind::Value("exclusiveMinimum" | "exclusiveMaximum") if dialect == Dialect::Draft4 => switch(),
        Kind::Schema if SWITCHES.contains(&last) => switch(),
        Kind::Schema | Kind::Map(_) | Kind::List(_) | Kind::Value(_) | Kind::Inside(_) | Kind::Unknown => Vec::new(),
    }
}

fn literals(list: &[(&str, &str)]) -> Vec<Candidate> {
    let one = |(word, doc): &(&str, &str)| Candidate {
        label: (*word).to_owned(),
        insert: (*word).to_owned(),
        doc: (*doc).to_owned(),
    };
    list.iter().map(one).collect()
}

/// Members of the schema that its `required` does not list yet.
fn names_left(text: &str, place: &Place) -> Vec<Candidate> {
    let Some(list) = place.container else { return Vec::new() };
    let mut walk = Walk::default();
    walk.to(text, list);
    // `dependentRequired` has its lists a level further in.
    let holders = walk.open.iter().rev().take(2).map(|open| members(text, open.at, NEAR));
    let properties = holders.into_iter().find_map(|all| all.into_iter().find(|m| m.name == "properties")?.value);
    let given = place.token.map(|span| decoded(text, span));
    let listed = texts(text, list, NEAR);
    let open = properties
        .map_or(Vec::new(), |at| members(text, at, NEAR))
        .into_iter()
        .filter(|member| given.as_ref() == Some(&member.name) || !listed.contains(&member.name));
    texts_of(open.map(|member| {
        let doc = member.value.map_or(Vec::new(), |at| members(text, at, NEAR));
        let doc = doc.iter().find(|m| m.name == "type").and_then(|m| scalar(text, m)).unwrap_or_default();
        (member.name, doc)
    }))
}

/// Everything a reference could name: the root, definitions, anchors.
fn targets(text: &str, given: Option<usize>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for holder in root_members(text).iter().filter(|m| matches!(m.name.as_str(), "$defs" | "definitions")) {
        for member in holder.value.map_or(Vec::new(), |at| members(text, at, NEAR)) {
            let mut pointer = format!("#/{}", holder.name);
            crate::json::push_token(&mut pointer, &member.name);
            let inside = member.value.map_or(Vec::new(), |at| members(text, at, NEAR));
            let told = inside.iter().find(|m| matches!(m.name.as_str(), "description" | "title"));
            let doc = told.or_else(|| inside.iter().find(|m| m.name == "type")).and_then(|m| scalar(text, m));
            out.push((pointer, doc.unwrap_or_default()));
        }
    }
    if text.len() <= ANCHORS {
        out.extend(anchors(text).map(|name| (format!("#{name}"), "an anchor".to_owned())));
    }
    if given.is_none_or(|at| at > 0) {
        out.push(("#".to_owned(), "the whole schema".to_owned()));
    }
    out
}

fn anchors(text: &str) -> impl Iterator<Item = String> {
    let found = text.match_indices("\"$anchor\"").chain(text.match_indices("\"$dynamicAnchor\""));
    found.filter_map(|(at, name)| {
        let mut walk = Walk::from(at + name.len());
        let colon = walk.step(text).is_some_and(|(token, _)| token == Token::Colon);
        let (token, span) = walk.peek(text)?;
        (colon && token == Token::Text).then(|| decoded(text, span)).filter(|name| !name.is_empty())
    })
}

#[cfg(test)]
#[path = "complete/tests.rs"]
mod tests;
