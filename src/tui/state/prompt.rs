//! The prompt composer: a draft, the prompts sent before, and the completion of a slash command.

use super::composer::Composer;

/// Prompts kept for the arrow keys.
const KEPT: usize = 200;

/// One completion of the slash command being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The whole line after taking it.
    pub line: String,
    pub shown: String,
    pub doc: String,
    /// Taking it completes the command: Enter may run it.
    pub complete: bool,
}

/// The prompt region.
#[derive(Debug, Clone, Default)]
pub struct PromptPane {
    pub editor: Composer,
    history: Vec<String>,
    /// Which older prompt is shown; `None` is the draft.
    at: Option<usize>,
    draft: String,
    pub completions: Vec<Completion>,
    pub selected: usize,
    /// The revision at which the reader closed the list.
    pub closed_at: Option<u64>,
    /// The reader moved in the list: Enter takes the row instead of running the line as typed.
    pub chosen: bool,
}

impl PromptPane {
    /// The draft as it would be sent.
    #[must_use]
    pub fn text(&self) -> String {
        self.editor.text().trim_end().to_owned()
    }

    /// Is a slash command being typed?
    #[must_use]
    pub fn is_slash(&self) -> bool {
        self.editor.lines().len() == 1 && self.editor.lines().first().is_some_and(|l| l.starts_with('/'))
    }

    /// Is the completion list on screen?
    #[must_use]
    pub fn completing(&self) -> bool {
        self.is_slash() && !self.completions.is_empty() && self.closed_at != Some(self.editor.revision())
    }

    /// The last prompt that was sent; slash commands are none.
    #[must_use]
    pub fn last(&self) -> Option<&str> {
        self.history.iter().rev().map(String::as_str).find(|t| !t.starts_with('/'))
    }

    /// Keeps a sent text and empties the draft.
    pub fn sent(&mut self, text: &str) {
        self.keep(text);
        self.editor = Composer::default();
    }

    /// Keeps a text for the arrow keys.
    pub fn keep(&mut self, text: &str) {
        if self.history.last().map(String::as_str) != Some(text) && !text.trim().is_empty() {
            self.history.push(text.to_owned());
        }
        let surplus = self.history.len().saturating_sub(KEPT);
        self.history.drain(..surplus);
        self.at = None;
        self.completions.clear();
    }

    /// Puts a text into the composer, the caret at its end.
    pub fn set(&mut self, text: &str) {
        self.editor.replace(text);
        self.editor.to_end();
    }

    /// Up: inside the text a line up, on the first line the prompt before.
    pub fn older(&mut self) {
        if self.editor.caret().0 > 0 {
            return self.editor.move_lines(-1);
        }
        let next = match self.at {
            None => self.history.len().checked_sub(1),
            Some(i) => i.checked_sub(1),
        };
        if let Some(text) = next.and_then(|i| self.history.get(i)).cloned() {
            if self.at.is_none() {
                self.draft = self.editor.text();
            }
            self.at = next;
            self.set(&text);
        }
    }

    /// Down: inside the text a line down, on the last line the prompt after, at last the draft.
    pub fn newer(&mut self) {
        if self.editor.caret().0 + 1 < self.editor.lines().len() {
            return self.editor.move_lines(1);
        }
        let Some(at) = self.at else { return };
        self.at = Some(at + 1).filter(|i| *i < self.history.len());
        let text = self.at.and_then(|i| self.history.get(i)).unwrap_or(&self.draft).clone();
        self.set(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_walk_the_history_and_come_back_to_the_draft() {
        let mut p = PromptPane::default();
        for text in ["one", "two", "two"] {
            p.set(text);
            p.sent(text);
        }
        p.set("draft");
        let mut seen = Vec::new();
        for _ in 0..3 {
            p.older();
            seen.push(p.text());
        }
        assert_eq!(seen, ["two", "one", "one"]);
        p.newer();
        p.newer();
        p.newer();
        assert_eq!(p.text(), "draft");
    }

    #[test]
    fn arrows_move_inside_a_longer_text_first() {
        let mut p = PromptPane::default();
        p.sent("old");
        p.set("a\nb");
        p.older();
        assert_eq!((p.text().as_str(), p.editor.caret().0), ("a\nb", 0));
        p.older();
        assert_eq!(p.text(), "old");
    }
}
