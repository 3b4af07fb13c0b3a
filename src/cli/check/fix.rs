//! `formwork check --fix PROVIDER`: the schema as that provider takes it, a diff, and what each edit does to the meaning.
//! All of it is a result: schema text never goes to standard error. The file changes only with `--write`.

use std::path::Path;

use serde_json::json;

use super::super::args::{CheckFormat, PlaceArgs, ReadArgs};
use super::super::failure::{Exit, Failure, Outcome};
use super::super::input::Source;
use super::super::schema_file::{self, Loaded};
use super::super::{output, sarif};
use super::{edit, human, profile_of, text};
use crate::capability::ProfileId;
use crate::event::ErrorCode;
use crate::files::replace;
use crate::json::edit::{apply, between};
use crate::json::{Value, pretty};
use crate::plan::portability::projection;
use crate::runtime::grammar::verdict;
use crate::schema::Checked;
use crate::schema::profile::profile;
use crate::schema::project::{Level, Place, Projected, Refusal};
use crate::text::diff::unified;
use crate::text::{safe, safe_keep_lines};

/// Left-over refusals that an error names.
const MAX_TOLD: usize = 20;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Asked<'a> {
    /// How the schema is read.
    pub(in crate::cli) read: &'a ReadArgs,
    pub(in crate::cli) provider: &'a str,
    /// No edit goes further.
    pub(in crate::cli) most: Level,
    /// Put the result into the file.
    pub(in crate::cli) write: bool,
}

/// Edits one schema.
pub(in crate::cli) fn run(source: &Source, asked: Asked<'_>, format: CheckFormat, places: &PlaceArgs) -> Outcome {
    let target = target(source, asked, format)?;
    let (name, id) = profile_of(asked.provider, places)?;
    let id = id.ok_or_else(|| no_profile(name))?;
    let loaded = schema_file::load(source, asked.read)?;
    if target.is_some() {
        loaded.in_place().map_err(|why| unwritten(&loaded, &why))?;
    }
    let checked = loaded.check()?;
    let made = fixed(id, &checked, asked.most).map_err(|left| refused(name, asked.most, &left))?;
    let edited = Edited::new(&loaded, &checked, name, id, made)?;
    let written = match target {
        Some(path) if !edited.is_same() => {
            let text = edited.file_text(&loaded).map_err(|why| unwritten(&loaded, &why))?;
            save(path, &text).map_err(|error| unwritable(&loaded.name, &error))?;
            true
        }
        _ => false,
    };
    match format {
        CheckFormat::Json => output::line(&text(&edited.json(written))?)?,
        CheckFormat::Human | CheckFormat::Sarif => output::result(edited.told(written).as_bytes())?,
    }
    Ok(Exit::Done)
}

/// The file to write to, if one is asked for.
fn target<'a>(source: &'a Source, asked: Asked<'_>, format: CheckFormat) -> Result<Option<&'a Path>, Failure> {
    if format == CheckFormat::Sarif {
        return Err(Failure::config(format!("--fix has no {} report", sarif::NAME)).fact("next", "use human or json"));
    }
    match source {
        Source::File(path) if asked.write => Ok(Some(path)),
        Source::Stdin if asked.write => Err(Failure::config("--write needs a file: standard input cannot be changed")
            .fact("next", "leave --write out: the schema goes to standard output")),
        Source::File(_) | Source::Stdin => Ok(None),
    }
}

/// `--write` edits the author's own text in place, or nothing.
fn unwritten(loaded: &Loaded, why: &str) -> Failure {
    Failure::config(format!("--write does not change {}: {why}", loaded.name))
        .fact("next", "leave --write out and put the printed schema where it belongs")
}

/// The schema at the lowest level that works, or what is left at the highest that was allowed.
fn fixed(id: ProfileId, checked: &Checked, most: Level) -> Result<Projected, Vec<Refusal>> {
    let grammar = verdict(id, &checked.format.schema);
    let mut left = Vec::new();
    for level in Level::ALL.into_iter().filter(|level| *level <= most) {
        match projection(id, grammar.as_ref(), Place::Native, &checked.format, level) {
            Ok(projected) => return Ok(projected),
            Err(refusals) => left = refusals,
        }
    }
    Err(left)
}

/// A document before and after.
struct Edited<'a> {
    file: &'a str,
    provider: &'a str,
    id: ProfileId,
    made: Projected,
    /// What is shown: the author's text where it was edited in place and has lines, else the JSON of it.
    before: String,
    after: String,
    /// The author's text with the edits, or why there is none.
    text: Result<String, String>,
    /// The value the edits lead to.
    wanted: Value,
    same: bool,
}

impl<'a> Edited<'a> {
    fn new(
        loaded: &'a Loaded,
        checked: &Checked,
        provider: &'a str,
        id: ProfileId,
        made: Projected,
    ) -> Result<Self, Failure> {
        let document = loaded.document()?;
        let mut wanted = document.clone();
        match wanted.get_mut("schema").filter(|_| checked.envelope) {
            Some(inner) => *inner = made.schema.clone(),
            None => wanted = made.schema.clone(),
        }
        let text = loaded.in_place().and_then(|at| {
            let edits: Vec<_> = between(&document, &wanted).into_iter().map(|edit| edit.below(at)).collect();
            apply(&loaded.text, &edits).map_err(|error| error.to_string())
        });
        let lines = |text: &str| format!("{}\n", text.trim_end_matches('\n'));
        let (before, after) = match &text {
            Ok(text) if loaded.text.trim_end().contains('\n') => (lines(&loaded.text), lines(text)),
            Ok(_) | Err(_) => (lines(&pretty(&document)), lines(&pretty(&wanted))),
        };
        let same = document == wanted;
        Ok(Self { file: &loaded.name, provider, id, made, before, after, text, wanted, same })
    }

    fn is_same(&self) -> bool {
        self.same
    }

    /// What goes into the file: read again, it holds what was wanted.
    fn file_text(&self, loaded: &Loaded) -> Result<String, String> {
        let text = self.text.as_ref().map_err(String::clone)?;
        let unsure = || "the edited text would not read as the edited schema".to_owned();
        loaded.rewritten(text, &self.wanted).ok_or_else(unsure)
    }

    fn diff(&self) -> String {
        let after = format!("{} for {}", self.file, self.provider);
        unified(&self.before, &self.after, (self.file, &after))
    }

    /// Schema, diff and edits, for a person.
    fn told(&self, written: bool) -> String {
        let (file, provider) = (safe(self.file), self.provider);
        if self.is_same() {
            return format!("{provider} takes {file} as it is: nothing to edit\n");
        }
        let (offered, level) = (human::summary(&self.made.changes), self.made.level.name());
        let mut lines = vec![safe_keep_lines(&self.after).into_owned(), safe_keep_lines(&self.diff()).into_owned()];
        lines.push(format!("{provider} takes {file} with {offered}, level {level}:"));
        for change in &self.made.changes {
            let path = if change.path.is_empty() { "(root)" } else { &change.path };
            lines.push(safe(&format!("  {:<8} {path}: {}", change.effect().name(), change.what)).into_owned());
        }
        let end = if written { "is changed" } else { "is not changed: --write puts the schema into it" };
        lines.push(format!("{file} {end}\n"));
        lines.join("\n")
    }

    fn json(&self, written: bool) -> Value {
        let profile = profile(self.id);
        json!({
            "provider": self.provider,
            "profile": profile.name,
            "profile_date": profile.date,
            "level": self.made.level,
            "edits": self.made.changes.iter().map(edit).collect::<Vec<_>>(),
            "warnings": self.made.warnings,
            "diff": self.diff(),
            "schema": self.made.schema,
            "written": written,
        })
    }
}

fn refused(provider: &str, most: Level, left: &[Refusal]) -> Failure {
    let message = format!("no edit up to level {} makes {provider} take this schema", most.name());
    let mut failure = Failure::new(ErrorCode::Unsupported, message);
    for refusal in left.iter().take(MAX_TOLD) {
        failure = failure.fact("left", human::refusal_line(refusal));
    }
    if let Some(more) = left.len().checked_sub(MAX_TOLD).filter(|more| *more > 0) {
        failure = failure.fact("left", format!("and {more} more places"));
    }
    let higher = left.iter().filter_map(|refusal| refusal.mends_at).max();
    let next = match higher {
        Some(level) => format!("allow --project {}", level.name()),
        None => "change these places by hand, or run with --fallback prompt".to_owned(),
    };
    failure.fact("next", next)
}

fn no_profile(provider: &str) -> Failure {
    Failure::config(format!("this version has no list of what {provider} accepts"))
        .fact("next", "name a provider that formwork check --for all has a verdict for")
}

fn unwritable(name: &str, error: &std::io::Error) -> Failure {
    Failure::config(format!("cannot write {name}: {}", error.kind())).exits(Exit::Failed)
}

/// A link's target is changed, not the link.
fn save(path: &Path, text: &str) -> std::io::Result<()> {
    replace(&fs_err::canonicalize(path)?, text.as_bytes())
}
