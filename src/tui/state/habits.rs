//! How the user likes the screen and what was used last: kept between two starts. Holds nothing of schemas or prompts.

use serde::{Deserialize, Serialize};

use crate::command::{Id, by_name, command};

/// Commands kept.
const MOST: usize = 12;

/// Shares in thousandths; `None` is the program's own measure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Habits {
    /// Of the screen's width, for schema and prompt, where the regions lie side by side.
    pub left: Option<u16>,
    /// Of its column's height, for the prompt.
    pub prompt: Option<u16>,
    /// Of what the prompt leaves, for the schema, where the regions are stacked.
    pub schema: Option<u16>,
    /// Of the rows that candidate and result share, for the candidate.
    pub candidate: Option<u16>,
    /// Of the readers' height, for the attempts.
    pub attempts: Option<u16>,
    /// The tour was begun once.
    pub toured: bool,
    /// Stable names of the commands given last, newest first.
    pub commands: Vec<String>,
}

/// A border between two panes; where it lies is one of the shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// Between the left column and the readers.
    Column,
    /// Above the prompt, below the schema.
    Prompt,
    /// Above the reader, where the regions are stacked.
    Reader,
    /// Between candidate and result.
    Result,
    /// Above the attempts.
    Attempts,
}

impl Habits {
    /// Every pane has the program's own measure again.
    pub fn forget_shares(&mut self) {
        let commands = std::mem::take(&mut self.commands);
        *self = Self { commands, toured: self.toured, ..Self::default() };
    }

    /// A command was given from the palette. True when that changed anything.
    pub fn used(&mut self, id: Id) -> bool {
        let name = command(id).name;
        if self.commands.first().is_some_and(|first| first == name) {
            return false;
        }
        self.commands.retain(|known| known != name);
        self.commands.insert(0, name.to_owned());
        self.commands.truncate(MOST);
        true
    }

    /// How long ago a command was used: 0 is the newest; `None` for what was not.
    #[must_use]
    pub fn rank(&self, id: Id) -> Option<usize> {
        self.commands.iter().position(|name| by_name(name).is_some_and(|row| row.id == id))
    }

    /// As it is written to its file.
    #[must_use]
    pub fn text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// From its file. What cannot be read is forgotten: it is a comfort, nothing more.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut habits: Self = toml::from_str(text).unwrap_or_default();
        habits.commands.truncate(MOST);
        let Self { left, prompt, schema, candidate, attempts, toured: _, commands: _ } = &mut habits;
        for share in [left, prompt, schema, candidate, attempts] {
            *share = share.map(|thousandths| thousandths.min(1_000));
        }
        habits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_command_stands_first_and_once() {
        let mut habits = Habits::default();
        assert!(habits.used(Id::Board) && habits.used(Id::Fields) && habits.used(Id::Board));
        assert!(!habits.used(Id::Board), "nothing changed");
        assert_eq!((habits.rank(Id::Board), habits.rank(Id::Fields), habits.rank(Id::Quit)), (Some(0), Some(1), None));
        for row in crate::command::table() {
            habits.used(row.id);
        }
        assert_eq!(habits.commands.len(), MOST);
    }

    #[test]
    fn what_is_written_is_read_and_rubbish_is_forgotten() {
        let habits = Habits { left: Some(600), commands: vec!["schema.board".into()], ..Habits::default() };
        assert_eq!(Habits::read(&habits.text()), habits);
        assert_eq!(Habits::read("left = 'wide'\n\u{0}"), Habits::default());
        assert_eq!(Habits::read("left = 65535").left, Some(1_000));
        assert_eq!(Habits::read("left = 70000").left, None);
    }
}
