//! Takes a newer catalogue: what models.dev gives out, or a file of it, becomes the packed form in the data folder.

use std::path::{Path, PathBuf};

use super::packed::{flag, number, text, texts, write};
use super::{ListingError, Model, PROVIDERS, Snapshot, document, file, packed};
use crate::capability::Day;
use crate::files::replace;
use crate::json::Value;

/// What was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    pub snapshot: Snapshot,
    pub file: PathBuf,
}

/// Reads, checks, packs and keeps a catalogue. `source` is told in the listing. The kept file is replaced whole or not
/// at all.
///
/// # Errors
/// [`ListingError`]; what was kept stays.
pub fn take(bytes: &[u8], source: &str, data_dir: &Path) -> Result<Taken, ListingError> {
    let document = document(bytes)?;
    // A kept file may be carried from one machine to another.
    let snapshot =
        if document.get("fields").is_some() { packed::read(&document)? } else { published(&document, source)? };
    if snapshot.count() == 0 {
        return Err(ListingError::Foreign("it has no model of a provider this program speaks to"));
    }
    let file = file(data_dir);
    keep(&snapshot, &file).map_err(|error| ListingError::Unwritable(error.kind().to_string()))?;
    Ok(Taken { snapshot, file })
}

fn keep(snapshot: &Snapshot, file: &Path) -> std::io::Result<()> {
    fs_err::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    replace(file, write(snapshot).to_string().as_bytes())
}

/// The document models.dev publishes: providers by name, each with its models by id.
fn published(document: &Value, source: &str) -> Result<Snapshot, ListingError> {
    let all = document.as_object().ok_or(ListingError::Foreign("it is no object"))?;
    let mut snapshot = Snapshot { source: source.to_owned(), ..Snapshot::default() };
    for provider in PROVIDERS {
        let Some(models) = all.get(*provider).and_then(|found| found.get("models")).and_then(Value::as_object) else {
            continue;
        };
        let mut list: Vec<Model> = models.values().filter_map(model).collect();
        list.sort_by(|a, b| a.id.cmp(&b.id));
        list.dedup_by(|a, b| a.id == b.id);
        let days = models.values().filter_map(|m| m.get("last_updated")?.as_str()?.parse::<Day>().ok());
        snapshot.date = snapshot.date.max(days.max());
        snapshot.providers.insert((*provider).to_owned(), list);
    }
    if snapshot.providers.is_empty() {
        return Err(ListingError::Foreign("it names no provider this program speaks to"));
    }
    Ok(snapshot)
}

fn model(found: &Value) -> Option<Model> {
    let part = |outer: &str, inner: &str| found.get(outer).and_then(|value| value.get(inner));
    let switch = |name: &str| found.get(name).and_then(Value::as_bool);
    Some(Model {
        id: text(found.get("id")).filter(|id| !id.is_empty() && !id.chars().any(char::is_control))?,
        name: text(found.get("name")),
        structured_output: flag(found.get("structured_output")),
        tools: switch("tool_call"),
        reasoning: switch("reasoning"),
        attachment: switch("attachment"),
        context: part("limit", "context").and_then(Value::as_u64),
        input: part("limit", "input").and_then(Value::as_u64),
        output: part("limit", "output").and_then(Value::as_u64),
        cost_in: number(part("cost", "input")),
        cost_out: number(part("cost", "output")),
        takes: texts(part("modalities", "input")),
        gives: texts(part("modalities", "output")),
        status: text(found.get("status")),
    })
}
