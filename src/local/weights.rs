//! The weights on this machine: one folder, one GGUF file a model, its name the file's name without the ending.
//!
//! What lies in the folder under a final name is whole and was checked. Reads names and sizes only; what is in a file is
//! `gguf`'s business.

mod error;
pub mod known;

use std::path::{Path, PathBuf};

pub use self::error::WeightsError;
use self::known::{KNOWN, known};
use crate::catalog::Endpoint;
use crate::config::nearest::by_nearness;

/// How a file of weights ends.
const ENDING: &str = "gguf";

/// The folder with the weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    dir: PathBuf,
}

/// One model that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// As in `local/NAME`.
    pub name: String,
    pub path: PathBuf,
    pub bytes: u64,
}

impl Store {
    /// The store of a data folder; nothing is made or read yet.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self { dir: data_dir.join("models") }
    }

    /// Where the files lie.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What is there, by name. A folder that is missing or cannot be read holds nothing.
    #[must_use]
    pub fn installed(&self) -> Vec<Installed> {
        let Ok(entries) = fs_err::read_dir(&self.dir) else { return Vec::new() };
        let mut found: Vec<_> = entries.filter_map(|entry| installed(entry.ok()?.path())).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The model of that name; `local/NAME` and `NAME.gguf` are the same, and letter case counts only between two.
    ///
    /// # Errors
    /// [`WeightsError::NotInstalled`], naming what there is.
    pub fn find(&self, name: &str) -> Result<Installed, WeightsError> {
        let wanted = bare(name);
        let all = self.installed();
        let exact = all.iter().find(|model| model.name == wanted);
        let found = exact.or_else(|| all.iter().find(|model| model.name.eq_ignore_ascii_case(wanted)));
        found.cloned().ok_or_else(|| not_installed(wanted, all.iter().map(|model| model.name.as_str())))
    }

    /// Where the file of a model is or would be.
    #[must_use]
    pub fn place(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.{ENDING}"))
    }
}

/// The weights of a model at the endpoint `local`, as the catalogue has it.
///
/// # Errors
/// [`WeightsError`]: the model is not there, or its file has gone since the catalogue was made.
pub fn weights_of(endpoint: &Endpoint, model: &str) -> Result<PathBuf, WeightsError> {
    let path = endpoint.weights.get(model).ok_or_else(|| missing(endpoint, model))?;
    if path.is_file() { Ok(path.clone()) } else { Err(WeightsError::Gone(path.clone())) }
}

/// The error for a model that the endpoint `local` has no weights for.
#[must_use]
pub fn missing(endpoint: &Endpoint, model: &str) -> WeightsError {
    not_installed(model, endpoint.weights.keys().map(String::as_str))
}

fn not_installed<'a>(name: &str, installed: impl Iterator<Item = &'a str>) -> WeightsError {
    let installed = by_nearness(name, installed).into_iter().map(str::to_owned).collect();
    WeightsError::NotInstalled { name: name.to_owned(), installed, known: known(name).is_some() }
}

fn installed(path: PathBuf) -> Option<Installed> {
    let name = name_of(&path)?;
    let about = fs_err::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    Some(Installed { name, path, bytes: about.len() })
}

/// The name of a file of weights; hidden files and those that are no text have none.
fn name_of(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_str()?;
    let stem = path.file_stem()?.to_str()?;
    (ending.eq_ignore_ascii_case(ENDING) && !stem.starts_with('.')).then(|| stem.to_owned())
}

/// A name without what people write around it.
fn bare(name: &str) -> &str {
    let name = name.strip_prefix("local/").unwrap_or(name);
    let ending = name.len().checked_sub(ENDING.len() + 1).and_then(|at| name.split_at_checked(at));
    match ending {
        Some((stem, end)) if end.eq_ignore_ascii_case(".gguf") => stem,
        _ => name,
    }
}

/// What is said about a model: the known one's note, else its size.
#[must_use]
pub fn note(name: &str, bytes: u64) -> String {
    known(name).map_or_else(|| size(bytes), |known| format!("{}, {}", size(bytes), known.note))
}

/// A size for people: as the hub and shops write it, in powers of ten.
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes % 1_000_000_000 / 100_000_000),
    }
}

/// The known models that are not there.
pub fn available(store: &Store) -> impl Iterator<Item = &'static known::Known> {
    let there: Vec<String> = store.installed().into_iter().map(|model| model.name.to_ascii_lowercase()).collect();
    KNOWN.iter().filter(move |known| !there.contains(&known.name.to_owned()))
}
