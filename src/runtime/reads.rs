//! What each read of a call brought, told to the screen that asked for it: packed, and bounded for the whole run.
//!
//! Constant work a read: its bytes and texts are copied once. Past the bound reads are counted, not kept.

use crate::event::{CallFailure, RawEvent};
use crate::feed::Inspect;
use crate::feed::raw::{Kind, MOST, Noted, RawRead, ReadsCut};
use crate::machine::Stand;

/// The teller of one run.
pub(super) struct Teller {
    left: usize,
    cut: ReadsCut,
}

/// A read that was noted before the machine took its events.
pub(super) struct Before {
    pub(super) call: u32,
    pub(super) attempt: u32,
    pub(super) at_ms: u64,
    pub(super) bytes: Vec<u8>,
    text: String,
    events: Vec<Noted>,
}

impl Teller {
    pub(super) fn new() -> Self {
        Self { left: MOST, cut: ReadsCut::default() }
    }

    /// Is there room for more?
    pub(super) fn open(&self) -> bool {
        self.left > 0
    }

    /// Notes the events of a read. Nothing is packed when there is no room.
    pub(super) fn events(
        &self,
        (call, attempt, at_ms): (u32, u32, u64),
        bytes: Vec<u8>,
        events: &[RawEvent],
    ) -> Before {
        let (text, events) = if self.open() { RawRead::pack(events) } else { (String::new(), Vec::new()) };
        Before { call, attempt, at_ms, bytes, text, events }
    }

    /// Notes a failure.
    pub(super) fn failure((call, attempt, at_ms): (u32, u32, u64), bytes: Vec<u8>, failure: &CallFailure) -> Before {
        let text = format!("{}: {}", failure.code, failure.message);
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Before { call, attempt, at_ms, bytes, text, events: vec![Noted { kind: Kind::Failed, slot: 0, end }] }
    }

    /// What is told of a read, once it is known where the run stands after it. The first one that has no room is told
    /// as a cut, and so is the last of each call after it.
    pub(super) fn tell(&mut self, before: Before, stand: Stand, last: bool) -> Option<Inspect> {
        let Before { call, attempt, at_ms, bytes, text, events } = before;
        let read = RawRead { call, attempt, at_ms, bytes, text, events, stand };
        if let Some(left) = self.left.checked_sub(read.size()).filter(|_| self.open()) {
            self.left = left;
            return Some(Inspect::Read(read));
        }
        self.left = 0;
        let first = self.cut.reads == 0;
        self.cut.reads += 1;
        self.cut.bytes += read.bytes.len() as u64;
        (first || last).then_some(Inspect::ReadsCut(self.cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(teller: &Teller, size: usize) -> Before {
        teller.events((0, 1, 5), vec![b'x'; size], &[RawEvent::Text { delta: "a".to_owned() }])
    }

    #[test]
    fn past_the_bound_reads_are_counted_not_kept() {
        let mut teller = Teller::new();
        let mut kept = 0;
        while let Some(Inspect::Read(read)) = {
            let before = read(&teller, 1 << 20);
            teller.tell(before, Stand::Text, false)
        } {
            kept += read.size();
        }
        assert!(kept <= MOST && kept > MOST - (2 << 20));
        assert!(!teller.open());
        let before = read(&teller, 10);
        assert_eq!(teller.tell(before, Stand::Text, false), None, "small ones fall away too: a gap would mislead");
        let before = read(&teller, 10);
        let told = teller.tell(before, Stand::Over, true);
        assert_eq!(told, Some(Inspect::ReadsCut(ReadsCut { reads: 3, bytes: (1 << 20) + 20 })));
    }
}
