//! What `update` asks of the outside, and what comes back: plain data both ways. Executed by `shell`.

use std::path::PathBuf;
use std::sync::Arc;

use crate::capability::verdict::{Feature, Verdict};
use crate::catalog::{Catalog, Endpoint};
use crate::json::Value;
use crate::probe::Spec;
use crate::runtime::{LocalServer, RunSpec};
use crate::schema::ResponseFormat;
use crate::schema::format::Fallback;
use crate::schema::project::Level;

use super::state::pull::Phase;
use super::state::result::Built;
use super::state::schema::Report;
use super::theme::Theme;

/// Something to do outside.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Preflight and negotiation of a text; a newer one replaces it while it waits.
    Check(Box<CheckJob>),
    ReadSchema(PathBuf),
    WriteSchema {
        path: PathBuf,
        text: String,
        /// What the file held when it was read or saved last; another program's changes are not written over.
        was: Option<String>,
    },
    WriteFile {
        path: PathBuf,
        text: String,
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
    Sample {
        format: Box<ResponseFormat>,
        seed: u64,
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
    /// Looks for unsaved work a crash left.
    FindDraft,
    /// That work goes on in this program, or is given up.
    AdoptDraft(PathBuf),
    DiscardDraft(PathBuf),
    Suspend,
    Repaint,
    /// Takes or leaves the mouse.
    Mouse(bool),
    /// Only for drills of the panic path.
    #[cfg(debug_assertions)]
    Panic,
}

/// Is a theme only tried?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    Try,
    Keep,
}

/// Which text was in the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Schema,
    Prompt,
}

/// A text to check, and the model to ask about it.
#[derive(Debug, Clone)]
pub struct CheckJob {
    pub generation: u64,
    pub text: String,
    pub endpoint: Option<Arc<Endpoint>>,
    pub model_id: String,
    pub fallback: Option<Fallback>,
    pub level: Level,
}

/// What came back.
#[derive(Debug)]
pub enum Reply {
    Checked {
        generation: u64,
        report: Box<Report>,
    },
    SchemaRead {
        path: PathBuf,
        text: Result<String, String>,
    },
    SchemaWritten {
        path: PathBuf,
        text: String,
        error: Option<String>,
    },
    /// The schema's file holds something else than this program left there: nothing was written.
    SchemaChanged(PathBuf),
    FileWritten {
        path: PathBuf,
        bytes: usize,
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
    Sampled(Result<String, String>),
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
    /// Unsaved work of a program that is gone.
    DraftLeft(Option<Box<Draft>>),
    Saved,
    /// The job died; the screen stays.
    Lost {
        check: bool,
    },
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
    /// What differs from that file.
    pub diff: String,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub folder: bool,
}
