//! Files of the user, written whole: beside the old one first, then in its place, so that a crash leaves the old one.
//! Decides neither where a file lies nor what stands in it.

use std::io::{Result, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// Makes a folder, and those above it; new ones are the user's alone, one that is there stays as it is.
///
/// # Errors
/// Those of the file system.
pub fn private_folder(folder: &Path) -> std::io::Result<()> {
    if folder.as_os_str().is_empty() {
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "there is no data folder"));
    }
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

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
