//! Writes to the store from a thread of its own: no run waits for it, and none fails by it.
//!
//! What cannot be kept is told in one sentence without any of the content, through the function the surface gave; the same
//! trouble once, another one again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use super::lineage::Identity;
use super::{Candidate, MAX_CANDIDATE, NewUse, Store, StoreError, now, open, real_name};
use crate::json::canonical;
use crate::schema::ResponseFormat;

/// Bytes that may wait to be written; past it the newest are left out, and that is told.
const MAX_WAITING: usize = 64 * 1024 * 1024;

/// Hands what runs bring to the writing thread. Cheap to clone; the thread ends with the last clone.
#[derive(Clone)]
pub struct Keeper {
    shared: Arc<Shared>,
}

struct Shared {
    jobs: Mutex<mpsc::Sender<Job>>,
    waiting: Arc<AtomicUsize>,
    teller: Arc<Teller>,
}

/// What a run with a schema begins with.
#[derive(Debug, Clone)]
pub struct Began {
    pub run: String,
    /// `PROVIDER/MODEL`.
    pub model: String,
    pub format: Box<ResponseFormat>,
    /// The schema as the user wrote it.
    pub written: Arc<str>,
    /// The file it stands in.
    pub source: Option<PathBuf>,
    pub at: i64,
}

enum Job {
    Began(Box<Began>),
    Candidate(Box<Candidate>),
    Ended {
        run: String,
        outcome: &'static str,
    },
    /// Everything before it is written.
    Flush {
        done: mpsc::Sender<()>,
        then: Then,
    },
}

/// What becomes of the open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    StaysOpen,
    /// Whole in one file, as far as nobody else has it open.
    Closes,
}

type Tell = Box<dyn Fn(String) + Send + Sync>;

/// Sentences that are told in all; who has read so many knows that something is wrong.
const MAX_TOLD: usize = 8;

/// Tells every sentence once.
struct Teller {
    tell: Tell,
    told: Mutex<Vec<String>>,
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}

impl Keeper {
    /// Starts the thread; the file is opened when there is something to write. `tell` is called from that thread.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        data_dir: &Path,
        project: String,
        tell: impl Fn(String) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let teller = Arc::new(Teller { tell: Box::new(tell), told: Mutex::default() });
        let mut writer = Writer {
            data_dir: data_dir.to_owned(),
            project,
            store: None,
            waiting: Arc::clone(&waiting),
            teller: Arc::clone(&teller),
        };
        std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            for job in inbox {
                writer.take(job);
            }
        })?;
        Ok(Self { shared: Arc::new(Shared { jobs: Mutex::new(jobs), waiting, teller }) })
    }

    /// A run with a schema begins.
    pub fn began(&self, began: Began) {
        self.send(Job::Began(Box::new(began)));
    }

    /// A candidate is complete and judged. One that is too long is not kept.
    pub fn candidate(&self, candidate: Candidate) {
        if candidate.text.len() <= MAX_CANDIDATE {
            self.send(Job::Candidate(Box::new(candidate)));
        }
    }

    /// A run ended: `accepted`, or the code of its error.
    pub fn ended(&self, run: String, outcome: &'static str) {
        self.send(Job::Ended { run, outcome });
    }

    /// Waits until everything is written, at most this long; false when there was not time enough.
    #[must_use]
    pub fn flush(&self, patience: Duration) -> bool {
        self.wait(patience, Then::StaysOpen)
    }

    /// As [`Keeper::flush`], and closes the file; a later run opens it again.
    #[must_use]
    pub fn close(&self, patience: Duration) -> bool {
        self.wait(patience, Then::Closes)
    }

    fn wait(&self, patience: Duration, then: Then) -> bool {
        let (done, wait) = mpsc::channel();
        self.send(Job::Flush { done, then });
        wait.recv_timeout(patience).is_ok()
    }

    fn send(&self, job: Job) {
        let weight = job.weight();
        if self.shared.waiting.fetch_add(weight, Ordering::Relaxed) + weight > MAX_WAITING {
            self.shared.waiting.fetch_sub(weight, Ordering::Relaxed);
            return self.shared.teller.tell("the store is too slow: not everything is kept".to_owned());
        }
        let jobs = self.shared.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a dead thread refuses a job.
        let _ = jobs.send(job);
    }
}

impl Job {
    fn weight(&self) -> usize {
        match self {
            Self::Began(began) => began.written.len(),
            Self::Candidate(candidate) => candidate.text.len(),
            Self::Ended { .. } | Self::Flush { .. } => 0,
        }
    }

    /// What is not kept when this fails.
    fn lost(&self) -> &'static str {
        match self {
            Self::Began(_) => "nothing of this run is kept",
            Self::Candidate(_) => "an answer of this run is not kept",
            Self::Ended { .. } | Self::Flush { .. } => "how this run ended is not kept",
        }
    }
}

impl Teller {
    fn tell(&self, what: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < MAX_TOLD && !told.contains(&what) {
            told.push(what.clone());
            drop(told);
            (self.tell)(what);
        }
    }
}

struct Writer {
    data_dir: PathBuf,
    project: String,
    store: Option<Store>,
    waiting: Arc<AtomicUsize>,
    teller: Arc<Teller>,
}

impl Writer {
    fn take(&mut self, job: Job) {
        self.waiting.fetch_sub(job.weight(), Ordering::Relaxed);
        let lost = job.lost();
        if let Err(error) = self.write(job) {
            // What was open may be the trouble: the next run opens it again.
            self.store = None;
            self.teller.tell(format!("{lost}: {error} (`[store] keep = false` turns keeping off)"));
        }
    }

    fn write(&mut self, job: Job) -> Result<(), StoreError> {
        match job {
            Job::Began(began) => {
                if self.store.is_none() {
                    let (store, notes) = open(&self.data_dir, now())?;
                    for note in notes {
                        self.teller.tell(note.to_string());
                    }
                    self.store = Some(store);
                }
                let new = new_use(*began);
                if let Some(store) = &mut self.store {
                    store.keep_use(&self.project, &new)?;
                }
            }
            // Without a store the beginning of this run was not kept either.
            Job::Candidate(candidate) => {
                if let Some(store) = &mut self.store {
                    store.keep_candidate(&self.project, &candidate)?;
                }
            }
            Job::Ended { run, outcome } => {
                if let Some(store) = &mut self.store {
                    store.end_use(&run, outcome)?;
                }
            }
            Job::Flush { done, then } => {
                if then == Then::Closes {
                    self.store = None;
                }
                // Nobody may be waiting any more.
                let _ = done.send(());
            }
        }
        Ok(())
    }
}

fn new_use(began: Began) -> NewUse {
    let source = began.source.map(|path| real_name(&path));
    NewUse {
        canonical: canonical(&began.format.schema),
        identity: Identity::of(&began.format, source),
        hash: began.format.schema_hash,
        written: began.written.to_string(),
        run: began.run,
        model: began.model,
        at: began.at,
    }
}
