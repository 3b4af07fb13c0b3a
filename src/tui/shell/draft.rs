//! Unsaved schema text on disk, so that it outlives the program: one file a running program, in the data folder.
//!
//! Written whole (mode 0600), removed when the work is saved or given up. A file whose program is gone is what a crash
//! left. A data folder that cannot be written disturbs nobody.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::effect::Draft;
use crate::files::{private_folder, replace};
use crate::text::diff::unified;
use crate::text::ends::plain;

const FOLDER: &str = "drafts";
/// Nobody has more crashes to choose from; the rest is left where it is.
const LOOKED_AT: usize = 50;
/// As much as the editor reads.
const MOST: u64 = 8 * 1024 * 1024;

fn own(data_dir: &Path) -> PathBuf {
    data_dir.join(FOLDER).join(format!("{}.txt", std::process::id()))
}

/// Keeps a text: its path on the first line, then the text itself.
pub(super) fn keep(data_dir: &Path, path: Option<&Path>, text: &str) {
    let path = path.and_then(Path::to_str).filter(|path| !path.contains('\n')).unwrap_or_default();
    if private_folder(&data_dir.join(FOLDER)).is_ok() {
        let _ = replace(&own(data_dir), format!("{path}\n{text}").as_bytes());
    }
}

/// The work is saved or given up.
pub(in super::super) fn drop_own(data_dir: &Path) {
    let _ = fs_err::remove_file(own(data_dir));
}

/// Removes what was left by a program that is gone; only files of the drafts' own folder.
pub(super) fn discard(data_dir: &Path, file: &Path) {
    if file.parent() == Some(&data_dir.join(FOLDER)) {
        let _ = fs_err::remove_file(file);
    }
}

/// Makes a left text this program's own.
pub(super) fn adopt(data_dir: &Path, file: &Path) {
    let _ = fs_err::rename(file, own(data_dir));
}

/// The newest text that a program left behind, with what differs from its file.
pub(super) fn left(data_dir: &Path, folder: &Path) -> Option<Draft> {
    let entries = fs_err::read_dir(data_dir.join(FOLDER)).ok()?;
    let mut files: Vec<_> = entries
        .filter_map(Result::ok)
        .take(LOOKED_AT)
        .filter(|entry| owner(&entry.path()).is_some_and(gone))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let file = files.pop()?.1;
    let kept = read(&file)?;
    let (path, text) = kept.split_once('\n')?;
    let path = (!path.is_empty()).then(|| PathBuf::from(path));
    let on_disk = path.as_ref().and_then(|path| read(&super::files::full(folder, path))).unwrap_or_default();
    let before = plain(&on_disk);
    if before == text || text.trim().is_empty() {
        let _ = fs_err::remove_file(&file);
        return None;
    }
    let diff = unified(&before, text, ("on disk", "unsaved"));
    Some(Draft { file, path, text: text.to_owned(), on_disk, diff })
}

fn read(file: &Path) -> Option<String> {
    let mut text = String::new();
    fs_err::File::open(file).ok()?.take(MOST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The process a file belongs to.
fn owner(file: &Path) -> Option<i32> {
    file.file_name()?.to_str()?.strip_suffix(".txt")?.parse().ok()
}

#[cfg(unix)]
fn gone(process: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let mine = i32::try_from(std::process::id()).is_ok_and(|id| id == process);
    !mine && Pid::from_raw(process).is_none_or(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn gone(process: i32) -> bool {
    i32::try_from(std::process::id()).is_ok_and(|id| id != process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gone_program_left_is_found_once_and_what_a_living_one_holds_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(FOLDER);
        assert_eq!(left(dir.path(), dir.path()), None);
        keep(dir.path(), None, "mine");
        assert_eq!(left(dir.path(), dir.path()), None, "this program lives");
        fs_err::write(dir.path().join("a.json"), "old\n").unwrap();
        // The largest process number there can be is never given.
        let file = folder.join(format!("{}.txt", i32::MAX));
        fs_err::write(&file, "a.json\nnew\n").unwrap();
        let draft = left(dir.path(), dir.path()).unwrap();
        assert_eq!((draft.text.as_str(), draft.path.as_deref()), ("new\n", Some(Path::new("a.json"))));
        assert!(draft.diff.contains("-old\n+new\n"));
        adopt(dir.path(), &file);
        assert_eq!(left(dir.path(), dir.path()), None);
        fs_err::write(&file, "a.json\nold\n").unwrap();
        assert_eq!(left(dir.path(), dir.path()), None, "the file has it");
        assert!(!file.exists());
        drop_own(dir.path());
        assert_eq!(fs_err::read_dir(folder).unwrap().count(), 0);
        discard(dir.path(), &dir.path().join("a.json"));
        assert!(dir.path().join("a.json").exists(), "nothing outside the folder is removed");
    }
}
