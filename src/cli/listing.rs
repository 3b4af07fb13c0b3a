//! The commands that only show something: samples, models, configuration, completions, manual page.

use std::io::Write;

use clap::CommandFactory;

use super::args::{Args, ConfigAction, PlaceArgs};
use super::failure::{Exit, Failure, Outcome};
use super::input::Source;
use super::{config_failure, output, schema_file};
use crate::catalog::{Catalog, ModelRow};
use crate::config::{self, Config};
use crate::event::ErrorCode;
use crate::json::canonical;
use crate::schema::sample::sample;
use crate::text;

/// `formwork sample`: valid instances, one a line, canonical.
pub(super) fn samples(schema: &Source, seed: u64, count: u32) -> Outcome {
    let checked = schema_file::load(schema)?.check()?;
    for offset in 0..u64::from(count) {
        let value = sample(&checked.format, seed.wrapping_add(offset))
            .map_err(|error| Failure::new(ErrorCode::ValidationFailed, error.to_string()).fact("schema", schema.name()))?;
        output::line(&canonical(&value))?;
    }
    Ok(Exit::Done)
}

/// `formwork models`.
pub(super) fn models(json: Json, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    let rows = Catalog::new(&config).rows();
    match json {
        Json::Yes => {
            let text = serde_json::to_string_pretty(&rows)
                .map_err(|error| Failure::config(format!("the list cannot be written: {error}")))?;
            output::line(&text)?;
        }
        Json::No => output::result(model_table(&rows).as_bytes())?,
    }
    Ok(Exit::Done)
}

/// Is a list for a program or for a person?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Json {
    Yes,
    No,
}

fn model_table(rows: &[ModelRow]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(5);
    let mut table = format!("{:<width$}  {:<8}{:<7}{}\n", "model", "route", "ready", "why");
    for row in rows {
        let ready = if row.ready { "yes" } else { "no" };
        let mark = if row.simulated { "simulated: " } else { "" };
        let line = format!("{:<width$}  {:<8}{ready:<7}{mark}{}", row.name, row.route, row.reason);
        table.push_str(&text::safe(&line));
        table.push('\n');
    }
    table
}

/// `formwork config …`.
pub(super) fn settings(action: ConfigAction, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    match action {
        ConfigAction::Path => output::result(paths(&config).as_bytes())?,
        ConfigAction::Show => output::result(shown(&config)?.as_bytes())?,
        ConfigAction::Check => output::line(&format!("ok: {}", used(&config)))?,
    }
    Ok(Exit::Done)
}

fn paths(config: &Config) -> String {
    let found = |path: &std::path::Path| if path.exists() { "" } else { " (not there)" };
    let paths = &config.paths;
    let mut lines = format!("config  {}{}\n", paths.config.display(), found(&paths.config));
    if let Some(project) = &paths.project {
        lines.push_str(&format!("project {}{}\n", project.display(), found(project)));
    }
    lines.push_str(&format!("data    {}{}\n", paths.data_dir.display(), found(&paths.data_dir)));
    lines.push_str(&format!("themes  {}{}\n", paths.themes_dir.display(), found(&paths.themes_dir)));
    lines
}

fn used(config: &Config) -> String {
    let files = [Some(&config.paths.config), config.paths.project.as_ref()];
    let there: Vec<_> = files.into_iter().flatten().filter(|path| path.exists()).collect();
    match there.as_slice() {
        [] => "no configuration file; the defaults hold".to_owned(),
        files => files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
    }
}

/// The merged configuration as TOML. Keys of providers are named by their variable, never shown.
fn shown(config: &Config) -> Result<String, Failure> {
    toml::to_string_pretty(&table(config))
        .map_err(|error| Failure::config(format!("the configuration cannot be shown: {error}")))
}

fn table(config: &Config) -> toml::Table {
    let mut table = toml::Table::new();
    let texts = [("model", &config.model), ("theme", &config.theme), ("fallback", &config.fallback)];
    for (key, text) in texts {
        if let Some(text) = text {
            table.insert(key.to_owned(), text.clone().into());
        }
    }
    if let Some(seconds) = config.timeout_seconds {
        table.insert("timeout_seconds".to_owned(), i64::try_from(seconds).unwrap_or(i64::MAX).into());
    }
    for (key, on) in [("assert_format", config.assert_format), ("mouse", config.mouse), ("ascii", config.ascii)] {
        table.insert(key.to_owned(), on.into());
    }
    let keys: toml::Table = config.keys.iter().map(|(id, chords)| (id.clone(), chords.clone().into())).collect();
    if !keys.is_empty() {
        table.insert("keys".to_owned(), keys.into());
    }
    let providers: toml::Table = config.providers.iter().map(|(name, p)| (name.clone(), provider(p).into())).collect();
    if !providers.is_empty() {
        table.insert("providers".to_owned(), providers.into());
    }
    table
}

fn provider(provider: &config::Provider) -> toml::Table {
    let mut table = toml::Table::new();
    let texts = [
        ("dialect", &provider.dialect),
        ("base_url", &provider.base_url.as_deref().map(super::without_password)),
        ("api_key_env", &provider.api_key_env),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            table.insert(key.to_owned(), text.clone().into());
        }
    }
    if let Some(declared) = &provider.structured_output {
        table.insert("structured_output".to_owned(), declaration(declared).into());
    }
    if !provider.models.is_empty() {
        table.insert("models".to_owned(), provider.models.clone().into());
    }
    table
}

fn declaration(declared: &config::Declared) -> toml::Table {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut table = toml::Table::new();
    if let Some(native) = declared.native {
        table.insert("native".to_owned(), word(serde_json::to_value(native).unwrap_or_default()).into());
    }
    table.insert("strict_tool".to_owned(), declared.strict_tool.into());
    table.insert("with_tools".to_owned(), declared.with_tools.into());
    if let Some(profile) = declared.schema_profile {
        table.insert("schema_profile".to_owned(), word(serde_json::to_value(profile).unwrap_or_default()).into());
    }
    table
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
