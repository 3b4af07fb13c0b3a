//! Search by regular expressions. The engine knows no backtracking: a search costs the length of the text times the size
//! of the expression, which is bounded; a match of nothing is no hit.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::find::{Case, LONGEST, MOST};

/// Bytes of a compiled expression: a few thousand states.
const MAX_SIZE: usize = 256 * 1024;

/// Is the needle a text or a regular expression?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    #[default]
    Text,
    Expression,
}

/// Compiles an expression; `^` and `$` stand for the ends of lines.
///
/// # Errors
/// What is wrong with it, in a few words on one line.
pub(super) fn compile(needle: &str, case: Case) -> Result<Regex, String> {
    if needle.chars().count() > LONGEST {
        return Err(format!("longer than {LONGEST} characters"));
    }
    let mut builder = RegexBuilder::new(needle);
    builder.multi_line(true).case_insensitive(case == Case::Folded);
    builder.size_limit(MAX_SIZE).dfa_size_limit(8 * MAX_SIZE).nest_limit(50);
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "too large: repeat less".to_owned(),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    })
}

/// The hits, in order; at most [`MOST`].
pub(super) fn find(text: &str, expression: &Regex) -> Vec<Range<usize>> {
    expression.find_iter(text).map(|hit| hit.range()).filter(|hit| !hit.is_empty()).take(MOST).collect()
}

/// What a template (`$1`, `${name}`, `$$`, `\n`, `\t`, `\\`) gives for the hit at a range.
pub(super) fn expand(text: &str, expression: &Regex, hit: &Range<usize>, template: &str) -> Option<String> {
    let captures = expression.captures_at(text, hit.start)?;
    captures.get(0).filter(|whole| whole.range() == *hit)?;
    let mut out = String::new();
    captures.expand(template, &mut out);
    Some(out)
}

/// A template as it is typed in one line, with what a line cannot hold.
pub(super) fn unescaped(typed: &str) -> String {
    let mut out = String::with_capacity(typed.len());
    let mut letters = typed.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('\\') | None => out.push('\\'),
                Some(other) => out.extend(['\\', other]),
            },
            (letter, false) => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(text: &str, needle: &str, case: Case) -> Vec<Range<usize>> {
        find(text, &compile(needle, case).unwrap())
    }

    #[test]
    fn expressions_find_what_they_say_and_never_nothing() {
        assert_eq!(hits("ab\nAb", "^a.$", Case::Folded), [0..2, 3..5]);
        assert_eq!(hits("ab\nAb\nac", "^a.$", Case::Exact), [0..2, 6..8]);
        assert_eq!(hits("aXbaa", "a*", Case::Exact), [0..1, 3..5]);
        assert!(hits("ab", "^|$", Case::Exact).is_empty());
        assert_eq!(hits("語a語", "語", Case::Exact), [0..3, 4..7]);
    }

    #[test]
    fn a_bad_expression_says_why_in_one_line() {
        assert_eq!(compile("(", Case::Exact).unwrap_err(), "unclosed group");
        assert_eq!(
            compile("a{2,1}", Case::Exact).unwrap_err(),
            "invalid repetition count range, the start must be <= the end"
        );
        assert_eq!(compile("((a{100}){100}){100}", Case::Exact).unwrap_err(), "too large: repeat less");
        assert!(compile("(?=a)", Case::Exact).unwrap_err().contains("look-around"));
        assert!(compile(&"a".repeat(LONGEST + 1), Case::Exact).is_err());
        assert!(compile(&"(".repeat(LONGEST), Case::Exact).is_err());
    }

    #[test]
    fn templates_hold_groups_and_line_ends() {
        let expression = compile(r#""(\w+)": (?<value>\d)"#, Case::Exact).unwrap();
        let text = r#"{"a": 1}"#;
        let hit = find(text, &expression).remove(0);
        let made = |template: &str| expand(text, &expression, &hit, &unescaped(template)).unwrap();
        assert_eq!(made("$1 ${value} $0 $$1 $9"), r#"a 1 "a": 1 $1 "#);
        assert_eq!(made(r"\n\t\\\d\"), "\n\t\\\\d\\");
        assert_eq!(expand(text, &expression, &(2..8), "x"), None, "no hit stands there");
    }
}
