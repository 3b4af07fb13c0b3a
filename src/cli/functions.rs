//! `formwork functions`: which functions there are, what each takes and gives, what is wrong with one.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::args::functions::FunctionsAction;
use super::args::{PlaceArgs, ValidateFormat};
use super::call::{failure, find, of_fault};
use super::failure::{Exit, Failure, Outcome};
use super::input::Source;
use super::{config_failure, output};
use crate::config;
use crate::event::ErrorCode;
use crate::function::{Fault, Function, Missing, Shelf};
use crate::json::Value;
use crate::text::{self, safe};

/// What `show` reads at most: a function with its schema.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// Lists, shows or checks.
pub(super) fn run(action: &FunctionsAction, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    let shelf = Shelf::new(&config.paths);
    match action {
        FunctionsAction::List { json } => list(&shelf, *json),
        FunctionsAction::Show { name, json: true } => {
            let function = find(&shelf, name).map_err(|missing| failure(&missing))?;
            output::line(&pretty(&function.summary())?)?;
            Ok(Exit::Done)
        }
        FunctionsAction::Show { name, json: false } => show(&shelf, name),
        FunctionsAction::Check { names, format } => check(&shelf, names, *format),
    }
}

fn list(shelf: &Shelf, json: bool) -> Outcome {
    let all = shelf.list();
    if json {
        let rows: Vec<Value> = all.iter().map(|(name, found)| row(name, found)).collect();
        output::line(&pretty(&Value::Array(rows))?)?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        let folders: Vec<String> = shelf.folders().iter().map(|folder| folder.display().to_string()).collect();
        output::say(&format!("no functions in {}\n", folders.join(" or ")));
        output::say("  save one in the terminal program with /function save NAME\n");
        return Ok(Exit::Done);
    }
    let width = all.iter().map(|(name, _)| text::width(name)).max().unwrap_or_default();
    let mut table = String::new();
    for (name, found) in &all {
        let what = match found {
            Ok(function) => line(function),
            Err(fault) => format!("broken: {fault}"),
        };
        let _ = writeln!(table, "{}", safe(&format!("{name:<width$}  {what}")));
    }
    output::result(table.as_bytes())?;
    Ok(Exit::Done)
}

/// `(text, currency=EUR) · openai/gpt-5-mini · what it is for`
fn line(function: &Function) -> String {
    let var = |var: &crate::function::Var| match &var.default {
        None => var.name.clone(),
        Some(_) => format!("[{}]", var.name),
    };
    let vars: Vec<String> = function.vars.iter().map(var).collect();
    let mut parts = vec![format!("({})", vars.join(", "))];
    parts.extend(function.model.clone());
    parts.extend(function.about.clone());
    parts.join("  ")
}

fn show(shelf: &Shelf, name: &str) -> Outcome {
    let file = match find(shelf, name) {
        Ok(function) => function.file,
        // A broken one is shown as well: that is how it is mended.
        Err(Missing::Broken(fault)) => {
            output::say(&of_fault(&fault).text());
            shelf.file(name).unwrap_or(fault.file)
        }
        Err(missing) => return Err(failure(&missing).into()),
    };
    let text = Source::new(Path::new(&file)).text(MAX_FILE, ErrorCode::Config)?;
    let text = if output::stdout_is_terminal() { text::safe_keep_lines(&text).into_owned() } else { text };
    output::result(text.as_bytes())?;
    Ok(Exit::Done)
}

/// Status 2 when one is broken.
fn check(shelf: &Shelf, names: &[String], format: ValidateFormat) -> Outcome {
    let mut rows = Vec::new();
    if names.is_empty() {
        rows = shelf.list();
    }
    for name in names {
        match find(shelf, name) {
            Ok(function) => rows.push((name.clone(), Ok(function))),
            Err(Missing::Broken(fault)) => rows.push((name.clone(), Err(fault))),
            Err(missing) => return Err(failure(&missing).into()),
        }
    }
    let broken = rows.iter().any(|(_, found)| found.is_err());
    match format {
        ValidateFormat::Json => {
            let rows: Vec<Value> = rows.iter().map(|(name, found)| row(name, found)).collect();
            output::line(&pretty(&Value::Array(rows))?)?;
        }
        ValidateFormat::Human => {
            for (name, found) in &rows {
                match found {
                    Ok(_) => output::line(&format!("{name}: ok"))?,
                    Err(fault) => output::say(&of_fault(fault).text()),
                }
            }
        }
    }
    Ok(if broken { Exit::Usage } else { Exit::Done })
}

fn row(name: &str, found: &Result<Function, Fault>) -> Value {
    match found {
        Ok(function) => function.summary(),
        Err(fault) => json!({ "name": name, "ok": false, "file": fault.file.display().to_string(),
            "line": fault.at.map(|at| at.line), "column": fault.at.map(|at| at.column), "message": fault.message,
            "next": fault.advice }),
    }
}

fn pretty(value: &Value) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::config(format!("the list cannot be written: {error}")))
}
