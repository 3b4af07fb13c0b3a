//! Theme files: TOML to resolved role styles, with inheritance; errors name theme, line and key.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier};
use toml::{Table, Value};

use super::{BUILT_IN, Role, Spec, Theme, ThemeError, color};

/// A theme with palette and inheritance resolved: role name → style.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    pub(super) roles: BTreeMap<String, Spec>,
}

/// One file as written.
struct File {
    theme: String,
    text: String,
    table: Table,
}

/// Reads the chain of files from `name` up to its root and resolves it: nearer files win, and a palette colour of a
/// nearer file also recolours inherited roles.
pub(super) fn resolve(name: &str, user: &[(String, String)]) -> Result<Resolved, ThemeError> {
    let chain = chain(name, user)?;
    let mut palette = BTreeMap::new();
    for file in chain.iter().rev() {
        file.add_palette(&mut palette)?;
    }
    let mut resolved = Resolved::default();
    for file in chain.iter().rev() {
        for (key, value) in file.section("roles")? {
            if Role::named(key).is_none() {
                return Err(file.key(key, "no such role".to_owned()));
            }
            resolved.roles.insert(key.clone(), file.spec(key, value, &palette)?);
        }
    }
    Ok(resolved)
}

fn chain(name: &str, user: &[(String, String)]) -> Result<Vec<File>, ThemeError> {
    let mut files: Vec<File> = Vec::new();
    let mut next = Some(name.to_owned());
    while let Some(name) = next {
        let seen = files.iter().filter(|file| file.theme == name).count();
        // A user's theme may inherit the built-in one of the same name, once.
        let own = user.iter().find(|(n, _)| *n == name).filter(|_| seen == 0);
        let own = own.map(|(_, text)| text.as_str());
        let built_in = BUILT_IN.iter().find(|(n, _)| *n == name).map(|(_, text)| *text);
        let overridden = seen == 1 && built_in.is_some() && user.iter().any(|(n, _)| *n == name);
        if seen > 0 && (!overridden || files.last().is_some_and(|file| file.theme != name)) {
            return Err(ThemeError::Cycle {
                theme: files.first().map_or(name.clone(), |f| f.theme.clone()),
                through: name,
            });
        }
        let Some(text) = own.or(built_in) else { return Err(unknown(name, files.last(), user)) };
        let file = File::read(name, text)?;
        next = file.inherits()?;
        files.push(file);
    }
    Ok(files)
}

fn unknown(name: String, child: Option<&File>, user: &[(String, String)]) -> ThemeError {
    match child {
        Some(child) => child.key("inherits", format!("no theme is called {name}")),
        None => ThemeError::Unknown { name, known: Theme::names(user) },
    }
}

impl File {
    fn read(theme: String, text: &str) -> Result<Self, ThemeError> {
        let table = text.parse::<Table>().map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            ThemeError::Syntax { theme: theme.clone(), line, message: error.message().to_owned() }
        })?;
        let file = Self { theme, text: text.to_owned(), table };
        match file.table.keys().find(|key| !["inherits", "palette", "roles"].contains(&key.as_str())) {
            Some(key) => Err(file.key(key, "expected inherits, [palette] or [roles]".to_owned())),
            None => Ok(file),
        }
    }

    fn inherits(&self) -> Result<Option<String>, ThemeError> {
        match self.table.get("inherits") {
            None => Ok(None),
            Some(Value::String(name)) => Ok(Some(name.clone())),
            Some(_) => Err(self.key("inherits", "expected the name of a theme in quotes".to_owned())),
        }
    }

    fn section(&self, name: &str) -> Result<impl Iterator<Item = (&String, &Value)>, ThemeError> {
        match self.table.get(name) {
            None => Ok(None.into_iter().flatten()),
            Some(Value::Table(table)) => Ok(Some(table).into_iter().flatten()),
            Some(_) => Err(self.key(name, "expected a table".to_owned())),
        }
    }

    fn add_palette(&self, palette: &mut BTreeMap<String, Color>) -> Result<(), ThemeError> {
        for (key, value) in self.section("palette")? {
            let color = value.as_str().and_then(color::hex);
            let color = color.ok_or_else(|| self.key(key, "expected a colour like \"#1e1e2e\"".to_owned()))?;
            palette.insert(key.clone(), color);
        }
        Ok(())
    }

    fn spec(&self, role: &str, value: &Value, palette: &BTreeMap<String, Color>) -> Result<Spec, ThemeError> {
        let mut spec = Spec::default();
        let table = match value {
            Value::String(_) => return Ok(Spec { fg: Some(self.color(role, value, palette)?), ..spec }),
            Value::Table(table) => table,
            _ => return Err(self.key(role, "expected a colour or a table".to_owned())),
        };
        for (key, value) in table {
            match key.as_str() {
                "fg" => spec.fg = Some(self.color(role, value, palette)?),
                "bg" => spec.bg = Some(self.color(role, value, palette)?),
                "ansi" => spec.ansi = Some(self.ansi(role, value)?),
                "ansi_bg" => spec.ansi_bg = Some(self.ansi(role, value)?),
                "modifiers" => spec.modifiers = self.modifiers(role, value)?,
                _ => return Err(self.key(role, format!("{key}: expected fg, bg, ansi, ansi_bg or modifiers"))),
            }
        }
        Ok(spec)
    }

    fn color(&self, role: &str, value: &Value, palette: &BTreeMap<String, Color>) -> Result<Color, ThemeError> {
        let name = value.as_str().unwrap_or_default();
        let found = palette.get(name).copied().or_else(|| color::hex(name));
        found.ok_or_else(|| self.key(role, format!("{value} is neither in the palette nor a colour like \"#1e1e2e\"")))
    }

    fn ansi(&self, role: &str, value: &Value) -> Result<Color, ThemeError> {
        let found = value.as_str().and_then(color::ansi);
        found.ok_or_else(|| self.key(role, format!("{value} is no terminal colour (red, light-red, dark-gray, …)")))
    }

    fn modifiers(&self, role: &str, value: &Value) -> Result<Modifier, ThemeError> {
        let list = value.as_array().ok_or_else(|| self.key(role, "modifiers: expected a list".to_owned()))?;
        list.iter().try_fold(Modifier::empty(), |all, item| match item.as_str() {
            Some("bold") => Ok(all | Modifier::BOLD),
            Some("dim") => Ok(all | Modifier::DIM),
            Some("italic") => Ok(all | Modifier::ITALIC),
            Some("underlined") => Ok(all | Modifier::UNDERLINED),
            Some("reversed") => Ok(all | Modifier::REVERSED),
            Some("crossed_out") => Ok(all | Modifier::CROSSED_OUT),
            Some(_) | None => {
                Err(self.key(role, format!("{item}: expected bold, dim, italic, underlined, reversed or crossed_out")))
            }
        })
    }

    /// An error at a key. The line is that of the first line that begins with the key.
    fn key(&self, key: &str, message: String) -> ThemeError {
        let begins = |line: &str| {
            let line = line.trim_start().trim_start_matches(['[', '"', '\'']);
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(['=', ']', '.']))
        };
        let line = self.text.lines().position(begins).map_or(1, |at| at + 1);
        ThemeError::Key { theme: self.theme.clone(), line, key: key.to_owned(), message }
    }
}
