//! Colours and signs: named roles from TOML themes, for every colour depth down to none.
//!
//! Reads no file and no environment: texts and values come as arguments. State is never told by colour alone: [`Glyphs`]
//! carry it too.

mod color;
mod file;
mod glyphs;
#[cfg(test)]
mod tests;

use ratatui::style::{Color, Modifier, Style};

pub use glyphs::Glyphs;

/// The themes in the program; `dark` is the default.
const BUILT_IN: [(&str, &str); 6] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("catppuccin-mocha", include_str!("../../themes/catppuccin-mocha.toml")),
    ("gruvbox-dark", include_str!("../../themes/gruvbox-dark.toml")),
];

/// What a piece of the screen is. Each has a name in theme files ([`Role::name`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Plain text on the theme's background; the base of every frame.
    Text,
    Muted,
    Accent,
    Border,
    BorderFocus,
    Title,
    Selection,
    Success,
    Warning,
    Error,
    Info,
    JsonKey,
    JsonString,
    JsonEscape,
    JsonNumber,
    JsonLiteral,
    JsonPunct,
    Gutter,
    Cursor,
    Popup,
    Badge,
    /// Keys in footer and help.
    KeyHint,
    /// A search hit.
    Match,
    /// The marked place of an issue.
    MarkError,
    MarkWarning,
    DiffAdded,
    DiffRemoved,
    /// Output of the built-in scripted provider.
    Simulated,
    Placeholder,
    Scrollbar,
}

/// All roles with their names in theme files, in the order of the enum.
const ROLES: [(Role, &str); 30] = [
    (Role::Text, "text"),
    (Role::Muted, "muted"),
    (Role::Accent, "accent"),
    (Role::Border, "border"),
    (Role::BorderFocus, "border_focus"),
    (Role::Title, "title"),
    (Role::Selection, "selection"),
    (Role::Success, "success"),
    (Role::Warning, "warning"),
    (Role::Error, "error"),
    (Role::Info, "info"),
    (Role::JsonKey, "json.key"),
    (Role::JsonString, "json.string"),
    (Role::JsonEscape, "json.escape"),
    (Role::JsonNumber, "json.number"),
    (Role::JsonLiteral, "json.literal"),
    (Role::JsonPunct, "json.punct"),
    (Role::Gutter, "gutter"),
    (Role::Cursor, "cursor"),
    (Role::Popup, "popup"),
    (Role::Badge, "badge"),
    (Role::KeyHint, "key_hint"),
    (Role::Match, "match"),
    (Role::MarkError, "mark.error"),
    (Role::MarkWarning, "mark.warning"),
    (Role::DiffAdded, "diff.added"),
    (Role::DiffRemoved, "diff.removed"),
    (Role::Simulated, "simulated"),
    (Role::Placeholder, "placeholder"),
    (Role::Scrollbar, "scrollbar"),
];

impl Role {
    /// Every role.
    pub fn all() -> impl Iterator<Item = Self> {
        ROLES.iter().map(|(role, _)| *role)
    }

    /// Its key under `[roles]`.
    #[must_use]
    pub fn name(self) -> &'static str {
        ROLES.get(self as usize).map_or("", |(_, name)| name)
    }

    fn named(name: &str) -> Option<Self> {
        ROLES.iter().find(|(_, n)| *n == name).map(|(role, _)| *role)
    }
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// Attributes only.
    None,
    Ansi16,
    Indexed256,
    TrueColor,
}

impl ColorDepth {
    /// From the values of `NO_COLOR` (set and not empty counts), `COLORTERM` and `TERM`.
    #[must_use]
    pub fn detect(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        let true_color = matches!(colorterm, Some("truecolor" | "24bit"))
            || ["direct", "truecolor"].iter().any(|end| term.ends_with(end))
            || ["kitty", "ghostty", "alacritty", "foot", "wezterm"].iter().any(|name| term.contains(name));
        if no_color.is_some_and(|v| !v.is_empty()) || term == "dumb" {
            Self::None
        } else if true_color {
            Self::TrueColor
        } else if term.contains("256color") {
            Self::Indexed256
        } else {
            Self::Ansi16
        }
    }
}

/// Why a theme cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("no theme is called {name}; there are {}", known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error("theme {theme}, line {line}: {message}")]
    Syntax { theme: String, line: usize, message: String },
    #[error("theme {theme}, line {line}, key {key}: {message}")]
    Key { theme: String, line: usize, key: String, message: String },
    #[error("theme {theme} inherits from itself through {through}")]
    Cycle { theme: String, through: String },
}

/// Styles of all roles for one colour depth.
#[derive(Debug, Clone)]
pub struct Theme {
    name: String,
    styles: [Style; ROLES.len()],
    glyphs: &'static Glyphs,
}

impl Theme {
    /// Loads a theme by name; `user` holds (name, text) of the user's files, which win over the built-in ones and may
    /// inherit from any. Without colours every theme looks like `mono`.
    ///
    /// # Errors
    /// [`ThemeError`] naming theme, line and key.
    pub fn load(name: &str, user: &[(String, String)], depth: ColorDepth) -> Result<Self, ThemeError> {
        let spec = file::resolve(name, user)?;
        if depth == ColorDepth::None {
            return Ok(Self { name: name.to_owned(), ..Self::mono() });
        }
        let styles = std::array::from_fn(|i| {
            let role = ROLES.get(i).and_then(|(role, _)| spec.roles.get(role.name()));
            role.map_or_else(Style::new, |role| role.style(depth))
        });
        Ok(Self { name: name.to_owned(), styles, glyphs: &Glyphs::UNICODE })
    }

    /// The theme that always works: attributes only, no colour in any cell.
    #[must_use]
    pub fn mono() -> Self {
        let spec = file::resolve("mono", &[]).unwrap_or_default();
        let styles = std::array::from_fn(|i| {
            let role = ROLES.get(i).and_then(|(role, _)| spec.roles.get(role.name()));
            // Crossterm under NO_COLOR cancels attributes of a coloured cell, so not even a reset colour is set.
            Style::new().add_modifier(role.map_or(Modifier::empty(), |role| role.modifiers))
        });
        Self { name: "mono".to_owned(), styles, glyphs: &Glyphs::UNICODE }
    }

    /// Names of all themes, built-in first, then the user's new ones.
    #[must_use]
    pub fn names(user: &[(String, String)]) -> Vec<String> {
        let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        for (name, _) in user {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The name it was loaded by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The style of a role, to be patched over what is there. `Text` and `Popup` set the background, `Selection` too;
    /// most others only the foreground.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The signs (see [`Theme::with_glyphs`]).
    #[must_use]
    pub fn glyphs(&self) -> &'static Glyphs {
        self.glyphs
    }

    /// The same theme with other signs ([`Glyphs::UNICODE`] is the default, [`Glyphs::ASCII`] for `--ascii`).
    #[must_use]
    pub fn with_glyphs(self, glyphs: &'static Glyphs) -> Self {
        Self { glyphs, ..self }
    }
}

/// How a theme file styles one role, references resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Spec {
    fg: Option<Color>,
    bg: Option<Color>,
    /// Foreground on 16-colour terminals, where the background stays the terminal's own.
    ansi: Option<Color>,
    ansi_bg: Option<Color>,
    modifiers: Modifier,
}

impl Spec {
    fn style(&self, depth: ColorDepth) -> Style {
        let (fg, bg) = match depth {
            ColorDepth::None => (None, None),
            ColorDepth::Ansi16 => (self.ansi, self.ansi_bg),
            ColorDepth::Indexed256 => (self.fg.map(color::to_256), self.bg.map(color::to_256)),
            ColorDepth::TrueColor => (self.fg, self.bg),
        };
        let mut style = Style::new().add_modifier(self.modifiers);
        style.fg = fg;
        style.bg = bg;
        style
    }
}
