//! A regular pattern as a lazy automaton, walked byte by byte: each step is paid for as it is taken, so what is dear is
//! only the building of states that the text really needs.

use std::sync::Mutex;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};

use super::NoAnswer;

/// Bytes walked for one unit.
const BYTES_PER_UNIT: usize = 8;
/// A new transition costs this and a third of a unit for each state of the NFA (measured: the classes `counting …` in
/// `tests/hostile.rs`).
const TRANSITION: u64 = 32;
/// Memory of one automaton's states; full, it starts over.
const CACHE: usize = 512 * 1024;
/// Memory of one pattern's NFA.
const NFA: usize = 16 * 1024 * 1024;

pub(super) struct Automaton {
    dfa: DFA,
    /// Lent to one search at a time; a second one at the same time makes its own.
    cache: Mutex<Option<Box<Cache>>>,
    transition: u64,
}

impl Automaton {
    /// `None` when the pattern is not regular or too large.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let dfa = DFA::builder()
            .configure(DFA::config().cache_capacity(CACHE).skip_cache_capacity_check(true).match_kind(MatchKind::All))
            .thompson(thompson::Config::new().nfa_size_limit(Some(NFA)).which_captures(thompson::WhichCaptures::None))
            .build(pattern)
            .ok()?;
        let transition = TRANSITION + dfa.get_nfa().states().len() as u64 / 3;
        Some(Self { dfa, cache: Mutex::new(None), transition })
    }

    pub(super) fn is_match(&self, text: &str, fuel: &mut u64) -> Result<bool, NoAnswer> {
        super::pay(fuel, 4)?;
        let lent = self.cache.lock().ok().and_then(|mut cache| cache.take());
        let mut cache = if let Some(cache) = lent {
            cache
        } else {
            super::pay(fuel, self.transition)?;
            Box::new(self.dfa.create_cache())
        };
        let found = self.walk(&mut cache, text.as_bytes(), fuel);
        if let Ok(mut place) = self.cache.lock() {
            *place = Some(cache);
        }
        found
    }

    fn walk(&self, cache: &mut Cache, text: &[u8], fuel: &mut u64) -> Result<bool, NoAnswer> {
        let input = Input::new(text).anchored(Anchored::No);
        let mut state = self.dfa.start_state_forward(cache, &input).map_err(|_| NoAnswer::TooExpensive)?;
        if state.is_dead() {
            return Ok(false);
        }
        for chunk in text.chunks(BYTES_PER_UNIT) {
            super::pay(fuel, 1)?;
            for byte in chunk {
                let mut next = self.dfa.next_state_untagged(cache, state, *byte);
                if next.is_unknown() {
                    super::pay(fuel, self.transition)?;
                    next = self.dfa.next_state(cache, state, *byte).map_err(|_| NoAnswer::TooExpensive)?;
                }
                if next.is_tagged() {
                    if next.is_match() {
                        return Ok(true);
                    }
                    if next.is_dead() {
                        return Ok(false);
                    }
                    return Err(NoAnswer::TooExpensive);
                }
                state = next;
            }
        }
        super::pay(fuel, 1)?;
        let end = self.dfa.next_eoi_state(cache, state).map_err(|_| NoAnswer::TooExpensive)?;
        Ok(end.is_match())
    }
}
