//! Where the program runs: environment, folders, the way up to the project. The one place that asks the system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Config, Env, Overrides, Paths, VARIABLES};

/// Name of the project's file.
const PROJECT_FILE: &str = ".formwork.toml";
/// The project's folder of functions.
const FUNCTIONS: &str = "formwork/functions";

/// What the program finds around it. Tests build their own.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// The whole environment; only what `env_for` picks leaves this module.
    pub vars: BTreeMap<String, String>,
    pub cwd: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// The platform's config folder of the program.
    pub config_dir: Option<PathBuf>,
    /// The platform's data folder of the program.
    pub data_dir: Option<PathBuf>,
    /// The platform's state folder of the program; few have one.
    pub state_dir: Option<PathBuf>,
}

impl Surroundings {
    /// Asks the system.
    #[must_use]
    pub fn real() -> Self {
        let folders = directories::ProjectDirs::from("", "", "formwork");
        Self {
            // Not `vars`: it panics on a variable that is no text.
            vars: std::env::vars_os()
                .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
                .collect(),
            cwd: std::env::current_dir().ok(),
            home: directories::BaseDirs::new().map(|b| b.home_dir().to_owned()),
            config_dir: folders.as_ref().map(|f| f.config_dir().to_owned()),
            data_dir: folders.as_ref().map(|f| f.data_dir().to_owned()),
            state_dir: folders.as_ref().and_then(|f| f.state_dir()).map(Path::to_owned),
        }
    }

    /// A variable that is set and not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// The variables the program looks at: the fixed ones and the key variables of the configured providers.
    pub(super) fn env_for(&self, config: &Config) -> Env {
        let own = config.providers.values().filter_map(|p| p.api_key_env.as_deref());
        let names = VARIABLES.iter().chain(super::aws::VARIABLES).copied().chain(own);
        let found = names.filter_map(|name| Some((name.to_owned(), self.vars.get(name)?.clone())));
        Env { vars: found.collect() }
    }
}

/// Flags, then environment, then the platform's folders.
pub(super) fn paths(overrides: &Overrides, around: &Surroundings) -> Paths {
    let named = |flag: &Option<PathBuf>, var: &str| flag.clone().or_else(|| around.get(var).map(PathBuf::from));
    let config_dir = around.config_dir.clone().unwrap_or_default();
    let default_config = around.config_dir.as_ref().map(|dir| dir.join("config.toml")).unwrap_or_default();
    // A data folder of one's own holds everything.
    let data_dir = named(&overrides.data_dir, "FORMWORK_DATA_DIR");
    let state_dir = if data_dir.is_none() { around.state_dir.clone() } else { None };
    let data_dir = data_dir.or_else(|| around.data_dir.clone()).unwrap_or_default();
    Paths {
        config: named(&overrides.config, "FORMWORK_CONFIG").unwrap_or(default_config),
        state_dir: state_dir.unwrap_or_else(|| data_dir.clone()),
        data_dir,
        project: around.cwd.as_deref().and_then(|cwd| project_file(cwd, around.home.as_deref())),
        themes_dir: config_dir.join("themes"),
        functions: around.cwd.as_deref().map(|cwd| functions(cwd, around.home.as_deref())).unwrap_or_default(),
        user_functions: around.config_dir.as_ref().map(|dir| dir.join("functions")).unwrap_or_default(),
    }
}

/// The nearest folder of functions, as a project's file is looked for; without one, where the project's would lie.
fn functions(cwd: &Path, home: Option<&Path>) -> PathBuf {
    let (steps, root) = upwards(cwd, home);
    let there = cwd.ancestors().take(steps).map(|dir| dir.join(FUNCTIONS)).find(|folder| folder.is_dir());
    there.unwrap_or_else(|| root.unwrap_or(cwd).join(FUNCTIONS))
}

/// Looks upwards: to the root of the repository, or within the home folder (not in it). Outside of both only here:
/// a file that anybody could put into a shared folder must not count.
fn project_file(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let (steps, _) = upwards(cwd, home);
    cwd.ancestors().take(steps).map(|dir| dir.join(PROJECT_FILE)).find(|file| file.is_file())
}

/// How many folders are looked into, and the root of the repository.
fn upwards<'a>(cwd: &'a Path, home: Option<&Path>) -> (usize, Option<&'a Path>) {
    let repository = cwd.ancestors().take_while(|dir| Some(*dir) != home).find(|dir| dir.join(".git").exists());
    let in_home = home.is_some_and(|home| cwd.starts_with(home));
    let steps = match (repository, in_home) {
        (Some(root), _) => cwd.ancestors().take_while(|dir| dir.starts_with(root)).count(),
        (None, true) => cwd.ancestors().take_while(|dir| Some(*dir) != home).count(),
        (None, false) => 1,
    };
    (steps, repository)
}
