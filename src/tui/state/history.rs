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
    /// `earlier answers: 17 pass, 3 now fail at /price, 2 newly pass`; `None` when there are none.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let retro = self.retro.as_ref()?;
        let mut parts = Vec::new();
        if retro.pass > 0 {
            parts.push(format!("{} pass", retro.pass));
        }
        if retro.now_fail > 0 {
            parts.push(format!("{} now fail{}", retro.now_fail, places(&retro.places)));
        }
        if retro.newly_pass > 0 {
            parts.push(format!("{} newly pass", retro.newly_pass));
        }
        if retro.fail > 0 {
            parts.push(format!("{} fail as before", retro.fail));
        }
        if retro.left_out > 0 {
            parts.push(format!("{} not judged: it takes too long", retro.left_out));
        }
        (!parts.is_empty()).then(|| format!("earlier answers: {}", parts.join(", ")))
    }
}

fn places(places: &[(String, usize)]) -> String {
    let name = |path: &str| if path.is_empty() { "the root".to_owned() } else { path.to_owned() };
    match places {
        [] => String::new(),
        [(only, _)] => format!(" at {}", name(only)),
        [(first, _), rest @ ..] => format!(" at {} and {} more places", name(first), rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(retro: Retro) -> Option<String> {
        History { retro: Some(retro), ..History::default() }.line()
    }

    #[test]
    fn the_line_says_what_there_is() {
        let places = vec![("/price".to_owned(), 3)];
        let retro = Retro { pass: 17, now_fail: 3, newly_pass: 2, places, ..Retro::default() };
        assert_eq!(line(retro).unwrap(), "earlier answers: 17 pass, 3 now fail at /price, 2 newly pass");
        let places = vec![(String::new(), 2), ("/a".to_owned(), 1)];
        let retro = Retro { now_fail: 3, fail: 1, left_out: 9, places, ..Retro::default() };
        let said = "earlier answers: 3 now fail at the root and 1 more places, 1 fail as before, \
                    9 not judged: it takes too long";
        assert_eq!(line(retro).unwrap(), said);
        assert_eq!(line(Retro::default()), None);
        assert_eq!(History::default().line(), None);
    }
}
