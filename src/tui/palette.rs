//! Fuzzy ranking, and the palette's rows from the command table.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::state::State;
use super::state::popup::{Kind, List, Row, Take};
use crate::command::{Command, command, table};

/// Ranks the rows of a list by its query; an empty query keeps the order.
pub fn rank(list: &mut List) {
    let query = list.query.text();
    list.selected = 0;
    if query.trim().is_empty() {
        list.matches = (0..list.rows.len()).map(|i| (i, Vec::new())).collect();
        return;
    }
    let config = if list.kind == Kind::Files { Config::DEFAULT.match_paths() } else { Config::DEFAULT };
    let mut matcher = Matcher::new(config);
    let pattern = Pattern::new(query.trim(), CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut scored: Vec<(u32, usize, Vec<u32>)> = Vec::new();
    for (i, row) in list.rows.iter().enumerate() {
        let strict = list.kind == Kind::Models;
        let found = score(&pattern, &mut matcher, row).filter(|(_, hits)| !strict || close(row, hits, query.trim()));
        if let Some((score, hits)) = found {
            scored.push((score, i, hits));
        }
    }
    // A name that is typed whole is meant, however well a longer one scores.
    let whole = |at: usize| list.rows.get(at).is_some_and(|row| row.label.trim().eq_ignore_ascii_case(query.trim()));
    scored.sort_by(|a, b| whole(b.1).cmp(&whole(a.1)).then(b.0.cmp(&a.0)).then(a.1.cmp(&b.1)));
    list.matches = scored.into_iter().map(|(_, i, hits)| (i, hits)).collect();
}

/// A hit in the label counts double against one in the detail.
fn score(pattern: &Pattern, matcher: &mut Matcher, row: &Row) -> Option<(u32, Vec<u32>)> {
    let mut buffer = Vec::new();
    let mut hits = Vec::new();
    if let Some(score) = pattern.indices(Utf32Str::new(&row.label, &mut buffer), matcher, &mut hits) {
        hits.sort_unstable();
        hits.dedup();
        return Some((score * 2, hits));
    }
    let mut buffer = Vec::new();
    let both = format!("{} {}", row.label, row.detail);
    pattern.score(Utf32Str::new(&both, &mut buffer), matcher).map(|score| (score, Vec::new()))
}

/// A name is not meant by letters strewn over it: every run of matched letters begins a word of the label, or they
/// stand together; a match beside the label has the query as it is.
fn close(row: &Row, hits: &[u32], query: &str) -> bool {
    if hits.is_empty() {
        return format!("{} {}", row.label, row.detail).to_lowercase().contains(&query.to_lowercase());
    }
    let label: Vec<char> = row.label.chars().collect();
    let begins = |at: u32| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let char_at = |i: usize| label.get(i).copied().unwrap_or(' ');
        at == 0 || !char_at(at - 1).is_alphanumeric() || char_at(at - 1).is_numeric() != char_at(at).is_numeric()
    };
    let mut runs = hits.chunk_by(|a, b| a + 1 == *b).filter_map(|run| run.first());
    let alone = hits.windows(2).all(|w| matches!(w, [a, b] if a + 1 == *b));
    alone || runs.all(|at| begins(*at))
}

/// The palette: every command with its keys, those used last first, those that cannot be given now with the reason.
#[must_use]
pub fn open(state: &State) -> List {
    let mut commands: Vec<&Command> = table().iter().filter(|c| belongs(c)).collect();
    commands.sort_by_key(|c| state.habits.rank(c.id).unwrap_or(usize::MAX));
    let rows = commands.into_iter().map(|c| row(state, c)).collect();
    List::new(Kind::Palette, "Commands", rows, "no command is called so")
}

/// Doubles for other contexts, and the palette itself, would be noise.
fn belongs(c: &Command) -> bool {
    use crate::command::Id;
    let double = matches!(
        c.id,
        Id::Palette | Id::ReaderHelp | Id::PromptSend | Id::PromptNewline | Id::IssueOn | Id::AttemptRight
    ) || c.contexts.iter().all(|x| {
        use crate::command::Context;
        matches!(
            x,
            Context::List
                | Context::Versions
                | Context::Line
                | Context::Page
                | Context::Ask
                | Context::Slash
                | Context::Complete
                | Context::Board
                | Context::Raw
                | Context::Turns
        )
    });
    c.in_palette() && !double
}

fn row(state: &State, c: &Command) -> Row {
    let keys = state.keymap.shown(c.id);
    let barred = state.barred(c.id).map(str::to_owned);
    let detail = barred.clone().unwrap_or_else(|| c.doc.trim_end_matches('.').to_owned());
    Row {
        label: c.title.to_owned(),
        detail,
        aside: c.slash.to_owned(),
        key: keys,
        take: Take::Command(c.id, String::new()),
        barred,
    }
}

/// The row of a command with an argument.
#[must_use]
pub fn choice(id: crate::command::Id, argument: &str, detail: &str) -> Row {
    Row {
        label: argument.to_owned(),
        detail: detail.to_owned(),
        aside: String::new(),
        key: String::new(),
        take: Take::Command(command(id).id, argument.to_owned()),
        barred: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Id;

    fn list(labels: &[&str], query: &str) -> Vec<String> {
        list_of(Kind::Choices, labels, query)
    }

    fn list_of(kind: Kind, labels: &[&str], query: &str) -> Vec<String> {
        let rows = labels.iter().map(|l| choice(Id::ModelPick, l, "detail word")).collect();
        let mut list = List::new(kind, "t", rows, "");
        list.query.insert(query);
        rank(&mut list);
        list.matches.iter().filter_map(|(i, _)| list.rows.get(*i)).map(|r| r.label.clone()).collect()
    }

    #[test]
    fn a_model_is_not_found_by_strewn_letters() {
        let models = ["openai/gpt-6-luna-b", "sim/sample", "sim/repair", "openai/gpt-5-mini"];
        for (query, found) in [
            ("lab", &[][..]),
            ("luna", &["openai/gpt-6-luna-b"][..]),
            ("simrep", &["sim/repair"]),
            ("gpt5", &["openai/gpt-5-mini"]),
            ("pair", &["sim/repair"]),
        ] {
            assert_eq!(list_of(Kind::Models, &models, query), found, "{query}");
        }
    }

    #[test]
    fn an_empty_query_keeps_order_and_a_query_ranks() {
        let labels = ["sim/sample", "openai/gpt-5-mini", "sim/repair"];
        assert_eq!(list(&labels, ""), labels);
        assert_eq!(list(&labels, "simrep"), ["sim/repair"]);
        assert_eq!(list(&labels, "word").len(), 3);
        assert!(list(&labels, "zzz").is_empty());
    }
}
