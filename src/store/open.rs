//! Opening the file: rights, lock, integrity, a copy before a change of shape, a broken file put aside.
//!
//! Never deletes anything, and changes the shape only inside a transaction.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::{Store, StoreError};
use crate::files::private_folder;

/// Name of the database in the data folder.
pub const FILE: &str = "formwork.db";

/// How long a call waits for another process that writes.
const BUSY: Duration = Duration::from_secs(5);
/// How often, and how long apart, the lock on opening is asked for: five seconds in all.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);
/// A file up to this size is read whole on every opening; a larger one once a day.
const SMALL: u64 = 32 * 1024 * 1024;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// From one shape to the next: the file's `user_version` counts those that were made.
const STEPS: &[&str] = &["
CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
CREATE TABLE schemas (
    hash TEXT PRIMARY KEY,
    canonical TEXT NOT NULL,
    written TEXT NOT NULL,
    title TEXT,
    shape TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    name TEXT UNIQUE
) STRICT;
CREATE TABLE uses (
    id INTEGER PRIMARY KEY,
    schema TEXT NOT NULL REFERENCES schemas(hash) ON DELETE CASCADE,
    project TEXT NOT NULL,
    source TEXT,
    run TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    model TEXT NOT NULL,
    outcome TEXT
) STRICT;
CREATE INDEX uses_by_project ON uses(project, schema);
CREATE INDEX uses_by_schema ON uses(schema);
CREATE TABLE candidates (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    schema TEXT NOT NULL REFERENCES schemas(hash) ON DELETE CASCADE,
    run TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    wrapped INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (run, attempt)
) STRICT;
CREATE INDEX candidates_by_project ON candidates(project, bytes);
CREATE INDEX candidates_by_schema ON candidates(schema);
"];

/// Something the user should know once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file was no readable database any more; it lies here now, and a new one was begun.
    KeptAside(PathBuf),
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::KeptAside(path) => {
                write!(f, "the store was damaged: it was kept as {} and a new one begun", path.display())
            }
        }
    }
}

/// Is there a store in this data folder?
#[must_use]
pub fn exists(data_dir: &Path) -> bool {
    data_dir.join(FILE).is_file()
}

/// Opens the store of a data folder, or begins one; `at` is the time, in milliseconds since 1970.
///
/// # Errors
/// The folder or the file cannot be used, a newer version wrote it, or another process holds it.
pub fn open(data_dir: &Path, at: i64) -> Result<(Store, Vec<Note>), StoreError> {
    open_as(data_dir, at, STEPS)
}

pub(super) fn open_as(data_dir: &Path, at: i64, steps: &[&str]) -> Result<(Store, Vec<Note>), StoreError> {
    let path = data_dir.join(FILE);
    let file_error = |error: Error| StoreError::File { path: path.clone(), error };
    private_folder(data_dir).map_err(file_error)?;
    // One opens at a time: two must not put the same file aside or change its shape at once.
    let _lock = lock(data_dir, &path)?;
    own_file(&path).map_err(file_error)?;
    let mut notes = Vec::new();
    let connection = match sound(&path, at) {
        Ok(connection) => connection,
        Err(error) if is_damage(&error) => {
            notes.push(Note::KeptAside(put_aside(&path, at).map_err(file_error)?));
            own_file(&path).map_err(file_error)?;
            sound(&path, at)?
        }
        Err(error) => return Err(error.into()),
    };
    let connection = shaped(connection, &path, steps)?;
    Ok((Store { connection }, notes))
}

fn lock(data_dir: &Path, path: &Path) -> Result<File, StoreError> {
    let name = data_dir.join("formwork.db.lock");
    let opened = File::options().create(true).append(true).open(&name);
    let file = opened.map_err(|error| StoreError::File { path: name, error })?;
    for _ in 0..TRIES {
        match file.try_lock() {
            // Nobody unparks this thread; one who did would only make it ask earlier.
            Err(std::fs::TryLockError::WouldBlock) => std::thread::park_timeout(PAUSE),
            // A file system without locks: those of the database still hold.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => return Ok(file),
        }
    }
    Err(StoreError::Held { path: path.to_owned() })
}

/// The file is there and the user's alone; `SQLite` gives its helpers the same rights.
fn own_file(path: &Path) -> Result<(), Error> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut rights = file.metadata()?.permissions();
        if rights.mode() & 0o077 != 0 {
            rights.set_mode(0o600);
            file.set_permissions(rights)?;
        }
    }
    drop(file);
    Ok(())
}

/// A connection to a file that holds together.
fn sound(path: &Path, at: i64) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    let large = std::fs::metadata(path).is_ok_and(|about| about.len() > SMALL);
    // Reading the table of tables fails at once on what is no database.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    if large && checked_at(&connection).is_some_and(|then| (0..DAY).contains(&(at - then))) {
        return Ok(connection);
    }
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), None));
    }
    if large {
        // Only a reminder: it may fail.
        let _ = connection.execute("INSERT OR REPLACE INTO facts VALUES ('checked_at', ?1)", [at]);
    }
    Ok(connection)
}

fn checked_at(connection: &Connection) -> Option<i64> {
    connection.query_row("SELECT value FROM facts WHERE name = 'checked_at'", [], |row| row.get(0)).ok()
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Moves the damaged file and its helpers out of the way.
fn put_aside(path: &Path, at: i64) -> Result<PathBuf, Error> {
    let free = |n: u32| path.with_extension(format!("db.damaged-{}-{n}", at / 1000));
    let target = (0..1000).map(free).find(|to| !to.exists());
    let target = target.ok_or_else(|| Error::new(ErrorKind::AlreadyExists, "no free name to keep the damaged file"))?;
    fs_err::rename(path, &target)?;
    for helper in ["-wal", "-shm"] {
        let beside = |of: &Path| PathBuf::from(format!("{}{helper}", of.display()));
        if beside(path).exists() {
            fs_err::rename(beside(path), beside(&target))?;
        }
    }
    Ok(target)
}

/// Brings the file to the newest shape.
fn shaped(mut connection: Connection, path: &Path, steps: &[&str]) -> Result<Connection, StoreError> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    // Answers with the mode; what it is on an odd file system is its own choice.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    if found < known {
        if found > 0 {
            copy(&connection, path, found)?;
        }
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for step in steps.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
            change.execute_batch(step)?;
        }
        change.pragma_update(None, "user_version", known)?;
        change.commit()?;
    }
    Ok(connection)
}

/// A whole copy beside the file, before its shape changes; one from an earlier attempt is replaced.
fn copy(connection: &Connection, path: &Path, version: i64) -> Result<(), StoreError> {
    let target = path.with_extension(format!("db.before-{}", version + 1));
    let fail = |error: Error| StoreError::File { path: target.clone(), error };
    match std::fs::remove_file(&target) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(fail(error)),
        Ok(()) | Err(_) => {}
    }
    own_file(&target).map_err(fail)?;
    connection.execute("VACUUM INTO ?1", [target.to_string_lossy()])?;
    Ok(())
}
