//! Colours and signs: named roles from TOML themes, for every colour depth down to none.
//!
//! Reads no file and no environment: texts and values come as arguments. State is never told by colour alone: [`Glyphs`]
//! carry it too.

use ratatui::style::Style;

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
        let _ = (no_color, colorterm, term);
        todo!()
    }
}

/// Why a theme cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("no theme is called {name}")]
    Unknown { name: String },
}

/// The signs that tell state without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    pub success: &'static str,
    pub error: &'static str,
    pub warning: &'static str,
    pub info: &'static str,
    pub pending: &'static str,
    pub unknown: &'static str,
    pub folded: &'static str,
    pub unfolded: &'static str,
    pub simulated: &'static str,
    pub selected: &'static str,
    pub ellipsis: &'static str,
    pub retry: &'static str,
    pub bullet: &'static str,
    pub arrow: &'static str,
    pub bar_full: &'static str,
    pub bar_empty: &'static str,
    pub scroll_thumb: &'static str,
    pub scroll_track: &'static str,
    pub spinner: &'static [&'static str],
    pub border: ratatui::symbols::border::Set<'static>,
}

/// Styles of all roles for one colour depth.
#[derive(Debug, Clone)]
pub struct Theme {
    _todo: (),
}

impl Theme {
    /// Loads a theme by name; `user` holds (name, text) of the user's files, which win over the built-in ones and may
    /// inherit from any.
    ///
    /// # Errors
    /// [`ThemeError`] naming theme, line and key.
    pub fn load(name: &str, user: &[(String, String)], depth: ColorDepth) -> Result<Self, ThemeError> {
        let _ = (name, user, depth);
        todo!()
    }

    /// The theme that always works: attributes only.
    #[must_use]
    pub fn mono() -> Self {
        todo!()
    }

    /// Names of all themes, built-in first, then the user's new ones.
    #[must_use]
    pub fn names(user: &[(String, String)]) -> Vec<String> {
        let _ = user;
        todo!()
    }

    /// The name it was loaded by.
    #[must_use]
    pub fn name(&self) -> &str {
        todo!()
    }

    /// The style of a role, to be patched over what is there. `Text` and `Popup` set the background, `Selection` both.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        let _ = role;
        todo!()
    }

    /// The signs (see [`Theme::with_glyphs`]).
    #[must_use]
    pub fn glyphs(&self) -> &'static Glyphs {
        todo!()
    }

    /// The same theme with other signs ([`Glyphs::UNICODE`] is the default, [`Glyphs::ASCII`] for `--ascii`).
    #[must_use]
    pub fn with_glyphs(self, glyphs: &'static Glyphs) -> Self {
        let _ = glyphs;
        todo!()
    }
}
