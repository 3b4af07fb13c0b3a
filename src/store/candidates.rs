//! Candidates: what models answered, with the verdict of their run.

use rusqlite::{OptionalExtension as _, params};

use super::{MAX_CANDIDATE, MAX_CANDIDATE_BYTES, MAX_CANDIDATES, Store, StoreError};

/// A candidate that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub run: String,
    /// From 1.
    pub attempt: u32,
    pub schema: String,
    /// What was judged stands inside `{"value": …}`.
    pub wrapped: bool,
    /// `accepted`, or the code of what was wrong.
    pub verdict: String,
    pub text: String,
    pub at: i64,
}

/// One kept candidate, with its number and the model that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: i64,
    pub candidate: Candidate,
    pub model: String,
}

/// The verdict of an accepted candidate.
pub const ACCEPTED: &str = "accepted";

const COLUMNS: &str = "SELECT c.id, c.run, c.attempt, c.schema, c.wrapped, c.verdict, c.text, c.at, u.model
    FROM candidates c LEFT JOIN uses u ON u.run = c.run";

fn listed(row: &rusqlite::Row<'_>) -> rusqlite::Result<Listed> {
    let candidate = Candidate {
        run: row.get(1)?,
        attempt: row.get(2)?,
        schema: row.get(3)?,
        wrapped: row.get(4)?,
        verdict: row.get(5)?,
        text: row.get(6)?,
        at: row.get(7)?,
    };
    Ok(Listed { id: row.get(0)?, candidate, model: row.get::<_, Option<String>>(8)?.unwrap_or_default() })
}

impl Candidate {
    /// Did its run accept it?
    #[must_use]
    pub fn accepted(&self) -> bool {
        self.verdict == ACCEPTED
    }
}

impl Store {
    /// Keeps a candidate of a project, and lets the oldest go where there are too many; one that is too long is not
    /// kept, and none whose schema was removed meanwhile.
    ///
    /// # Errors
    /// The database failed.
    pub fn keep_candidate(&mut self, project: &str, candidate: &Candidate) -> Result<(), StoreError> {
        if candidate.text.len() > MAX_CANDIDATE {
            return Ok(());
        }
        let bytes = i64::try_from(candidate.text.len()).unwrap_or(i64::MAX);
        let change = self.change()?;
        change.execute(
            "INSERT OR REPLACE INTO candidates (project, schema, run, attempt, wrapped, verdict, bytes, at, text)
             SELECT ?1, hash, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM schemas WHERE hash = ?2",
            params![
                project,
                candidate.schema,
                candidate.run,
                candidate.attempt,
                candidate.wrapped,
                candidate.verdict,
                bytes,
                candidate.at,
                candidate.text
            ],
        )?;
        let (count, total): (u32, i64) = change.query_row(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM candidates WHERE project = ?1",
            [project],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        if count > MAX_CANDIDATES || total > i64::from(MAX_CANDIDATE_BYTES) {
            change.execute(
                "DELETE FROM candidates WHERE id IN (SELECT id FROM (
                     SELECT id, row_number() OVER newest AS n, sum(bytes) OVER newest AS b FROM candidates
                     WHERE project = ?1 WINDOW newest AS (ORDER BY id DESC)) WHERE n > ?2 OR b > ?3)",
                params![project, MAX_CANDIDATES, MAX_CANDIDATE_BYTES],
            )?;
        }
        change.commit()?;
        Ok(())
    }

    /// Numbers of the candidates of a project, rising.
    ///
    /// # Errors
    /// The database failed.
    pub fn candidate_ids(&self, project: &str) -> Result<Vec<i64>, StoreError> {
        let mut query = self.connection.prepare("SELECT id FROM candidates WHERE project = ?1 ORDER BY id")?;
        let rows = query.query_map([project], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Hands over the candidates of a project with a number above `after`, rising, one by one, while `take` wants more.
    ///
    /// # Errors
    /// The database failed.
    pub fn candidates(
        &self,
        project: &str,
        after: i64,
        mut take: impl FnMut(Listed) -> bool,
    ) -> Result<(), StoreError> {
        let sql = format!("{COLUMNS} WHERE c.project = ?1 AND c.id > ?2 ORDER BY c.id");
        let mut query = self.connection.prepare(&sql)?;
        let mut rows = query.query(params![project, after])?;
        while let Some(row) = rows.next()? {
            if !take(listed(row)?) {
                break;
            }
        }
        Ok(())
    }

    /// One candidate of a project.
    ///
    /// # Errors
    /// The database failed.
    pub fn candidate(&self, project: &str, id: i64) -> Result<Option<Listed>, StoreError> {
        let sql = format!("{COLUMNS} WHERE c.project = ?1 AND c.id = ?2");
        Ok(self.connection.query_row(&sql, params![project, id], listed).optional()?)
    }
}
