//! The nearest known name to a mistyped one. Only for messages: nothing is ever mended by it.

/// The known names, nearest first; names equally near keep their order.
#[must_use]
pub fn by_nearness<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = known.into_iter().collect();
    names.sort_by_cached_key(|name| distance(typed, name));
    names
}

/// The nearest known name, if one is near enough to be meant: at most a third of it differs.
#[must_use]
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let best = by_nearness(typed, known).into_iter().next()?;
    let allowed = best.chars().count().max(typed.chars().count()).div_ceil(3);
    (distance(typed, best) <= allowed).then_some(best)
}

/// Edits (insert, delete, replace, swap neighbours) between two names; letter case costs nothing.
fn distance(a: &str, b: &str) -> usize {
    // Names are short; what is longer than this is no slip of the fingers.
    const LONGEST: usize = 64;
    let a: Vec<char> = a.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            row.push(cheapest(&a, &b, (i, j), &before, &last, &row, usize::from(x != y)));
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

fn cheapest(
    a: &[char],
    b: &[char],
    (i, j): (usize, usize),
    before: &[usize],
    last: &[usize],
    row: &[usize],
    differs: usize,
) -> usize {
    let at = |line: &[usize], k: usize| line.get(k).copied().unwrap_or(usize::MAX - 1);
    let plain = (at(last, j) + differs).min(at(last, j + 1) + 1).min(at(row, j) + 1);
    let swapped = i > 0 && j > 0 && a.get(i) == b.get(j - 1) && a.get(i - 1) == b.get(j);
    if swapped { plain.min(at(before, j - 1) + 1) } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["model", "theme", "timeout_seconds", "providers"];
        for (typed, want) in [
            ("modle", Some("model")),
            ("Model", Some("model")),
            ("timeout_second", Some("timeout_seconds")),
            ("provider", Some("providers")),
            ("zzzzzzzz", None),
        ] {
            assert_eq!(nearest(typed, known), want, "{typed}");
        }
    }

    #[test]
    fn distances() {
        for (a, b, want) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("ab", "ba", 1), ("é", "e", 1)] {
            assert_eq!(distance(a, b), want, "{a} {b}");
        }
    }
}
