//! What `update` asks of the outside, and what comes back: plain data both ways. Executed by `shell`.

use std::path::PathBuf;
use std::sync::Arc;

use crate::capability::verdict::{Feature, Verdict};
use crate::catalog::{Catalog, Endpoint};
use crate::json::edit::Edit;
use crate::json::layout::Layout;
use crate::json::{ParseError, Span, Value};
use crate::plan::board::Board;
use crate::probe::Spec;
use crate::report::{Format, Report};
use crate::runtime::{LocalServer, RunSpec};
use crate::schema::ResponseFormat;
use crate::schema::foreign::Foreign;
use crate::schema::format::Fallback;
use crate::schema::profile::ProfileId;
use crate::schema::project::Level;
use crate::schema::retro::Retro;
use crate::schema::source::Form;
use crate::text::ends::Ends;

use super::notify::News;
use super::state::bench::Loosened;
use super::state::board::Offered;
use super::state::fields::Outlined;
use super::state::habits::Habits;
use super::state::history::VersionRow;
use super::state::outputs::Over;
use super::state::pull::Phase;
use super::state::result::Built;
use super::state::schema::Report as Checks;
use super::theme::Theme;

/// Something to do outside.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Preflight and negotiation of a text; a newer one replaces it while it waits.
    Check(Box<CheckJob>),
    /// Asks every provider about a legal schema; a newer question replaces it while it waits.
    Board(Box<BoardJob>),
    /// The edits that would bring a schema to one provider.
    Offers(Box<OffersJob>),
    /// What an edit of the schema would look like and do.
    Preview(Box<PreviewJob>),
    /// Lists the fields of a text.
    Outline(Box<OutlineJob>),
    /// Edits a text at once.
    Mend(Box<MendJob>),
    /// An errand on the whole text; a newer one replaces it while it waits.
    Work(Box<TextJob>),
    ReadSchema(PathBuf),
    /// A schema from the values in files: the line as one name, or the names in it.
    InferSchema {
        whole: PathBuf,
        several: Vec<PathBuf>,
    },
    WriteSchema {
        path: PathBuf,
        /// With `\n`; `ends` is how the file writes it.
        text: String,
        ends: Ends,
        /// What the file held when it was read or saved last, with `\n`; another program's changes are not written over.
        was: Option<String>,
        over: Over,
    },
    /// What the editor's text has otherwise than the file that changed.
    CompareDisk {
        mine: String,
        theirs: String,
        name: String,
    },
    /// What two attempts have differently.
    CompareAttempts(Box<AttemptsJob>),
    WriteFile {
        path: PathBuf,
        text: String,
        /// The seed, when it is a sample and no answer.
        sample: Option<u64>,
        over: Over,
    },
    /// Writes a function; its folder is made.
    SaveFunction {
        path: PathBuf,
        text: String,
        /// How it is run.
        call: String,
        over: Over,
    },
    /// Writes a run as a document.
    WriteReport {
        path: PathBuf,
        format: Format,
        report: Box<Report>,
        over: Over,
    },
    /// Schema files below the working folder.
    FindFiles,
    /// The entries of a folder, for the completion of a path being typed.
    ReadDir {
        typed: String,
    },
    StartRun {
        sequence: u64,
        spec: Box<RunSpec>,
    },
    CancelRun,
    /// Downloads a model; progress and end come as replies.
    PullModel {
        name: String,
    },
    CancelPull,
    /// Probes a model's server, after the question was answered; progress and end come as replies.
    Probe(Box<Spec>),
    CancelProbe,
    /// The rows of a validated value.
    BuildTree {
        sequence: u64,
        value: Value,
    },
    /// Judges earlier answers again under the edited schema; a newer text stops it.
    Retro(Box<RetroJob>),
    /// One earlier answer, judged by the schema of the job.
    ReadAnswer {
        id: i64,
        job: Box<RetroJob>,
    },
    /// The schemas that were run in this folder.
    Versions,
    ReadVersion {
        hash: String,
    },
    NameVersion {
        hash: String,
        name: String,
    },
    CompareVersions {
        old: String,
        new: String,
    },
    Sample {
        format: Box<ResponseFormat>,
        seed: u64,
    },
    /// Looks for what the schema lets through.
    Loosen(Box<LooseJob>),
    /// Weighs the schema; `bar` is the sign bars are made of.
    Weigh {
        format: Box<ResponseFormat>,
        bar: &'static str,
    },
    Copy {
        what: String,
        text: String,
    },
    EditText {
        what: Edited,
        text: String,
    },
    /// Asks the known local addresses whether somebody listens.
    DetectServers,
    LoadTheme {
        name: String,
        preview: Preview,
    },
    ThemeNames,
    LoadRecent,
    SaveRecent(Vec<PathBuf>),
    LoadHabits,
    /// Keeps them; the newest is kept when several follow one another.
    SaveHabits(Box<Habits>),
    /// Looks for unsaved work a crash left.
    FindDraft(Given),
    /// That work goes on in this program, or is given up.
    AdoptDraft(PathBuf),
    DiscardDraft(PathBuf),
    Suspend,
    Repaint,
    /// Tells a person who looks elsewhere, the way the configuration names.
    Notify(News),
    /// Takes or leaves the mouse.
    Mouse(bool),
    /// Only for drills of the panic path.
    #[cfg(debug_assertions)]
    Panic,
}

/// Jobs of one lane follow one another, and of those that wait only the newest is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Check,
    Board,
    Text,
    /// What is kept of the user's habits.
    Habits,
    /// No lane: such jobs run beside one another.
    None,
}

/// Is a theme only tried?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    Try,
    Keep,
}

/// Which text was in the user's editor, and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Schema(Form),
    Prompt,
}

/// A text to check, and the model to ask about it.
#[derive(Debug, Clone)]
pub struct CheckJob {
    pub generation: u64,
    pub text: String,
    /// How the text is written.
    pub form: Form,
    pub endpoint: Option<Arc<Endpoint>>,
    pub model_id: String,
    pub fallback: Option<Fallback>,
    pub level: Level,
}

/// A legal schema, for all providers.
#[derive(Debug, Clone)]
pub struct BoardJob {
    pub generation: u64,
    pub format: ResponseFormat,
}

/// A legal schema, for one provider.
#[derive(Debug, Clone)]
pub struct OffersJob {
    pub generation: u64,
    pub provider: &'static str,
    pub profile: ProfileId,
    pub format: ResponseFormat,
}

/// Edits of a document, to be looked at before they are made.
#[derive(Debug, Clone)]
pub struct PreviewJob {
    /// The document as it is.
    pub text: String,
    /// How it is written.
    pub form: Form,
    pub edits: Vec<Edit>,
    /// The schema in it, to be compared with the edited one.
    pub schema: Option<Value>,
    /// What the providers say of it now.
    pub board: Arc<Board>,
    pub title: String,
    /// What stands above the diff: one line each.
    pub claims: Vec<String>,
}

/// A text whose fields are wanted.
#[derive(Debug, Clone)]
pub struct OutlineJob {
    pub generation: u64,
    pub text: String,
    /// How the text is written.
    pub form: Form,
}

/// Edits of the schema's text.
#[derive(Debug, Clone)]
pub struct MendJob {
    pub before: String,
    pub edits: Vec<Edit>,
    /// Said when they are made.
    pub said: String,
}

/// An errand on the schema's text.
#[derive(Debug, Clone)]
pub struct TextJob {
    /// The editor's revision it is for.
    pub revision: u64,
    pub text: String,
    /// How the text is written.
    pub form: Form,
    pub errand: Errand,
}

/// What is wanted of the text.
#[derive(Debug, Clone)]
pub enum Errand {
    Lay {
        layout: Layout,
        caret: usize,
    },
    /// What the reference around this place names; the token is that of a reference's value at the caret.
    Target {
        path: Vec<String>,
        token: Option<Span>,
    },
    /// What refers to the definition around this place.
    References {
        path: Vec<String>,
    },
    /// The JSON it stands for.
    Json,
    /// A part of it, by name or pointer.
    Pick {
        wanted: String,
        found: Option<Arc<Foreign>>,
    },
}

/// What an errand brought.
#[derive(Debug)]
pub enum Worked {
    Laid(Laid),
    Target(Option<Named>),
    /// Of which definition, where, and how many more there are.
    References(Result<(String, Vec<Named>, usize), &'static str>),
    Json(Converted),
    Picked {
        wanted: String,
        schema: Option<String>,
    },
}

/// A text laid out.
#[derive(Debug)]
pub enum Laid {
    Already,
    Anew { text: String, caret: usize },
    Broken(ParseError),
}

/// A place in the text, by its pointer and first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub pointer: String,
    pub start: usize,
}

/// A text as JSON.
#[derive(Debug, PartialEq, Eq)]
pub enum Converted {
    Already,
    /// JSON with comments, without them.
    Cleaned(String),
    From(Form, String),
    /// Why it cannot be read.
    Broken(String),
}

/// An edit that can be agreed to.
#[derive(Debug)]
pub struct Previewed {
    pub before: String,
    pub after: String,
    pub title: String,
    /// Claims, what it moves, the diff.
    pub page: String,
}

/// A schema whose looseness is looked for.
#[derive(Debug, Clone)]
pub struct LooseJob {
    pub generation: u64,
    pub format: ResponseFormat,
    /// The last validated result.
    pub good: Option<Arc<Value>>,
    /// An answer in a file; it stands above the result.
    pub file: Option<PathBuf>,
    /// The sample that is taken when there is no answer.
    pub seed: u64,
    pub assert_format: bool,
}

/// A legal text whose earlier answers are looked at.
#[derive(Debug, Clone)]
pub struct RetroJob {
    pub generation: u64,
    pub format: Box<ResponseFormat>,
    pub assert_format: bool,
    /// The file it stands in.
    pub source: Option<PathBuf>,
}

/// An earlier answer, as a page.
#[derive(Debug)]
pub struct Answer {
    pub title: String,
    /// Its issues, then the answer itself.
    pub text: String,
    /// The byte range of the first issue's place.
    pub mark: Option<(usize, usize)>,
}

/// What came back.
#[derive(Debug)]
pub enum Reply {
    Checked {
        generation: u64,
        report: Box<Checks>,
    },
    Board {
        generation: u64,
        board: Arc<Board>,
    },
    Offered(Offered),
    Outlined(Result<Outlined, String>),
    Mended {
        before: String,
        after: Result<String, String>,
        said: String,
    },
    Previewed(Result<Box<Previewed>, String>),
    /// An errand is done, for the text of this revision.
    Worked {
        revision: u64,
        worked: Worked,
    },
    /// What the text of this generation does to earlier answers; `None` when there are none.
    Retro {
        generation: u64,
        retro: Option<Box<Retro>>,
    },
    AnswerRead(Result<Box<Answer>, String>),
    Versions(Result<Vec<VersionRow>, String>),
    VersionRead {
        hash: String,
        text: Result<String, String>,
    },
    Compared(Result<String, String>),
    SchemaRead {
        path: PathBuf,
        text: Result<String, String>,
    },
    /// How many samples there were, and the schema's text.
    Inferred(Result<(u64, String), String>),
    SchemaWritten {
        path: PathBuf,
        text: String,
        error: Option<String>,
    },
    /// The schema's file holds something else than this program left there: nothing was written.
    SchemaChanged(PathBuf),
    /// The loaded schema's file was looked at, since something happened to it. No job's answer.
    SchemaOnDisk {
        path: PathBuf,
        found: OnDisk,
    },
    DiskCompared(String),
    AttemptsCompared {
        title: String,
        page: String,
    },
    /// Another file of that name is there, and was left as it is.
    SchemaThere(PathBuf),
    /// A file of that name is there, and was left as it is.
    FileThere(PathBuf),
    FileWritten {
        path: PathBuf,
        bytes: usize,
        /// The seed, when it is a sample and no answer.
        sample: Option<u64>,
        error: Option<String>,
    },
    FunctionSaved {
        path: PathBuf,
        call: String,
        error: Option<String>,
    },
    Files {
        paths: Vec<PathBuf>,
        cut: bool,
    },
    Entries {
        typed: String,
        entries: Vec<Entry>,
    },
    Tree {
        sequence: u64,
        built: Result<Box<Built>, String>,
    },
    Sampled {
        seed: u64,
        schema_hash: String,
        built: Result<Box<Built>, String>,
    },
    Loosened {
        generation: u64,
        outcome: Result<Box<Loosened>, String>,
    },
    /// The page of weights.
    Weighed(String),
    /// `escapes` are for the terminal: only the loop may write there.
    Copied {
        what: String,
        message: String,
        escapes: Vec<u8>,
    },
    Edit {
        what: Edited,
        text: Result<String, String>,
    },
    Servers(Vec<LocalServer>),
    /// A download goes on. Not the job's answer: that is [`Reply::Pulled`].
    Pulling {
        phase: Phase,
        done: u64,
        total: Option<u64>,
    },
    /// The download ended; with the catalogue that knows the new model.
    Pulled {
        name: String,
        outcome: Result<Box<Catalog>, String>,
    },
    /// A feature is settled. Not the job's answer: that is [`Reply::Probed`].
    Probing {
        feature: Feature,
        verdict: Verdict,
    },
    /// The probe ended.
    Probed {
        /// `PROVIDER/MODEL`.
        name: String,
        outcome: Result<Learned, String>,
    },
    ThemeLoaded {
        theme: Box<Theme>,
        preview: Preview,
    },
    ThemeRefused(String),
    ThemeNames(Vec<String>),
    Recent(Vec<PathBuf>),
    Habits(Box<Habits>),
    HabitsSaved,
    /// Unsaved work of a program that is gone.
    DraftLeft(Option<Box<Draft>>),
    Saved,
    /// Something the user should know, from no job.
    Told(String),
    /// The job died; the screen stays.
    Lost(Lane),
}

/// What is found where a schema was loaded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnDisk {
    Text(String),
    Gone,
    /// Why it cannot be read.
    Unread(String),
}

/// What a probe brought, already kept.
#[derive(Debug)]
pub struct Learned {
    /// The catalogue that goes by it.
    pub catalog: Box<Catalog>,
    /// How the schema parameter did.
    pub schema: Verdict,
    /// What ended the probe before all was asked.
    pub stopped: Option<String>,
}

/// Unsaved schema text that outlived its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Where it is kept.
    pub file: PathBuf,
    /// The schema's own file, if it had one.
    pub path: Option<PathBuf>,
    pub text: String,
    /// What that file holds now; empty without one.
    pub on_disk: String,
    /// What differs from that file.
    pub diff: String,
    /// Seconds since it was kept last.
    pub age: u64,
    pub beside: Beside,
}

/// What the program was started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Given {
    #[default]
    Nothing,
    File(PathBuf),
    /// The schema's text itself.
    Text,
}

/// What unsaved work is beside what the program was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Nothing else is wanted now, or that very file.
    Alone,
    /// The user came for something else.
    Other,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub folder: bool,
}

/// Two attempts to compare: each with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptsJob {
    pub old: (String, String),
    pub new: (String, String),
}
