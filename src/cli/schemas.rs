//! `formwork schemas …`: the versions of schemas that were run, from the store in the data folder.

use std::fmt::Write as _;
use std::io::BufRead as _;
use std::path::Path;

use serde_json::json;

use super::args::{PlaceArgs, ReadArgs, SchemasAction, ValidateFormat};
use super::failure::{Exit, Failure, Outcome, Stop};
use super::input::Source;
use super::{config_failure, output, schema_file};
use crate::config::{self, Config};
use crate::event::ErrorCode;
use crate::json::Value;
use crate::store::compare::{Side, compare, told};
use crate::store::{self, Scope, Store, StoreError, Version, moment, real_name};
use crate::text;

/// Characters of a hash that are shown; its beginning is taken everywhere.
const SHORT: usize = 12;

/// Runs one of the actions.
pub(super) fn run(action: &SchemasAction, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    match action {
        SchemasAction::List { json, all_projects } => list(&config, *json, *all_projects),
        SchemasAction::Show { version } => {
            let store = there(&config)?;
            let hash = which(&store, version)?;
            let text = store.written(&hash).map_err(|error| unusable(&error))?.unwrap_or_default();
            output::result(text.as_bytes())?;
            if !text.ends_with('\n') {
                output::result(b"\n")?;
            }
            Ok(Exit::Done)
        }
        SchemasAction::Diff { old, new, format } => difference(&config, old, new, *format),
        SchemasAction::Name { version, name } => rename(&config, version, name),
        SchemasAction::Rm { version, yes } => remove(&config, version, *yes),
    }
}

/// What changed from one to the other.
fn difference(config: &Config, old: &str, new: &str, format: ValidateFormat) -> Outcome {
    let store = open(config)?;
    let (old, new) = (side(store.as_ref(), old)?, side(store.as_ref(), new)?);
    let (before, after) = (Side { name: &old.0, written: &old.1 }, Side { name: &new.0, written: &new.1 });
    let diff = compare(before, after).map_err(|message| {
        Failure::new(ErrorCode::InvalidSchema, message).fact("next", "formwork check FILE says what is wrong with it")
    })?;
    match format {
        ValidateFormat::Human => output::result(text::safe_keep_lines(&told(before, after, &diff)).as_bytes())?,
        ValidateFormat::Json => {
            let (verdict, changes) = (diff.verdict, &diff.changes);
            let report = json!({
                "old": old.0, "new": new.0, "verdict": verdict, "changes": changes, "omitted": diff.omitted,
            });
            output::line(&format!("{report:#}"))?;
        }
    }
    Ok(Exit::Done)
}

/// Name and text of a version or a file. What is known to the store comes first; `./NAME` is always a file.
fn side(store: Option<&Store>, word: &str) -> Result<(String, String), Failure> {
    let known = store.map(|store| store.which(word)).transpose().map_err(|error| unusable(&error))?;
    match (known, store) {
        (Some(Ok(hash)), Some(store)) => {
            let text = store.written(&hash).map_err(|error| unusable(&error))?.unwrap_or_default();
            Ok((hash.chars().take(SHORT).collect(), text))
        }
        (Some(Err(error)), _) if !Path::new(word).is_file() => Err(Failure::config(format!("{word}: {error}"))
            .fact("or", "there is no such file either")
            .fact("next", "formwork schemas list --all-projects")),
        _ => {
            let loaded = schema_file::load(&Source::new(Path::new(word)), &ReadArgs::default())?;
            Ok((loaded.name, loaded.text))
        }
    }
}

/// The store; one that is not there yet is not begun.
fn open(config: &Config) -> Result<Option<Store>, Failure> {
    let data_dir = &config.paths.data_dir;
    if !store::exists(data_dir) {
        return Ok(None);
    }
    let (store, notes) = store::open(data_dir, store::now()).map_err(|error| unusable(&error))?;
    for note in notes {
        output::say(&format!("note: {note}\n"));
    }
    Ok(Some(store))
}

fn there(config: &Config) -> Result<Store, Failure> {
    open(config)?.ok_or_else(|| {
        Failure::config("no schema was run yet: there is no store")
            .fact("data", config.paths.data_dir.display().to_string())
            .fact("next", "formwork --print PROMPT --json-schema FILE runs one")
    })
}

fn unusable(error: &StoreError) -> Failure {
    let next = match error {
        StoreError::File { .. } => "check the rights of the data folder: formwork config path names it",
        StoreError::Newer { .. } => "use the newer formwork, or another folder with --data-dir",
        StoreError::Held { .. } | StoreError::Database(_) => "try again when no other formwork is writing",
    };
    Failure::config(format!("the store cannot be used: {error}")).exits(Exit::Failed).fact("next", next)
}

/// The hash a word means.
fn which(store: &Store, word: &str) -> Result<String, Failure> {
    let found = store.which(word).map_err(|error| unusable(&error))?;
    found.map_err(|error| Failure::config(error.to_string()).fact("next", "formwork schemas list --all-projects"))
}

fn list(config: &Config, json: bool, all_projects: bool) -> Outcome {
    let project = real_name(&std::env::current_dir().unwrap_or_default());
    let scope = if all_projects { Scope::All } else { Scope::Project(&project) };
    let versions = match open(config)? {
        Some(store) => store.versions(scope).map_err(|error| unusable(&error))?,
        None => Vec::new(),
    };
    if json {
        let rows: Vec<Value> = versions.iter().map(as_json).collect();
        output::line(&format!("{:#}", Value::Array(rows)))?;
        return Ok(Exit::Done);
    }
    if versions.is_empty() {
        let next = if all_projects { "" } else { " in this folder (--all-projects lists those of all)" };
        output::say(&format!("no schema was run{next}\n"));
        return Ok(Exit::Done);
    }
    output::result(table(&versions).as_bytes())?;
    Ok(Exit::Done)
}

fn as_json(version: &Version) -> Value {
    json!({
        "hash": version.hash,
        "name": version.name,
        "title": version.title,
        "files": version.sources,
        "first_ms": version.first,
        "last_ms": version.last,
        "runs": version.runs,
        "accepted": version.passes,
    })
}

fn table(versions: &[Version]) -> String {
    let mut table =
        format!("{:<14}{:<18}{:<18}{:>5} {:>9}  what\n", "hash", "first run (UTC)", "last run", "runs", "accepted");
    for version in versions {
        let hash: String = version.hash.chars().take(SHORT).collect();
        let (first, last) = (moment(version.first), moment(version.last));
        let row =
            format!("{hash:<14}{first:<18}{last:<18}{:>5} {:>9}  {}", version.runs, version.passes, what(version));
        let _ = writeln!(table, "{}", text::safe(&row));
    }
    table
}

/// What a version is called: its name, its title, the file it was last run from.
fn what(version: &Version) -> String {
    version.name.as_ref().map_or_else(|| version.what(), |name| format!("[{name}] {}", version.what()))
}

fn rename(config: &Config, version: &str, name: &str) -> Outcome {
    if let Some(fault) = store::name_fault(name) {
        return Err(Failure::config(fault).into());
    }
    let mut store = there(config)?;
    let hash = which(&store, version)?;
    if let Some(before) = store.rename(&hash, name).map_err(|error| unusable(&error))? {
        let before: String = before.chars().take(SHORT).collect();
        output::say(&format!("note: {before} had this name; it has none now\n"));
    }
    Ok(Exit::Done)
}

fn remove(config: &Config, version: &str, yes: bool) -> Outcome {
    let mut store = there(config)?;
    let hash = which(&store, version)?;
    let short: String = hash.chars().take(SHORT).collect();
    if !yes && !agreed(&short, version)? {
        return Err(Failure::config("nothing was removed").into());
    }
    let gone = store.remove(&hash).map_err(|error| unusable(&error))?;
    output::say(&format!("removed {short} and {gone} answers\n"));
    Ok(Exit::Done)
}

/// Asks, where there is somebody to ask.
fn agreed(short: &str, version: &str) -> Result<bool, Stop> {
    if !(output::stdin_is_terminal() && output::stderr_is_terminal()) {
        let message = "without a terminal to ask, removing must be allowed by --yes";
        return Err(Failure::config(message).fact("next", format!("formwork schemas rm {version} --yes")).into());
    }
    output::say(&format!("remove {short} with its runs and answers, in all folders? [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    Ok(read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes"))
}
