//! What a run may spend: provider calls, continuations after tools, the one repair; and how long to wait between calls.
//!
//! Counts only. Knows no clock: waits are numbers the driver obeys.

use super::Budget;

/// First wait after a transport failure; each further failure doubles it (ENGINE §5, REFERENCE O7).
const BACKOFF_MS: u64 = 1_500;
/// Doublings stop here: 1.5 s · 2^6 = 96 s, below [`MAX_RETRY_AFTER_MS`].
const MAX_DOUBLINGS: u32 = 6;
/// A provider that asks for a longer wait than this is not called again (the vendors' own clients do the same).
const MAX_RETRY_AFTER_MS: u64 = 120_000;

/// The account of one run.
#[derive(Debug, Clone)]
pub(super) struct Ledger {
    budget: Budget,
    /// Provider calls begun, of every kind.
    calls: u32,
    /// Calls that continued after tool results.
    continuations: u32,
    repairs: u32,
    /// Transport failures since the last call that brought an answer.
    failures: u32,
    jitter: u64,
    tickets: u32,
}

impl Ledger {
    pub(super) fn new(budget: Budget, seed: u64) -> Self {
        Self { budget, calls: 0, continuations: 0, repairs: 0, failures: 0, jitter: seed, tickets: 0 }
    }

    /// The index of the call that begins now.
    pub(super) fn begin_call(&mut self) -> u32 {
        let index = self.calls;
        self.calls = self.calls.saturating_add(1);
        index
    }

    /// A call brought an answer: the back-off starts over.
    pub(super) fn answered(&mut self) {
        self.failures = 0;
    }

    fn may_call(&self) -> bool {
        self.calls.saturating_sub(self.continuations) < self.budget.max_retries
    }

    /// May one more candidate be asked for? A repair is also one more round of the loop, so it needs one left there.
    pub(super) fn may_repair(&self, allowed: u8) -> bool {
        let rounds = self.continuations.saturating_add(1);
        self.may_call() && self.repairs < u32::from(allowed) && rounds < self.budget.max_iterations
    }

    pub(super) fn begin_repair(&mut self) {
        self.repairs = self.repairs.saturating_add(1);
    }

    pub(super) fn may_continue(&self) -> bool {
        self.continuations < self.budget.max_iterations
    }

    pub(super) fn begin_continuation(&mut self) {
        self.continuations = self.continuations.saturating_add(1);
    }

    /// The wait before the same call may be sent again, or `None` when it may not.
    pub(super) fn backoff(&mut self, retry_after_ms: Option<u64>) -> Option<u64> {
        let floor = retry_after_ms.unwrap_or(0);
        if floor > MAX_RETRY_AFTER_MS || !self.may_call() {
            return None;
        }
        let base = BACKOFF_MS << self.failures.min(MAX_DOUBLINGS);
        self.failures = self.failures.saturating_add(1);
        // ±25 %
        let jittered = base * (750 + self.random() % 501) / 1_000;
        Some(jittered.max(floor))
    }

    pub(super) fn ticket(&mut self) -> u32 {
        self.tickets = self.tickets.wrapping_add(1);
        self.tickets
    }

    /// `SplitMix64`: enough for jitter, and the same on every machine.
    fn random(&mut self) -> u64 {
        self.jitter = self.jitter.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.jitter;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(max_retries: u32, max_iterations: u32) -> Ledger {
        Ledger::new(Budget { max_retries, max_iterations }, 7)
    }

    #[test]
    fn waits_double_within_a_quarter() {
        let mut ledger = ledger(20, 20);
        ledger.begin_call();
        for n in 0..9_u32 {
            let base = 1_500_u64 << n.min(6);
            let wait = ledger.backoff(None).unwrap();
            assert!((base * 3 / 4..=base * 5 / 4).contains(&wait), "failure {n}: {wait} ms");
        }
        ledger.answered();
        assert!(ledger.backoff(None).unwrap() <= 1_875);
    }

    #[test]
    fn retry_after_is_a_lower_bound_up_to_two_minutes() {
        let mut ledger = ledger(20, 20);
        ledger.begin_call();
        assert_eq!(ledger.backoff(Some(60_000)), Some(60_000));
        assert_eq!(ledger.backoff(Some(120_000)), Some(120_000));
        assert_eq!(ledger.backoff(Some(120_001)), None);
        assert!(ledger.backoff(Some(1)).unwrap() > 1_000);
    }

    #[test]
    fn one_call_leaves_no_repair_and_no_second_try() {
        let mut ledger = ledger(1, 20);
        ledger.begin_call();
        assert!(!ledger.may_repair(1));
        assert_eq!(ledger.backoff(None), None);
        assert!(ledger.may_continue(), "a continuation is no retry");
    }

    #[test]
    fn continuations_cost_no_retries() {
        let mut ledger = ledger(2, 3);
        ledger.begin_call();
        for _ in 0..2 {
            assert!(ledger.may_continue());
            ledger.begin_continuation();
            ledger.begin_call();
        }
        assert!(ledger.may_call());
        assert!(!ledger.may_repair(1), "three rounds were taken");
        ledger.begin_continuation();
        assert!(!ledger.may_continue());
    }

    #[test]
    fn same_seed_same_jitter() {
        let waits = |seed| {
            let mut ledger = Ledger::new(Budget { max_retries: 9, max_iterations: 1 }, seed);
            (0..5).map(|_| ledger.backoff(None)).collect::<Vec<_>>()
        };
        assert_eq!(waits(1), waits(1));
        assert_ne!(waits(1), waits(2));
    }
}
