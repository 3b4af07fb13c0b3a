//! Where functions lie: the project's folder `formwork/functions`, then the user's. The project's go first.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::sections::{Parts, SCHEMA};
use super::{Fault, Function, Schema, is_name, read};
use crate::config::Paths;
use crate::config::nearest::nearest;
use crate::json::{self, Position};
use crate::schema::source::{Form, Named};
use crate::schema::{SchemaError, preflight};

/// A function's file, schema and all.
const MAX_FILE: u64 = 8 * 1024 * 1024;
/// More functions are not looked at.
const MAX_FILES: usize = 1_000;
const ENDING: &str = "md";

/// The folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    folders: Vec<PathBuf>,
}

/// Why there is no function to run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("{0:?} cannot name a function: letters, digits, _ and -, at most 64, no digit first")]
    NoName(String),
    #[error("there is no function {name:?}{}", near.as_ref().map_or(String::new(), |near| format!(": did you mean {near}?")))]
    Unknown { name: String, near: Option<String> },
    #[error(transparent)]
    Broken(#[from] Fault),
}

impl Shelf {
    /// The folders that the places name.
    #[must_use]
    pub fn new(paths: &Paths) -> Self {
        let all = [&paths.functions, &paths.user_functions];
        Self { folders: all.into_iter().filter(|folder| !folder.as_os_str().is_empty()).cloned().collect() }
    }

    /// The folders, the first one first looked into.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Every function by its name, broken ones with what is wrong.
    #[must_use]
    pub fn list(&self) -> Vec<(String, Result<Function, Fault>)> {
        self.files().into_iter().map(|(name, file)| (name.clone(), open(&name, &file))).collect()
    }

    /// Reads a function.
    ///
    /// # Errors
    /// [`Missing`]: no such name, or a broken file.
    pub fn find(&self, name: &str) -> Result<Function, Missing> {
        if !is_name(name) {
            return Err(Missing::NoName(name.chars().take(64).collect()));
        }
        let mut files = self.files();
        if let Some(file) = files.remove(name) {
            return Ok(open(name, &file)?);
        }
        let near = nearest(name, files.keys().map(String::as_str)).map(str::to_owned);
        Err(Missing::Unknown { name: name.to_owned(), near })
    }

    /// Reads a function from any file, named after it.
    ///
    /// # Errors
    /// As [`Shelf::find`].
    pub fn open(file: &Path) -> Result<Function, Missing> {
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if !is_name(name) {
            return Err(Missing::NoName(name.chars().take(64).collect()));
        }
        Ok(open(name, file)?)
    }

    /// The file of a function, broken or not.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.files().remove(name)
    }

    /// The files by the names of their functions. A folder that cannot be read holds none.
    fn files(&self) -> BTreeMap<String, PathBuf> {
        let mut files = BTreeMap::new();
        for folder in self.folders.iter().rev() {
            let Ok(entries) = fs_err::read_dir(folder) else { continue };
            for path in entries.take(MAX_FILES).filter_map(|entry| Some(entry.ok()?.path())) {
                let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let ends = path.extension().is_some_and(|end| end == ENDING);
                if ends && is_name(name) && !name.eq_ignore_ascii_case("readme") && path.is_file() {
                    files.insert(name.to_owned(), path.clone());
                }
            }
        }
        files
    }
}

/// Reads a function from its file, and checks it.
fn open(name: &str, file: &Path) -> Result<Function, Fault> {
    read(name, file, &text_of(file).map_err(|why| Fault::new(file, None, why))?)
}

/// A file's text, bounded.
fn text_of(file: &Path) -> Result<String, String> {
    let reason = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => format!("cannot be read: {kind}"),
    };
    let open = fs_err::File::open(file).map_err(|error| reason(&error))?;
    if !open.metadata().is_ok_and(|about| about.is_file()) {
        return Err("is no file".to_owned());
    }
    let mut bytes = Vec::new();
    open.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("is longer than {MAX_FILE} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// The schema of a function: what stands below `# Schema`, or in the file that the settings name.
pub(super) fn schema(
    file: &Path,
    whole: &str,
    parts: &Parts,
    named: Option<&(String, Position)>,
) -> Result<Option<Schema>, Fault> {
    match (named, &parts.schema) {
        (Some((_, at)), Some(_)) => {
            let fault =
                Fault::new(file, Some(*at), format!("the schema is given twice: by `schema` and below `{SCHEMA}`"));
            Err(fault.advised("keep one of them"))
        }
        (Some((path, at)), None) => beside(file, path, *at).map(Some),
        (None, Some((piece, word))) => {
            let form = match Form::of_name(&format!(".{word}")) {
                Named::Form(form) => form,
                Named::Unread(_) | Named::Unknown => Form::sniff(&piece.text),
            };
            let checked = preflight::check_source(&piece.text, form);
            let checked = checked.map_err(|errors| {
                let at = |error: &SchemaError| error.position.map(|at| json::position(whole, piece.offset + at.offset));
                illegal(file, &errors, |error| at(error).or(parts.schema_at))
            })?;
            Ok(Some(Schema { checked, text: piece.text.clone(), form, source: None }))
        }
        (None, None) => Ok(None),
    }
}

/// A schema in a file of its own, named as seen from the function's file.
fn beside(file: &Path, path: &str, at: Position) -> Result<Schema, Fault> {
    let source = file.parent().unwrap_or(Path::new(".")).join(path);
    let form = match Form::of_name(path) {
        Named::Unread(form) => return Err(Fault::new(file, Some(at), form.message())),
        Named::Form(form) => Some(form),
        Named::Unknown => None,
    };
    let text = text_of(&source).map_err(|why| {
        let fault = Fault::new(file, Some(at), format!("the schema {path:?}: {why}"));
        fault.advised("the path is read from the folder of the function's file")
    })?;
    let form = form.unwrap_or_else(|| Form::sniff(&text));
    let checked = preflight::check_source(&text, form);
    let checked = checked.map_err(|errors| illegal(&source, &errors, |error| error.position))?;
    Ok(Schema { checked, text, form, source: Some(source) })
}

fn illegal(file: &Path, errors: &[SchemaError], place: impl Fn(&SchemaError) -> Option<Position>) -> Fault {
    let Some(first) = errors.first() else { return Fault::new(file, None, "the schema was refused") };
    let path = if first.path.is_empty() { String::new() } else { format!(" (at {:?})", first.path) };
    Fault::new(file, place(first), format!("the schema is not legal: {}{path}", first.message))
}
