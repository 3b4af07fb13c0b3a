//! The output items of a response while they come: which of them are the answer, and what of each was given out.
//!
//! Only the last final message is the answer. A message marked `commentary` is told as thinking; one that turns out not
//! to be the last is taken back ([`RawEvent::Restart`]).

use std::collections::BTreeMap;

use crate::dialect::held::Held;
use crate::event::RawEvent;
use crate::json::Value;

/// What a message is to the answer. A later one of the same or a higher rank replaces an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Commentary,
    /// No phase was given.
    Plain,
    Final,
}

#[derive(Debug)]
enum Kind {
    Message(Rank),
    Call(Slot),
    /// Reasoning, or a kind that is passed over.
    Other,
}

/// A function call. It is given out when its name is known.
#[derive(Debug)]
struct Slot {
    number: u32,
    id: String,
    started: bool,
    /// Everything its arguments said so far.
    arguments: String,
}

#[derive(Debug)]
struct Item {
    kind: Kind,
    /// Text and refusal of each part so far, until the part is complete.
    parts: BTreeMap<(Part, u64), String>,
    closed: bool,
}

/// What a fragment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Text,
    Refusal,
    /// A reasoning summary, or reasoning itself.
    Summary,
    Reasoning,
}

/// All items of one response.
#[derive(Debug, Default)]
pub(super) struct Items {
    list: BTreeMap<u64, Item>,
    calls: u32,
    /// The message whose text stands as the answer.
    answer: Option<(u64, Rank)>,
    /// Ids of items whose server counts none of them.
    uncounted: Vec<String>,
    /// Items, their parts and ids, and arguments whose call has no name yet.
    pub(super) held: Held,
    pub(super) refused: bool,
}

/// Where items are counted that their server does not count.
const UNCOUNTED: u64 = 1 << 32;

impl Items {
    pub(super) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// The item's place: its number, or that of its id where a server leaves the number out.
    pub(super) fn place(&mut self, index: Option<u64>, id: Option<&str>) -> u64 {
        let (None, Some(id)) = (index, id) else { return index.unwrap_or(0) };
        let at = self.uncounted.iter().position(|known| known == id).unwrap_or_else(|| {
            if self.held.part() && self.held.text(id) {
                self.uncounted.push(id.to_owned());
            }
            self.uncounted.len().saturating_sub(1)
        });
        uncounted(at)
    }

    /// The place of an item that came without a number.
    pub(super) fn known(&self, item: &Value) -> Option<u64> {
        let id = item.get("id").and_then(Value::as_str)?;
        let at = self.uncounted.iter().position(|known| known == id)?;
        Some(uncounted(at))
    }

    /// `output_item.added`: the kind is known, and a call's name.
    pub(super) fn added(&mut self, index: u64, item: &Value, out: &mut Vec<RawEvent>) {
        self.open(index, item);
        self.name(index, item, out);
    }

    /// `output_item.done`, or an item that only the last event carries: what was not told yet is told now.
    pub(super) fn done(&mut self, index: u64, item: &Value, out: &mut Vec<RawEvent>) {
        self.open(index, item);
        if self.list.get(&index).is_none_or(|known| known.closed) {
            return;
        }
        self.name(index, item, out);
        let parts = |name: &str| item.get(name).and_then(Value::as_array).into_iter().flatten();
        let text = |part: &Value, key: &str| part.get(key).and_then(Value::as_str).map(str::to_owned);
        for (at, part) in (0..).zip(parts("content")) {
            let (which, whole) = match part.get("type").and_then(Value::as_str) {
                Some("output_text") => (Part::Text, text(part, "text")),
                Some("refusal") => (Part::Refusal, text(part, "refusal")),
                Some("reasoning_text") => (Part::Reasoning, text(part, "text")),
                Some(_) | None => continue,
            };
            self.whole(index, which, at, &whole.unwrap_or_default(), out);
        }
        for (at, part) in (0..).zip(parts("summary")) {
            self.whole(index, Part::Summary, at, &text(part, "text").unwrap_or_default(), out);
        }
        if let Some(arguments) = item.get("arguments").and_then(Value::as_str) {
            self.whole_arguments(index, arguments, out);
        }
        let Some(known) = self.list.get_mut(&index) else { return };
        known.closed = true;
        known.parts = BTreeMap::new();
        if goes_back(item) {
            out.push(RawEvent::Keep { part: item.clone() });
        }
    }

    /// A fragment of text, refusal or reasoning.
    pub(super) fn delta(&mut self, index: u64, part: Part, at: u64, delta: &str, out: &mut Vec<RawEvent>) {
        self.begin(index, Kind::Message(Rank::Plain));
        let Some(item) = self.list.get_mut(&index) else { return };
        if !item.parts.contains_key(&(part, at)) && !self.held.part() {
            return;
        }
        item.parts.entry((part, at)).or_default().push_str(delta);
        let rank = if let Kind::Message(rank) = item.kind { rank } else { Rank::Plain };
        let delta = delta.to_owned();
        match part {
            Part::Text if self.is_answer(index, rank, out) => out.push(RawEvent::Text { delta }),
            Part::Text | Part::Summary | Part::Reasoning => out.push(RawEvent::Thinking { delta }),
            Part::Refusal => {
                self.refused = true;
                out.push(RawEvent::Refusal { delta });
            }
        }
    }

    /// A part is complete: what its fragments left out is told. Where the two disagree, the fragments stand.
    pub(super) fn whole(&mut self, index: u64, part: Part, at: u64, whole: &str, out: &mut Vec<RawEvent>) {
        self.refused |= part == Part::Refusal;
        let said = self.list.get(&index).and_then(|item| item.parts.get(&(part, at)));
        let rest = said.map_or(Some(whole), |said| whole.strip_prefix(said.as_str()));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()).map(str::to_owned) {
            self.delta(index, part, at, &rest, out);
        }
    }

    /// A fragment of a call's arguments.
    pub(super) fn arguments(&mut self, index: u64, delta: &str, out: &mut Vec<RawEvent>) {
        self.call(index);
        let Some(Item { kind: Kind::Call(slot), .. }) = self.list.get_mut(&index) else { return };
        if !slot.started && !self.held.text(delta) {
            return;
        }
        slot.arguments.push_str(delta);
        if slot.started {
            out.push(RawEvent::ToolArgs { slot: slot.number, delta: delta.to_owned() });
        }
    }

    /// A call's arguments are complete.
    pub(super) fn whole_arguments(&mut self, index: u64, whole: &str, out: &mut Vec<RawEvent>) {
        self.call(index);
        let Some(Item { kind: Kind::Call(slot), .. }) = self.list.get(&index) else { return };
        let rest = whole.strip_prefix(slot.arguments.as_str()).unwrap_or_default().to_owned();
        if !rest.is_empty() {
            self.arguments(index, &rest, out);
        }
    }

    /// Calls whose name never came are given out too, so that nobody takes the message for one without calls.
    pub(super) fn give_out_nameless(&mut self, out: &mut Vec<RawEvent>) {
        for item in self.list.values_mut() {
            if let Kind::Call(slot) = &mut item.kind {
                slot.start("", out);
            }
        }
    }

    /// Does text of this message count now? Takes back the text of one that it replaces.
    fn is_answer(&mut self, index: u64, rank: Rank, out: &mut Vec<RawEvent>) -> bool {
        match self.answer {
            Some((standing, _)) if standing == index => true,
            _ if rank == Rank::Commentary => false,
            None => {
                self.answer = Some((index, rank));
                true
            }
            Some((_, before)) if rank >= before => {
                self.answer = Some((index, rank));
                out.push(RawEvent::Restart);
                true
            }
            Some(_) => false,
        }
    }

    fn open(&mut self, index: u64, item: &Value) {
        let word = |key: &str| item.get(key).and_then(Value::as_str);
        match word("type") {
            Some("function_call") => self.call(index),
            Some("message") => {
                let rank = match word("phase") {
                    Some("commentary") => Rank::Commentary,
                    Some("final_answer") => Rank::Final,
                    Some(_) | None => Rank::Plain,
                };
                self.begin(index, Kind::Message(rank));
            }
            Some(_) | None => self.begin(index, Kind::Other),
        }
    }

    fn call(&mut self, index: u64) {
        let slot = Slot { number: self.calls, id: String::new(), started: false, arguments: String::new() };
        if !self.list.contains_key(&index) {
            self.begin(index, Kind::Call(slot));
            self.calls = self.calls.saturating_add(1);
        }
    }

    /// An item that is not known yet.
    fn begin(&mut self, index: u64, kind: Kind) {
        if !self.list.contains_key(&index) && self.held.part() {
            self.list.insert(index, Item::new(kind));
        }
    }

    fn name(&mut self, index: u64, item: &Value, out: &mut Vec<RawEvent>) {
        let Some(Item { kind: Kind::Call(slot), .. }) = self.list.get_mut(&index) else { return };
        let word = |key: &str| item.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
        let id = word("call_id").or_else(|| word("id"));
        if let Some(id) = id.filter(|id| slot.id.is_empty() && self.held.text(id)) {
            id.clone_into(&mut slot.id);
        }
        if let Some(name) = word("name") {
            slot.start(name, out);
        }
    }
}

impl Item {
    fn new(kind: Kind) -> Self {
        Self { kind, parts: BTreeMap::new(), closed: false }
    }
}

impl Slot {
    /// Gives the call out, with the arguments that came before its name.
    fn start(&mut self, name: &str, out: &mut Vec<RawEvent>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        out.push(RawEvent::ToolStart { slot: self.number, id: self.id.clone(), name: name.to_owned() });
        if !self.arguments.is_empty() {
            out.push(RawEvent::ToolArgs { slot: self.number, delta: self.arguments.clone() });
        }
    }
}

fn uncounted(at: usize) -> u64 {
    UNCOUNTED.saturating_add(u64::try_from(at).unwrap_or(0))
}

/// Must this item stand in the next request of the run? Encrypted reasoning, and commentary between the calls.
fn goes_back(item: &Value) -> bool {
    let word = |key: &str| item.get(key).and_then(Value::as_str);
    match word("type") {
        Some("reasoning") => word("encrypted_content").is_some_and(|text| !text.is_empty()),
        Some("message") => word("phase") == Some("commentary"),
        Some(_) | None => false,
    }
}
