//! Every key a config file may hold: one table that feeds reading, checking, `config show` and the docs.

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number in this range.
    Whole(u64, u64),
    Switch,
    /// A list of texts; with the flag of [`Key`]s that allow it a single text stands for a list of one.
    Texts,
    TextOrTexts,
    /// `http://` or `https://`, without user and fragment; a gateway's query may stay.
    Address,
    /// The name of an environment variable.
    Variable,
}

/// Who may set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user's file and the project's.
    Anywhere,
    /// The user's file only: keys, commands and endpoints must not come with a checked-out repository.
    UserOnly,
}

/// One key. `*` in the path stands for a name of the user's own.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub path: &'static str,
    pub kind: Kind,
    pub scope: Scope,
    pub about: &'static str,
}

const fn anywhere(path: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { path, kind, scope: Scope::Anywhere, about }
}

const fn user_only(path: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { path, kind, scope: Scope::UserOnly, about }
}

/// All keys, in the order of `config show`.
pub const KEYS: &[Key] = &[
    anywhere("model", Kind::Text, "the model of a run without -m: PROVIDER/MODEL"),
    anywhere("fallback", Kind::Word(&["auto", "none", "prompt"]), "what a run may do when the native route is closed"),
    anywhere("project", Kind::Word(&["exact", "narrow", "relax"]), "how far a schema may be changed for a provider"),
    anywhere("timeout_seconds", Kind::Whole(1, 86_400), "deadline of a whole run"),
    anywhere("max_retries", Kind::Whole(1, 100), "provider calls of one run that are not tool continuations"),
    anywhere("max_iterations", Kind::Whole(1, 1_000), "provider calls of one run that continue after tool results"),
    anywhere("assert_format", Kind::Switch, "true: the keyword `format` is checked, not only noted"),
    anywhere("theme", Kind::Text, "name of a built-in theme, or of a file in the themes folder"),
    anywhere("mouse", Kind::Switch, "true: the mouse works in the program, selection with Shift"),
    anywhere("ascii", Kind::Switch, "true: no line-drawing characters"),
    anywhere("animation", Kind::Switch, "false: nothing on the screen turns; times move on once a second"),
    anywhere(
        "notify",
        Kind::Word(super::Notify::NAMES),
        "how the end of a run is told while the terminal has not the focus",
    ),
    user_only("store.keep", Kind::Switch, "false: no schema that was run and no answer is kept in the data folder"),
    user_only("log.level", Kind::Word(crate::log::Detail::NAMES), "how much goes to the log; never any content"),
    anywhere("keys.*", Kind::TextOrTexts, "chords of a command: its id = \"ctrl-r\" or a list"),
    user_only("providers.*.dialect", Kind::Word(crate::capability::Dialect::NAMES), "how the server is spoken to"),
    user_only("providers.*.base_url", Kind::Address, "where the server is, with /v1"),
    user_only("providers.*.api_key_env", Kind::Variable, "the environment variable that holds the key"),
    user_only("providers.*.models", Kind::Texts, "model ids to list"),
    user_only(
        "providers.*.structured_output.native",
        Kind::Word(&["supported", "unsupported", "unknown"]),
        "does the schema parameter hold there?",
    ),
    user_only(
        "providers.*.structured_output.strict_tool",
        Kind::Switch,
        "are arguments of strict tools held to their schema?",
    ),
    user_only(
        "providers.*.structured_output.with_tools",
        Kind::Switch,
        "schema parameter and ordinary tools together?",
    ),
    user_only(
        "providers.*.structured_output.schema_profile",
        Kind::Word(&crate::capability::ProfileId::WORDS),
        "which keywords the server accepts",
    ),
    user_only(
        "mcp_servers.*.command",
        Kind::Text,
        "program of a tool server (not heeded yet: a later version reads it)",
    ),
    user_only("mcp_servers.*.args", Kind::Texts, "its arguments (not heeded yet: a later version reads them)"),
];

/// Tables that are taken and not heeded yet; [`super::notes`] says so wherever it matters.
pub const LATER: &[&str] = &["mcp_servers"];

/// How a path stands to the table.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// A value belongs here.
    Value(&'static Key),
    /// A table belongs here.
    Table,
    /// Nothing belongs here.
    Nowhere,
}

/// Looks a path up.
#[must_use]
pub fn place(path: &[String]) -> Place {
    let mut inside = false;
    for key in KEYS {
        let parts: Vec<&str> = key.path.split('.').collect();
        let fits = parts.iter().zip(path).all(|(part, name)| *part == "*" || part == name);
        if fits && parts.len() == path.len() {
            return Place::Value(key);
        }
        inside |= fits && parts.len() > path.len();
    }
    if inside { Place::Table } else { Place::Nowhere }
}

/// The fixed names that may stand directly below a table.
#[must_use]
pub fn names_below(table: &[String]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS {
        let parts: Vec<&str> = key.path.split('.').collect();
        let fits = parts.iter().zip(table).all(|(part, name)| *part == "*" || part == name);
        if let Some(name) = parts.get(table.len()).filter(|name| fits && **name != "*" && !names.contains(*name)) {
            names.push(name);
        }
    }
    names
}

/// May the project's file hold something below this path?
#[must_use]
pub fn user_only_below(path: &[String]) -> bool {
    path.first().is_some_and(|first| {
        KEYS.iter().any(|key| key.scope == Scope::UserOnly && key.path.split('.').next() == Some(first.as_str()))
    })
}
