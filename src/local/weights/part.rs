//! A file in the making: `NAME.part` with what is known of it beside it, hashed while it is written. It gets its final
//! name only whole and checked, in one step; until then nobody takes it for a model.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use fs_err::File;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::WeightsError;
use crate::json::{ParseLimits, parse_bytes};
use crate::transport::download::{About, Kept, Sink};

/// A note about a part is this small.
const NOTE_LIMITS: ParseLimits = ParseLimits { max_bytes: 16 * 1024, max_depth: 4 };
/// Left free on the disk: a full one is in everybody's way.
const SPARE: u64 = 16 * 1024 * 1024;

/// What a finished file must be.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<String>,
}

/// The file in the making. Whoever makes it holds the model's lock.
pub(super) struct Part {
    /// The final name.
    target: PathBuf,
    path: PathBuf,
    note: PathBuf,
    /// Where it comes from: another source's part is of no use.
    origin: String,
    file: Option<File>,
    hash: Sha256,
    kept: Kept,
    /// The hash is known in advance: then a part can be gone on with even where the server tags nothing.
    pinned: bool,
    free: fn(&Path) -> Option<u64>,
}

impl Part {
    /// Looks for what an earlier try left; writes nothing.
    pub(super) fn new(target: &Path, origin: &str, pinned: bool) -> Self {
        let path = target.with_added_extension("part");
        let note = path.with_added_extension("json");
        let origin = origin.to_owned();
        let mut part = Self {
            target: target.to_owned(),
            path,
            note,
            origin,
            file: None,
            hash: Sha256::new(),
            kept: Kept::default(),
            pinned,
            free: free_bytes,
        };
        // A part that cannot be read is begun anew.
        part.kept = part.earlier().unwrap_or_default();
        part
    }

    /// The final name: what an error of the disk is told with.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// What lies there, if it is of the same origin and can be gone on with. Its bytes go into the hash.
    fn earlier(&mut self) -> Option<Kept> {
        let note = read_note(&self.note)?;
        let text = |key: &str| Some(note.get(key)?.as_str()?.to_owned());
        let about =
            About { total: note.get("total").and_then(Value::as_u64), tag: text("tag"), sha256: text("sha256") };
        let resumable = self.pinned || about.tag.is_some() || about.sha256.is_some();
        if !resumable || text("origin")? != self.origin {
            return None;
        }
        let mut file = File::open(&self.path).ok()?;
        let mut buffer = vec![0; 1 << 20];
        let mut bytes = 0;
        loop {
            match file.read(&mut buffer).ok()? {
                0 => break,
                read => {
                    self.hash.update(buffer.get(..read)?);
                    bytes += read as u64;
                }
            }
        }
        Some(Kept { bytes, about })
    }

    /// Whole: checks size and hash, calls `check` on the file, makes it durable and gives it its name. The hash comes
    /// back.
    pub(super) fn finish(
        mut self,
        name: &str,
        expected: &Expected,
        check: impl FnOnce(&Path) -> Result<(), WeightsError>,
    ) -> Result<String, WeightsError> {
        let found = hex(&std::mem::take(&mut self.hash).finalize());
        let ended = self.checked(name, expected, &found, check).and_then(|()| self.name_it());
        if ended.is_err() {
            self.discard();
        }
        ended.map(|()| found)
    }

    fn checked(
        &mut self,
        name: &str,
        expected: &Expected,
        found: &str,
        check: impl FnOnce(&Path) -> Result<(), WeightsError>,
    ) -> Result<(), WeightsError> {
        let name = name.to_owned();
        let bytes = self.kept.bytes;
        if let Some(expected) = expected.bytes.filter(|expected| *expected != bytes) {
            return Err(WeightsError::WrongSize { name, expected, found: bytes });
        }
        if let Some(expected) = expected.sha256.as_deref().filter(|expected| !expected.eq_ignore_ascii_case(found)) {
            return Err(WeightsError::WrongHash { name, expected: short(expected), found: short(found) });
        }
        if let Some(file) = self.file.take() {
            file.sync_all().map_err(WeightsError::disk("write", &self.path))?;
        }
        check(&self.path).map_err(|error| match error {
            // The part's own name says nothing to anybody.
            WeightsError::Unusable { why, .. } => WeightsError::Unusable { path: self.target.clone(), why },
            other => other,
        })
    }

    fn name_it(&self) -> Result<(), WeightsError> {
        fs_err::rename(&self.path, &self.target).map_err(WeightsError::disk("write", &self.target))?;
        let _ = fs_err::remove_file(&self.note);
        if let Some(dir) = self.target.parent() {
            sync_folder(dir);
        }
        Ok(())
    }

    /// Nothing stays.
    pub(super) fn discard(&mut self) {
        self.file = None;
        let _ = fs_err::remove_file(&self.path);
        let _ = fs_err::remove_file(&self.note);
    }

    /// Keeps what can be gone on with, removes what cannot. Is something kept?
    pub(super) fn leave(&mut self) -> bool {
        self.file = None;
        let about = &self.kept.about;
        let kept = self.kept.bytes > 0 && (self.pinned || about.tag.is_some() || about.sha256.is_some());
        if !kept {
            self.discard();
        }
        kept
    }

    /// For tests: how much is free.
    #[cfg(test)]
    pub(super) fn with_free(mut self, free: fn(&Path) -> Option<u64>) -> Self {
        self.free = free;
        self
    }

    /// Refuses what has no room, before the first byte.
    pub(super) fn make_room(&self, bytes: u64) -> Result<(), WeightsError> {
        let free = self.path.parent().and_then(self.free);
        match free {
            Some(free) if free < bytes.saturating_add(SPARE) => {
                let path = self.path.parent().unwrap_or(&self.path).to_owned();
                Err(WeightsError::Full { path, needed: Some((bytes, free)) })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn take_note(&self, about: &About) -> io::Result<()> {
        let mut note = Map::new();
        note.insert("origin".to_owned(), self.origin.clone().into());
        note.insert("total".to_owned(), about.total.into());
        note.insert("tag".to_owned(), about.tag.clone().into());
        note.insert("sha256".to_owned(), about.sha256.clone().into());
        fs_err::write(&self.note, Value::Object(note).to_string())
    }
}

impl Sink for Part {
    fn kept(&self) -> Kept {
        self.kept.clone()
    }

    fn begin(&mut self, about: &About, at: u64) -> io::Result<()> {
        let open = |truncate| fs_err::OpenOptions::new().create(true).truncate(truncate).write(true).open(&self.path);
        self.take_note(about)?;
        let rest = about.total.unwrap_or(0).saturating_sub(at);
        if at == 0 {
            self.hash = Sha256::new();
            self.file = Some(open(true)?);
        } else {
            let mut file = open(false)?;
            file.seek(SeekFrom::Start(at))?;
            self.file = Some(file);
        }
        self.kept = Kept { bytes: at, about: about.clone() };
        self.make_room(rest).map_err(|_| io::ErrorKind::StorageFull.into())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.write_all(bytes)?;
        self.hash.update(bytes);
        self.kept.bytes += bytes.len() as u64;
        Ok(())
    }
}

/// The note beside a part or a model.
pub(super) fn read_note(path: &Path) -> Option<Map<String, Value>> {
    let about = fs_err::metadata(path).ok().filter(|about| about.len() <= NOTE_LIMITS.max_bytes as u64)?;
    let bytes = about.is_file().then(|| fs_err::read(path).ok())??;
    match parse_bytes(&bytes, NOTE_LIMITS).ok()? {
        Value::Object(note) => Some(note),
        _ => None,
    }
}

/// Small hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// As much of a hash as a person compares.
fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

/// Makes a rename last; not every system can, and none needs it to be right.
fn sync_folder(dir: &Path) {
    if let Ok(dir) = std::fs::File::open(dir) {
        let _ = dir.sync_all();
    }
}

#[cfg(unix)]
fn free_bytes(dir: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(dir).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
