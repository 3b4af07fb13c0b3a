//! The short form of a schema: `name, age int: in years, tags [str]`.
//!
//! The grammar of Simon Willison's `llm` (fields separated by commas, or by line ends when there is one; `name type:
//! description`; types `str`, `int`, `float`, `bool`, default `str`) and, where `llm` would take any word as a text,
//! a little more: `name?` is optional, `[T]` a list, `{…}` an object, `a|b|c` a choice, `T|null` also null, and `date`,
//! `datetime`, `email`, `uri`, `uuid` are texts of that format. What means nothing is refused with its place instead of
//! being taken for a text. Objects take no other member.

use crate::json::{self, Map, Position, Value};

/// Nesting of lists and objects: each takes up to two levels in the schema, which may have a hundred.
const MAX_DEPTH: usize = 40;
/// A short form is short.
const MAX_BYTES: usize = 64 * 1024;

/// What is wrong, and where in the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {}, column {})", position.line, position.column)]
pub struct ShortError {
    pub position: Position,
    /// One sentence of fixed words.
    pub message: &'static str,
}

/// Reads a short form into an ordinary schema of the newest draft.
///
/// # Errors
/// [`ShortError`] at the first place that means nothing.
pub fn schema(text: &str) -> Result<Value, ShortError> {
    let error = |(at, message): Slip| ShortError { position: json::position(text, at), message };
    if text.len() > MAX_BYTES {
        return Err(error((0, "a short form has at most 64 KiB")));
    }
    let mut reader = Reader { text, at: 0 };
    let schema = reader.fields(Ends::Text, 0).map_err(error)?;
    if schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty) {
        return Err(error((0, "there is no field: write for example `name, age int: in years`")));
    }
    Ok(Value::Object(schema))
}

/// Offset and sentence.
type Slip = (usize, &'static str);

/// What ends a list of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Text,
    Brace,
}

/// What separates fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Comma,
    Line,
}

const TYPES: [(&str, &str, Option<&str>); 14] = [
    ("str", "string", None),
    ("string", "string", None),
    ("int", "integer", None),
    ("integer", "integer", None),
    ("float", "number", None),
    ("number", "number", None),
    ("bool", "boolean", None),
    ("boolean", "boolean", None),
    ("date", "string", Some("date")),
    ("datetime", "string", Some("date-time")),
    ("email", "string", Some("email")),
    ("uri", "string", Some("uri")),
    ("url", "string", Some("uri")),
    ("uuid", "string", Some("uuid")),
];

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, sign: char) -> bool {
        let there = self.peek() == Some(sign);
        if there {
            self.at += sign.len_utf8();
        }
        there
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !skipped(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.skip(|c| c.is_whitespace() && c != '\n');
    }

    /// An object's fields up to its end.
    fn fields(&mut self, ends: Ends, depth: usize) -> Result<Map<String, Value>, Slip> {
        let separator = self.separator(ends);
        let (mut properties, mut required) = (Map::new(), Vec::new());
        loop {
            self.skip(|c| c.is_whitespace() || c == ',');
            if self.ended(ends)? {
                break;
            }
            let at = self.at;
            let name = self.name()?;
            let optional = self.eat('?');
            let schema = self.field(separator, ends, depth)?;
            if properties.contains_key(name) {
                return Err((at, "this field stands twice"));
            }
            if !optional {
                required.push(Value::from(name));
            }
            properties.insert(name.to_owned(), Value::Object(schema));
            self.separated(separator, ends)?;
        }
        let mut schema = typed("object", None);
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        Ok(schema)
    }

    /// By line when there is a line end among these fields, as `llm` has it.
    fn separator(&self, ends: Ends) -> Separator {
        let rest = self.rest();
        let mut depth = 0_usize;
        for letter in rest.chars() {
            match letter {
                '\n' if ends == Ends::Text || depth == 0 => return Separator::Line,
                '{' => depth += 1,
                '}' if depth == 0 && ends == Ends::Brace => return Separator::Comma,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Separator::Comma
    }

    fn ended(&mut self, ends: Ends) -> Result<bool, Slip> {
        match (self.peek(), ends) {
            (None, Ends::Text) => Ok(true),
            (None, Ends::Brace) => Err((self.at, "a `}` is missing")),
            (Some('}'), Ends::Brace) => {
                self.at += 1;
                Ok(true)
            }
            (Some(_), _) => Ok(false),
        }
    }

    fn separated(&mut self, separator: Separator, ends: Ends) -> Result<(), Slip> {
        self.blanks();
        match (self.peek(), separator) {
            (None, _) | (Some('\n'), Separator::Line) | (Some(','), Separator::Comma) => Ok(()),
            (Some('}'), _) if ends == Ends::Brace => Ok(()),
            (Some(','), Separator::Line) => {
                let comma = self.at;
                self.at += 1;
                self.blanks();
                let last = matches!(self.peek(), None | Some('\n' | '}'));
                if last { Ok(()) } else { Err((comma, "one field a line: line ends separate the fields here")) }
            }
            (Some(_), _) => Err((self.at, "a comma, a line end or `: description` is expected here")),
        }
    }

    fn name(&mut self) -> Result<&'t str, Slip> {
        let at = self.at;
        let name = self.skip(|c| !c.is_whitespace() && !",:{}[]|?\"'".contains(c));
        if name.is_empty() { Err((at, "the name of a field is expected here")) } else { Ok(name) }
    }

    /// Type and description of a field.
    fn field(&mut self, separator: Separator, ends: Ends, depth: usize) -> Result<Map<String, Value>, Slip> {
        self.blanks();
        let mut schema = match self.peek() {
            None | Some(',' | ':' | '\n' | '}') => typed("string", None),
            Some(_) => self.kind(depth)?,
        };
        self.blanks();
        if self.eat(':') {
            let ended = |c: char| match separator {
                Separator::Comma => c == ',' || c == '\n' || (c == '}' && ends == Ends::Brace),
                Separator::Line => c == '\n' || (c == '}' && ends == Ends::Brace),
            };
            let description = self.skip(|c| !ended(c)).trim();
            if !description.is_empty() {
                schema.insert("description".to_owned(), Value::from(description));
            }
        }
        Ok(schema)
    }

    /// A type; at most [`MAX_DEPTH`] calls deep.
    fn kind(&mut self, depth: usize) -> Result<Map<String, Value>, Slip> {
        let at = self.at;
        if depth >= MAX_DEPTH {
            return Err((at, "lists and objects are nested deeper than 40 levels"));
        }
        if self.eat('[') {
            self.skip(char::is_whitespace);
            let items = if self.peek() == Some(']') { typed("string", None) } else { self.kind(depth + 1)? };
            self.skip(char::is_whitespace);
            if !self.eat(']') {
                return Err((self.at, "a `]` is missing"));
            }
            let mut schema = typed("array", None);
            schema.insert("items".to_owned(), Value::Object(items));
            return Ok(schema);
        }
        if self.eat('{') {
            return self.fields(Ends::Brace, depth + 1);
        }
        let word = self.skip(|c| !c.is_whitespace() && !",:{}[]".contains(c));
        words(word, at)
    }
}

fn typed(name: &str, format: Option<&str>) -> Map<String, Value> {
    let mut schema = Map::from_iter([("type".to_owned(), Value::from(name))]);
    if let Some(format) = format {
        schema.insert("format".to_owned(), Value::from(format));
    }
    schema
}

const UNKNOWN: &str =
    "this is no type: str, int, float, bool, date, datetime, email, uri, uuid, [T], {…}, or a choice a|b|c";

/// `int`, `int|null`, `open|closed`, `open|closed|null`.
fn words(word: &str, at: usize) -> Result<Map<String, Value>, Slip> {
    let mut parts: Vec<&str> = word.split('|').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err((at, UNKNOWN));
    }
    let all = parts.len();
    parts.retain(|part| *part != "null");
    let null = parts.len() < all;
    let known = |part: &str| TYPES.iter().find(|(name, _, _)| *name == part);
    let mut schema = match parts.as_slice() {
        [] => return Ok(typed("null", None)),
        [one] => match known(one) {
            Some((_, name, format)) => typed(name, *format),
            None if null => choice(&parts),
            None => return Err((at, UNKNOWN)),
        },
        several if several.iter().any(|part| known(part).is_some()) => {
            return Err((at, "a choice is between words, and only null goes together with a type"));
        }
        several => choice(several),
    };
    if null {
        if let Some(name) = schema.get_mut("type") {
            *name = Value::Array(vec![name.take(), Value::from("null")]);
        }
        if let Some(Value::Array(choices)) = schema.get_mut("enum") {
            choices.push(Value::Null);
        }
    }
    Ok(schema)
}

fn choice(parts: &[&str]) -> Map<String, Value> {
    let mut schema = typed("string", None);
    let mut choices: Vec<Value> = Vec::new();
    for part in parts {
        let part = Value::from(*part);
        if !choices.contains(&part) {
            choices.push(part);
        }
    }
    schema.insert("enum".to_owned(), Value::Array(choices));
    schema
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schema::preflight;

    fn fields(text: &str) -> String {
        let schema = schema(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        preflight::check(&schema).unwrap();
        let required = json::canonical(schema.get("required").unwrap_or(&Value::Null));
        format!("{} {required}", json::canonical(schema.get("properties").unwrap()))
    }

    #[test]
    fn what_llm_takes_means_the_same() {
        for (text, want) in [
            ("name", r#"{"name":{"type":"string"}} ["name"]"#),
            ("name, age int", r#"{"age":{"type":"integer"},"name":{"type":"string"}} ["name","age"]"#),
            (
                "a float,b bool , c str",
                r#"{"a":{"type":"number"},"b":{"type":"boolean"},"c":{"type":"string"}} ["a","b","c"]"#,
            ),
            (
                "age int: in years, x",
                r#"{"age":{"description":"in years","type":"integer"},"x":{"type":"string"}} ["age","x"]"#,
            ),
            (
                "name: first, middle",
                r#"{"middle":{"type":"string"},"name":{"description":"first","type":"string"}} ["name","middle"]"#,
            ),
            ("name: a [b, c", r#"{"c":{"type":"string"},"name":{"description":"a [b","type":"string"}} ["name","c"]"#),
            (
                "name: first, middle\nage int: x: y\n\n",
                r#"{"age":{"description":"x: y","type":"integer"},"name":{"description":"first, middle","type":"string"}} ["name","age"]"#,
            ),
            (",name,,", r#"{"name":{"type":"string"}} ["name"]"#),
        ] {
            assert_eq!(fields(text), want, "{text:?}");
        }
    }

    #[test]
    fn what_goes_beyond() {
        for (text, want) in [
            ("name?, x", r#"{"name":{"type":"string"},"x":{"type":"string"}} ["x"]"#),
            (
                "tags [str]: words, n [[int]]",
                r#"{"n":{"items":{"items":{"type":"integer"},"type":"array"},"type":"array"},"tags":{"description":"words","items":{"type":"string"},"type":"array"}} ["tags","n"]"#,
            ),
            (
                "s open|closed|open: state",
                r#"{"s":{"description":"state","enum":["open","closed"],"type":"string"}} ["s"]"#,
            ),
            (
                "s a|b|null, n int|null",
                r#"{"n":{"type":["integer","null"]},"s":{"enum":["a","b",null],"type":["string","null"]}} ["s","n"]"#,
            ),
            (
                "d date, m email",
                r#"{"d":{"format":"date","type":"string"},"m":{"format":"email","type":"string"}} ["d","m"]"#,
            ),
            (
                "a {b: x, c? int}: y",
                r#"{"a":{"additionalProperties":false,"description":"y","properties":{"b":{"description":"x","type":"string"},"c":{"type":"integer"}},"required":["b"],"type":"object"}} ["a"]"#,
            ),
            (
                "l [{a, b int}]",
                r#"{"l":{"items":{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a","b"],"type":"object"},"type":"array"}} ["l"]"#,
            ),
            (
                "a {\n  b: x, y\n  c\n}\nd,\n",
                r#"{"a":{"additionalProperties":false,"properties":{"b":{"description":"x, y","type":"string"},"c":{"type":"string"}},"required":["b","c"],"type":"object"},"d":{"type":"string"}} ["a","d"]"#,
            ),
        ] {
            assert_eq!(fields(text), want, "{text:?}");
        }
    }

    #[test]
    fn errors_point_at_their_column() {
        for (text, line, column) in [
            ("", 1, 1),
            ("name, age itn", 1, 11),
            ("name, name", 1, 7),
            ("ä, b [int", 1, 10),
            ("a {b", 1, 5),
            ("a\nb int extra", 2, 7),
            ("a, b\nc", 1, 2),
            ("a int|str", 1, 3),
            ("a b||c", 1, 3),
            ("a }", 1, 3),
            ("\"a\"", 1, 1),
        ] {
            let at = schema(text).expect_err(text).position;
            assert_eq!((at.line, at.column), (line, column), "{text:?}");
        }
        assert!(schema(&"a [".repeat(50)).is_err());
        assert!(schema(&format!("a {}int{}", "[".repeat(5_000), "]".repeat(5_000))).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_legal_schema_or_an_error(text in "[a-cé?:,|{}\\[\\] \n\"]{0,40}|(a|b|int|null|[|{?:, \n}]|){0,20}") {
            if let Ok(schema) = schema(&text) {
                prop_assert!(preflight::check(&schema).is_ok(), "{}", json::canonical(&schema));
            }
        }
    }
}
