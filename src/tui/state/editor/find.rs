//! Search in a text: plain text, the case of letters folded or not. Bounded in needle and hits.

use std::ops::Range;

/// Letters of a needle; longer ones are nobody's search and would make a hostile text slow.
pub(super) const LONGEST: usize = 256;
/// Hits that are counted.
pub const MOST: usize = 100_000;

/// Does the case of letters matter?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    #[default]
    Folded,
    Exact,
}

/// All places of a needle that do not overlap, in order; at most [`MOST`].
#[must_use]
pub fn find(text: &str, needle: &str, case: Case) -> Vec<Range<usize>> {
    if needle.is_empty() || needle.chars().count() > LONGEST {
        return Vec::new();
    }
    match case {
        Case::Exact => text.match_indices(needle).take(MOST).map(|(i, m)| i..i + m.len()).collect(),
        Case::Folded => folded(text, needle),
    }
}

fn folded(text: &str, needle: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let first = needle.as_bytes().first().copied().unwrap_or(0);
    let ascii = needle.is_ascii();
    let (low, high) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && out.len() < MOST {
        let rest = bytes.get(at..).unwrap_or_default();
        let next = if ascii { rest.iter().position(|b| *b == low || *b == high) } else { Some(0) };
        let Some(next) = next else { break };
        at += next;
        match text.get(at..).and_then(|rest| begins(rest, needle)) {
            Some(length) => {
                out.push(at..at + length);
                at += length;
            }
            None => at += 1,
        }
    }
    out
}

/// Does the text begin with the needle, case folded? Gives the bytes it takes.
fn begins(text: &str, needle: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    for wanted in needle.chars() {
        let (_, letter) = letters.next()?;
        let same = letter == wanted
            || letter.eq_ignore_ascii_case(&wanted)
            || (!letter.is_ascii() && letter.to_lowercase().eq(wanted.to_lowercase()));
        if !same {
            return None;
        }
    }
    Some(letters.offset())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_is_folded_or_not() {
        assert_eq!(find("aXbx", "X", Case::Folded), [1..2, 3..4]);
        assert_eq!(find("aXbX", "X", Case::Exact), [1..2, 3..4]);
        assert!(find("axbx", "X", Case::Exact).is_empty());
        assert_eq!(find("ÄäÄ", "ä", Case::Folded), [0..2, 2..4, 4..6]);
        assert_eq!(find("aaaa", "aa", Case::Folded), [0..2, 2..4]);
        assert!(find("abc", "", Case::Exact).is_empty());
    }

    proptest! {
        #[test]
        fn exact_hits_are_folded_hits(text in "[aAbBä語\n]{0,40}", needle in "[aAbä]{1,2}") {
            let all = find(&text, &needle, Case::Folded);
            for hit in &all {
                let found = text.get(hit.clone()).unwrap();
                prop_assert_eq!(found.to_lowercase(), needle.to_lowercase());
            }
            for (at, _) in text.match_indices(&needle) {
                prop_assert!(all.iter().any(|hit| hit.start <= at && at < hit.end));
            }
        }
    }
}
