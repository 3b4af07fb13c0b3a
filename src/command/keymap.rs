//! Chord → command, per context: the table's defaults with the user's rebindings on top. Conflicts are told, not hidden.

use std::collections::{BTreeMap, HashMap};

use super::{Chord, Context, Id, by_name, command, nearest, table};

/// The keys in force.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    by_chord: HashMap<(Context, Chord), Id>,
    by_id: HashMap<Id, Vec<Chord>>,
}

/// Something wrong with the user's `[keys]`; the rest of it still holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeymapProblem {
    #[error("keys.{name}: no such command{}", meant.as_ref().map_or(String::new(), |m| format!(", did you mean {m}?")))]
    UnknownCommand { name: String, meant: Option<String> },
    #[error("keys.{name}: {source}")]
    BadChord { name: &'static str, source: super::ChordError },
    #[error("keys.{name}: {chord} is text where this command works; add ctrl or alt")]
    Printable { name: &'static str, chord: Chord },
    #[error("{chord} in {}: {winner} and {loser} both claim it; {winner} has it", context.title())]
    Conflict { chord: Chord, context: Context, winner: &'static str, loser: &'static str },
}

impl Keymap {
    /// Builds the map. Rebinding a command replaces its default keys; where a user's key meets a default one of another
    /// command, the user's wins and the conflict is told.
    #[must_use]
    pub fn new(overrides: &BTreeMap<String, Vec<String>>) -> (Self, Vec<KeymapProblem>) {
        let mut problems = Vec::new();
        let chosen = chosen(overrides, &mut problems);
        let mut map = Self::default();
        for (id, chords) in &chosen {
            map.bind(*id, chords, &mut problems);
        }
        for row in table().iter().filter(|row| !chosen.iter().any(|(id, _)| *id == row.id)) {
            let chords: Vec<Chord> = row.keys.iter().filter_map(|k| k.parse().ok()).collect();
            map.bind(row.id, &chords, &mut problems);
        }
        (map, problems)
    }

    fn bind(&mut self, id: Id, chords: &[Chord], problems: &mut Vec<KeymapProblem>) {
        let row = command(id);
        for chord in chords {
            let mut free = false;
            for context in row.contexts {
                if let Some(owner) = self.by_chord.get(&(*context, *chord)).filter(|owner| **owner != id) {
                    let winner = command(*owner).name;
                    problems.push(KeymapProblem::Conflict {
                        chord: *chord,
                        context: *context,
                        winner,
                        loser: row.name,
                    });
                } else {
                    self.by_chord.insert((*context, *chord), id);
                    free = true;
                }
            }
            if free {
                self.by_id.entry(id).or_default().push(*chord);
            }
        }
    }

    /// The command of a chord: the first context that knows it decides.
    #[must_use]
    pub fn lookup(&self, contexts: &[Context], chord: Chord) -> Option<Id> {
        contexts.iter().find_map(|c| self.by_chord.get(&(*c, chord))).copied()
    }

    /// The keys of a command, best first.
    #[must_use]
    pub fn keys(&self, id: Id) -> &[Chord] {
        self.by_id.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The best key of a command as text; empty when it has none.
    #[must_use]
    pub fn shown(&self, id: Id) -> String {
        self.keys(id).first().map_or(String::new(), Chord::to_string)
    }
}

fn chosen(overrides: &BTreeMap<String, Vec<String>>, problems: &mut Vec<KeymapProblem>) -> Vec<(Id, Vec<Chord>)> {
    let mut out = Vec::new();
    for (name, texts) in overrides {
        let Some(row) = by_name(name) else {
            let meant = nearest(name, table().iter().map(|c| c.name)).map(str::to_owned);
            problems.push(KeymapProblem::UnknownCommand { name: name.chars().take(60).collect(), meant });
            continue;
        };
        let mut chords = Vec::new();
        for text in texts {
            match text.parse::<Chord>() {
                Ok(chord) if chord.printable().is_some() && row.contexts.iter().any(|c| c.takes_text()) => {
                    problems.push(KeymapProblem::Printable { name: row.name, chord });
                }
                Ok(chord) => chords.push(chord),
                Err(source) => problems.push(KeymapProblem::BadChord { name: row.name, source }),
            }
        }
        out.push((row.id, chords));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(pairs: &[(&str, &str)]) -> (Keymap, Vec<KeymapProblem>) {
        Keymap::new(&pairs.iter().map(|(n, k)| ((*n).to_owned(), vec![(*k).to_owned()])).collect())
    }

    #[test]
    fn the_defaults_parse_and_do_not_collide() {
        for row in table() {
            for key in row.keys {
                let chord: Chord = key.parse().unwrap_or_else(|e| panic!("{}: {e}", row.name));
                let text = row.contexts.iter().any(|c| c.takes_text());
                assert!(!(text && chord.printable().is_some()), "{} {key}", row.name);
            }
        }
        assert_eq!(over(&[]).1, []);
    }

    #[test]
    fn the_inner_context_wins_over_the_outer() {
        let (map, _) = over(&[]);
        let enter = Chord::plain(super::super::Key::Enter);
        assert_eq!(map.lookup(&[Context::Prompt, Context::Global], enter), Some(Id::PromptSend));
        assert_eq!(map.lookup(&[Context::Schema, Context::Global], enter), None);
    }

    #[test]
    fn rebinding_replaces_and_names_conflicts() {
        let (map, problems) = over(&[("run.start", "ctrl-p")]);
        assert_eq!(map.lookup(&[Context::Global], "ctrl-p".parse().unwrap()), Some(Id::RunStart));
        assert_eq!(map.lookup(&[Context::Global], "ctrl-r".parse().unwrap()), None);
        assert!(problems[0].to_string().contains("run.start and app.palette both claim it"), "{problems:?}");
    }

    #[test]
    fn slips_are_named() {
        assert!(over(&[("run.strat", "f5")]).1[0].to_string().contains("did you mean run.start?"));
        assert!(over(&[("run.start", "x")]).1[0].to_string().contains("is text"));
        assert!(over(&[("run.start", "hyper-x")]).1[0].to_string().contains("is no key"));
    }
}
