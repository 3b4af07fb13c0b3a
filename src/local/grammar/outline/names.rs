//! The names that a pattern of property names allows, where they are few.
//!
//! An object that may have only such names is written with the names spelled out: then the grammar knows when all are
//! used, and neither a comma too many nor a count that cannot be reached leads it into a dead end.

use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// More names than this are not spelled out.
pub(super) const MOST: usize = 32;
/// Nor are longer ones, in bytes.
const LONGEST: usize = 200;
/// So deep may groups lie in one another: the walk below follows them.
const DEEPEST: u32 = 40;
/// Stand for the beginning and the end of a text; no name has them, they are no characters.
const START: char = '\u{fffe}';
const END: char = '\u{ffff}';

/// All names that match the pattern, given in the validator's reading. `None`: they are many, or it cannot be told.
pub(super) fn names(pattern: &str) -> Option<BTreeSet<String>> {
    let hir = ParserBuilder::new().nest_limit(DEEPEST).build().parse(pattern).ok()?;
    let marked = texts(&hir)?;
    let bare = |text: String| {
        let name = text.strip_prefix(START)?.strip_suffix(END)?;
        // What cannot be written without a `\u` escape is the pattern's own business.
        let plain = name.chars().all(|letter| letter != START && letter != END && !letter.is_control());
        plain.then(|| name.to_owned())
    };
    marked.into_iter().map(bare).collect()
}

/// All texts of a part, with marks where it wants a beginning or an end.
fn texts(hir: &Hir) -> Option<BTreeSet<String>> {
    match hir.kind() {
        HirKind::Empty => Some(one("")),
        HirKind::Literal(literal) => Some(one(std::str::from_utf8(&literal.0).ok()?)),
        HirKind::Class(class) => letters(class),
        HirKind::Look(Look::Start) => Some(one(START.encode_utf8(&mut [0; 4]))),
        HirKind::Look(Look::End) => Some(one(END.encode_utf8(&mut [0; 4]))),
        HirKind::Look(_) => None,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.filter(|most| *most as usize <= LONGEST)?;
            let part = texts(&repetition.sub)?;
            let (mut all, mut so_far) = (BTreeSet::new(), one(""));
            for times in 0..=most {
                if times >= repetition.min {
                    all.extend(so_far.iter().cloned());
                }
                if times < most {
                    so_far = joined(&so_far, &part)?;
                }
                few(&all)?;
            }
            Some(all)
        }
        HirKind::Capture(capture) => texts(&capture.sub),
        HirKind::Concat(parts) => parts.iter().try_fold(one(""), |so_far, part| joined(&so_far, &texts(part)?)),
        HirKind::Alternation(branches) => {
            let mut all = BTreeSet::new();
            for branch in branches {
                all.extend(texts(branch)?);
                few(&all)?;
            }
            Some(all)
        }
    }
}

fn one(text: &str) -> BTreeSet<String> {
    BTreeSet::from([text.to_owned()])
}

fn letters(class: &Class) -> Option<BTreeSet<String>> {
    let Class::Unicode(class) = class else { return None };
    let all: BTreeSet<String> =
        class.iter().flat_map(|range| range.start()..=range.end()).take(MOST + 1).map(String::from).collect();
    few(&all)?;
    Some(all)
}

fn joined(firsts: &BTreeSet<String>, seconds: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    if firsts.len() * seconds.len() > MOST {
        return None;
    }
    let all: BTreeSet<String> =
        firsts.iter().flat_map(|first| seconds.iter().map(move |second| format!("{first}{second}"))).collect();
    few(&all)?;
    Some(all)
}

fn few(texts: &BTreeSet<String>) -> Option<()> {
    (texts.len() <= MOST && texts.iter().all(|text| text.len() <= LONGEST)).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_names_are_all_found() {
        for (pattern, found) in [
            ("^[ab]$", Some("a b")),
            ("^(de|en|fr)$", Some("de en fr")),
            ("^x[0-2]?$", Some("x x0 x1 x2")),
            ("^(a|b){1,2}$", Some("a aa ab b ba bb")),
            ("^a$|^b$", Some("a b")),
            ("\\Aone\\z", Some("one")),
            ("^$", Some("")),
            // many, unanchored, or not to be told
            ("^p[0-9]{1,2}$", None),
            ("^a+$", None),
            ("^(a|b){0,300}$", None),
            ("[ab]", None),
            ("^a", None),
            ("a$", None),
            ("^a$|b", None),
            ("a^b$", None),
            ("^\\w$", None),
            ("^\\bab\\b$", None),
            ("^\\x01$", None),
            ("^(", None),
        ] {
            let names = names(pattern).map(|names| names.into_iter().collect::<Vec<_>>().join(" "));
            assert_eq!(names.as_deref(), found, "{pattern}");
        }
    }
}
