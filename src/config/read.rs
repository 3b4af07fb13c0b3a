//! One config file: TOML text → settings with their places, checked against the table. Collects every error.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::address::address_fault;
use super::keys::{self, Key, Kind, Place};
use super::nearest::nearest;
use super::{ConfigError, Origin, Setting, SettingValue};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Project,
}

/// Tables in a config nest three deep; a file that nests deeper is refused before it costs stack.
const MAX_DEPTH: usize = 8;

/// Reads the text of one file.
#[must_use]
pub fn read(file: &Path, text: &str, role: Role) -> (Vec<Setting>, Vec<ConfigError>) {
    let mut reader = Reader { file, text, role, settings: Vec::new(), errors: Vec::new() };
    let (table, syntax) = DeTable::parse_recoverable(text);
    for error in syntax {
        // The parser's own words hold no piece of the file; only its first line is a sentence.
        let message = error.message().lines().next().unwrap_or("this is no TOML").to_owned();
        reader.error(error.span().unwrap_or(0..0), message, None);
    }
    // A broken file is read no further: what follows from the break would only mislead.
    if reader.errors.is_empty() {
        reader.table(&mut Vec::new(), table.get_ref());
    }
    let Reader { settings, mut errors, .. } = reader;
    errors.sort_by_key(|e| (e.line, e.column));
    (settings, errors)
}

struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    role: Role,
    settings: Vec<Setting>,
    errors: Vec<ConfigError>,
}

impl Reader<'_> {
    /// Nesting is bounded by [`MAX_DEPTH`].
    fn table(&mut self, path: &mut Vec<String>, table: &DeTable<'_>) {
        for (name, value) in table {
            path.push(name.get_ref().to_string());
            self.entry(path, name.span(), value);
            path.pop();
        }
    }

    fn entry(&mut self, path: &mut Vec<String>, name: Range<usize>, value: &Spanned<DeValue<'_>>) {
        if self.role == Role::Project && keys::user_only_below(path) {
            let message =
                format!("a project file may not set `{}`: keys, commands and endpoints are the user's", show(path));
            let advice = "move it to your own config file: `formwork config path` names it".to_owned();
            return self.error(name, message, Some(advice));
        }
        match (keys::place(path), value.get_ref()) {
            (Place::Nowhere, _) => self.unknown(path, name),
            (Place::Table, DeValue::Table(below)) if path.len() < MAX_DEPTH => self.table(path, below),
            (Place::Table, _) => self.error(value.span(), format!("`{}` must be a table", show(path)), None),
            (Place::Value(key), found) => match accept(key.kind, found) {
                Ok(value_read) => self.setting(path, key, value.span(), value_read),
                Err(wanted) => {
                    let message = format!("`{}` must be {wanted}", show(path));
                    self.error(value.span(), message, advice(key.kind, found));
                }
            },
        }
    }

    fn setting(&mut self, path: &[String], key: &'static Key, span: Range<usize>, value: SettingValue) {
        let (line, _) = line_column(self.text, span.start);
        let origin = Origin::File { file: self.file.to_owned(), line };
        self.settings.push(Setting { path: path.to_vec(), value, origin, about: key.about });
    }

    fn unknown(&mut self, path: &[String], span: Range<usize>) {
        let (name, table) = path.split_last().map_or(("", path), |(name, table)| (name.as_str(), table));
        let known = keys::names_below(table);
        let advice = if name.contains("key") && !table.is_empty() && known.contains(&"api_key_env") {
            Some("keys are never written in a file: name the variable that holds it, api_key_env = \"…\"".to_owned())
        } else if let Some(near) = nearest(name, known.iter().copied()) {
            Some(format!("did you mean `{near}`?"))
        } else {
            Some(format!("known here: {}", known.join(", ")))
        };
        self.error(span, format!("unknown key `{}`", show(path)), advice);
    }

    fn error(&mut self, span: Range<usize>, message: String, advice: Option<String>) {
        let (line, column) = line_column(self.text, span.start);
        let file = self.file.to_owned();
        self.errors.push(ConfigError { file, line: Some(line), column: Some(column), message, advice });
    }
}

/// A path as it is written: `providers.lab.base_url`, with names quoted where TOML needs it.
#[must_use]
pub fn show(path: &[String]) -> String {
    let bare = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    let quoted = |name: &String| if bare(name) { name.clone() } else { format!("{name:?}") };
    path.iter().map(quoted).collect::<Vec<_>>().join(".")
}

/// Takes a value of the right kind, or says what it must be. Never repeats the value: it may be a pasted secret.
fn accept(kind: Kind, found: &DeValue<'_>) -> Result<SettingValue, String> {
    let text = || found.as_str().map(str::to_owned);
    let value = match kind {
        Kind::Text => text().filter(|t| !t.is_empty()).map(SettingValue::Text),
        Kind::Word(words) => text().filter(|t| words.contains(&t.as_str())).map(SettingValue::Text),
        Kind::Whole(least, most) => whole(found).filter(|n| (least..=most).contains(n)).map(SettingValue::Whole),
        Kind::Switch => found.as_bool().map(SettingValue::Switch),
        Kind::Texts => texts(found).map(SettingValue::Texts),
        Kind::TextOrTexts => text().map(|t| vec![t]).or_else(|| texts(found)).map(SettingValue::Texts),
        Kind::Address => text().filter(|t| address_fault(t).is_none()).map(SettingValue::Text),
        Kind::Variable => text().filter(|t| is_variable(t)).map(SettingValue::Text),
    };
    value.ok_or_else(|| wanted(kind, found))
}

fn wanted(kind: Kind, found: &DeValue<'_>) -> String {
    match kind {
        Kind::Text => "a text that is not empty".to_owned(),
        Kind::Word(words) => {
            format!("one of {}", words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", "))
        }
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Switch => "true or false".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::TextOrTexts => "a text or a list of texts".to_owned(),
        Kind::Address => found.as_str().and_then(address_fault).unwrap_or("an http:// or https:// address").to_owned(),
        Kind::Variable => "the name of an environment variable (letters, digits, _)".to_owned(),
    }
}

fn advice(kind: Kind, found: &DeValue<'_>) -> Option<String> {
    match (kind, found.as_str()) {
        (Kind::Word(words), Some(typed)) => {
            nearest(typed, words.iter().copied()).map(|near| format!("did you mean {near:?}?"))
        }
        (Kind::Variable, Some(_)) => Some("the key itself belongs in the environment, never in a file".to_owned()),
        _ => None,
    }
}

fn whole(found: &DeValue<'_>) -> Option<u64> {
    let number = found.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn texts(found: &DeValue<'_>) -> Option<Vec<String>> {
    found.as_array()?.iter().map(|v| v.get_ref().as_str().map(str::to_owned)).collect()
}

/// The name of an environment variable, as shells take it.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let starts = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Line and column of a byte offset, both from 1; the column counts characters.
fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}
