//! Files of the user, written whole: beside the old one first, then in its place, so that a crash leaves the old one.
//! Decides neither where a file lies nor what stands in it.

use std::io::{Result, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// Puts `bytes` in the place of a file. One that was there keeps its rights; a new one is the user's alone.
///
/// # Errors
/// Whatever the file system says; the old file is as it was.
pub fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    let mut fresh = NamedTempFile::new_in(file.parent().unwrap_or(Path::new(".")))?;
    fresh.write_all(bytes)?;
    if let Ok(old) = fs_err::metadata(file) {
        fresh.as_file().set_permissions(old.permissions())?;
    }
    fresh.as_file().sync_all()?;
    fresh.persist(file).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_keeps_its_rights_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        replace(&file, b"old").unwrap();
        let mut rights = fs_err::metadata(&file).unwrap().permissions();
        rights.set_readonly(true);
        fs_err::set_permissions(&file, rights.clone()).unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!(fs_err::read(&file).unwrap(), b"new");
        assert_eq!(fs_err::metadata(&file).unwrap().permissions(), rights);
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace(&folder.path().join("none/b.json"), b"x").is_err());
    }
}
