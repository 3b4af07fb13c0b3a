//! What is kept between runs: schemas that were run, and the candidates they brought. One `SQLite` file in the data folder.
//!
//! The only user of `rusqlite`. Several processes share the file; every call may wait for another writer, so nothing
//! here belongs on a loop: [`keeper`] writes from a thread of its own. Keeps no prompt, no key and no provider's body,
//! and says nothing of what it holds to logs: schema and candidate text leave it only to those who ask for them.

mod candidates;
pub mod compare;
mod health;
pub mod keeper;
pub mod lineage;
mod open;
mod versions;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::capability::Day;

pub use self::candidates::{ACCEPTED, Candidate, Listed};
pub use self::health::{Health, health};
pub use self::open::{FILE, Note, exists, open};
pub use self::versions::{NewUse, Scope, Version, WhichError, name_fault};

/// An open database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
}

/// Why the store cannot be used. A run goes on without it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    /// A newer version of the program has changed the file's shape.
    #[error("{} was written by a newer version (format {found}, this one knows {known})", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("another program holds {} for itself", path.display())]
    Held { path: PathBuf },
    #[error("the database failed: {0}")]
    Database(#[from] rusqlite::Error),
}

/// A candidate longer than this was not judged either: it is not kept.
pub const MAX_CANDIDATE: usize = 8 * 1024 * 1024;
/// Candidates kept for one project, and their bytes together; the oldest go first.
pub const MAX_CANDIDATES: u32 = 10_000;
/// See [`MAX_CANDIDATES`].
pub const MAX_CANDIDATE_BYTES: u32 = 64 * 1024 * 1024;
/// Versions kept for one project, and the bytes of their texts; those unused for longest go first, named ones never.
pub const MAX_VERSIONS: u32 = 1_000;
/// See [`MAX_VERSIONS`].
pub const MAX_VERSION_BYTES: u32 = 64 * 1024 * 1024;
/// Runs remembered for one project, besides the newest one of each version.
pub const MAX_USES: u32 = 20_000;

impl Store {
    /// A change that is made whole or not at all. It has the right to write from its beginning: one that reads first and
    /// asks later would be refused without waiting when another process wrote in between.
    fn change(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// How projects (their folders) and files are told apart: links resolved.
#[must_use]
pub fn real_name(path: &Path) -> String {
    let real = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real.to_string_lossy().into_owned()
}

/// A moment as people read it, to the minute, UTC.
#[must_use]
pub fn moment(at: i64) -> String {
    let seconds = u64::try_from(at / 1000).unwrap_or(0);
    format!("{} {:02}:{:02}", Day::of_unix(seconds), seconds / 3600 % 24, seconds / 60 % 60)
}

/// Milliseconds since 1970, as every row has them.
#[must_use]
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
