//! A schema from the command line: read in the form it has, named in every message, checked before anything else happens.
//! What is no schema is said to be what it is, with the parts that can be taken out of it.

use super::args::ReadArgs;
use super::failure::{self, Failure};
use super::input::{MAX_SCHEMA, Source};
use crate::event::ErrorCode;
use crate::json::{Hint, ParseError, Position, Value, pretty, resolve};
use crate::schema::foreign::{self, Foreign};
use crate::schema::source::{self, Document, Form, Named};
use crate::schema::{Checked, SchemaError, preflight};
use crate::text::ends::{Ends, Lead, MARK};

/// Parts that an error names.
const MAX_TOLD: usize = 20;

/// A schema's text and what messages call it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) form: Form,
    /// Did a byte order mark lead the file? It is no part of the text, and is written again.
    pub(super) lead: Lead,
    read: Result<Document, ParseError>,
    part: Option<Part>,
}

/// What was taken out of the document.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    schema: Value,
    /// Where it stands, and in what; a part that was made stands nowhere.
    place: Option<(String, Document)>,
}

/// Reads a schema file or standard input.
pub(super) fn load(source: &Source, args: &ReadArgs) -> Result<Loaded, Failure> {
    let named = match source {
        Source::File(path) => Form::of_name(&path.to_string_lossy()),
        Source::Stdin => Named::Unknown,
    };
    let form = match (args.form(), named) {
        (Some(form), _) | (None, Named::Form(form)) => Some(form),
        (None, Named::Unknown) => None,
        (None, Named::Unread(form)) => {
            let message = format!("{}: {}", source.name(), form.message());
            return Err(Failure::new(ErrorCode::InvalidSchema, message));
        }
    };
    let text = source.text(MAX_SCHEMA, ErrorCode::InvalidSchema)?;
    let form = form.unwrap_or_else(|| Form::sniff(text.strip_prefix(MARK).unwrap_or(&text)));
    let loaded = Loaded::new(source.name(), &text, form);
    match &args.pick {
        Some(wanted) => loaded.pick(wanted),
        None => Ok(loaded),
    }
}

impl Loaded {
    pub(super) fn new(name: String, text: &str, form: Form) -> Self {
        let lead = Ends::of(text).lead;
        let text = text.strip_prefix(MARK).unwrap_or(text).to_owned();
        let read = source::read(&text, form, preflight::TEXT_LIMITS);
        Self { name, text, form, lead, read, part: None }
    }

    /// Where edits of the document go in the text: below this pointer. Or why the text cannot be edited in place.
    pub(super) fn in_place(&self) -> Result<&str, String> {
        match self.form {
            Form::Json | Form::Jsonc => {}
            Form::Yaml | Form::Toml => {
                return Err(format!("it is {}, which is not edited in place", self.form.title()));
            }
        }
        let Some(part) = &self.part else { return Ok("") };
        let stands = part.place.as_ref().filter(|(at, document)| resolve(&document.value, at) == Some(&part.schema));
        match stands {
            Some((at, _)) => Ok(at),
            None => Err("the part that was taken does not stand in it as it is".to_owned()),
        }
    }

    /// The file with another text, if that holds the wanted document where this one's stands.
    pub(super) fn rewritten(&self, text: &str, wanted: &Value) -> Option<String> {
        let read = source::read(text, self.form, preflight::TEXT_LIMITS).ok()?;
        let holds = match self.part.as_ref().and_then(|part| part.place.as_ref()) {
            Some((at, _)) => foreign::take(&read.value, at).is_some_and(|part| part == *wanted),
            None => read.value == *wanted,
        };
        // The lines end as the text has them.
        holds.then(|| Ends { lead: self.lead, ..Ends::default() }.write(text))
    }

    /// The verdict of preflight.
    pub(super) fn verdict(&self) -> Result<Checked, Vec<SchemaError>> {
        match (&self.part, &self.read) {
            (Some(part), _) => {
                let base = part.place.as_ref().map_or("", |(base, _)| base);
                preflight::check_part(&part.schema, base, |path| {
                    let (_, document) = part.place.as_ref()?;
                    preflight::mark(&self.text, document, path)
                })
            }
            (None, Ok(document)) => {
                preflight::check_part(&document.value, "", |path| preflight::mark(&self.text, document, path))
            }
            (None, Err(error)) => Err(vec![preflight::unreadable(error.clone())]),
        }
    }

    /// Where in the text a pointer into the checked document is told.
    pub(super) fn place(&self, path: &str) -> Option<Position> {
        match (&self.part, &self.read) {
            (Some(part), _) => {
                let (base, document) = part.place.as_ref()?;
                preflight::mark(&self.text, document, &format!("{base}{path}"))
            }
            (None, Ok(document)) => preflight::mark(&self.text, document, path),
            (None, Err(_)) => None,
        }
    }

    /// The document's value, or that of the part that was taken.
    pub(super) fn document(&self) -> Result<Value, Failure> {
        match (&self.part, &self.read) {
            (Some(part), _) => Ok(part.schema.clone()),
            (None, Ok(document)) => Ok(document.value.clone()),
            (None, Err(_)) => {
                let message = format!("{} is not {}", self.name, self.form.title());
                Err(Failure::new(ErrorCode::InvalidSchema, message))
            }
        }
    }

    /// What is run: the text, or the part that was taken, laid out.
    pub(super) fn written(&self) -> String {
        self.part.as_ref().map_or_else(|| self.text.clone(), |part| pretty(&part.schema))
    }

    /// As [`Self::verdict`], as an error for a person.
    pub(super) fn check(&self) -> Result<Checked, Failure> {
        self.verdict().map_err(|errors| self.refused(&errors))
    }

    /// What an illegal schema is, and what else the file may hold.
    pub(super) fn refused(&self, errors: &[SchemaError]) -> Failure {
        let mut failure = failure::of_schema(&self.name, errors);
        if self.part.is_some() {
            return failure;
        }
        if let (Form::Json, Err(error)) = (self.form, &self.read)
            && matches!(error.hint, Hint::Comment | Hint::TrailingComma)
            && source::read(&self.text, Form::Jsonc, preflight::TEXT_LIMITS).is_ok()
        {
            let next = "this is JSON with comments: name the file .jsonc, or give --form jsonc";
            return failure.fact("next", next);
        }
        if let Some((found, _)) = foreign::refused(&self.text, self.form, errors) {
            failure = told(failure, &found);
        }
        failure
    }

    /// Takes a part of the file by its name or pointer.
    fn pick(mut self, wanted: &str) -> Result<Self, Failure> {
        let found = foreign::of_text(&self.text, self.form);
        if wanted.is_empty() {
            let failure = Failure::config("--pick names no part");
            return Err(match found {
                Some((found, _)) => told(failure, &found),
                None => failure.fact("next", "name a part, such as /components/schemas/NAME, or leave --pick out"),
            });
        }
        let offered = found.as_ref().and_then(|(found, document)| {
            let offer = found.find(wanted)?;
            let place = document.clone().map(|document| (offer.pointer.clone(), document));
            Some(Part { schema: found.schema(offer), place })
        });
        let pointed = || {
            let document = self.read.as_ref().ok()?;
            let schema = foreign::take(&document.value, wanted)?;
            Some(Part { schema, place: Some((wanted.to_owned(), document.clone())) })
        };
        if let Some(part) = offered.or_else(pointed) {
            self.part = Some(part);
            return Ok(self);
        }
        let failure = match &self.read {
            Err(error) if found.is_none() => failure::of_schema(&self.name, &[preflight::unreadable(error.clone())]),
            _ => Failure::new(ErrorCode::InvalidSchema, format!("{} has no such part", self.name)),
        };
        let failure = failure.fact("part", format!("{wanted:?}"));
        Err(match found {
            Some((found, _)) => told(failure, &found),
            None => failure.fact("next", "give a JSON Pointer to an object, such as /components/schemas/NAME"),
        })
    }
}

/// What it is, and how to take a part of it. Names pointers, never contents.
fn told(failure: Failure, found: &Foreign) -> Failure {
    let mut failure = failure.fact("this is", found.what.name());
    for offer in found.offers.iter().take(MAX_TOLD) {
        let part = if offer.pointer.is_empty() { &offer.label } else { &offer.pointer };
        failure = failure.fact("part", format!("--pick {}", shell_word(part)));
    }
    if found.offers.len() > MAX_TOLD {
        let more = found.offers.len() - MAX_TOLD;
        failure = failure.fact("part", format!("and {more}{} more", if found.cut { " or" } else { "" }));
    }
    match (found.what.advice(), found.offers.is_empty()) {
        (Some(advice), _) => failure.fact("next", advice),
        (None, false) => failure.fact("next", "take one part: add --pick and its pointer or last name"),
        (None, true) => failure,
    }
}

/// A pointer as a shell takes it as one word.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
