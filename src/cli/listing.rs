//! The commands that only show something: samples, configuration, completions, manual page.

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;

use super::args::{Args, ConfigAction, PlaceArgs, ReadArgs};
use super::failure::{Exit, Failure, Outcome};
use super::input::Source;
use super::{config_failure, output, schema_file};
use crate::config::{self, ConfigError, Paths};
use crate::event::ErrorCode;
use crate::json::canonical;
use crate::schema::sample::sample;

/// `formwork sample`: valid instances, one a line, canonical.
pub(super) fn samples(schema: &Source, read: &ReadArgs, seed: u64, count: u32) -> Outcome {
    let checked = schema_file::load(schema, read)?.check()?;
    for offset in 0..u64::from(count) {
        let value = sample(&checked.format, seed.wrapping_add(offset)).map_err(|error| {
            Failure::new(ErrorCode::ValidationFailed, error.to_string()).fact("schema", schema.name())
        })?;
        output::line(&canonical(&value))?;
    }
    Ok(Exit::Done)
}

/// `formwork config …`. `path` and `check` work on a broken configuration too.
pub(super) fn settings(action: ConfigAction, places: &PlaceArgs) -> Outcome {
    let overrides = places.overrides();
    match action {
        ConfigAction::Path => output::result(paths(&config::paths(&overrides)).as_bytes())?,
        ConfigAction::Show => {
            let config = config::load(&overrides).map_err(config_failure)?;
            output::result(config::show(&config).as_bytes())?;
        }
        ConfigAction::Check => {
            let known = config::load(&overrides).map(|config| config::notes(&config)).unwrap_or_default();
            for note in known {
                output::say(&format!("note: {note}\n"));
            }
            return verdict(&config::check(&overrides), &config::paths(&overrides));
        }
    }
    Ok(Exit::Done)
}

fn paths(paths: &Paths) -> String {
    let mut rows = vec![("config", &paths.config)];
    rows.extend(paths.project.iter().map(|project| ("project", project)));
    rows.extend([("data", &paths.data_dir), ("state", &paths.state_dir), ("themes", &paths.themes_dir)]);
    let line = |(label, path): (&str, &PathBuf)| {
        let found = if path.exists() { "" } else { "  (not there)" };
        format!("{label:<8} {}{found}\n", path.display())
    };
    rows.into_iter().map(line).collect()
}

/// Every error at once.
fn verdict(errors: &[ConfigError], paths: &Paths) -> Outcome {
    if errors.is_empty() {
        output::line(&format!("ok: {}", used(paths)))?;
        return Ok(Exit::Done);
    }
    for error in errors {
        output::say(&config_failure(error.clone()).text());
    }
    Ok(Exit::Usage)
}

fn used(paths: &Paths) -> String {
    let files = [Some(&paths.config), paths.project.as_ref()];
    let there: Vec<_> = files.into_iter().flatten().filter(|path| path.exists()).collect();
    match there.as_slice() {
        [] => "no configuration file; the defaults hold".to_owned(),
        files => files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
    }
}

/// `formwork completions`.
pub(super) fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "formwork", &mut script);
    output::result(&script)?;
    Ok(Exit::Done)
}

/// `formwork man`: the program's page, then one for each command.
pub(super) fn manual() -> Outcome {
    let mut page = Vec::new();
    let mut root = Args::command();
    root.build();
    clap_mangen::Man::new(root.clone()).render(&mut page)?;
    for command in root.get_subcommands() {
        page.write_all(b"\n")?;
        clap_mangen::Man::new(command.clone()).render(&mut page)?;
    }
    output::result(&page)?;
    Ok(Exit::Done)
}
