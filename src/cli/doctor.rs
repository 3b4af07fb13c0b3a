//! `formwork doctor`: what somebody who helps wants to know first; no key, no address, no text of anybody's.
//!
//! Looks only: begins no file, asks no server. The home folder is written `~`, so that the output can be passed on.

use std::path::Path;

use serde::Serialize;

use super::args::PlaceArgs;
use super::failure::{Exit, Failure, Outcome};
use super::output;
use crate::capability::Dialect;
use crate::catalog::{Catalog, Endpoint};
use crate::config::{self, Config, ConfigError, Surroundings};
use crate::{log, store, text};

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    Ok,
    /// Works, but not as well as it could.
    Warn,
    Fail,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    what: &'static str,
    standing: Standing,
    found: String,
    /// What to do, where something can be done.
    next: Option<String>,
}

impl Check {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, standing: Standing::Ok, found: found.into(), next: None }
    }

    fn warn(what: &'static str, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what, standing: Standing::Warn, found: found.into(), next: Some(next.into()) }
    }

    fn fail(what: &'static str, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what, standing: Standing::Fail, found: found.into(), next: Some(next.into()) }
    }
}

/// All of it.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    os: &'static str,
    arch: &'static str,
    /// Cargo features of this build.
    features: Vec<&'static str>,
    checks: Vec<Check>,
}

/// Looks around, prints, and ends with 2 when the configuration cannot be used, with 1 when something else is broken.
pub(super) fn run(json: bool, places: &PlaceArgs) -> Outcome {
    let around = Surroundings::real();
    let (config, errors) = config::read_all(&places.overrides(), &around);
    let checks = checks(&config, &errors, &Places { home: around.home.as_deref() });
    let broken = checks.iter().any(|check| check.standing == Standing::Fail);
    let features = [("local", cfg!(feature = "local")), ("bedrock", cfg!(feature = "bedrock"))];
    let features = features.into_iter().filter_map(|(name, on)| on.then_some(name)).collect();
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let report = Report { version: env!("CARGO_PKG_VERSION"), os, arch, features, checks };
    let text = if json {
        serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))?
    } else {
        table(&report)
    };
    output::line(&text)?;
    Ok(match (errors.is_empty(), broken) {
        (false, _) => Exit::Usage,
        (true, true) => Exit::Failed,
        (true, false) => Exit::Done,
    })
}

fn table(report: &Report) -> String {
    let mut lines = vec![format!(
        "formwork {} on {} {}, features: {}",
        report.version,
        report.os,
        report.arch,
        if report.features.is_empty() { "none".to_owned() } else { report.features.join(", ") }
    )];
    for check in &report.checks {
        let line = format!("{:<5} {:<10} {}", check.standing.word(), check.what, check.found);
        lines.push(text::safe(&line).into_owned());
        lines.extend(check.next.iter().map(|next| format!("{:17}next: {}", "", text::safe(next))));
    }
    lines.join("\n")
}

/// How paths are shown.
struct Places<'a> {
    home: Option<&'a Path>,
}

impl Places<'_> {
    fn shown(&self, path: &Path) -> String {
        let inside = self.home.and_then(|home| path.strip_prefix(home).ok());
        inside.map_or_else(|| path.display().to_string(), |rest| Path::new("~").join(rest).display().to_string())
    }
}

fn checks(config: &Config, errors: &[ConfigError], places: &Places<'_>) -> Vec<Check> {
    let mut checks = configuration(config, errors, places);
    checks.push(folder("data", &config.paths.data_dir, places));
    checks.push(kept(config));
    checks.push(logs(config, places));
    checks.push(terminal(config));
    checks.extend(models(config));
    checks
}

/// Every mistake in a line of its own.
fn configuration(config: &Config, errors: &[ConfigError], places: &Places<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for error in errors {
        let file = ConfigError { file: places.shown(&error.file).into(), ..error.clone() };
        let next = error.advice.clone().unwrap_or_else(|| "formwork config check".to_owned());
        checks.push(Check::fail("config", file.to_string(), next));
    }
    if errors.is_empty() {
        let paths = &config.paths;
        let files = [Some(&paths.config), paths.project.as_ref()].into_iter().flatten();
        let there: Vec<String> = files.filter(|file| file.exists()).map(|file| places.shown(file)).collect();
        let found = match there.as_slice() {
            [] => "no file; the defaults hold".to_owned(),
            files => format!("{}: {}", files.join(", "), counted(config.settings.len(), "value")),
        };
        checks.push(Check::ok("config", found));
    }
    checks.extend(config::notes(config).into_iter().map(|note| Check::warn("config", note, "formwork config show")));
    checks
}

/// Is there a folder of that name that can be used, or could one be made?
fn folder(what: &'static str, path: &Path, places: &Places<'_>) -> Check {
    let shown = places.shown(path);
    if path.as_os_str().is_empty() {
        return Check::fail(what, "this system names no folder", "name one with --data-dir or FORMWORK_DATA_DIR");
    }
    match fs_err::metadata(path) {
        Ok(about) if !about.is_dir() => Check::fail(what, format!("{shown} is no folder"), "choose another --data-dir"),
        Ok(about) if about.permissions().readonly() => {
            Check::fail(what, format!("{shown} cannot be written"), "give yourself the right to, or choose --data-dir")
        }
        Ok(_) => Check::ok(what, shown),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::ok(what, format!("{shown} (made when it is needed)"))
        }
        Err(error) => Check::fail(what, format!("{shown}: {}", error.kind()), "choose another --data-dir"),
    }
}

/// The database of what is kept.
fn kept(config: &Config) -> Check {
    let next = "the next run puts a damaged file aside, under another name, and begins a new one";
    match store::health(&config.paths.data_dir) {
        Ok(None) => Check::ok("store", "nothing is kept yet"),
        Ok(Some(health)) if health.damage.is_none() => {
            let rows: Vec<String> = health.rows.iter().map(|(table, count)| format!("{count} {table}")).collect();
            let size = text::bytes(health.bytes);
            Check::ok("store", format!("sound, format {}, {size}: {}", health.format, rows.join(", ")))
        }
        Ok(Some(_)) => Check::fail("store", format!("{} is damaged", store::FILE), next),
        Err(error) => {
            let found = match error {
                store::StoreError::File { error, .. } => format!("{} cannot be read: {}", store::FILE, error.kind()),
                error => error.to_string(),
            };
            Check::fail("store", found, next)
        }
    }
}

fn logs(config: &Config, places: &Places<'_>) -> Check {
    if config.log == log::Detail::Off {
        return Check::ok("log", "off");
    }
    let folder = log::folder(config);
    let (level, shown) = (config.log.word(), places.shown(&folder));
    let sizes: Vec<u64> = fs_err::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.metadata().ok().filter(std::fs::Metadata::is_file).map(|about| about.len()))
        .collect();
    let found = counted(sizes.len(), "file");
    Check::ok("log", format!("{level} and above, in {shown}: {found}, {}", text::bytes(sizes.iter().sum())))
}

/// What the terminal says of itself; nothing is asked of it.
fn terminal(config: &Config) -> Check {
    let env = &config.env;
    let name = env.get("TERM").unwrap_or("TERM is not set");
    let mut found = vec![name.to_owned()];
    found.extend(env.get("TERM_PROGRAM").map(str::to_owned));
    found.extend(env.get("COLORTERM").map(str::to_owned));
    found.extend(size());
    let also = [("TMUX", "in tmux"), ("SSH_CONNECTION", "over ssh"), ("NO_COLOR", "NO_COLOR is set")];
    found.extend(also.iter().filter(|(variable, _)| env.get(variable).is_some()).map(|(_, word)| (*word).to_owned()));
    if !(output::stdin_is_terminal() && output::stdout_is_terminal()) {
        found.push("this command's input or output is no terminal".to_owned());
    }
    let found = found.join(", ");
    match env.get("TERM") {
        None | Some("dumb") => {
            Check::warn("terminal", found, "the terminal program wants a TERM such as xterm-256color")
        }
        Some(_) => Check::ok("terminal", found),
    }
}

#[cfg(unix)]
fn size() -> Option<String> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col > 0).then(|| format!("{}x{}", size.ws_col, size.ws_row))
}

#[cfg(not(unix))]
fn size() -> Option<String> {
    None
}

/// Who could answer: the built-in models, then those whose key is set, then the others by name only.
fn models(config: &Config) -> Vec<Check> {
    let catalog = Catalog::new(config);
    let mut checks: Vec<Check> =
        catalog.notes.iter().map(|note| Check::warn("models", note, "formwork models shows what is left")).collect();
    if cfg!(feature = "local") {
        let here: Vec<&str> = weights(&catalog);
        checks.push(match here.as_slice() {
            [] => Check::warn("local", "no built-in model is here", "formwork model pull"),
            names => Check::ok("local", names.join(", ")),
        });
    }
    let wire = || catalog.endpoints.values().filter(|endpoint| endpoint.dialect.is_wire());
    let keyed: Vec<&Endpoint> = wire().filter(|e| e.is_ready() && e.api_key.is_some()).map(AsRef::as_ref).collect();
    checks.extend(keyed.iter().map(|endpoint| Check::ok("provider", reached(endpoint))));
    let open: Vec<&str> = names(wire().filter(|e| e.is_ready() && e.api_key.is_none()));
    if !open.is_empty() {
        checks.push(Check::ok("provider", format!("no key needed: {}", open.join(", "))));
    }
    let closed: Vec<&str> = names(wire().filter(|e| !e.is_ready()));
    if !closed.is_empty() {
        checks.push(Check::ok("provider", format!("not set up: {}", closed.join(", "))));
    }
    if keyed.is_empty() {
        let next = "set its variable, for example OPENAI_API_KEY; formwork models FILTER names them";
        checks.push(Check::warn("provider", "no provider has a key", next));
    }
    checks
}

fn names<'a>(endpoints: impl Iterator<Item = &'a std::sync::Arc<Endpoint>>) -> Vec<&'a str> {
    endpoints.map(|endpoint| endpoint.provider.as_str()).collect()
}

fn weights(catalog: &Catalog) -> Vec<&str> {
    let local = catalog.endpoints.values().find(|endpoint| endpoint.dialect == Dialect::Local);
    local.into_iter().flat_map(|endpoint| endpoint.weights.keys()).map(String::as_str).collect()
}

/// Whose server it is, and where the key comes from; neither the address nor the key.
fn reached(endpoint: &Endpoint) -> String {
    let whose = if endpoint.official { "the vendor's own address" } else { "an address of yours" };
    let key = endpoint.api_key_env.as_deref().unwrap_or("its variable");
    format!("{}: {whose}, key from {key}", endpoint.provider)
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
