//! Patterns: ECMA-262 syntax, matched in bounded time.
//!
//! A regular pattern walks an automaton (`walk`), and so does one whose look-aheads all stand at its start: they are
//! conditions of their own. Other look-around and back-references run on a backtracking engine under a step limit that
//! grows by tiers, each paid for before it runs.

mod ecma;
mod split;
mod walk;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder};

use walk::Automaton;

/// Estimated states of one pattern; a larger one is refused (its compilation alone would take seconds).
pub(crate) const MAX_SIZE: u64 = 60_000;
/// Step limits of the backtracking engine, tried in turn.
const TIERS: [usize; 6] = [8, 64, 512, 4_096, 32_768, 262_144];

/// A compiled pattern.
pub(crate) struct Pattern {
    engine: Engine,
    size: u64,
}

enum Engine {
    /// All must hold; those with `true` must not.
    Regular(Vec<(bool, Automaton)>),
    Backtracking(Box<Backtracking>),
}

struct Backtracking {
    translated: String,
    tiers: [OnceLock<Option<Regex>>; TIERS.len()],
    /// Most states that can be alive at once.
    width: u64,
}

/// The pattern in the syntax of `regex-syntax`, with the meaning it has here; `None` when it is no ECMA-262 pattern.
#[cfg(feature = "local")]
pub(crate) fn translate(source: &str) -> Option<String> {
    ecma::translate(source).ok()
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
        let translated = ecma::translate(source).map_err(|_| BadPattern::Syntax)?;
        let size = estimate(source);
        if size > MAX_SIZE {
            return Err(BadPattern::TooLarge);
        }
        let engine = match regular(&translated) {
            Some(parts) => Engine::Regular(parts),
            None => backtracking(translated, width(source, size)).ok_or(BadPattern::Syntax)?,
        };
        Ok(Self { engine, size })
    }

    /// Searches `text`; takes what the work costs from `fuel` first.
    pub(crate) fn is_match(&self, text: &str, fuel: &mut u64) -> Result<bool, NoAnswer> {
        match &self.engine {
            Engine::Regular(parts) => {
                for (negated, automaton) in parts {
                    if automaton.is_match(text, fuel)? == *negated {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Engine::Backtracking(engine) => {
                let Backtracking { translated, tiers, width } = engine.as_ref();
                let scan = scan_cost(text.len(), *width);
                for (limit, slot) in TIERS.iter().zip(tiers) {
                    pay(fuel, scan.saturating_mul(*limit as u64))?;
                    let Some(regex) = slot.get_or_init(|| build(translated, *limit)) else { break };
                    if let Ok(found) = run(regex, text) {
                        return Ok(found);
                    }
                }
                Err(NoAnswer::TooExpensive)
            }
        }
    }
}

fn regular(translated: &str) -> Option<Vec<(bool, Automaton)>> {
    if let Some(whole) = Automaton::new(translated) {
        return Some(vec![(false, whole)]);
    }
    let parts = split::conjunction(translated)?.into_iter();
    parts.map(|(negated, part)| Some((negated, Automaton::new(&part)?))).collect()
}

fn backtracking(translated: String, width: u64) -> Option<Engine> {
    let tiers: [OnceLock<Option<Regex>>; TIERS.len()] = Default::default();
    let (limit, slot) = (TIERS.first()?, tiers.first()?);
    let _ = slot.set(Some(build(&translated, *limit)?));
    Some(Engine::Backtracking(Box::new(Backtracking { translated, tiers, width })))
}

/// One walk over the text: at most `width` states alive, and no more than characters were read.
fn scan_cost(length: usize, width: u64) -> u64 {
    let length = length as u64;
    4 + length / 16 + length.saturating_mul(width.min(length)) / 3
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
            '\\' => {
                let escaped = chars.next();
                last = escape(escaped);
                if matches!(escaped, Some('u' | 'p' | 'P')) && chars.peek() == Some(&'{') {
                    let _ = chars.by_ref().find(|c| *c == '}');
                }
            }
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
            ("(?<year>\\d{4})-\\k<year>", "2020-2020", true),
            ("(?<year>\\d{4})-\\k<year>", "2020-2021", false),
            ("(?<n>a)|(?<n>b)", "b", true),
            ("^[^]$", "\n", true),
            ("[]", "a", false),
            ("^.$", "\u{2028}", false),
            ("^.$", "\r", false),
            ("^.$", "\u{85}", true),
            ("^.$", "😀", true),
            ("\\bé", "xé", true),
            ("^\\w+$", "é", false),
            ("^\\s$", "\u{feff}", true),
            ("^\\S$", "\u{85}", true),
            ("^\\0$", "\0", true),
            ("^[\\b]$", "\u{8}", true),
            ("^\\cA$", "\u{1}", true),
            ("^\\u{41}\\x42\\u0043$", "ABC", true),
            ("^\\ud83d\\ude00$", "😀", true),
            ("[\\ud800-\\udbff][\\udc00-\\udfff]", "😀", false),
            ("^\\/a\\-\\_$", "/a-_", true),
            ("\\1(a)", "a", true),
            ("^(a)?\\1b$", "b", true),
            ("^(a|b)\\1$", "ab", false),
            ("^[\\w-.]+$", "a-.", true),
            ("^[a&&b]$", "&", true),
            ("^[[]$", "[", true),
            ("[[:alpha:]]", "a", false),
            ("^\\p{Script=Greek}$", "α", true),
            ("^\\P{L}$", "1", true),
            ("(?<=a+)b", "aab", true),
            ("(?<!a)b", "ab", false),
            ("^(?=.*\\d)(?=.*[a-z]).{3,}$", "٣ab", false),
            ("^(?=.*\\d)(?=.*[a-z]).{3,}$", "3ab", true),
            ("^(?!\\s)(?!.*\\s$).+$", "a b ", false),
            ("^(?!a|b)c|d", "xd", true),
            ("x(?!\\w)$", "x", true),
            ("\\Bb", "ab", true),
            ("(?i:a)b", "Ab", true),
            ("^\\u{1F600}+$", "😀😀", true),
            ("", "x", true),
            ("^$", "", true),
            ("^(?!.*(foo|bar)).*$", "a bar", false),
        ] {
            assert_eq!(matches(pattern, text), Ok(want), "{pattern}");
        }
    }

    #[test]
    fn bad_and_huge_patterns_are_refused() {
        for bad in [
            "[",
            "(",
            ")",
            "a**",
            "a++",
            "*",
            "(?>a)",
            "(?P<n>a)",
            "(?i)a",
            "(?#c)",
            "\\A",
            "\\Z",
            "\\z",
            "\\h",
            "\\R",
            "\\a",
            "\\p{IsNothing}",
            "\\pL",
            "\\1",
            "\\k<x>",
            "a{2,1}",
            "a{,3}",
            "x{2",
            "[z-a]",
            "\\",
            "\\u{110000}",
            "\\x4",
        ] {
            assert_eq!(Pattern::compile(bad).err(), Some(BadPattern::Syntax), "{bad}");
        }
        assert_eq!(Pattern::compile("((a{1000}){1000}){1000}").err(), Some(BadPattern::TooLarge));
    }

    #[test]
    fn exponential_back_references_give_up() {
        let text = "a".repeat(100);
        assert_eq!(matches("(a*)*\\1b", &text), Err(NoAnswer::TooExpensive));
    }
}
