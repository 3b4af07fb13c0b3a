//! Looking at the store without changing it: for those who want to know whether it is in order.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{FILE, StoreError};

/// What a store is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Version of the file's shape.
    pub format: i64,
    /// Size of the file, without what waits in its log.
    pub bytes: u64,
    /// Rows of each table, by name.
    pub rows: Vec<(String, i64)>,
    /// What the integrity check found first; `None` when the file holds together.
    pub damage: Option<String>,
}

/// Looks at the store of a data folder; `None` when there is none.
///
/// # Errors
/// The file cannot be read, or is no database.
pub fn health(data_dir: &Path) -> Result<Option<Health>, StoreError> {
    let path = data_dir.join(FILE);
    let bytes = match fs_err::metadata(&path) {
        Ok(about) => about.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::File { path, error }),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags)?;
    let format = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    let damage = (verdict != "ok").then_some(verdict);
    let rows = if damage.is_none() { rows(&connection)? } else { Vec::new() };
    Ok(Some(Health { format, bytes, rows, damage }))
}

/// The ordinary tables; those of an index for searching are many, and no concern of a reader.
fn rows(connection: &Connection) -> Result<Vec<(String, i64)>, rusqlite::Error> {
    let tables = "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' \
                  AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name <> 'facts' ORDER BY name";
    let mut tables = connection.prepare(tables)?;
    let names: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut counted = Vec::new();
    for name in names {
        let quoted = name.replace('"', "\"\"");
        let count = connection.query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| row.get(0))?;
        counted.push((name, count));
    }
    Ok(counted)
}
