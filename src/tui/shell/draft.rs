//! Unsaved schema text on disk, so that it outlives the program: one file a running program, in the data folder.
//!
//! Written whole (mode 0600), removed when the work is saved or given up. A file whose program is gone is what a crash
//! left: a living one holds a lock, which ends with it in whatever way it ends. The number of a process tells nothing, a
//! container gives the same one again. A data folder that cannot be written disturbs nobody.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::super::effect::{Beside, Draft, Given};
use crate::files::{private_folder, replace};
use crate::text::diff::unified;
use crate::text::ends::plain;

const FOLDER: &str = "drafts";
/// The locks of the living, named as their texts.
const LOCKS: &str = "drafts.held";
/// Nobody has more crashes to choose from; the rest is left where it is.
const LOOKED_AT: usize = 50;
/// As much as the editor reads.
const MOST: u64 = 8 * 1024 * 1024;

/// The unsaved text of one running program.
#[derive(Debug)]
pub(super) struct Drafts {
    data_dir: PathBuf,
    /// Unlike that of any other program, living or gone.
    name: String,
    /// Held while there is a text.
    lock: Mutex<Option<File>>,
}

impl Drafts {
    pub(super) fn new(data_dir: &Path) -> Self {
        let name = uuid::Uuid::now_v7().to_string();
        Self { data_dir: data_dir.to_owned(), name, lock: Mutex::default() }
    }

    fn own(&self) -> PathBuf {
        self.data_dir.join(FOLDER).join(format!("{}.txt", self.name))
    }

    /// Says that this program lives, as long as it does.
    fn hold(&self) -> std::io::Result<()> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            private_folder(&self.data_dir.join(FOLDER))?;
            private_folder(&self.data_dir.join(LOCKS))?;
            let lock = File::options().create(true).append(true).open(lock_of(&self.data_dir, &self.own()))?;
            // A file system without locks: the text is kept all the same.
            let _ = lock.try_lock();
            *held = Some(lock);
        }
        Ok(())
    }

    /// Keeps a text: its full path on the first line (the next program may stand in another folder), then the text.
    pub(super) fn keep(&self, path: Option<&Path>, text: &str) {
        let path = path.and_then(Path::to_str).filter(|path| !path.contains('\n')).unwrap_or_default();
        if self.hold().is_ok() {
            let _ = replace(&self.own(), format!("{path}\n{text}").as_bytes());
        }
    }

    /// The work is saved or given up.
    pub(super) fn drop_own(&self) {
        let _ = fs_err::remove_file(self.own());
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.take().is_some() {
            let _ = fs_err::remove_file(lock_of(&self.data_dir, &self.own()));
        }
    }

    /// Removes what was left by a program that is gone; only files of the drafts' own folder.
    pub(super) fn discard(&self, file: &Path) {
        if file.parent() == Some(&self.data_dir.join(FOLDER)) {
            let _ = fs_err::remove_file(file);
            let _ = fs_err::remove_file(lock_of(&self.data_dir, file));
        }
    }

    /// Makes a left text this program's own.
    pub(super) fn adopt(&self, file: &Path) {
        if self.hold().is_ok() && fs_err::rename(file, self.own()).is_ok() {
            let _ = fs_err::remove_file(lock_of(&self.data_dir, file));
        }
    }

    /// The newest text that a program left behind, with what differs from its file.
    pub(super) fn left(&self, folder: &Path, given: &Given) -> Option<Draft> {
        let entries = fs_err::read_dir(self.data_dir.join(FOLDER)).ok()?;
        let mut files: Vec<_> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "txt"))
            .take(LOOKED_AT)
            .filter(|entry| entry.path() != self.own() && gone(&lock_of(&self.data_dir, &entry.path())))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let (kept_at, file) = files.pop()?;
        let kept = read(&file)?;
        let (path, text) = kept.split_once('\n')?;
        let path = (!path.is_empty()).then(|| Path::new(path));
        let path = path.map(|path| path.strip_prefix(folder).unwrap_or(path).to_owned());
        let on_disk = path.as_ref().and_then(|path| read(&super::files::full(folder, path))).unwrap_or_default();
        let before = plain(&on_disk);
        if before == text || text.trim().is_empty() {
            self.discard(&file);
            return None;
        }
        let diff = unified(&before, text, ("on disk", "unsaved"));
        let age = kept_at.elapsed().map_or(0, |age| age.as_secs());
        let beside = beside(folder, path.as_deref(), given);
        Some(Draft { file, path, text: text.to_owned(), on_disk, diff, age, beside })
    }
}

/// Is the text of the file that was asked for, by whatever name?
fn beside(folder: &Path, path: Option<&Path>, given: &Given) -> Beside {
    let real = |path: &Path| {
        let path = super::files::full(folder, path);
        fs_err::canonicalize(&path).unwrap_or(path)
    };
    match (given, path) {
        (Given::Nothing, _) => Beside::Alone,
        (Given::File(given), Some(path)) if real(given) == real(path) => Beside::Alone,
        (Given::File(_) | Given::Text, _) => Beside::Other,
    }
}

/// The lock beside a text.
fn lock_of(data_dir: &Path, file: &Path) -> PathBuf {
    data_dir.join(LOCKS).join(file.file_name().unwrap_or_default()).with_extension("lock")
}

/// Does nobody hold this lock? Where the file system knows no locks nobody can tell; offering a text that somebody still
/// edits is better than losing one.
fn gone(lock: &Path) -> bool {
    match File::options().append(true).open(lock) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => true,
    }
}

fn read(file: &Path) -> Option<String> {
    let mut text = String::new();
    fs_err::File::open(file).ok()?.take(MOST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gone_program_left_is_found_once_and_what_a_living_one_holds_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(FOLDER);
        let (mine, other) = (Drafts::new(dir.path()), Drafts::new(dir.path()));
        assert_eq!(mine.left(dir.path(), &Given::Nothing), None);
        mine.keep(None, "mine");
        assert_eq!(mine.left(dir.path(), &Given::Nothing), None, "this program lives");
        mine.drop_own();
        fs_err::write(dir.path().join("a.json"), "old\n").unwrap();
        let path = Some(Path::new("a.json"));
        other.keep(path, "new\n");
        assert_eq!(mine.left(dir.path(), &Given::Nothing), None, "the other one lives, in the same process");
        // What ends a program in whatever way ends its lock.
        drop(other);
        let draft = mine.left(dir.path(), &Given::Nothing).unwrap();
        assert_eq!((draft.text.as_str(), draft.path.as_deref()), ("new\n", path));
        assert!(draft.diff.contains("-old\n+new\n"));
        mine.adopt(&draft.file);
        assert_eq!(mine.left(dir.path(), &Given::Nothing), None);
        assert_eq!(Drafts::new(dir.path()).left(dir.path(), &Given::Nothing), None, "a third one sees that it is held");
        let file = folder.join("7.txt");
        fs_err::write(&file, "a.json\nold\n").unwrap();
        assert_eq!(mine.left(dir.path(), &Given::Nothing), None, "the file has it");
        assert!(!file.exists());
        mine.drop_own();
        for folder in [folder, dir.path().join(LOCKS)] {
            assert_eq!(fs_err::read_dir(folder).unwrap().count(), 0);
        }
        mine.discard(&dir.path().join("a.json"));
        assert!(dir.path().join("a.json").exists(), "nothing outside the folder is removed");
    }

    #[test]
    fn a_draft_names_its_file_from_any_folder_and_knows_what_was_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("sub");
        fs_err::create_dir(&sub).unwrap();
        let gone = Drafts::new(dir.path());
        gone.keep(Some(&sub.join("a.json")), "new");
        drop(gone);
        let now = Drafts::new(dir.path());
        let file = |path: &str| Given::File(PathBuf::from(path));
        for (folder, given, path, beside) in [
            (dir.path(), Given::Nothing, Path::new("sub/a.json"), Beside::Alone),
            (&sub, Given::Text, Path::new("a.json"), Beside::Other),
            (&sub, file("a.json"), Path::new("a.json"), Beside::Alone),
            (dir.path(), file("a.json"), Path::new("sub/a.json"), Beside::Other),
        ] {
            let draft = now.left(folder, &given).unwrap();
            assert_eq!((draft.path.as_deref(), draft.beside), (Some(path), beside), "{given:?}");
            assert!(draft.age < 60);
        }
        fs_err::write(sub.join("a.json"), "old").unwrap();
        assert_eq!(now.left(dir.path(), &file("./sub/../sub/a.json")).unwrap().beside, Beside::Alone);
        assert_eq!(now.left(Path::new("/"), &Given::Nothing).unwrap().on_disk, "old");
    }
}
