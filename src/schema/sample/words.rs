//! Readable values: small word lists, chosen by the name of the property and by `format`.

use rand::{Rng, RngExt};

const FIRST: &[&str] = &["Ada", "Grace", "Alan", "Linus", "Edsger", "Barbara", "Donald", "Radia", "Ken", "Margaret"];
const LAST: &[&str] = &["Lovelace", "Hopper", "Turing", "Larsen", "Dijkstra", "Liskov", "Knuth", "Perlman", "Moreau"];
const CITIES: &[&str] = &["Lisbon", "Oslo", "Kyoto", "Nairobi", "Montreal", "Valparaiso", "Ghent", "Wellington"];
const COUNTRIES: &[&str] = &["Portugal", "Norway", "Japan", "Kenya", "Canada", "Chile", "Belgium", "New Zealand"];
const STREETS: &[&str] = &["12 Harbour Street", "4 Mill Lane", "88 Station Road", "7 Orchard Way"];
const COMPANIES: &[&str] = &["Northwind", "Brightwater Ltd", "Acme Tools", "Blue Heron", "Summit Works"];
const THINGS: &[&str] = &["notebook", "lantern", "teapot", "compass", "bicycle", "raincoat", "keyboard", "basket"];
const COLORS: &[&str] = &["teal", "amber", "crimson", "indigo", "olive"];
const TOPICS: &[&str] = &["travel", "cooking", "music", "gardening", "history", "science"];
const SENTENCES: &[&str] = &[
    "The delivery arrived on time.",
    "A short walk from the old harbour.",
    "Everything worked on the first try.",
    "Please check the attached report.",
    "The meeting was moved to Friday.",
];
const FILLER: &[&str] =
    &["quiet", "river", "morning", "letter", "window", "garden", "paper", "silver", "north", "story"];

/// Part of a property name → words. The first row that fits counts.
const ROWS: &[(&[&str], &[&str])] = &[
    (&["firstname", "givenname"], FIRST),
    (&["lastname", "surname", "familyname"], LAST),
    (&["city", "town"], CITIES),
    (&["country", "nation"], COUNTRIES),
    (&["street", "address"], STREETS),
    (&["company", "organization", "organisation", "employer", "brand", "vendor"], COMPANIES),
    (&["color", "colour"], COLORS),
    (&["tag", "topic", "category", "genre", "keyword", "subject"], TOPICS),
    (&["currency"], &["EUR", "USD", "JPY", "NOK"]),
    (&["lang", "locale"], &["en", "pt", "nb", "ja"]),
    (&["status", "state"], &["active", "pending", "done"]),
    (&["phone", "mobile"], &["+351 21 555 0142", "+47 555 01 234"]),
    (&["unit"], &["kg", "cm", "l"]),
    (&["role", "job", "occupation", "position"], &["engineer", "nurse", "teacher", "editor"]),
    (&["product", "item", "thing", "object", "ingredient"], THINGS),
    (
        &[
            "description",
            "summary",
            "text",
            "content",
            "body",
            "comment",
            "note",
            "message",
            "reason",
            "explanation",
            "answer",
            "thought",
            "quote",
        ],
        SENTENCES,
    ),
];

pub(super) fn pick<'a, R: Rng>(rng: &mut R, words: &[&'a str]) -> &'a str {
    let index = rng.random_range(0..words.len().max(1));
    words.get(index).copied().unwrap_or("")
}

/// A text for a property name.
pub(super) fn text<R: Rng>(rng: &mut R, name: &str) -> String {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if plain.contains("email") {
        return format("email", rng).unwrap_or_default();
    }
    if plain.contains("url") || plain.contains("website") || plain.contains("link") {
        return format("uri", rng).unwrap_or_default();
    }
    if plain.ends_with("date") || plain == "birthday" || plain == "dob" {
        return format("date", rng).unwrap_or_default();
    }
    if plain == "id" || plain.ends_with("id") && plain.len() > 3 || plain.ends_with("code") {
        return format!("{}-{}", pick(rng, &["A", "B", "C", "X"]), rng.random_range(1000..9999));
    }
    if let Some((_, words)) = ROWS.iter().find(|(parts, _)| parts.iter().any(|part| plain.contains(part))) {
        return pick(rng, words).to_owned();
    }
    if plain == "title" || plain.ends_with("title") || plain.ends_with("headline") {
        return format!("The {} {}", pick(rng, FILLER), pick(rng, THINGS));
    }
    if plain.ends_with("name") || ["author", "person", "user", "owner", "customer", "speaker"].contains(&plain.as_str())
    {
        return format!("{} {}", pick(rng, FIRST), pick(rng, LAST));
    }
    format!("{} {}", pick(rng, FILLER), pick(rng, THINGS))
}

/// Made longer with words, or cut, to fit the lengths (in characters).
pub(super) fn fitted<R: Rng>(rng: &mut R, text: String, least: usize, most: usize) -> String {
    let mut text = text;
    let mut length = text.chars().count();
    while length < least {
        let word = pick(rng, FILLER);
        if length > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(word);
        length += word.len();
    }
    if length <= most {
        return text;
    }
    let cut: String = text.chars().take(most).collect();
    let trimmed = cut.trim_end();
    if trimmed.chars().count() >= least { trimmed.to_owned() } else { cut }
}

/// A short key for a free map.
pub(super) fn key<R: Rng>(rng: &mut R, number: usize) -> String {
    let word = pick(rng, FILLER);
    if number == 0 { word.to_owned() } else { format!("{word}_{number}") }
}

/// A text of a format; `None` for formats without a recipe.
pub(super) fn format<R: Rng>(name: &str, rng: &mut R) -> Option<String> {
    let year = rng.random_range(1990..2027);
    let (month, day) = (rng.random_range(1..13), rng.random_range(1..29));
    let (hour, minute, second) = (rng.random_range(0..24), rng.random_range(0..60), rng.random_range(0..60));
    let host = pick(rng, &["example.com", "example.org", "example.net"]);
    let user = pick(rng, FIRST).to_ascii_lowercase();
    let word = pick(rng, FILLER);
    Some(match name {
        "date-time" => format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
        "date" => format!("{year}-{month:02}-{day:02}"),
        "time" => format!("{hour:02}:{minute:02}:{second:02}Z"),
        "duration" => format!("P{}DT{}H", rng.random_range(1..30), rng.random_range(1..24)),
        "email" | "idn-email" => format!("{user}@{host}"),
        "hostname" | "idn-hostname" => format!("{word}.{host}"),
        "ipv4" => format!("192.0.2.{}", rng.random_range(1..255)),
        "ipv6" => format!("2001:db8::{:x}", rng.random_range(1..65_535)),
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => format!("https://{host}/{word}"),
        "uri-template" => format!("https://{host}/{{{word}}}"),
        "uuid" => uuid(rng),
        "json-pointer" => format!("/{word}"),
        "relative-json-pointer" => format!("0/{word}"),
        "regex" => format!("^{word}$"),
        "byte" | "base64" => "aGVsbG8=".to_owned(),
        _ => return None,
    })
}

fn uuid<R: Rng>(rng: &mut R) -> String {
    let high: u64 = rng.random();
    let low: u64 = rng.random();
    let version = high & 0xffff_ffff_ffff_0fff | 0x4000;
    let variant = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        version >> 32,
        version >> 16 & 0xffff,
        version & 0xffff,
        variant >> 48,
        variant & 0xffff_ffff_ffff
    )
}

/// Low, high and step of a number, as decimal text.
type Range = (&'static str, &'static str, &'static str);

/// Part of a property name → plausible range.
const RANGES: &[(&[&str], Range)] = &[
    (&["price", "cost", "amount", "total", "salary", "fee", "balance"], ("5", "500", "0.01")),
    (&["percent"], ("0", "100", "0.1")),
    (&["score", "probab", "confidence", "ratio", "weight"], ("0", "1", "0.01")),
    (&["year"], ("1990", "2026", "1")),
    (&["month"], ("1", "12", "1")),
    (&["day"], ("1", "28", "1")),
    (&["latitude"], ("-60", "70", "0.0001")),
    (&["longitude"], ("-170", "170", "0.0001")),
    (&["rating", "stars"], ("1", "5", "1")),
    (&["count", "quantity", "number"], ("1", "20", "1")),
];

/// A plausible range for a number: low, high and step as decimal text.
pub(super) fn range(name: &str) -> Range {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if plain == "age" {
        return ("18", "80", "1");
    }
    if plain == "lat" {
        return ("-60", "70", "0.0001");
    }
    RANGES
        .iter()
        .find(|(parts, _)| parts.iter().any(|part| plain.contains(part)))
        .map_or(("1", "100", "0.1"), |(_, row)| *row)
}
