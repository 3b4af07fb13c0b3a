//! Everything a run's calls said, read by read, packed; and a reader's place in it.
//!
//! Grows with what comes (constant work an event), bounded by the run that tells it. Knows what the attempt's buffer
//! held after each event: kept as lengths, put together again only when somebody looks.

use std::ops::Range;

use crate::feed::raw::{Kind, RawRead, ReadsCut};
use crate::json::prefix::{DeadEnd, dead_end};
use crate::json::{ParseLimits, position};
use crate::machine::Stand;

/// All reads of one run.
#[derive(Debug, Clone, Default)]
pub struct RawLog {
    bytes: Vec<u8>,
    text: String,
    events: Vec<Event>,
    reads: Vec<Read>,
    /// Reads that were not kept.
    pub cut: Option<ReadsCut>,
    segment: Segment,
}

/// One event, packed. Offsets fit: a run's reads stay far below 4 GiB.
#[derive(Debug, Clone, Copy)]
struct Event {
    kind: Kind,
    /// Its text is part of the attempt's buffer.
    counts: bool,
    slot: u32,
    end: u32,
    /// Bytes in the buffer after it.
    buffer: u32,
    /// The first event of its buffer.
    base: u32,
}

#[derive(Debug, Clone, Copy)]
struct Read {
    call: u32,
    attempt: u32,
    at_ms: u64,
    bytes_end: u32,
    events_end: u32,
    stand: Stand,
}

/// The buffer that grows now.
#[derive(Debug, Clone, Copy, Default)]
struct Segment {
    call: Option<u32>,
    base: u32,
    length: u32,
    /// The submit tool's call: its arguments are the buffer.
    submit: Option<u32>,
}

/// One event with all that is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub kind: Kind,
    pub slot: u32,
    pub text: &'a str,
    /// Index of its read.
    pub read: usize,
    pub call: u32,
    pub attempt: u32,
    pub at_ms: u64,
    /// The bytes of its read.
    pub bytes: &'a [u8],
    /// Where the run stood after its read.
    pub stand: Stand,
    /// Bytes in the attempt's buffer after it.
    pub buffer: usize,
}

/// Where a call's answer could no longer become valid JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoilt {
    pub dead: DeadEnd,
    pub position: crate::json::Position,
    /// The event that brought the byte.
    pub event: usize,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    Event,
    Read,
    Attempt,
}

impl RawLog {
    /// Takes one read; `submit` is the name of the submit tool.
    pub fn take(&mut self, read: &RawRead, submit: Option<&str>) {
        let shift = small(self.text.len());
        self.bytes.extend_from_slice(&read.bytes);
        self.text.push_str(&read.text);
        if self.segment.call != Some(read.call) {
            self.segment = Segment { call: Some(read.call), base: small(self.events.len()), ..Segment::default() };
        }
        let mut from = 0;
        for noted in &read.events {
            let said = read.text.get(from as usize..noted.end as usize).unwrap_or_default();
            from = noted.end;
            let counts = self.segment.grow(noted.kind, noted.slot, said, submit, small(self.events.len()));
            let Segment { base, length, .. } = self.segment;
            let end = shift.saturating_add(noted.end);
            self.events.push(Event { kind: noted.kind, counts, slot: noted.slot, end, buffer: length, base });
        }
        self.reads.push(Read {
            call: read.call,
            attempt: read.attempt,
            at_ms: read.at_ms,
            bytes_end: small(self.bytes.len()),
            events_end: small(self.events.len()),
            stand: read.stand,
        });
    }

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Nothing came.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Number of reads.
    #[must_use]
    pub fn reads(&self) -> usize {
        self.reads.len()
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
            + self.text.len()
            + self.events.len() * size_of::<Event>()
            + self.reads.len() * size_of::<Read>()
    }

    /// One event; `None` beyond the last.
    #[must_use]
    pub fn event(&self, at: usize) -> Option<Seen<'_>> {
        let event = self.events.get(at)?;
        let index = self.read_of(at);
        let read = self.reads.get(index)?;
        let before = index.checked_sub(1).and_then(|i| self.reads.get(i));
        let bytes = before.map_or(0, |r| r.bytes_end as usize)..read.bytes_end as usize;
        Some(Seen {
            kind: event.kind,
            slot: event.slot,
            text: self.said(at),
            read: index,
            call: read.call,
            attempt: read.attempt,
            at_ms: read.at_ms,
            bytes: self.bytes.get(bytes).unwrap_or_default(),
            stand: read.stand,
            buffer: event.buffer as usize,
        })
    }

    /// The end of the attempt's buffer as it was after an event: at most about `most` bytes.
    #[must_use]
    pub fn tail(&self, at: usize, most: usize) -> String {
        let Some(last) = self.events.get(at) else { return String::new() };
        let mut left = most;
        let mut parts = Vec::new();
        for index in (last.base as usize..=at).rev() {
            if left == 0 {
                break;
            }
            if self.events.get(index).is_some_and(|event| event.counts) {
                let said = self.said(index);
                let from = said.ceil_char_boundary(said.len().saturating_sub(left));
                parts.push(said.get(from..).unwrap_or_default());
                left = left.saturating_sub(said.len());
            }
        }
        parts.into_iter().rev().collect()
    }

    /// The first byte of the buffer an event belongs to after which it could not become valid JSON, whatever followed.
    /// Looks at all of that buffer, also at what came later. `None` while it still could.
    #[must_use]
    pub fn spoilt(&self, at: usize, limits: ParseLimits) -> Option<Spoilt> {
        let range = self.buffer_of(at)?;
        let text = self.tail(range.end - 1, usize::MAX);
        let dead = dead_end(&text, limits)?;
        Some(Spoilt { dead, position: position(&text, dead.offset), event: self.bringer(&range, dead.offset)? })
    }

    /// The event that brought a byte of the buffer another event belongs to.
    #[must_use]
    pub fn event_of(&self, at: usize, offset: usize) -> Option<usize> {
        self.bringer(&self.buffer_of(at)?, offset)
    }

    /// The last event of an attempt's last buffer that holds text.
    #[must_use]
    pub fn last_of(&self, attempt: u32) -> Option<usize> {
        let read = self.reads.iter().rposition(|read| read.attempt == attempt)?;
        let end = self.reads.get(read)?.events_end as usize;
        end.checked_sub(1)
    }

    /// The events of the buffer an event belongs to.
    fn buffer_of(&self, at: usize) -> Option<Range<usize>> {
        let base = self.events.get(at)?.base;
        let end = self.events.partition_point(|event| event.base <= base);
        Some(base as usize..end)
    }

    fn bringer(&self, range: &Range<usize>, offset: usize) -> Option<usize> {
        let events = self.events.get(range.clone())?;
        let at = events.partition_point(|event| event.buffer as usize <= offset);
        (at < events.len()).then_some(range.start + at)
    }

    /// Where a step from an event leads.
    #[must_use]
    pub fn step(&self, at: usize, stride: Stride, by: isize) -> usize {
        let last = self.events.len().saturating_sub(1);
        let at = at.min(last);
        match stride {
            Stride::Event => at.saturating_add_signed(by).min(last),
            Stride::Read => self.first_of(self.read_of(at).saturating_add_signed(by)).min(last),
            Stride::Attempt => self.other_attempt(at, by).min(last),
        }
    }

    /// The first event of the attempt after, or of this one, or of the one before when it stands there already.
    fn other_attempt(&self, at: usize, by: isize) -> usize {
        let here = self.read_of(at);
        let attempt = self.reads.get(here).map(|read| read.attempt);
        let begins = |index: usize| {
            let number = self.reads.get(index).map(|read| read.attempt);
            self.first_of(self.reads.partition_point(|read| Some(read.attempt) < number))
        };
        if by > 0 {
            return self.first_of(self.reads.partition_point(|read| Some(read.attempt) <= attempt));
        }
        let start = begins(here);
        if start < at || start == 0 { start } else { begins(self.read_of(start - 1)) }
    }

    /// The first event of a read, or the last event there is.
    fn first_of(&self, read: usize) -> usize {
        match read.checked_sub(1) {
            None => 0,
            Some(before) => self.reads.get(before).map_or(usize::MAX, |r| r.events_end as usize),
        }
    }

    fn read_of(&self, at: usize) -> usize {
        self.reads.partition_point(|read| read.events_end as usize <= at)
    }

    fn said(&self, at: usize) -> &str {
        let start = at.checked_sub(1).and_then(|i| self.events.get(i)).map_or(0, |e| e.end as usize);
        let end = self.events.get(at).map_or(0, |e| e.end as usize);
        self.text.get(start..end).unwrap_or_default()
    }
}

impl Segment {
    /// Takes an event; says whether its text is part of the buffer.
    fn grow(&mut self, kind: Kind, slot: u32, said: &str, submit: Option<&str>, index: u32) -> bool {
        let counts = match kind {
            Kind::Text => self.submit.is_none(),
            Kind::ToolArgs => self.submit == Some(slot),
            // What came so far was no answer, or stands beside it: the buffer begins anew.
            Kind::Restart => {
                *self = Self { base: index, length: 0, ..*self };
                false
            }
            Kind::ToolStart if self.submit.is_none() && submit == Some(said) => {
                *self = Self { base: index, length: 0, submit: Some(slot), ..*self };
                false
            }
            Kind::ToolStart
            | Kind::Thinking
            | Kind::Refusal
            | Kind::Usage
            | Kind::Model
            | Kind::Keep
            | Kind::Terminal
            | Kind::Failed => false,
        };
        if counts {
            self.length = self.length.saturating_add(small(said.len()));
        }
        counts
    }
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The reader's place in the reads.
#[derive(Debug, Clone, Default)]
pub struct RawView {
    /// Index of an event.
    pub at: usize,
    /// Stands at the end, and stays there while more comes.
    pub follow: bool,
    /// Bytes as hexadecimal numbers.
    pub hex: bool,
    /// What the last jump found.
    pub told: Option<String>,
    /// The byte of the buffer that is marked.
    pub marked: Option<usize>,
}

impl RawView {
    /// The event that is looked at.
    #[must_use]
    pub fn place(&self, log: &RawLog) -> usize {
        let last = log.len().saturating_sub(1);
        if self.follow { last } else { self.at.min(last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{RawEvent, Terminal};

    fn read(call: u32, attempt: u32, events: &[RawEvent]) -> RawRead {
        let (text, events) = RawRead::pack(events);
        RawRead { call, attempt, at_ms: 5, bytes: b"data: x".to_vec(), text, events, stand: Stand::Text }
    }

    fn text(delta: &str) -> RawEvent {
        RawEvent::Text { delta: delta.to_owned() }
    }

    fn two_attempts() -> RawLog {
        let mut log = RawLog::default();
        log.take(&read(0, 1, &[text("{\"a\""), text(": [1,")]), None);
        log.take(&read(0, 1, &[text("]}"), RawEvent::Terminal { terminal: Terminal::Stop }]), None);
        log.take(&read(1, 2, &[RawEvent::Thinking { delta: "hm".to_owned() }]), None);
        log.take(&read(1, 2, &[text("{\"a\": 汉}")]), None);
        log
    }

    #[test]
    fn the_buffer_is_known_after_every_event() {
        let log = two_attempts();
        let buffers: Vec<String> = (0..log.len()).map(|at| log.tail(at, usize::MAX)).collect();
        let first = ["{\"a\"", "{\"a\": [1,", "{\"a\": [1,]}", "{\"a\": [1,]}"];
        assert_eq!(buffers.get(..4).unwrap(), first);
        assert_eq!(buffers.get(4..).unwrap(), ["", "{\"a\": 汉}"]);
        for (at, buffer) in buffers.iter().enumerate() {
            assert_eq!(log.event(at).unwrap().buffer, buffer.len());
        }
        assert_eq!(log.tail(2, 4), "1,]}");
        assert_eq!(log.tail(5, 3), "}", "never half a character");
        assert_eq!(log.event(2).unwrap().bytes, b"data: x");
    }

    #[test]
    fn the_byte_that_spoilt_it_is_found_with_its_event() {
        let log = two_attempts();
        let spoilt = log.spoilt(0, ParseLimits::default()).unwrap();
        assert_eq!((spoilt.dead.offset, spoilt.event, spoilt.position.column), (9, 2, 10));
        let spoilt = log.spoilt(5, ParseLimits::default()).unwrap();
        assert_eq!((spoilt.dead.offset, spoilt.event), (6, 5));
        let mut log = RawLog::default();
        log.take(&read(0, 1, &[text("{\"a\": [1")]), None);
        assert_eq!(log.spoilt(0, ParseLimits::default()), None);
        assert_eq!(RawLog::default().spoilt(0, ParseLimits::default()), None);
    }

    #[test]
    fn steps_go_by_event_read_and_attempt_and_stay_inside() {
        let log = two_attempts();
        let walk = |stride, by, from: usize| log.step(from, stride, by);
        assert_eq!([walk(Stride::Event, 1, 0), walk(Stride::Event, -1, 0), walk(Stride::Event, 99, 0)], [1, 0, 5]);
        assert_eq!([walk(Stride::Read, 1, 0), walk(Stride::Read, 1, 2), walk(Stride::Read, -1, 3)], [2, 4, 0]);
        assert_eq!([walk(Stride::Read, 1, 5), walk(Stride::Read, -1, 1)], [5, 0]);
        assert_eq!([walk(Stride::Attempt, 1, 1), walk(Stride::Attempt, 1, 4)], [4, 5]);
        assert_eq!(
            [walk(Stride::Attempt, -1, 5), walk(Stride::Attempt, -1, 4), walk(Stride::Attempt, -1, 0)],
            [4, 0, 0]
        );
        assert_eq!(RawLog::default().step(7, Stride::Attempt, -1), 0);
    }

    #[test]
    fn a_submission_is_the_buffer_and_a_restart_begins_anew() {
        let mut log = RawLog::default();
        let events = [
            text("Let me see"),
            RawEvent::Restart,
            text("I call"),
            RawEvent::ToolStart { slot: 1, id: "b".to_owned(), name: "lookup".to_owned() },
            RawEvent::ToolArgs { slot: 1, delta: "{}".to_owned() },
            RawEvent::ToolStart { slot: 3, id: "a".to_owned(), name: "submit".to_owned() },
            RawEvent::ToolArgs { slot: 3, delta: "{\"v\"".to_owned() },
            text("beside"),
            RawEvent::ToolArgs { slot: 3, delta: ":1}".to_owned() },
        ];
        log.take(&read(0, 1, &events), Some("submit"));
        let buffers: Vec<String> = (0..log.len()).map(|at| log.tail(at, usize::MAX)).collect();
        let want = ["Let me see", "", "I call", "I call", "I call", "", "{\"v\"", "{\"v\"", "{\"v\":1}"];
        assert_eq!(buffers, want);
    }
}
