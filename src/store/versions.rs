//! Versions of schemas: every schema that was run, by its hash, with where and how often.

use rusqlite::{OptionalExtension as _, params};

use super::lineage::Identity;
use super::{MAX_USES, MAX_VERSION_BYTES, MAX_VERSIONS, Store, StoreError};

/// A run with a schema that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUse {
    pub hash: String,
    /// The canonical JSON of the schema itself.
    pub canonical: String,
    /// The text as the user wrote it, envelope and all; kept the first time only.
    pub written: String,
    pub identity: Identity,
    pub run: String,
    /// `PROVIDER/MODEL`.
    pub model: String,
    pub at: i64,
}

/// One version, as it was used in the projects that were asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub hash: String,
    pub name: Option<String>,
    /// Title and root properties, and every file it was run from.
    pub title: Option<String>,
    pub shape: Vec<String>,
    pub sources: Vec<String>,
    /// The first and the last run, in milliseconds since 1970.
    pub first: i64,
    pub last: i64,
    pub runs: u64,
    /// Runs that ended with an accepted value.
    pub passes: u64,
}

/// Whose versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    Project(&'a str),
    All,
}

/// Why a word names no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhichError {
    #[error("no schema has this name, and no hash begins so")]
    None,
    #[error("{0} hashes begin so: give more of it")]
    Many(usize),
}

/// Longest name.
const MAX_NAME: usize = 64;

/// Why this cannot name a version; an empty name takes one away.
#[must_use]
pub fn name_fault(name: &str) -> Option<&'static str> {
    let fits = name.chars().count() <= MAX_NAME && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    (!fits).then_some("a name is made of at most 64 letters, digits, `.`, `_` and `-`")
}

impl Version {
    /// What it is called beside its name: title, and the file it was last run from.
    #[must_use]
    pub fn what(&self) -> String {
        let file = self.sources.last().map(|file| file.rsplit('/').next().unwrap_or(file).to_owned());
        [self.title.clone(), file].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

/// As few characters of a hash as are taken.
const SHORTEST: usize = 4;
/// Versions a list holds at most.
const LONGEST: u32 = 10_000;

impl Store {
    /// Notes that a run with this schema began.
    ///
    /// # Errors
    /// The database failed.
    pub fn keep_use(&mut self, project: &str, new: &NewUse) -> Result<(), StoreError> {
        let change = self.change()?;
        let shape = new.identity.shape.join("\n");
        change.execute(
            "INSERT OR IGNORE INTO schemas (hash, canonical, written, title, shape, first_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![new.hash, new.canonical, new.written, new.identity.title, shape, new.at],
        )?;
        change.execute(
            "INSERT OR IGNORE INTO uses (schema, project, source, run, at, model) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![new.hash, project, new.identity.source, new.run, new.at, new.model],
        )?;
        forget_uses(&change, project)?;
        let first: bool = change.query_row(
            "SELECT count(*) = 1 FROM (SELECT 1 FROM uses WHERE project = ?1 AND schema = ?2 LIMIT 2)",
            [project, new.hash.as_str()],
            |row| row.get(0),
        )?;
        if first {
            forget_oldest(&change, project)?;
        }
        change.commit()?;
        Ok(())
    }

    /// Notes how a run ended: `accepted`, or the code of its error.
    ///
    /// # Errors
    /// The database failed.
    pub fn end_use(&mut self, run: &str, outcome: &str) -> Result<(), StoreError> {
        self.connection.execute("UPDATE uses SET outcome = ?2 WHERE run = ?1", [run, outcome])?;
        Ok(())
    }

    /// The versions that were run, by their first run, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub fn versions(&self, scope: Scope<'_>) -> Result<Vec<Version>, StoreError> {
        let project = match scope {
            Scope::Project(project) => Some(project),
            Scope::All => None,
        };
        let mut query = self.connection.prepare(
            "SELECT s.hash, s.name, s.title, s.shape, min(u.at), max(u.at), count(*),
                    sum(coalesce(u.outcome = 'accepted', 0)), json_group_array(DISTINCT u.source)
             FROM uses u JOIN schemas s ON s.hash = u.schema
             WHERE ?1 IS NULL OR u.project = ?1
             GROUP BY s.hash ORDER BY min(u.at) DESC, min(u.id) DESC LIMIT ?2",
        )?;
        let rows = query.query_map(params![project, LONGEST], |row| {
            let (shape, sources): (String, String) = (row.get(3)?, row.get(8)?);
            Ok(Version {
                hash: row.get(0)?,
                name: row.get(1)?,
                title: row.get(2)?,
                shape: shape.lines().map(str::to_owned).collect(),
                sources: texts(&sources),
                first: row.get(4)?,
                last: row.get(5)?,
                runs: row.get::<_, i64>(6)?.unsigned_abs(),
                passes: row.get::<_, i64>(7)?.unsigned_abs(),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The hash of the version that a name or the beginning of a hash means.
    ///
    /// # Errors
    /// The database failed.
    pub fn which(&self, word: &str) -> Result<Result<String, WhichError>, StoreError> {
        let named = self.connection.query_row("SELECT hash FROM schemas WHERE name = ?1", [word], |row| row.get(0));
        if let Some(hash) = named.optional()? {
            return Ok(Ok(hash));
        }
        let word = word.to_ascii_lowercase();
        if word.len() < SHORTEST || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Err(WhichError::None));
        }
        let mut query = self.connection.prepare("SELECT hash FROM schemas WHERE substr(hash, 1, ?2) = ?1 LIMIT 100")?;
        let length = i64::try_from(word.len()).unwrap_or(i64::MAX);
        let found = query.query_map(params![word, length], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        Ok(match found.as_slice() {
            [] => Err(WhichError::None),
            [hash] => Ok(hash.clone()),
            several => Err(WhichError::Many(several.len())),
        })
    }

    /// The text of a version as it was written first; `None` when it is gone.
    ///
    /// # Errors
    /// The database failed.
    pub fn written(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let found = self.connection.query_row("SELECT written FROM schemas WHERE hash = ?1", [hash], |row| row.get(0));
        Ok(found.optional()?)
    }

    /// The schema of a version as canonical JSON; `None` when it is gone.
    ///
    /// # Errors
    /// The database failed.
    pub fn canonical(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT canonical FROM schemas WHERE hash = ?1";
        Ok(self.connection.query_row(sql, [hash], |row| row.get(0)).optional()?)
    }

    /// Gives a version a name; one that had it before loses it, and its hash is told. An empty name takes the name away.
    ///
    /// # Errors
    /// The database failed.
    pub fn rename(&mut self, hash: &str, name: &str) -> Result<Option<String>, StoreError> {
        let name = Some(name).filter(|name| !name.is_empty());
        let change = self.change()?;
        let before: Option<String> = change
            .query_row("SELECT hash FROM schemas WHERE name = ?1 AND hash <> ?2", params![name, hash], |row| row.get(0))
            .optional()?;
        change.execute("UPDATE schemas SET name = NULL WHERE hash = ?1", params![before])?;
        change.execute("UPDATE schemas SET name = ?2 WHERE hash = ?1", params![hash, name])?;
        change.commit()?;
        Ok(before)
    }

    /// Removes a version everywhere, with its runs and candidates; how many candidates went.
    ///
    /// # Errors
    /// The database failed.
    pub fn remove(&mut self, hash: &str) -> Result<u64, StoreError> {
        let change = self.change()?;
        let gone = change.execute("DELETE FROM candidates WHERE schema = ?1", [hash])?;
        change.execute("DELETE FROM schemas WHERE hash = ?1", [hash])?;
        change.commit()?;
        // What was removed shall not live on in the log; another reader may keep it a while.
        self.connection.pragma_update_and_check(None, "wal_checkpoint", "truncate", |_| Ok(()))?;
        Ok(gone as u64)
    }
}

/// Lets the oldest runs of a project go where there are too many. The newest of each version stays, however old it is:
/// a version goes only by [`forget_oldest`], or when it is removed.
fn forget_uses(change: &rusqlite::Transaction<'_>, project: &str) -> rusqlite::Result<()> {
    change.execute(
        "DELETE FROM uses WHERE project = ?1 AND id <= coalesce(
             (SELECT id FROM uses WHERE project = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2), 0)
         AND EXISTS (SELECT 1 FROM uses later
             WHERE later.project = ?1 AND later.schema = uses.schema AND later.id > uses.id)",
        params![project, MAX_USES],
    )?;
    Ok(())
}

/// Lets the versions of a project go that were not used for longest, where there are too many.
fn forget_oldest(change: &rusqlite::Transaction<'_>, project: &str) -> rusqlite::Result<()> {
    let gone = change.execute(
        "DELETE FROM uses WHERE project = ?1 AND schema IN (SELECT hash FROM (
             SELECT s.hash, s.name, row_number() OVER newest AS n,
                    sum(length(s.written) + length(s.canonical)) OVER newest AS b
             FROM (SELECT schema, max(id) AS last FROM uses WHERE project = ?1 GROUP BY schema) u
             JOIN schemas s ON s.hash = u.schema WINDOW newest AS (ORDER BY u.last DESC))
         WHERE name IS NULL AND n > 1 AND (n > ?2 OR b > ?3))",
        params![project, MAX_VERSIONS, MAX_VERSION_BYTES],
    )?;
    if gone > 0 {
        change.execute(
            "DELETE FROM candidates WHERE project = ?1
             AND schema NOT IN (SELECT schema FROM uses WHERE project = ?1)",
            [project],
        )?;
        change.execute("DELETE FROM schemas WHERE name IS NULL AND hash NOT IN (SELECT schema FROM uses)", [])?;
    }
    Ok(())
}

/// The texts of a JSON array made by the database.
fn texts(array: &str) -> Vec<String> {
    let parsed = crate::json::parse(array, crate::json::ParseLimits::default()).unwrap_or_default();
    let items = parsed.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
