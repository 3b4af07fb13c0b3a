//! The catalogue of models with prices, limits and flags: a dated snapshot of models.dev (MIT; its notice lies beside
//! the data in `snapshot/`), or a newer one the user took.
//!
//! Read when first needed, once. A flag nobody knows stays unknown. Asks no server.

mod packed;
mod take;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::capability::{Day, ModelFlag};
use crate::json::{Number, ParseLimits, parse_bytes};

pub use self::take::{Taken, take};

/// Made by `snapshot/make.py`.
const BUILT_IN: &[u8] = include_bytes!("snapshot/models.json.gz");
/// A catalogue that is larger than this, unpacked, is something else.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
const LIMITS: ParseLimits = ParseLimits { max_bytes: MAX_BYTES, max_depth: 32 };
/// Where a newer one is kept, in the data folder.
const FILE: &str = "models.json";

/// The names models.dev gives to the providers of [`super::known::KNOWN`].
pub const PROVIDERS: &[&str] =
    &["amazon-bedrock", "anthropic", "azure", "deepseek", "google", "groq", "mistral", "openai", "openrouter", "xai"];

/// One model, as the catalogue knows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    pub id: String,
    pub name: Option<String>,
    pub structured_output: ModelFlag,
    pub tools: Option<bool>,
    pub reasoning: Option<bool>,
    pub attachment: Option<bool>,
    /// Tokens.
    pub context: Option<u64>,
    pub input: Option<u64>,
    pub output: Option<u64>,
    /// US dollars for a million tokens, as written.
    pub cost_in: Option<Number>,
    pub cost_out: Option<Number>,
    /// `text`, `image`, `pdf`, …
    pub takes: Vec<String>,
    pub gives: Vec<String>,
    /// `alpha`, `beta`, `deprecated`; absent for ordinary ones.
    pub status: Option<String>,
}

impl Model {
    /// Can it answer a prompt, and will it for some time?
    #[must_use]
    pub fn is_for_text(&self) -> bool {
        let answers = self.gives.is_empty() || self.gives.iter().any(|kind| kind == "text");
        // Models for vectors, voices and moderation are listed with text, and without tools.
        let helper = ["embed", "-tts", "whisper", "guard"].iter().any(|word| self.id.contains(word));
        answers && !(helper && self.tools != Some(true)) && self.status.as_deref() != Some("deprecated")
    }
}

/// A whole catalogue.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    pub source: String,
    /// The newest change in it.
    pub date: Option<Day>,
    /// By models.dev's name of the provider; each list sorted by id.
    pub providers: BTreeMap<String, Vec<Model>>,
}

/// Why a catalogue cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("it is larger than {} MiB", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("it is no JSON: {0}")]
    NotJson(String),
    #[error("it is no catalogue of models.dev: {0}")]
    Foreign(&'static str),
    #[error("it is of version {0}, which this program does not know")]
    Version(u64),
    #[error("it cannot be written: {0}")]
    Unwritable(String),
}

impl Snapshot {
    /// The built-in one.
    #[must_use]
    pub fn built_in() -> Self {
        // A test reads it: what is built in is good.
        read(BUILT_IN).unwrap_or_default()
    }

    /// A model by models.dev's names.
    #[must_use]
    pub fn find(&self, provider: &str, id: &str) -> Option<&Model> {
        let list = self.providers.get(provider)?;
        list.binary_search_by(|model| model.id.as_str().cmp(id)).ok().and_then(|at| list.get(at))
    }

    /// How many models there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.providers.values().map(Vec::len).sum()
    }
}

/// Reads a packed catalogue, compressed or not.
///
/// # Errors
/// [`ListingError`]
pub fn read(bytes: &[u8]) -> Result<Snapshot, ListingError> {
    packed::read(&document(bytes)?)
}

/// Unpacks if need be, and parses.
fn document(bytes: &[u8]) -> Result<crate::json::Value, ListingError> {
    let is_packed = bytes.starts_with(&[0x1f, 0x8b]);
    let unpacked = if is_packed { unpack(bytes)? } else { Vec::new() };
    let text = if is_packed { &unpacked } else { bytes };
    if text.len() > MAX_BYTES {
        return Err(ListingError::TooLarge);
    }
    parse_bytes(text, LIMITS).map_err(|error| ListingError::NotJson(error.to_string()))
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, ListingError> {
    let mut text = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let unpacked = flate2::read::GzDecoder::new(bytes).take(limit).read_to_end(&mut text);
    unpacked.map_err(|error| ListingError::Unreadable(error.kind().to_string()))?;
    Ok(text)
}

/// The catalogue in use, read when it is first asked for.
#[derive(Debug, Default)]
pub struct Listing {
    file: Option<PathBuf>,
    cell: OnceLock<(Snapshot, Option<String>)>,
}

impl Listing {
    /// The newer one of the data folder, if there is one, else the built-in one.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self { file: (!data_dir.as_os_str().is_empty()).then(|| file(data_dir)), cell: OnceLock::new() }
    }

    /// The catalogue.
    #[must_use]
    pub fn get(&self) -> &Snapshot {
        &self.load().0
    }

    /// What is wrong with the kept file, if something is: it is passed over then.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.load().1.as_deref()
    }

    fn load(&self) -> &(Snapshot, Option<String>) {
        self.cell.get_or_init(|| {
            let built_in = Snapshot::built_in();
            match self.file.as_deref().map(kept) {
                None | Some(Ok(None)) => (built_in, None),
                // A program that was updated may bring the newer one.
                Some(Ok(Some(kept))) if kept.date.cmp(&built_in.date) == Ordering::Less => (built_in, None),
                Some(Ok(Some(kept))) => (kept, None),
                Some(Err(error)) => {
                    let name = self.file.as_deref().unwrap_or(Path::new(FILE)).display().to_string();
                    (built_in, Some(format!("{name} is passed over: {error}; formwork models --refresh makes it anew")))
                }
            }
        })
    }
}

/// The file a newer catalogue is kept in.
#[must_use]
pub fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

fn kept(file: &Path) -> Result<Option<Snapshot>, ListingError> {
    match bounded(file) {
        Ok(bytes) => read(&bytes).map(Some),
        Err(ListingError::Unreadable(kind)) if kind == std::io::ErrorKind::NotFound.to_string() => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file of at most [`MAX_BYTES`].
///
/// # Errors
/// [`ListingError`]
pub fn bounded(file: &Path) -> Result<Vec<u8>, ListingError> {
    let unreadable = |error: &std::io::Error| ListingError::Unreadable(error.kind().to_string());
    let opened = fs_err::File::open(file).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    opened.take(limit).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() > MAX_BYTES { Err(ListingError::TooLarge) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests;
