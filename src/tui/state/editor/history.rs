//! What can be taken back: edits as the bytes they removed and put, joined to steps a person would call one edit.
//!
//! Changes no text itself. Bounded in steps and in bytes: the oldest steps fall off.

use std::collections::VecDeque;

/// Steps that can be taken back.
const STEPS: usize = 10_000;
/// Bytes held for them.
const BYTES: usize = 64 << 20;

/// One replacement of bytes by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: usize,
    pub(super) removed: String,
    pub(super) put: String,
}

/// Caret and the other end of the selection, as byte offsets.
pub(super) type Caret = (usize, Option<usize>);

/// Does an edit go on with the one before?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// A letter typed right behind the last one of the same word.
    Word,
    /// A single character deleted beside the last one.
    Rubbing,
    Alone,
}

#[derive(Debug, Clone)]
struct Step {
    edits: Vec<Edit>,
    before: Caret,
    after: Caret,
    join: Join,
    bytes: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct History {
    done: VecDeque<Step>,
    undone: Vec<Step>,
    bytes: usize,
    /// The caret was moved: the next edit begins a step.
    broken: bool,
}

impl History {
    /// Notes edits that were made as one.
    pub(super) fn push(&mut self, edits: Vec<Edit>, before: Caret, after: Caret, join: Join) {
        self.forget_undone();
        let bytes = edits.iter().map(|e| e.removed.len() + e.put.len() + size_of::<Edit>()).sum();
        self.bytes += bytes;
        let last = self.done.back_mut().filter(|last| !self.broken && join != Join::Alone && last.join == join);
        match (last, edits) {
            (Some(last), edits) if last.after.0 == before.0 => {
                last.edits.extend(edits);
                (last.after, last.bytes) = (after, last.bytes + bytes);
            }
            (_, edits) => self.done.push_back(Step { edits, before, after, join, bytes }),
        }
        self.broken = false;
        while self.done.len() > STEPS || (self.bytes > BYTES && self.done.len() > 1) {
            self.bytes -= self.done.pop_front().map_or(0, |step| step.bytes);
        }
    }

    fn forget_undone(&mut self) {
        self.bytes -= self.undone.iter().map(|step| step.bytes).sum::<usize>();
        self.undone.clear();
    }

    /// The next edit begins a step of its own.
    pub(super) fn stop_joining(&mut self) {
        self.broken = true;
    }

    /// The newest step: `apply` gets its edits, last first; gives the caret from before.
    pub(super) fn undo(&mut self, mut apply: impl FnMut(&Edit)) -> Option<Caret> {
        let step = self.done.pop_back()?;
        step.edits.iter().rev().for_each(&mut apply);
        let caret = step.before;
        self.undone.push(step);
        self.broken = true;
        Some(caret)
    }

    /// The step undone last: `apply` gets its edits in order; gives the caret from after.
    pub(super) fn redo(&mut self, mut apply: impl FnMut(&Edit)) -> Option<Caret> {
        let step = self.undone.pop()?;
        step.edits.iter().for_each(&mut apply);
        let caret = step.after;
        self.done.push_back(step);
        self.broken = true;
        Some(caret)
    }
}
