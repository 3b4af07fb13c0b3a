//! Patterns: ECMA-262 syntax, matched in bounded time.
//!
//! What the linear engine can do runs there, its cost the text's length times the pattern's size. Look-around and
//! back-references run on a backtracking engine under a step limit that grows by tiers, each paid for before it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder};

/// Estimated states of one pattern; a larger one is refused (its compilation alone would take seconds).
pub(crate) const MAX_SIZE: u64 = 60_000;
/// Step limits of the backtracking engine, tried in turn.
const TIERS: [usize; 6] = [8, 64, 512, 4_096, 32_768, 262_144];
/// A compiled pattern.
pub(crate) struct Pattern {
    translated: String,
    easy: Option<Regex>,
    tiers: [OnceLock<Option<Regex>>; TIERS.len()],
    size: u64,
    /// Most states that can be alive at once.
    width: u64,
}

/// Why a match gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The work limit of this text or of the whole judgement.
    TooExpensive,
}

/// Why a pattern is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadPattern {
    Syntax,
    TooLarge,
}

impl Pattern {
    /// Estimated states.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn compile(source: &str) -> Result<Self, BadPattern> {
        let size = estimate(source);
        if size > MAX_SIZE {
            return Err(BadPattern::TooLarge);
        }
        let translated = jsonschema_regex::to_rust_regex(source).map_err(|()| BadPattern::Syntax)?.into_owned();
        let linear = regex_syntax::Parser::new().parse(&translated).is_ok();
        let first = build(&translated, TIERS[0]).ok_or(BadPattern::Syntax)?;
        let mut pattern = Self { translated, easy: None, tiers: Default::default(), size, width: width(source, size) };
        if linear {
            pattern.easy = Some(first);
        } else if let Some(slot) = pattern.tiers.first() {
            let _ = slot.set(Some(first));
        }
        Ok(pattern)
    }

    /// Searches `text`; takes what the work costs from `fuel` first.
    pub(crate) fn is_match(&self, text: &str, fuel: &mut u64) -> Result<bool, NoAnswer> {
        let scan = self.scan_cost(text.len());
        if let Some(regex) = &self.easy {
            pay(fuel, scan)?;
            return run(regex, text);
        }
        for (limit, slot) in TIERS.iter().zip(&self.tiers) {
            pay(fuel, scan.saturating_mul(*limit as u64))?;
            let Some(regex) = slot.get_or_init(|| build(&self.translated, *limit)) else { break };
            if let Ok(found) = run(regex, text) {
                return Ok(found);
            }
        }
        Err(NoAnswer::TooExpensive)
    }
}

impl Pattern {
    /// One walk over the text. The linear engine keeps at most `width` states alive, and no more than it has read
    /// characters; where its cache does not help, a state at a character takes a third of a unit (measured: the
    /// classes `counting …` in `tests/hostile.rs`).
    fn scan_cost(&self, length: usize) -> u64 {
        let length = length as u64;
        4 + length / 16 + length.saturating_mul(self.width.min(length)) / 3
    }
}

fn pay(fuel: &mut u64, cost: u64) -> Result<(), NoAnswer> {
    *fuel = fuel.checked_sub(cost).ok_or(NoAnswer::TooExpensive)?;
    Ok(())
}

fn build(translated: &str, limit: usize) -> Option<Regex> {
    catch_unwind(|| RegexBuilder::new(translated).backtrack_limit(limit).build().ok()).ok().flatten()
}

/// The regex engine panics on a few patterns (rust-lang/regex#1344); such a match has no answer.
fn run(regex: &Regex, text: &str) -> Result<bool, NoAnswer> {
    let found = catch_unwind(AssertUnwindSafe(|| regex.is_match(text)));
    found.ok().and_then(Result::ok).ok_or(NoAnswer::TooExpensive)
}

/// Anchored, without groups and alternatives, with one quantifier: a counted repeat does not multiply live states.
fn width(source: &str, size: u64) -> u64 {
    let quantifiers = source.chars().filter(|c| "*+?{".contains(*c)).count();
    if source.starts_with('^') && !source.contains(['(', '|']) && quantifiers <= 1 {
        return size.min(source.len() as u64);
    }
    size
}

/// States the pattern will have, roughly: atoms weighted by their kind, counted repeats multiplied.
fn estimate(source: &str) -> u64 {
    let mut stack: Vec<u64> = Vec::new();
    let (mut sum, mut last) = (0_u64, 0_u64);
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '(' => {
                stack.push(sum);
                (sum, last) = (1, 0);
                continue;
            }
            ')' => {
                let inner = sum.saturating_add(1);
                sum = stack.pop().unwrap_or(0);
                last = inner;
            }
            '[' => last = class(&mut chars),
            '\\' => last = escape(chars.next()),
            '.' => last = 8,
            '{' => {
                let times = repeat(&mut chars);
                sum = sum.saturating_add(last.saturating_mul(times.saturating_sub(1)));
                last = last.saturating_mul(times);
                continue;
            }
            '*' | '+' | '?' | '|' | '^' | '$' => last = last.max(1),
            _ => last = 1,
        }
        sum = sum.saturating_add(last);
    }
    stack.into_iter().fold(sum, u64::saturating_add)
}

fn escape(c: Option<char>) -> u64 {
    match c {
        Some('p' | 'P') => 200,
        Some('W' | 'D' | 'S') => 8,
        _ => 1,
    }
}

fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> u64 {
    let mut weight = if chars.peek() == Some(&'^') { 8 } else { 1 };
    while let Some(c) = chars.next() {
        match c {
            ']' => break,
            '\\' => weight = escape(chars.next()).max(weight),
            c if !c.is_ascii() => weight += 1,
            _ => {}
        }
    }
    weight
}

/// The larger number of `{n,m}`; what is no quantifier counts once.
fn repeat(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> u64 {
    let (mut best, mut number) = (1_u64, 0_u64);
    while let Some(c) = chars.peek().copied() {
        let Some(digit) = c.to_digit(10) else {
            best = best.max(number);
            number = 0;
            if c != ',' {
                break;
            }
            chars.next();
            continue;
        };
        number = number.saturating_mul(10).saturating_add(u64::from(digit));
        chars.next();
    }
    if chars.peek() == Some(&'}') {
        chars.next();
        return best.max(number);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> Result<bool, NoAnswer> {
        Pattern::compile(pattern).unwrap().is_match(text, &mut 10_000_000)
    }

    #[test]
    fn ecma_semantics() {
        for (pattern, text, want) in [
            ("^a$", "a\n", false),
            ("^\\d$", "٣", false),
            ("^\\p{L}+$", "é", true),
            ("^(?!eo:)", "eo:cover", false),
            ("[0-9]", "ab1", true),
            ("^[\\w\\-\\.\\+]+$", "CC-BY-4.0", true),
        ] {
            assert_eq!(matches(pattern, text), Ok(want), "{pattern}");
        }
    }

    #[test]
    fn bad_and_huge_patterns_are_refused() {
        assert_eq!(Pattern::compile("[").err(), Some(BadPattern::Syntax));
        assert_eq!(Pattern::compile("((a{1000}){1000}){1000}").err(), Some(BadPattern::TooLarge));
    }

    #[test]
    fn exponential_back_references_give_up() {
        let text = "a".repeat(100);
        assert_eq!(matches("(a*)*\\1b", &text), Err(NoAnswer::TooExpensive));
    }
}
