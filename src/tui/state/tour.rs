//! The guided tour: five steps through one run, each done by the user's own hand. Knows which step it is and what is
//! asked; takes no key and holds nothing back.

use super::run::Fate;
use super::{Region, State};
use crate::command::Id;
use crate::tui::theme::Glyphs;

/// The model of the tour: offline, and its first answer is wrong on purpose.
pub const MODEL: &str = "sim/repair";

/// Steps of the tour.
pub const STEPS: usize = 5;

/// A tour under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// Counted from 0.
    pub step: usize,
    /// The model that answers again afterwards.
    pub model: String,
    /// There was no schema when it began.
    pub blank: bool,
    /// Runs before it began.
    pub runs: u64,
}

impl Tour {
    /// Is the step done?
    #[must_use]
    pub fn done(&self, state: &State) -> bool {
        match self.step {
            0 => {
                let there = !state.schema.editor.is_blank() && state.schema.legal().is_some();
                there && (self.blank || state.focus == Region::Schema)
            }
            1 => self.ran(state),
            2 => {
                let shown = state.run.as_ref().and_then(|run| run.shown());
                let rejected = shown.is_some_and(|attempt| matches!(attempt.fate, Fate::Rejected(_)));
                rejected && matches!(state.focus, Region::Attempts | Region::Candidate)
            }
            3 => state.schema.mark.is_some() && state.focus == Region::Schema,
            _ => state.focus == Region::Result,
        }
    }

    fn ran(&self, state: &State) -> bool {
        state.runs > self.runs && state.run.as_ref().is_some_and(|run| !run.running())
    }

    /// What is asked now.
    #[must_use]
    pub fn text(&self, state: &State) -> String {
        let key = |id| state.keymap.shown(id);
        let rejected = || {
            let attempts = state.run.iter().flat_map(|run| &run.attempts);
            attempts.into_iter().any(|attempt| matches!(attempt.fate, Fate::Rejected(_)))
        };
        match self.step {
            0 if state.schema.editor.is_blank() => {
                format!("A schema says what an answer must look like. {} puts a small one here.", key(Id::SchemaNew))
            }
            0 => format!(
                "Your schema says what an answer must look like; problems are marked as you type. {} goes there.",
                key(Id::FocusSchema)
            ),
            1 if state.running() => {
                format!("{MODEL} answers: watch the attempts. {} would cancel.", key(Id::RunCancel))
            }
            1 => {
                let go = if state.focus == Region::Prompt {
                    String::new()
                } else {
                    format!("{}, then t", key(Id::FocusPrompt))
                };
                let go = if go.is_empty() { "T".to_owned() } else { go };
                format!(
                    "{go}ype any prompt and press {}. {MODEL} answers: scripted, offline, its first answer breaks the \
                     schema on purpose.",
                    key(Id::PromptSend)
                )
            }
            2 | 3 if !rejected() => {
                format!(
                    "Nothing was rejected in this run: there is no issue to look at. {} goes on.",
                    key(Id::TourSkip)
                )
            }
            2 => format!(
                "An answer was rejected and asked for again. {}, then {}: the rejected one, every issue marked, with what \
                 was expected there.",
                key(Id::FocusAttempts),
                key(Id::AttemptLeft)
            ),
            3 => format!(
                "{} goes to the keyword in the schema that was broken; {} and {} step through the issues first.",
                key(Id::IssueKeyword),
                key(Id::IssueOn),
                key(Id::IssueBack)
            ),
            _ => format!(
                "{}: the accepted value, as a tree. There {} copies a value and {} writes a file; {} shows who else would \
                 take this schema.",
                key(Id::FocusResult),
                key(Id::CopyValue),
                key(Id::Export),
                key(Id::Board)
            ),
        }
    }

    /// `Tour 2 of 5: run it`.
    #[must_use]
    pub fn title(&self) -> String {
        let names = ["a schema", "a run", "what was rejected", "why", "the result"];
        let name = names.get(self.step).copied().unwrap_or_default();
        format!("Tour {} of {STEPS}: {name}", self.step + 1)
    }

    /// Its rows on a screen of this size, the rule above included: words first, never more than a fifth.
    #[must_use]
    pub fn rows(&self, state: &State, size: (u16, u16)) -> Vec<String> {
        let (width, height) = size;
        let most = usize::from((height / 5).clamp(1, 4));
        let room = usize::from(width.saturating_sub(2)).max(1);
        let mut rows = crate::tui::words::wrap(&self.text(state), room);
        if rows.len() > most {
            rows.truncate(most);
            if let Some(last) = rows.last_mut() {
                let kept = crate::text::truncate(last, room.saturating_sub(1)).into_owned();
                *last = format!("{kept}{}", Glyphs::UNICODE.ellipsis);
            }
        }
        rows
    }
}
