//! The settings of a function's file: TOML, every key known, every error with its place.

use std::path::Path;

use super::sections::Parts;
use super::{Fault, Kind, Settings, Var, is_variable};
use crate::config::nearest::nearest;
use crate::json::{self, Map, ParseLimits, Part, Position, Value, push_token};
use crate::schema::Fallback;
use crate::schema::project::Level;
use crate::schema::source::{self, Document, Form};

/// What the settings say.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) about: Option<String>,
    pub(super) model: Option<String>,
    pub(super) settings: Settings,
    pub(super) vars: Vec<Var>,
    /// The file of the schema, and where it is named.
    pub(super) schema: Option<(String, Position)>,
}

const KEYS: [&str; 10] = [
    "description",
    "model",
    "schema",
    "fallback",
    "project",
    "max_retries",
    "max_validation_retries",
    "max_iterations",
    "timeout_seconds",
    "vars",
];
const VAR_KEYS: [&str; 3] = ["description", "type", "default"];
/// A day.
const MAX_SECONDS: u64 = 86_400;
const LIMITS: ParseLimits = ParseLimits { max_bytes: 1024 * 1024, max_depth: 32 };

struct Reader<'a> {
    file: &'a Path,
    /// The whole file.
    whole: &'a str,
    /// The settings alone, and where they begin.
    text: &'a str,
    offset: usize,
    document: Document,
}

/// Reads the settings.
pub(super) fn read(file: &Path, whole: &str, parts: &Parts) -> Result<Front, Fault> {
    let (text, offset) = (parts.front.text.as_str(), parts.front.offset);
    let document = source::read(text, Form::Toml, LIMITS).map_err(|error| {
        Fault::new(file, Some(json::position(whole, offset + error.position.offset)), error.message)
    })?;
    let reader = Reader { file, whole, text, offset, document };
    let Value::Object(members) = &reader.document.value else { return Ok(Front::default()) };
    reader.front(members)
}

impl Reader<'_> {
    fn front(&self, members: &Map<String, Value>) -> Result<Front, Fault> {
        let mut front = Front::default();
        for (key, value) in members {
            let path = [key.as_str()];
            match key.as_str() {
                "description" => front.about = Some(self.line(&path, value)?),
                "model" => front.model = Some(self.line(&path, value)?),
                "schema" => front.schema = Some((self.line(&path, value)?, self.at(&path, Part::Value))),
                "fallback" => {
                    let all = [("auto", Fallback::Auto), ("none", Fallback::None), ("prompt", Fallback::Prompt)];
                    front.settings.fallback = Some(self.word(&path, value, &all)?);
                }
                "project" => {
                    let all = [("exact", Level::Exact), ("narrow", Level::Narrow), ("relax", Level::Relax)];
                    front.settings.level = Some(self.word(&path, value, &all)?);
                }
                "max_retries" => front.settings.max_retries = Some(self.small(&path, value, 1, 1_000)?),
                "max_validation_retries" => {
                    front.settings.max_validation_retries =
                        Some(u8::try_from(self.whole(&path, value, 0, 1)?).unwrap_or(1));
                }
                "max_iterations" => front.settings.max_iterations = Some(self.small(&path, value, 1, 10_000)?),
                "timeout_seconds" => front.settings.timeout_seconds = Some(self.whole(&path, value, 1, MAX_SECONDS)?),
                "vars" => front.vars = self.vars(value)?,
                _ => return Err(self.unknown(&path, &KEYS)),
            }
        }
        Ok(front)
    }

    fn vars(&self, value: &Value) -> Result<Vec<Var>, Fault> {
        let Value::Object(members) = value else {
            return Err(self.wrong(&["vars"], "must be a table: write [vars.NAME] for each variable"));
        };
        members.iter().map(|(name, value)| self.var(name, value)).collect()
    }

    fn var(&self, name: &str, value: &Value) -> Result<Var, Fault> {
        let path = ["vars", name];
        if !is_variable(name) {
            let fault = self.fault(&path, Part::Key, "this cannot name a variable");
            return Err(fault.advised("use letters, digits and _, and no word of the template language"));
        }
        let Value::Object(members) = value else {
            return Err(self.wrong(&path, "must be a table with description, type or default"));
        };
        let mut var = Var { name: name.to_owned(), kind: Kind::Text, about: None, default: None };
        for (key, value) in members {
            let path = ["vars", name, key.as_str()];
            match key.as_str() {
                "description" => var.about = Some(self.line(&path, value)?),
                "type" => var.kind = self.word(&path, value, &Kind::ALL.map(|kind| (kind.name(), kind)))?,
                "default" => var.default = Some(value.clone()),
                _ => return Err(self.unknown(&path, &VAR_KEYS)),
            }
        }
        match &var.default {
            Some(value) if !var.kind.holds(value) => {
                let message = format!("must be a {}, as `type` says", var.kind.name());
                Err(self.wrong(&["vars", name, "default"], &message))
            }
            _ => Ok(var),
        }
    }

    /// A text of one line.
    fn line(&self, path: &[&str], value: &Value) -> Result<String, Fault> {
        let text = value.as_str().filter(|text| !text.trim().is_empty() && !text.contains('\n'));
        text.map(str::to_owned).ok_or_else(|| self.wrong(path, "must be a text of one line that is not empty"))
    }

    fn word<T: Copy>(&self, path: &[&str], value: &Value, all: &[(&'static str, T)]) -> Result<T, Fault> {
        let found = value.as_str().and_then(|word| all.iter().find(|(name, _)| *name == word));
        found.map(|(_, what)| *what).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            self.wrong(path, &format!("must be one of {}", names.join(", ")))
        })
    }

    fn whole(&self, path: &[&str], value: &Value, least: u64, most: u64) -> Result<u64, Fault> {
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.wrong(path, &format!("must be a whole number from {least} to {most}")))
    }

    fn small(&self, path: &[&str], value: &Value, least: u64, most: u64) -> Result<u32, Fault> {
        Ok(u32::try_from(self.whole(path, value, least, most)?).unwrap_or(u32::MAX))
    }

    fn wrong(&self, path: &[&str], what: &str) -> Fault {
        self.fault(path, Part::Value, format!("`{}` {what}", path.join(".")))
    }

    fn unknown(&self, path: &[&str], known: &[&'static str]) -> Fault {
        let name = path.last().copied().unwrap_or_default();
        let fault = self.fault(path, Part::Key, format!("there is no setting `{}`", path.join(".")));
        fault.advised(match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", known.join(", ")),
        })
    }

    fn fault(&self, path: &[&str], part: Part, message: impl Into<String>) -> Fault {
        Fault::new(self.file, Some(self.at(path, part)), message)
    }

    /// Where a member stands in the whole file.
    fn at(&self, path: &[&str], part: Part) -> Position {
        let mut pointer = String::new();
        for token in path {
            push_token(&mut pointer, token);
        }
        let span = self.document.locate(self.text, &pointer, part).or_else(|| self.document.mark(self.text, &pointer));
        json::position(self.whole, self.offset + span.map_or(0, |span| span.start))
    }
}
