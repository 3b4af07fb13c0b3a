//! One maker a model: a lock file that the system lets go when its holder ends, however it ends.

use std::fs::TryLockError;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use fs_err::File;

use super::WeightsError;

/// A held lock. The file stays: removing it would let two take it at once.
pub(super) struct Lock {
    _file: File,
}

/// What came of the wish for a lock.
pub(super) enum Locked {
    Held(Lock),
    /// By another process, whose id is known where the system lets it be read.
    ByOther(Option<u32>),
}

/// Tries once, does not wait.
pub(super) fn try_lock(dir: &Path, name: &str) -> Result<Locked, WeightsError> {
    fs_err::create_dir_all(dir).map_err(WeightsError::disk("make the folder", dir))?;
    let path = dir.join(format!(".{name}.lock"));
    let mut options = fs_err::OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    let mut file = options.open(&path).map_err(WeightsError::disk("write", &path))?;
    match file.file().try_lock() {
        Ok(()) => {
            let id = std::process::id();
            // Only told to others: the lock itself is the system's.
            let _ = file.set_len(0).and_then(|()| write!(file, "{id}"));
            Ok(Locked::Held(Lock { _file: file }))
        }
        Err(TryLockError::WouldBlock) => {
            let mut id = String::new();
            let _ = file.rewind().and_then(|()| (&mut file).take(16).read_to_string(&mut id));
            Ok(Locked::ByOther(id.trim().parse().ok()))
        }
        Err(TryLockError::Error(error)) => Err(WeightsError::disk("lock", &path)(error)),
    }
}
