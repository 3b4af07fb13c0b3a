//! Tells when the file of the loaded schema changes on disk. Its folder is watched, not the file: editors put a new file
//! in the old one's place. Decides nothing, and never goes through a folder: what happened is read once it is quiet, and
//! `update` compares. Where nothing can be watched that is said once; saving looks at the file all the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::task::AbortOnDropHandle;

use super::super::effect::{OnDisk, Reply};
use super::files;

/// One save is many events: the file is read when none came for this long.
const QUIET: Duration = Duration::from_millis(100);

/// Does the program watch files? Tests with a clock of their own do not: the system's events know nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    On,
    Off,
}

/// The watch on one file; another path or none ends it.
#[derive(Default)]
pub(super) struct Watch {
    path: Option<PathBuf>,
    task: Option<AbortOnDropHandle<()>>,
    /// That watching fails was said.
    told: Arc<AtomicBool>,
}

/// What one watch needs.
struct Job {
    folder: PathBuf,
    path: PathBuf,
    replies: UnboundedSender<Reply>,
    told: Arc<AtomicBool>,
}

impl Watch {
    /// Watches this file and no other; free when it is the one already watched.
    pub(super) fn follow(&mut self, path: Option<&Path>, folder: &Path, replies: &UnboundedSender<Reply>) {
        if self.path.as_deref() == path {
            return;
        }
        self.path = path.map(Path::to_owned);
        self.task = path.map(|path| {
            AbortOnDropHandle::new(tokio::spawn(run(Job {
                folder: folder.to_owned(),
                path: path.to_owned(),
                replies: replies.clone(),
                told: Arc::clone(&self.told),
            })))
        });
    }

    /// The file was read or written just now: a watch that ended, with its folder or at its start, begins again.
    pub(super) fn renew(&mut self) {
        if self.task.as_ref().is_some_and(AbortOnDropHandle::is_finished) {
            (self.path, self.task) = (None, None);
        }
    }
}

/// Watches until it is dropped, or until the folder is gone.
async fn run(job: Job) {
    let job = Arc::new(job);
    let stirred = Arc::new(Notify::new());
    let start = {
        let (job, stirred) = (Arc::clone(&job), Arc::clone(&stirred));
        move || watcher(&job, &stirred)
    };
    let _watcher = match tokio::task::spawn_blocking(start).await {
        Ok(Ok(watcher)) => watcher,
        Ok(Err(error)) => return job.tell(&error),
        Err(_) => return,
    };
    loop {
        // At first too: the file may have changed between its reading and the watch.
        let look = {
            let job = Arc::clone(&job);
            move || job.look()
        };
        let Ok((found, folder)) = tokio::task::spawn_blocking(look).await else { return };
        let sent = job.replies.send(Reply::SchemaOnDisk { path: job.path.clone(), found });
        if sent.is_err() || folder == Folder::Gone {
            return;
        }
        stirred.notified().await;
        while tokio::time::timeout(QUIET, stirred.notified()).await.is_ok() {}
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folder {
    Stands,
    Gone,
}

impl Job {
    fn look(&self) -> (OnDisk, Folder) {
        let found = files::on_disk(&self.folder, &self.path);
        let stands = files::full(&self.folder, &self.path).parent().is_none_or(Path::is_dir);
        (found, if stands { Folder::Stands } else { Folder::Gone })
    }

    /// Says once that changes will not be noticed.
    fn tell(&self, error: &notify::Error) {
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let why = match &error.kind {
            ErrorKind::MaxFilesWatch => "the system watches too many files already".to_owned(),
            ErrorKind::PathNotFound => "its folder is gone".to_owned(),
            ErrorKind::Io(error) => error.to_string(),
            ErrorKind::Generic(_) | ErrorKind::WatchNotFound | ErrorKind::InvalidConfig(_) => {
                "the system cannot watch it".to_owned()
            }
        };
        let path = self.path.display();
        let _ = self.replies.send(Reply::Told(format!(
            "changes of {path} on disk are not noticed: {why}; saving still looks before it writes"
        )));
    }
}

/// Watches the file's folder, and where the file is a link the folder of what it leads to.
fn watcher(job: &Arc<Job>, stirred: &Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let file = files::full(&job.folder, &job.path);
    let is_link = fs_err::symlink_metadata(&file).is_ok_and(|found| found.is_symlink());
    let target = if is_link { fs_err::canonicalize(&file).ok() } else { None };
    let files: Vec<PathBuf> = std::iter::once(file).chain(target).collect();
    let folders: Vec<PathBuf> = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    let (known, stirred, job) = (Known { files, folders: folders.clone() }, Arc::clone(stirred), Arc::clone(job));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| match event {
        Ok(event) if known.concerned(&event) => stirred.notify_one(),
        Ok(_) => {}
        Err(error) => job.tell(&error),
    })?;
    for folder in folders {
        watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// Which events are about the file.
struct Known {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Known {
    /// May the file be another now? That somebody looked at it changes nothing, and this program looks too.
    fn concerned(&self, event: &Event) -> bool {
        let only_looked = matches!(event.kind, EventKind::Access(_))
            && event.kind != EventKind::Access(AccessKind::Close(AccessMode::Write));
        let named = |path: &PathBuf| {
            self.files.iter().any(|file| file.file_name() == path.file_name()) || self.folders.contains(path)
        };
        event.need_rescan() || (!only_looked && event.paths.iter().any(named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, Flag, ModifyKind, RemoveKind, RenameMode};

    fn concerned(kind: EventKind, path: &str) -> bool {
        let known = Known { files: vec![PathBuf::from("/w/a.json")], folders: vec![PathBuf::from("/w")] };
        known.concerned(&Event::new(kind).add_path(PathBuf::from(path)))
    }

    #[test]
    fn that_watching_fails_is_said_once() {
        let (replies, mut told) = tokio::sync::mpsc::unbounded_channel();
        let once = Arc::new(AtomicBool::new(false));
        for name in ["a.json", "b.json"] {
            let (path, told) = (PathBuf::from(name), Arc::clone(&once));
            let job = Job { folder: PathBuf::from("/"), path, replies: replies.clone(), told };
            job.tell(&notify::Error::new(ErrorKind::MaxFilesWatch));
            job.tell(&notify::Error::path_not_found());
        }
        assert!(
            matches!(told.try_recv(), Ok(Reply::Told(what)) if what.contains("a.json") && what.contains("too many"))
        );
        assert!(told.try_recv().is_err());
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let dir = tempfile::tempdir().unwrap_or_else(|error| unreachable!("{error}"));
        let found = |name: &str| files::on_disk(dir.path(), Path::new(name));
        assert_eq!(found("a.json"), OnDisk::Gone);
        assert!(matches!(found("."), OnDisk::Unread(_)));
        assert!(fs_err::write(dir.path().join("a.json"), [0xff]).is_ok());
        assert!(matches!(found("a.json"), OnDisk::Unread(why) if why.contains("UTF-8")));
        assert!(fs_err::write(dir.path().join("a.json"), "{}").is_ok());
        assert_eq!(found("a.json"), OnDisk::Text("{}".to_owned()));
    }

    #[test]
    fn only_what_may_have_changed_the_file_counts() {
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        for kind in [written, renamed, EventKind::Create(CreateKind::File), EventKind::Remove(RemoveKind::File)] {
            assert!(concerned(kind, "/w/a.json"), "{kind:?}");
            assert!(!concerned(kind, "/w/b.json"), "{kind:?}");
        }
        assert!(concerned(EventKind::Remove(RemoveKind::Folder), "/w"));
        for looked in [AccessKind::Open(AccessMode::Any), AccessKind::Read, AccessKind::Close(AccessMode::Read)] {
            assert!(!concerned(EventKind::Access(looked), "/w/a.json"), "{looked:?}");
        }
        let known = Known { files: Vec::new(), folders: Vec::new() };
        assert!(known.concerned(&Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    }
}
