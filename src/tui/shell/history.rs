//! Jobs on the store: the retro-check, newest wins, and the list of versions.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::files::full;
use super::{Places, Shell};
use crate::json::{self, ParseLimits, Value, pretty};
use crate::schema::diff::{Verdict, diff};
use crate::schema::retro::{Go, Recorded, Retro, Shelf, unwrapped};
use crate::schema::validate::JudgeOptions;
use crate::schema::{Judge, judge};
use crate::store::compare::{Side, compare, told};
use crate::store::keeper::Keeper;
use crate::store::lineage::Identity;
use crate::store::{self, Scope, Store, Version, moment, real_name};
use crate::tui::effect::{Answer, Reply, RetroJob};
use crate::tui::state::history::{VersionRow, short};
use crate::tui::state::run::nearest;

/// How long one retro-check may take; what is not judged by then is left out, and counted.
const MOST: Duration = Duration::from_secs(5);
/// How long it waits for what the last run brought to be written.
const PATIENCE: Duration = Duration::from_secs(1);
/// Versions that are compared with the one before, and how long that may take.
const COMPARED: usize = 200;
const COMPARING: Duration = Duration::from_secs(2);

/// The retro-checks of the program: one at a time, the newest wins.
#[derive(Default)]
pub(super) struct Lookback {
    /// The generation of the newest text: a check of another one stops.
    newest: Arc<AtomicU64>,
    loaded: Arc<Mutex<Loaded>>,
    running: bool,
    waiting: Option<Box<RetroJob>>,
}

/// What is kept between two checks.
#[derive(Default)]
struct Loaded {
    store: Option<Store>,
    shelf: Shelf,
    /// Hashes by their number on the shelf.
    versions: HashMap<String, u32>,
    /// The highest number on the shelf.
    last: i64,
}

impl Shell {
    /// A newer text is there: what looks back for an older one stops.
    pub(super) fn newer(&self, generation: u64) {
        self.lookback.newest.store(generation, Ordering::Relaxed);
    }

    pub(super) fn desk(&self) -> Desk {
        Desk { places: Arc::clone(&self.places), keeper: self.keeper.clone(), replies: self.replies.clone() }
    }

    pub(super) fn look_back(&mut self, job: Box<RetroJob>) {
        self.newer(job.generation);
        if self.lookback.running {
            self.lookback.waiting = Some(job);
            return;
        }
        self.lookback.running = true;
        self.pending += 1;
        let (replies, desk) = (self.replies.clone(), self.desk());
        let (newest, loaded) = (Arc::clone(&self.lookback.newest), Arc::clone(&self.lookback.loaded));
        tokio::spawn(async move {
            let generation = job.generation;
            let work = move || {
                let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
                loaded.look(&job, &desk, &newest)
            };
            let retro = tokio::task::spawn_blocking(work).await.unwrap_or_default();
            let _ = replies.send(Reply::Retro { generation, retro: retro.map(Box::new) });
        });
    }

    /// Bookkeeping for a retro-check that came back: a waiting one begins.
    pub(super) fn looked_back(&mut self) {
        self.lookback.running = false;
        if let Some(job) = self.lookback.waiting.take() {
            self.look_back(job);
        }
    }
}

/// Where the jobs find the store, and whom they tell of it.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) places: Arc<Places>,
    pub(super) keeper: Option<Keeper>,
    pub(super) replies: UnboundedSender<Reply>,
}

impl Desk {
    /// The store of these places, if there is one.
    fn open(&self) -> Result<Option<Store>, String> {
        if !store::exists(&self.places.data_dir) {
            return Ok(None);
        }
        let opened = store::open(&self.places.data_dir, store::now());
        let (store, notes) = opened.map_err(|error| format!("the store cannot be used: {error}"))?;
        for note in notes {
            let _ = self.replies.send(Reply::Told(note.to_string()));
        }
        Ok(Some(store))
    }

    /// As [`Desk::open`], where there must be one.
    fn there(&self) -> Result<Store, String> {
        self.open()?.ok_or_else(|| "there is no store any more".to_owned())
    }

    fn project(&self) -> String {
        real_name(&self.places.folder)
    }

    /// What the last run brought is written, or counts the next time.
    fn flush(&self) {
        if let Some(keeper) = &self.keeper {
            let _ = keeper.flush(PATIENCE);
        }
    }
}

fn judge_of(job: &RetroJob) -> Option<Judge> {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: job.assert_format };
    judge(&job.format, options).ok()
}

impl Loaded {
    /// `None` when it was cancelled, and when nothing is recorded.
    fn look(&mut self, job: &RetroJob, desk: &Desk, newest: &AtomicU64) -> Option<Retro> {
        let cancelled = || newest.load(Ordering::Relaxed) != job.generation;
        if cancelled() {
            return None;
        }
        desk.flush();
        if self.store.is_none() {
            self.store = desk.open().ok()?;
        }
        let project = desk.project();
        let wanted = lineage(self.store.as_ref()?, &project, job, &desk.places.folder)?;
        if wanted.is_empty() {
            return None;
        }
        self.load(&project, &cancelled)?;
        let judge = judge_of(job)?;
        let numbers: HashSet<u32> = wanted.iter().filter_map(|hash| self.versions.get(hash).copied()).collect();
        let began = Instant::now();
        let go = || match (cancelled(), began.elapsed() > MOST) {
            (true, _) => Go::Cancelled,
            (false, true) => Go::Enough,
            (false, false) => Go::On,
        };
        self.shelf.judge(&judge, &|version| numbers.contains(&version), go)
    }

    /// Brings the shelf up to the store.
    fn load(&mut self, project: &str, cancelled: &dyn Fn() -> bool) -> Option<()> {
        let Self { store, shelf, versions, last } = self;
        let store = store.as_ref()?;
        let ids = store.candidate_ids(project).ok()?;
        shelf.retain(&ids);
        let read = store.candidates(project, *last, |found| {
            let next = u32::try_from(versions.len()).unwrap_or(u32::MAX);
            let candidate = found.candidate;
            *last = found.id;
            shelf.add(Recorded {
                id: found.id,
                version: *versions.entry(candidate.schema.clone()).or_insert(next),
                valid: candidate.accepted(),
                wrapped: candidate.wrapped,
                text: candidate.text,
            });
            !cancelled()
        });
        read.ok().filter(|()| !cancelled())
    }
}

/// Hashes of the versions whose answers count: those that belong to the same schema as the edited text.
fn lineage(store: &Store, project: &str, job: &RetroJob, folder: &Path) -> Option<HashSet<String>> {
    let versions = store.versions(Scope::Project(project)).ok()?;
    let source = job.source.as_ref().map(|path| real_name(&full(folder, path)));
    let identity = Identity::of(&job.format, source);
    let own = versions.iter().find(|version| version.hash == job.format.schema_hash);
    let belongs = |version: &&Version| {
        version.hash == job.format.schema_hash
            || identity.related(version)
            || own.is_some_and(|own| own.related(version))
    };
    Some(versions.iter().filter(belongs).map(|version| version.hash.clone()).collect())
}

/// An earlier answer as a page: title, text, and the range that the first issue speaks of.
pub(super) fn answer(desk: &Desk, id: i64, job: &RetroJob) -> Reply {
    Reply::AnswerRead(answer_page(desk, id, job))
}

fn answer_page(desk: &Desk, id: i64, job: &RetroJob) -> Result<Box<Answer>, String> {
    let store = desk.there()?;
    let found = store.candidate(&desk.project(), id).map_err(|error| error.to_string())?;
    let found = found.ok_or("this answer is not kept any more")?;
    let text = found.candidate.text;
    let value = unwrapped(&text, found.candidate.wrapped);
    let issues = value.as_ref().and_then(|value| judge_of(job).map(|judge| judge.validate(value)));
    let shown = value.map_or(text, |value| {
        let shown = pretty(&value);
        json::discard(value);
        shown
    });
    let mut page = String::new();
    let (mut verdict, mut place) = ("passes now", None);
    match issues {
        Some(issues) if issues.list.is_empty() => {}
        Some(issues) => {
            verdict = "fails now";
            place = issues.list.first().and_then(|issue| nearest(&shown, &issue.path));
            for issue in &issues.list {
                let path = if issue.path.is_empty() { "(root)" } else { &issue.path };
                let _ = writeln!(page, "{path}: {}", issue.message);
            }
            if issues.omitted > 0 {
                let _ = writeln!(page, "and {} more issues", issues.omitted);
            }
            page.push('\n');
        }
        None => verdict = "is no JSON",
    }
    let title = format!("Answer {id} of {}, {}: {verdict}", found.model, moment(found.candidate.at));
    let mark = place.map(|(start, end)| {
        let end = shown.get(start..end).and_then(|t| t.find('\n')).map_or(end, |_| start + 1);
        (page.len() + start, page.len() + end)
    });
    page.push_str(&shown);
    Ok(Box::new(Answer { title, text: page, mark }))
}

/// The versions of this project, each against the one before it.
pub(super) fn versions(desk: &Desk) -> Reply {
    desk.flush();
    Reply::Versions(rows(desk))
}

fn rows(desk: &Desk) -> Result<Vec<VersionRow>, String> {
    let Some(store) = desk.open()? else { return Ok(Vec::new()) };
    let versions = store.versions(Scope::Project(&desk.project())).map_err(|error| error.to_string())?;
    let began = Instant::now();
    let mut schemas = Schemas { store: &store, parsed: HashMap::new() };
    let mut rows = Vec::new();
    for (i, version) in versions.iter().enumerate() {
        let before = versions.iter().skip(i + 1).find(|before| version.related(before));
        let verdict = before
            .filter(|_| i < COMPARED && began.elapsed() < COMPARING)
            .and_then(|before| schemas.verdict(&before.hash, &version.hash));
        rows.push(VersionRow {
            hash: version.hash.clone(),
            name: version.name.clone(),
            what: version.what(),
            first: moment(version.first),
            runs: version.runs,
            passes: version.passes,
            before: before.map(|before| before.hash.clone()),
            verdict,
        });
    }
    Ok(rows)
}

/// Parsed schemas of the list, each read once.
struct Schemas<'a> {
    store: &'a Store,
    parsed: HashMap<String, Option<Value>>,
}

impl Schemas<'_> {
    fn verdict(&mut self, old: &str, new: &str) -> Option<Verdict> {
        for hash in [old, new] {
            if !self.parsed.contains_key(hash) {
                let text = self.store.canonical(hash).ok().flatten();
                let value = text.and_then(|text| json::parse(&text, ParseLimits::default()).ok());
                self.parsed.insert(hash.to_owned(), value);
            }
        }
        let side = |hash: &str| self.parsed.get(hash).and_then(Option::as_ref);
        Some(diff(side(old)?, side(new)?).verdict)
    }
}

/// Names a version, then lists all anew.
pub(super) fn name(desk: &Desk, hash: &str, name: &str) -> Reply {
    let named = desk.there().and_then(|mut store| store.rename(hash, name).map_err(|error| error.to_string()));
    match named {
        Ok(_) => Reply::Versions(rows(desk)),
        Err(why) => Reply::Versions(Err(why)),
    }
}

/// The text of a version.
pub(super) fn read(desk: &Desk, hash: String) -> Reply {
    let text = written(desk, &hash);
    Reply::VersionRead { hash, text }
}

fn written(desk: &Desk, hash: &str) -> Result<String, String> {
    let text = desk.there()?.written(hash).map_err(|error| error.to_string())?;
    text.ok_or_else(|| "this version is not kept any more".to_owned())
}

/// Two versions compared, in meaning and in text.
pub(super) fn compared(desk: &Desk, old: &str, new: &str) -> Reply {
    let text = || {
        let (before, after) = (written(desk, old)?, written(desk, new)?);
        let (old_name, new_name) = (short(old), short(new));
        let (old, new) = (Side { name: &old_name, written: &before }, Side { name: &new_name, written: &after });
        Ok(told(old, new, &compare(old, new)?))
    };
    Reply::Compared(text())
}
