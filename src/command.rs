//! THE command table: everything the terminal program can do, once.
//!
//! Keymap, palette, slash commands, footer hints, help and the README's tables are all read from it. Pure data and pure
//! look-ups: this file executes nothing and knows neither terminal nor state.

mod chord;
mod docs;
mod keymap;
mod slash;
mod table;

pub use chord::{Chord, ChordError, Key};
pub use docs::{keys_markdown, slash_markdown};
pub use keymap::{Keymap, KeymapProblem};
pub use slash::{SlashError, forms, parse as parse_slash};
pub use table::{Id, table};

/// Where a command can be reached by key. A popup hides the regions below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// In every region, unless the region or a text field takes the key.
    Global,
    /// Also above popups.
    Always,
    Schema,
    Prompt,
    Candidate,
    Result,
    Attempts,
    /// A list with a search line: palette, pickers.
    List,
    /// The list of schema versions.
    Versions,
    /// A single input line.
    Line,
    /// A page of text: help, a request, a sample.
    Page,
    /// A question before something that costs.
    Ask,
    /// The portability board.
    Board,
    /// The raw events of a run.
    Raw,
    /// The turns of the session.
    Turns,
    /// The completion list of the prompt's slash command.
    Slash,
    /// The completion list of the schema.
    Complete,
}

impl Context {
    /// All contexts, in the order help and README show them.
    pub const ALL: [Self; 17] = [
        Self::Global,
        Self::Always,
        Self::Schema,
        Self::Complete,
        Self::Prompt,
        Self::Slash,
        Self::Candidate,
        Self::Result,
        Self::Attempts,
        Self::List,
        Self::Versions,
        Self::Line,
        Self::Page,
        Self::Ask,
        Self::Board,
        Self::Raw,
        Self::Turns,
    ];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Always => "Always",
            Self::Schema => "Schema",
            Self::Prompt => "Prompt",
            Self::Candidate => "Candidate",
            Self::Result => "Result",
            Self::Attempts => "Attempts",
            Self::List => "Lists",
            Self::Versions => "Versions",
            Self::Line => "Input line",
            Self::Page => "Pages",
            Self::Ask => "Questions",
            Self::Board => "Portability board",
            Self::Raw => "Raw events",
            Self::Turns => "Turns",
            Self::Slash => "Slash completion",
            Self::Complete => "Schema completion",
        }
    }

    /// Printable keys are text here, so no command may claim one.
    #[must_use]
    pub fn takes_text(self) -> bool {
        match self {
            Self::Schema
            | Self::Complete
            | Self::Prompt
            | Self::List
            | Self::Versions
            | Self::Line
            | Self::Slash
            | Self::Global
            | Self::Always => true,
            Self::Candidate
            | Self::Result
            | Self::Attempts
            | Self::Page
            | Self::Ask
            | Self::Board
            | Self::Raw
            | Self::Turns => false,
        }
    }
}

/// What a command takes after its slash form. All are optional: without one, a list offers the choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Args {
    None,
    /// A schema file to read.
    SchemaPath,
    /// A file to write.
    SavePath,
    /// A file that holds an answer.
    AnswerPath,
    /// Where the chance of a sample starts.
    Seed,
    /// Levels of a text that stay open.
    Depth,
    Model,
    /// A model to download.
    Weights,
    Theme,
    Fallback,
    /// How many provider calls a run may spend.
    Retries,
    Level,
    /// The number of an attempt.
    Attempt,
    /// What to copy.
    Copy,
    /// What becomes of unsaved work.
    Draft,
    /// A part of a document: its name or pointer.
    Part,
    /// Files with sample values.
    Samples,
    /// A short form of a schema.
    Fields,
    /// What becomes of the panes' sizes.
    Layout,
    /// A word to look up.
    Topic,
    /// The name of a function.
    Function,
}

impl Args {
    /// As help writes it.
    #[must_use]
    pub fn usage(self) -> &'static str {
        match self {
            Self::None => "",
            Self::SchemaPath | Self::SavePath | Self::AnswerPath => "PATH",
            Self::Model => "PROVIDER/MODEL",
            Self::Weights | Self::Theme | Self::Function => "NAME",
            Self::Fallback => "auto|none|prompt",
            Self::Retries | Self::Attempt | Self::Seed | Self::Depth => "N",
            Self::Level => "exact|narrow|relax",
            Self::Draft => "restore|diff|discard",
            Self::Copy => "value|subtree|pointer|path|canonical|pretty|candidate|schema|curl",
            Self::Part => "NAME|POINTER",
            Self::Samples => "FILE…",
            Self::Fields => "FIELDS",
            Self::Layout => "wider|narrower|taller|shorter|usual",
            Self::Topic => "WORD",
        }
    }

    /// The fixed choices, if the set is closed.
    #[must_use]
    pub fn choices(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::None
            | Self::SchemaPath
            | Self::SavePath
            | Self::AnswerPath
            | Self::Seed
            | Self::Depth
            | Self::Model
            | Self::Weights
            | Self::Theme
            | Self::Attempt
            | Self::Part
            | Self::Samples
            | Self::Fields
            | Self::Topic
            | Self::Function => &[],
            Self::Layout => &[
                ("wider", "the focused part"),
                ("narrower", "the focused part"),
                ("taller", "the focused part"),
                ("shorter", "the focused part"),
                ("usual", "all parts as they were at first"),
            ],
            Self::Fallback => &[
                ("auto", "native, else the hidden submit tool"),
                ("none", "native or nothing"),
                ("prompt", "native, else the schema stands in the prompt"),
            ],
            Self::Retries => &[
                ("1", "one call, no repair"),
                ("2", "first call and one repair"),
                ("3", "one more for a transport failure"),
                ("6", "the default"),
                ("10", "patient"),
            ],
            Self::Level => &[
                ("exact", "only changes that keep the meaning"),
                ("narrow", "may shrink the set of values"),
                ("relax", "may drop constraints; they are checked locally"),
            ],
            Self::Draft => &[
                ("restore", "puts the unsaved text into the editor"),
                ("diff", "shows what differs from the file"),
                ("discard", "gives it up"),
            ],
            Self::Copy => &[
                ("value", "the selected value"),
                ("subtree", "the selected value, indented"),
                ("pointer", "its JSON Pointer"),
                ("path", "its JSONPath"),
                ("canonical", "the whole result, canonical"),
                ("pretty", "the whole result, indented"),
                ("candidate", "the shown attempt's text"),
                ("schema", "the schema's text"),
                ("curl", "the shown attempt's request"),
            ],
        }
    }
}

/// A condition a command needs; unmet, the palette shows the reason and the command says it instead of running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    Prompt,
    SchemaText,
    SchemaLegal,
    /// The tour goes on.
    Tour,
    /// A crash left unsaved work.
    Draft,
    Problem,
    Running,
    Attempt,
    Issue,
    Result,
    /// A sample stands in the result's place.
    Sample,
    /// The list of what the schema lets through is open.
    Finding,
    Request,
    /// A call was made.
    Round,
    /// Events of a call were told.
    Events,
    /// A prompt was run.
    Turn,
    Repair,
    Failure,
    Thinking,
    /// An earlier answer stands otherwise under the edited schema.
    Changed,
    Refused,
    /// The program was built with the local model.
    LocalModel,
}

impl Need {
    /// Why the command is not available while the need is unmet.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Prompt => "write a prompt first",
            Self::SchemaText => "load or write a schema first",
            Self::SchemaLegal => "the schema has problems: mend them first",
            Self::Tour => "no tour goes on: /tour begins one",
            Self::Draft => "no unsaved work was left behind",
            Self::Problem => "the schema has no problems",
            Self::Running => "nothing is running",
            Self::Attempt => "no attempt yet: run first",
            Self::Issue => "the shown attempt has no issues",
            Self::Result => "no validated value yet",
            Self::Sample => "no sample is shown: /schema sample makes one",
            Self::Finding => "only in the list of what the schema lets through: /schema loose opens it",
            Self::Request => "no request was sent over a wire",
            Self::Round => "no call was made",
            Self::Events => "no event has come yet: run first",
            Self::Turn => "nothing was run yet",
            Self::Repair => "no repair was asked after the shown attempt",
            Self::Failure => "the provider reported no error",
            Self::Changed => "no earlier answer changed",
            Self::Thinking => "the shown attempt has no thinking text",
            Self::Refused => "the model's profile refuses nothing",
            Self::LocalModel => "this program was built without the local model",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    pub id: Id,
    /// The stable name used in `[keys]` of the config.
    pub name: &'static str,
    pub title: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// `/run`, `/schema load`; empty when there is none.
    pub slash: &'static str,
    pub args: Args,
    /// Where its keys work.
    pub contexts: &'static [Context],
    pub keys: &'static [&'static str],
    pub needs: &'static [Need],
    /// The word in the footer; empty = not in the footer.
    pub hint: &'static str,
}

/// The row of a command.
#[must_use]
pub fn command(id: Id) -> &'static Command {
    let rows = table();
    rows.get(id as usize).unwrap_or(&rows[0])
}

/// The command with this stable name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Command> {
    table().iter().find(|c| c.name == name)
}

impl Command {
    /// Is it worth a line in the palette? Movement within a part is not.
    #[must_use]
    pub fn in_palette(&self) -> bool {
        let place = self.contexts.contains(&Context::Global) || self.contexts.contains(&Context::Schema);
        !self.slash.is_empty() || !self.hint.is_empty() || place
    }
}

/// The known name that is nearest to a mistyped one, when it is near enough to be meant.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known.map(|k| (distance(word, k), k)).min().filter(|(d, k)| *d <= 1 + k.len() / 4).map(|(_, k)| k)
}

/// Edit distance by one row, on characters.
fn distance(a: &str, b: &str) -> usize {
    let right: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut left = i + 1;
        let mut diagonal = i;
        for (cell, y) in row.iter_mut().skip(1).zip(&right) {
            let above = *cell;
            let best = (diagonal + usize::from(x != *y)).min(above + 1);
            diagonal = above;
            *cell = best.min(left + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rows_stand_at_their_id() {
        for (i, row) in table().iter().enumerate() {
            assert_eq!(row.id as usize, i, "{}", row.name);
        }
    }

    #[test]
    fn names_and_slash_forms_are_unique() {
        let names: BTreeSet<_> = table().iter().map(|c| c.name).collect();
        assert_eq!(names.len(), table().len());
        let slashes: Vec<_> = table().iter().map(|c| c.slash).filter(|s| !s.is_empty()).collect();
        assert_eq!(slashes.iter().collect::<BTreeSet<_>>().len(), slashes.len());
    }

    #[test]
    fn every_row_is_told_in_a_sentence() {
        for c in table() {
            assert!(c.doc.ends_with('.') && c.doc.len() > 10, "{}", c.name);
            assert!(!c.title.is_empty() && !c.contexts.is_empty(), "{}", c.name);
        }
    }

    #[test]
    fn the_slash_commands_of_the_contract_are_there() {
        let forms: Vec<_> = table().iter().map(|c| c.slash).collect();
        let wanted = "/schema load,/schema new,/schema save,/schema edit,/schema recent,/schema sample,/model,/fallback,\
                      /retries,/project,/run,/attempt,/issues,/request,/copy,/export,/theme,/config,/help,/quit";
        for form in wanted.split(',') {
            assert!(forms.contains(&form), "{form}");
        }
    }

    #[test]
    fn nearest_finds_slips_only() {
        let known = ["run.start", "run.cancel"];
        assert_eq!(nearest("run.strat", known.into_iter()), Some("run.start"));
        assert_eq!(nearest("theme", known.into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
