//! Completion of a slash command as it is typed: forms first, then what the command takes.

use super::effect::{Effect, Entry};
use super::state::State;
use super::state::prompt::Completion;
use crate::command::{Args, Id, command, forms, parse_slash};

/// Rows offered at most; the list is a help, not a browser.
const MOST: usize = 200;

/// Fills the completion list for what the prompt holds now. A path asks for its folder first: the list follows when it
/// was read.
pub fn refresh(state: &mut State) -> Vec<Effect> {
    state.prompt.selected = 0;
    state.prompt.chosen = false;
    if !state.prompt.is_slash() {
        state.prompt.completions.clear();
        return Vec::new();
    }
    let line = state.prompt.editor.text();
    let (offers, effects) = offers(state, &line);
    state.prompt.completions = offers;
    effects
}

fn offers(state: &State, line: &str) -> (Vec<Completion>, Vec<Effect>) {
    if let Some((id, form, rest)) = argument(line) {
        return match command(id).args {
            Args::SchemaPath | Args::SavePath | Args::AnswerPath | Args::Samples => {
                (state.prompt.completions.clone(), vec![Effect::ReadDir { typed: rest.to_owned() }])
            }
            args => (values(state, args, form, rest), Vec::new()),
        };
    }
    (commands(state, line), Vec::new())
}

/// The command whose argument is being typed: its form is complete and a space follows.
fn argument(line: &str) -> Option<(Id, &'static str, &str)> {
    let found = forms().filter_map(|(form, id)| {
        let rest = line.strip_prefix(form)?.strip_prefix(' ')?;
        (command(id).args != Args::None).then_some((id, form, rest.trim_start()))
    });
    found.max_by_key(|(_, form, _)| form.len())
}

fn commands(state: &State, line: &str) -> Vec<Completion> {
    let typed = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rows: Vec<Completion> = Vec::new();
    for (form, id) in forms().filter(|(form, _)| form.starts_with(&typed)) {
        let row = command(id);
        let usage = row.args.usage();
        let shown = if usage.is_empty() { form.to_owned() } else { format!("{form} [{usage}]") };
        let doc = state.barred(id).map_or_else(|| row.title.to_owned(), |why| format!("{}: {why}", row.title));
        let line = if row.args == Args::None { form.to_owned() } else { format!("{form} ") };
        rows.push(Completion { line, shown, doc, complete: row.args == Args::None || form == typed });
    }
    rows
}

fn values(state: &State, args: Args, form: &str, rest: &str) -> Vec<Completion> {
    let make = |value: &str, doc: &str| Completion {
        line: format!("{form} {value}"),
        shown: value.to_owned(),
        doc: doc.to_owned(),
        complete: true,
    };
    let rows: Vec<Completion> = match args {
        Args::Model => state.models.rows.iter().map(|r| make(&r.name, &r.route)).collect(),
        Args::Weights => state.models.offers.iter().map(|o| make(&o.name, &o.note)).collect(),
        Args::Theme => state.theme_names.iter().map(|n| make(n, "")).collect(),
        Args::Attempt => {
            let attempts = state.run.iter().flat_map(|r| &r.attempts);
            attempts.map(|a| make(&a.number.to_string(), "")).collect()
        }
        Args::Fallback | Args::Retries | Args::Level | Args::Copy | Args::Draft | Args::Layout => {
            args.choices().iter().map(|(value, doc)| make(value, doc)).collect()
        }
        Args::Part => {
            let found = state.schema.report().and_then(|report| report.foreign.as_ref());
            let offers = found.into_iter().flat_map(|found| &found.offers);
            offers.map(|offer| make(&offer.label, &offer.pointer)).collect()
        }
        Args::None
        | Args::SchemaPath
        | Args::SavePath
        | Args::AnswerPath
        | Args::Seed
        | Args::Depth
        | Args::Samples
        | Args::Topic
        | Args::Function
        | Args::Fields => Vec::new(),
    };
    let wanted = rest.to_lowercase();
    rows.into_iter().filter(|c| c.shown.to_lowercase().contains(&wanted)).take(MOST).collect()
}

/// The completions of a path, once its folder was read. Late answers for another text fall away.
pub fn entries(state: &mut State, typed: &str, entries: &[Entry]) {
    let line = state.prompt.editor.text();
    let Some((_, form, rest)) = argument(&line).filter(|(_, _, rest)| *rest == typed) else { return };
    let (folder, name) = split_path(rest);
    let hidden = name.starts_with('.');
    let fits = |e: &Entry| e.name.starts_with(name) && (hidden || !e.name.starts_with('.'));
    let rows = entries.iter().filter(|e| fits(e)).take(MOST).map(|e| {
        let slash = if e.folder { "/" } else { "" };
        Completion {
            line: format!("{form} {folder}{}{slash}", e.name),
            shown: format!("{}{slash}", e.name),
            doc: if e.folder { "folder".to_owned() } else { String::new() },
            complete: !e.folder,
        }
    });
    state.prompt.completions = rows.collect();
    state.prompt.selected = 0;
}

/// The folder part with its slash, and what follows.
#[must_use]
pub fn split_path(typed: &str) -> (&str, &str) {
    typed.rfind('/').map_or(("", typed), |i| typed.split_at(i + 1))
}

/// What Enter does with the line as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    Run(Id, String),
    /// The selected completion replaces the line.
    Complete(String),
    Wrong(String),
}

/// Decides what Enter does: a chosen completion wins, then the line as a command, then the only completion.
#[must_use]
pub fn entered(state: &State) -> Entered {
    let prompt = &state.prompt;
    let line = prompt.editor.text();
    let offer = prompt.completions.get(prompt.selected).filter(|_| prompt.completing());
    if let Some(offer) = offer.filter(|o| prompt.chosen && o.line.trim_end() != line.trim_end()) {
        return run_or_complete(offer);
    }
    match parse_slash(&line) {
        Ok((id, rest)) => Entered::Run(id, rest),
        Err(error) => match offer.filter(|o| o.line.starts_with(line.trim_end())) {
            Some(offer) => run_or_complete(offer),
            None => Entered::Wrong(error.to_string()),
        },
    }
}

fn run_or_complete(offer: &Completion) -> Entered {
    match parse_slash(&offer.line) {
        Ok((id, rest)) if offer.complete => Entered::Run(id, rest),
        _ => Entered::Complete(offer.line.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_form_takes_the_argument() {
        assert_eq!(argument("/schema load a/b").map(|(id, _, r)| (id, r)), Some((Id::SchemaLoad, "a/b")));
        assert_eq!(argument("/schema load"), None);
        assert_eq!(argument("/run now"), None);
        assert_eq!(split_path("a/b/c.js"), ("a/b/", "c.js"));
        assert_eq!(split_path("c.js"), ("", "c.js"));
    }
}
