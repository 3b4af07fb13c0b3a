//! The arguments of `formwork call` and `formwork functions`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Subcommand, ValueHint};

use super::{FallbackArg, ProjectArg, ValidateFormat, seconds};

/// Which function runs, with what.
#[derive(Debug, Clone, Default, Args)]
pub struct CallArgs {
    /// A function of the project's folder formwork/functions or of the user's, or a file that ends in .md
    #[arg(value_name = "NAME|FILE")]
    pub name: String,
    /// A variable's value; @FILE reads it from a file, @- from standard input, @@ stands for a literal @; may be repeated
    #[arg(long, value_name = "K=V", action = ArgAction::Append)]
    pub var: Vec<String>,
    /// Another model than the function's
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// What may replace the native route [default: the function's]
    #[arg(long, value_enum, value_name = "ROUTE")]
    pub fallback: Option<FallbackArg>,
    /// How far the provider's copy of the schema may be changed [default: the function's]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub project: Option<ProjectArg>,
    /// Deadline of the whole run in seconds, fractions allowed [default: the function's]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// File that goes with the prompt; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, action = ArgAction::Append)]
    pub attach: Vec<PathBuf>,
    /// Standard output is NDJSON: every event of the run, one a line
    #[arg(long, conflicts_with = "dry_run")]
    pub events: bool,
    /// Write the whole run down; FILE ends in .md, .json or .html
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dry_run")]
    pub report: Option<PathBuf>,
    /// Print the request that would be sent, secrets out, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Keep nothing of this run
    #[arg(long)]
    pub no_session: bool,
}

/// What to do with the functions.
#[derive(Debug, Clone, Subcommand)]
pub enum FunctionsAction {
    /// List the functions of the project and of the user
    List {
        /// As a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Print a function as it is written
    Show {
        #[arg(value_name = "NAME|FILE")]
        name: String,
        /// What it takes and gives, as JSON
        #[arg(long)]
        json: bool,
    },
    /// Read functions and say what is wrong, with line and column; all of them without a name
    Check {
        #[arg(value_name = "NAME|FILE")]
        names: Vec<String>,
        /// Output format
        #[arg(long, value_enum, default_value_t = ValidateFormat::Human)]
        format: ValidateFormat,
    },
}
