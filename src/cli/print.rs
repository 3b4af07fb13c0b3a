//! `formwork --print`: one prompt, one answer, and out.
//!
//! Reads every input first, checks the schema before anything else is looked at, then follows the run. Never simulates
//! unless a `sim/…` model was asked for by name.

use std::time::Duration;

use super::args::functions::CallArgs;
use super::args::{FallbackArg, PlaceArgs, ProjectArg, ReadArgs, RunArgs};
use super::failure::{Exit, Failure, Outcome, Stop};
use super::input::{self, MAX_TEXT, Source};
use super::keeping::{End, Keeping};
use super::report::{self, Reporting};
use super::signal::Signals;
use super::view::{Form, View};
use super::{call, dry, model, output, prompt, schema_file, status, tools};
use crate::catalog::Catalog;
use crate::config::{self, Config};
use crate::event::ErrorCode;
use crate::machine::Budget;
use crate::runtime::{self, RunSpec, Tools, Written};
use crate::schema::project::Level;
use crate::schema::source;
use crate::schema::{Checked, Fallback, ResponseFormat};
use crate::sim::Tempo;

/// The deadline when neither flag nor configuration names one: a hung run must end some day.
const DEFAULT_DEADLINE: Duration = Duration::from_mins(10);
/// How long a cancelled run may take to say goodbye.
const GRACE: Duration = Duration::from_millis(40);
/// After a signal the program ends, even while a write waits for a reader that does not read.
const PATIENCE: Duration = Duration::from_millis(55);

/// What the command line and its files say, all read.
pub(super) struct Request {
    pub(super) prompt: prompt::Prompt,
    pub(super) system: Option<String>,
    pub(super) schema: Option<Schema>,
}

/// The schema, what it was made of and where that stands.
pub(super) struct Schema {
    pub(super) checked: Checked,
    pub(super) written: Written,
}

/// Where a one-shot run comes from.
#[derive(Debug, Clone)]
pub(super) enum Work {
    Print(Box<RunArgs>),
    Call(Box<CallArgs>),
}

/// Runs the one-shot mode.
pub(super) fn run(work: Work, places: &PlaceArgs) -> Outcome {
    // The run and what it writes share a thread: a delta wakes nobody else. This one only watches for the way out.
    let watch = runtime()?;
    let places = places.clone();
    watch.block_on(async {
        let mut again = signals()?;
        let (sender, outcome) = tokio::sync::oneshot::channel();
        let run = std::thread::Builder::new().name("run".to_owned());
        run.spawn(move || sender.send(on_this_thread(work, &places)))
            .map_err(|error| Failure::new(ErrorCode::Transport, format!("the system gives no thread: {error}")))?;
        tokio::select! {
            biased;
            outcome = outcome => {
                outcome.unwrap_or_else(|_| Err(Failure::new(ErrorCode::Provider, "the run broke").into()))
            }
            exit = give_up(&mut again) => Ok(exit),
        }
    })
}

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::Transport, format!("the runtime did not start: {error}")))
}

fn on_this_thread(work: Work, places: &PlaceArgs) -> Outcome {
    let runtime = runtime()?;
    let outcome = runtime.block_on(async { one_shot(work, places, signals()?).await });
    // A read of standard input or a judge that still works on its thread must not hold the exit.
    runtime.shutdown_background();
    outcome
}

/// A signal came, and some time after it the run still waits for a reader that does not read.
async fn give_up(signals: &mut Signals) -> Exit {
    let exit = signals.next().await;
    tokio::time::sleep(PATIENCE).await;
    exit
}

pub(super) fn signals() -> Result<Signals, Failure> {
    Signals::new().map_err(|error| Failure::config(format!("no signals: {error}")))
}

async fn one_shot(work: Work, places: &PlaceArgs, mut signals: Signals) -> Outcome {
    let (args, request) = tokio::select! {
        biased;
        exit = signals.next() => return Ok(exit),
        read = read(work, places) => read?,
    };
    let args = &args;
    let config = config::load(&places.overrides()).map_err(super::config_failure)?;
    for note in config::notes(&config) {
        output::say(&format!("note: {note}\n"));
    }
    let mut spec = spec(args, &config, request)?;
    if args.dry_run {
        return dry::print(&spec);
    }
    let _log = super::begin_log(&config, "print");
    let form = match (args.events, &spec.format) {
        (true, _) => Form::Events,
        (false, Some(_)) => Form::Value,
        (false, None) => Form::Text,
    };
    let keeps = spec.format.is_some() && !(args.no_session || config.keep_nothing);
    let keeping = if keeps { Keeping::start(&config) } else { None };
    if let Some(keeping) = &keeping {
        keeping.attach(&mut spec);
    }
    let mut reporting = args.report.as_deref().map(|path| Reporting::start(path, &spec)).transpose()?;
    let outcome = follow(spec, form, &mut signals, reporting.as_mut()).await;
    let outcome = reported(outcome, reporting);
    if let Some(keeping) = keeping {
        let exit = match &outcome {
            Ok(exit) => Some(*exit),
            Err(Stop::Failure(failure)) => Some(failure.exit),
            Err(Stop::Closed) => None,
        };
        let signalled = matches!(exit, Some(Exit::Interrupted | Exit::Terminated));
        keeping.finish(if signalled { End::Signalled } else { End::Usual });
    }
    outcome
}

/// Writes the report, if one is wanted, whatever became of the run.
fn reported(outcome: Outcome, reporting: Option<Reporting>) -> Outcome {
    match (outcome, reporting) {
        (Ok(exit), Some(reporting)) => {
            reporting.finish()?;
            Ok(exit)
        }
        (Err(stop), Some(reporting)) => {
            reporting.finish_beside();
            Err(stop)
        }
        (outcome, None) => outcome,
    }
}

/// Follows the run to its end, or to a signal.
async fn follow(spec: RunSpec, form: Form, signals: &mut Signals, mut reporting: Option<&mut Reporting>) -> Outcome {
    let mut view = View::new(form);
    let mut handle = runtime::start(spec);
    let mut ticks = tokio::time::interval(status::TICK);
    let mut ended: Option<Exit> = None;
    let goodbye = tokio::time::sleep(Duration::MAX);
    tokio::pin!(goodbye);
    loop {
        tokio::select! {
            biased;
            exit = signals.next() => {
                if ended.is_some() {
                    return Ok(exit);
                }
                ended = Some(exit);
                handle.cancel.cancel();
                goodbye.as_mut().reset(tokio::time::Instant::now() + GRACE);
            }
            () = &mut goodbye, if ended.is_some() => break,
            items = handle.feed.next() => match items {
                Some(items) => {
                    if let Some(reporting) = reporting.as_deref_mut() {
                        for item in &items {
                            reporting.take(item);
                        }
                    }
                    view.take(items)?;
                }
                None => break,
            },
            _ = ticks.tick(), if view.ticks() && ended.is_none() => view.tick(),
        }
    }
    match (ended, view.finish()) {
        (None, outcome) => outcome,
        (Some(exit), Err(Stop::Failure(failure))) => Err(Failure::exits(*failure, exit).into()),
        (Some(exit), _) => Ok(exit),
    }
}

async fn read(work: Work, places: &PlaceArgs) -> Result<(RunArgs, Request), Failure> {
    match work {
        Work::Print(args) => Ok(((*args).clone(), print_request(*args).await?)),
        Work::Call(args) => {
            let overrides = places.overrides();
            input::off_loop(move || call::read(&args, &overrides)).await
        }
    }
}

/// Reads prompt, system prompt, attachments and schema; the schema is checked before anything else can fail.
async fn print_request(args: RunArgs) -> Result<Request, Failure> {
    args.report.as_deref().map(report::target).transpose()?;
    let from_stdin = args.print.as_deref() == Some("-");
    let schema_path = args.json_schema.as_ref().map(|path| Source::new(path));
    if from_stdin && schema_path == Some(Source::Stdin) {
        let message = "prompt and schema cannot both be read from standard input (stdin)";
        return Err(Failure::config(message).fact("next", "give the prompt after --print, or name a schema file"));
    }
    if from_stdin && output::stdin_is_terminal() {
        output::say("note: type the prompt, end it with Ctrl-D\n");
    }
    input::off_loop(move || {
        let schema = schema(schema_path, args.json_schema_inline, &args.read)?;
        let text = match args.print {
            Some(text) if text != "-" => text,
            _ => Source::Stdin.text(MAX_TEXT, ErrorCode::Config)?,
        };
        let system = args.system.as_deref().map(prompt::system).transpose()?;
        Ok(Request { prompt: prompt::build(text, &args.attach)?, system, schema })
    })
    .await
}

fn schema(path: Option<Source>, inline: Option<String>, read: &ReadArgs) -> Result<Option<Schema>, Failure> {
    let source = match &path {
        Some(Source::File(file)) => Some(file.clone()),
        Some(Source::Stdin) | None => None,
    };
    let loaded = match (path, inline) {
        (Some(source), _) => schema_file::load(&source, read)?,
        (None, Some(text)) => schema_file::Loaded::new("--json-schema-inline".to_owned(), &text, source::Form::Json),
        (None, None) => return Ok(None),
    };
    let checked = loaded.check()?;
    for warning in &checked.warnings {
        output::say(&format!("warning: {} at {:?} of {}\n", warning.message, warning.path, loaded.name));
    }
    Ok(Some(Schema { checked, written: Written { text: loaded.written().into(), source } }))
}

/// Everything the run needs, from flags first, then the envelope, then the configuration.
fn spec(args: &RunArgs, config: &Config, request: Request) -> Result<RunSpec, Failure> {
    let mut catalog = Catalog::new(config);
    let name = model_name(args, config, &mut catalog)?;
    let (endpoint, model_id) =
        catalog.find(&name).map_err(|error| Failure::config(error.to_string()).fact("next", error.next()))?;
    if let Some(failure) = prompt::refused(&endpoint, &model_id, &request.prompt.attachments) {
        return Err(failure);
    }
    let deadline = args.timeout.or(config.timeout_seconds.map(Duration::from_secs)).unwrap_or(DEFAULT_DEADLINE);
    let usual = Budget::default();
    Ok(RunSpec {
        system: request.system,
        attachments: request.prompt.attachments,
        format: request.schema.as_ref().map(|schema| format(args, config, schema.checked.clone())).transpose()?,
        written: request.schema.map(|schema| schema.written),
        level: args.project.map_or(config.level.unwrap_or_default(), level),
        budget: Budget {
            max_retries: args.max_retries.or(config.max_retries).unwrap_or(usual.max_retries),
            max_iterations: args.max_iterations.or(config.max_iterations).unwrap_or(usual.max_iterations),
        },
        deadline: Some(deadline),
        assert_format: config.assert_format,
        tempo: if output::stdout_is_terminal() || output::stderr_is_terminal() { Tempo::Typing } else { Tempo::AtOnce },
        toolbox: tools::toolbox(&args.allow_tool)?,
        tools: if args.no_tools { Tools::Withheld } else { Tools::Offered },
        ..RunSpec::new(endpoint, model_id, request.prompt.text)
    })
}

/// The flags' model, else the configured one, else weights that are here when there is no key either.
fn model_name(args: &RunArgs, config: &Config, catalog: &mut Catalog) -> Result<String, Failure> {
    if let Some(path) = &args.model_path {
        return Ok(catalog.add_weights(model::file(path, config)?));
    }
    if let Some(name) = args.model.as_ref().or(config.model.as_ref()) {
        return Ok(name.clone());
    }
    let name = catalog.local_default().ok_or_else(no_model)?;
    output::say(&format!("note: {name} answers: nothing else is configured\n"));
    Ok(name)
}

fn format(args: &RunArgs, config: &Config, checked: Checked) -> Result<ResponseFormat, Failure> {
    let mut format = checked.format;
    if let Some(fallback) = args.fallback {
        format.fallback = match fallback {
            FallbackArg::Auto => Fallback::Auto,
            FallbackArg::None => Fallback::None,
            FallbackArg::Prompt => Fallback::Prompt,
        };
    } else if let (false, Some(word)) = (checked.envelope, config.fallback.as_deref()) {
        format.fallback = fallback_word(word)?;
    }
    if let Some(retries) = args.max_validation_retries {
        format.max_validation_retries = retries;
    }
    Ok(format)
}

fn fallback_word(word: &str) -> Result<Fallback, Failure> {
    match word {
        "auto" => Ok(Fallback::Auto),
        "none" => Ok(Fallback::None),
        "prompt" => Ok(Fallback::Prompt),
        _ => Err(Failure::config(format!("the configured fallback {word:?} is none of auto, none, prompt"))),
    }
}

pub(super) fn level(project: ProjectArg) -> Level {
    match project {
        ProjectArg::Exact => Level::Exact,
        ProjectArg::Narrow => Level::Narrow,
        ProjectArg::Relax => Level::Relax,
    }
}

fn no_model() -> Failure {
    Failure::config("no model is given and none is configured")
        .fact("try", "-m sim/sample (built in, simulated, no key)")
        .fact("or", "formwork model pull (a small demo model that runs here, 98 MB)")
        .fact("or", "set OPENAI_API_KEY and give -m openai/gpt-5-mini")
        .fact("or", "write model = \"PROVIDER/MODEL\" into the file that `formwork config path` names")
}

impl PlaceArgs {
    /// What the flags say about places.
    pub(super) fn overrides(&self) -> config::Overrides {
        config::Overrides { config: self.config.clone(), data_dir: self.data_dir.clone() }
    }
}
