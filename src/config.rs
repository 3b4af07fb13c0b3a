//! The only reader of the environment and of config files.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where things lie; from flags, then environment, then the platform's folders.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    /// `config.toml`; may not exist.
    pub config: PathBuf,
    pub data_dir: PathBuf,
    /// `.formwork.toml` of the project, if there is one.
    pub project: Option<PathBuf>,
    pub themes_dir: PathBuf,
}

/// The merged configuration and the environment's part in it.
#[derive(Debug, Clone, Default)]
pub struct Config {
    pub paths: Paths,
    pub model: Option<String>,
    pub theme: Option<String>,
    pub fallback: Option<String>,
    pub timeout_seconds: Option<u64>,
    pub assert_format: bool,
    pub mouse: bool,
    pub ascii: bool,
    /// Key bindings: command id → chords.
    pub keys: BTreeMap<String, Vec<String>>,
    pub providers: BTreeMap<String, Provider>,
    /// Variables the program looks at, as found: vendor keys, base URLs, NO_COLOR, COLORTERM, TERM, TMUX, EDITOR, VISUAL, SSH_TTY.
    pub env: Env,
}

/// The environment as far as Formwork looks at it. Key values are secret.
#[derive(Clone, Default)]
pub struct Env {
    pub(crate) vars: BTreeMap<String, String>,
}

impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.vars.keys()).finish()
    }
}

impl Env {
    /// A variable that is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// For tests.
    #[must_use]
    pub fn from_pairs<const N: usize>(pairs: [(&str, &str); N]) -> Self {
        Self { vars: pairs.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect() }
    }
}

/// A provider from the config.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    pub dialect: Option<String>,
    pub base_url: Option<String>,
    pub api_key_env: Option<String>,
    pub structured_output: Option<Declared>,
    #[serde(default)]
    pub models: Vec<String>,
}

/// The user's own declaration of what an endpoint does.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    pub native: Option<crate::capability::Native>,
    #[serde(default)]
    pub strict_tool: bool,
    #[serde(default)]
    pub with_tools: bool,
    pub schema_profile: Option<crate::capability::ProfileId>,
}

/// Which files and folders the flags name.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub config: Option<PathBuf>,
    pub data_dir: Option<PathBuf>,
}

/// Why the configuration cannot be used: file, line, column, what, nearest known name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", file.display(), line.map_or(String::new(), |l| format!(":{l}:{}", column.unwrap_or(1))))]
pub struct ConfigError {
    pub file: PathBuf,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub message: String,
    /// What to do next.
    pub advice: Option<String>,
}

/// Reads environment and files.
///
/// # Errors
/// [`ConfigError`] when a file exists and cannot be used.
pub fn load(overrides: &Overrides) -> Result<Config, ConfigError> {
    let _ = overrides;
    todo!()
}
