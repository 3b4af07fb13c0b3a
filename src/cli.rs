//! The command line: parses arguments, picks what to do, turns its end into exit status and text (SURFACES §1).
//!
//! Standard output belongs to results, standard error to everything said to a person. Starts nothing before the arguments
//! are understood; decides nothing about schemas, models or runs.

pub mod args;
mod call;
mod check;
mod doctor;
mod dry;
mod failure;
mod functions;
mod infer;
mod input;
mod keeping;
mod listing;
mod loose;
mod model;
mod models;
mod output;
mod print;
mod probe;
mod prompt;
mod report;
mod sarif;
mod schema_file;
mod schemas;
mod serve;
mod signal;
mod status;
mod tools;
mod validate;
mod view;
mod weight;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use self::args::{Args, Command};
use self::failure::{Exit, Failure, Outcome, Stop};
use self::input::Source;
use crate::config::{self, Config, ConfigError};
use crate::log::{self, Log};
use crate::schema::project::Level;
use crate::tui::plain::run as run_plain;
use crate::tui::{Options, run as run_screen};

/// What `--version` prints; also without building the parser.
const VERSION: &str = concat!("formwork ", env!("CARGO_PKG_VERSION"));

/// Runs the program: parses arguments, picks the surface, returns the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(Stop::Closed) => Exit::Done.into(),
        Err(Stop::Failure(failure)) => {
            output::say(&failure.text());
            failure.exit.into()
        }
    }
}

/// The end of the program: a surface's own status, or what stopped it.
type End = Result<ExitCode, Stop>;

fn run(arguments: &[OsString]) -> End {
    if let [_, only] = arguments
        && (only == "--version" || only == "-V")
    {
        output::line(VERSION)?;
        return Ok(Exit::Done.into());
    }
    match Args::try_parse_from(arguments).or_else(|error| prompt_last(arguments, &error).ok_or(error)) {
        Ok(args) => dispatch(&args),
        Err(error) => usage(&error).map(ExitCode::from),
    }
}

/// `--print` in the middle and the prompt at the very end: the parser takes the prompt for a command that it does not
/// know. Only where `--print` stands without a prompt of its own; everything else stays the error it is.
fn prompt_last(arguments: &[OsString], error: &clap::Error) -> Option<Args> {
    let (prompt, before) = arguments.split_last()?;
    let word = error.get(ContextKind::InvalidSubcommand);
    let taken = matches!(word, Some(ContextValue::String(word)) if prompt == word.as_str());
    let prompt = prompt.to_str().filter(|_| taken)?;
    let of_its_own = before.windows(2).any(|pair| matches!(pair, [print, dash] if is_print(print) && dash == "-"));
    if of_its_own || !before.iter().any(|argument| is_print(argument)) {
        return None;
    }
    let mut args = Args::try_parse_from(before).ok()?;
    let waits = args.command.is_none() && args.run.print.as_deref() == Some("-");
    args.run.print = Some(prompt.to_owned());
    waits.then_some(args)
}

fn is_print(argument: &OsStr) -> bool {
    argument == "-p" || argument == "--print"
}

/// Help goes to standard output with status 0, a usage error to standard error with status 2, in the shape of all errors.
fn usage(error: &clap::Error) -> Outcome {
    if !error.use_stderr() {
        error.print()?;
        return Ok(Exit::Done);
    }
    // The help of a command that lacks its action.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::say(&error.render().to_string());
        return Ok(Exit::Usage);
    }
    if is_a_text(error) {
        // A prompt most likely: it is not repeated.
        let failure = Failure::config("a text stands where a command is expected");
        let next = "give a prompt after --print: formwork --print PROMPT -m PROVIDER/MODEL";
        return Err(failure.fact("next", next).fact("or", "formwork --help").into());
    }
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let mut failure = Failure::config(first.strip_prefix("error: ").unwrap_or(first));
    let mut usage = false;
    for line in lines {
        // Only a usage of several forms spans lines; what follows it points to the help.
        let (label, rest) = line.split_once(": ").filter(|(label, _)| is_label(label)).unwrap_or(("", line));
        match label {
            "Usage" => {
                usage = true;
                failure = failure.fact("usage", rest);
            }
            "" if line.starts_with("For more information") => {}
            "" if usage => failure = failure.fact("or", rest.trim()),
            "" => failure = failure.fact("what", line.trim_matches(['[', ']'])),
            label => failure = failure.fact(label, rest),
        }
    }
    Err(failure.fact("next", next(error)).into())
}

/// Is what was taken for a command several words?
fn is_a_text(error: &clap::Error) -> bool {
    let word = error.get(ContextKind::InvalidSubcommand);
    matches!(word, Some(ContextValue::String(word)) if word.trim().contains(char::is_whitespace))
}

/// Where a usage error leads: a file given as a command is most likely a schema.
fn next(error: &clap::Error) -> String {
    let help = "formwork --help".to_owned();
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return help };
    let path = std::path::Path::new(word);
    let schema = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) || path.is_file();
    if schema { format!("formwork --json-schema {word}") } else { help }
}

/// The words the parser puts before a colon.
fn is_label(word: &str) -> bool {
    matches!(word, "Usage" | "tip" | "note")
}

fn dispatch(args: &Args) -> End {
    match &args.command {
        Some(command) => self::command(command, args).map(ExitCode::from),
        None if args.run.print.is_some() => {
            print::run(print::Work::Print(Box::new(args.run.clone())), &args.places).map(ExitCode::from)
        }
        None => screen(args),
    }
}

fn command(command: &Command, args: &Args) -> Outcome {
    let places = &args.places;
    if let Some(option) = args.run.first_given() {
        let message = format!("{option} belongs to a run, not to a command");
        return Err(Failure::config(message).fact("next", "formwork --help").into());
    }
    match command {
        Command::Check { schema, read, fix: Some(provider), project, write, format, .. } => {
            let most = project.map_or(Level::Relax, print::level);
            let asked = check::fix::Asked { read, provider, most, write: *write };
            check::fix::run(&Source::new(schema), asked, *format, places)
        }
        Command::Check { schema, read, targets, format, .. } => {
            check::run(&Source::new(schema), read, targets, *format, places)
        }
        Command::Loose { schema, read, instance, seed, assert_format, strict, format } => {
            let ends = if *strict { loose::Ends::Tight } else { loose::Ends::Tried };
            let instance = instance.as_deref().map(Source::new);
            let (seed, assert_format, format) = (*seed, *assert_format, *format);
            let asked = loose::Asked { instance: instance.as_ref(), seed, assert_format, format, ends };
            loose::run(&Source::new(schema), read, &asked)
        }
        Command::Weight { schema, read, format } => weight::run(&Source::new(schema), read, *format),
        Command::Validate { schema, read, instance, format } => {
            validate::run(&Source::new(schema), read, &Source::new(instance), *format)
        }
        Command::Sample { schema, read, seed, count } => listing::samples(&Source::new(schema), read, *seed, *count),
        Command::Infer { files, short, form } => infer::run(files, short.as_deref(), form.map(args::FormArg::form)),
        Command::Models(args) => models::run(args, places),
        Command::Model { action } => model::run(action, places),
        Command::Probe { model, yes, json } => probe::run(model, *yes, *json, places),
        Command::Call(args) => call::run(args, places),
        Command::Functions { action } => functions::run(action, places),
        Command::Serve(args) => serve::run(args, places),
        Command::Schemas { action } => schemas::run(action, places),
        Command::Doctor { json } => doctor::run(*json, places),
        Command::Config { action } => listing::settings(*action, places),
        Command::Completions { shell } => listing::completions(*shell),
        Command::Man => listing::manual(),
    }
}

/// The terminal program; refuses when there is no terminal.
fn screen(args: &Args) -> End {
    let there = output::stdin_is_terminal() && output::stdout_is_terminal();
    if !there && !args.run.plain {
        return Err(Failure::config("the terminal program needs a terminal on standard input and output")
            .fact("next", "one shot: formwork --print PROMPT --json-schema FILE -m PROVIDER/MODEL")
            .fact("or", "line by line, without a terminal: formwork --plain")
            .fact("or", "formwork --help")
            .into());
    }
    let run = &args.run;
    let mut config = config::load(&args.places.overrides()).map_err(config_failure)?;
    config.keep_nothing |= run.no_session;
    if run.read.form.is_some() || run.read.pick.is_some() {
        let message = "--form and --pick belong to --print and to the commands";
        return Err(Failure::config(message)
            .fact("next", "in the terminal program the file's name tells the form, and a list offers the parts")
            .into());
    }
    let options = Options {
        schema_path: run.json_schema.clone(),
        schema_text: run.json_schema_inline.clone(),
        model: run.model.clone(),
        weights: run.model_path.as_deref().map(|path| model::file(path, &config)).transpose()?,
        system: run.system.as_deref().map(prompt::system).transpose()?,
    };
    let _log = begin_log(&config, if run.plain { "plain" } else { "tui" });
    Ok(if run.plain { run_plain(options, &config) } else { run_screen(options, &config) })
}

/// Begins the log. One that cannot be written is told to those who asked for it, and hinders nothing.
fn begin_log(config: &Config, surface: &'static str) -> Option<Log> {
    log::begin(config, surface).unwrap_or_else(|error| {
        if log::is_asked_for(config) {
            output::say(&format!("note: {error}\n"));
        }
        None
    })
}

/// The failure an unusable configuration is.
fn config_failure(error: ConfigError) -> Failure {
    let failure = Failure::config(error.to_string());
    match error.advice {
        Some(advice) => failure.fact("next", advice),
        None => failure,
    }
}
