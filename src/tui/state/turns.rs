//! The session's turns: a tree of prompts, each with the schema, the model and the outcome of its run.
//!
//! What a store would keep is in [`Record`], plain data with parent ids. Runs and results of earlier turns are kept
//! beside it while memory lasts: the oldest are let go first, their records stay. Each run is sent alone: a parent says
//! what a prompt grew from, not what the model was told.

use std::collections::{BTreeMap, BTreeSet};

use super::result::{ResultPane, Shown};
use super::run::{Run, Status};

/// Turns that are remembered.
const MOST_TURNS: usize = 500;
/// Bytes of all records' prompts and answers together.
const MOST_TEXT: usize = 16 * 1024 * 1024;
/// Bytes of all runs and results together, estimated.
const MOST_KEPT: usize = 192 * 1024 * 1024;
/// Bytes of an answer that stay in its record.
const ANSWER: usize = 16 * 1024;

/// A turn as a store would keep it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Record {
    /// Rises with every turn of the session.
    pub id: u64,
    /// The turn it follows; `None` begins a conversation.
    pub parent: Option<u64>,
    pub prompt: String,
    /// How the schema's file is called; `None` without a schema.
    pub schema: Option<String>,
    pub schema_hash: Option<String>,
    /// `PROVIDER/MODEL`.
    pub model: String,
    pub outcome: Outcome,
    pub attempts: usize,
    /// How long the run took.
    pub took_ms: Option<u64>,
    /// The beginning of the answer (canonical JSON, or text), or the words of the error.
    pub answer: String,
    /// The answer is longer than what is kept here.
    pub cut: bool,
}

/// What became of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Running,
    Valid,
    Text,
    /// By its public code.
    Failed(String),
}

/// What of a turn can be shown again.
#[derive(Debug, Clone)]
pub struct Kept {
    pub run: Run,
    pub result: ResultPane,
}

/// One turn.
#[derive(Debug, Clone)]
pub struct Turn {
    pub record: Record,
    /// `None` while it is on the screen, and when it was let go.
    pub kept: Option<Box<Kept>>,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// In order of their ids.
    pub list: Vec<Turn>,
    /// The turn the next prompt follows.
    pub head: Option<u64>,
    /// The next prompt goes beside this turn instead.
    pub beside: Option<u64>,
}

/// A turn's place in the tree as it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Index in [`Turns::list`].
    pub at: usize,
    /// How many branchings lie above it.
    pub depth: usize,
    /// Which of several branches it begins, from 1, and how many there are.
    pub branch: Option<(usize, usize)>,
    /// It leads to the head, or is it.
    pub current: bool,
}

impl Turns {
    /// A turn by its id.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<&Turn> {
        self.index(id).and_then(|at| self.list.get(at))
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Turn> {
        self.index(id).and_then(|at| self.list.get_mut(at))
    }

    fn index(&self, id: u64) -> Option<usize> {
        self.list.binary_search_by_key(&id, |turn| turn.record.id).ok()
    }

    /// A turn begins: it follows the head, or stands beside the turn that was edited. Becomes the head.
    pub fn begin(&mut self, record: Record) {
        let parent = match self.beside.take() {
            Some(beside) => self.get(beside).and_then(|turn| turn.record.parent),
            None => self.head,
        };
        self.head = Some(record.id);
        self.list.push(Turn { record: Record { parent, ..record }, kept: None });
        self.bound();
    }

    /// Notes how a run stands.
    pub fn note(&mut self, run: &Run) {
        let Some(turn) = self.get_mut(run.sequence) else { return };
        let record = &mut turn.record;
        record.attempts = run.attempts.len();
        record.took_ms = run.ended.map(|ended| ended.saturating_sub(run.started));
        record.outcome = match &run.status {
            Status::Running | Status::Waiting { .. } => Outcome::Running,
            Status::Done if run.structured => Outcome::Valid,
            Status::Done => Outcome::Text,
            Status::Failed(error) => {
                record.answer.clone_from(&error.message);
                Outcome::Failed(error.code.code().to_owned())
            }
        };
    }

    /// Notes the answer of a turn: its beginning.
    pub fn answer(&mut self, id: u64, text: &str) {
        if let Some(turn) = self.get_mut(id) {
            let end = text.floor_char_boundary(ANSWER);
            text.get(..end).unwrap_or_default().clone_into(&mut turn.record.answer);
            turn.record.cut = end < text.len();
        }
    }

    /// Puts a run and its result away.
    pub fn put_away(&mut self, run: Run, result: ResultPane) {
        self.note(&run);
        if let Some(turn) = self.get_mut(run.sequence) {
            turn.kept = Some(Box::new(Kept { run, result }));
        }
        self.bound();
    }

    /// Takes a run out to show it; the next prompt follows it.
    pub fn take_out(&mut self, id: u64) -> Option<Box<Kept>> {
        let kept = self.get_mut(id)?.kept.take();
        if kept.is_some() {
            self.head = Some(id);
        }
        kept
    }

    /// The turns that lead to this one, and itself, the first first.
    #[must_use]
    pub fn path(&self, id: u64) -> Vec<&Turn> {
        let mut path = Vec::new();
        let mut next = self.get(id);
        while let Some(turn) = next.filter(|_| path.len() <= self.list.len()) {
            path.push(turn);
            next = turn.record.parent.and_then(|parent| self.get(parent));
        }
        path.reverse();
        path
    }

    /// All turns in reading order: a turn, then what follows it; of several branches one after the other, deeper.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        let current: BTreeSet<u64> =
            self.head.map_or_else(BTreeSet::new, |head| self.path(head).iter().map(|t| t.record.id).collect());
        let mut children: BTreeMap<Option<u64>, Vec<usize>> = BTreeMap::new();
        let known: BTreeSet<u64> = self.list.iter().map(|turn| turn.record.id).collect();
        for (at, turn) in self.list.iter().enumerate() {
            let parent = turn.record.parent.filter(|parent| known.contains(parent));
            children.entry(parent).or_default().push(at);
        }
        let mut places = Vec::with_capacity(self.list.len());
        let mut left: Vec<Place> = Vec::new();
        let mut push = |of: Option<u64>, depth: usize, left: &mut Vec<Place>| {
            let own = children.remove(&of).unwrap_or_default();
            let total = own.len();
            // The first child lies on top.
            for (nth, at) in own.into_iter().enumerate().rev() {
                let on = self.list.get(at).is_some_and(|turn| current.contains(&turn.record.id));
                let branch = (total > 1).then_some((nth + 1, total));
                left.push(Place { at, depth: depth + usize::from(total > 1), branch, current: on });
            }
        };
        push(None, 0, &mut left);
        while let Some(place) = left.pop() {
            places.push(place);
            if let Some(turn) = self.list.get(place.at) {
                push(Some(turn.record.id), place.depth, &mut left);
            }
        }
        places
    }

    /// Lets go what is too much: first the oldest runs, then the oldest turns.
    fn bound(&mut self) {
        let mut kept: usize = self.list.iter().filter_map(|turn| turn.kept.as_ref()).map(|kept| kept.size()).sum();
        for turn in &mut self.list {
            if kept <= MOST_KEPT {
                break;
            }
            kept = kept.saturating_sub(turn.kept.take().map_or(0, |kept| kept.size()));
        }
        let text = |turn: &Turn| turn.record.prompt.len() + turn.record.answer.len();
        let mut all: usize = self.list.iter().map(text).sum();
        let mut gone = 0;
        while self.list.len() - gone > 1 && (self.list.len() - gone > MOST_TURNS || all > MOST_TEXT) {
            all = all.saturating_sub(self.list.get(gone).map_or(0, text));
            gone += 1;
        }
        self.list.drain(..gone);
    }
}

impl Kept {
    /// Bytes it takes, roughly: texts with their rows, the reads, the tree of the result.
    #[must_use]
    pub fn size(&self) -> usize {
        let attempts: usize = self.run.attempts.iter().map(|a| 3 * a.rows.text().len() + a.thinking.len()).sum();
        let sent: usize = self.run.sent.values().map(|sent| sent.body.len() + sent.curl.len()).sum();
        let result = match &self.result.shown {
            Shown::Value(built) => 6 * built.canonical.text().len(),
            Shown::Text(rows) => 2 * rows.text().len(),
            Shown::Nothing | Shown::Building => 0,
        };
        self.run.raw.size() + attempts + sent + result
    }
}

/// The reader's place in the turns.
#[derive(Debug, Clone, Default)]
pub struct TurnsView {
    /// Id of the selected turn.
    pub selected: u64,
    /// Turns whose all is shown.
    pub unfolded: BTreeSet<u64>,
    /// Rows above the first one shown.
    pub top: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(turns: &mut Turns, id: u64, prompt: &str) {
        turns.begin(Record { id, prompt: prompt.to_owned(), ..Record::default() });
    }

    fn shape(turns: &Turns) -> Vec<String> {
        let line = |place: &Place| {
            let record = &turns.list[place.at].record;
            let branch = place.branch.map_or(String::new(), |(n, of)| format!(" {n}/{of}"));
            format!("{}{}{branch}{}", " ".repeat(place.depth), record.prompt, if place.current { " *" } else { "" })
        };
        turns.places().iter().map(line).collect()
    }

    #[test]
    fn a_prompt_edited_and_run_again_is_a_branch() {
        let mut turns = Turns::default();
        begin(&mut turns, 1, "a");
        begin(&mut turns, 2, "b");
        begin(&mut turns, 3, "c");
        assert_eq!(shape(&turns), ["a *", "b *", "c *"]);
        turns.beside = Some(2);
        begin(&mut turns, 4, "b2");
        begin(&mut turns, 5, "d");
        assert_eq!(shape(&turns), ["a *", " b 1/2", " c", " b2 2/2 *", " d *"]);
        let path: Vec<u64> = turns.path(5).iter().map(|turn| turn.record.id).collect();
        assert_eq!(path, [1, 4, 5]);
        turns.beside = Some(1);
        begin(&mut turns, 6, "a2");
        assert_eq!(shape(&turns), [" a 1/2", "  b 1/2", "  c", "  b2 2/2", "  d", " a2 2/2 *"]);
        turns.head = Some(3);
        begin(&mut turns, 7, "e");
        assert_eq!(turns.get(7).unwrap().record.parent, Some(3));
    }

    #[test]
    fn memory_is_bounded_and_the_newest_stays() {
        let mut turns = Turns::default();
        for id in 1..=MOST_TURNS as u64 + 20 {
            begin(&mut turns, id, "p");
        }
        assert_eq!(turns.list.len(), MOST_TURNS);
        assert_eq!(shape(&turns).len(), MOST_TURNS, "what lost its parent begins a conversation");
        for id in 1_000..1_010 {
            begin(&mut turns, id, &"x".repeat(MOST_TEXT / 3));
        }
        assert!(turns.list.len() <= 3);
        assert_eq!(turns.list.last().unwrap().record.id, 1_009);
    }

    #[test]
    fn runs_are_let_go_before_their_turns() {
        let mut turns = Turns::default();
        let big = "x".repeat(MOST_KEPT / 2 / 3);
        for id in 1..=4 {
            begin(&mut turns, id, "p");
            let mut run = Run::new(id, "sim/ok".to_owned(), true, true, 0);
            run.take(
                crate::feed::Item::Event(crate::event::RunEvent::TextDelta { output_attempt: 1, delta: big.clone() }),
                0,
            );
            turns.put_away(run, ResultPane::default());
        }
        let kept: Vec<bool> = turns.list.iter().map(|turn| turn.kept.is_some()).collect();
        assert_eq!(kept, [false, false, true, true]);
        assert_eq!(turns.list[0].record.attempts, 1);
        assert!(turns.take_out(1).is_none() && turns.take_out(4).is_some());
    }

    #[test]
    fn answers_are_cut_at_a_character() {
        let mut turns = Turns::default();
        begin(&mut turns, 1, "p");
        turns.answer(1, &"汉".repeat(ANSWER));
        let record = &turns.list[0].record;
        assert!(record.cut && record.answer.len() <= ANSWER && record.answer.ends_with('汉'));
        assert!(serde_json::to_string(record).unwrap().contains("\"outcome\":\"running\""));
    }
}
