//! The only reader of the environment and of config files.
//!
//! Layers, the later winning: built-in values, the user's `config.toml`, the project's `.formwork.toml`, flags (which
//! the command line applies itself). A project file may not set keys, commands or endpoints: it comes with a
//! checked-out repository. Writes nothing, and never holds a key anywhere but in [`Env`].

mod address;
mod aws;
#[cfg(feature = "local")]
mod hub;
pub mod keys;
pub mod nearest;
mod places;
pub mod read;
mod show;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::address::address_fault;
pub use self::address::{is_harmless_parameter, safe_url};
pub use self::aws::{AwsAccount, AwsKeys};
pub use self::places::Surroundings;
use self::read::Role;
pub use self::show::{notes, reference, show};
use crate::log::Detail;
use crate::schema::project::Level;

/// Where things lie; from flags, then environment, then the platform's folders.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    /// `config.toml`; may not exist.
    pub config: PathBuf,
    pub data_dir: PathBuf,
    /// What only this machine needs, as the logs: the platform's folder for it, or the data folder.
    pub state_dir: PathBuf,
    /// `.formwork.toml` of the project, if there is one.
    pub project: Option<PathBuf>,
    pub themes_dir: PathBuf,
    /// The project's functions: the nearest `formwork/functions`, or where it would lie.
    pub functions: PathBuf,
    pub user_functions: PathBuf,
}

/// The merged configuration and the environment's part in it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, one key each")]
pub struct Config {
    pub paths: Paths,
    /// The model of a run without `-m`: `PROVIDER/MODEL`.
    pub model: Option<String>,
    pub theme: Option<String>,
    /// `auto`, `none` or `prompt`; checked.
    pub fallback: Option<String>,
    /// How far a schema may be changed for a provider (`project` in the file).
    pub level: Option<Level>,
    pub timeout_seconds: Option<u64>,
    pub max_retries: Option<u32>,
    pub max_iterations: Option<u32>,
    pub assert_format: bool,
    pub mouse: bool,
    pub ascii: bool,
    /// Nothing turns or blinks (`animation = false`).
    pub still: bool,
    /// How the end of a run is told while the terminal is not looked at.
    pub notify: Notify,
    /// Runs leave nothing in the store (`store.keep = false`).
    pub keep_nothing: bool,
    /// How much goes to the log.
    pub log: Detail,
    /// Key bindings: command id → chords.
    pub keys: BTreeMap<String, Vec<String>>,
    pub providers: BTreeMap<String, Provider>,
    /// Variables the program looks at, as found: see [`VARIABLES`], and the key variables of the configured providers.
    pub env: Env,
    /// For requests that are signed.
    pub aws: AwsAccount,
    /// Every value that was set, with its place; what [`show`] prints.
    pub settings: Vec<Setting>,
}

/// How the end of a run is told to a person who looks elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notify {
    #[default]
    Off,
    /// The terminal's bell.
    Bell,
    /// A desktop notification as iTerm2, kitty, `WezTerm` and Windows Terminal read it.
    Osc9,
    /// A desktop notification as urxvt, foot and Ghostty read it.
    Osc777,
}

impl Notify {
    /// The words of the configuration.
    pub const NAMES: &[&str] = &["off", "bell", "osc9", "osc777"];

    fn named(name: &str) -> Self {
        match name {
            "bell" => Self::Bell,
            "osc9" => Self::Osc9,
            "osc777" => Self::Osc777,
            _ => Self::Off,
        }
    }
}

/// The environment as far as Formwork looks at it. Key values are secret.
#[derive(Clone, Default)]
pub struct Env {
    pub(crate) vars: BTreeMap<String, String>,
}

/// Variables that are read besides those named in `api_key_env`.
pub const VARIABLES: &[&str] = &[
    "FORMWORK_CONFIG",
    "FORMWORK_DATA_DIR",
    "FORMWORK_SCHEMA",
    "PI_WORKFLOW_SCHEMA",
    "FORMWORK_LOG",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "OPENROUTER_API_KEY",
    "OPENROUTER_BASE_URL",
    "GROQ_API_KEY",
    "GROQ_BASE_URL",
    "MISTRAL_API_KEY",
    "MISTRAL_BASE_URL",
    "DEEPSEEK_API_KEY",
    "DEEPSEEK_BASE_URL",
    "XAI_API_KEY",
    "XAI_BASE_URL",
    "OLLAMA_HOST",
    "HF_ENDPOINT",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HF_HUB_OFFLINE",
    "NO_COLOR",
    "COLORTERM",
    "TERM",
    "TERM_PROGRAM",
    "TMUX",
    "EDITOR",
    "VISUAL",
    "SSH_TTY",
    "SSH_CONNECTION",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "HOME",
    "PATH",
];

/// Variables that hold the address of a server.
const ADDRESS_VARIABLES: &[&str] = &[
    "OPENAI_BASE_URL",
    "AZURE_OPENAI_ENDPOINT",
    "ANTHROPIC_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "OPENROUTER_BASE_URL",
    "GROQ_BASE_URL",
    "MISTRAL_BASE_URL",
    "DEEPSEEK_BASE_URL",
    "XAI_BASE_URL",
    "HF_ENDPOINT",
];

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

/// One value that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub path: Vec<String>,
    pub value: SettingValue,
    pub origin: Origin,
    /// What the key is for.
    pub about: &'static str,
}

/// A value of a config file. Holds no key: files never do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    Text(String),
    Whole(u64),
    Switch(bool),
    Texts(Vec<String>),
}

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    File { file: PathBuf, line: usize },
    Variable(&'static str),
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
    /// The file, or the name of the environment variable.
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
/// [`ConfigError`], the first of them, when something is set and cannot be used.
pub fn load(overrides: &Overrides) -> Result<Config, ConfigError> {
    load_in(overrides, &Surroundings::real())
}

/// All errors of the configuration, in order of file and place; empty when it can be used.
#[must_use]
pub fn check(overrides: &Overrides) -> Vec<ConfigError> {
    read_all(overrides, &Surroundings::real()).1
}

/// Where the files would be read from; fails never, reads no file's content.
#[must_use]
pub fn paths(overrides: &Overrides) -> Paths {
    places::paths(overrides, &Surroundings::real())
}

/// As [`load`], in given surroundings.
///
/// # Errors
/// As [`load`].
pub fn load_in(overrides: &Overrides, around: &Surroundings) -> Result<Config, ConfigError> {
    let (config, errors) = read_all(overrides, around);
    errors.into_iter().next().map_or(Ok(config), Err)
}

/// Reads everything, keeps what is good, lists what is not.
#[must_use]
pub fn read_all(overrides: &Overrides, around: &Surroundings) -> (Config, Vec<ConfigError>) {
    let paths = places::paths(overrides, around);
    let explicit = overrides.config.is_some() || around.get("FORMWORK_CONFIG").is_some();
    let mut errors = Vec::new();
    let mut settings = read_file(&paths.config, Role::User, explicit, &mut errors);
    if let Some(project) = paths.project.as_deref().filter(|p| *p != paths.config) {
        let own = read_file(project, Role::Project, false, &mut errors);
        settings.retain(|s| !own.iter().any(|o| o.path == s.path));
        settings.extend(own);
    }
    let mut config = Config { paths, ..Config::default() };
    for setting in &settings {
        apply(&mut config, setting);
    }
    config.settings = settings;
    config.env = around.env_for(&config);
    config.aws = aws::account(around);
    errors.extend(check_meaning(&config));
    match around.get("FORMWORK_LOG").map(|word| Detail::named(word).ok_or(word)) {
        Some(Ok(detail)) => config.log = detail,
        Some(Err(word)) => errors.push(bad_level(word)),
        None => {}
    }
    (config, errors)
}

fn bad_level(word: &str) -> ConfigError {
    let nearest = nearest::nearest(word, Detail::NAMES.iter().copied());
    ConfigError {
        file: PathBuf::from("FORMWORK_LOG"),
        line: None,
        column: None,
        message: format!("must be one of {}", Detail::NAMES.join(", ")),
        advice: nearest.map(|name| format!("did you mean {name}?")),
    }
}

/// A config larger than this is something else.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

fn read_file(file: &Path, role: Role, must_exist: bool, errors: &mut Vec<ConfigError>) -> Vec<Setting> {
    let fault = |message: &str, advice: Option<&str>| ConfigError {
        file: file.to_owned(),
        line: None,
        column: None,
        message: message.to_owned(),
        advice: advice.map(str::to_owned),
    };
    match text_of(file) {
        Ok(Some(text)) => {
            let (settings, found) = read::read(file, &text, role);
            errors.extend(found);
            settings
        }
        Ok(None) => {
            if must_exist {
                let advice = "name an existing file, or leave --config and FORMWORK_CONFIG out";
                errors.push(fault("there is no such file", Some(advice)));
            }
            Vec::new()
        }
        Err(message) => {
            errors.push(fault(&message, None));
            Vec::new()
        }
    }
}

/// The file's text; `None` when there is no file.
fn text_of(file: &Path) -> Result<Option<String>, String> {
    if file.as_os_str().is_empty() {
        return Ok(None);
    }
    let unreadable = |e: &std::io::Error| format!("cannot be read: {}", e.kind());
    let about = match fs_err::metadata(file) {
        Ok(about) => about,
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(unreadable(&e)),
    };
    if !about.is_file() {
        return Err("is no file".to_owned());
    }
    if about.len() > MAX_FILE_BYTES {
        return Err("is larger than 1 MiB: that is no config".to_owned());
    }
    let bytes = fs_err::read(file).map_err(|e| unreadable(&e))?;
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    Ok(Some(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned)))
}

/// Puts one checked value in its place.
fn apply(config: &mut Config, setting: &Setting) {
    let path: Vec<&str> = setting.path.iter().map(String::as_str).collect();
    match (path.as_slice(), &setting.value) {
        (["model"], SettingValue::Text(v)) => config.model = Some(v.clone()),
        (["theme"], SettingValue::Text(v)) => config.theme = Some(v.clone()),
        (["fallback"], SettingValue::Text(v)) => config.fallback = Some(v.clone()),
        (["project"], SettingValue::Text(v)) => config.level = level(v),
        (["timeout_seconds"], SettingValue::Whole(v)) => config.timeout_seconds = Some(*v),
        (["max_retries"], SettingValue::Whole(v)) => config.max_retries = u32::try_from(*v).ok(),
        (["max_iterations"], SettingValue::Whole(v)) => config.max_iterations = u32::try_from(*v).ok(),
        (["assert_format"], SettingValue::Switch(v)) => config.assert_format = *v,
        (["mouse"], SettingValue::Switch(v)) => config.mouse = *v,
        (["ascii"], SettingValue::Switch(v)) => config.ascii = *v,
        (["animation"], SettingValue::Switch(v)) => config.still = !*v,
        (["notify"], SettingValue::Text(v)) => config.notify = Notify::named(v),
        (["store", "keep"], SettingValue::Switch(v)) => config.keep_nothing = !*v,
        (["log", "level"], SettingValue::Text(v)) => config.log = Detail::named(v).unwrap_or_default(),
        (["keys", command], SettingValue::Texts(v)) => {
            config.keys.insert((*command).to_owned(), v.clone());
        }
        (["providers", name, rest @ ..], value) => {
            apply_provider(config.providers.entry((*name).to_owned()).or_default(), rest, value);
        }
        // The table has let nothing else through.
        _ => {}
    }
}

fn apply_provider(provider: &mut Provider, path: &[&str], value: &SettingValue) {
    match (path, value) {
        (["dialect"], SettingValue::Text(v)) => provider.dialect = Some(v.clone()),
        (["base_url"], SettingValue::Text(v)) => provider.base_url = Some(v.trim().to_owned()),
        (["api_key_env"], SettingValue::Text(v)) => provider.api_key_env = Some(v.clone()),
        (["models"], SettingValue::Texts(v)) => provider.models.clone_from(v),
        (["structured_output", field], value) => {
            apply_declared(provider.structured_output.get_or_insert_default(), field, value);
        }
        _ => {}
    }
}

fn apply_declared(declared: &mut Declared, field: &str, value: &SettingValue) {
    use crate::capability::{Native, ProfileId};
    match (field, value) {
        ("strict_tool", SettingValue::Switch(v)) => declared.strict_tool = *v,
        ("with_tools", SettingValue::Switch(v)) => declared.with_tools = *v,
        ("native", SettingValue::Text(v)) => {
            declared.native = match v.as_str() {
                "supported" => Some(Native::Supported),
                "unsupported" => Some(Native::Unsupported),
                _ => Some(Native::Unknown),
            };
        }
        ("schema_profile", SettingValue::Text(v)) => {
            declared.schema_profile = ProfileId::named(v);
        }
        _ => {}
    }
}

fn level(word: &str) -> Option<Level> {
    match word {
        "exact" => Some(Level::Exact),
        "narrow" => Some(Level::Narrow),
        "relax" => Some(Level::Relax),
        _ => None,
    }
}

/// What the values mean together.
fn check_meaning(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for (name, provider) in &config.providers {
        if let Some((message, advice)) = provider_fault(name, provider) {
            let (file, line) = place_of(config, name);
            errors.push(ConfigError { file, line, column: line.map(|_| 1), message, advice: Some(advice) });
        }
    }
    for variable in ADDRESS_VARIABLES {
        if let Some(fault) = config.env.get(variable).and_then(address_fault) {
            let (file, message) = (PathBuf::from(variable), format!("must be {fault}"));
            errors.push(ConfigError { file, line: None, column: None, message, advice: None });
        }
    }
    errors
}

fn provider_fault(name: &str, provider: &Provider) -> Option<(String, String)> {
    if crate::catalog::is_built_in(name) {
        return Some((format!("`providers.{name}` is built in"), "choose another name".to_owned()));
    }
    if name.is_empty() || name.contains('/') || name.chars().any(char::is_whitespace) {
        let message = format!("{name:?} cannot name a provider: it is written before the / of PROVIDER/MODEL");
        return Some((message, "use letters, digits, - and _".to_owned()));
    }
    if provider.base_url.is_none() && crate::catalog::known::known(name).is_none() {
        let message = format!("`providers.{name}` has no base_url");
        return Some((
            message,
            "add base_url = \"http://127.0.0.1:8080/v1\" or what the server's address is".to_owned(),
        ));
    }
    None
}

/// The first place where a provider is mentioned.
fn place_of(config: &Config, provider: &str) -> (PathBuf, Option<usize>) {
    let mine = |s: &&Setting| matches!(s.path.as_slice(), [p, name, ..] if p == "providers" && name == provider);
    let places = config.settings.iter().filter(mine).filter_map(|s| match &s.origin {
        Origin::File { file, line } => Some((*line, file.clone())),
        Origin::Variable(_) => None,
    });
    places.min().map_or_else(|| (config.paths.config.clone(), None), |(line, file)| (file, Some(line)))
}

#[cfg(test)]
mod tests;
