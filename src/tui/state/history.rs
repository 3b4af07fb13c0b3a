//! What was run before: the versions of schemas, and what the edited one does to earlier answers.

use crate::schema::diff::Verdict;
use crate::schema::retro::Retro;

/// One version in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    pub hash: String,
    pub name: Option<String>,
    /// Title and file, as far as there are such.
    pub what: String,
    /// First run, to the minute, UTC.
    pub first: String,
    pub runs: u64,
    pub passes: u64,
    /// Hash of the version before it that belongs to the same schema.
    pub before: Option<String>,
    /// How it stands to that one.
    pub verdict: Option<Verdict>,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// What the newest legal text does to earlier answers.
    pub retro: Option<Retro>,
    pub versions: Vec<VersionRow>,
    /// The version a name is being typed for.
    pub naming: Option<String>,
}

/// Characters of a hash on the screen.
pub const SHORT: usize = 12;

/// The beginning of a hash.
#[must_use]
pub fn short(hash: &str) -> String {
    hash.chars().take(SHORT).collect()
}

impl History {
    /// `earlier answers: 17 pass, 3 now fail at /price, 2 newly pass`, the fullest form first; empty when there are none.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Some(retro) = &self.retro else { return Vec::new() };
        let count =
            |n: usize, one: &str, many: &str| (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }));
        let now_fail = |places: &str| count(retro.now_fail, "now fails", "now fail").map(|said| said + places);
        let pass = count(retro.pass, "passes", "pass");
        let newly = count(retro.newly_pass, "newly passes", "newly pass");
        let fail = count(retro.fail, "fails as before", "fail as before");
        let left_out = count(retro.left_out, "not judged: it takes too long", "not judged: it takes too long");
        let (all, first) = places(&retro.places);
        let forms: [&[&Option<String>]; 5] = [
            &[&pass, &now_fail(&all), &newly, &fail, &left_out],
            &[&pass, &now_fail(&all), &newly, &left_out],
            &[&pass, &now_fail(&first), &newly],
            &[&now_fail(&first), &newly],
            &[&now_fail("")],
        ];
        let said = |parts: &&[&Option<String>]| parts.iter().copied().flatten().cloned().collect::<Vec<_>>().join(", ");
        let mut lines: Vec<String> = Vec::new();
        for parts in forms.iter().map(said).filter(|parts| !parts.is_empty()) {
            lines.extend([format!("earlier answers: {parts}"), format!("earlier: {parts}")]);
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
        lines.dedup();
        lines
    }
}

/// Where they fail: all of it, and the most frequent place alone.
fn places(places: &[(String, usize)]) -> (String, String) {
    let [(first, _), rest @ ..] = places else { return (String::new(), String::new()) };
    let first = format!(" at {}", if first.is_empty() { "the root" } else { first });
    let all = match rest.len() {
        0 => first.clone(),
        1 => format!("{first} and one more place"),
        n => format!("{first} and {n} more places"),
    };
    (all, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(retro: Retro) -> Vec<String> {
        History { retro: Some(retro), ..History::default() }.lines()
    }

    #[test]
    fn the_line_says_what_there_is() {
        let places = vec![("/price".to_owned(), 3)];
        let retro = Retro { pass: 17, now_fail: 3, newly_pass: 2, fail: 1, places, ..Retro::default() };
        let said = lines(retro);
        assert_eq!(said[0], "earlier answers: 17 pass, 3 now fail at /price, 2 newly pass, 1 fails as before");
        assert!(said.contains(&"earlier: 17 pass, 3 now fail at /price, 2 newly pass".to_owned()));
        assert_eq!(said.last().unwrap(), "earlier: 3 now fail");
        let places = vec![(String::new(), 2), ("/a".to_owned(), 1)];
        let retro = Retro { now_fail: 3, left_out: 9, places, ..Retro::default() };
        let longest = "earlier answers: 3 now fail at the root and one more place, 9 not judged: it takes too long";
        assert_eq!(lines(retro)[0], longest);
        assert_eq!(lines(Retro { pass: 1, ..Retro::default() })[0], "earlier answers: 1 passes");
        assert!(lines(Retro::default()).is_empty());
        assert!(History::default().lines().is_empty());
    }
}
