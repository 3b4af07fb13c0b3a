//! `formwork call`: a saved function, filled and run as a one-shot run.

use std::path::{Path, PathBuf};

use super::args::functions::CallArgs;
use super::args::{FallbackArg, PlaceArgs, ProjectArg, RunArgs};
use super::failure::{Failure, Outcome};
use super::input::{MAX_TEXT, Source};
use super::print::{self, Request, Schema, Work};
use super::{config_failure, prompt, report};
use crate::config::{self, Overrides};
use crate::event::ErrorCode;
use crate::function::{Fault, Function, Given, Missing, Shelf};
use crate::runtime::Written;
use crate::schema::Fallback;
use crate::schema::project::Level;

/// Runs a function.
pub(super) fn run(args: &CallArgs, places: &PlaceArgs) -> Outcome {
    print::run(Work::Call(Box::new(args.clone())), places)
}

/// Reads the function and its variables: the request, and the options of its run, those of the command line first.
pub(super) fn read(args: &CallArgs, overrides: &Overrides) -> Result<(RunArgs, Request), Failure> {
    args.report.as_deref().map(report::target).transpose()?;
    let config = config::load(overrides).map_err(config_failure)?;
    let function = find(&Shelf::new(&config.paths), &args.name).map_err(|missing| failure(&missing))?;
    let filled = function.fill(&given(&function, &args.var)?).map_err(|fault| of_fault(&fault))?;
    let schema = function.schema.as_ref().map(|schema| Schema {
        checked: schema.checked.clone(),
        written: Written {
            text: schema.text.as_str().into(),
            source: Some(schema.source.clone().unwrap_or_else(|| function.file.clone())),
        },
    });
    let request = Request { prompt: prompt::build(filled.prompt, &args.attach)?, system: filled.system, schema };
    Ok((options(args, &function), request))
}

/// A function by its name, or from the file that is named: `./NAME.md`.
pub(super) fn find(shelf: &Shelf, name: &str) -> Result<Function, Missing> {
    let file = Path::new(name);
    if file.extension().is_some_and(|end| end == "md") { Shelf::open(file) } else { shelf.find(name) }
}

/// The values of the variables, as `--var` gives them.
fn given(function: &Function, vars: &[String]) -> Result<Given, Failure> {
    let mut given = Given::new();
    for var in vars {
        let Some((name, text)) = var.split_once('=') else {
            let failure = Failure::config("--var has no `=`");
            return Err(failure.fact("next", "write --var NAME=VALUE, or --var NAME=@FILE"));
        };
        if given.contains_key(name) {
            return Err(Failure::config(format!("the variable {name:?} is given twice")));
        }
        let text = match text.strip_prefix('@') {
            None => text.to_owned(),
            Some(rest) if rest.starts_with('@') => rest.to_owned(),
            Some(path) => Source::new(&PathBuf::from(path)).text(MAX_TEXT, ErrorCode::Config)?,
        };
        given.insert(name.to_owned(), function.value(name, text).map_err(|fault| of_fault(&fault))?);
    }
    Ok(given)
}

fn options(args: &CallArgs, function: &Function) -> RunArgs {
    let set = &function.settings;
    RunArgs {
        model: args.model.clone().or_else(|| function.model.clone()),
        fallback: args.fallback.or(set.fallback.map(fallback)),
        project: args.project.or(set.level.map(level)),
        timeout: args.timeout.or(set.timeout_seconds.map(std::time::Duration::from_secs)),
        max_retries: set.max_retries,
        max_validation_retries: set.max_validation_retries,
        max_iterations: set.max_iterations,
        events: args.events,
        dry_run: args.dry_run,
        report: args.report.clone(),
        no_session: args.no_session,
        ..RunArgs::default()
    }
}

fn fallback(fallback: Fallback) -> FallbackArg {
    match fallback {
        Fallback::Auto => FallbackArg::Auto,
        Fallback::None => FallbackArg::None,
        Fallback::Prompt => FallbackArg::Prompt,
    }
}

fn level(level: Level) -> ProjectArg {
    match level {
        Level::Exact => ProjectArg::Exact,
        Level::Narrow => ProjectArg::Narrow,
        Level::Relax => ProjectArg::Relax,
    }
}

/// The failure a function that cannot be had is.
pub(super) fn failure(missing: &Missing) -> Failure {
    match missing {
        Missing::Broken(fault) => of_fault(fault),
        Missing::NoName(_) | Missing::Unknown { .. } => {
            Failure::config(missing.to_string()).fact("next", "see what there is with: formwork functions list")
        }
    }
}

/// The failure a broken function, or a wrong variable, is.
pub(super) fn of_fault(fault: &Fault) -> Failure {
    let failure = Failure::config(&fault.message);
    let place = fault.at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
    let failure = failure.fact("function", format!("{}{place}", fault.file.display()));
    match &fault.advice {
        Some(advice) => failure.fact("next", advice),
        None => failure,
    }
}
