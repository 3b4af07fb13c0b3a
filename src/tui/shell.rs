//! Executes effects away from the loop: files, checks, trees, clipboard. Every job sends exactly one reply.

mod attempts;
mod bench;
mod board;
mod draft;
mod fields;
mod files;
mod history;
mod infer;
mod keeping;
mod probe;
#[cfg(feature = "local")]
pub(super) mod pull;
mod text;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::clipboard::{self, Route};
use super::effect::{BoardJob, CheckJob, Effect, Lane, Preview, Reply, TextJob};
use super::rows::{Gutter, Rows, Syntax};
use super::state::habits::Habits;
use super::state::outputs::Over;
use super::state::result::Built;
use super::state::schema::Report;
use super::theme::{ColorDepth, Glyphs, Theme};
use super::tree::{Order, TreeRows};
use crate::catalog::Catalog;
use crate::config::Config;
use crate::json::{Value, canonical};
use crate::plan::{CallerTools, Question, negotiate};
use crate::probe::Spec;
use crate::runtime::detect;
use crate::runtime::grammar::verdict;
use crate::schema::foreign::{self, Foreign};
use crate::schema::preflight::check_source;
use crate::schema::source::Form;
use crate::schema::{Checked, ResponseFormat, SchemaError};
use crate::store::{self, keeper::Keeper};
use crate::text::diff::unified;
pub use watch::Watching;

/// Jobs of which only one is under way and only the newest waits.
struct Newest<J> {
    busy: bool,
    waiting: Option<J>,
}

impl<J> Default for Newest<J> {
    fn default() -> Self {
        Self { busy: false, waiting: None }
    }
}

impl<J> Newest<J> {
    /// The job, if it can begin now.
    fn begin(&mut self, job: J) -> Option<J> {
        if self.busy {
            self.waiting = Some(job);
            return None;
        }
        self.busy = true;
        Some(job)
    }

    /// One is done: the one that waited, if any, begins.
    fn next(&mut self) -> Option<J> {
        let next = self.waiting.take();
        self.busy = next.is_some();
        next
    }
}

/// Where jobs find things.
#[derive(Debug, Clone)]
pub struct Places {
    pub data_dir: PathBuf,
    pub themes_dir: PathBuf,
    /// The folder searched for schema files, and the base of relative paths.
    pub folder: PathBuf,
    pub depth: ColorDepth,
    pub ascii: bool,
    pub clipboard: Vec<Route>,
    /// For what is made anew when a model was pulled.
    pub config: Arc<Config>,
    /// Is the loaded file watched?
    pub watching: Watching,
}

/// Sends jobs off and their replies back.
pub struct Shell {
    replies: UnboundedSender<Reply>,
    places: Arc<Places>,
    /// Jobs whose reply has not been taken.
    pending: usize,
    checks: Newest<Box<CheckJob>>,
    boards: Newest<Box<BoardJob>>,
    errands: Newest<Box<TextJob>>,
    habits: Newest<Box<Habits>>,
    /// Unsaved text, where a crash cannot reach it.
    drafts: Arc<draft::Drafts>,
    /// The newest keeping or dropping of unsaved text; older ones that come late do nothing.
    keeping: (u64, Arc<Mutex<u64>>),
    /// Stops the download under way.
    pulling: CancellationToken,
    /// Stops the probe under way.
    probing: CancellationToken,
    /// Writes what runs bring; `None` when nothing is to be kept.
    keeper: Option<Keeper>,
    /// The retro-check under way.
    lookback: history::Lookback,
    /// The watch on the loaded file.
    watch: watch::Watch,
}

impl Shell {
    /// A shell that answers into `replies`.
    #[must_use]
    pub fn new(replies: UnboundedSender<Reply>, places: Places) -> Self {
        Self {
            keeper: keeping::start(&replies, &places),
            replies,
            drafts: Arc::new(draft::Drafts::new(&places.data_dir)),
            places: Arc::new(places),
            pending: 0,
            checks: Newest::default(),
            boards: Newest::default(),
            errands: Newest::default(),
            habits: Newest::default(),
            keeping: (0, Arc::default()),
            pulling: CancellationToken::new(),
            probing: CancellationToken::new(),
            lookback: history::Lookback::default(),
            watch: watch::Watch::default(),
        }
    }

    /// No job is under way.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.pending == 0
    }

    /// Bookkeeping for a reply that was taken: a waiting check begins.
    pub fn taken(&mut self, reply: &Reply) {
        // Progress is told between a job's beginning and its one reply; the store and the watch speak when they have to.
        if matches!(reply, Reply::Pulling { .. } | Reply::Probing { .. } | Reply::Told(_) | Reply::SchemaOnDisk { .. })
        {
            return;
        }
        if matches!(reply, Reply::SchemaRead { .. } | Reply::SchemaWritten { .. }) {
            self.watch.renew();
        }
        self.pending = self.pending.saturating_sub(1);
        if matches!(reply, Reply::Checked { .. } | Reply::Lost(Lane::Check))
            && let Some(job) = self.checks.next()
        {
            self.send(move || checked(*job), Lane::Check);
        }
        if matches!(reply, Reply::Board { .. } | Reply::Lost(Lane::Board))
            && let Some(job) = self.boards.next()
        {
            self.send(move || board::answered(&job), Lane::Board);
        }
        if matches!(reply, Reply::HabitsSaved | Reply::Lost(Lane::Habits))
            && let Some(habits) = self.habits.next()
        {
            self.write_habits(habits);
        }
        if matches!(reply, Reply::Worked { .. } | Reply::Lost(Lane::Text))
            && let Some(job) = self.errands.next()
        {
            self.send(move || text::done(*job), Lane::Text);
        }
        if matches!(reply, Reply::Retro { .. }) {
            self.looked_back();
        }
    }

    /// Watches this file and no other.
    pub fn watch(&mut self, path: Option<&Path>) {
        match self.places.watching {
            Watching::On => self.watch.follow(path, &self.places.folder, &self.replies),
            Watching::Off => {}
        }
    }

    /// Asks the local servers who is there.
    pub fn detect(&mut self, catalog: Arc<Catalog>) {
        self.pending += 1;
        let replies = self.replies.clone();
        tokio::spawn(async move {
            let _ = replies.send(Reply::Servers(detect(&catalog).await));
        });
    }

    /// Downloads a model; one at a time, the state sees to that.
    #[cfg(feature = "local")]
    fn pull(&mut self, name: String) {
        self.pending += 1;
        self.pulling = CancellationToken::new();
        let (replies, places, cancel) = (self.replies.clone(), Arc::clone(&self.places), self.pulling.clone());
        tokio::spawn(async move { pull::run(&places.config, name, &replies, cancel).await });
    }

    #[cfg(not(feature = "local"))]
    fn pull(&mut self, name: String) {
        self.job(move || Reply::Pulled { name, outcome: Err("this program was built without it".to_owned()) });
    }

    /// Probes a model's server; one at a time, the state sees to that.
    fn probe(&mut self, spec: Spec) {
        self.pending += 1;
        self.probing = CancellationToken::new();
        let (replies, places, cancel) = (self.replies.clone(), Arc::clone(&self.places), self.probing.clone());
        tokio::spawn(async move { probe::run(&places.config, spec, &replies, cancel).await });
    }

    /// Executes an effect that needs neither the run nor the terminal; gives the others back.
    pub fn execute(&mut self, effect: Effect) -> Option<Effect> {
        let (places, drafts) = (Arc::clone(&self.places), Arc::clone(&self.drafts));
        match effect {
            Effect::Check(job) => {
                self.newer(job.generation);
                if let Some(job) = self.checks.begin(job) {
                    self.send(move || checked(*job), Lane::Check);
                }
            }
            Effect::Board(job) => {
                if let Some(job) = self.boards.begin(job) {
                    self.send(move || board::answered(&job), Lane::Board);
                }
            }
            Effect::Offers(job) => self.job(move || board::offered(&job)),
            Effect::Outline(job) => self.job(move || fields::outlined(&job)),
            Effect::Mend(job) => self.job(move || fields::mended(*job)),
            Effect::Work(job) => {
                if let Some(job) = self.errands.begin(job) {
                    self.send(move || text::done(*job), Lane::Text);
                }
            }
            Effect::Preview(job) => self.job(move || board::previewed(*job)),
            Effect::Retro(job) => self.look_back(job),
            Effect::ReadAnswer { id, job } => self.store_job(move |desk| history::answer(desk, id, &job)),
            Effect::Versions => self.store_job(history::versions),
            Effect::ReadVersion { hash } => self.store_job(move |desk| history::read(desk, hash)),
            Effect::NameVersion { hash, name } => self.store_job(move |desk| history::name(desk, &hash, &name)),
            Effect::CompareVersions { old, new } => self.store_job(move |desk| history::compared(desk, &old, &new)),
            Effect::ReadSchema(path) => self.job(move || files::read(&places.folder, path)),
            Effect::InferSchema { whole, several } => self.job(move || infer::run(&places.folder, whole, several)),
            Effect::WriteSchema { path, text, ends, was, over } => self.job(move || {
                if over == Over::Ask && files::is_there(&places.folder, &path) {
                    return Reply::SchemaThere(path);
                }
                if was.is_some_and(|was| files::differs(&places.folder, &path, &was)) {
                    return Reply::SchemaChanged(path);
                }
                let error = files::write(&places.folder, &path, &ends.write(&text)).err();
                Reply::SchemaWritten { path, text, error }
            }),
            Effect::CompareDisk { mine, theirs, name } => self.job(move || {
                let names = (format!("{name} (yours)"), format!("{name} (on disk)"));
                Reply::DiskCompared(unified(&mine, &theirs, (&names.0, &names.1)))
            }),
            Effect::CompareAttempts(job) => self.job(move || Reply::AttemptsCompared {
                title: format!("{} and {}", job.old.0, job.new.0),
                page: attempts::page(&job),
            }),
            Effect::WriteFile { path, text, sample, over } => {
                self.job(move || files::export(&places.folder, path, over, &text, sample));
            }
            Effect::SaveFunction { path, text, call, over } => {
                self.job(move || files::save_function(&places.folder, path, over, &text, call));
            }
            Effect::WriteReport { path, format, mut report, over } => self.job(move || {
                report.made = store::moment(store::now());
                files::export(&places.folder, path, over, &report.render(format), None)
            }),
            Effect::FindFiles => self.job(move || files::find(&places.folder)),
            Effect::ReadDir { typed } => self.job(move || files::entries(&places.folder, typed)),
            Effect::BuildTree { sequence, value } => {
                self.job(move || Reply::Tree { sequence, built: build(value).map(Box::new) });
            }
            Effect::Sample { format, seed } => self.job(move || bench::sampled(&format, seed)),
            Effect::Loosen(job) => self.job(move || bench::loosened(&places.folder, &job)),
            Effect::Weigh { format, bar } => self.job(move || bench::weighed(&format, bar)),
            Effect::Copy { what, text } => self.job(move || copied(what, &text, &places.clipboard)),
            Effect::LoadTheme { name, preview } => self.job(move || themed(&places, &name, preview)),
            Effect::ThemeNames => self.job(move || Reply::ThemeNames(Theme::names(&files::themes(&places.themes_dir)))),
            Effect::LoadRecent => self.job(move || Reply::Recent(files::recent(&places.data_dir))),
            Effect::SaveRecent(paths) => self.job(move || {
                files::save_recent(&places.data_dir, &paths);
                Reply::Saved
            }),
            Effect::LoadHabits => self.job(move || Reply::Habits(Box::new(files::habits(&places.data_dir)))),
            Effect::SaveHabits(habits) => {
                if let Some(habits) = self.habits.begin(habits) {
                    self.write_habits(habits);
                }
            }
            Effect::FindDraft(given) => {
                self.job(move || Reply::DraftLeft(drafts.left(&places.folder, &given).map(Box::new)));
            }
            Effect::AdoptDraft(file) => self.job(move || {
                drafts.adopt(&file);
                Reply::Saved
            }),
            Effect::DiscardDraft(file) => self.job(move || {
                drafts.discard(&file);
                Reply::Saved
            }),
            Effect::PullModel { name } => self.pull(name),
            Effect::CancelPull => self.pulling.cancel(),
            Effect::Probe(spec) => self.probe(*spec),
            Effect::CancelProbe => self.probing.cancel(),
            other => return Some(other),
        }
        None
    }

    fn store_job(&mut self, work: impl FnOnce(&history::Desk) -> Reply + Send + 'static) {
        let desk = self.desk();
        self.job(move || work(&desk));
    }

    fn write_habits(&mut self, habits: Box<Habits>) {
        let places = Arc::clone(&self.places);
        self.send(
            move || {
                files::save_habits(&places.data_dir, &habits);
                Reply::HabitsSaved
            },
            Lane::Habits,
        );
    }

    /// Keeps unsaved text where a crash cannot reach it, or drops it (`None`): it is saved.
    pub fn keep_draft(&mut self, work: Option<(Option<PathBuf>, String)>) {
        if self.places.config.keep_nothing {
            return;
        }
        self.keeping.0 += 1;
        let (number, newest) = (self.keeping.0, Arc::clone(&self.keeping.1));
        let (drafts, places) = (Arc::clone(&self.drafts), Arc::clone(&self.places));
        self.job(move || {
            if let Ok(mut newest) = newest.lock()
                && *newest < number
            {
                *newest = number;
                match work {
                    Some((path, text)) => {
                        drafts.keep(path.map(|path| files::full(&places.folder, &path)).as_deref(), &text);
                    }
                    None => drafts.drop_own(),
                }
            }
            Reply::Saved
        });
    }

    /// At the end, without the runtime: what is unsaved is kept, or dropped.
    pub fn keep_draft_now(&self, work: Option<(Option<PathBuf>, String)>) {
        if self.places.config.keep_nothing {
            return;
        }
        // A job under way ends first; one that comes later is too old.
        if let Ok(mut newest) = self.keeping.1.lock() {
            *newest = u64::MAX;
            match work {
                Some((path, text)) => {
                    let path = path.map(|path| files::full(&self.places.folder, &path));
                    self.drafts.keep(path.as_deref(), &text);
                }
                None => self.drafts.drop_own(),
            }
        }
    }

    fn job(&mut self, work: impl FnOnce() -> Reply + Send + 'static) {
        self.send(work, Lane::None);
    }

    fn send(&mut self, work: impl FnOnce() -> Reply + Send + 'static, lane: Lane) {
        self.pending += 1;
        let replies = self.replies.clone();
        tokio::spawn(async move {
            let reply = tokio::task::spawn_blocking(work).await.unwrap_or(Reply::Lost(lane));
            let _ = replies.send(reply);
        });
    }
}

/// Preflight, then the route the selected model would take.
fn checked(job: CheckJob) -> Reply {
    let (checked, foreign) = read(&job.text, job.form);
    let route = checked.as_ref().ok().zip(job.endpoint.as_ref()).map(|(checked, endpoint)| {
        let fallback = job.fallback.unwrap_or(checked.format.fallback);
        let format = ResponseFormat { fallback, ..checked.format.clone() };
        let verdict = verdict(endpoint.capability.schema_profile, &format.schema);
        negotiate(&Question {
            provider: &endpoint.provider,
            model: &job.model_id,
            capability: &endpoint.record(&job.model_id),
            flag: endpoint.flag(&job.model_id),
            format: &format,
            level: job.level,
            tools: &CallerTools::default(),
            grammar: verdict.as_ref(),
        })
    });
    Reply::Checked { generation: job.generation, report: Box::new(Report { text: job.text, checked, route, foreign }) }
}

/// Preflight; what is refused is asked what else it is.
fn read(text: &str, form: Form) -> (Result<Checked, Vec<SchemaError>>, Option<Arc<Foreign>>) {
    let checked = check_source(text, form);
    let found = checked.as_ref().err().and_then(|errors| foreign::refused(text, form, errors));
    (checked, found.map(|found| Arc::new(found.0)))
}

fn build(value: Value) -> Result<Built, String> {
    let tree = TreeRows::build(&value, Order::Author).map_err(|e| e.to_string())?;
    let canonical = Rows::of(&canonical(&value), Syntax::Json, Gutter::None);
    Ok(Built { value: Arc::new(value), tree: Arc::new(tree), canonical })
}

fn copied(what: String, text: &str, routes: &[Route]) -> Reply {
    let mut escapes = Vec::new();
    let outcome = clipboard::copy(text, routes, &mut escapes);
    Reply::Copied { what, message: outcome.message(), escapes }
}

fn themed(places: &Places, name: &str, preview: Preview) -> Reply {
    match load_theme(name, places) {
        Ok(theme) => Reply::ThemeLoaded { theme: Box::new(theme), preview },
        Err(why) => Reply::ThemeRefused(why),
    }
}

/// Loads a theme, the user's folder included.
///
/// # Errors
/// Which theme, line and key cannot be used.
pub fn load_theme(name: &str, places: &Places) -> Result<Theme, String> {
    let theme = Theme::load(name, &files::themes(&places.themes_dir), places.depth).map_err(|e| e.to_string())?;
    Ok(if places.ascii { theme.with_glyphs(&Glyphs::ASCII) } else { theme })
}
