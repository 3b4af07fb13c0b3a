//! Everything the screen shows, as plain data. Changed by `update` only, read by `view`; holds no channel, no handle.

pub mod attempt;
pub mod bench;
pub mod board;
pub mod composer;
pub mod editor;
pub mod fields;
pub mod findings;
pub mod folds;
pub mod habits;
pub mod history;
pub mod outputs;
pub mod popup;
pub mod probe;
pub mod prompt;
pub mod pull;
pub mod raw;
pub mod result;
pub mod rounds;
pub mod run;
pub mod schema;
pub mod timeline;
pub mod tour;
pub mod turns;

use std::path::PathBuf;
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::capability::Dialect;
use crate::catalog::{Catalog, ModelRow};
use crate::command::{Context, Id, Keymap, Need, command};
use crate::config::Config;
use crate::runtime::LocalServer;
use crate::schema::Fallback;
use crate::schema::project::Level;
use crate::tui::effect::{Draft, Given};
use crate::tui::theme::{ColorDepth, Theme};

use bench::Bench;
use habits::{Border, Habits};
use history::History;
use popup::{Kind, Popup};
use probe::Probing;
use prompt::PromptPane;
use pull::{Offer, Pull};
use result::ResultPane;
use run::Run;
use schema::SchemaPane;
use tour::Tour;
use turns::Turns;

/// A part of the screen that can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    Schema,
    Prompt,
    Candidate,
    Result,
    Attempts,
}

impl Region {
    /// In the order of Tab and of Alt-1…5.
    pub const ALL: [Self; 5] = [Self::Schema, Self::Prompt, Self::Candidate, Self::Result, Self::Attempts];

    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Schema => "Schema",
            Self::Prompt => "Prompt",
            Self::Candidate => "Candidate",
            Self::Result => "Result",
            Self::Attempts => "Attempts",
        }
    }

    /// The letter that leads there when jumping.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Schema => 's',
            Self::Prompt => 'p',
            Self::Candidate => 'c',
            Self::Result => 'r',
            Self::Attempts => 'a',
        }
    }

    /// Its key context.
    #[must_use]
    pub fn context(self) -> Context {
        match self {
            Self::Schema => Context::Schema,
            Self::Prompt => Context::Prompt,
            Self::Candidate => Context::Candidate,
            Self::Result => Context::Result,
            Self::Attempts => Context::Attempts,
        }
    }

    /// The region `by` places on, around the ends.
    #[must_use]
    pub fn step(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|r| *r == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }
}

/// Something shown until the next key, or whatever else the user does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glance {
    /// A letter on every part: it goes there.
    Letters,
    /// The keys of this place: each does what it does.
    Keys,
}

/// How serious a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Info,
    Good,
    Warn,
    Bad,
}

/// A sentence in the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
    /// Gone at this time.
    pub until: u64,
}

/// What a run may do, as chosen on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `None`: what the schema's envelope says.
    pub fallback: Option<Fallback>,
    pub max_retries: u32,
    pub level: Level,
    pub timeout_seconds: Option<u64>,
    pub assert_format: bool,
    pub system: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fallback: None,
            max_retries: 6,
            level: Level::Exact,
            timeout_seconds: None,
            assert_format: false,
            system: None,
        }
    }
}

/// The model that answers.
#[derive(Debug, Clone, Default)]
pub struct Models {
    /// `PROVIDER/MODEL`.
    pub name: String,
    pub catalog: Arc<Catalog>,
    pub rows: Vec<ModelRow>,
    /// Local servers that answered.
    pub servers: Vec<LocalServer>,
    /// Models that run inside the program and can be pulled; empty when it was built without.
    pub offers: Vec<Offer>,
    /// Names of models that are for trying out only, as `PROVIDER/MODEL`.
    pub demos: Vec<String>,
}

impl Models {
    /// Is the selected model one for trying out only?
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.demos.contains(&self.name)
    }

    /// Is there one that can be called now and is no script?
    #[must_use]
    pub fn any_real(&self) -> bool {
        self.rows.iter().any(|row| row.ready && !row.simulated)
    }

    /// The models that run inside the program and are here.
    pub fn inside(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().filter(|row| row.ready);
        rows.filter_map(|row| row.name.strip_prefix(Dialect::Local.name())?.strip_prefix('/'))
    }
}

/// Where the last frame put things; what `update` needs of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    pub screen: (u16, u16),
    pub candidate: usize,
    pub result: usize,
    pub page: usize,
    /// Cells of a text row of a page.
    pub page_width: u16,
    /// The regions on the screen, in the order of [`Region::ALL`].
    pub regions: [Option<Rect>; 5],
    /// The titles of those that share a place, likewise: a press on one brings its region to the top.
    pub tabs: [Option<Rect>; 5],
    pub list: usize,
    pub schema: usize,
}

/// A command that does something grave only when given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Armed {
    pub id: Id,
    pub until: u64,
}

/// The whole screen.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the screen, not one state in disguise")]
pub struct State {
    /// Milliseconds since the program began; set by the loop before every message.
    pub now: u64,
    pub keymap: Keymap,
    pub theme: Theme,
    pub theme_names: Vec<String>,
    /// The theme to go back to when a preview is closed.
    pub theme_before: Option<Theme>,
    pub depth: ColorDepth,
    pub focus: Region,
    /// The pane of the right side that is on top where there is no room for all.
    pub reader: Region,
    pub zoom: bool,
    /// The sizes of the panes, and what was used last.
    pub habits: Habits,
    /// The guided tour, while it goes on.
    pub tour: Option<Tour>,
    /// What is shown until the next key.
    pub glance: Option<Glance>,
    /// The border that the mouse holds.
    pub held: Option<Border>,
    /// The program takes the mouse; off leaves the terminal's own selection working.
    pub mouse: bool,
    /// What may be written over unasked.
    pub outputs: outputs::Outputs,
    /// Nothing turns or blinks.
    pub still: bool,
    /// Has the terminal the focus, as far as it tells?
    pub watched: Watched,
    pub sizes: Sizes,
    pub schema: SchemaPane,
    pub history: History,
    pub prompt: PromptPane,
    /// What was cut or copied last in the schema.
    pub clip: String,
    pub models: Models,
    pub settings: Settings,
    /// Where functions are saved.
    pub functions: PathBuf,
    pub run: Option<Run>,
    /// Everything that was run in this session.
    pub turns: Turns,
    /// A model is being downloaded.
    pub pull: Option<Pull>,
    /// A model's server is being probed.
    pub probe: Option<Probing>,
    /// Sequence number of the newest run.
    pub runs: u64,
    /// A run was asked for while the schema was being checked.
    pub run_when_checked: bool,
    pub result: ResultPane,
    pub bench: Bench,
    pub thinking_open: bool,
    pub popups: Vec<Popup>,
    pub notice: Option<Notice>,
    pub armed: Option<Armed>,
    pub recent: Vec<PathBuf>,
    /// Unsaved work that a crash left.
    pub draft: Option<Box<Draft>>,
    /// What the program was started with, until it is there.
    pub given: Given,
    /// What the config files are, one fact a line, for `/config` and the welcome panel.
    pub config_facts: Vec<(String, String)>,
    /// Vendor keys that were found, by variable name.
    pub keys_found: Vec<String>,
    pub quit: Option<u8>,
    pub suspended: bool,
}

impl State {
    /// The screen before anything happened.
    #[must_use]
    pub fn new(config: &Config, catalog: Catalog, theme: Theme, depth: ColorDepth) -> (Self, Vec<String>) {
        let (keymap, problems) = Keymap::new(&config.keys);
        let rows = catalog.rows();
        let demos = catalog.demos();
        let models = Models { catalog: Arc::new(catalog), rows, demos, ..Models::default() };
        let settings = Settings {
            timeout_seconds: config.timeout_seconds,
            assert_format: config.assert_format,
            fallback: config.fallback.as_deref().and_then(fallback_named),
            ..Settings::default()
        };
        let state = Self {
            now: 0,
            keymap,
            theme,
            theme_names: Vec::new(),
            theme_before: None,
            depth,
            focus: Region::Prompt,
            reader: Region::Candidate,
            zoom: false,
            habits: Habits::default(),
            tour: None,
            glance: None,
            held: None,
            mouse: config.mouse,
            outputs: outputs::Outputs::default(),
            still: config.still,
            watched: Watched::Yes,
            sizes: Sizes::default(),
            schema: SchemaPane::default(),
            history: History::default(),
            prompt: PromptPane::default(),
            clip: String::new(),
            models,
            settings,
            functions: config.paths.functions.clone(),
            run: None,
            turns: Turns::default(),
            pull: None,
            probe: None,
            runs: 0,
            run_when_checked: false,
            result: ResultPane::default(),
            bench: Bench::default(),
            thinking_open: false,
            popups: Vec::new(),
            notice: None,
            armed: None,
            recent: Vec::new(),
            draft: None,
            given: Given::Nothing,
            config_facts: Vec::new(),
            keys_found: Vec::new(),
            quit: None,
            suspended: false,
        };
        (state, problems.iter().map(ToString::to_string).collect())
    }

    /// Where keys go now, innermost first.
    #[must_use]
    pub fn contexts(&self) -> Vec<Context> {
        match self.popups.last() {
            Some(Popup::List(list)) if list.kind == Kind::Versions => {
                vec![Context::Versions, Context::List, Context::Always]
            }
            Some(Popup::List(_)) => vec![Context::List, Context::Always],
            Some(Popup::Line(_)) => vec![Context::Line, Context::Always],
            Some(Popup::Page(_)) => vec![Context::Page, Context::Always],
            Some(Popup::Ask(_)) => vec![Context::Ask, Context::Always],
            Some(Popup::Board(_)) => vec![Context::Board, Context::Always],
            Some(Popup::Raw(_)) => vec![Context::Raw, Context::Always],
            Some(Popup::Turns(_)) => vec![Context::Turns, Context::Always],
            None if self.focus == Region::Prompt && self.prompt.completing() => {
                vec![Context::Slash, Context::Prompt, Context::Global, Context::Always]
            }
            None if self.focus == Region::Schema && self.schema.offered().is_some() => {
                vec![Context::Complete, Context::Schema, Context::Global, Context::Always]
            }
            None => vec![self.focus.context(), Context::Global, Context::Always],
        }
    }

    /// The region at a cell of the last frame.
    #[must_use]
    pub fn region_at(&self, cell: (u16, u16)) -> Option<Region> {
        holder(self.sizes.regions, cell)
    }

    /// The region whose tab is at a cell of the last frame.
    #[must_use]
    pub fn tab_at(&self, cell: (u16, u16)) -> Option<Region> {
        holder(self.sizes.tabs, cell)
    }

    /// Is a run going?
    #[must_use]
    pub fn running(&self) -> bool {
        self.run.as_ref().is_some_and(Run::running)
    }

    /// Is the value on screen valid for another schema than the editor holds now?
    #[must_use]
    pub fn result_is_old(&self) -> bool {
        self.result.schema_hash.as_deref().is_some_and(|hash| self.schema.hash() != Some(hash))
    }

    /// Is this need met?
    #[must_use]
    pub fn has(&self, need: Need) -> bool {
        let shown = self.run.as_ref().and_then(Run::shown);
        match need {
            Need::Prompt => !self.prompt.editor.is_blank() || self.prompt.last().is_some(),
            Need::SchemaText => !self.schema.editor.is_blank(),
            Need::SchemaLegal => {
                self.schema.editor.is_blank() || self.schema.checking() || self.schema.legal().is_some()
            }
            Need::Tour => self.tour.is_some(),
            Need::Draft => self.draft.is_some(),
            Need::Problem => !self.schema.problems().is_empty(),
            Need::Running => self.running(),
            Need::Attempt => shown.is_some(),
            Need::Issue => shown.is_some_and(|a| !a.issues.is_empty() || a.slip.is_some()),
            Need::Result => self.result.built().is_some(),
            Need::Sample => self.result.sample.is_some(),
            Need::Finding => {
                matches!(self.popups.last(), Some(Popup::List(list)) if list.kind == popup::Kind::Loose)
            }
            Need::Request => self.run.as_ref().is_some_and(|r| r.request().is_some()),
            Need::Round => self.run.as_ref().is_some_and(|r| !r.rounds.list.is_empty()),
            Need::Events => self.run.as_ref().is_some_and(|r| !r.raw.is_empty()),
            Need::Turn => !self.turns.list.is_empty(),
            Need::Repair => self.run.as_ref().is_some_and(|r| r.repair().is_some()),
            Need::Failure => self.run.as_ref().is_some_and(|r| !r.failures.is_empty()),
            Need::Changed => self.history.retro.as_ref().is_some_and(|retro| !retro.changed.is_empty()),
            Need::Thinking => shown.is_some_and(|a| !a.thinking.is_empty()),
            Need::LocalModel => !self.models.offers.is_empty(),
            Need::Refused => self.schema.report().and_then(|r| r.route.as_ref()).is_some_and(Result::is_err),
        }
    }

    /// Why a command cannot be given now.
    #[must_use]
    pub fn barred(&self, id: Id) -> Option<&'static str> {
        command(id).needs.iter().find(|n| !self.has(**n)).map(|n| n.reason())
    }

    /// Says something in the status line.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        // Time to read: a second, and 60 ms a character, at least four seconds.
        let span = (1_000 + 60 * text.chars().count() as u64).max(4_000);
        self.notice = Some(Notice { tone, text, until: self.now + span });
    }

    /// When the screen changes by itself next, in milliseconds; `None` while nothing moves.
    #[must_use]
    pub fn next_change(&self) -> Option<u64> {
        let moves = self.running() || self.result_building() || self.pull.is_some() || self.probe.is_some();
        let step = if self.still { 1_000 } else { SPIN };
        let spinner = moves.then(|| (self.now / step + 1) * step);
        let notice = self.notice.as_ref().map(|n| n.until);
        let armed = self.armed.map(|a| a.until);
        [spinner, notice, armed].into_iter().flatten().min()
    }

    fn result_building(&self) -> bool {
        matches!(self.result.shown, result::Shown::Building)
    }

    /// Drops what has run out.
    pub fn expire(&mut self) {
        let now = self.now;
        self.notice = self.notice.take().filter(|n| n.until > now);
        self.armed = self.armed.filter(|a| a.until > now);
    }
}

/// The region whose cells hold this one.
fn holder(places: [Option<Rect>; 5], cell: (u16, u16)) -> Option<Region> {
    let mut places = Region::ALL.into_iter().zip(places);
    places.find(|(_, area)| area.is_some_and(|a| a.contains(cell.into()))).map(|(region, _)| region)
}

/// Does somebody look at the screen?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    Yes,
    No,
}

/// One step of the spinner in milliseconds.
pub const SPIN: u64 = 100;

/// A fallback by its name.
#[must_use]
pub fn fallback_named(name: &str) -> Option<Fallback> {
    match name {
        "auto" => Some(Fallback::Auto),
        "none" => Some(Fallback::None),
        "prompt" => Some(Fallback::Prompt),
        _ => None,
    }
}

/// The name of a fallback.
#[must_use]
pub fn fallback_name(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::Auto => "auto",
        Fallback::None => "none",
        Fallback::Prompt => "prompt",
    }
}

/// A projection level by its name.
#[must_use]
pub fn level_named(name: &str) -> Option<Level> {
    match name {
        "exact" => Some(Level::Exact),
        "narrow" => Some(Level::Narrow),
        "relax" => Some(Level::Relax),
        _ => None,
    }
}

/// The name of a projection level.
#[must_use]
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Exact => "exact",
        Level::Narrow => "narrow",
        Level::Relax => "relax",
    }
}
