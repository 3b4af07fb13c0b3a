//! `config show`: the merged configuration as TOML, each value with its origin. Holds no key: keys are only named.

use super::keys::{KEYS, LATER, Scope};
use super::read::show as show_path;
use super::{Config, Origin, Setting, SettingValue, VARIABLES, safe_url};

/// The merged configuration. What is printed can be read back as a config file.
#[must_use]
pub fn show(config: &Config) -> String {
    let mut out = String::new();
    let mut settings: Vec<&Setting> = config.settings.iter().collect();
    settings.sort_by_key(|s| (rank(s), s.path.clone()));
    for setting in settings {
        let value = toml(&shown(setting));
        out.push_str(&format_line(&format!("{} = {value}", show_path(&setting.path)), &origin(&setting.origin)));
    }
    if config.settings.is_empty() {
        out.push_str("# nothing is set: every value is built in\n");
    }
    out.push('\n');
    for line in environment(config) {
        out.push_str(&line);
    }
    out
}

/// One line a key that a config file may hold, for the docs.
#[must_use]
pub fn reference() -> String {
    let scope = |scope: Scope| match scope {
        Scope::Anywhere => "",
        Scope::UserOnly => " (not in a project file)",
    };
    let line = |k: &super::keys::Key| format!("{:<46} {}{}", k.path, k.about, scope(k.scope));
    KEYS.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// What is set and not heeded by this version, with its place: nothing is ignored in silence.
#[must_use]
pub fn notes(config: &Config) -> Vec<String> {
    let mine = |setting: &&Setting, table: &str| setting.path.first().is_some_and(|first| first == table);
    let line = |setting: &&Setting| match &setting.origin {
        Origin::File { line, .. } => *line,
        Origin::Variable(_) => 0,
    };
    let set = |table: &str| config.settings.iter().filter(|setting| mine(setting, table)).min_by_key(line);
    let note = |table: &&str| {
        let place = origin(&set(table)?.origin);
        Some(format!("{place}: `{table}` is not heeded yet: it comes with a later version"))
    };
    LATER.iter().filter_map(note).collect()
}

/// Dotted keys of one table may not be torn apart in TOML, so order follows the table of keys, then the name.
fn rank(setting: &Setting) -> (usize, String) {
    let first = setting.path.first().map_or("", String::as_str);
    let at = KEYS.iter().position(|k| k.path.split('.').next() == Some(first)).unwrap_or(KEYS.len());
    (at, setting.path.get(1).cloned().unwrap_or_default())
}

fn format_line(text: &str, origin: &str) -> String {
    format!("{text:<48} # {origin}\n")
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::File { file, line } => format!("{}:{line}", file.display()),
        Origin::Variable(name) => format!("${name}"),
    }
}

/// An address may carry a query, whose values are nobody's business.
fn shown(setting: &Setting) -> SettingValue {
    match &setting.value {
        SettingValue::Text(url) if url.contains('?') && setting.path.last().is_some_and(|name| name == "base_url") => {
            SettingValue::Text(safe_url(url))
        }
        value => value.clone(),
    }
}

fn toml(value: &SettingValue) -> String {
    let text = |t: &String| ::toml::Value::String(t.clone()).to_string();
    match value {
        SettingValue::Text(t) => text(t),
        SettingValue::Whole(n) => n.to_string(),
        SettingValue::Switch(on) => on.to_string(),
        SettingValue::Texts(list) => format!("[{}]", list.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

/// Ends of the names of variables that name keys and endpoints.
const SHOWN_ENDS: [&str; 8] = ["_KEY", "_KEY_ID", "_URL", "_ENDPOINT", "_RUNTIME", "_BEDROCK", "_REGION", "_TOKEN"];

/// Which variables are set. Never their values, but for addresses, which are checked to hold no secret.
fn environment(config: &Config) -> Vec<String> {
    let shown = |name: &&str| config.env.get(name).is_some() && SHOWN_ENDS.iter().any(|end| name.ends_with(end));
    let own = config.providers.values().filter_map(|p| p.api_key_env.as_deref());
    let mut names: Vec<&str> = VARIABLES.iter().copied().chain(own).filter(shown).collect();
    names.extend(["FORMWORK_CONFIG", "FORMWORK_DATA_DIR"].into_iter().filter(|n| config.env.get(n).is_some()));
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| format!("# ${name} is set\n")).collect()
}
