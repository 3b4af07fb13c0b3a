//! What workers brought back.

use std::path::PathBuf;
use std::sync::Arc;

use super::super::effect::{Effect, Preview, Reply};
use super::super::state::result::{Built, Shown};
use super::super::state::schema::Report;
use super::super::state::{State, Tone};
use super::super::theme::Theme;
use super::{
    board, compare, disk, draft, fields, function, history, inspect, loose, popup, probe, pull, run, sample, schema,
    schema_source, turns, work,
};
use crate::capability::Dialect;
use crate::catalog::{Catalog, ModelRow};
use crate::runtime::LocalServer;
use crate::tui::scroll::Scroll;
use crate::tui::tree::TreeState;
use crate::tui::{slash, words};

/// Takes one reply.
pub(super) fn take(state: &mut State, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Checked { generation, report } => return checked(state, generation, *report),
        Reply::Board { generation, board } => state.schema.board = Some((generation, board)),
        Reply::Outlined(outcome) => fields::outlined(state, outcome),
        Reply::Mended { before, after: Ok(after), said } => schema::mend(state, &before, &after, said),
        Reply::Mended { after: Err(why), .. } => state.say(Tone::Warn, format!("nothing was edited: {why}")),
        Reply::Offered(offered) => board::offered(state, offered),
        Reply::Worked { revision, worked } => work::came(state, revision, worked),
        Reply::Previewed(Ok(preview)) => board::previewed(state, *preview),
        Reply::Retro { generation, retro } => history::looked_back(state, generation, retro.map(|retro| *retro)),
        Reply::AnswerRead(page) => history::answered(state, page),
        Reply::Versions(versions) => history::listed(state, versions),
        Reply::VersionRead { hash, text } => history::taken(state, &hash, text),
        Reply::Compared(text) => history::compared(state, text),
        Reply::SchemaRead { path, text } => match text {
            Ok(text) => return schema::loaded(state, path, &text),
            Err(why) => state.say(Tone::Bad, why),
        },
        Reply::Inferred(made) => schema_source::inferred(state, made),
        Reply::SchemaWritten { path, text, error } => return written(state, path, text, error),
        Reply::SchemaChanged(path) => schema::changed(state, path),
        Reply::SchemaThere(path) => schema::there(state, path),
        Reply::SchemaOnDisk { path, found } => disk::came(state, &path, found),
        Reply::AttemptsCompared { title, page } => compare::compared(state, &title, &page),
        Reply::DiskCompared(diff) => disk::compared(state, &diff),
        Reply::FileThere(path) => {
            let name = schema::shown(&path);
            state.say(Tone::Warn, format!("{name} is there and stays as it is: write to it once more to replace it"));
            state.outputs.allow(path);
        }
        Reply::FileWritten { path, bytes, sample, error } => match error {
            None => {
                let what = sample.map_or_else(String::new, |seed| format!(" (a sample, seed {seed}: no answer)"));
                state.say(Tone::Good, format!("wrote {} to {}{what}", words::length(bytes), schema::shown(&path)));
                state.outputs.allow(path);
            }
            Some(why) => state.say(Tone::Bad, why),
        },
        Reply::FunctionSaved { path, call, error } => function::saved(state, path, &call, error),
        Reply::Files { paths, cut } => popup::found(state, paths, cut),
        Reply::Entries { typed, entries } => slash::entries(state, &typed, &entries),
        Reply::Tree { sequence, built } => tree(state, sequence, built),
        Reply::Sampled { seed, schema_hash, built } => sample::came(state, seed, schema_hash, built),
        Reply::Loosened { generation, outcome } => loose::came(state, generation, outcome.map(|found| *found)),
        Reply::Weighed(text) => loose::weighed(state, &text),
        Reply::Copied { what, message, .. } => state.say(Tone::Good, format!("{what}: {message}")),
        Reply::Edit { what, text } => match text {
            Ok(text) => return inspect::edited(state, what, &text),
            Err(why) => state.say(Tone::Bad, why),
        },
        Reply::Servers(found) => servers(state, found),
        Reply::Pulling { phase, done, total } => pull::progress(state, phase, done, total),
        Reply::Pulled { name, outcome } => pull::ended(state, &name, outcome.map(|catalog| *catalog)),
        Reply::Probing { feature, verdict } => probe::progress(state, feature, verdict),
        Reply::Probed { name, outcome } => probe::ended(state, &name, outcome),
        Reply::ThemeLoaded { theme, preview } => themed(state, *theme, preview),
        Reply::Previewed(Err(why)) | Reply::ThemeRefused(why) => state.say(Tone::Warn, why),
        Reply::ThemeNames(names) => popup::theme_names(state, names),
        Reply::Recent(paths) => state.recent = paths,
        Reply::Habits(habits) => state.habits = *habits,
        Reply::Told(what) => state.say(Tone::Warn, words::on_screen(&what)),
        Reply::Lost(_) => state.say(Tone::Bad, "a background job died: this is a fault of formwork"),
        Reply::DraftLeft(None) | Reply::Saved | Reply::HabitsSaved => {}
        Reply::DraftLeft(Some(left)) => draft::found(state, left),
    }
    Vec::new()
}

/// A check came back; only the newest counts.
fn checked(state: &mut State, generation: u64, report: Report) -> Vec<Effect> {
    if generation != state.schema.generation {
        return Vec::new();
    }
    state.schema.take_report(generation, report);
    schema_source::offer_if_loaded(state);
    let mut effects: Vec<Effect> = board::ask(state).into_iter().collect();
    effects.extend(history::look_back(state));
    effects.extend(if state.run_when_checked { run::start(state) } else { loose::refresh(state) });
    effects
}

fn written(state: &mut State, path: PathBuf, text: String, error: Option<String>) -> Vec<Effect> {
    state.schema.disk.writing = None;
    if let Some(why) = error {
        state.say(Tone::Bad, why);
        return Vec::new();
    }
    disk::forget(state);
    state.schema.saved = text;
    state.say(Tone::Good, format!("saved {}", schema::shown(&path)));
    state.schema.path = Some(path.clone());
    schema::remember(state, path)
}

/// The rows of the validated value are ready; those of an older run fall away.
fn tree(state: &mut State, sequence: u64, built: Result<Box<Built>, String>) {
    if sequence != state.runs || !matches!(state.result.shown, Shown::Building) {
        return;
    }
    match built {
        Ok(built) => {
            state.result.tree = TreeState::new(&built.tree);
            state.result.scroll = Scroll::at_start();
            state.result.shown = Shown::Value(built);
            turns::answered(state);
        }
        Err(why) => {
            state.result.shown = Shown::Nothing;
            state.say(Tone::Bad, why);
        }
    }
}

/// A theme that is only tried holds while its list is open.
fn themed(state: &mut State, theme: Theme, preview: Preview) {
    match preview {
        Preview::Try if state.theme_before.is_none() => {}
        Preview::Try => state.theme = theme,
        Preview::Keep => {
            state.say(
                Tone::Good,
                format!("theme {}; theme = \"{}\" in the config keeps it", theme.name(), theme.name()),
            );
            state.theme = theme;
        }
    }
}

/// A catalogue made anew: a model was pulled, a probe was kept.
pub(super) fn renew(state: &mut State, mut catalog: Catalog) {
    keep_named(state, &mut catalog);
    state.models.rows = catalog.rows();
    state.models.demos = catalog.demos();
    state.models.catalog = Arc::new(catalog);
    let found = std::mem::take(&mut state.models.servers);
    servers(state, found);
}

/// A file that was named at the start lies outside the store: the new catalogue learns of it.
fn keep_named(state: &State, catalog: &mut Catalog) {
    let provider = Dialect::Local.name();
    let Some(model) = state.models.name.strip_prefix(provider).and_then(|rest| rest.strip_prefix('/')) else { return };
    let path = state.models.catalog.endpoints.get(provider).and_then(|endpoint| endpoint.weights.get(model));
    let known = catalog.endpoints.get(provider).is_some_and(|endpoint| endpoint.weights.contains_key(model));
    if let Some(path) = path.filter(|_| !known) {
        catalog.add_weights(path.clone());
    }
}

/// Local servers answered: their models join the list.
pub(super) fn servers(state: &mut State, found: Vec<LocalServer>) {
    for server in &found {
        for model in &server.models {
            let name = format!("{}/{model}", server.provider);
            if state.models.rows.iter().all(|r| r.name != name) {
                let endpoint = state.models.catalog.endpoints.get(&server.provider);
                let Some(row) = endpoint.map(|e| ModelRow { ready: true, ..e.offered(model, &server.base_url) }) else {
                    continue;
                };
                state.models.rows.insert(0, row);
            }
        }
    }
    state.models.servers = found;
}
